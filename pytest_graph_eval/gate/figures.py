"""How figures are computed and put into words: means that no order changes, roundings that hide nothing, cut lists."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal

SLACK = 1e-9
"""A mean that misses its line by less is the float error of a mean that meets it."""

_MOST_DIGITS = 12


def is_number(value: object) -> bool:
    """Tell whether `value` is a finite number; a bool is none."""
    if value is None:  # most of them
        return False
    if value.__class__ is float:  # most of the others
        return math.isfinite(value)
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def mean(values: Collection[float]) -> float | None:
    """Return the mean, the same for every order of `values`; None when there are none."""
    return math.fsum(values) / len(values) if values else None


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """Return the nearest-rank percentile of ascending values (`share` 0.95 is p95); None when there are none."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def meets(value: float, line: float) -> bool:
    """Tell whether `value` reaches `line`."""
    return value >= line - SLACK


def figure(value: float | None, lines: Iterable[float] = (), *, digits: int = 2) -> str:
    """Return a score as text with as many digits as it takes to be on its true side of every line.

    0.7996 under a line of 0.80 is `0.7996`, not `0.80`; nothing but 1 is shown as 1.00, nothing but 0 as 0.00.
    None is `-`.
    """
    if value is None:
        return "-"
    sides = [(Decimal(repr(line)), meets(value, line)) for line in {*lines, 1.0}]
    for places in range(digits, _MOST_DIGITS):
        text = f"{value:.{places}f}"
        shown = Decimal(text)
        if all((shown >= line) is met for line, met in sides) and (value <= 0 or shown > 0):
            return text
    return repr(value)


def amount(value: float, lines: Iterable[float] = ()) -> str:
    """Return an amount as text with as many digits as it takes to be above every line that it is above.

    Small ones have two digits that say something: `0.0075`, not `0.01`.
    """
    if float(value).is_integer():
        return f"{value:.0f}"
    above = [Decimal(repr(line)) for line in lines if value > line]
    for places in range(max(2, 1 - math.floor(math.log10(abs(value)))), _MOST_DIGITS):
        text = f"{value:.{places}f}"
        if all(Decimal(text) > line for line in above):
            return text
    return repr(value)


def number(value: float) -> str:
    """Return a line as it was set, with at least two decimals: `0.80`, `0.805`, `5.00`."""
    text = repr(float(value))
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals.ljust(2, '0')}" if decimals.isdigit() else text


def percent(part: int, whole: int) -> str:
    """Return a share as a percentage; 100 % only when it is all, 0 % only when it is none."""
    if not whole:
        return "-"
    for places in range(4):
        text = f"{100 * part / whole:.{places}f}"
        if (float(text) == 100) is (part == whole) and (float(text) == 0) is (part == 0):
            return f"{text}%"
    return "<0.001%" if part * 2 < whole else ">99.999%"
