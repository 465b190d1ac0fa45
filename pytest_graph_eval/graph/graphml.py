"""Reads GraphML exports of LightRAG, nano-graphrag, preciso-graphrag and Microsoft graphrag.

GraphML holds no text: the chunks are read from `kv_store_text_chunks.json`, which LightRAG and nano-graphrag write
beside it, where that file is there. Needs the extra `graphml` (networkx).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_graph_eval.errors import Problem
from pytest_graph_eval.graph.elements import SEPARATOR, Chunk, Document, Entity, Part, Relationship, relation_type

__all__ = ["CHUNK_STORE", "read_graphml"]

CHUNK_STORE = "kv_store_text_chunks.json"
_TYPE_KEYS = ("entity_type", "type", "label")
_BOOKKEEPING = frozenset(
    {*_TYPE_KEYS, "entity_id", "description", "source_id", "file_path", "created_at", "truncate", "aliases", "id"}
)


def read_graphml(path: Path, name: str) -> tuple[Part, list[Problem]]:
    """Read one file.

    Args:
        path: where it is.
        name: what messages call it.

    Returns:
        What the file contributes, and everything that is wrong with it; the part counts only when nothing is.
    """
    try:
        import networkx
    except ImportError:
        message = "GraphML needs networkx, which is not installed; pip install 'pytest-graph-eval[graphml]'"
        return Part(name), [Problem(name, 0, 0, message, "missing_extra")]
    if not path.is_file():
        return Part(name), [Problem(name, 0, 0, "no such file; expected a GraphML file", "missing_file")]
    try:
        graph = networkx.read_graphml(path)
    except Exception as e:  # networkx lets out KeyError, ParseError, ValueError and its own errors
        return Part(name), [Problem(name, 0, 0, f"not readable as GraphML: {type(e).__name__}: {e}", "not_graphml")]
    chunks, problems = _read_chunks(path.with_name(CHUNK_STORE), name)
    entities = tuple(_entity(str(node), data) for node, data in graph.nodes(data=True))
    problems += (Problem(name, 0, 0, "a node has an empty id; expected a name") for e in entities if not e.name)
    edges = []
    for source, target, data in graph.edges(data=True):
        edge = replace(_relationship(str(source), str(target), data), directed=graph.is_directed())
        if not math.isfinite(edge.weight):
            message = (
                f"edge {edge.source!r} to {edge.target!r}: weight {data.get('weight')!r}; expected a finite number"
            )
            problems.append(Problem(name, 0, 0, message))
        elif edge.source != edge.target:  # an edge from a node to itself relates no two entities
            edges.append(edge)
    return Part(name, entities, tuple(edges), chunks, tuple(_documents(chunks, graph))), problems


def _name(text: str) -> str:
    """Return a node id as a name: nano-graphrag and early graphrag releases put it in quotes."""
    text = " ".join(text.split())
    return text[1:-1].strip() if len(text) > 2 and text[0] == text[-1] == '"' else text


def _items(text: object) -> tuple[str, ...]:
    """Return the items of a joined text; early graphrag releases join with a comma."""
    joined = str(text or "")
    parts = joined.split(SEPARATOR) if SEPARATOR in joined else joined.split(",")
    return tuple(dict.fromkeys(item.strip() for item in parts if item.strip()))


def _text(data: Mapping[str, Any]) -> str:
    parts = (_name(part.strip()) for part in str(data.get("description") or "").split(SEPARATOR))
    return "\n".join(part for part in parts if part)


def _entity(node: str, data: Mapping[str, Any]) -> Entity:
    kind = next((str(data[key]) for key in _TYPE_KEYS if data.get(key)), "")
    return Entity(
        name=_name(node),
        type=_name(kind),
        description=_text(data),
        aliases=tuple(a for a in str(data.get("aliases") or "").split(SEPARATOR) if a.strip()),
        sources=_items(data.get("source_id")),
        attributes={k: v for k, v in data.items() if k not in _BOOKKEEPING and isinstance(v, str | int | float | bool)},
    )


def _relationship(source: str, target: str, data: Mapping[str, Any]) -> Relationship:
    keywords = str(data.get("keywords") or "")
    return Relationship(
        source=_name(source),
        target=_name(target),
        type=relation_type(keywords) or str(data.get("type") or data.get("relation") or ""),
        description=_text(data),
        keywords=keywords,
        sources=_items(data.get("source_id")),
        weight=_number(data.get("weight", 1.0)),
    )


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return math.nan


def _read_chunks(path: Path, name: str) -> tuple[tuple[Chunk, ...], list[Problem]]:
    """Read the chunk store beside the graph; its absence is no fault, an unreadable one is."""
    if not path.is_file():
        return (), []
    where = f"{Path(name).with_name(path.name)}"
    try:
        data = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (ValueError, RecursionError, OSError) as e:
        return (), [Problem(where, 0, 0, f"not readable as JSON: {e}", "not_json")]
    if not isinstance(data, dict):
        return (), [Problem(where, 1, 1, "no object at the top; expected chunk ids with their chunks")]
    chunks, problems = [], []
    for id_, record in data.items():
        if isinstance(record, dict) and isinstance(record.get("content"), str):
            order = record.get("chunk_order_index")
            document = str(record.get("full_doc_id") or record.get("file_path") or "")
            chunks.append(Chunk(id_, record["content"], order if isinstance(order, int) else 0, document))
        else:
            problems.append(Problem(where, 0, 0, f"{id_}: no text under `content`; expected an object with one"))
    return tuple(chunks), problems


def _documents(chunks: tuple[Chunk, ...], graph: Any) -> Iterator[Document]:
    """Yield the documents that the chunks, or else the nodes, name."""
    files = {str(data["file_path"]) for _, data in graph.nodes(data=True) if data.get("file_path")}
    ids = {chunk.document for chunk in chunks if chunk.document}
    yield from (Document(id_) for id_ in sorted(ids) if id_ not in files)
    single = sorted({file.strip() for joined in files for file in joined.split(SEPARATOR) if file.strip()})
    yield from (Document(file, file) for file in single)
