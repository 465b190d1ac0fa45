from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import TargetError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import Part
from pytest_graph_eval.models.settings import McpTarget
from pytest_graph_eval.targets.base import Surroundings, TargetStatus
from pytest_graph_eval.targets.mcp.inspection import inspect
from pytest_graph_eval.targets.mcp.server import McpServer

NODES = [
    {"id": "ADA", "entity_type": "PERSON", "description": "A.<SEP>B.", "source_id": "d::c1<SEP>d::c2", "created_at": 3},
    {
        "id": "ENGINE",
        "entity_type": "MACHINE",
        "description": "Brass.",
        "source_id": "d::c1",
        "display_name": "The Engine",
    },
]
EDGES = [{"source": "ENGINE", "target": "ADA", "keywords": "DESCRIBED,in=notes", "source_id": "d::c1", "weight": 2}]
MEMORY = {
    "entities": [{"name": "Ada", "entityType": "person", "observations": ["born 1815", "wrote notes"]}],
    "relations": [{"from": "Ada", "to": "Notes", "relationType": "wrote"}],
    "texts": [{"uuid": "t1", "fact": "Ada wrote notes.", "document_id": "d1", "file_path": "d1.md"}],
}
MAPPED = {
    "tool": "read_graph",
    "response": {
        "entities": "entities", "relationships": "relations", "chunks": "texts",
        "entity_fields": {"description": "observations"}, "chunk_fields": {"id": "uuid", "content": "fact"},
    },
}  # fmt: skip


class Listed(McpServer):
    """A server whose replies are given, by tool."""

    replies: Mapping[str, Any]
    counts = TargetStatus()
    called: list[tuple[str, Mapping[str, Any]]]

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        self.called.append((tool, arguments))
        reply = self.replies[tool]
        return reply(arguments) if callable(reply) else reply

    async def status(self) -> TargetStatus:
        return self.counts


def listed(entities: int | None = None, *, replies: Mapping[str, Any], **settings: Any) -> tuple[Part, Listed]:
    spec = McpTarget(command=["server"], **settings)
    server = Listed(spec, Surroundings(Path(), Path()))
    server.replies, server.counts, server.called = replies, TargetStatus(entities), []
    return asyncio.run(inspect(server, spec)), server


def evidence(arguments: Mapping[str, Any]) -> dict[str, Any]:
    id_ = arguments["chunk_id"]
    return {"chunk_id": id_, "content": f"text of {id_}", "document_id": "d", "file_path": "d.md"}


PRECISO = {"manage_graph": {"nodes": NODES, "relationships": EDGES}, "read_evidence": evidence}


def test_the_graph_of_preciso_is_read_with_the_texts_behind_it() -> None:
    part, server = listed(2, replies=PRECISO, preset="preciso")
    catalog = Catalog.from_parts([part])
    ada, engine = catalog.entities
    assert (ada.name, ada.type, ada.description, ada.sources) == ("ADA", "PERSON", "A.\nB.", ("d::c1", "d::c2"))
    assert (engine.label, ada.attributes) == ("The Engine", {})
    (edge,) = catalog.relationships
    assert (edge.type, edge.keywords, edge.weight, edge.directed) == ("DESCRIBED", "DESCRIBED,in=notes", 2.0, False)
    assert [(c.id, c.content, c.document) for c in catalog.chunks] == [
        ("d::c1", "text of d::c1", "d"), ("d::c2", "text of d::c2", "d"),
    ]  # fmt: skip
    assert [document.file for document in catalog.documents] == ["d.md"]
    assert server.called[0] == ("manage_graph", {"action": "inspect"})


def test_any_server_can_be_mapped_and_ends_that_it_does_not_list_are_entities() -> None:
    part, _ = listed(replies={"read_graph": MEMORY}, catalog=MAPPED)
    catalog = Catalog.from_parts([part])
    assert [(e.name, e.type, e.description) for e in catalog.entities] == [
        ("Ada", "person", "born 1815\nwrote notes"), ("Notes", "", ""),
    ]  # fmt: skip
    assert [(e.source, e.type, e.target, e.directed) for e in catalog.relationships] == [
        ("Ada", "wrote", "Notes", True)
    ]
    assert [(c.id, c.content) for c in catalog.chunks] == [("t1", "Ada wrote notes.")]


@pytest.mark.parametrize(
    ("settings", "replies", "message"),
    [
        ({"preset": "preciso"}, PRECISO, "manage_graph lists 2 of 512 entities; the rest cannot be seen this way"),
        ({}, {}, "nothing says which tool lists its graph; name it: `catalog: {tool: NAME, response: {entities: PATH"),
        ({"catalog": MAPPED}, {"read_graph": {"entities": 3}}, "entities (entities) is the number 3; a list is"),
        ({"catalog": MAPPED}, {"read_graph": []}, "the reply of read_graph cannot be read: the reply is a list of 0"),
        ({"catalog": MAPPED}, {"read_graph": MEMORY | {"entities": [{"x": 1}]}}, "entities[0].name is null; a text is"),
        ({"catalog": MAPPED}, {"read_graph": MEMORY | {"relations": ["x"]}}, "relationships[0] is the text 'x'"),
        ({"catalog": MAPPED}, {"read_graph": MEMORY | {"texts": [{"uuid": "t"}]}}, "chunks[0].content is null"),
        ({"catalog": {"tool": "t", "response": {"entities": "a..b"}}}, {}, "catalog.response.entities: 'a..b' is"),
        ({"preset": "preciso"}, {"manage_graph": {"nodes": [NODES[0] | {"valid_from": "soon"}], "relationships": []}},
         "entities[0].valid_from: found 'soon'; expected a day"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_or_is_cut_short_is_an_error(
    settings: dict[str, Any], replies: dict[str, Any], message: str
) -> None:
    with pytest.raises(TargetError) as caught:
        listed(512 if replies is PRECISO else None, replies=replies, **settings)
    assert message in str(caught.value)
