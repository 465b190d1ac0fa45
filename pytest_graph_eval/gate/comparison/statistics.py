"""What a paired comparison can say: how likely noise alone is, how large the change is, what would have been seen.

Everything is one-sided towards "worse": a *drop* is baseline minus current, positive when the run got worse.
Standard library only. Results do not depend on the order of the pairs, and sampling is seeded, so the same
records give the same figures on every machine.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from statistics import NormalDist, fmean, stdev

SEED = 20_260_101
DRAWS = 9_999
"""With 9,999 draws p has steps of 1/10,000: fine enough for 0.2 x 0.05 shared by a dozen metrics."""

_ENOUGH = 500
"""Hits after which p is known well enough, and far from small; Besag and Clifford's rule, which is valid too."""
_EXACT_BITS = 2 * 10**9
"""Work of the exact count above which signs are sampled instead; a tenth of a second."""
_LARGEST_SCALE = 10_000
_TINY = 1e-9
_NORMAL = NormalDist()


def sign_test_p(worse: int, better: int) -> float:
    """Return the probability of at least `worse` among `worse + better` flips when both ways are equally likely.

    Raises:
        ValueError: a count is negative.
    """
    if worse < 0 or better < 0:
        raise ValueError(f"flips are counted from 0; found {worse} worse and {better} better")
    total = worse + better
    ways = term = math.comb(total, worse)
    for k in range(worse, total):
        term = term * (total - k) // (k + 1)
        ways += term
    return _share(ways, total)


def sign_flip_p(drops: Iterable[float], *, seed: int = SEED, draws: int = DRAWS) -> float:
    """Return the one-sided p value of the paired sign-flip permutation test on the sum of `drops`.

    When nothing changed, each pair's drop is as likely to have the other sign; p is the share of sign patterns
    whose sum is at least the one seen. All patterns are counted where that is cheap (equal sizes are the exact
    sign test), else up to `draws` random ones are, and p is (hits + 1) / (draws + 1), which is valid too. Pairs
    without a change say nothing; without any other p is 1.

    Raises:
        ValueError: a drop is not finite.
    """
    signed = _integers(list(drops))
    sizes = sorted(map(abs, signed))
    worse = sum(size for size in signed if size > 0)
    if not sizes:
        return 1.0
    if sizes[0] == sizes[-1]:
        flips = worse // sizes[0]
        return sign_test_p(flips, len(sizes) - flips)
    if len(sizes) * len(sizes) * sum(sizes) <= _EXACT_BITS:
        return _counted(sizes, worse)
    return _sampled(sizes, worse, seed, draws)


def _share(ways: int, flips: int) -> float:
    """Return `ways` of the 2 ** `flips` sign patterns as a probability that is never quite 0."""
    return max(ways / (1 << flips), sys.float_info.min)


def _counted(sizes: Sequence[int], least: int) -> float:
    """Count the subsets of `sizes` with a sum of at least `least`.

    The counts by sum stand side by side in one large integer, `width` bits each, so that adding a size is one
    shift and one addition; a number modulo `2 ** width - 1` is the sum of its digits.
    """
    width = len(sizes) + 1
    ways = 1
    for size in sizes:
        ways += ways << (size * width)
    return _share((ways >> (least * width)) % ((1 << width) - 1), len(sizes))


def _sampled(sizes: Sequence[int], least: int, seed: int, draws: int) -> float:
    """Estimate the same from random subsets: one bit a pair, summed bit plane by bit plane."""
    planes = []
    for bit in range(max(sizes).bit_length()):
        mask = int("".join("1" if size >> bit & 1 else "0" for size in sizes), 2)
        if mask:
            planes.append((1 << bit, mask))
    chosen = random.Random(seed).getrandbits  # noqa: S311 - a seeded test, no secret
    hits = 0
    for draw in range(1, draws + 1):
        subset = chosen(len(sizes))
        total = 0
        for weight, mask in planes:
            total += weight * (subset & mask).bit_count()
        hits += total >= least
        if hits == _ENOUGH:
            return hits / draw
    return (hits + 1) / (draws + 1)


def _integers(drops: Sequence[float]) -> list[int]:
    """Return the drops that are not 0, scaled to whole numbers without a common divisor.

    Rates are fractions of small numbers of repeats and scale exactly, so that equal sums are equal. Anything
    finer is rounded to a grid of 1 / 10,000, which treats both signs alike and so keeps the test valid.
    """
    if not all(map(math.isfinite, drops)):
        raise ValueError("a drop is not finite; leave unscored pairs out")
    scale, fractions = 1, {}
    for drop in set(drops):
        fractions[drop] = Fraction(drop).limit_denominator(1000)
        scale = math.lcm(scale, fractions[drop].denominator)
        if scale > _LARGEST_SCALE or abs(fractions[drop] - Fraction(drop)) > _TINY:
            whole = [round(drop * _LARGEST_SCALE) for drop in drops]
            break
    else:
        whole = [int(fractions[drop] * scale) for drop in drops]
    divisor = math.gcd(*whole)
    return [size // divisor for size in whole if size]


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Return p values adjusted for their number (Holm's step-down); compare each with the whole alpha."""
    adjusted: dict[str, float] = {}
    largest = 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda name: (p_values[name], name))):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[name]))
        adjusted[name] = largest
    return adjusted


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return Student's 95 % interval of the mean of `values`; None for fewer than four, where it says nothing."""
    if len(values) < 4:
        return None
    middle = fmean(values)
    half = _t_quantile(0.975, len(values) - 1.0) * stdev(values) / math.sqrt(len(values))
    return middle - half, middle + half


def _t_quantile(probability: float, freedom: float) -> float:
    """Return Student's quantile by its expansion around the normal one (Abramowitz and Stegun 26.7.5)."""
    z = _NORMAL.inv_cdf(probability)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return sum(term / freedom**power for power, term in enumerate(terms))


def detectable_drop(
    drops: Sequence[float], level: float, *, alpha: float, repeats: float = 1.0, power: float = 0.8
) -> float | None:
    """Return the smallest drop of the pass rate that `sign_flip_p` would have called real with this `power`.

    Args:
        drops: baseline minus current pass rate of each pair; their spread tells the noise.
        level: the mean pass rate before the drop, 0..1.
        alpha: the p value below which a drop counts as real.
        repeats: how often each scenario was asked (the harmonic mean where it differs).
        power: how surely the drop would have been seen, 0..1.

    Returns:
        A share between 0 and 1; None when even a drop to nothing could have been missed.
    """
    n = len(drops)
    if not n:
        return None
    # One flip more than was seen: a run without any noise still proves little about the next one.
    noise = (math.fsum(drop * drop for drop in drops) + 1 / repeats) / (n + 1)
    tail, reach = _NORMAL.inv_cdf(1 - alpha), _NORMAL.inv_cdf(power)
    # Lower pass rates flip more: p(1 - p) grows by drop * (2p - 1) when p falls.
    growth = max(0.0, 2 * level - 1) / repeats

    def seen(drop: float) -> bool:
        spread = max(0.0, noise + growth * drop - drop * drop / repeats)
        threshold = tail * math.sqrt(n * (spread + drop * drop)) + 1 / repeats
        return n * drop - reach * math.sqrt(n * spread) >= threshold

    # Fewer changes than this have no sign pattern rare enough, however one-sided they are.
    low, high = math.ceil(-math.log2(alpha)) / (n * repeats), level
    if low > high or not seen(high):
        return None
    if seen(low):
        return low
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if seen(middle) else (middle, high)
    return high
