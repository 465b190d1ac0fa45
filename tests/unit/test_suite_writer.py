"""Writing suites: readable YAML that means the same to every YAML reader."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.loader import load_suite, save_suite
from pytest_graph_eval.loader.writer import dump_suite
from pytest_graph_eval.models.scenario import Scenario, Suite

SUITE = Suite(
    suite="x",
    target={"call": "m:f"},
    gate={"overall": None},
    scenarios=[
        Scenario(
            id="a",
            question="What is 1 + 1?",
            gold_answer="0123",
            tags=["NO"],
            arguments={"n": 12, "t": "12", "e": "1e3", "q": "SELECT ?x\nWHERE {}"},
            expect={"numbers": ["$3 #1", {"value": "6 %", "near": "x"}], "in": "both"},
        )
    ],
)


def test_a_saved_suite_is_readable_and_complete() -> None:
    assert (
        dump_suite(SUITE, schema="s.json")
        == """\
# yaml-language-server: $schema=s.json
suite: x
target:
  call: m:f
gate:
  overall: null
scenarios:
  - id: a
    question: What is 1 + 1?
    gold_answer: "0123"
    tags:
      - 'NO'
    arguments:
      n: 12
      t: "12"
      e: "1e3"
      q: |-
        SELECT ?x
        WHERE {}
    expect:
      numbers:
        - value: '$3 #1'
        - value: 6 %
          near: x
      in: both
"""
    )


def test_other_yaml_readers_see_the_same_texts() -> None:
    data = yaml.safe_load(dump_suite(SUITE))
    assert data["scenarios"][0]["arguments"] == {"n": 12, "t": "12", "e": "1e3", "q": "SELECT ?x\nWHERE {}"}
    assert data["scenarios"][0]["tags"] == ["NO"]


def test_defaults_and_rows_are_saved_as_they_were_written(tmp_path: Path) -> None:
    text = "defaults: {tags: [x]}\nscenarios: [{id: a, question: '{c}', gold_answer: g, rows: [{id: b, c: d}]}]"
    loaded = load_suite("x.graph.yaml", text=text)
    save_suite(loaded, tmp_path / "y.graph.yaml")
    again = load_suite(tmp_path / "y.graph.yaml")
    assert again.suite == loaded.suite
    assert [s.scenario.id for s in again.scenarios] == ["a-b"]


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written: Is a directory"):
        save_suite(SUITE, tmp_path)
    path = tmp_path / "x.graph.yaml"
    path.write_text("as it was", encoding="utf-8")
    half = Suite.model_construct(suite="\ud800", _fields_set={"suite"})
    with pytest.raises(UsageError, match="is half a character"):
        save_suite(half, path)
    assert path.read_text(encoding="utf-8") == "as it was"
