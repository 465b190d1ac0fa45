"""A catalog as questions see it: entities by type, edges by their ends, and names as people write them.

Indices over names and edges are made once; what needs the texts of an entity is read when it is first asked for, so
that a question costs the same in a graph of 100,000 entities.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from pytest_graph_eval.graph.catalog import Catalog, Chunk, Entity, Relationship
from pytest_graph_eval.metrics.facts import Text, normalise
from pytest_graph_eval.metrics.facts.names import find, key_of

__all__ = ["LONGEST_NAME", "View"]

LONGEST_NAME = 120
"""Characters of a name that a person would still type into a question."""


class View:
    """One catalog and everything about it that kinds of scenarios ask for. Names are those of the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        """Take a snapshot; it is never changed."""
        self.catalog = catalog
        self._shown: dict[str, str] = {}
        self._texts: dict[str, Text] = {}

    # --- entities

    def entity(self, name: str) -> Entity | None:
        """Return the entity of that exact name."""
        return self.catalog.entity(name)

    @cached_property
    def by_type(self) -> Mapping[str, Sequence[Entity]]:
        """The entities of each type, by name; an entity without a type is under the empty text."""
        found: defaultdict[str, list[Entity]] = defaultdict(list)
        for entity in self.catalog.entities:
            found[entity.type].append(entity)
        return dict(sorted(found.items()))

    @cached_property
    def by_key(self) -> Mapping[tuple[str, ...], Sequence[str]]:
        """The entities that each name can mean, whatever its case, article and legal form; aliases and labels too."""
        found: defaultdict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
        for entity in self.catalog.entities:
            for name in (entity.name, *entity.aliases):
                if key := key_of(name):
                    found[key][entity.name] = None
        return {key: tuple(names) for key, names in found.items()}

    def meanings(self, text: str) -> Sequence[str]:
        """Return the names of all entities that a name can mean."""
        return self.by_key.get(key_of(text), ())

    def is_plain(self, name: str) -> bool:
        """Tell whether a name means one entity, and can stand in a question."""
        shown = self.shown(name)
        return 0 < len(shown) <= LONGEST_NAME and shown.isprintable() and self.meanings(shown) == (name,)

    # --- edges

    @cached_property
    def edges(self) -> Mapping[str, Sequence[Relationship]]:
        """All edges of each entity, by their ends and types; an edge stands at both of its ends."""
        found: defaultdict[str, list[Relationship]] = defaultdict(list)
        for edge in self.catalog.relationships:
            found[edge.source].append(edge)
            found[edge.target].append(edge)
        return dict(found)

    def of(self, name: str) -> Sequence[Relationship]:
        """Return the edges of an entity."""
        return self.edges.get(name, ())

    def targets(self, name: str, relation: str) -> list[str]:
        """Return the entities that edges of a type lead to from an entity, in order."""
        return [e.target for e in self.of(name) if e.type == relation and e.source == name]

    def sources(self, name: str, relation: str) -> list[str]:
        """Return the entities from which edges of a type lead to an entity, in order."""
        return [e.source for e in self.of(name) if e.type == relation and e.target == name]

    # --- texts

    def text(self, raw: str) -> Text:
        """Return a text as the facts engine reads it; the same one for the same text."""
        if raw not in self._texts:
            if len(self._texts) > 5_000:
                self._texts.clear()
            self._texts[raw] = normalise(raw)
        return self._texts[raw]

    def chunks(self, sources: Iterable[str]) -> list[Chunk]:
        """Return the chunks with these ids that the graph holds, each once."""
        found = (self.catalog.chunk(source) for source in dict.fromkeys(sources))
        return [chunk for chunk in found if chunk is not None]

    def shown(self, name: str) -> str:
        """Return a name as a person would write it.

        Extractors shout (`DOUG McMILLON`): then it is written as the entity's description or chunks write it, else as
        it is; a legal form is left out where the rest still means this entity alone.
        """
        if name not in self._shown:
            self._shown[name] = self._short(name, self._as_written(name))
        return self._shown[name]

    def _as_written(self, name: str) -> str:
        plain = " ".join(name.split())
        entity = self.entity(name)
        if entity is None or sum(map(str.isupper, plain)) <= sum(map(str.islower, plain)):
            return plain
        texts = [entity.description, *(chunk.content for chunk in self.chunks(entity.sources))]
        return next((written for raw in texts if (written := self.written(plain, raw))), plain)

    def written(self, name: str, raw: str) -> str:
        """Return a name as a text writes it, empty where it does not; a mention inside a clause comes first."""
        text = self.text(raw)
        mentions = [text.plain[m.start : m.end] for m in find(text, name)]
        full = [m for m in mentions if len(m.split()) == len(name.split())] or mentions
        return next((m for m in full if m[:1].islower()), full[0] if full else "")

    def _short(self, name: str, written: str) -> str:
        words = written.split()
        for size in range(1, len(words)):
            short = " ".join(words[:size]).rstrip(",")
            if key_of(short) == key_of(written) and self.meanings(short) == (name,):
                return short
        return written
