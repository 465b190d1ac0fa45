"""What the scores of tool calls do behind the record: summary, report, gate and baseline treat them like all others."""

from __future__ import annotations

from pytest_graph_eval.gate.comparison.regression import compare
from pytest_graph_eval.models.settings import Gate, Line
from pytest_graph_eval.reports.rows import score_rows

from .gate_factory import WHOLE, baseline, record
from .gate_records import info, judged, make


def test_the_scores_stand_in_the_summary_and_have_their_rows_in_the_report() -> None:
    scores = {"steps_score": 0.5, "call_recall": 0.75}
    summary = judged([make("a", "FAIL", 0.5, scores=scores), make("b", mean=1.0, scores={"steps_score": 1.0})])
    assert summary.tally.metrics["steps_score"].mean == 0.75
    assert summary.micro["steps_score"]["mean"] == 0.75
    shown = {row.label: (row.score, row.scored) for row in score_rows(summary)}
    assert shown["Steps Score"] == ("0.75", "2/2")
    assert shown["Call Recall"] == ("0.75", "1/1")


def test_a_gate_may_draw_a_line_for_them() -> None:
    rules = Gate(overall=None, metrics={"steps_score": Line.model_validate(0.9)})
    summary = judged([make("a", mean=0.5, scores={"steps_score": 0.5})], info(rules))
    assert summary.threshold_result == "FAIL"
    assert "steps_score" in summary.verdict_reasons[0].text


def test_a_drop_of_the_score_and_one_that_is_gone_are_told_by_the_baseline() -> None:
    before = [record(f"q{n}", scores={"steps_score": 1.0}, deterministic=True) for n in range(30)]
    worse = [record(f"q{n}", scores={"steps_score": 0.5}, deterministic=True) for n in range(30)]
    gone = [record(f"q{n}", scores={"steps_score": None}, deterministic=True) for n in range(30)]
    (change,) = [c for c in compare(baseline(before), worse, WHOLE).changes if c.name == "steps_score"]
    assert (change.before, change.now) == (1.0, 0.5)
    assert [r.code for r in compare(baseline(before), gone, WHOLE).reasons] == ["not_exercised:steps_score"]
