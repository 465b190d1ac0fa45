"""Kinds of scenarios that are conversations: pronouns, a date kept and cleared, and walks that begin with the answer.

A first question fixes what is talked about, one thing alone, so that a pronoun of a later one can mean nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

from pytest_graph_eval.generate.choice import few
from pytest_graph_eval.generate.drafts import Ask, Draft, Fact, Spec, Unanswerable
from pytest_graph_eval.generate.figures import split_period
from pytest_graph_eval.generate.kinds.fresh_kinds import day_of, fresh_keys, freshness
from pytest_graph_eval.generate.kinds.kind import Kind
from pytest_graph_eval.generate.kinds.relation_kinds import neighbours
from pytest_graph_eval.generate.kinds.time_kinds import definition, inventory, types_on_days
from pytest_graph_eval.generate.relations import is_person, phrase
from pytest_graph_eval.generate.times import day_words, now, view_at
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.generate.wording import asked_type, put, words_of
from pytest_graph_eval.graph.elements import Entity

_LONGEST_VALUE = 60
_MOST_LINKS = 4


def _known(view: View, name: str, lang: str) -> tuple[Ask, frozenset[Fact]]:
    """Return the question that fixes what a conversation is about."""
    ask, used = definition(view, name, lang)
    return replace(ask, expect={"names": [view.shown(name)], "denial": False}), used


def _neighbours(view: View, name: str, lang: str, called: str) -> tuple[Ask, frozenset[Fact]]:
    """Return the question what an entity, called by a pronoun or its name, is connected to."""
    draft = neighbours(view, {"entity": name, "lang": lang}, hops=1)
    # A list has no wording of its own that an answer could repeat: the names alone are checked.
    return replace(draft.asks[0], question=put("and_neighbours", lang, called=called), gold_answer=None), draft.used


def _called(view: View, name: str, lang: str, *, pronouns: bool) -> str:
    """Return what a later question calls an entity."""
    if not pronouns:
        return view.shown(name)
    person = is_person(view.type_of(name))
    return {"fr": "cette personne" if person else "cet élément"}.get(lang, "this person" if person else "it")


def _described(view: View) -> Iterator[Entity]:
    for entity in view.catalog.entities:
        if entity.description and split_period(entity.label) is None:
            yield entity


def _held(view: View, name: str) -> View:
    """Return the graph of now, where what it says of an entity does not depend on today's date."""
    entity = view.entity(name)
    return now(view, [*([entity] if entity else []), *(link.edge for link in view.links(name))])


# --- follow-ups -------------------------------------------------------------------------------------------------------


def _is_near_few(view: View, name: str) -> bool:
    """Tell whether an entity has neighbours, and no more links than an answer can name."""
    return 0 < sum(1 for _ in islice(view.links(name), _MOST_LINKS + 1)) <= _MOST_LINKS


@few
def _with_links(view: View) -> Iterator[Spec]:
    yield from ({"entity": entity.name} for entity in _described(view) if _is_near_few(view, entity.name))


def _object(view: View, spec: Spec, *, pronouns: bool) -> Draft:
    """Ask what an entity is, then what it is connected to."""
    name, lang = spec["entity"], spec.get("lang", "en")
    held = _held(view, name)
    then, more = _neighbours(held, name, lang, _called(held, name, lang, pronouns=pronouns))
    first, used = _known(held, name, lang)
    return Draft((first, then), used | more)


@few
def _with_fresh(view: View) -> Iterator[Spec]:
    for entity in _described(view):
        yield from ({"entity": entity.name, "key": key} for key in fresh_keys(entity))


def _fresh(view: View, spec: Spec) -> Draft:
    """Ask what an entity is, then how fresh it is."""
    name, lang = spec["entity"], spec.get("lang", "en")
    held = _held(view, name)
    first, used = _known(held, name, lang)
    called = _called(held, name, lang, pronouns=True)
    then, more = freshness(held, name, spec["key"], "and_freshness", lang, called=called)
    return Draft((first, then), used | more)


@few
def _pairs(view: View) -> Iterator[Spec]:
    previous: dict[str, str] = {}
    for entity in _described(view):
        if entity.type in previous:
            yield {"entity": previous.pop(entity.type), "other": entity.name}
        else:
            previous[entity.type] = entity.name


def _recap(view: View, spec: Spec) -> Draft:
    """Ask about two entities, then which two it were."""
    names, lang = (spec["entity"], spec["other"]), spec.get("lang", "en")
    asked = [_known(_held(view, name), name, lang) for name in names]
    shown = [view.shown(name) for name in names]
    recap = Ask(put("recap", lang), None, {"names": shown})
    return Draft((*(ask for ask, _ in asked), recap), frozenset().union(*(used for _, used in asked)))


# --- walks that begin with the answer ---------------------------------------------------------------------------------


@few
def _owned(view: View) -> Iterator[Spec]:
    """Yield entities that one relation ties to one other, which has neighbours of its own."""
    for entity in _described(view):
        for link in view.single(entity.name):
            if split_period(link.other) is None and _is_near_few(view, link.other):
                yield {"entity": entity.name, "relation": link.relation, "way": link.way}


