"""Key facts of a text: its numbers, dates, known names, and capitalised names of two words or more.

They are what `faithfulness` looks for in the evidence, and what a baseline keeps of an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from operator import attrgetter
from typing import Literal, NamedTuple

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import context, dates, numbers
from pytest_graph_eval.metrics.facts.compare import match_number
from pytest_graph_eval.metrics.facts.dates import DateToken
from pytest_graph_eval.metrics.facts.findings import found_in
from pytest_graph_eval.metrics.facts.names import NO_NAMES, NameIndex, find
from pytest_graph_eval.metrics.facts.page import page
from pytest_graph_eval.metrics.facts.phrases import STOP_WORDS
from pytest_graph_eval.metrics.facts.text import Span, Text, normalise
from pytest_graph_eval.metrics.facts.tokens import NumberToken


class KeyFact(NamedTuple):
    """One fact: its kind, its text as written on one line, and its span in the plain text it comes from.

    `token` is the figure or the date; a `falls` figure is said to go down, so that it may be written as negative.
    """

    kind: Literal["number", "date", "name"]
    text: str
    span: Span
    token: NumberToken | DateToken | None = None
    falls: bool = False

    @property
    def signed(self) -> str:
        """The fact without its sentence: what is said to fall is negative."""
        return f"-{self.text}" if self.falls else self.text


def key_facts(text: Text, index: NameIndex | None = None, ignore: str = "") -> list[KeyFact]:
    """Return the key facts of a text in order, each once; those that `ignore` (the question) states do not count."""
    dated = date_facts(text)
    facts = [*dated, *number_facts(text, [f.span for f in dated])]
    facts += _names(text, index or NO_NAMES, [f.span for f in facts])
    if not facts:
        return facts
    distinct = {(f.kind, _identity(f)): f for f in sorted(facts, key=_place, reverse=True)}
    kept = sorted(distinct.values(), key=_place)
    question = normalise(ignore.replace("?", "."))  # what is asked about is said there
    return [f for f in kept if not stated(f, question)] if question.plain else kept


_place = attrgetter("span")


def _identity(fact: KeyFact) -> object:
    if isinstance(fact.token, NumberToken):
        return fact.token.value, fact.token.high, fact.token.unit_class, fact.token.currency
    if isinstance(fact.token, DateToken):
        return fact.token.iso()
    return fact.text.casefold()


def stated(fact: KeyFact, text: Text) -> bool:
    """Tell whether a text states a fact: a number by value and unit, a date by its parts, a name by its words."""
    if isinstance(fact.token, NumberToken):
        return _number_stated(fact, fact.token, text)
    if isinstance(fact.token, DateToken):
        return dates.match_date(fact.token, dates.find(text.plain)).verdict == "pass"
    return bool(find(text, fact.text)) or _words_stated(fact.text, text)


def _number_stated(fact: KeyFact, token: NumberToken, text: Text) -> bool:
    figures = numbers.find(text.plain, locale="auto")
    if not figures:
        return False
    verdict = match_number(token, text.plain, figures, text.clauses, tells_nearest=False)
    if verdict.verdict == "fail" and verdict.reason == "sign_mismatch" and fact.falls:
        negated = token._replace(value=token.value.copy_negate(), sign=-1)
        verdict = match_number(negated, text.plain, figures, text.clauses, tells_nearest=False)
    return verdict.verdict == "pass"


def _words_stated(name: str, text: Text) -> bool:
    """Tell whether all words of a capitalised phrase occur and two of them side by side ("CEO Doug McMillon")."""
    words = normalise(name).words.words
    if len(words) < 3 or not all(w in text.word_positions for w in words):
        return False
    there = text.words.words
    pairs = set(pairwise(words))
    return any((a, b) in pairs for a, _ in pairs for at in text.word_positions[a] for b in there[at + 1 : at + 2])


def number_facts(text: Text, taken: list[Span] | None = None) -> list[KeyFact]:
    """Return the figures of a text; words such as "one" and ordinals are none, nor is what stands in `taken`."""
    plain = text.without("header", "citation")
    spans = taken if taken is not None else [f.span for f in date_facts(text)]
    facts = []
    for token in numbers.find(plain, locale="auto"):
        if token.needs_noun or token.unit_class in ("year", "ordinal") or _overlaps(token.span, spans):
            continue
        if token.value == 0 and not any(c.isdigit() for c in token.text):
            continue  # `none` and the like
        falls = token.sign == 0 and context.direction(page(plain), token.span, text.clause_at(token.span[0])) == "fall"
        facts.append(KeyFact("number", found_in(text, token.span), token.span, token, falls))
    return facts


def date_facts(text: Text) -> list[KeyFact]:
    """Return the dates of a text, years alone included; a day without a year is none."""
    tokens = dates.find(text.without("header", "citation"))
    return [KeyFact("date", found_in(text, t.span), t.span, t) for t in tokens if t.year is not None]


def _overlaps(span: Span, spans: list[Span]) -> bool:
    return bool(spans) and any(start < span[1] and span[0] < end for start, end in spans)


# --- names --------------------------------------------------------------------------------------------------------

_PARTICLE = r"(?:of|&|the|de|du|des|la|le|von|van|der|di|da)"
_CAPITALISED = re.compile(
    rf"\b[^\W\d_a-z][\w'&-]*(?:\.(?= [A-Z]))?(?: (?:{_PARTICLE} ){{0,2}}[^\W\d_a-z][\w'&-]*(?:\.(?= [A-Z]))?)+"
)


def _names(text: Text, index: NameIndex, taken: list[Span]) -> Iterator[KeyFact]:
    """Yield known names, and capitalised runs of two words or more outside them."""
    known = [m for m in index.find(text) if text.aside_at(m.start, m.end) not in ("header", "citation")]
    for mention in known:
        yield KeyFact("name", found_in(text, (mention.start, mention.end)), (mention.start, mention.end))
    taken = [*taken, *((m.start, m.end) for m in known)]
    plain = text.without("header", "citation")
    for m in _CAPITALISED.finditer(plain):
        for start, end in _free(m.span(), taken):
            span = _without_opening(text, *_trimmed(plain, start, end))
            words = plain[slice(*span)].split()
            if sum(w[:1].isupper() for w in words) > 1 and not _is_heading(text, span):
                yield KeyFact("name", " ".join(words), span)


def _free(span: Span, taken: list[Span]) -> Iterator[Span]:
    """Yield the parts of a span that no other fact takes."""
    at = span[0]
    for start, end in sorted(t for t in taken if t[0] < span[1] and span[0] < t[1]):
        if start > at:
            yield at, start
        at = max(at, end)
    if at < span[1]:
        yield at, span[1]


_EDGE = re.compile(rf"(?:\W|\b{_PARTICLE}\b)*")
_EDGE_END = re.compile(rf"(?:[^\w]|(?<=\s){_PARTICLE}(?=\s|\Z))*\Z")


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return a span without signs and particles at its ends."""
    piece = text[start:end]
    lead = _EDGE.match(piece)
    tail = _EDGE_END.search(piece)
    low, high = lead.end() if lead else 0, tail.start() if tail else len(piece)
    return start + low, start + max(low, high)


