"""Sessions that do not end as planned: interrupted, stopped early, out of time, out of disk, in another order."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from .conftest import Bench, check
from .runs import run_pytest

ASKS = """
import asyncio, time

def ask(question):
    if question == "sleep":
        open("asleep", "w").close()
        time.sleep(20)
    return "It was $1.0 billion."

async def slowly(question):
    if question == "sleep":
        open("asleep", "w").close()
        await asyncio.sleep(20)
    return "It was $1.0 billion."
"""


def suite(folder: Path, questions: dict[str, str], call: str = "asks:ask", more: str = "") -> None:
    (folder / "asks.py").write_text(ASKS)
    items = [f'  - {{id: {id_}, question: {q}, expect: {{numbers: ["$1 billion"]}}}}\n' for id_, q in questions.items()]
    target = f'target: {{call: "{call}"{more}}}\n'
    (folder / "s.graph.yaml").write_text(target + "scenarios:\n" + "".join(items))


def interrupted(folder: Path, times: int) -> tuple[int, str]:
    """Start a run, interrupt it while a question is on its way, and return its exit status and output."""
    command = [sys.executable, "-m", "pytest", "--graph-eval", "-p", "no:cacheprovider", "-p", "no:randomly"]
    command += [f"--rootdir={folder}", f"--graph-eval-output={folder / 'results'}"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    ) as process:
        deadline = time.monotonic() + 30
        while not (folder / "asleep").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        try:
            out, _ = process.communicate(timeout=15)
        finally:
            process.kill()
    return process.returncode, out


def lines(folder: Path) -> list[dict[str, Any]]:
    (path,) = (folder / "results").glob("evaluation_results_*.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("call", ["asks:ask", "asks:slowly"])
def test_an_interrupt_ends_the_run_at_once_and_writes_what_was_measured(tmp_path: Path, call: str) -> None:
    suite(tmp_path, {"a": "q", "b": "sleep", "c": "q"}, call, ", max_concurrency: 1")
    code, out = interrupted(tmp_path, 1)
    assert code == pytest.ExitCode.INTERRUPTED
    assert lines(tmp_path)[0]["id"] == "a"
    assert "verdict WARN (interrupted run); exit 2" in out
    assert "Exception ignored" not in out


INTERRUPTS = """
import pytest

@pytest.hookimpl(wrapper=True, {order}=True)
def pytest_runtest_makereport(item, call):
    if "{place}" == "before" and item.name == "{item}" and call.when == "call":
        raise KeyboardInterrupt
    report = yield
    if "{place}" == "behind" and item.name == "{item}" and call.when == "call":
        raise KeyboardInterrupt
    return report

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    if "{place}" == "logged" and report.nodeid.endswith("::{item}") and report.when == "call":
        raise KeyboardInterrupt
"""


@pytest.mark.parametrize("item", ["a", "b"])
@pytest.mark.parametrize("place", ["before", "behind", "logged"])
@pytest.mark.parametrize("order", ["tryfirst", "trylast"])
def test_an_interrupt_between_an_answer_and_its_report_keeps_the_answer(
    tmp_path: Path, place: str, order: str, item: str
) -> None:
    suite(tmp_path, {"a": "q", "b": "q", "c": "q"})
    (tmp_path / "conftest.py").write_text(INTERRUPTS.format(place=place, item=item, order=order))
    run = run_pytest(tmp_path)
    assert run.code == pytest.ExitCode.INTERRUPTED
    measured = [(r["id"], r["status"], r["outcome"]) for r in lines(tmp_path)]
    assert measured == [(id_, "PASS", "passed") for id_ in "ab"[: "ab".index(item) + 1]]
    assert run.says("interrupted run")


def test_an_interrupt_cancels_what_is_in_flight(tmp_path: Path) -> None:
    suite(tmp_path, dict.fromkeys("abcd", "sleep"), "asks:slowly")
    code, out = interrupted(tmp_path, 1)
    assert code == pytest.ExitCode.INTERRUPTED
    assert "exit 2" in out
    assert "never retrieved" not in out
    assert "Exception ignored" not in out


def test_a_second_interrupt_loses_nothing_that_was_measured(tmp_path: Path) -> None:
    suite(tmp_path, {"a": "q", "b": "sleep", "c": "q"}, "asks:slowly", ", max_concurrency: 1")
    code, _ = interrupted(tmp_path, 3)
    assert code in (pytest.ExitCode.INTERRUPTED, -signal.SIGINT)
    assert lines(tmp_path)[0]["id"] == "a"


@pytest.mark.parametrize("method", ["signal", "thread"])
def test_a_time_limit_of_pytest_timeout_keeps_the_results_so_far(tmp_path: Path, method: str) -> None:
    suite(tmp_path, {"a": "q", "b": "sleep", "c": "q"}, "asks:slowly")
    run = run_pytest(tmp_path, "--timeout=1.5", f"--timeout-method={method}", alone=True)
    assert run.code == 1
    found = {r["id"]: r["status"] for r in lines(tmp_path)}
    # by signal the scenario fails and the run goes on; by thread pytest-timeout ends the process
    assert found == ({"a": "PASS", "b": "ERROR", "c": "PASS"} if method == "signal" else {"a": "PASS"})
    if method == "signal":
        assert "Timeout" in run.record("b")["error"]


def test_stopping_early_says_so_whoever_stops(bench: Bench) -> None:
    bench.suite(
        "\n".join(check(word, id_) for id_, word in {"a": "good", "b": "wrong", "c": "good", "d": "wrong"}.items())
    )
    bench.run("--maxfail", "2", "-p", "no:terminal")
    summary = bench.summary()
    assert summary["run"]["status"] == "PARTIAL"
    assert summary["failed"] == ["b", "d"]
    bench.run("-x", "-n", "2")
    summary = bench.summary()
    assert summary["run"]["status"] in ("PARTIAL", "INTERRUPTED")
    assert "partial_run" in {r["code"] for r in summary["verdict_reasons"]}
    assert "b" in summary["failed"]


def test_a_shuffled_run_has_the_records_of_an_ordered_one(tmp_path: Path) -> None:
    def stable(folder: Path) -> list[dict[str, Any]]:
        return [{k: v for k, v in r.items() if k != "elapsed_s"} for r in lines(folder)]

    ids = {f"s{n}": "q" for n in range(12)}
    folders = [tmp_path / name for name in ("ordered", "shuffled")]
    for folder in folders:
        folder.mkdir()
        suite(folder, ids)
    run_pytest(folders[0])
    shuffled = run_pytest(folders[1], "-v", "--randomly-seed=3", shuffled=True, alone=True)
    order = re.findall(r"s\.graph\.yaml::(s\d+) PASSED", shuffled.out)
    assert sorted(order) == sorted(ids)
    assert order != list(ids)
    assert stable(folders[1]) == stable(folders[0])


# --- what is written, and who looks at it


IN_THE_WAY = """
def pytest_graph_eval_record(config, record):
    folder = config.rootpath / "results"
    if not folder.exists():
        folder.write_text("in the way")
