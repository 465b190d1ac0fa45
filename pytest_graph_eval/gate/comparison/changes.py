"""How much the pass rate and each metric changed against the baseline, and whether noise alone would do that.

On a live target one paired test looks at the pass rates and one at each metric; together they raise a false alarm in
at most `alpha` of the runs. On a deterministic target every change is real, and nothing is tested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import fsum
from statistics import harmonic_mean
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pytest_graph_eval.gate.comparison.baseline import Entry
from pytest_graph_eval.gate.comparison.pairing import Pair
from pytest_graph_eval.gate.comparison.statistics import detectable_drop, holm, mean_interval, sign_flip_p
from pytest_graph_eval.gate.figures import SLACK
from pytest_graph_eval.gate.verdict import Level
from pytest_graph_eval.models.settings import BaselineGate
from pytest_graph_eval.texts import many

RATE = "pass_rate"
DERIVED = "mean"
"""Made of the other metrics: shown, never tested beside them."""
RATE_SHARE = 0.8
"""The part of alpha that the pass rates get; the metrics share the rest, and a lone test has all of it."""
POWER = 0.8

Code = Literal["significant_regression", "not_significant", "insufficient_samples", "score_drop"]
_LEVELS: dict[Code, Level] = {
    "significant_regression": "FAIL",
    "not_significant": "WARN",
    "insufficient_samples": "WARN",
    "score_drop": "WARN",
}


class Change(BaseModel):
    """One quantity before and now; `difference` is now minus before, so negative is worse.

    `p` is the chance of such a drop when nothing changed, `p_adjusted` the same corrected for the number of metrics,
    to be held against `alpha`; None where nothing was tested. `code` says what the gate makes of it, None for
    nothing.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    suites: list[str]
    deterministic: bool
    n: int
    before: float
    now: float
    difference: float
    interval: tuple[float, float] | None
    p: float | None = None
    p_adjusted: float | None = None
    alpha: float | None = None
    code: Code | None = None

    @property
    def level(self) -> Level | None:
        """How much the gate minds."""
        return _LEVELS[self.code] if self.code else None


class Power(BaseModel):
    """The smallest drop of the pass rate that these pairs could have shown with probability `power`.

    None where there is none that could be seen; `note` then says why.
    """

    model_config = ConfigDict(frozen=True)

    suites: list[str]
    deterministic: bool
    n: int
    repeats: float
    alpha: float | None = None
    power: float = POWER
    smallest_drop: float | None = None
    note: str = ""


@dataclass(slots=True)
class _Series:
    """One quantity of all pairs that have it. `drops` are over as many repeats as both sides have."""

    name: str
    pairs: list[Pair] = field(default_factory=list)
    before: list[float] = field(default_factory=list)
    now: list[float] = field(default_factory=list)
    drops: list[float] = field(default_factory=list)

    def add(self, pair: Pair, value: Callable[..., float | None]) -> None:
        """Add a pair, unless one of its sides has no such value."""
        before, now = value(pair.before), value(pair.now)
        first, second = before, now
        if len(pair.before.attempts) != len(pair.now.attempts):
            first, second = value(pair.before, first=pair.repeats), value(pair.now, first=pair.repeats)
        if before is None or now is None or first is None or second is None:
            return
        self.pairs.append(pair)
        self.before.append(before)
        self.now.append(now)
        self.drops.append(first - second)

    def worst(self) -> list[tuple[Pair, float, float]]:
        """Return the pairs where it fell, the furthest first, with both values."""
        rows = [row for row in zip(self.pairs, self.before, self.now, strict=True) if row[1] - row[2] > SLACK]
        return sorted(rows, key=lambda row: (row[2] - row[1], row[0].place))


def judge_drop(drop: float, n: int, p: float, alpha: float, policy: BaselineGate) -> Code | None:
    """Return what a drop on a live target means: nothing below the effect of interest, else as far as it is proven.

    Args:
        drop: baseline minus now.
        n: pairs.
        p: of the paired test, corrected where there are several.
        alpha: the share of false alarms that the test may have.
        policy: `min_effect` and `min_n`.
    """
    if not _matters(drop, policy):
        return None
    if n < policy.min_n:
        return "insufficient_samples"
    return "significant_regression" if p <= alpha else "not_significant"


