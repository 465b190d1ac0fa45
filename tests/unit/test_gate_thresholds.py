"""The rules of the gate: each fires where it should, says what it found, and stays silent elsewhere."""

from __future__ import annotations

import math

import pytest

from pytest_graph_eval.gate.summary import GraphStats, RunInfo, SuiteInfo
from pytest_graph_eval.gate.thresholds import decide, judge_line
from pytest_graph_eval.gate.verdict import Reason, Verdict, worst
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.settings import Gate, Line
from tests.unit.gate_records import SUITE, codes, gate, info, judged, make, text_of

PASS = ("PASS", [])


def result(records: list[Record], rules: Gate | None = None, **run: object) -> tuple[str, list[tuple[str, str]]]:
    summary = judged(records, info(rules), **run)
    return summary.threshold_result, codes(summary)


def means(*values: float, **fields: object) -> list[Record]:
    return [make(f"s{n}", mean=value, **fields) for n, value in enumerate(values)]


# The worst reason decides


@pytest.mark.parametrize(
    ("levels", "expected"),
    [([], "PASS"), (["NOTE"], "PASS"), (["NOTE", "WARN"], "WARN"), (["WARN", "FAIL", "NOTE"], "FAIL")],
)
def test_the_worst_reason_is_the_verdict(levels: list[str], expected: str) -> None:
    verdict = worst(Reason(code=level, level=level) for level in levels)  # type: ignore[arg-type]
    assert verdict.result == expected
    assert [r.level for r in verdict.reasons] == sorted(levels, key=["FAIL", "WARN", "NOTE"].index)


def test_reasons_found_elsewhere_count_like_our_own() -> None:
    run = RunInfo(run_at="")
    summary = judged(means(0.9))
    extra = [Reason(code="vanished:c", level="FAIL", text="gone")]
    assert decide(summary, run) == Verdict(result="PASS")
    assert decide(summary, run, extra) == Verdict(result="FAIL", reasons=tuple(extra))


# Lines


@pytest.mark.parametrize(
    ("value", "line", "expected"),
    [
        (0.8, 0.8, "PASS"),
        (0.7999999999999999, 0.8, "PASS"),
        (0.79, 0.8, "FAIL"),
        (0.79, {"pass": 0.8, "warn": 0.6}, "WARN"),
        (0.6, {"pass": 0.8, "warn": 0.6}, "WARN"),
        (0.59, {"pass": 0.8, "warn": 0.6}, "FAIL"),
        (0.8, {"pass": 0.8, "warn": 0.8}, "PASS"),
        (0.79, {"pass": 0.8, "warn": 0.8}, "FAIL"),
    ],
)
def test_a_line_has_a_pass_side_a_warn_side_and_a_fail_side(value: float, line: object, expected: str) -> None:
    assert judge_line(value, Line.model_validate(line)) == expected


@pytest.mark.parametrize(
    ("mean", "expected"), [(0.8, "PASS"), (0.79, "WARN"), (0.6, "WARN"), (0.59, "FAIL"), (0.0, "FAIL")]
)
def test_the_default_gate_is_the_ancestors(mean: float, expected: str) -> None:
    assert result(means(mean))[0] == expected


def test_overall_says_what_it_found_and_which_scenarios_are_behind_it() -> None:
    text = text_of(judged(means(0.79, 0.95, 0.5)), "below_threshold")
    assert text == (
        "overall 0.75 is between the warn line 0.60 and the pass line 0.80 (3 scored); lowest: s2 0.50, s0 0.79"
    )


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ({"overall": 0.8}, "overall 0.7996 is under the line 0.80 (1 scored); lowest: s0 0.7996"),
        (
            {"overall": {"pass": 0.9, "warn": 0.8}},
            "overall 0.7996 is under the warn line 0.80 (pass line 0.90) (1 scored)",
        ),
        (
            {"overall": {"pass": 0.8, "warn": 0.7}},
            "overall 0.7996 is between the warn line 0.70 and the pass line 0.80",
        ),
    ],
)
def test_a_near_miss_is_not_rounded_onto_its_line(rules: dict[str, object], text: str) -> None:
    assert text in text_of(judged(means(0.7996), info(gate(**rules))), "below_threshold")


