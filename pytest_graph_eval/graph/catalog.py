"""The catalog: one immutable snapshot of what a graph holds, merged from any number of files.

The result depends on what the files say and not on the order in which they are named.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from pytest_graph_eval.errors import DataError, Problem, UsageError
from pytest_graph_eval.graph import validity
from pytest_graph_eval.graph.elements import Chunk, Document, Entity, Part, Relationship
from pytest_graph_eval.graph.reading.file_kinds import Files
from pytest_graph_eval.graph.reading.files import read_files


@dataclass(frozen=True, eq=False)  # a snapshot is itself: comparing or hashing 100,000 entities would be a trap
class Catalog:
    """Entities by name, relationships by their ends, chunks in reading order, documents by id."""

    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    documents: tuple[Document, ...] = ()
    parts: tuple[Part, ...] = field(default=(), repr=False)
    """What was merged: only there do several records of one entity keep their own valid times."""

    @classmethod
    def from_files(
        cls,
        extraction: Iterable[str | Path] = (),
        graphml: Iterable[str | Path] = (),
        rdf: Iterable[str | Path] = (),
        *,
        folder: Path | None = None,
    ) -> Catalog:
        """Read and merge files; relative paths belong to `folder`, messages name the paths as given.

        Args:
            extraction: extraction JSON files.
            graphml: GraphML exports; they need the extra `graphml`.
            rdf: Turtle, N-Triples, RDF/XML or JSON-LD, read as one graph; they need the extra `rdf`.
            folder: what relative paths are relative to; default: the working directory.

        Raises:
            DataError: a file is missing, unreadable or invalid; `problems` lists everything that is wrong.
        """
        parts, problems = read_files(Files(extraction=[*extraction], graphml=[*graphml], rdf=[*rdf]), folder)
        return cls._checked(parts, problems)

    @classmethod
    def from_parts(cls, parts: Iterable[Part]) -> Catalog:
        """Merge parts.

        Raises:
            DataError: two parts give one chunk id different texts, or a relationship has an end that is no entity.
        """
        return cls._checked(list(parts), [])

    @classmethod
    def _checked(cls, parts: list[Part], problems: list[Problem]) -> Catalog:
        parts.sort(key=lambda part: ([d.id for d in part.documents], part.file))
        chunks, clashes = _merge_chunks(parts)
        problems = [*problems, *clashes, *_loose_ends(parts)]
        if problems:
            raise DataError(problems=problems)
        merged = _merge_entities(parts), _merge_relationships(parts)
        return cls(*merged, chunks, _merge_documents(parts), tuple(parts))

    @cached_property
    def change_points(self) -> tuple[str, ...]:
        """The valid times at which something begins or ends to hold, in order; empty in a graph without history."""
        holding: tuple[Entity | Relationship, ...] = (*self.entities, *self.relationships)
        times = {time for item in holding for time in (item.valid_from, item.valid_to) if time}
        return tuple(sorted(times, key=lambda time: (validity.begin(time), time)))

    @cached_property
    def first_valid(self) -> str | None:
        """The earliest valid time from which anything holds; None in a graph without history."""
        holding: tuple[Entity | Relationship, ...] = (*self.entities, *self.relationships)
        starts = {item.valid_from for item in holding if item.valid_from}
        return min(starts, key=lambda time: (validity.begin(time), time), default=None)

    def at(self, instant: str) -> Catalog:
        """Return the graph as it was at an instant: what held then, and what has no valid time.

        Relationships need both their ends; chunks that only things of another time rest on are left out, too.

        Args:
            instant: a day (its first instant) or an ISO instant; UTC where it has no zone.

        Raises:
            UsageError: `instant` is neither.
        """
        try:
            moment = validity.instant(instant)
        except ValueError:
            raise UsageError(
                f"{instant!r} is no instant; expected a day (2024-03-01) or an ISO instant (2024-03-01T12:00:00Z)"
            ) from None
        whole = self.parts or (Part("", self.entities, self.relationships, self.chunks, self.documents),)
        return Catalog.from_parts(_parts_at(whole, moment))

    @cached_property
    def entity_numbers(self) -> dict[str, int]:
        """Each entity name's place in `entities`."""
        return {entity.name: number for number, entity in enumerate(self.entities)}

    @cached_property
    def chunk_numbers(self) -> dict[str, int]:
        """Each chunk id's place in `chunks`."""
        return {chunk.id: number for number, chunk in enumerate(self.chunks)}

    def entity(self, name: str) -> Entity | None:
        """Return the entity of that exact name."""
        number = self.entity_numbers.get(name)
        return None if number is None else self.entities[number]

    def chunk(self, id: str) -> Chunk | None:  # noqa: A002 - the field's own name
        """Return the chunk with that full id."""
        number = self.chunk_numbers.get(id)
        return None if number is None else self.chunks[number]

    def names(self) -> tuple[tuple[str, str], ...]:
        """Return all known names with their entity's type: names themselves, then declared aliases; sorted."""
        known = {(entity.name, entity.type) for entity in self.entities}
        known.update((alias, entity.type) for entity in self.entities for alias in entity.aliases)
        return tuple(sorted(known))

    def counts(self) -> dict[str, int]:
        """Return how many entities, relationships, chunks and documents there are."""
        return {
            "entities": len(self.entities),
            "relationships": len(self.relationships),
            "chunks": len(self.chunks),
            "documents": len(self.documents),
        }


