"""`graph-eval compare A B`: what it prints and its exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_graph_eval.cli import main
from pytest_graph_eval.gate.comparison.baseline import write_baseline
from pytest_graph_eval.gate.summary import GraphStats
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.settings import Gate
from tests.unit import gate_factory
from tests.unit.cli_runs import results, run
from tests.unit.gate_factory import SUITE, record, records, repeated
from tests.unit.gate_records import info


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def compared(capsys: pytest.CaptureFixture[str], first: object = "a", second: object = "b") -> tuple[int, str]:
    status = main(["compare", str(first), str(second)])
    out, err = capsys.readouterr()
    assert err == ""
    assert all(len(line) <= 80 for line in out.splitlines())
    return status, out


def rows(out: str) -> list[list[str]]:
    """Return the cells of the table's rows."""
    body = out.split("─" * 80 + "\n")[1]
    return [line.split() for line in body.splitlines()[1:]]


def test_changes_are_printed_worst_first_and_a_regression_exits_1(capsys: pytest.CaptureFixture[str]) -> None:
    def outcome(statuses: str, *scores: float) -> list[Record]:
        run = records(statuses, deterministic=True)
        return [r.model_copy(update={"scores": {"m": score}}) for r, score in zip(run, scores, strict=True)]

    results(Path("a"), outcome("PPF", 0.5, 0.9, 0.1))
    results(Path("b"), outcome("PFP", 0.5, 0.2, 0.5))
    status, out = compared(capsys)
    assert status == 1
    assert rows(out) == [
        ["q1", "pass_rate", "PASS", "FAIL", "-1.000"],
        ["q1", "m", "0.90", "0.20", "-0.700"],
        ["q2", "pass_rate", "FAIL", "PASS", "+1.000"],
        ["q2", "m", "0.10", "0.50", "+0.400"],
    ]
    assert out.startswith("a -> b\n")
    assert "Compared: 3 scenarios, 3 on a target without noise\n" in out
    assert "Worse: 1 (q1)\nBetter: 1 (q2)\n" in out
    assert "FAIL deterministic_regression: 1 of 3 scenarios passed in the baseline" in out
    assert out.endswith("verdict FAIL; exit 1\n")


def test_two_equal_runs_exit_0(capsys: pytest.CaptureFixture[str]) -> None:
    for folder in "ab":
        results(Path(folder), records("PPF", deterministic=True))
    status, out = compared(capsys)
    assert status == 0
    assert "nothing changed" in out
    assert out.endswith("verdict PASS; exit 0\n")


def test_noise_on_a_live_target_is_no_regression(capsys: pytest.CaptureFixture[str]) -> None:
    results(Path("a"), records("P" * 30))
    results(Path("b"), records("P" * 29 + "F"))
    status, out = compared(capsys)
    assert (status, len(rows(out))) == (0, 1)
    assert "WARN not_significant: pass_rate fell from 1.00 to 0.97" in out
    assert out.endswith("verdict WARN; exit 0\n")


def test_rates_of_repeats_and_lost_scores_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    results(Path("a"), [repeated("r", "PPPP"), record("s", scores={"m": 0.5})])
    results(Path("b"), [repeated("r", "PPPF"), record("s", scores={"m": None})])
    _, out = compared(capsys)
    assert rows(out) == [["r", "pass_rate", "PASS", "FAIL", "0.75", "-0.250"], ["s", "m", "0.50", "-"]]


def test_a_long_list_is_cut_and_can_be_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    results(Path("a"), records("P" * 45))
    results(Path("b"), records("F" * 45))
    _, out = compared(capsys)
    assert len(rows(out)) == 41
    assert "... and 5 more changes; print them with --all" in out
    assert main(["compare", "a", "b", "--all"]) == 1
    assert len(rows(capsys.readouterr().out)) == 45


def test_what_a_whole_run_misses_has_vanished_and_what_a_partial_run_misses_was_not_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results(Path("a"), records("PPP"))
    run(Path("b"), records("PP"), {SUITE: info(scenarios=2)})
    status, out = compared(capsys)
    assert status == 1
    assert "FAIL vanished:q2: q2 is in the baseline and does not exist any more" in out
    run(Path("b"), records("PP"), {SUITE: info(scenarios=3)}, partial="-k x", collected=3, deselected=1)
    status, out = compared(capsys)
    assert (status, "Not Run: 1 (q2)" in out) == (0, True)


