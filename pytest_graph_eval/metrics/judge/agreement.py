"""How far a judge agrees with people: agreement, kappa and correlation over scores of the same answers; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Literal

from pytest_graph_eval.models.judge_settings import RUBRIC

_FIFTHS = 5


@dataclass(frozen=True, slots=True)
class Agreement:
    """Figures over `n` pairs; None where they are not defined: of two constant raters nothing can be said.

    `exact` and `near` are the shares of pairs in the same class and at most one class apart, `kappa` is Cohen's,
    `weighted_kappa` with quadratic weights, `bias` how much higher the judge scores than people.
    """

    metric: str
    n: int
    exact: float | None
    near: float | None
    kappa: float | None
    weighted_kappa: float | None
    pearson: float | None
    spearman: float | None
    bias: float | None

    def trusted(self, least_kappa: float, least_n: int) -> str:
        """Return why a gate may not lean on the judge for this metric; nothing where it may."""
        if self.n < least_n:
            return f"labels: {self.n}, at least {least_n} are needed"
        if self.weighted_kappa is None:
            return "kappa is not defined: the labels or the judge's scores are all the same"
        if self.weighted_kappa < least_kappa:
            return f"weighted kappa {self.weighted_kappa:.3f} is below {least_kappa:g}"
        return ""


def agreement(metric: str, human: Sequence[float], judge: Sequence[float]) -> Agreement:
    """Return the figures of a metric. Classes are whole scores of the rubric, and fifths of a share.

    Raises:
        ValueError: there are not as many scores of one as of the other.
    """
    pairs = list(zip(human, judge, strict=True))
    mine, theirs = ([_class(metric, value) for value in values] for values in (human, judge))
    apart = [abs(a - b) for a, b in zip(mine, theirs, strict=True)]
    n = len(pairs)
    return Agreement(
        metric,
        n,
        exact=sum(d == 0 for d in apart) / n if n else None,
        near=sum(d <= 1 for d in apart) / n if n else None,
        kappa=kappa(mine, theirs),
        weighted_kappa=kappa(mine, theirs, weights="quadratic"),
        pearson=pearson(human, judge),
        spearman=spearman(human, judge),
        bias=fsum(b - a for a, b in pairs) / n if n else None,
    )


def _class(metric: str, value: float) -> int:
    return int(value + 0.5) if metric in RUBRIC else min(int(value * _FIFTHS + 1e-9), _FIFTHS - 1)


def kappa(one: Sequence[int], other: Sequence[int], *, weights: Literal["none", "quadratic"] = "none") -> float | None:
    """Return Cohen's kappa of two raters; None where chance alone explains everything, or nothing was rated."""
    n = len(one)
    first, second = Counter(one), Counter(other)

    def weight(a: int, b: int) -> int:
        return (a - b) ** 2 if weights == "quadratic" else int(a != b)

    observed = sum(weight(a, b) for a, b in zip(one, other, strict=True))
    expected = sum(first[a] * second[b] * weight(a, b) for a in first for b in second)
    return 1 - n * observed / expected if expected else None


def pearson(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the linear correlation; None where one of them is constant, or there are fewer than two pairs."""
    if len(one) < 2 or len(set(one)) < 2 or len(set(other)) < 2:
        return None
    means = fsum(one) / len(one), fsum(other) / len(other)
    first, second = [x - means[0] for x in one], [y - means[1] for y in other]
    spread = sqrt(fsum(x * x for x in first) * fsum(y * y for y in second))
    return max(-1.0, min(1.0, fsum(x * y for x, y in zip(first, second, strict=True)) / spread)) if spread else None


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the correlation of ranks, equal values at their mean rank; None where `pearson` is."""
    return pearson(_ranks(one), _ranks(other))


def _ranks(values: Sequence[float]) -> list[float]:
    counts, below, rank = Counter(values), 0, {}
    for value in sorted(counts):
        rank[value] = below + (counts[value] + 1) / 2
        below += counts[value]
    return [rank[value] for value in values]
