"""Chat messages of OpenAI, LangChain and pydantic-ai as a `Response`: answer, tool calls with their results, usage.

Each message becomes a few events of one vocabulary (asked, said, call, result, used); what they add up to is the same
for all three. Names of tools stay as the agent's host calls them; `steps.same_tool` compares them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_graph_eval.models.records import Response, ToolCall, Usage
from pytest_graph_eval.models.settings import ResponseMap
from pytest_graph_eval.targets.reply.items import read_tool_call, read_usage
from pytest_graph_eval.targets.reply.paths import PathError, described, find

REQUESTED = "requested"
"""The status of a tool call whose result is not among the messages."""

_ROLES = {
    **dict.fromkeys(("user", "human", "HumanMessageChunk"), "user"),
    **dict.fromkeys(("assistant", "ai", "AIMessageChunk"), "assistant"),
    **dict.fromkeys(("tool", "function", "ToolMessageChunk"), "tool"),
    **dict.fromkeys(("system", "developer", "SystemMessageChunk"), "other"),
}
"""What OpenAI calls a `role` and LangChain a `type`, by what the author of the message is."""

_OUTPUT_TOOL = "final_result"
"""How pydantic-ai calls the tool through which a model gives its structured answer; no tool of the agent."""

_RULES = ResponseMap.model_construct(usage_fields={"cost_usd": "cost_usd|cost", "model": "model"})
_USAGE = "usage|usage_metadata|response_metadata.token_usage|response_metadata.usage"
_MODEL = "model_name|model|response_metadata.model_name|response_metadata.model"
_COUNTS = ("input_tokens", "output_tokens", "total_tokens", "cached_tokens", "cost_usd")


@dataclass(frozen=True, slots=True)
class _Event:
    """One thing that happened, in the order of the messages."""

    kind: Literal["asked", "said", "call", "result", "used"]
    value: Any


def message_list(value: Any) -> list[Any] | None:
    """Return the messages that `value` is, or that an agent's state holds; None where it is neither.

    A state has `messages`, and keys of the agent's own beside it, but none of a `Response`.
    """
    if isinstance(value, Mapping) and "messages" in value and not Response.model_fields.keys() & value.keys():
        value = value["messages"]
    return value if isinstance(value, list) and value and _reader(value[0]) is not None else None


def read_messages(value: Any, question: str = "") -> Response:
    """Return what a list of messages, or one of them, says.

    Only what follows the question counts: a list may begin with earlier turns of a conversation. The answer is the last
    text of the agent that neither a tool's result nor a user follows. Where no call of a list was made, `tool_calls` is
    empty; a lone message without the key does not tell.

    Args:
        value: as data (`plain.plain_data`), or a lone message.
        question: the question that was asked; unknown where empty, so that all messages count.

    Raises:
        PathError: it is no list of messages; the message says which item, what was found and expected.
    """
    is_lone = isinstance(value, Mapping)
    messages = [value] if is_lone else value
    if not isinstance(messages, list):
        raise PathError(f"messages is {described(value)}; a list of messages is expected")
    story = _Story()
    for event in _after(question, list(_events(messages))):
        story.add(event)
    tells = story.calls or not is_lone or "tool_calls" in value or "parts" in value
    return Response(answer=story.answer, tool_calls=story.calls if tells else None, usage=_total(story.used))


def _events(messages: Sequence[Any]) -> Iterator[_Event]:
    for number, message in enumerate(messages):
        read = _reader(message)
        if read is None:
            roles = ", ".join(role for role in _ROLES if role.islower())
            raise PathError(
                f"messages[{number}] is {_shown(message)}; a message with a `role` or `type` ({roles}), or with `kind` "
                "and `parts`, is expected"
            )
        yield from read(_unwrapped(message))


def _shown(message: Any) -> str:
    role = message.get("role") or message.get("type") if isinstance(message, Mapping) else None
    return f"of the role {role!r}" if isinstance(role, str) else described(message)


def _unwrapped(message: Any) -> Any:
    """Return a message out of what LangChain puts around it when it writes a list to a file."""
    for key in ("data", "kwargs"):
        inner = message.get(key) if isinstance(message, Mapping) else None
        if isinstance(inner, Mapping) and "type" in message and "content" in inner:
            return {"type": message["type"], **inner}
    return message


def _reader(message: Any) -> Callable[[Mapping[str, Any]], Iterator[_Event]] | None:
    """Return what reads a message of this form, None where it is no message."""
    message = _unwrapped(message)
    if not isinstance(message, Mapping):
        return None
    if isinstance(message.get("parts"), list) and message.get("kind") in ("request", "response"):
        return _of_parts
    role = message.get("role") or message.get("type")
    return _BY_ROLE[_ROLES[role]] if isinstance(role, str) and role in _ROLES else None


def _of_user(message: Mapping[str, Any]) -> Iterator[_Event]:
    yield _Event("asked", _text(message.get("content")) or "")


def _of_assistant(message: Mapping[str, Any]) -> Iterator[_Event]:
    text = _text(message.get("content"))
    if text is None:
        text = _text(message.get("refusal"))
    if text is not None:
        yield _Event("said", text)
    for call in message.get("tool_calls") or ():
        yield _Event("call", call)
    for call in message.get("invalid_tool_calls") or ():
        yield _Event("call", {**call, "error": call.get("error") or "the arguments are no JSON"})
    yield _Event("used", _used(message))


def _of_tool(message: Mapping[str, Any]) -> Iterator[_Event]:
    text = _text(message.get("content"))
    yield _Event("result", {**message, "output": message.get("content") if text is None else text})


def _of_parts(message: Mapping[str, Any]) -> Iterator[_Event]:
    """Read a message of pydantic-ai."""
    texts = [str(part.get("content") or "") for part in message["parts"] if part.get("part_kind") == "text"]
    if texts:
        yield _Event("said", "".join(texts))
    for part in message["parts"]:
        kind, name = str(part.get("part_kind")), str(part.get("tool_name") or "")
        if kind == "user-prompt":
            yield _Event("asked", _text(part.get("content")) or "")
        elif kind.endswith("tool-call") and name.startswith(_OUTPUT_TOOL):
            answer = part.get("args")
            yield _Event("said", answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))
        elif kind.endswith("tool-call"):
            yield _Event("call", {key: part.get(key) for key in ("tool_name", "args", "tool_call_id")})
        elif (kind.endswith("tool-return") or kind == "retry-prompt") and name and not name.startswith(_OUTPUT_TOOL):
            outcome = part.get("outcome") or ("error" if kind == "retry-prompt" else "success")
            status = "success" if outcome == "success" else "error"
            yield _Event("result", {**part, "name": name, "output": part.get("content"), "status": status})
    if message["kind"] == "response":
        yield _Event("used", _used(message))


def _nothing(_: Mapping[str, Any]) -> Iterator[_Event]:
    return iter(())


_BY_ROLE: dict[str, Callable[[Mapping[str, Any]], Iterator[_Event]]] = {
    "user": _of_user,
    "assistant": _of_assistant,
    "tool": _of_tool,
    "other": _nothing,
}


def _text(content: Any) -> str | None:
    """Return the text of a message's content: itself, or the texts among its parts; None where there is none."""
    if isinstance(content, str) or content is None:
        return content
    parts = content if isinstance(content, list) else [content]
    texts = [part if isinstance(part, str) else part.get("text") for part in parts if isinstance(part, str | Mapping)]
    found = [text for text in texts if isinstance(text, str)]
    return "".join(found) if found or content == [] else None


