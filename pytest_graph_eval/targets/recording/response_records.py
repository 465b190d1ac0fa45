"""Reads graphrag-eval's response records (a JSON mapping by question, a JSON list, or JSON lines) as a recording."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_graph_eval.models.records import Response, ToolCall
from pytest_graph_eval.models.settings import ResponseMap
from pytest_graph_eval.targets.recording.lines import Line
from pytest_graph_eval.targets.reply.items import read_tool_call
from pytest_graph_eval.targets.reply.paths import PathError, described

TOKENS = ("input_tokens", "output_tokens", "total_tokens")
UNREADABLE = "unreadable"
"""Flag of a record: a figure (`unreadable:input_tokens`) or a step of its response record is not what it should be."""
OTHER_ID = "other_question_id"
"""Flag of a record: its response record stands under this question's id and names another one."""

_NATIVE = ResponseMap.model_construct()
_OURS = {"id", "response", "error", "target", "status"}
"""Keys of a line of a recording of ours, one of which is there."""


def read_response_records(text: str) -> list[Line] | None:
    """Return a line for each response record, in the order of the file; None where the text is not in this form.

    A record that cannot be read is the line of an error: it costs its own question and no other.

    Raises:
        ValueError: the text begins in this form and is no JSON; the message says where.
    """
    items = response_records(text)
    return None if items is None else [read_record(record, key, place) for place, key, record in items]


def response_records(text: str) -> list[tuple[str, str, Any]] | None:
    """Return where each record stands, the id of its question, and the record as it is written; None as above.

    Raises:
        ValueError: as for `read_response_records`.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return list(_lines(text)) or None
    if isinstance(data, list):
        return [(f"[{index}]", _own_id(record), record) for index, record in enumerate(data)]
    if isinstance(data, Mapping) and "question_id" in data:
        return [("the record", _own_id(data), data)]
    if isinstance(data, Mapping) and not _OURS & data.keys():
        return [(f"[{key!r}]", key, record) for key, record in data.items()]
    return None


def _lines(text: str) -> Iterator[tuple[str, str, Any]]:
    first = True
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as e:
            if first:
                return
            raise ValueError(f"line {number}: {e}") from None
        if first and not (isinstance(record, Mapping) and "question_id" in record):
            return
        first = False
        yield f"line {number}", _own_id(record), record


def _own_id(record: Any) -> str:
    own = record.get("question_id") if isinstance(record, Mapping) else None
    return str(own) if isinstance(own, str | int) and not isinstance(own, bool) else ""


def read_record(record: Any, key: str, place: str) -> Line:
    """Return the line of a response record.

    Args:
        record: the record; keys that the form does not name are left alone.
        key: the id of the question that it is for.
        place: what messages call it.
    """
    if not isinstance(record, Mapping) or not key:
        return Line(key, 1, f"{place} is {described(record)}; a response record with `question_id` is expected")
    steps = record.get("actual_steps")
    if steps is not None and not isinstance(steps, list):
        return Line(key, 1, f"{place}: actual_steps is {described(steps)}; a list of steps is expected")
    flags = [f"{OTHER_ID}:{own}"] if (own := _own_id(record)) not in ("", key) else []
    error = record.get("error")
    response = Response(
        answer=_text(record.get("actual_answer")),
        tool_calls=[_tool_call(step, index, flags) for index, step in enumerate(steps or ())],
        usage=_figures(record, flags) or None,
        status="success" if error is None else "error",
        error=_text(error),
        elapsed_s=_figure(record, "elapsed_sec", flags),
    )
    return Line(key, 1, response, flags=tuple(flags))


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _figures(record: Mapping[str, Any], flags: list[str]) -> Any:
    found = {name: _figure(record, name, flags) for name in TOKENS}
    return {name: value for name, value in found.items() if value is not None}


def _figure(record: Mapping[str, Any], name: str, flags: list[str]) -> Any:
    """Return a figure of a record; what is none is not taken for 0, and told."""
    value = record.get(name)
    kinds = int | float if name == "elapsed_sec" else int
    if value is None or (isinstance(value, kinds) and not isinstance(value, bool) and 0 <= value < float("inf")):
        return value
    flags.append(f"{UNREADABLE}:{name}")
    return None


def _tool_call(step: Any, index: int, flags: list[str]) -> ToolCall:
    """Return a step; one that cannot be read is a failed call without a name, which matches nothing."""
    where = f"actual_steps[{index}]"
    try:
        if isinstance(step, Mapping) and isinstance(step.get("id"), int | float):
            step = {**step, "id": str(step["id"])}
        if isinstance(step, Mapping) and step.get("output") is None and step.get("status") == "error":
            step = {**step, "output": step.get("error")}
        return read_tool_call(step, where, _NATIVE)
    except PathError as e:
        flags.append(f"{UNREADABLE}:{where}")
        return ToolCall(name="", status="error", output=f"the step cannot be read: {e}")
