"""Paths of a target's settings that cannot be followed: problems of the file, with their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_graph_eval.errors import SuiteError
from pytest_graph_eval.loader import load_suite, load_targets

SCENARIO = "\nscenarios: [{id: a, question: Q, gold_answer: g}]\n"


@pytest.mark.parametrize(
    ("settings", "at", "message"),
    [
        (
            "url: u, response: {answer: a..b}",
            "a..b",
            "target.response.answer: 'a..b' is no path at '.b'; write `a.b[0]",
        ),
        ("url: u, response: {chunk_fields: {id: 'x['}}", "'x['", "target.response.chunk_fields.id: 'x[' is no path"),
        (
            "url: u, response: {entity_fields: {nmae: x}}",
            "nmae",
            "response.entity_fields: unknown field 'nmae'; did you",
        ),
        ("path: r, response: {id_rule: '('}", "'('", "target.response.id_rule: '(' is no regular expression"),
        ("command: c, catalog: {tool: t, response: {entities: 'a['}}", "'a['", "catalog.response.entities: 'a[' is no"),
        ("url: u, preflight: {entities: 'n['}", "'n['", "target.preflight.entities: 'n[' is no path"),
        ("url: u, preflight: {require: [{path: 'n['}]}", "'n['", "target.preflight.require[0].path: 'n[' is no path"),
    ],
)
def test_a_path_that_cannot_be_followed_is_named_at_its_place(settings: str, at: str, message: str) -> None:
    line = f"target: {{{settings}}}"
    with pytest.raises(SuiteError) as caught:
        load_suite("x.graph.yaml", text=line + SCENARIO)
    (problem,) = caught.value.problems
    assert (problem.line, problem.col) == (1, line.index(at) + 1)
    assert message in problem.message


@pytest.mark.parametrize(
    ("settings", "place", "at", "wrong", "right"),
    [
        ("command: c, arguments: {q: '{qestion}'}", "arguments.q", "'{q", "qestion", "question"),
        ("command: c, arguments: {a: [{b: ' {Mode} '}]}", "arguments.a[0].b", "' {M", "Mode", "mode"),
        ("kind: http, url: u, json: {m: ['{message}']}", "json.m[0]", "'{m", "message", "messages"),
        ("kind: http, url: 'http://h/?q={questions}&x={id}'", "url", "'http", "questions", "question"),
        ("url: u, headers: {T: 'x {threadid}'}", "headers.T", "'x", "threadid", "thread_id"),
    ],
)
def test_a_placeholder_that_is_almost_one_is_named_at_its_place(
    settings: str, place: str, at: str, wrong: str, right: str
) -> None:
    line = f"target: {{{settings}}}"
    with pytest.raises(SuiteError) as caught:
        load_suite("x.graph.yaml", text=line + SCENARIO)
    (problem,) = caught.value.problems
    assert (problem.line, problem.col) == (1, line.index(at) + 1)
    assert problem.message == f"target.{place}: unknown placeholder {{{wrong}}}, did you mean {{{right}}}?"


@pytest.mark.parametrize(
    "text",
    ["SELECT ?q { ?qestion ?p ?o }", "MATCH (a {mode}) RETURN a", "{question}", "{{qestion}}", "{x}", "${MODES}"],
)
def test_other_braces_are_text(text: str) -> None:
    line = f"target: {{command: c, arguments: {{q: {text!r}}}, url: , headers: {{A: '${{MODES:-x}}'}}}}"
    assert load_suite("x.graph.yaml", text=line + SCENARIO).scenarios


def test_declared_targets_are_looked_at_too(tmp_path: Path) -> None:
    path = tmp_path / "targets.yaml"
    path.write_text("prod:\n  url: u\n  response: {answer: a..b}\n", encoding="utf-8")
    with pytest.raises(SuiteError, match=r"targets.yaml:3:22: prod\.response\.answer: 'a\.\.b' is no path"):
        load_targets(path)
