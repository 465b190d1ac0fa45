"""Whether an agent made the tool calls that it should, with the results that they should have."""

from pytest_graph_eval.metrics.trajectory.calls import count_calls, settled
from pytest_graph_eval.metrics.trajectory.checks import Judged, judge_calls

__all__ = ["Judged", "count_calls", "judge_calls", "settled"]
