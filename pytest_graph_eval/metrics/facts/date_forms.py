"""How dates are written: one reader for each form, from ISO timestamps to `du 3 au 5 mars 2024`.

All readers work on a folded page, look only a bounded way around what they found, and return no impossible date.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from pytest_graph_eval.metrics.facts import rules
from pytest_graph_eval.metrics.facts.page import Page, glues
from pytest_graph_eval.metrics.facts.tables.months import (
    CONNECTOR,
    DAY_SUFFIX,
    DAY_WORDS,
    LINK,
    MONTHS,
    NOT_IN_ENGLISH,
    ONLY_WITH_DAY,
    ONLY_WITH_YEAR,
    VERBS,
)

__all__ = ["Kind", "Written", "Ymd", "dated", "find", "iso"]

Kind = Literal["date", "yearless", "year", "fiscal"]
Ymd = tuple[int | None, int | None, int | None]


@dataclass(frozen=True, slots=True)
class Written:
    """A date as written, with each (year, month, day) that it can mean; of two readings the day-first one is first."""

    span: tuple[int, int]
    readings: tuple[Ymd, ...]
    kind: Kind = "date"
    moment: dt.datetime | None = None


def find(page: Page) -> tuple[Written, ...]:
    """Return the dates of a page in order, none inside another; remembered on the page."""
    known = page.memory.get("dates and years")
    if not isinstance(known, tuple):
        known = tuple(_apart([*dated(page), *_fiscal(page), *_years(page)]))
        page.memory["dates and years"] = known
    return known


def dated(page: Page) -> tuple[Written, ...]:
    """Return the dates of a page that say a month at least: years alone and fiscal years left out."""
    known = page.memory.get("dates")
    if not isinstance(known, tuple):
        found = [w for reader in _READERS for w in reader(page)]
        known = tuple(_with_years(page.lower, _apart(found)))
        page.memory["dates"] = known
    return known


def _apart(found: list[Written]) -> list[Written]:
    """Return what does not overlap, in order: the first and then the longest."""
    found.sort(key=lambda w: (w.span[0], -w.span[1]))
    kept: list[Written] = []
    for written in found:
        if not kept or written.span[0] >= kept[-1].span[1]:
            kept.append(written)
    return kept


def _with_years(lower: str, found: list[Written]) -> Iterator[Written]:
    """Give `January-March 2023` and `1 January to 31 March 2023` their year; drop months that got none."""
    later: Written | None = None
    result: list[Written] = []
    for written in reversed(found):
        here = written
        _, month, day = written.readings[0]
        if written.kind == "yearless" and later is not None and later.readings[0][0] and later.kind == "date":
            gap = lower[written.span[1] : later.span[0]]
            if len(gap) < 16 and _CONNECTED.fullmatch(gap) and _is_possible(later.readings[0][0], month, day):
                here = Written(written.span, ((later.readings[0][0], month, day),))
        if here.kind != "yearless" or day is not None:
            result.append(here)
        later = here
    return reversed(result)


_CONNECTED = re.compile(CONNECTOR)


def _is_possible(year: int | None, month: int | None, day: int | None) -> bool:
    if month is None:
        return True
    if not 1 <= month <= 12:
        return False
    return day is None or 1 <= day <= calendar.monthrange(year or 2000, month)[1]


def _is_bare(text: str, start: int, end: int) -> bool:
    """Tell whether nothing beside a date makes it part of an identifier, a path or a longer number."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before and (glues(before) or before in ".,/-'@#$€£"):
        return before == "-" and text[start - 2 : start - 1] in ("", " ", "\n")
    if after and (glues(after) or after == "@"):
        return False
    return not (after and after in ".,/-:" and text[end + 1 : end + 2].isdigit())


# --- numeric forms ------------------------------------------------------------------------------------------------