def test_null_switches_a_rule_off() -> None:
    rules = {"overall": None, "max_errors": None, "max_inconclusive": None, "metrics": {"faithfulness": None}}
    records = [*means(0.1), make("e", "ERROR"), make("i", "INCONCLUSIVE")]
    assert result(records, gate(**rules)) == PASS


@pytest.mark.parametrize("rule", ["metrics", "difficulty", "category", "tags"])
def test_a_named_line_judges_just_its_own_records(rule: str) -> None:
    fields = {"difficulty": {"difficulty": "x"}, "category": {"category": "x"}, "tags": {"tags": ["x"]}}
    low = make("low", "FAIL", 0.5, scores={"x": 0.5}, **fields.get(rule, {}))
    other = make("other", mean=1.0)
    records = [low, other]
    assert result(records, gate(overall=None, **{rule: {"x": 0.5}})) == PASS
    assert result(records, gate(overall=None, **{rule: {"x": 0.6}})) == ("FAIL", [("below_threshold", "FAIL")])
    summary = judged(records, info(gate(overall=None, **{rule: {"x": {"pass": 0.6, "warn": 0.4}}})))
    assert summary.threshold_result == "WARN"
    assert text_of(summary, "below_threshold").startswith(f"{rule}.x 0.50 is between")
    assert text_of(summary, "below_threshold").endswith("lowest: low 0.50")


@pytest.mark.parametrize("rule", ["metrics", "difficulty", "category", "tags"])
def test_a_rule_that_no_record_falls_under_fails(rule: str) -> None:
    summary = judged(means(0.9), info(gate(**{rule: {"typo": 0.5}})))
    assert codes(summary) == [("no_records", "FAIL")]
    assert text_of(summary, "no_records").startswith(f"{rule}.typo: the gate has a line for it, but no scenario")


@pytest.mark.parametrize("run", [{"partial": "-k x"}, {"interrupted": True}])
def test_in_a_part_of_a_run_such_a_rule_is_only_listed(run: dict[str, object]) -> None:
    summary = judged(means(0.9), info(gate(category={"other": 0.5})), **run)
    assert ("no_records", "NOTE") in codes(summary)
    assert summary.threshold_result != "FAIL"


def test_a_category_whose_records_are_all_unscored_was_not_judged() -> None:
    records = [make("a", category="c"), make("b", "ERROR", category="c"), make("d", mean=0.9)]
    assert ("no_records", "FAIL") in result(records, gate(category={"c": 0.5}, max_errors=5))[1]


# The pass rate


def test_errors_and_inconclusive_stay_in_the_denominator_skipped_and_xfailed_do_not() -> None:
    records = [make(f"p{n}") for n in range(6)] + [make("f", "FAIL"), make("e", "ERROR"), make("i", "INCONCLUSIVE")]
    records += [make("s", "SKIPPED"), make("x", "FAIL", outcome="xfailed")]
    summary = judged(records, info(gate(pass_rate=0.7, max_errors=1, max_inconclusive=0.5)))
    assert summary.pass_rate == pytest.approx(6 / 9)
    assert text_of(summary, "below_threshold") == (
        "pass_rate 0.67 is under the line 0.70 (6 of 9 passed, 67%); not passed: e, f, i"
    )


@pytest.mark.parametrize(("passed", "expected"), [(8, "PASS"), (7, "WARN"), (6, "WARN"), (5, "FAIL")])
def test_without_any_mean_the_default_line_judges_the_pass_rate(passed: int, expected: str) -> None:
    records = [make(f"s{n}", "PASS" if n < passed else "FAIL") for n in range(10)]
    assert result(records)[0] == expected


def test_the_default_gives_way_to_a_pass_rate_that_a_user_wrote() -> None:
    records = [make("p"), make("f", "FAIL")]
    assert result(records, gate(pass_rate=0.5)) == PASS


def test_an_overall_that_a_user_wrote_needs_a_mean() -> None:
    assert result([make("a")], gate(overall=0.5)) == ("FAIL", [("no_records", "FAIL")])


def test_failures_without_a_score_are_not_hidden_by_the_means_of_others() -> None:
    summary = judged([make("good", mean=1.0), make("f", "FAIL")])
    assert codes(summary) == [("unscored_failures", "WARN")]
    assert text_of(summary, "unscored_failures").endswith("(`pass_rate` would count them): f")
    assert codes(judged([make("good", mean=1.0), make("f", "FAIL")], info(gate(pass_rate=0.5)))) == []


