"""Figures that belong together: ranges (between 5 and 6, $5 to $6 million) and compounds (5 million 300 thousand).

A compound is one figure: 34 dollars and 50 cents are neither 34 dollars nor 50 cents, 5 feet 11 inches no 5 feet.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.digits import ARITHMETIC, SHORT
from pytest_graph_eval.metrics.facts.page import Page
from pytest_graph_eval.metrics.facts.tables.cues import (
    APPROXIMATE,
    BY,
    CHANGE_AFTER,
    CHANGES,
    FALLING,
    FROM,
    RANGE_LINKS,
    RANGE_OPENERS,
    RANGE_WORDS,
    RISING,
    SPREADS,
)
from pytest_graph_eval.metrics.facts.tables.currencies import GROUPS, HUNDREDTHS
from pytest_graph_eval.metrics.facts.tables.units import SMALLER, singular
from pytest_graph_eval.metrics.facts.tokens import NumberToken, last_place

# What links two figures, and all that stands between them with a remark or a unit in it.
_LONGEST_LINK = 10
_LONGEST_GAP = 36
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
    if len(gap) > _LONGEST_LINK and not ("(" in gap or (first.unit and first.unit in gap)):
        return None
    whole = _whole(page, first, second, gap)
    if whole is not None:
        return [whole]
    opener = _opener(page.lower, first.span[0])
    if "(" in gap:
        gap = (_REMARK if opener in RANGE_OPENERS else _END).sub(" ", gap, count=1)
    elif opener in RANGE_OPENERS and first.unit and first.unit == second.unit and not first.measure:
        gap = gap.replace(first.unit, "", 1)
    link = gap.strip(" ")
    if not (link in RANGE_WORDS or (opener in RANGE_OPENERS and link in RANGE_LINKS)) or not _spaced_alike(gap):
        return None
    if opener in BY and link != "-" and first.unit_class in ("plain", "money") and (first.currency or first.power):
        return None
    low, high = _sharing(first, second)
    if low.unit_class != high.unit_class:
        return None
    if opener in FROM and link != "-" and (low.value > high.value or _tells_change(page.lower, first, second)):
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


def _tells_change(lower: str, first: NumberToken, second: NumberToken) -> bool:
    """Tell whether the sentence says before two figures, or right after them, that something rose, fell or changed."""
    at = first.span[0]
    start = max(0, at - _LOOK_BACK)
    if CHANGE_AFTER.match(lower, second.span[1]) and not SPREADS.search(lower, start, at):
        return True
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
    if low.power > 0 and high.power == 0 and low.text[-1:].isdigit() and high.unit_class == "plain":
        high = high._replace(value=ARITHMETIC.scaleb(high.value, low.power), readings=(), power=low.power)
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


_REMARK = re.compile(r" ?\([^()\d]*\) ?")
_END = re.compile(
    r" ?\((?:the )?(?:low(?:er)?|min(?:imum)?|worst|bottom|pessimistic|conservative|bear|bas(?:se)?|niedrig|bajo|"
    r"basso|baixo)(?: (?:case|end|bound|estimate|value))?\) ?"
)
_AND = frozenset(("", "and", "et", "und", "y", "e", "con", "with"))


def _whole(page: Page, first: NumberToken, second: NumberToken, gap: str) -> NumberToken | None:
    """Return the one figure that two are: by falling scales, a currency and its hundredths, a unit and its parts."""
    if _is_compound(first, second, gap):
        return _compound(page, first, second)
    if second.currency in HUNDREDTHS:
        return _with_hundredths(page, first, second, gap)
    if not (first.unit and second.unit):
        return None
    unit, part = singular(first.unit), singular(second.unit)
    if not (unit and part) or not _goes_on(first, second, SMALLER.get((unit, part), 0)):
        return None
    if gap.replace(first.unit, "", 1).strip(" ") not in _AND:
        return None
    value = ARITHMETIC.add(first.value, SHORT.divide(second.value, Decimal(SMALLER[unit, part])))
    behind = second.span[1] + len(second.unit) + 1
    end = behind if page.lower.endswith(second.unit, second.span[1], behind) else second.span[1]
    return _joined(page, first, second._replace(span=(second.span[0], end)), value)


def _goes_on(first: NumberToken, second: NumberToken, most: int) -> bool:
    """Tell whether a figure can be the rest of a whole one before it: it is less than one unit of that."""
    whole = first.power == 0 and last_place(first.value) == 0 and first.unit_class in ("plain", "money")
    return whole and second.sign == 0 and 0 <= second.value < most


def _with_hundredths(page: Page, first: NumberToken, second: NumberToken, gap: str) -> NumberToken | None:
    if first.unit_class != "money" or first.currency in HUNDREDTHS or gap.strip(" ") not in _AND:
        return None
    codes = GROUPS.get(first.currency, frozenset((first.currency,)))
    if not _goes_on(first, second, 1) or not codes & GROUPS[second.currency]:
        return None
    part = second.value.copy_negate() if first.value < 0 else second.value
    return _joined(page, first, second, ARITHMETIC.add(first.value, part))


def _joined(page: Page, first: NumberToken, second: NumberToken, value: Decimal) -> NumberToken:
    span = (first.span[0], second.span[1])
    return first._replace(span=span, text=page.plain[slice(*span)], value=value, readings=())


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