_NUMERIC = re.compile(r"(\d{1,4})( ?[-/] ?|\. ?)(\d{1,2})\2(\d{4}|\d{1,2})(?!\d)")
_TIME = re.compile(
    r"(?:T| ?, ?| (?:at |à |um )?)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?"
    r"(?: ?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?(?!\w|:\d)",
    re.IGNORECASE,
)
_YEAR_MONTH = re.compile(r"(?:(\d{4})-(\d{2})|(\d{4})/(0\d)|(\d{1,2})/(\d{4}))(?!\d)")
_COMPACT = re.compile(r"((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:T(\d\d)(\d\d)(\d\d)?Z?)?(?!\d)")


def iso(text: str) -> Written | None:
    """Return an ISO year, month, day or timestamp that `text` is as a whole, or None."""
    if re.fullmatch(r"\d{4}", text):
        return Written((0, 4), ((int(text), None, None),), "year") if int(text) else None
    m = re.fullmatch(r"(\d{4})-(\d{2})", text)
    if m:
        year, month = int(m[1]), int(m[2])
        return Written((0, 7), ((year, month, None),)) if year and 1 <= month <= 12 else None
    m = re.match(r"(\d{4})-(\d{2})-(\d{2})", text)
    if not m:
        return None
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    ymd = (moment.year, moment.month, moment.day)
    return Written((0, len(text)), (ymd,), moment=moment if len(text) > 10 else None)


def _in_figures(page: Page) -> Iterator[Written]:
    """Read the dates that begin with a figure: 2023-01-31 and its time, 31.01.2023, 01/2023, 20230131."""
    text = page.text
    end = 0
    for m in _LIKELY.finditer(text):
        start = m.start()
        if start < end or text[start - 1 : start].isdigit():
            continue
        found = _numeric(text, start) or _months_in_figures(text, start) or _compact(text, start)
        if found is not None:
            end = found.span[1]
            yield found


# What can begin a date, so that all other figures are passed over in one go.
_LIKELY = re.compile(
    r"[0-9](?:[0-9]{0,3}(?: ?[-/] ?|\. ?)[0-9]{1,2}(?: ?[-/] ?|\. ?)[0-9]|[0-9]{3}[-/][0-9]{2}|[0-9]?/[0-9]{4}|"
    r"[0-9]{7})"
)
_RUN = re.compile(r"[0-9]+")
_YEAR_LENGTH = 4


def _numeric(text: str, at: int) -> Written | None:
    """Read 2023-01-31, 2023/1/31, 31.01.2023, 31/01/2023, 01-31-2023 and their times."""
    m = _NUMERIC.match(text, at)
    readings = _readings(m[1], m[2].strip(), m[3], m[4]) if m else ()
    if m is None or not readings:
        return None
    moment, end = _moment(text, m.end(), readings[0])
    return Written((at, end), readings, moment=moment) if _is_bare(text, at, end) else None


def _readings(first: str, mark: str, second: str, third: str) -> tuple[Ymd, ...]:
    """Return what three figures can mean, the day-first reading first."""
    if len(first) == 4:
        found = [(int(first), int(second), int(third))] if len(third) < 3 else []
    elif len(first) > 2 or len(third) < 2 or (len(third) == 2 and mark != "/" and len(first) + len(second) < 4):
        found = []
    else:
        year = _whole_year(third)
        found = [(year, int(second), int(first))]
        if mark != "." and first != second:
            found.append((year, int(first), int(second)))
    return tuple(ymd for ymd in dict.fromkeys(found) if ymd[0] and _is_possible(*ymd))


def _whole_year(text: str) -> int:
    """Return the year of four figures, or of two: 23 is 2023, 75 is 1975."""
    number = int(text)
    return number if len(text) == 4 else number + (2000 if number <= rules.LARGEST_SHORT_YEAR else 1900)