# Errors, inconclusive, must_pass, flaky, unmeasured


@pytest.mark.parametrize(
    ("allowed", "found", "expected"),
    [(0, 1, [("errors_present", "FAIL")]), (1, 1, [("errors_present", "WARN")]), (1, 2, [("errors_present", "FAIL")]),
     (None, 3, []), (0, 0, [])],
)  # fmt: skip
def test_errors_are_never_silent_unless_switched_off(
    allowed: int | None, found: int, expected: list[tuple[str, str]]
) -> None:
    records = means(0.9) + [make(f"e{n}", "ERROR", error="down") for n in range(found)]
    assert result(records, gate(max_errors=allowed))[1] == expected


def test_errors_are_told_with_their_cause() -> None:
    records = [*means(0.9), *(make(f"e{n}", "ERROR", error=f"cause {n}") for n in range(5))]
    assert text_of(judged(records), "errors_present") == "5 errors (at most 0): e0, e1, e2 and 2 more; e0: cause 0"


def test_a_cause_that_all_errors_share_is_told_of_all_of_them() -> None:
    records = [*means(0.9), *(make(f"e{n}", "ERROR", error="no server") for n in range(2))]
    assert text_of(judged(records), "errors_present") == "2 errors (at most 0): e0, e1: no server"


@pytest.mark.parametrize(("empty", "level"), [(1, "WARN"), (2, "WARN"), (3, "FAIL")])
def test_any_inconclusive_warns_and_too_many_fail(empty: int, level: str) -> None:
    records = means(*[0.9] * (20 - empty)) + [make(f"i{n}", "INCONCLUSIVE") for n in range(empty)]
    summary = judged(records)
    assert codes(summary) == [("inconclusive", level)]
    assert f"({empty} of 20): i0" in text_of(summary, "inconclusive")


@pytest.mark.parametrize(
    "fields",
    [{"status": "FAIL"}, {"status": "ERROR"}, {"status": "INCONCLUSIVE"}, {"status": "SKIPPED"},
     {"status": "FAIL", "outcome": "xfailed"}, {"status": "PASS", "outcome": "failed"}],
)  # fmt: skip
def test_anything_but_a_pass_of_a_must_pass_fails_whatever_the_averages(fields: dict[str, str]) -> None:
    record = make("vital", mean=0.95, must_pass=True).model_copy(update=fields)
    summary = judged([*means(*[1.0] * 99), record], info(gate(max_errors=9)))
    assert ("must_pass", "FAIL") in codes(summary)
    assert text_of(summary, "must_pass") == "1 scenario that must pass did not: vital"


def test_a_must_pass_that_passes_is_no_reason() -> None:
    assert result([make("vital", mean=1.0, must_pass=True)]) == PASS


def test_a_pass_after_a_rerun_warns_by_name() -> None:
    assert result([make("a", mean=1.0, flags=["flaky"], attempts=2)]) == ("WARN", [("flaky:a", "WARN")])


def test_a_score_that_is_no_finite_number_fails_and_stays_out_of_the_mean() -> None:
    records = [make(str(n), mean=1.0, scores={"faithfulness": v}) for n, v in enumerate([0.9, math.nan, 0.8])]
    summary = judged(records, info(gate(metrics={"faithfulness": 0.7})))
    assert codes(summary) == [("unmeasured_score", "FAIL")]
    assert "1: faithfulness" in text_of(summary, "unmeasured_score")


@pytest.mark.parametrize(("judged_too", "level"), [(True, "WARN"), (False, "FAIL")])
def test_failed_judgements_are_told_and_fail_when_there_is_no_other(judged_too: bool, level: str) -> None:
    records = [make("a", mean=1.0, judge={"error": "429"})]
    records += [make("b", mean=1.0, judge={"scores": {"faithfulness": 4}})] if judged_too else [make("b", mean=1.0)]
    summary = judged(records)
    assert codes(summary) == [("judge_unavailable", level)]
    assert text_of(summary, "judge_unavailable") == f"1 judgement of {1 + judged_too} failed: a: 429"


# Nothing measured


