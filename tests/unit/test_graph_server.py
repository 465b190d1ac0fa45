"""The service behind the MCP tools, without MCP; `tests/integration/test_serve.py` runs the real server."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import networkx
import pytest

from pytest_graph_eval.errors import DataError, UsageError
from pytest_graph_eval.graph.server import GraphService, serve
from tests.unit.graph_samples import FERRIES, chunk, tiny, write


@pytest.fixture
def ferries(tmp_path: Path) -> Path:
    return write(tmp_path, "ferries.json", FERRIES)


def test_the_status_has_the_keys_of_the_skill(ferries: Path) -> None:
    status = GraphService([ferries]).status()
    assert status["graph"] == {"entities": 20, "relationships": 21, "chunks": 9, "documents_ingested": 1}
    assert (status["entities"], status["relationships"]) == (20, 21)
    assert (status["error"], status["has_dimension_mismatch"], status["overall"]) == (None, False, "ready")
    assert status["modes"] == ["kg", "hybrid", "global"]


def test_a_query_reply_has_the_keys_of_the_skill(ferries: Path) -> None:
    reply = GraphService([ferries]).query("Who commands MS Aurora?")
    assert set(reply) == {
        "status", "message", "entities", "relationships", "text_chunks", "references", "mode",
    }  # fmt: skip
    assert reply["entities"][0] == {
        "entity_name": "Jonas Weber",
        "entity_type": "person",
        "description": "Jonas Weber is the captain of MS Aurora.",
    }
    assert reply["relationships"][0] == {
        "src_id": "Jonas Weber", "tgt_id": "MS Aurora", "description": "Jonas Weber commands MS Aurora.",
        "keywords": "command",
    }  # fmt: skip
    assert reply["text_chunks"][0] == {
        "id": "ferries::c3",
        "content": "Captain Jonas Weber commands MS Aurora; Captain Mei Tanaka commands MS Polaris.",
    }
    assert reply["references"] == [{"reference_id": "1", "file_path": "ferries.md"}]
    assert (reply["status"], reply["mode"]) == ("success", "kg")
    assert reply["message"] == f"2 entities, 1 relationships, {len(reply['text_chunks'])} chunks"
    json.dumps(reply)


def test_no_evidence_is_a_success_with_empty_lists(ferries: Path) -> None:
    reply = GraphService([ferries]).query("What is the boiling point of tungsten?", "global")
    assert (reply["status"], reply["entities"], reply["text_chunks"], reply["mode"]) == ("success", [], [], "global")


def test_an_unknown_mode_is_an_error_reply_that_names_the_modes(ferries: Path) -> None:
    reply = GraphService([ferries]).query("x", "mix")
    assert reply == {"status": "error", "message": "unknown mode 'mix'; the modes are kg, hybrid, global"}


def test_top_k_bounds_the_reply(ferries: Path) -> None:
    reply = GraphService([ferries], top_k=1).query("Which vessels serve the Bergen-Stavanger route?")
    assert len(reply["entities"]) == 1


def test_a_graph_that_starts_empty_is_brought_back_by_reingest(ferries: Path) -> None:
    service = GraphService([ferries], empty=True)
    assert (service.status()["overall"], service.status()["graph"]["entities"]) == ("empty", 0)
    assert service.query("Who commands MS Aurora?")["entities"] == []
    reply = service.reingest("ferries.json")
    assert reply["status"] == "success"
    assert (reply["entities"], reply["relationships"], reply["message"]) == (20, 21, "ferries.json ingested")
    assert service.status()["overall"] == "ready"
    assert service.query("Who commands MS Aurora?")["entities"]


def test_reingest_reads_the_file_as_it_is_now_and_keeps_the_others(tmp_path: Path, ferries: Path) -> None:
    other = write(tmp_path, "tiny.json", tiny())
    service = GraphService([ferries, other])
    write(tmp_path, "tiny.json", tiny(chunks=[chunk(1, "x")], relationships=[]))
    assert service.reingest(str(other))["relationships"] == 21
    assert service.status()["entities"] == 22


@pytest.mark.parametrize("name", ["/etc/passwd", "other.json", "../ferries.json", ""])
def test_only_files_given_at_the_start_are_read(ferries: Path, name: str) -> None:
    write(ferries.parent, "other.json", tiny())
    reply = GraphService([ferries]).reingest(name)
    assert reply == {
        "status": "error", "message": f"{name!r} was not given at the start; known files: ferries.json",
    }  # fmt: skip


def test_a_bare_name_that_two_files_have_means_neither(tmp_path: Path) -> None:
    paths = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        paths.append(write(tmp_path / folder, "x.json", tiny(folder)))
    service = GraphService(paths)
    assert service.reingest("x.json")["status"] == "error"
    assert service.reingest(str(paths[1]))["status"] == "success"


def test_a_file_that_broke_meanwhile_leaves_the_graph_as_it_was(ferries: Path) -> None:
    service = GraphService([ferries])
    ferries.write_text("{", "utf-8")
    reply = service.reingest("ferries.json")
    assert (reply["status"], "not JSON" in reply["message"]) == ("error", True)
    assert service.status()["entities"] == 20


def test_graphml_is_told_by_its_suffix(tmp_path: Path) -> None:
    graph = networkx.Graph()
    graph.add_node("Oslo", entity_type="CITY")
    networkx.write_graphml(graph, tmp_path / "g.GraphML")
    assert GraphService([tmp_path / "g.GraphML", write(tmp_path, "a.json", tiny())]).status()["entities"] == 3


def test_a_missing_file_is_an_error_before_anything_is_served(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.json: no such file"):
        serve([tmp_path / "none.json"])


def test_a_port_in_use_is_an_error_before_anything_is_read(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=rf"port {port}: cannot listen on 127\.0\.0\.1: .*; expected a free port"):
            serve([tmp_path / "none.json"], port=port)


def test_the_sdk_is_imported_only_to_serve() -> None:
    code = (
        "import sys, pytest_graph_eval.graph.server; "
        "print([m for m in ('mcp', 'uvicorn', 'networkx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
