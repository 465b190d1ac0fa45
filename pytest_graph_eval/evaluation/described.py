"""What came back from a target, as a record shows it: named, counted and cut to a bearable length. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from pytest_graph_eval.metrics.trajectory import count_calls
from pytest_graph_eval.models.records import Record, Response, ToolCall, json_text
from pytest_graph_eval.models.steps import same_tool

if TYPE_CHECKING:
    from pytest_graph_eval.evaluation.asking import Asked

_LONGEST = 2_000
"""Characters of an argument or output of a tool call in a record."""
_LONGEST_CONTEXT = 8_000
_MOST_CONTEXTS = 50


def describe(record: Record, response: Response, asked: Asked, *, keeps_contexts: bool) -> None:
    """Put what came back on the record: ids and names of what was retrieved, the answer, what it cost.

    Args:
        record: is changed.
        response: what is scored.
        asked: what was asked, with the counts of the raw reply.
        keeps_contexts: the retrieved texts as well, for reports and judges.
    """
    record.answer, record.intent, record.as_of = response.answer, response.intent, response.as_of
    lists = {
        "entities": None if response.entities is None else [e.name for e in response.entities],
        "relationships": None
        if response.relationships is None
        else [f"{r.source} -{r.type.partition(',')[0]}-> {r.target}" for r in response.relationships],
        "chunks": None if response.chunks is None else [c.id for c in response.chunks],
        "names": response.names,
    }
    record.retrieved = {kind: names for kind, names in lists.items() if names is not None}
    record.retrieved_entities_count = asked.entities_found
    record.retrieved_chunks_count = None if response.chunks is None else len(response.chunks)
    record.tool_calls = None if response.tool_calls is None else [_shown_call(c) for c in response.tool_calls]
    if record.tool_calls:
        record.steps = {kind: dict(counts) for kind, counts in count_calls(record.tool_calls).items() if counts}
    usage = response.usage
    record.contexts = _contexts(response) if keeps_contexts else None
    record.usage = usage.model_dump(exclude_none=True, exclude={"model", "by_model"}) if usage else {}


def _shown_call(call: ToolCall) -> dict[str, Any]:
    """Return a tool call for the record; a long argument or output is cut, and a text then."""
    data = {name: value for name, value in call.__dict__.items() if value is not None and name != "output"}
    data["args"] = {name: bounded(value) for name, value in call.args.items()}
    return data | ({"output": bounded(call.output)} if call.output is not None else {})


def _contexts(response: Response) -> list[str] | None:
    """Return the texts of the chunks, else those that calls of `retrieval` returned; None where neither is reported."""
    if response.chunks is not None:
        texts = [chunk.content for chunk in response.chunks]
    elif response.tool_calls is not None:
        from pytest_graph_eval.metrics.judge.cases import RETRIEVAL, retrieved_texts

        outputs = [call.output for call in response.tool_calls if same_tool(RETRIEVAL, call.name)]
        texts = [text for output in outputs for text in retrieved_texts(output)]
    else:
        return None
    return [text[:_LONGEST_CONTEXT] for text in texts if text.strip()][:_MOST_CONTEXTS]


def bounded(value: Any, longest: int = _LONGEST) -> Any:
    """Return JSON-like data, of models what is set, or the beginning of its text beyond `longest` characters."""
    if value is None or isinstance(value, bool | int) or (isinstance(value, str) and len(value) <= longest):
        return value
    try:
        value = to_jsonable_python(value, fallback=repr, exclude_none=True)
    except ValueError:  # bytes that are no text, data that holds itself
        value = repr(value)
    text = value if isinstance(value, str) else json_text(value)
    return value if len(text) <= longest else f"{text[:longest]}..."
