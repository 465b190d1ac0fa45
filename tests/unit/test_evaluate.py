"""What an agent did goes on the record of its scenario, whatever it handed to its tools and got from them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_graph_eval.evaluation.asking import Asked
from pytest_graph_eval.evaluation.evaluate import Context, score_scenario
from pytest_graph_eval.models.records import Record, Response, ToolCall
from pytest_graph_eval.models.scenario import Scenario

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


def test_a_key_fact_keeps_which_way_it_goes() -> None:
    scenario = Scenario(id="a", question="How did it go?", gold_answer="Bob")
    answer = "Sales fell by 4.2%, and profit rose by 3.1%."
    asked = Asked(response=Response(answer=answer), mode="kg", mode_ran="kg")
    assert score_scenario(scenario, asked, Context()).key_facts == ["-4.2%", "3.1%"]


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


# --- steps and tools --------------------------------------------------------------------------------------------------


def scored(expect: dict[str, Any], calls: list[ToolCall] | None, **more: Any) -> Record:
    response = {key: more.pop(key) for key in ("answer", "chunks") if key in more}
    scenario = Scenario.model_validate({"id": "a", "question": "Q?", "expect": expect, **more})
    asked = Asked(response=Response(tool_calls=calls, **response), mode="kg", mode_ran="kg")
    return Record.from_line(score_scenario(scenario, asked, Context()).to_line())


def test_an_agent_that_reports_only_tool_calls_is_judged_by_them() -> None:
    steps = {"steps": ["search"]}
    assert scored(steps, [ToolCall(name="search")]).status == "PASS"
    assert scored(steps, [ToolCall(name="query")]).status == "FAIL"
    assert scored(steps, []).status == "FAIL"
    assert scored({"tools": {"forbidden": "drop"}}, []).status == "PASS"


def test_where_nothing_is_checked_in_the_calls_they_are_no_evidence() -> None:
    assert scored({"names": "Bob"}, [ToolCall(name="search")]).status == "INCONCLUSIVE"
    assert scored({"steps": ["search"]}, None).status == "INCONCLUSIVE"


def test_calls_that_are_not_reported_make_an_error_and_no_score() -> None:
    record = scored({"steps": ["search"], "names": "Bob"}, None, answer="Bob")
    assert record.status == "ERROR"
    assert record.error == "steps: the target reports no tool calls; map `tool_calls` or `messages` in `response:`"
    assert {*record.scores.values()} == {None}


def test_a_reference_that_nothing_can_be_compared_with_is_an_error_of_the_suite() -> None:
    step = {"tool": "sparql_query", "output": '{"head": {"vars": ["n"]}, "results": {"bindings": []}}'}
    record = scored({"steps": [step]}, [ToolCall(name="sparql_query", output=step["output"])], answer="x")
    assert record.status == "ERROR"
    assert "expect_empty: true" in str(record.error)
    assert scored({"steps": [{**step, "expect_empty": True}]}, [ToolCall(name="sparql_query", output=step["output"])],
                  answer="x").status == "PASS"  # fmt: skip


def test_the_steps_score_is_in_the_mean_and_its_own_line_decides() -> None:
    calls = [ToolCall(name="search"), ToolCall(name="query", status="error")]
    record = scored({"steps": ["search", "query"], "names": "Bob"}, calls, answer="Bob")
    assert (record.scores["steps_score"], record.scores["facts"], record.mean) == (0.5, 1.0, 0.75)
    assert (record.scores["call_precision"], record.scores["call_recall"]) == (0.5, 0.5)
    assert record.reason == "1 of 2 checks failed (steps)"
    assert record.explain["steps_score"].startswith("1 of 2 steps served by 2 calls; step 2 query: call 2: it ended in")
    assert scored({"steps": ["search", "query"], "scores": {"steps_score": 0.5}}, calls).status == "PASS"
    low = scored({"steps": ["search", "query"], "scores": {"steps_score": 0.6, "call_recall": 0.6}}, calls)
    assert low.reason == "1 of 1 checks failed (steps); steps_score 0.50 is below 0.6; call_recall 0.50 is below 0.6"


def test_metrics_of_calls_without_reference_steps_are_unscored() -> None:
    record = scored({"names": "Bob"}, [ToolCall(name="search")], answer="Bob", metrics=["facts", "call_f1"])
    assert record.scores["call_f1"] is None
    assert record.explain["call_f1"] == "no reference steps"
    assert "call_recall" not in record.scores


def test_calls_are_counted_by_tool_whether_or_not_steps_are_expected() -> None:
    empty = '{"head": {"vars": ["n"]}, "results": {"bindings": []}}'
    broken = {"isError": True, "content": [{"type": "text", "text": "offline"}]}
    calls = [ToolCall(name="q", output=empty), ToolCall(name="q", output="x"), ToolCall(name="s", output=broken)]
    assert scored({"names": "Bob"}, calls, answer="Bob").steps == {
        "total": {"q": 2, "s": 1}, "once_per_sample": {"q": 1, "s": 1}, "errors": {"s": 1}, "empty_results": {"q": 1}
    }  # fmt: skip
    steps = scored({"steps": ["q"]}, calls).steps
    assert (steps["score"], steps["total"], steps["extra"]) == (1.0, {"q": 2, "s": 1}, [{"call": 1, "tool": "q"}])
    assert scored({"names": "Bob"}, None, answer="Bob").steps == {}
