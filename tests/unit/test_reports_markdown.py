"""The Markdown report: what it shows, that it is bounded however large the run, and that it says what it left out.

That no text can do anything in it is shown in `tests/properties/test_markup.py`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_graph_eval.models.records import Check, Record
from pytest_graph_eval.reports.markdown import LEAST, LIMIT, render
from tests.unit.gate_records import WALMART, judged, make, walmart
from tests.unit.test_reports_terminal import compared, dead, hostile, several, walmart_summary

SNAPSHOT = Path(__file__).parent.parent / "snapshots/report_walmart.md"


def size(text: str) -> int:
    return len(text.encode())


def test_the_whole_report_is_the_snapshot() -> None:
    found = render(compared(), walmart())
    if os.environ.get("UPDATE_SNAPSHOTS"):
        SNAPSHOT.write_text(found, encoding="utf-8")
        pytest.fail("the snapshot was written anew; look at it")
    assert found == SNAPSHOT.read_text(encoding="utf-8")


@pytest.mark.slow
def test_ten_thousand_failures_stay_below_60_kb_and_are_counted() -> None:
    long = ("| `漢字` @user " * 9_999)[:99_999]
    records = [
        make(
            f"Q{n:05}", ("FAIL", "ERROR", "INCONCLUSIVE")[n % 3], 0.1, index=n, question=long, answer=long,
            error=long, reason=long, category=f"c{n}",
            tags=[long], hallucinations=[long] * 9, scores={f"m{n}": 0.1}, retrieved={"entities": [long] * 99},
            checks=[Check(kind="names", outcome="fail", expected=long, message=long)] * 99,
        )
        for n in range(30)
    ]  # fmt: skip
    text = render(judged(records), [*records, *records[:1] * 9_970])
    assert 50_000 < size(text) <= LIMIT < 60 * 1024
    shown = text.count("Run again: ")
    assert shown > 1
    assert text.rstrip().endswith(f"*Left out, to stay below 60 KB: {10_000 - shown} scenarios that did not pass.*")


@pytest.mark.parametrize("limit", [LEAST, 8_000, 20_000])
def test_less_room_leaves_out_whole_parts_and_names_them(limit: int) -> None:
    records, infos = several()
    text = render(judged(records, infos), records, limit=limit)
    assert size(text) <= limit
    assert "Graph evaluation: FAIL" in text
    assert text.count("<details>") == text.count("</details>")
    assert f"to stay below {limit // 1000} KB: " in text
    if limit == LEAST:
        assert "KB: categories, 133 scenarios that did not pass." in text


def test_hostile_texts_of_every_field_keep_to_the_least_room() -> None:
    records, suite = hostile()
    for record in records:
        record.question = record.answer = "漢字" * 9_999
    assert size(render(judged(records, suite), records, limit=LEAST)) <= LEAST


def test_the_scenarios_that_fell_furthest_stand_in_a_table() -> None:
    rows = [
        {"name": "TC|18", "quantity": "pass_rate", "before": 1, "now": 0, "change": -1, "worse": True,
         "statuses": ["PASS", "FAIL"]},
        {"name": "TC020", "quantity": "faithfulness", "before": 0.9, "now": 0.4, "change": -0.5, "worse": True},
    ]  # fmt: skip
    summary = compared()
    text = render(summary.model_copy(update={"baseline": {**summary.baseline, "worst": rows}}))
    assert (
        "| `TC\\|18` | `pass_rate` | PASS | FAIL | -1.000 |\n| `TC020` | `faithfulness` | 0.90 | 0.40 | -0.500 |"
        in text
    )


def test_the_head_counts_what_passed_and_was_not_to() -> None:
    records = [make("a", "PASS", 1.0), make("b", "PASS", 1.0, outcome="xpassed")]
    assert "\n\n2 of 2 scenarios passed (100%), 1 of them unexpectedly, overall score 1.00." in render(
        judged(records), records
    )


def details(of: Sequence[Record]) -> str:
    return render(judged(of), of).partition("### What did not pass")[2]


def test_a_failure_shows_what_is_needed_to_see_its_cause() -> None:
    record = make(
        "TC1", "FAIL", 0.5, question="What were net sales?", gold_answer="$605.9 billion", answer="They grew.",
        category="yoy", difficulty="hard", cause="wrong_value", reason="a check failed",
        checks=[Check(kind="numbers", outcome="fail", expected="$605.9 billion", message="numbers: nearest 3"),
                Check(kind="names", outcome="pass", expected="Doug")],
        retrieved={"entities": ["NET SALES"], "chunks": []}, explain={"precision": "1 of 2"}, scores={"precision": 0.5},
    )  # fmt: skip
    text = details([record])
    for expected in (
        "❌ <b>FAIL</b> <code>TC1 (yoy, hard, wrong_value)</code>",
        "**Question**: What were net sales?",
        "| `numbers` | `$605.9 billion` | nearest 3 |",
        "**Gold answer**: `$605.9` billion",
        "**Answer**: They grew.",
        "| `precision` | 0.50 | 1 of 2 |",
        "**Retrieved**: 1 entity (NET SALES); no chunks",
        "Run again: `pytest --graph-eval suites/walmart.graph.yaml::TC1`",
    ):
        assert expected in text
    assert "Doug" not in text


def test_of_a_conversation_the_failed_turns_are_shown() -> None:
    row = {"turn": 2, "status": "FAIL", "question": "And who owns it?", "answer": "Nobody.", "scores": {}, "checks": []}
    text = details([make("S1", "FAIL", 0.5, question="What is it?", turns=[{**row, "turn": 1, "status": "PASS"}, row])])
    assert "**Turn 2**\n\n**Question**: And who owns it?" in text
    assert "What is it?" not in text
    assert "**Turn 1**" not in text


def test_what_passed_is_only_counted() -> None:
    text = render(judged([make("A", "PASS", 0.9), make("B", "SKIPPED")], WALMART), [make("A", "PASS", 0.9)])
    assert text.startswith("## ✅ Graph evaluation: PASS\n\n**`walmart-10k`**")
    assert "1 of 1 scenario passed (100%), 1 skipped, overall score 0.90." in text
    assert "What did not pass" not in text


def test_a_run_in_which_nothing_was_measured_and_a_partial_one_say_so() -> None:
    assert "no scenario was measured." in render(judged([]))
    assert "⚠️ partial run -k revenue" in render(judged(walmart(), WALMART, partial="-k revenue"))
    assert "24 not measured" in render(dead())
    assert walmart_summary().threshold_result in render(walmart_summary())
