"""A real preciso-graphrag over stdio and HTTP: started, ingested into, asked, broken and brought back.

It runs in an environment of its own, so the tests are the same with either major of the SDK on our side.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.cli import main
from pytest_graph_eval.errors import PreflightError, ReplyError, TargetError, ToolError, TransportError
from pytest_graph_eval.evaluation.preflight import preflight
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import McpTarget
from pytest_graph_eval.targets.base import Query, Surroundings, open_target
from pytest_graph_eval.targets.loop import LoopThread
from pytest_graph_eval.targets.mcp.inspection import inspect
from pytest_graph_eval.targets.mcp.server import McpServer

from .environments import environment
from .processes import free_port, left_in, listens, processes_in

ROOT = Path(__file__).parent.parent.parent
WALMART = ROOT / "example_suites" / "walmart"
TOOLS = json.loads((ROOT / "tests" / "data" / "preciso_tools.json").read_text("utf-8"))
EXTRACTION = WALMART / "walmart_extraction.json"
INGEST = {"tool": "ingest_graph_tool", "arguments": {"payload": {"$file": str(EXTRACTION)}}}
LEXICAL = {"GRAPHRAG_EMBEDDING_PROVIDER": "fallback", "PYTHONSAFEPATH": "1"}
CEO = "Who is the CEO of Walmart?"


@pytest.fixture(scope="module")
def python() -> str:
    return str(environment("preciso"))


class Bench:
    """Targets whose servers run in one folder; in the end nothing may run there any more."""

    def __init__(self, loop: LoopThread, python: str, folder: Path) -> None:
        self.loop, self.python, self.folder = loop, python, folder
        self.targets: list[McpServer] = []

    def target(
        self, *, graph: str = "graph", env: dict[str, str] = LEXICAL, extraction: str = "", **settings: Any
    ) -> McpServer:
        if "url" not in settings:
            settings["command"] = [self.python, "-m", "preciso_mcp.server"]
            settings["env"] = {**env, "GRAPHRAG_MCP_WORKDIR": str(self.folder / graph)}
        self.spec = McpTarget(preset="preciso", **settings)
        surroundings = Surroundings(self.folder, self.folder, where="s.yaml:3", extraction=extraction)
        target = open_target(self.spec, surroundings)
        assert isinstance(target, McpServer)
        self.targets.append(target)
        return target

    def fit(self, target: McpServer) -> Any:
        return self.loop.run(preflight(target, self.spec, []))

    def ask(self, target: McpServer, question: str, mode: str = "mix") -> Response:
        return self.loop.run(target.ask(Query(question, mode=mode)))

    def close(self) -> None:
        for target in self.targets:
            self.loop.run(target.close())
        assert left_in(self.folder) == []


@pytest.fixture
def bench(loop: LoopThread, python: str, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(loop, python, tmp_path)
    yield bench
    bench.close()


@pytest.fixture(scope="module")
def shared(loop: LoopThread, python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    bench = Bench(loop, python, tmp_path_factory.mktemp("preciso"))
    loop.run(bench.target(setup=[INGEST]).open())
    yield bench
    bench.close()


@pytest.fixture(scope="module")
def server(shared: Bench) -> McpServer:
    """A server with the whole graph, embedded in words; started once."""
    return shared.targets[0]


@pytest.fixture
def ingested(bench: Bench, server: McpServer, shared: Bench) -> Bench:
    """A bench with the graph that the shared server made, and nobody who owns it."""
    shutil.copytree(shared.folder / "graph", bench.folder / "graph")
    return bench


# Started, and asked


def test_the_server_lists_the_tools_that_were_recorded_and_the_counts_of_its_graph(
    loop: LoopThread, server: McpServer
) -> None:
    status = loop.run(server.status())
    assert status.tools == {tool["name"]: tool["inputSchema"] for tool in TOOLS}
    assert (status.entities, status.relationships) == (51, 65)


def test_evidence_comes_back_in_the_names_of_a_response(shared: Bench, server: McpServer) -> None:
    response = shared.ask(server, CEO)
    assert response.mode == "mix"
    assert response.answer is None
    assert "DOUG McMILLON" in [entity.name for entity in response.entities or ()]
    ends = [{edge.source, edge.target} for edge in response.relationships or () if "EMPLOYS" in (edge.type or "")]
    assert {"DOUG McMILLON", "WALMART INC"} in ends
    assert response.chunks
    assert all(re.fullmatch(r"chunk_\d+", chunk.id or "") for chunk in response.chunks)
    assert all("created_at" not in str(reference) for reference in response.references or ())


def test_a_comparison_runs_in_another_mode_than_was_asked_for(shared: Bench, server: McpServer) -> None:
    assert shared.ask(server, "How did Walmart's net sales change from FY2022 to FY2023?", "hybrid").mode == "global"


def test_the_doctor_finds_out_which_server_it_is(
    ingested: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The ten minutes of somebody who only knows how to start it."""
    monkeypatch.chdir(ingested.folder)
    variables = [f"{name}={value}" for name, value in LEXICAL.items()]
    command = ["env", *variables, "GRAPHRAG_MCP_WORKDIR=graph", ingested.python, "-m", "preciso_mcp.server"]
    assert main(["doctor", shlex.join(command), "--question", CEO]) == 1
    shown = capsys.readouterr().out
    assert "51 entities, 65 relationships" in shown
    assert "  preset: preciso\n" in shown
    assert re.search(r"^entities +raw_data\.data\.entities +\d+: ", shown, re.MULTILINE)


