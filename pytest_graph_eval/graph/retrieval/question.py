"""Reads a question as weighted terms: what it asks about, in which years, for what kind of thing.

A term is a word, or a phrase that means one thing (`CEO`, `chief executive officer`), with everything that counts as
the same. A term's weight is how much it tells in this graph: rare words tell more than common ones.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pytest_graph_eval.graph.retrieval.synonyms import ASKED, KINDS, SAME, SOFT
from pytest_graph_eval.graph.retrieval.words import STOP_WORDS, fold, is_gram, is_period, years_of

_LONGEST = 20_000
"""Characters of a question that are read."""
_MOST_TERMS = 48

_UNKNOWN_WORD, _UNKNOWN_NAME, _UNKNOWN_GRAM = 0.5, 2.0, 0.1
"""Weight of a term that the graph does not hold, as a share of the heaviest known weight. A missing name tells that
the question is about something else; a missing verb may be another way to say it."""
_SOFT = 0.3
"""Weight of a word that says how to answer (`compare`, `which firm`) as a share of its own."""

_GERMAN = frozenset(("der", "die", "das", "den", "dem", "ein", "eine", "wer", "wie", "ist", "und", "von", "im", "wo"))
_OPENINGS = frozenset(fold("show give list name describe explain state find"))
"""What asks for an answer as the first word that counts, and means something elsewhere (`who described it`)."""
_ASKING = frozenset(("who", "which", "when", "where", "why", "how"))
_DETERMINERS = ("which", "what", "quel", "quelle", "quels", "quelles")


def _folded(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(" ".join(fold(text)) for text in texts))


def _table() -> dict[str, tuple[str, ...]]:
    """Return, for every word or phrase of the synonyms, all that counts as it."""
    table: dict[str, tuple[str, ...]] = {}
    for group in SAME:
        same = _folded(group)
        for phrase in same:
            table[phrase] = tuple(dict.fromkeys((phrase, *table.get(phrase, ()), *same)))
    for asked, told in ASKED:
        for phrase in _folded(asked):
            table[phrase] = tuple(dict.fromkeys((phrase, *table.get(phrase, ()), *_folded(told))))
    return table


_TABLE = _table()
_LONGEST_PHRASE = max(len(phrase.split()) for phrase in _TABLE)
_SOFT_WORDS = frozenset(_folded(SOFT))
_FIRST_WORDS = frozenset(phrase.split()[0] for phrase in _TABLE if " " in phrase)
_KIND_WORDS = {word: frozenset(fold(types)) for asked, types in KINDS for word in fold(asked)}


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that the question says. Any of its alternatives, words and phrases, says it too."""

    alternatives: tuple[str, ...]
    weight: float
    known: bool
    """Whether the graph holds it at all."""


@dataclass(slots=True)
class Question:
    """The terms of a question; sets of terms are bit masks over their places."""

    terms: tuple[Term, ...]
    order: tuple[int, ...] = ()
    """The places of the terms in the order in which the question says them."""
    years: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    """Words of the type labels that are asked for (`who`: person)."""
    names: frozenset[str] = frozenset()
    """Words that are written as names."""
    weight: float = field(init=False)
    known_weight: float = field(init=False)
    bits: dict[str, int] = field(default_factory=dict)
    """The terms that a word or phrase says."""
    _weights: dict[int, float] = field(default_factory=lambda: {0: 0.0})

    def __post_init__(self) -> None:
        """Index the alternatives by the bits of their terms."""
        for place, term in enumerate(self.terms):
            for text in term.alternatives:
                self.bits[text] = self.bits.get(text, 0) | 1 << place
        self.weight = sum(term.weight for term in self.terms)
        self.known_weight = sum(term.weight for term in self.terms if term.known)

    def mask(self, words: frozenset[str]) -> int:
        """Return which terms a set of words and phrases covers."""
        bits, found = self.bits, 0
        for word in words & bits.keys():
            found |= bits[word]
        return found

    def weigh(self, mask: int) -> float:
        """Return the summed weight of a set of terms."""
        known = self._weights.get(mask)
        if known is None:
            low = mask & -mask
            known = self._weights[mask] = self.terms[low.bit_length() - 1].weight + self.weigh(mask ^ low)
        return known

    def words(self) -> list[str]:
        """Return all words that a matching text may hold, each once."""
        texts = (text for term in self.terms for text in term.alternatives)
        return list(dict.fromkeys(word for text in texts for word in _indexed(text)))


