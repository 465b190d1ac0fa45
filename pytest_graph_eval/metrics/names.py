"""The names of all metrics, in one place: what a suite may name in `metrics`, `expect.scores` and `gate.metrics`."""

from __future__ import annotations

import re

__all__ = ["AT_K", "BY_NAME", "COMPOSED", "is_by_name", "is_metric", "metric_names"]

COMPOSED = ("context_relevancy", "faithfulness", "answer_correctness", "precision", "facts")
"""The ancestor's four, and the share of fact checks."""

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
    return name in COMPOSED or is_by_name(name)


def metric_names(cutoff: str = "k") -> list[str]:
    """Return all names, with `cutoff` where one belongs."""
    return [*COMPOSED, *BY_NAME, *(f"{name}@{cutoff}" for name in AT_K)]
