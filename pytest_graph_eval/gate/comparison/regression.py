"""Decides whether a run got worse than its baseline, and says by how much, how surely and where.

On a deterministic target one scenario that passed and does not any more is a regression. On a live one the change has
to be larger than `min_effect` and larger than noise: one paired test on the pass rates, one on each metric.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import PurePosixPath
from typing import Any

from pydantic import BaseModel, ConfigDict

from pytest_graph_eval.gate.comparison.baseline import Baseline, Entry, Place
from pytest_graph_eval.gate.comparison.changes import DERIVED, RATE, Change, Power, changes, power_of
from pytest_graph_eval.gate.comparison.differences import Row, differences
from pytest_graph_eval.gate.comparison.drift import Drift, drift_table
from pytest_graph_eval.gate.comparison.graph_change import graph_reasons
from pytest_graph_eval.gate.comparison.pairing import Pair, Pairing, Scope, pair_up
from pytest_graph_eval.gate.figures import figure
from pytest_graph_eval.gate.summary import GraphStats
from pytest_graph_eval.gate.verdict import Reason
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.settings import BaselineGate
from pytest_graph_eval.texts import listed, many

_FEWER = 0.05
_WORST = 10
_NAMED = 8
_NAMED_OF_METRIC = 3  # there may be ten metrics, and the same scenarios are mostly behind all of them


class Comparison(BaseModel):
    """What came of comparing a run with its baseline. Scenarios are listed by name, ordered by suite and id."""

    model_config = ConfigDict(frozen=True)

    reasons: tuple[Reason, ...]
    n_paired: int
    n_deterministic: int
    worse: list[str]
    """Those that passed in the baseline and do not now."""
    better: list[str]
    changes: list[Change]
    power: list[Power]
    added: list[str]
    changed: list[str]
    vanished: list[str]
    not_run: list[str]
    set_aside: dict[str, str]
    """Paired but not compared, with the reason (skipped, xfailed ...)."""
    drift: list[Drift]
    worst: list[Row] = []
    """The scenarios that fell furthest, up to ten, each with the quantity that did."""

    @property
    def regressed(self) -> bool:
        """Whether any of the reasons fails the gate."""
        return any(reason.level == "FAIL" for reason in self.reasons)

    def block(self) -> dict[str, Any]:
        """Return the summary's `baseline` block; the reasons stand in the verdict, `power` in a block of its own."""
        return self.model_dump(mode="json", exclude={"reasons", "power"})

    def blocks(self) -> dict[str, Any]:
        """Return both blocks by the summary's keys, for `Summary.decided`."""
        return {"baseline": self.block(), "power": {"groups": [power.model_dump() for power in self.power]}}


def compare(
    baseline: Baseline,
    records: Sequence[Record],
    scope: Scope,
    *,
    policies: Mapping[str, BaselineGate | None] | None = None,
    graphs: Mapping[str, GraphStats] | None = None,
) -> Comparison:
    """Compare a run with its baseline.

    Args:
        baseline: what to compare with.
        records: the run's, one a scenario.
        scope: what the run set out to do, which tells a vanished scenario from one that was not to run.
        policies: each suite's `gate.baseline`; None leaves the suite out, a suite that is not named has the default.
            Live scenarios of suites with the same policy are tested together; several policies share alpha.
        graphs: what each suite's target says of its graph now.
    """
    policies = policies or {}
    off = {suite for suite, policy in policies.items() if policy is None}
    pairing = pair_up(baseline, records, scope, leave_out=off)
    pairs, names = pairing.pairs, pairing.names
    found, power, reasons = _changes(pairs, policies, names)
    return Comparison(
        reasons=(
            *_coverage(pairing, len(records)),
            *_flips(pairs, names),
            *reasons,
            *_exercised(baseline, records, scope, pairs, off),
            *graph_reasons(baseline.graphs, {suite: g for suite, g in (graphs or {}).items() if suite not in off}),
        ),
        n_paired=len(pairs),
        n_deterministic=sum(p.deterministic for p in pairs),
        worse=[names[p.place] for p in pairs if p.passed_before and not p.passes_now],
        better=[names[p.place] for p in pairs if p.passes_now and not p.passed_before],
        changes=found,
        power=power,
        added=[names[place] for place in pairing.added],
        changed=[names[place] for place in pairing.changed],
        vanished=[names[place] for place in pairing.vanished],
        not_run=[names[place] for place in pairing.not_run],
        set_aside={names[place]: why for place, why in pairing.set_aside},
        drift=drift_table((p.before, p.record) for p in pairs if p.now.status != "ERROR"),
        worst=_worst(pairs, names),
    )


