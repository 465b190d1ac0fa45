"""The items of a reply, each read into our model: entities, relationships, chunks, tool calls, names, usage."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from pytest_graph_eval.models.records import Chunk, Entity, Relationship, ToolCall, Usage
from pytest_graph_eval.models.settings import ResponseMap
from pytest_graph_eval.targets.reply.paths import ABSENT, PathError, described, find

M = TypeVar("M", bound=BaseModel)

FIELDS: dict[str, dict[str, str]] = {
    "entity_fields": {
        "name": "name|entity_name|title|entity",
        "type": "type|entity_type|entityType",
        "description": "description",
    },
    "relationship_fields": {
        "source": "source|src_id|from|source_entity",
        "target": "target|tgt_id|to|target_entity",
        "type": "type|keywords|relationType",
        "description": "description",
    },
    "chunk_fields": {"id": "id|chunk_id", "content": "content|text|page_content"},
    "tool_call_fields": {
        "id": "id|tool_call_id|call_id",
        "name": "name|function.name|tool_name",
        "args": "args|function.arguments|arguments|input",
        "status": "status",
        "error": "error",
        "output": "output|result",
        "execution_timestamp": "execution_timestamp|timestamp",
    },
    "usage_fields": {
        "input_tokens": "input_tokens|prompt_tokens",
        "output_tokens": "output_tokens|completion_tokens",
        "total_tokens": "total_tokens",
        # Only where the cached tokens are counted among the input tokens, as `Usage` wants it.
        "cached_tokens": "cached_tokens|prompt_tokens_details.cached_tokens|input_tokens_details.cached_tokens"
        "|input_token_details.cache_read|cache_read_tokens",
        "cost_usd": "cost_usd",
        "model": "model",
        "by_model": "by_model",
    },
}
"""Where the parts of an item stand unless the suite says otherwise."""


def read_items(name: str, items: list[Any], rules: ResponseMap) -> list[Any]:
    """Read the items of the list `name` of a reply.

    Raises:
        PathError: an item has another shape; the message says which, what was found and expected.
    """
    kept = [(i, item) for i, item in enumerate(items) if not (rules.keep and _is_left_out(item, rules.keep))]
    return [part for i, item in kept for part in LISTS[name](item, f"{name}[{i}]", rules)]


def _is_left_out(item: Any, flag: str) -> bool:
    return isinstance(item, Mapping) and find(item, flag) is False


def read_text(value: Any, where: str, joint: str = ", ") -> str:
    """Return a scalar, or a list of scalars, as text."""
    if isinstance(value, list) and not any(isinstance(v, Mapping | list) for v in value):
        return joint.join(read_text(v, where) for v in value if v is not None)
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise PathError(f"{where} is {described(value)}; a text is expected")


_WANTED = {
    "int": "a whole number",
    "float": "a number",
    "finite_number": "a finite number",
    "string": "a text",
    "dict": "an object",
    "list": "a list",
    "greater_than_equal": "0 or more",
}
"""How pydantic's types of errors begin, and what is expected in their place."""


def read_model(kind: type[M], value: Any, where: str) -> M:
    """Read an object whose fields are those of `kind`."""
    try:
        return kind.model_validate(_object(value, where, "an object"))
    except ValidationError as e:
        first = e.errors(include_url=False)[0]
        place = ".".join([where, *(str(p) for p in first["loc"])])
        found = described(first["input"])
        if first["type"] == "missing":
            key = str(first["loc"][-1])
            raise PathError(f"{where} is {found}; one with the key {key!r} is expected") from None
        wanted = next((words for kind, words in _WANTED.items() if first["type"].startswith(kind)), "")
        if wanted:
            raise PathError(f"{place} is {found}; {wanted} is expected") from None
        raise PathError(f"{place} is {found}: {first['msg']}") from None


def read_usage(value: Any, rules: ResponseMap) -> Usage:
    """Read what a reply says of tokens and cost; OpenAI's and LangChain's names are known besides ours."""
    paths = {**FIELDS["usage_fields"], **rules.usage_fields}
    return read_model(Usage, _present(_object(value, "usage", "an object"), paths), "usage")


def read_tool_call(value: Any, where: str, rules: ResponseMap) -> ToolCall:
    """Read one tool call; OpenAI's and pydantic-ai's names are known besides ours, and arguments as a text of JSON."""
    paths = {**FIELDS["tool_call_fields"], **rules.tool_call_fields}
    fields = _present(_object(value, where, "an object"), paths)
    error = fields.pop("error", None)
    if error and "status" not in fields:
        fields |= {"status": "error", "output": fields.get("output", error)}
    arguments = fields.get("args")
    if isinstance(arguments, str):
        fields["args"], problem = _decoded(arguments)
        if problem:
            fields |= {"status": "error", "output": fields.get("output", problem)}
    return read_model(ToolCall, fields, where)


def _present(item: Mapping[str, Any], paths: Mapping[str, str]) -> dict[str, Any]:
    """Return what stands at `paths`, without what is absent or null."""
    found = {name: find(item, path) for name, path in paths.items()}
    return {name: value for name, value in found.items() if value is not None and value is not ABSENT}