def _walk(view: View, spec: Spec, *, pronouns: bool) -> Draft:
    """Ask what an entity is, what it is tied to, and what that is connected to: the answers are chosen first."""
    name, lang = spec["entity"], spec.get("lang", "en")
    held = _held(view, name)
    links = held.linked(name, spec["relation"], spec["way"])
    if len({link.other for link in links}) != 1:
        raise Unanswerable("it is not tied to one entity by the relation")
    owner = links[0].other
    said = phrase(held, links[0], lang)
    blind = [link for link in held.links(name) if link.relation == spec["relation"] and link.other != owner]
    if not held.is_plain(owner) or (said.blind and blind):
        raise Unanswerable("what it is tied to has a name of several entities, or the relation leads elsewhere, too")
    called = _called(held, name, lang, pronouns=pronouns)
    question = put("and", lang, question=said.question[:1].lower() + said.question[1:].replace("{x}", called))
    second = Ask(question, held.shown(owner), {"names": [held.shown(owner)]}, (owner, name))
    # The pronoun of the third question means the last answer, which is named again where names are used.
    last = held.shown(owner) if not pronouns else {"fr": "ce dernier"}.get(lang, "that one")
    third, more = _neighbours(_held(view, owner), owner, lang, last)
    if third.source_entities == (owner, name):
        raise Unanswerable("the walk leads back")
    first, used = _known(held, name, lang)
    return Draft((first, second, third), used | {links[0].fact} | more)


@few
def _valued(view: View) -> Iterator[Spec]:
    for entity in _described(view):
        if not words_of(entity.type):
            continue
        for key, value in sorted(entity.attributes.items()):
            if isinstance(value, str) and words_of(key) and 2 < len(value) <= _LONGEST_VALUE and not day_of(value):
                yield {"entity": entity.name, "key": key}


def _attribute(view: View, spec: Spec, *, pronouns: bool) -> Draft:
    """Ask which entity has a value that no other of its type has, then what that is."""
    name, key, lang = spec["entity"], spec["key"], spec.get("lang", "en")
    held = _held(view, name)
    entity = held.entity(name)
    value = str(entity.attributes.get(key, "")) if entity else ""
    if entity is None or not value or not value.isprintable():
        raise Unanswerable("it does not have such a value")
    alike = [e for e in held.by_type[entity.type] if str(e.attributes.get(key, "")).casefold() == value.casefold()]
    if alike != [entity] or not held.is_plain(name):
        raise Unanswerable("several entities have the value, or the name")
    question = put("with_value", lang, type=asked_type(entity.type), key=words_of(key), value=value)
    shown = held.shown(name)
    first = Ask(question, shown, {"names": [shown]}, (name,))
    second, used = _known(held, name, lang)
    if pronouns:
        who = "and_who" if is_person(entity.type) else "and_what"
        second = replace(second, question=put(who, lang), expect={"denial": False})
    return Draft((first, second), used | {("value", name, key, value)})


# --- a date that is kept, then cleared --------------------------------------------------------------------------------


@few
def _then_and_now(view: View) -> Iterator[Spec]:
    for type_, day in types_on_days(view):
        begun = [e.name for e in view.by_type[type_] if view_at(view, day).entity(e.name)]
        yield from ({"type": type_, "day": day, "entity": name} for name in begun)


def _kept_date(view: View, spec: Spec) -> Draft:
    """Ask for a day, go on without naming it, then ask for now: the day holds until it is cleared."""
    type_, day, name, lang = spec["type"], spec["day"], spec["entity"], spec.get("lang", "en")
    entities = view.by_type.get(type_, ())
    then, held = view_at(view, day), now(view, entities)
    first, used = inventory(view, then, spec, "inventory_at", on_day=day_words(day, lang))
    second, more = definition(then, name, lang)
    second = replace(second, question=put("and_what_was", lang, owner=view.shown(name)),
                     expect={"names": [view.shown(name)], "denial": False, "as_of": day})  # fmt: skip
    third, last = inventory(view, held, spec, "inventory_now")
    asks = (
        replace(first, expect={**first.expect, "as_of": day}, as_of=day), second,
        replace(third, expect={**third.expect, "as_of": "current"}, as_of="now"),
    )  # fmt: skip
    return Draft(asks, used | more | last)


_TALK = frozenset({"multi_turn"})
_PRONOUNS = _TALK | {"pronouns"}
_FIRST = frozenset({"fact_first"})
_NO_LINKS = "no described entity is linked to another"
_NO_VALUES = "no described entity has a text among its attributes"
_NO_FRESH = "no attribute says when something was brought up to date"
KINDS = (
    Kind("neighbours_after", "multi_turn", "medium", _NO_LINKS, _with_links, partial(_object, pronouns=True),
         ("entity",), _PRONOUNS, answers=True, share=1),
    Kind("neighbours_after_name", "multi_turn", "medium", _NO_LINKS, _with_links, partial(_object, pronouns=False),
         ("entity",), _TALK, answers=True, share=1),
    Kind("freshness_after", "multi_turn", "medium", _NO_FRESH, _with_fresh, _fresh, ("entity", "key"), _PRONOUNS,
         answers=True, share=1),
    Kind("recap", "multi_turn", "medium", "no two described entities are of one type", _pairs, _recap,
         ("entity", "other"), _TALK, answers=True, share=1),
    Kind("kept_date", "multi_turn", "hard", "the graph has no two changes with a day between them", _then_and_now,
         _kept_date, ("type", "day", "entity"), _TALK | {"temporal"}, answers=True, share=1),
    Kind("object_walk", "object", "hard", _NO_LINKS, _owned, partial(_walk, pronouns=True),
         ("entity", "relation", "way"), _PRONOUNS | _FIRST, answers=True, share=1),
    Kind("object_walk_name", "object", "hard", _NO_LINKS, _owned, partial(_walk, pronouns=False),
         ("entity", "relation", "way"), _TALK | _FIRST, answers=True, share=1),
    Kind("attribute_walk", "attribute", "medium", _NO_VALUES, _valued, partial(_attribute, pronouns=True),
         ("entity", "key"), _PRONOUNS | _FIRST, answers=True, share=1),
    Kind("attribute_walk_name", "attribute", "medium", _NO_VALUES, _valued, partial(_attribute, pronouns=False),
         ("entity", "key"), _TALK | _FIRST, answers=True, share=1),
)  # fmt: skip