@pytest.mark.parametrize(
    ("records", "code", "text"),
    [
        (
            [make("a", "SKIPPED"), make("b", "SKIPPED")],
            "all_skipped",
            "every scenario was skipped, so nothing was measured (2: a, b)",
        ),
        ([make("a", "ERROR", error="down")], "nothing_measured", "no scenario was measured (1 error): down"),
        ([make("a", "INCONCLUSIVE")], "nothing_measured", "(1 inconclusive)"),
        ([make("a", "FAIL", 0.1, outcome="xfailed")], "nothing_measured", "(1 expected failure)"),
        ([make("a", "ERROR", outcome="xfailed"), make("b", "SKIPPED")], "nothing_measured", "1 expected failure"),
    ],
)
@pytest.mark.parametrize("rules", [{}, {"max_errors": None, "overall": None, "max_inconclusive": None}])
def test_nothing_measured_is_fail_whatever_the_gate(
    records: list[Record], code: str, text: str, rules: dict[str, object]
) -> None:
    summary = judged(records, info(gate(**rules)))
    assert summary.threshold_result == "FAIL"
    assert text in text_of(summary, code)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ({}, ("FAIL", ["no_scenarios"])),
        ({"collected": 0, "asked": True, "command_line": False}, ("FAIL", ["no_scenarios"])),
        ({"collected": 0, "asked": False, "command_line": True}, ("FAIL", ["no_scenarios"])),
        ({"asked": False, "command_line": False}, ("PASS", [])),
        ({"collected": 3, "deselected": 3, "partial": "-k x"}, ("FAIL", ["no_scenarios", "partial_run"])),
        ({"collected": 3, "deselected": 3, "partial": "-k x", "command_line": False}, ("PASS", ["partial_run"])),
        ({"collected": 3, "interrupted": True}, ("FAIL", ["nothing_measured", "partial_run"])),
        ({"collected": 3}, ("FAIL", ["nothing_measured", "partial_run"])),
        ({"collection_errors": ["s.graph.yaml:5: unknown key"]}, ("FAIL", ["collection_error"])),
        (
            {"collection_errors": ["s.graph.yaml:5: unknown key"], "collected": 3, "interrupted": True},
            ("FAIL", ["collection_error", "partial_run"]),
        ),
    ],
)
def test_a_run_without_records_is_green_only_when_nobody_asked(
    run: dict[str, object], expected: tuple[str, list[str]]
) -> None:
    summary = judged([], {}, **run)
    assert (summary.threshold_result, sorted(code for code, _ in codes(summary))) == expected


def test_a_suite_that_cannot_be_loaded_fails_however_good_the_others_are() -> None:
    errors = [f"{n}.graph.yaml:1:1: unknown key" for n in range(5)]
    summary = judged(means(1.0), collection_errors=errors)
    assert codes(summary) == [("collection_error", "FAIL")]
    assert text_of(summary, "collection_error").startswith(
        "5 suites could not be loaded: 0.graph.yaml:1:1: unknown key, "
    )


def test_a_baseline_that_is_missing_fails() -> None:
    assert result(means(1.0), baseline_missing="base.json: no such file") == ("FAIL", [("baseline_missing", "FAIL")])


# Parts of a run


@pytest.mark.parametrize(
    ("run", "level", "text"),
    [
        ({"partial": "-k a", "collected": 9, "deselected": 8}, "NOTE", "partial run (-k a): 1 scenario ran"),
        ({"interrupted": True, "collected": 9}, "WARN", "interrupted: 8 of the scenarios did not run"),
        ({"interrupted": True}, "WARN", "interrupted: an unknown number of the scenarios did not run"),
        ({"collected": 9}, "FAIL", "1 of 9 scenarios have a record; the others are lost"),
    ],
)
def test_missing_records_weigh_by_their_cause(run: dict[str, object], level: str, text: str) -> None:
    summary = judged(means(1.0), **run)
    assert codes(summary) == [("partial_run", level)]
    assert text in text_of(summary, "partial_run")


def test_all_records_of_all_workers_are_a_whole_run() -> None:
    assert result([make(f"w{w}-{n}") for w in range(3) for n in range(4)], collected=12) == PASS


# Several suites


def two(first: Gate, second: Gate) -> dict[str, SuiteInfo]:
    return {"a": info(first, name="a"), "b": info(second, name="b")}


