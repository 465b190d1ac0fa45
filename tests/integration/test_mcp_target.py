"""MCP servers as targets: real processes over stdio, streamable HTTP and SSE; nothing may stay behind.

Runs under both majors of the SDK: with `mcp` 1.x by a second environment (`python -m pytest tests/integration`).
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import (
    PreflightError,
    ReplyError,
    TargetError,
    TargetTimeout,
    ToolError,
    TransportError,
)
from pytest_graph_eval.evaluation.preflight import PreflightResult, preflight
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.models.settings import McpTarget
from pytest_graph_eval.targets.base import Query, Surroundings, open_target
from pytest_graph_eval.targets.loop import LoopThread
from pytest_graph_eval.targets.mcp.server import McpServer

from .processes import free_port, left_in, listens, processes_in

SERVERS = Path(__file__).parent.parent / "servers"
RAW = [sys.executable, str(SERVERS / "raw_server.py")]
SDK = [sys.executable, str(SERVERS / "sdk_server.py")]
HTTP = {"streamable-http": "/mcp", "sse": "/sse"}


@pytest.fixture
def make(loop: LoopThread, tmp_path: Path) -> Iterator[Callable[..., McpServer]]:
    """Make targets whose servers run in a folder of their own; in the end no process may be left there."""
    targets: list[McpServer] = []
    folder = tmp_path / "suite"
    folder.mkdir()

    def make(*faults: str, **settings: Any) -> McpServer:
        if "url" not in settings:
            settings.setdefault("command", [*RAW, *faults])
        target = open_target(McpTarget(**settings), Surroundings(folder, tmp_path / "tmp", "gw0", "s.yaml:3"))
        assert isinstance(target, McpServer)
        targets.append(target)
        return target

    yield make
    for target in targets:
        loop.run(target.close())
    assert left_in(folder) == []


@pytest.fixture
def ask(loop: LoopThread) -> Callable[..., Response]:
    def ask(target: McpServer, question: str = "hello", timeout: float = 10, **more: Any) -> Response:
        return loop.run(target.ask(Query(question, timeout=timeout, **more)))

    return ask


@pytest.fixture
def failure(loop: LoopThread) -> Callable[..., TargetError]:
    """Ask a question that must fail, and return how."""

    def failure(target: McpServer, question: str = "hello", timeout: float = 10, within: float = 3) -> TargetError:
        start = time.monotonic()
        with pytest.raises(TargetError) as error:
            loop.run(target.ask(Query(question, timeout=timeout)))
        assert time.monotonic() - start < within
        return error.value

    return failure


@pytest.fixture(scope="module")
def sdk(loop: LoopThread, tmp_path_factory: pytest.TempPathFactory) -> Iterator[McpServer]:
    """A server of the SDK over stdio, started once: that takes longest."""
    folder = tmp_path_factory.mktemp("sdk")
    target = open_target(McpTarget(command=SDK), Surroundings(folder, folder))
    assert isinstance(target, McpServer)
    yield opened(loop, target)
    loop.run(target.close())
    assert left_in(folder) == []


def opened(loop: LoopThread, target: McpServer) -> McpServer:
    loop.run(target.open())
    return target


def refusal(loop: LoopThread, target: McpServer, within: float = 3) -> TargetError:
    start = time.monotonic()
    with pytest.raises(TargetError) as error:
        loop.run(target.open())
    assert time.monotonic() - start < within
    return error.value


# Remote servers


class Remote:
    """A server on a port of its own, that can be killed and started again."""

    def __init__(self, transport: str) -> None:
        self.port = free_port()
        self.transport = transport
        self.url = f"http://127.0.0.1:{self.port}{HTTP[transport]}"
        self.start()

    def start(self) -> None:
        command = [*SDK, self.transport, str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if listens(self.port):
                return
            time.sleep(0.02)
        raise AssertionError("the test server did not start")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)


@pytest.fixture(scope="module", params=list(HTTP))
def remote(request: pytest.FixtureRequest) -> Iterator[Remote]:
    server = Remote(request.param)
    yield server
    server.kill()


def settings_of(remote: Remote, **more: Any) -> dict[str, Any]:
    return {"url": remote.url, "transport": "sse" if remote.transport == "sse" else "http", **more}


# Good servers


def test_a_server_of_the_sdk_answers_over_stdio(loop: LoopThread, sdk: McpServer, ask: Any) -> None:
    status = loop.run(sdk.status())
    assert (status.entities, status.relationships) == (1, 1)
    assert status.tools["query_graph_tool"]["required"] == ["query"]
    response = ask(sdk, "Who?", mode="global")
    assert (response.answer, response.mode) == ("Who?", "global")
    assert [e.type for e in response.entities] == ["PERSON"]
    assert [r.type for r in response.relationships] == ["EMPLOYS"]
    assert [c.id for c in response.chunks] == ["chunk_010"]
    assert 0 < response.elapsed_s < 10


def test_the_older_handshake_can_be_asked_for(loop: LoopThread, make: Any, ask: Any) -> None:
    assert ask(opened(loop, make(protocol="legacy"))).answer == "hello"


def test_a_remote_server_answers(loop: LoopThread, make: Any, ask: Any, remote: Remote) -> None:
    target = opened(loop, make(**settings_of(remote, headers={"X-Test": "1"})))
    assert loop.run(target.status()).entities == 1
    assert ask(target, "Who?").answer == "Who?"
    assert ask(opened(loop, make(**settings_of(remote, tool="as_text", arguments={"query": "{question}"})))).entities


def test_twenty_questions_at_once_get_their_own_answers(loop: LoopThread, make: Any, remote: Remote) -> None:
    for target in (opened(loop, make()), opened(loop, make(**settings_of(remote)))):
        futures = [loop.submit(target.ask(Query(f"q{i}", timeout=20))) for i in range(20)]
        assert [f.result(20).answer for f in futures] == [f"q{i}" for i in range(20)]


def test_all_pages_of_tools_are_listed(loop: LoopThread, make: Any) -> None:
    tools = loop.run(opened(loop, make()).status()).tools
    assert sorted(tools) == ["get_server_status", "query_graph_tool", "reingest_from_file"]


def test_arguments_are_merged_and_filled_in(loop: LoopThread, make: Any, ask: Any, tmp_path: Path) -> None:
    arguments = {
        "query": "{question}",
        "mode": "{mode}",
        "cypher": "MATCH (n {id: $x})",
        "where": "{tmp}/{worker}",
        "k": 3,
    }
    target = opened(loop, make(arguments=arguments))
    response = ask(target, "arguments", mode="kg", arguments={"k": 5, "hint": "{query_hints}"}, query_hints="h")
    assert json.loads(response.answer) == {
        "query": "arguments",
        "mode": "kg",
        "cypher": "MATCH (n {id: $x})",
        "where": f"{tmp_path / 'tmp'}/gw0",
        "k": 5,
        "hint": "h",
    }


def test_a_server_gets_our_env_over_the_safe_list_and_nothing_else(
    loop: LoopThread, make: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "s3cret-value")
    monkeypatch.setenv("NOT_FOR_SERVERS", "1")
    target = opened(loop, make(env={"KEY": "${API_KEY}", "DIR": "{tmp}", "MODE": "${MODE_X:-fast}"}))
    environment = json.loads(ask(target, "environment").answer)
    assert (environment["KEY"], environment["MODE"]) == ("s3cret-value", "fast")
    assert environment["DIR"].endswith("/tmp")
    assert "PATH" in environment
    assert "NOT_FOR_SERVERS" not in environment
    assert target.secrets == {"s3cret-value"}


def test_a_server_runs_in_the_folder_of_the_suite_unless_told_otherwise(
    loop: LoopThread, make: Any, ask: Any, tmp_path: Path
) -> None:
    assert ask(opened(loop, make()), "cwd").answer == str(tmp_path / "suite")
    (tmp_path / "suite" / "data").mkdir()
    assert ask(opened(loop, make(cwd="data")), "cwd").answer == str(tmp_path / "suite" / "data")


def test_setup_calls_run_after_each_start(loop: LoopThread, make: Any, failure: Any, tmp_path: Path) -> None:
    (tmp_path / "suite" / "x.json").write_text('{"entities": []}', "utf-8")
    setup = [{"tool": "reingest_from_file", "arguments": {"file_path": {"$file": "x.json"}}}]
    target = opened(loop, make("empty", setup=setup))
    assert loop.run(target.status()).entities == 3
    failure(target, "die")
    (tmp_path / "suite" / "ingested").unlink()
    assert loop.run(target.status()).entities == 3


def test_opening_twice_starts_one_server(loop: LoopThread, make: Any, ask: Any) -> None:
    target = opened(loop, make())
    pid = ask(target, "pid").answer
    assert ask(opened(loop, target), "pid").answer == pid


# Servers that do not start


def test_a_missing_command_is_named(loop: LoopThread, make: Any) -> None:
    error = refusal(loop, make(command=["no-such-server", "--flag"]))
    assert isinstance(error, TransportError)
    assert str(error) == (
        "no-such-server: the command 'no-such-server' was not found on the PATH; give its path or install it"
    )


def test_a_server_that_exits_at_once_shows_status_and_last_words(loop: LoopThread, make: Any) -> None:
    error = refusal(loop, make("exit"))
    assert isinstance(error, TransportError)
    assert str(error).endswith(": the server ended with exit status 7 before it was ready")
    lines = error.stderr.splitlines()
    assert len(lines) == 20
    assert lines[-1] == "ValueError: vector index has dimension 8, configured is 384"


@pytest.mark.parametrize("fault", ["hang", "garbage then hang"])
def test_a_server_that_hangs_at_start_ends_in_time(loop: LoopThread, make: Any, fault: str) -> None:
    error = refusal(loop, make(fault, start_timeout=0.5))
    assert isinstance(error, TargetTimeout)
    assert "the server was not ready within 0.5 s" in str(error)
    assert ("on stdout it wrote what is no MCP message: Welcome to the graph server!" in str(error)) == (
        fault != "hang"
    )
    assert error.stderr == "raw server starting"


def test_what_a_program_prints_that_is_no_server_is_shown(loop: LoopThread, make: Any) -> None:
    error = refusal(loop, make(command=[sys.executable, "-c", "print('usage: tool [options]')"]))
    assert "exit status 0" in str(error)
    assert "on stdout it wrote what is no MCP message: usage: tool [options]" in str(error)


def test_a_remote_server_that_is_not_there_is_named(loop: LoopThread, make: Any) -> None:
    error = refusal(loop, make(url="http://127.0.0.1:9/mcp"))
    assert isinstance(error, TransportError)
    assert str(error) == (
        "127.0.0.1 (http://127.0.0.1:9/mcp): the server cannot be reached: All connection attempts failed"
    )


def test_a_remote_server_that_speaks_something_else_ends_in_an_error(
    loop: LoopThread, make: Any, remote: Remote
) -> None:
    error = refusal(loop, make(url=remote.url + "/nowhere", start_timeout=2))
    assert not isinstance(error, TargetTimeout)


def test_a_port_that_accepts_and_says_nothing_ends_in_time(loop: LoopThread, make: Any) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        for transport in ("http", "sse"):
            url = f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"
            assert isinstance(refusal(loop, make(url=url, transport=transport, start_timeout=0.3)), TargetTimeout)


def test_a_failing_setup_call_is_named(loop: LoopThread, make: Any) -> None:
    setup = [{"tool": "get_server_status"}, {"tool": "reingest_from_file"}]
    error = refusal(loop, make("reingest fails", setup=setup))
    assert isinstance(error, ReplyError)
    assert 'setup call 2 (reingest_from_file): the server reports status "error": no such file' in str(error)
    assert isinstance(refusal(loop, make(setup=[{"tool": "nope"}])), ToolError)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"env": {"A": "${GRAPH_EVAL_UNSET_A}"}},
            "s.yaml:3: the environment variable GRAPH_EVAL_UNSET_A is not set",
        ),
        ({"setup": [{"tool": "t", "arguments": {"$file": "no.json"}}]}, "no.json: No such file or directory"),
        (
            {"response": {"answer": "a[["}},
            f"s.yaml:3: target {Path(sys.executable).name}: no `tool:` says which tool takes the question",
        ),
        ({"response": {"answer": "a[["}, "tool": "t"}, "response.answer: 'a[[' is no path"),
    ],
)
def test_settings_that_cannot_be_followed_are_preflight_errors(
    loop: LoopThread, make: Any, settings: dict[str, Any], message: str
) -> None:
    error = refusal(loop, make(**settings))
    assert isinstance(error, PreflightError)
    assert message in str(error)


# Replies


@pytest.mark.parametrize(
    ("question", "kind", "message"),
    [
        ("isError", ToolError, "query_graph_tool replied with an error: Error executing tool: mode is wrong"),
        ("status error", ReplyError, 'the server reports status "error": embedding endpoint is down'),
        ("foreign", ReplyError, "none of the mapped keys: it is an object with the keys rows"),
        ("no result", ReplyError, "the reply breaks the MCP protocol: content.0"),
        ("huge", ReplyError, "the reply is larger than 16 MiB and was not read"),
    ],
)
def test_unusable_replies_are_told_apart_and_the_server_is_asked_on(
    loop: LoopThread, make: Any, ask: Any, failure: Any, question: str, kind: type[TargetError], message: str
) -> None:
    target = opened(loop, make())
    pid = ask(target, "pid").answer
    error = failure(target, question)
    assert type(error) is kind
    assert message in str(error)
    assert ask(target, "pid").answer == pid


def test_a_huge_line_that_belongs_to_no_call_costs_a_new_server_but_no_restart(
    loop: LoopThread, make: Any, ask: Any, failure: Any
) -> None:
    target = opened(loop, make(restarts=0))
    assert "larger than 16 MiB" in str(failure(target, "huge garbage"))
    assert ask(target).answer == "hello"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("odd text", "graph.entities|entities is the text 'many'; a whole number is expected"),
        (
            "odd status",
            "the reply of get_server_status cannot be read: graph is the text 'fine'; an object is expected",
        ),
    ],
)
def test_a_status_that_cannot_be_read_says_why(loop: LoopThread, make: Any, fault: str, message: str) -> None:
    with pytest.raises(ReplyError) as error:
        loop.run(opened(loop, make(fault)).status())
    assert message in str(error.value)


@pytest.mark.parametrize(("fault", "count"), [("odd list", 2), ("odd null", None)])
def test_a_count_may_be_a_list_or_left_out(loop: LoopThread, make: Any, fault: str, count: int | None) -> None:
    status = loop.run(opened(loop, make(fault)).status())
    assert (status.entities, status.relationships) == (count, None)


def test_a_status_tool_with_an_error_is_an_error(loop: LoopThread, make: Any) -> None:
    target = opened(loop, make(preflight={"tool": "query_graph_tool", "arguments": {"query": "isError"}}))
    with pytest.raises(ToolError, match="mode is wrong"):
        loop.run(target.status())


def test_without_recovery_settings_there_is_nothing_to_recover(loop: LoopThread, make: Any, ask: Any) -> None:
    target = opened(loop, make())
    pid = ask(target, "pid").answer
    loop.run(target.recover())
    assert ask(target, "pid").answer == pid


def test_an_unknown_tool_is_the_servers_error(loop: LoopThread, make: Any, failure: Any) -> None:
    error = failure(opened(loop, make(tool="nope")))
    assert isinstance(error, ToolError)
    assert str(error) == "nope replied with an error: Unknown tool: nope"


@pytest.mark.parametrize("question", ["empty", "null", "nothing"])
def test_nothing_is_no_error_and_no_evidence(loop: LoopThread, make: Any, ask: Any, question: str) -> None:
    response = ask(opened(loop, make()), question)
    assert (response.answer, response.entities, response.chunks) == (None, [], [])
    assert not response.has_evidence()


def test_prose_is_the_answer(loop: LoopThread, make: Any, ask: Any) -> None:
    assert ask(opened(loop, make()), "prose").answer == "I do not know."


def test_garbage_on_stdout_breaks_nothing(
    loop: LoopThread, make: Any, ask: Any, caplog: pytest.LogCaptureFixture
) -> None:
    target = opened(loop, make("noisy start"))
    assert ask(target, "garbage").answer == "garbage"
    assert ask(target).answer == "hello"
    assert caplog.records == []


def test_a_huge_remote_reply_is_refused_and_the_server_is_asked_on(
    loop: LoopThread, make: Any, ask: Any, failure: Any, remote: Remote
) -> None:
    """It costs a connection, which is ours to replace: it counts as no restart."""
    target = opened(loop, make(**settings_of(remote, restarts=0)))
    error = failure(target, "huge", within=6)
    assert isinstance(error, ReplyError)
    assert "16 MiB" in str(error) or "exceeded the 1048576 byte limit" in str(error)
    assert ask(target).answer == "hello"


# Servers that die or hang


def test_a_server_that_dies_is_restarted_within_bounds(loop: LoopThread, make: Any, ask: Any, failure: Any) -> None:
    target = opened(loop, make("dies in third query", restarts=1))
    for _ in range(2):
        assert [ask(target).answer, ask(target).answer] == ["hello", "hello"]
        error = failure(target)
        assert type(error) is TransportError
        assert str(error) == "the server ended with exit status 3 while a reply from query_graph_tool was awaited"
        assert error.stderr.splitlines()[-1] == "Traceback: out of memory"
    for _ in range(3):
        error = failure(target, within=0.2)
        assert type(error) is TransportError
        assert str(error) == (
            f"{target.name}: given up after 1 restarts; last: "
            "the server ended with exit status 3 while a reply from query_graph_tool was awaited"
        )
        assert "out of memory" in error.stderr


def test_a_server_that_does_not_start_again_counts_against_the_bound(
    loop: LoopThread, make: Any, failure: Any, tmp_path: Path
) -> None:
    """The vector index broke under it: it runs, dies, and refuses to start from then on."""
    target = opened(loop, make("mismatch", restarts=2))
    failure(target, "die")
    (tmp_path / "suite" / "vdb_x.dim-mismatch-1.bak").touch()
    for _ in range(2):
        assert "the server ended with exit status 1 before it was ready" in str(failure(target))
    error = failure(target, within=0.2)
    assert "given up after 2 restarts" in str(error)
    assert "embedding dimension mismatch" in error.stderr


def test_all_that_wait_when_a_server_dies_are_told_and_it_is_started_once(
    loop: LoopThread, make: Any, ask: Any
) -> None:
    target = opened(loop, make(restarts=1))
    futures = [loop.submit(target.ask(Query(q, timeout=10))) for q in ["die", *["x"] * 8]]
    for future in futures:
        with pytest.raises(TransportError, match="exit status 4"):
            future.result(5)
    assert ask(target).answer == "hello"


def test_a_server_that_is_killed_during_a_question_is_told_by_its_signal(loop: LoopThread, make: Any, ask: Any) -> None:
    target = opened(loop, make())
    pid = int(ask(target, "pid").answer)
    asking = loop.submit(target.ask(Query("hang", timeout=10)))
    time.sleep(0.2)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(TransportError, match="the server ended by signal 9 while a reply from query_graph_tool"):
        asking.result(2)
    assert int(ask(target, "pid").answer) != pid


def test_a_question_that_hangs_ends_in_time_and_the_session_is_usable(
    loop: LoopThread, make: Any, ask: Any, failure: Any, sdk: McpServer, remote: Remote
) -> None:
    for target in (sdk, opened(loop, make(**settings_of(remote)))):
        error = failure(target, "hang", timeout=0.3, within=1.5)
        assert type(error) is TargetTimeout
        assert str(error) == "no reply from query_graph_tool within 0.3 s"
        assert ask(target).answer == "hello"


def test_an_interrupt_during_a_question_leaves_the_session_usable(ask: Any, sdk: McpServer) -> None:
    """Ctrl-C arrives in the main thread, which waits for the loop."""
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        ask(sdk, "hang", timeout=30)
    assert time.monotonic() - start < 2
    assert ask(sdk).answer == "hello"


def test_a_server_that_blocks_ends_in_time_and_closes_in_time(loop: LoopThread, make: Any, failure: Any) -> None:
    target = opened(loop, make())
    assert isinstance(failure(target, "hang", timeout=0.2, within=1.5), TargetTimeout)
    start = time.monotonic()
    loop.run(target.close())
    assert time.monotonic() - start < 4


# The end


def test_what_a_server_started_ends_with_it(loop: LoopThread, make: Any, ask: Any, tmp_path: Path) -> None:
    target = opened(loop, make("child"))
    ask(target)
    assert len(processes_in(tmp_path / "suite")) == 2
    loop.run(target.close())
    assert left_in(tmp_path / "suite") == []


def test_a_server_that_ignores_its_end_is_killed(loop: LoopThread, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_graph_eval.targets.mcp.stdio.END_GRACE", 0.2)
    target = opened(loop, make("ignores eof"))
    start = time.monotonic()
    loop.run(target.close())
    assert 0.4 < time.monotonic() - start < 2


def test_closing_twice_and_asking_then_is_no_accident(loop: LoopThread, make: Any, failure: Any) -> None:
    target = opened(loop, make())
    loop.run(target.close())
    loop.run(target.close())
    assert "the target is not open" in str(failure(target))


def test_closing_during_a_question_ends_it_at_once(loop: LoopThread, make: Any, remote: Remote) -> None:
    for settings in ({}, settings_of(remote)):
        target = opened(loop, make(**settings))
        asking = loop.submit(target.ask(Query("hang", timeout=10)))
        time.sleep(0.3)
        closing = loop.submit(target.close())
        with pytest.raises(TransportError, match="closed while it waited"):
            asking.result(1)
        closing.result(6)


def test_closing_during_a_start_ends_it(loop: LoopThread, make: Any) -> None:
    target = make("hang")
    starting = loop.submit(target.open())
    time.sleep(0.4)
    loop.submit(target.close()).result(4)
    with pytest.raises(TransportError):
        starting.result(2)


def test_an_interrupt_during_a_start_leaves_no_process(loop: LoopThread, make: Any, tmp_path: Path) -> None:
    threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        loop.run(make("hang").open())
    assert left_in(tmp_path / "suite") == []


def test_a_loop_that_ends_first_takes_the_servers_with_it(tmp_path: Path) -> None:
    thread = LoopThread()
    target = open_target(McpTarget(command=[*RAW, "ignores eof"]), Surroundings(tmp_path, tmp_path))
    thread.run(target.open())
    assert len(processes_in(tmp_path)) == 1
    assert thread.close()
    assert left_in(tmp_path) == []


def test_a_process_that_ends_without_closing_leaves_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from pytest_graph_eval.models.settings import McpTarget\n"
        "from pytest_graph_eval.targets.base import Surroundings, open_target\n"
        "from pytest_graph_eval.targets.loop import LoopThread\n"
        f"spec = McpTarget(command={[*RAW, 'ignores eof', 'child']!r})\n"
        "target = open_target(spec, Surroundings(Path.cwd(), Path.cwd()))\n"
        "LoopThread().run(target.open())\n"
        "print('open')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "open\n", "")
    assert left_in(tmp_path) == []


# Preflight and recovery against real servers


def run_preflight(loop: LoopThread, target: McpServer, **settings: Any) -> PreflightResult:
    spec = target._spec.model_copy(update=settings)
    return loop.run(preflight(target, spec, [Scenario(id="A", question="q")]))


def test_the_preflight_opens_and_checks_a_server(loop: LoopThread, make: Any) -> None:
    result = run_preflight(loop, make())
    assert (result.status.entities, result.status.relationships) == (3, 2)


def test_an_emptied_graph_is_brought_back(loop: LoopThread, make: Any, ask: Any) -> None:
    recover = {"tool": "reingest_from_file", "arguments": {"file_path": "x.json"}}
    with pytest.raises(PreflightError, match="Run ingestion first"):
        run_preflight(loop, make("empty"))
    target = make("empty", recover=recover)
    result = run_preflight(loop, target)
    assert result.warnings == ("recovered",)
    assert result.status.entities == 3
    assert ask(target).answer == "hello"


def test_a_server_that_refuses_to_start_over_the_dimension_is_recovered(
    loop: LoopThread, make: Any, ask: Any, tmp_path: Path
) -> None:
    backup = tmp_path / "suite" / "vdb_entities.json.dim-mismatch-1780127123.bak"
    backup.touch()
    with pytest.raises(PreflightError) as error:
        run_preflight(loop, make("mismatch", graph_dir="."))
    assert "the server refuses to start: ValueError: embedding dimension mismatch" in str(error.value)
    target = make("mismatch", graph_dir=".", recover={"tool": "reingest_from_file", "clear_backups": True})
    assert run_preflight(loop, target).warnings == ("recovered",)
    assert not backup.exists()
    assert ask(target).answer == "hello"


def test_backups_are_only_deleted_where_that_is_allowed(loop: LoopThread, make: Any, tmp_path: Path) -> None:
    backup = tmp_path / "suite" / "vdb_entities.json.dim-mismatch-1780127123.bak"
    backup.touch()
    with pytest.raises(PreflightError, match=r"backup files in .* \(still so after the recovery\)"):
        run_preflight(loop, make(graph_dir=".", recover={"tool": "reingest_from_file"}))
    with pytest.raises(PreflightError, match=r"recover\.clear_backups needs `graph_dir:`"):
        run_preflight(loop, make("mismatch", recover={"tool": "reingest_from_file", "clear_backups": True}))
    assert backup.exists()


def test_a_recovery_that_fails_is_named(loop: LoopThread, make: Any) -> None:
    with pytest.raises(PreflightError, match=r"the recovery failed: .*reingest_from_file.*no such file"):
        run_preflight(loop, make("empty", "reingest fails", recover={"tool": "reingest_from_file"}))


# Remote servers that stop; last in this file, because the server is gone then


def test_a_remote_server_that_blocks_is_left_in_time_and_asked_again_once_it_was_restarted(
    loop: LoopThread, make: Any, ask: Any, failure: Any, remote: Remote
) -> None:
    """Its session is gone, but the question cannot have been answered: it is sent over a new one."""
    before = opened(loop, make(**settings_of(remote)))
    assert ask(before).answer == "hello"
    target = opened(loop, make(**settings_of(remote)))
    assert isinstance(failure(target, "block", timeout=0.2, within=1.5), TargetTimeout)
    start = time.monotonic()
    loop.run(target.close())
    assert time.monotonic() - start < 4
    remote.kill()
    remote.start()
    assert ask(before).answer == "hello"


def test_a_remote_server_that_is_killed_during_a_question_is_noticed_at_once(
    loop: LoopThread, make: Any, failure: Any, remote: Remote
) -> None:
    target = opened(loop, make(**settings_of(remote)))
    asking = loop.submit(target.ask(Query("hang", timeout=10)))
    time.sleep(0.4)
    remote.kill()
    with pytest.raises(TransportError) as error:
        asking.result(2)
    assert type(error.value) is TransportError
    assert "the server cannot be reached" in str(failure(target))
    assert "given up" not in str(failure(target))
    assert "given up after 2 restarts; last: " in str(failure(target, within=0.2))
