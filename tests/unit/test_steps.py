"""What a suite may write of reference steps and of rules on tools, and which tools are the same."""

from __future__ import annotations

import pytest

from pytest_graph_eval.steps import same_tool

# --- names of tools -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        ("query", "query", True),
        ("query", "mcp__graph__query", True),
        ("graph__query", "mcp__graph__query", True),
        ("query", "graphrag-mcp-query", True),
        ("query", "graph.query", True),
        ("query", "graph/query", True),
        ("query", "graph:query", True),
        ("query_graph_tool", "mcp_graph_query_graph_tool", True),
        ("search", "mcp_search", True),
        ("search", "entity_search", False),
        ("search", "research", False),
        ("search", "mcp__x__entity_search", False),
        ("mcp__x__query", "query", False),
        ("query", "Query", False),
        ("query", "query__all", False),
        ("", "query", False),
        ("query", "", False),
    ],
)
def test_tools_are_the_same_by_suffix_at_a_separator(expected: str, found: str, *, same: bool) -> None:
    assert same_tool(expected, found) is same
