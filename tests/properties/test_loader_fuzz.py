"""Whatever a file holds, loading it gives a suite or a SuiteError, with positions inside the file, in bounded time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pytest_graph_eval import yaml_source
from pytest_graph_eval.errors import Problem, SuiteError
from pytest_graph_eval.loader import load_gate, load_suite, load_targets
from pytest_graph_eval.models.scalars import Scalar
from pytest_graph_eval.yaml_source import reader
from pytest_graph_eval.yaml_source.hints import Pitfalls
from pytest_graph_eval.yaml_source.usual import read_usual

SUITE = """\
suite: x
target: {kind: mcp, command: [a, b], env: {A: "${B}"}, response: {answer: a.b, entities: "c[*]"}}
defaults: &d {tags: [smoke], mode: kg, arguments: {k: {n: 1}}, expect: {scores: {facts: 0.5}}}
gate: {overall: {pass: 0.8, warn: 0.6}, metrics: {faithfulness: 0.8, precision: null}, max_errors: 1}
scenarios:
  - id: TC001
    question: "What about {company} & #1?"
    gold_answer: $611.3 billion
    source_entities: [TOTAL REVENUES, Null]
    rows: [{id: a, company: Walmart}, {id: b, company: NO}]
    xfail: {reason: x, raises: [check], until: 2026-12-31}
  - id: TC002
    question: |
      more
      lines
    timeout: 1e3
    expect:
      names: [A, {name: B, aliases: [C]}]
      any_of: [[A, B], [C]]
      relationships: [[A, R, B], {source: A, target: B}]
      matches: "[a-z]+"
      in: both
  - {id: TC003, question: 2024-01-01, <<: {must_pass: true}, expect: {denial: yes, budget: {seconds: 3}}}