def test_each_suites_gate_judges_its_own_records() -> None:
    records = [make("x", mean=0.9, suite="a"), make("y", "FAIL", 0.5, suite="b")]
    summary = judged(records, two(gate(overall=0.9), gate(overall=0.5)))
    assert summary.threshold_result == "PASS"
    summary = judged(records, two(gate(overall=0.9), gate(overall=0.6)))
    assert [(r.code, r.suite) for r in summary.verdict_reasons] == [("below_threshold", "b")]
    assert {key: suite.threshold_result for key, suite in summary.by_suite.items()} == {"a": "PASS", "b": "FAIL"}


def test_the_gate_over_the_run_judges_all_by_what_was_written_into_it() -> None:
    records = [make("x", mean=0.9, suite="a"), make("y", "FAIL", 0.5, suite="b"), make("e", "ERROR", suite="b")]
    suites = two(gate(), gate(overall=0.5, max_errors=1))
    assert judged(records, suites, gate=gate()).threshold_result == "WARN"
    summary = judged(records, suites, gate=gate(pass_rate=0.5))
    assert [(r.code, r.level, r.suite) for r in summary.verdict_reasons] == [
        ("below_threshold", "FAIL", ""),
        ("errors_present", "WARN", "b"),
    ]


def test_a_rule_of_the_run_that_no_record_falls_under_fails_once() -> None:
    summary = judged(means(0.9), info(), gate=gate(category={"typo": 0.5}))
    assert [(r.code, r.level, r.suite) for r in summary.verdict_reasons] == [("no_records", "FAIL", "")]


def test_a_suite_all_skipped_fails_beside_others_but_not_in_a_part_of_a_run() -> None:
    records = [make("x", mean=0.9, suite="a"), make("y", "SKIPPED", suite="b")]
    assert codes(judged(records)) == [("all_skipped", "FAIL")]
    assert codes(judged(records, partial="--lf")) == [("partial_run", "NOTE"), ("all_skipped", "NOTE")]


def test_a_suite_without_a_record_fails_unless_the_run_is_a_part() -> None:
    records = [make("x", mean=0.9, suite="a")]
    assert codes(judged(records, two(gate(), gate()))) == [("no_scenarios", "FAIL")]
    assert codes(judged(records, two(gate(), gate()), partial="a.graph.yaml::x")) == [("partial_run", "NOTE")]


def test_errors_of_one_suite_are_not_told_as_the_cause_of_another() -> None:
    records = [make("x", "ERROR", suite="a", error="first"), make("y", "ERROR", suite="b", error="second")]
    texts = {r.suite: r.text for r in judged(records).verdict_reasons if r.code == "errors_present"}
    assert texts["a"].endswith("x: first")
    assert texts["b"].endswith("y: second")


# Cases of the shared vectors that this module decides


@pytest.mark.parametrize(
    ("records", "rules", "run", "verdict", "reasons"),
    [
        ([], {}, {"collected": 0}, "FAIL", {"no_scenarios"}),
        ([make(f"s{n}", "SKIPPED") for n in range(12)], {}, {"collected": 12}, "FAIL", {"all_skipped"}),
        (
            [make(f"p{n}") for n in range(90)]
            + [make(f"f{n}", "FAIL") for n in range(18)]
            + [make(f"e{n}", "ERROR") for n in range(12)],
            {"pass_rate": 0.8}, {}, "FAIL", {"below_threshold", "errors_present"},
        ),
        (means(0.7, 0.8, 0.9), {"overall": 0.8}, {}, "PASS", set()),
    ],
    ids=["gate-001", "gate-002", "gate-005", "gate-010"],
)  # fmt: skip
def test_vectors(
    records: list[Record], rules: dict[str, object], run: dict[str, object], verdict: str, reasons: set[str]
) -> None:
    summary = judged(records, {SUITE: info(gate(**rules))} if records else {}, **run)
    assert (summary.threshold_result, {code for code, _ in codes(summary)}) == (verdict, reasons)


@pytest.mark.parametrize(
    ("word", "code", "level"),
    [
        ("recovered", "recovered", "NOTE"),
        ("no_relationships", "no_relationships", "WARN"),
        ("stale", "target_warning", "NOTE"),
    ],
)
def test_what_the_preflight_noted_is_a_reason(word: str, code: str, level: str) -> None:
    suites = {SUITE: SuiteInfo(name="s", graph=GraphStats(entities=3, warnings=[word]))}
    assert codes(judged(means(0.9), suites)) == [(code, level)]
