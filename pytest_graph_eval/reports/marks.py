"""Texts with the facts in them marked: what was matched, what must not be there, what has no ground.

A marked text is a list of segments, each a text alone or with a tone and the reason of the mark. Where a record tells
the place of a match it is taken; the others are found by the facts engine, out of what was expected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from pytest_graph_eval.metrics.facts import KeyFact, NameIndex, Text, key_facts, normalise, stated
from pytest_graph_eval.models.records import Check, Record

Segment = tuple[str, ...]
"""A text, or a text with its tone (`good`, `warn`, `bad`) and why it is marked."""
Span = tuple[int, int, str, str]
"""Start, end, tone and reason."""

_SHOWN = {"numbers", "counts", "dates", "names", "any_of", "order", "choice", "as_of", "contains", "equals"}
"""Checks whose expected values can stand in the evidence."""
_QUOTED = re.compile(r'(?:turn \d+: )?"(.*?)": ', re.DOTALL)


def marked(text: str, spans: Iterable[Span], most: int) -> list[Segment]:
    """Return the beginning of a text, cut into segments by its marks; of marks that overlap the first one counts."""
    segments: list[Segment] = []
    shown, at = text[:most], 0
    for start, end, tone, why in sorted(spans, key=lambda span: span[:2]):
        if not at <= start < end <= len(shown):
            continue
        if start > at:
            segments.append((shown[at:start],))
        segments.append((shown[start:end], tone, why))
        at = end
    if at < len(shown):
        segments.append((shown[at:],))
    if len(text) > most:
        segments.append((f" … {len(text) - most:,} more characters are in the results file",))
    return segments


def marked_answer(record: Record, most: int) -> list[Segment]:
    """Return a record's answer with what the checks found, what the gold answer states, and what has no ground."""
    answer = record.answer or ""
    spans = [(*c.span, _tone(c), c.message) for c in record.checks if c.span and c.where != "evidence"]
    told = {match[1] for text in record.hallucinations if (match := _QUOTED.match(text))}
    if told or record.gold_answer:
        text, gold = normalise(answer[:most]), normalise(record.gold_answer or "")
        for fact in key_facts(text, NameIndex((name, "") for name in told)):
            if fact.text in told:
                spans.append((*text.raw_span(*fact.span), "warn", "not in the evidence"))
            elif stated(fact, gold):
                spans.append((*text.raw_span(*fact.span), "good", "in the gold answer"))
    return marked(answer, spans, most)


def _tone(check: Check) -> str:
    return {"pass": "good", "fail": "bad", "error": "warn"}[check.outcome]


class Evidence:
    """Marks retrieved texts with the facts that were expected.

    Reading a text takes the facts engine milliseconds a page, so what it found in a text is kept for the next scenario
    that retrieved it, and beyond a sum of characters texts stay unmarked.
    """

    def __init__(self, most: int) -> None:
        """Start with nothing read; `most` characters are read in all."""
        self.left = most
        self._read = lru_cache(maxsize=None)(_facts)
        self._seen: set[str] = set()

    def spans(self, texts: Sequence[str], record: Record) -> Iterator[list[Span] | None]:
        """Yield for each text its marks; None where it was not read any more."""
        values = list(_expected(record))
        wanted, names = normalise("; ".join(values)), NameIndex((value, "") for value in values)
        for text in texts:
            if not wanted.plain:
                yield []
                continue
            if text not in self._seen:
                if self.left < len(text):
                    yield None
                    continue
                self.left -= len(text)
                self._seen.add(text)
            yield [*_found(*self._read(text), wanted, names)]


def _facts(text: str) -> tuple[Text, list[KeyFact]]:
    read = Text(text)
    return read, key_facts(read)


def _found(text: Text, facts: Sequence[KeyFact], wanted: Text, names: NameIndex) -> Iterator[Span]:
    spans = [fact.span for fact in facts if stated(fact, wanted)]
    spans += [(mention.start, mention.end) for mention in names.find(text)]
    yield from ((*text.raw_span(*span), "good", "expected") for span in spans)


def _expected(record: Record) -> Iterator[str]:
    """Yield what the evidence should state: the gold answer, and the values of the checks."""
    if record.gold_answer:
        yield record.gold_answer
    for check in record.checks:
        if check.kind in _SHOWN:
            yield from _texts(check.expected)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, str) and item)
