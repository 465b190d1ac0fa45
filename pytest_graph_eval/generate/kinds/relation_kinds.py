"""Kinds of scenarios about relations: who has a role, what an entity is related to, chains of two relations."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from pytest_graph_eval.generate.drafts import Ask, Draft, Fact, Spec, Unanswerable
from pytest_graph_eval.generate.figures import read_figure, split_period
from pytest_graph_eval.generate.kinds.figure_kinds import figure_ask
from pytest_graph_eval.generate.kinds.kind import Kind
from pytest_graph_eval.generate.quality import state_gold
from pytest_graph_eval.generate.relations import is_person, phrase, role_of
from pytest_graph_eval.generate.view import Link, View
from pytest_graph_eval.generate.wording import filled, put, words_of

_MOST_LINKS = 2
"""Links of an entity that chains go on by: a graph has far more chains than anybody asks for."""
_OPEN = frozenset(("employ", "employs", "has", "mentions", "includes", "contains", "related to", "related"))
"""Relations of which a graph holds only a few of many: nobody asks for the only one."""
_MOST_NEIGHBOURS = 4
"""What an answer can still name in full."""
_CROWDED = 40
"""Relationships from which on nobody asks who has which role."""

T = TypeVar("T")


def _is_askable(view: View, name: str) -> bool:
    """Tell whether an entity can be asked about by its name, and is no figure."""
    entity = view.entity(name)
    return entity is not None and split_period(entity.label) is None and view.is_plain(name)


def _names(view: View, name: str) -> dict[str, object]:
    """Return the check for an entity's name: as it is written, or as it stands in the graph."""
    shown = view.shown(name)
    entity = view.entity(name)
    own = {name, *(entity.aliases if entity else ())}
    aliases = sorted(alias for alias in own if alias.casefold() != shown.casefold() and alias.isprintable())
    return {"name": shown, **({"aliases": aliases} if aliases else {})}


# --- roles ------------------------------------------------------------------------------------------------------------


def _roles(view: View) -> Iterator[Spec]:
    for edge in view.some_edges:
        for person, owner in ((edge.source, edge.target), (edge.target, edge.source)):
            if is_person(view.type_of(person)) and not is_person(view.type_of(owner)):
                yield {"entity": owner, "person": person, "relation": edge.type}


@dataclass(frozen=True, slots=True)
class _Holder:
    """Who has a role: the only one that the graph knows for an organisation today."""

    name: str
    title: str
    fact: Fact
    link: Link


def _holder(view: View, owner: str, person: str, lang: str) -> _Holder:
    links = list(view.links(owner))
    if len(links) > _CROWDED:
        links = [link for link in links if is_person(view.type_of(link.other))][: _CROWDED + 1]
    if len(links) > _CROWDED:
        raise Unanswerable("too many people are linked to it")
    titles = [(link, role) for link in links if (role := role_of(view, link, lang)) is not None]
    own = [(link, role) for link, role in titles if link.other == person]
    if not own:
        raise Unanswerable("no text says what the person's role is")
    link, role = own[0]
    if not role.current:
        raise Unanswerable("the person no longer has the role")
    words = _title_words(role.title)
    for other, its in titles:
        theirs = _title_words(its.title)
        if other.other != person and its.current and (words <= theirs or theirs <= words):
            raise Unanswerable("several people have the role")
    return _Holder(person, role.title, ("role", owner, person, role.title), link)


