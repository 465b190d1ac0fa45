"""The JSON Schema takes what the loader takes, and refuses what a typing error makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from pytest_graph_eval.loader import load_suite, suite_schema
from pytest_graph_eval.loader.descriptions import descriptions
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.scenario import Scenario, Suite
from pytest_graph_eval.models.settings import Gate, McpTarget

EXAMPLES = Path(__file__).parents[2] / "example_suites"

CHECK = jsonschema.Draft202012Validator(suite_schema())

EVERYTHING = """\
suite: x
target: {kind: mcp, command: [a], env: {A: 1}, setup: [{tool: t}], preset: preciso}
defaults: {tags: a, skip: true, skipif: "1 > 2", marks: slow, expect: {contains: A}}
gate: {overall: 0.8, metrics: {faithfulness: {pass: 0.8, warn: 0.7}, precision: null}, max_errors: null}
scenarios:
  - id: a
    question: 12
    gold_answer: 2023
    requires_yoy: true
    xfail: false
    rows: [{id: a}]
    expect:
      contains: [x, {text: y, case: exact}]
      any_of: [[a, b], [c]]
      order: [a, {name: b, aliases: c}]
      relationships: [[a, R, b], {source: a, target: b}]
      equals: x
      in: both
      matches: x+
      scores: {facts: 1}
      steps: [[a, {tool: b, args: {q: [1, null]}, output: {rows: 2}}], c, {name: d, output: x}]
      tools: {required: a, forbidden: [z], max_calls: 5}
      steps_mode: suffix
      trajectory: exact
      compare: json
  - {id: c, question: Q, expect: {steps: a}}
  - {id: d, question: Q, expect: {steps: {tool: a, args: {}}}}
  - {id: b, question: Q, xfail: {raises: check}, skipif: {condition: "1"}, expect: {any_of: a,
     relationships: [a, R, b]}}
"""


def keys_without_a_description(schema: Any) -> Iterator[str]:
    for name, definition in ({"": schema} | schema["$defs"]).items():
        for form in (definition, *definition.get("anyOf", ())):
            for key, value in form.get("properties", {}).items():
                if not value.get("description", "").strip():
                    yield f"{name}.{key}"


def test_no_key_lacks_a_description() -> None:
    assert list(keys_without_a_description(suite_schema())) == []
    told = suite_schema()["$defs"]["Scenario"]["properties"]["id"]["description"]
    assert told == "Unique in the suite; the name of the pytest item."


def test_every_text_below_a_field_is_one_line_and_a_sentence() -> None:
    texts = [text for model in (Scenario, Expect, Gate, McpTarget) for text in descriptions(model).values()]
    assert len(texts) > 80
    assert [text for text in texts if not text.endswith(".") or len(text) > 120] == []


def test_the_schema_beside_the_examples_is_this_one_and_each_of_them_names_it() -> None:
    written = json.loads((EXAMPLES / "graph-eval.schema.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(suite_schema())), "run python -m tests.generated"
    suites = sorted(EXAMPLES.rglob("*.graph.yaml"))
    assert len(suites) > 5
    for suite in suites:
        first = suite.read_text(encoding="utf-8").partition("\n")[0]
        name = first.removeprefix("# yaml-language-server: $schema=")
        assert (suite.parent / name).resolve() == EXAMPLES / "graph-eval.schema.json", suite


@pytest.mark.slow
def test_the_schema_is_one() -> None:
    CHECK.check_schema(CHECK.schema)


def test_every_shorthand_that_loads_is_in_the_schema() -> None:
    load_suite("x.graph.yaml", text=EVERYTHING)
    assert [e.message for e in CHECK.iter_errors(yaml.safe_load(EVERYTHING))] == []


@pytest.mark.parametrize(
    "data",
    [
        {"scenario": []},
        {"scenarios": [{"id": "a", "question": "Q", "expekt": {}}]},
        {"scenarios": [{"id": "a", "question": "Q", "expect": {"names": [{"nam": "x"}]}}]},
        {"scenarios": [{"id": "a"}]},
        {"scenarios": [{"id": "a", "question": "Q", "expect": {"steps": []}}]},
        {"scenarios": [{"id": "a", "question": "Q", "expect": {"steps": [{"args": {}}]}}]},
        {"scenarios": [{"id": "a", "question": "Q", "expect": {"steps": [{"tool": "a", "arg": {}}]}}]},
        {"scenarios": [{"id": "a", "question": "Q", "expect": {"tools": {"forbid": "a"}}}]},
        {"scenarios": [{"id": "a", "question": "Q", "timeout": "3"}]},
        {"gate": {"max_inconclusive": 3}},
        {"gate": {"overall": {"pass": 0.8, "wran": 0.7}}},
        {"target": {"url": "x", "toool": 1}},
    ],
)
def test_a_mistake_that_the_loader_refuses_is_not_in_the_schema(data: Any) -> None:
    assert list(CHECK.iter_errors(data))


def test_everything_that_has_a_name_has_a_description() -> None:
    schema = suite_schema()
    assert schema["description"]
    assert [name for name, definition in schema["$defs"].items() if not definition.get("description")] == []


def test_the_models_describe_themselves_to_other_tools_as_well() -> None:
    found = Suite.model_json_schema()
    assert {"Gate", "McpTarget", "Step", "JudgeSettings"} <= found["$defs"].keys()
