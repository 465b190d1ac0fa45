"""How dates are written: one reader for each form, and all of them on one text.

All readers work on a folded page, look only a bounded way around what they found, and return no impossible date.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import rules
from pytest_graph_eval.metrics.facts.month_forms import named
from pytest_graph_eval.metrics.facts.page import Page, glues
from pytest_graph_eval.metrics.facts.tables.cues import NO_YEAR_AFTER
from pytest_graph_eval.metrics.facts.tables.months import CONNECTOR, ERAS
from pytest_graph_eval.metrics.facts.written import Kind, Written, Ymd, is_bare, is_possible, whole_year


def find(page: Page) -> tuple[Written, ...]:
    """Return the dates of a page in order, none inside another; remembered on the page."""
    known = page.memory.get("dates and years")
    if not isinstance(known, tuple):
        known = dated(page)
        if _FIGURE.search(page.text):
            known = tuple(_apart([*known, *_fiscal(page), *_years(page)]))
        page.memory["dates and years"] = known
    return known


def dated(page: Page) -> tuple[Written, ...]:
    """Return the dates of a page that say a month at least: years alone and fiscal years left out."""
    known = page.memory.get("dates")
    if not isinstance(known, tuple):
        found = [w for reader in _READERS for w in reader(page)]
        known = tuple(_with_years(page.lower, _apart(found))) if found else ()
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
            if len(gap) < 16 and _CONNECTED.fullmatch(gap) and is_possible(later.readings[0][0], month, day):
                here = Written(written.span, ((later.readings[0][0], month, day),))
        if here.kind != "yearless" or day is not None:
            result.append(here)
        later = here
    return reversed(result)


_CONNECTED = re.compile(CONNECTOR)


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
        if text[start + 4 : start + 5] == "." and _VERSION.search(page.lower, max(0, start - _LONGEST_LABEL), start):
            continue
        led = (
            page.lower[max(0, start - _LONGEST_LABEL) : start - 1].split(" ")[-1]
            if text[start - 1 : start] == " "
            else ""
        )
        if led in NO_YEAR_AFTER and _NUMBERED.match(text, start):
            continue
        found = _numeric(text, start) or _months_in_figures(text, start) or _compact(text, start)
        if found is not None:
            end = found.span[1]
            yield found


# Before 2023.1.31: it numbers a version.
_VERSION = re.compile(
    r"\b(?:versions?|release|build|ver\.?|rev\.?|v\.?|tag|firmware)(?: (?:number|no\.?|is|of))?[:=]? ?\Z"
)
_LONGEST_LABEL = 24
# ASU 2016-02, no. 2023-04: a number, where a whole date may follow as well.
_NUMBERED = re.compile(r"\d{4}-\d{2}(?!\d|-\d)")
# What can begin a date, so that all other figures are passed over in one go.
_LIKELY = re.compile(
    r"[0-9](?:[0-9]{0,3}(?: ?[-/] ?|\. ?)[0-9]{1,2}(?: ?[-/] ?|\. ?)[0-9]|[0-9]{3}[-/][0-9]{2}|[0-9]?/[0-9]{4}|"
    r"[0-9]{7})"
)
_FIGURE = re.compile(r"[0-9]")
_FOUR_FIGURES = re.compile(r"[0-9]{4}(?<![0-9][0-9]{4})(?![0-9])")  # what begins with a figure is found fast


def _numeric(text: str, at: int) -> Written | None:
    """Read 2023-01-31, 2023/1/31, 31.01.2023, 31/01/2023, 01-31-2023 and their times."""
    m = _NUMERIC.match(text, at)
    readings = _readings(m[1], m[2].strip(), m[3], m[4]) if m else ()
    if m is None or not readings:
        return None
    moment, end = _moment(text, m.end(), readings[0])
    return Written((at, end), readings, moment=moment) if is_bare(text, at, end) else None


def _readings(first: str, mark: str, second: str, third: str) -> tuple[Ymd, ...]:
    """Return what three figures can mean, the day-first reading first."""
    if len(first) == 4:
        found = [(int(first), int(second), int(third))] if len(third) < 3 else []
    elif len(first) > 2 or len(third) < 2 or (len(third) == 2 and mark != "/" and len(first) + len(second) < 4):
        found = []
    else:
        year = whole_year(third)
        found = [(year, int(second), int(first))]
        if mark != "." and first != second:
            found.append((year, int(first), int(second)))
    return tuple(ymd for ymd in dict.fromkeys(found) if ymd[0] and is_possible(*ymd))


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
    fits = 1 <= month <= 12 and year in rules.WRITTEN_YEARS and is_bare(text, *m.span())
    return Written(m.span(), ((year, month, None),)) if fits else None


def _compact(text: str, at: int) -> Written | None:
    """Read 20230131 and 20230131T083000Z."""
    m = _COMPACT.match(text, at)
    if m is None:
        return None
    ymd = (int(m[1]), int(m[2]), int(m[3]))
    return Written(m.span(), (ymd,)) if is_possible(*ymd) and is_bare(text, *m.span()) else None


# --- other forms --------------------------------------------------------------------------------------------------

_CJK = re.compile(
    rf"(?:(?<!\d)(\d{{4}}|[〇零一二三四五六七八九]{{4}})|"
    rf"({'|'.join(ERAS)}) ?(元|\d{{1,3}}|[一二三四五六七八九十]{{1,3}})) ?"
    r"[年년](?!度) ?(?:(\d{1,2}|[一二三四五六七八九十]{1,2}) ?[月월] ?"
    r"(?:(\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号號일])?)?"
)
_ERA_YEAR = re.compile(rf"({'|'.join(ERAS)}) ?(元|\d{{1,2}}|[一二三四五六七八九十]{{1,3}}) ?年度")
_FISCAL = re.compile(
    r"\b(?:(?:fy|cy|ay|fiscal(?: year)?|exercice|geschaftsjahr|ejercicio|esercizio|exercicio)[ '-]{0,2}|"
    r"[qhst][1-4][ '-]{1,3}(?:fy ?'?)?|[1-4][qh])(\d{4}|\d\d)(?:[-/](\d{4}|\d\d))?(?!\d|[.,]\d|%)|"
    r"\b(\d{4})(?:[ -]?[qh][1-4]\b|年度)"
)
_FISCAL_WORDS = frozenset(
    ("fy", "cy", "ay", "fiscal", "exercice", "geschaftsjahr", "ejercicio", "esercizio", "exercicio")
)
_PART_OF_YEAR = re.compile(r"[1-4](?:(?<=[qhst].)|[qh])")
_BEFORE_PART = (0, 1, 5, 6)
"""How far before its figure a label with a part of a year begins: 4Q2023, Q4 2023, 2023Q4, 2023 Q4."""


def _cjk(page: Page) -> Iterator[Written]:
    """Read 2023年1月31日, 2023年1月, 2023년 1월 31일, 二〇二三年一月三十一日 and 令和5年1月31日."""
    if "年" not in page.text and "년" not in page.text:
        return
    for m in _CJK.finditer(page.text):
        year, month, day = (_cjk_number(part) if part else None for part in (m[1] or m[3], m[4], m[5]))
        year = ERAS[m[2]] + year if m[2] and year else year
        if year and is_possible(year, month, day):
            yield Written(m.span(), ((year, month, day),), "date" if month else "year")
    for m in _ERA_YEAR.finditer(page.text):
        yield Written(m.span(), ((ERAS[m[1]] + _cjk_number(m[2]), None, None),), "fiscal")


def _weekdays(page: Page) -> Iterator[Written]:
    """Read the day of an ISO week: 2023-W05-2."""
    for m in _WEEKDAY.finditer(page.lower) if "-w" in page.lower else ():
        try:
            day = dt.date.fromisocalendar(int(m[1]), int(m[2]), int(m[3]))
        except ValueError:
            continue
        yield Written(m.span(), ((day.year, day.month, day.day),))


_WEEKDAY = re.compile(r"(?<![\w-])(\d{4})-w(\d\d)-([1-7])(?![\w-])")


def _cjk_number(text: str) -> int:
    """Return a small number in figures or in Chinese numerals (二〇二三, 三十一, 元 for the first)."""
    if text == "元":
        return 1
    if text.isdigit():
        return int(text)
    figures = "〇一二三四五六七八九"
    if "十" not in text:
        return int("".join(str(figures.index(c)) for c in text.replace("零", "〇")))
    tens, _, ones = text.partition("十")
    return 10 * (figures.index(tens[-1]) if tens else 1) + (figures.index(ones[0]) if ones else 0)


def _fiscal(page: Page) -> Iterator[Written]:
    """Read FY2023, fiscal 2023, Q4 2023, 2023Q4: labels of a year, no calendar dates."""
    for m in _labels(page):
        year = whole_year(m[1] or m[3])
        if year not in rules.WRITTEN_YEARS:
            continue
        joint = m.start(2) - 1 if m[2] else m.end()
        yield Written((m.start(), joint), ((year, None, None),), "fiscal")
        if m[2]:
            yield from _next_year(joint, m[2], year, "fiscal")


def _labels(page: Page) -> Iterator[re.Match[str]]:
    """Yield what is written as the label of a year, looked for only where one may begin."""
    lower, end = page.lower, 0
    if not lower.isascii():
        yield from _FISCAL.finditer(lower)
        return
    places = {m.start() - before for m in _PART_OF_YEAR.finditer(lower) for before in _BEFORE_PART}
    for word in _FISCAL_WORDS & page.words:
        places.update(m.start() for m in re.compile(re.escape(word)).finditer(lower))
    for at in sorted(places):
        if at >= end and (m := _FISCAL.match(lower, at)) is not None:
            end = m.end()
            yield m


def _years(page: Page) -> Iterator[Written]:
    """Read four figures that nothing beside them makes an amount, an identifier or part of an impossible date."""
    text = page.text
    for m in _FOUR_FIGURES.finditer(text):
        start, end = m.span()
        if int(m[0]) not in rules.YEARS_ALONE:
            continue
        before, after = text[start - 1 : start], text[end : end + 1]
        if (before and (glues(before) or before in ".$€£¥#/@")) or (after and (glues(after) or after in "%€$£")):
            continue
        if before == "," and _GROUPED.search(text, max(0, start - 6), start):
            continue
        if after in (".", ",") and text[end + 1 : end + 2].isdigit():
            continue
        if _DIGITS_JOINED.match(text, end) or (before == "-" and not _is_joined(page.lower, start)):
            continue
        if _BEFORE_CHRIST.match(page.lower, end):
            continue
        if before == " " and page.lower[max(0, start - _LONGEST_LABEL) : start - 1].split(" ")[-1] in NO_YEAR_AFTER:
            continue
        yield Written((start, end), ((int(m[0]), None, None),), "year")
        if joined := _SECOND_YEAR.match(text, end):
            yield from _next_year(end, joined[1], int(m[0]), "year")


def _is_joined(lower: str, start: int) -> bool:
    """Tell whether a hyphen joins a year to another one, or to its part: 2019-2023, mid-2023."""
    m = _YEAR_JOINED.search(lower, max(0, start - 6), start)
    return m is not None and (m[1] is None or int(m[1]) in rules.YEARS_ALONE)


def _next_year(joint: int, text: str, first: int, kind: Kind) -> Iterator[Written]:
    """Read the second of two years that make one label: 2022/23, FY2022-23; both are stated."""
    if int(text) % (100 if len(text) == 2 else 10000) == (first + 1) % (100 if len(text) == 2 else 10000):
        yield Written((joint, joint + 1 + len(text)), ((first + 1, None, None),), kind)


_GROUPED = re.compile(r"(?<!\d)\d{1,3},\Z")
_BEFORE_CHRIST = re.compile(r" (?:bce?|b\.c\.|v\. ?chr|av\. ?j|a\. ?c\.)")
_SECOND_YEAR = re.compile(r"[-/](\d{4}|\d\d)(?![\w/-]|[.,]\d|%)")
_DIGITS_JOINED = re.compile(r"[-/]\d{1,3}[-/]\d")
_YEAR_JOINED = re.compile(r"(?<!\d)(\d{4})-\Z|[^\d]{4}-\Z|\b(?:mid|mi)-\Z")
_READERS: tuple[Callable[[Page], Iterable[Written]], ...] = (_in_figures, named, _cjk, _weekdays)
