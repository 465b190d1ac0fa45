"""`graph-eval report --format graphrag-eval`: a run in graphrag-eval's own shape, with the numbers of 6.6.1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval import cli, evaluate
from pytest_graph_eval.models.records import Record
from tests.unit.cli_runs import results
from tests.unit.gate_records import make

EMPTY = '{"head": {"vars": ["s"]}, "results": {"bindings": []}}'
CALC = {"name": "calc", "output": "42"}
TEMPLATES = [
    {
        "template_id": "zeta",
        "questions": [
            {
                "id": "q 1",
                "question_text": "What is in bay 7?",
                "reference_answer": "42",
                "reference_steps": [[{"name": "find", "output": "A", "note": "kept"}], [], [CALC]],
            },
            {"id": "q2", "question_text": "?", "reference_steps": [[{"name": "calc", "output": "1"}]]},
        ],
    },
    {"template_id": "alpha", "questions": [{"id": "q3", "question_text": "?", "reference_answer": "x"}]},
]
FOUND = {"name": "calc", "output": "42", "id": "c1", "status": "success"}
RECORDS = [
    {
        "question_id": "q 1",
        "actual_answer": "42",
        "input_tokens": 10,
        "output_tokens": 2,
        "total_tokens": 12,
        "elapsed_sec": 1.5,
        "actual_steps": [FOUND, {"name": "calc", "id": "c2", "status": "error", "error": "boom"}],
        "extra": "dropped",
    },
    {
        "question_id": "q2",
        "error": "agent timed out",
        "actual_steps": [{"name": "calc", "output": "1", "id": "c1", "status": "success"}],
    },
    {"question_id": "q3", "actual_answer": "x", "error": None, "actual_steps": None, "input_tokens": "7"},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("data.json").write_text(json.dumps(TEMPLATES, indent=1), encoding="utf-8")
    Path("records.jsonl").write_text("\n".join(map(json.dumps, RECORDS)), encoding="utf-8")
    Path("s.graph.yaml").write_text(
        "target: {path: records.jsonl}\n"
        "defaults: {expect: {steps_mode: suffix}}\n"
        "datasets: [{path: data.json, format: graphrag-eval}]\n",
        encoding="utf-8",
    )
    return tmp_path


def report(*args: str) -> Any:
    assert cli.main(["report", "r", "--format", "graphrag-eval", "-o", "out/report.json", *args]) == 0
    return json.loads(Path("out/report.json").read_text(encoding="utf-8"))


def ran(*more: Record) -> list[Record]:
    records = [*evaluate("s.graph.yaml"), *more]
    results(Path("r"), records)
    return records


def test_a_data_set_and_response_records_give_the_results_of_graphrag_eval(folder: Path) -> None:
    ran()
    assert report()["results"] == [
        {
            "template_id": "zeta",
            "question_id": "q 1",
            "question_text": "What is in bay 7?",
            "input_tokens": 10,
            "output_tokens": 2,
            "total_tokens": 12,
            "elapsed_sec": 1.5,
            "actual_answer": "42",
            "reference_answer": "42",
            "reference_steps": [
                [{"name": "find", "output": "A", "note": "kept"}],
                [],
                [{**CALC, "matches": "c1"}],
            ],
            "status": "success",
            "actual_steps": RECORDS[0]["actual_steps"],
            "steps_score": 0.5,
        },
        {
            "template_id": "zeta",
            "question_id": "q2",
            "question_text": "?",
            "reference_steps": [[{"name": "calc", "output": "1", "matches": "c1"}]],
            "status": "error",
            "error": "agent timed out",
            "actual_steps": RECORDS[1]["actual_steps"],
            "steps_score": 1.0,
        },
        {
            "template_id": "alpha",
            "question_id": "q3",
            "question_text": "?",
            "input_tokens": "7",
            "actual_answer": "x",
            "reference_answer": "x",
            "status": "success",
            "actual_steps": [],
        },
    ]


def test_scenarios_of_our_own_have_reference_steps_too(folder: Path) -> None:
    Path("records.jsonl").write_text(
        '{"id": "a", "response": {"tool_calls": [{"name": "calc", "output": "42"}]}}', "utf-8"
    )
    Path("s.graph.yaml").write_text(
        "target: {path: records.jsonl}\n"
        "scenarios: [{id: a, question: Q, expect: {steps: [{tool: calc, output: '42', args_match: ignore}]}}]\n",
        "utf-8",
    )
    ran()
    (found,) = report()["results"]
    assert found["reference_steps"] == [[{**CALC, "matches": "1"}]]
    assert (found["template_id"], found["steps_score"]) == ("s.graph.yaml", 1.0)


def test_the_keys_of_a_result_have_the_order_of_graphrag_eval(folder: Path) -> None:
    ran()
    assert list(report()["results"][0]) == [
        "template_id", "question_id", "question_text", "input_tokens", "output_tokens", "total_tokens", "elapsed_sec",
        "actual_answer", "reference_answer", "reference_steps", "status", "actual_steps", "steps_score",
    ]  # fmt: skip


def test_the_aggregates_are_those_of_graphrag_eval_without_what_nobody_measured(folder: Path) -> None:
    ran()
    found = report()["aggregates"]
    assert list(found["per_template"]) == ["zeta", "alpha"], "the order of the file"
    zeta = found["per_template"]["zeta"]
    assert zeta["steps_score"] == {"sum": 1.5, "mean": 0.75, "median": 0.75, "min": 0.5, "max": 1.0}
    assert zeta["steps"] == {
        "total": {"calc": 3}, "once_per_sample": {"calc": 2}, "errors": {"calc": 1},
    }  # fmt: skip
    assert (zeta["number_of_error_samples"], zeta["number_of_success_samples"]) == (1, 1)
    assert set(found["per_template"]["alpha"]) == {"number_of_error_samples", "number_of_success_samples"}
    assert set(found["micro"]) == {
        "number_of_error_samples", "number_of_success_samples", "steps_score", "input_tokens", "output_tokens",
        "total_tokens", "elapsed_sec", "steps",
    }  # fmt: skip
    assert found["macro"] == {
        "steps_score": {"mean": 0.75},
        "input_tokens": {"mean": 10},
        "output_tokens": {"mean": 2},
        "total_tokens": {"mean": 12},
        "elapsed_sec": {"mean": 1.5},
    }


def test_readers_that_want_every_figure_get_zeros(folder: Path) -> None:
    ran()
    found = report("--zeros")["aggregates"]
    assert found["per_template"]["alpha"]["total_tokens"] == {"sum": 0, "mean": 0, "median": 0, "min": 0, "max": 0}
    assert found["macro"]["input_tokens"] == {"mean": 10}, "a template without a figure is left out all the same"


def test_scores_of_single_calls_stand_below_the_steps_of_a_template(folder: Path) -> None:
    calls = [{"name": "retrieval", "retrieval_answer_recall": v} for v in (0.5, 1.0)]
    results(Path("r"), [make("a", template_id="t", tool_calls=calls)])
    found = report()["aggregates"]
    assert found["per_template"]["t"]["steps"]["retrieval_answer_recall"]["mean"] == 0.75
    assert found["micro"]["retrieval_answer_recall"]["mean"] == 0.75


def test_our_own_metrics_and_skipped_scenarios_are_no_part_of_the_shape(folder: Path) -> None:
    scores = {"facts": 1.0, "answer_f1": 0.5}
    results(Path("r"), [make("a", mean=1.0, scores=scores), make("s", "SKIPPED")])
    found = report()
    assert [r["question_id"] for r in found["results"]] == ["a"]
    assert found["results"][0]["answer_f1"] == 0.5
    assert set(found["aggregates"]["micro"]) == {"number_of_error_samples", "number_of_success_samples", "answer_f1"}


def test_a_total_that_a_record_does_not_say_is_not_made_up(folder: Path) -> None:
    record = {"question_id": "q 1", "input_tokens": 10, "output_tokens": 2}
    Path("records.jsonl").write_text(json.dumps([record]), encoding="utf-8")
    ran()
    micro = report()["aggregates"]["micro"]
    assert ("input_tokens" in micro, "total_tokens" in micro, "elapsed_sec" in micro) == (True, False, False)


def test_a_call_without_an_id_is_matched_by_its_number(folder: Path) -> None:
    step = {key: value for key, value in FOUND.items() if key != "id"}
    Path("records.jsonl").write_text(json.dumps([{"question_id": "q 1", "actual_steps": [step]}]), encoding="utf-8")
    ran()
    assert report()["results"][0]["reference_steps"][2][0]["matches"] == "1"


def test_a_question_without_a_record_is_an_error_and_the_others_are_scored(folder: Path) -> None:
    Path("records.jsonl").write_text(json.dumps({"q 1": RECORDS[0]}), encoding="utf-8")
    ran()
    first, missing, _ = report()["results"]
    assert (first["status"], missing["status"], missing["actual_steps"]) == ("success", "error", [])
    assert "no response for 'q2'" in missing["error"]
    assert "steps_score" not in missing


def test_without_the_suite_the_results_say_what_they_lack(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran()
    Path("s.graph.yaml").unlink()
    found = report()["results"][0]
    assert "reference_steps" not in found
    assert found["actual_steps"][0] == {**FOUND, "args": {}}
    assert (found["input_tokens"], found["elapsed_sec"], found["actual_answer"]) == (10, 1.5, "42")
    assert "note: nothing of what was expected in s.graph.yaml: s.graph.yaml: cannot be read" in capsys.readouterr().err


def test_what_has_changed_since_the_run_is_not_mixed_with_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran()
    text = Path("s.graph.yaml").read_text(encoding="utf-8").replace("suffix", "mean")
    Path("s.graph.yaml").write_text(text.replace("records", "others"), encoding="utf-8")
    found = report()["results"][0]
    assert "reference_steps" not in found
    assert "extra" not in found
    assert found["actual_steps"][0] == {**FOUND, "args": {}}, "as the record has it"
    assert "what the suites hold otherwise than it was run: q-1, q2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["nope", "--format", "graphrag-eval"], "nope: no such file or folder"),
        ([".", "--format", "graphrag-eval"], "no evaluation_results_*.jsonl in this folder"),
        (["data.json", "--format", "graphrag-eval"], "data.json:1: "),
    ],
)
def test_what_is_no_run_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], words: str
) -> None:
    assert cli.main(["report", *args]) == 2
    assert words in capsys.readouterr().err
