"""The grammar of number words: what the start of a list of words says, in English or in French."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

from pytest_graph_eval.metrics.facts.digits import ARITHMETIC, SHORT
from pytest_graph_eval.metrics.facts.tables.number_words import (
    EN,
    FR,
    ORDINALS_EN,
    ORDINALS_FR,
    ORDINALS_OTHER,
    PARTS,
    SCALES_EN,
    SCALES_FR,
    VAGUE,
)
from pytest_graph_eval.metrics.facts.tables.scales import MULTIPLES

Kind = Literal["cardinal", "ordinal", "fraction", "ratio", "year"]
Words = Sequence[str]


class Reading(NamedTuple):
    """What the first `length` words say."""

    value: Decimal
    length: int
    kind: Kind = "cardinal"


Group = Callable[[Words, bool], Reading | None]


def longest(words: Words, *, article: bool) -> Reading | None:
    """Return the longest reading of the start of `words`; `article`: an `a`, `un` or `the` stands before them."""
    readings = [_fraction(words, article), _english(words, article), _french(words, article)]
    ordinal = ORDINALS_EN.get(words[0]) or ORDINALS_FR.get(words[0]) or ORDINALS_OTHER.get(words[0])
    if ordinal:
        readings.append(Reading(Decimal(ordinal), 1, "ordinal"))
    return max((r for r in readings if r is not None and r.length), key=lambda r: r.length, default=None)


def _exact(value: Decimal) -> Decimal:
    """Return a value in words with its last digit at the ones: half a million is 500000, not 0.5e6."""
    return Decimal(format(value, "f"))


def _at(words: Words, index: int) -> str:
    return words[index] if index < len(words) else ""


# --- fractions ----------------------------------------------------------------------------------------------------


def _fraction(words: Words, article: bool) -> Reading | None:
    """Read half, a quarter of, two thirds, trois quarts; and half a million, a quarter of a million."""
    parts = _numerator(words, article)
    if parts is None:
        return None
    top, bottom, at = parts
    value = SHORT.divide(Decimal(top), Decimal(bottom))
    scale = at
    while _at(words, scale) in ("a", "an", "of", "de", "un", "une"):
        scale += 1
    word = _at(words, scale)
    power = SCALES_EN.get(word) or SCALES_FR.get(word)
    if power:
        return Reading(_exact(ARITHMETIC.scaleb(value, power)), scale + 1)
    if word in MULTIPLES and scale - at <= 1:
        return Reading(value * MULTIPLES[word], scale + 1)
    if words[0] in ("half", "moitie") or at == 2 or _at(words, at) in ("of", "de", "des", "du"):
        return Reading(value, at, "fraction")
    return None


def _numerator(words: Words, article: bool) -> tuple[int, int, int] | None:
    """Return the two figures of a fraction and the number of words they take."""
    if words[0] in ("half", "moitie", "demi") or (
        article and words[0] in ("quarter", "third", "quart", "tiers", "fifth")
    ):
        return 1, PARTS[words[0]], 1
    top = EN.get(words[0]) or FR.get(words[0])
    part = _at(words, 1)
    if top is None or top > 20 or part not in PARTS or ((top > 1) != (part[-1] == "s") and part != "tiers"):
        return None
    return top, PARTS[part], 2


# --- whole numbers ------------------------------------------------------------------------------------------------


def _english(words: Words, article: bool) -> Reading | None:
    whole = _scaled(words, _english_group, SCALES_EN, "and", article)
    if whole is None or whole.kind != "cardinal":
        return whole
    if _at(words, whole.length) == "point":
        return _decimals(words, whole, EN, SCALES_EN)
    if _at(words, whole.length) == "and" and _at(words, whole.length + 1) in ("a", "one", "three"):
        top = 3 if words[whole.length + 1] == "three" else 1
        bottom = PARTS.get(_at(words, whole.length + 2))
        if bottom:
            part = SHORT.divide(Decimal(top), Decimal(bottom))
            return _add_part(words, whole, part, 3, SCALES_EN)
    return _multiplied(words, whole)


def _french(words: Words, article: bool) -> Reading | None:
    whole = _scaled(words, _french_group, SCALES_FR, "et", article)
    if whole is None or whole.kind != "cardinal":
        return whole
    if _at(words, whole.length) in ("virgule", "point"):
        return _decimals(words, whole, FR, SCALES_FR)
    if _at(words, whole.length) == "et" and _at(words, whole.length + 1) in ("demi", "demie"):
        return _add_part(words, whole, Decimal("0.5"), 2, SCALES_FR)
    return _multiplied(words, whole)


def _scaled(words: Words, group: Group, scales: Mapping[str, int], link: str, article: bool) -> Reading | None:
    """Read groups of up to three figures, each but the last with its scale word, the scales falling."""
    total, at, done, power = 0, 0, -1, 99
    while at < len(words):
        part = group(words[at:], article and at == 0)
        if part is None:
            break
        at += part.length
        if part.kind != "cardinal":
            return Reading(total + part.value, at, part.kind)
        here = scales.get(_at(words, at))
        if here is None or here >= power:
            fits = here is None and int(part.value) < 10 ** min(power, 99)
            total, done = (total + int(part.value), at) if fits else (total, done)
            break
        while (more := scales.get(_at(words, at + 1), 0)) >= here:
            here += more
            at += 1
        at += 1
        power = min(power, here)
        total, done = total + int(part.value) * 10**here, at
        at += _at(words, at) == link
    return Reading(Decimal(total), done) if done >= 0 else None


def _english_group(words: Words, article: bool) -> Reading | None:
    """Read up to 999, or hundreds up to 9,900 (twenty-one hundred), or a year (nineteen ninety-nine)."""
    value, at = _below_hundred(words)
    if at == 0 and article and (words[0] == "hundred" or words[0] in SCALES_EN or words[0] in MULTIPLES):
        value = 1
    elif at == 0:
        return None
    if at == 1 and 13 <= value <= 20 and EN.get(_at(words, 1), 0) >= 10:
        years, length = _below_hundred(words[1:])
        return Reading(Decimal(100 * value + years), 1 + length, "year")
    if _at(words, at) == "hundred" and 0 < value < 100:
        value, at = 100 * value, at + 1
        skip = _at(words, at) == "and"
        rest, length = _below_hundred(words[at + skip :])
        if length:
            value, at = value + rest, at + skip + length
    return _ordinal_end(words, value, at, ORDINALS_EN, "and") or Reading(Decimal(value), at)


def _below_hundred(words: Words) -> tuple[int, int]:
    value = EN.get(_at(words, 0))
    if value is None:
        return 0, 0
    unit = EN.get(_at(words, 1), 0)
    return (value + unit, 2) if value >= 20 and 0 < unit < 10 else (value, 1)


def _ordinal_end(words: Words, value: int, at: int, ordinals: Mapping[str, int], link: str) -> Reading | None:
    """Read an ordinal that ends a compound: twenty-first, one hundred and third, vingt et unième."""
    skip = int(_at(words, at) == link)
    last = ordinals.get(_at(words, at + skip), 0)
    room = 100 if value % 100 == 0 else 10 if value % 10 == 0 and value >= 20 else 0
    if value and 0 < last < room:
        return Reading(Decimal(value + last), at + skip + 1, "ordinal")
    return None


def _french_group(words: Words, article: bool) -> Reading | None:
    """Read up to 999: soixante et onze, quatre-vingt-dix-sept, deux cent trois, cent."""
    value, at = _french_below_hundred(words)
    if at == 0 and words[0] in SCALES_FR and (article or words[0] == "mille"):
        return Reading(Decimal(1), 0)
    if at == 0 and article and words[0] in MULTIPLES | VAGUE.keys():
        return Reading(Decimal(1), 0)
    if at == 0 and words[0] != "cent":
        return None
    if _at(words, at) in ("cent", "cents") and value < 10:
        value, at = 100 * max(value, 1), at + 1
        rest, length = _french_below_hundred(words[at:])
        value, at = value + rest, at + length
    return _french_ordinal_end(words, value, at) or Reading(Decimal(value), at)


def _french_below_hundred(words: Words) -> tuple[int, int]:
    first = FR.get(_at(words, 0))
    if first is None or words[0] == "vingts":
        return 0, 0
    value, at = first, 1
    if first == 4 and _at(words, 1) in ("vingt", "vingts"):
        value, at = 80, 2
    most = 20 if value in (60, 80) else 10
    skip = at + (_at(words, at) == "et")
    unit = FR.get(_at(words, skip), 0)
    if value >= 20 and 0 < unit < most and (skip == at or unit in (1, 11)):
        value, at = value + unit, skip + 1
        unit = FR.get(_at(words, at), 0)
    if value % 100 % 20 == 10 and words[at - 1] == "dix" and unit in (7, 8, 9):
        return value + unit, at + 1
    if value == 10 and FR.get(_at(words, at), 0) in (7, 8, 9):
        return value + FR[words[at]], at + 1
    return value, at


def _french_ordinal_end(words: Words, value: int, at: int) -> Reading | None:
    """Read a French ordinal that ends a compound; sixty and eighty run on to nineteen, `dix` takes seven to nine."""
    last = ORDINALS_FR.get(_at(words, at), 0)
    if words[max(at - 1, 0)] == "dix" and last in (7, 8, 9):
        return Reading(Decimal(value + last), at + 1, "ordinal")
    if value % 100 in (60, 80) and 10 <= last < 20:
        return Reading(Decimal(value + last), at + 1, "ordinal")
    if value == 4 and last == 20:
        return Reading(Decimal(80), at + 1, "ordinal")
    return _ordinal_end(words, value, at, ORDINALS_FR, "et")


# --- what may follow a whole number -------------------------------------------------------------------------------


def _decimals(words: Words, whole: Reading, table: Mapping[str, int], scales: Mapping[str, int]) -> Reading:
    """Read the figures after point or virgule, and a scale word after them."""
    at = whole.length + 1
    figures = ""
    while (digit := table.get(_at(words, at))) is not None and (digit < 10 or not figures):
        figures += str(digit)
        at += 1
    if not figures:
        return whole
    value = Decimal(f"{whole.value}.{figures}")
    return _then_scale(words, value, at, scales)


def _add_part(words: Words, whole: Reading, part: Decimal, length: int, scales: Mapping[str, int]) -> Reading:
    """Add the half of two and a half; after a scale word it is half of that scale."""
    power = scales.get(words[whole.length - 1], 0)
    value = ARITHMETIC.add(whole.value, ARITHMETIC.scaleb(part, power))
    return _then_scale(words, value, whole.length + length, scales)


def _then_scale(words: Words, value: Decimal, at: int, scales: Mapping[str, int]) -> Reading:
    power = scales.get(_at(words, at))
    if power is None:
        return Reading(value, at)
    return Reading(_exact(ARITHMETIC.scaleb(value, power)), at + 1)


def _multiplied(words: Words, whole: Reading) -> Reading:
    """Read a dozen after its number: two dozen, une douzaine."""
    word = _at(words, whole.length)
    factor = MULTIPLES.get(word) or VAGUE.get(word)
    return Reading(whole.value * factor, whole.length + 1) if factor and whole.value < 100 else whole
