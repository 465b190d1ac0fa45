"""Parts of a run become one run: what is known of the suites, and whether anything is missing."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.gate.merging import Part, reasons_of, run_of, suites_of
from pytest_graph_eval.gate.summary import GraphStats, RunInfo, SuiteInfo, Summary
from pytest_graph_eval.gate.verdict import Reason
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.settings import Gate
from tests.unit.gate_records import SUITE, info, judged, make


def part(name: str, ids: list[str], size: int | None, suite: str = SUITE, **circumstances: Any) -> Part:
    records = [make(id_, mean=0.9, suite=suite) for id_ in ids]
    return Part(name, judged(records, {suite: info(scenarios=size)}, **circumstances))


def whole(parts: list[Part], ran: dict[str, int]) -> RunInfo:
    return run_of(parts, suites_of(parts), ran)


def test_parts_that_leave_nothing_out_are_complete_however_they_were_cut() -> None:
    chance = random.Random(5)
    for _ in range(20):
        ids = [f"q{k}" for k in range(12)]
        cut = [chance.randrange(3) for _ in ids]
        parts = [
            part(str(k), chosen, 12, partial=f"-k {k}", collected=12, deselected=12 - len(chosen))
            for k in range(3)
            if (chosen := [id_ for id_, where in zip(ids, cut, strict=True) if where == k])
        ]
        run = whole([*parts, *parts[:1]], {SUITE: 12})
        assert (run.partial, run.interrupted, run.collected, run.deselected) == ("", False, 12, 0)


def test_a_part_that_did_not_end_makes_the_run_interrupted_where_something_is_missing() -> None:
    parts = [part("a", ["q0"], 3, partial="-k 0", collected=3, deselected=2), Part("b", None)]
    run = whole(parts, {SUITE: 2})
    assert (run.interrupted, run.collected, run.deselected, run.duration_s) == (True, 3, 0, None)
    assert not whole(parts, {SUITE: 3}).interrupted


def test_what_cut_the_parts_short_is_listed_once_each() -> None:
    parts = [part(str(k), [f"q{k}"], 9, partial=f"-k {k % 2}", collected=9, deselected=8) for k in range(4)]
    assert whole(parts, {SUITE: 4}).partial == "-k 0, -k 1"


def test_suites_that_could_not_be_loaded_in_any_part_stay() -> None:
    parts = [part(str(k), [f"q{k}"], 2, collection_errors=[f"{k}.graph.yaml", "x.graph.yaml"]) for k in range(2)]
    assert whole(parts, {SUITE: 2}).collection_errors == ["0.graph.yaml", "x.graph.yaml", "1.graph.yaml"]


def test_records_of_a_suite_that_nobody_knows_leave_the_size_of_the_run_open() -> None:
    parts = [part("a", ["q0"], 1), part("b", ["q1"], 1, suite="b")]
    assert whole(parts, {SUITE: 1, "b": 1}).collected == 2
    assert whole(parts, {SUITE: 1, "stranger": 1}).collected is None


def test_a_complete_part_knows_the_size_of_a_suite_whose_file_never_said() -> None:
    parts = [part("a", ["q0"], None, collected=1), part("b", ["q1"], 1, suite="b", collected=1)]
    assert whole(parts, {SUITE: 1, "b": 1}).collected == 2


def test_the_first_graph_that_is_known_counts() -> None:
    graph = GraphStats(entities=3, relationships=1)
    parts = [
        Part(name, judged([make(name, mean=1.0)], {SUITE: info(graph=stats)}))
        for name, stats in (("a", None), ("b", graph))
    ]
    assert suites_of(parts)[SUITE].graph == graph
    assert reasons_of(parts) == []


def test_a_declared_suite_settles_what_two_parts_disagree_on() -> None:
    parts = [Part(n, judged([make(n, mean=1.0)], {SUITE: info(Gate(overall=o))})) for n, o in (("a", None), ("b", 0.9))]  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"the gate of suites/walmart\.graph\.yaml \(in a and b\) is not the same"):
        suites_of(parts)
    declared = {SUITE: SuiteInfo(name="now", gate=Gate(max_errors=7))}
    assert suites_of(parts, declared)[SUITE].gate.max_errors == 7


def test_what_only_the_runs_could_say_is_told_once() -> None:
    note = Reason(code="quarantine", level="NOTE", text="1 scenario quarantined")
    summary: Summary = judged([make("a", mean=0.1)])
    told = summary.model_copy(update={"verdict_reasons": [note, *summary.verdict_reasons]})
    assert reasons_of([Part("a", told), Part("b", told), Part("c", None)]) == [note]


def test_a_record_is_never_needed() -> None:
    records: list[Record] = []
    assert whole([Part("a", judged(records, {}, collected=0))], {}).collected == 0
