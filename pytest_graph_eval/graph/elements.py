"""What a knowledge graph is made of: entities, relationships, chunks of text, and the documents they come from.

Values only. The readers (`extraction`, `graphml`) make a `Part` of each file; `catalog` merges parts to one graph.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

__all__ = ["SEPARATOR", "Chunk", "Document", "Entity", "Part", "Relationship", "relation_type"]

SEPARATOR = "<SEP>"
"""What graph stores of the LightRAG family put between the items of a joined text field."""

_TYPE = re.compile(r"[A-Z][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class Entity:
    """A node. `sources` are ids of chunks, `aliases` other names that the source itself declares."""

    name: str
    type: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    attributes: Mapping[str, str | int | float | bool] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Relationship:
    """An edge. `type` is its relation word where it has one; `keywords` keeps all words as they were written."""

    source: str
    target: str
    type: str = ""
    description: str = ""
    keywords: str = ""
    sources: tuple[str, ...] = ()
    weight: float = 1.0


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
    """What one file contributes to a graph. `file` is its name in messages."""

    file: str
    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    documents: tuple[Document, ...] = ()


@lru_cache(maxsize=10_000)
def relation_type(keywords: str) -> str:
    """Return the first upper-case item of a comma list (`EMPLOYS` of `EMPLOYS,role=CEO`), else an empty text."""
    return next((word for word in map(str.strip, keywords.split(",")) if _TYPE.fullmatch(word)), "")