def _title_words(title: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", title.casefold())) - {"and", "the", "of", "et", "le", "la", "de"}


def _role(view: View, spec: Spec) -> Draft:
    lang = spec.get("lang", "en")
    holder = _holder(view, spec["entity"], spec["person"], lang)
    if not _is_askable(view, spec["entity"]):
        raise Unanswerable("its name means several entities")
    question = put("role", lang, role=holder.title, owner=view.called(spec["entity"], lang))
    ask = _ask(view, question, holder.name, (holder.link,), (holder.name, spec["entity"]))
    return Draft((ask,), frozenset({holder.link.fact, holder.fact}))


def _ask(view: View, question: str, answer: str, links: Sequence[Link], entities: Sequence[str]) -> Ask:
    """Return a question whose answer is an entity; it stands in a chunk that the last edge comes from."""
    shown = view.shown(answer)
    ask = Ask(question, shown, {"names": [_names(view, answer)]}, tuple(dict.fromkeys(entities)))
    chunks = [
        *(c for link in links[:-1] for c in _sources(view, link)),
        *state_gold(view, ask, _sources(view, links[-1])),
    ]
    return replace(ask, source_chunks=tuple(dict.fromkeys(chunks)))


def _sources(view: View, link: Link) -> tuple[str, ...]:
    """Return the ids of the chunks that an edge comes from, as far as the graph holds them."""
    return tuple(chunk.id for chunk in view.chunks(link.edge.sources))


# --- one relation -----------------------------------------------------------------------------------------------------


def _relations(view: View) -> Iterator[Spec]:
    for edge in view.some_edges:
        if edge.type:
            ways = ("out", "in") if edge.directed else ("both", "both")
            for name, way in zip((edge.source, edge.target), ways, strict=True):
                yield {"entity": name, "relation": edge.type, "way": way}


def _only(view: View, name: str, relation: str, way: str, lang: str) -> tuple[Link, str, str]:
    """Return the only link of a relation, with the question for its other end and what that is called, for `{x}`."""
    links = view.linked(name, relation, way)
    if way != "in" and words_of(relation) in _OPEN:
        raise Unanswerable("the relation has more targets than a graph holds")
    if not links:
        raise Unanswerable("there is no such relationship")
    if len({link.other for link in links}) > 1:
        raise Unanswerable("the relation has several targets")
    said = phrase(view, links[0], lang)
    if said.blind and len({link.other for link in view.links(name) if link.relation == relation}) > 1:
        raise Unanswerable("the relation has several targets")
    return links[0], said.question, said.noun


def relate(view: View, spec: Spec) -> Draft:
    """Ask for the other end of the only link of a relation."""
    name = spec["entity"]
    lang = spec.get("lang", "en")
    link, question, _ = _only(view, name, spec["relation"], spec["way"], lang)
    if not (_is_askable(view, name) and _is_askable(view, link.other)):
        raise Unanswerable("a name in it means several entities, or is that of a figure")
    ask = _ask(view, filled(question, lang, view.called(name, lang)), link.other, (link,), (link.other, name))
    return Draft((ask,), frozenset({link.fact}))


def _untyped(view: View) -> Iterator[Spec]:
    for edge in view.some_edges:
        if not edge.type and edge.description:
            first, second = sorted((edge.source, edge.target))
            yield {"entity": first, "other": second}


def _between(view: View, spec: Spec) -> Draft:
    first, second = spec["entity"], spec["other"]
    links = [link for link in view.links(first) if link.other == second]
    if len(links) != 1 or not links[0].edge.description:
        raise Unanswerable("there is not one described relationship between the two")
    if not (_is_askable(view, first) and _is_askable(view, second)):
        raise Unanswerable("a name in it means several entities, or is that of a figure")
    gold = links[0].edge.description.split("\n", 1)[0].strip()
    lang = spec.get("lang", "en")
    question = put("between", lang, owner=view.called(first, lang), other=view.called(second, lang))
    ask = Ask(question, gold, {}, (first, second))
    ask = replace(ask, source_chunks=state_gold(view, ask, _sources(view, links[0])))
    return Draft((ask,), frozenset({links[0].fact, ("says", first, second, gold)}))


# --- chains -----------------------------------------------------------------------------------------------------------


def _some(items: Sequence[T], name: str) -> Sequence[T]:
    """Return a few of the items, others for other names, always the same ones for a name."""
    start = zlib.crc32(name.encode("utf-8", "surrogatepass")) % len(items) if items else 0
    return [*items[start:], *items[:start]][:_MOST_LINKS]


def _chains(view: View) -> Iterator[Spec]:
    for entity in view.some_entities:
        if split_period(entity.label) is not None:
            continue
        first = [link for link in view.single(entity.name) if split_period(link.other) is None]
        for link in _some(first, entity.name):
            onward = [n for n in view.single(link.other) if n.other != entity.name and n.edge is not link.edge]
            for then in _some(onward, entity.name):
                yield {"entity": entity.name, "relation": link.relation, "way": link.way, "then": then.relation,
                       "then_way": then.way}  # fmt: skip


def _chain(view: View, spec: Spec) -> Draft:
    """Ask for what an entity is related to, which is itself only named by its relation to another one."""
    lang, name = spec.get("lang", "en"), spec["entity"]
    link, _, noun = _only(view, name, spec["relation"], spec["way"], lang)
    then, question, _ = _only(view, link.other, spec["then"], spec["then_way"], lang)
    called = _called(view, name, link, noun, lang)
    if then.other == name:
        raise Unanswerable("the chain leads back")
    if split_period(then.other) is not None:
        figure = read_figure(view, then.other)
        ask = figure_ask(view, figure, lang, called)
        facts = figure.facts | {link.fact, then.fact}
        entities = (name, link.other, then.other)
        return Draft((replace(ask, source_entities=entities),), facts)
    if not _is_askable(view, then.other):
        raise Unanswerable("the name of its answer means several entities")
    used = {link.fact, then.fact}
    question = filled(question, lang, called)
    ask = _ask(view, question, then.other, (link, then), (name, link.other, then.other))
    return Draft((ask,), frozenset(used))


def _called(view: View, name: str, link: Link, noun: str, lang: str) -> str:
    """Return what a chain calls the entity in its middle: by its relation to the one that is named."""
    if not _is_askable(view, name):
        raise Unanswerable("its name means several entities, or is that of a figure")
    if split_period(link.other) is not None:
        raise Unanswerable("a figure is in the middle of the chain")
    return filled(noun, lang, view.called(name, lang))


def _role_chains(view: View) -> Iterator[Spec]:
    for edge in view.some_edges:
        for person, owner in ((edge.source, edge.target), (edge.target, edge.source)):
            if is_person(view.type_of(person)) and not is_person(view.type_of(owner)):
                near = [link for link in view.single_into(owner) if link.other != person]
                for link in _some(near, person):
                    yield {"entity": link.other, "relation": link.relation, "way": _BACK[link.way], "person": person}


_BACK = {"out": "in", "in": "out", "both": "both"}


def _role_chain(view: View, spec: Spec) -> Draft:
    lang, name = spec.get("lang", "en"), spec["entity"]
    link, _, noun = _only(view, name, spec["relation"], spec["way"], lang)
    holder = _holder(view, link.other, spec["person"], lang)
    if holder.name == name or not _is_askable(view, holder.name):
        raise Unanswerable("the chain leads back")
    question = put("role", lang, role=holder.title, owner=_called(view, name, link, noun, lang))
    ask = _ask(view, question, holder.name, (link, holder.link), (name, link.other, holder.name))
    return Draft((ask,), frozenset({link.fact, holder.link.fact, holder.fact}))


# --- neighbours -------------------------------------------------------------------------------------------------------


def _with_neighbours(view: View, *, hops: int) -> Iterator[Spec]:
    for entity in view.some_entities:
        near = sum(1 for _ in view.links(entity.name))
        if split_period(entity.label) is None and 2 - (hops > 1) <= near <= _MOST_NEIGHBOURS:
            yield {"entity": entity.name}


def neighbours(view: View, spec: Spec, *, hops: int) -> Draft:
    """Ask for all entities that are so many edges away."""
    name, lang = spec["entity"], spec.get("lang", "en")
    if not _is_askable(view, name):
        raise Unanswerable("its name means several entities, or is that of a figure")
    seen, ring, used = {name}, [name], set[Fact]()
    sources: list[str] = []
    for _ in range(hops):
        links = [link for at in ring for link in view.links(at) if link.other not in seen]
        ring = sorted({link.other for link in links})
        seen.update(ring)
        used.update(link.fact for link in links)
        sources += [c for link in links for c in _sources(view, link)]
        if not 0 < len(ring) <= _MOST_NEIGHBOURS:
            raise Unanswerable("it has no, or too many, neighbours")
    if not all(view.is_plain(other) for other in ring):
        raise Unanswerable("the name of a neighbour means several entities")
    question = put("neighbours" if hops == 1 else "two_hops", lang, owner=view.called(name, lang))
    gold = ", ".join(view.shown(other) for other in ring)
    ask = Ask(question, gold, {"names": [_names(view, other) for other in ring]}, (name, *ring),
              tuple(dict.fromkeys(sources)))  # fmt: skip
    # A list is right in any order; its wording is not.
    return Draft((ask,), frozenset(used), settings={"metrics": ["facts"]} if len(ring) > 1 else {})


_PERSONS = "no person is linked to anything but people"
KINDS = (
    Kind("role", "entity_relationship", "easy", _PERSONS, _roles, _role, ("entity", "person"), share=2),
    Kind("relation", "entity_relationship", "easy", "no relationship has a type", _relations, relate,
         ("entity", "relation", "way"), share=1),
    Kind("between", "entity_relationship", "easy", "no relationship without a type has a description", _untyped,
         _between, ("entity", "other"), share=0),
    Kind("role_chain", "multi_hop", "hard", "nobody's organisation is linked to anything else", _role_chains,
         _role_chain, ("entity", "relation", "way", "person")),
    Kind("chain", "multi_hop", "hard", "no two relations, each the only one of its kind, follow one another", _chains,
         _chain, ("entity", "relation", "way", "then", "then_way")),
    Kind("lineage", "lineage", "easy", "no entity has two to four neighbours",
         partial(_with_neighbours, hops=1), partial(neighbours, hops=1), ("entity",), share=1, answers=True),
    Kind("lineage_two_hops", "lineage", "hard", "no entity has one to four neighbours",
         partial(_with_neighbours, hops=2), partial(neighbours, hops=2), ("entity",), share=1, answers=True),
)  # fmt: skip
