"""What a record and a verdict are as properties of tests."""

from __future__ import annotations

from pytest_graph_eval.models.records import Record
from pytest_graph_eval.reports.properties import record_properties, suite_properties
from tests.unit.gate_records import WALMART, judged, make, walmart


def test_a_record_gives_what_is_known_as_scalars() -> None:
    record = make(
        "a", "FAIL", 0.5, category="yoy", difficulty="hard", cause="wrong_value", query_mode="auto", mode_ran="mix",
        scores={"precision": 0.25}, flags=["x", "y"], usage={"total_tokens": 7}, elapsed_s=0.5, answer="long " * 999,
    )  # fmt: skip
    assert record_properties(record) == [
        ("graph_eval_status", "FAIL"), ("graph_eval_cause", "wrong_value"), ("graph_eval_category", "yoy"),
        ("graph_eval_difficulty", "hard"), ("graph_eval_mode", "mix"), ("graph_eval_attempts", 1),
        ("graph_eval_seconds", 0.5), ("graph_eval_total_tokens", 7), ("graph_eval_flags", "x, y"),
        ("graph_eval_precision", 0.25), ("graph_eval_mean", 0.5),
    ]  # fmt: skip


def test_nothing_large_and_no_name_that_a_file_could_not_hold() -> None:
    properties = dict(record_properties(Record(id="a", mode_ran="m" * 5_000_000, scores={"my metric\x00": 0.5})))
    assert len(str(properties["graph_eval_mode"])) == 200
    assert properties["graph_eval_my_metric_"] == 0.5


def test_a_summary_gives_its_verdict_and_figures() -> None:
    found = dict(suite_properties(judged(walmart(), WALMART)))
    assert found["graph_eval_verdict"] == "WARN"
    assert found["graph_eval_reasons"] == "WARN inconclusive"
    assert found["graph_eval_questions"] == 24
    assert found["graph_eval_precision"] > 0.8  # type: ignore[operator]  # a score is a number
