"""Text that fits its columns whatever it holds: cleaning, display width, cutting, wrapping, tables.

Answers and names come from outside. They must not steer a terminal (control characters, direction marks), nor push
a line past its width (wide and combining characters), nor break a stream that can encode ASCII only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

COMMAND = re.compile(r"(?<!\S)::(?=\S)|##(?=\[)")
"""What begins a command to GitHub Actions at the start of a printed line, after blanks or not."""

_KEPT = "\u200c\u200d"  # joiners: Persian spelling and emoji families need them, and they steer nothing
_HIDDEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
_MOST_MARKS = 4  # combining marks on one character; more are there to draw over other lines
_ASCII = str.maketrans(
    {
        "…": "...", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "–": "-", "—": "-",
        "‑": "-", "−": "-", "→": "->", "≥": ">=", "≤": "<=", "×": "x", "\u00a0": " ", "\u202f": " ",
        "✓": "+", "⚠": "!", "✗": "x", "═": "=", "─": "-",
    }
)  # fmt: skip
_LEAST_CELL = 4
_GAP = 2
_STAND_IN = 0xE000  # private use: never in cleaned text
_FILLER = "\uf8ff"


def columns(text: str) -> int:
    """Return how many columns of a terminal `text` takes."""
    return sum(width for _, width in _clusters(text))


def _clusters(text: str) -> Iterator[tuple[str, int]]:
    """Yield each character with its combining marks, and the columns that they take together."""
    cluster, width = "", 0
    for char in text:
        if cluster and _is_mark(char):
            cluster += char
            width += char == "\ufe0f" and width == 1  # asks for the wide, coloured form
            continue
        if cluster:
            yield cluster, width
        cluster, width = char, 0 if _is_mark(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
    if cluster:
        yield cluster, width


def _is_mark(char: str) -> bool:
    return not char.isascii() and (unicodedata.category(char) in ("Mn", "Me") or char in _KEPT)


def _clean(text: str) -> str:
    """Return text on one line with everything that a terminal would obey, or not show, as an escape."""
    line = COMMAND.sub(lambda m: escaped(m[0][0]) + m[0][1:], " ".join(text.split()))
    if line.isascii() and line.isprintable():
        return line
    out: list[str] = []
    marks = 0
    for char in line:
        marks = marks + 1 if _is_mark(char) else 0
        if marks > _MOST_MARKS:
            continue
        hidden = unicodedata.category(char) in _HIDDEN and char not in _KEPT
        out.append(escaped(char) if hidden else char)
    return "".join(out)


def escaped(char: str) -> str:
    """Return a character as an escape that can be seen."""
    number = ord(char)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else f"\\U{number:08x}"


@dataclass(frozen=True, slots=True)
class Paper:
    """What a report is written on: how wide it is, and whether it takes more than ASCII."""

    width: int = 80
    ascii_only: bool = False

    def text(self, text: object) -> str:
        """Return foreign text as one harmless line."""
        line = _clean(str(text))
        if not self.ascii_only or line.isascii():
            return line
        return line.translate(_ASCII).encode("ascii", "backslashreplace").decode()

    def fit(self, text: object, width: int | None = None) -> str:
        """Return text cut to `width` columns (default: the paper's), with an ellipsis where it was cut."""
        line, limit = self.text(text), max(1, self.width if width is None else width)
        if columns(line) <= limit:
            return line
        more = ("..." if self.ascii_only else "…")[:limit]
        return _head(line, limit - len(more)).rstrip() + more

    def wrap(self, text: object, *, first: str = "", rest: str | None = None, most: int = 0) -> list[str]:
        """Return text in lines that fit, the first led by `first` and the others by `rest` (default: blanks).

        `most` lines at most, the last with an ellipsis where there was more; 0 is no limit.
        """
        rest = " " * columns(first) if rest is None else rest
        room = max(8, self.width - max(columns(first), columns(rest)))
        lines = _fill(self.text(text), room) or [""]
        if most and len(lines) > most:
            lines = [*lines[: most - 1], self.fit(" ".join(lines[most - 1 :]), room)]
        return [f"{rest if number else first}{line}".rstrip() for number, line in enumerate(lines)]

    def centre(self, text: object, width: int) -> str:
        """Return text cut to `width` columns and centred in them."""
        line = self.fit(text, width)
        room = width - columns(line)
        return " " * (room // 2) + line + " " * (room - room // 2)

    def table(self, rows: Sequence[Sequence[object]], *, align: str) -> list[str]:
        """Return rows as aligned lines that fit; the first and the last column give way where it gets tight.

        Args:
            rows: cells, the header first where there is one.
            align: a letter for each column: l or r.
        """
        from tabulate import tabulate  # not in a process that prints no report, as a worker

        cells = [[self.text(cell) for cell in row] for row in rows]
        limits = self._limits([max(map(columns, column)) for column in zip(*cells, strict=True)])
        known: dict[str, str] = {}
        text = tabulate(
            [[_stand_in(self.fit(cell, most), known) for cell, most in zip(row, limits, strict=True)] for row in cells],
            tablefmt="plain",
            disable_numparse=True,
            colalign=["right" if letter == "r" else "left" for letter in align] if rows else None,
        )
        back = str.maketrans({mark: cluster for cluster, mark in known.items()} | {_FILLER: ""})
        return [_head(line.translate(back), self.width).rstrip() for line in text.splitlines()]

    def _limits(self, natural: list[int]) -> list[int]:
        """Return how wide each column may be: the outer ones share what the inner ones leave."""
        if not natural:
            return []
        first, *inner, last = natural
        room = max(2 * _LEAST_CELL, self.width - sum(inner) - _GAP * (len(natural) - 1))
        first = min(first, max(room - last, room // 2))
        return [first, *inner, min(last, room - first)]


def _stand_in(cell: str, known: dict[str, str]) -> str:
    """Return the cell with one character for each column, so that what counts characters aligns columns.

    tabulate counts characters unless an optional package is installed; `known` remembers what stands for what.
    """
    out = []
    for cluster, width in _clusters(cell):
        if width == 1 and len(cluster) == 1:
            out.append(cluster)
            continue
        mark = known.setdefault(cluster, chr(_STAND_IN + len(known)))
        out.append(mark + _FILLER * (width - 1))
    return "".join(out)


def _head(text: str, width: int) -> str:
    """Return as much of the start of `text` as fits into `width` columns."""
    taken, used = [], 0
    for cluster, size in _clusters(text):
        used += size
        if used > width:
            break
        taken.append(cluster)
    return "".join(taken)


def _fill(text: str, width: int) -> list[str]:
    """Break text at blanks into lines of at most `width` columns; a longer word is broken anywhere."""
    lines: list[str] = []
    line, used = "", 0
    for word in text.split():
        size = columns(word)
        if line and used + 1 + size <= width:
            line, used = f"{line} {word}", used + 1 + size
            continue
        if line:
            lines.append(line)
        while size > width:
            head = _head(word, width)
            if word.startswith("::", len(head)) and len(head) > 1:
                head = head[:-1]  # no line begins with what a CI system takes for a command
            lines.append(head)
            word, size = word[len(head) :], columns(word[len(head) :])  # noqa: PLW2901 - the rest of the same word
        line, used = word, size
    return [*lines, line] if line else lines
