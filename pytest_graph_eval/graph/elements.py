"""What a knowledge graph is made of: entities, relationships, chunks of text, and the documents they come from.

Values only. The readers in `reading` make a `Part` of each file; `catalog` merges them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from pytest_graph_eval.graph.validity import Validity

SEPARATOR = "<SEP>"
"""What graph stores of the LightRAG family put between the items of a joined text field."""

_TYPE = re.compile(r"[A-Z][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class Entity:
    """A node. `name` is unique in a graph, `label` is what people call it: several entities may share one.

    `sources` are ids of chunks, `aliases` other names that the source itself declares. `caveat` says how far the
    source itself trusts what it says. The valid times are those of `validity`: a day, an instant, or None for open.
    `iri` is its identifier in a graph of RDF.
    """

    name: str
    type: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    attributes: Mapping[str, str | int | float | bool] = field(default_factory=dict, hash=False)
    label: str = ""
    caveat: str = ""
    valid_from: str | None = None
    valid_to: str | None = None
    iri: str = ""

    def __post_init__(self) -> None:
        """Call it by its name where the source has no other word for it."""
        if not self.label:
            object.__setattr__(self, "label", self.name)

    @property
    def validity(self) -> Validity:
        """When it holds."""
        return Validity(self.valid_from, self.valid_to)


@dataclass(frozen=True, slots=True)
class Relationship:
    """An edge. `type` is its relation word where it has one; `keywords` keeps all words as they were written.

    `directed` is False where the store forgets which end is the source (LightRAG's GraphML, preciso's server).
    """

    source: str
    target: str
    type: str = ""
    description: str = ""
    keywords: str = ""
    sources: tuple[str, ...] = ()
    weight: float = 1.0
    directed: bool = True
    valid_from: str | None = None
    valid_to: str | None = None

    @property
    def validity(self) -> Validity:
        """When it holds."""
        return Validity(self.valid_from, self.valid_to)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document's text; `order` is its place in the document."""

    id: str
    content: str
    order: int = 0
    document: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A source text; `file` is its name as the graph's files give it."""

    id: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """What one file contributes to a graph. `file` is its name in messages.

    `ordered` tells that an edge and its reverse are two statements, as in RDF; else they are one relationship.
    """

    file: str
    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    documents: tuple[Document, ...] = ()
    ordered: bool = False


@lru_cache(maxsize=10_000)
def relation_type(keywords: str) -> str:
    """Return the first upper-case item of a comma list (`EMPLOYS` of `EMPLOYS,role=CEO`), else an empty text."""
    return next((word for word in map(str.strip, keywords.split(",")) if _TYPE.fullmatch(word)), "")
