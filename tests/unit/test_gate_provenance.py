"""What the gate says of facts that changed since a suite was generated, from the records alone."""

from __future__ import annotations

import pytest

from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.reports import terminal
from pytest_graph_eval.reports.failure import failure_text
from pytest_graph_eval.reports.tdfs4ds import Results
from tests.unit.gate_records import codes, judged, make, text_of

STALE = {"stale": ["names: A -> B"]}


@pytest.mark.parametrize(
    ("fields", "code", "level", "verdict"),
    [
        ({"facts": STALE}, "stale_facts", "WARN", "WARN"),
        ({"facts": {"stale": [], "refreshed": ["names: A -> B"]}}, "facts_refreshed", "NOTE", "PASS"),
        ({"facts": {"unchecked": ["made elsewhere"]}}, "facts_unchecked", "NOTE", "PASS"),
        ({"explain": {"catalog": "s.graph.yaml:3: the catalog cannot be read"}}, "catalog_unreadable", "FAIL", "FAIL"),
    ],
)  # fmt: skip
def test_each_finding_is_a_reason_of_its_own(fields: dict[str, object], code: str, level: str, verdict: str) -> None:
    summary = judged([make("a", mean=0.9, **fields), make("b", mean=0.9, facts={"stale": []})])
    assert codes(summary) == [(code, level)]
    assert summary.threshold_result == verdict


def test_scenarios_with_the_same_change_are_named_together_and_long_texts_are_cut() -> None:
    facts = {"stale": ["names: " + "A, " * 200 + "-> nothing"]}
    records = [make(f"s{n}", mean=0.9, facts=STALE if n < 5 else facts) for n in range(6)]
    text = text_of(judged(records), "stale_facts")
    assert text.startswith(
        "6 scenarios expecting what the catalog no longer says: s0, s1, s2 and 2 more (names: A -> B)"
    )
    assert "s5 (names: A, A," in text
    assert "…)" in text
    assert len(text) < 500


def test_errors_and_inconclusive_scenarios_are_stale_all_the_same() -> None:
    records = [make("a", "ERROR", facts=STALE, error="gone"), make("b", "INCONCLUSIVE", facts=STALE, reason="none")]
    assert ("stale_facts", "WARN") in codes(judged([*records, make("c", mean=0.9)]))


def test_the_report_lists_stale_scenarios_and_says_what_to_do() -> None:
    lines = "\n".join(line.text for line in terminal.render(judged([make("a", mean=0.9, facts=STALE)])))
    assert "Stale Facts:           1 scenario expecting what the catalog no longer says\n  - a: names: A -> B" in lines
    assert "Bring the suite up to date: graph-eval generate, or --graph-eval-facts" in lines


def test_a_failure_says_that_its_facts_are_stale() -> None:
    record = make("a", "FAIL", 0.2, facts=STALE)
    text = failure_text(record, Scenario(id="a", question="Q"), "s.graph.yaml:4", rerun="s.graph.yaml::a")
    assert "  facts stale: names: A -> B\n" in text


def test_results_in_the_form_of_tdfs4ds_count_them() -> None:
    results = Results()
    results.add(make("a", mean=0.9, facts=STALE))
    results.add(make("b", mean=0.9, facts={"stale": [], "refreshed": ["names: A -> B"]}))
    data = results.data(timestamp="t", version="1")
    assert (data["n_stale"], [t["facts_stale"] for t in data["turns"]]) == (1, [True, False])
    assert [t["facts_refreshed"] for t in data["turns"]] == [False, True]
