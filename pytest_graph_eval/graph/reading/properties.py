"""Makes entities and relationships of property maps, as LightRAG, its relatives and their exports keep them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pytest_graph_eval.graph import validity
from pytest_graph_eval.graph.elements import SEPARATOR, Entity, Relationship, relation_type

_TYPE_KEYS = ("entity_type", "type")
_LABEL_KEYS = ("display_name", "label")
_BOOKKEEPING = validity.KEYS | {
    *_TYPE_KEYS, *_LABEL_KEYS, "entity_id", "entity_name", "name", "description", "source_id", "file_path",
    "created_at", "truncate", "aliases", "caveat", "id",
}  # fmt: skip


def entity_of(name: str, data: Mapping[str, Any]) -> tuple[Entity, list[str]]:
    """Return the entity that a node is, and what is wrong with it.

    Args:
        name: the node's id.
        data: its properties; unknown ones that hold plain values become attributes.

    Returns:
        The entity, and messages that begin with a key.
    """
    times, messages = validity.read(data)
    own = tidy_name(name)
    label = next((str(data[key]) for key in _LABEL_KEYS if data.get(key)), "")
    entity = Entity(
        name=own,
        type=tidy_name(next((str(data[key]) for key in _TYPE_KEYS if data.get(key)), "")),
        description=_text(data),
        aliases=tuple(a for a in _items(data.get("aliases"), SEPARATOR) if a != own),
        sources=_sources(data),
        attributes={k: v for k, v in data.items() if k not in _BOOKKEEPING and isinstance(v, str | int | float | bool)},
        label=tidy_name(label),
        caveat=str(data.get("caveat") or ""),
        valid_from=times.start,
        valid_to=times.end,
    )
    return entity, messages if own else [*messages, ": its id is empty; expected a name"]


def relationship_of(
    source: str, target: str, data: Mapping[str, Any], *, directed: bool
) -> tuple[Relationship, list[str]]:
    """Return the relationship that an edge is, and what is wrong with it; as `entity_of` does."""
    times, messages = validity.read(data)
    keywords = str(data.get("keywords") or "")
    weight = _number(data.get("weight", 1.0))
    if not math.isfinite(weight):
        messages.append(f".weight: found {data.get('weight')!r}; expected a finite number")
    edge = Relationship(
        source=tidy_name(source),
        target=tidy_name(target),
        type=relation_type(keywords) or str(data.get("type") or data.get("relation") or ""),
        description=_text(data),
        keywords=keywords,
        sources=_sources(data),
        weight=weight,
        directed=directed,
        valid_from=times.start,
        valid_to=times.end,
    )
    return edge, messages


def tidy_name(text: str) -> str:
    """Return a node id as a name: nano-graphrag and early graphrag releases put it in quotes."""
    text = " ".join(text.split())
    return text[1:-1].strip() if len(text) > 2 and text[0] == text[-1] == '"' else text


def _items(value: object, separator: str) -> tuple[str, ...]:
    parts = value if isinstance(value, list) else str(value or "").split(separator)
    return tuple(dict.fromkeys(item.strip() for item in map(str, parts) if item.strip()))


def _sources(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the chunk ids behind something; early graphrag releases join them with a comma."""
    joined = data.get("source_id")
    return _items(joined, SEPARATOR if SEPARATOR in str(joined) else ",")


def _text(data: Mapping[str, Any]) -> str:
    return "\n".join(filter(None, map(tidy_name, _items(data.get("description"), SEPARATOR))))


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return math.nan