def changes(
    pairs: Sequence[Pair], policy: BaselineGate, *, deterministic: bool, share: float = 1.0
) -> list[tuple[Change, list[tuple[Pair, float, float]]]]:
    """Return the pass rate's change, then each metric's by name, each with the pairs where it fell, furthest first.

    Args:
        pairs: all deterministic, or all live.
        policy: when a change matters.
        deterministic: which of the two they are.
        share: the part of the policy's alpha that these pairs have.
    """
    series = _all_series(pairs)
    judged = [_deterministic(s, policy) for s in series] if deterministic else _live(series, policy, share)
    return [(change, s.worst()) for change, s in zip(judged, series, strict=True)]


def power_of(pairs: Sequence[Pair], alpha: float | None, policy: BaselineGate) -> Power:
    """Return the smallest drop that `pairs` could have shown; an `alpha` of None is for pairs without noise."""
    suites, n = _suites(pairs), len(pairs)
    repeats = harmonic_mean([p.repeats for p in pairs])
    if alpha is None:
        return Power(suites=suites, deterministic=True, n=n, repeats=repeats, smallest_drop=1 / n)
    power = Power(suites=suites, deterministic=False, n=n, repeats=repeats, alpha=alpha)
    if n < policy.min_n:
        return power.model_copy(
            update={"note": f"no drop can fail the gate below {many(policy.min_n, 'pair')} (`min_n`)"}
        )
    rates = _series(RATE, pairs, Entry.pass_rate)
    level = fsum(rates.before) / n
    smallest = detectable_drop(rates.drops, level, alpha=alpha, repeats=repeats, power=POWER)
    if smallest is None:
        note = f"with {many(n, 'pair')} even a drop of all passes could be missed; add scenarios or raise `repeats`"
        return power.model_copy(update={"note": note})
    return power.model_copy(update={"smallest_drop": max(smallest, policy.min_effect)})


def _matters(drop: float, policy: BaselineGate) -> bool:
    return drop > SLACK and drop >= policy.min_effect - SLACK


def _all_series(pairs: Sequence[Pair]) -> list[_Series]:
    """Return the pass rates, then each metric that at least one pair has on both sides."""
    names = sorted({name for p in pairs for name in p.before.metrics() & p.now.metrics()})
    metrics = (_series(name, pairs, partial(Entry.score, metric=name)) for name in names)
    return [_series(RATE, pairs, Entry.pass_rate), *(series for series in metrics if series.pairs)]


def _series(name: str, pairs: Sequence[Pair], value: Callable[..., float | None]) -> _Series:
    series = _Series(name)
    for pair in pairs:
        series.add(pair, value)
    return series


def _suites(pairs: Sequence[Pair]) -> list[str]:
    return sorted({p.place[0] for p in pairs})


def _change(series: _Series, *, deterministic: bool) -> Change:
    differences = [new - old for old, new in zip(series.before, series.now, strict=True)]
    n = len(differences)
    return Change(
        name=series.name,
        suites=_suites(series.pairs),
        deterministic=deterministic,
        n=n,
        before=fsum(series.before) / n,
        now=fsum(series.now) / n,
        difference=fsum(differences) / n,
        interval=None if deterministic else mean_interval(differences),
    )


def _deterministic(series: _Series, policy: BaselineGate) -> Change:
    change = _change(series, deterministic=True)
    # Flips of the pass rate are judged one by one, and the mean falls with its metrics.
    if series.name in (RATE, DERIVED) or not _matters(-change.difference, policy):
        return change
    return change.model_copy(update={"code": "score_drop"})


def _live(series: Sequence[_Series], policy: BaselineGate, share: float) -> list[Change]:
    p_values = {s.name: sign_flip_p(s.drops) for s in series if s.name != DERIVED}
    family = {s.name: p_values[s.name] for s in series[1:] if s.name != DERIVED and len(s.pairs) >= policy.min_n}
    adjusted = {**p_values, **holm(family)}
    alpha = policy.alpha * share
    rate_alpha = alpha * RATE_SHARE if family else alpha
    return [
        _tested(s, policy, p_values, adjusted, rate_alpha if s.name == RATE else alpha * (1 - RATE_SHARE))
        for s in series
    ]


def _tested(
    series: _Series, policy: BaselineGate, p_values: dict[str, float], adjusted: dict[str, float], alpha: float
) -> Change:
    change = _change(series, deterministic=False)
    if series.name not in p_values:
        return change
    p = adjusted[series.name]
    return change.model_copy(
        update={
            "p": p_values[series.name],
            "p_adjusted": p,
            "alpha": alpha,
            "code": judge_drop(-change.difference, change.n, p, alpha, policy),
        }
    )
