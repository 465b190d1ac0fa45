"""Rows of comma-separated values in a text: their separators become bars, so that they are read as a table.

`2022,12` is no decimal there. Positions stay: each separator is one character, and so is its bar.
"""

from __future__ import annotations

from pytest_graph_eval import lazy_re as re

# A head of short names with nothing but its separators between them; prose has a blank behind its commas.
_HEAD = re.compile(
    r"(?:\A|(?<=\n))\"?[^\W\d][^\n,;\t|]{0,40}(?:(?:,(?=\S)[^\n,|]{0,40})+|(?:;(?=\S)[^\n;|]{0,40})+|"
    r"(?:\t[^\n\t|]{0,40})+)(?<![:.!?])(?=\n)"
)
_MARK = re.compile(r"[,;\t]")
# With a single comma, a figure under a head of several words is a decimal under a title: Sales,2023 above 1,5.
_ONE_DECIMAL = re.compile(r"\n\d+,\d")
_TITLE = re.compile(r"[\d ]")
_QUOTED = re.compile(r'"[^"\n]{0,200}"')


def barred(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text with the separators of such rows as bars, and where their head lines start."""
    if "\n" not in text or not _MARK.search(text):
        return text, ()
    heads: list[int] = []
    pieces: list[str] = []
    at = 0
    while (head := _HEAD.search(text, at)) is not None:
        mark = next(m[0] for m in _MARK.finditer(_unquoted(head[0])))
        wanted, end = _unquoted(head[0]).count(mark), head.end()
        while end < len(text) and (row := _row(text, end + 1, mark, wanted)):
            end = row
        rows = text[head.end() : end]
        lines: tuple[str, ...] = (head[0], rows)
        single = wanted == 1 and _ONE_DECIMAL.match(rows) and _TITLE.search(head[0])
        if any(c.isdigit() for c in rows) and not single:
            heads.append(head.start())
            lines = tuple(_bars(line, mark) for line in lines)
        pieces += [text[at : head.start()], *lines]
        at = end
    return ("".join([*pieces, text[at:]]), tuple(heads)) if heads else (text, ())


def _row(text: str, start: int, mark: str, wanted: int) -> int:
    """Return the end of the line at `start` where it is a row of so many separators, else 0."""
    end = text.find("\n", start)
    line = _unquoted(text[start : end if end >= 0 else len(text)])
    if line.count(mark) != wanted or f"{mark} " in line:
        return 0
    return start + len(line)


def _unquoted(line: str) -> str:
    """Return a line with what stands in quotes blanked out."""
    return _QUOTED.sub(lambda m: "x" * len(m[0]), line) if '"' in line else line


def _bars(lines: str, mark: str) -> str:
    outer = _unquoted(lines)
    return "".join("|" if out == mark else " " if char == '"' else char for char, out in zip(lines, outer, strict=True))
