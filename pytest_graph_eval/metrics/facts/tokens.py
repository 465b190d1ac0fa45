"""The number token: one figure as written, with all that its text says about it."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal, NamedTuple

from pytest_graph_eval.metrics.facts.digits import ARITHMETIC
from pytest_graph_eval.metrics.facts.tables.units import Measure
from pytest_graph_eval.once import once

UnitClass = Literal["plain", "money", "percent", "points", "count", "ordinal", "range", "ratio", "fraction", "year"]


class NumberToken(NamedTuple):
    """One figure. `value` has its sign and scale; its exponent is that of the last printed digit.

    Attributes:
        span: where it stands, sign, currency, scale and unit sign included.
        text: what stands there.
        value: the likeliest value; the lower end of a range.
        unit_class: what kind of figure it is; `count` only in gold values.
        readings: other values that the same text can mean (a separator with two meanings, brackets that may be minus).
        high: the upper end of a range.
        currency: a code, or a group of codes (`$`, `¥`, `kr`); empty where none is written.
        unit: the unit of measure, or the noun that follows.
        measure: what the unit measures, where it is one.
        power: the power of ten of its scale word; 0 where none is written.
        sign: -1 or 1 where a sign is written, else 0.
        approximate: `about` and the like stand before it.
        needs_noun: it counts only beside the counted noun (one, un, neuf, no).
        maybe_year: bare figures that may be a year.
    """

    span: tuple[int, int]
    text: str
    value: Decimal
    unit_class: UnitClass = "plain"
    readings: tuple[Decimal, ...] = ()
    high: Decimal | None = None
    currency: str = ""
    unit: str = ""
    measure: Measure | None = None
    power: int = 0
    sign: int = 0
    approximate: bool = False
    needs_noun: bool = False
    maybe_year: bool = False

    @property
    def quantum(self) -> Decimal:
        """Return one unit of the last printed digit: 0.1e9 for `$611.3 billion`."""
        return quantum(self.value)

    @property
    def is_exact(self) -> bool:
        """Tell whether the figure is a whole number without a scale word."""
        return self.power == 0 and self.value.as_tuple().exponent == 0


class NumberTokens(tuple[NumberToken, ...]):  # noqa: SLOT001 - it remembers what is made of all tokens once
    """The figures of one text in order, with what is made of all of them once."""

    @once
    def amounts(self) -> list[tuple[int, int]]:
        """Return the spans of the figures that say how much: all but years, what may be one, and ordinals."""
        return [t.span for t in self if t.unit_class not in ("year", "ordinal") and not t.maybe_year]

    @once
    def starts(self) -> list[int]:
        """Return where each token starts."""
        return [t.span[0] for t in self]

    @once
    def by_size(self) -> tuple[list[Decimal], list[int]]:
        """Return all values without their signs, sorted, and beside each the number of its token."""
        sizes = [(v.copy_abs(), i) for i, t in enumerate(self) for v in (t.value, *t.readings)]
        sizes.sort()
        return [size for size, _ in sizes], [i for _, i in sizes]

    @once
    def memory(self) -> dict[object, dict[int, int]]:
        """Return what was found out about the words around the tokens, by question and number of the token."""
        return {}


def quantum(value: Decimal) -> Decimal:
    """Return one unit of the last digit of a value as it is written."""
    return ARITHMETIC.scaleb(Decimal(1), last_place(value))


def last_place(value: Decimal) -> int:
    """Return the power of ten that the last digit of a value stands for."""
    exponent = value.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0
