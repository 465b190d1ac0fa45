"""Finds where the items of a JSON file's top-level lists stand, for messages about a file that parsed well."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from json import JSONDecoder

__all__ = ["item_positions"]

_GAP = re.compile(r"[ \t\r\n]*")


def item_positions(text: str, keys: Collection[str]) -> dict[tuple[str, int], tuple[int, int]]:
    """Return line and column, counted from 1, of each item of the lists under `keys`.

    Args:
        text: valid JSON with an object at the top.
        keys: names of the top-level lists.
    """
    lines = [0, *(m.end() for m in re.finditer("\n", text))]
    places = {}
    for key, number, offset in _offsets(text, keys):
        line = bisect_right(lines, offset)
        places[key, number] = (line, offset - lines[line - 1] + 1)
    return places


def _offsets(text: str, keys: Collection[str]) -> list[tuple[str, int, int]]:
    decoder, found = JSONDecoder(), []
    at = _skip(text, text.index("{") + 1)
    while text[at] != "}":
        key, at = decoder.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)  # the colon
        if key in keys and text[at] == "[":
            at = _skip(text, at + 1)
            number = 0
            while text[at] != "]":
                found.append((key, number, at))
                number += 1
                _, at = decoder.raw_decode(text, at)
                at = _past_comma(text, at)
            at += 1
        else:
            _, at = decoder.raw_decode(text, at)
        at = _past_comma(text, at)
    return found


def _skip(text: str, at: int) -> int:
    match = _GAP.match(text, at)
    assert match is not None  # the pattern matches the empty text
    return match.end()


def _past_comma(text: str, at: int) -> int:
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at
