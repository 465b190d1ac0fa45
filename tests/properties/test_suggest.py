"""Whatever comes back, the doctor's guesses do not fail, load, and read the reply that they were made from."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_graph_eval.commands.target_block import completed, spec_of, target_block
from pytest_graph_eval.models.settings import ResponseMap
from pytest_graph_eval.targets.picking import pick_tool, signature
from pytest_graph_eval.targets.reply.gaps import unfound, unmapped
from pytest_graph_eval.targets.reply.mapping import check_map, map_reply
from pytest_graph_eval.targets.reply.suggest import guess_response, suggest
from pytest_graph_eval.yaml_source import parse

KEYS = st.sampled_from([
    "entities", "nodes", "edges", "relations", "chunks", "hits", "results", "sources", "references", "name", "label",
    "title", "type", "source", "target", "text", "content", "id", "answer", "output", "messages", "message", "role",
    "usage", "input_tokens", "model", "mode", "tool_calls", "args", "choices", "data", "a.b", "", "x[0]", "é",
])  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.sampled_from(["", "user", "assistant", "some text", "{}"])
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5))
RULES = st.dictionaries(
    st.sampled_from(["type", "enum", "anyOf", "const", "minimum", "default"]), JSON | st.just("string")
)
PROPERTIES = st.dictionaries(st.sampled_from(["query", "mode", "x"]), RULES | JSON)
SCHEMAS = st.fixed_dictionaries(
    {}, optional={"properties": PROPERTIES | JSON, "required": JSON | st.just(["query", "x"])}
)


@given(JSON, st.sampled_from(["mcp", "http", "python"]))
def test_a_suggestion_for_any_reply_loads(reply: Any, kind: str) -> None:
    suggestion = suggest(reply, kind, "some text")
    address = {"mcp": {"command": ["s"]}, "http": {"url": "http://h/"}, "python": {"call": "a:b"}}[kind]
    settings = completed({"kind": kind, **address}, suggestion, None)
    document = parse(target_block(settings), "block")
    assert document.problems == []
    assert spec_of(document.data["target"]) == spec_of(settings)
    unmapped(reply, suggestion.rules)
    unfound(reply, suggestion.rules)


@given(st.dictionaries(KEYS, JSON, max_size=5))
def test_a_guess_reads_the_reply_that_it_was_made_from(reply: dict[str, Any]) -> None:
    rules = ResponseMap(**guess_response(reply))
    assert check_map(rules) == []
    lists = [name for name in ("entities", "relationships", "chunks") if getattr(rules, name)]
    assert all(getattr(map_reply(reply, rules), name) is not None for name in lists)


@given(st.dictionaries(st.sampled_from(["ask", "search_it", "load"]), SCHEMAS))
def test_no_schema_of_a_tool_is_too_odd(tools: dict[str, Any]) -> None:
    pick_tool(tools)
    assert all(signature(name, schema).startswith(f"{name}(") for name, schema in tools.items())
