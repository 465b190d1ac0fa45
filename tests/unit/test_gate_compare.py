"""What changed between two runs, worst first."""

from __future__ import annotations

from pytest_graph_eval.gate.comparison.regression import compare_runs
from pytest_graph_eval.models.settings import BaselineGate
from tests.unit.gate_factory import record, records, repeated


def test_two_equal_runs_have_no_rows() -> None:
    run = records("PFI", scores={"precision": 0.5})
    found = compare_runs(run, run)
    assert found.rows == []
    assert not found.regressed


def test_rows_come_worst_first() -> None:
    before = [
        record("a", scores={"precision": 0.5}),
        record("b", scores={"precision": 0.5}),
        record("c", "FAIL", scores={"precision": 0.5}),
        record("d", scores={"precision": 0.5, "recall": 0.5}),
    ]
    now = [
        record("a", scores={"precision": 0.4}),
        record("b", "FAIL", scores={"precision": 0.1}),
        record("c", scores={"precision": 0.9}),
        record("d", scores={"precision": 0.5, "recall": None}),
    ]
    found = compare_runs(before, now)
    rows = found.rows
    assert [(r.name, r.quantity, r.worse) for r in rows] == [
        ("b", "pass_rate", True),
        ("d", "recall", True),
        ("b", "precision", True),
        ("a", "precision", True),
        ("c", "pass_rate", False),
        ("c", "precision", False),
    ]
    assert rows[0].statuses == ("PASS", "FAIL")
    assert [(r.name, r.quantity) for r in found.comparison.worst] == [
        ("b", "pass_rate"), ("d", "recall"), ("a", "precision"),
    ]  # fmt: skip
    assert (rows[1].before, rows[1].now, rows[1].change) == (0.5, None, None)


def test_of_many_scenarios_that_fell_the_summary_keeps_ten() -> None:
    before, now = records("P" * 30, scores={"m": 0.9}), records("P" * 30, scores={"m": 0.1})
    assert len(compare_runs(before, now).comparison.block()["worst"]) == 10


def test_a_metric_that_is_scored_now_is_no_loss() -> None:
    found = compare_runs([record("a", scores={"m": None})], [record("a", scores={"m": 0.2})])
    assert [(r.quantity, r.worse) for r in found.rows] == [("m", False)]


def test_fail_to_inconclusive_is_shown_and_not_worse() -> None:
    (row,) = compare_runs([record("a", "FAIL")], [record("a", "INCONCLUSIVE")]).rows
    assert (row.statuses, row.worse, row.change) == (("FAIL", "INCONCLUSIVE"), False, 0.0)


def test_a_lower_pass_rate_of_repeats_is_worse() -> None:
    (row,) = compare_runs([repeated("a", "PPPF")], [repeated("a", "PPFF")]).rows
    assert (row.before, row.now, row.worse) == (0.75, 0.5, True)


def test_a_lost_pass_without_noise_is_a_regression() -> None:
    assert compare_runs(records("PP", deterministic=True), records("PF", deterministic=True)).regressed


def test_a_flip_inside_the_noise_is_listed_and_no_regression() -> None:
    found = compare_runs(records("P" * 30), records("P" * 29 + "F"))
    assert len(found.rows) == 1
    assert not found.regressed


def test_the_policy_decides_what_is_a_regression() -> None:
    before, now = records("P" * 30), records("P" * 25 + "F" * 5)
    assert compare_runs(before, now).regressed
    assert not compare_runs(before, now, policy=BaselineGate(alpha=0.01)).regressed


def test_a_vanished_scenario_is_a_regression() -> None:
    found = compare_runs(records("PP"), records("P"))
    assert found.regressed
    assert found.comparison.vanished == ["q1"]


def test_suites_that_the_second_run_has_nothing_of_are_not_run() -> None:
    found = compare_runs([*records("P"), record("x", suite="other")], records("P"))
    assert not found.regressed
    assert found.comparison.not_run == ["x"]


def test_skipped_and_failed_measurements_of_the_first_run_are_no_point_of_comparison() -> None:
    found = compare_runs(records("SEP"), records("PPP"))
    assert found.rows == []
    assert found.comparison.added == ["q0"]
    assert found.comparison.set_aside == {"q1": "not measured in the baseline"}


def test_ids_of_two_suites_are_told_apart() -> None:
    before = [record("a", suite="x"), record("a", suite="y")]
    now = [record("a", suite="x"), record("a", "FAIL", suite="y")]
    assert [r.name for r in compare_runs(before, now).rows] == ["y::a"]
