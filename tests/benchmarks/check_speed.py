"""What a run costs beside plain pytest: `python -m tests.benchmarks.check_speed [RUNS]`.

Each row compares two runs of pytest that are made in turns, RUNS times (3); figures are medians of wall and processor
seconds and of the largest memory. On a busy machine trust the processor's ratio.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

AGENTS = """
import asyncio

def ask(question): return "It was $1.0 billion."

async def at_once(question): return "It was $1.0 billion."

async def slowly(question):
    await asyncio.sleep(0.05)
    return "It was $1.0 billion."
"""
PLAIN = """
import pytest
from agents import ask

@pytest.mark.parametrize("number", range({n}))
def test(number):
    answer = ask("q")
    assert "$1.0" in answer
    assert "billion" in answer
"""
"""A case calls a local function and checks two words, as one of ours does."""
BARE = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:hypothesispytest")
LIVE = ("--graph-eval", "--graph-eval-concurrency=16", "--graph-eval-quiet")


@dataclass(frozen=True)
class Cost:
    """What one run took: seconds on the clock, seconds of the processor, MiB."""

    wall: float
    cpu: float
    memory: float


def measured(folder: Path, *args: str) -> Cost:
    """Run pytest in `folder` and return its cost; its workers' processor time is part of it."""
    command = [sys.executable, "-m", "pytest", f"--rootdir={folder}", *BARE, *args]
    start = time.perf_counter()
    compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen(
        command, cwd=folder, env=compiled, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.stderr is not None
        assert process.returncode in (0, 5), process.stderr.read().decode()
    wall = time.perf_counter() - start
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def median(costs: list[Cost]) -> Cost:
    """Return the median of each figure."""
    return Cost(*(statistics.median(figures) for figures in zip(*map(_figures, costs), strict=True)))


def _figures(cost: Cost) -> tuple[float, float, float]:
    return cost.wall, cost.cpu, cost.memory


def suite(scenarios: int, call: str = "ask") -> str:
    """Return a suite whose scenarios all pass."""
    items = "".join(f"  - {{id: s{i}, question: q, expect: {{contains: [$1.0, billion]}}}}\n" for i in range(scenarios))
    return f'target: {{call: "agents:{call}"}}\nscenarios:\n{items}'


def files(folder: Path, count: int, each: int) -> Path:
    """Write `count` files of `each` plain tests to `plain`, and as many scenarios to `ours`."""
    for kind in ("plain", "ours"):
        (folder / kind).mkdir()
        (folder / kind / "agents.py").write_text(AGENTS)
    for number in range(count):
        (folder / f"plain/test_{number}.py").write_text(PLAIN.format(n=each))
        (folder / f"ours/s{number}.graph.yaml").write_text(suite(each))
    return folder


Pair = tuple[Callable[[], Cost], Callable[[], Cost]]


def beside_plain(folder: Path, count: int, each: int, *args: str) -> Pair:
    """Return plain parametrized pytest, and as many scenarios of ours."""
    files(folder, count, each)
    flag = ("--graph-eval", "--graph-eval-quiet")
    return (
        lambda: measured(folder / "plain", "-p", "no:graph_eval", *args),
        lambda: measured(folder / "ours", *flag, *args),
    )


def start(folder: Path, *flags: str) -> Pair:
    """Return a run of one plain test without the plugin, and with it."""
    (folder / "agents.py").write_text(AGENTS)
    (folder / "test_one.py").write_text(PLAIN.format(n=1))
    return lambda: measured(folder, "-p", "no:graph_eval"), lambda: measured(folder, *flags)


def waiting(folder: Path) -> Pair:
    """Return 200 questions that are answered at once, and in 50 ms each."""
    for name in ("at_once", "slowly"):
        (folder / name).mkdir()
        (folder / name / "agents.py").write_text(AGENTS)
        (folder / name / "s.graph.yaml").write_text(suite(200, name))
    return lambda: measured(folder / "at_once", *LIVE), lambda: measured(folder / "slowly", *LIVE)


ROWS: tuple[tuple[str, str, Callable[[Path], Pair]], ...] = (
    ("start without the flag", "10 ms more", start),
    ("start with the flag, no suite", "", lambda folder: start(folder, "-o", "addopts=--graph-eval")),
    ("1,000 in one file", "", lambda folder: beside_plain(folder, 1, 1000)),
    ("5,000 in one file", "1.5 x, 60 MiB more", lambda folder: beside_plain(folder, 1, 5000)),
    ("1,000 in 100 files", "", lambda folder: beside_plain(folder, 100, 10)),
    ("5,000 in 500 files", "1.3 x", lambda folder: beside_plain(folder, 500, 10)),
    ("1,000 in one file, -n 2", "", lambda folder: beside_plain(folder, 1, 1000, "-n2")),
    ("200 of 50 ms, 16 in flight, beside 0 ms", "0.85 s more", waiting),
)


RICH = """  - id: r{i}
    question: "What were the total revenues of store {i} in FY2023?"
    gold_answer: $6{i}.3 billion
    source_entities: [TOTAL REVENUES FY2023, "STORE {i}", WALMART]
    source_chunks: [chunk_{i}, chunk_{i}b]
    category: metric_retrieval
    difficulty: easy
    template_id: revenue
    query_hints: total revenues
    tags: [smoke, "t{i}"]
    pass_score: 0.7
    timeout: 20
    expect:
      numbers: ["$6{i}.3 billion", {{value: "{i}.7%", near: net sales, rel_tol: 0.001}}]
      dates: [2023-01-31]
      names: [Doug McMillon, {{name: "Person {i}", aliases: [P{i}]}}]
      scores: {{faithfulness: 0.8}}
"""
"""A scenario with some forty scalars and five checks."""


def loading(runs: int) -> float:
    """Return the median of processor seconds that 1,000 rich scenarios take to be read and validated."""
    from pytest_graph_eval.loader import load_suite

    found = []
    for run in range(runs + 1):  # the first one imports and compiles
        items = "".join(RICH.format(i=10_000 * run + i) for i in range(1, 1001))  # nothing is remembered
        text = f"target: {{call: 'agents:ask'}}\nscenarios:\n{items}"
        start = time.process_time()
        load_suite("s.graph.yaml", text=text)
        found.append(time.process_time() - start)
    return statistics.median(found[1:])


def main(runs: int) -> None:
    """Print the table."""
    print(f"{'1,000 rich scenarios loaded':40} {loading(runs):38.2f} s of the processor  0.3 s")
    print(f"{'':40} {'wall s':>15} {'ratio':>6} {'more':>7} {'cpu s':>15} {'ratio':>6} {'MiB':>11}  budget")
    for name, budget, prepare in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            pair = prepare(Path(folder))
            costs: tuple[list[Cost], list[Cost]] = ([], [])
            for _ in range(runs):
                for run, found in zip(pair, costs, strict=True):
                    found.append(run())
        plain, ours = map(median, costs)
        wall = f"{plain.wall:7.2f} {ours.wall:7.2f} {ours.wall / plain.wall:6.2f} {ours.wall - plain.wall:7.2f}"
        cpu = f"{plain.cpu:7.2f} {ours.cpu:7.2f} {ours.cpu / plain.cpu:6.2f}"
        print(f"{name:40} {wall} {cpu} {plain.memory:5.0f} {ours.memory:5.0f}  {budget}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
