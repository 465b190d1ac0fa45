"""What was measured is on record once, whatever breaks on the way there: hooks, workers, the process, an interrupt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Bench
from .runs import run_pytest

ASKS = """
import os, time

asked = []

def ask(question):
    asked.append(question)
    if question == "dies later" and asked.count(question) == 2:
        time.sleep(0.5)
        os._exit(9)
    return "It was $1.0 billion."
"""


def write(folder: Path, conftest: str = "", **more: str) -> None:
    """Write a suite of four scenarios that pass; `more` is added to those it names."""
    keys = 'expect: {numbers: ["$1 billion"]}'
    items = [f"  - {{id: {id_}, {more.get(id_, 'question: q')}, {keys}}}\n" for id_ in "abcd"]
    (folder / "s.graph.yaml").write_text('target: {call: "asks:ask"}\nscenarios:\n' + "".join(items))
    (folder / "asks.py").write_text(ASKS)
    (folder / "conftest.py").write_text(conftest)


def lines(folder: Path) -> list[dict[str, Any]]:
    (path,) = (folder / "results").glob("evaluation_results_*.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_worker_that_dies_in_a_teardown_leaves_one_record(tmp_path: Path) -> None:
    write(
        tmp_path,
        """
import os, pytest

@pytest.fixture(autouse=True)
def dies(request):
    yield
    if request.node.name == "b":
        os._exit(3)
""",
    )
    run = run_pytest(tmp_path, "-n1")
    flags = {"b": ["teardown_error"]}
    assert [(r["id"], r["status"], r["flags"]) for r in run.records] == [
        (id_, "PASS", flags.get(id_, [])) for id_ in "abcd"
    ]
    assert run.summary["counts"]["failed"] == 1
    assert run.code == 1


@pytest.mark.parametrize("args", [(), ("-n1",)], ids=["one process", "a worker"])
def test_a_hook_that_raises_keeps_the_record_that_it_was_given(tmp_path: Path, args: tuple[str, ...]) -> None:
    write(
        tmp_path,
        """
def pytest_graph_eval_record(config, record):
    if record.id == "c":
        raise RuntimeError("what a plugin does")
""",
    )
    run = run_pytest(tmp_path, *args)
    assert run.code == pytest.ExitCode.INTERNAL_ERROR
    assert [r["id"] for r in lines(tmp_path)][:3] == ["a", "b", "c"]


def test_a_hook_that_raises_behind_an_answer_that_passed_is_named_as_the_reason(tmp_path: Path) -> None:
    write(
        tmp_path,
        """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    yield
    if item.name == "b":
        raise AssertionError("a file was left open")
""",
    )
    record = run_pytest(tmp_path).record("b")
    assert (record["status"], record["outcome"]) == ("FAIL", "failed")
    assert record["reason"] == "passed, but AssertionError: a file was left open"


def test_a_strict_xfail_that_passes_still_says_so(bench: Bench) -> None:
    bench.suite('- {id: a, question: good question, xfail: {reason: x, strict: true}, expect: {contains: ["$611.3"]}}')
    bench.run()
    (record,) = bench.records()
    assert record["reason"] == "passed although it was expected to fail (strict xfail)"


def test_a_record_does_not_wait_for_a_repeat_that_is_slow(tmp_path: Path) -> None:
    write(tmp_path, d="question: dies later, repeats: 2")
    assert run_pytest(tmp_path, alone=True).code == 9
    assert [r["id"] for r in lines(tmp_path)] == ["a", "b", "c"]


def test_records_do_not_wait_long_for_those_that_were_measured_together_with_them(tmp_path: Path) -> None:
    write(
        tmp_path,
        """
import os, time

def pytest_runtest_setup(item):
    time.sleep(0.15)
    if item.name == "d":
        os._exit(9)
""",
    )
    assert run_pytest(tmp_path, alone=True).code == 9
    assert [r["id"] for r in lines(tmp_path)][:2] == ["a", "b"]


WRITES = """
import os, signal
from pytest_graph_eval.results import ResultsFile

write = ResultsFile.write

def interrupted(self, *records):
    ResultsFile.write = write
    if "{place}" == "before":
        os.kill(os.getpid(), signal.SIGINT)
    write(self, *records)
    if "{place}" == "behind":
        os.kill(os.getpid(), signal.SIGINT)

ResultsFile.write = interrupted
"""

TAKES = """
from pytest_graph_eval.run import controller

def interrupted(*args):
    controller.{name} = before
    raise KeyboardInterrupt

before = controller.{name}
controller.{name} = interrupted
"""


@pytest.mark.parametrize(
    "conftest",
    [
        WRITES.format(place="before"),
        WRITES.format(place="behind"),
        TAKES.format(name="Controller._note_graph"),
        TAKES.format(name="mark_unjudged"),
        TAKES.format(name="held_interrupts"),
    ],
    ids=["before the lines", "behind the lines", "off the report", "finished", "not yet written"],
)
def test_an_interrupt_while_records_are_taken_in_neither_loses_nor_doubles_one(tmp_path: Path, conftest: str) -> None:
    write(tmp_path, conftest)
    run = run_pytest(tmp_path, "-v", alone=True)
    assert run.code == pytest.ExitCode.INTERRUPTED, run.out
    ids = [r["id"] for r in run.records]
    assert ids
    assert ids == [id_ for id_ in "abcd" if f"::{id_} PASSED" in run.out]
    assert run.summary["counts"]["passed"] == len(ids)
    assert run.summary["run"]["status"] == "INTERRUPTED"
