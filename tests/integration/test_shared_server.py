"""A server that several processes use: who starts it, who ends it, and what is said when it cannot be."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_graph_eval.errors import PreflightError, SuiteError, TransportError
from pytest_graph_eval.loader import load_suite
from pytest_graph_eval.targets.mcp import shared as shared_module
from pytest_graph_eval.targets.mcp.sdk import safe_environment
from pytest_graph_eval.targets.mcp.shared import SharedServer

from .processes import free_port, gone, listens, processes_in

LONE = Path(__file__).parents[1] / "servers/lone_graph_server.py"


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path) -> Iterator[None]:
    yield
    assert gone(lambda: not processes_in(tmp_path))


def server(folder: Path, port: int, *command: str) -> SharedServer:
    command = command or ("python", str(LONE), "graph", str(port))
    return SharedServer(command, env=safe_environment(), cwd=folder, url=f"http://127.0.0.1:{port}/mcp")


def opened(folder: Path) -> list[str]:
    return (folder / "graph/opened.txt").read_text().split()


def test_the_last_user_ends_what_the_first_started(tmp_path: Path, port: int) -> None:
    first, second = server(tmp_path, port), server(tmp_path, port)
    asyncio.run(first.join(10))
    asyncio.run(second.join(10))
    first.leave()
    time.sleep(0.5)
    assert listens(port)
    second.leave()
    second.leave()
    assert gone(lambda: not listens(port))
    assert gone(lambda: not first._folder.exists())
    assert len(opened(tmp_path)) == 1


def test_many_that_come_at_once_start_one(tmp_path: Path, port: int) -> None:
    async def main() -> None:
        servers = [server(tmp_path, port) for _ in range(5)]
        await asyncio.gather(*(s.join(10) for s in servers))
        for s in servers:
            s.leave()

    asyncio.run(main())
    assert len(opened(tmp_path)) == 1
    assert gone(lambda: not listens(port))


def test_users_that_are_killed_are_gone(tmp_path: Path, port: int) -> None:
    program = (
        "import asyncio, sys, time\nfrom pathlib import Path\n"
        "from tests.integration.test_shared_server import server\n"
        "asyncio.run(server(Path(sys.argv[1]), int(sys.argv[2])).join(20))\n"
        "print('joined', flush=True)\ntime.sleep(60)\n"
    )
    users = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), str(port)], stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    for user in users:
        assert user.stdout is not None
        assert user.stdout.readline() == b"joined\n"
        user.stdout.close()
    assert len(opened(tmp_path)) == 1
    for user in users:
        user.send_signal(signal.SIGKILL)
        user.wait()
    assert gone(lambda: not listens(port))


@pytest.mark.parametrize("waits", [True, False], ids=["later", "at once"])
def test_one_that_died_is_started_again(tmp_path: Path, port: int, waits: bool) -> None:
    user = server(tmp_path, port)
    asyncio.run(user.join(10))
    os.kill(int(opened(tmp_path)[0]), signal.SIGKILL)
    assert gone(lambda: not (processes_in(tmp_path) if waits else listens(port)))
    asyncio.run(user.join(10))
    assert len(opened(tmp_path)) == 2
    user.leave()


def test_what_listens_there_and_is_not_ours_is_not_asked(tmp_path: Path, port: int) -> None:
    (tmp_path / "graph").mkdir()
    other = subprocess.Popen([sys.executable, str(LONE), str(tmp_path / "graph"), str(port)])
    try:
        assert gone(lambda: listens(port))
        with pytest.raises(PreflightError, match=f"something else listens at http://127.0.0.1:{port}/mcp; stop it"):
            asyncio.run(server(tmp_path, port).join(5))
    finally:
        other.kill()
        other.wait()


@pytest.mark.parametrize(
    ("command", "message", "tail"),
    [
        (("python", "-c", "raise SystemExit('no index')"), "ended with exit status 1 before it was ready", "no index"),
        (("python", "-c", "import time; print('up', flush=True); time.sleep(60)"), "nobody listens .* within 2", "up"),
        (("./plain",), "ended with exit status 126", "Permission denied"),
        (("no-such-program",), "the command 'no-such-program' was not found", ""),
    ],
)  # fmt: skip
def test_one_that_does_not_start_says_why(
    tmp_path: Path, port: int, command: tuple[str, ...], message: str, tail: str
) -> None:
    (tmp_path / "plain").write_text("no program")
    user = server(tmp_path, port, *command)
    with pytest.raises(TransportError, match=message) as caught:
        asyncio.run(user.join(2))
    user.leave()
    assert tail in caught.value.stderr


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    user = server(tmp_path, port)
    monkeypatch.setattr(shared_module.os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(PreflightError, match="belongs to another user; remove it"):
        asyncio.run(user.join(2))


def test_a_folder_that_is_no_folder_is_named(tmp_path: Path, port: int) -> None:
    with pytest.raises(TransportError, match="nowhere is no folder"):
        asyncio.run(server(tmp_path / "nowhere", port).join(2))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("{command: [x], shared: true}", "`shared: true` needs a `command:` that serves HTTP, and the `url:`"),
        ("{url: 'http://x', kind: mcp, shared: true}", "`shared: true` needs a `command:`"),
        ("{command: [x, '{worker}'], url: 'http://x', shared: true}", "{worker} is another one in each process"),
        ("{command: [x], url: 'http://x', env: {D: '{tmp}'}, shared: true}", "{tmp} is another one in each process"),
    ],
)
def test_settings_that_cannot_be_shared_are_refused(tmp_path: Path, target: str, message: str) -> None:
    text = f"target: {target}\nscenarios: [{{id: a, question: q, gold_answer: b}}]\n"
    with pytest.raises(SuiteError) as caught:
        load_suite(tmp_path / "s.graph.yaml", text=text, targets={})
    assert message in str(caught.value)
