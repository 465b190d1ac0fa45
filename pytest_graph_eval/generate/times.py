"""A graph at the times that questions are about: days that tell it apart from now, and what it held then.

Nothing here knows today's date. Now is when the last thing in the graph began to hold; where something ends later than
that, nobody can tell whether it still holds.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.generate.drafts import Unanswerable
from pytest_graph_eval.generate.view import View, once
from pytest_graph_eval.graph import validity
from pytest_graph_eval.graph.elements import Entity, Relationship

_MOST_DAYS = 3
"""Days between changes that questions are about: each of them is a graph of its own to be read."""

_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
}


@once
def dated(view: View) -> Sequence[Entity]:
    """Return the entities that say since when they hold."""
    return [entity for entity in view.catalog.entities if entity.valid_from]


@once
def days(view: View) -> Sequence[str]:
    """Return days between two changes of the graph, those in the widest gaps: the day after the earlier change."""
    moments = [validity.begin(time) for time in view.catalog.change_points]
    gaps = []
    for earlier, later in pairwise(moments):
        day = earlier.date() + dt.timedelta(days=1)
        if dt.datetime.combine(day, dt.time(), dt.UTC) < later:
            gaps.append((earlier - later, day.isoformat()))
    return tuple(sorted(day for _, day in sorted(gaps)[:_MOST_DAYS]))


def before(view: View) -> str | None:
    """Return the day before anything in the graph held; None where it does not say when that was."""
    first = view.catalog.first_valid
    return (validity.begin(first).date() - dt.timedelta(days=1)).isoformat() if first else None


def view_at(view: View, day: str) -> View:
    """Return the graph as it was at the beginning of a day.

    Raises:
        Unanswerable: it is no day.
    """
    try:
        dt.date.fromisoformat(day)
        return view.at(day)
    except (ValueError, UsageError):
        raise Unanswerable("the recipe's day is none") from None


def now(view: View, about: Iterable[Entity | Relationship] = ()) -> View:
    """Return the graph as it is now.

    Args:
        view: the graph with all that it says of the past.
        about: what the answer depends on.

    Raises:
        Unanswerable: some of that ends after the last thing began, so that it depends on today's date.
    """
    last = _last_start(view)
    if last is None:
        return view
    if any(item.valid_to and validity.begin(item.valid_to) >= last for item in about):
        raise Unanswerable("whether it still holds depends on today's date")
    return view_at(view, (last.date() + dt.timedelta(days=1)).isoformat())


@once
def _last_start(view: View) -> dt.datetime | None:
    return max((validity.begin(entity.valid_from) for entity in dated(view) if entity.valid_from), default=None)


def day_words(day: str, lang: str) -> str:
    """Return a day as a sentence has it: `on 1 March 2024`, `le 1er mars 2024`."""
    date = dt.date.fromisoformat(day)
    month = _MONTHS.get(lang, _MONTHS["en"]).split()[date.month - 1]
    if lang == "fr":
        return f"le {date.day}{'er' if date.day == 1 else ''} {month} {date.year}"
    return f"on {date.day} {month} {date.year}"