"""


def test_results_that_cannot_be_written_fail_the_verdict_and_cost_nothing_else(tmp_path: Path) -> None:
    suite(tmp_path, {"a": "q", "b": "q"})
    (tmp_path / "conftest.py").write_text(IN_THE_WAY)
    run = run_pytest(tmp_path)
    assert run.says("2 passed")
    assert run.says("FAIL results_not_written: results could not be written (")
    assert run.says("verdict FAIL; exit 1")
    assert run.code == 1
    assert "Traceback" not in run.out + run.err
    assert "INTERNALERROR" not in run.out


HOOKS = """
import json

def pytest_graph_eval_record(config, record):
    record.flags.append("seen")
    record.explain["note"] = "by conftest"

def pytest_graph_eval_summary(config, summary):
    text = json.dumps([summary.threshold_result, summary.passed])
    (config.rootpath / "seen.json").write_text(text)
"""


@pytest.mark.parametrize("workers", [[], ["-n", "1"]])
def test_hooks_of_a_conftest_see_records_and_the_decided_summary(tmp_path: Path, workers: list[str]) -> None:
    suite(tmp_path, {"a": "q"})
    (tmp_path / "conftest.py").write_text(HOOKS)
    run = run_pytest(tmp_path, *workers)
    record = run.record("a")
    assert (record["flags"], record["explain"]["note"]) == (["seen"], "by conftest")
    assert json.loads((tmp_path / "seen.json").read_text()) == ["PASS", ["a"]]


# --- odd replies

REPLIES = """
import math

DEEP = "x"
for _ in range(3000):
    DEEP = [DEEP]
SAYS = "It was $1.0 billion."
REPLIES = {
    "large": {"answer": SAYS + " And so on." * 450_000},
    "surrogates": {"answer": SAYS + " \\ud83d", "entities": [{"name": "A\\udc80"}], "chunks": [{"id": "\\udcff"}]},
    "controls": {"answer": SAYS + "\\x00\\x1b[31m\\u2028\\u2029\\x85 end"},
    "infinite": {"answer": SAYS, "entities": [{"name": "E", "description": math.inf}]},
    "tools": {"answer": SAYS, "tool_calls": [{"name": "t", "args": {"x": math.nan}, "output": -math.inf}]},
    "nan_usage": {"answer": SAYS, "usage": {"cost_usd": math.nan}},
    "nan": math.nan,
    "bytes": SAYS.encode(),
    "none": None,
    "numbered_keys": {1: 2, "answer": SAYS},
    "nameless": {"answer": SAYS, "entities": [{"description": "x"}]},
    "deep": {"answer": SAYS, "references": DEEP},
}

def ask(question):
    return REPLIES[question]
"""
ODD = {
    "large": "", "surrogates": "", "controls": "", "infinite": "", "tools": "",
    "nan_usage": "usage.cost_usd is the number nan", "nan": "returned the number nan; a text, a mapping",
    "bytes": "returned a bytes; a text, a mapping", "none": "returned None; a text, a mapping",
    "numbered_keys": "unknown keys: '1'", "nameless": "entities[0] has no name", "deep": "nested too deeply",
}  # fmt: skip


def test_odd_replies_are_scored_or_named_and_always_written_as_json(tmp_path: Path) -> None:
    suite(tmp_path, {id_: id_ for id_ in ODD}, "odd:ask")
    (tmp_path / "odd.py").write_text(REPLIES)
    run = run_pytest(tmp_path)

    def refuse(constant: str) -> Any:
        raise AssertionError(constant)

    text = next((tmp_path / "results").glob("*.jsonl")).read_bytes().decode("utf-8")
    found = {r["id"]: r for r in (json.loads(line, parse_constant=refuse) for line in text.split("\n") if line)}
    json.loads(next((tmp_path / "results").glob("summary*")).read_text(encoding="utf-8"), parse_constant=refuse)
    assert set(found) == set(ODD)
    for id_, message in ODD.items():
        assert found[id_]["status"] == ("ERROR" if message else "PASS"), id_
        assert message in (found[id_]["error"] or ""), id_
    assert len(found["large"]["answer"]) > 4_900_000
    assert found["surrogates"]["retrieved"] == {"entities": ["A\udc80"], "chunks": ["\udcff"]}
    assert "\x1b[31m" not in run.out
    assert "Traceback" not in run.out + run.err
