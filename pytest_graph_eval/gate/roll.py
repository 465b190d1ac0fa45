"""The roll of a run: which records there are, in their order, and what each counts as; small enough for a million."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby, pairwise

from pytest_graph_eval.gate.outcomes import Key, Kind, Namer
from pytest_graph_eval.models.records import Record

_KINDS: tuple[Kind, ...] = ("passed", "failed", "errors", "inconclusive", "skipped", "xfailed")
_WEAK = len(_KINDS)


class _Suite:
    """The records of one suite, a column for each thing to know of them."""

    __slots__ = ("_key", "ids", "indices", "kinds", "nodeids")

    def __init__(self, key: str) -> None:
        self._key = key
        self.ids: list[str] = []
        self.indices = array("q")
        self.kinds = bytearray()
        self.nodeids: dict[int, str] = {}
        """Those that are not just `suite::id`."""

    def add(self, key: Key, code: int) -> None:
        _, index, nodeid, id_ = key
        if nodeid != f"{self._key}::{id_}":
            self.nodeids[len(self.ids)] = nodeid
        self.ids.append(id_)
        self.indices.append(index)
        self.kinds.append(code)

    def place(self, number: int) -> Key:
        """Return the key of the record that was added as that number."""
        id_ = self.ids[number]
        return self._key, self.indices[number], self.nodeids.get(number) or f"{self._key}::{id_}", id_

    def order(self) -> Sequence[int]:
        """Return the numbers of the records in the order of their keys."""
        if all(a < b for a, b in pairwise(self.indices)):
            return range(len(self.ids))
        index: Callable[[int], int] = self.indices.__getitem__
        numbers = sorted(range(len(self.ids)), key=index)
        return [n for _, alike in groupby(numbers, key=index) for n in sorted(alike, key=self.place)]


class Roll:
    """Takes the keys of records and lists them by name."""

    def __init__(self) -> None:
        self._suites: dict[str, _Suite] = {}

    def __len__(self) -> int:
        """Return how many records there are."""
        return sum(len(suite.ids) for suite in self._suites.values())

    def add(self, key: Key, kind: Kind, *, weak: bool) -> None:
        """Take a record: its key, what it counts as, and whether it failed by little."""
        if key[0] not in self._suites:
            self._suites[key[0]] = _Suite(key[0])
        self._suites[key[0]].add(key, _KINDS.index(kind) + weak * _WEAK)

    def namer(self) -> Namer:
        """Return what calls a record by its id, or by its node id where several records share the id."""
        once: set[str] = set()
        shared: set[str] = set()
        for suite in self._suites.values():
            for id_ in suite.ids:
                (shared if id_ in once else once).add(id_)
        return lambda key: key[2] if key[3] in shared else key[3]

    def named(self, name: Namer, *kinds: Kind) -> list[str]:
        """Return the names of the records that count as one of `kinds`, in order."""
        codes = {_KINDS.index(kind) + weak for kind in kinds for weak in (0, _WEAK)}
        return list(self._names(name, codes))

    def weak(self, name: Namer) -> list[str]:
        """Return the names of the records that failed by little, in order."""
        return list(self._names(name, range(_WEAK, 2 * _WEAK)))

    def _names(self, name: Namer, codes: Collection[int]) -> Iterator[str]:
        for _, suite in sorted(self._suites.items()):
            yield from (name(suite.place(number)) for number in suite.order() if suite.kinds[number] in codes)


_json = json.JSONEncoder().encode  # of a text alone it takes a third of the time


class SuiteHash:
    """A hash over a set of scenarios that does not depend on their order: a sum of hashes needs no list of them."""

    def __init__(self) -> None:
        self._sum = 0

    def add(self, record: Record) -> None:
        """Take the scenario of a record in."""
        text = f"[{_json(record.suite)}, {_json(record.id)}, {_json(record.fingerprint)}]"
        self._sum += int.from_bytes(hashlib.sha256(text.encode()).digest()[:16])

    def hexdigest(self) -> str:
        """Return 12 hex digits."""
        return hashlib.sha256(str(self._sum).encode()).hexdigest()[:12]
