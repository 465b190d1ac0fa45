"""What one run writes: the ancestor's keys and one-liners work on it, and everything a target did is on record."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas
import pytest

from .runs import WALMART, Run, run_pytest

# The keys of the examples in the graph-eval skill ("Each line is a complete test result", "Summary Report JSON").
# ruff: noqa: SIM905 - lists of words read better as text
LINE_KEYS = (
    "id category difficulty question gold_answer query_mode retrieved_entities_count retrieved_chunks_count scores "
    "hallucinations status"
).split()
SCORE_KEYS = "context_relevancy faithfulness answer_correctness precision mean".split()
SUMMARY_KEYS = (
    "run_at total_questions results_file documents_tested aggregate_scores by_category by_difficulty passed failed "
    "hallucination_count threshold_result query_modes_used"
).split()
AGGREGATE_KEYS = "context_relevancy faithfulness answer_correctness precision overall".split()
JQ_FAILED = 'select(.status=="FAIL")'
JQ_AVERAGES = "group_by(.category) | map({category: .[0].category, avg: (map(.scores.mean) | add/length)})"

GOLD = "target: {extraction: walmart_extraction.json}\ndatasets: [{path: %s, format: preciso}]\n"
RECOVER = """
target:
  command: [graph-eval, serve, --empty, walmart_extraction.json]
  recover: {tool: reingest_from_file, arguments: {file_path: walmart_extraction.json}}
scenarios:
  - {id: ceo, question: "Who is the CEO of Walmart?", expect: {names: [Doug McMillon]}}
"""
TOY = """
target: {call: "toy:ask", aliases: {Walmart: [WMT]}}
scenarios:
  - {id: alias, question: "Who is the CEO of Walmart?", expect: {names: [Doug McMillon]}}
  - {id: many, question: "many", gold_answer: "$1.0 billion", source_entities: [E0, E1, E2], source_chunks: [c1]}
  - {id: invented, question: "invented", gold_answer: Doug McMillon, metrics: [answer_correctness]}
  - id: one-year
    question: "one year"
    requires_yoy: true
    gold_answer: "Increased from $567.8 billion to $605.9 billion (+$38.1 billion, +6.7%)"
"""
CAPPED = TOY.partition("  - {id: invented")[0].replace("aliases", "top_entities: 8, aliases")
ANSWERS = """
CEO = {"entities": [{"name": "DOUG McMILLON"}], "chunks": [{"id": "c1", "content": "Doug McMillon is the CEO."}]}
MANY = {"entities": [{"name": f"E{n}"} for n in range(22)], "chunks": [{"id": "c1", "content": "It was $1.0 billion."}]}

def ask(question):
    if "Walmart" in question:
        return {"entities": [], "relationships": [], "chunks": []}
    if "WMT" in question:
        return CEO
    if question == "many":
        return MANY
    if question == "invented":
        return {**CEO, "answer": "Doug McMillon is CEO since 2014."}
    return {"answer": "Net sales were $605.9 billion.", "chunks": [{"id": "c", "content": "They were $605.9 billion."}]}
"""
# A server with the reply of preciso-graphrag; `compare` is answered in another mode than the one asked for.
PRECISO = """
import json, sys

