"""Dates with a month name, in any order: 1er mars 2024, March 3-5, 2024, du 3 au 5 mars 2024."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pytest_graph_eval import lazy_re as re
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
from pytest_graph_eval.metrics.facts.written import Kind, Written, is_bare, is_possible, whole_year

_NAMES = frozenset(MONTHS)
_LOOK_BACK = 40
_DAY_BEFORE = re.compile(rf"(\d{{1,2}}){DAY_SUFFIX}\.?(?: |[-/.])?{LINK}?\Z")
_DAYS_BEFORE = re.compile(rf"(\d{{1,2}}){DAY_SUFFIX}\.?({CONNECTOR})\Z")
_DAY_WORD = "|".join(sorted(DAY_WORDS, key=len, reverse=True))
_DAY_WORD_BEFORE = re.compile(rf"(?<![\w-])({_DAY_WORD}) {LINK}?\Z")
_DAY_WORD_AFTER = re.compile(rf"(?: the)? ({_DAY_WORD})(?:, ?| of |,? in the year )? ?(\d{{4}})(?!\d|[.,]\d|%)")
_YEAR_BEFORE = re.compile(r"(?<!\d)(\d{4})(?: |[-/.] ?|, )\Z")
_YEAR_AFTER = re.compile(rf"(?: |[-/.]|, ?)?{LINK}?(\d{{4}}|'\d\d|(?<=[-/])\d\d)(?!\d|[.,]\d|%)")
_SHORT_YEAR_AFTER = re.compile(r" (\d\d)(?! ?[\w%.,:/-]| ?[.,]\d)")
_DAYS = rf"(?<!\d)\d{{1,2}}{DAY_SUFFIX}(?!\d)"
_DAY_YEAR_AFTER = re.compile(
    rf"(?: |-|/| the )({_DAYS}(?:{CONNECTOR}{_DAYS}){{0,6}})(?:, ?|,? (?:of |de )?|[-/ ])(\d{{4}}|'\d\d)(?!\d|[.,]\d|%)"
)
_DAY_AFTER = re.compile(r"(?: | the |-)(\d{1,2})(st|nd|rd|th)?(?![\w%/]|:\d|[.,]\d|-\d)")
_GOES_ON = re.compile(r" ?(?:[^\w\s%$€£]|\n|\Z|(?:and|to|was|is|the|with|at|in|of|for|through|or|as|it|we)\b)")
_FIGURE = re.compile(r"\d{1,2}")


def named(page: Page) -> Iterator[Written]:
    """Read dates with a month name, in any order, several days before or after one month included."""
    lower = page.lower
    for name in sorted(page.words & _NAMES):
        at = lower.find(name)
        while at >= 0:
            end = at + len(name)
            if not (_is_letter(lower, at - 1) or _is_letter(lower, end)):
                yield from _around_month(page, at, end, MONTHS[name])
            at = lower.find(name, end)


def _is_letter(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at] == "_" or (text[at].isalpha() and glues(text[at])))


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
    m = _DAY_WORD_AFTER.match(lower, end)
    if m and is_possible(int(m[2]), month, DAY_WORDS[m[1]]):
        return [Written((start, m.end()), ((int(m[2]), month, DAY_WORDS[m[1]]),))]
    before = _YEAR_BEFORE.search(lower, max(0, start - 6), start)
    after = _DAY_AFTER.match(lower, end)
    if before and after and is_bare(lower, before.start(), after.end()):
        ymd = (int(before[1]), month, int(after[1]))
        return [Written((before.start(), after.end()), (ymd,))] if is_possible(*ymd) else []
    if not _may_stand_alone(page, start, name, dotted):
        return []
    year = _YEAR_AFTER.match(lower, end)
    if year and _year(year[1]) in rules.WRITTEN_YEARS and not _is_letter(lower, year.end()):
        return [Written((start, year.end()), ((_year(year[1]), month, None),))]
    if before and int(before[1]) in rules.WRITTEN_YEARS:
        return [Written((before.start(), end), ((int(before[1]), month, None),))]
    if after and (after[2] or _GOES_ON.match(lower, after.end())) and is_possible(None, month, int(after[1])):
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
    return whole_year(text.lstrip("'"))


def _day_month_year(lower: str, days: list[tuple[int, int, int]], start: int, end: int, month: int) -> list[Written]:
    m = _YEAR_AFTER.match(lower, end) or _SHORT_YEAR_AFTER.match(lower, end)
    year = _year(m[1]) if m and not _is_letter(lower, m.end()) else None
    if year is not None and (year not in rules.WRITTEN_YEARS or m is None):
        year = None
    stop = m.end() if m and year is not None else end - (lower[end - 1] == ".")
    kind: Kind = "date" if year is not None else "yearless"
    found: list[Written] = []
    for i, (day, first, last) in enumerate(days):
        if not is_possible(year, month, day):
            return [] if i == 0 else found
        found.append(Written((first, last if i else stop), ((year, month, day),), kind))
    return found


def _month_day_year(m: re.Match[str], start: int, month: int) -> list[Written]:
    year = _year(m[2])
    found = []
    for figure in _FIGURE.finditer(m[1]):
        day, first = int(figure[0]), m.start(1) + figure.start()
        if not is_possible(year, month, day):
            return []
        found.append(Written((first, first + len(figure[0])), ((year, month, day),)))
    found[0] = replace(found[0], span=(start, found[0].span[1] if len(found) > 1 else m.end()))
    if len(found) > 1:
        found[-1] = replace(found[-1], span=(found[-1].span[0], m.end()))
    return found
