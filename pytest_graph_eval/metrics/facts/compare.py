# ruff: noqa: SIM905 - tables of words read better as text
"""Whether a text states an expected figure: the candidates of its class, one of them chosen, compared by value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Literal, NamedTuple

from pytest_graph_eval.metrics.facts import context, rules
from pytest_graph_eval.metrics.facts.digits import ARITHMETIC
from pytest_graph_eval.metrics.facts.page import Page, page
from pytest_graph_eval.metrics.facts.surroundings import by_name, by_noun
from pytest_graph_eval.metrics.facts.tables.currencies import GROUPS
from pytest_graph_eval.metrics.facts.tokens import NumberToken, NumberTokens, UnitClass
from pytest_graph_eval.metrics.facts.tolerance import Declared, Tolerance

__all__ = ["NumberVerdict", "Reason", "Select", "match_number"]

Reason = Literal[
    "", "no_candidate", "out_of_tolerance", "class_mismatch", "unit_mismatch", "currency_mismatch", "sign_mismatch",
    "range_only", "extra_candidate", "anchor_mismatch", "negated",
]  # fmt: skip
Select = Literal["any", "first", "last", "only"]
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
_ALIKE = frozenset(("percent", "points"))
_TIMES = frozenset("times fois mal veces volte vezes x".split())
_DOLLAR = frozenset(("USD",))
# A figure that misses by one of these is nearer than one with another value.
_NEAR_MISSES: tuple[Reason, ...] = (
    "negated", "anchor_mismatch", "currency_mismatch", "sign_mismatch", "unit_mismatch", "range_only",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NumberVerdict:
    """Whether a figure is stated; the code of the rule that failed it, and the nearest figure found.

    `answer_value` is the value of the candidate that decided, None where nothing is comparable; `tolerance` says in
    words how far off it might have been.
    """

    verdict: Literal["pass", "fail"]
    reason: Reason = ""
    answer_value: Decimal | None = None
    token: NumberToken | None = None
    tolerance: str = ""


def match_number(
    gold: NumberToken,
    plain: str,
    tokens: Sequence[NumberToken],
    *,
    unit_class: UnitClass | None = None,
    rel_tol: Declared = None,
    abs_tol: Declared = None,
    select: Select = "any",
    near: str | Sequence[str] | None = None,
    of: str | Sequence[str] | None = None,
    nouns: Sequence[str] = (),
    unit: str | None = None,
    clauses: Sequence[Span] = (),
    accept_percent: bool = False,
    accept_fraction: bool = False,
    accept_bare: bool = False,
    default_scale: str | None = None,
    gold_currency: str | None = None,
) -> NumberVerdict:
    """Tell whether `plain`, whose figures are `tokens`, states the expected figure.

    Args:
        gold: the expected figure (`numbers.parse_gold`).
        plain: the text; positions of `tokens` and `clauses` are in it.
        tokens: the figures of the text (`numbers.find`).
        unit_class: what kind of figure is expected, where its own text does not say.
        rel_tol: largest difference as a share of the expected value; with `abs_tol`, the larger of the two.
        abs_tol: largest difference.
        select: which candidates must agree: any one, the first, the last, or all (`only`).
        near: a word or name, or several forms of one, that the figure must stand by.
        of: another such name; both must stand by it.
        nouns: what is counted, in its forms; decides between several candidates.
        unit: a unit that must stand with the figure.
        clauses: spans of the clauses; without them sentences and lines are taken.
        accept_percent: a percentage will do for a bare expected figure, as it is or as a hundredth.
        accept_fraction: a bare fraction will do for a percentage, times a hundred.
        accept_bare: a bare figure will do for a percentage, or where a `unit` is asked for.
        default_scale: the scale word (`million`) in which unmarked figures of the text may be meant.
        gold_currency: the currency of the expected figure, where its own text does not say.
    """
    kind = unit_class or gold.unit_class
    if gold_currency:
        gold = gold._replace(currency=gold_currency)
    names = tuple((n,) if isinstance(n, str) else tuple(n) for n in (near, of) if n)
    soft = (gold.unit,) if gold.unit and not gold.measure and not nouns else ()
    figures = tokens if isinstance(tokens, NumberTokens) else NumberTokens(tokens)
    check = _Check(
        gold, kind, plain, figures, Tolerance.of(gold, kind, rel_tol, abs_tol), names, tuple(nouns) or soft, unit,
        clauses, accept_percent, accept_fraction, accept_bare, rules.SCALE_NAMES.get(default_scale or "", 0),
    )  # fmt: skip
    return check.decide(select)


class _Judged(NamedTuple):
    """One candidate: why it does not agree (empty: it does), and the value that was compared."""

    token: NumberToken
    reason: Reason
    value: Decimal


@dataclass(frozen=True)
class _Check:
    """One expected figure and one text."""

    gold: NumberToken
    kind: UnitClass
    plain: str
    tokens: NumberTokens
    tolerance: Tolerance
    names: tuple[tuple[str, ...], ...]
    nouns: tuple[str, ...]
    unit: str | None
    clauses: Sequence[Span]
    accept_percent: bool
    accept_fraction: bool
    accept_bare: bool
    power: int

    def decide(self, select: Select) -> NumberVerdict:
        """Choose among the candidates and compare."""
        if select == "any":
            return self._any()
        candidates = self._candidates(range(len(self.tokens)))
        chosen = self._by_noun([i for i in self._countable(candidates) if self._stands_by(i)])
        if not chosen:
            return self._nothing_chosen()
        return self._selected(select, [self.tokens[i] for i in chosen])

    def _any(self) -> NumberVerdict:
        """Look for one candidate that agrees, from the values' side; on failure for the one that misses by least."""
        near = self._countable(self._candidates(self._close()))
        judged = {i: self._judge(self.tokens[i]) for i in near}
        right = [i for i in near if judged[i].reason != "out_of_tolerance"]
        chosen = self._by_noun([i for i in right if self._stands_by(i)])
        agreeing = next((i for i in chosen if not judged[i].reason), None)
        if agreeing is not None:
            return self._verdict(judged[agreeing])
        if chosen:
            return self._verdict(self._nearest([judged[i] for i in chosen]))
        return self._failed()

    def _failed(self) -> NumberVerdict:
        """Say what comes nearest where nothing has the value."""
        pool = self._counting() or self._standing() or ()
        chosen = self._by_noun([i for i in self._countable(self._candidates(pool)) if self._stands_by(i)])
        if not chosen and not self.names:
            chosen = self._neighbours()
        if not chosen:
            return self._nothing_chosen()
        nearest = min(chosen, key=lambda i: (self._gap(self.tokens[i].value), i))
        return self._verdict(self._judge(self.tokens[nearest]))

    def _neighbours(self) -> list[int]:
        """Return the candidates next in size on both sides, or none where there is no candidate."""
        sizes, order = self.tokens.by_size
        middle = bisect_left(sizes, self.gold.value.copy_abs())
        found: list[int] = []
        for side in (range(middle - 1, -1, -1), range(middle, len(sizes))):
            usual = (order[n] for n in side if not self.tokens[order[n]].needs_noun and self._is_candidate(order[n]))
            found += [i for i in (next(usual, None),) if i is not None]
        return found or self._countable(self._candidates(range(len(self.tokens))))

    def _selected(self, select: Select, chosen: list[NumberToken]) -> NumberVerdict:
        """Compare the first, the last or all candidates; what is denied is no statement and is passed over."""
        own = [t for t in chosen if t.unit_class == self.kind]
        sure = [t for t in chosen if self.gold.maybe_year or not t.maybe_year]
        chosen = own or sure or chosen
        stated = [t for t in chosen if not self._is_denied(t)]
        judged = [self._judge(t) for t in (stated or chosen)]
        if select != "only":
            return self._verdict(judged[0 if select == "first" else -1])
        agreeing = [j for j in judged if not j.reason]
        if agreeing and len(agreeing) < len(judged):
            return self._verdict(agreeing[0]._replace(reason="extra_candidate"))
        return self._verdict(agreeing[0] if agreeing else self._nearest(judged))

    def _verdict(self, judged: _Judged) -> NumberVerdict:
        words = self.tolerance.words(judged.value)
        return NumberVerdict("fail" if judged.reason else "pass", judged.reason, judged.value, judged.token, words)

    def _nearest(self, judged: Sequence[_Judged]) -> _Judged:
        """Return the candidate that misses by least: the right value with one flaw, else the closest value."""
        flawed = [j for j in judged if j.reason in _NEAR_MISSES]
        if flawed:
            return min(flawed, key=lambda j: _NEAR_MISSES.index(j.reason))
        return min(judged, key=lambda j: (self._gap(j.value), j.token.span))

    def _gap(self, value: Decimal) -> Decimal:
        return ARITHMETIC.subtract(value, self.gold.value).copy_abs()

    # --- candidates

    def _close(self) -> Sequence[int]:
        """Return the numbers of the tokens whose size may agree, in order; all of them where options shift values."""
        if self.power or self.accept_percent or self.accept_fraction or self.accept_bare or self.gold.measure:
            return range(len(self.tokens))
        sizes, order = self.tokens.by_size
        room = self.tolerance.widest(self.gold.value)
        size = self.gold.value.copy_abs()
        low = bisect_left(sizes, ARITHMETIC.subtract(size, room))
        high = bisect_right(sizes, ARITHMETIC.add(size, room))
        return sorted({order[i] for i in range(low, high)})

    def _candidates(self, pool: Iterable[int]) -> list[int]:
        return [i for i in pool if self._is_candidate(i)]

    def _is_candidate(self, i: int) -> bool:
        token = self.tokens[i]
        kind = token.unit_class
        if kind not in _ADMITTED[self.kind] and not self._is_accepted(token):
            return False
        if self.kind == "money" and kind == "plain":
            return not (token.maybe_year or token.measure or token.needs_noun)
        if self.kind == "count":
            return token.measure is None or self._has_unit(token)
        return kind != "year" or self.gold.maybe_year or self.kind == "year"

    def _is_accepted(self, token: NumberToken) -> bool:
        """Tell whether an option, or the way the expected value is written, lets in another class."""
        kind = token.unit_class
        if self.kind == "percent":
            return (kind in ("plain", "fraction") and self.accept_fraction) or (kind == "plain" and self.accept_bare)
        if self.kind in ("plain", "count") and kind in _ALIKE:
            return (self.accept_percent and kind == "percent") or (self.unit is not None and self._has_unit(token))
        if self.kind == "ratio":
            return kind == "plain" and token.unit in _TIMES
        if self.kind == "points":
            return kind == "plain" and self.accept_bare
        return self.kind == "plain" and kind == "year" and self.gold.maybe_year

    def _countable(self, candidates: list[int]) -> list[int]:
        """Drop one, un, neuf and no where the counted noun does not stand directly by them.

        Where no noun is known they count only if no other figure does.
        """
        tokens = self.tokens
        if not any(tokens[i].needs_noun for i in candidates):
            return candidates
        if self.nouns:
            return [i for i in candidates if not tokens[i].needs_noun or self._closeness(i) == _DIRECTLY]
        sure = [i for i in candidates if not tokens[i].needs_noun]
        others = self.kind == "count" and not any(
            self._is_candidate(i) and not t.needs_noun for i, t in enumerate(tokens)
        )
        return [i for i in candidates if tokens[i].unit and tokens[i].text.lower() not in _UN] if others else sure

    def _stands_by(self, i: int) -> bool:
        return all(
            any(i in by_name(self._page, self.tokens, form, self.clauses) for form in forms) for forms in self.names
        )

    def _standing(self) -> list[int]:
        """Return the numbers of the tokens that stand by the first of the names."""
        forms = self.names[0] if self.names else ()
        return sorted({i for form in forms for i in by_name(self._page, self.tokens, form, self.clauses)})

    def _counting(self) -> list[int]:
        """Return the numbers of the tokens that a noun stands beside."""
        return sorted({i for noun in self.nouns for i in by_noun(self._page, self.tokens, noun, self.clauses)})

    def _by_noun(self, candidates: list[int]) -> list[int]:
        """Keep the candidates that count the noun where any candidate of the text does; else all of them."""
        if not candidates or not self.nouns:
            return candidates
        counting = [i for i in self._candidates(self._counting()) if self._stands_by(i)]
        best = max(map(self._closeness, counting), default=0)
        return [i for i in candidates if self._closeness(i) == best]

    def _closeness(self, i: int) -> int:
        return max(by_noun(self._page, self.tokens, noun, self.clauses).get(i, 0) for noun in self.nouns)

    def _has_unit(self, token: NumberToken) -> bool:
        """Tell whether the declared unit stands with a figure: in it, after it, or in its row or column."""
        wanted = (self.unit or "").strip()
        if not wanted:
            return False
        if wanted in (token.unit, token.currency) or wanted.lower() in token.text.lower():
            return True
        peers = self.tokens.amounts
        beside = context.nouns_beside(self._page, token.span, (wanted,), self._clause(token), peers)
        return bool(beside) or context.unit_in_label(self._page, token.span, wanted)

    # --- comparing

    def _judge(self, token: NumberToken) -> _Judged:
        """Compare one candidate; a right value is then looked at for what makes it wrong all the same."""
        if self.kind == "range":
            return self._judge_range(token)
        values = self._values(token)
        value = next((v for v in values if self._agrees(v)), None)
        if value is None:
            return self._judge_sign(token, values)
        reason = self._flaw(token, value)
        if not reason and self.gold.sign > 0 and token.sign == 0 and self._direction(token) == "fall":
            reason = "sign_mismatch"
        return _Judged(token, reason, value)

    def _judge_sign(self, token: NumberToken, values: Sequence[Decimal]) -> _Judged:
        """Compare the other sign: a figure that fell is its negative, every other one is of the wrong sign."""
        opposite = next((v for v in values if v and self._agrees(v.copy_negate())), None)
        value = opposite if opposite is not None else values[0] if len(values) == 1 else min(values, key=self._gap)
        falls = self.gold.value < 0 < value and token.sign == 0 and self._direction(token) == "fall"
        if opposite is None:
            return _Judged(token, "out_of_tolerance", value.copy_negate() if falls else value)
        return (
            _Judged(token, self._flaw(token, value), value.copy_negate())
            if falls
            else _Judged(token, "sign_mismatch", value)
        )

    def _judge_range(self, token: NumberToken) -> _Judged:
        high = token.high if token.high is not None else token.value
        wanted = self.gold.high if self.gold.high is not None else self.gold.value
        upper = ARITHMETIC.subtract(high, wanted).copy_abs() <= self.tolerance.around(wanted, high)
        agrees = self._agrees(token.value) and upper
        return _Judged(token, self._flaw(token, token.value) if agrees else "out_of_tolerance", token.value)

    @cached_property
    def _bounds(self) -> tuple[Decimal, Decimal]:
        return self.tolerance.bounds(self.gold.value)

    def _agrees(self, value: Decimal) -> bool:
        low, high = self._bounds
        return low <= value <= high and self._gap(value) <= self.tolerance.around(self.gold.value, value)

    def _flaw(self, token: NumberToken, value: Decimal) -> Reason:
        """Return what is wrong with a figure of the right value."""
        if not _same_currency(self.gold.currency, token.currency):
            return "currency_mismatch"
        if self._other_measure(token, value) or (self.unit and not self._unit_fits(token)):
            return "unit_mismatch"
        if self._is_denied(token):
            return "negated"
        counted = self.kind in ("count", "plain") and self.gold.is_exact and token.is_exact
        return "range_only" if counted and context.is_bound(self._page, token.span) else ""

    def _other_measure(self, token: NumberToken, value: Decimal) -> bool:
        """Tell whether a figure measures something else: watts for watt-hours, or as many miles as kilometres."""
        gold, found = self.gold.measure, token.measure
        if gold is None or found is None or gold == found:
            return False
        return gold.dimension != found.dimension or value in (token.value, *token.readings)

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
        gold = self.gold.measure
        if gold and token.measure and gold.size != token.measure.size:
            factor = ARITHMETIC.divide(token.measure.size, gold.size)
            return (*(ARITHMETIC.multiply(v, factor) for v in every), *every)
        return every

    # --- what the words around say

    def _direction(self, token: NumberToken) -> str:
        return context.direction(self._page, token.span, self._clause(token))

    def _is_denied(self, token: NumberToken) -> bool:
        return not token.needs_noun and context.is_denied(self._page, token.span, self._clause(token))

    def _clause(self, token: NumberToken) -> Span:
        return context.scope(self._page, token.span[0], self.clauses)

    @cached_property
    def _page(self) -> Page:
        return page(self.plain)

    # --- nothing to compare

    def _nothing_chosen(self) -> NumberVerdict:
        """Say why no candidate is left: the figure stands by another name, or only as something else."""
        if self.names:
            elsewhere = [self._judge(self.tokens[i]) for i in self._countable(self._candidates(self._close()))]
            agreeing = next((j for j in elsewhere if not j.reason), None)
            if agreeing is not None:
                return self._verdict(agreeing._replace(reason="anchor_mismatch"))
        words = self.tolerance.words(None)
        if self.kind == "range":
            return NumberVerdict("fail", "no_candidate", None, None, words)
        for token in self.tokens:
            if token.unit_class == "range" and token.high is not None and token.value <= self.gold.value <= token.high:
                return NumberVerdict("fail", "range_only", None, token, words)
        for token in self.tokens:
            if token.unit_class not in ("year", "range", "plain") and self._agrees(token.value):
                if {token.unit_class, self.kind} <= _ALIKE:
                    return NumberVerdict("fail", "unit_mismatch", token.value, token, words)
                return NumberVerdict("fail", "class_mismatch", None, token, words)
        return NumberVerdict("fail", "no_candidate", None, None, words)


_DIRECTLY = 2
_UN = frozenset(("un", "une"))


def _same_currency(gold: str, found: str) -> bool:
    """Tell whether two currencies can be one.

    Unmarked goes with any, the `$` of a text with any dollar, `¥` with yen and yuan; an expected `$` is the US dollar.
    """
    if not gold or not found:
        return True
    wanted = _DOLLAR if gold == "$" else GROUPS.get(gold, frozenset((gold,)))
    return bool(wanted & GROUPS.get(found, frozenset((found,))))
