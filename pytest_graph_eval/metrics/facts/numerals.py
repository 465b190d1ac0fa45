"""Chinese, Japanese and Korean figures: myriad units after digits (6億1130万) and figures in numerals (二百一十万)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.digits import ARITHMETIC
from pytest_graph_eval.metrics.facts.page import Page
from pytest_graph_eval.metrics.facts.rules import MOST_EXPONENT
from pytest_graph_eval.metrics.facts.tables.scales import CJK_DIGITS, CJK_UNITS, HANGUL_DIGITS

# 500多万: somewhat more.
MORE = frozenset("多余餘")
_PART = re.compile(r"(\d[\d,]{0,30}(?:\.\d{1,30})?)(?!\d)")
_RUN = re.compile(
    f"[{''.join(CJK_DIGITS)}{''.join(CJK_UNITS)}]+(?:点[{''.join(CJK_DIGITS)}]+)?|"
    f"(?<![가-힣])(?=[{''.join(HANGUL_DIGITS)}]?[십백천만억조])[{''.join(HANGUL_DIGITS)}십백천만억조]{{2,}}"
    r"(?= ?[원명개달유위]|\W|\Z)"
)
_VALUES = {**CJK_DIGITS, **HANGUL_DIGITS}
_PERCENT = "百分之"
# 三家, 五人: after a lone numeral these are counted; the years of 二〇二三年 are a date.
_COUNTERS = frozenset("个個家名人件台座所艘架辆輛つ枚店社校棟隻头頭匹羽軒箇")
# No figures: greengrocers, a family name, by all means.
_HOUR = re.compile("時(?!間)|时(?!间)")
_WORDS = re.compile("八百屋|五十嵐|千万[不别別要注]|万一|千百|百百")


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
    more = at + (text[at : at + 1] in MORE)
    at = more if text[more : more + 1] in CJK_UNITS else at
    while at < len(text) and text[at] in CJK_UNITS and power <= MOST_EXPONENT:
        power += CJK_UNITS[text[at]]
        at += 1
    return power, at


def numerals(page: Page) -> Iterator[tuple[int, int, Decimal, bool]]:
    """Return start, end, value and `percent` of the figures in numerals.

    A lone numeral is as often part of a word (一般, 十分), so it needs 第 before it or a counter behind it.
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
        following = page.text[end : end + 1]
        lone = len(whole) < 2 and not decimals and not percent
        if lone and before != "第" and (following not in _COUNTERS or whole == "一"):
            continue
        if (
            _WORDS.match(page.text, start)
            or _HOUR.match(page.text, end)
            or (following == "年" and len(whole) == 4 and not decimals)
        ):
            continue
        value = _numeral(whole, decimals)
        if value is not None:
            yield start - len(_PERCENT) * percent, end, value, percent


def _numeral(whole: str, decimals: str) -> Decimal | None:
    """Return the value of numerals, or None where they are no figure."""
    if not whole or len(whole) > MOST_EXPONENT:
        return None
    if len(whole) > 1 and not any(c in CJK_UNITS for c in whole):  # 五〇〇, digit by digit
        return Decimal("".join(str(_VALUES[c]) for c in whole)) if "〇" in whole[1:] else None
    total = section = 0
    digit: int | None = None
    for char in whole:
        if char in _VALUES:
            if digit:
                return None
            digit = _VALUES[char]
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
