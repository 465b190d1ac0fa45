"""How time and memory grow at the far end: `python -m tests.benchmarks.check_scale [gate|flaky|suite] [PARTS]`.

Each row does the same thing to a quarter, a half and all of 1,000,000 records (20,000 scenarios for a suite), or to
one of PARTS of that. Processor seconds a thousand must stay the same; memory is the largest that the process had.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from pytest_graph_eval.gate.summary import RunInfo, SuiteInfo, summarize
from pytest_graph_eval.models.records import METRICS, Check, Record
from tests.benchmarks.check_speed import AGENTS, LIVE, suite

STAMP = "20260530T134500Z"
KEY = "suites/walmart.graph.yaml"
RUNS = 100
"""Runs in the history; each has as many lines as there are scenarios."""


def line(number: int, status: str) -> str:
    """Return a results line of a scenario, all different in what tells scenarios apart."""
    record = Record(
        id=f"TC{number:07}",
        nodeid=f"{KEY}::TC{number:07}",
        index=number,
        suite=KEY,
        question="What were the total revenues of Walmart?",
        category="metric_retrieval",
        difficulty="easy",
        gold_answer="$611.3 billion",
        scores={**dict.fromkeys(METRICS, 1.0), "mean": 1.0},
        status="FAIL" if status == "FAIL" else "PASS",
        outcome="failed" if status == "FAIL" else "passed",
        tags=["smoke"],
        answer="The total was $611.3 billion in the fiscal year 2023.",
        retrieved={"entities": ["TOTAL REVENUES FY2023", "WALMART"], "chunks": ["chunk_001"]},
        checks=[Check(kind="numbers", outcome="pass", message="numbers: $611.3 billion is stated in the answer")],
        fingerprint=f"{number:012x}",
        elapsed_s=0.1,
        usage={"total_tokens": 300},
        target="graph",
    )
    return record.to_line() + "\n"


def shard(folder: Path, count: int) -> list[str]:
    """Write the results of one run of `count` scenarios, one in ten failed, and say how they are judged again."""
    with (folder / f"evaluation_results_{STAMP}.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(line(i, "PASS" if i % 10 else "FAIL") for i in range(count))
    info = {KEY: SuiteInfo(name="walmart", scenarios=count)}
    beside = summarize([], info, run=RunInfo(run_at="2026-05-30T13:45:00Z", collected=count))
    (folder / f"summary_{STAMP}.json").write_text(beside.to_json(), encoding="utf-8")
    return ["pytest_graph_eval.cli", "gate", "--quiet", "--fail-on", "gate", "-o", "again.json", "."]


def history(folder: Path, count: int) -> list[str]:
    """Write a hundred runs, `count` lines together, one scenario in ten back and forth."""
    for run in range(RUNS):
        path = folder / f"evaluation_results_202605{1 + run // 24:02}T{run % 24:02}0000Z.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(
                line(i, "FAIL" if i % 10 == 0 and (run + i) % 3 == 0 else "PASS") for i in range(count // RUNS)
            )
    return ["pytest_graph_eval.cli", "flaky", "-o", "quarantine.yaml", "."]


def scenarios(folder: Path, count: int) -> list[str]:
    """Write one suite of `count` scenarios."""
    (folder / "agents.py").write_text(AGENTS, encoding="utf-8")
    (folder / "s.graph.yaml").write_text(suite(count), encoding="utf-8")
    return ["pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={folder}", *LIVE]


ROWS: dict[str, tuple[str, int, Callable[[Path, int], list[str]]]] = {
    "gate": ("graph-eval gate, distinct records", 1_000_000, shard),
    "flaky": ("graph-eval flaky, lines of 100 runs", 1_000_000, history),
    "suite": ("scenarios in one suite", 20_000, scenarios),
}


def measured(folder: Path, command: list[str]) -> tuple[float, float]:
    """Run a module of Python in `folder` and return its processor seconds and MiB."""
    with subprocess.Popen([sys.executable, "-m", *command], cwd=folder, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), f"{command} ended with {process.returncode}"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main(names: list[str], part: int) -> None:
    """Print the table."""
    print(f"{'':40} {'count':>9} {'cpu s':>8} {'s / 1,000':>10} {'MiB':>6}")
    for name in names:
        title, most, prepare = ROWS[name]
        for count in (most // 4 // part, most // 2 // part, most // part):
            with tempfile.TemporaryDirectory() as folder:
                seconds, memory = measured(Path(folder), prepare(Path(folder), count))
            print(f"{title:40} {count:9,} {seconds:8.1f} {1000 * seconds / count:10.3f} {memory:6.0f}", flush=True)


if __name__ == "__main__":
    chosen = [arg for arg in sys.argv[1:] if arg in ROWS]
    parts = [int(arg) for arg in sys.argv[1:] if arg.isdecimal()]
    main(chosen or list(ROWS), parts[0] if parts else 1)
