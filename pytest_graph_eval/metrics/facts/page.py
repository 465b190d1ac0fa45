"""A text as the tokenisers read it: same length and same positions, but one form of each digit, letter and sign."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from pytest_graph_eval.metrics.facts.separated import barred
from pytest_graph_eval.once import once

# Signs that mean the same; everything else keeps its own form.
_SAME: dict[str, str] = {
    **dict.fromkeys("−–—‒―‐‑－﹣", "-"),
    **dict.fromkeys("\xa0\u202f\u2009\u2007\u2008\u200a\u2005\u2006\u3000\t", " "),
    **dict.fromkeys("’‘ʼ＇′", "'"),
    **dict.fromkeys("％٪﹪", "%"),
    "，": ",", "．": ".", "：": ":", "（": "(", "）": ")", "＋": "+", "＄": "$", "﹩": "$", "￥": "¥",
    "￡": "£", "￠": "¢",
    "～": "~", "〜": "~", "／": "/", "｜": "|", "ي": "ی", "ك": "ک", "ى": "ی",
}  # fmt: skip


class _Glyphs(dict[str, str]):
    """What each character becomes in `Page.text`: digits of every script as ASCII, one form of each sign."""

    def __missing__(self, char: str) -> str:
        digit = unicodedata.decimal(char, None)
        self[char] = form = _SAME.get(char, char) if digit is None else str(digit)
        return form


class _Letters(dict[str, str]):
    """What each small letter becomes in `Page.lower`: Latin letters lose their accents."""

    def __missing__(self, char: str) -> str:
        base = unicodedata.normalize("NFD", char)[0]
        self[char] = form = base if base.isascii() else _STROKED.get(char, char)
        return form


_STROKED = {"ł": "l", "ø": "o", "đ": "d", "ı": "i"}
_GLYPHS = _Glyphs()
_LETTERS = _Letters()
_FEW = 64
_BETWEEN_WORDS = "".join(chr(c) for c in range(0x21, 0x7F) if not chr(c).isalpha())
_ASCII_GAPS = str.maketrans(_BETWEEN_WORDS, " " * len(_BETWEEN_WORDS))
_OTHER_GAPS = _BETWEEN_WORDS + "«»…“”„。、「」¿¡·•"


def _replace(text: str, forms: dict[str, str]) -> str:
    """Replace each character by its form. One pass for each odd character is the fastest for the usual few."""
    odd = [char for char in set(text) if forms[char] != char]
    if len(odd) > _FEW:
        return "".join(map(forms.__getitem__, text))
    for char in odd:
        text = text.replace(char, forms[char])
    return text


@lru_cache(maxsize=4096)
def fold(word: str) -> str:
    """Return a word in the form that `Page.lower` has; for the keys of tables."""
    return _lower(_replace(unicodedata.normalize("NFC", word), _GLYPHS))


def _lower(text: str) -> str:
    """Return `text` in small letters without accents; the one letter whose small form is longer keeps its length."""
    if text.isascii():
        return text.lower()
    return _replace(text.replace("İ", "i").lower(), _LETTERS)


def glues(char: str) -> bool:
    """Tell whether a character beside a figure makes it part of an identifier.

    Scripts without spaces (Chinese, Japanese, Korean, Thai) and those that prefix particles (Arabic, Hebrew) do not.
    """
    if char.isascii():
        return char.isalnum() or char == "_"
    return char.isalpha() and not ("\u0590" <= char <= "\u06ff" or "\u0e00" <= char <= "\u0eff" or char >= "\u1100")


class Page:
    """One text, folded character by character, with what the tokenisers share about it."""

    def __init__(self, plain: str) -> None:
        """Fold `plain`; positions stay."""
        self.plain = plain
        rows, self.heads = barred(plain)
        """Where the head lines of separated rows start."""
        self.text = rows.replace("\t", " ") if rows.isascii() else _replace(rows, _GLYPHS)
        self.lower = _lower(self.text)
        self.memory: dict[object, object] = {}

    @once
    def words(self) -> frozenset[str]:
        """The different words of the text, to see at once which rules have nothing to do here."""
        text = self.lower
        if text.isascii():
            return frozenset(text.translate(_ASCII_GAPS).split())
        for char in _OTHER_GAPS:
            text = text.replace(char, " ")
        return frozenset(text.split())


@lru_cache(maxsize=32)
def page(plain: str) -> Page:
    """Return the page of a text; the same string gives the same page while it is remembered."""
    return Page(plain)