def read_question(text: str, frequency: Callable[[str], int], rows: int) -> Question:
    """Analyse a question against a graph.

    Args:
        text: the question, of any length and content.
        frequency: in how many rows of the graph's index a word stands.
        rows: how many rows there are.
    """
    text = text[:_LONGEST]
    words, names = fold(text), _names(text)
    places: dict[tuple[str, ...], int] = {}
    terms: list[Term] = []
    order: list[int] = []
    for phrase in _read_phrases(words, names):
        alternatives = _alternatives(phrase)
        if alternatives not in places and len(terms) < _MOST_TERMS:
            places[alternatives] = len(terms)
            terms.append(_term(phrase, alternatives, names, frequency, rows))
        if alternatives in places:
            order.append(places[alternatives])
    return Question(tuple(terms), tuple(order), years_of(frozenset(words)), _kinds(words), names)


def _term(
    phrase: str,
    alternatives: tuple[str, ...],
    names: frozenset[str],
    frequency: Callable[[str], int],
    rows: int,
) -> Term:
    """Weigh a term: by how few rows hold it, or, where none does, by how much its absence tells."""
    counts = (min(map(frequency, _indexed(text)), default=0) for text in alternatives)
    found = min(rows, sum(counts))
    weight = math.log(1 + rows / found) if found else math.log(1 + rows / 0.5) * _unknown(phrase, names)
    if phrase in _SOFT_WORDS or phrase in _KIND_WORDS:
        weight *= _SOFT if found else 0.0
    return Term(alternatives, weight, found > 0)


def _indexed(text: str) -> list[str]:
    """Return the words of a term that the index holds: stop words only where they are the whole term (`WHO`)."""
    words = text.split()
    return words if len(words) == 1 else [word for word in words if word not in STOP_WORDS]


def _read_phrases(words: Sequence[str], names: frozenset[str]) -> Iterable[str]:
    """Yield the content words in order, phrases of the table as one, stop words left out unless they are names."""
    at = 0
    said = [n for n, word in enumerate(words) if word not in STOP_WORDS]
    if len(said) > 1 and words[said[0]] in _OPENINGS and _ASKING.isdisjoint(words[: said[0]]):
        at = said[0] + 1
    while at < len(words):
        sizes = range(_LONGEST_PHRASE, 1, -1) if words[at] in _FIRST_WORDS else ()
        size = next((n for n in sizes if " ".join(words[at : at + n]) in _TABLE and at + n <= len(words)), 1)
        if size > 1 or words[at] not in STOP_WORDS or words[at] in names:
            yield " ".join(words[at : at + size])
        at += size


def _alternatives(phrase: str) -> tuple[str, ...]:
    if is_period(phrase):
        year = phrase.removeprefix("fy")
        return year, f"fy{year}"
    return _TABLE.get(phrase, (phrase,))


def _unknown(phrase: str, names: frozenset[str]) -> float:
    if is_gram(phrase):
        return _UNKNOWN_GRAM
    named = phrase[0].isdigit() or not names.isdisjoint(phrase.split())
    return _UNKNOWN_NAME if named else _UNKNOWN_WORD


def _names(text: str) -> frozenset[str]:
    """Return the words that are written as names: capitals inside a sentence, in a text that is not all capitals.

    The first word counts only with a possessive (`Tesla's`), and short words in capitals count anywhere (`IT`, `WHO`).
    German writes all nouns with a capital: there it tells nothing.
    """
    if len(_GERMAN.intersection(text.casefold().split())) > 1:
        return frozenset()
    tokens = re.findall(r"[^\W\d_]\S*", text)
    large = [token for token in tokens if token[0].isupper()]
    if len(large) * 2 > len(tokens) + 1:
        large = [token for token in large if token.isupper() and len(large) < len(tokens)]
    first = tokens[0] if tokens else ""
    named = [t for t in large if t is not first or t.endswith(("'s", "’s")) or (len(t) > 1 and t.isupper())]
    return frozenset(word for token in named for word in fold(token) if len(word) > 1)


def _kinds(words: Sequence[str]) -> frozenset[str]:
    """Return the type words asked for: by a question word (`who`, `where`) or the noun after `which` or `what`."""
    kinds: set[str] = set()
    for at, word in enumerate(words):
        if word in _DETERMINERS:
            kinds.update(*(_KIND_WORDS[noun] for noun in words[at + 1 : at + 4] if noun in _KIND_WORDS))
        elif word in STOP_WORDS and word in _KIND_WORDS:
            kinds |= _KIND_WORDS[word]
    return frozenset(kinds)
