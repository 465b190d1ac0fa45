from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import networkx
import pytest

from pytest_graph_eval.errors import PreflightError, ReplyError, TransportError
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import GraphTarget
from pytest_graph_eval.targets import graph as graph_module
from pytest_graph_eval.targets.base import Query, Surroundings, open_target
from pytest_graph_eval.targets.graph import EmbeddedGraph
from tests.unit.graph_samples import FERRIES, tiny, write


def target(folder: Path, **settings: Any) -> EmbeddedGraph:
    spec = GraphTarget(**({"extraction": ["ferries.json"]} | settings))
    made = open_target(spec, Surroundings(folder, folder, where="s.yaml:2"))
    assert isinstance(made, EmbeddedGraph)
    return made


def opened(folder: Path, **settings: Any) -> EmbeddedGraph:
    made = target(folder, **settings)
    asyncio.run(made.open())
    return made


def ask(made: EmbeddedGraph, question: str, mode: str = "", **arguments: Any) -> Response:
    return asyncio.run(
        made.ask(Query(question, mode=mode, arguments=arguments, query_hints="boiling point of tungsten"))
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, "ferries.json", FERRIES)
    return tmp_path


def test_a_response_holds_what_was_retrieved_and_no_answer(folder: Path) -> None:
    response = ask(opened(folder), "Who commands MS Aurora?")
    assert (response.answer, response.mode, response.status, response.error) == (None, "kg", "success", None)
    assert response.entities is not None
    assert [(e.name, e.type) for e in response.entities] == [("Jonas Weber", "person"), ("MS Aurora", "vessel")]
    assert response.relationships is not None
    assert (response.relationships[0].source, response.relationships[0].type) == ("Jonas Weber", "command")
    assert response.chunks is not None
    assert response.chunks[0].id == "ferries::c3"
    assert response.references == ["ferries.md"]


def test_no_evidence_is_empty_lists(folder: Path) -> None:
    response = ask(opened(folder), "What is the boiling point of tungsten?", "hybrid")
    assert (response.entities, response.relationships, response.chunks, response.references) == ([], [], [], [])
    assert not response.has_evidence()


def test_the_relation_type_is_shown_where_there_is_one(tmp_path: Path) -> None:
    write(tmp_path, "tiny.json", tiny())
    response = ask(opened(tmp_path, extraction=["tiny.json"]), "What did Ada Byron describe?")
    assert response.relationships is not None
    assert response.relationships[0].type == "DESCRIBED"


def test_a_graph_without_texts_has_no_chunk_list(tmp_path: Path) -> None:
    graph = networkx.Graph()
    graph.add_node("Oslo", entity_type="CITY", description="A port.")
    networkx.write_graphml(graph, tmp_path / "g.graphml")
    response = ask(opened(tmp_path, extraction=[], graphml=["g.graphml"]), "What is Oslo?")
    assert response.entities is not None
    assert (response.entities[0].name, response.chunks) == ("Oslo", None)


def test_an_unknown_mode_is_an_error_that_names_the_modes(folder: Path) -> None:
    with pytest.raises(ReplyError, match="embedded graph: unknown mode 'mix'; the modes are kg, hybrid, global"):
        ask(opened(folder), "x", "mix")


def test_top_k_comes_from_the_target_or_the_scenario(folder: Path) -> None:
    made = opened(folder, top_k=1)
    question = "Which vessels serve the Bergen-Stavanger route?"
    assert [len(ask(made, question).entities or ()), len(ask(made, question, top_k=2).entities or ())] == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"topk": 3}, "unknown argument 'topk'; it takes `top_k` only"),
        ({"top_k": 0}, "top_k is 0; expected a whole number above 0"),
        ({"top_k": "3"}, "top_k is '3'; expected"),
        ({"top_k": True}, "top_k is True; expected"),
    ],
)
def test_arguments_that_it_does_not_have_are_refused(folder: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ReplyError, match=message.replace("`", "`")):
        ask(opened(folder), "x", **arguments)


def test_status_and_catalog_tell_what_it_holds(folder: Path) -> None:
    made = target(folder)
    assert made.catalog() is None
    asyncio.run(made.open())
    status = asyncio.run(made.status())
    assert (status.entities, status.relationships, status.raw["chunks"]) == (20, 21, 9)
    catalog = made.catalog()
    assert catalog is not None
    assert ("MS Aurora", "vessel") in catalog.names()


