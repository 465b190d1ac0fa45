"""What the comparison of a run with its baseline makes of every kind of change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from pytest_graph_eval.gate.comparison.baseline import Baseline
from pytest_graph_eval.gate.comparison.pairing import Scope
from pytest_graph_eval.gate.comparison.regression import Comparison, compare
from pytest_graph_eval.gate.comparison.statistics import sign_test_p
from pytest_graph_eval.gate.summary import GraphStats
from pytest_graph_eval.gate.verdict import worst
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.settings import BaselineGate
from tests.unit.gate_factory import SUITE, WHOLE, baseline, record, records, repeated


def against(before: Sequence[Record], now: Sequence[Record], scope: Scope = WHOLE, **more: Any) -> Comparison:
    return compare(baseline(before), now, scope, **more)


def codes(comparison: Comparison, level: str | None = None) -> list[str]:
    return [r.code for r in comparison.reasons if level in (None, r.level)]


def text(comparison: Comparison, code: str) -> str:
    return next(r.text for r in comparison.reasons if r.code == code)


def flips(n: int, worse: int, better: int = 0, **more: Any) -> Comparison:
    """Compare n live scenarios of which `worse` passed only before and `better` only now."""
    rest = n - worse - better
    before = "P" * worse + "F" * better + "P" * rest
    now = "F" * worse + "P" * better + "P" * rest
    return against(records(before), records(now), **more)


def rate(comparison: Comparison) -> Any:
    return next(c for c in comparison.changes if c.name == "pass_rate")


# Deterministic targets


def test_the_same_run_is_no_regression() -> None:
    for deterministic in (True, False):
        run = records("PPFPI", deterministic=deterministic, scores={"precision": 0.5, "mean": 0.5})
        found = against(run, run)
        assert found.reasons == ()
        assert (found.worse, found.better, found.drift) == ([], [], [])


def test_one_lost_pass_without_noise_is_a_regression_at_any_number() -> None:
    found = against(records("PPP", deterministic=True), records("PFP", deterministic=True))
    assert codes(found, "FAIL") == ["deterministic_regression"]
    assert "1 of 3 scenarios" in text(found, "deterministic_regression")
    assert "q1 (PASS -> FAIL)" in text(found, "deterministic_regression")
    assert found.worse == ["q1"]
    assert found.reasons[0].suite == SUITE


@pytest.mark.parametrize("status", ["FAIL", "ERROR", "INCONCLUSIVE"])
def test_anything_but_a_pass_is_a_lost_pass(status: str) -> None:
    found = against([record("a", deterministic=True)], [record("a", status, deterministic=True)])
    assert f"a (PASS -> {status})" in text(found, "deterministic_regression")


def test_a_gained_pass_does_not_make_up_for_a_lost_one_without_noise() -> None:
    found = against(records("PF", deterministic=True), records("FP", deterministic=True))
    assert codes(found, "FAIL") == ["deterministic_regression"]
    assert (found.worse, found.better) == (["q0"], ["q1"])


def test_a_baseline_with_noise_is_compared_by_statistics() -> None:
    found = against(records("PPP"), records("FPP", deterministic=True))
    assert codes(found) == ["insufficient_samples"]
    assert "; fewer than 20 (`min_n`) cannot fail the gate (p = " in found.reasons[0].text
    assert found.n_deterministic == 0


def test_each_suite_has_its_own_reason() -> None:
    before = [record("a", suite=s, deterministic=True) for s in ("x", "y", "z")]
    now = [record("a", "PASS" if s == "z" else "FAIL", suite=s, deterministic=True) for s in ("x", "y", "z")]
    found = against(before, now)
    assert [(r.code, r.suite) for r in found.reasons] == [
        ("deterministic_regression", "x"),
        ("deterministic_regression", "y"),
    ]
    assert "x::a" in found.reasons[0].text


def test_a_falling_score_without_noise_warns_though_all_pass() -> None:
    before = [record(f"q{i}", deterministic=True, scores={"precision": 0.9, "mean": 0.9}) for i in range(4)]
    now = [record(f"q{i}", deterministic=True, scores={"precision": 0.8, "mean": 0.8}) for i in range(4)]
    found = against(before, now)
    assert [(r.code, r.level) for r in found.reasons] == [("score_drop:precision", "WARN")]
    assert "0.90 to 0.80" in found.reasons[0].text


# Live targets


def test_too_few_scenarios_prove_nothing() -> None:
    found = flips(3, 1)
    assert [(r.code, r.level) for r in found.reasons] == [("insufficient_samples", "WARN")]
    assert rate(found).p == 0.5


def test_many_flips_one_way_are_a_regression() -> None:
    found = flips(200, 30, 2)
    assert codes(found, "FAIL") == ["significant_regression"]
    assert rate(found).p == sign_test_p(30, 2)
    assert rate(found).difference == pytest.approx(-0.14)
    low, high = rate(found).interval
    assert low < -0.14 < high < 0
    assert "most: q0 (1.00 -> 0.00), q1" in text(found, "significant_regression")


def test_a_drop_inside_the_noise_warns() -> None:
    found = flips(50, 8, 6)
    assert [(r.code, r.level) for r in found.reasons] == [("not_significant", "WARN")]


def test_a_drop_below_the_effect_of_interest_says_nothing() -> None:
    """Ten flips one way in a thousand are significant, and one point is of no interest."""
    found = flips(1000, 10)
    assert rate(found).p < 0.001
    assert found.reasons == ()


def test_a_drop_of_exactly_the_effect_counts() -> None:
    assert codes(flips(300, 6)) == ["significant_regression"]


def test_a_better_run_says_nothing() -> None:
    assert flips(100, 2, 30).reasons == ()


@pytest.mark.parametrize("status", ["INCONCLUSIVE", "ERROR"])
def test_not_measured_counts_as_a_flip(status: str) -> None:
    now = [record(f"q{i}", status if i < 10 else "PASS") for i in range(50)]
    assert "significant_regression" in codes(against(records("P" * 50), now), "FAIL")


def test_the_policy_sets_what_counts() -> None:
    strict = {SUITE: BaselineGate(alpha=0.001, min_effect=0.02, min_n=20)}
    assert codes(flips(50, 6)) == ["significant_regression"]
    assert codes(flips(50, 6, policies=strict)) == ["not_significant"]
    assert codes(flips(50, 6, policies={SUITE: BaselineGate(min_n=51)})) == ["insufficient_samples"]
    assert codes(flips(50, 6, policies={SUITE: BaselineGate(min_effect=0.2)})) == []


def test_a_suite_without_a_policy_is_not_compared() -> None:
    found = against(
        [*records("PP"), record("gone", suite="off", deterministic=True), record("x", suite="off", deterministic=True)],
        [*records("PP"), record("x", "FAIL", suite="off", deterministic=True)],
        Scope(whole=frozenset({SUITE, "off"})),
        policies={"off": None},
    )
    assert found.reasons == ()
    assert found.n_paired == 2


def test_suites_of_one_policy_are_tested_together_and_several_share_alpha() -> None:
    before = [record(f"q{i}", suite=s) for s in ("x", "y") for i in range(25)]
    now = [record(f"q{i}", "FAIL" if i < 3 else "PASS", suite=s) for s in ("x", "y") for i in range(25)]
    together = against(before, now)
    assert codes(together) == ["significant_regression"]
    assert [(c.n, c.alpha, c.suites) for c in together.changes] == [(50, 0.05, ["x", "y"])]
    apart = against(before, now, policies={"x": BaselineGate(min_n=10)})
    assert [(c.n, c.alpha, c.suites) for c in apart.changes] == [(25, 0.025, ["x"]), (25, 0.025, ["y"])]
    assert [(r.code, r.suite) for r in apart.reasons] == [("not_significant", "x"), ("not_significant", "y")]


def test_repeats_show_a_drop_that_single_runs_cannot() -> None:
    before, now = "PPPPF", "PPFFF"
    found = against([repeated(f"q{i}", before) for i in range(20)], [repeated(f"q{i}", now) for i in range(20)])
    assert codes(found, "FAIL") == ["significant_regression"]
    assert found.worse == []
    assert rate(found).before == pytest.approx(0.8)


def test_unequal_repeats_are_tested_on_as_many_as_both_have() -> None:
    """A single lucky run has a rate of 1 much more often than five have; that alone must not look like a drop."""
    before = [repeated(f"q{i}", "P") for i in range(30)]
    now = [repeated(f"q{i}", "PPPPF") for i in range(30)]
    found = against(before, now)
    assert rate(found).p == 1.0
    assert rate(found).difference == pytest.approx(-0.2)
    assert codes(found) == ["not_significant"]


# Metrics


def scored(values: Sequence[float | None], metric: str = "precision", **more: Any) -> list[Record]:
    return [record(f"q{i}", scores={metric: v, "mean": v}, **more) for i, v in enumerate(values)]


def test_a_metric_that_fell_is_a_regression_though_all_pass() -> None:
    found = against(scored([0.9] * 30), scored([0.9 - 0.01 * (i % 10) for i in range(30)]))
    assert codes(found) == ["significant_regression:precision"]
    assert [c.name for c in found.changes] == ["pass_rate", "mean", "precision"]


def test_the_mean_is_shown_and_not_tested_beside_its_metrics() -> None:
    found = against(scored([0.9] * 30), scored([0.8] * 30))
    mean = next(c for c in found.changes if c.name == "mean")
    assert mean.difference == pytest.approx(-0.1)
    assert (mean.p, mean.code) == (None, None)


def test_the_pass_rates_have_most_of_alpha_and_the_metrics_share_the_rest() -> None:
    def run(values: Sequence[float]) -> list[Record]:
        return [record(f"q{i}", scores={"precision": v, "faithfulness": 0.5}) for i, v in enumerate(values)]

    found = against(run([0.9] * 30), run([0.9 if i > 7 else 0.1 for i in range(30)]))
    by_name = {c.name: c for c in found.changes}
    assert by_name["pass_rate"].alpha == pytest.approx(0.04)
    assert by_name["precision"].alpha == pytest.approx(0.01)
    assert by_name["precision"].p == 1 / 256
    assert by_name["precision"].p_adjusted == 2 / 256
    assert "significant_regression:precision" in codes(found)
    (text,) = (reason.text for reason in found.reasons if reason.code.endswith(":precision"))
    assert text.count("(0.90 -> 0.10)") == 3, "the same scenarios are behind all metrics"
    assert text.endswith(" and 5 more")


def test_a_lone_test_has_all_of_alpha() -> None:
    assert [c.alpha for c in flips(50, 6).changes] == [0.05]


def test_a_metric_of_few_scenarios_leaves_the_others_their_alpha() -> None:
    before = [record(f"q{i}", scores={"precision": 0.9, "steps_score": 1.0 if i < 5 else None}) for i in range(30)]
    now = [record(f"q{i}", scores={"precision": 0.8, "steps_score": 0.5 if i < 5 else None}) for i in range(30)]
    found = against(before, now)
    assert codes(found) == ["significant_regression:precision", "insufficient_samples:steps_score"]
    precision = next(c for c in found.changes if c.name == "precision")
    assert precision.p_adjusted == precision.p


def test_unscored_pairs_are_left_out_of_a_metric() -> None:
    found = against(scored([0.9] * 30), scored([None] + [0.9] * 29))
    assert [c.n for c in found.changes] == [30, 29, 29]


def test_a_metric_that_no_record_names_any_more_fails() -> None:
    before = [record("a", scores={"recall": 0.91, "answer": 0.88})]
    found = against(before, [record("a", scores={"answer": 0.89})])
    assert codes(found, "FAIL") == ["missing_metric:recall"]


def test_a_metric_that_is_not_scored_any_more_fails() -> None:
    found = against(scored([0.9, 0.9]), scored([None, None]))
    assert codes(found, "FAIL") == ["not_exercised:precision"]
    assert "save a new baseline" in text(found, "not_exercised:precision")


def test_a_metric_is_missed_though_the_only_scenario_that_had_it_was_changed() -> None:
    before = [record("a", scores={"recall": 0.9}), record("b", scores={"answer": 0.9})]
    now = [record("a", asks={"question": "new"}, scores={"recall": None}), record("b", scores={"answer": 0.9})]
    assert codes(against(before, now), "FAIL") == ["not_exercised:recall"]


def test_a_metric_of_a_suite_that_is_left_out_is_not_missed() -> None:
    before = [record("a", scores={"answer": 0.9}), record("b", suite="off", scores={"recall": 0.9})]
    scope = Scope(whole=frozenset({SUITE, "off"}))
    assert codes(against(before, before[:1], scope, policies={"off": None})) == []


def test_a_suite_that_is_left_out_does_not_stand_in_for_a_missing_metric() -> None:
    before = [record("a", scores={"answer": 0.9, "recall": 0.9})]
    now = [record("a", scores={"answer": 0.9}), record("b", suite="off", scores={"recall": 0.9})]
    assert codes(against(before, now, policies={"off": None}), "FAIL") == ["missing_metric:recall"]


def test_a_metric_of_scenarios_that_were_not_to_run_is_not_missed() -> None:
    before = [record("a", scores={"recall": 0.9}), record("b", scores={"answer": 0.9})]
    found = against(before, [record("b", scores={"answer": 0.9})], Scope())
    assert codes(found) == []
    assert found.not_run == ["a"]


def test_a_run_in_which_nothing_was_measured_is_not_blamed_for_its_metrics() -> None:
    found = against(scored([0.9] * 3), records("EEE"))
    assert codes(found) == ["insufficient_samples"]


def test_fewer_scores_of_a_metric_warn() -> None:
    found = against(scored([0.9] * 20), scored([None] * 2 + [0.9] * 18))
    assert codes(found, "WARN") == ["fewer_scored:precision"]
    assert "scored for 18 scenarios, in the baseline for 20" in text(found, "fewer_scored:precision")
    assert codes(against(scored([0.9] * 20), scored([None] + [0.9] * 19))) == []


# What can be compared at all


def test_a_vanished_scenario_fails() -> None:
    found = against([record(i, deterministic=True) for i in "abc"], [record(i, deterministic=True) for i in "ab"])
    assert codes(found, "FAIL") == ["vanished:c"]
    assert found.vanished == ["c"]


def test_a_scenario_that_was_not_asked_has_not_vanished() -> None:
    scope = Scope(whole=frozenset({SUITE}), not_asked=frozenset({(SUITE, "q1")}))
    found = against(records("PPP"), records("P"), scope)
    assert codes(found, "FAIL") == ["vanished:q2"]
    assert found.not_run == ["q1"]


def test_other_suites_have_not_vanished_unless_their_file_is_gone() -> None:
    before = [record("a"), record("b", suite="other"), record("c", suite="deleted")]
    found = against(before, [record("a")], Scope(whole=frozenset({SUITE}), gone=frozenset({"deleted"})))
    assert codes(found, "FAIL") == ["vanished:c"]
    assert found.not_run == ["b"]


def test_a_changed_scenario_is_compared_with_nothing() -> None:
    changed = record("q0", "FAIL", asks={"question": "Now something else?"}, deterministic=True)
    others = [record(f"q{i}", deterministic=True) for i in (1, 2)]
    found = against(records("PPP", deterministic=True), [changed, *others])
    assert [(r.code, r.level) for r in found.reasons] == [("not_comparable:q0", "NOTE")]
    assert (found.changed, found.n_paired) == (["q0"], 2)


def test_added_scenarios_are_listed() -> None:
    found = against(records("PP", deterministic=True), records("PPF", deterministic=True))
    assert found.reasons == ()
    assert found.added == ["q2"]


def test_nothing_paired_fails() -> None:
    found = against([record("a", suite="other")], records("PP"))
    assert codes(found, "FAIL") == ["nothing_paired"]
    assert "0 changed, 2 new, 0 set aside" in text(found, "nothing_paired")


@pytest.mark.parametrize(("before", "now"), [("a.graph.yaml", "demo/a.graph.yaml"), ("x/demo/a.yaml", "demo/a.yaml")])
def test_a_run_from_another_folder_is_told_from_another_suite(before: str, now: str) -> None:
    found = against([record("q", suite=before)], [record("q", suite=now)], Scope(gone=frozenset([before])))
    told = text(found, "nothing_paired")
    assert f"its `{before}` is `{now}` here, for paths count from pytest's rootdir; run where it was saved" in told


@pytest.mark.parametrize(("before", "now"), [("a/s.yaml", "b/s.yaml"), ("s.yaml", "s.yaml"), ("s.yaml", "as.yaml")])
def test_a_suite_of_another_name_is_no_run_from_another_folder(before: str, now: str) -> None:
    found = against([record("q", suite=before)], [record("p", suite=now)])
    assert "rootdir" not in text(found, "nothing_paired")


def test_an_empty_run_pairs_nothing() -> None:
    assert "nothing_paired" in codes(against(records("PP"), [], Scope()), "FAIL")


def test_less_than_half_paired_warns() -> None:
    found = against(records("PP", deterministic=True), records("PPPPP", deterministic=True))
    assert [(r.code, r.level) for r in found.reasons] == [("few_paired", "WARN")]
    assert codes(against(records("PP", deterministic=True), records("PPPP", deterministic=True))) == []


def test_skipped_and_xfailed_scenarios_are_set_aside_and_named() -> None:
    before = [record("a", deterministic=True), record("b", deterministic=True), record("c", deterministic=True)]
    now = [
        record("a", deterministic=True),
        record("b", "SKIPPED", deterministic=True),
        record("c", "FAIL", outcome="xfailed", deterministic=True),
        record("new", "SKIPPED"),
    ]
    found = against(before, now)
    assert found.reasons == ()
    assert found.set_aside == {"b": "skipped", "c": "xfailed"}
    assert found.added == []


def test_an_error_of_the_baseline_is_no_point_of_comparison() -> None:
    found = against(records("EP"), records("PP"))
    assert found.set_aside == {"q0": "not measured in the baseline"}
    assert found.better == []


# The graph and its tools


def graphs(before: dict[str, Any], now: dict[str, Any] | None) -> list[tuple[str, str]]:
    run = records("P", deterministic=True)
    old = Baseline(suites=baseline(run).suites, graphs={SUITE: GraphStats(**before)})
    new = {} if now is None else {SUITE: GraphStats(**now)}
    return [(r.code, r.level) for r in compare(old, run, WHOLE, graphs=new).reasons]


def schema(*required: str, optional: Sequence[str] = ()) -> dict[str, Any]:
    return {"required": list(required), "properties": {name: {} for name in (*required, *optional)}}


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ({"entities": 100}, {"entities": 100}, []),
        ({"entities": 100}, {"entities": 94}, [("graph_shrunk:entities", "WARN")]),
        ({"entities": 100}, {"entities": 95}, [("graph_changed:entities", "NOTE")]),
        ({"relationships": 10}, {"relationships": 0}, [("graph_shrunk:relationships", "WARN")]),
        ({"entities": 100}, {"entities": 300}, [("graph_changed:entities", "NOTE")]),
        ({"entities": 100}, {}, [("graph_unknown:entities", "NOTE")]),
        ({}, {"entities": 100}, []),
        ({"entities": 100}, None, []),
        ({"tools": {"a": {}, "b": {}}}, {"tools": {"b": {}}}, [("tool_removed:a", "FAIL")]),
        ({"tools": {"a": {}}}, {"tools": {"a": {}, "b": {}}}, [("tool_added:b", "NOTE")]),
        ({"tools": {"a": {}}}, {}, [("tools_unknown", "NOTE")]),
        ({}, {"tools": {"a": {}}}, []),
        ({"tools": {"a": schema("q")}}, {"tools": {"a": schema("q", "k")}}, [("argument_required:a.k", "FAIL")]),
        ({"tools": {"a": schema("q")}}, {"tools": {"a": schema(optional=["k"])}}, [("argument_removed:a.q", "FAIL")]),
        ({"tools": {"a": schema("q")}}, {"tools": {"a": schema(optional=["q"])}}, [("tool_changed:a", "NOTE")]),
        ({"tools": {"a": schema("q")}}, {"tools": {"a": schema("q", optional=["k"])}}, [("tool_changed:a", "NOTE")]),
        ({"tools": {"a": {"required": 3, "properties": []}}}, {"tools": {"a": {}}}, [("tool_changed:a", "NOTE")]),
    ],
)
def test_graphs_and_tools_are_compared(
    before: dict[str, Any], now: dict[str, Any] | None, expected: list[tuple[str, str]]
) -> None:
    assert graphs(before, now) == expected


# What is shown


def test_power_names_the_smallest_drop_that_could_have_been_seen() -> None:
    (power,) = flips(50, 6, 6).power
    assert power.smallest_drop is not None
    assert 0.1 < power.smallest_drop < 0.3
    assert (power.n, power.power, power.alpha) == (50, 0.8, 0.05)


def test_power_is_never_better_than_the_effect_of_interest() -> None:
    (power,) = flips(2000, 0, policies={SUITE: BaselineGate(min_effect=0.3)}).power
    assert power.smallest_drop == 0.3


def test_power_of_too_few_scenarios_is_none_with_the_reason() -> None:
    (power,) = flips(10, 0).power
    assert power.smallest_drop is None
    assert power.note == "no drop can fail the gate below 20 pairs (`min_n`)"
    (power,) = flips(4, 0, policies={SUITE: BaselineGate(min_n=1)}).power
    assert power.smallest_drop is None
    assert "add scenarios or raise `repeats`" in power.note


def test_without_noise_a_single_flip_could_be_seen() -> None:
    run = records("PPPP", deterministic=True)
    (power,) = against(run, run).power
    assert (power.deterministic, power.smallest_drop) == (True, 0.25)


def test_drift_is_shown_for_what_came_back_and_not_for_errors() -> None:
    before = [record(i, retrieved={"entities": ["A", "B"]}, key_facts=["2023"]) for i in "xyz"]
    now = [
        record("x", retrieved={"entities": ["B"]}, key_facts=["2023"]),
        record("y", "ERROR"),
        record("z", "INCONCLUSIVE", retrieved={"entities": []}),
    ]
    rows = [(row.id, row.kind, row.lost) for row in against(before, now).drift]
    assert rows == [("z", "entities", ("A", "B")), ("z", "facts", ("2023",)), ("x", "entities", ("A",))]


def test_the_block_for_the_summary_is_json() -> None:
    found = flips(50, 8, 6)
    block = json.loads(json.dumps(found.block(), allow_nan=False))
    assert block["n_paired"] == 50
    assert (len(block["worse"]), len(block["better"])) == (8, 6)
    assert block["changes"][0]["p"] == sign_test_p(8, 6)
    assert "reasons" not in block


def test_the_worst_reason_makes_the_verdict() -> None:
    assert worst(flips(200, 30, 2).reasons).result == "FAIL"
    assert worst(flips(3, 1).reasons).result == "WARN"
    assert not flips(3, 1).regressed
    assert flips(200, 30, 2).regressed


def test_nothing_depends_on_the_order_of_records() -> None:
    before, now = records("PPFPPFFPPP" * 4), records("PFFPFFFPPP" * 4)
    assert against(before, now) == against(before[::-1], now[::-1])