def _decoded(arguments: str) -> tuple[dict[str, Any], str]:
    """Return the arguments that a model wrote as a text, and what is wrong with them."""
    if not arguments.strip():
        return {}, ""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError) as e:
        return {"": arguments}, f"the arguments are no JSON: {e}"
    if not isinstance(value, dict):
        return {"": value}, f"the arguments are {described(value)}; an object is expected"
    return value, ""


def apply_id_rule(rule: str, text: str) -> str:
    """Return the part of an id that identifies it.

    The rule is `after TEXT` (what follows the last TEXT) or a regular expression whose first group is that part; an
    id that it does not fit stays as it is.

    >>> apply_id_rule("after ::", "walmart_fy2023::chunk_010")
    'chunk_010'

    Raises:
        ValueError: the rule is none.
    """
    pattern = _id_pattern(rule)
    match = pattern.search(text) if pattern else None
    return match[1] if match and match[1] else text


@functools.lru_cache(maxsize=64)
def _id_pattern(rule: str) -> re.Pattern[str] | None:
    if not rule:
        return None
    after = rule.removeprefix("after ").strip() if rule.startswith("after ") else ""
    try:
        pattern = re.compile(rf".*{re.escape(after)}(.+)" if after else rule, re.DOTALL)
    except re.error as e:
        raise ValueError(f"{rule!r} is no regular expression: {e}") from None
    if not pattern.groups:
        raise ValueError(f"{rule!r}: a regular expression with a group, or `after TEXT`, is expected")
    return pattern


class _Fields:
    """The parts of one item: the suite's own field paths over the usual ones."""

    def __init__(self, item: Any, where: str, group: str, rules: ResponseMap, expected: str) -> None:
        self._item = _object(item, where, expected)
        self._where = where
        self._paths = {**FIELDS[group], **getattr(rules, group)}
        self._separator = rules.separator

    def text(self, name: str, joint: str = ", ") -> str:
        value = find(self._item, self._paths[name])
        return "" if value is None or value is ABSENT else read_text(value, f"{self._where}.{name}", joint)

    def lines(self, name: str) -> str:
        """Return a text that a store joined from several ones, each on its own line."""
        return self.text(name).replace(self._separator, "\n") if self._separator else self.text(name)

    def required(self, name: str) -> str:
        text = self.text(name)
        if not text:
            paths = self._paths[name].replace("|", ", ")
            raise PathError(f"{self._where} has no {name} (looked for at {paths}); it is {described(self._item)}")
        return text


def _object(item: Any, where: str, expected: str) -> Mapping[str, Any]:
    if not isinstance(item, Mapping):
        raise PathError(f"{where} is {described(item)}; {expected} is expected")
    return item


def _entity(item: Any, where: str, rules: ResponseMap) -> list[Entity]:
    if isinstance(item, str):
        return [Entity(name=name) for name in _split(item, rules.separator)]
    fields = _Fields(item, where, "entity_fields", rules, "an object or a name")
    return [Entity(name=fields.required("name"), type=fields.text("type"), description=fields.lines("description"))]


def _relationship(item: Any, where: str, rules: ResponseMap) -> list[Relationship]:
    fields = _Fields(item, where, "relationship_fields", rules, "an object with source and target")
    return [
        Relationship(
            source=fields.required("source"),
            target=fields.required("target"),
            type=fields.text("type"),
            description=fields.lines("description"),
        )
    ]


def _chunk(item: Any, where: str, rules: ResponseMap) -> list[Chunk]:
    """Read a chunk; a plain text is its content, or ids joined by the separator where one is set."""
    if isinstance(item, str):
        if not rules.separator:
            return [Chunk(content=item)]
        return [Chunk(id=apply_id_rule(rules.id_rule, part)) for part in _split(item, rules.separator)]
    fields = _Fields(item, where, "chunk_fields", rules, "an object or a text")
    chunk = Chunk(id=apply_id_rule(rules.id_rule, fields.text("id")), content=fields.text("content", "\n"))
    if not chunk.id and not chunk.content:
        raise PathError(f"{where} has neither id nor content; it is {described(item)}")
    return [chunk]


def _tool_call(item: Any, where: str, rules: ResponseMap) -> list[ToolCall]:
    return [read_tool_call(item, where, rules)]


def _name(item: Any, where: str, rules: ResponseMap) -> list[str]:
    return _split(read_text(item, where), rules.separator)


def _reference(item: Any, _where: str, _: ResponseMap) -> list[Any]:
    return [item]


def _split(text: str, separator: str) -> list[str]:
    return [part for part in text.split(separator) if part] if separator else [text]


LISTS: dict[str, Callable[[Any, str, ResponseMap], list[Any]]] = {
    "entities": _entity,
    "relationships": _relationship,
    "chunks": _chunk,
    "references": _reference,
    "tool_calls": _tool_call,
    "names": _name,
}
"""The lists of a reply, and how an item of each is read; one item may hold several joined ones."""