def test_it_is_deterministic_unless_said_otherwise(folder: Path) -> None:
    assert (target(folder).deterministic, target(folder, deterministic=False).deterministic) == (True, False)
    assert (target(folder).name, target(folder, name="ferries").name, target(folder).kind) == (
        "graph",
        "ferries",
        "graph",
    )


def test_it_answers_only_between_open_and_close(folder: Path) -> None:
    made = target(folder)
    with pytest.raises(TransportError, match="not open"):
        ask(made, "x")
    asyncio.run(made.open())
    asyncio.run(made.close())
    asyncio.run(made.close())
    with pytest.raises(TransportError, match="not open"):
        asyncio.run(made.status())


def test_a_missing_and_an_invalid_file_are_both_named(folder: Path) -> None:
    write(folder, "bad.json", {"document_id": "x", "chunks": [], "entities": []})
    with pytest.raises(PreflightError) as caught:
        opened(folder, extraction=["none.json", "bad.json"])
    assert str(caught.value).splitlines() == [
        "s.yaml:2: the graph cannot be loaded:",
        "bad.json:1:1: relationships: missing; expected a list (it may be empty)",
        "none.json: no such file; expected an extraction JSON file; relative paths belong to the file that names them",
    ]


def test_suites_that_name_the_same_files_share_one_graph(folder: Path) -> None:
    first, second = opened(folder), opened(folder)
    assert first.catalog() is second.catalog()
    asyncio.run(first.close())
    assert ask(second, "Who commands MS Aurora?").entities


def test_a_changed_file_is_read_again(folder: Path) -> None:
    before = opened(folder).catalog()
    path = write(folder, "ferries.json", tiny())
    os.utime(path, ns=(1, 1))
    after = opened(folder).catalog()
    assert before is not after
    assert after is not None
    assert after.counts()["entities"] == 2


def test_a_changed_chunk_store_beside_graphml_is_read_again(tmp_path: Path) -> None:
    graph = networkx.Graph()
    graph.add_node("Oslo", description="A port.", source_id="c1")
    networkx.write_graphml(graph, tmp_path / "g.graphml")
    settings: dict[str, Any] = {"extraction": [], "graphml": ["g.graphml"]}
    assert ask(opened(tmp_path, **settings), "What is Oslo?").chunks is None
    write(tmp_path, "kv_store_text_chunks.json", {"c1": {"content": "Oslo is a port."}})
    chunks = ask(opened(tmp_path, **settings), "What is Oslo?").chunks
    assert chunks is not None
    assert chunks[0].id == "c1"


def test_the_number_of_graphs_kept_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_module, "_KEPT", 2)
    for n in range(5):
        write(tmp_path, f"{n}.json", tiny(f"d{n}"))
        opened(tmp_path, extraction=[f"{n}.json"])
    assert len(graph_module._loaded) == 2


def test_rdf_is_asked_like_any_other_graph(tmp_path: Path) -> None:
    write(tmp_path, "a.ttl", "<http://e/MS_Aurora> <http://e/servesRoute> <http://e/Bergen-Stavanger> .")
    response = ask(opened(tmp_path, extraction=[], rdf=["a.ttl"]), "Which route does MS Aurora serve?")
    (edge,) = response.relationships or ()
    assert (edge.source, edge.type, edge.target) == ("MS Aurora", "servesRoute", "Bergen-Stavanger")
    assert edge.description == "MS Aurora serves route Bergen-Stavanger."
    assert (response.chunks, response.references, response.as_of) == (None, [], None)


def test_a_graph_with_history_answers_as_of_an_instant_and_reports_it(tmp_path: Path) -> None:
    data = tiny()
    data["relationships"][0] |= {"valid_from": "1843", "valid_to": "1843"}
    write(tmp_path, "a.json", data)
    made = opened(tmp_path, extraction=["a.json"])

    def at(instant: str | None) -> Response:
        return asyncio.run(made.ask(Query("Who described the Analytical Engine?", as_of=instant)))

    assert [len(at(instant).relationships or ()) for instant in (None, "1843-06-01", "1850-01-01")] == [1, 1, 0]
    assert [at(instant).as_of for instant in (None, "1850-01-01")] == ["current", "1850-01-01"]
    with pytest.raises(ReplyError, match="embedded graph: 'soon' is no instant"):
        at("soon")
