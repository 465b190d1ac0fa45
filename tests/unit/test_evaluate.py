"""What an agent did goes on the record of its scenario, whatever it handed to its tools and got from them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_graph_eval.evaluate import Context, score_scenario
from pytest_graph_eval.pool import Asked
from pytest_graph_eval.records import Record, Response, ToolCall
from pytest_graph_eval.scenario import Scenario

LOOP: list[Any] = []
LOOP.append(LOOP)


def recorded(*calls: ToolCall, **response: Any) -> Record:
    scenario = Scenario(id="a", question="Who owns X?", gold_answer="Bob")
    asked = Asked(response=Response(answer="Bob", tool_calls=list(calls), **response), mode="kg", mode_ran="kg")
    return Record.from_line(score_scenario(scenario, asked, Context()).to_line())


def test_the_trajectory_is_recorded_in_order_with_arguments_outputs_and_status() -> None:
    first = ToolCall(id="1", name="mcp__graph__query", args={"q": "X", "k": 3}, output={"rows": [1, None]})
    second = ToolCall(name="stop", status="error", output="no such tool", execution_timestamp="2026-05-30T00:00:00Z")
    assert recorded(first, second).tool_calls == [
        {"id": "1", "name": "mcp__graph__query", "args": {"q": "X", "k": 3}, "status": "success",
         "output": {"rows": [1, None]}},
        {"name": "stop", "args": {}, "status": "error", "output": "no such tool",
         "execution_timestamp": "2026-05-30T00:00:00Z"},
    ]  # fmt: skip


def test_no_calls_are_not_the_same_as_unknown_calls() -> None:
    assert recorded().tool_calls == []
    response = Response(answer="Bob")
    asked = Asked(response=response, mode="kg", mode_ran="kg")
    record = score_scenario(Scenario(id="a", question="Q?", gold_answer="Bob"), asked, Context())
    assert record.tool_calls is None


@pytest.mark.parametrize("value", ["x" * 5000, {"rows": ["x" * 5000]}])
def test_long_texts_are_cut(value: Any) -> None:
    (call,) = recorded(ToolCall(name="f", args={"long": value, "short": [1]}, output=value)).tool_calls or ()
    for text in (call["args"]["long"], call["output"]):
        assert len(text) == 2003
        assert text.endswith("x...")
    assert call["args"]["short"] == [1]
    assert len(json.dumps(call)) < 5000


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        (b"\xff", r"b'\xff'"), (LOOP, "[[...]]"), (float("nan"), None), ({1, 2}, [1, 2]), ("\ud800", "\ud800"),
        (ValueError("x"), "ValueError('x')"),
    ],
)  # fmt: skip
def test_what_is_no_json_is_shown_as_far_as_it_can_be(output: Any, shown: Any) -> None:
    (call,) = recorded(ToolCall(name="f", output=output)).tool_calls or ()
    assert call["output"] == shown
