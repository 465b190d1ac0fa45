from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import PreflightError
from pytest_graph_eval.targets.templates import expand_environment, inline_files, render

VALUES: dict[str, Any] = {"question": "Who {mode}?", "mode": "kg"}
TALK = [{"role": "user", "content": "Who {mode}?"}, {"role": "assistant", "content": "Bob"}]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{question}", "Who {mode}?"),
        ("ask: {question} in {mode}", "ask: Who {mode}? in kg"),
        ("{{question}}", "{question}"),
        ("{{{mode}}}", "{{mode}}"),
        ("{other} {{other}}", "{other} {{other}}"),
        ("SELECT ?s WHERE { ?s ?p {mode} }", "SELECT ?s WHERE { ?s ?p kg }"),
        ("MATCH (n {name: $x}) RETURN n", "MATCH (n {name: $x}) RETURN n"),
        ('{"query": "{question}", "n": {}}', '{"query": "Who {mode}?", "n": {}}'),
        ("{Mode} { mode }", "{Mode} { mode }"),
        (7, 7),
        (None, None),
        ({"a": ["{mode}", {"b": "{mode}"}], "{mode}": True}, {"a": ["kg", {"b": "kg"}], "{mode}": True}),
    ],
)
def test_only_known_placeholders_are_filled_in(template: Any, expected: Any) -> None:
    """Braces of other languages stay, and a question is never looked into."""
    assert render(template, VALUES) == expected


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{messages}", TALK),
        ({"messages": "{messages}"}, {"messages": TALK}),
        (["first", "{messages}", ["{mode}"]], ["first", *TALK, ["kg"]]),
        (["{messages}", "{messages}"], [*TALK, *TALK]),
        ([["{messages}"]], [TALK]),
        ("{{messages}}", "{messages}"),
        ("{mode}{messages}", 'kg[{"role": "user", "content": "Who {mode}?"}, {"role": "assistant", "content": "Bob"}]'),
    ],
)
def test_a_list_takes_the_place_of_its_placeholder(template: Any, expected: Any) -> None:
    values = VALUES | {"messages": TALK}
    assert render(template, values) == expected
    render("{messages}", values).append("x")
    assert len(TALK) == 2


def test_the_template_itself_stays_as_it_was() -> None:
    template = {"a": ["{mode}"]}
    render(template, VALUES)
    assert template == {"a": ["{mode}"]}


def test_variables_are_read_and_secrets_are_told() -> None:
    settings = {
        "url": "https://user:p%40ss@host/${PLACE}",
        "headers": {"Authorization": "Bearer ${TOKEN}"},
        "env": {"A": "${UNSET:-fallback}", "B": "${EMPTY:-other}", "C": "$${TOKEN} $TOKEN"},
        "command": ["run", "${FLAG}"],
        "number": 3,
    }
    environ = {"PLACE": "mcp-place", "TOKEN": "s3cret-token", "FLAG": "--fast-flag", "EMPTY": ""}
    result = expand_environment(settings, environ, "s.yaml:3")
    assert result.values == {
        "url": "https://user:p%40ss@host/mcp-place",
        "headers": {"Authorization": "Bearer s3cret-token"},
        "env": {"A": "fallback", "B": "other", "C": "${TOKEN} $TOKEN"},
        "command": ["run", "--fast-flag"],
        "number": 3,
    }
    assert result.secrets == {"mcp-place", "s3cret-token", "p%40ss", "p@ss", "--fast-flag"}


def test_a_variable_that_is_set_to_nothing_is_set() -> None:
    assert expand_environment({"env": {"A": "${E}"}}, {"E": ""}, "").values == {"env": {"A": ""}}


def test_all_unset_variables_are_named_with_place_setting_and_remedy() -> None:
    with pytest.raises(PreflightError) as error:
        expand_environment({"headers": {"X": "${KEY_A}"}, "command": ["a", "${KEY_B}"]}, {}, "s.yaml:3")
    assert str(error.value).splitlines() == [
        "s.yaml:3: the environment variable KEY_A is not set; set it, or give it a default with `:-` (headers.X)",
        "s.yaml:3: the environment variable KEY_B is not set; set it, or give it a default with `:-` (command[1])",
    ]


def test_a_json_file_is_inlined_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"entities": [1]}', "utf-8")
    assert inline_files([{"arguments": {"payload": {"$file": "x.json"}, "n": 1}}], tmp_path) == [
        {"arguments": {"payload": {"entities": [1]}, "n": 1}}
    ]


def test_files_that_cannot_be_inlined_are_all_named(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{", "utf-8")
    with pytest.raises(PreflightError) as error:
        inline_files([{"$file": "missing.json"}, {"$file": "bad.json"}], tmp_path)
    first, second = str(error.value).splitlines()
    assert "missing.json: No such file" in first
    assert "bad.json: no JSON: " in second
