"""A date as written: what it can mean, and what every reader of dates must know."""

from __future__ import annotations

import calendar
import datetime as dt
from dataclasses import dataclass
from typing import Literal

from pytest_graph_eval.metrics.facts.page import glues
from pytest_graph_eval.metrics.facts.rules import LARGEST_SHORT_YEAR

Kind = Literal["date", "yearless", "year", "fiscal"]
Ymd = tuple[int | None, int | None, int | None]


@dataclass(frozen=True, slots=True)
class Written:
    """A date as written, with each (year, month, day) that it can mean; of two readings the day-first one is first."""

    span: tuple[int, int]
    readings: tuple[Ymd, ...]
    kind: Kind = "date"
    moment: dt.datetime | None = None


def is_possible(year: int | None, month: int | None, day: int | None) -> bool:
    """Tell whether there is such a day or month; without a year, in any year."""
    if month is None:
        return True
    if not 1 <= month <= 12:
        return False
    return day is None or 1 <= day <= calendar.monthrange(year or 2000, month)[1]


def is_bare(text: str, start: int, end: int) -> bool:
    """Tell whether nothing beside a date makes it part of an identifier, a path or a longer number."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before and (glues(before) or before in ".,/-'@#$€£"):
        return before == "-" and text[start - 2 : start - 1] in ("", " ", "\n")
    if after and (glues(after) or after == "@"):
        return False
    return not (after and after in ".,/-:" and text[end + 1 : end + 2].isdigit())


def whole_year(text: str) -> int:
    """Return the year of four figures, or of two: 23 is 2023, 75 is 1975."""
    number = int(text)
    return number if len(text) == 4 else number + (2000 if number <= LARGEST_SHORT_YEAR else 1900)
