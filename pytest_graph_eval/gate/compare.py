"""Compares two runs as `graph-eval compare A B` shows it: what changed, and what the gate makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from pytest_graph_eval.gate.baseline import Baseline, Entry
from pytest_graph_eval.gate.differences import Row, differences
from pytest_graph_eval.gate.pairing import Scope, pair_up
from pytest_graph_eval.gate.regression import Comparison, compare
from pytest_graph_eval.gate.summary import GraphStats
from pytest_graph_eval.records import Record
from pytest_graph_eval.settings import BaselineGate


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
