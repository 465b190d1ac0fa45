"""Translates vectors about tool calls into reference steps and a response, and renames what came of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.formats import graphrag_eval
from pytest_graph_eval.metrics.trajectory import judge_calls, settled
from pytest_graph_eval.metrics.trajectory.alignment import align
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.records import Response, ToolCall
from pytest_graph_eval.models.settings import ResponseMap
from pytest_graph_eval.targets.recording.response_records import read_record
from pytest_graph_eval.targets.reply.items import read_tool_call

# a mode of the vectors: what `trajectory` calls it
_MODES = {
    "strict": "exact",
    "superset": "any_order",
    "unordered": "unordered",
    "in_order": "in_order",
    "subset": "subset",
}
_COMPARE = {"sparql_result": "sparql"}


def run_steps(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Judge the calls of a case of answers.json."""
    tools = {"forbidden": inputs["forbidden_calls"]} if inputs.get("forbidden_calls") else None
    groups = [[_step(step, inputs) for step in group] for group in inputs.get("expected_groups") or ()]
    data = {"trajectory": _MODES.get(inputs.get("mode") or "in_order"), "tools": tools}
    try:
        expect = Expect.model_validate({**data, "steps": groups if groups or not tools else None})
    except ValidationError:
        return {"verdict": "error", "reason": "nothing_expected"}
    actual = inputs.get("actual")
    response = settled(Response(tool_calls=None if actual is None else [_call(call) for call in actual]))
    checks, scores, _ = judge_calls(expect, response)
    outcomes = {check.outcome: check.rule for check in reversed(checks)}
    verdict = next(outcome for outcome in ("error", "fail", "pass") if outcome in outcomes)
    score = scores["steps_score"].value if scores else float(verdict == "pass")
    errors = [call.output for call in response.tool_calls or () if call.status == "error"]
    return {
        "verdict": verdict, "score": score, "reason": outcomes[verdict], "error_text": errors[0] if errors else None
    }  # fmt: skip


def _step(step: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return an expected call in our keys."""
    compare, wildcards = step.get("compare"), inputs.get("wildcards")
    wildcards = "*" if wildcards is True else wildcards
    found = {
        "tool": step["name"],
        "args": step.get("args"),
        "args_match": step.get("args_match") or inputs.get("args_match"),
        "wildcards": wildcards if isinstance(wildcards, str) else list(wildcards or ()),
        "output": step.get("output"),
        "compare": _COMPARE.get(compare, compare),
    }
    return {key: value for key, value in found.items() if value is not None}


def _call(call: Mapping[str, Any]) -> ToolCall:
    opened = {"output": call["mcp_result"]} if "mcp_result" in call else {}
    return read_tool_call({**call, **opened}, "call", ResponseMap())


def run_reference_steps(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Hold response records against a question of graphrag-eval, counting groups as its 6.6.1 does."""
    actual = inputs["actual"]
    if isinstance(actual, list):
        return dict(zip(("first", "second"), (_matched(inputs["reference"], one) for one in actual), strict=False))
    return _matched(inputs["reference"], actual)


def _matched(question: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    read = graphrag_eval.read([{"template_id": "t", "questions": [question]}], lambda _: (1, 1), "vector")
    if read.problems:
        raise DataError(problems=read.problems)
    expect = read.entries[0].scenario.expect.model_copy(update={"steps_mode": "suffix"})
    response = read_record(record, str(question["id"]), "the record").content
    if not isinstance(response, Response):
        raise DataError(response)
    calls = response.tool_calls or []
    if not expect.steps:
        return {"matches": [], "steps_score": None}
    found = align(expect, calls)
    ids = [[None if n is None else calls[n].id or str(n) for n in group] for group in found.pairs]
    return {"matches": ids, "steps_score": found.score}
