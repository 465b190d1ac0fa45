"""What a tool returned, however it is wrapped: JSON text, decoded data, or the content blocks of MCP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from pytest_graph_eval.metrics.trajectory.args import shown
from pytest_graph_eval.metrics.trajectory.comparison import Comparison
from pytest_graph_eval.metrics.trajectory.numbers import same_scalar
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step

NOTHING_EXPECTED = Comparison(
    0.0, "the reference step has no output to compare with; give it an `output:`", "nothing_expected", is_error=True
)


_BLOCKS = ("text", "image", "audio", "resource", "resource_link")


def unwrapped(output: Any) -> Any:
    """Return an output without what MCP and its frameworks put around it; a text stays a text."""
    if isinstance(output, str):
        return output
    if isinstance(output, Mapping) and output.get("structuredContent") is not None:
        output = output["structuredContent"]
    if isinstance(output, Mapping) and list(output) == ["result"] and not isinstance(output["result"], Mapping):
        output = output["result"]
    if isinstance(output, bytes):
        return output.decode("utf-8", "replace")
    blocks = output.get("content") if isinstance(output, Mapping) else output
    if isinstance(blocks, list | tuple) and all(map(_is_block, blocks)):
        texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
        return "\n".join(texts) if texts else output
    return output


def _is_block(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("type") in _BLOCKS


def decoded(output: Any) -> Any:
    """Return the data that an output holds; a text that is no JSON stays a text.

    JSON that is itself a text of a JSON object or list is read once more, as servers write it that encode twice.
    """
    value = unwrapped(output)
    for again in (False, True):
        if not isinstance(value, str) or (again and not value.lstrip().startswith(("{", "["))):
            break
        try:
            value = unwrapped(read_json(value))
        except ValueError:
            break
    return value


def read_json(text: str) -> Any:
    """Return the value of a JSON text, read by the fast parser where that takes it.

    Raises:
        ValueError: it is no JSON, or nested too deeply.
    """
    text = text.removeprefix("\ufeff")
    try:
        return from_json(text)
    except ValueError:  # lone surrogates, deep nesting: the standard library reads more
        try:
            return json.loads(text)
        except RecursionError:
            raise ValueError("nested too deeply") from None


def compare_text(step: Step, call: ToolCall) -> Comparison:
    """Compare texts character by character; outputs that are no texts are compared as data."""
    if step.output is None:
        return NOTHING_EXPECTED
    expected, found = unwrapped(step.output), unwrapped(call.output)
    if is_same(expected, found):
        return Comparison(1.0)
    return Comparison(0.0, f"output {shown(expected)} expected, {shown(found)} found", "text_differs")


def compare_json(step: Step, call: ToolCall) -> Comparison:
    """Compare JSON values: the order of keys does not count, that of lists does, and true is no 1."""
    if step.output is None:
        return NOTHING_EXPECTED
    expected, found = decoded(step.output), decoded(call.output)
    if _is_broken(step.output, expected):
        reason = f"the reference output is no JSON: {shown(expected)}; correct it, or `compare: text`"
        return Comparison(0.0, reason, "not_json", is_error=True)
    if _is_broken(call.output, found):
        return Comparison(0.0, f"the output is no JSON: {shown(found)}", "not_json")
    difference = _first_difference(expected, found)
    if difference is None:
        return Comparison(1.0)
    path, one, other = difference
    return Comparison(0.0, f"output ${path}: {one} expected, {other} found", "json_differs")


def _is_broken(output: Any, value: Any) -> bool:
    """Tell whether a text was given that could not be read as JSON."""
    text = unwrapped(output)
    if not isinstance(text, str):
        return False
    try:
        read_json(text)
    except ValueError:
        return isinstance(value, str)
    return False


def is_same(one: Any, other: Any) -> bool:
    """Tell whether two values are equal as JSON; numbers by value, and true is no 1."""
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    return _first_difference(one, other) is None


def scalar_text(value: Any) -> str:
    """Return a value as JSON text that is the same for equal values (10 and 10.0)."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return shown(value, longest=10_000)


def _first_difference(expected: Any, found: Any) -> tuple[str, str, str] | None:
    """Return path, expected and found value where two JSON values first differ; None where they are equal."""
    stack = [("", expected, found)]
    seen = set()
    while stack:
        path, one, other = stack.pop()
        if isinstance(one, Mapping | list | tuple):
            if (id(one), id(other)) in seen:  # data that holds itself
                continue
            seen.add((id(one), id(other)))
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            if lone := next((key for key in [*one, *other] if (key in one) != (key in other)), None):
                sides = (shown(side[lone]) if lone in side else "nothing" for side in (one, other))
                return (f"{path}.{lone}", *sides)  # type: ignore[return-value]
            stack += [(f"{path}.{key}", one[key], other[key]) for key in reversed(one)]
        elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
            if len(one) != len(other):
                return path, f"{len(one)} items", f"{len(other)}"
            stack += [(f"{path}[{i}]", one[i], other[i]) for i in range(len(one) - 1, -1, -1)]
        elif not same_scalar(one, other):
            return path, shown(one), shown(other)
    return None
