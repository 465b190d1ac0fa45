"""What follows a figure: its scale, its percent or currency sign, its unit, the noun that it counts."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.page import Page, glues
from pytest_graph_eval.metrics.facts.rules import LONG_SCALE as LONG_SCALE_LANGUAGES
from pytest_graph_eval.metrics.facts.rules import MOST_EXPONENT, language
from pytest_graph_eval.metrics.facts.tables import currencies, units
from pytest_graph_eval.metrics.facts.tables.cues import CJK_MARKS, ORDINAL_SUFFIXES, PERCENT, POINTS, SMALL_WORDS
from pytest_graph_eval.metrics.facts.tables.scales import LETTERS, LONG_SCALE, MULTIPLES, SCALES, SHORT_SUFFIXES
from pytest_graph_eval.metrics.facts.tokens import UnitClass


class After(NamedTuple):
    """What stands after a figure, up to `end`. `identifier`: it is glued to letters that make it no figure."""

    end: int
    power: int = 0
    factor: int = 1
    unit_class: UnitClass = "plain"
    per_point: int = 1
    currency: str = ""
    unit: str = ""
    measure: units.Measure | None = None
    maybe_scaled: bool = False
    identifier: bool = False


# A letter of any script or a mark on one: all but blanks, digits and signs. One set is far faster than two.
_LETTER = (
    r"[^\s\d!-/:-@\[-`{-~\xa0-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf×÷\u2000-\u206f\u2070-\u20cf\u2190-\u2bff\u3000-\u303f]"
)
_WORD = rf"{_LETTER}+(?:[.']{_LETTER}+)*"
_FIRST = re.compile(_WORD)
# The dot of `U.S.` ends no phrase.
_GAP = r"(?:(?<=\.[a-z])\.)?"
_PHRASE = re.compile(rf"({_WORD})(?:{_GAP}[ -]({_WORD})(?:{_GAP} ({_WORD}))?)?")
_EXPONENT = re.compile(r"e([-+]?[0-9]{1,4})(?![\w.])")
_TIMES_TEN = re.compile(r"(?: ?[x×*·] ?10|(?<=\b10))(?:\^\(?([-+]?[0-9]{1,4})\)?|([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}))")
_POWER_STARTS = frozenset("ex×*·^⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNIT = re.compile(r"(°|[°µμ]?[A-Za-z]{1,4}[²³23]?(?:/[A-Za-z]{1,3})?)(?![A-Za-z0-9_])")
_LONGEST_SYMBOL = 5
_SUPERSCRIPTS = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")
_POINTS_AFTER = re.compile(r"(?: ?-?points?\b| ?pts?\b|-pkt\b|-punkte?n?\b)")
_CLOCK = frozenset(("am", "pm", "a.m", "p.m", "h", "uhr", "o'clock", "heures", "heure", "hrs"))
# 1.5 heures is no time of the day.
_POINTS = frozenset(".,")
_RATIO = frozenset(("x", "fold"))
# After one of these nothing more belongs to the figure.
_CLOSES = frozenset(".,;:)!?\n|]}\"'/†‡")
_OPENS = frozenset("([{\"'|-")
_FIRST_WORDS = frozenset(
    {phrase.split(" ")[0] for phrase in (*PERCENT, *POINTS)}
    | {*currencies.WORDS, *currencies.ADJECTIVES, *currencies.LINKS}
    | {code.lower() for code in currencies.CODES}
    | {f"d'{word}" for word in currencies.WORDS}
)
# Of these, the ones that are written without a space: 5eur, 5pct.
_GLUABLE = frozenset({*currencies.WORDS, *(p.split(" ")[0] for p in (*PERCENT, *POINTS))})
# The first words that any rule here knows; every other word is the noun that is counted.
_KNOWN = frozenset(
    {*_FIRST_WORDS, *SCALES, *SHORT_SUFFIXES, *LETTERS, *MULTIPLES, *_CLOCK, *_RATIO, *units.WORDS}
    | {re.split(r"[^a-z°]", symbol.lower())[0] for symbol in units.SYMBOLS}
    | {word.split("-")[0] for word in units.WORDS}
)


_SCALE_STARTS = frozenset(scale[0] for scale in currencies.SCALE_OF)


def read(page: Page, at: int, *, money: bool) -> After:
    """Read what follows the figure that ends at `at`; `money`: a currency stands before it."""
    lower = page.lower
    char = lower[at : at + 1]
    start = at + (char == " ")
    if lower[start : start + 1] in _SCALE_STARTS and (m := currencies.SCALED_CODE.match(page.text, start)):
        return After(m.end(), currencies.SCALE_OF[m[1].lower()], unit_class="money", currency=m[2])
    if not char or char in _CLOSES:
        return After(at + 2, unit_class="ordinal") if lower[at : at + 2] in (".º", ".ª") else After(at)
    if char == " ":
        usual = _usual(page, at, money)
        if usual is not None:
            return usual
    elif char == "%":
        return _percent(page, After(at), at)
    elif (glues(char) or char == "-") and not _EXPONENT.match(lower, at):
        glued = _glued(page, at, money) if char != "-" or lower[at + 1 : at + 2].isalpha() else After(at)
        if glued is not None:
            return glued
    power, end = _ten_to(lower, at)
    power, factor, end, maybe = _scale(page, end, power, money)
    if abs(power) > MOST_EXPONENT:
        return After(end, identifier=True)
    return _marks(page, After(end, power, factor, maybe_scaled=maybe), money)


def _usual(page: Page, at: int, money: bool) -> After | None:
    """Read the usual cases fast: a noun that no rule knows, one scale word, an opening bracket; else None."""
    lower = page.lower
    m = _FIRST.match(lower, at + 1)
    if m is None:
        return After(at) if lower[at + 1 : at + 2] in _OPENS else None
    word, power = m[0], 0
    if word in SCALES and word.isascii():
        power = _power_of(page, word)
        at = m.end()
        char = lower[at : at + 1]
        if char in _CLOSES and (char != "." or len(word) > _LONGEST_SHORT):
            return After(at, power)
        m = _FIRST.match(lower, at + 1) if char == " " else None
        if m is None:
            return None
        word = m[0]
    if (word in _KNOWN and not (power and money and word not in _MULTIPLYING)) or not word.isascii():
        return None
    return After(at, power, 1, "plain", 1, "", "" if word in SMALL_WORDS else word)


def _power_of(page: Page, word: str) -> int:
    if word == "mil" and language(page) == "en":
        return SCALES["million"]
    long = word in LONG_SCALE and language(page) in LONG_SCALE_LANGUAGES
    return LONG_SCALE[word] if long else SCALES[word]


def _ten_to(lower: str, at: int) -> tuple[int, int]:
    """Read the rest of 1.5e9, 6.1 × 10¹¹ and 10^6: the power that the figure still lacks, and the end."""
    if lower[at : at + 1] not in _POWER_STARTS and lower[at + 1 : at + 2] not in _POWER_STARTS:
        return 0, at
    m = _EXPONENT.match(lower, at) or _TIMES_TEN.match(lower, at)
    if m is None:
        return 0, at
    digits = m[1] or m[2]
    bare_ten = m[0][0] in "^⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹"
    return int(digits.translate(_SUPERSCRIPTS)) - bare_ten, m.end()


# --- glued to the figure ------------------------------------------------------------------------------------------


def _glued(page: Page, at: int, money: bool) -> After | None:
    """Read letters glued to a figure, by a hyphen or not; None: nothing special, go on with scale and marks."""
    lower, text = page.lower, page.text
    hyphen = lower[at] == "-"
    start = at + hyphen
    m = _FIRST.match(lower, start)
    word = m[0] if m else ""
    stop = start + len(word)
    whole = stop >= len(lower) or not (glues(lower[stop]) or lower[stop] in "_@")
    multiplies = word in SCALES or word in SHORT_SUFFIXES or word in MULTIPLES
    if not word or not (whole or multiplies or word in LETTERS):
        return After(at, identifier=True)
    if word == "p" and whole and not (hyphen or money or lower[at - 3 : at - 2].isdigit()):  # 99p, no 480p
        return After(stop, unit_class="money", currency="penny")
    if word == "pc" and whole and not hyphen:
        return After(stop, unit_class="percent")
    if word in _RATIO and whole:
        return After(stop, unit_class="ratio")
    if multiplies:
        return None
    if hyphen:
        return _hyphenated(page, at, start, word)
    if word == "s" and lower[at - 1] == "0" and not lower[at - 3 : at - 2].isspace():
        return After(at, identifier=True)  # the 1990s
    symbol = _UNIT.match(text, at)
    if not money and symbol and word != "m" and symbol[1] in units.SYMBOLS and symbol[1] not in ("B", "mi", "h"):
        return After(symbol.end(), unit=symbol[1], measure=units.SYMBOLS[symbol[1]])
    if word in LETTERS:
        return None if _is_letter_scale(page, start, stop, True, money) else After(at, identifier=True)
    if word in _GLUABLE or text[at:stop] in currencies.CODES:
        return None
    if word in ORDINAL_SUFFIXES:
        return After(stop, unit_class="ordinal", unit=_noun(lower, stop))
    return After(at, identifier=True)


def _hyphenated(page: Page, at: int, start: int, word: str) -> After:
    """Read a 12-month plan, a 5-percent share, a 10-point lead; a Form 10-K is an identifier."""
    written = page.text[start : start + len(word)]
    if written.isupper() or word in ("odd", "ish", "for", "to"):
        return After(at, identifier=True)
    m = _PHRASE.match(page.lower, start)
    points = _longest(m, POINTS) if m else None
    if points is not None:
        return After(points[1], unit_class="points", per_point=POINTS[points[0]], unit=points[0])
    percent = _longest(m, PERCENT) if m else None
    if percent is not None:
        return After(percent[1], unit_class="percent")
    return After(at, unit="" if word in SMALL_WORDS else word)


# --- scale --------------------------------------------------------------------------------------------------------


_MULTIPLYING = frozenset({*SCALES, *SHORT_SUFFIXES, *LETTERS, *MULTIPLES})


def _scale(page: Page, at: int, power: int, money: bool) -> tuple[int, int, int, bool]:
    """Read scale words: power of ten, factor, end, and whether the scale is but likely (`5m`)."""
    factor, maybe = 1, False
    for _ in range(3):
        start = at + (page.lower[at : at + 1] in (" ", "-"))
        m = _FIRST.match(page.lower, start)
        if m is None:
            break
        word, stop = m[0], m.end()
        if word not in _MULTIPLYING:
            break
        if word in SCALES:
            power += _power_of(page, word)
        elif word in SHORT_SUFFIXES and _is_suffix(page, word, at, start, money):
            power += SHORT_SUFFIXES[word]
        elif word in LETTERS and _is_letter_scale(page, start, stop, at == start, money):
            power += 3 if page.text[start : stop + 1] == "T€" else LETTERS[word]  # Tausend Euro
            maybe = page.text[start] == "m" and not money and not _has_sign(page, stop)
            return power, factor, stop, maybe
        elif word in MULTIPLES:
            factor *= MULTIPLES[word]
        else:
            break
        at = stop + (len(word) <= _LONGEST_SHORT and page.lower[stop : stop + 2] == ". ")
    return power, factor, at, maybe


# Mrd., Mio., тыс. with their dot.
_LONGEST_SHORT = 4


def _is_suffix(page: Page, word: str, at: int, start: int, money: bool) -> bool:
    """Tell whether two letters are a scale: `mm` is millimetres, and `cr` credits, without a currency."""
    if word in ("mm", "cr", "md"):
        return money or _has_sign(page, start + len(word)) or (word == "md" and at != start)
    return True


def _is_letter_scale(page: Page, start: int, stop: int, glued: bool, money: bool) -> bool:
    """Tell whether one letter is a scale: glued, or apart beside a currency, or a capital at the end of a phrase."""
    letter = page.text[start:stop]
    beside = money or _has_sign(page, stop)
    following = page.lower[stop : stop + 1]
    if following not in _CLOSES and following not in ("", " ", "-", "+"):
        return _has_sign(page, stop)
    if letter.lower() in ("mi", "bi", "tri", "g"):
        return beside and letter != "g"
    if glued:
        return beside or letter != "t"
    m = _FIRST.match(page.text, stop + 1)
    code = m is not None and m[0] in currencies.CODES
    return beside or code or (letter.isupper() and not page.text[stop + 1 : stop + 2].isupper())


def _has_sign(page: Page, at: int) -> bool:
    """Tell whether a currency sign stands at `at`, glued or after a space, that belongs to the figure before it."""
    spaced = page.text[at : at + 1] == " "
    sign = page.text[at + spaced : at + spaced + 1]
    return sign in currencies.SYMBOLS and not page.text[at + spaced + 1 : at + spaced + 3].lstrip(".")[:1].isdigit()


# --- percent, currency, unit, noun --------------------------------------------------------------------------------


def _marks(page: Page, after: After, money: bool) -> After:
    """Read the sign or word that says what is counted."""
    lower, at = page.lower, after.end
    start = at + (lower[at : at + 1] == " ")
    if lower[start : start + 1] == "%":
        return _percent(page, after, start)
    if lower[start : start + 1] == "‰":
        return after._replace(end=start + 1, unit_class="percent", power=after.power - 1)
    if not money and _has_sign(page, at):
        code = currencies.SYMBOLS[page.text[start]]
        return after._replace(end=start + 1, unit_class="money", currency=code)
    m = _CJK_MARK.match(page.text, start) if page.text[start : start + 1] >= "\u3000" else None
    if m is not None:
        return _cjk(after, m)
    m = _FIRST.match(lower, start)
    if m is None:
        symbol = _UNIT.match(page.text, start)
        if symbol is None or symbol[1] not in units.SYMBOLS:
            return after
        return _measured(page, after, symbol[1], symbol.end(), units.SYMBOLS[symbol[1]])
    marked = _worded(page, after, start) if m[0] in _FIRST_WORDS and not money else None
    return marked or _unit(page, after, start, m[0])


def _percent(page: Page, after: After, at: int) -> After:
    """Read a percent sign, and the points after it."""
    m = _POINTS_AFTER.match(page.lower, at + 1)
    return after._replace(end=m.end() if m else at + 1, unit_class="points" if m else "percent")


def _worded(page: Page, after: After, start: int) -> After | None:
    """Read percent, points or a currency in words."""
    m = _PHRASE.match(page.lower, start)
    if m is None:
        return None
    found = _longest(m, POINTS)
    if found and not (found[0] == "pt" and page.text[start].isupper()):
        return after._replace(end=found[1], unit_class="points", per_point=POINTS[found[0]], unit=found[0])
    found = _longest(m, PERCENT)
    if found:
        return after._replace(end=found[1], unit_class="percent")
    found = _currency_words(page, after, m)
    return after._replace(unit_class="money", currency=found[0], end=found[1]) if found else None


def _longest(m: re.Match[str], table: Container[str]) -> tuple[str, int] | None:
    """Return the longest phrase of up to three words that is in a table, and where it ends."""
    for last in (3, 2, 1):
        if m[last] is not None:
            phrase = " ".join(m[i] for i in range(1, last + 1))
            if phrase in table:
                return phrase, m.end(last)
    return None


def _currency_words(page: Page, after: After, m: re.Match[str]) -> tuple[str, int] | None:
    """Return the currency that words name, and where they end: dollars, of US dollars, d'euros, francs suisses, USD."""
    words = [(m[i], m.end(i)) for i in (1, 2, 3) if m[i] is not None]
    if words[0][0].startswith("d'"):
        words[0] = (words[0][0][2:], words[0][1])
    elif words[0][0] in currencies.LINKS:
        if after.power == 0:
            return None
        words = words[1:]
    if not words:
        return None
    code = page.text[words[0][1] - len(words[0][0]) : words[0][1]]
    if code in currencies.CODES:
        return currencies.CODES[code], words[0][1]
    for i, (word, end) in enumerate(words):
        if word in currencies.WORDS and not (word == "won" and after.power == 0):
            return _qualified(currencies.WORDS[word], words[:i], words[i + 1 :], end)
        if word not in currencies.ADJECTIVES and word != "kong":
            return None
    return None