def reply(params):
    if params["name"] == "get_server_status":
        return {"graph": {"entities": 2, "relationships": 1}}
    asked = params["arguments"]
    ran = "naive" if "compare" in asked["query"] else asked["mode"]
    chunk = {"chunk_id": "doc::c1", "content": "Asked in " + asked["mode"] + "."}
    entity = {"entity_name": "A", "entity_type": "COMPANY", "description": "a"}
    data = {"entities": [entity], "relationships": [], "chunks": [chunk], "references": []}
    return {"status": "success", "raw_data": {"status": "success", "data": data, "metadata": {"query_mode": ran}}}

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method, params = message["method"], message.get("params") or {}
    info = {"name": "p", "version": "1"}
    schema = {"type": "object", "properties": {"query": {}, "mode": {}}}
    result = {
        "initialize": lambda: {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                               "serverInfo": info},
        "tools/list": lambda: {"tools": [{"name": n, "inputSchema": schema}
                                         for n in ("query_graph_tool", "get_server_status")]},
        "tools/call": lambda: {"content": [{"type": "text", "text": json.dumps(reply(params))}]},
    }
    answer = {"result": result[method]()} if method in result else {"error": {"code": -32601, "message": method}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
"""
PRECISO_SUITE = """
target: {command: %s, preset: preciso}
scenarios:
  - {id: renamed, question: "What?", expect: {contains: "Asked in mix.", chunks: [c1]}}
  - {id: kept, question: "What?", mode: hybrid, expect: {contains: "Asked in hybrid."}}
  - {id: other, question: "compare them", expect: {contains: "Asked in global."}}
"""


def exported(folder: Path, suite: str) -> str:
    """Return the file that `graph-eval export` makes of a suite."""
    command = [sys.executable, "-m", "pytest_graph_eval.cli", "export", f"{suite}.graph.yaml", "-o", "exported.json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=60, check=True)
    assert done.stdout == ""
    return "exported.json"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("results")
    shutil.copy(WALMART / "walmart_extraction.json", folder)
    shutil.copy(WALMART / "test_cases.json", folder)
    (folder / "toy.py").write_text(ANSWERS)
    (folder / "preciso.py").write_text(PRECISO)
    suites = {
        "gold": GOLD % "test_cases.json",
        "recover": RECOVER,
        "toy": TOY,
        "capped": CAPPED,
        "preciso": PRECISO_SUITE % json.dumps([sys.executable, "preciso.py"]),
    }
    for name, text in suites.items():
        (folder / f"{name}.graph.yaml").write_text(text, encoding="utf-8")
    (folder / "again.graph.yaml").write_text(GOLD % exported(folder, "gold"), encoding="utf-8")
    return run_pytest(folder)


def path_of(run: Run) -> Path:
    return next((run.folder / "results").glob("*.jsonl"))


# --- the ancestor's form


def test_a_line_has_every_key_of_the_ancestors_line_first_and_always(run: Run) -> None:
    for record in run.records:
        assert list(record)[: len(LINE_KEYS)] == LINE_KEYS
        assert set(SCORE_KEYS) <= set(record["scores"])


def test_the_summary_has_every_key_of_the_ancestors_summary(run: Run) -> None:
    summary = run.summary
    assert set(SUMMARY_KEYS) <= set(summary)
    assert list(summary["aggregate_scores"])[:5] == AGGREGATE_KEYS
    assert summary["total_questions"] == len(run.records)
    assert summary["documents_tested"] == ["walmart_extraction.json"]
    assert set(summary["query_modes_used"]) == {"kg", "hybrid", "global"}
    assert (run.folder / summary["results_file"]).is_file()


def means(run: Run) -> dict[str | None, list[float]]:
    """Return the mean scores by category, worked out here."""
    found: dict[str | None, list[float]] = defaultdict(list)
    for record in run.records:
        found[record["category"]].append(record["scores"]["mean"] or 0)
    return found


@pytest.mark.skipif(
    shutil.which("jq") is None and not os.environ.get("CI"),
    reason="jq is not installed; .ci/run installs it, and there this test fails without it",
)
def test_the_ancestors_jq_lines_work(run: Run) -> None:
    def jq(program: str, *options: str) -> list[Any]:
        command = ["jq", "-c", *options, program, str(path_of(run))]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, timeout=30)
        return [json.loads(line) for line in done.stdout.splitlines()]

    failed = [record["id"] for record in jq(JQ_FAILED)]
    assert failed == [r["id"] for r in run.records if r["status"] == "FAIL"] != []
    (rows,) = jq(JQ_AVERAGES, "-s")
    expected = {category: sum(values) / len(values) for category, values in means(run).items()}
    assert {row["category"]: row["avg"] for row in rows} == pytest.approx(expected)


def test_the_ancestors_pandas_lines_work(run: Run) -> None:
    frame = pandas.read_json(path_of(run), lines=True)
    averages = frame.groupby("category")["scores"].apply(lambda x: x.apply(lambda y: y["mean"]).mean())
    for category, values in means(run).items():
        if category is not None:
            assert averages[category] == pytest.approx(sum(values) / len(values))


def test_export_and_import_give_the_same_records(run: Run) -> None:
    def of(suite: str) -> list[dict[str, Any]]:
        own = ("suite", "nodeid", "index", "elapsed_s")
        records = [r for r in run.records if r["suite"] == f"{suite}.graph.yaml"]
        return [{k: v for k, v in r.items() if k not in own} for r in records]

    assert len(of("gold")) == 24
    assert of("again") == of("gold")
    assert {r["status"] for r in of("gold")} == {"PASS"}


# --- what a target did


def test_recovery_brings_an_emptied_graph_back(run: Run) -> None:
    assert run.record("ceo")["status"] == "PASS"
    suite = run.summary["by_suite"]["recover.graph.yaml"]
    assert suite["threshold_result"] == "PASS"
    assert run.summary["graph_stats"]["recover.graph.yaml"]["entities"] > 40
    assert run.says("recovered: recover: the graph was not fit to be asked, and was recovered before the first")


def test_a_question_that_only_an_alias_answers_is_scored_from_the_second_ask(run: Run) -> None:
    record = run.record("alias", "toy")
    assert (record["status"], record["flags"]) == ("PASS", ["alias:WMT"])
    assert record["question"] == "Who is the CEO of Walmart?"
    assert record["retrieved"]["entities"] == ["DOUG McMILLON"]


def test_more_than_15_entities_are_flagged_and_cost_precision(run: Run) -> None:
    record = run.record("many", "toy")
    assert record["retrieved_entities_count"] == 22
    assert record["flags"] == ["precision_issue"]
    assert record["scores"]["precision"] == pytest.approx(3 / 22 / 1.5)
    assert run.says("many: 22 entities")


def test_top_entities_cuts_what_is_scored_and_counts_what_came(run: Run) -> None:
    record = run.record("many", "capped")
    assert record["retrieved"]["entities"] == [f"E{n}" for n in range(8)]
    assert record["retrieved_entities_count"] == 22
    assert record["flags"] == ["precision_issue"]
    assert record["scores"]["precision"] == pytest.approx(3 / 8)


def test_what_the_evidence_does_not_say_is_on_record_and_in_the_report(run: Run) -> None:
    record = run.record("invented")
    (claim,) = record["hallucinations"]
    assert claim.startswith('"2014": not in the evidence ("')
    assert run.summary["hallucination_count"] == 1
    assert run.says("Hallucinations: 1 claim")
    assert run.says('invented: "2014": not in the evidence')


def test_a_comparison_without_one_of_its_years_is_flagged(run: Run) -> None:
    record = run.record("one-year")
    assert "yoy_incomplete" in record["flags"]
    assert record["scores"]["answer_correctness"] == pytest.approx(1 / 3)
    assert record["query_mode"] == "global"


@pytest.mark.parametrize(
    ("id_", "asked", "ran"), [("renamed", "kg", "mix"), ("kept", "hybrid", "hybrid"), ("other", "global", "naive")]
)
def test_the_mode_that_ran_is_recorded_beside_the_mode_asked_for(run: Run, id_: str, asked: str, ran: str) -> None:
    record = run.record(id_)
    assert (record["query_mode"], record["mode_ran"], record["status"]) == (asked, ran, "PASS")
