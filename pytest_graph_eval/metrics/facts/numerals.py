"""Chinese, Japanese and Korean figures: myriad units after digits (6億1130万) and figures in numerals (二百一十万)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.digits import ARITHMETIC
from pytest_graph_eval.metrics.facts.page import Page
from pytest_graph_eval.metrics.facts.rules import MOST_EXPONENT
from pytest_graph_eval.metrics.facts.tables.scales import CJK_DIGITS, CJK_UNITS

_PART = re.compile(r"(\d[\d,]{0,30}(?:\.\d{1,30})?)(?!\d)")
_RUN = re.compile(f"[{''.join(CJK_DIGITS)}{''.join(CJK_UNITS)}]+(?:点[{''.join(CJK_DIGITS)}]+)?")
_PERCENT = "百分之"


def compound(text: str, value: Decimal, end: int) -> tuple[Decimal, int]:
    """Read the myriad units after a figure, and the smaller parts after them: 6億1130万, 1万2千, 611,289百万."""
    total: Decimal | None = None
    part, at, last = value, end, MOST_EXPONENT
    while True:
        power, stop = _units(text, at)
        if stop == at or power >= last:
            break
        scaled = ARITHMETIC.scaleb(part, power)
        total, end, last = scaled if total is None else ARITHMETIC.add(total, scaled), stop, power
        spaced = stop + (text[stop : stop + 1] == " ")
        m = _PART.match(text, spaced)
        if m is None:
            break
        part, at = Decimal(m[1].replace(",", "")), m.end()
        if text[at : at + 1] not in CJK_UNITS:
            fits = spaced == stop and part < Decimal(10) ** power
            return (ARITHMETIC.add(total, part), at) if fits else (total, end)
    return (value if total is None else total), end


def _units(text: str, at: int) -> tuple[int, int]:
    """Return the power of ten of the units at `at`, and where they end; 百万 is a hundred myriads."""
    power = 0
    while at < len(text) and text[at] in CJK_UNITS and power <= MOST_EXPONENT:
        power += CJK_UNITS[text[at]]
        at += 1
    return power, at


def numerals(page: Page) -> Iterator[tuple[int, int, Decimal, bool]]:
    """Return start, end, value and `percent` of the figures in numerals.

    A lone numeral is as often part of a word (一般, 十分), so two are needed, one of them a unit.
    """
    if page.text.isascii():
        return
    for m in _RUN.finditer(page.text):
        start, end = m.span()
        before = page.text[start - 1 : start]
        if before.isdigit() or before in (".", ","):
            continue
        percent = page.text.endswith(_PERCENT, max(0, start - len(_PERCENT)), start)
        whole, _, decimals = m[0].partition("点")
        if len(whole) < 2 and not decimals and not percent:
            continue
        value = _numeral(whole, decimals)
        if value is not None:
            yield start - len(_PERCENT) * percent, end, value, percent


def _numeral(whole: str, decimals: str) -> Decimal | None:
    """Return the value of numerals, or None where they are no figure."""
    if not whole or len(whole) > MOST_EXPONENT or (len(whole) > 1 and not any(c in CJK_UNITS for c in whole)):
        return None
    total = section = 0
    digit: int | None = None
    for char in whole:
        if char in CJK_DIGITS:
            if digit:
                return None
            digit = CJK_DIGITS[char]
        elif CJK_UNITS[char] < 4:
            section += (1 if digit is None else digit) * 10 ** CJK_UNITS[char]
            digit = None
        else:
            part = section + (digit or 0)
            total = total * 10 ** CJK_UNITS[char] if total and not part else total + part * 10 ** CJK_UNITS[char]
            section, digit = 0, None
    number = total + section + (digit or 0)
    tail = "".join(str(CJK_DIGITS[c]) for c in decimals)
    return Decimal(f"{number}.{tail}") if tail else Decimal(number)
