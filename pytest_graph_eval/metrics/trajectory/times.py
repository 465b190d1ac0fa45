"""Times as tools take them: absolute ones, relative ones (`2w-ago`) on the moment of the call, and granularities."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from pytest_graph_eval.metrics.trajectory.args import shown

RELATIVE_TOLERANCE = 60.0
"""Seconds between a relative reference and the absolute time that an agent computed from it, where nothing is said."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_RELATIVE = re.compile(r"(\d{1,12})([smhdw])-(ago|ahead)", re.IGNORECASE | re.ASCII)
_MILLISECONDS = 1e11
"""Epoch numbers from here on are milliseconds: as seconds they would lie behind the year 5000."""


def offset(value: Any) -> int | None:
    """Return the seconds from now that a relative time means; None where it is none.

    >>> offset("now"), offset("2w-ago"), offset("1h-ahead"), offset("2026-03-01")
    (0, -1209600, 3600, None)
    """
    text = value.strip() if isinstance(value, str) else ""
    if text.casefold() == "now":
        return 0
    match = _RELATIVE.fullmatch(text)
    if match is None:
        return None
    count, unit, direction = match.groups()
    return int(count) * _SECONDS[unit.lower()] * (-1 if direction.lower() == "ago" else 1)


def instant(value: Any) -> float | None:
    """Return an absolute time as seconds since 1970, or None where it is none.

    ISO 8601 (without a zone it is UTC, a date is its midnight, a year or a month its first day), a `date` or
    `datetime`, or an epoch number in seconds or milliseconds.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _epoch(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch(r"-?\d{9,15}(\.\d+)?", text, re.ASCII):
            return _epoch(float(text))
        value = _from_iso(text)
    if not isinstance(value, datetime):
        return None
    return ((value if value.tzinfo else value.replace(tzinfo=UTC)) - _EPOCH).total_seconds()


def _epoch(number: float) -> float | None:
    try:
        return number / 1000 if abs(number) >= _MILLISECONDS else float(number)
    except OverflowError:
        return None


def _from_iso(text: str) -> datetime | None:
    if re.fullmatch(r"\d{4}(-\d\d)?", text, re.ASCII):
        text += "-01-01"[len(text) - 4 :]
    if text.isdecimal() and len(text) != 8:  # only a date may be all digits
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def time_difference(expected: Any, found: Any, now: Any, tolerance: float | None = None) -> str | None:
    """Return why two times differ, with the tolerance that decided; None where they are the same.

    Args:
        expected: the reference's time; None expects none.
        found: the call's time.
        now: when the call was made, for relative times that meet absolute ones.
        tolerance: seconds that the times may lie apart; default: 60 between a relative reference and an absolute
            time, else 0.
    """
    if expected is None or found is None:
        return None if expected is found else f"{_said(expected)} expected, {_said(found)} found"
    sides = f"{_said(expected)} expected, {_said(found)} found"
    offsets = offset(expected), offset(found)
    if offsets[0] is None and offsets[1] is not None:
        return f"{sides}: the reference is an absolute time, the call's a relative one"
    one, other = offsets if offsets[1] is not None else (instant(expected), instant(found))
    if offsets[0] is not None and offsets[1] is None:
        moment = instant(now)
        if moment is None:
            return f"{sides}: no execution_timestamp of the call says what the reference's time is"
        one = moment + offsets[0]
        tolerance = RELATIVE_TOLERANCE if tolerance is None else tolerance
    if one is None or other is None or math.isnan(one) or math.isnan(other):
        return None if _said(expected) == _said(found) else sides
    apart = abs(one - other) if one != other else 0.0
    allowed = tolerance or 0.0
    return None if apart <= allowed else f"{sides}: {apart:g} s apart, {allowed:g} s allowed"


def _said(value: Any) -> str:
    if value is None:
        return "nothing"
    return value.isoformat() if isinstance(value, date) else shown(value)


_UNITS: Mapping[str, tuple[str, int]] = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("s", 1)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), ("s", 60)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("s", 3600)),
    **dict.fromkeys(("d", "day", "days"), ("s", 86400)),
    **dict.fromkeys(("w", "wk", "week", "weeks"), ("s", 604800)),
    **dict.fromkeys(("M", "mo", "mon", "month", "months"), ("months", 1)),
    **dict.fromkeys(("q", "quarter", "quarters"), ("months", 3)),
    **dict.fromkeys(("y", "yr", "year", "years"), ("months", 12)),
}
_PART = re.compile(r"\s*(\d{0,12})\s*([A-Za-z]+)", re.ASCII)


def same_granularity(expected: Any, found: Any) -> bool:
    """Tell whether two granularities are as long: `1h` is `60 minutes`, a quarter is three months, `M` is a month."""
    one, other = _length(expected), _length(found)
    if one is None or other is None:
        return _said(expected) == _said(found)
    return one == other


def _length(value: Any) -> Mapping[str, int] | None:
    if not isinstance(value, str):
        return None
    length, at, text = {"s": 0, "months": 0}, 0, value.strip()
    while at < len(text):
        part = _PART.match(text, at)
        unit = part and _UNITS.get(part[2] if part[2] == "M" else part[2].lower())
        if not part or not unit:
            return None
        length[unit[0]] += int(part[1] or 1) * unit[1]
        at = part.end()
    return length if text else None
