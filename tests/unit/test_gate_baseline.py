"""The baseline file: what it keeps, how it is read, and when it must not be written."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.gate.comparison.baseline import (
    Baseline,
    build,
    merge,
    parse_baseline,
    read_baseline,
    why_not_saved,
    write_baseline,
)
from pytest_graph_eval.gate.summary import GraphStats
from pytest_graph_eval.models.scenario import Scenario, digest, fingerprint, identity
from tests.unit.gate_factory import SUITE, baseline, record, records, repeated


def saved() -> Baseline:
    tools = {"query": {"required": ["q"], "properties": {"q": {"type": "string"}}}}
    one = record(
        "q0", scores={"precision": 0.5, "mean": 0.5}, retrieved={"entities": ["Walmart"]}, key_facts=["$611 billion"],
        flags=["precision_issue"], target="graph", deterministic=True,
    )  # fmt: skip
    two = repeated("q1", "PPF", {"precision": 1.0})
    return baseline(
        [one, two],
        graphs={SUITE: GraphStats(entities=12, relationships=9, tools=tools)},
        suite_hash="abc",
        created="2026-05-30T13:45:00Z",
        meta={"version": "0.1.0"},
    )


def test_a_baseline_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "baseline.json"
    write_baseline(path, saved())
    assert read_baseline(path).to_text() == saved().to_text()
    assert [p.name for p in path.parent.iterdir()] == ["baseline.json"]


def test_a_baseline_keeps_what_the_gate_compares() -> None:
    found = parse_baseline(saved().to_text(), "b")
    entry = found.suites[SUITE]["q0"]
    assert (entry.status, entry.retrieved, entry.key_facts) == ("PASS", {"entities": ["Walmart"]}, ["$611 billion"])
    assert (entry.flags, entry.target, entry.deterministic) == (["precision_issue"], "graph", True)
    assert (entry.pass_rate(), entry.score("precision")) == (1.0, 0.5)
    repeats = found.suites[SUITE]["q1"]
    assert len(repeats.attempts) == 3
    assert repeats.pass_rate() == pytest.approx(2 / 3)
    assert repeats.pass_rate(2) == 1.0
    assert found.graphs[SUITE].entities == 12
    assert (found.created, found.suite_hash, found.meta) == ("2026-05-30T13:45:00Z", "abc", {"version": "0.1.0"})


def test_the_text_does_not_depend_on_the_order_of_records() -> None:
    assert baseline(records("PFP")).to_text() == baseline(reversed(records("PFP"))).to_text()


def test_the_fingerprint_is_computed_from_what_was_asked() -> None:
    data = json.loads(saved().to_text())
    assert "fingerprint" not in json.dumps(data)
    data["suites"][SUITE]["q0"]["scenario"]["question"] = "Something else?"
    data["suites"][SUITE]["q0"]["fingerprint"] = data["suites"][SUITE]["q0"]["claimed"] = record("q0").fingerprint
    found = parse_baseline(json.dumps(data), "b").suites[SUITE]["q0"]
    assert found.fingerprint != record("q0").fingerprint


def test_a_changed_copy_of_a_scenario_has_a_fingerprint_of_its_own() -> None:
    scenario = Scenario(id="a", question="Who?", expect={"contains": ["x"]})
    before = fingerprint(scenario)
    assert fingerprint(scenario.model_copy(update={"question": "Where?"})) != before
    assert fingerprint(scenario.model_copy(update={"tags": ["t"]}, deep=True)) == before == fingerprint(scenario)


def test_a_scenario_has_the_same_fingerprint_after_a_round_trip_through_the_file() -> None:
    scenario = Scenario.model_validate(
        {
            "id": "q0",
            "question": "Größe?",
            "gold_answer": "3.50",
            "source_entities": ["b", "a"],
            "arguments": {"limit": 3, "weights": [0.1, 1e22], "flags": {"deep": True}},
            "expect": {"numbers": [{"value": "3.5", "rel_tol": 0.1}], "stable": {"entities": 0.8}},
        }
    )
    done = record("q0", asks=identity(scenario))
    found = parse_baseline(build([done], {(SUITE, "q0"): identity(scenario)}).to_text(), "b")
    assert found.suites[SUITE]["q0"].fingerprint == fingerprint(scenario) == digest(identity(scenario))
    assert "stable" not in found.suites[SUITE]["q0"].scenario["expect"]


def test_skipped_scenarios_are_left_out() -> None:
    assert list(baseline(records("PS")).suites[SUITE]) == ["q0"]


def test_a_score_that_is_no_number_is_kept_as_unscored() -> None:
    done = record("q0")
    done.scores["precision"] = math.nan
    text = baseline([done]).to_text()
    assert parse_baseline(text, "b").suites[SUITE]["q0"].score("precision") is None


def test_a_pass_that_pytest_failed_is_no_pass() -> None:
    strict_xpass = record("q0", outcome="failed")
    entry = baseline([strict_xpass]).suites[SUITE]["q0"]
    assert (entry.status, entry.pass_rate()) == ("FAIL", 0.0)


def test_a_suite_that_changed_while_it_ran_is_not_saved() -> None:
    with pytest.raises(DataError, match=r"no baseline was saved: a\.graph\.yaml::q1 - .* run it again and save then"):
        build(records("PP"), {(SUITE, "q0"): {"question": "What is q0?"}, (SUITE, "q1"): {"question": "edited"}})


def test_merging_replaces_just_what_ran() -> None:
    old = baseline(
        [record("q0"), record("q1", "FAIL")], created="then", meta={"a": 1}, graphs={SUITE: GraphStats(entities=1)}
    )
    new = baseline([record("q1"), record("q2")], created="now", meta={"b": 2}, graphs={"b": GraphStats(entities=2)})
    merged = merge(old, new)
    assert {id_: e.status for id_, e in merged.suites[SUITE].items()} == {"q0": "PASS", "q1": "PASS", "q2": "PASS"}
    assert (merged.created, merged.meta) == ("now", {"a": 1, "b": 2})
    assert {key: g.entities for key, g in merged.graphs.items()} == {SUITE: 1, "b": 2}
    assert old.suites[SUITE]["q1"].status == "FAIL"


@pytest.mark.parametrize(
    ("verdict", "statuses", "more", "reason"),
    [
        ("PASS", "PP", {"partial": False}, None),
        ("WARN", "PF", {"partial": False}, None),
        ("PASS", "PP", {"partial": True, "merging": True}, None),
        ("FAIL", "PP", {"partial": False}, "the verdict is FAIL"),
        ("FAIL", "PP", {"partial": True, "merging": True}, "the verdict is FAIL"),
        ("WARN", "PE", {"partial": False}, "1 of 2 records are ERROR (q1)"),
        ("WARN", "E" * 10, {"partial": False}, "(q0, q1, q2, q3, q4, q5, q6, q7 and 2 more)"),
        ("PASS", "PP", {"partial": True}, "--graph-eval-baseline-partial"),
        ("PASS", "SS", {"partial": False}, "nothing was measured"),
        ("PASS", "", {"partial": False}, "nothing was measured"),
    ],
)
def test_only_a_whole_run_that_is_good_becomes_the_baseline(
    verdict: str, statuses: str, more: dict[str, bool], reason: str | None
) -> None:
    found = why_not_saved(verdict, records(statuses), **more)
    if reason is None:
        assert found is None
    else:
        assert found is not None
        assert reason in found


def test_an_error_that_is_expected_does_not_block_the_baseline() -> None:
    assert why_not_saved("PASS", [record("q0"), record("q1", "ERROR", outcome="xfailed")], partial=False) is None


def test_a_missing_baseline_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing\.json: no such baseline; save one with --graph-eval-save-baseline"):
        read_baseline(tmp_path / "nothing.json")


def test_a_baseline_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_baseline(tmp_path)
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(DataError, match=r"cannot be read .* expected a UTF-8 file"):
        read_baseline(tmp_path / "bytes.json")


def test_a_baseline_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"cannot be written .* choose a place"):
        write_baseline(tmp_path / "file" / "baseline.json", saved())
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="cannot be written"):
        write_baseline(tmp_path / "folder", saved())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder"]


def edited(**more: Any) -> str:
    return json.dumps({**json.loads(saved().to_text()), **more})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not readable as JSON"),
        ("{", "not readable as JSON"),
        ("[" * 100_000, "not readable as JSON"),
        ("[]", "not a baseline"),
        ('{"format": 1, "threshold_result": "PASS"}', "no `kind: graph-eval-baseline`"),
        (edited(format=2), "baseline format 2; this version reads formats 1 to 1: upgrade"),
        (edited(format="1"), "baseline format '1'"),
        (edited(format=True), "baseline format True"),
        (edited(suites=[]), "damaged baseline: suites:"),
        (edited(suites={"a": {"q": {"status": "PASS"}}}), r"damaged baseline: suites.a.q.attempts: Field required"),
        (edited(suites={"a": {"q": {"status": "PASS", "attempts": []}}}), "attempts: List should have at least 1 item"),
        (edited(suites={"a": {"q": {"status": "GOOD", "attempts": [{"passed": True}]}}}), "suites.a.q.status"),
        (
            edited(suites={"a": {"q": {"status": "PASS", "attempts": [{"passed": True, "scores": {"m": math.nan}}]}}}),
            "attempts.0.scores.m",
        ),
        (
            edited(suites={"a": {"q": {"status": "PASS", "attempts": [{"passed": True}]}}}),
            "a::q does not say what was asked",
        ),
    ],
)
def test_what_is_no_baseline_is_refused_with_what_to_do(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_baseline(text, "b.json")
    assert str(caught.value).startswith("b.json: ")
    assert message in str(caught.value)
    assert "--graph-eval-save-baseline" in str(caught.value)