def _worst(pairs: Sequence[Pair], names: Mapping[Place, str]) -> list[Row]:
    falls: dict[str, Row] = {}
    for row in differences(pairs, names):
        if row.worse:
            falls.setdefault(row.name, row)
    return list(falls.values())[:_WORST]


def _changes(
    pairs: Iterable[Pair], policies: Mapping[str, BaselineGate | None], names: Mapping[Place, str]
) -> tuple[list[Change], list[Power], list[Reason]]:
    """Return how each quantity changed, what could have been seen, and what of it the gate minds."""
    groups: defaultdict[tuple[BaselineGate, bool], list[Pair]] = defaultdict(list)
    for pair in pairs:
        policy = policies.get(pair.place[0], BaselineGate())
        if policy is not None:
            groups[policy, pair.deterministic].append(pair)
    live = sum(not deterministic for _, deterministic in groups)
    all_changes, power, reasons = [], [], []
    for (policy, deterministic), group in groups.items():
        found = changes(group, policy, deterministic=deterministic, share=1 / max(live, 1))
        all_changes += [change for change, _ in found]
        power.append(power_of(group, found[0][0].alpha, policy))
        reasons += [_reason(change, worst, names, policy) for change, worst in found if change.code]
    return all_changes, power, reasons


def _coverage(pairing: Pairing, ran: int) -> Iterator[Reason]:
    """Say what could not be compared."""
    names = pairing.names
    for place in pairing.vanished:
        text = (
            f"{names[place]} is in the baseline and does not exist any more; restore it, "
            "or save a new baseline if it was meant to go"
        )
        yield Reason(code=f"vanished:{names[place]}", level="FAIL", text=text, suite=place[0])
    for place in pairing.changed:
        text = f"{names[place]} asks or expects something else than in the baseline, and was compared with nothing"
        yield Reason(code=f"not_comparable:{names[place]}", level="NOTE", text=text, suite=place[0])
    known = len(pairing.pairs) + len(pairing.changed) + len(pairing.added)
    others = f"{len(pairing.changed)} changed, {len(pairing.added)} new, {len(pairing.set_aside)} set aside"
    if not pairing.pairs:
        text = (
            f"no scenario of this run ({ran}) is compared with the baseline ({others}): "
            f"{_other_root(pairing) or 'check that it belongs to these suites, or save a new one'}"
        )
        yield Reason(code="nothing_paired", level="FAIL", text=text)
    elif 2 * len(pairing.pairs) < known:
        text = (
            f"only {len(pairing.pairs)} of {known} scenarios are compared with the baseline ({others}); save a new one"
        )
        yield Reason(code="few_paired", level="WARN", text=text)


def _other_root(pairing: Pairing) -> str:
    """Say where the same suite has two keys, because the run began in another folder; an empty text where none has."""
    before = sorted({PurePosixPath(key) for key, _ in (*pairing.vanished, *pairing.not_run)})
    now = sorted({PurePosixPath(key) for key, _ in pairing.added})
    for old, new in product(before, now):
        n = min(len(old.parts), len(new.parts))
        if old != new and old.parts[-n:] == new.parts[-n:]:
            return (
                f"its `{old}` is `{new}` here, for paths count from pytest's rootdir; run where it was saved, or give "
                "--rootdir"
            )
    return ""


def _flips(pairs: Sequence[Pair], names: Mapping[Place, str]) -> Iterator[Reason]:
    """Yield a reason for each suite in which a scenario without noise passed and does not any more."""
    suites: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.deterministic:
            suites[pair.place[0]].append(pair)
    for suite, found in suites.items():
        worse = [p for p in found if p.passed_before and not p.passes_now]
        if worse:
            flipped = listed([f"{names[p.place]} (PASS -> {p.now.status})" for p in worse])
            text = (
                f"{len(worse)} of {len(found)} scenarios passed in the baseline and do not now, "
                f"on a target without noise: {flipped}"
            )
            yield Reason(code="deterministic_regression", level="FAIL", text=text, suite=suite)


_EXPLAIN = {
    "significant_regression": "noise would do that with p = {c.p_adjusted:.2g}, and {c.alpha:.2g} is accepted",
    "not_significant": "noise would do that with p = {c.p_adjusted:.2g}, so it proves nothing; raise `repeats`",
    "insufficient_samples": "fewer than {policy.min_n} (`min_n`) cannot fail the gate (p = {c.p_adjusted:.2g})",
    "score_drop": "on a target without noise",
}


