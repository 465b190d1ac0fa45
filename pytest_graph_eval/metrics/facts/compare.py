"""Whether a text states an expected figure: the candidates of its class, one of them chosen, compared by value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from pytest_graph_eval.metrics.facts import rules
from pytest_graph_eval.metrics.facts.agreement import ALIKE, Agreement, Judged, Reason
from pytest_graph_eval.metrics.facts.digits import ARITHMETIC
from pytest_graph_eval.metrics.facts.page import page
from pytest_graph_eval.metrics.facts.surroundings import by_name, by_noun
from pytest_graph_eval.metrics.facts.tables.cues import TIME_NOUNS
from pytest_graph_eval.metrics.facts.tables.units import period
from pytest_graph_eval.metrics.facts.tokens import NumberToken, NumberTokens, UnitClass
from pytest_graph_eval.metrics.facts.tolerance import Declared, Tolerance

Select = Literal["any", "first", "last", "only"]
Span = tuple[int, int]

# A figure that misses by one of these is nearer than one with another value.
_NEAR_MISSES: tuple[Reason, ...] = (
    "negated", "anchor_mismatch", "currency_mismatch", "sign_mismatch", "unit_mismatch", "range_only",
)  # fmt: skip


@dataclass(slots=True)
class NumberVerdict:
    """Whether a figure is stated; the code of the rule that failed it, and the nearest figure found.

    `answer_value` is the value of the candidate that decided, None where nothing is comparable; `compared` the one that
    `room` is told for.
    """

    verdict: Literal["pass", "fail"]
    reason: Reason = ""
    answer_value: Decimal | None = None
    token: NumberToken | None = None
    room: Tolerance | None = None
    compared: Decimal | None = None

    @property
    def tolerance(self) -> str:
        """How far off the figure might have been, in words."""
        return self.room.words(self.compared) if self.room else ""


def match_number(
    gold: NumberToken,
    plain: str,
    tokens: NumberTokens,
    clauses: Sequence[Span],
    *,
    unit_class: UnitClass | None = None,
    rel_tol: Declared = None,
    abs_tol: Declared = None,
    select: Select = "any",
    near: str | Sequence[str] | None = None,
    of: str | Sequence[str] | None = None,
    nouns: Sequence[str] = (),
    unit: str | None = None,
    accept_percent: bool = False,
    accept_fraction: bool = False,
    accept_bare: bool = False,
    default_scale: str | None = None,
    tells_nearest: bool = True,
) -> NumberVerdict:
    """Tell whether `plain`, whose figures are `tokens`, states the expected figure.

    Args:
        gold: the expected figure (`numbers.parse_gold`).
        plain: the text; positions of `tokens` and `clauses` are in it.
        tokens: the figures of the text (`numbers.find`).
        clauses: spans of the clauses (`Text.clauses`).
        unit_class: what kind of figure is expected, where its own text does not say.
        rel_tol: largest difference as a share of the expected value; with `abs_tol`, the larger of the two.
        abs_tol: largest difference.
        select: which candidates must agree: any one, the first, the last, or all (`only`).
        near: a word or name, or several forms of one, that the figure must stand by.
        of: another such name; both must stand by it.
        nouns: what is counted, in its forms; decides between several candidates.
        unit: a unit that must stand with the figure.
        accept_percent: a percentage will do for a bare expected figure, as it is or as a hundredth.
        accept_fraction: a bare fraction will do for a percentage, times a hundred.
        accept_bare: a bare figure will do for a percentage, or where a `unit` is asked for.
        default_scale: the scale word (`million`) in which unmarked figures of the text may be meant.
        tells_nearest: where no figure of the value stands there, what comes nearest is looked for, and why it is none.
    """
    kind = unit_class or gold.unit_class
    names = tuple((n,) if isinstance(n, str) else tuple(n) for n in (near, of) if n) if near or of else ()
    if gold.unit and gold.measure is None and not (nouns or unit):
        gold = gold._replace(measure=period(gold.unit))
    soft = (gold.unit,) if gold.unit and not gold.measure and not nouns else ()
    agreement = Agreement(
        gold, kind, page(plain), tokens, Tolerance(gold, kind, rel_tol, abs_tol), unit, clauses, accept_percent,
        accept_fraction, accept_bare, rules.SCALE_NAMES.get(default_scale or "", 0),
    )  # fmt: skip
    return _Choice(agreement, names, tuple(nouns) or soft, tells_nearest).decide(select)


@dataclass(slots=True)
class _Choice:
    """The choice among the figures of a text: those that stand by `names` and count `nouns`."""

    check: Agreement
    names: tuple[tuple[str, ...], ...]
    nouns: tuple[str, ...]
    tells_nearest: bool

    def decide(self, select: Select) -> NumberVerdict:
        """Choose among the candidates and compare."""
        if select == "any":
            return self._any()
        candidates = self._candidates(range(len(self.check.tokens)))
        chosen = self._by_noun([i for i in self._countable(candidates) if self._stands_by(i)])
        if not chosen:
            return self._nothing_chosen()
        return self._selected(select, [self.check.tokens[i] for i in chosen])

    def _any(self) -> NumberVerdict:
        """Look for one candidate that agrees, from the values' side; on failure for the one that misses by least."""
        check, tokens = self.check, self.check.tokens
        judged = {i: check.judge(tokens[i]) for i in self._countable(self._candidates(self._close()))}
        right = [i for i, found in judged.items() if found.reason != "out_of_tolerance" and self._stands_by(i)]
        chosen = self._by_noun(right)
        agreeing = [judged[i] for i in chosen if not judged[i].reason]
        if agreeing:
            return self._verdict(agreeing[0] if len(agreeing) == 1 else self._nearest(agreeing))
        if chosen:
            return self._verdict(self._nearest([judged[i] for i in chosen]))
        return self._failed() if self.tells_nearest else NumberVerdict("fail", "no_candidate")

    def _failed(self) -> NumberVerdict:
        """Say what comes nearest where nothing has the value."""
        pool = self._counting() or self._standing() or ()
        chosen = self._by_noun([i for i in self._countable(self._candidates(pool)) if self._stands_by(i)])
        if not chosen and not self.names:
            chosen = self._by_noun(self._neighbours())
        if not chosen:
            return self._nothing_chosen()
        nearest = min(chosen, key=lambda i: (self.check.gap(self.check.tokens[i].value), i))
        return self._verdict(self.check.judge(self.check.tokens[nearest]))

    def _neighbours(self) -> list[int]:
        """Return the candidates next in size on both sides, or none where there is no candidate."""
        sizes, order = self.check.tokens.by_size
        middle = bisect_left(sizes, self.check.gold.value.copy_abs())
        found: list[int] = []
        for side in (range(middle - 1, -1, -1), range(middle, len(sizes))):
            usual = (order[n] for n in side if self._counts_alone(order[n]))
            found += [i for i in (next(usual, None),) if i is not None]
        return found or self._countable(self._candidates(range(len(self.check.tokens))))

    def _selected(self, select: Select, chosen: list[NumberToken]) -> NumberVerdict:
        """Compare the first, the last or all candidates; what is denied is no statement and is passed over."""
        own = [t for t in chosen if t.unit_class == self.check.kind]
        sure = [t for t in chosen if self.check.gold.maybe_year or not t.maybe_year]
        chosen = own or sure or chosen
        stated = [t for t in chosen if not self.check.is_denied(t)]
        judged = [self.check.judge(t) for t in (stated or chosen)]
        if select != "only":
            return self._verdict(judged[0 if select == "first" else -1])
        agreeing = [j for j in judged if not j.reason]
        if agreeing and len(agreeing) < len(judged):
            return self._verdict(agreeing[0]._replace(reason="extra_candidate"))
        return self._verdict(agreeing[0] if agreeing else self._nearest(judged))

    def _verdict(self, judged: Judged) -> NumberVerdict:
        outcome: Literal["pass", "fail"] = "fail" if judged.reason else "pass"
        return NumberVerdict(
            outcome, judged.reason, judged.value, judged.token, self.check.tolerance, compared=judged.value
        )

    def _nearest(self, judged: Sequence[Judged]) -> Judged:
        """Return the candidate that misses by least: the right value with one flaw, else the closest value."""
        flawed = [j for j in judged if j.reason in _NEAR_MISSES]
        if flawed:
            return min(flawed, key=lambda j: _NEAR_MISSES.index(j.reason))
        return min(judged, key=lambda j: (self.check.gap(j.value), j.token.span))

    # --- candidates

    def _close(self) -> Sequence[int]:
        """Return the numbers of the tokens whose size may agree, in order; all of them where options shift values."""
        check = self.check
        if check.shifts_values:
            return range(len(check.tokens))
        sizes, order = check.tokens.by_size
        room = check.tolerance.most
        size = check.gold.value.copy_abs()
        low = bisect_left(sizes, ARITHMETIC.subtract(size, room))
        high = bisect_right(sizes, ARITHMETIC.add(size, room))
        return order[low:high] if high - low < 2 else sorted({order[i] for i in range(low, high)})

    def _candidates(self, pool: Iterable[int]) -> list[int]:
        admits, tokens = self.check.admits, self.check.tokens
        return [i for i in pool if admits(tokens[i])]

    def _counts_alone(self, i: int) -> bool:
        token = self.check.tokens[i]
        return not token.needs_noun and self.check.admits(token)

    def _countable(self, candidates: list[int]) -> list[int]:
        """Drop one, un, neuf and no where the counted noun does not stand directly by them.

        Where no noun is known they count only if no other figure does.
        """
        tokens = self.check.tokens
        if True not in [tokens[i].needs_noun for i in candidates]:
            return candidates
        if self.nouns:
            return [i for i in candidates if not tokens[i].needs_noun or self._closeness(i) == _DIRECTLY]
        sure = [i for i in candidates if not tokens[i].needs_noun]
        others = self.check.kind == "count" and not any(self._counts_alone(i) for i in range(len(tokens)))
        return [i for i in candidates if tokens[i].unit and tokens[i].text.lower() not in _UN] if others else sure

    def _stands_by(self, i: int) -> bool:
        return not self.names or all(
            any(i in by_name(self.check.page, self.check.tokens, form, self.check.clauses) for form in forms)
            for forms in self.names
        )

    def _standing(self) -> list[int]:
        """Return the numbers of the tokens that stand by the first of the names."""
        forms = self.names[0] if self.names else ()
        return sorted(
            {i for form in forms for i in by_name(self.check.page, self.check.tokens, form, self.check.clauses)}
        )

    def _counting(self) -> list[int]:
        """Return the numbers of the tokens that a noun stands beside."""
        return sorted(
            {i for noun in self.nouns for i in by_noun(self.check.page, self.check.tokens, noun, self.check.clauses)}
        )

    def _by_noun(self, candidates: list[int]) -> list[int]:
        """Keep the candidates that count the noun where any candidate of the text does; else all of them."""
        if not candidates or not self.nouns:
            return candidates
        counting = [i for i in self._candidates(self._counting()) if self._stands_by(i)]
        best = max(map(self._closeness, counting), default=0)
        if best and not any(self._closeness(i) == best for i in candidates):  # not 12 features but 14
            counting = [i for i in counting if not self.check.is_denied(self.check.tokens[i])]
            best = max(map(self._closeness, counting), default=0)
        if not best:  # 12 days are no features
            other = TIME_NOUNS - {form for noun in self.nouns for form in (noun, f"{noun}s", noun.removesuffix("s"))}
            candidates = [i for i in candidates if self.check.tokens[i].unit not in other]
        return [i for i in candidates if self._closeness(i) == best]

    def _closeness(self, i: int) -> int:
        return max(
            by_noun(self.check.page, self.check.tokens, noun, self.check.clauses).get(i, 0) for noun in self.nouns
        )

    # --- nothing to compare

    def _nothing_chosen(self) -> NumberVerdict:
        """Say why no candidate is left: the figure stands by another name, or only as something else."""
        if self.names:
            elsewhere = [
                self.check.judge(self.check.tokens[i]) for i in self._countable(self._candidates(self._close()))
            ]
            agreeing = next((j for j in elsewhere if not j.reason), None)
            if agreeing is not None:
                return self._verdict(agreeing._replace(reason="anchor_mismatch"))
        room = self.check.tolerance
        if self.check.kind == "range":
            return NumberVerdict("fail", "no_candidate", None, None, room)
        for token in self.check.tokens:
            if (
                token.unit_class == "range"
                and token.high is not None
                and token.value <= self.check.gold.value <= token.high
            ):
                return NumberVerdict("fail", "range_only", None, token, room)
        skipped = ("year", "range") if self.check.kind in ("money", "ordinal") else ("year", "range", "plain")
        for token in self.check.tokens:
            if token.unit_class not in skipped and not token.maybe_year and self.check.agrees(token.value):
                if {token.unit_class, self.check.kind} <= ALIKE:
                    return NumberVerdict("fail", "unit_mismatch", token.value, token, room)
                return NumberVerdict("fail", "class_mismatch", None, token, room)
        return NumberVerdict("fail", "no_candidate", None, None, room)


_DIRECTLY = 2
_UN = frozenset(("un", "une"))
