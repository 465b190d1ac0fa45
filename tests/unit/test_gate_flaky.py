"""Flaky scenarios in a history of runs."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.gate.flaky import History, Track, find_flaky, read_history
from pytest_graph_eval.models.repeats import wilson
from tests.unit.gate_factory import SUITE, record

WORDS = {w[0]: w for w in ("PASS", "FAIL", "ERROR", "INCONCLUSIVE", "SKIPPED")}


def line(id_: str, letter: str, **more: Any) -> str:
    return record(id_, WORDS[letter], **more).to_line() + "\n"


def history(*runs: str, **more: Any) -> History:
    """Read runs; the n-th letter of each is the status of scenario qn."""
    return read_history(
        (f"run{number}.jsonl", [line(f"q{n}", letter, **more) for n, letter in enumerate(run)])
        for number, run in enumerate(runs)
    )


def track(statuses: str) -> Track:
    return history(*statuses)[SUITE, "q0"]


def test_a_scenario_that_fails_in_three_of_ten_runs_is_found() -> None:
    found = find_flaky(history(*"PPFPPFPPFP"))
    assert list(found) == [(SUITE, "q0")]
    flaky = found[SUITE, "q0"]
    assert (flaky.runs, flaky.passed, flaky.flips) == (10, 7, 6)
    assert flaky.interval == wilson(7, 10)


def test_it_is_stable_once_its_last_runs_show_no_flip() -> None:
    assert find_flaky(history(*"PPFPPFPPFP" + "P" * 8), min_runs=10) != {}
    assert find_flaky(history(*"PPFPPFPPFP" + "P" * 9), min_runs=10) == {}
    assert track("PPFPPFPPFP" + "P" * 9).is_steady(10)


def test_steady_failure_is_not_flaky_either() -> None:
    assert find_flaky(history(*"PFPFPFFFFF")) == {}


@pytest.mark.parametrize("runs", ["PPPPPPPPPP", "FFFFFFFFFF", "PPPPPPPFFF", "FFFPPPPPPP"])
def test_a_single_change_is_a_regression_or_a_repair_and_not_flaky(runs: str) -> None:
    assert find_flaky(history(*runs), min_runs=2) == {}


def test_too_few_runs_say_nothing() -> None:
    assert find_flaky(history(*"PFPF")) == {}
    assert find_flaky(history(*"PFPF"), min_runs=4) != {}


def test_inconclusive_is_no_pass() -> None:
    assert track("PIPIP").flips == 4


def test_an_outage_makes_no_scenario_flaky() -> None:
    assert (track("PEPEPEP").flips, track("PEPEPEP").runs) == (0, 4)


def test_skipped_runs_do_not_count() -> None:
    assert (track("PSPSF").flips, track("PSPSF").runs) == (1, 3)


def test_a_history_of_errors_alone_knows_nothing() -> None:
    assert history(*"EEEE") == {}


def test_a_change_of_the_scenario_starts_a_new_track() -> None:
    old, new = {"question": "old"}, {"question": "new"}
    lines = [line("q", letter, asks=old) for letter in "PFPFPF"] + [line("q", letter, asks=new) for letter in "PPP"]
    found = read_history([("all.jsonl", lines)])
    assert find_flaky(found) == {}
    assert (found[SUITE, "q"].runs, found[SUITE, "q"].flips) == (3, 0)


def test_branches_that_take_turns_do_not_break_a_track() -> None:
    asks = {"main": {"question": "old"}, "branch": {"question": "new"}, "third": {"question": "newer"}}
    order = ["main", "branch", "main", "third", "main", "branch", "main", "main", "main"]
    statuses = iter("PFPFPF")
    lines = [line("q", next(statuses) if who == "main" else "P", asks=asks[who]) for who in order]
    found = read_history([("all.jsonl", lines)])
    newest = found[SUITE, "q"]
    assert newest.fingerprint == record("q", asks=asks["main"]).fingerprint
    assert (newest.runs, newest.flips) == (6, 5)


def test_a_pass_only_after_a_rerun_went_back_and_forth() -> None:
    lines = [line("q", "P"), line("q", "P", flags=["flaky"]), line("q", "P")]
    found = read_history([("all.jsonl", lines)])[SUITE, "q"]
    assert (found.runs, found.passed, found.flips, found.steady) == (3, 3, 2, 2)
    first = read_history([("all.jsonl", [line("q", "F"), line("q", "P", flags=["flaky"])])])[SUITE, "q"]
    assert first.flips == 1


def test_a_quarantined_failure_still_counts() -> None:
    lines = [line("q", letter, outcome="xfailed" if letter == "F" else "xpassed") for letter in "PFPFP"]
    assert read_history([("all.jsonl", lines)])[SUITE, "q"].flips == 4


def test_results_are_ordered_by_suite_and_id() -> None:
    lines = [line(i, letter, suite=s) for letter in "PFPFPF" for s in ("z", "a") for i in ("y", "b")]
    assert list(find_flaky(read_history([("all.jsonl", lines)]))) == [("a", "b"), ("a", "y"), ("z", "b"), ("z", "y")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{\n", r"x\.jsonl:2: not a JSON line"),
        ("[" * 100_000 + "\n", r"x\.jsonl:2: not a JSON line"),
        ("[]\n", r"x\.jsonl:2: not a record; expected an object with `id` and `status`"),
        ('{"id": 3, "status": "PASS"}\n', "not a record"),
        ('{"id": "q"}\n', "not a record"),
        ('{"id": "q", "status": "PASS", "format": 99}\n', r"record format 99; .* upgrade pytest-graph-eval"),
        ('{"id": "q", "status": "PASS", "format": "1"}\n', r"record format '1'"),
    ],
)
def test_what_is_no_results_file_is_refused(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_history([("x.jsonl", [line("q", "P"), text])])


def test_blank_lines_and_a_last_line_that_was_cut_off_are_left_out() -> None:
    found = read_history([("x.jsonl", [line("q", "P"), "\n", line("q", "P")[:40]])])
    assert found[SUITE, "q"].runs == 1


def test_memory_grows_with_scenarios_and_not_with_lines() -> None:
    template = json.loads(line("q", "P"))

    def lines(number: int) -> Iterator[str]:
        for n in range(number):
            yield json.dumps({**template, "id": f"q{n % 50}", "status": "FAIL" if n % 7 == 0 else "PASS"}) + "\n"

    def peak(runs: Iterable[str]) -> int:
        tracemalloc.start()
        read_history([("x.jsonl", runs)])
        _, found = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return found

    assert peak(lines(2000)) < 1.5 * peak(lines(400))
