"""Which scenarios of a run can be compared with which of its baseline, and what becomes of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from pytest_graph_eval.gate.comparison.baseline import Baseline, Entry, Place, place_of
from pytest_graph_eval.models.records import Record


@dataclass(frozen=True, slots=True)
class Scope:
    """How much of what the baseline holds this run set out to do.

    `whole` are the suites (by key) that were collected whole, `gone` those whose file does not exist any more.
    `not_asked` are scenarios that were collected and not run (deselected, or the run was cut short).
    """

    whole: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    not_asked: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class Pair:
    """The same scenario in the baseline and now."""

    place: Place
    before: Entry
    now: Entry
    record: Record

    @property
    def repeats(self) -> int:
        """How many askings both have: only those are tested, as means of unequal numbers differ without any change."""
        return min(len(self.before.attempts), len(self.now.attempts))

    @property
    def deterministic(self) -> bool:
        """Whether neither run had any noise."""
        return self.before.deterministic and self.now.deterministic

    @property
    def passed_before(self) -> bool:
        """Whether the baseline has it as a pass."""
        return self.before.status == "PASS"

    @property
    def passes_now(self) -> bool:
        """Whether it is a pass in this run."""
        return self.now.status == "PASS"

    @property
    def measured(self) -> bool:
        """Whether this run came to a result that can be right or wrong."""
        return self.now.status in ("PASS", "FAIL")


@dataclass(slots=True)
class Pairing:
    """All scenarios of both sides, each in one of the lists, which are in order of suite and id."""

    pairs: list[Pair] = field(default_factory=list)
    added: list[Place] = field(default_factory=list)
    changed: list[Place] = field(default_factory=list)
    vanished: list[Place] = field(default_factory=list)
    not_run: list[Place] = field(default_factory=list)
    set_aside: list[tuple[Place, str]] = field(default_factory=list)
    """Paired, but not compared: with the reason."""
    names: dict[Place, str] = field(default_factory=dict)
    """What each scenario is called: its id where that is unique among all, else `suite::id`."""


def pair_up(baseline: Baseline, records: Iterable[Record], scope: Scope, *, leave_out: Collection[str] = ()) -> Pairing:
    """Pair by suite, id and fingerprint; the suites in `leave_out` are not compared at all."""
    known = {place: entry for place, entry in baseline.entries().items() if place[0] not in leave_out}
    ran = {place_of(record): record for record in records if record.suite not in leave_out}
    result = Pairing(names=names_of({*known, *ran}))
    for place, record in sorted(ran.items()):
        _place(result, place, known.get(place), record)
    for place in sorted(known.keys() - ran.keys()):
        lost = place[0] in scope.gone or (place[0] in scope.whole and place not in scope.not_asked)
        (result.vanished if lost else result.not_run).append(place)
    return result


def _place(result: Pairing, place: Place, before: Entry | None, record: Record) -> None:
    if before is None:
        if record.status != "SKIPPED":
            result.added.append(place)
        return
    why = _why_set_aside(before, record)
    if why:
        result.set_aside.append((place, why))
    elif before.fingerprint != record.fingerprint:
        result.changed.append(place)
    else:
        result.pairs.append(Pair(place, before, Entry.of(record), record))


def _why_set_aside(before: Entry, record: Record) -> str:
    if record.status == "SKIPPED":
        return "skipped"
    if record.outcome == "xfailed":
        return "xfailed"
    return "not measured in the baseline" if before.status == "ERROR" else ""


def names_of(places: Collection[Place]) -> dict[Place, str]:
    """Return what each scenario is called: its id where that is unique among `places`, else `suite::id`."""
    count = Counter(id_ for _, id_ in places)
    return {(suite, id_): id_ if count[id_] == 1 else f"{suite}::{id_}" for suite, id_ in places}
