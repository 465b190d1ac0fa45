"""One step against one call: what has to fit, and who compares it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.metrics.trajectory.alignment import align
from pytest_graph_eval.metrics.trajectory.matching import OTHER_TOOL, match
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step

FOUND = '{"head": {"vars": ["iri"]}, "results": {"bindings": [{"iri": {"type": "uri", "value": "urn:x"}}]}}'
POINTS = {"external_id": "e", "start": "60m-ago"}


@pytest.mark.parametrize(
    ("step", "call", "score", "code"),
    [
        ({"tool": "a"}, {"name": "a", "output": "anything"}, 1, ""),
        ({"tool": "a"}, {"name": "b"}, 0, "other_tool"),
        ({"tool": "a", "args": {"q": 1}}, {"name": "a", "args": {"q": 1}, "output": "anything"}, 1, ""),
        ({"tool": "a", "output": "x"}, {"name": "a", "args": {"q": 1}, "output": "x"}, 1, ""),
        ({"tool": "a", "output": "x"}, {"name": "a", "output": "y"}, 0, "text_differs"),
        ({"tool": "a", "output": "x"}, {"name": "a"}, 0, "text_differs"),
        ({"tool": "a", "args": {"q": 1}, "output": "x"}, {"name": "a", "args": {"q": 2}, "output": "x"}, 0,
         "args_mismatch"),
        ({"tool": "a", "args": {"q": 1}, "output": "x"}, {"name": "a", "args": {"q": 1}, "output": "y"}, 0,
         "text_differs"),
        ({"tool": "a", "args": {"q": 1}, "args_match": "ignore", "output": "x"}, {"name": "a", "output": "x"}, 1, ""),
        ({"tool": "a", "args": {"q": 1}, "output": "x", "compare": "args"},
         {"name": "a", "args": {"q": 1}, "output": "y"}, 1, ""),
        ({"tool": "a", "output": {"n": 1}}, {"name": "a", "output": '{"n": 1.0}'}, 1, ""),
        ({"tool": "a", "any_tool": True, "output": "x"}, {"name": "b", "output": "x"}, 1, ""),
        ({"tool": "iri_discovery", "output": "urn:x"}, {"name": "mcp__g__autocomplete_search", "output": FOUND}, 1, ""),
        ({"tool": "iri_discovery", "output": "urn:x"}, {"name": "sparql_query", "output": FOUND}, 1, ""),
        ({"tool": "iri_discovery", "output": "urn:x"}, {"name": "search", "output": FOUND}, 0, "other_tool"),
        ({"tool": "retrieve_data_points", "args": POINTS},
         {"name": "retrieve_data_points", "args": {**POINTS, "start": "1h-ago"},
          "execution_timestamp": "2026-05-30T12:00:00Z"}, 1, ""),
        ({"tool": "retrieve_data_points", "args": POINTS, "args_match": "exact"},
         {"name": "retrieve_data_points", "args": {**POINTS, "start": "1h-ago"},
          "execution_timestamp": "2026-05-30T12:00:00Z"}, 0, "args_mismatch"),
        ({"tool": "read", "args": POINTS, "compare": "data_points"}, {"name": "read", "args": POINTS}, 1, ""),
        ({"tool": "retrieve_time_series"}, {"name": "retrieve_time_series", "args": {"mrid": "m"}}, 1, ""),
        ({"tool": "retrieval", "output": [{"id": "d1"}, {"id": "d2"}]},
         {"name": "retrieval", "output": [{"id": "d1"}, {"id": "d9"}]}, 0.5, None),
    ],
)  # fmt: skip
def test_a_call_serves_a_step_by_tool_arguments_and_output(
    step: dict[str, Any], call: dict[str, Any], score: float, code: str | None
) -> None:
    found = match(Step.model_validate(step), ToolCall.model_validate(call))
    assert found.score == score
    assert code is None or found.code == code
    assert found is OTHER_TOOL or found.score == 1 or found.reason


@pytest.mark.parametrize(
    ("status", "output", "code", "reason"),
    [
        ("error", "offline", "step_errored", "it ended in an error: offline"),
        ("error", None, "step_errored", "it ended in an error"),
        ("error", {"why": [1]}, "step_errored", 'it ended in an error: {"why": [1]}'),
        ("error", "x" * 500, "step_errored", f"it ended in an error: {'x' * 200}"),
        ("requested", None, "not_finished", 'its status is "requested", not success'),
        ("", None, "not_finished", 'its status is "", not success'),
    ],
)
def test_a_call_without_success_serves_nothing(status: str, output: Any, code: str, reason: str) -> None:
    found = match(Step(tool="a"), ToolCall(name="a", status=status, output=output))
    assert (found.score, found.code, found.reason) == (0, code, reason)


@pytest.mark.parametrize(
    ("compare", "step", "score"),
    [
        (None, {"tool": "a", "output": '{"a": 1, "b": 2}'}, 0.0),
        ("json", {"tool": "a", "output": '{"a": 1, "b": 2}'}, 1.0),
        ("json", {"tool": "a", "output": '{"a": 1, "b": 2}', "compare": "text"}, 0.0),
        ("json", {"tool": "a"}, 1.0),
        ("args", {"tool": "a", "output": "something else"}, 1.0),
    ],
)
def test_the_default_comparator_is_for_steps_with_an_output_and_without_their_own(
    compare: Any, step: Any, score: float
) -> None:
    expect = Expect.model_validate({"steps": step, **({"compare": compare} if compare else {})})
    assert align(expect, [ToolCall(name="a", output='{"b": 2, "a": 1}')]).score == score


def test_a_partial_match_says_by_how_much_and_what_is_missing() -> None:
    expect = Expect.model_validate({"steps": {"tool": "retrieval", "output": [{"id": "d1"}, {"id": "d2"}]}})
    found = align(expect, [ToolCall(name="retrieval", output=[{"id": "d1"}])])
    assert found.score == 0.5
    assert str(found.unmet[0]).startswith("step 1 retrieval: call 1 serves it by 0.5: ")
    assert "d2" in str(found.unmet[0])
