"""The valid time of an answer: which day it says it speaks of, and which instant the target used."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import NamedTuple

from pytest_graph_eval.metrics.facts import dates
from pytest_graph_eval.metrics.facts.context import is_denied, scope
from pytest_graph_eval.metrics.facts.dates import DateToken
from pytest_graph_eval.metrics.facts.page import page
from pytest_graph_eval.metrics.facts.text import Span, Text

CURRENT = "current"
_CURRENT_WORDS = frozenset(("", CURRENT, "now", "today", "null", "none"))


class Stated(NamedTuple):
    """Whether a day is stated as the time that the answer speaks of, and the nearest place."""

    holds: bool
    span: Span | None = None
    day: str = ""


def is_current(value: str) -> bool:
    """Tell whether a valid time means now."""
    return value.strip().casefold() in _CURRENT_WORDS


def instant(text: str) -> dt.datetime | None:
    """Return an ISO instant in UTC, or None where the text is none; a day is its first instant, no zone is UTC."""
    try:
        moment = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment.astimezone(dt.UTC)


def stated(text: Text, expected: str) -> Stated:
    """Tell whether an answer states its valid time.

    Args:
        text: the answer.
        expected: an ISO day or instant: its day must stand in the valid-time header, or in the text where there is no
            header of another day. `current`: no header may hold a day; then `holds` says whether one does.
    """
    headers = [
        token for a in text.asides if a.kind == "header" for token in _days(text.plain[a.start : a.end], a.start)
    ]
    if is_current(expected):
        return _first(headers) if headers else Stated(False)
    gold = dates.parse_gold(expected.strip()[:10])
    other = next((t for t in headers if dates.match_date(gold, [t]).verdict == "fail"), None)
    if other is not None:
        return Stated(False, other.span, other.iso())
    verdict = dates.match_date(gold, _asserted(text, text.without("citation")))
    if verdict.token is None:
        return Stated(False)
    return Stated(verdict.verdict == "pass", verdict.token.span, verdict.token.iso())


def _asserted(text: Text, plain: str) -> list[DateToken]:
    """Return the dates that are not there only to be denied: not as of 2024-03-01."""
    known = page(plain)
    return [t for t in _days(plain, 0) if not is_denied(known, t.span, scope(known, t.span[0], text.clauses))]


def _first(tokens: list[DateToken]) -> Stated:
    return Stated(True, tokens[0].span, tokens[0].iso())


def _days(text: str, offset: int) -> list[DateToken]:
    found = dates.find(text, day_first="any")
    if not offset:
        return found
    return [replace(t, span=(t.span[0] + offset, t.span[1] + offset)) for t in found]


def used(expected: str, actual: str | None) -> bool | None:
    """Tell whether the target used the expected valid time; None where it does not report one."""
    if actual is None:
        return None
    if is_current(expected) or is_current(actual):
        return is_current(expected) and is_current(actual)
    there = instant(actual)
    return there is not None and there == instant(expected)
