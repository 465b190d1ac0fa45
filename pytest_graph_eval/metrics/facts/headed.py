"""What stands under a line that is nothing but a name: a heading, or the item above a nested list.

`Acme:` above `- Revenue: $24 million` says whose revenue it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.page import Page

Span = tuple[int, int]

_MARKER = re.compile(r" *(?:([-*+•–])|(\d{1,3}[.)])|#{1,6}) +")
_AROUND = " *_#:.-"
# A line of a few words without figures that ends no sentence may head what follows.
_MOST_WORDS = 6
_MOST_LINES = 40


def under(page: Page, place: Span) -> list[Span]:
    """Return the lines under a name that stands alone on its line, up to the next such line."""
    text = page.text
    if "\n" not in text:
        return []
    start, end = text.rfind("\n", 0, place[0]) + 1, _line_end(text, place[1])
    marker = _MARKER.match(text, start)
    if text[marker.end() if marker else start : end].strip(_AROUND) != text[slice(*place)].strip(_AROUND):
        return []
    return list(_block(text, end + 1, _kind(marker)))


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _kind(marker: re.Match[str] | None) -> str:
    """Return which kind of list item a line is, empty for none."""
    return "" if marker is None else marker[1] or ("1" if marker[2] else "")


def _block(text: str, at: int, kind: str) -> Iterator[Span]:
    for _ in range(_MOST_LINES):
        if at >= len(text):
            return
        end = _line_end(text, at)
        marker = _MARKER.match(text, at)
        if kind and _kind(marker) == kind:
            return
        line = text[marker.end() if marker else at : end].strip()
        if line and _may_head(line, listed=bool(_kind(marker))):
            return
        yield at, end
        at = end + 1


def _may_head(line: str, *, listed: bool) -> bool:
    if any(c.isdigit() for c in line) or not any(c.isalpha() for c in line):
        return False
    return line.endswith(":") or (not listed and line[-1] not in ".!?,;" and len(line.split()) <= _MOST_WORDS)
