"""The gate measured on simulated live targets: quick runs of what `tests/benchmarks/simulate_gate.py` runs in full."""

from __future__ import annotations

import pytest

from tests.benchmarks.simulate_gate import Case, failures

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("case", "runs"),
    [
        (Case(50, 1, 0.0), 80),
        (Case(50, 5, 0.0), 50),
        (Case(200, 1, 0.0), 25),
        (Case(50, 5, 0.0, baseline_repeats=1), 40),
    ],
    ids=str,
)
def test_the_same_system_rarely_fails(case: Case, runs: int) -> None:
    """At a true rate of 5 %, more than 5 % of the runs plus three standard errors fail once in a thousand seeds."""
    fail, _ = failures(case, runs, seed=2)
    assert fail / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5


@pytest.mark.parametrize(
    ("case", "runs", "at_least"),
    [
        (Case(50, 1, 0.20), 60, 0.50),
        (Case(50, 5, 0.20), 40, 0.97),
        (Case(200, 1, 0.10), 30, 0.50),
        (Case(200, 5, 0.10), 10, 0.97),
    ],
    ids=str,
)
def test_a_worse_system_is_caught(case: Case, runs: int, at_least: float) -> None:
    fail, _ = failures(case, runs, seed=2)
    assert fail / runs >= at_least


def test_the_simulation_is_seeded() -> None:
    case = Case(20, 1, 0.2)
    assert failures(case, 20, seed=3) == failures(case, 20, seed=3)
    assert failures(case, 20, seed=3) != failures(case, 20, seed=4)