def _moment(text: str, end: int, ymd: Ymd) -> tuple[dt.datetime | None, int]:
    """Return the instant of the time that follows a date, and where it ends."""
    m = _TIME.match(text, end)
    if m is None or None in ymd:
        return None, end
    zone = (m[4] or "").upper()
    offset = "+00:00" if zone in ("Z", "UTC", "GMT") else zone
    try:
        stamp = f"{ymd[0]:04}-{ymd[1]:02}-{ymd[2]:02}T{int(m[1]):02}:{m[2]}:{m[3] or '00'}{offset}"
        return dt.datetime.fromisoformat(stamp), m.end()
    except ValueError:
        return None, end


def _months_in_figures(text: str, at: int) -> Written | None:
    """Read 2023-01, 2023/01 and 01/2023."""
    m = _YEAR_MONTH.match(text, at)
    if m is None:
        return None
    year, month = int(m[1] or m[3] or m[6]), int(m[2] or m[4] or m[5])
    fits = 1 <= month <= 12 and year in rules.WRITTEN_YEARS and _is_bare(text, *m.span())
    return Written(m.span(), ((year, month, None),)) if fits else None


def _compact(text: str, at: int) -> Written | None:
    """Read 20230131 and 20230131T083000Z."""
    m = _COMPACT.match(text, at)
    if m is None:
        return None
    ymd = (int(m[1]), int(m[2]), int(m[3]))
    return Written(m.span(), (ymd,)) if _is_possible(*ymd) and _is_bare(text, *m.span()) else None


# --- months by name -----------------------------------------------------------------------------------------------

_LOOK_BACK = 40
_DAY_BEFORE = re.compile(rf"(\d{{1,2}}){DAY_SUFFIX}\.?(?: |[-/.])?{LINK}?\Z")
_DAYS_BEFORE = re.compile(rf"(\d{{1,2}}){DAY_SUFFIX}\.?({CONNECTOR})\Z")
_DAY_WORD_BEFORE = re.compile(rf"\b({'|'.join(DAY_WORDS)}) {LINK}?\Z")
_YEAR_BEFORE = re.compile(r"(?<!\d)(\d{4})(?: |[-/.]|, )\Z")
_YEAR_AFTER = re.compile(rf"(?: |[-/.]|, ?)?{LINK}?(\d{{4}}|'\d\d|(?<=[-/])\d\d)(?!\d|[.,]\d|%)")
_SHORT_YEAR_AFTER = re.compile(r" (\d\d)(?! ?[\w%.,:/-]| ?[.,]\d)")
_DAYS = rf"(?<!\d)\d{{1,2}}{DAY_SUFFIX}(?!\d)"
_DAY_YEAR_AFTER = re.compile(
    rf"(?: |-|/| the )({_DAYS}(?:{CONNECTOR}{_DAYS}){{0,6}})(?:, ?|,? (?:of |de )?|[-/ ])(\d{{4}}|'\d\d)(?!\d|[.,]\d|%)"
)
_DAY_AFTER = re.compile(r"(?: | the |-)(\d{1,2})(st|nd|rd|th)?(?![\w%/]|:\d|[.,]\d|-\d)")
_GOES_ON = re.compile(r" ?(?:[^\w\s%$€£]|\n|\Z|(?:and|to|was|is|the|with|at|in|of|for|through|or|as|it|we)\b)")
_FIGURE = re.compile(r"\d{1,2}")


def _named(page: Page) -> Iterator[Written]:
    """Read dates with a month name, in any order, several days before or after one month included."""
    lower = page.lower
    for name in sorted(page.words & MONTHS.keys()):
        at = lower.find(name)
        while at >= 0:
            end = at + len(name)
            if not (_is_letter(lower, at - 1) or _is_letter(lower, end)):
                yield from _around_month(page, at, end, MONTHS[name])
            at = lower.find(name, end)


def _is_letter(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalpha() or text[at] == "_")


