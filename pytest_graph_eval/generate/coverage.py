"""How much of a graph a suite asks about: its types of entities and relations, its documents, its categories. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_graph_eval.generate.kinds.table import KINDS, rebuild
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.graph.elements import Chunk
from pytest_graph_eval.models.scenario import Scenario, turns_of

PARTS = ("entity_types", "relation_types", "documents", "categories")
NO_TYPE = "(no type)"


@dataclass(frozen=True, slots=True)
class Part:
    """What of one kind there is, by name: how many of it the graph holds, and how many of them scenarios ask about.

    Of a document these are its chunks; of a category, 1 where the graph can be asked such a question, and the number of
    scenarios.
    """

    held: Mapping[str, int]
    exercised: Mapping[str, int] = field(default_factory=dict)

    @property
    def untouched(self) -> list[str]:
        """The names that no scenario touches, those first of which the graph holds most."""
        return sorted(self.held.keys() - self.exercised.keys(), key=lambda name: (-self.held[name], name))

    @property
    def share(self) -> float | None:
        """The share of names that a scenario touches; None where there is none."""
        return 1 - len(self.untouched) / len(self.held) if self.held else None

    def data(self) -> dict[str, Any]:
        """Return the part as plain data."""
        names = {name: {"held": n, "exercised": self.exercised.get(name, 0)} for name, n in sorted(self.held.items())}
        return {"share": self.share, "total": len(self.held), "exercised": len(self.held) - len(self.untouched),
                "untouched": self.untouched, "by_name": names}  # fmt: skip


def coverage(scenarios: Iterable[Scenario], view: View) -> dict[str, Part]:
    """Return what scenarios exercise of a graph, by the names in `PARTS`.

    An entity is touched by a scenario that names it as a source or expects it; a relationship by one that expects it,
    was made from it, or touches both of its ends; a chunk by one that names it, or names no chunk and touches an entity
    that was read from it.
    """
    scenarios = list(scenarios)
    asked = [_Asked.of(scenario, view) for scenario in scenarios]
    catalog = view.catalog
    chunks = Counter(chunk.document for chunk in catalog.chunks)
    documents = {document.id: chunks[document.id] for document in catalog.documents}
    touched = {name for one in asked for name in one.entities}
    edges = {edge for one in asked for edge in one.edges}
    read = {id_ for one in asked for id_ in one.chunks}
    possible = {kind.category: 1 for kind in KINDS.values() if next(iter(kind.specs(view)), None) is not None}
    categories = Counter(scenario.category for scenario in scenarios if scenario.category)
    return {
        "entity_types": _part((e.type, e.name in touched) for e in catalog.entities),
        "relation_types": _part((r.type, (r.source, r.type, r.target) in edges) for r in catalog.relationships),
        "documents": Part(documents | chunks, Counter(c.document for c in catalog.chunks if c.id in read)),
        "categories": Part(dict.fromkeys(categories, 1) | possible, categories),
    }


def _part(found: Iterable[tuple[str, bool]]) -> Part:
    held: Counter[str] = Counter()
    exercised: Counter[str] = Counter()
    for name, is_touched in found:
        held[name or NO_TYPE] += 1
        exercised[name or NO_TYPE] += is_touched
    return Part(held, +exercised)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a scenario touches: entities by name, edges by ends and type, chunks by id."""

    entities: frozenset[str]
    edges: frozenset[tuple[str, str, str]]
    chunks: frozenset[str]

    @classmethod
    def of(cls, scenario: Scenario, view: View) -> _Asked:
        made = _edges_made_from(scenario, view)
        entities = {name for turn in turns_of(scenario) for name in _named(turn, view)}
        entities |= {name for source, _, target in made for name in (source, target)}
        near = [link.edge for name in entities for link in view.links(name) if link.other in entities]
        between = {(edge.source, edge.type, edge.target) for edge in near}
        chunks = {chunk.id for turn in turns_of(scenario) for chunk in _chunks(turn.source_chunks, view)}
        if not chunks:
            found = (view.entity(name) for name in entities)
            chunks = {chunk.id for entity in found if entity for chunk in view.chunks(entity.sources)}
        return cls(frozenset(entities), frozenset(made | between), frozenset(chunks))


def _named(turn: Scenario, view: View) -> Iterator[str]:
    """Yield the entities that a question names: by their own name, else by what the name can only mean."""
    expect = turn.expect
    checks = [n for group in (expect.names or (), expect.order or (), expect.choice or ()) for n in group]
    names = [*turn.source_entities, *(expect.entities or ()), *(n.name for n in checks)]
    names += [end for edge in expect.relationships or () for end in (edge.source, edge.target)]
    for name in names:
        meant: Sequence[str] = [name] if view.entity(name) else view.meanings(name)
        yield from meant if len(meant) == 1 else ()


def _edges_made_from(scenario: Scenario, view: View) -> set[tuple[str, str, str]]:
    """Return the edges among the facts that a generated scenario rests on, where the graph still answers it."""
    try:
        draft = rebuild(view, scenario.fact_spec)
    except KeyError:  # no recipe, or of another project
        return set()
    edges = [fact[1:4] for fact in draft.used if fact[0] == "edge" and len(fact) > 3] if draft else []
    return {(s, r, t) for a, r, b in edges for s, t in ((a, b), (b, a))}  # a graph may have forgotten the direction


def _chunks(ids: Iterable[str], view: View) -> list[Chunk]:
    """Return chunks by their ids, or by the part of it behind the document."""
    wanted = list(ids)
    found = view.chunks(wanted)
    if not found and wanted:
        found = [chunk for chunk in view.catalog.chunks if chunk.id.rpartition("::")[2] in wanted]
    return found
