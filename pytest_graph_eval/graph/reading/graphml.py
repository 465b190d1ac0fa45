"""Reads GraphML exports of LightRAG, nano-graphrag, preciso-graphrag and Microsoft graphrag.

GraphML holds no text: the chunks are read from `kv_store_text_chunks.json`, which LightRAG and nano-graphrag write
beside it, where that file is there. Needs the extra `graphml` (networkx).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_graph_eval.errors import Problem
from pytest_graph_eval.graph.elements import SEPARATOR, Chunk, Document, Part
from pytest_graph_eval.graph.reading.properties import entity_of, relationship_of

CHUNK_STORE = "kv_store_text_chunks.json"


def read_graphml(path: Path, name: str) -> tuple[Part, list[Problem]]:
    """Return what a file contributes, and everything that is wrong with it; the part counts only when nothing is."""
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
    entities = []
    for node, data in graph.nodes(data=True):
        entity, messages = entity_of(str(node), data)
        entities.append(entity)
        problems += (Problem(name, 0, 0, f"node {entity.name!r}{message}") for message in messages)
    edges = []
    for source, target, data in graph.edges(data=True):
        edge, messages = relationship_of(str(source), str(target), data, directed=graph.is_directed())
        problems += (Problem(name, 0, 0, f"edge {edge.source!r} to {edge.target!r}{message}") for message in messages)
        if edge.source != edge.target:  # an edge from a node to itself relates no two entities
            edges.append(edge)
    documents = tuple(_documents(chunks, graph))
    return Part(name, tuple(entities), tuple(edges), chunks, documents, graph.is_directed()), problems


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
