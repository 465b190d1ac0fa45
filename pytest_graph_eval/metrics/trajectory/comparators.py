"""Which comparator judges the output of a reference step, and the door to all of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pytest_graph_eval.metrics.trajectory.comparison import Compare, Comparison
from pytest_graph_eval.metrics.trajectory.graphs import FORMATS
from pytest_graph_eval.metrics.trajectory.ids import compare_ids
from pytest_graph_eval.metrics.trajectory.outputs import compare_json, compare_text
from pytest_graph_eval.metrics.trajectory.series import compare_data_points, compare_time_series
from pytest_graph_eval.metrics.trajectory.sparql import compare_iri, compare_sparql
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Comparator, Step, same_tool

SPARQL_JSON = "application/sparql-results+json"

_MEDIA_TYPES: Mapping[str, Comparator] = {
    SPARQL_JSON: "sparql",
    **dict.fromkeys(FORMATS, "sparql"),
    "application/json": "json",
    "text/plain": "text",
}
_TOOLS: Mapping[str, Comparator] = {
    "sparql_query": "sparql",
    "iri_discovery": "iri",
    "autocomplete_search": "iri",
    "retrieval": "ids",
    "retrieve_time_series": "time_series",
    "retrieve_data_points": "data_points",
}
"""Tools that are known by name."""


def _fits(_: Step, __: ToolCall) -> Comparison:
    """Ask nothing of the output: the arguments were compared before."""
    return Comparison(1.0)


_COMPARATORS: Mapping[Comparator, Compare] = {
    "sparql": compare_sparql,
    "iri": compare_iri,
    "ids": compare_ids,
    "time_series": compare_time_series,
    "data_points": compare_data_points,
    "json": compare_json,
    "text": compare_text,
    "args": _fits,
}


def chosen(step: Step) -> Comparator:
    """Return the comparator of a step: its `compare`, else by its media type, else by its tool, else by its output."""
    if step.compare is not None:
        return step.compare
    by_type = _MEDIA_TYPES.get((step.output_media_type or "").partition(";")[0].strip().lower())
    if by_type is not None:
        return by_type
    by_name = _of_tool(step.tool)
    if by_name is not None and not (by_name == "iri" and _is_data(step.output)):
        return by_name
    return "text" if isinstance(step.output, str) else "json"


@lru_cache(maxsize=1024)
def _of_tool(name: str) -> Comparator | None:
    return next((kind for tool, kind in _TOOLS.items() if same_tool(tool, name)), None)


def _is_data(output: object) -> bool:
    """Tell whether an output is what a search returned, and no IRI that it should have found."""
    return not isinstance(output, str | list) or any(c in "{[" for c in output[:1])


def compare(step: Step, call: ToolCall) -> Comparison:
    """Compare what a call returned with what a step expects, whatever the agent's data hold; nothing is raised.

    Tools, arguments and status are the caller's to compare, but for time series and data points, where the arguments
    are all that counts.
    """
    return _COMPARATORS[chosen(step)](step, call)