def test_the_gate_of_the_newer_run_says_what_a_regression_is(capsys: pytest.CaptureFixture[str]) -> None:
    results(Path("a"), records("P" * 30))
    now = records("P" * 25 + "F" * 5)
    run(Path("b"), now, {SUITE: info(scenarios=30)})
    assert compared(capsys)[0] == 1
    run(Path("b"), now, {SUITE: info(Gate(baseline={"alpha": 0.01}), scenarios=30)})  # type: ignore[arg-type]
    assert compared(capsys)[0] == 0


def test_a_gate_that_compares_nothing_does_not_hide_what_is_asked_for_here(capsys: pytest.CaptureFixture[str]) -> None:
    results(Path("a"), records("P" * 30))
    run(Path("b"), records("P" * 20 + "F" * 10), {SUITE: info(Gate(baseline=None), scenarios=30)})
    assert compared(capsys)[0] == 1


def test_graphs_and_tools_are_compared_too(capsys: pytest.CaptureFixture[str]) -> None:
    tools: dict[str, dict[str, object]] = {"query": {}}
    run(Path("a"), records("PP"), {SUITE: info(graph=GraphStats(entities=100, relationships=9, tools=tools))})
    run(Path("b"), records("PP"), {SUITE: info(graph=GraphStats(entities=60, relationships=9, tools={}))})
    status, out = compared(capsys)
    assert status == 1
    assert "WARN graph_shrunk:entities: entities in the graph fell from 100 to 60" in out
    assert "FAIL tool_removed:query: the tool 'query' is gone" in out


def test_the_older_run_may_be_a_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    write_baseline(Path("base.json"), gate_factory.baseline(records("PP", deterministic=True)))
    results(Path("b"), records("PF", deterministic=True))
    status, out = compared(capsys, "base.json")
    assert (status, rows(out)) == (1, [["q1", "pass_rate", "PASS", "FAIL", "-1.000"]])


def test_shards_in_a_folder_are_one_run(capsys: pytest.CaptureFixture[str]) -> None:
    results(Path("a"), records("PPPP"))
    both = records("PPPP")
    results(Path("b"), both[:2])
    results(Path("b"), both[1:], number=1)
    status, out = compared(capsys)
    assert status == 0
    assert "nothing changed" in out
    assert "note: 1 record found twice, and the same both times: counted once" in out


def test_a_torn_line_of_either_run_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    for folder in "ab":
        path = results(Path(folder), records("PP"))
        path.write_bytes(path.read_bytes()[:-9])
    _, out = compared(capsys)
    assert " ".join(out.split()).count("the last line was cut off when its run ended, and is left out") == 2


def test_a_narrow_encoding_gets_ascii(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    for folder in "ab":
        results(Path(folder), records("PF"))
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["compare", "a", "b"]) == 0
    stream.seek(0)
    assert stream.read().splitlines()[1] == "-" * 80


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["none", "b"], "none: no such file or folder; expected results files"),
        (
            ["none", "b2"],
            "none: no such file or folder; expected results files, or folders that hold some\ngraph-eval: b2: no",
        ),
        (["a", "base.json"], "base.json: a baseline can only be the older run; give it first, then results"),
        (["none.json", "b"], "none.json: no such baseline"),
        (["a", "none.json"], "none.json: no such file or folder; expected results files"),
        (["a", "noise.bin"], "noise.bin:1: "),
        (["bad", "b"], ".jsonl:1: not a JSON line"),
    ],
)
def test_what_cannot_be_read_exits_2(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    results(Path("a"), records("P"))
    results(Path("b"), records("P"))
    write_baseline(Path("base.json"), gate_factory.baseline(records("P", deterministic=True)))
    results(Path("bad"), records("P")).write_text("{\n", encoding="utf-8")
    Path("noise.bin").write_bytes(b"\xeb\x01")  # not taken for a line that was cut off
    assert main(["compare", *argv]) == 2
    out, err = capsys.readouterr()
    assert (out, message in err) == ("", True)