def _reason(
    change: Change, worst: Sequence[tuple[Pair, float, float]], names: Mapping[Place, str], policy: BaselineGate
) -> Reason:
    """Put a change that the gate minds into words."""
    assert change.code is not None
    assert change.level is not None
    most = _NAMED if change.name == RATE else _NAMED_OF_METRIC
    fallen = listed([f"{names[pair.place]} ({figure(old)} -> {figure(new)})" for pair, old, new in worst], most)
    interval = change.interval and f", 95% interval {change.interval[0]:+.3f} to {change.interval[1]:+.3f}"
    why = _EXPLAIN[change.code].format(c=change, policy=policy)
    text = (
        f"{change.name} fell from {figure(change.before)} to {figure(change.now)} over {many(change.n, 'pair')} "
        f"({change.difference:+.3f}{interval or ''}); {why}; most: {fallen}"
    )
    return Reason(
        code=change.code if change.name == RATE else f"{change.code}:{change.name}",
        level=change.level,
        text=text,
        suite=change.suites[0] if len(change.suites) == 1 else "",
    )


def _exercised(
    baseline: Baseline, records: Sequence[Record], scope: Scope, pairs: Sequence[Pair], off: set[str]
) -> Iterator[Reason]:
    """Say which metrics are not measured any more, or for fewer scenarios."""
    if not any(p.measured for p in pairs):
        return
    paired = {p.place for p in pairs}
    before = [e for place, e in baseline.entries().items() if place in paired or place[0] in scope.whole - off]
    emitted: set[str] = set()
    scored: set[str] = set()
    for record in (r for r in records if r.suite not in off):
        emitted |= record.scores.keys()
        scored |= {name for name, value in record.scores.items() if value is not None}
    known = {name for entry in before for name in entry.metrics() if entry.score(name) is not None} - {DERIVED}
    for name in sorted(known - scored):
        code = "not_exercised" if name in emitted else "missing_metric"
        text = (
            f"the baseline has scores of {name}, this run has none; "
            "find out why it is not measured any more, or save a new baseline"
        )
        yield Reason(code=f"{code}:{name}", level="FAIL", text=text)
    measured = [p for p in pairs if p.measured]
    for name in sorted(known & scored):
        old = sum(p.before.score(name) is not None for p in measured)
        new = sum(p.now.score(name) is not None for p in measured)
        if new < old * (1 - _FEWER):
            text = f"{name} is scored for {new} scenarios, in the baseline for {old} of the same"
            yield Reason(code=f"fewer_scored:{name}", level="WARN", text=text)


class Difference(BaseModel):
    """All rows that changed, worst first, and what the gate makes of the whole."""

    model_config = ConfigDict(frozen=True)

    rows: list[Row]
    comparison: Comparison

    @property
    def regressed(self) -> bool:
        """Whether the second run is worse by the rules of the gate, noise allowed for."""
        return self.comparison.regressed


def compare_runs(
    first: Sequence[Record] | Baseline,
    second: Sequence[Record],
    *,
    policy: BaselineGate | None = None,
    policies: Mapping[str, BaselineGate | None] | None = None,
    scope: Scope | None = None,
    graphs: tuple[Mapping[str, GraphStats], Mapping[str, GraphStats]] = ({}, {}),
) -> Difference:
    """Compare two runs, the older first.

    Args:
        first: records of the older run, or the baseline that was made of it.
        second: records of the newer run.
        policy: when a change matters; None is the default.
        policies: the same by suite, for those that have their own; None leaves the suite out.
        scope: what the newer run set out to do; default: a suite that it has anything of was run whole, so what it
            misses there has vanished.
        graphs: what each suite's target said of its graph in the older and in the newer run.
    """
    scope = scope or Scope(whole=frozenset(record.suite for record in second))
    before = (
        first
        if isinstance(first, Baseline)
        else Baseline.model_construct(suites=_by_suite(first), graphs=dict(graphs[0]))
    )
    suites = before.suites.keys() | {record.suite for record in second}
    rules = {**dict.fromkeys(suites, policy or BaselineGate()), **(policies or {})}
    pairing = pair_up(before, second, scope, leave_out={suite for suite, rule in rules.items() if rule is None})
    rows = differences(pairing.pairs, pairing.names)
    comparison = compare(before, second, scope, policies=rules, graphs=graphs[1])
    return Difference(rows=rows, comparison=comparison)


def _by_suite(records: Sequence[Record]) -> dict[str, dict[str, Entry]]:
    suites: dict[str, dict[str, Entry]] = {}
    for record in records:
        if record.status != "SKIPPED":
            suites.setdefault(record.suite, {})[record.id] = Entry.of(record)
    return suites
