"""graphrag-eval's own files under pytest: its data set and response records run unchanged, one bad record costs one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .runs import Run, run_pytest

QUESTIONS = """\
- template_id: bays
  questions:
    - id: bay 7
      question_text: "What is in bay 7?"
      reference_answer: A transformer
      reference_steps:
        - - {name: autocomplete_search, args: {query: bay 7}, output: "urn:ex:bay7", output_media_type: text/plain}
        - []
        - - {name: calc, args: {x: 1}, output: "42"}
    - {id: bay 8, question_text: "And in bay 8?", reference_steps: [[{name: calc, output: "1"}]]}
    - {id: bay 9, question_text: "And in bay 9?", reference_steps: [[{name: calc, output: "1"}]]}
- template_id: owners
  questions:
    - {id: owner, question_text: "Who owns it?", reference_steps: [[{name: calc, output: "1"}]]}
    - {id: bare, question_text: "And what of this?"}
"""
CALC = {"name": "calc", "args": {"x": 2}, "output": "42", "status": "success", "id": "c2"}
RECORDS = {
    "bay 7": {
        "question_id": "bay 7",
        "actual_answer": "A transformer.",
        "actual_steps": [
            {"name": "autocomplete_search", "args": {}, "output": "urn:ex:bay7", "status": "success", "id": "c1"},
            CALC,
        ],
        "total_tokens": 12,
        "elapsed_sec": 1.5,
    },
    "bay 8": {"question_id": "another", "actual_steps": [CALC]},
    "owner": {"question_id": "owner", "error": "agent timed out", "actual_steps": [{**CALC, "output": "1"}]},
    "bare": {"question_id": "bare"},
    "gone": {"question_id": "gone"},
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder: Path = tmp_path_factory.mktemp("graphrag")
    (folder / "questions.yaml").write_text(QUESTIONS, encoding="utf-8")
    (folder / "records.json").write_text(json.dumps(RECORDS), encoding="utf-8")
    (folder / "grid.graph.yaml").write_text(
        "target: {path: records.json}\ndatasets: [{path: questions.yaml, format: graphrag-eval}]\n", encoding="utf-8"
    )
    return run_pytest(folder)


def test_every_question_is_an_item_with_its_own_outcome(ran: Run) -> None:
    assert ran.code == 1
    assert [(r["id"], r["source_id"], r["status"]) for r in ran.records] == [
        ("bay-7", "bay 7", "PASS"),
        ("bay-8", "bay 8", "FAIL"),
        ("bay-9", "bay 9", "ERROR"),
        ("owner", None, "ERROR"),
        ("bare", None, "INCONCLUSIVE"),
    ]


def test_a_missing_record_and_one_that_says_error_are_errors_of_their_questions(ran: Run) -> None:
    assert "no response for 'bay 9'" in ran.record("bay-9")["error"]
    assert ran.record("owner")["error"] == "the target reports an error: agent timed out"
    assert set(ran.record("owner")["scores"].values()) == {None}
    assert ran.record("owner")["steps"]["score"] == 1.0, "what was called until then"
    assert ran.record("bare")["reason"].startswith("no_check")


def test_what_was_left_out_or_looks_wrong_is_flagged_and_told(ran: Run) -> None:
    assert ran.record("bay-7")["flags"] == ["empty_step_group"]
    assert ran.record("bay-8")["flags"] == ["other_question_id:another"]
    assert ran.says("the target warns: response records of no scenario in records.json: 'gone'")
    assert ran.says("response records under another id than their `question_id` in records.json: 'bay 8'")


def test_a_failure_names_the_step_and_what_came_instead(ran: Run) -> None:
    assert ran.says('steps: score 0, at least 1 expected; step 1 calc: call 1: output "1" expected, "42" found')


def test_the_summary_has_the_aggregates_by_template_and_no_zeros(ran: Run) -> None:
    summary = ran.summary
    assert list(summary["per_template"]) == ["bays", "owners"]
    bays = summary["per_template"]["bays"]
    assert (bays["number_of_error_samples"], bays["number_of_success_samples"]) == (1, 2)
    assert bays["steps_score"] == {"sum": 1.0, "mean": 0.5, "median": 0.5, "min": 0.0, "max": 1.0}
    assert bays["total_tokens"]["sum"] == 12
    assert bays["steps"]["total"] == {"autocomplete_search": 1, "calc": 2}
    assert "total_tokens" not in summary["per_template"]["owners"]
    assert summary["macro"]["total_tokens"] == {"mean": 12.0}
    assert summary["steps"]["once_per_sample"] == {"autocomplete_search": 1, "calc": 3}
