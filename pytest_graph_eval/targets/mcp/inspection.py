"""Reads what the graph behind an MCP server holds, by the tool that lists it.

The counts in the server's status tell whether the list is whole: a part of a graph must not pass for all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pytest_graph_eval.errors import PreflightError, ReplyError
from pytest_graph_eval.graph.elements import Chunk, Document, Entity, Part, Relationship
from pytest_graph_eval.graph.reading.properties import entity_of, relationship_of
from pytest_graph_eval.models.settings import CatalogSpec, McpTarget, ToolCallSpec
from pytest_graph_eval.targets.mcp.server import McpServer
from pytest_graph_eval.targets.reply.items import FIELDS
from pytest_graph_eval.targets.reply.mapping import check_map
from pytest_graph_eval.targets.reply.paths import ABSENT, PathError, described, find
from pytest_graph_eval.targets.reply.presets import catalog_spec
from pytest_graph_eval.targets.templates import render

_CHUNK_FIELDS = {**FIELDS["chunk_fields"], "document": "document_id|full_doc_id|document", "file": "file_path"}


async def inspect(server: McpServer, spec: McpTarget) -> Part:
    """Return what an open server's graph holds; its settings or its preset say which tool lists it.

    Raises:
        TargetError: no tool is named, it does not answer, its reply cannot be read, or it lists a part only.
    """
    call = catalog_spec(spec)
    if call is None:
        raise PreflightError(
            f"target {server.name}: nothing says which tool lists its graph; name it: `catalog: {{tool: NAME, "
            f"response: {{entities: PATH, relationships: PATH}}}}`"
        )
    if problems := check_map(call.response):
        raise PreflightError("\n".join(f"target {server.name}: catalog.{problem}" for problem in problems))
    reply = await server.call(call.tool, call.arguments)
    try:
        entities, edges = _read(reply, call)
    except PathError as e:
        raise ReplyError(f"the reply of {call.tool} cannot be read: {e}") from None
    status = await server.status()
    for what, listed, total in (
        ("entities", len(entities), status.entities),
        ("relationships", len(edges), status.relationships),
    ):
        if total is not None and listed < total:
            raise ReplyError(
                f"{call.tool} lists {listed} of {total} {what}; the rest cannot be seen this way: give the files of "
                f"the graph instead"
            )
    chunks, documents = await _chunks(server, call, reply, (*entities, *edges))
    return Part(server.name, entities, edges, chunks, documents)


def _read(reply: Any, call: CatalogSpec) -> tuple[tuple[Entity, ...], tuple[Relationship, ...]]:
    """Read entities and relationships; ends that are not listed are entities of which nothing else is known."""
    rules = call.response
    entities: dict[str, Entity] = {}
    names = {**FIELDS["entity_fields"], **rules.entity_fields}
    ends_of = {**FIELDS["relationship_fields"], "type": "type|relationType", **rules.relationship_fields}
    for where, item in _items(reply, "entities", rules.entities):
        data = _renamed({"name": item} if isinstance(item, str) else item, names, where)
        entity, messages = entity_of(_text(data, "name", where), data)
        _refuse(where, messages)
        entities[entity.name] = entity
    edges = []
    for where, item in _items(reply, "relationships", rules.relationships):
        data = _renamed(item, ends_of, where)
        ends = _text(data, "source", where), _text(data, "target", where)
        edge, messages = relationship_of(*ends, data, directed=call.directed)
        _refuse(where, messages)
        edges.append(edge)
        for end in (edge.source, edge.target):
            entities.setdefault(end, Entity(end))
    return tuple(entities.values()), tuple(edges)


def _refuse(where: str, messages: Iterable[str]) -> None:
    if told := [f"{where}{message}" for message in messages]:
        raise PathError("; ".join(told))


def _items(reply: Any, name: str, path: str | None) -> Iterator[tuple[str, Any]]:
    """Yield the items of a list with where they stand."""
    found = find(reply, path) if path else []
    if not isinstance(found, list):
        raise PathError(f"{name} ({path}) is {described(found)}; a list is expected")
    yield from ((f"{name}[{number}]", item) for number, item in enumerate(found))


def _renamed(item: Any, paths: Mapping[str, str], where: str) -> dict[str, Any]:
    """Return an item with the values of its mapped fields under their own names."""
    if not isinstance(item, Mapping):
        raise PathError(f"{where} is {described(item)}; an object is expected")
    found = {name: find(item, path) for name, path in paths.items()}
    return {**item, **{name: value for name, value in found.items() if value is not ABSENT and value is not None}}


def _text(data: Mapping[str, Any], name: str, where: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value.strip():
        raise PathError(f"{where}.{name} is {described(value)}; a text is expected")
    return value


async def _chunks(
    server: McpServer, call: CatalogSpec, reply: Any, items: Iterable[Entity | Relationship]
) -> tuple[tuple[Chunk, ...], tuple[Document, ...]]:
    """Return the chunks that the reply lists, or those that the items name, one call each."""
    try:
        found = [item for _, item in _items(reply, "chunks", call.response.chunks)]
        if call.evidence is not None:
            ids = sorted({id_ for item in items for id_ in item.sources})
            found += [await _evidence(server, call.evidence, id_) for id_ in ids]
        paths = {**_CHUNK_FIELDS, **call.response.chunk_fields}
        data = [_renamed(item, paths, f"chunks[{number}]") for number, item in enumerate(found)]
        chunks = [_chunk(item, number) for number, item in enumerate(data)]
    except PathError as e:
        raise ReplyError(f"the chunks of {server.name} cannot be read: {e}") from None
    files = {str(item["document"]): str(item.get("file") or "") for item in data if item.get("document")}
    return tuple(chunks), tuple(Document(id_, file) for id_, file in files.items())


async def _evidence(server: McpServer, call: ToolCallSpec, chunk_id: str) -> Any:
    return await server.call(call.tool, render(call.arguments, {"chunk_id": chunk_id}))


def _chunk(data: Mapping[str, Any], number: int) -> Chunk:
    where = f"chunks[{number}]"
    return Chunk(_text(data, "id", where), _text(data, "content", where), number, str(data.get("document") or ""))
