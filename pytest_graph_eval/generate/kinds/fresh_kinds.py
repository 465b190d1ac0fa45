"""Kinds of scenarios about how fresh things are: when they were last refreshed, and of which time their data are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pytest_graph_eval.generate.choice import few
from pytest_graph_eval.generate.drafts import Ask, Draft, Fact, Spec, Unanswerable
from pytest_graph_eval.generate.kinds.kind import Kind
from pytest_graph_eval.generate.times import day_words, days, now, view_at
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.generate.wording import put
from pytest_graph_eval.graph import validity
from pytest_graph_eval.graph.elements import Entity

_FRESH = re.compile(
    r"(?:last[_ ]?)?(?P<verb>refresh|update|modif|load|run)\w*(?:[_ ](?:at|on|date|time))?|"
    r"(?:last[_ ])?(?P<other>business)[_ ]date",
    re.IGNORECASE,
)  # fmt: skip
_VERBS = {"refresh": "refreshed", "update": "updated", "modif": "changed", "load": "loaded", "run": "run",
          "business": "refreshed"}  # fmt: skip
_PERIODS = (("period_start", "period_end"), ("start_date", "end_date"), ("window_start", "window_end"),
            ("from_date", "to_date"), ("start", "end"))  # fmt: skip
_SNAPSHOTS = ("as_of", "as_of_date", "snapshot_date", "snapshot", "data_date")


def day_of(value: Any) -> str | None:
    """Return the day of an ISO day or instant, None where it is neither."""
    try:
        return validity.instant(str(value)).date().isoformat() if re.match(r"\d{4}-\d\d-\d\d", str(value)) else None
    except ValueError:
        return None


def fresh_keys(entity: Entity) -> list[str]:
    """Return the attributes that say when something was last brought up to date."""
    return sorted(key for key, value in entity.attributes.items() if _FRESH.fullmatch(key) and day_of(value))


def freshness(view: View, name: str, key: str, template: str, lang: str, **parts: str) -> tuple[Ask, frozenset[Fact]]:
    """Return the question when an entity was last refreshed, and the facts behind its answer.

    Raises:
        Unanswerable: the graph does not say.
    """
    entity = view.entity(name)
    match = _FRESH.fullmatch(key)
    day = day_of(entity.attributes.get(key)) if entity and match else None
    if day is None or match is None:
        raise Unanswerable("it does not say when it was brought up to date")
    if len(fresh_keys(entity)) > 1 if entity else False:
        raise Unanswerable("it says several times when it was brought up to date")
    if not view.is_plain(name):
        raise Unanswerable("its name means several entities, or cannot be typed")
    verb = _VERBS[(match["verb"] or match["other"]).lower()]
    question = put(template, lang, owner=view.shown(name), verb=verb, **parts)
    ask = Ask(question, None, {"dates": [{"value": day, "day_first": "any"}], "denial": False}, (name,))
    return ask, frozenset({("value", name, key, day)})


@few
def _fresh(view: View) -> Iterator[Spec]:
    for entity in view.catalog.entities:
        yield from ({"entity": entity.name, "key": key} for key in fresh_keys(entity))


def _freshness(view: View, spec: Spec) -> Draft:
    entity = view.entity(spec["entity"])
    held = now(view, [entity] if entity else [])
    ask, used = freshness(held, spec["entity"], spec["key"], "freshness", spec.get("lang", "en"))
    return Draft((ask,), used)


def _fresh_then(view: View) -> Iterator[Spec]:
    for spec in _fresh(view):
        newest = _value(now(view), spec)
        yield from (
            {**spec, "day": day} for day in days(view) if _value(view_at(view, day), spec) not in (None, newest)
        )


def _value(view: View, spec: Spec) -> str | None:
    entity = view.entity(spec["entity"])
    return day_of(entity.attributes.get(spec["key"])) if entity else None


def _freshness_at(view: View, spec: Spec) -> Draft:
    """Ask how fresh something was on a day when that was not what it is now."""
    name, key, day, lang = spec["entity"], spec["key"], spec["day"], spec.get("lang", "en")
    ask, used = freshness(view_at(view, day), name, key, "freshness_at", lang, on_day=day_words(day, lang))
    return Draft((replace(ask, expect={**ask.expect, "as_of": day}, as_of=day),), used)


def _own_time(entity: Entity) -> tuple[tuple[str, str], ...]:
    """Return the attributes that say which time the data of an entity are of: one day, or the first and the last."""
    pairs = [*_PERIODS, *((key, key) for key in _SNAPSHOTS)]
    for keys in pairs:
        found = tuple((key, day) for key in dict.fromkeys(keys) if (day := day_of(entity.attributes.get(key))))
        if len(found) == len(set(keys)):
            return found
    return ()


@few
def _with_own_time(view: View) -> Iterator[Spec]:
    yield from ({"entity": entity.name} for entity in view.catalog.entities if _own_time(entity))


def _dataset_time(view: View, spec: Spec) -> Draft:
    """Ask of which time the data in something are: its own time, whatever the valid time of the question is."""
    name, lang = spec["entity"], spec.get("lang", "en")
    entity = view.entity(name)
    entity = now(view, [entity] if entity else []).entity(name)
    found = _own_time(entity) if entity else ()
    if not found or not view.is_plain(name):
        raise Unanswerable("its data have no time of their own, or its name means several entities")
    question = put("covers" if len(found) > 1 else "snapshot", lang, owner=view.shown(name))
    expect = {"dates": [{"value": day, "day_first": "any"} for _, day in found], "denial": False}
    return Draft((Ask(question, None, expect, (name,)),), frozenset(("value", name, key, day) for key, day in found))


_TEMPORAL = frozenset({"temporal"})
_UNKNOWN = "no attribute says when something was brought up to date"
KINDS = (
    Kind("freshness_at", "temporal", "medium", f"{_UNKNOWN}, or the same always", _fresh_then, _freshness_at,
         ("entity", "key", "day"), _TEMPORAL, answers=True, share=1),
    Kind("freshness", "freshness", "easy", _UNKNOWN, _fresh, _freshness, ("entity", "key"), answers=True, share=1),
    Kind("dataset_time", "dataset", "medium", "no attribute says of which time the data are", _with_own_time,
         _dataset_time, ("entity",), _TEMPORAL, answers=True, share=1),
)  # fmt: skip
