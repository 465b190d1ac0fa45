"""Valid time: from when to when something that a graph says holds, as ISO texts that are compared as instants.

A day is a whole: it begins with its first instant, and what holds to a day holds until that day is over. What holds
to an instant ends with it. Times without a zone are UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

FROM_KEYS = ("valid_from", "valid_at", "validFrom")
"""The keys under which files say from when something holds; `valid_at` and `invalid_at` are graphiti's words."""
TO_KEYS = ("valid_to", "valid_until", "invalid_at", "validTo", "validUntil", "validThrough")
KEYS = frozenset(FROM_KEYS + TO_KEYS)

_PART = re.compile(r"(\d{4})(?:-(\d\d))?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_ZONE = re.compile(r"(\d{4}-\d\d-\d\d|\d{4}(?:-\d\d)?)(?:Z|[+-]\d\d:\d\d)")
"""A day of XML Schema may have a zone, which tells nothing of it."""
_FIRST, _LAST = 1, 9999
"""The years that stores write for "always" and "until further notice"."""
_EXPECTED = "expected a day (2024-03-01), a month, a year or an ISO instant (2024-03-01T12:00:00Z)"


class Validity(NamedTuple):
    """Canonical texts, a day or an instant in UTC; None is open."""

    start: str | None = None
    end: str | None = None

    def holds(self, moment: datetime) -> bool:
        """Tell whether it holds at an instant."""
        return (self.start is None or begin(self.start) <= moment) and (self.end is None or moment < _over(self.end))


ALWAYS = Validity()


def covering(some: Iterable[Validity]) -> Validity:
    """Return the time from the first start to the last end; what has no time of its own does not count."""
    dated = [one for one in some if one != ALWAYS]
    starts = [one.start for one in dated if one.start]
    ends = [one.end for one in dated if one.end]
    return Validity(
        min(starts, key=begin) if starts and len(starts) == len(dated) else None,
        max(ends, key=_over) if ends and len(ends) == len(dated) else None,
    )


def read(data: Mapping[str, Any]) -> tuple[Validity, list[str]]:
    """Return the valid time that the keys of a record give, and what is wrong with it.

    Args:
        data: any record; keys other than `KEYS`, and empty values, do not count.

    Returns:
        The valid time, and messages that begin with `.key: `.
    """
    if KEYS.isdisjoint(data):
        return ALWAYS, []
    found: list[str | None] = []
    messages = []
    for keys, last in ((FROM_KEYS, False), (TO_KEYS, True)):
        key = next((key for key in keys if data.get(key) not in (None, "")), None)
        try:
            found.append(None if key is None else canonical(str(data[key]), last=last))
        except ValueError:
            messages.append(f".{key}: found {str(data[key or ''])[:40]!r}; {_EXPECTED}")
    if messages:
        return ALWAYS, messages
    validity = Validity(*found)
    start, end = validity
    if start and end and start != end and begin(start) >= _over(end):
        return ALWAYS, [f": valid from {start} to {end}; expected an end after the start"]
    return validity, []


@lru_cache(maxsize=10_000)
def canonical(text: str, *, last: bool = False) -> str | None:
    """Return a time as a day or as an instant in UTC; None for the ends of the calendar, which mean an open end.

    Args:
        text: a year, a month, a day or an ISO instant.
        last: whether a year or a month stands for its last day instead of its first.

    Raises:
        ValueError: it is no time.
    """
    text = text.strip()
    zoned = _ZONE.fullmatch(text)
    text = zoned[1] if zoned else text
    part = _PART.fullmatch(text)
    if part:
        return _day_of(int(part[1]), int(part[2] or 0), last=last)
    moment = instant(text)
    if moment.year in (_FIRST, _LAST):
        return None
    return text if _DAY.fullmatch(text) else moment.isoformat().replace("+00:00", "Z")


def instant(text: str) -> datetime:
    """Return a day's first instant, or an ISO instant, in UTC.

    Raises:
        ValueError: it is neither.
    """
    moment = datetime.fromisoformat(text.strip())
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as e:
        raise ValueError(f"{text} is out of the calendar") from e


begin = lru_cache(maxsize=10_000)(instant)
"""`instant`, remembered: a graph repeats its times."""


def _over(text: str) -> datetime:
    """Return the first instant after something that holds to `text`."""
    return begin(text) + timedelta(days=1) if _DAY.fullmatch(text) else begin(text)


def _day_of(year: int, month: int, *, last: bool) -> str | None:
    if year in (0, _FIRST, _LAST):
        return None
    if not last:
        return datetime(year, month or 1, 1, tzinfo=UTC).date().isoformat()
    following = datetime(year + (month or 12) // 12, (month or 12) % 12 + 1, 1, tzinfo=UTC)
    return (following - timedelta(days=1)).date().isoformat()
