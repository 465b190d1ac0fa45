"""Text of any origin as GitHub's Markdown, which shows it and obeys nothing in it.

Answers and names come from outside. Words that Markdown or the page around it could act on (HTML, links, mentions,
references to issues and commits, emoji, formulas between dollar signs) become code, in which nothing is looked for.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import groupby

from pytest_graph_eval.reports.layout import Paper

LONGEST = 300
"""Columns of a text before it is cut."""

_PAPER = Paper()
_ACTIVE = re.compile(
    r"""[`*_{}\[\]\#|~<&$^@\\]    # emphasis, links, HTML, mentions, formulas
    | :(?=\S)                     # addresses, emoji
    | www\.
    | [a-z]-\d                    # references to issues of other systems
    | \b[0-9a-f]{7,40}\b          # commits""",
    re.VERBOSE | re.IGNORECASE,
)

_AROUND = re.compile(r"""([("'“]*)(.*?)([)"'”.,;:!?]*)""", re.DOTALL)
_OWN = re.compile("`[^` ](?:[^`]*[^` ])?`")
"""Code in a text of ours, or what looks just like it."""
_OWN_WORDS = re.compile(r"""((?:(?<=^)|(?<=\s))`[^` ](?:[^`]*[^` ])?`(?=[,;:.]?(?:\s|$)))""")
"""The same within a sentence, with nothing at its side that could become part of it."""


def _line(text: object, most: int) -> str:
    beginning = str(text)[: 4 * most]  # answers can be megabytes
    line = _PAPER.fit(beginning, most)
    return line if line.endswith("…") or len(beginning) == len(str(text)) else f"{line}…"


def prose(text: object, most: int = LONGEST) -> str:
    """Return a text as one line of at most `most` columns, with the words that could do something as code."""
    parts = _OWN_WORDS.split(_line(text, most))
    return "".join(part if number % 2 else _words(part) for number, part in enumerate(parts))


def _words(text: str) -> str:
    words = groupby(text.split(" "), key=lambda word: bool(_ACTIVE.search(word)))
    return " ".join(_in_sentence(" ".join(run)) if active else " ".join(run) for active, run in words)


def _in_sentence(words: str) -> str:
    """Return words as code, without the brackets, quotes and stops around them where those can do nothing."""
    found = _AROUND.fullmatch(words)
    assert found is not None  # every text is one
    before, inner, after = found.groups()
    if not inner or _ACTIVE.search(before) or _ACTIVE.search(after):
        return _span(words)
    return f"{before}{_span(inner)}{after}"


def code(text: object, most: int = LONGEST) -> str:
    """Return a text as one line of code of at most `most` columns; nothing for an empty one."""
    return _span(_line(text, most))


def _span(line: str) -> str:
    """Return a line between more backticks than stand in it anywhere."""
    if not line.strip():
        return ""
    if _OWN.fullmatch(line):
        return line
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, align: str) -> str:
    """Return a table.

    Args:
        head: titles of the columns.
        rows: cells, made by `prose` and `code` where they come from outside.
        align: a letter for each column: l or r.
    """
    rule = ["---:" if letter == "r" else "---" for letter in align]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in [head, rule, *rows]
    )


def folded(title: str, body: str, *, name: str = "") -> str:
    """Return a part of the page that opens on a click; `title` is our own, `name` may come from anywhere."""
    shown = f" <code>{html.escape(_line(name, LONGEST))}</code>" if name else ""
    return f"<details><summary>{title}{shown}</summary>\n\n{body}\n\n</details>"
