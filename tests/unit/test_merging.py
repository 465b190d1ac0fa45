"""Merging suites: what stays, what wins, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.errors import SuiteError, UsageError
from pytest_graph_eval.loader import load_suite, merge_suites
from pytest_graph_eval.models.scenario import Scenario, Suite


def suite(*ids: str, answer: str = "old", **given: Any) -> Suite:
    return Suite(scenarios=[Scenario(id=i, question="Q", gold_answer=answer) for i in ids], **given)


def answers(merged: Suite) -> list[tuple[str, str | None]]:
    return [(s.id, s.gold_answer) for s in merged.scenarios]


def test_append_puts_the_incoming_scenario_in_the_place_of_the_old_one() -> None:
    merged = merge_suites(suite("a", "b"), suite("b", "c", answer="new"))
    assert answers(merged) == [("a", "old"), ("b", "new"), ("c", "new")]


def test_replace_takes_the_incoming_suite_as_it_is() -> None:
    incoming = suite("b", answer="new", meta={"x": 1})
    assert merge_suites(suite("a", meta={"y": 2}), incoming, mode="replace") == incoming


def test_an_unknown_mode_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="merge mode 'nonsense': expected one of append, replace"):
        merge_suites(suite("a"), suite("b"), mode="nonsense")


def test_an_id_that_stands_twice_is_refused_in_either_suite() -> None:
    with pytest.raises(SuiteError) as caught:
        merge_suites(suite("a", "a", suite="mine"), suite("b", "b"))
    assert [(p.file, p.code, p.key) for p in caught.value.problems] == [
        ("incoming", "duplicate_id", "b"), ("mine", "duplicate_id", "a"),
    ]  # fmt: skip


def test_meta_merges_by_key_and_is_made_anew_where_it_counts() -> None:
    base = suite("a", meta={"seed": 1, "scenario_hash": "h-base", "coverage": {"X": "generated"}})
    incoming = suite("b", meta={"scenario_hash": "h-inc", "coverage": {"Y": "generated"}})
    meta = merge_suites(base, incoming).meta
    assert meta["coverage"] == {"X": "generated", "Y": "generated"}
    assert (meta["seed"], meta["n_scenarios"]) == (1, 2)
    assert meta["scenario_hash"] not in ("h-base", "h-inc")
    assert merge_suites(incoming, base).meta["scenario_hash"] == meta["scenario_hash"]


def test_nothing_merged_with_nothing_is_counted_as_nothing() -> None:
    assert merge_suites(Suite(), Suite()) == Suite(meta={"n_scenarios": 0})


def test_what_the_base_says_of_itself_stays_and_gaps_are_filled() -> None:
    base = suite("a", suite="mine", gate={"overall": 0.9}, catalog=["x.json"], datasets=[{"path": "d.json"}])
    incoming = suite("b", suite="theirs", description="new", target="prod", catalog=["y.json", "x.json"])
    merged = merge_suites(base, incoming)
    assert (merged.suite, merged.description, merged.target) == ("mine", "new", "prod")
    assert merged.gate == base.gate
    assert merged.catalog == ["x.json", "y.json"]
    assert [d.path for d in merged.datasets] == ["d.json"]


def test_incoming_scenarios_keep_what_their_own_defaults_said() -> None:
    base = suite("a", defaults={"mode": "kg", "tags": ["base"]})
    incoming = suite("b", defaults={"tags": ["new"], "timeout": 5})
    merged = merge_suites(base, incoming)
    assert merged.defaults == base.defaults
    (added,) = (s for s in merged.scenarios if s.id == "b")
    assert (added.tags, added.timeout) == (["new"], 5)
    same = merge_suites(base, suite("b", defaults={"mode": "kg", "tags": ["base"]}))
    assert same.scenarios[1].tags == []


def test_loaded_suites_merge_as_they_were_written() -> None:
    loaded = load_suite("x.graph.yaml", text="scenarios: [{id: a, question: Q, gold_answer: g}]")
    assert answers(merge_suites(loaded, suite("b"))) == [("a", "g"), ("b", "old")]
