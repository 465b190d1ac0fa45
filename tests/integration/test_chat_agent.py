"""A chat agent behind OpenAI's protocol: what it used becomes a cost, and a cost over the budget turns a run red."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.plugin.runs import Run, run_pytest
from tests.servers.chat_endpoint import MODEL, ChatEndpoint, Message

KEY = "chat-key-4711"
QUESTION = "Who is the CEO of Walmart?"
SYSTEM = "Answer from the graph, please. " * 200
SUITE: dict[str, Any] = {
    "target": {
        "preset": "openai-chat",
        "url": "${CHAT_URL}/chat/completions",
        "headers": {"Authorization": "Bearer ${CHAT_KEY}"},
        "json": {
            "model": "scripted-1",
            "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "{question}"}],
        },
        "prices": {"scripted-1": {"input": 2.5, "cached": 1.25, "output": 10}},
    },
    "gate": {"pass_rate": None, "max_inconclusive": None, "budget": {"cost_usd": 0.003}},
    "scenarios": [
        {"id": "cheap", "question": QUESTION, "expect": {"names": ["Doug McMillon"], "budget": {"cost_usd": 0.0014}}},
        {"id": "dear", "question": QUESTION, "expect": {"names": ["Doug McMillon"], "budget": {"cost_usd": 0.0013}}},
        {"id": "asks_for_a_tool", "question": "Which tool?", "expect": {"names": ["Doug McMillon"]}},
    ],
}
COST = 0.001305  # six words ask at 2.5, a thousand of the system message are cached at 1.25, four answer at 10
CALL = {"id": "c1", "type": "function", "function": {"name": "graph-query", "arguments": '{"q": "CEO"}'}}


def play(messages: list[Message]) -> str | Message:
    if messages[-1]["content"] == QUESTION:
        return "Doug McMillon leads Walmart."
    return {"role": "assistant", "content": None, "tool_calls": [CALL]}


@pytest.fixture(scope="module")
def model() -> Iterator[ChatEndpoint]:
    endpoint = ChatEndpoint(play)
    yield endpoint
    endpoint.close()


@pytest.fixture(scope="module")
def run(model: ChatEndpoint, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("chat")
    (folder / "s.graph.yaml").write_text(json.dumps(SUITE), encoding="utf-8")
    return run_pytest(folder, CHAT_URL=model.url, CHAT_KEY=KEY)


def test_the_question_goes_out_in_the_messages_of_the_suite(run: Run, model: ChatEndpoint) -> None:
    assert model.requests[0] == {
        "model": "scripted-1",
        "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": QUESTION}],
    }
    assert run.record("cheap")["answer"] == "Doug McMillon leads Walmart."


def test_usage_becomes_a_cost_by_the_price_of_the_model_without_its_date(run: Run) -> None:
    assert MODEL == "scripted-1-2026-05-30"
    assert run.record("cheap")["usage"] == {
        "input_tokens": 1006, "output_tokens": 4, "total_tokens": 1010, "cached_tokens": 1000,
        "cost_usd": pytest.approx(COST),
    }  # fmt: skip


def test_a_cost_over_the_budget_fails_the_scenario_with_both_figures(run: Run) -> None:
    assert {r["id"]: r["status"] for r in run.records}["cheap"] == "PASS"
    dear = run.record("dear")
    assert (dear["status"], dear["outcome"]) == ("FAIL", "failed")
    assert run.says("cost_usd: 0.001305 used, at most 0.0013 expected")


def test_costs_over_the_budget_of_the_gate_fail_the_run_with_both_figures(run: Run) -> None:
    (reason,) = (r for r in run.summary["verdict_reasons"] if r["code"] == "over_budget")
    assert reason["level"] == "FAIL"
    assert reason["text"].startswith("budget.cost_usd 0.0039 is above the line 0.0030, in 3 scenarios; most: ")
    assert run.summary["threshold_result"] == "FAIL"
    assert run.says("budget.cost_usd 0.0039 is above the line 0.0030")


def test_a_tool_that_the_model_asks_for_is_on_the_record_and_is_no_answer(run: Run) -> None:
    record = run.record("asks_for_a_tool")
    assert (record["status"], record["answer"]) == ("INCONCLUSIVE", None)
    assert record["tool_calls"] == [{"id": "c1", "name": "graph-query", "args": {"q": "CEO"}, "status": "requested"}]


def test_the_key_is_sent_and_written_nowhere(run: Run, model: ChatEndpoint) -> None:
    assert set(model.keys) == {f"Bearer {KEY}"}
    written = [path.read_text(encoding="utf-8") for path in (run.folder / "results").iterdir()]
    assert not [text for text in (*written, run.out, run.err) if KEY in text]