"""

PIECES = st.sampled_from([
    "\t", " ", "\n", "  ", ":", ": ", "- ", "#", " #x", "&a ", "*a", "!", "!!int ", "!!python/object:x ", "{", "}", "[",
    "]", ",", "'", '"', "|", ">", "?", "? ", "<<: *a", "<<: 1", "null", "~", ".nan", ".inf", "1e999", "9" * 5000,
    "0x1F", "0o9", "\x00", "\ufeff", "\x85", "\u2028", "---\n", "...\n", "%YAML 1.1\n", "{a}", "{{a}}", "$611,289",
    "id: x\n", "expect: {}\n", "rows: []\n", "as_of: 2024-02-30\n", "\\", "\ud7ff", "🎉", "é",
])  # fmt: skip


def problems(load: Callable[..., Any], path: Path | str, **given: Any) -> Sequence[Problem] | None:
    """Return why a file is refused, None where it loads; whatever else is raised fails the test."""
    try:
        load(path, **given)
    except SuiteError as e:
        return e.problems
    return None


def check(text: str) -> None:
    found = problems(load_suite, "folder/x.graph.yaml", text=text)
    lines = text.count("\n") + sum(map(text.count, "\r\x85\u2028\u2029")) + 1
    assert found is None or found, "an error without a problem"
    for problem in found or ():
        assert problem.message
        assert problem.code
        assert problem.line <= lines, problem
        assert (problem.line == 0) == (problem.col == 0)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_loads_or_is_refused(text: str) -> None:
    check(text)


@settings(deadline=None)
@given(st.lists(PIECES | st.text(max_size=5), max_size=40))
def test_any_mix_of_yaml_signs_loads_or_is_refused(pieces: list[str]) -> None:
    check("".join(pieces))


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_a_damaged_suite_loads_or_is_refused(data: st.DataObject) -> None:
    text = SUITE
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        text = text[:start] + data.draw(PIECES | st.text(max_size=3) | st.just("")) + text[end:]
    check(text)


def told(value: Any) -> Any:
    """Return data with what tells a plain scalar from a text."""
    if isinstance(value, dict):
        return {key: told(below) for key, below in value.items()}
    if isinstance(value, list):
        return [told(below) for below in value]
    return (type(value), str(value), repr(value.value)) if isinstance(value, Scalar) else value


def places(document: yaml_source.Document, value: Any, loc: tuple[Any, ...] = ()) -> list[Any]:
    """Return the places of all mappings in a document and of the keys at its top."""
    found = [document.position(loc)] if isinstance(value, dict) else []
    found += [document.key_position((key,)) for key in value] if isinstance(value, dict) and not loc else []
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [*found, *(place for key, below in parts for place in places(document, below, (*loc, key)))]


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_the_quick_way_reads_what_the_careful_one_reads(data: st.DataObject) -> None:
    text = SUITE if data.draw(st.booleans()) else SUITE.replace("&d ", "").replace("<<: ", "y: ")
    for _ in range(data.draw(st.integers(0, 3))):
        start = data.draw(st.integers(0, len(text)))
        text = text[:start] + data.draw(PIECES) + text[start:]
    text = text.replace("\x00", "").removeprefix("\ufeff")  # these are seen before
    if (usual := read_usual(text, Pitfalls(text))) is not None:
        quick, careful = yaml_source.parse(text, "f"), reader._read(text, "f", Pitfalls(text))
        assert not careful.problems
        assert told(usual.data) == told(careful.data)
        assert places(quick, quick.data) == places(careful, careful.data)
        assert quick.position(("nothing",)) == careful.position(("nothing",))


def test_most_suites_are_read_the_quick_way() -> None:
    text = SUITE.replace("&d ", "").replace("<<: ", "y: ")
    assert read_usual(text, Pitfalls(text)) is not None
    assert read_usual(SUITE, Pitfalls(SUITE)) is None


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just({}) | st.just([])
KEYS = st.text(max_size=4) | st.sampled_from([
    "suite", "target", "catalog", "defaults", "gate", "datasets", "scenarios", "id", "question", "expect", "names",
    "numbers", "kind", "url", "path", "rows", "xfail", "skip", "tags", "marks", "arguments", "metrics", "scores",
    "any_of", "order", "relationships", "counts", "in", "value", "overall", "pass", "warn", "response",
])  # fmt: skip


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.recursive(
        LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=30
    )
)
def test_any_data_under_our_keys_loads_or_is_refused(data: object) -> None:
    check(
        yaml.safe_dump(
            {"scenarios": [{"id": "a", "question": "b", "expect": data}, data], "gate": data, "target": data}
        )
    )
    check(yaml.safe_dump(data))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
@example(b"\xff\xfea\x00")
@example(b"\xef\xbb\xbfscenarios: []")
def test_any_bytes_in_any_kind_of_file_load_or_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.graph.yaml"
    path.write_bytes(content)
    data = tmp_path / "data.json"
    data.write_bytes(content)
    for load in (load_suite, load_targets, load_gate):
        assert problems(load, path) != []
    assert problems(load_suite, tmp_path / "y.graph.yaml", text="datasets: [{path: data.json}]")


def chain(first: str, link: str, length: int) -> str:
    """Return anchors a0, a1, ... of which each uses the one before."""
    return "".join(f"a{i}: &a{i} {link.format(f'*a{i - 1}') if i else first}\n" for i in range(length))


HOSTILE = {
    "alias bomb": chain("[x,x,x,x,x,x,x,x,x]", "[{0},{0},{0},{0},{0},{0},{0},{0},{0}]", 30),
    "merge bomb": chain("{k: 1}", "{{<<: [{0},{0},{0},{0},{0},{0},{0},{0},{0}]}}", 30),
    "deep through aliases": chain("[[[[[[x]]]]]]", "[[[[[[{0}]]]]]]", 400),
    "deep brackets": "[" * 100_000,
    "deep blocks": "".join(" " * i + "-\n" for i in range(300)) + " " * 300 + "- x\n",
    "wide": "scenarios: [" + "x," * 400_000 + "]",
    "long scalar": "scenarios: " + "x" * 4_000_000,
    "many spaces": "scenarios:" + " " * 4_000_000 + "#x",
    "many hashes": "scenarios: " + " #x" * 300_000,
    "many digits": "[" + "1,111" * 200_000 + "]",
    "many keys": "\n".join(f"k{i}: {i}" for i in range(100_000)),
    "many duplicate keys": "k: 1\n" * 50_000,
    "many anchors": "\n".join(f"k{i}: &a{i} x" for i in range(50_000)),
    "many bad scenarios": "scenarios:\n" + "- {id: a, qestion: b}\n" * 3_000,
    "many same ids": "scenarios:\n" + "- {id: a, question: b, gold_answer: c}\n" * 3_000,
    "many rows": "scenarios:\n- id: a\n  question: '{k}'\n  gold_answer: c\n  rows:\n" + "".join(
        f"  - {{id: r{i}, k: v}}\n" for i in range(3_000)),
    "long regex": "scenarios: [{id: a, question: b, expect: {matches: '" + "(" * 5_000 + "'}}]",
    "long condition": "scenarios: [{id: a, question: b, skipif: '" + "(" * 5_000 + "'}]",
}  # fmt: skip


@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_costs_bounded_time(name: str) -> None:
    check(HOSTILE[name])


def test_a_file_above_the_size_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x.graph.yaml"
    with path.open("wb") as file:
        file.truncate(yaml_source.MAX_BYTES + 1)
    with pytest.raises(SuiteError, match="larger than 16 MiB"):
        load_suite(path)
