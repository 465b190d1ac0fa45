"""The quarantine file and what becomes of its entries."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.gate.flaky import History, read_history
from pytest_graph_eval.gate.quarantine import (
    Quarantined,
    decide,
    parse_quarantine,
    quarantine_text,
    read_quarantine,
    renewed,
)
from tests.unit.gate_factory import SUITE, record

UNTIL = datetime.date(2026, 6, 30)
TODAY = datetime.date(2026, 5, 30)


def entry(**more: Any) -> Quarantined:
    values = {
        "id": "q",
        "suite": SUITE,
        "fingerprint": record("q").fingerprint,
        "runs": 10,
        "passed": 7,
        "flips": 6,
        "interval": [0.3968, 0.8922],
        "until": "2026-06-30",
        **more,
    }
    return Quarantined.model_validate(values)


def history(statuses: str, **more: Any) -> History:
    words = {"P": "PASS", "F": "FAIL"}
    return read_history([("x.jsonl", [record("q", words[s], **more).to_line() + "\n" for s in statuses])])


def test_a_flaky_scenario_is_quarantined_with_its_figures() -> None:
    assert renewed([], history("PPFPPFPPFP"), until=UNTIL) == [entry()]


def test_a_file_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    entries = [entry(), entry(id="NO", suite="größe.graph.yaml", fingerprint="0123"), entry(id="1e3", stable=True)]
    path = tmp_path / "quarantine.yaml"
    path.write_text(quarantine_text(entries), encoding="utf-8")
    assert read_quarantine(path) == entries


def test_an_empty_quarantine_is_a_quarantine() -> None:
    assert parse_quarantine(quarantine_text([]), "q.yaml") == []


def test_a_day_may_be_written_without_quotes() -> None:
    assert parse_quarantine(quarantine_text([entry()]).replace("'2026-06-30'", "2026-06-30"), "q")[0] == entry()


def test_an_entry_is_applied_with_a_reason_that_carries_the_figures() -> None:
    found = decide(entry(), entry().fingerprint, must_pass=False, today=TODAY)
    assert found.applied
    assert found.reason == (
        "quarantined as flaky: passed 7 of 10 runs (95% interval 0.40 to 0.89), 6 flips; until 2026-06-30"
    )


@pytest.mark.parametrize(
    ("change", "now", "action", "words"),
    [
        ({}, {"must_pass": True}, "must_pass", "must pass and cannot be quarantined"),
        ({}, {"fingerprint": "other"}, "changed", "asks or expects something else than when it was quarantined"),
        ({"stable": True}, {}, "stable", "is stable again"),
        ({}, {"today": datetime.date(2026, 7, 1)}, "expired", "ended on 2026-06-30; repair it, or extend `until`"),
    ],
)
def test_entries_that_do_not_hold_any_more_are_reported_and_not_applied(
    change: dict[str, Any], now: dict[str, Any], action: str, words: str
) -> None:
    found = decide(entry(**change), **{"fingerprint": entry().fingerprint, "must_pass": False, "today": TODAY, **now})
    assert (found.action, found.applied) == (action, False)
    assert words in found.reason


def test_an_entry_holds_through_its_last_day() -> None:
    assert decide(entry(), entry().fingerprint, must_pass=False, today=UNTIL).applied


def test_a_stable_scenario_stays_in_the_file_marked_so_that_runs_report_it() -> None:
    (found,) = renewed([entry()], history("PPFPPFPPFP" + "P" * 10), until=UNTIL, min_runs=10)
    assert (found.stable, found.runs, found.flips) == (True, 20, 6)


def test_a_scenario_that_is_flaky_again_is_not_stable_any_more() -> None:
    (found,) = renewed([entry(stable=True)], history("PFPFPF"), until=UNTIL)
    assert (found.stable, found.flips) == (False, 5)


def test_renewing_never_moves_the_day_on_which_an_entry_ends() -> None:
    (found,) = renewed([entry(until="2026-06-01")], history("PFPFPF"), until=UNTIL)
    assert found.until == "2026-06-01"


def test_a_changed_scenario_that_is_flaky_is_a_new_entry() -> None:
    (found,) = renewed([entry(until="2026-06-01")], history("PFPFPF", asks={"question": "new"}), until=UNTIL)
    assert (found.until, found.fingerprint) == ("2026-06-30", record("q", asks={"question": "new"}).fingerprint)


def test_entries_of_which_history_says_nothing_stay() -> None:
    assert renewed([entry(id="other")], {}, until=UNTIL) == [entry(id="other")]
    changed = history("PPPPPPPP", asks={"question": "new"})
    assert renewed([entry()], changed, until=UNTIL) == [entry()]


def test_steady_scenarios_are_not_quarantined() -> None:
    assert renewed([], history("PPPPPPPPPP"), until=UNTIL) == []


HEAD = "format: 1\nquarantine:\n"
ROW = "- {id: q, suite: a, fingerprint: f, runs: 10, passed: 7, flips: 6, interval: [0.3, 0.9], until: 2026-06-30}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a quarantine file"),
        ("- a\n", "not a quarantine file"),
        ("scenarios: []\n", "write one with `graph-eval flaky RESULTS... -o FILE`"),
        ("quarantine: []\n", "'format' is missing"),
        ("format: 2\nwhat: ever\nquarantine: []\n", "q.yaml:1:9: quarantine format 2; this version reads"),
        (HEAD + ROW + ROW, "q.yaml:4:3: a::q is quarantined 2 times; keep one of the entries"),
        (HEAD + ROW.replace("2026-06-30", "soon"), "found 'soon', expected a day such as 2026-05-30"),
        (HEAD + ROW.replace("runs: 10", "runs: many"), "a whole number"),
        (HEAD + ROW.replace("flips", "flip"), "unknown key 'flip', did you mean 'flips'?"),
        (HEAD + ROW.replace(", 0.9]", "]"), "q.yaml:3:"),
        (HEAD + "- {id: q\n", "q.yaml:"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_file_is_named_with_its_place(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_quarantine(text, "q.yaml")
    assert message in str(caught.value)


def test_everything_wrong_is_listed_at_once() -> None:
    text = HEAD + ROW.replace("runs: 10", "runs: many").replace("2026-06-30", "soon")
    with pytest.raises(DataError) as caught:
        parse_quarantine(text, "q.yaml")
    assert len(caught.value.problems) == 2


def test_a_file_that_is_missing_or_not_text_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.yaml: cannot be read: .*; expected a quarantine file: write one with"):
        read_quarantine(tmp_path / "none.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"format: \xff")
    with pytest.raises(DataError, match="not UTF-8 text"):
        read_quarantine(tmp_path / "bytes.yaml")
