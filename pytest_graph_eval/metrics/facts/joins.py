"""Figures that belong together: ranges (between 5 and 6, $5 to $6 million) and compounds (5 million 300 thousand)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from pytest_graph_eval.metrics.facts.digits import ARITHMETIC
from pytest_graph_eval.metrics.facts.page import Page
from pytest_graph_eval.metrics.facts.tables.cues import (
    APPROXIMATE,
    BY,
    CHANGES,
    FALLING,
    FROM,
    RANGE_LINKS,
    RANGE_OPENERS,
    RANGE_WORDS,
    RISING,
)
from pytest_graph_eval.metrics.facts.tokens import NumberToken

_LONGEST_GAP = 10
_LOOK_BACK = 160
_NO_RANGE = frozenset(("ordinal", "year", "fraction", "ratio", "range"))


def joined(page: Page, tokens: Sequence[NumberToken]) -> list[NumberToken]:
    """Return the tokens with ranges and compounds made one; two ends of a change keep their own tokens."""
    found: list[NumberToken] = []
    for token in tokens:
        found.append(token)
        while len(found) > 1:
            pair = _pair(page, found[-2], found[-1])
            if pair is None:
                break
            found[-2:] = pair
            if len(pair) > 1:
                break
    return found


def _pair(page: Page, first: NumberToken, second: NumberToken) -> list[NumberToken] | None:
    """Return what two neighbours become, or None where they have nothing to do with each other."""
    start, end = first.span[1], second.span[0]
    if (
        first.text.endswith(")")
        or not 0 <= end - start <= _LONGEST_GAP
        or first.unit_class in _NO_RANGE
        or second.unit_class in _NO_RANGE
    ):
        return None
    gap = page.lower[start:end]
    if _is_compound(first, second, gap):
        return [_compound(page, first, second)]
    opener = _opener(page.lower, first.span[0])
    link = gap.strip(" ")
    if not (link in RANGE_WORDS or (opener in RANGE_OPENERS and link in RANGE_LINKS)) or not _spaced_alike(gap):
        return None
    if opener in BY and link != "-" and first.unit_class in ("plain", "money") and (first.currency or first.power):
        return None
    low, high = _sharing(first, second)
    if low.unit_class != high.unit_class:
        return None
    if opener in FROM and link != "-" and (low.value > high.value or _tells_change(page.lower, first.span[0])):
        return [low, high]
    return [_range(page, low, high)]


def _spaced_alike(gap: str) -> bool:
    """Tell whether a dash has a space on both sides or on none: `5 -6` is five and minus six."""
    return gap.startswith(" ") == gap.endswith(" ")


def _opener(lower: str, at: int) -> str:
    """Return the word before a figure, `about` and the like left out."""
    words = lower[max(0, at - 32) : at].split(" ")
    while words and (words[-1] == "" or words[-1] in APPROXIMATE):
        words.pop()
    return words[-1].lstrip("(") if words else ""


def _tells_change(lower: str, at: int) -> bool:
    """Tell whether the sentence says, before the figure, that something rose, fell or changed."""
    start = max(0, at - _LOOK_BACK)
    sentence = max(lower.rfind(mark, start, at) for mark in (". ", "\n", "; "))
    start = max(start, sentence + 1)
    return any(cue.search(lower, start, at) for cue in (CHANGES, RISING, FALLING))


def _sharing(first: NumberToken, second: NumberToken) -> tuple[NumberToken, NumberToken]:
    """Give both ends the scale, currency and unit that stand at one of them: $5 to 6 million, 5-6 %."""
    low, high = first, second
    alike = "plain" in (low.unit_class, high.unit_class) or low.unit_class == high.unit_class
    if low.power == 0 and high.power > 0 and alike and not low.measure:
        value = ARITHMETIC.scaleb(low.value, high.power)
        if value <= high.value or high.value < 0:
            low = low._replace(value=value, readings=(), power=high.power)
    if low.unit_class == "plain" and high.unit_class != "plain":
        low = low._replace(unit_class=high.unit_class, currency=high.currency)
    elif high.unit_class == "plain" and low.unit_class == "money":
        high = high._replace(unit_class="money", currency=low.currency)
    if low.unit_class == "money" and high.unit_class == "money" and not (low.currency and high.currency):
        low = low._replace(currency=low.currency or high.currency)
        high = high._replace(currency=low.currency or high.currency)
    return low, high


def _range(page: Page, low: NumberToken, high: NumberToken) -> NumberToken:
    span = (low.span[0], high.span[1])
    ends = sorted((low.value, high.value))
    text = page.plain[span[0] : span[1]]
    return high._replace(
        span=span, text=text, value=ends[0], high=ends[1], readings=(), unit_class="range", approximate=low.approximate
    )


def _is_compound(first: NumberToken, second: NumberToken, gap: str) -> bool:
    """Tell whether the second figure goes on with the first: both with scale words, the scales falling."""
    if gap != " " or first.unit_class != "plain":
        return False
    worded = first.text[-1:].isalpha() and any(c.isalpha() for c in second.text)
    plain = (
        worded
        and second.unit_class in ("plain", "money")
        and second.sign == 0
        and not second.text.startswith(tuple("$€£¥₹"))
    )
    return plain and 2 < second.power < first.power and second.value < ARITHMETIC.scaleb(Decimal(1), first.power)


def _compound(page: Page, first: NumberToken, second: NumberToken) -> NumberToken:
    part = second.value if first.value >= 0 else second.value.copy_negate()
    span = (first.span[0], second.span[1])
    text, value = page.plain[span[0] : span[1]], ARITHMETIC.add(first.value, part)
    return second._replace(
        span=span, text=text, value=value, readings=(), sign=first.sign, approximate=first.approximate
    )
