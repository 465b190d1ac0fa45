# ruff: noqa: SIM905 - tables of words read better as text
"""Whether one figure agrees with an expected one: by class, value, sign, currency, unit and what denies it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, NamedTuple

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import context, rules, subjects
from pytest_graph_eval.metrics.facts.digits import ARITHMETIC
from pytest_graph_eval.metrics.facts.page import Page
from pytest_graph_eval.metrics.facts.tables import units
from pytest_graph_eval.metrics.facts.tables.currencies import GROUPS
from pytest_graph_eval.metrics.facts.tables.units import Measure
from pytest_graph_eval.metrics.facts.tokens import NumberToken, NumberTokens, UnitClass, quantum
from pytest_graph_eval.metrics.facts.tolerance import Tolerance

Reason = Literal[
    "", "no_candidate", "out_of_tolerance", "class_mismatch", "unit_mismatch", "currency_mismatch", "sign_mismatch",
    "range_only", "extra_candidate", "anchor_mismatch", "negated",
]  # fmt: skip
Span = tuple[int, int]

# Which classes of figures in a text are candidates for an expected figure of a class. Bare figures do for money (the
# sign may be missing, a different one may not), marked ones for a bare expected figure.
_ADMITTED: dict[UnitClass, frozenset[str]] = {
    "money": frozenset(("money", "plain")),
    "percent": frozenset(("percent",)),
    "points": frozenset(("points",)),
    "count": frozenset(("plain", "count")),
    "plain": frozenset(("plain", "count", "money", "ratio")),
    "ordinal": frozenset(("ordinal",)),
    "range": frozenset(("range",)),
    "ratio": frozenset(("ratio",)),
    "fraction": frozenset(("fraction", "plain")),
    "year": frozenset(("year", "plain")),
}
# These two measure alike: the right value of the wrong one is a wrong unit, and is shown.
ALIKE = frozenset(("percent", "points"))
_TIMES = frozenset("times fois mal veces volte vezes x".split())
_DOLLAR = frozenset(("USD",))
_PERIODS = frozenset(("time", "months"))


# A year after a figure is a small word elsewhere.
_YEAR = re.compile(r"[ -]year\b")
# 5 mg/ml are not 5 mg, but 5 mg/day are.
_PER = re.compile(
    r"(?: ?(?:[A-Za-zµμ]{1,4}|°C))?/(?!(?:d|day|week|month|year|yr|a|dose|tag|jour|dia|giorno|dag|person|patient)\b)"
    r"(?:[^\W\d]|100 ?km)"
)


class Judged(NamedTuple):
    """One candidate: why it does not agree (empty: it does), and the value that was compared."""

    token: NumberToken
    reason: Reason
    value: Decimal


@dataclass(slots=True)
class Agreement:
    """What is expected of one figure, and the text that it may stand in.

    `power` is the scale in which unmarked figures of the text may be meant, `unit` one that must stand with the figure.
    """

    gold: NumberToken
    kind: UnitClass
    page: Page
    tokens: NumberTokens
    tolerance: Tolerance
    unit: str | None
    clauses: Sequence[Span]
    accept_percent: bool
    accept_fraction: bool
    accept_bare: bool
    power: int

    @property
    def shifts_values(self) -> bool:
        """Tell whether an option compares other values than those that are written."""
        shifted = self.power or self.accept_percent or self.accept_fraction or self.accept_bare
        return bool(shifted or self.gold.measure)

    def admits(self, token: NumberToken) -> bool:
        """Tell whether a figure is of a class that can be compared at all."""
        kind = token.unit_class
        if kind not in _ADMITTED[self.kind] and not self._is_accepted(token):
            return False
        if self.kind == "money" and kind == "plain":
            return not (
                token.maybe_year
                or token.measure
                or token.needs_noun
                or subjects.counts_things(self.page, token.span[1])
            )
        if self.kind == "count":
            return token.measure is None or self._has_unit(token)
        return kind != "year" or self.gold.maybe_year or self.kind == "year"

    def _is_accepted(self, token: NumberToken) -> bool:
        """Tell whether an option, or the way the expected value is written, lets in another class."""
        kind = token.unit_class
        if self.kind == "percent":
            return (kind in ("plain", "fraction") and self.accept_fraction) or (kind == "plain" and self.accept_bare)
        if self.kind in ("plain", "count") and kind in ALIKE:
            return (self.accept_percent and kind == "percent") or (self.unit is not None and self._has_unit(token))
        if self.kind == "plain" and kind == "fraction":
            return not self.gold.is_exact
        if self.kind == "ratio":
            return kind == "plain" and token.unit in _TIMES
        if self.kind == "points":
            return kind == "plain" and self.accept_bare
        return self.kind == "plain" and kind == "year" and self.gold.maybe_year

    def _has_unit(self, token: NumberToken) -> bool:
        """Tell whether the declared unit stands with a figure: in it, after it, or in its row or column."""
        wanted = (self.unit or "").strip()
        if not wanted:
            return False
        if wanted in (token.unit, token.currency) or wanted.lower() in token.text.lower():
            return True
        peers = self.tokens.amounts
        beside = subjects.noun_beside(self.page, token.span, wanted, self._clause(token), peers)
        return bool(beside) or subjects.unit_in_label(self.page, token.span, wanted)

    # --- comparing

    def judge(self, token: NumberToken) -> Judged:
        """Compare one candidate; a right value is then looked at for what makes it wrong all the same."""
        if self.kind == "range":
            return self._judge_range(token)
        values = self._values(token)
        for value in values:
            if self.agrees(value):
                break
        else:
            return self._judge_sign(token, values)
        reason = self._flaw(token, value)
        if not reason and self.gold.sign > 0 and token.sign == 0 and self._direction(token) == "fall":
            reason = "sign_mismatch"
        return Judged(token, reason, value)

    def _judge_sign(self, token: NumberToken, values: Sequence[Decimal]) -> Judged:
        """Compare the other sign: a figure that fell is its negative, every other one is of the wrong sign."""
        opposite = next((v for v in values if v and self.agrees(v.copy_negate())), None)
        value = opposite if opposite is not None else values[0] if len(values) == 1 else min(values, key=self.gap)
        falls = self.gold.value < 0 < value and token.sign == 0 and self._direction(token) == "fall"
        if opposite is None:
            return Judged(token, "out_of_tolerance", value.copy_negate() if falls else value)
        return (
            Judged(token, self._flaw(token, value), value.copy_negate())
            if falls
            else Judged(token, "sign_mismatch", value)
        )

    def _judge_range(self, token: NumberToken) -> Judged:
        high = token.high if token.high is not None else token.value
        wanted = self.gold.high if self.gold.high is not None else self.gold.value
        upper = ARITHMETIC.subtract(high, wanted).copy_abs() <= self.tolerance.around(wanted, high)
        agrees = self.agrees(token.value) and upper
        return Judged(token, self._flaw(token, token.value) if agrees else "out_of_tolerance", token.value)

    def agrees(self, value: Decimal) -> bool:
        """Tell whether a value lies within the tolerance."""
        gold, room = self.gold.value, self.tolerance
        if value == gold:
            return True
        gap = self.gap(value)
        return gap <= room.most and gap <= room.around(gold, value)

    def _flaw(self, token: NumberToken, value: Decimal) -> Reason:
        """Return what is wrong with a figure of the right value."""
        if not _same_currency(self.gold.currency, token.currency):
            return "currency_mismatch"
        if self._other_measure(token, value) or (self.unit and not self._unit_fits(token)):
            return "unit_mismatch"
        if self.is_denied(token):
            return "negated"
        if self.gold.approximate:  # expected as a limit itself: less than 5 %
            return ""
        counted = self.kind in ("count", "plain") and self.gold.is_exact and token.is_exact
        bound = context.is_bound if counted else context.is_passed if self.kind in ALIKE else context.is_below
        return "range_only" if bound(self.page, token.span) else ""

    def _other_measure(self, token: NumberToken, value: Decimal) -> bool:
        """Tell whether a figure measures something else: watts for watt-hours, or as many miles as kilometres."""
        gold, found = self.gold.measure, self._measure(token)
        if gold is None:
            return False
        if _PER.match(self.page.text, token.span[1]) and "/" not in self.gold.text:
            return True
        if gold == found:
            return False
        if found is None:  # as many turbines as megawatts
            return bool(token.currency) or (self.kind == "plain" and subjects.counts_things(self.page, token.span[1]))
        return gold.dimension != found.dimension or value in (token.value, *token.readings)

    def _measure(self, token: NumberToken) -> Measure | None:
        """Return what a figure measures; words for periods measure beside an expected period, and count elsewhere."""
        if token.measure is not None or self.gold.measure is None:
            return token.measure
        if self.gold.measure.dimension not in _PERIODS:
            return None
        unit = token.unit or ("year" if _YEAR.match(self.page.lower, token.span[1]) else "")
        return units.period(unit)

    def _unit_fits(self, token: NumberToken) -> bool:
        bare = token.unit_class == "plain" and not token.unit
        return (self.accept_bare and bare) or self._has_unit(token)

    def _values(self, token: NumberToken) -> Sequence[Decimal]:
        """Return the values that a candidate can have, in the unit of the expected figure, the likeliest first."""
        every = (token.value, *token.readings)
        kind = token.unit_class
        if self.power and token.power == 0 and kind in ("plain", "money") and not token.measure:
            return (*(ARITHMETIC.scaleb(v, self.power) for v in every), *every)
        if self.kind == "percent" and kind in ("plain", "fraction"):
            hundredfold = tuple(ARITHMETIC.scaleb(v, 2) for v in every) if self.accept_fraction else ()
            return (*hundredfold, *(every if self.accept_bare or not hundredfold else ()))
        if kind == "percent" and self.kind in ("plain", "count"):
            hundredth = tuple(ARITHMETIC.scaleb(v, -2) for v in every)
            return hundredth if self.gold.value.copy_abs() < 1 else (*every, *hundredth)
        gold, found = self.gold.measure, self._measure(token)
        if gold and found and gold.size != found.size:
            factor = ARITHMETIC.divide(found.size, gold.size)
            return (*(self._converted(v, factor) for v in every), *every)
        return every

    def _converted(self, value: Decimal, factor: Decimal) -> Decimal:
        """Return a value in the unit of the expected one: that one where it is the same to the digits written.

        62.1 mph are 100 km/h, although 62.1 times 1.609344 is a little less.
        """
        gold, here = self.gold.value, ARITHMETIC.multiply(value, factor)
        if self.tolerance.is_declared or self.gap(here) > ARITHMETIC.multiply(rules.MOST_RELATIVE, gold.copy_abs()):
            return here
        rounded = ARITHMETIC.quantize(ARITHMETIC.divide(gold, factor), quantum(value))
        return gold if rounded == value else here

    def gap(self, value: Decimal) -> Decimal:
        """Return how far a value is from the expected one."""
        return ARITHMETIC.subtract(value, self.gold.value).copy_abs()

    # --- what the words around say

    def _direction(self, token: NumberToken) -> str:
        return context.direction(self.page, token.span, self._clause(token))

    def is_denied(self, token: NumberToken) -> bool:
        """Tell whether a figure is stated only to be denied."""
        return not token.needs_noun and context.is_denied(self.page, token.span, self._clause(token))

    def _clause(self, token: NumberToken) -> Span:
        return context.scope(self.page, token.span[0], self.clauses)


def _same_currency(gold: str, found: str) -> bool:
    """Tell whether two currencies can be one.

    Unmarked goes with any, the `$` of a text with any dollar, `¥` with yen and yuan; an expected `$` is the US dollar.
    """
    if not gold or not found or gold == found:
        return True
    wanted = _DOLLAR if gold == "$" else GROUPS.get(gold, frozenset((gold,)))
    return bool(wanted & GROUPS.get(found, frozenset((found,))))
