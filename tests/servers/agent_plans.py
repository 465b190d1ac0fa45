"""What the models of the scripted agents do, question by question; the agents differ in their framework alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

QUERY = "mcp__graph__query_graph_tool"
STATUS = "mcp__graph__get_server_status"
CEO = "Who is the CEO of Walmart?"
LEADER = "Who leads the segment that Flipkart belongs to?"
STUMBLES = "Who stumbles?"
WRONG_MODE = "Who asks for a mode that does not exist?"
NO_TOOL = "Who needs no tool?"
ENDLESS = "Who goes on for ever?"
USED = {"input": 1_000, "cached": 100, "output": 50}
"""Tokens of each request to the model."""

PLANS: dict[str, list[list[tuple[str, dict[str, Any]]]]] = {
    CEO: [[(STATUS, {})], [(QUERY, {"query": CEO, "mode": "kg"})]],
    LEADER: [[(QUERY, {"query": LEADER, "mode": "hybrid"}), (QUERY, {"query": CEO})]],
    STUMBLES: [[(QUERY, {"q": CEO})], [("entity_search", {"query": CEO})], [(QUERY, {"query": CEO})]],
    WRONG_MODE: [[(QUERY, {"query": CEO, "mode": "mix"})]],
    NO_TOOL: [],
    ENDLESS: [[(STATUS, {})]] * 99,
}


def calls_of(question: str, number: int) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls that the model asks for in its `number`-th reply, counted from 0; none where it concludes."""
    plan = PLANS[question]
    return plan[number] if number < len(plan) else []


def conclusion(results: Iterable[Any]) -> str:
    """Return what the results of tools say: the descriptions of entities, else the message of an error."""
    decoded = [json.loads(r) if isinstance(r, str) and r.startswith("{") else r for r in results]
    found = [r for r in decoded if isinstance(r, dict) and "message" in r]
    said = [e["description"] for r in found for e in r.get("entities", ())] or [r["message"] for r in found]
    return " ".join(said) or "I know that by myself."
