"""An MCP server killed while it answers costs that question alone, whatever it was reached by.

The same for HTTP services is in `test_http_target.py` and `test_lightrag.py`. Runs under both majors of the SDK.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_graph_eval.evaluation.evaluate import Context, score_scenario
from pytest_graph_eval.evaluation.pool import Pool
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.models.settings import McpTarget
from pytest_graph_eval.targets.base import Surroundings

from .processes import free_port, left_in, listens, processes_in

COMMAND = [sys.executable, str(Path(__file__).parent.parent / "servers" / "sdk_server.py")]
PATHS = {"stdio": "", "streamable-http": "/mcp", "sse": "/sse"}


class Server:
    """A server that runs in a folder; over stdio it is the target that starts it."""

    def __init__(self, transport: str, folder: Path) -> None:
        self.transport, self.folder, self.port = transport, folder, free_port()
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def spec(self) -> McpTarget:
        if self.transport == "stdio":
            return McpTarget(command=COMMAND, timeout=20)
        kind = "sse" if self.transport == "sse" else "http"
        url = f"http://127.0.0.1:{self.port}{PATHS[self.transport]}"
        return McpTarget(url=url, transport=kind, timeout=20)

    def start(self) -> None:
        if self.transport == "stdio":
            return
        command = [*COMMAND, self.transport, str(self.port)]
        where = subprocess.DEVNULL
        self._processes.append(subprocess.Popen(command, cwd=self.folder, stdout=where, stderr=where))
        deadline = time.monotonic() + 30
        while not listens(self.port):
            assert time.monotonic() < deadline, "the server does not start"
            time.sleep(0.02)

    def kill(self) -> None:
        for pid in processes_in(self.folder):
            os.kill(pid, signal.SIGKILL)
        for process in self._processes:
            process.wait()


@pytest.fixture(params=PATHS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    server = Server(request.param, tmp_path)
    server.start()
    yield server
    server.kill()


def ask_all(server: Server, *questions: str) -> tuple[list[Record], list[float]]:
    """Ask one question after the other; during `hang` the server is killed, and after it started again."""
    scenarios = [Scenario(id=f"q{n}", question=q, expect={"equals": q}) for n, q in enumerate(questions)]

    async def main() -> tuple[list[Record], list[float]]:
        pool = Pool()
        records, seconds = [], []
        try:
            for scenario in scenarios:
                opened = await pool.get(server.spec, Surroundings(server.folder, server.folder), scenarios)
                kill = threading.Timer(0.5, server.kill)
                if scenario.question == "hang":
                    kill.start()
                start = time.monotonic()
                asked = await opened.ask(scenario)
                seconds.append(time.monotonic() - start)
                records.append(score_scenario(scenario, asked, Context()))
                if scenario.question == "hang":
                    kill.join()  # a dying server may take connections for a moment more than it keeps them
                    server.start()
        finally:
            await pool.close()
        return records, seconds

    return asyncio.run(main())


def test_the_question_in_flight_is_an_error_and_the_next_one_is_answered(server: Server) -> None:
    records, seconds = ask_all(server, "hello", "hang", "again", "hang", "at last")
    found = [(r.status, r.error) for r in records]
    assert [r.status for r in records] == ["PASS", "ERROR", "PASS", "ERROR", "PASS"], found
    assert [r.answer for r in records] == ["hello", None, "again", None, "at last"]
    for number in (1, 3):
        assert seconds[number] < 5
        assert "within 20 s" not in (records[number].error or "")
        assert records[number].cause == "error"
    if server.transport == "stdio":
        assert "the server ended by signal 9" in (records[1].error or "")
        assert left_in(server.folder) == []
