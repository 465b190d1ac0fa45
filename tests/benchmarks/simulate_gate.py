"""Measures the gate itself: how often a live target's baseline comparison says FAIL, and how often it should.

Run it for the table of the README (about a quarter of an hour on one idle core):

    python tests/benchmarks/simulate_gate.py

Each scenario passes with its own probability, spread evenly over 0.5 to 1, and has four metrics that go along with
passing or have noise of their own. Baseline and run are drawn independently, and judged by all rules of the
comparison together.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from typing import Any

from pytest_graph_eval.gate.comparison.baseline import Baseline, Entry
from pytest_graph_eval.gate.comparison.pairing import Scope
from pytest_graph_eval.gate.comparison.regression import Comparison, compare
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.repeats import wilson

SUITE = "live.graph.yaml"
SCOPE = Scope(whole=frozenset({SUITE}))
_RECORD = Record(id="", suite=SUITE, fingerprint="same")


@dataclass(frozen=True)
class Case:
    """A system that got worse by `drop`, or not, and how it is measured."""

    scenarios: int
    repeats: int
    drop: float
    at_least: float = 0.0
    at_most: float = 1.0
    baseline_repeats: int | None = None

    def __str__(self) -> str:
        before = f"{self.baseline_repeats} to " if self.baseline_repeats else ""
        return f"{self.scenarios} scenarios, {before}{self.repeats} repeats, drop {self.drop:g}"

    def line(self) -> str:
        return f"at most {self.at_most:.0%}" if not self.drop else f"at least {self.at_least:.0%}"


CASES = (
    Case(50, 1, 0.0, at_most=0.05),
    Case(50, 5, 0.0, at_most=0.05),
    Case(200, 1, 0.0, at_most=0.05),
    Case(200, 5, 0.0, at_most=0.05),
    Case(50, 5, 0.0, at_most=0.05, baseline_repeats=1),
    Case(50, 1, 0.20, at_least=0.50),
    Case(50, 5, 0.20, at_least=0.99),
    Case(200, 1, 0.10, at_least=0.60),
    Case(200, 5, 0.10, at_least=0.99),
)


def ask(rng: random.Random, chance: float, focus: float) -> dict[str, Any]:
    """Return one asking: passed or not, with scores that go along with it. `focus` is the scenario's own precision."""
    passed = rng.random() < chance
    scores = {
        "context_relevancy": 1.0 if rng.random() < 0.6 + 0.3 * passed else rng.choice((0.0, 0.7)),
        "faithfulness": min(1.0, max(0.0, 0.6 + 0.3 * passed + rng.gauss(0, 0.15))),
        "answer_correctness": 1.0 if passed else rng.choice((0.0, 0.5)),
        "precision": min(1.0, max(0.0, focus + rng.gauss(0, 0.1))),
    }
    scores["mean"] = sum(scores.values()) / len(scores)
    return {"status": "PASS" if passed else "FAIL", "scores": scores}


def record(rng: random.Random, number: int, chance: float, focus: float, repeats: int) -> Record:
    """Return the record of a scenario that was asked `repeats` times."""
    asked = [ask(rng, chance, focus) for _ in range(repeats)]
    names = asked[0]["scores"]
    return _RECORD.model_copy(
        update={
            "id": f"q{number}",
            "status": "PASS" if all(a["status"] == "PASS" for a in asked) else "FAIL",
            "scores": {name: sum(a["scores"][name] for a in asked) / repeats for name in names},
            "repeats": asked if repeats > 1 else [],
        }
    )


def compared(rng: random.Random, case: Case) -> Comparison:
    """Draw a baseline and a run of one system, the run's worse by the case's drop, and compare them."""
    before, now = {}, []
    for number in range(case.scenarios):
        chance, focus = rng.uniform(0.5, 1.0), rng.uniform(0.4, 1.0)
        old = record(rng, number, chance, focus, case.baseline_repeats or case.repeats)
        before[old.id] = Entry.of(old)
        now.append(record(rng, number, max(0.0, chance - case.drop), focus, case.repeats))
    return compare(Baseline.model_construct(suites={SUITE: before}), now, SCOPE)


def failures(case: Case, runs: int, seed: int = 1) -> tuple[int, int]:
    """Return how many of `runs` comparisons FAIL and how many WARN."""
    rng = random.Random(f"{seed} {case!r}")
    fail = warn = 0
    for _ in range(runs):
        levels = {reason.level for reason in compared(rng, case).reasons}
        fail += "FAIL" in levels
        warn += "WARN" in levels and "FAIL" not in levels
    return fail, warn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000, help="runs of each case (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print("| scenarios | repeats | real drop | FAIL | 95 % interval | expected | WARN |")
    print("|---|---|---|---|---|---|---|")
    for case in CASES:
        fail, warn = failures(case, args.runs, args.seed)
        low, high = wilson(fail, args.runs)
        repeats = f"{case.baseline_repeats}, then {case.repeats}" if case.baseline_repeats else f"{case.repeats}"
        drop = f"{100 * case.drop:.0f} points" if case.drop else "none"
        print(
            f"| {case.scenarios} | {repeats} | {drop} | {fail / args.runs:.1%} | {low:.1%} to {high:.1%} "
            f"| {case.line()} | {warn / args.runs:.0%} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