def _used(message: Mapping[str, Any]) -> Usage | None:
    """Return what one call of a model used; a call takes tokens, so that zeros mean that nothing was counted."""
    value = find(message, _USAGE)
    if not isinstance(value, Mapping):
        return None
    usage = read_usage(value, _RULES)
    model = find(message, _MODEL)
    if isinstance(model, str) and model:
        usage.model = model
    return usage if usage.input_tokens or usage.output_tokens or usage.total_tokens else None


def _after(question: str, events: Sequence[_Event]) -> Sequence[_Event]:
    """Return the events after the last message that asks `question`, all where none does."""
    asked = _folded(question)
    if not asked:
        return events
    found = [n for n, event in enumerate(events) if event.kind == "asked" and asked in _folded(event.value)]
    return events[found[-1] + 1 :] if found else events


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


@dataclass(slots=True)
class _Story:
    """What the events so far add up to."""

    answer: str | None = None
    calls: list[ToolCall] = field(default_factory=list)
    used: list[Usage | None] = field(default_factory=list)

    def add(self, event: _Event) -> None:
        match event.kind:
            case "asked":
                self.answer = None
            case "said":
                self.answer = event.value or self.answer or event.value
            case "call":
                call = read_tool_call(event.value, f"messages: tool call {len(self.calls) + 1}", _RULES)
                is_over = call.status == "error" or call.output is not None
                self.calls.append(call if is_over else call.model_copy(update={"status": REQUESTED}))
            case "result":
                self.answer = None
                self._take(event.value)
            case "used":
                self.used.append(event.value)

    def _take(self, result: Mapping[str, Any]) -> None:
        """Put a tool's result to its call: by id, else by name, else to the first that waits for one."""
        id_, name = result.get("tool_call_id"), result.get("name")
        waiting = [call for call in self.calls if call.status == REQUESTED]
        by_id = [call for call in waiting if id_ and call.id == id_]
        by_name = [call for call in waiting if not id_ and name in (None, call.name)]
        call = next(iter([*by_id, *by_name]), None)
        if call is None:
            if any(id_ and c.id == id_ for c in self.calls):
                return  # the call was refused before it was made; what came back repeats that
            if not isinstance(name, str) or not name:
                raise PathError(f"messages: the result of tool call {id_!r} has no call among the messages")
            call = ToolCall(id=id_, name=name)
            self.calls.append(call)
        failed = result.get("status") in ("error", "failed") or result.get("is_error") is True
        call.status, call.output = "error" if failed else "success", result.get("output")
        call.execution_timestamp = result.get("timestamp")


def _total(used: Sequence[Usage | None]) -> Usage | None:
    """Add up what the calls of models used; a sum with an unknown part is unknown."""
    known = [usage for usage in used if usage is not None]
    if not known:
        return None
    models = list(dict.fromkeys(usage.model if usage else None for usage in used))
    total = _sum(used)
    if len(models) == 1:
        return total.model_copy(update={"model": models[0]})
    parts = [_sum([u for u in used if (u.model if u else None) == m]).model_copy(update={"model": m}) for m in models]
    return total.model_copy(update={"by_model": parts})


def _sum(used: Iterable[Usage | None]) -> Usage:
    columns: dict[str, list[Any]] = {name: [getattr(usage, name, None) for usage in used] for name in _COUNTS}
    return Usage(**{name: None if None in column else sum(column) for name, column in columns.items()})
