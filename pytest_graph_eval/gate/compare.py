"""Lists what changed between two runs, for each scenario and metric, worst first; `graph-eval compare A B`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from pytest_graph_eval.gate.baseline import Baseline, Entry
from pytest_graph_eval.gate.changes import RATE
from pytest_graph_eval.gate.figures import SLACK
from pytest_graph_eval.gate.pairing import Pair, Scope, pair_up
from pytest_graph_eval.gate.regression import Comparison, compare
from pytest_graph_eval.gate.summary import GraphStats
from pytest_graph_eval.records import Record
from pytest_graph_eval.settings import BaselineGate

__all__ = ["Difference", "Row", "compare_runs"]


class Row(BaseModel):
    """One quantity of one scenario in both runs; None is unscored. `change` is second minus first, None if unknown.

    The quantity is a metric, or `pass_rate` with the statuses beside it.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    """The scenario's id, with its suite where the id is not unique."""
    quantity: str
    before: float | None
    now: float | None
    change: float | None
    statuses: tuple[str, str] | None = None
    worse: bool


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
    rows = [row for pair in pairing.pairs for row in _rows(pair, pairing.names[pair.place])]
    comparison = compare(before, second, scope, policies=rules, graphs=graphs[1])
    return Difference(rows=sorted(rows, key=_badness), comparison=comparison)


def _by_suite(records: Sequence[Record]) -> dict[str, dict[str, Entry]]:
    suites: dict[str, dict[str, Entry]] = {}
    for record in records:
        if record.status != "SKIPPED":
            suites.setdefault(record.suite, {})[record.id] = Entry.of(record)
    return suites


def _rows(pair: Pair, name: str) -> Iterator[Row]:
    before, now = pair.before, pair.now
    change = now.pass_rate() - before.pass_rate()
    statuses = (before.status, now.status)
    if abs(change) > SLACK or before.status != now.status:
        yield Row(
            name=name,
            quantity=RATE,
            before=before.pass_rate(),
            now=now.pass_rate(),
            change=change,
            statuses=statuses,
            worse=change < -SLACK or (pair.passed_before and not pair.passes_now),
        )
    for metric in sorted(before.metrics() | now.metrics()):
        old, new = before.score(metric), now.score(metric)
        if old is None or new is None:
            if old is not new:
                yield Row(name=name, quantity=metric, before=old, now=new, change=None, worse=new is None)
        elif abs(new - old) > SLACK:
            yield Row(name=name, quantity=metric, before=old, now=new, change=new - old, worse=new < old)


def _badness(row: Row) -> tuple[bool, bool, float, str, str]:
    """Sort lost passes first, then what fell or is not measured any more, the largest fall first."""
    size = row.change if row.change is not None else (-1.0 if row.worse else 1.0)
    return not row.worse, row.quantity != RATE, size, row.name, row.quantity
