"""What a suite may write of reference steps and of rules on tools, and which tools are the same."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.errors import SuiteError
from pytest_graph_eval.loader import load_suite
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.scenario import fingerprint
from pytest_graph_eval.models.steps import same_tool

HEAD = "suite: s\ntarget: {call: 'a:b'}\n"


def loaded(expect: str, defaults: str = "{}") -> Any:
    text = f"{HEAD}defaults: {{expect: {defaults}}}\nscenarios:\n- {{id: a, question: Q, expect: {expect}}}\n"
    return load_suite("x.graph.yaml", text=text).scenarios[0].scenario


def problems(expect: str, defaults: str = "{}") -> list[str]:
    with pytest.raises(SuiteError) as caught:
        loaded(expect, defaults)
    return [str(p).removeprefix("x.graph.yaml:") for p in caught.value.problems]


@pytest.mark.parametrize(
    ("steps", "groups"),
    [
        ("search", [["search"]]),
        ("[search, query]", [["search"], ["query"]]),
        ("[[search, query], plan]", [["search", "query"], ["plan"]]),
        ("{tool: search}", [["search"]]),
        ("[{name: search}, {tool: query}]", [["search"], ["query"]]),
        ("[[search, {tool: query}]]", [["search", "query"]]),
    ],
)
def test_a_flat_list_is_a_sequence_and_a_text_is_a_tool(steps: str, groups: list[list[str]]) -> None:
    assert [[step.tool for step in group] for group in loaded(f"{{steps: {steps}}}").expect.steps] == groups


def test_values_of_arguments_are_data_and_names_are_texts() -> None:
    (step,) = loaded("{steps: {tool: 12, args: {k: 3, on: yes, at: 2024-01-01, no: null}}}").expect.steps[0]
    assert step.tool == "12"
    assert step.args == {"k": 3, "on": "yes", "at": "2024-01-01", "no": None}


@pytest.mark.parametrize(
    ("expect", "message"),
    [
        ("{steps: []}", "5:40: scenario 'a': expect.steps: found an empty list, expected 1 or more"),
        ("{steps: [[]]}", "5:41: scenario 'a': expect.steps[0]: found an empty list, expected 1 or more"),
        ("{steps: [[search], []]}", "5:51: scenario 'a': expect.steps[1]: found an empty list"),
        ("{steps: [{args: {}}]}", "5:41: scenario 'a': expect.steps[0]: the key 'tool' is missing"),
        ("{steps: [{tool: ''}]}", 'expect.steps[0].tool: found the text "", expected a text that is not empty'),
        ("{steps: [{tool: a, arg: {}}]}", "expect.steps[0]: unknown key 'arg', did you mean 'args'?"),
        ("{steps: [{tool: a, args_match: some}]}", "expected 'exact', 'subset', 'superset' or 'ignore'"),
        ("{steps: [{tool: a, k: 0}]}", "expect.steps[0].k: found `0`, expected at least 1"),
        ("{steps: a, steps_mode: last}", "expected 'mean', 'suffix' or 'last_group'"),
        ("{steps: a, trajectory: strict}", "'exact', 'unordered', 'in_order', 'any_order' or 'subset'"),
        ("{tools: {}}", "expect.tools: `tools:` needs at least one of `required:`, `forbidden:`, `max_calls:`"),
        ("{tools: {required: [], forbidden: []}}", "expect.tools: `tools:` needs at least one of `required:`"),
        ("{tools: {required: [a, b], forbidden: b}}", "expect.tools.required[1]: the tool 'b' is both required and"),
        ("{tools: {required: mcp__x__b, forbidden: b}}", "the tool 'mcp__x__b' is both required and forbidden"),
        (
            "{steps: [a, b], tools: {forbidden: b}}",
            "expect.steps[1][0].tool: the tool 'b' is both required and forbidden",
        ),
        ("{tools: {forbidden: ' '}}", "expect.tools.forbidden[0]: an empty item; remove it or write its text"),
        ("{tools: {max_calls: -1}}", "expect.tools.max_calls: found `-1`, expected at least 0"),
        ("{steps: [a, b], tools: {max_calls: 1}}", "max_calls: found 1, expected at least as many as `steps` has, 2"),
        ("{steps: a, steps_mode: suffix, trajectory: subset}", "steps_mode: `suffix` follows the order of the groups"),
        ("{steps_mode: mean}", "nothing to check"),
        ("{trajectory: exact, compare: json}", "nothing to check"),
    ],
)
def test_what_cannot_be_meant_is_a_load_error_at_its_place(expect: str, message: str) -> None:
    (problem,) = problems(expect)
    assert message in problem
    assert problem.startswith("5:")


def test_defaults_merge_by_key_and_are_checked_where_they_stand() -> None:
    expect = loaded(
        "{steps: a, tools: {max_calls: 3}}", "{steps_mode: suffix, tools: {max_calls: 9, forbidden: z}}"
    ).expect
    assert expect.steps_mode == "suffix"
    assert (expect.tools.max_calls, expect.tools.forbidden) == (3, ["z"])
    (problem,) = problems("{steps: z}", "{tools: {forbidden: z}}")
    assert "the tool 'z' is both required and forbidden" in problem
    assert "nothing to check" in problems("{in: answer}", "{steps_mode: suffix}")[0]


def test_rows_fill_the_texts_of_steps_and_leave_other_braces_alone() -> None:
    expect = "{steps: [{tool: query, args: {q: 'SELECT {who} {?s ?p ?o}'}, output: '{\"a\": 1}'}]}"
    text = f"{HEAD}scenarios:\n- {{id: a, question: Q, rows: [{{id: x, who: Bob}}], expect: {expect}}}\n"
    (step,) = load_suite("x.graph.yaml", text=text).scenarios[0].scenario.expect.steps[0]
    assert step.args == {"q": "SELECT Bob {?s ?p ?o}"}
    assert step.output == '{"a": 1}'


def test_what_is_expected_of_calls_is_part_of_the_fingerprint() -> None:
    variants = ["{steps: a}", "{steps: [{tool: a, args: {}}]}", "{steps: [{tool: a, args: {k: null}}]}",
                "{steps: a, steps_mode: suffix}", "{steps: a, trajectory: exact}", "{tools: {forbidden: a}}",
                "{steps: [a, a]}", "{steps: [[a, a]]}"]  # fmt: skip
    assert len({fingerprint(loaded(text)) for text in variants}) == len(variants)
    assert fingerprint(loaded("{steps: a}")) == fingerprint(loaded("{steps: [[{name: a}]], scores: {steps_score: 1}}"))


def test_only_checks_make_a_scenario_checkable() -> None:
    assert Expect.model_validate({"steps": "a"}).has_checks()
    assert not Expect.model_validate({"steps_mode": "mean", "trajectory": "exact", "compare": "json"}).has_checks()


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
