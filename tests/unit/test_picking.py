"""Which tool is asked, with which arguments: never one that changes anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.targets.picking import pick_tool, signature

PRECISO = {
    tool["name"]: tool["inputSchema"]
    for tool in json.loads((Path(__file__).parent.parent / "data/preciso_tools.json").read_text("utf-8"))
}
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def tool(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def test_of_the_fifteen_tools_of_preciso_the_one_that_answers_is_picked() -> None:
    pick = pick_tool(PRECISO)
    assert pick is not None
    assert (pick.tool, pick.argument, pick.others, pick.missing) == ("query_graph_tool", "query", (), ())
    assert pick.arguments == {"query": "{question}", "mode": "{mode}"}
    assert pick.modes == {"kg": "local"}


@pytest.mark.parametrize(
    ("tools", "picked"),
    [
        ({"search": tool("text", text=TEXT), "health": tool()}, ("search", {"text": "{question}"})),
        ({"ask": tool("q", q=TEXT), "lookup": tool("text", text=TEXT)}, ("ask", {"q": "{question}"})),
        ({"ask": tool(question=TEXT), "find": tool("text", text=TEXT)}, ("find", {"text": "{question}"})),
        ({"answer": tool("user_utterance", user_utterance=TEXT)}, ("answer", {"user_utterance": "{question}"})),
        ({"ask": tool("question", question={"anyOf": [TEXT, {"type": "null"}]})}, ("ask", {"question": "{question}"})),
        ({"search": tool("query", "group", query=TEXT, group=TEXT), "find_it": tool("query", query=TEXT)},
         ("find_it", {"query": "{question}"})),
        ({"ask_stream": tool("query", query=TEXT), "ask_all": tool("query", query=TEXT)},
         ("ask_all", {"query": "{question}"})),
        ({"find": tool("what", what=TEXT, n=NUMBER), "stats": tool("what", what=TEXT)},
         ("find", {"what": "{question}"})),
        ({"find": tool("what", what=TEXT), "search": tool(text=TEXT)}, ("search", {"text": "{question}"})),
        ({"find": tool("what", what=TEXT), "search": tool("text", text=TEXT)}, ("search", {"text": "{question}"})),
        ({"run_query": tool("query", query=TEXT)}, ("run_query", {"query": "{question}"})),
        (
            {"ask": tool("query", "k", "deep", "kind", "ids", "v", query=TEXT, k={**NUMBER, "minimum": 3}, deep={
                "type": "boolean"}, kind={"enum": ["fact", "node"]}, ids={"type": "array"}, v={"const": 2},
                limit=NUMBER, z={"type": "string", "default": "d"})},
            ("ask", {"query": "{question}", "k": 3, "deep": False, "kind": "fact", "ids": [], "v": 2}),
        ),
    ],
)  # fmt: skip
def test_the_likeliest_tool_gets_what_it_requires(tools: dict[str, Any], picked: tuple[str, dict[str, Any]]) -> None:
    pick = pick_tool(tools)
    assert pick is not None
    assert (pick.tool, pick.arguments) == picked


@pytest.mark.parametrize(
    "name",
    ["delete_query", "ingest_text", "addMemory", "create_entities", "/documents/insert_text", "execute", "run", "index",
     "/documents/text", "run_cypher_query", "sparql_query", "graphql", "Submit_Question"],
)  # fmt: skip
def test_what_changes_something_or_speaks_a_query_language_is_never_picked(name: str) -> None:
    argument = "text" if name == "/documents/text" else "query"
    assert pick_tool({name: tool(argument, **{argument: TEXT})}) is None


@pytest.mark.parametrize(
    "schema",
    [tool(), {}, {"properties": None}, tool("chunk_id", chunk_id=TEXT), tool("query", query=NUMBER),
     tool("node_id", node_id=TEXT), tool("entityName", entityName=TEXT), tool("what", "how", what=TEXT, how=TEXT),
     tool("query", query={**TEXT, "enum": ["a", "b"]}), {"properties": {"query": True}}],
    ids=str,
)  # fmt: skip
def test_a_tool_without_an_argument_for_a_question_is_not_picked(schema: dict[str, Any]) -> None:
    assert pick_tool({"read": schema}) is None
    assert pick_tool({"find": schema}) is None


def test_what_nobody_can_guess_is_missing() -> None:
    pick = pick_tool({"search": tool("query", "group_id", query=TEXT, group_id=TEXT)})
    assert pick is not None
    assert pick.missing == ("group_id",)


@pytest.mark.parametrize(
    ("options", "modes"),
    [
        (["local", "global", "drift", "basic"], {"kg": "local", "hybrid": "drift"}),
        (["kg", "global", "hybrid"], {}),
        (["local", "global", "mix"], {"kg": "local", "hybrid": "mix"}),
        (["naive", "hybrid"], {"kg": "naive", "global": "hybrid"}),
    ],
)
def test_an_argument_with_known_modes_gets_ours_by_their_names(options: list[str], modes: dict[str, str]) -> None:
    pick = pick_tool({"ask": tool("query", query=TEXT, how={"type": "string", "enum": options})})
    assert pick is not None
    assert (pick.arguments["how"], pick.modes) == ("{mode}", modes)


@pytest.mark.parametrize("options", [["json", "text"], ["hybrid"], ["local"], []])
def test_other_options_are_no_modes(options: list[str]) -> None:
    pick = pick_tool({"ask": tool("query", query=TEXT, how={"type": "string", "enum": options})})
    assert pick is not None
    assert (pick.arguments, pick.modes) == ({"query": "{question}"}, {})


def test_a_signature_is_short_and_says_what_is_optional() -> None:
    schema = tool("q", k={"type": ["integer", "null"]}, q=TEXT, x={}, mode={"anyOf": [{"enum": list("abcdefgh")}, {}]})
    assert signature("ask", schema) == "ask(q: string, k?: integer, x?: any, mode?: a|b|c|d|e|f|...)"
    assert signature("health", {}) == "health()"
