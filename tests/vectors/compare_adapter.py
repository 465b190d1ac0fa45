"""Translates vectors about the output of one tool call into a reference step and a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pytest_graph_eval.formats import graphrag_eval
from pytest_graph_eval.metrics.trajectory.comparators import compare
from pytest_graph_eval.metrics.trajectory.ids import DEFAULT_K, average_precision, f1, recall_at_k
from pytest_graph_eval.metrics.trajectory.matching import match
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step

_EXACT = ("term", "exact", "strict")
"""What literals compared character by character may be called, too."""


def run_sparql(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Compare two results of a query; repeated rows count, as the cases have it."""
    options = {key: inputs[key] for key in ("ordered", "order_by", "literals") if key in inputs}
    if options.get("literals") in _EXACT:
        options["literals"] = "lexical"
    step = Step(
        tool="sparql_query",
        output=inputs["expected"],
        required_columns=inputs.get("required_vars"),
        ignore_duplicates=False,
        **options,
    )
    found = compare(step, ToolCall(name="sparql_query", output=inputs["actual"]))
    if found.is_error or found.code == "not_a_result":
        return {"verdict": "error", "reason": found.code}
    return {"verdict": "equal" if found.score == 1 else "not_equal", "reason": found.code}


def run_compare(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Score a call with a reference step of graphrag-eval; a step that the reader refuses serves nobody."""
    question = {"id": "q", "question_text": "q", "reference_steps": [[_plain(inputs["reference"])]]}
    read = graphrag_eval.read([{"template_id": "t", "questions": [question]}], lambda _: (1, 1), "vector")
    if read.problems:
        return {"score": 0.0}
    ((step,),) = read.entries[0].scenario.expect.steps or ()
    return {"score": match(step, ToolCall.model_validate(_plain(inputs["actual"]))).score}


def _plain(value: Any) -> Any:
    """Return data with dates in it as the texts that YAML and JSONL hold."""
    if isinstance(value, Mapping):
        marked = next((value[key] for key in ("$date", "$datetime") if key in value), None)
        return marked if marked is not None else {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


MEASURES: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "compare": run_compare,
    "recall_at_k": lambda i: {"value": recall_at_k(i["reference"], i["actual"], i.get("k", DEFAULT_K))},
    "average_precision": lambda i: {"value": average_precision(i["reference"], i["actual"])},
    "f1": lambda i: {"value": f1(i["reference"], i["actual"])},
}
"""What the cases of graphrag-eval call, by the name of the call."""
