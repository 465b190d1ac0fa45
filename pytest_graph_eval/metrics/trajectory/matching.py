"""One reference step against one tool call: the tool, how the call ended, its arguments, its output."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from pytest_graph_eval.metrics.trajectory.args import args_difference, shown
from pytest_graph_eval.metrics.trajectory.comparators import chosen, compare
from pytest_graph_eval.metrics.trajectory.comparison import Comparison
from pytest_graph_eval.records import Response, ToolCall
from pytest_graph_eval.steps import ArgsMatch, Step, same_tool

__all__ = ["OTHER_TOOL", "match", "settled"]

OTHER_TOOL = Comparison(0.0, code="other_tool")
_FITS = Comparison(1.0)

_STANDS_FOR = {"iri_discovery": ("autocomplete_search", "sparql_query")}
"""Names of steps that are no tools: what an agent may find the IRI with."""

_COMPARE_ARGS = ("time_series", "data_points")
"""Comparators that look at the arguments, and at nothing else."""


def match(step: Step, call: ToolCall) -> Comparison:
    """Return how well a call serves a step; whatever the call holds, nothing is raised.

    The codes of what does not: `other_tool`, `step_errored`, `not_finished`, `args_mismatch`, and those of the
    comparators.
    """
    if not (step.any_tool or same_tool(step.tool, call.name) or _stands_for(step.tool, call.name)):
        return OTHER_TOOL
    if call.status == "error":
        return Comparison(0.0, f"it ended in an error{_told(call.output)}", "step_errored")
    if call.status != "success":
        return Comparison(0.0, f"its status is {shown(call.status)}, not success", "not_finished")
    difference = args_difference(step.args or {}, call.args, _args_match(step), step.wildcards)
    if difference is not None:
        return Comparison(0.0, str(difference), "args_mismatch")
    return compare(step, call) if _has_output(step) else _FITS


def _stands_for(tool: str, found: str) -> bool:
    return tool in _STANDS_FOR and any(same_tool(other, found) for other in _STANDS_FOR[tool])


def _told(output: Any) -> str:
    return "" if output is None else f": {output[:200] if isinstance(output, str) else shown(output)}"


def _compares_args(step: Step) -> bool:
    return chosen(step) in _COMPARE_ARGS


def _args_match(step: Step) -> ArgsMatch:
    if step.args is None:
        return "ignore"
    return step.args_match or ("ignore" if _compares_args(step) else "exact")


def _has_output(step: Step) -> bool:
    """Tell whether the comparator has anything to look at."""
    if step.compare is not None or step.output is not None or step.expect_empty:
        return True
    return step.args is not None and _compares_args(step)


def settled(response: Response) -> Response:
    """Return the response with raw MCP results among the outputs of its calls opened: `isError` is an error."""
    calls = response.tool_calls or []
    opened = [_opened(call) for call in calls]
    is_same = all(map(operator.is_, calls, opened))
    return response if is_same else response.model_copy(update={"tool_calls": opened})


def _opened(call: ToolCall) -> ToolCall:
    result = call.output
    if not isinstance(result, Mapping) or not isinstance(result.get("content"), list):
        return call
    if not isinstance(result.get("isError"), bool) and "structuredContent" not in result:
        return call
    texts = [block.get("text") for block in result["content"] if isinstance(block, Mapping)]
    text = "\n".join(text for text in texts if isinstance(text, str))
    if result.get("isError") is True:
        return call.model_copy(update={"status": "error", "output": text})
    structured = result.get("structuredContent")
    return call.model_copy(update={"output": text if structured is None else structured})
