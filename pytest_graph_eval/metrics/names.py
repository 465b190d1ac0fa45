"""The names of all metrics, in one place: what a suite may name in `metrics`, `expect.scores` and `gate.metrics`."""

from __future__ import annotations

from pytest_graph_eval import lazy_re as re

COMPOSED = ("context_relevancy", "faithfulness", "answer_correctness", "precision", "facts", "steps_score")
"""The ancestor's four, the share of fact checks, and how far the reference steps were followed."""

CALLS = ("call_precision", "call_recall", "call_f1")
"""Standard measures of the tool calls against the reference steps."""

BY_NAME = ("entity_recall", "entity_precision", "relationship_recall", "RR", "AP")
"""Standard retrieval measures without a cutoff."""

AT_K = ("chunk_recall", "chunk_precision", "precision", "hit_rate", "nDCG")
"""Standard retrieval measures with a cutoff, written `chunk_recall@5`."""

_AT_K = re.compile(rf"(?:{'|'.join(AT_K)})@[1-9][0-9]{{0,5}}")


def is_by_name(name: str) -> bool:
    """Tell whether this is a standard retrieval measure, with or without a cutoff."""
    return name in BY_NAME or _AT_K.fullmatch(name) is not None


def is_metric(name: str) -> bool:
    """Tell whether there is a metric of this name."""
    return name in COMPOSED or name in CALLS or is_by_name(name)


def metric_names(cutoff: str = "k") -> list[str]:
    """Return all names, with `cutoff` where one belongs."""
    return [*COMPOSED, *CALLS, *BY_NAME, *(f"{name}@{cutoff}" for name in AT_K)]
