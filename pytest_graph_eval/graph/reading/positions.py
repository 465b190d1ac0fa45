"""Finds where the items of lists in a JSON file stand, for messages about a file that parsed well."""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Callable, Collection
from json import JSONDecoder

Loc = tuple[str | int, ...]
Pattern = tuple[str | None, ...]
"""A path in the data; None is every item of a list."""

_GAP = re.compile(r"[ \t\r\n]*")
_DECODER = JSONDecoder()


def item_positions(text: str, patterns: Collection[Pattern]) -> dict[Loc, tuple[int, int]]:
    """Return line and column, from 1, of everything in a valid JSON text that is at one of the `patterns`."""
    lines = [0, *(m.end() for m in re.finditer("\n", text))]
    found: dict[Loc, int] = {}
    _walk(text, _skip(text, 0), (), patterns, found)
    places = {}
    for loc, offset in found.items():
        line = bisect_right(lines, offset)
        places[loc] = (line, offset - lines[line - 1] + 1)
    return places


def position_finder(text: str, patterns: Collection[Pattern]) -> Callable[[Loc], tuple[int, int]]:
    """Return a function from a path to its place, or to that of the nearest thing around it with a known one."""
    places = functools.cache(lambda: item_positions(text, patterns))

    def position(loc: Loc) -> tuple[int, int]:
        return next((places()[loc[:n]] for n in range(len(loc), 0, -1) if loc[:n] in places()), (1, 1))

    return position


def _walk(text: str, at: int, loc: Loc, patterns: Collection[Pattern], found: dict[Loc, int]) -> int:
    """Note the places in the value at an offset, and return where the value ends."""
    depth = len(loc)
    deeper = [p for p in patterns if len(p) > depth]
    if not deeper or text[at] not in "[{":
        return _DECODER.raw_decode(text, at)[1]
    is_list = text[at] == "["
    at = _skip(text, at + 1)
    number = 0
    while text[at] not in "]}":
        key: str | int = number
        if not is_list:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)  # the colon
        below = [p for p in deeper if (p[depth] is None if is_list else p[depth] == key)]
        here = (*loc, key)
        if any(len(p) == len(here) for p in below):
            found[here] = at
        at = _past_comma(text, _walk(text, at, here, below, found))
        number += 1
    return at + 1


def _skip(text: str, at: int) -> int:
    match = _GAP.match(text, at)
    assert match is not None  # the pattern matches the empty text
    return match.end()


def _past_comma(text: str, at: int) -> int:
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at
