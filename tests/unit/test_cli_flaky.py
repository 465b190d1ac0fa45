"""`graph-eval flaky`: what it finds in the history of runs, what it prints, and the quarantine that it writes."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_graph_eval.cli import main
from pytest_graph_eval.gate.quarantine import decide, read_quarantine
from tests.unit.cli_runs import results
from tests.unit.gate_factory import SUITE, record

WORDS = {w[0]: w for w in ("PASS", "FAIL", "ERROR", "INCONCLUSIVE", "SKIPPED")}
TODAY = datetime.datetime.now(tz=datetime.UTC).date()


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def history(runs: Iterable[str], first: int = 0, folder: str = "r", **more: Any) -> None:
    """Write runs; the n-th letter of each is the status of scenario qn."""
    for number, statuses in enumerate(runs, first):
        records = [record(f"q{n}", WORDS[letter], **more) for n, letter in enumerate(statuses)]
        results(Path(folder), records, number=number)


def flaky(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["flaky", "r", *argv]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert all(len(line) <= 80 for line in out.splitlines())
    return out


def section(out: str, title: str) -> list[list[str]]:
    """Return the cells of the rows below a title, without the head."""
    _, _, after = out.partition(f"\n{title}")
    lines = after.split("\n\n")[0].splitlines()[2:]
    return [line.split() for line in lines if not line.startswith(("Scenario", "q.yaml"))]


def test_a_scenario_that_flips_in_three_of_ten_runs_is_quarantined_until_its_last_ten_runs_are_stable(
    capsys: pytest.CaptureFixture[str],
) -> None:
    argv = ("--min-runs", "10", "--days", "14", "-o", "q.yaml")
    until = TODAY + datetime.timedelta(days=14)
    history(["PP", "PF", "PP", "PP", "PF", "PP", "PP", "PF", "PP", "PP"])
    out = flaky(capsys, *argv)
    assert out.startswith("2 scenarios in 10 results files\n")
    assert section(out, "FLAKY") == [["q1", "10", "7", "6", "0.40", "to", "0.89", "until", until.isoformat()]]
    assert section(out, "STABLE AGAIN") == [["none"]]
    assert out.endswith("q.yaml: 1 in quarantine\n")
    (entry,) = read_quarantine(Path("q.yaml"))
    assert (entry.place, entry.runs, entry.passed, entry.flips, entry.until, entry.stable) == (
        (SUITE, "q1"), 10, 7, 6, until.isoformat(), False,
    )  # fmt: skip
    assert decide(entry, entry.fingerprint, must_pass=False, today=TODAY).applied

    history(["PP"] * 7, first=10)
    assert section(flaky(capsys, *argv), "FLAKY")[0][:4] == ["q1", "17", "14", "6"]
    history(["PP"], first=17)
    out = flaky(capsys, *argv)
    assert section(out, "FLAKY") == [["none"]]
    assert section(out, "STABLE AGAIN (no flip in the last 10 runs)")[0] == [
        "q1", "18", "15", "6", "0.61", "to", "0.94", "remove", "the", "entry",
    ]  # fmt: skip
    (entry,) = read_quarantine(Path("q.yaml"))
    assert not decide(entry, entry.fingerprint, must_pass=False, today=TODAY).applied


def test_without_a_file_to_write_nothing_is_quarantined(capsys: pytest.CaptureFixture[str]) -> None:
    history("PFPFPF")
    out = flaky(capsys)
    assert section(out, "FLAKY") == [["q0", "6", "3", "5", "0.19", "to", "0.81", "no"]]
    assert sorted(Path().iterdir()) == [Path("r")]


def test_fewer_runs_than_it_takes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    history(["PF", "FP"])
    assert "no scenario has 5 runs yet, so that nothing can be told (--min-runs)\n" in flaky(capsys)
    assert "so that nothing can be told" not in flaky(capsys, "--min-runs", "2")


def test_a_steady_history_writes_an_empty_quarantine(capsys: pytest.CaptureFixture[str]) -> None:
    history("PPPPPPPP")
    out = flaky(capsys, "-o", "new/q.yaml")
    assert section(out, "FLAKY") == [["none"]]
    assert "new/q.yaml: nothing in quarantine\n" in out
    assert read_quarantine(Path("new/q.yaml")) == []


def test_fewer_runs_than_asked_for_prove_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    history("PFPF")
    assert section(flaky(capsys), "FLAKY") == [["none"]]
    assert section(flaky(capsys, "--min-runs", "4"), "FLAKY")[0][0] == "q0"


def test_runs_are_ordered_by_the_time_in_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    # In this order PPPFFF; named the other way round the runs alternate.
    history("PPPFFF")
    names = [str(path) for path in sorted(Path("r").iterdir())]
    assert main(["flaky", *(names[k] for k in (0, 3, 1, 4, 2, 5))]) == 0
    assert section(capsys.readouterr().out, "FLAKY") == [["none"]]


def test_a_second_run_within_a_second_comes_second(capsys: pytest.CaptureFixture[str]) -> None:
    for suffix, letter in (("-10", "F"), ("-2", "P"), ("", "P"), ("-9", "F"), ("-3", "P"), ("-11", "F")):
        results(Path("r"), [record("q0", WORDS[letter])], name=f"evaluation_results_20260530T134500Z{suffix}.jsonl")
    assert section(flaky(capsys), "FLAKY") == [["none"]]


def test_files_without_a_time_keep_the_order_given(capsys: pytest.CaptureFixture[str]) -> None:
    for number, letter in enumerate("PPPFFF"):
        results(Path("r"), [record("q0", WORDS[letter])], name=f"run{number}.jsonl")
    order = [f"r/run{number}.jsonl" for number in (0, 3, 1, 4, 2, 5)]
    assert main(["flaky", *order]) == 0
    assert section(capsys.readouterr().out, "FLAKY")[0][:4] == ["q0", "6", "3", "5"]
    assert main(["flaky", *sorted(order)]) == 0
    assert section(capsys.readouterr().out, "FLAKY") == [["none"]]


def test_what_a_resumed_run_took_over_is_no_run_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    history("PFPF")
    history(["F"] * 6, first=4, flags=["resumed"])
    assert section(flaky(capsys, "--min-runs", "4"), "FLAKY")[0][:4] == ["q0", "4", "2", "3"]


def test_a_scenario_that_must_pass_is_shown_and_never_quarantined(capsys: pytest.CaptureFixture[str]) -> None:
    history("PFPFPF", must_pass=True)
    out = flaky(capsys, "-o", "q.yaml")
    assert section(out, "FLAKY")[0][-5:] == ["0.81", "never:", "it", "must", "pass"]
    assert read_quarantine(Path("q.yaml")) == []


def test_the_last_day_of_new_entries_can_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    history("PFPFPF")
    flaky(capsys, "--until", "2031-02-03", "-o", "q.yaml")
    assert read_quarantine(Path("q.yaml"))[0].until == "2031-02-03"
    flaky(capsys, "--until", "2032-02-03", "-o", "q.yaml")
    assert read_quarantine(Path("q.yaml"))[0].until == "2031-02-03"


def test_new_entries_hold_for_thirty_days(capsys: pytest.CaptureFixture[str]) -> None:
    history("PFPFPF")
    flaky(capsys, "-o", "q.yaml")
    assert read_quarantine(Path("q.yaml"))[0].until == (TODAY + datetime.timedelta(days=30)).isoformat()


def test_entries_of_which_the_runs_decide_nothing_stay_and_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"id": id_, "suite": SUITE, "fingerprint": print_, "runs": 10, "passed": 7, "flips": 6,
         "interval": [0.4, 0.9], "until": "2031-01-01"}
        for id_, print_ in (("gone", "f"), ("q0", "f"), ("q1", record("q1").fingerprint),
                            ("q2", record("q2").fingerprint))
    ]  # fmt: skip
    Path("q.yaml").write_text(yaml.safe_dump({"format": 1, "quarantine": rows}), encoding="utf-8")
    history(["PPP", "PPF", "PEF", "PEP", "PEP", "PEP"])
    out = flaky(capsys, "-o", "q.yaml")
    assert [" ".join(line) for line in section(out, "IN QUARANTINE AND NEITHER")]
    text = " ".join(out.split())
    assert "- gone: these runs say nothing of it; remove the entry if it does not exist any more" in text
    assert "- q0: it asks or expects something else now; remove the entry" in text
    assert "- q1: only 2 of these runs measured it, 5 are needed" in text
    assert out.endswith("q.yaml: 4 in quarantine\n")


def test_an_entry_that_changed_once_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    history("PFPFPF")
    flaky(capsys, "-o", "q.yaml")
    for path in Path("r").iterdir():
        path.unlink()
    history("PPPPPF")
    out = flaky(capsys, "-o", "q.yaml")
    assert "- q0: it did not go back and forth in these runs, and they do not end" in out
    assert len(read_quarantine(Path("q.yaml"))) == 1


def test_ids_of_two_suites_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    for number, letter in enumerate("PFPFPF"):
        results(Path("r"), [record("q", WORDS[letter], suite=s) for s in ("a", "b")], number=number)
    assert [row[0] for row in section(flaky(capsys), "FLAKY")] == ["a::q", "b::q"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["none"], "none: no such file or folder; expected results files"),
        (["bad.jsonl"], "bad.jsonl:1: not a JSON line"),
        (["odd.jsonl"], "odd.jsonl: not UTF-8 text"),
        (["r", "-o", "q.yaml"], "q.yaml:1:1: not a quarantine file"),
    ],
)
def test_what_cannot_be_read_exits_2_and_changes_nothing(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    history("PFPFPF")
    Path("bad.jsonl").write_text("{\n", encoding="utf-8")
    Path("odd.jsonl").write_bytes(b'{"id": "\xff"}\n')
    Path("q.yaml").write_text("scenarios: []\n", encoding="utf-8")
    assert main(["flaky", *argv]) == 2
    out, err = capsys.readouterr()
    assert (out, message in err) == ("", True)
    assert Path("q.yaml").read_text(encoding="utf-8") == "scenarios: []\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "required: RESULTS"),
        (["r", "--min-runs", "1"], "'1': expected a whole number from 2"),
        (["r", "--days", "-1"], "'-1': expected a whole number from 0"),
        (["r", "--until", "2026-02-30"], "'2026-02-30': expected a day that exists, such as 2026-12-31"),
        (["r", "--until", "2031-01-01", "--days", "3"], "not allowed with argument"),
    ],
)
def test_options_that_cannot_be_read_exit_2(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["flaky", *argv])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err
