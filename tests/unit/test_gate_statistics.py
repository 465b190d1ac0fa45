"""The statistics of the gate against values worked out by hand, by brute force or by published tables."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from pytest_graph_eval.gate.comparison import statistics
from pytest_graph_eval.gate.comparison.statistics import detectable_drop, holm, mean_interval, sign_flip_p, sign_test_p


def brute_force(drops: list[float]) -> float:
    """Count all sign patterns."""
    seen = sum(drops)
    patterns = list(itertools.product((1, -1), repeat=len(drops)))
    hits = sum(sum(s * abs(d) for s, d in zip(signs, drops, strict=True)) >= seen - 1e-12 for signs in patterns)
    return hits / len(patterns)


@pytest.mark.parametrize(
    ("worse", "better", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 0.5),
        (0, 1, 1.0),
        (5, 0, 1 / 32),
        (8, 2, (45 + 10 + 1) / 1024),
        (15, 6, 82160 / 2**21),
        (30, 2, (496 + 32 + 1) / 2**32),
    ],
)
def test_sign_test_is_the_exact_binomial_tail(worse: int, better: int, p: float) -> None:
    assert sign_test_p(worse, better) == pytest.approx(p, rel=1e-12)


def test_sign_test_refuses_impossible_counts() -> None:
    with pytest.raises(ValueError, match=r"found -1 worse and 2 better"):
        sign_test_p(-1, 2)


def test_one_run_each_is_the_exact_sign_test() -> None:
    drops = [1.0] * 12 + [-1.0] * 4 + [0.0] * 34
    assert sign_flip_p(drops) == sign_test_p(12, 4)


def test_repeats_count_by_their_size() -> None:
    drops = [0.4, 0.2, -0.2, 0.6, 0.8, -0.4]
    assert sign_flip_p(drops) == brute_force(drops)


def test_thirds_and_fifths_make_exact_ties() -> None:
    """1/3 + 1/3 ties with 2/3: as floats or on a grid of 1/10,000 it would not."""
    drops = [2 / 3, -1 / 3, -1 / 3, 1 / 5, 2 / 5]
    assert sign_flip_p(drops) == brute_force(drops)


def test_nothing_changed_is_no_evidence() -> None:
    assert sign_flip_p([]) == 1.0
    assert sign_flip_p([0.0] * 50) == 1.0


def test_the_better_direction_is_never_significant() -> None:
    assert sign_flip_p([-1.0] * 30) == 1.0
    assert sign_flip_p([-0.2, -0.4, -0.6, -0.8]) == 1.0


def test_overwhelming_evidence_is_small_but_not_zero() -> None:
    assert 0 < sign_flip_p([1.0] * 5000) < 1e-300


@pytest.mark.parametrize("drop", [math.nan, math.inf])
def test_a_drop_that_is_no_number_is_refused(drop: float) -> None:
    with pytest.raises(ValueError, match="leave unscored pairs out"):
        sign_flip_p([0.1, drop])


def test_sampling_agrees_with_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    drops = [(rng.randint(-5, 7)) / 5 for _ in range(60)]
    counted = sign_flip_p(drops)
    monkeypatch.setattr(statistics, "_EXACT_BITS", 0)
    sampled = sign_flip_p(drops)
    assert 0.001 < counted < 0.2
    assert sampled != counted
    assert sampled == pytest.approx(counted, abs=4 * math.sqrt(counted / statistics.DRAWS))


def test_sampling_stops_once_p_is_known_to_be_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "_EXACT_BITS", 0)
    drops = [0.31, -0.3, 0.07, -0.11, 0.02, 0.013]
    assert sign_flip_p(drops) == pytest.approx(brute_force(drops), abs=0.06)


def test_sampling_is_seeded_and_ignores_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "_EXACT_BITS", 0)
    rng = random.Random(5)
    drops = [rng.gauss(0.04, 0.2) for _ in range(100)]
    first = sign_flip_p(drops)
    rng.shuffle(drops)
    assert sign_flip_p(drops) == first
    assert sign_flip_p(drops, seed=1) != first


def test_ten_thousand_pairs_with_scores_of_any_size_are_sampled() -> None:
    rng = random.Random(6)
    noise = [rng.gauss(0, 0.2) for _ in range(10_000)]
    assert sign_flip_p(noise) > 0.02
    assert sign_flip_p([d + 0.02 for d in noise]) == 1 / (statistics.DRAWS + 1)


def test_holm_multiplies_by_what_is_left_and_never_goes_down() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06})
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert holm({"only": 0.02}) == {"only": 0.02}
    assert holm({}) == {}


@pytest.mark.parametrize(("freedom", "quantile"), [(3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (30, 2.042)])
def test_mean_interval_uses_students_quantiles(freedom: int, quantile: float) -> None:
    """Values from the printed table of Student's t for 95 %, two-sided."""
    values = [float(i) for i in range(freedom + 1)]
    low, high = mean_interval(values) or (0.0, 0.0)
    n = freedom + 1
    error = math.sqrt(sum((v - freedom / 2) ** 2 for v in values) / freedom / n)
    assert (high - low) / 2 == pytest.approx(quantile * error, rel=2e-3)
    assert (high + low) / 2 == pytest.approx(freedom / 2)


def test_mean_interval_of_too_few_values_is_unknown() -> None:
    assert mean_interval([0.1, 0.2, 0.3]) is None
    assert mean_interval([0.1] * 4) == pytest.approx((0.1, 0.1))


def test_detectable_drop_shrinks_with_scenarios_and_repeats() -> None:
    def noisy(n: int, repeats: int) -> list[float]:
        rng = random.Random(7)
        draw = [(rng.random() < 0.8) - (rng.random() < 0.8) for _ in range(n * repeats)]
        return [sum(draw[i * repeats : (i + 1) * repeats]) / repeats for i in range(n)]

    drops = [
        detectable_drop(noisy(n, k), 0.8, alpha=0.05, repeats=k) for n, k in ((20, 1), (50, 1), (200, 1), (200, 5))
    ]
    assert all(d is not None for d in drops)
    assert drops == sorted(drops, reverse=True)  # type: ignore[type-var]  # none is None


def test_detectable_drop_is_detected_in_four_of_five_runs() -> None:
    """The promise itself: at the drop that is named, the test says so about 80 % of the time."""
    rng = random.Random(8)
    n, chance, alpha = 60, 0.85, 0.05

    def run(p: float) -> list[int]:
        return [rng.random() < p for _ in range(n)]

    drop = detectable_drop([a - b for a, b in zip(run(chance), run(chance), strict=True)], chance, alpha=alpha)
    assert drop is not None
    seen = sum(
        sign_flip_p([a - b for a, b in zip(run(chance), run(chance - drop), strict=True)]) <= alpha for _ in range(400)
    )
    assert 0.70 <= seen / 400 <= 0.95


def test_a_run_without_noise_still_needs_enough_flips() -> None:
    """Four flips one way have p = 1/16: no fewer than five of a hundred scenarios can be significant at 0.05."""
    drop = detectable_drop([0.0] * 100, 1.0, alpha=0.05)
    assert drop is not None
    assert drop >= 0.05
    # No flip seen in a hundred does not mean that there are none: noise is taken to be one flip more than was seen.
    assert drop == pytest.approx(0.086, abs=0.001)


@pytest.mark.parametrize(("n", "level"), [(0, 1.0), (3, 1.0), (30, 0.0)])
def test_no_drop_is_detectable_where_none_could_be_seen(n: int, level: float) -> None:
    assert detectable_drop([0.0] * n, level, alpha=0.05) is None