# What it holds


def test_its_whole_graph_is_read_with_the_texts_behind_it(shared: Bench, server: McpServer) -> None:
    catalog = Catalog.from_parts([shared.loop.run(inspect(server, shared.spec))])
    ours = Catalog.from_files([EXTRACTION])
    assert [(e.name, e.type, e.description) for e in catalog.entities] == [
        (e.name, e.type, e.description) for e in ours.entities
    ]
    # The server counts the sources of an entity's relationships among its own.
    assert all({*theirs.sources} >= {*our.sources} for theirs, our in zip(catalog.entities, ours.entities, strict=True))
    ends = [[({e.source, e.target}, e.type, e.description) for e in c.relationships] for c in (catalog, ours)]
    assert len(ends[0]) == 65
    assert all(edge in ends[1] for edge in ends[0])
    assert [(c.id, c.content) for c in catalog.chunks] == [(c.id, c.content) for c in ours.chunks]
    assert catalog.documents == ours.documents


# The error channels


@pytest.mark.parametrize(
    ("question", "mode", "kind", "words"),
    [
        (CEO, "kg", ToolError, "Input should be 'local', 'global', 'hybrid', 'naive', 'mix' or 'bypass'"),
        ("???", "mix", ReplyError, 'status "error": Invalid embedding response: vectors must be nonzero'),
    ],
)
def test_what_the_server_refuses_is_an_error_and_the_next_question_is_answered(
    shared: Bench, server: McpServer, question: str, mode: str, kind: type[TargetError], words: str
) -> None:
    with pytest.raises(kind) as error:
        shared.ask(server, question, mode)
    assert words in str(error.value)
    assert shared.ask(server, CEO).has_evidence()


def test_nothing_is_no_error_and_no_evidence(shared: Bench, server: McpServer) -> None:
    response = shared.ask(server, "")
    assert (response.entities, response.relationships, response.chunks) == ([], [], [])
    assert not response.has_evidence()


def killed(bench: Bench, target: McpServer, kill: Callable[[], None], stop: Callable[[], None]) -> float:
    """Kill the server while it has a question; return how long the error took."""

    async def ask() -> float:
        stop()
        asking = asyncio.create_task(target.ask(Query(CEO, mode="mix", timeout=20)))
        await asyncio.sleep(0.3)
        start = time.monotonic()
        kill()
        with pytest.raises(TransportError):
            await asking
        return time.monotonic() - start

    return bench.loop.run(ask())


