"""Whatever a text holds, GitHub's own Markdown parser makes that text of it: no tag, no link, no other cell."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import cmarkgfm
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_graph_eval.reports.layout import Paper
from pytest_graph_eval.reports.markup import code, folded, prose, table

PIECES = [
    "`", "``", "|", "\\", "\\|", "\n", "\x00", "\x1b[31m", "\u202e", "\u2066", "<script>alert(1)</script>",
    "</details>", "<!--", "@user", "https://a.example/x", "www.a.example", "a@b.example", "#12", "GH-1", "[a](http://b)",
    "![x](y)", "$x$", ":smile:", "**b**", "_i_", "~~s~~", "&lt;", "&#64;user", "deadbeef1", "- ", "1. ", "# ",
    "\ud800", "é", "漢",
    "a", " ", "(", ")", '"', ":", ".", "---", "===", "\u200b", "\t", "]: x", "[^1]",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join)


class Seen(HTMLParser):
    """What a page consists of: its tags, the text of each cell, and all text that is not code."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.plain = ""
        self._code = 0
        self.feed(cmarkgfm.github_flavored_markdown_to_html(markdown, options=cmarkgfm.Options.CMARK_OPT_UNSAFE))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._code += tag == "code"
        if tag in ("td", "summary"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag == "code"

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data
        if not self._code:
            self.plain += data


def shown(text: str, most: int = 300) -> str:
    return Paper().fit(text, most).strip()


@given(TEXTS, TEXTS)
@example("`", "``")
@example("a`|`b\\|", "\\")
def test_a_text_in_a_table_is_that_text_and_nothing_else(one: str, other: str) -> None:
    page = Seen(table(("x", "y"), [[prose(one), code(other)], [code(one), prose(other)]], align="ll"))
    assert set(page.tags) <= {"table", "thead", "tbody", "tr", "th", "td", "code"}
    assert page.tags.count("tr") == 3
    cells = [shown(one), shown(other)] * 2
    found = [cell.strip() for cell in page.cells]
    assert found == cells or any("`" in cell for cell in cells)
    assert [cell.replace("`", "") for cell in found] == [cell.replace("`", "") for cell in cells]


def test_code_in_a_text_of_ours_stays_as_it_is_word_by_word() -> None:
    text = "give `messages`, `a: b` or `x` to `y`."
    assert prose(text) == text
    assert prose("`a` <b> and `c`d") == "`a` `<b>` and `` `c`d ``"


@given(TEXTS)
def test_what_is_not_code_holds_nothing_that_a_page_acts_on(text: str) -> None:
    page = Seen(f"- Text: {prose(text)}\n\n" + folded("Title", f"Body: {prose(text)}", name=text))
    assert set(page.tags) <= {"ul", "li", "p", "code", "details", "summary"}
    assert page.tags.count("details") == 1
    assert not re.search(r"[@#$<&`*_~|\\]|:\S|www\.|\b[0-9a-f]{7,40}\b", page.plain, re.IGNORECASE)