def _qualified(currency: str, before: list[tuple[str, int]], after: list[tuple[str, int]], end: int) -> tuple[str, int]:
    """Return the currency that an adjective before or after its word picks out of a group."""
    if before:
        return currencies.ADJECTIVES.get(before[0][0], currency), end
    picked = currencies.ADJECTIVES.get(after[0][0]) if after else None
    if picked in currencies.GROUPS.get(currency, frozenset((currency,))) and after[0][0] not in ("us", "hong"):
        return picked or currency, after[0][1]
    return currency, end


# A length in one of these is a speed.
_AN_HOUR = re.compile(r" (?:per|an|a|each|par|pro|por|all'|je|a l')? ?(?:hour|heure|stunde|hora|ora|h)\b")


def _measured(page: Page, after: After, unit: str, end: int, measure: units.Measure) -> After:
    """Return what a unit of measure says; with `per hour` behind it, a length is a speed."""
    hourly = units.HOURLY.get(measure) and _AN_HOUR.match(page.lower, end)
    if hourly:
        return after._replace(end=hourly.end(), unit=f"{unit}/h", measure=units.HOURLY[measure])
    return after._replace(end=end, unit=unit, measure=measure)


def _unit(page: Page, after: After, start: int, word: str) -> After:
    """Read a unit of measure, or the noun that follows."""
    if len(word) <= _LONGEST_SYMBOL and (after.power == 0 or len(word) > 1):
        symbol = _UNIT.match(page.text, start)
        if symbol and symbol[1] in units.SYMBOLS and symbol[1] not in ("A", "min"):
            return _measured(page, after, symbol[1], symbol.end(), units.SYMBOLS[symbol[1]])
    m = _PHRASE.match(page.lower, start) if word.endswith("watt") else None
    hours = f"{word}-{m[2]}".removesuffix("s") if m and m[2] else ""
    if m and hours in units.WORDS:
        return after._replace(end=m.end(2), unit=hours, measure=units.WORDS[hours])
    if word in units.WORDS:
        return _measured(page, after, word, start + len(word), units.WORDS[word])
    fraction = page.text[after.end - 2 : after.end - 1] in _POINTS
    if word in _CLOCK and after.power == 0 and start > after.end and not fraction:
        return after._replace(identifier=True)
    return after._replace(unit="" if word in SMALL_WORDS else word)


def _noun(lower: str, at: int) -> str:
    """Return the word that follows, unless it is a small one."""
    m = _FIRST.match(lower, at + (lower[at : at + 1] == " "))
    return m[0] if m and m[0] not in SMALL_WORDS else ""


_CJK_MARK = re.compile("|".join(sorted((*currencies.CJK_WORDS, *CJK_MARKS), key=len, reverse=True)))


def _cjk(after: After, m: re.Match[str]) -> After:
    """Read a currency or percent word of a script without spaces."""
    if m[0] in currencies.CJK_WORDS:
        return after._replace(end=m.end(), unit_class="money", currency=currencies.CJK_WORDS[m[0]])
    unit_class, per_point = CJK_MARKS[m[0]]
    return after._replace(end=m.end(), unit_class=unit_class, per_point=per_point)