def test_a_server_that_is_killed_during_a_question_is_started_again(bench: Bench) -> None:
    target = bench.target(setup=[INGEST])
    bench.loop.run(target.open())
    (pid,) = processes_in(bench.folder)
    took = killed(bench, target, lambda: os.kill(pid, signal.SIGKILL), lambda: os.kill(pid, signal.SIGSTOP))
    assert took < 5
    assert bench.ask(target, CEO).has_evidence()
    (again,) = processes_in(bench.folder)
    assert again != pid


HTTP = """
import asyncio, socket, sys
from core.session_lock import graph_directory_owner
from preciso_mcp import server
with graph_directory_owner(server.global_config["working_dir"]):
    asyncio.run(server.startup())
    server.mcp.settings.host, server.mcp.settings.port = "127.0.0.1", int(sys.argv[1])
    server.mcp.run(transport="streamable-http")
"""


def serve(bench: Bench, port: int) -> subprocess.Popen[bytes]:
    """Start the server behind streamable HTTP, which the package offers by its parts."""
    environment = {**os.environ, **LEXICAL, "GRAPHRAG_MCP_WORKDIR": str(bench.folder / "graph")}
    process = subprocess.Popen(
        [bench.python, "-c", HTTP, str(port)], cwd=bench.folder, env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        if listens(port):
            return process
        time.sleep(0.1)
    raise AssertionError("the server did not start")


def test_a_server_behind_http_is_asked_again_once_somebody_started_it(bench: Bench) -> None:
    port = free_port()
    first = serve(bench, port)
    target = bench.target(url=f"http://127.0.0.1:{port}/mcp", setup=[INGEST])
    try:
        bench.loop.run(target.open())
        assert bench.ask(target, CEO).has_evidence()
        assert killed(bench, target, first.kill, lambda: first.send_signal(signal.SIGSTOP)) < 5
    finally:
        first.kill()
        first.wait()
    second = serve(bench, port)
    try:
        assert bench.ask(target, CEO).has_evidence()
    finally:
        bench.loop.run(target.close())
        second.kill()
        second.wait()


# Unfit, and brought back


def test_a_name_with_the_prefix_of_a_host_is_told_before_the_first_question(bench: Bench) -> None:
    target = bench.target(tool="graphrag-mcp-query_graph_tool")
    with pytest.raises(
        PreflightError, match=r"no tool 'graphrag-mcp-query_graph_tool'; did you mean 'query_graph_tool'"
    ):
        bench.fit(target)


def test_an_empty_graph_is_brought_back_by_ingesting_the_file_of_the_suite(bench: Bench) -> None:
    env = LEXICAL | {"GRAPHRAG_INPUT_DIR": str(WALMART)}
    target = bench.target(env=env, extraction=str(EXTRACTION), recover={"tool": "reingest_from_file"})
    result = bench.fit(target)
    assert (result.status.entities, result.status.relationships) == (51, 65)
    assert result.warnings[-1] == "recovered"
    assert bench.ask(target, CEO).has_evidence()


def test_a_file_that_the_server_may_not_read_fails_the_recovery_with_its_words(bench: Bench) -> None:
    target = bench.target(extraction=str(EXTRACTION), recover={"tool": "reingest_from_file"})
    with pytest.raises(PreflightError) as error:
        bench.fit(target)
    assert "the graph holds 0 entities. No entities ingested. Run ingestion first." in str(error.value)
    assert "; the recovery failed: the recovery call (reingest_from_file): the server reports" in str(error.value)


def test_an_index_of_another_dimension_is_told_from_what_the_server_wrote(ingested: Bench) -> None:
    other = {
        "GRAPHRAG_EMBEDDING_PROVIDER": "openai", "OPENAI_API_KEY": "unused", "GRAPHRAG_EMBEDDING_DIM": "384",
        "PYTHONSAFEPATH": "1",
    }  # fmt: skip
    with pytest.raises(PreflightError) as error:
        ingested.fit(ingested.target(env=other))
    assert "embedding dimension mismatch (the server refuses to start: ValueError: Vector index" in str(error.value)
    assert "is incompatible with the configured embedding dimension 384" in error.value.stderr
