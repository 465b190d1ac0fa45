"""Cardinals in words of languages beside English and French: `einundzwanzig`, `treinta y dos`, `duecentocinquanta`.

German, Dutch and Italian write them in one word, Spanish and Portuguese apart. A lone one is an article and left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from pytest_graph_eval.metrics.facts.tables.number_words import (
    ALSO_OTHER_WORDS,
    HUNDREDS_APART,
    OTHER_CARDINALS,
    OTHER_ONES,
    OTHER_TENS,
)


class _Glue(NamedTuple):
    """How a language joins its number words: hundred, thousand, and what joins one and ten (`einundzwanzig`)."""

    hundred: str
    thousands: tuple[str, ...]
    link: str
    ones_first: bool


_GLUED = {
    "de": _Glue("hundert", ("tausend",), "und", True),
    "nl": _Glue("honderd", ("duizend",), "en", True),
    "it": _Glue("cento", ("mila", "mille"), "", False),
}
_LINKS = {"es": "y", "pt": "e"}
# Longer words are no numbers that anyone writes out.
_LONGEST = 48


def cardinal(word: str, language: str) -> int | None:
    """Return the number that a single word says in a language, None where it is none."""
    known = OTHER_CARDINALS[language].get(word) or HUNDREDS_APART.get(language, {}).get(word)
    return known or (_glued(word, language) if language in _GLUED and len(word) <= _LONGEST else None)


@cache
def _below_hundred(language: str) -> Mapping[str, int]:
    """Return the numbers up to 99 as single words, the ones in compounds included."""
    glue = _GLUED[language]
    ones = {**{w: n for w, n in OTHER_CARDINALS[language].items() if n < 10}, **OTHER_ONES[language]}
    found = {**OTHER_CARDINALS[language], **OTHER_ONES[language]}
    for ten, value in OTHER_TENS[language].items():
        for one, n in ones.items():
            if glue.ones_first:
                found[f"{one}{glue.link}{ten}"] = value + n
            else:  # venti and uno are ventuno
                found[f"{ten[:-1] if one[0] in 'uo' else ten}{one}"] = value + n
    return found


@lru_cache(maxsize=16384)
def _glued(word: str, language: str) -> int | None:
    """Read a number in one word, thousands first."""
    glue = _GLUED[language]
    for thousand in glue.thousands:
        head, found, tail = word.partition(thousand)
        if found:
            return _sum(head, tail, 1000, language)
    head, found, tail = word.partition(glue.hundred)
    if found:
        return _sum(head, tail, 100, language)
    value = _below_hundred(language).get(word)
    return value if value is not None and value > 1 else None


def _sum(head: str, tail: str, factor: int, language: str) -> int | None:
    below = _below_hundred(language)
    many = below.get(head) if head else 1
    many = many if many is not None or factor == 100 else _glued(head, language)
    bare = tail.removeprefix(_GLUED[language].link) or tail
    rest = (below.get(tail) or below.get(bare) or (_glued(tail, language) if factor > 100 else None)) if tail else 0
    return None if many is None or rest is None else factor * many + rest


def longest(words: Sequence[str], language: str) -> tuple[int, int] | None:
    """Return the number that the start of some words says, and how many of them say it."""
    total = group = 0
    last, read, at = 10**9, 0, 0
    link = _LINKS.get(language, "")
    while at < len(words):
        word = words[at]
        value = cardinal(word, language) or OTHER_ONES[language].get(word if at else "")
        if link and word == "mil" and (group or not total):
            total, group, last, at = total + 1000 * (group or 1), 0, 1000, at + 1
            read = at
        elif value and value < last and (at == 0 or link) and _fits(value, last):
            group, last, at = group + value, value, at + 1
            read = at
        elif link and word == link and at == read and at:
            at += 1
        else:
            break
    return (total + group, read) if read else None


def _fits(value: int, last: int) -> bool:
    """Tell whether a number may follow one: what is below a hundred a hundred, what is below ten a ten."""
    return value < (100 if last % 100 == 0 and last < 1000 else 10 if last % 10 == 0 and last < 100 else last) or (
        last >= 1000 and value < 1000
    )


@cache
def in_any_language() -> Mapping[str, int]:
    """Return the words that say the same number wherever they are one, and are no usual words of other languages."""
    every: dict[str, set[int]] = {}
    for table in (*OTHER_CARDINALS.values(), *HUNDREDS_APART.values()):
        for word, n in table.items():
            every.setdefault(word, set()).add(n)
    return {w: min(n) for w, n in every.items() if len(n) == 1 and len(w) > _SHORT and w not in ALSO_OTHER_WORDS}


def anywhere(word: str) -> int | None:
    """Return the number that a word says whatever the language of its text, None where that is not sure."""
    known = in_any_language().get(word)
    if known or not _LONG <= len(word) <= _LONGEST:
        return known
    return next((n for language in _GLUED if (n := _glued(word, language))), None)


def longest_anywhere(words: Sequence[str]) -> tuple[int, int] | None:
    """Return the longest number at the start of some words in any language; a lone word only where it is sure."""
    readings = [found for language in OTHER_CARDINALS if (found := longest(words, language))]
    best = max(readings, key=lambda found: found[1], default=None)
    if best is not None and best[1] > 1:
        return best
    value = anywhere(words[0])
    return (value, 1) if value else None


_SHORT = 3
_LONG = 8
