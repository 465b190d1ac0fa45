"""`graph-eval gate` over what real pytest runs left: the same summary, verdict and exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.cli import main
from tests.plugin.conftest import Bench

VOLATILE = {"run_at", "results_file", "meta", "elapsed_s", "p95_seconds", "latency"}
WORDS = ("good", "good", "wrong", "empty", "good", "crash")


def scenarios(id_: str, n: int) -> str:
    return "\n".join(
        f'- {{id: {id_}{k}, question: "{WORDS[k % 6]} question {k}", gold_answer: $611.3 billion, source_chunks: [c1], '
        f"category: c{k % 2}, difficulty: {('easy', 'hard')[k % 2]}, tags: [part{k % 3}]"
        f"{', skip: not now' if k == 4 else ''}{', xfail: known' if k == 2 else ''}}}"
        for k in range(n)
    )


def steady(path: Path) -> str:
    """Return the text of a summary without its volatile fields, keys in their order."""

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: without(v) for k, v in value.items() if k not in VOLATILE}
        return [without(v) for v in value] if isinstance(value, list) else value

    return json.dumps(without(json.loads(path.read_text(encoding="utf-8"))), indent=1)


def newest(folder: str) -> Path:
    (path,) = Path(folder).glob("summary_*.json")
    return path


@pytest.fixture
def two_suites(bench: Bench) -> Bench:
    for name in ("a", "b"):
        bench.suite(scenarios(name, 12), name=name, head="gate: {max_errors: 5, pass_rate: {pass: 0.9, warn: 0.2}}")
    return bench


def test_three_shards_give_the_summary_of_one_run(two_suites: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    one = two_suites.run("--graph-eval-output", "one")
    for part in ("part0", "part1", "part2"):
        two_suites.run("--graph-eval-output", f"shards/{part}", "-k", part)
    assert main(["gate", "shards", "-o", "merged.json"]) == one.ret == 1
    assert steady(Path("merged.json")) == steady(newest("one"))
    assert "exit 1 because 6 scenarios failed" in capsys.readouterr().out
    assert main(["gate", "shards/part0", "shards/part2", "-o", "two.json"]) == 1
    found = json.loads(Path("two.json").read_text(encoding="utf-8"))
    assert (found["run"]["status"], found["run"]["collected"], found["run"]["deselected"]) == ("PARTIAL", 24, 8)


@pytest.mark.parametrize("options", [(), ("-k", "part1"), ("-x",), ("a.graph.yaml::a0", "b.graph.yaml::b1")])
def test_a_run_compared_with_a_baseline_is_decided_alike(
    two_suites: Bench, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    for name in ("a", "b"):
        two_suites.suite(scenarios(name, 3).replace(", xfail: known", ""), name=name)
    two_suites.run("--graph-eval-save-baseline", "base.json", "--graph-eval-output", "first")
    for name in ("a", "b"):
        two_suites.suite(scenarios(name, 2).replace("good question 1", "wrong question 1"), name=name)
    ran = two_suites.run("--graph-eval-baseline", "base.json", "--graph-eval-output", "one", *options)
    assert main(["gate", "one", "--baseline", "base.json", "-o", "again.json"]) == ran.ret
    assert steady(Path("again.json")) == steady(newest("one"))
