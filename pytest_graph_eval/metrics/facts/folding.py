"""Folded characters: the form in which words are compared, whatever their case and diacritics."""

from __future__ import annotations

import unicodedata

from pytest_graph_eval import lazy_re as re

_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "œ": "oe", "æ": "ae", "ð": "d", "þ": "th", "ё": "е",
            "–": "-", "—": "-", "―": "-", "‒": "-"}  # fmt: skip
_NON_ASCII = re.compile(r"[^\x00-\x7f]")


class _Folds(dict[str, str]):
    """The folded form of each character: case-folded, Latin and Greek letters without their marks."""

    def __missing__(self, char: str) -> str:
        parts = unicodedata.normalize("NFD", char.casefold())
        bare = "".join(c for c in parts if not 0x300 <= ord(c) <= 0x36F)
        base = parts[:1]
        foldable = base < "\u0400" or "\u1e00" <= base <= "\u1fff"
        text = bare if foldable else char.casefold()
        self[char] = folded = "".join(_LETTERS.get(c, c) for c in text).lower()
        return folded


_FOLDS = _Folds()


def fold(text: str) -> str:
    """Return `text` case-folded and without the diacritics of Latin and Greek letters; dashes become `-`."""
    if text.isascii():
        return text.lower()
    return _NON_ASCII.sub(lambda m: _FOLDS[m[0]], text).lower()
