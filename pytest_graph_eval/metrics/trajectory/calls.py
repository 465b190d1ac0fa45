"""Reads what an agent called: counts by tool, of failed calls and of those without a row; raw MCP results opened."""

from __future__ import annotations

import json
import operator
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_graph_eval.models.records import Response, ToolCall

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
