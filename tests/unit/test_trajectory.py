"""What came of each reference step: which call serves it, or why the nearest one does not."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.metrics.trajectory import judge_calls, settled
from pytest_graph_eval.metrics.trajectory.alignment import Alignment, align
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.records import Check, Response, ToolCall
from tests.unit.query_results import iri, select

A, B = iri("urn:a"), iri("urn:b")


def call(text: str) -> ToolCall:
    """Return a call written `tool`, `tool x` (one argument q), `tool x !error`."""
    rest, _, status = text.partition(" !")
    tool, _, q = rest.partition(" ")
    output = "no such graph" if status == "error" else None
    return ToolCall(name=tool, args={"q": q} if q else {}, status=status or "success", output=output)


def step(text: str) -> dict[str, Any]:
    tool, _, q = text.partition(" ")
    return {"tool": tool, **({"args": {"q": q}} if q else {})}


def aligned(groups: list[list[str]], calls: list[str], **expect: Any) -> Alignment:
    steps = [[step(text) for text in group] for group in groups]
    return align(Expect.model_validate({"steps": steps, **expect}), [call(text) for text in calls])


def served(found: Alignment) -> list[list[int | None]]:
    return [[one.call for one in group] for group in found.outcomes]


def judged(expect: dict[str, Any], calls: list[ToolCall] | None) -> list[Check]:
    return judge_calls(Expect.model_validate(expect), Response(tool_calls=calls)).checks


@pytest.mark.parametrize(
    ("groups", "calls", "expect", "score"),
    [
        ([["a"], ["b"]], ["a", "b"], {}, 1.0),
        ([["a"], ["b"]], ["x", "a", "x", "b", "x"], {}, 1.0),
        ([["a"], ["b"]], ["b", "a"], {}, 0.5),
        ([["a", "b"]], ["b", "a"], {}, 1.0),
        ([["a"], ["b"], ["c"]], ["a", "b"], {}, 2 / 3),
        ([["a"], ["b"], ["c"]], ["a", "b"], {"steps_mode": "suffix"}, 0.0),
        ([["a"], ["b"], ["c"]], ["a", "b"], {"steps_mode": "last_group"}, 0.0),
        ([["a"], ["b"], ["c"]], ["b", "c"], {"steps_mode": "suffix"}, 2 / 3),
        ([["a"], ["b"], ["c"]], ["c"], {"steps_mode": "last_group"}, 1.0),
        ([["a"], ["b", "c"]], ["a", "b"], {"steps_mode": "suffix"}, 0.25),
        ([["a"], ["b", "c"]], ["a", "b"], {}, 0.75),
        ([["a", "a"]], ["a"], {}, 0.5),
        ([["a"]], [], {}, 0.0),
        ([["a"]], ["a !error"], {}, 0.0),
        ([["a"]], ["a !requested"], {}, 0.0),
        ([["a"]], ["mcp__graph__a"], {}, 1.0),
        ([["a x", "a y"]], ["a y", "a x"], {}, 1.0),
        ([["a"], ["b"]], ["b", "a"], {"trajectory": "any_order"}, 1.0),
        ([["a"], ["b"]], ["b", "x", "a"], {"trajectory": "any_order"}, 1.0),
        ([["a"], ["b"]], ["b", "a"], {"trajectory": "unordered"}, 1.0),
        ([["a"], ["b"]], ["b", "x", "a"], {"trajectory": "unordered"}, 0.0),
        ([["a"], ["b"]], ["a", "b"], {"trajectory": "exact"}, 1.0),
        ([["a"], ["b"]], ["a", "b", "b"], {"trajectory": "exact"}, 0.0),
        ([["a"], ["b"]], ["a", "b !error", "b"], {"trajectory": "exact"}, 1.0),
        ([["a"], ["b"]], ["a"], {"trajectory": "exact"}, 0.5),
        ([["a"], ["b"]], ["b", "a"], {"trajectory": "exact"}, 0.5),
        ([["a"], ["b"]], ["b"], {"trajectory": "subset"}, 1.0),
        ([["a"], ["b"]], [], {"trajectory": "subset"}, 1.0),
        ([["a"], ["b"]], ["b", "x"], {"trajectory": "subset"}, 0.0),
    ],
)
def test_the_score_is_the_mean_over_groups_of_the_mean_over_steps(
    groups: Any, calls: Any, expect: Any, score: float
) -> None:
    assert aligned(groups, calls, **expect).score == pytest.approx(score)


def test_of_equal_calls_the_latest_one_serves_and_each_serves_once() -> None:
    assert served(aligned([["a"]], ["a", "a", "x"])) == [[2]]
    assert served(aligned([["a", "a"]], ["a"])) == [[None, 1]]
    assert served(aligned([["a"], ["a"]], ["a", "a"])) == [[1], [2]]


@pytest.mark.parametrize(
    ("groups", "calls", "expect", "code", "reason"),
    [
        ([["a"]], [], {}, "not_called", "step 1 a: it was never called"),
        ([["a"]], ["b", "c"], {}, "not_called", "step 1 a: it was never called"),
        ([["a x"]], ["a y"], {}, "args_mismatch", 'step 1 a: call 1: argument q: "x" expected, "y" found'),
        ([["a x"]], ["a y", "b x"], {}, "args_mismatch", 'step 1 a: call 1: argument q: "x" expected, "y" found'),
        ([["a"]], ["a !error"], {}, "step_errored", "step 1 a: call 1: it ended in an error: no such graph"),
        ([["a"]], ["a !requested"], {}, "not_finished", 'step 1 a: call 1: its status is "requested", not success'),
        ([["a x"]], ["a y", "a x !error"], {}, "step_errored", "step 1 a: call 2: it ended in an error: no such graph"),
        ([["b"], ["a"]], ["a", "b"], {}, "order",
         "step 1 b: call 2: it fits, but is out of order: groups come one after another"),
        ([["a", "a"]], ["a"], {}, "taken", "step 1.1 a: call 1: it fits, but serves step 1.2"),
        ([["a"], ["b"]], ["a"], {"steps_mode": "suffix"}, "suffix",
         "step 1 a: call 1: it fits, but a later group is incomplete, where `steps_mode: suffix` stops"),
    ],
)  # fmt: skip
def test_the_nearest_call_says_why_it_does_not_serve(
    groups: Any, calls: Any, expect: Any, code: str, reason: str
) -> None:
    first = aligned(groups, calls, **expect).unmet[0]
    assert (first.code, str(first)) == (code, reason)


def test_a_call_that_serves_no_step_is_nearer_than_one_that_does() -> None:
    (outcome,) = aligned([["a x", "a x"]], ["a x", "a y"]).unmet
    assert (outcome.nearest, outcome.code) == (2, "args_mismatch")


def test_steps_before_the_last_group_do_not_count_where_only_the_last_does() -> None:
    found = aligned([["a"], ["b"]], ["a", "b"], steps_mode="last_group")
    assert found.unmet == []
    assert found.outcomes[0][0].code == "last_group"


def test_missing_calls_extra_calls_and_calls_out_of_order_are_told_apart() -> None:
    found = aligned([["a"], ["b"], ["c"]], ["x", "b", "a", "y !error"])
    assert [(one.tool, one.code) for one in found.unmet] == [("a", "order"), ("c", "not_called")]
    assert found.extra == [0]


@pytest.mark.parametrize(
    ("output", "status", "text"),
    [
        ({"isError": True, "structuredContent": {"rows": 2}, "content": [{"type": "text", "text": "offline"}]},
         "error", "offline"),
        ({"isError": False, "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
         "success", "a\nb"),
        ({"structuredContent": {"rows": 2}, "content": []}, "success", {"rows": 2}),
        ({"isError": True, "content": [None, {"text": 3}]}, "error", ""),
        ({"content": [1]}, "success", {"content": [1]}),
        ({"isError": True}, "success", {"isError": True}),
        ("text", "success", "text"),
    ],
)  # fmt: skip
def test_raw_results_of_mcp_are_opened(output: Any, status: str, text: Any) -> None:
    (found,) = settled(Response(tool_calls=[ToolCall(name="a", output=output)])).tool_calls or ()
    assert (found.status, found.output) == (status, text)


def test_a_response_without_raw_results_stays_the_same() -> None:
    for response in (Response(), Response(tool_calls=[]), Response(tool_calls=[call("a"), call("b x")])):
        assert settled(response) is response


# --- checks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("groups", "calls", "expect", "outcome", "rule", "message"),
    [
        ([["a"]], ["a"], {}, "pass", "served", "steps: score 1, at least 1 expected"),
        ([["a"], ["b"]], ["a"], {}, "fail", "not_called",
         "steps: score 0.5, at least 1 expected; step 2 b: it was never called"),
        ([["a"], ["b"]], ["a"], {"scores": {"steps_score": 0.5}}, "pass", "served",
         "steps: score 0.5, at least 0.5 expected"),
        ([["a"], ["b"], ["c"]], ["a"], {"scores": {"steps_score": 0.5}}, "fail", "not_called",
         "steps: score 0.333, at least 0.5 expected; step 2 b: it was never called; step 3 c: it was never called"),
        ([["a"]], ["a", "x", "y"], {"trajectory": "exact"}, "fail", "extra_calls",
         "steps: score 0, at least 1 expected; beyond the steps: call 2 x, call 3 y"),
        ([["a"], ["b x"]], ["b y"], {}, "fail", "args_mismatch",
         'step 1 a: it was never called; step 2 b: call 1: argument q: "x" expected, "y" found'),
        ([["a"]] * 7, [], {}, "fail", "not_called", "; and 2 more"),
    ],
)  # fmt: skip
def test_the_check_says_what_is_missing_and_what_is_too_much(
    groups: Any, calls: Any, expect: Any, outcome: str, rule: str, message: str
) -> None:
    steps = {"steps": [[step(text) for text in group] for group in groups], **expect}
    (check,) = judged(steps, [call(text) for text in calls])
    assert (check.kind, check.outcome, check.rule) == ("steps", outcome, rule)
    assert check.message.endswith(message)


def test_what_the_target_does_not_report_is_an_error_and_nothing_called_is_a_failure() -> None:
    expect = {"steps": "a", "tools": {"required": "a"}}
    assert [(c.kind, c.outcome, c.rule) for c in judged(expect, None)] == [
        ("steps", "error", "no_trace"), ("tools", "error", "no_trace"),
    ]  # fmt: skip
    assert judged(expect, None)[0].message == (
        "steps: the target reports no tool calls; map `tool_calls` or `messages` in `response:`"
    )
    assert [(c.kind, c.outcome) for c in judged(expect, [])] == [("steps", "fail"), ("tools", "fail")]
    scores = judge_calls(Expect.model_validate(expect), Response()).scores
    assert {(s.value, s.reason) for s in scores.values()} == {(None, "the target reports no tool calls")}


@pytest.mark.parametrize(
    ("tools", "calls", "outcome", "message"),
    [
        ({"required": "a"}, ["b", "mcp__x__a"], "pass", "tools: a must be called; call 2 mcp__x__a"),
        ({"required": "a"}, ["b", "c", "b"], "fail", "tools: a must be called; called: b, c"),
        ({"required": "a"}, [], "fail", "tools: a must be called; called: nothing"),
        ({"required": "a"}, ["a !error", "a !requested"], "fail",
         "tools: a must be called; it was called without success (call 1 a, call 2 a)"),
        ({"forbidden": "a"}, ["b"], "pass", "tools: a must not be called; it was not"),
        ({"forbidden": "a"}, [], "pass", "tools: a must not be called; it was not"),
        ({"forbidden": "a"}, ["b", "x.a !error"], "fail", "tools: a must not be called; call 2 x.a"),
        ({"forbidden": "a"}, ["a !requested"], "fail", "tools: a must not be called; call 1 a"),
        ({"forbidden": "a"}, ["graph_a"], "fail",
         "a must not be called; call 1 graph_a (where that is another tool, `tools.required` or `steps` says so)"),
        ({"forbidden": "a"}, ["graph_a", "mcp__x__a"], "fail", "call 1 graph_a, call 2 mcp__x__a"),
        ({"forbidden": "a"}, ["graph_ab", "data", "a_b", "A"], "pass", "tools: a must not be called; it was not"),
        ({"forbidden": "a"}, ["a"] * 7, "fail", "call 5 a and 2 more"),
        ({"max_calls": 2}, ["a", "b !error"], "pass", "tools: 2 calls, at most 2 expected"),
        ({"max_calls": 1}, ["a", "b !error"], "fail", "tools: 2 calls, at most 1 expected"),
        ({"max_calls": 0}, [], "pass", "tools: 0 calls, at most 0 expected"),
        ({"max_errors": 0}, ["a", "b !requested"], "pass", "tools: 0 calls failed, at most 0 expected"),
        ({"max_errors": 0}, ["a !error"], "fail", "tools: 1 call failed, at most 0 expected (call 1 a)"),
        ({"max_calls": 0}, ["a"], "fail", "tools: 1 call, at most 0 expected"),
        ({"max_errors": 0}, ["a !error", "b !timeout"], "fail",
         "tools: 2 calls failed, at most 0 expected (call 1 a, call 2 b)"),
    ],
)  # fmt: skip
def test_rules_on_tools_look_at_all_calls(tools: Any, calls: list[str], outcome: str, message: str) -> None:
    (check,) = judged({"tools": tools}, [call(text) for text in calls])
    assert (check.kind, check.outcome) == ("tools", outcome)
    assert check.message.endswith(message)
    assert check.expected == {check.rule: next(iter(tools.values())) if "max" in check.rule else "a"}


def test_a_forbidden_tool_fails_where_the_suite_writes_the_prefix() -> None:
    (check,) = judged({"tools": {"forbidden": "mcp__graph__delete_graph"}}, [call("delete_graph")])
    assert check.outcome == "fail"


@pytest.mark.parametrize("where", [{"tools": {"required": "graph_a"}}, {"steps": ["graph_a"]}])
def test_a_longer_name_that_the_scenario_expects_is_another_tool(where: Any) -> None:
    expect = {**where, "tools": {**where.get("tools", {}), "forbidden": "a"}}
    for found, outcome in (["mcp__x__graph_a"], "pass"), (["graph_a", "x_a"], "fail"), (["graph_a", "a"], "fail"):
        check = next(c for c in judged(expect, [call(text) for text in found]) if c.rule == "forbidden")
        assert check.outcome == outcome, found


def test_each_rule_is_a_check_of_its_own() -> None:
    rules = {"required": ["a", "b"], "forbidden": ["c"], "max_calls": 3, "max_errors": 0}
    found = [f"{c.rule} {c.outcome}" for c in judged({"tools": rules}, [call("a")])]
    assert found == ["required pass", "required fail", "forbidden pass", "max_calls pass", "max_errors pass"]


# --- scores ---------------------------------------------------------------------------------------------------------


def measured(groups: list[list[str]], calls: list[str]) -> dict[str, float | None]:
    steps = [[step(text) for text in group] for group in groups]
    response = Response(tool_calls=[call(text) for text in calls])
    return {n: s.value for n, s in judge_calls(Expect.model_validate({"steps": steps}), response).scores.items()}


def test_precision_recall_and_f1_of_the_calls() -> None:
    found = measured([["a"], ["b"]], ["a", "x", "y !error", "z"])
    assert found == {"steps_score": 0.5, "call_precision": 0.25, "call_recall": 0.5, "call_f1": pytest.approx(1 / 3)}
    assert measured([["a"]], ["a"]) == dict.fromkeys(("steps_score", "call_precision", "call_recall", "call_f1"), 1.0)
    assert measured([["a"]], []) == {"steps_score": 0.0, "call_precision": None, "call_recall": 0.0, "call_f1": 0.0}


def test_without_reference_steps_there_is_no_score() -> None:
    assert judge_calls(Expect.model_validate({"tools": {"max_calls": 1}}), Response(tool_calls=[])).scores == {}
    assert judge_calls(Expect.model_validate({"names": "x"}), Response()) == ([], {}, {})


def test_the_record_keeps_the_way_of_each_step() -> None:
    steps = [[step("a x")], [step("b"), step("c")]]
    response = Response(tool_calls=[call("a y"), call("x"), call("c")])
    assert judge_calls(Expect.model_validate({"steps": steps}), response).steps == {
        "score": 0.25,
        "groups": [
            {"score": 0.0, "steps": [
                {"tool": "a", "score": 0.0, "call": None, "nearest": 1, "code": "args_mismatch",
                 "reason": 'call 1: argument q: "x" expected, "y" found'}]},
            {"score": 0.5, "steps": [
                {"tool": "b", "score": 0.0, "call": None, "code": "not_called", "reason": "it was never called"},
                {"tool": "c", "score": 1.0, "call": 3}]},
        ],
        "extra": [{"call": 1, "tool": "a"}, {"call": 2, "tool": "x"}],
    }  # fmt: skip


def test_the_record_keeps_how_near_a_result_was() -> None:
    steps = [{"tool": "retrieval", "output": ["a", "b"]}, {"tool": "sparql_query", "output": select(["x"], A, B)}]
    found = [ToolCall(name="retrieval", output=["a"]), ToolCall(name="sparql_query", output=select(["x"], A))]
    groups = judge_calls(Expect.model_validate({"steps": steps}), Response(tool_calls=found)).steps["groups"]
    assert [group["steps"][0]["measures"]["recall"] for group in groups] == [0.5, 0.5]
    assert [group["steps"][0]["score"] for group in groups] == [0.5, 0.0]
