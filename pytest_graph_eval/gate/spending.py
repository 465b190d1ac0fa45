"""What a set of records used, by the rules of `gate: {budget: ...}`: time, tokens, cost, and who does not report it."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from pytest_graph_eval.gate.figures import is_number, percentile
from pytest_graph_eval.gate.outcomes import Key, Kind, Namer
from pytest_graph_eval.models.records import Record

_MOST = 5
_P95 = 0.95

_READERS: dict[str, Callable[[Record], object]] = {
    "p95_seconds": lambda record: record.elapsed_s,
    "total_tokens": lambda record: record.usage.get("total_tokens"),
    "cost_usd": lambda record: record.usage.get("cost_usd"),
}


@dataclass(frozen=True, slots=True)
class Spending:
    """One kind of use over a set of records: a sum, or for seconds the 95th percentile; None where none reports it."""

    value: float | None = None
    n: int = 0
    """How many records report it."""
    most: tuple[tuple[str, float], ...] = ()
    """The few that used most, as (name, value)."""
    n_missing: int = 0
    """How many got a reply without it, in suites where others report it."""
    missing: tuple[str, ...] = ()
    """The first few of them."""


class _Collector:
    """Collects one kind of use; of names, only the few that are shown are kept."""

    __slots__ = ("_first_silent", "_merged", "_most", "_reporting", "_silent", "_values")

    def __init__(self) -> None:
        self._values = array("d")
        self._merged: list[array[float]] = []
        self._most: list[tuple[float, Key]] = []
        self._reporting: set[str] = set()
        self._silent: Counter[str] = Counter()
        self._first_silent: defaultdict[str, list[Key]] = defaultdict(list)

    def add(self, value: object, key: Key, *, replied: bool) -> None:
        suite = key[0]
        if is_number(value):
            self._reporting.add(suite)
            self._values.append(value)  # type: ignore[arg-type]  # is_number has told
            self._most.append((-value, key))  # type: ignore[operator]  # as above
            _cut(self._most)
        elif replied:
            self._silent[suite] += 1
            self._first_silent[suite].append(key)
            _cut(self._first_silent[suite])

    def merge(self, other: _Collector) -> None:
        """Take what another one has collected; the values themselves are shared, not copied."""
        self._merged += (other._values, *other._merged)
        self._most += other._most
        self._reporting |= other._reporting
        self._silent.update(other._silent)
        for suite, keys in other._first_silent.items():
            self._first_silent[suite] += keys

    def spending(self, rule: str, name: Namer) -> Spending:
        """Return what was collected."""
        parts = (self._values, *self._merged)
        values = chain.from_iterable(parts)
        n = sum(map(len, parts))
        silent = sorted(key for suite in self._reporting for key in self._first_silent.get(suite, ()))
        return Spending(
            value=(percentile(sorted(values), _P95) if rule == "p95_seconds" else math.fsum(values)) if n else None,
            n=n,
            most=tuple((name(key), -negative) for negative, key in sorted(self._most)[:_MOST]),
            n_missing=sum(self._silent[suite] for suite in self._reporting),
            missing=tuple(name(key) for key in silent[:_MOST]),
        )


def _cut(items: list[Any]) -> None:
    """Keep the least few of a list that has grown long."""
    if len(items) > 20 * _MOST:
        items.sort()
        del items[_MOST:]


class SpendingBuilder:
    """Takes records and makes what they used."""

    def __init__(self) -> None:
        self._rules = {rule: _Collector() for rule in _READERS}

    def add(self, record: Record, kind: Kind, key: Key) -> None:
        """Take a record. An expected failure is no sample of time, but its tokens were spent; an error got no reply."""
        if kind == "skipped":
            return
        for rule, read in _READERS.items():
            if kind != "xfailed" or rule != "p95_seconds":
                self._rules[rule].add(read(record), key, replied=kind in ("passed", "failed", "inconclusive"))

    def merge(self, other: SpendingBuilder) -> None:
        """Take what another one has collected."""
        for rule, collector in self._rules.items():
            collector.merge(other._rules[rule])

    def spent(self, name: Namer) -> dict[str, Spending]:
        """Return what was used, by rule; rules that no record reports are left out."""
        found = {rule: collector.spending(rule, name) for rule, collector in self._rules.items()}
        return {rule: spending for rule, spending in found.items() if spending.n}