def _around_month(page: Page, start: int, end: int, month: int) -> Iterable[Written]:
    """Read the day and the year beside one month name."""
    lower = page.lower
    name = lower[start:end]
    dotted = lower[end : end + 1] == "."
    end += dotted
    days = _days_before(lower, start)
    if days:
        found = _day_month_year(lower, days, start, end, month)
        sure = name not in ONLY_WITH_YEAR or dotted or rules.language(page) in rules.COMMA_OR_GROUP
        return found if sure or (found and found[0].kind == "date") else []
    m = _DAY_YEAR_AFTER.match(lower, end)
    if m:
        return _month_day_year(m, start, month)
    before = _YEAR_BEFORE.search(lower, max(0, start - 6), start)
    after = _DAY_AFTER.match(lower, end)
    if before and after and _is_bare(lower, before.start(), after.end()):
        ymd = (int(before[1]), month, int(after[1]))
        return [Written((before.start(), after.end()), (ymd,))] if _is_possible(*ymd) else []
    if not _may_stand_alone(page, start, name, dotted):
        return []
    year = _YEAR_AFTER.match(lower, end)
    if year and _year(year[1]) in rules.WRITTEN_YEARS and not _is_letter(lower, year.end()):
        return [Written((start, year.end()), ((_year(year[1]), month, None),))]
    if before and int(before[1]) in rules.WRITTEN_YEARS:
        return [Written((before.start(), end), ((int(before[1]), month, None),))]
    if after and (after[2] or _GOES_ON.match(lower, after.end())) and _is_possible(None, month, int(after[1])):
        return [Written((start, after.end()), ((None, month, int(after[1])),), "yearless")]
    return [Written((start, end), ((None, month, None),), "yearless")]


def _may_stand_alone(page: Page, start: int, name: str, dotted: bool) -> bool:
    """Tell whether a word can be a month without a day beside it: not the verb `may`, not `out` in English."""
    if name in VERBS:
        return not page.plain[start].islower()
    if name in NOT_IN_ENGLISH:
        return rules.language(page) != "en"
    return name not in ONLY_WITH_DAY or dotted or rules.language(page) in rules.COMMA_OR_GROUP


def _days_before(lower: str, start: int) -> list[tuple[int, int, int]]:
    """Return (day, start, end) for the days that stand before a month name, the nearest first."""
    low = max(0, start - _LOOK_BACK)
    word = _DAY_WORD_BEFORE.search(lower, low, start)
    if word:
        return [(DAY_WORDS[word[1]], word.start(), start)]
    m = _DAY_BEFORE.search(lower, low, start)
    days: list[tuple[int, int, int]] = []
    worded = True
    while m and _starts_figure(lower, m.start()):
        days.append((int(m[1]), m.start(), m.end(1)))
        m = _DAYS_BEFORE.search(lower, max(0, m.start() - 20), m.start())
        if m:
            comma = m[2].strip() == ","
            if comma and (worded or len(days) < 2):
                break
            worded = comma and worded
    return days


def _starts_figure(lower: str, at: int) -> bool:
    """Tell whether a figure begins at `at`, and not the tail of a longer one or of an identifier."""
    before = lower[at - 1 : at]
    if before == "-":
        return not lower[at - 2 : at - 1].isalpha()
    return not before or not (glues(before) or (before in ".,/:'$€£#" and lower[at - 2 : at - 1] != " "))


def _year(text: str) -> int:
    return _whole_year(text.lstrip("'"))


def _day_month_year(lower: str, days: list[tuple[int, int, int]], start: int, end: int, month: int) -> list[Written]:
    m = _YEAR_AFTER.match(lower, end) or _SHORT_YEAR_AFTER.match(lower, end)
    year = _year(m[1]) if m and not _is_letter(lower, m.end()) else None
    if year is not None and (year not in rules.WRITTEN_YEARS or m is None):
        year = None
    stop = m.end() if m and year is not None else end - (lower[end - 1] == ".")
    kind: Kind = "date" if year is not None else "yearless"
    found: list[Written] = []
    for i, (day, first, last) in enumerate(days):
        if not _is_possible(year, month, day):
            return [] if i == 0 else found
        found.append(Written((first, last if i else stop), ((year, month, day),), kind))
    return found


