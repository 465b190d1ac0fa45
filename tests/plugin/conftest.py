"""Suites and targets that the plugin tests run in a pytest of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas  # noqa: F401 - once for all runs: numpy cannot be loaded anew after pytester forgot it
import pytest

import pytest_graph_eval.run.session  # noqa: F401 - once for all runs: pytester forgets what a run imports

from .runs import WITHOUT

TARGET = """
import json
import time

REPLIES = {
    "good": {"answer": "Total revenues were $611.3 billion.", "entities": [{"name": "TOTAL REVENUES FY2023"}],
             "relationships": [], "chunks": [{"id": "c1", "content": "Total revenues were $611.3 billion."}]},
    "wrong": {"answer": "Total revenues were $605.9 billion.", "entities": [{"name": "NET SALES FY2023"}],
              "relationships": [], "chunks": [{"id": "c2", "content": "Net sales were $605.9 billion."}]},
    "empty": {"answer": "", "entities": [], "relationships": [], "chunks": []},
}

def ask(question):
    word = question.split()[0].lower()
    if word == "crash":
        raise RuntimeError("the index is gone")
    if word == "slow":
        time.sleep(0.5)
    if word == "die":
        import os
        os._exit(9)
    if word == "interrupt":
        import os, signal
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    return REPLIES[word]
"""


class Bench:
    """A folder with a target module, in which suites are written and run."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path
        pytester.makepyfile(toy=TARGET)

    def suite(self, scenarios: str, *, head: str = "", name: str = "s", target: str = "{call: 'toy:ask'}") -> Path:
        """Write a suite; `scenarios` are lines of YAML list items."""
        items = "\n".join("  " + line for line in scenarios.strip().splitlines())
        text = f"suite: toy\ntarget: {target}\n{head}\nscenarios:\n{items}\n"
        path = self.path / f"{name}.graph.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *args: str, flag: bool = True, alone: bool = False) -> pytest.RunResult:
        """Run pytest in this process, or `alone` in one of its own: where a signal is sent."""
        options = ["--graph-eval"] if flag else []
        plain = ("-p", "no:cacheprovider", *WITHOUT)
        if alone:
            return self.pytester.runpytest_subprocess(*plain, *options, *args, timeout=60)
        return self.pytester.runpytest_inprocess(*plain, *options, *args)

    def records(self) -> list[dict[str, Any]]:
        """Return the records of the newest run."""
        paths = sorted((self.path / "evals/results").glob("*.jsonl"), key=lambda p: p.stat().st_mtime_ns)
        return [json.loads(line) for line in paths[-1].read_text(encoding="utf-8").splitlines()] if paths else []

    def summary(self) -> dict[str, Any]:
        """Return the summary of the newest run."""
        paths = sorted((self.path / "evals/results").glob("summary_*.json"), key=lambda p: p.stat().st_mtime_ns)
        return json.loads(paths[-1].read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def check(word: str, id_: str = "a", more: str = "") -> str:
    """Return a scenario that asks for the reply `word` and expects $611.3 billion."""
    return f'- {{id: {id_}, question: "{word} question", expect: {{numbers: ["$611.3 billion"]}}{more}}}'


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    return Bench(pytester)


@pytest.fixture
def scenario() -> Callable[..., str]:
    return check
