from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import networkx
import pytest

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.reading.graphml import CHUNK_STORE


def export(folder: Path, graph: networkx.Graph, chunks: Any = None) -> Path:
    path = folder / "graph.graphml"
    networkx.write_graphml(graph, path)
    if chunks is not None:
        (folder / CHUNK_STORE).write_text(chunks if isinstance(chunks, str) else json.dumps(chunks), "utf-8")
    return path


def lightrag() -> networkx.Graph:
    """The attributes that LightRAG 1.5 and preciso-graphrag write."""
    graph = networkx.Graph()
    graph.add_node(
        "Ada Byron", entity_id="Ada Byron", entity_type="person", description="A mathematician.<SEP>A countess.",
        source_id="chunk-1<SEP>chunk-2", file_path="notes.md<SEP>life.md", created_at=1, truncate="",
    )  # fmt: skip
    graph.add_node("Engine", entity_id="Engine", entity_type="machine", description="Brass.", source_id="chunk-1")
    graph.add_edge(
        "Ada Byron", "Engine", weight=2.0, keywords="notes,program", description="She wrote about it.",
        source_id="chunk-1", file_path="notes.md", created_at=1,
    )  # fmt: skip
    return graph


def problems(*paths: Path | str) -> list[str]:
    with pytest.raises(DataError) as caught:
        Catalog.from_files((), paths)
    return [str(problem) for problem in caught.value.problems]


def test_an_export_of_lightrag_is_read(tmp_path: Path) -> None:
    catalog = Catalog.from_files((), [export(tmp_path, lightrag())])
    ada, _ = catalog.entities
    assert (ada.name, ada.type, ada.description) == ("Ada Byron", "person", "A mathematician.\nA countess.")
    assert ada.sources == ("chunk-1", "chunk-2")
    assert ada.attributes == {}
    (edge,) = catalog.relationships
    assert (edge.type, edge.keywords, edge.weight) == ("", "notes,program", 2.0)
    assert edge.sources == ("chunk-1",)
    assert edge.directed is False
    assert [document.file for document in catalog.documents] == ["life.md", "notes.md"]
    assert catalog.chunks == ()


def test_the_chunk_store_beside_the_graph_gives_the_texts(tmp_path: Path) -> None:
    store = {
        "chunk-1": {"content": "Ada wrote the notes.", "full_doc_id": "doc-1", "chunk_order_index": 0, "tokens": 4},
        "chunk-2": {"content": "She was a countess.", "full_doc_id": "doc-1", "chunk_order_index": 1},
    }
    catalog = Catalog.from_files((), [export(tmp_path, lightrag(), store)])
    assert [(c.id, c.content, c.document) for c in catalog.chunks] == [
        ("chunk-1", "Ada wrote the notes.", "doc-1"),
        ("chunk-2", "She was a countess.", "doc-1"),
    ]
    assert [document.id for document in catalog.documents] == ["doc-1", "life.md", "notes.md"]


def test_the_quotes_of_nano_graphrag_are_no_part_of_a_name(tmp_path: Path) -> None:
    graph = networkx.Graph()
    graph.add_node('"ADA BYRON"', entity_type='"PERSON"', description='"A mathematician."', source_id="chunk-1")
    graph.add_node('"ENGINE"', entity_type='"MACHINE"', description='"Brass."', source_id="chunk-1")
    graph.add_edge('"ADA BYRON"', '"ENGINE"', weight=1.0, description='"Wrote about it."', source_id="chunk-1", order=1)
    catalog = Catalog.from_files((), [export(tmp_path, graph)])
    ada = catalog.entities[0]
    assert (ada.name, ada.type, ada.description) == ("ADA BYRON", "PERSON", "A mathematician.")
    assert (catalog.relationships[0].source, catalog.relationships[0].description) == ("ADA BYRON", "Wrote about it.")


def test_an_export_of_microsoft_graphrag_is_read(tmp_path: Path) -> None:
    graph = networkx.Graph()
    graph.add_node("ADA", type="PERSON", description="A mathematician.", source_id="a1,b2", degree=1)
    graph.add_node("ENGINE", type="MACHINE", description="Brass.", source_id="a1", degree=1)
    graph.add_edge("ADA", "ENGINE", weight=3, description="Wrote about it.", source_id="a1", type="DESCRIBED")
    catalog = Catalog.from_files((), [export(tmp_path, graph)])
    assert (catalog.entities[0].type, catalog.entities[0].sources) == ("PERSON", ("a1", "b2"))
    assert catalog.entities[0].attributes == {"degree": 1}
    assert (catalog.relationships[0].type, catalog.relationships[0].weight) == ("DESCRIBED", 3.0)