def _month_day_year(m: re.Match[str], start: int, month: int) -> list[Written]:
    year = _year(m[2])
    found = []
    for figure in _FIGURE.finditer(m[1]):
        day, first = int(figure[0]), m.start(1) + figure.start()
        if not _is_possible(year, month, day):
            return []
        found.append(Written((first, first + len(figure[0])), ((year, month, day),)))
    found[0] = replace(found[0], span=(start, found[0].span[1] if len(found) > 1 else m.end()))
    if len(found) > 1:
        found[-1] = replace(found[-1], span=(found[-1].span[0], m.end()))
    return found


# --- other forms --------------------------------------------------------------------------------------------------

_CJK = re.compile(
    r"(?<!\d)(\d{4}|[〇零一二三四五六七八九]{4}) ?[年년](?!度) ?"
    r"(?:(\d{1,2}|[一二三四五六七八九十]{1,2}) ?[月월] ?(?:(\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号號일])?)?"
)
_FISCAL = re.compile(
    r"\b(?:(?:fy|cy|ay|fiscal(?: year)?|exercice|geschaftsjahr|ejercicio|esercizio|exercicio)[ '-]{0,2}|"
    r"[qhst][1-4][ '-]{1,3}(?:fy ?'?)?|[1-4][qh])(\d{4}|\d\d)(?:[-/](?:\d{4}|\d\d))?(?!\d|[.,]\d|%)|"
    r"\b(\d{4})(?:[ -]?[qh][1-4]\b|年度)"
)


def _cjk(page: Page) -> Iterator[Written]:
    """Read 2023年1月31日, 2023年1月, 2023년 1월 31일 and 二〇二三年一月三十一日."""
    if "年" not in page.text and "년" not in page.text:
        return
    for m in _CJK.finditer(page.text):
        year, month, day = (_cjk_number(part) if part else None for part in m.groups())
        if year and _is_possible(year, month, day):
            yield Written(m.span(), ((year, month, day),), "date" if month else "year")


def _cjk_number(text: str) -> int:
    """Return a small number in figures or in Chinese numerals (二〇二三, 三十一)."""
    if text.isdigit():
        return int(text)
    figures = "〇一二三四五六七八九"
    if "十" not in text:
        return int("".join(str(figures.index(c)) for c in text.replace("零", "〇")))
    tens, _, ones = text.partition("十")
    return 10 * (figures.index(tens[-1]) if tens else 1) + (figures.index(ones[0]) if ones else 0)


def _fiscal(page: Page) -> Iterator[Written]:
    """Read FY2023, fiscal 2023, Q4 2023, 2023Q4: labels of a year, no calendar dates."""
    for m in _FISCAL.finditer(page.lower):
        year = _whole_year(m[1] or m[2])
        if year in rules.WRITTEN_YEARS:
            yield Written(m.span(), ((year, None, None),), "fiscal")


def _years(page: Page) -> Iterator[Written]:
    """Read four figures that nothing beside them makes an amount, an identifier or part of an impossible date."""
    text = page.text
    for m in _RUN.finditer(text):
        start, end = m.span()
        if end - start != _YEAR_LENGTH or int(m[0]) not in rules.YEARS_ALONE:
            continue
        before, after = text[start - 1 : start], text[end : end + 1]
        if (before and (glues(before) or before in ".$€£¥#/@")) or (after and (glues(after) or after in "%€$£")):
            continue
        if after in (".", ",") and text[end + 1 : end + 2].isdigit():
            continue
        if _DIGITS_JOINED.match(text, end) or (before == "-" and not _YEAR_JOINED.match(text, max(0, start - 5))):
            continue
        yield Written((start, end), ((int(m[0]), None, None),), "year")


_DIGITS_JOINED = re.compile(r"[-/]\d{1,3}[-/]\d")
_YEAR_JOINED = re.compile(r"\d{4}-|[^\d]{4}-")
_READERS: tuple[Callable[[Page], Iterable[Written]], ...] = (_in_figures, _named, _cjk)
