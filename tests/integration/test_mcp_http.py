"""What HTTP servers, gateways and proxies say besides MCP: status codes, being busy, bodies without an end."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import ReplyError, TargetError, ToolError, TransportError
from pytest_graph_eval.models.settings import McpTarget
from pytest_graph_eval.targets.base import Query, Surroundings, Target, open_target
from pytest_graph_eval.targets.limiter import Limiter
from pytest_graph_eval.targets.loop import LoopThread

REPLY = {"content": [{"type": "text", "text": json.dumps({"answer": "hello"})}]}


class Handler(BaseHTTPRequestHandler):
    """Speaks just enough MCP over HTTP; `server.plan` holds what to do with the next tool calls instead."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Write nothing to stderr."""

    def do_GET(self) -> None:
        self.reply(405, b"")

    def do_DELETE(self) -> None:
        self.reply(200, b"")

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append((message.get("method"), dict(self.headers)))
        if "id" not in message:
            self.reply(202, b"")
            return
        method, plan = message["method"], self.server.plan
        if plan and method in plan[0][0]:
            plan.pop(0)[1](self, message)
        elif method == "initialize":
            version = message["params"]["protocolVersion"]
            info = {
                "protocolVersion": version,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "x", "version": "1"},
            }
            self.result(message, info)
        elif method == "tools/call":
            self.result(message, REPLY)
        else:
            self.error(message, 400, -32601, "no such method")

    def result(self, message: Any, result: Any) -> None:
        self.reply(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode())

    def error(self, message: Any, status: int, code: int, text: str) -> None:
        error = {"code": code, "message": text}
        self.reply(status, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode())

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-type", headers.pop("content_type", "application/json"))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan: list[tuple[tuple[str, ...], Callable[[Handler, Any], None]]] = []
        self.seen: list[tuple[str, dict[str, str]]] = []

    def handle_error(self, *_: Any) -> None:
        """Write nothing when a client has gone."""


CALL = ("tools/call",)
START = ("initialize", "server/discover")


def status(code: int, **headers: str) -> Callable[[Handler, Any], None]:
    return lambda handler, _: handler.reply(code, b"<html>gateway</html>", content_type="text/html", **headers)


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def make(server: Server, loop: LoopThread, tmp_path: Path) -> Iterator[Callable[..., Target]]:
    targets = []

    def make(**settings: Any) -> Target:
        url = f"http://127.0.0.1:{server.server_port}/mcp"
        targets.append(open_target(McpTarget(url=url, **settings), Surroundings(tmp_path, tmp_path)))
        return targets[-1]

    yield make
    for target in targets:
        loop.run(target.close())


def ask(loop: LoopThread, target: Target, timeout: float = 10) -> Any:
    return loop.run(target.ask(Query("q", timeout=timeout))).answer


def failure(loop: LoopThread, target: Target, within: float = 3, timeout: float = 10) -> TargetError:
    start = time.monotonic()
    with pytest.raises(TargetError) as error:
        ask(loop, target, timeout)
    assert time.monotonic() - start < within
    return error.value


def opened(loop: LoopThread, target: Target) -> Target:
    loop.run(target.open())
    return target


def test_headers_are_sent_with_every_request(loop: LoopThread, make: Any, server: Server) -> None:
    assert ask(loop, opened(loop, make(headers={"Authorization": "Bearer t"}))) == "hello"
    assert {headers.get("authorization", headers.get("Authorization")) for _, headers in server.seen} == {"Bearer t"}


@pytest.mark.parametrize(
    ("code", "hint"), [(401, r" \(is the key in `headers:` right\?\)"), (404, r" \(is `url:` right\?\)"), (500, r"\Z")]
)
def test_a_refused_connection_names_the_http_status_and_what_may_be_wrong(
    loop: LoopThread, make: Any, server: Server, code: int, hint: str
) -> None:
    server.plan += [(START, status(code))] * 4
    with pytest.raises(TransportError, match=rf"the server answered HTTP {code} [\w ]+{hint}$"):
        loop.run(make().open())


