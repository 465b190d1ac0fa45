"""`graph-eval report --format tdfs4ds`: a run in the shape of tdfs4ds' evaluation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval import cli, evaluate
from pytest_graph_eval.formats import tdfs4ds
from pytest_graph_eval.models.records import Record
from tests.unit.cli_runs import results
from tests.unit.gate_records import make

FACTS = {"required_names": ["AVG_BASKET"], "absent_names": ["NEW_ONE"]}
TIME = {"as_of_expected": "2024-03-01", "cleared": False}
SET = {
    "scenarios": [
        {
            "id": "M 01",
            "category": "multi_turn",
            "description": "definition, then owner",
            "turns": [
                {"user": "What is it?", "expected_intent": "DEFINITION", "acceptable_intents": ["EXPLAIN"],
                 "expected_facts": FACTS, "time_context": TIME},
                {"user": "Who owns it?", "expected_intent": "OWNER", "expected_facts": {"required_names": ["SALES"]}},
            ],
        }
    ]
}  # fmt: skip
RESPONSES = [
    {"answer": "On 2024-03-01, AVG_BASKET and NEW_ONE.", "intent": "EXPLAIN", "as_of": "2024-03-02"},
    {"answer": "RISK.", "intent": "HELP"},
]
JUDGE = {
    "model": "m",
    "judgements": [
        {"kind": "relevance", "scores": {"relevance": 0.2}},
        {"kind": "rubric", "scores": {"faithfulness": 4, "relevance": 5}, "reasons": {"faithfulness": "sound"}},
    ],
    "error": "x",
}


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Record:
    monkeypatch.chdir(tmp_path)
    Path("set.json").write_text(json.dumps(SET), encoding="utf-8")
    lines = [json.dumps({"id": "M-01", "turn": n, "response": r}) for n, r in enumerate(RESPONSES, 1)]
    Path("talk.jsonl").write_text("\n".join(lines), encoding="utf-8")
    Path("s.graph.yaml").write_text("target: {path: talk.jsonl}\ndatasets: [{path: set.json}]\n", encoding="utf-8")
    (found,) = evaluate(Path("s.graph.yaml"))
    return found


def report(*records: Record) -> dict[str, Any]:
    results(Path("r"), records)
    assert cli.main(["report", "r", "--format", "tdfs4ds", "-o", "report.json"]) == 0
    found: dict[str, Any] = json.loads(Path("report.json").read_text(encoding="utf-8"))
    return found


def test_each_turn_is_a_row_with_what_was_expected_and_what_came(record: Record) -> None:
    found = report(record)
    assert (found["type"], found["timestamp"], found["n_scenarios"], found["n_turns"], found["n_stale"]) == (
        "llm_as_judge_evaluation", "20260530_134500", 1, 2, 0)  # fmt: skip
    first, second = found["turns"]
    assert {key: first[key] for key in ("scenario_id", "category", "description", "turn", "user")} == {
        "scenario_id": "M 01", "category": "multi_turn", "description": "definition, then owner", "turn": 1,
        "user": "What is it?"}  # fmt: skip
    assert (first["expected_facts"], first["time_context"]) == (FACTS, TIME)
    assert (first["expected_intent"], first["actual_intent"], first["intent_match"]) == ("DEFINITION", "EXPLAIN", True)
    assert (first["actual_as_of"], first["as_of_match"]) == ("2024-03-02", False)
    assert (first["fact_hits"], first["violations"]) == (["names: AVG_BASKET"], ["forbidden: NEW_ONE"])
    assert (second["fact_misses"], second["intent_match"], second["as_of_match"]) == (["names: SALES"], False, None)
    assert second["assistant"] == "RISK."


def test_scores_that_no_judge_gave_are_unknown(record: Record) -> None:
    found = report(record)
    assert found["model"] is None
    assert {found["turns"][0][name] for name in ("faithfulness", "completeness", "efficiency")} == {None}
    assert found["summary"][0]["avg_score"] is None


def test_the_rubric_gives_the_five_scores_and_the_summary_their_means(record: Record) -> None:
    rows = [{**record.turns[0], "judge": JUDGE}, {**record.turns[1], "judge": {**JUDGE, "judgements": []}}]
    found = report(record.model_copy(update={"turns": rows}))
    assert found["model"] == "m"
    assert found["turns"][0]["justification"]["faithfulness"] == {"score": 4, "rationale": "sound"}
    assert (found["turns"][0]["relevance"], found["turns"][0]["judge_error"]) == (5, "x")
    summary = found["summary"][0]
    assert (summary["faithfulness"], summary["completeness"], summary["avg_score"]) == (4.0, None, 4.5)


def test_a_lone_question_an_error_and_a_skipped_one(record: Record) -> None:
    lone = make("a", "ERROR", question="q", error="gone", suite="s.graph.yaml")
    found = report(lone, make("b", "SKIPPED", suite="s.graph.yaml"))
    (row,) = found["turns"]
    assert (row["turn"], row["user"], row["assistant"]) == (1, "q", "[agent error: gone]")


def test_the_report_can_be_read_as_a_set_again(record: Record) -> None:
    found = report(record)
    assert tdfs4ds.matches(found)
    file = tdfs4ds.read(found, lambda _: (1, 1), "report.json")
    assert [t.question for t in file.entries[0].scenario.turns or ()] == ["What is it?", "Who owns it?"]


def test_zeros_are_no_option_here(record: Record, capsys: pytest.CaptureFixture[str]) -> None:
    results(Path("r"), [record])
    assert cli.main(["report", "r", "--format", "tdfs4ds", "--zeros"]) == 2
    assert "--zeros: this form has no place for what nobody measured" in capsys.readouterr().err
