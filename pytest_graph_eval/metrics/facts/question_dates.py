"""The valid time that a question asks for: a date sets it, words for now clear it, anything else keeps what was."""

from __future__ import annotations

import calendar
import datetime as dt
from dataclasses import dataclass

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import dates
from pytest_graph_eval.metrics.facts.page import Page, page
from pytest_graph_eval.metrics.facts.tables.cues import MONTH_ENDS, MONTH_STARTS, NOW


@dataclass(frozen=True, slots=True)
class QuestionDate:
    """What one question does to the valid time: `as_of` (UTC) sets it, `cleared` ends it, neither keeps it."""

    as_of: dt.datetime | None = None
    cleared: bool = False


def question_date(question: str) -> QuestionDate:
    """Return the valid time that a question sets or clears.

    The first day that is written wins over words for now. A bare year or month sets nothing, but `the end of February
    2024` is a day; an impossible day, or one with two readings, sets nothing either: no date is guessed.
    """
    text = page(question)
    for token in dates.find(question):
        instant = None if token.ambiguous or token.year is None else _instant(text, token)
        if instant is not None:
            return QuestionDate(as_of=instant)
    return QuestionDate(cleared=_says_now(text))


def _instant(text: Page, token: dates.DateToken) -> dt.datetime | None:
    """Return the first instant of a day, or of the last or first day of a month where the question says so."""
    if token.moment is not None:
        zoned = token.moment if token.moment.tzinfo else token.moment.replace(tzinfo=dt.UTC)
        return zoned.astimezone(dt.UTC)
    day = token.day or _named_day(text, token)
    if day is None or token.year is None or token.month is None:
        return None
    return dt.datetime(token.year, token.month, day, tzinfo=dt.UTC)


def _named_day(text: Page, token: dates.DateToken) -> int | None:
    if token.month is None or token.year is None:
        return None
    before = text.lower[max(0, token.span[0] - 32) : token.span[0]]
    if MONTH_ENDS.search(before):
        return calendar.monthrange(token.year, token.month)[1]
    return 1 if MONTH_STARTS.search(before) else None


def _says_now(text: Page) -> bool:
    """Tell whether a word for now stands in the question; in capitals among small letters it is a name (TODAY)."""
    shouted = not re.search(r"[^\W\d_]", text.text) or text.text.isupper()
    return any(shouted or not text.text[m.start() : m.end()].isupper() for m in NOW.finditer(text.lower))
