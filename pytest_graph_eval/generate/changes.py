"""The change from one figure to another: as the graph states it, else computed from the values as they are printed.

A stated change comes from unrounded values: it may differ from the difference of two printed ones by as much as their
rounding. One that differs by more contradicts the figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TypeGuard

from pytest_graph_eval.generate.drafts import Fact, Unanswerable
from pytest_graph_eval.generate.figures import Figure, amounts
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.metrics.facts.tokens import NumberToken

_SCALES = {12: "T", 9: "B", 6: "M", 3: "K"}
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}
_TENTH = Decimal("0.1")
_HALF = Decimal("0.5")


@dataclass(frozen=True, slots=True)
class Change:
    """A change and its tolerance: one unit of the last printed digit of the coarser figure, in full units.

    `percent` is None where the figures are percentages themselves, or the first one is zero.
    """

    before: Figure
    after: Figure
    delta: Decimal
    percent: Decimal | None
    tolerance: Decimal
    is_stated: bool
    facts: frozenset[Fact]

    @property
    def amount(self) -> str:
        """The difference as gold answers write it: `+$38.5B`."""
        return compact(self.after.token, self.delta, signed=True)

    def gold(self, lang: str, *, with_change: bool) -> str:
        """Return the gold answer: `Increased from $572.8B to $611.3B (+$38.5B, +6.7%)`."""
        first, second = (compact(f.token, f.token.value) for f in (self.before, self.after))
        parts = [self.amount, *([f"{self.percent:+f}%"] if self.percent is not None else [])]
        change = f" ({', '.join(parts)})" if with_change else ""
        grows = self.delta > 0
        if lang == "fr":
            return f"{'Augmentation' if grows else 'Diminution'}, avec d'abord {first} et ensuite {second}{change}"
        return f"{'Increased' if grows else 'Decreased'} from {first} to {second}{change}"


def compact(token: NumberToken, value: Decimal, *, signed: bool = False) -> str:
    """Return a value in the scale and unit of a figure, as the ancestor writes it: `$611.3B`, `-0.2M`, `400 MW`."""
    sign = "-" if value < 0 else "+" if signed and value > 0 else ""
    scale = _SCALES.get(token.power)
    size = abs(value).scaleb(-token.power) if scale else abs(value)
    digits = f"{size:f}" if scale else f"{size:,f}"
    digits += scale or ""
    if token.unit_class == "money":
        code = _SIGNS.get(token.currency, token.currency)
        return f"{sign}{code}{digits}" if len(code) == 1 else f"{sign}{digits} {code}"
    if token.unit_class == "percent":
        return f"{sign}{digits} points" if signed else f"{sign}{digits}%"
    return f"{sign}{digits} {token.unit}" if token.measure else f"{sign}{digits}"


def change_between(view: View, before: Figure, after: Figure) -> Change:
    """Return the change from one figure to another.

    Raises:
        Unanswerable: the printed values do not differ, or the graph states another change.
    """
    first, second = before.token, after.token
    delta = second.value - first.value
    if not delta:
        raise Unanswerable("the two years do not differ as they are printed")
    room = (first.quantum + second.quantum) * _HALF
    stated = list(_between(view, before, after))
    if not any(_is_change(t, second, abs(delta), room + t.quantum * _HALF) for t, _ in stated):
        stated += _around(view, before, after)
    direct = [t for t, between in stated if between and t.value.copy_abs() not in (first.value, second.value)]
    same = [t for t, _ in stated if _is_change(t, second, abs(delta), room + t.quantum * _HALF)]
    wrong = [t for t in direct if _same_unit(t, second) and t not in same]
    if wrong:
        raise Unanswerable("the change that the graph states does not follow from the two figures")
    shares = [] if second.unit_class in ("percent", "points") or first.value <= 0 else [*_shares(stated, first, second)]
    if same:
        delta = same[0].value.copy_abs().copy_sign(delta)
    percent = None
    if second.unit_class not in ("percent", "points") and first.value > 0:
        computed = (100 * (second.value - first.value) / first.value).quantize(_TENTH, ROUND_HALF_EVEN)
        percent = shares[0].copy_abs().copy_sign(delta) if shares else computed
    facts = {("change", before.entity.name, after.entity.name, f"{delta.normalize():f}")} if same else set[Fact]()
    if same and any(between for t, between in stated if t == same[0]):
        facts |= {link.fact for link in view.links(after.entity.name) if link.other == before.entity.name}
    return Change(before, after, delta, percent, max(first.quantum, second.quantum), bool(same), frozenset(facts))


_Stated = tuple[NumberToken, bool]
"""An amount that may state the change; True for those of an edge between the two figures."""

_CUE = re.compile(
    r"\b(?:by|(?:increase|decrease|rise|fall|growth|decline|drop|gain|change) of|up|down|grew|rose|fell|soit|"
    r"(?:hausse|baisse|progression|recul) de)\W{0,3}$",
    re.IGNORECASE,
)


def _between(view: View, before: Figure, after: Figure) -> Iterator[_Stated]:
    """Yield the amounts of the edges between two figures."""
    for link in view.links(after.entity.name):
        if link.other == before.entity.name:
            yield from ((f.token, True) for f in amounts(view.text(link.edge.description)) if _is_number(f.token))


def _around(view: View, before: Figure, after: Figure) -> Iterator[_Stated]:
    """Yield the amounts in the texts of two figures that are said to be a change, and all percentages."""
    chunks = view.chunks((*after.entity.sources, *before.entity.sources))
    for raw in (after.entity.description, before.entity.description, *(chunk.content for chunk in chunks)):
        text = view.text(raw)
        for fact in amounts(text):
            token = fact.token
            if not _is_number(token):
                continue
            said = token.sign or _CUE.search(text.plain[max(0, fact.span[0] - 24) : fact.span[0]])
            if said or token.unit_class == "percent":
                yield token, False


def _is_number(token: object) -> TypeGuard[NumberToken]:
    return isinstance(token, NumberToken)


def _same_unit(token: NumberToken, other: NumberToken) -> bool:
    return (token.unit_class, token.currency) == (other.unit_class, other.currency)


def _is_change(token: NumberToken, figure: NumberToken, size: Decimal, room: Decimal) -> bool:
    return _same_unit(token, figure) and abs(token.value.copy_abs() - size) <= room


def _shares(stated: list[tuple[NumberToken, bool]], first: NumberToken, second: NumberToken) -> Iterator[Decimal]:
    """Yield the stated percentages that follow from two figures within their rounding."""
    low = 100 * ((second.value - second.quantum * _HALF) / (first.value + first.quantum * _HALF) - 1)
    high = 100 * ((second.value + second.quantum * _HALF) / (first.value - first.quantum * _HALF) - 1)
    for token, _ in stated:
        half = token.quantum * _HALF
        for value in (token.value, -token.value):
            if token.unit_class == "percent" and low - half <= value <= high + half:
                yield value
