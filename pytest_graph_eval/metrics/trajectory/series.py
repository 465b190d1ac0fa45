"""Calls for time series and data points, which are told by their arguments alone."""

from __future__ import annotations

from typing import Any

from pytest_graph_eval.metrics.trajectory.args import shown
from pytest_graph_eval.metrics.trajectory.comparison import Comparison
from pytest_graph_eval.metrics.trajectory.outputs import is_same, scalar_text
from pytest_graph_eval.metrics.trajectory.times import same_granularity, time_difference
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step

_NO_ARGS = Comparison(
    0.0, "the reference step has no arguments, and nothing else is compared; give it `args:`", "nothing_expected",
    is_error=True,
)  # fmt: skip


def compare_time_series(step: Step, call: ToolCall) -> Comparison:
    """Compare `mrid` (in any order) and, where the reference has one or no `mrid`, `limit`."""
    if step.args is None:
        return _NO_ARGS
    expected, found = step.args, call.args
    if _items(expected.get("mrid")) != _items(found.get("mrid")):
        return _differs("mrid", expected.get("mrid"), found.get("mrid"))
    limit = expected.get("limit")
    is_free = limit is None and _items(expected.get("mrid"))
    if not is_free and not is_same(limit, found.get("limit")):
        return _differs("limit", limit, found.get("limit"))
    return Comparison(1.0)


def compare_data_points(step: Step, call: ToolCall) -> Comparison:
    """Compare ids, granularity, aggregates, start, end and limit; relative times by the moment of the call."""
    if step.args is None:
        return _NO_ARGS
    expected, found = step.args, call.args
    if not _items(expected.get("external_id")):
        return Comparison(0.0, "the reference step has no argument external_id", "nothing_expected", is_error=True)
    for name in ("external_id", "aggregates"):
        if _items(expected.get(name)) != _items(found.get(name)):
            return _differs(name, expected.get(name), found.get(name))
    if not same_granularity(expected.get("granularity"), found.get("granularity")):
        return _differs("granularity", expected.get("granularity"), found.get("granularity"))
    for name in ("start", "end"):
        times = expected.get(name), found.get(name)
        if difference := time_difference(*times, call.execution_timestamp, step.tolerance):
            return Comparison(0.0, f"argument {name}: {difference}", "args_mismatch")
    if not is_same(expected.get("limit"), found.get("limit")):
        return _differs("limit", expected.get("limit"), found.get("limit"))
    return Comparison(1.0)


def _differs(name: str, expected: Any, found: Any) -> Comparison:
    reason = f"argument {name}: {shown(expected)} expected, {shown(found)} found"
    return Comparison(0.0, reason, "args_mismatch")


def _items(value: Any) -> list[str]:
    """Return one or many values in a fixed order, as JSON so that 1 and "1" differ; none for an absent one."""
    if value is None or value == "":
        return []
    return sorted(map(scalar_text, value if isinstance(value, list | tuple) else [value]))
