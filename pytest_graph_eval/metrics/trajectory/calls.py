"""Counts what an agent called: calls by tool, failed ones, and those that came back without a row."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["count_calls", "has_no_rows"]

_NO_ROWS = re.compile(r'"bindings"\s*:\s*\[\s*\]')


def count_calls(calls: Iterable[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """Return how often each tool was called: `total`, `errors`, `empty_results`, and `once_per_sample` (1 each).

    Args:
        calls: of one question, as a record holds them.
    """
    counts: dict[str, Counter[str]] = {
        name: Counter() for name in ("total", "once_per_sample", "empty_results", "errors")
    }
    for call in calls:
        tool = str(call.get("name"))
        counts["total"][tool] += 1
        counts["once_per_sample"][tool] = 1
        if call.get("status") == "error":
            counts["errors"][tool] += 1
        elif has_no_rows(call.get("output")):
            counts["empty_results"][tool] += 1
    return counts


def has_no_rows(output: Any) -> bool:
    """Tell whether the output of a call is the result of a SPARQL query (as JSON, or decoded) that found nothing."""
    if isinstance(output, str):
        if not _NO_ROWS.search(output):
            return False
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return False
    results = output.get("results") if isinstance(output, Mapping) else None
    return isinstance(results, Mapping) and results.get("bindings") == []
