"""What must hold of the gate's statistics for every input."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_graph_eval.gate.comparison import statistics
from pytest_graph_eval.gate.comparison.statistics import detectable_drop, holm, mean_interval, sign_flip_p, sign_test_p
from pytest_graph_eval.models.repeats import pass_at_k, pass_hat_k, wilson

fifths = st.integers(-5, 5).map(lambda k: k / 5)
mixed = st.builds(lambda a, b: a / 5 - b / 3, st.integers(0, 5), st.integers(0, 3))
scores = st.floats(-1, 1).map(lambda x: round(x, 4))
drops = st.lists(st.one_of(fifths, mixed, scores), max_size=40)


@given(drops)
def test_p_is_a_probability_and_never_zero(values: list[float]) -> None:
    assert 0 < sign_flip_p(values) <= 1


@given(st.lists(st.one_of(fifths, mixed), max_size=11))
def test_counting_equals_brute_force(values: list[float]) -> None:
    seen, sizes = sum(values), [abs(v) for v in values]
    sums = [sum(s * v for s, v in zip(signs, sizes, strict=True)) for signs in
            itertools.product((1, -1), repeat=len(values))]  # fmt: skip
    assert sign_flip_p(values) == pytest.approx(sum(s >= seen - 1e-9 for s in sums) / len(sums), rel=1e-12)


@given(drops, st.randoms(use_true_random=False))
def test_order_of_pairs_does_not_matter(values: list[float], rng: random.Random) -> None:
    shuffled = list(values)
    rng.shuffle(shuffled)
    assert sign_flip_p(shuffled) == sign_flip_p(values)


@given(drops)
def test_same_input_same_p(values: list[float]) -> None:
    assert sign_flip_p(values) == sign_flip_p(values)


@given(st.lists(fifths, min_size=1, max_size=30), st.data())
def test_a_larger_drop_is_never_less_significant(values: list[float], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(values) - 1))
    worse = list(values)
    worse[place] = data.draw(st.integers(round(values[place] * 5), 5)) / 5
    assert sign_flip_p(worse) <= sign_flip_p(values) * (1 + 1e-12)


@given(drops)
def test_worse_and_better_cannot_both_be_surprising(values: list[float]) -> None:
    """Every sign pattern is counted on one of the sides at least."""
    assert sign_flip_p(values) + sign_flip_p([-v for v in values]) >= 1 - 1e-9


@given(st.lists(st.one_of(fifths, mixed), min_size=8, max_size=25))
@settings(max_examples=40)
def test_sampling_is_near_counting(values: list[float]) -> None:
    sizes = sorted(abs(v) for v in statistics._integers(values))
    if not sizes:
        return
    least = sum(v for v in statistics._integers(values) if v > 0)
    exact = statistics._counted(sizes, least)
    sampled = statistics._sampled(sizes, least, 1, 9_999)
    assert sampled == pytest.approx(exact, rel=0.3, abs=0.003)


@given(st.integers(0, 200), st.integers(0, 200))
def test_sign_test_is_monotone(worse: int, better: int) -> None:
    assert sign_test_p(worse + 1, better) <= sign_test_p(worse, better)
    assert sign_test_p(worse, better + 1) >= sign_test_p(worse, better)


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=8), st.floats(0.001, 0.4))
def test_holm_never_rejects_more_than_uncorrected_and_no_less_than_bonferroni(
    p_values: dict[str, float], alpha: float
) -> None:
    adjusted = holm(p_values)
    assert adjusted.keys() == p_values.keys()
    for name, p in p_values.items():
        assert p <= adjusted[name] <= min(1.0, p * len(p_values))
    rejected = {name for name, p in adjusted.items() if p <= alpha}
    assert rejected <= {name for name, p in p_values.items() if p <= alpha}


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), min_size=1, max_size=8))
def test_holm_keeps_the_order(p_values: dict[str, float]) -> None:
    adjusted = holm(p_values)
    ordered = sorted(p_values, key=p_values.__getitem__)
    assert [adjusted[n] for n in ordered] == sorted(adjusted[n] for n in ordered)


@given(st.integers(0, 300), st.integers(0, 300), st.floats(0.5, 0.999))
def test_wilson_holds_the_rate_and_stays_in_bounds(passed: int, failed: int, confidence: float) -> None:
    low, high = wilson(passed, passed + failed, confidence)
    rate = passed / (passed + failed) if passed + failed else 0.5
    assert 0 <= low <= rate <= high <= 1
    mirrored = wilson(failed, passed + failed, confidence)
    assert mirrored == pytest.approx((1 - high, 1 - low))


@given(st.integers(1, 40), st.data())
def test_pass_at_k_grows_and_pass_hat_k_falls_with_k(trials: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, trials))
    at = [pass_at_k(passed, trials, k) for k in range(1, trials + 1)]
    hat = [pass_hat_k(passed, trials, k) for k in range(1, trials + 1)]
    assert at[0] == pytest.approx(passed / trials)
    assert hat[0] == pytest.approx(passed / trials)
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(at))
    assert all(a >= b for a, b in itertools.pairwise(hat))


@given(st.lists(st.floats(-1, 1), max_size=30))
def test_mean_interval_holds_the_mean(values: list[float]) -> None:
    found = mean_interval(values)
    if len(values) < 4:
        assert found is None
    else:
        assert found is not None
        low, high = found
        assert low - 1e-9 <= sum(values) / len(values) <= high + 1e-9


@given(st.lists(fifths, max_size=60), st.floats(0, 1), st.floats(0.001, 0.2), st.integers(1, 10))
def test_detectable_drop_is_a_share_or_unknown(values: list[float], level: float, alpha: float, repeats: int) -> None:
    drop = detectable_drop(values, level, alpha=alpha, repeats=repeats)
    assert drop is None or 0 < drop <= level