def _parts_at(parts: Sequence[Part], moment: datetime) -> list[Part]:
    """Return what parts held at an instant."""
    entities = [tuple(e for e in part.entities if e.validity.holds(moment)) for part in parts]
    names = {entity.name for some in entities for entity in some}
    edges = [
        tuple(r for r in part.relationships if r.source in names and r.target in names and r.validity.holds(moment))
        for part in parts
    ]
    gone = _cited(p.entities for p in parts) | _cited(p.relationships for p in parts)
    gone -= _cited(entities) | _cited(edges)
    found = []
    for part, held, related in zip(parts, entities, edges, strict=True):
        chunks = tuple(chunk for chunk in part.chunks if chunk.id not in gone)
        empty = {chunk.document for chunk in part.chunks} - {chunk.document for chunk in chunks}
        documents = tuple(document for document in part.documents if document.id not in empty)
        found.append(replace(part, entities=held, relationships=related, chunks=chunks, documents=documents))
    return found


def _cited(groups: Iterable[Iterable[Entity | Relationship]]) -> set[str]:
    """Return the ids of the chunks that anything rests on."""
    return {id_ for group in groups for item in group for id_ in item.sources}


def _joined(texts: Iterable[str], separator: str) -> str:
    """Join the distinct non-empty texts in the order of their first appearance."""
    return separator.join(dict.fromkeys(text for text in texts if text))


def _union(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for items in lists for item in items))


def _most_common(values: Iterable[str]) -> str:
    """Return the value named most often; the alphabet decides between equals, so file order does not matter."""
    counts = Counter(value for value in values if value)
    return min(counts, key=lambda value: (-counts[value], value), default="")


def _merge_entities(parts: Iterable[Part]) -> tuple[Entity, ...]:
    same: defaultdict[str, list[Entity]] = defaultdict(list)
    for part in parts:
        for entity in part.entities:
            same[entity.name].append(entity)
    return tuple(_one_entity(same[name]) for name in sorted(same))


def _one_entity(same: list[Entity]) -> Entity:
    if len(same) == 1:
        return same[0]
    attributes: dict[str, str | int | float | bool] = {}
    for entity in reversed(same):
        attributes.update(entity.attributes)
    times = validity.covering(entity.validity for entity in same)
    return Entity(
        name=same[0].name,
        type=_most_common(entity.type for entity in same),
        description=_joined((entity.description for entity in same), "\n"),
        aliases=tuple(sorted(_union(entity.aliases for entity in same))),
        sources=_union(entity.sources for entity in same),
        attributes=attributes,
        label=_most_common(entity.label for entity in same if entity.label != entity.name),
        caveat=_joined((entity.caveat for entity in same), "\n"),
        valid_from=times.start,
        valid_to=times.end,
        iri=min((entity.iri for entity in same if entity.iri), default=""),
    )


def _merge_relationships(parts: Iterable[Part]) -> tuple[Relationship, ...]:
    """Keep one edge per unordered pair, type and valid time; the first one read that has a direction gives it."""
    same: defaultdict[tuple[str | None, ...], list[Relationship]] = defaultdict(list)
    for part in parts:
        for edge in part.relationships:
            source, target = edge.source, edge.target
            ends = (source, target) if part.ordered or source <= target else (target, source)
            same[*ends, edge.type, edge.valid_from, edge.valid_to].append(edge)
    merged = [edges[0] if len(edges) == 1 else _one_relationship(edges) for edges in same.values()]
    return tuple(sorted(merged, key=_edge_order))


def _edge_order(edge: Relationship) -> tuple[str, ...]:
    return edge.source, edge.target, edge.type, edge.valid_from or "", edge.valid_to or ""


def _one_relationship(same: list[Relationship]) -> Relationship:
    words = (word.strip() for edge in same for word in edge.keywords.split(","))
    return replace(
        next((edge for edge in same if edge.directed), same[0]),
        description=_joined((edge.description for edge in same), "\n"),
        keywords=_joined(words, ","),
        sources=_union(edge.sources for edge in same),
        weight=sum(edge.weight for edge in same),
    )


def _merge_chunks(parts: Iterable[Part]) -> tuple[tuple[Chunk, ...], list[Problem]]:
    """Return the chunks in reading order, and a problem for each id that stands for two texts."""
    chunks: dict[str, Chunk] = {}
    origin: dict[str, str] = {}
    clashes = []
    for part in parts:
        for chunk in part.chunks:
            first = chunks.setdefault(chunk.id, chunk)
            file = origin.setdefault(chunk.id, part.file)
            if first.content != chunk.content:
                message = (
                    f"chunk {chunk.id!r} has another content than in {file}; expected one text per chunk id; "
                    f"give the documents different `document_id`s"
                )
                clashes.append(Problem(part.file, 0, 0, message, "duplicate_id"))
    return tuple(sorted(chunks.values(), key=lambda chunk: (chunk.document, chunk.order, chunk.id))), clashes


def _loose_ends(parts: Sequence[Part]) -> list[Problem]:
    """Return a problem for each relationship with an end that no part holds; the readers have checked their own."""
    names = {entity.name for part in parts for entity in part.entities}
    return [
        Problem(
            part.file, 0, 0, f"relationship {edge.source!r} to {edge.target!r}: no entity {end!r}", "unknown_entity"
        )
        for part in parts
        for edge in part.relationships
        for end in (edge.source, edge.target)
        if end not in names
    ]


def _merge_documents(parts: Iterable[Part]) -> tuple[Document, ...]:
    files: defaultdict[str, set[str]] = defaultdict(set)
    for part in parts:
        for document in part.documents:
            files[document.id].add(document.file)
    return tuple(Document(id, min(filter(None, files[id]), default="")) for id in sorted(files))  # noqa: A001 - its name
