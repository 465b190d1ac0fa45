"""Agents of real frameworks over real MCP tools, asked by our plugin in the agent's own environment.

Only the language model is a script. Both frameworks follow the same plans, and their records must be the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.plugin.runs import SERVERS, WALMART, Run, run_pytest
from tests.servers.agent_plans import CEO, ENDLESS, LEADER, NO_TOOL, QUERY, STATUS, STUMBLES, WRONG_MODE

from .environments import environment

FRAMEWORKS = {"pydantic-ai": "pydantic_agent:ask", "langchain": "langchain_agent:ask"}
STEPS = [
    {"tool": "get_server_status"},
    {"tool": "query_graph_tool", "args": {"query": CEO}, "args_match": "superset"},
]
"""As the server calls its tools; both agents know them by longer names."""
SUITE: dict[str, Any] = {
    "target": {"prices": {"scripted-1": {"input": 2, "output": 10, "cached": 0.5}}},
    "gate": {"max_errors": 1, "budget": {"cost_usd": 0.03}},
    "scenarios": [
        {"id": "ceo", "question": CEO, "expect": {"steps": STEPS, "budget": {"cost_usd": 0.0071}}},
        {"id": "dear", "question": CEO, "expect": {"names": ["Doug McMillon"], "budget": {"cost_usd": 0.007}}},
        {"id": "leader", "question": LEADER, "expect": {"names": ["Judith McKenna"], "tools": {"max_errors": 0}}},
        {"id": "stumbles", "question": STUMBLES, "expect": {"tools": {"max_errors": 1}}},
        {"id": "wrong_mode", "question": WRONG_MODE, "expect": {"contains": "unknown mode"}},
        {"id": "no_tool", "question": NO_TOOL, "expect": {"tools": {"required": ["query_graph_tool"]}}},
        {"id": "endless", "question": ENDLESS, "expect": {"contains": "never"}},
    ],
}
Calls = list[tuple[str, dict[str, Any], str]]
CEO_CALLS: Calls = [(STATUS, {}, "success"), (QUERY, {"query": CEO, "mode": "kg"}, "success")]
# id -> status, requests to the model, calls
EXPECTED: dict[str, tuple[str, int, Calls | None]] = {
    "ceo": ("PASS", 3, CEO_CALLS),
    "leader": (
        "PASS", 2, [(QUERY, {"query": LEADER, "mode": "hybrid"}, "success"), (QUERY, {"query": CEO}, "success")],
    ),
    "stumbles": (
        "FAIL", 4,
        [(QUERY, {"q": CEO}, "error"), ("entity_search", {"query": CEO}, "error"), (QUERY, {"query": CEO}, "success")],
    ),
    "wrong_mode": ("PASS", 2, [(QUERY, {"query": CEO, "mode": "mix"}, "success")]),  # the tool says so in its output
    "no_tool": ("FAIL", 1, []),
    "endless": ("ERROR", 0, None),
    "dear": ("FAIL", 3, CEO_CALLS),
}  # fmt: skip


@pytest.fixture(scope="module")
def graph_url() -> Iterator[str]:
    """The address of the served Walmart graph."""
    command = [sys.executable, "-m", "pytest_graph_eval.cli", "serve", "--http", "0"]
    extraction = WALMART / "walmart_extraction.json"
    process = subprocess.Popen([*command, str(extraction)], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    yield process.stderr.readline().split()[-1]
    process.kill()
    process.communicate()


@pytest.fixture(scope="module", params=FRAMEWORKS)
def run(request: pytest.FixtureRequest, graph_url: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One run of all scenarios in the environment of a framework."""
    python = environment(request.param)
    folder = tmp_path_factory.mktemp("agent")
    suite = {**SUITE, "target": {**SUITE["target"], "call": FRAMEWORKS[request.param]}}
    (folder / "s.graph.yaml").write_text(json.dumps(suite), encoding="utf-8")
    return run_pytest(folder, python=python, PYTHONPATH=str(SERVERS), GRAPH_URL=graph_url)


def test_the_trajectory_of_an_agent_is_on_its_record(run: Run) -> None:
    found = {
        record["id"]: None
        if record["tool_calls"] is None
        else [(call["name"], call["args"], call["status"]) for call in record["tool_calls"]]
        for record in run.records
    }
    assert found == {id_: calls for id_, (_, _, calls) in EXPECTED.items()}
    assert {record["id"]: record["status"] for record in run.records} == {id_: e[0] for id_, e in EXPECTED.items()}


def test_the_trajectory_is_judged_by_the_names_that_the_server_gives_its_tools(run: Run) -> None:
    ceo = run.record("ceo")
    assert [(c["kind"], c["outcome"]) for c in ceo["checks"]] == [("steps", "pass"), ("budget", "pass")]
    assert ceo["scores"]["steps_score"] == 1.0
    assert [c["outcome"] for c in run.record("leader")["checks"]] == ["pass", "pass"]
    (errors,) = run.record("stumbles")["checks"]
    assert (errors["kind"], errors["outcome"]) == ("tools", "fail")
    assert errors["message"] == f"tools: 2 calls failed, at most 1 expected (call 1 {QUERY}, call 2 entity_search)"
    (missing,) = run.record("no_tool")["checks"]
    assert missing["message"] == "tools: query_graph_tool must be called; called: nothing"


def test_the_outputs_of_tools_are_on_the_record(run: Run) -> None:
    status, query = (call["output"] for call in run.record("ceo")["tool_calls"])
    status = json.loads(status) if isinstance(status, str) else status  # LangChain hands on the text
    assert (status["entities"], status["overall"]) == (51, "ready")
    assert "Doug McMillon is President and Chief Executive Officer" in json.dumps(query)
    refused, unknown, _ = (call["output"] for call in run.record("stumbles")["tool_calls"])
    assert "Field required" in refused
    assert "entity_search" in unknown
    assert "the modes are kg, hybrid, global" in json.dumps(run.record("wrong_mode")["tool_calls"][0]["output"])


def test_the_usage_of_all_requests_is_added_up_and_priced(run: Run) -> None:
    for id_, (_, requests, _) in EXPECTED.items():
        usage = run.record(id_)["usage"]
        if requests:
            used = {"input_tokens": 1000, "output_tokens": 50, "total_tokens": 1050, "cached_tokens": 100}
            assert {name: value for name, value in usage.items() if name != "cost_usd"} == {
                name: value * requests for name, value in used.items()
            }
            assert usage["cost_usd"] == pytest.approx(0.00235 * requests)
        else:
            assert usage == {}


def test_a_cost_over_the_budget_of_a_scenario_fails_it_with_both_figures(run: Run) -> None:
    names, check = run.record("dear")["checks"]
    assert [names["outcome"], check["kind"], check["outcome"]] == ["pass", "budget", "fail"]
    assert check["message"] == "cost_usd: 0.00705 used, at most 0.007 expected"
    assert run.says(check["message"])


def test_a_cost_over_the_budget_of_the_gate_fails_the_run_with_both_figures(run: Run) -> None:
    (reason,) = (r for r in run.summary["verdict_reasons"] if r["code"] == "over_budget")
    assert reason["level"] == "FAIL"
    assert reason["text"].startswith(
        "budget.cost_usd 0.035 is above the line 0.030, in 6 scenarios; most: stumbles 0.0094"
    )
    assert run.code == 1


def test_an_agent_that_its_framework_stops_is_an_error_that_says_so(run: Run) -> None:
    error = run.record("endless")["error"]
    assert "_agent:ask raised " in error
    assert "limit of 5" in error or "limit of 11" in error
    assert "_agent.py:" in error
