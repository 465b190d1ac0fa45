"""What the shape of a reply tells about where its parts stand: replies of real servers, and of common forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.models.settings import ResponseMap
from pytest_graph_eval.targets.reply.gaps import unfound, unmapped
from pytest_graph_eval.targets.reply.mapping import map_reply
from pytest_graph_eval.targets.reply.presets import NATIVE, PRESETS
from pytest_graph_eval.targets.reply.suggest import PARTS, Suggestion, guess_response, part_sizes, suggest
from tests.servers.services import CHAT, LIGHTRAG_ANSWER, LIGHTRAG_DATA, OWN

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data/preciso_recordings.jsonl").read_text("utf-8").splitlines()
]
QUERIES = [r for r in RECORDED if r["request"]["params"]["name"] == "query_graph_tool" and r["payload"]]
ANSWERED = [r for r in QUERIES if r["payload"]["status"] == "success" and r["payload"]["raw_data"]]

GRAPHRAG = [
    "He leads it.",
    {
        "reports": [{"id": "1", "title": "Walmart", "content": "A retailer.", "rank": 5.0}],
        "entities": [{"id": "0", "entity": "DOUG", "description": "CEO", "in_context": True}],
        "relationships": [{"id": "0", "source": "DOUG", "target": "WALMART", "description": "leads", "weight": 1.0}],
        "sources": [{"id": "0", "text": "Doug leads Walmart."}],
    },
]
MEMORY = {
    "entities": [{"type": "entity", "name": "Doug", "entityType": "person", "observations": ["CEO"]}],
    "relations": [{"type": "relation", "from": "Doug", "to": "Walmart", "relationType": "leads"}],
}
GRAPHITI = {
    "message": "Facts retrieved successfully",
    "facts": [{"uuid": "u1", "name": "LEADS", "fact": "Doug leads Walmart", "source_node_uuid": "n1",
               "target_node_uuid": "n2", "created_at": "2026-01-01T00:00:00Z"}],
}  # fmt: skip
MESSAGES = {
    "messages": [
        {"role": "user", "content": "Who leads Walmart?"},
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "Doug"},
        {"role": "assistant", "content": "Doug."},
    ],
    "thread_id": "t",
}  # fmt: skip


def found(suggestion: Suggestion) -> dict[str, int]:
    return {part: size for part, size in suggestion.sizes.items() if size > 0}


# --- real replies -----------------------------------------------------------------------------------------------------


def test_there_are_enough_recordings() -> None:
    assert len(ANSWERED) >= 15


@pytest.mark.parametrize("recorded", ANSWERED, ids=lambda r: f"{r['question'][:30]} {r['mode']} {r['embedding']}")
def test_preciso_is_known_by_every_recorded_reply(recorded: dict[str, Any]) -> None:
    reply = recorded["payload"]
    suggestion = suggest(reply, "mcp", recorded["question"])
    assert suggestion.preset == "preciso"
    sizes = {part: len(reply["raw_data"]["data"][part]) for part in ("entities", "relationships", "chunks")}
    assert {part: suggestion.sizes[part] for part in sizes} == sizes
    guess = guess_response(reply)
    assert {part: guess.get(part) for part in sizes} == {part: f"raw_data.data.{part}" for part in sizes}
    assert "answer" not in guess, "the evidence as one text is no answer"
    assert part_sizes(reply, ResponseMap(**guess)) == suggestion.sizes, "and the guess finds the same"


@pytest.mark.parametrize(
    "recorded", [r for r in QUERIES if r["payload"]["status"] == "error"], ids=lambda r: r["note"][:30]
)
def test_an_error_reply_has_no_parts(recorded: dict[str, Any]) -> None:
    assert found(suggest(recorded["payload"], "mcp")) == {}


# --- forms of other servers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "reply", "preset", "sizes"),
    [
        ("http", LIGHTRAG_DATA, "lightrag", {"entities": 1, "relationships": 1, "chunks": 1}),
        ("http", LIGHTRAG_ANSWER, "lightrag", {"answer": 1, "chunks": 1}),
        ("http", CHAT, "openai-chat", {"answer": 1, "tool_calls": 1, "usage": 1}),
        ("http", MESSAGES, "openai-chat", {"answer": 1, "tool_calls": 1}),
        ("python", GRAPHRAG, "graphrag", {"answer": 1, "entities": 1, "relationships": 1, "chunks": 2}),
        ("http", {"answer": "a", "chunks": []}, "", {"answer": 1}),
        ("mcp", {"answer": "a", "text_chunks": [{"id": "c", "content": "t"}]}, "", {"answer": 1, "chunks": 1}),
        ("mcp", "He leads it.", "", {"answer": 1}),
        ("mcp", MEMORY, None, {"entities": 1, "relationships": 1}),
        ("mcp", GRAPHITI, None, {"relationships": 1}),
        ("http", OWN, None, {"answer": 1, "chunks": 1}),
        ("mcp", [{"text": "a b"}, {"text": "c d"}], None, {"chunks": 2}),
    ],
)
def test_a_reply_is_mapped_by_a_preset_where_one_finds_all(
    kind: str, reply: Any, preset: str | None, sizes: dict[str, int]
) -> None:
    suggestion = suggest(reply, kind, "Who leads Walmart?")
    assert (suggestion.preset, found(suggestion)) == (preset, sizes)


@pytest.mark.parametrize(
    ("reply", "response"),
    [
        (MEMORY, {"entities": "entities", "relationships": "relations"}),
        (
            GRAPHITI,
            {"relationships": "facts", "relationship_fields": {
                "source": "source_node_uuid", "target": "target_node_uuid", "type": "name", "description": "fact"}},
        ),
        (OWN, {"chunks": "hits", "chunk_fields": {"id": "uuid", "content": "document.text"}, "answer": "output"}),
        ([{"text": "a b"}], {"chunks": "[*]"}),
        (["yes", {"nodes": [{"label": "A"}]}], {
            "entities": "[1].nodes", "entity_fields": {"name": "label"}, "answer": "[0]"}),
        ({"hits": [{"text": "a", "nodes": [{"name": "A", "kind": "x"}]}]}, {
            "entities": "hits[*].nodes[*]", "chunks": "hits", "entity_fields": {"type": "kind"}}),
        ({"answer": {"text": "a", "sure": 1}, "contexts": ["b c", "d e"]},
         {"chunks": "contexts", "answer": "answer.text"}),
        ({"nodes": [], "edges": [], "passages": []},
         {"entities": "nodes", "relationships": "edges", "chunks": "passages"}),
        (
            {"output": "5", "steps": [{"tool": "search", "tool_input": {"q": 1}}], "usage": {"input_tokens": 1},
             "model": "m", "query_mode": "mix", "intent": "DEFINITION", "as_of": "2024-01-01"},
            {"tool_calls": "steps", "tool_call_fields": {"name": "tool", "args": "tool_input"}, "answer": "output",
             "usage": "usage", "model": "model", "mode": "query_mode", "intent": "intent", "as_of": "as_of"},
        ),
        ({"citations": [{"url": "u"}], "answer": "a"}, {"references": "citations", "answer": "answer"}),
        ({"sources": [{"url": "u"}], "answer": "a"}, {"references": "sources", "answer": "answer"}),
        ({"sources": [{"text": "t"}], "answer": "a"}, {"chunks": "sources", "answer": "answer"}),
    ],
)  # fmt: skip
def test_parts_are_guessed_by_names_and_fields(reply: Any, response: dict[str, Any]) -> None:
    assert guess_response(reply) == response
    map_reply(reply, ResponseMap(**response))


@pytest.mark.parametrize(
    "reply",
    [
        {}, [], None, 3, "text", {"rows": [1, 2]}, {"rows": [{"n": 1}]}, {"a.b": [{"text": "no path leads here"}]},
        {"people": [{"name": "A"}]}, {"message": "done", "status": "ok"}, {"choices": []}, {"deep": [[["x"]]]},
    ],
    ids=str,
)  # fmt: skip
def test_nothing_is_guessed_where_nothing_is_known(reply: Any) -> None:
    assert guess_response(reply) == {}


def test_a_text_of_a_weak_name_that_holds_the_evidence_is_no_answer() -> None:
    chunks = [{"text": f"Chunk number {n} says a lot of things."} for n in range(3)]
    evidence = "\n".join(f"* {chunk['text']}" for chunk in chunks)
    assert "answer" not in guess_response({"text": evidence, "chunks": chunks})
    assert guess_response({"answer": evidence, "chunks": chunks})["answer"] == "answer", "a strong name is believed"
    assert "answer" not in guess_response({"content": "done", "message": "done", "nodes": []}), "nor is a message"


def test_a_list_of_a_telling_name_and_one_with_items_come_first() -> None:
    reply = {"other": [{"text": "a"}], "passages": [{"text": "b"}], "chunks": []}
    assert guess_response(reply)["chunks"] == "passages"


def test_a_long_or_deep_reply_is_no_trouble() -> None:
    deep: dict[str, Any] = {"answer": "too deep"}
    for _ in range(100):
        deep = {"x": deep}
    assert guess_response(deep) == {}
    assert guess_response({"hits": [{"text": "t"}] * 10_000}) == {"chunks": "hits"}


def test_sizes_tell_what_is_not_there_from_what_is_empty() -> None:
    sizes = part_sizes({"answer": "", "entities": [], "usage": None}, NATIVE)
    assert {part: sizes[part] for part in PARTS[:4]} == {"answer": 0, "entities": 0, "relationships": -1, "chunks": -1}
    assert set(part_sizes({"rows": 1}, NATIVE).values()) == {-1}


# --- what a mapping leaves out ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "rules", "left"),
    [
        ({"a": 1, "answer": "x", "status": "ok", "error": None}, NATIVE, [("a", 1)]),
        ({"r": {"nodes": [{"name": "A"}], "n": 2}, "k": [3]}, ResponseMap(entities="r.nodes"),
         [("r.n", 2), ("k", [3])]),
        ({"r": {"nodes": []}, "k": 1}, ResponseMap(root="r", entities="nodes"), []),
        (["a", {"x": 1, "entities": []}], PRESETS["graphrag"].response, [("[1].x", 1)]),
        ({"h": [{"t": "a", "n": [{"name": "A"}]}]}, ResponseMap(entities="h[*].n[*]"), [("h[*].t", "a")]),
        ("text", NATIVE, []),
    ],
)  # fmt: skip
def test_what_is_not_mapped_is_named_once_at_its_top(
    reply: Any, rules: ResponseMap, left: list[tuple[str, Any]]
) -> None:
    assert unmapped(reply, rules) == left


@pytest.mark.parametrize(
    ("reply", "rules", "missed"),
    [
        ({"nodes": []}, ResponseMap(entities="nodes", chunks="texts"), [("chunks", "texts")]),
        ({"nodes": []}, ResponseMap(entities="nodes", chunks="texts?"), []),
        ({"nodes": [{"name": "A"}]}, ResponseMap(entities="nodes", entity_fields={"type": "kind"}),
         [("entities[*].type", "kind")]),
        ({"nodes": 3}, ResponseMap(entities="nodes[*].x"), [("entities", "nodes[*].x")]),
        ({"answer": "a"}, NATIVE, []),
        ("text", ResponseMap(entities="nodes"), []),
    ],
)  # fmt: skip
def test_what_a_mapping_looks_for_in_vain_is_named(
    reply: Any, rules: ResponseMap, missed: list[tuple[str, str]]
) -> None:
    assert unfound(reply, rules) == missed
