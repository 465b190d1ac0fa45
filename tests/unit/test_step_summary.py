"""The summary of a GitHub Actions step: appended to, bounded with what is there, and never a reason to fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_graph_eval.reports.build import FinishedRun
from pytest_graph_eval.step_summary import MOST, append_step_summary
from tests.unit.gate_records import WALMART, judged, walmart

RUN = FinishedRun(judged(walmart(), WALMART), walmart())


def told(path: Path) -> list[tuple[str, bool]]:
    return list(append_step_summary(RUN, {"GITHUB_STEP_SUMMARY": str(path)}))


def test_without_the_variable_nothing_happens() -> None:
    assert not list(append_step_summary(RUN, {}))
    assert not list(append_step_summary(RUN, {"GITHUB_STEP_SUMMARY": ""}))


def test_the_report_follows_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "step.md"
    assert told(path) == told(path) == []
    text = path.read_text(encoding="utf-8")
    assert text.startswith("## ⚠️ Graph evaluation: WARN")
    assert text.count("\n\n## ⚠️ Graph evaluation: WARN") == 1


@pytest.mark.parametrize(("left", "whole"), [(200_000, True), (8_000, False), (4_100, False)])
def test_the_whole_stays_within_what_github_shows(tmp_path: Path, left: int, whole: bool) -> None:
    path = tmp_path / "step.md"
    path.write_bytes(b"x" * (MOST - left))
    assert told(path) == []
    assert MOST - left < path.stat().st_size <= MOST
    assert ("Left out" not in path.read_text(encoding="utf-8")) is whole


def test_a_full_summary_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "step.md"
    path.write_bytes(b"x" * (MOST - 100))
    line = "step summary ($GITHUB_STEP_SUMMARY) was not written: it holds 1048476 of 1048576 bytes already"
    assert told(path) == [(line, False)]
    assert path.stat().st_size == MOST - 100


def test_what_cannot_be_written_is_a_line(tmp_path: Path) -> None:
    ((missing, _),) = told(tmp_path / "no/step.md")
    assert missing == "step summary ($GITHUB_STEP_SUMMARY) was not written: No such file or directory"
    ((folder, _),) = told(tmp_path)
    assert folder.endswith(f"was not written: {tmp_path} is no file")


def test_a_report_that_cannot_be_made_is_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_graph_eval.reports.markdown.render", lambda *_, **__: 1 / 0)
    ((line, written),) = told(tmp_path / "step.md")
    assert "please report it (ZeroDivisionError: division by zero)" in line
    assert not written
