"""What must hold of comparing any two runs."""

from __future__ import annotations

import json
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_graph_eval.gate.comparison.baseline import parse_baseline
from pytest_graph_eval.gate.comparison.regression import Comparison, compare, compare_runs
from pytest_graph_eval.models.records import Record
from tests.unit.gate_factory import WHOLE, baseline, record

score = st.one_of(st.none(), st.floats(0, 1))
fields = st.fixed_dictionaries(
    {
        "status": st.sampled_from(["PASS", "PASS", "FAIL", "ERROR", "INCONCLUSIVE", "SKIPPED"]),
        "scores": st.dictionaries(st.sampled_from(["precision", "recall", "mean"]), score),
        "retrieved": st.dictionaries(
            st.sampled_from(["entities", "chunks"]), st.lists(st.text(max_size=3), max_size=4)
        ),
        "key_facts": st.lists(st.text(max_size=3), max_size=3),
        "deterministic": st.booleans(),
        "outcome": st.sampled_from([None, "passed", "failed", "xfailed"]),
    }
)
runs = st.lists(fields, max_size=30).map(lambda rows: [record(f"q{i}", **row) for i, row in enumerate(rows)])


def against(before: list[Record], now: list[Record]) -> Comparison:
    return compare(baseline(before), now, WHOLE)


@given(runs)
def test_a_run_is_no_regression_against_itself(run: list[Record]) -> None:
    found = against(run, run)
    assert {r.code for r in found.reasons if r.level == "FAIL"} <= {"nothing_paired"}
    assert (found.worse, found.better, found.drift, found.vanished) == ([], [], [], [])
    assert compare_runs(run, run).rows == []


@given(runs, runs, st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_order_of_records_does_not_matter(before: list[Record], now: list[Record], rng: random.Random) -> None:
    found = against(before, now)
    for run in (before, now):
        rng.shuffle(run)
    assert against(before, now) == found


@given(runs, runs)
def test_every_scenario_of_both_sides_is_accounted_for_once(before: list[Record], now: list[Record]) -> None:
    found = against(before, now)
    known = {r.id for r in before if r.status != "SKIPPED"}
    new = {r.id for r in now if r.status != "SKIPPED"}
    listed = [*found.added, *found.changed, *found.vanished, *found.not_run, *found.set_aside]
    assert len(listed) == len(set(listed))
    assert found.n_paired + len(listed) == len(known | new)


@given(runs, runs)
@settings(max_examples=50)
def test_the_file_loses_nothing_that_is_compared(before: list[Record], now: list[Record]) -> None:
    saved = baseline(before)
    assert compare(parse_baseline(saved.to_text(), "b"), now, WHOLE) == compare(saved, now, WHOLE)
    json.dumps(against(before, now).block(), allow_nan=False)
