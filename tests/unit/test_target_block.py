"""The suggested target loads back as what it was, shows no secret, and says no more than it has to."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from pytest_graph_eval.commands.target_block import completed, picked, settings_of, spec_of, target_block
from pytest_graph_eval.targets.picking import Pick
from pytest_graph_eval.targets.reply.presets import PRESETS
from pytest_graph_eval.targets.reply.suggest import suggest
from tests.servers.services import LIGHTRAG_ANSWER, LIGHTRAG_DATA

MCP = {"kind": "mcp", "command": ["server"]}
PICK = Pick("query_graph_tool", "query", {"query": "{question}", "mode": "{mode}"}, {"kg": "local"})
PRECISO: dict[str, Any] = {
    "status": "success",
    "raw_data": {"data": {"entities": [{"entity_name": "A"}], "relationships": [], "chunks": []}},
}


@pytest.mark.parametrize(
    "settings",
    [
        {"kind": "mcp", "url": "https://h/mcp", "headers": {"X-Team": "a: b #c"}, "tool": "no"},
        {"kind": "http", "url": "https://h/ask"},
        {"kind": "http", "url": "https://h/ask", "json": {"q": "{question}", "n": 1}},
        {"kind": "http", "url": "https://h/v1/chat/completions", "preset": "openai-chat"},
        {"kind": "python", "call": "a:b", "response": {"chunks": "[*]", "answer": "[0]|x?"}},
        {"kind": "graph", "extraction": ["a b.json"], "aliases": {"Walmart": ["WMT"]}},
    ],
    ids=str,
)
def test_a_block_loads_back_as_the_same_target(settings: dict[str, Any]) -> None:
    text = target_block(settings)
    loaded = spec_of(yaml.safe_load(text)["target"])
    assert loaded == spec_of(settings)
    assert settings_of(loaded) == settings
    assert all(len(line) <= 80 for line in text.splitlines())
    assert ("kind:" in text) == (settings == {"kind": "http", "url": "https://h/ask"}), (
        "only where nothing else tells it"
    )


def test_literal_secrets_become_variables_and_variables_stay() -> None:
    headers = {"X-API-Key": "abc", "Authorization": "Bearer ${T}", "Accept": "x"}
    text = target_block({"kind": "mcp", "url": "https://h/mcp", "headers": headers, "setup": [
        {"tool": "login", "arguments": {"passwords": ["pw1", "pw2"]}}]})  # fmt: skip
    loaded = yaml.safe_load(text)["target"]
    assert loaded["headers"] == {"X-API-Key": "${X_API_KEY}", "Authorization": "Bearer ${T}", "Accept": "x"}
    assert loaded["setup"][0]["arguments"] == {"passwords": ["${PASSWORDS}", "${PASSWORDS}"]}


def test_what_a_preset_knows_is_left_out() -> None:
    asked = picked(MCP, PICK)
    assert asked == {**MCP, "tool": PICK.tool, "arguments": PICK.arguments, "modes": PICK.modes}
    assert completed(asked, suggest(PRECISO, "mcp"), PICK) == {**MCP, "preset": "preciso"}
    other = Pick("ask", "query", PICK.arguments, {})
    assert completed(picked(MCP, other), suggest(PRECISO, "mcp"), other) == {**MCP, "tool": "ask", "preset": "preciso"}


def test_what_a_suite_says_itself_stays() -> None:
    own = {**MCP, "tool": "query_graph_tool", "arguments": {"query": "{question}"}, "modes": {"kg": "naive"},
           "preset": "generic-mcp"}  # fmt: skip
    assert completed(own, suggest(PRECISO, "mcp"), None) == {**own, "preset": "preciso"}
    written = {**MCP, "arguments": {"top_k": 3}, "modes": {"kg": "mix"}}
    asked = picked(written, PICK)
    assert asked["arguments"] == {**PICK.arguments, "top_k": 3}
    assert asked["modes"] == {"kg": "mix"}


@pytest.mark.parametrize(
    ("url", "reply", "preset"),
    [
        ("https://h/query/data", LIGHTRAG_DATA, "lightrag"),
        ("https://h/query", LIGHTRAG_ANSWER, "lightrag"),
        ("https://h/retrieve", LIGHTRAG_DATA, None),
    ],
)
def test_a_preset_that_reads_otherwise_at_this_address_is_not_suggested(
    url: str, reply: dict[str, Any], preset: str | None
) -> None:
    suggestion = suggest(reply, "http")
    assert suggestion.preset == "lightrag"
    found = completed({"kind": "http", "url": url, "json": {"query": "{question}"}}, suggestion, None)
    assert found.get("preset") == preset
    assert ("response" in found) == (preset is None)


def test_every_preset_can_be_suggested_or_needs_no_name() -> None:
    from pytest_graph_eval.targets.reply.suggest import _PRESETS

    assert {*PRESETS, "native"} == {name for names in _PRESETS.values() for name in names}
