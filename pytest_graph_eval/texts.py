"""How messages put things: texts cut to a length, lists cut with a count, counts with their noun, the nearest word."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

_COMPARED = 5_000
"""Above that many words a typo is not looked up: the comparison is slow, and a first message matters more."""


def cut(text: str, most: int, mark: str = "…") -> str:
    """Return a text of at most `most` characters; one that was longer ends with `mark`."""
    return text if len(text) <= most else text[: most - len(mark)].rstrip() + mark


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return names as a list that is cut with a count: `a, b and 7 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def many(count: int, noun: str) -> str:
    """Return a count with its noun: `1 scenario`, `3 entities`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"


def nearest(word: str, words: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the word most like `word` whatever its case, or an empty text."""
    folded = {known.casefold(): known for known in sorted(words)}
    close = difflib.get_close_matches(word.casefold(), folded, n=1) if len(folded) <= _COMPARED else []
    return f"; did you mean {folded[close[0]]!r}?" if close else ""


def located(where: str, text: str) -> str:
    """Return a message led by the place (`file:line`) that it is about, where that is known."""
    return f"{where}: {text}" if where else text


def code_apart(text: str) -> list[tuple[str, bool]]:
    """Return the parts of a text of ours, each with whether it is code, which we put between backticks.

    >>> code_apart("write `a: b`, or `")
    [('write ', False), ('a: b', True), (', or `', False)]
    """
    parts = text.split("`")
    if len(parts) % 2 == 0:  # the last one has no other end
        parts[-2:] = ["`".join(parts[-2:])]
    return [(part, n % 2 == 1) for n, part in enumerate(parts) if part]
