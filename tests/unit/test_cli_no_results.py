"""Commands that read results: a file without a whole record is no evidence, and ends none of them green."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_graph_eval.cli import main
from tests.unit.cli_runs import results
from tests.unit.gate_records import make

COMMANDS = (
    "flaky {}",
    "report {} -o r.html",
    "report {} --format graphrag-eval",
    "compare {} good.jsonl",
    "compare good.jsonl {}",
    "gate {}",
    "calibrate labels.jsonl --results {}",
)
EMPTY = {"empty": "", "blank": "\n\n", "cut": '{"format": 1, "id": "a'}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", EMPTY)
def test_results_without_a_whole_record_exit_2_and_say_what_to_do(
    command: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    results(Path(), [make("a", mean=1.0)], name="good.jsonl")
    Path("labels.jsonl").write_text('{"id": "a", "human": {"faithfulness": 4}}\n', encoding="utf-8")
    Path("bad.jsonl").write_text(EMPTY[kind], encoding="utf-8")
    assert main(command.format("bad.jsonl").split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("graph-eval: bad.jsonl: no whole record")
    assert err.endswith("; expected the results of a run: name other files, or run `pytest --graph-eval` again\n")
    assert not Path("r.html").exists()


def test_an_empty_file_beside_others_takes_nothing_from_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results(tmp_path, [make("a", mean=1.0)], number=1)
    results(tmp_path, [], number=2)
    assert main(["flaky", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("1 scenario in 2 results files\n")
    assert main(["report", str(tmp_path), "-o", str(tmp_path / "r.html")]) == 0


def test_runs_in_which_nothing_was_measured_tell_nothing_about_flaky_scenarios(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = results(tmp_path, [make("a", "ERROR"), make("b", "SKIPPED")])
    assert main(["flaky", str(path)]) == 2
    assert "no whole record of a scenario that was measured" in capsys.readouterr().err
