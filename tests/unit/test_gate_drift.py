"""What came and went since the baseline, and `expect.stable`, which needs no gold data."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_graph_eval.gate.comparison.baseline import Entry
from pytest_graph_eval.gate.comparison.drift import drift, drift_table, stable_checks
from pytest_graph_eval.models.expect import Expect, Stable
from pytest_graph_eval.models.records import Check, Record
from tests.unit.gate_factory import record


def run(id_: str = "q", facts: list[str] | None = None, **retrieved: list[str]) -> Record:
    return record(id_, retrieved=retrieved, key_facts=facts or [])


def check(stable: dict[str, float], before: Record, now: Record) -> Check:
    (found,) = stable_checks(Stable(**stable), Entry.of(before), now)
    return found


def test_the_overlap_of_sets_is_their_jaccard_index() -> None:
    before, now = run(entities=["A", "B", "C"]), run(entities=["B", "C", "D"])
    row = next(r for r in drift(Entry.of(before), now) if r.kind == "entities")
    assert (row.share, row.lost, row.gained) == (0.5, ("A",), ("D",))


def test_of_facts_the_share_that_is_kept_counts_and_new_ones_are_welcome() -> None:
    before, now = run(facts=["$611 billion", "2023"]), run(facts=["2023", "6.7%", "$611 billion"])
    row = next(r for r in drift(Entry.of(before), now) if r.kind == "facts")
    assert (row.share, row.lost, row.gained) == (1.0, (), ("6.7%",))


def test_order_repetition_case_and_spacing_are_no_drift() -> None:
    before = run(entities=["TOTAL  Revenues", "Ｗalmart", "Walmart"])
    now = run(entities=["walmart", "Total Revenues"])
    assert drift_table([(Entry.of(before), now)]) == []


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("4.2%", "4.2 %"),
        ("3,400", "3 400"),
        ("€1.25 billion", "€1,250 million"),
        ("€1.25 billion", "EUR 1.25bn"),
        ("12 May 2019", "2019-05-12"),
        ("168 MW", "168.0 MW"),
        ("-4.2%", "-4.2 %"),
        ("-$5 million", "-5 million dollars"),
    ],
)
def test_a_fact_that_is_written_otherwise_is_kept(before: str, now: str) -> None:
    was, is_now = run(facts=["Skagen Park", before]), run(facts=[now, "Skagen Park"])
    assert check({"facts": 1.0}, was, is_now).outcome == "pass"
    assert drift_table([(Entry.of(was), is_now)]) == []


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("4.2%", "4.2"),
        ("4.2%", "-4.2%"),
        ("€1.25 billion", "€1.25 million"),
        ("€1.25 billion", "$1.25 billion"),
        ("12 May 2019", "13 May 2019"),
        ("168 MW", "168 GW"),
        ("3,400", "3,401"),
        ("Anna Lee", "Annaleena Holt"),
    ],
)
def test_a_fact_that_is_another_one_is_lost(before: str, now: str) -> None:
    row = next(r for r in drift(Entry.of(run(facts=["42", before])), run(facts=[now, "42"])) if r.kind == "facts")
    assert (row.share, row.lost, row.gained) == (0.5, (before,), (now,))


def test_a_date_that_is_stated_less_exactly_is_lost() -> None:
    assert check({"facts": 1.0}, run(facts=["12 May 2019"]), run(facts=["May 2019"])).outcome == "fail"


def test_only_what_both_runs_report_is_compared() -> None:
    before, now = run(entities=["A"]), run(chunks=["c1"])
    assert [r.kind for r in drift(Entry.of(before), now)] == ["facts"]


def test_the_table_lists_changes_only_the_least_overlap_first() -> None:
    pairs = [
        (Entry.of(run("a", entities=["A", "B"])), run("a", entities=["A"])),
        (Entry.of(run("b", chunks=["c1"])), run("b", chunks=["c2"])),
        (Entry.of(run("c", chunks=["c1"])), run("c", chunks=["c1"])),
    ]
    assert [(r.id, r.kind, r.share) for r in drift_table(pairs)] == [("b", "chunks", 0.0), ("a", "entities", 0.5)]


def test_timings_scores_and_wording_are_no_drift() -> None:
    before = record("q", retrieved={"chunks": ["c"]}, elapsed_s=1.0, answer="It is so.", scores={"precision": 0.1})
    now = record("q", retrieved={"chunks": ["c"]}, elapsed_s=9.0, answer="So it is.", scores={"precision": 0.9})
    assert drift_table([(Entry.of(before), now)]) == []


def test_a_stable_scenario_passes_and_says_by_how_much() -> None:
    found = check({"entities": 0.5}, run(entities=["A", "B", "C"]), run(entities=["B", "C", "D"]))
    assert (found.kind, found.outcome, found.rule) == ("stable", "pass", "jaccard")
    assert found.message == "0.50 overlap of entities with the baseline, at least 0.50 expected; lost: A; new: D"
    assert found.found == {"share": 0.5, "lost": ["A"], "gained": ["D"]}


def test_lost_entities_fail_and_are_named() -> None:
    found = check({"entities": 0.8}, run(entities=["Walmart", "Sam's Club", "CFO"]), run(entities=["Walmart"]))
    assert found.outcome == "fail"
    assert found.message == (
        "0.33 overlap of entities with the baseline, at least 0.80 expected; lost: CFO, Sam's Club"
    )


def test_many_lost_names_are_counted() -> None:
    found = check({"chunks": 1.0}, run(chunks=[f"c{i:02}" for i in range(20)]), run(chunks=[]))
    assert "lost: c00, c01, c02, c03, c04, c05, c06, c07 and 12 more" in found.message


def test_a_lost_fact_fails_and_is_named() -> None:
    found = check({"facts": 1.0}, run(facts=["$611 billion", "2023"]), run(facts=["2023"]))
    assert (found.outcome, found.rule) == ("fail", "facts_kept")
    assert found.message == "0.50 of the baseline's facts kept, at least 1.00 expected; lost: $611 billion"


def test_a_share_just_below_its_line_is_not_rounded_onto_it() -> None:
    found = check({"chunks": 0.67}, run(chunks=["a", "b", "c"]), run(chunks=["a", "b"]))
    assert (found.outcome, found.message[:5]) == ("fail", "0.667")


def test_nothing_before_and_nothing_now_is_stable() -> None:
    assert check({"chunks": 1.0}, run(chunks=[]), run(chunks=[])).outcome == "pass"
    assert check({"facts": 1.0}, run(), run()).outcome == "pass"


def test_something_where_there_was_nothing_is_drift() -> None:
    assert check({"chunks": 0.1}, run(chunks=[]), run(chunks=["c"])).outcome == "fail"


@pytest.mark.parametrize(
    ("before", "now", "message"),
    [
        (run(chunks=["c"]), run(), "the target reported no chunks this time, the baseline has them"),
        (run(), run(chunks=["c"]), "the baseline does not know the chunks of this scenario"),
    ],
)
def test_what_is_not_reported_is_an_error_and_no_failure(before: Record, now: Record, message: str) -> None:
    found = check({"chunks": 0.5}, before, now)
    assert (found.outcome, found.rule) == ("error", "not_reported")
    assert message in found.message


def test_each_kind_with_a_line_has_its_check() -> None:
    both = run(entities=["A"], chunks=["c"], relationships=["r"], facts=["2023"])
    stable = Stable(entities=0.8, relationships=0.8, chunks=0.8, facts=1.0)
    found = stable_checks(stable, Entry.of(both), both)
    assert [next(iter(c.expected)) for c in found] == ["entities", "relationships", "chunks", "facts"]
    assert {c.outcome for c in found} == {"pass"}


def test_stable_alone_is_something_to_check() -> None:
    assert Expect.model_validate({"stable": {"entities": 0.8}}).has_checks()


@pytest.mark.parametrize("value", [{}, {"entities": None}, {"entities": 1.5}, {"chunks": 0}, {"names": 0.5}])
def test_a_stable_block_without_a_sensible_line_is_refused(value: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Stable.model_validate(value)
