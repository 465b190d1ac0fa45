"""Progress: a status line in a terminal, plain lines elsewhere, nothing with -q; and pytest's own stays right."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_graph_eval.run import progress
from tests.terminals import Terminal

from .conftest import Bench, check
from .runs import WITHOUT

TARGET = """
import asyncio

async def ask(question):
    await asyncio.sleep(0.4)
    if "crash" in question:
        raise RuntimeError("the index is gone")
    return {"answer": "It was $605.9 billion." if "wrong" in question else "It was $611.3 billion."}
"""
WORDS = ["good", "wrong", "good", "crash", *["good"] * 5]
STATUS = re.compile(r"graph-eval \d/9(, .*)?")


def watched(folder: Path, *args: str) -> tuple[set[str], list[str]]:
    """Run pytest in a terminal; return the status lines that were seen, and what the screen holds in the end."""
    (folder / "toy.py").write_text(TARGET)
    scenarios = "\n".join("  " + check(word, f"{word}{n}") for n, word in enumerate(WORDS))
    (folder / "s.graph.yaml").write_text(f"target: {{call: 'toy:ask', max_concurrency: 2}}\nscenarios:\n{scenarios}\n")
    seen: set[str] = set()
    with Terminal(80, 300) as terminal:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *WITHOUT, "--graph-eval", *args]
        process = subprocess.Popen(
            command, cwd=folder, stdin=terminal.slave, stdout=terminal.slave, stderr=terminal.slave,
            env={**os.environ, "TERM": "xterm-256color"},
        )  # fmt: skip
        terminal.close_slave()
        while terminal.read(60):
            seen |= set(filter(STATUS.fullmatch, (row.rstrip() for row in terminal.screen.display)))
        assert process.wait(60) == 1
        return seen, terminal.text


@pytest.mark.parametrize(
    ("args", "rows"),
    [
        ((), [r"s\.graph\.yaml \.F\.F\.\.\.\.\. +\[100%\]"]),
        (
            ("-v", "-n", "2", "--color=no"),
            [rf"\[gw.\] \[ *{n}%\] (PASSED|FAILED) s\.graph.*" for n in (11, 22, 55, 100)],
        ),
    ],
    ids=["alone", "workers"],
)
def test_a_terminal_shows_a_status_that_leaves_nothing_behind(
    tmp_path: Path, args: tuple[str, ...], rows: list[str]
) -> None:
    seen, screen = watched(tmp_path, *args)
    assert any(re.fullmatch(r"graph-eval [1-8]/9, mean 0\.\d+, 1 failed, 1 error, 0:0\d left", row) for row in seen), (
        seen
    )
    assert not [row for row in screen if STATUS.fullmatch(row)]
    for row in rows:
        assert any(re.fullmatch(row, line) for line in screen), "\n".join(screen)
    assert any("the index is gone" in row for row in screen)
    assert re.fullmatch(r"=+ 2 failed, 7 passed in .*", screen[-1])


def test_with_q_there_is_none(tmp_path: Path) -> None:
    seen, screen = watched(tmp_path, "-q")
    assert not seen
    assert screen[0].startswith(".F.F.....")


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_elsewhere_a_plain_line_says_it_now_and_then(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]
) -> None:
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    # else the second, asked ahead, may be done within a tenth of the time that the first took
    monkeypatch.setattr(progress.Course, "elapsed", lambda _course, _now: 0.0)
    bench.suite("\n".join(check(word, f"{word}{n}") for n, word in enumerate(("good", "wrong", "good"))))
    text = bench.run(*workers).stdout.str()
    assert re.findall(r"^graph-eval ./3.*(?=, \d:\d\d left$)", text, re.MULTILINE) == [
        "graph-eval 1/3, mean 1.00", "graph-eval 2/3, mean 0.50, 1 failed",
    ]  # fmt: skip
    assert "[100%]" in text
    assert "\x1b[J" not in text


@pytest.mark.parametrize("args", [["-q"], ["--graph-eval-quiet"], ["-p", "no:terminal"]])
def test_who_wants_quiet_gets_none(bench: Bench, monkeypatch: pytest.MonkeyPatch, args: list[str]) -> None:
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    bench.suite("\n".join(check("good", f"a{n}") for n in range(3)))
    assert "graph-eval 1/3" not in bench.run(*args).stdout.str()


def test_a_short_run_has_no_plain_line(bench: Bench) -> None:
    bench.suite("\n".join(check("good", f"a{n}") for n in range(3)))
    assert "graph-eval 1/3" not in bench.run().stdout.str()
