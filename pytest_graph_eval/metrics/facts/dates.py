"""Dates in a text, written in any usual way, and whether one of them is the expected date.

Only what is written is read: no day is filled in, no impossible date is taken, and a numeric date with two readings
stays ambiguous unless its order is declared or the language of the text settles it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import date_forms, rules
from pytest_graph_eval.metrics.facts.page import Page, page
from pytest_graph_eval.metrics.facts.written import Kind, Written, Ymd

DayFirst = bool | Literal["any"] | None
Precision = Literal["day", "month", "year"]
Reason = Literal["", "no_candidate", "less_precise", "ambiguous_date", "negated"]
_PARTS: dict[Precision, int] = {"year": 1, "month": 2, "day": 3}


@dataclass(frozen=True, slots=True)
class DateToken:
    """One date as written. `month` and `day` are None where it is coarser, `year` where none is said.

    `readings` are all (year, month, day) that the text can mean, `admitted` those that its order, declared or settled
    by the language, leaves; with more than one left the token is `ambiguous`, unless either was declared to do.
    `moment` is the instant of a timestamp, without a zone where none is written.
    """

    span: tuple[int, int]
    year: int | None
    month: int | None = None
    day: int | None = None
    kind: Kind = "date"
    readings: tuple[Ymd, ...] = ()
    admitted: tuple[Ymd, ...] = ()
    ambiguous: bool = False
    moment: dt.datetime | None = None

    @property
    def precision(self) -> Precision:
        """Return the finest part that is given."""
        return "day" if self.day else "month" if self.month else "year"

    def iso(self) -> str:
        """Return `2023-01-31`, `2023-01`, `2023`, or `--01-31` where the year is not said."""
        year = f"{self.year:04}" if self.year is not None else "-"
        return "-".join([year, *(f"{part:02}" for part in (self.month, self.day) if part)])


@dataclass(frozen=True, slots=True)
class DateVerdict:
    """Whether a date is stated: the code of the rule that failed it, and the nearest date found."""

    verdict: Literal["pass", "fail"]
    reason: Reason = ""
    token: DateToken | None = None


# --- finding ------------------------------------------------------------------------------------------------------


def find(plain: str, *, day_first: DayFirst = None) -> list[DateToken]:
    """Return the dates of a text in order, years alone and fiscal years included.

    `day_first` declares the order of numeric dates (`any`: either will do); without it the language of the text settles
    the order, and what is left is ambiguous.
    """
    text = page(plain)
    tokens = [_token(w) for w in date_forms.find(text)]
    if any(len(t.readings) > 1 for t in tokens):
        return _settled(text, tokens, day_first)
    return tokens


def spans(text: Page) -> list[tuple[int, int]]:
    """Return where dates stand, for those who must not take their parts for figures.

    Years alone are left out, and so are eight digits in a row: they are a date or a number.
    """
    return [w.span for w in date_forms.dated(text) if not text.text[slice(*w.span)].isdigit()]


def _token(written: Written) -> DateToken:
    year, month, day = written.readings[0]
    readings = written.readings
    return DateToken(written.span, year, month, day, written.kind, readings, readings, False, written.moment)


# Before a date: so is a day said where it comes first, however little else the text says.
_BEFORE_DAY_FIRST = frozenset(("le", "du", "au", "el", "il", "del", "dal", "vom", "zum", "den", "em"))


# DD/MM/YYYY beside a date or in a head says how dates are written.
_ORDER_TOLD = re.compile(r"\b(?:(dd|jj|tt|gg)([/.-])mm|mm([/.-])(?:dd|jj|tt|gg))\b")


def _settled(text: Page, tokens: Iterable[DateToken], day_first: DayFirst) -> list[DateToken]:
    """Admit of each numeric date the reading that its order leaves."""
    whole = True if day_first is None and rules.language(text) in rules.DAY_FIRST else day_first
    if day_first is None and (told := {m[1] is not None for m in _ORDER_TOLD.finditer(text.lower)}):
        whole = told.pop() if len(told) == 1 else None
    settled = []
    for token in tokens:
        kept = token
        if len(token.readings) > 1:
            led = whole is None and "".join(text.lower[max(0, token.span[0] - 8) : token.span[0]].split()[-1:])
            order = True if led in _BEFORE_DAY_FIRST else whole
            chosen = token.readings if order in (None, "any") else (token.readings[0 if order else 1],)
            year, month, day = chosen[0]
            kept = replace(token, year=year, month=month, day=day, admitted=chosen, ambiguous=order is None)
        settled.append(kept)
    return settled


# --- matching -----------------------------------------------------------------------------------------------------


def parse_gold(text: object) -> DateToken:
    """Return the expected date: an ISO day, month, year or timestamp.

    Raises:
        ValueError: anything else, an impossible date included; the message says what to write.
    """
    raw = str(text).strip()
    if isinstance(text, str | int) and not isinstance(text, bool) and (token := _iso(raw)) is not None:
        return token
    found = find(raw)
    advice = f"; write {found[0].iso()!r}" if len(found) == 1 and not found[0].ambiguous and found[0].year else ""
    raise ValueError(f"{raw!r} is no date: a day (2023-01-31), a month (2023-01) or a year (2023) is expected{advice}")


@lru_cache(maxsize=4096)
def _iso(raw: str) -> DateToken | None:
    written = date_forms.iso(raw)
    return None if written is None else replace(_token(written), span=(0, len(raw)))


def match_date(gold: DateToken, tokens: Sequence[DateToken], *, precision: Precision | None = None) -> DateVerdict:
    """Tell whether one of `tokens` states the expected date.

    A finer date states a coarser one (31 January 2023 is in 2023), never the other way round. `precision` compares up
    to that part only.
    """
    parts = (gold.year, gold.month, gold.day)[: _PARTS[precision or gold.precision]]
    wanted = tuple(part for part in parts if part is not None)
    candidates = [t for t in tokens if len(wanted) == 1 or t.kind in ("date", "yearless")]
    for token in candidates:
        if not token.ambiguous and any(reading[: len(wanted)] == wanted for reading in token.admitted):
            return DateVerdict("pass", "", token)
    for token in candidates:
        if token.ambiguous and any(reading[: len(wanted)] == wanted for reading in token.admitted):
            same = len({reading[: len(wanted)] for reading in token.admitted}) == 1
            return DateVerdict("pass", "", token) if same else DateVerdict("fail", "ambiguous_date", token)
    for token in candidates:
        if any(_is_coarser(reading, wanted) for reading in token.admitted):
            return DateVerdict("fail", "less_precise", token)
    return DateVerdict("fail", "no_candidate", _nearest(gold, candidates))


def _is_coarser(reading: Ymd, wanted: tuple[int, ...]) -> bool:
    """Tell whether a date says part of the wanted one and nothing else: its month, or its day without the year."""
    said = [(part, whole) for part, whole in zip(reading, wanted, strict=False) if part is not None]
    return reading[1] is not None and all(part == whole for part, whole in said)


def _nearest(gold: DateToken, tokens: Sequence[DateToken]) -> DateToken | None:
    """Return the date that is closest in time, for the message."""
    wanted = _ordinal(gold)
    return min(tokens, key=lambda t: (abs(_ordinal(t) - wanted), t.span), default=None)


def _ordinal(token: DateToken) -> int:
    return (token.year or 0) * 372 + (token.month or 1) * 31 + (token.day or 1)
