"""Judge scores are aggregated and gated apart, on their own scales; what failed or was not made is told, not scored."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.gate.summary import RunInfo, SuiteInfo, Summary, summarize
from pytest_graph_eval.gate.tally import JUDGE_OFF
from pytest_graph_eval.gate.thresholds import decide
from pytest_graph_eval.gate.verdict import Verdict
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.settings import Gate
from pytest_graph_eval.reports import terminal

MADE = {"kind": "rubric", "outcome": "made"}
FAILED = {"scores": {}, "judgements": [{"kind": "rubric", "outcome": "failed", "reason": "r"}], "error": "rubric: r"}


def made(score: float, **more: Any) -> dict[str, Any]:
    return {"scores": {"faithfulness": score}, "judgements": [MADE], **more}


def not_made(why: str) -> dict[str, Any]:
    return {"judgements": [{"kind": "rubric", "outcome": "not_made", "reason": why}]}


def run(*judges: dict[str, Any], line: Any = 4.0, **more: Any) -> tuple[Summary, Verdict]:
    records = [
        Record(
            id=f"s{n}", suite="s", status="PASS", outcome="passed", index=n, scores={"mean": 1.0}, judge=judge, **more
        )
        for n, judge in enumerate(judges)
    ]
    info = RunInfo(run_at="", collected=len(records))
    gate = Gate.model_validate({"judge": {"faithfulness": line}} if line else {})
    summary = summarize(records, {"s": SuiteInfo(name="s", gate=gate, scenarios=len(records))}, run=info)
    verdict = decide(summary, info)
    return summary.decided(verdict), verdict


@pytest.mark.parametrize(
    ("judges", "line", "result", "codes"),
    [
        ([made(4), made(5)], 4.0, "PASS", []),
        ([made(3), made(4)], 4.0, "FAIL", ["below_threshold"]),
        ([made(3), made(4)], {"pass": 4.0, "warn": 3.0}, "WARN", ["below_threshold"]),
        ([made(3)], None, "PASS", []),
        ([made(5), FAILED], 4.0, "WARN", ["judge_unavailable"]),
        ([FAILED, FAILED], None, "FAIL", ["judge_unavailable"]),
        ([FAILED], 4.0, "FAIL", ["judge_unavailable", "no_records"]),
        ([not_made(JUDGE_OFF)], 4.0, "PASS", ["not_judged"]),
        ([made(5), not_made("`max_cost_usd` is used up")], 4.0, "WARN", ["not_judged"]),
        ([not_made("`max_cost_usd` is used up")], 4.0, "FAIL", ["not_judged", "no_records"]),
        ([made(4, samples={"faithfulness": [3, 5]})], 4.0, "WARN", ["judge_unsure"]),
        ([made(4.5, samples={"faithfulness": [4, 5]})], 4.0, "PASS", []),
        ([made(2.5, samples={"faithfulness": [2, 3]})], 4.0, "FAIL", ["below_threshold"]),
        ([{}], 4.0, "FAIL", ["no_records"]),
    ],
)
def test_the_verdict_over_judge_scores(judges: list[Any], line: Any, result: str, codes: list[str]) -> None:
    _, verdict = run(*judges, line=line)
    assert (verdict.result, sorted(verdict.codes())) == (result, sorted(codes))


def test_samples_straddle_by_their_means_over_all_records() -> None:
    one, other = (made(4, samples={"faithfulness": values}) for values in ([3, 5], [5, 3]))
    assert run(one, other)[1].result == "PASS", "each sample's mean is 4"


def test_failures_are_in_no_mean_and_every_count_is_kept() -> None:
    usage = {"requests": 2, "cached": 1, "total_tokens": 30, "cost_usd": 0.5}
    capped = {"judgements": [{**MADE, "caps": [{"metric": "faithfulness", "before": 5, "after": 2, "why": "w"}]}]}
    summary, _ = run(made(2, usage=usage) | capped, FAILED | {"usage": {**usage, "cost_usd": None}}, made(4))
    tally = summary.tally
    assert (tally.judge["faithfulness"].mean, tally.judge["faithfulness"].n) == (3, 2)
    assert tally.judgements == {"failed": 1, "made": 2}
    assert tally.judge_usage == {"requests": 4, "cached": 2, "total_tokens": 60, "cost_usd": None}
    assert tally.judge_caps == 1
    assert tally.metrics == {}, "apart from the deterministic ones"


def test_the_reasons_say_what_failed_and_what_was_not_made() -> None:
    _, verdict = run(made(5), FAILED, not_made("no money"))
    texts = {reason.code: reason.text for reason in verdict.reasons}
    why = FAILED["error"]
    assert texts["judge_unavailable"] == f"1 judgement of 2 failed: s1: {why}"
    assert texts["not_judged"] == "1 judgement not made: no money"
    _, verdict = run(not_made(JUDGE_OFF), line=4.0)
    assert verdict.reasons[0].text == (
        "1 judgement not made: the judge is off; --graph-eval-judge asks it; the gate's line for faithfulness decided "
        "nothing"
    )
    _, verdict = run(made(4, samples={"faithfulness": [3, 5]}))
    assert verdict.reasons[0].text == (
        "judge.faithfulness 4.00 straddles the line 4.00: the samples' means run from 3.00 to 5.00"
    )


def test_failed_judgements_of_one_cause_are_told_once_with_it() -> None:
    summary, verdict = run(FAILED, FAILED)
    assert verdict.reasons[1].text.endswith("no scenario has a score for it, as no judgement was made")
    assert verdict.reasons[0].text == "2 judgements of 2 failed: s0, s1: rubric: r"
    assert (
        "Judge Errors:          2 scenarios without a judgement that was asked for\n  - s0, s1: rubric: r"
        in printed(summary)
    )


def printed(summary: Summary) -> str:
    return "\n".join(line.text for line in terminal.render(summary))


def test_the_report_shows_scores_beside_their_lines_and_how_many_judgements_were_not_made() -> None:
    text = printed(run(made(4), FAILED, not_made("no money"))[0])
    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert "JUDGE" in rows
    assert "Faithfulness 4.00 ≥ 4.00 1/1 ✓ PASS" in rows
    assert "Judgements: 1 made, 1 failed, 1 not made (no money)" in rows
    text = printed(run(not_made(JUDGE_OFF), not_made(JUDGE_OFF))[0])
    assert "Judgements:            2 not made (the judge is off; --graph-eval-judge" in text
    assert "JUDGE\n" not in printed(run({}, line=None)[0])


def test_a_record_that_is_expected_to_fail_is_in_no_mean() -> None:
    assert run(made(1), line=None)[0].tally.judge["faithfulness"].mean == 1
    record = Record(id="x", suite="s", status="FAIL", outcome="xfailed", judge=made(1))
    assert summarize([record], run=RunInfo(run_at="")).tally.judge == {}
