"""Texts, lists and keys of a suite that say nothing: refused where they would be, not taken for something."""

from __future__ import annotations

import pytest

from pytest_graph_eval.errors import Problem, SuiteError
from pytest_graph_eval.loader import load_suite

NOT_EMPTY = "expected a text that is not empty"
SCENARIO = "scenarios:\n- id: s\n  question: Q?\n  gold_answer: g\n"


def the_problem(text: str) -> Problem:
    with pytest.raises(SuiteError) as caught:
        load_suite("x.graph.yaml", text=text)
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize("blank", ["''", "'  '"])
@pytest.mark.parametrize(
    "keys",
    [
        *("mode: {}", "category: {}", "difficulty: {}", "template_id: {}", "as_of: {}", "xfail: {{until: {}}}"),
        *("usefixtures: [{}]", "expect: {{numbers: [{{value: 3, near: {}}}]}}"),
        *("expect: {{numbers: [{{value: 3, of: {}}}]}}", "expect: {{numbers: [{{value: 3, unit: {}}}]}}"),
        *("expect: {{as_of: {}}}", "expect: {{contains: {}}}", "expect: {{equals: {}}}", "expect: {{names: [{}]}}"),
        *(
            "expect: {{forbidden: [{{name: A, except: [{}]}}]}}",
            "expect: {{relationships: [{{source: {}, target: B}}]}}",
        ),
        *("expect: {{steps: [{}]}}", "expect: {{steps: [{{tool: t, required_columns: [{}]}}]}}"),
    ],
)
def test_a_text_of_a_scenario_that_says_nothing_is_refused_at_its_place(keys: str, blank: str) -> None:
    line = keys.format(blank)
    problem = the_problem(SCENARIO + f"  {line}\n")
    assert (problem.line, problem.col, problem.code) == (5, line.index(blank) + 3, "empty")
    assert f'found the text "{blank[1:-1]}", {NOT_EMPTY}' in problem.message


@pytest.mark.parametrize(
    "keys",
    [
        *("suite: {}", "target: {}", "catalog: [{}]", "datasets: [{{path: {}}}]", "target: {{call: {}}}"),
        *(
            "target: {{path: {}}}",
            "target: {{extraction: [{}]}}",
            "target: {{url: {}}}",
            "target: {{url: u, tool: {}}}",
        ),
        *("target: {{command: c, name: {}}}", "target: {{command: c, drop: [{}]}}", "target: {{command: c, cwd: {}}}"),
        *("target: {{command: c, aliases: {{A: [{}]}}}}", "target: {{command: c, setup: [{{tool: {}}}]}}"),
        *("target: {{command: c, recover: {{tool: {}}}}}", "target: {{command: c, preflight: {{tool: {}}}}}"),
        *("target: {{command: c, preflight: {{require: [{{path: {}}}]}}}}", "judge: {{call: {}}}"),
        *("judge: {{url: u, model: {}}}", "judge: {{url: {}, model: m}}"),
    ],
)
def test_a_text_of_a_suite_that_says_nothing_is_refused_at_its_place(keys: str) -> None:
    line = keys.format("''")
    problem = the_problem(f"{line}\n{SCENARIO}")
    assert (problem.line, problem.col, problem.code) == (1, line.index("''") + 1, "empty")
    assert NOT_EMPTY in problem.message


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("gate: {tags: {'': 0.5}}", "gate.tags"),
        ("gate: {metrics: {' ': 0.5}}", "gate.metrics"),
        ("target: {url: u, headers: {'': x}}", "target.headers"),
        ("target: {command: c, env: {'': x}}", "target.env"),
        ("target: {command: c, prices: {'': {input: 1, output: 1}}}", "target.prices"),
    ],
)
def test_an_empty_key_is_refused_at_its_place(line: str, key: str) -> None:
    problem = the_problem(f"{line}\n{SCENARIO}")
    assert (problem.line, problem.col, problem.code) == (1, line.index("'") + 1, "empty")
    assert problem.message == f"{key}: an empty key; name what is meant"


def test_an_expected_failure_of_no_kind_is_refused() -> None:
    problem = the_problem(SCENARIO + "  xfail: {raises: []}\n")
    assert (problem.line, problem.col, problem.code) == (5, 19, "empty")
    assert "xfail.raises: found an empty list, expected 1 or more; leave the key out" in problem.message


def test_a_mark_without_a_name_and_a_command_without_a_program_are_refused() -> None:
    assert "marks[0]: an empty item" in the_problem(SCENARIO + "  marks: ['']\n").message
    assert "begins with an empty text; the program" in the_problem(f"target: {{command: ['', x]}}\n{SCENARIO}").message


@pytest.mark.parametrize("k", ["0", "-1", "1.5", "true"])
def test_a_cutoff_that_counts_nothing_is_refused(k: str) -> None:
    step = f"  expect: {{steps: [{{tool: t, output: [a], compare: ids, k: {k}}}]}}\n"
    assert the_problem(SCENARIO + step).message.startswith(f"scenario 's': expect.steps[0].k: found `{k}`, expected ")
    for text in (SCENARIO + f"  metrics: [precision@{k}]\n", f"gate: {{metrics: {{precision@{k}: 0.5}}}}\n{SCENARIO}"):
        assert f"unknown metric 'precision@{k}'" in the_problem(text).message


def test_texts_that_may_be_empty_still_may() -> None:
    keys = "  description: ''\n  query_hints: ''\n  skip: ''\n  xfail: ''\n  arguments: {a: ''}\n"
    target = "target: {url: u, modes: {kg: ''}, response: {answer: '', separator: ''}, headers: {A: ''}}\n"
    assert load_suite("x.graph.yaml", text=target + SCENARIO + keys).scenarios
