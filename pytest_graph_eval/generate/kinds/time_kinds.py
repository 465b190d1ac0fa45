"""Kinds of scenarios about time: what a graph held on a day, what came later, what a year alone brought.

A graph that forgets its past, or an agent that answers for now, fails them: what came after the day must not be named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pytest_graph_eval.generate.choice import few
from pytest_graph_eval.generate.drafts import Ask, Draft, Fact, Spec, Unanswerable
from pytest_graph_eval.generate.kinds.kind import Kind
from pytest_graph_eval.generate.kinds.relation_kinds import relate
from pytest_graph_eval.generate.kinds.text_kinds import define
from pytest_graph_eval.generate.times import before, dated, day_words, days, now, view_at
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.generate.wording import asked_type, plural, put, words_of
from pytest_graph_eval.graph import validity
from pytest_graph_eval.graph.elements import Entity

_MOST_NAMES = 12
"""What an answer can still name in full."""
_MOST_FORBIDDEN = 40
"""Names that a suite lists as not to be named; a type with more of them is not asked about."""

_TEMPORAL = frozenset({"temporal"})


def definition(view: View, name: str, lang: str) -> tuple[Ask, frozenset[Fact]]:
    """Return the question what an entity is, and the facts behind its answer.

    Raises:
        Unanswerable: the graph does not say, or not of one entity of that name.
    """
    draft = define(view, {"entity": name, "lang": lang})
    return draft.asks[0], draft.used


# --- on a day ---------------------------------------------------------------------------------------------------------


def _with_days(view: View, entities: Sequence[Entity], *, later: bool) -> Iterator[Spec]:
    """Yield entities with days on which they held (or did not yet)."""
    found = days(view)
    for entity in entities:
        start = validity.begin(entity.valid_from or "9999-12-31")
        yield from ({"entity": entity.name, "day": day} for day in found if (validity.instant(day) < start) == later)


@few
def _then(view: View) -> Iterator[Spec]:
    yield from _with_days(view, dated(view), later=False)


def _definition_at(view: View, spec: Spec) -> Draft:
    """Ask what an entity was on a day."""
    name, day, lang = spec["entity"], spec["day"], spec.get("lang", "en")
    ask, used = definition(view_at(view, day), name, lang)
    question = put("what_was", lang, owner=view.shown(name), on_day=day_words(day, lang))
    expect = {"names": [view.shown(name)], "denial": False, "as_of": day}
    return Draft((replace(ask, question=question, as_of=day, expect=expect),), used)


def _found_at(view: View, spec: Spec) -> Draft:
    """Ask a graph that filters by day: the question names none, as its words are searched for."""
    day = spec["day"]
    ask, used = definition(view_at(view, day), spec["entity"], spec.get("lang", "en"))
    return Draft((replace(ask, as_of=day),), used)


@few
def _later(view: View) -> Iterator[Spec]:
    yield from _with_days(view, dated(view), later=True)


def _not_yet(view: View, spec: Spec) -> Draft:
    """Ask what an entity was on a day before it existed; nothing of its type that came later may be named, either."""
    name, day, lang = spec["entity"], spec["day"], spec.get("lang", "en")
    entity = _unborn(view, name, day)
    others = [other for other in _absent(view, view_at(view, day), entity.type) if other != view.shown(name)]
    expect: dict[str, Any] = {"denial": True, "as_of": day, **({"forbidden": others} if others else {})}
    question = put("what_was", lang, owner=view.shown(name), on_day=day_words(day, lang))
    return Draft((Ask(question, None, expect, as_of=day),), frozenset({("since", name, entity.valid_from or "")}))


def _unborn(view: View, name: str, day: str) -> Entity:
    """Return an entity that did not exist yet on a day."""
    entity, then = view.entity(name), view_at(view, day)
    if entity is None or not entity.valid_from:
        raise Unanswerable("the entity is not in the graph, or does not say since when")
    if validity.instant(day) >= validity.begin(entity.valid_from) or then.entity(name):
        raise Unanswerable("it existed already")
    if not view.is_plain(name) or _is_mentioned(then, view.shown(name)):
        raise Unanswerable("its name means several entities, or stands in a text of that time")
    return entity


def _is_mentioned(view: View, name: str) -> bool:
    folded = name.casefold()
    catalog = view.catalog
    texts = (*(e.description for e in catalog.entities), *(r.description for r in catalog.relationships),
             *(c.content for c in catalog.chunks))  # fmt: skip
    return any(folded in text.casefold() for text in texts)


def _absent(view: View, then: View, type_: str) -> list[str]:
    """Return the names of a type that were not there; none may be named in an answer about then."""
    return [view.shown(e.name) for e in view.by_type.get(type_, ()) if then.entity(e.name) is None]


@few
def _changed_relations(view: View) -> Iterator[Spec]:
    """Yield relations of an entity that have several targets, with days on which some of them were not there yet."""
    several: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    for edge in view.catalog.relationships:
        ways = ("out", "in") if edge.directed else ("both", "both")
        for name, way in zip((edge.source, edge.target), ways, strict=True):
            other = view.entity(edge.target if name == edge.source else edge.source)
            if start := edge.valid_from or (other.valid_from if other else None):
                several[name, edge.type, way].append(start)
    found = days(view)
    for (name, relation, way), starts in several.items():
        begun = [validity.begin(start) for start in starts]
        for day in found:
            if relation and min(begun) <= validity.instant(day) < max(begun):
                yield {"entity": name, "relation": relation, "way": way, "day": day}


def _relation_at(view: View, spec: Spec, *, answers: bool) -> Draft:
    """Ask what an entity was tied to on a day when that was one thing; what came later must not come up."""
    day, lang = spec["day"], spec.get("lang", "en")
    then = view_at(view, day)
    draft = relate(then, spec)
    ask, names = draft.asks[0], {link.other for link in then.linked(spec["entity"], spec["relation"], spec["way"])}
    later = {link.other for link in view.linked(spec["entity"], spec["relation"], spec["way"])} - names
    expect = {**ask.expect, **({"forbidden": sorted(map(view.shown, later))} if later else {})}
    if answers:
        question = put(
            "as_of_day", lang, on_day=day_words(day, lang), question=ask.question[:1].lower() + ask.question[1:]
        )
        ask, expect = replace(ask, question=question), {**expect, "as_of": day}
    return Draft((replace(ask, expect=expect, as_of=day),), draft.used)


# --- inventories ------------------------------------------------------------------------------------------------------


def _few_types(view: View) -> list[str]:
    """Return the types that say when their entities began, and have no more of them than a suite can list."""
    types = sorted({entity.type for entity in dated(view) if words_of(entity.type)})
    return [type_ for type_ in types if len(view.by_type[type_]) <= _MOST_FORBIDDEN]


def types_on_days(view: View) -> Iterator[tuple[str, str]]:
    """Yield types with days on which some of them were there and others not yet."""
    for type_ in _few_types(view):
        starts = [validity.begin(entity.valid_from) for entity in view.by_type[type_] if entity.valid_from]
        yield from ((type_, day) for day in days(view) if min(starts) <= validity.instant(day) < max(starts))


def _types_then(view: View) -> Iterator[Spec]:
    yield from ({"type": type_, "day": day} for type_, day in types_on_days(view))


def _nouns(type_: str, lang: str) -> dict[str, str]:
    one = asked_type(type_)
    return {"type": one, "types": one if lang == "fr" else plural(one)}


def inventory(view: View, held: View, spec: Spec, template: str, **parts: str) -> tuple[Ask, frozenset[Fact]]:
    """Return the question which entities of a type there are, and the facts behind its answer.

    Args:
        view: the graph with all that it says of other times.
        held: the graph at the time that is asked about.
        spec: says the `type` and the language.
        template: of the question.
        parts: what is filled in, beside the type.

    Raises:
        Unanswerable: there are none, too many to name, or two of them that cannot be told apart.
    """
    type_, lang = spec["type"], spec.get("lang", "en")
    names = [entity.name for entity in held.by_type.get(type_, ())]
    if not 0 < len(names) <= _MOST_NAMES or sum(words_of(t) == words_of(type_) for t in view.by_type) > 1:
        raise Unanswerable("the graph holds none of the type then, or too many to name")
    if not all(held.is_plain(name) and view.is_plain(name) for name in names):
        raise Unanswerable("a name of the type means several entities")
    nouns = _nouns(type_, lang)
    expect: dict[str, Any] = {"counts": _count(nouns, len(names), lang), "names": [view.shown(name) for name in names]}
    if absent := _absent(view, held, type_):
        expect["forbidden"] = absent
    ask = Ask(put(template, lang, **nouns, **parts), None, expect, tuple(names))
    return ask, frozenset({("count", type_, str(len(names))), *(("one of", type_, name) for name in names)})


def _count(nouns: dict[str, str], count: int, lang: str) -> dict[str, Any]:
    """Return the check for a number of things, whichever of these nouns an answer calls them by."""
    words = {plural(nouns["type"]), nouns["type"], *(("élément", "éléments") if lang == "fr" else ())}
    return {nouns["types"]: {"value": count, "nouns": sorted(words)}}


def _inventory_at(view: View, spec: Spec) -> Draft:
    """Ask which entities of a type there were on a day; later ones must not be named."""
    day, lang = spec["day"], spec.get("lang", "en")
    ask, used = inventory(view, view_at(view, day), spec, "inventory_at", on_day=day_words(day, lang))
    return Draft((replace(ask, expect={**ask.expect, "as_of": day}, as_of=day),), used)


def _before_anything(view: View, spec: Spec) -> Draft:
    """Ask how many entities of a type there were before there was any."""
    type_, day, lang = spec["type"], spec["day"], spec.get("lang", "en")
    then = view_at(view, day)
    if then.by_type.get(type_) or not view.by_type.get(type_):
        raise Unanswerable("some existed already, or have no valid time, or there are none at all")
    nouns = _nouns(type_, lang)
    expect = {"counts": _count(nouns, 0, lang), "forbidden": _absent(view, then, type_), "as_of": day}
    question = put("how_many_at", lang, **nouns, on_day=day_words(day, lang))
    return Draft((Ask(question, None, expect, as_of=day),), frozenset({("none of", type_, day)}))


def _empty_before(view: View, spec: Spec) -> Draft:
    """Ask a graph that filters by day for something when it held nothing at all."""
    name, day = spec["entity"], spec["day"]
    if view_at(view, day).catalog.entities:
        raise Unanswerable("something existed already, or has no valid time")
    ask, _ = definition(view, name, spec.get("lang", "en"))
    return Draft((Ask(ask.question, None, {"no_evidence": True}, as_of=day),), frozenset({("none at", day)}))


def _before(view: View) -> Iterator[Spec]:
    day = before(view)
    yield from ({"type": type_, "day": day} for type_ in _few_types(view) if day)


@few
def _named_before(view: View) -> Iterator[Spec]:
    day = before(view)
    yield from ({"entity": entity.name, "day": day} for entity in dated(view) if day)


def _years(view: View) -> Iterator[Spec]:
    for type_ in _few_types(view):
        years = sorted({(entity.valid_from or "")[:4] for entity in view.by_type[type_]})
        yield from ({"type": type_, "year": year} for year in years if year and len(years) > 1)


def _added_in(view: View, spec: Spec) -> Draft:
    """Ask what came in a year. A year alone is no day to answer for: the graph of now knows it."""
    type_, year, lang = spec["type"], spec["year"], spec.get("lang", "en")
    entities = view.by_type.get(type_, ())
    names = [e.name for e in entities if (e.valid_from or "").startswith(f"{year}-")]
    held = now(view, entities)
    others = [view.shown(e.name) for e in entities if e.name not in names]
    if not 0 < len(names) <= _MOST_NAMES or not all(e.valid_from for e in entities):
        raise Unanswerable("none came in that year, too many to name, or some do not say when")
    if not all(view.is_plain(name) and held.entity(name) for name in names):
        raise Unanswerable("a name of the type means several entities, or what it means has ended")
    expect: dict[str, Any] = {"names": [view.shown(name) for name in names], "as_of": "current"}
    if others:
        expect["forbidden"] = others
    ask = Ask(put("added_in", lang, **_nouns(type_, lang), year=year), None, expect, tuple(names))
    return Draft((ask,), frozenset(("since", e.name, e.valid_from or "") for e in entities if e.name in names))


_UNDATED = "nothing in the graph says since when it holds"
_NO_CHANGE = "no relation of an entity has got another target in time"
_NO_DAYS = "the graph has no two changes with a day between them"
KINDS = (
    Kind("definition_at", "temporal", "medium", _NO_DAYS, _then, _definition_at, ("entity", "day"), _TEMPORAL,
         answers=True, share=1),
    Kind("found_at", "temporal", "medium", _NO_DAYS, _then, _found_at, ("entity", "day"), _TEMPORAL, answers=False),
    Kind("not_yet", "temporal", "medium", _NO_DAYS, _later, _not_yet, ("entity", "day"), _TEMPORAL, answers=True,
         share=1),
    Kind("relation_at", "temporal", "hard", _NO_CHANGE, _changed_relations, partial(_relation_at, answers=True),
         ("entity", "relation", "way", "day"), _TEMPORAL, answers=True, share=1),
    Kind("linked_at", "temporal", "hard", _NO_CHANGE, _changed_relations, partial(_relation_at, answers=False),
         ("entity", "relation", "way", "day"), _TEMPORAL, answers=False, share=1),
    Kind("before_anything", "temporal", "easy", _UNDATED, _before, _before_anything, ("type", "day"), _TEMPORAL,
         answers=True, share=1),
    Kind("empty_before", "temporal", "easy", _UNDATED, _named_before, _empty_before, ("entity", "day"), _TEMPORAL,
         answers=False, share=1),
    Kind("inventory_at", "temporal", "hard", _NO_DAYS, _types_then, _inventory_at, ("type", "day"), _TEMPORAL,
         answers=True, share=1),
    Kind("added_in", "temporal", "medium", _UNDATED, _years, _added_in, ("type", "year"), _TEMPORAL, answers=True,
         share=1),
)  # fmt: skip