def test_a_json_service_that_speaks_no_mcp_is_told_from_a_refusal(make: Any, loop: LoopThread, server: Server) -> None:
    server.plan += [(START, lambda handler, _: handler.reply(200, b'{"answer": "x"}'))] * 4
    with pytest.raises(TargetError) as caught:
        loop.run(make().open())
    assert str(caught.value).endswith(
        "the reply breaks the MCP protocol: it is no JSON-RPC message; is `url:` that of an MCP server? A JSON service "
        "is `kind: http`"
    )


def test_a_failing_call_names_the_http_status(loop: LoopThread, make: Any, server: Server) -> None:
    target = opened(loop, make())
    server.plan.append((CALL, status(502)))
    error = failure(loop, target)
    assert type(error) is TransportError
    assert str(error) == "the server answered HTTP 502 Bad Gateway"
    assert ask(loop, target) == "hello"


def test_a_refusal_with_a_message_of_its_own_keeps_it(loop: LoopThread, make: Any, server: Server) -> None:
    target = opened(loop, make())
    server.plan.append((CALL, lambda handler, message: handler.error(message, 200, -32602, "unknown tool: q")))
    error = failure(loop, target)
    assert type(error) is ToolError
    assert str(error) == "the server refused the call: unknown tool: q (code -32602)"


@pytest.mark.parametrize("code", [429, 503])
def test_a_busy_server_is_asked_again(loop: LoopThread, make: Any, server: Server, code: int) -> None:
    target = opened(loop, make(restarts=0))
    server.plan += [(CALL, status(code, Retry_After="0")), (CALL, status(code))]
    start = time.monotonic()
    assert ask(loop, target) == "hello"
    assert 0.8 < time.monotonic() - start < 3
    assert [method for method, _ in server.seen].count("tools/call") == 3


def test_questions_that_were_refused_are_asked_again_at_the_rate(loop: LoopThread, make: Any, server: Server) -> None:
    target = make()
    target.limiter = Limiter(rate=5)
    opened(loop, target)
    again: list[float] = []

    def late(handler: Handler, message: Any) -> None:
        again.append(time.monotonic())
        handler.result(message, REPLY)

    async def main() -> list[str | None]:
        replies = await asyncio.gather(*(target.ask(Query(f"q{n}", timeout=10)) for n in range(3)))
        return [reply.answer for reply in replies]

    server.plan += [(CALL, status(429, Retry_After="1"))] * 3 + [(CALL, late)] * 3
    start = time.monotonic()
    assert loop.run(main()) == ["hello"] * 3
    assert again[0] - start > 0.9
    assert again[2] - again[0] > 0.3


def test_a_server_that_stays_busy_is_an_error_after_bounded_tries(loop: LoopThread, make: Any, server: Server) -> None:
    target = opened(loop, make())
    server.plan += [(CALL, status(503, Retry_After="0"))] * 9
    error = failure(loop, target)
    assert type(error) is TransportError
    assert str(error) == "the server answered HTTP 503 Service Unavailable"
    assert [method for method, _ in server.seen].count("tools/call") == 4


def test_waiting_for_a_busy_server_ends_with_the_time_of_the_question(
    loop: LoopThread, make: Any, server: Server
) -> None:
    target = opened(loop, make())
    server.plan.append((CALL, status(503, Retry_After="3600")))
    assert "no reply from query_graph_tool within 0.3 s" in str(failure(loop, target, within=2, timeout=0.3))


def test_a_json_body_beyond_the_limit_is_refused_before_it_is_read(loop: LoopThread, make: Any, server: Server) -> None:
    sent = []

    def flood(handler: Handler, _: Any) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(10**10))
        handler.end_headers()
        while True:
            handler.wfile.write(b" " * 2**20)
            sent.append(2**20)

    target = opened(loop, make(restarts=0))
    server.plan.append((CALL, flood))
    error = failure(loop, target)
    assert isinstance(error, ReplyError)
    assert "larger than 16 MiB" in str(error)
    assert sum(sent) < 64 * 2**20
    assert ask(loop, target) == "hello"


def test_a_body_that_breaks_off_is_noticed_at_once(loop: LoopThread, make: Any, server: Server) -> None:
    def cut(handler: Handler, _: Any) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"jsonrpc"')
        handler.close_connection = True

    target = opened(loop, make())
    server.plan.append((CALL, cut))
    error = failure(loop, target)
    assert type(error) is TransportError
    assert "the connection broke" in str(error)
    assert ask(loop, target) == "hello"