def test_directed_and_parallel_edges_keep_their_direction_and_are_merged_by_type(tmp_path: Path) -> None:
    graph = networkx.MultiDiGraph()
    graph.add_edge("B", "A", keywords="PART_OF")
    graph.add_edge("B", "A", keywords="PART_OF,since=1990")
    graph.add_edge("A", "A", keywords="SELF")
    graph.add_edge("A", "B", keywords="PART_OF")
    other, edge = Catalog.from_files((), [export(tmp_path, graph)]).relationships
    assert (edge.source, edge.target, edge.keywords, edge.directed) == ("B", "A", "PART_OF,since=1990", True)
    assert (other.source, other.target) == ("A", "B")


def test_labels_and_valid_times_of_a_graph_are_read(tmp_path: Path) -> None:
    graph = lightrag()
    graph.nodes["Ada Byron"].update(display_name="Ada, Countess of Lovelace", valid_from="1815", caveat="")
    graph.edges["Ada Byron", "Engine"].update(valid_at="1843-01-01", invalid_at="1843-12-31")
    catalog = Catalog.from_files((), [export(tmp_path, graph)])
    ada, (edge,) = catalog.entities[0], catalog.relationships
    assert (ada.label, ada.valid_from, ada.attributes) == ("Ada, Countess of Lovelace", "1815-01-01", {})
    assert (edge.valid_from, edge.valid_to) == ("1843-01-01", "1843-12-31")
    graph.nodes["Engine"]["valid_to"] = "soon"
    (problem,) = problems(export(tmp_path, graph))
    assert "node 'Engine'.valid_to: found 'soon'; expected a day" in problem


def test_extraction_and_graphml_make_one_graph(tmp_path: Path) -> None:
    from tests.unit.graph_samples import tiny, write

    catalog = Catalog.from_files([write(tmp_path, "a.json", tiny())], [export(tmp_path, lightrag())])
    assert [entity.name for entity in catalog.entities] == ["Ada Byron", "Analytical Engine", "Engine"]
    assert catalog.entities[0].sources == ("d::c1", "chunk-1", "chunk-2")


def test_a_missing_file_and_a_foreign_file_are_named(tmp_path: Path) -> None:
    foreign = tmp_path / "x.graphml"
    foreign.write_text("<html>", "utf-8")
    missing, broken = problems(tmp_path / "a.graphml", foreign)
    assert missing.endswith("a.graphml: no such file; expected a GraphML file")
    assert "x.graphml: not readable as GraphML: " in broken


def test_a_weight_that_is_no_number_is_refused(tmp_path: Path) -> None:
    graph = lightrag()
    graph.edges["Ada Byron", "Engine"]["weight"] = "heavy"
    (problem,) = problems(export(tmp_path, graph))
    assert problem.endswith("edge 'Ada Byron' to 'Engine'.weight: found 'heavy'; expected a finite number")


def test_a_node_without_a_name_is_refused(tmp_path: Path) -> None:
    graph = networkx.Graph()
    graph.add_node(" ")
    (problem,) = problems(export(tmp_path, graph))
    assert problem.endswith("node '': its id is empty; expected a name")


@pytest.mark.parametrize(
    ("store", "message"),
    [
        ("{", "not readable as JSON"),
        ([], "no object at the top; expected chunk ids with their chunks"),
        ({"c1": {"content": 3}}, "c1: no text under `content`; expected an object with one"),
        ({"c1": "text"}, "c1: no text under `content`"),
    ],
)
def test_an_unreadable_chunk_store_is_refused_not_ignored(tmp_path: Path, store: Any, message: str) -> None:
    (problem,) = problems(export(tmp_path, lightrag(), store))
    assert f"{CHUNK_STORE}: {message}" in problem or f"{CHUNK_STORE}:1:1: {message}" in problem


def test_without_networkx_the_message_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = export(tmp_path, lightrag())
    monkeypatch.setitem(sys.modules, "networkx", None)
    (problem,) = problems(path)
    assert problem.endswith("which is not installed; pip install 'pytest-graph-eval[graphml]'")
