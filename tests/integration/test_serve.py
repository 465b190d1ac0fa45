"""`graph-eval serve` as a real process: over stdio and HTTP, under the client of whichever SDK is installed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.evaluation.preflight import preflight
from pytest_graph_eval.library import evaluate
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.scenario import Suite
from pytest_graph_eval.models.settings import GraphTarget, McpTarget
from pytest_graph_eval.targets.base import Query, Surroundings, Target, open_target
from pytest_graph_eval.targets.loop import LoopThread

ROOT = Path(__file__).parent.parent.parent
WALMART = ROOT / "example_suites" / "walmart" / "walmart_extraction.json"
SERVE = [sys.executable, "-m", "pytest_graph_eval.cli", "serve"]
ENVIRONMENT = {"PYTHONPATH": str(ROOT)}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Server:
    """A served graph; JSON-RPC by hand, so that nothing but the protocol can pass."""

    def __init__(self, *arguments: str | Path) -> None:
        self.process = subprocess.Popen(
            [*SERVE, *map(str, arguments)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=os.environ | ENVIRONMENT,
        )  # fmt: skip
        self.number = 0

    def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method: str, **params: Any) -> Any:
        assert self.process.stdout is not None
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        reply = json.loads(self.process.stdout.readline())
        assert reply["id"] == self.number
        return reply["result"]

    def hello(self) -> Any:
        info = self.request("initialize", **HELLO)
        self.send(method="notifications/initialized")
        return info

    def call(self, tool: str, **arguments: Any) -> Any:
        result = self.request("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError")
        text = json.loads("".join(block["text"] for block in result["content"]))
        assert result["structuredContent"] == text
        return text

    def ended(self) -> tuple[int, str, str]:
        """Wait for the end; return exit status and what was left on stdout and stderr."""
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def start(*arguments: str | Path) -> Server:
        servers.append(Server(*arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.process.kill()
        server.process.communicate()


def test_over_stdio_it_speaks_the_protocol_and_nothing_else(start: Callable[..., Server]) -> None:
    server = start(WALMART)
    assert server.hello()["serverInfo"]["name"] == "graph-eval"
    tools = {tool["name"]: tool for tool in server.request("tools/list")["tools"]}
    assert set(tools) == {"get_server_status", "query_graph_tool", "reingest_from_file"}
    schema = tools["query_graph_tool"]["inputSchema"]
    assert (schema["required"], schema["properties"]["mode"]["default"]) == (["query"], "kg")
    assert server.call("get_server_status")["graph"]["entities"] == 51
    reply = server.call("query_graph_tool", query="Who is the CEO of Walmart?")
    assert reply["entities"][0]["entity_name"] == "DOUG McMILLON"
    assert server.call("query_graph_tool", query="x", mode="mix")["status"] == "error"
    assert server.call("query_graph_tool", query='"; \x00 東京 \n')["status"] == "success"
    assert server.call("reingest_from_file", file_path="/etc/passwd")["status"] == "error"
    assert server.ended() == (0, "", "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(start: Callable[..., Server], number: signal.Signals) -> None:
    server = start(WALMART)
    server.hello()
    server.process.send_signal(number)
    assert server.process.wait(10) == 0  # stdin is still open: the reader must not hold it
    assert server.ended() == (0, "", "")


def test_an_emptied_graph_comes_back_by_reingest(start: Callable[..., Server]) -> None:
    server = start(WALMART, "--empty")
    server.hello()
    assert server.call("get_server_status")["graph"]["entities"] == 0
    assert server.call("reingest_from_file", file_path=WALMART.name)["relationships"] == 65
    assert server.call("get_server_status")["overall"] == "ready"


def test_a_missing_file_ends_it_before_it_serves(start: Callable[..., Server], tmp_path: Path) -> None:
    status, out, err = start(tmp_path / "none.json").ended()
    assert (status, out) == (2, "")
    assert "none.json: no such file; expected an extraction JSON file" in err
    assert "Traceback" not in err


def url_of(server: Server) -> str:
    assert server.process.stderr is not None
    line = server.process.stderr.readline()
    assert line.startswith("serving at http://127.0.0.1:"), line
    return line.split()[-1]


def mcp(**settings: Any) -> McpTarget:
    environment = {"env": ENVIRONMENT} if "command" in settings else {}
    return McpTarget(preset="generic-mcp", **settings, **environment)


def opened(folder: Path, spec: GraphTarget | McpTarget) -> Target:
    return open_target(spec, Surroundings(folder, folder))


def answers(loop: LoopThread, target: Target) -> list[Response]:
    questions = [
        ("Who is the CEO of Walmart?", "kg"),
        ("Who leads the segment that Flipkart belongs to?", "hybrid"),
        ("How did Walmart's net sales change from FY2022 to FY2023?", "global"),
        ("What is the boiling point of tungsten?", "hybrid"),
    ]
    loop.run(target.open())
    try:
        return [loop.run(target.ask(Query(question, mode=mode))) for question, mode in questions]
    finally:
        loop.run(target.close())


def evidence(response: Response) -> tuple[object, ...]:
    return (
        [entity.name for entity in response.entities or ()],
        [(edge.source, edge.target, edge.description) for edge in response.relationships or ()],
        response.chunks,
        response.mode,
    )


def test_served_and_embedded_the_graph_gives_the_same_evidence(
    start: Callable[..., Server], loop: LoopThread, tmp_path: Path
) -> None:
    embedded = answers(loop, opened(tmp_path, GraphTarget(extraction=[str(WALMART)])))
    assert [bool(response.entities) for response in embedded] == [True, True, True, False]
    over_stdio = answers(loop, opened(tmp_path, mcp(command=[*SERVE, str(WALMART)])))
    over_http = answers(loop, opened(tmp_path, mcp(url=url_of(start(WALMART, "--http", "0")))))
    for served in (over_stdio, over_http):
        assert [evidence(response) for response in served] == [evidence(response) for response in embedded]


def test_the_preflight_recovers_an_emptied_graph(loop: LoopThread, tmp_path: Path) -> None:
    recover = {"tool": "reingest_from_file", "arguments": {"file_path": WALMART.name}}
    spec = mcp(command=[*SERVE, str(WALMART), "--empty"], recover=recover)
    target = opened(tmp_path, spec)
    try:
        result = loop.run(preflight(target, spec, []))
        assert (result.status.entities, result.status.relationships) == (51, 65)
        assert "recovered" in result.warnings
    finally:
        loop.run(target.close())


@pytest.mark.parametrize(("catalog", "status"), [([str(WALMART)], "PASS"), ([], "ERROR")])
def test_a_recovery_without_arguments_ingests_the_file_of_the_suites_catalog(
    tmp_path: Path, catalog: list[str], status: str
) -> None:
    suite = Suite(
        target=mcp(command=[*SERVE, str(WALMART), "--empty"], recover={"tool": "reingest_from_file"}),
        catalog=catalog,
        scenarios=[{"id": "ceo", "question": "Who is the CEO of Walmart?", "expect": {"names": ["Doug McMillon"]}}],
    )
    (record,) = evaluate(suite, folder=tmp_path)
    assert record.status == status, record.error
    if status == "ERROR":
        assert "the recovery failed: the recovery call (reingest_from_file)" in record.error


def test_over_http_it_ends_on_a_signal_with_streams_open(start: Callable[..., Server]) -> None:
    server = start(WALMART, "--http", "0")
    port = int(url_of(server).split(":")[2].split("/")[0])
    with socket.create_connection(("127.0.0.1", port), 10) as stream:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
        head = [
            "POST /mcp HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json",
            "Accept: application/json, text/event-stream", f"Content-Length: {len(body)}", "", body,
        ]  # fmt: skip
        stream.sendall("\r\n".join(head).encode())
        assert stream.recv(100).startswith(b"HTTP/1.1 200")
        begin = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(10) == 0
        assert time.monotonic() - begin < 5
    assert "Traceback" not in server.ended()[2]


def test_a_port_in_use_is_told_in_one_line(start: Callable[..., Server]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, _, err = start(WALMART, "--http", str(port)).ended()
    assert status == 2
    assert err == (
        f"graph-eval: port {port}: cannot listen on 127.0.0.1: Address already in use; "
        "expected a free port, 0 picks one\n"
    )