def _without_opening(text: Text, start: int, end: int) -> Span:
    """Leave out words that are capitals only because they open a clause: The, In, However."""
    words = text.plain[start:end].split(" ")
    while len(words) > 1 and words[0].casefold().strip(".,") in _OPENERS:
        start += len(words.pop(0)) + 1
    return start, end


_RULER = re.compile(r"[|\s:+-]*-[|\s:+-]*(?:\n|\Z)")
_OPENERS = STOP_WORDS | frozenset(
    ["however", "additionally", "moreover", "according", "during", "since", "after", "before", "also", "both", "while",
     "overall", "today", "yes", "between", "under", "over", "if", "cependant", "selon", "depuis", "apres", "avant"]
)  # fmt: skip


def _is_heading(text: Text, span: Span) -> bool:
    """Tell whether a capitalised run is a heading or a column head rather than a name."""
    plain = text.plain
    low, high = plain.rfind("\n", 0, span[0]) + 1, plain.find("\n", span[1])
    line = plain[low : high if high >= 0 else len(plain)]
    if plain[span[1] : span[1] + 1] == ":" and not line[: span[0] - low].strip("-*•# \t"):
        return True
    whole = line.strip() == plain[slice(*span)]
    following = plain[high + 1 : high + 3] if high >= 0 else ""
    if whole and high >= 0 and (following[:1] in "\n|-*•" or following[:1].isdigit()):
        return True
    return "|" in line and high >= 0 and _RULER.match(plain, high + 1) is not None
