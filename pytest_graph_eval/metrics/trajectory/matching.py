"""One reference step against one tool call: the tool, how the call ended, its arguments, its output."""

from __future__ import annotations

from typing import Any

from pytest_graph_eval.metrics.trajectory.args import args_difference, shown
from pytest_graph_eval.metrics.trajectory.comparators import chosen, compare
from pytest_graph_eval.metrics.trajectory.comparison import Comparison
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import ArgsMatch, Step, same_tool

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
