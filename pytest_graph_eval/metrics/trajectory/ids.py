"""Retrieval by ids: which of the expected documents a call found, as sets."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from pytest_graph_eval.metrics.trajectory.args import shown
from pytest_graph_eval.metrics.trajectory.comparison import Comparison
from pytest_graph_eval.metrics.trajectory.numbers import is_number
from pytest_graph_eval.metrics.trajectory.outputs import NOTHING_EXPECTED, decoded, scalar_text
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step
from pytest_graph_eval.texts import listed

DEFAULT_K = 10


def recall_at_k(relevant: Iterable[Hashable], retrieved: Sequence[Hashable], k: int = DEFAULT_K) -> float:
    """Return the share of the relevant ids among the first `k` retrieved, of as many as `k` can hold.

    0.0 where nothing is relevant: then nothing could be found.
    """
    wanted = set(relevant)
    most = min(len(wanted), k)
    return len(wanted & set(retrieved[:k])) / most if most > 0 else 0.0


def average_precision(relevant: Iterable[Hashable], retrieved: Iterable[Hashable]) -> float:
    """Return the mean of the precision at each rank that finds a relevant id; repeated ids count once."""
    wanted = set(relevant)
    hits, total = 0, 0.0
    for rank, item in enumerate(dict.fromkeys(retrieved), 1):
        if item in wanted:
            hits += 1
            total += hits / rank
    return total / len(wanted) if wanted else 0.0


def f1(precision: float | None, recall: float | None) -> float | None:
    """Return the harmonic mean of both; None where one is not known."""
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def compare_ids(step: Step, call: ToolCall) -> Comparison:
    """Score recall@k on ids; `k` is the step's, else the call's argument, else as many as it takes."""
    if step.output is None and not step.expect_empty:
        return NOTHING_EXPECTED
    expected, found = _ids([] if step.output is None else step.output), _ids(call.output)
    if expected is None or not all(expected):
        reason = f"the reference output is no list of ids, or of objects with `id`: {shown(step.output)}"
        return Comparison(0.0, reason, "not_ids", is_error=True)
    if found is None:
        return Comparison(
            0.0, f"the output is no list of ids, or of objects with `id`: {shown(call.output)}", "not_ids"
        )
    if not expected:
        return _nothing_relevant(step, found)
    k = _cutoff(step, call, max(len(found), len(expected)))
    recall = recall_at_k(expected, found, k)
    distinct = list(dict.fromkeys(item for item in found[:k] if item is not None))
    precision = len(set(expected) & set(distinct)) / len(distinct) if distinct else 0.0
    measures = {"recall": recall, "precision": precision, "f1": f1(precision, recall) or 0.0,
                "average_precision": average_precision(expected, found)}  # fmt: skip
    if recall == 1.0:
        return Comparison(1.0, measures=measures)
    top = set(found[:k])
    missing = [str(item) for item in dict.fromkeys(expected) if item not in top]
    reason = f"{len(missing)} of {len(set(expected))} expected ids not among the first {k}: {listed(missing, 5)}"
    return Comparison(recall, reason, "ids_missing", measures=measures)


def _nothing_relevant(step: Step, found: list[str | None]) -> Comparison:
    if not step.expect_empty:
        reason = "the reference lists no ids, so nothing can be found; `expect_empty: true` if none should be"
        return Comparison(0.0, reason, "empty_reference", is_error=True)
    if not found:
        return Comparison(1.0)
    return Comparison(0.0, f"nothing should be retrieved, {len(found)} items were", "not_empty")


def _cutoff(step: Step, call: ToolCall, otherwise: int) -> int:
    asked = call.args.get("k")
    if step.k is not None:
        return step.k
    if isinstance(asked, str) and asked.isdecimal() and len(asked) < 10:
        return int(asked)
    return asked if isinstance(asked, int) and is_number(asked) and asked >= 0 else otherwise


def _ids(output: Any) -> list[str | None] | None:
    """Return the ids as JSON text, so that 1 and "1" differ; None for an item without one, or where no list came."""
    items = output if _have_ids(output) else decoded(output)
    if isinstance(items, Mapping):
        lists = [value for value in items.values() if isinstance(value, list)]
        items = lists[0] if len(lists) == 1 else None
    return [_id(item) for item in items] if isinstance(items, list | tuple) else None


def _have_ids(output: Any) -> bool:
    """Tell documents with a `type` and a `text` from the content blocks of MCP, which have no ids."""
    return isinstance(output, list) and all(isinstance(item, Mapping) and "id" in item for item in output)


def _id(item: Any) -> str | None:
    value = item.get("id") if isinstance(item, Mapping) else item
    return scalar_text(value) if isinstance(value, str) or is_number(value) else None
