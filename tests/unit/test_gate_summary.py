"""The summary: what is counted, averaged and listed, and that its file is read back as it was written."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.gate.outcomes import kind_of
from pytest_graph_eval.gate.recommendations import recommend
from pytest_graph_eval.gate.summary import FORMAT, GraphStats, Summary, read_summary, summarize
from pytest_graph_eval.gate.verdict import Reason, worst
from pytest_graph_eval.metrics.trajectory.calls import count_calls
from pytest_graph_eval.models.records import Check, Record
from tests.unit.gate_records import SUITE, WALMART, gate, info, judged, make, run_info, walmart

SEED_KEYS = [
    "run_at", "total_questions", "results_file", "documents_tested", "aggregate_scores", "by_category", "by_difficulty",
    "passed", "failed", "hallucination_count", "threshold_result", "query_modes_used",
]  # fmt: skip


def test_the_ancestors_keys_come_first_and_are_always_there() -> None:
    for records in ([], walmart()):
        data = json.loads(judged(records).to_json())
        assert list(data)[: len(SEED_KEYS)] == SEED_KEYS
        assert list(data["aggregate_scores"]) == [
            "context_relevancy", "faithfulness", "answer_correctness", "precision", "overall",
        ]  # fmt: skip


def test_design_keys_are_there() -> None:
    keys = json.loads(judged(walmart(), WALMART).to_json()).keys()
    assert keys >= {
        "format", "verdict_reasons", "counts", "pass_rate", "weak", "inconclusive", "errors", "by_suite", "by_tag",
        "by_intent", "by_template", "per_template", "micro", "macro", "steps", "usage", "latency", "graph_stats",
        "gate", "baseline", "power", "issues", "recommendations", "suite_hash", "meta",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"status": "PASS"}, "passed"),
        ({"status": "PASS", "outcome": "xpassed"}, "passed"),
        ({"status": "PASS", "outcome": "failed"}, "failed"),
        ({"status": "PASS", "outcome": "error"}, "failed"),
        ({"status": "PASS", "flags": ["teardown_error"]}, "failed"),
        ({"status": "FAIL", "outcome": "passed"}, "failed"),
        ({"status": "FAIL", "outcome": "xfailed"}, "xfailed"),
        ({"status": "ERROR"}, "errors"),
        ({"status": "ERROR", "outcome": "xfailed"}, "xfailed"),
        ({"status": "ERROR", "outcome": "skipped"}, "errors"),
        ({"status": "INCONCLUSIVE", "outcome": "skipped"}, "inconclusive"),
        ({"status": "SKIPPED", "outcome": "skipped"}, "skipped"),
    ],
)
def test_what_a_record_counts_as(fields: dict[str, object], kind: str) -> None:
    assert kind_of(Record(id="a", **fields)) == kind  # type: ignore[arg-type]


def test_counts_and_lists_of_a_mixed_run() -> None:
    summary = judged([
        make("p", mean=0.9), make("weak", "FAIL", 0.6), make("bad", "FAIL", 0.2), make("e", "ERROR", error="down"),
        make("i", "INCONCLUSIVE"), make("s", "SKIPPED"), make("x", "FAIL", 0.1, outcome="xfailed"),
        make("xp", mean=0.9, outcome="xpassed"),
    ])  # fmt: skip
    assert summary.total_questions == 7
    assert (summary.passed, summary.failed) == (["p", "xp"], ["bad", "e", "weak"])
    assert (summary.weak, summary.errors, summary.inconclusive) == (["weak"], ["e"], ["i"])
    assert (summary.skipped, summary.xfailed) == (["s"], ["x"])
    assert summary.counts.model_dump() == {
        "passed": 2, "failed": 2, "errors": 1, "inconclusive": 1, "skipped": 1, "xfailed": 1, "xpassed": 1,
    }  # fmt: skip
    assert summary.pass_rate == pytest.approx(2 / 6)
    assert summary.aggregate_scores["overall"] == pytest.approx((0.9 + 0.6 + 0.2 + 0.9) / 4)


def test_overall_is_the_mean_of_the_record_means_not_of_the_metrics() -> None:
    a = make("a", mean=1.0, scores={"faithfulness": 1.0})
    b = make("b", mean=0.5, scores={"faithfulness": 0.5, "precision": 0.5})
    scores = judged([a, b]).aggregate_scores
    assert scores["overall"] == 0.75
    assert (scores["faithfulness"], scores["precision"], scores["context_relevancy"]) == (0.75, 0.5, None)


def test_unscored_is_left_out_of_means_and_counted() -> None:
    summary = judged([make("a", mean=1.0, scores={"precision": 0.4}), make("b", mean=1.0)])
    stat = summary.tally.metrics["precision"]
    assert (stat.n, stat.n_unscored, stat.mean, stat.worst) == (1, 1, 0.4, (("a", 0.4),))


def test_a_record_without_a_mean_at_all_is_unscored() -> None:
    overall = judged([Record(id="a", status="PASS", scores={"precision": 1.0})]).tally.overall
    assert (overall.n, overall.n_unscored, overall.mean) == (0, 1, None)


def test_scores_of_errors_inconclusive_and_expected_failures_stay_out_of_the_averages() -> None:
    low = {"faithfulness": 0.0}
    records = [make("a", mean=1.0, scores={"faithfulness": 1.0})]
    records += [make(s, s, 0.0, scores=low) for s in ("ERROR", "INCONCLUSIVE")]
    records += [make("x", "FAIL", 0.0, scores=low, outcome="xfailed")]
    summary = judged(records)
    assert (summary.aggregate_scores["overall"], summary.aggregate_scores["faithfulness"]) == (1.0, 1.0)


def test_a_non_finite_score_is_unmeasured_and_never_written() -> None:
    records = [
        make("a", mean=0.9, scores={"faithfulness": 0.9}),
        make("b", mean=math.nan, scores={"faithfulness": math.inf}),
    ]
    summary = judged(records)
    assert summary.aggregate_scores["faithfulness"] == 0.9
    assert summary.tally.unmeasured == ["b: faithfulness", "b: mean"]
    assert "NaN" not in summary.to_json()
    assert "Infinity" not in summary.to_json()


def test_ids_are_bare_unless_the_run_has_them_twice() -> None:
    other = "suites/other.graph.yaml"
    summary = judged([make("a", mean=0.9), make("a", mean=0.9, suite=other), make("b", mean=0.9, suite=other)])
    assert summary.passed == [f"{other}::a", "b", f"{SUITE}::a"]


def test_lists_follow_the_index_and_suites_their_path() -> None:
    records = [
        make("z", mean=1.0, index=0),
        make("a", mean=1.0, index=1),
        make("m", mean=1.0, suite="a.graph.yaml", index=9),
    ]
    assert judged(reversed(records)).passed == ["m", "z", "a"]


def test_groups_have_means_counts_and_a_natural_order() -> None:
    summary = judged([
        make("a", mean=0.5, difficulty="hard", category="c2", tags=["t", "t"]),
        make("b", mean=0.9, difficulty="easy", category="c1"),
        make("c", "ERROR", difficulty="expert", category="c1"),
        make("d", mean=0.7, difficulty="medium", category="c1"),
        make("e", mean=0.7),
    ])  # fmt: skip
    assert list(summary.by_difficulty) == ["easy", "medium", "hard", "expert"]
    assert summary.by_difficulty["expert"] is None
    assert summary.by_category == {"c1": pytest.approx(0.8), "c2": 0.5}
    assert summary.by_tag == {"t": 0.5}
    group = summary.tally.category["c1"]
    assert (group.total, group.n, group.passed) == (3, 2, 2)
    assert summary.tally.tags["t"].total == 1


def test_templates_default_to_the_suite() -> None:
    summary = judged([make("a", mean=0.5, template_id="revenue"), make("b", mean=0.9)])
    assert summary.by_template == {"revenue": 0.5, SUITE: 0.9}


def test_modes_are_those_asked_for_in_the_ancestors_order() -> None:
    records = [make(str(n), query_mode=mode, mode_ran="mix") for n, mode in enumerate(["local", "global", "kg", "kg"])]
    records += [make("skipped", "SKIPPED", query_mode="kg"), make("dead", "ERROR")]
    assert list(judged(records).query_modes_used.items()) == [("kg", 2), ("global", 1), ("local", 1)]


def test_documents_are_what_suites_declare_else_what_scenarios_refer_to() -> None:
    records = [make("a", documents=["x.json", "b.json"]), make("b", suite="other", documents=["a.json"])]
    assert judged(records, {SUITE: info(documents=["declared.json"])}).documents_tested == ["a.json", "declared.json"]
    assert judged([], {SUITE: info(documents=["never_ran.json"])}).documents_tested == []


def test_aggregates_have_the_other_ancestors_shape_and_absent_stays_absent() -> None:
    summary = judged([
        make("a", mean=1.0, template_id="t1", usage={"input_tokens": 10}, scores={"steps_score": 1.0}),
        make("b", mean=1.0, template_id="t1", usage={"input_tokens": 20}, scores={"steps_score": 0.5}),
        make("c", "ERROR", template_id="t1", usage={"input_tokens": True}),
        make("d", mean=1.0, template_id="t2", scores={"steps_score": 0.0}),
    ])  # fmt: skip
    t1 = summary.per_template["t1"]
    assert (t1["number_of_error_samples"], t1["number_of_success_samples"]) == (1, 2)
    assert t1["input_tokens"] == {"sum": 30, "mean": 15.0, "median": 15.0, "min": 10, "max": 20}
    assert t1["steps_score"]["mean"] == 0.75
    assert "input_tokens" not in summary.per_template["t2"]
    assert summary.macro["input_tokens"] == {"mean": 15.0}
    assert summary.macro["steps_score"] == {"mean": 0.375}
    assert summary.micro["steps_score"]["mean"] == 0.5
    assert "output_tokens" not in summary.micro
    assert "elapsed_s" not in summary.macro


def test_scores_of_inconclusive_records_are_no_samples_but_their_tokens_are() -> None:
    records = [make("a", mean=1.0), make("i", "INCONCLUSIVE", 0.0, usage={"total_tokens": 7})]
    micro = judged(records).micro
    assert (micro["mean"]["mean"], micro["total_tokens"]["sum"], micro["number_of_success_samples"]) == (1.0, 7, 2)


def test_usage_is_summed_over_all_that_was_asked_and_unknown_is_null() -> None:
    records = [
        make("a", usage={"total_tokens": 100, "cost_usd": 0.5}),
        make("x", "FAIL", outcome="xfailed", usage={"total_tokens": 11}),
        make("s", "SKIPPED", usage={"total_tokens": 1000}),
        make("b"),
    ]
    assert judged(records).usage == {
        "input_tokens": None, "output_tokens": None, "total_tokens": 111, "cost_usd": 0.5, "n": 2,
    }  # fmt: skip


def test_latency_is_told_with_how_many_were_timed() -> None:
    records = [make(str(n), elapsed_s=float(n)) for n in range(1, 21)] + [make("untimed")]
    assert judged(records).latency == {"p50": 10.0, "p95": 19.0, "n": 20}
    assert judged([make("a")]).latency == {"p50": None, "p95": None, "n": 0}


EMPTY = '{"head": {"vars": ["s"]}, "results": {"bindings": [ ]}}'


def called(*names: str, **more: Any) -> list[dict[str, Any]]:
    return [{"name": name, "status": "success", "output": "x", **more} for name in names]


def calling(id_: str, calls: list[dict[str, Any]], **more: Any) -> Record:
    return make(id_, tool_calls=calls, steps=dict(count_calls(calls)), **more)


def test_calls_are_counted_by_tool_and_template_in_the_order_of_the_file() -> None:
    records = [
        calling("c", called("sparql"), index=2, template_id="b"),
        calling("b", called("sparql", status="error"), index=1, template_id="z"),
        calling("a", [*called("sparql", "iri"), *called("sparql", output=EMPTY)], index=0, template_id="z"),
        make("d", index=3, template_id="a"),
        calling("s", called("sparql"), status="SKIPPED", index=4),
    ]
    summary = judged(records)
    assert summary.steps == summary.micro["steps"]
    assert summary.steps == {
        "empty_results": {"sparql": 1},
        "errors": {"sparql": 1},
        "once_per_sample": {"iri": 1, "sparql": 3},
        "total": {"iri": 1, "sparql": 4},
    }
    assert list(summary.per_template) == ["z", "b", "a"]
    assert summary.per_template["z"]["steps"]["once_per_sample"] == {"iri": 1, "sparql": 2}
    assert "errors" not in summary.per_template["b"]["steps"]
    assert "steps" not in summary.per_template["a"]


@pytest.mark.parametrize(
    ("output", "empty"),
    [
        (EMPTY, True),
        (json.loads(EMPTY), True),
        ('{"results": {"bindings": [{}]}}', False),
        ('the text "bindings": []', False),
        ('{"boolean": false}', False),
        ("[]", False),
        (None, False),
        ({"results": None}, False),
    ],
)
def test_an_empty_result_is_one_of_a_query_without_rows(output: Any, empty: bool) -> None:
    steps = judged([calling("a", called("t", output=output))]).steps
    assert ("empty_results" in steps) is empty


def test_scores_of_single_calls_are_aggregated_over_calls_then_over_templates() -> None:
    def scored(*values: Any) -> list[dict[str, Any]]:
        return [call for value in values for call in called("retrieval", retrieval_answer_recall=value)]

    summary = judged([
        make("a", template_id="t1", tool_calls=scored(0.5, 1.0)),
        make("b", template_id="t2", tool_calls=scored(0.0, None, True, float("nan"))),
    ])  # fmt: skip
    assert summary.per_template["t1"]["retrieval_answer_recall"]["mean"] == 0.75
    assert summary.micro["retrieval_answer_recall"]["mean"] == 0.5
    assert summary.macro["retrieval_answer_recall"]["mean"] == 0.375


def test_the_suite_hash_knows_the_set_and_not_its_order() -> None:
    a, b = make("a", fingerprint="1"), make("b", fingerprint="2")
    assert judged([a, b]).suite_hash == judged([b, a]).suite_hash
    others = ([a, b], [a], [a, make("b", fingerprint="3")], [])
    assert len({judged(records).suite_hash for records in others}) == 4


def test_the_state_of_the_run_says_what_is_missing() -> None:
    state = judged([make("a")], collected=5, deselected=2, partial="-k a").run
    assert (state.status, state.partial, state.not_run) == ("PARTIAL", "-k a", 2)
    assert judged([make("a")], interrupted=True, partial="-k a").run.status == "INTERRUPTED"
    assert judged([make("a")]).run.model_dump() == {
        "status": "COMPLETE", "partial": "", "collected": None, "deselected": 0, "not_run": 0, "collection_errors": [],
    }  # fmt: skip


# Issues and recommendations


def test_issues_say_what_happened_to_each_scenario_in_order() -> None:
    summary = judged(walmart())
    found = [(issue.id, issue.kind, issue.count) for issue in summary.issues]
    assert [f for f in found if f[1] != "failure"] == [
        ("TC009", "precision", 22),
        ("TC014", "precision", 18),
        ("TC016", "hallucination", None),
        ("TC021", "inconclusive", None),
        ("TC021", "extraction_gap", None),
    ]
    assert [id_ for id_, kind, _ in found if kind == "failure"] == summary.failed
    assert [id_ for id_, _, _ in found] == sorted(id_ for id_, _, _ in found)
    assert not any(id_ == "TC022" for id_, _, _ in found)
    assert summary.hallucination_count == 1


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (make("a", "FAIL", 0.4, cause="wrong_value", reason="mean 0.4 is low"), "wrong_value: mean 0.4 is low"),
        (
            make("a", "FAIL", checks=[
                Check(kind="numbers", outcome="fail", message="no 5"), Check(kind="names", outcome="error"),
            ]),
            "numbers: no 5 (and 1 more)",
        ),
        (
            make("a", "FAIL", cause="not_retrieved", checks=[
                Check(kind="numbers", outcome="fail", rule="out_of_tolerance", message="no 5"),
                Check(kind="chunks", outcome="fail", rule="not_retrieved", message="c9 was not retrieved"),
            ]),
            "not_retrieved: chunks: c9 was not retrieved (and 1 more)",
        ),
        (make("a", "FAIL", checks=[Check(kind="names", outcome="fail", expected="Doug")]), "names: expected 'Doug'"),
        (make("a", "FAIL", 0.3, scores={"precision": 0.1, "faithfulness": 0.5}), "precision 0.10"),
        (make("a", "FAIL"), "no reason was recorded"),
        (make("a", outcome="failed"), "the scenario passed, but its item failed in pytest"),
        (make("a", flags=["teardown_error"]), "the scenario passed, but its teardown failed in pytest"),
        (make("a", outcome="failed", reason="[XPASS(strict)] known"), "[XPASS(strict)] known"),
    ],
)  # fmt: skip
def test_a_failure_is_told_in_one_line(record: Record, text: str) -> None:
    (issue,) = judged([record]).issues
    assert (issue.kind, issue.text) == ("failure", text)


@pytest.mark.parametrize(
    ("record", "kind", "text"),
    [
        (make("a", "ERROR", error="line 1\n  line 2"), "error", "line 1 line 2"),
        (make("a", "ERROR"), "error", "not measured, and no cause was recorded"),
        (make("a", "INCONCLUSIVE"), "inconclusive", "neither an answer nor evidence came back"),
        (make("a", "ERROR", error="x" * 400), "error", "x" * 299 + "…"),
    ],
)
def test_an_error_or_an_empty_reply_is_told_in_one_line(record: Record, kind: str, text: str) -> None:
    (issue,) = judged([record]).issues
    assert (issue.kind, issue.text) == (kind, text)


def advice(records: list[Record]) -> str:
    summary = judged(records)
    assert summary.recommendations == recommend(summary.tally, summary.issues)
    return "\n".join(summary.recommendations)


def grouped(category: str, score: float) -> list[Record]:
    return [make("g", mean=0.9), make("low", "FAIL", score, category=category)]


@pytest.mark.parametrize(
    ("records", "word"),
    [
        ([make("a", "ERROR", error="down")], "Make the target answer first: 1 scenario"),
        ([make("a", hallucinations=['"2014": not in the evidence'])], 'does not say: "2014" in a'),
        ([make("a", hallucinations=["y" * 99])], "y" * 39 + "…"),
        ([make("a", "INCONCLUSIVE")], "extraction gaps: 1 scenario found nothing in the graph (a)"),
        ([make("a", "FAIL", cause="not_in_extraction")], "extraction gaps"),
        (grouped("yoy_comparison", 0.59), "BOTH years"),
        (grouped("yoy_comparison", 0.79), "comparison edges"),
        (grouped("multi_hop", 0.7499), "multi_hop scores 0.7499: filter relationships"),
        ([make("a", flags=["precision_issue"])], "`top_entities: 8`"),
    ],
)
def test_each_rule_gives_its_advice(records: list[Record], word: str) -> None:
    assert word in advice(records)


@pytest.mark.parametrize(
    "records", [[make("a", mean=0.9)], grouped("yoy_comparison", 0.8), grouped("multi_hop", 0.75), []]
)
def test_no_advice_where_no_rule_fires(records: list[Record]) -> None:
    assert advice(records) == ""


def test_a_gap_of_exactly_the_limit_fires_nothing_whatever_the_float_says() -> None:
    assert "comparison edges" not in advice([make("a", mean=0.85), make("b", mean=0.75, category="yoy_comparison")])


# The file


def test_a_summary_file_is_read_back_as_it_was_written() -> None:
    summary = judged(walmart(), WALMART, duration_s=1.5, meta={"python": "3.11"}, collected=24)
    assert read_summary(summary.to_json(), "s.json") == summary


def test_the_same_records_give_the_same_bytes() -> None:
    assert judged(walmart(), WALMART).to_json() == judged(reversed(walmart()), WALMART).to_json()


def test_what_was_written_into_a_gate_survives_the_file() -> None:
    before = judged([make("a", mean=0.9)], info(gate(metrics={"faithfulness": 0.5}, pass_rate=None)))
    rules = read_summary(before.to_json(), "s").suites()[SUITE].gate
    again = judged([make("a", mean=0.9)], {SUITE: info(rules)})
    assert again.gate == before.gate
    assert again.gate.suites[SUITE].written == ["metrics", "pass_rate"]
    assert again.verdict_reasons == before.verdict_reasons


def test_a_summary_gives_its_suites_back_to_summarize_again() -> None:
    summary = judged(walmart(), WALMART)
    assert judged(walmart(), summary.suites()).to_json() == summary.to_json()
    assert summary.suites()[SUITE].graph == GraphStats(entities=51, relationships=65)


def test_text_that_utf8_cannot_hold_is_written_as_an_escape() -> None:
    summary = judged([make("a", "ERROR", error="\ud800 broke")])
    assert "\\ud800 broke" in summary.to_json()
    assert summary.to_json().encode("utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "s.json: not JSON: .*; expected a summary_\\*.json"),
        ("[]", "s.json: not a summary of pytest-graph-eval: .*graph-eval gate"),
        ('{"threshold_result": "PASS", "aggregate_scores": {}}', "`format`"),
        (
            json.dumps({"format": FORMAT + 1, "threshold_result": "PASS", "aggregate_scores": {}}),
            "summary format 2; this version reads up to 1: upgrade",
        ),
        (json.dumps({"format": "1", "threshold_result": "PASS", "aggregate_scores": {}}), "summary format '1'"),
        ('{"format": 1, "threshold_result": "PASS", "aggregate_scores": {}}', "s.json: not a summary: run_at"),
    ],
)  # fmt: skip
def test_a_foreign_damaged_or_newer_file_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_summary(text, "s.json")


def test_keys_of_a_later_version_are_ignored() -> None:
    data = {**json.loads(judged(walmart(), WALMART).to_json()), "later": 1}
    data["gate"]["suites"][SUITE]["later"] = 0.5
    assert read_summary(json.dumps(data), "s").counts.xfailed == 1


# The verdict on a summary


def test_without_a_verdict_a_summary_says_fail() -> None:
    assert summarize([make("a", mean=1.0)], run=run_info()).threshold_result == "FAIL"


def test_a_verdict_is_set_for_the_run_and_for_each_suite() -> None:
    summary = summarize([make("a", mean=1.0), make("b", mean=1.0, suite="other")], run=run_info())
    verdict = worst([
        Reason(code="n", level="NOTE"), Reason(code="w", level="WARN", suite=SUITE), Reason(code="f", level="FAIL"),
    ])  # fmt: skip
    decided = summary.decided(verdict, baseline={"n_paired": 1})
    assert (decided.threshold_result, decided.baseline) == ("FAIL", {"n_paired": 1})
    assert [r.code for r in decided.verdict_reasons] == verdict.codes() == ["f", "w", "n"]
    assert {key: s.threshold_result for key, s in decided.by_suite.items()} == {SUITE: "WARN", "other": "PASS"}
    assert isinstance(summary, Summary)
    assert summary.threshold_result == "FAIL"
