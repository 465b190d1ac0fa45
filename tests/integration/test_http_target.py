"""Real sockets: servers that are slow, busy, broken, gone, or speak something else, each end with its cause."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import gzip
import ipaddress
import json
import re
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import ReplyError, TargetError, TargetTimeout, TransportError
from pytest_graph_eval.evaluation.evaluate import Context, score_scenario
from pytest_graph_eval.evaluation.pool import Pool
from pytest_graph_eval.models.records import Record, Response
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.models.settings import HttpTarget
from pytest_graph_eval.targets.base import Query, Surroundings, open_target
from pytest_graph_eval.targets.http import wire as http_wire

OK = b'{"answer": "Bob"}'
Act = Callable[[socket.socket], None]


def http(status: str, body: bytes = b"", *headers: str, length: int | None = None) -> bytes:
    """Return the bytes of a reply; `length` may lie."""
    lines = [f"HTTP/1.1 {status}", "content-type: application/json", "connection: close", *headers]
    lines.append(f"content-length: {len(body) if length is None else length}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def sends(*parts: bytes, pause: float = 0.0) -> Act:
    def act(connection: socket.socket) -> None:
        for part in parts:
            connection.sendall(part)
            time.sleep(pause)

    return act


def resets(*parts: bytes) -> Act:
    """Send a part of a reply and reset the connection."""

    def act(connection: socket.socket) -> None:
        sends(*parts)(connection)
        time.sleep(0.05)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return act


class Server:
    """Answers each request by the next act of its plan, with `OK` when there is none left; one request a connection."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.plan: list[Act] = []
        self.first: Act = sends(http("405 Method Not Allowed"))
        self.requests: list[bytes] = []
        self._tls = tls
        self._stopped = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}/ask"

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(5)
        try:
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            request = self._read(connection)
            if request.startswith(b"OPTIONS"):
                self.first(connection)
            elif request.startswith(b"\x16"):
                connection.sendall(http("400 Bad Request"))
            elif request:
                self.requests.append(request)
                act = self.plan.pop(0) if self.plan else sends(http("200 OK", OK))
                act(connection)
        except OSError:
            pass
        finally:
            connection.close()

    def _read(self, connection: socket.socket) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data and not data.startswith(b"\x16"):  # the first byte of a TLS handshake
            part = connection.recv(65536)
            if not part:
                return data
            data += part
        found = re.search(rb"content-length: (\d+)", data, re.IGNORECASE)
        head, _, body = data.partition(b"\r\n\r\n")
        while found and len(body) < int(found[1]):
            body += connection.recv(65536)
        return head + b"\r\n\r\n" + body

    def close(self) -> None:
        self._stopped.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(6)


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_wire, "RETRY_DELAYS", (0.01, 0.02, 0.03))


def ask(url: str, *, timeout: float = 5.0, times: int = 1, **settings: Any) -> Response:
    async def main() -> Response:
        target = open_target(HttpTarget(url=url, **settings), Surroundings(Path(), Path(), where="s.yaml:2"))
        await target.open()
        try:
            for _ in range(times - 1):
                await target.ask(Query("q", timeout=timeout))
            return await target.ask(Query("Who owns X?", timeout=timeout))
        finally:
            await target.close()

    return asyncio.run(main())


def fails(kind: type[TargetError], url: str, **settings: Any) -> TargetError:
    with pytest.raises(TargetError) as caught:
        ask(url, **settings)
    assert type(caught.value) is kind
    return caught.value


def test_a_question_goes_out_and_the_answer_comes_back(server: Server) -> None:
    response = ask(server.url, json={"q": "{question}"}, headers={"X-API-Key": "k"})
    (request,) = server.requests
    assert request.startswith(b"POST /ask HTTP/1.1\r\n")
    assert b"x-api-key: k\r\n" in request.lower()
    assert json.loads(request.partition(b"\r\n\r\n")[2]) == {"q": "Who owns X?"}
    assert (response.answer, response.attempts) == ("Bob", 1)


# --- tried again ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "trouble",
    [
        sends(),
        resets(),
        sends(http("429 Too Many Requests")),
        sends(http("503 Service Unavailable", b"busy", "retry-after: 0")),
        sends(http("503 Service Unavailable", b"", "retry-after: soon")),
        sends(http("503 Service Unavailable", b"", "retry-after: Fri, 31 Dec 1999 23:59:59 GMT")),
    ],
    ids=["closed", "reset", "429", "503", "503 nonsense", "503 past date"],
)
def test_what_was_not_processed_is_asked_again_and_counted(server: Server, trouble: Act) -> None:
    server.plan = [trouble, trouble]
    response = ask(server.url)
    assert (response.answer, response.attempts, len(server.requests)) == ("Bob", 3, 3)


def test_the_wait_that_a_server_asks_for_is_kept_and_is_no_time_of_the_answer(server: Server) -> None:
    server.plan = [sends(http("429 Too Many Requests", b"", "retry-after: 1"))]
    start = time.monotonic()
    response = ask(server.url)
    assert time.monotonic() - start >= 1.0
    assert response.attempts == 2
    assert response.elapsed_s is not None
    assert response.elapsed_s < 0.9


def test_a_date_to_wait_for_is_kept(server: Server) -> None:
    soon = format_datetime(datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=2), usegmt=True)
    server.plan = [sends(http("503 Service Unavailable", b"", f"retry-after: {soon}"))]
    start = time.monotonic()
    assert ask(server.url).attempts == 2
    assert 0.5 < time.monotonic() - start < 4


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (
            sends(),
            "the connection ended before a reply: Server disconnected without sending a response. (tried 4 times)",
        ),
        (sends(http("503 Service Unavailable")), "busy: it answered HTTP 503 Service Unavailable (tried 4 times)"),
        (sends(http("429 Too Many Requests", b"", "retry-after: 0")), "HTTP 429 Too Many Requests (tried 4 times)"),
    ],
)
def test_the_tries_are_bounded(server: Server, trouble: Act, words: str) -> None:
    server.plan = [trouble] * 9
    error = fails(TransportError, server.url)
    assert words in str(error)
    assert str(error).startswith(server.url)
    assert (error.attempts, len(server.requests)) == (4, 4)


def test_a_wait_that_is_longer_than_the_time_left_ends_at_once(server: Server) -> None:
    server.plan = [sends(http("429 Too Many Requests", b"", "retry-after: 120"))]
    start = time.monotonic()
    error = fails(TransportError, server.url)
    assert "HTTP 429 Too Many Requests and asks to wait 120 s, longer than the time that is left" in str(error)
    assert time.monotonic() - start < 2
    assert error.attempts == 1


@pytest.mark.parametrize("status", ["400 Bad Request", "500 Internal Server Error", "502 Bad Gateway"])
def test_other_errors_are_asked_once(server: Server, status: str) -> None:
    server.plan = [sends(http(status, b'{"detail": "no"}'))]
    error = fails(ReplyError, server.url)
    assert f'answered HTTP {status}: {{"detail": "no"}}' in str(error)
    assert len(server.requests) == 1


def test_an_answer_is_never_asked_for_again(server: Server) -> None:
    server.plan = [sends(http("200 OK", b"not json"))]
    assert "the reply is no JSON" in str(fails(ReplyError, server.url))
    assert len(server.requests) == 1


# --- broken replies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "kind", "words"),
    [
        (
            sends(http("200 OK", OK[:5], length=99)),
            TransportError,
            "ended in the middle of the reply (5 bytes arrived)",
        ),
        (resets(http("200 OK", OK[:5], length=99)), TransportError, "in the middle of the reply (5 bytes arrived)"),
        (sends(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"), TransportError, "in the middle"),
        (
            sends(http("200 OK", b"\x1f\x8bnonsense", "content-encoding: gzip")),
            ReplyError,
            "content encoding of the reply",
        ),
        (
            sends(b"SSH-2.0-OpenSSH_9.9\r\n\r\n"),
            TransportError,
            "the connection ended before a reply: illegal status line",
        ),
        (sends(http("200 OK")), ReplyError, "the body of the reply is empty"),
        (sends(http("204 No Content")), ReplyError, "the body of the reply is empty (HTTP 204"),
        (sends(http("200 OK", OK[:-1])), ReplyError, "the reply is no JSON"),
    ],
)
def test_a_broken_reply_says_how_it_broke(server: Server, act: Act, kind: type[TargetError], words: str) -> None:
    server.plan = [act] * 4
    assert words in str(fails(kind, server.url))


def test_a_compressed_reply_is_read(server: Server) -> None:
    server.plan = [sends(http("200 OK", gzip.compress(OK), "content-encoding: gzip"))]
    assert ask(server.url).answer == "Bob"


def test_a_reply_that_is_too_large_is_not_read(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_wire, "LIMIT", 2**20)
    big = b'{"answer": "' + b"x" * 2**20 + b'"}'
    server.plan = [sends(http("200 OK", big)), sends(http("200 OK", gzip.compress(big), "content-encoding: gzip"))]
    for _ in range(2):
        assert "the reply is larger than 1 MiB and was not read" in str(fails(ReplyError, server.url))
    assert ask(server.url).answer == "Bob"


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (sends(b"", pause=1.5), "time ran out before a reply began"),
        (
            sends(http("200 OK", b"", length=99), *[b"x"] * 20, pause=0.1),
            "time ran out while the reply was read after ",
        ),
        (sends(b"HTTP/1.1 200 OK\r\n", *[b"x-a: 1\r\n"] * 20, pause=0.1), "time ran out before a reply began"),
    ],
    ids=["silent", "dripping body", "dripping head"],
)
def test_the_time_of_a_question_is_kept_however_slowly_the_server_drips(server: Server, act: Act, words: str) -> None:
    server.plan = [act]
    start = time.monotonic()
    error = fails(TargetTimeout, server.url, timeout=0.5)
    assert "no reply within 0.5 s: " + words in str(error)
    assert time.monotonic() - start < 2


# --- nobody there ---------------------------------------------------------------------------------------------------


@pytest.fixture
def nowhere() -> str:
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"http://127.0.0.1:{free.getsockname()[1]}/ask"


def test_a_server_that_is_not_there_fails_the_preflight(nowhere: str) -> None:
    error = fails(TransportError, nowhere)
    assert "the server cannot be reached: Connection refused (tried 4 times)" in str(error)


def test_a_name_that_does_not_exist_is_told() -> None:
    error = fails(TransportError, "http://no-such-host.invalid/ask")
    assert "the server cannot be reached: " in str(error)
    assert "All connection attempts failed" not in str(error)


def test_a_server_that_takes_no_connection_fails_the_preflight() -> None:
    with socket.socket() as full, contextlib.ExitStack() as waiting:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(3):  # more than are queued: the next one gets no answer at all
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(full.getsockname())
        start = time.monotonic()
        error = fails(TransportError, f"http://127.0.0.1:{full.getsockname()[1]}/", start_timeout=0.6)
        assert "the server cannot be reached: no connection within 0.6 s" in str(error)
        assert time.monotonic() - start < 3


@pytest.mark.parametrize(
    "act",
    [
        sends(http("503 Service Unavailable", b"", "retry-after: 60")),
        sends(b"nonsense\r\n\r\n"),
        sends(b"", pause=1.5),
        sends(),
    ],
)
def test_a_server_that_is_there_is_asked_whatever_it_makes_of_the_first_request(server: Server, act: Act) -> None:
    server.first = act
    start = time.monotonic()
    assert ask(server.url, start_timeout=0.5).answer == "Bob"
    assert time.monotonic() - start < 4


def test_a_proxy_that_refuses_is_told(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", server.url)
    server.plan = [sends(http("403 Forbidden"))] * 4
    assert "the proxy refuses the connection: 403 Forbidden" in str(fails(TransportError, "https://graph.invalid/ask"))


def scenarios(n: int) -> list[Scenario]:
    return [Scenario(id=f"q{i}", question="Q?", gold_answer="Bob") for i in range(n)]


def records_of(spec: HttpTarget, count: int, before: Callable[[int], None] = lambda _: None) -> list[Record]:
    async def main() -> list[Record]:
        pool = Pool()
        records = []
        try:
            for number, scenario in enumerate(scenarios(count)):
                before(number)
                opened = await pool.get(spec, Surroundings(Path(), Path()), scenarios(count))
                records.append(score_scenario(scenario, await opened.ask(scenario), Context()))
        finally:
            await pool.close()
        return records

    return asyncio.run(main())


def test_every_item_of_a_dead_server_ends_in_bounded_time(nowhere: str) -> None:
    start = time.monotonic()
    records = records_of(HttpTarget(url=nowhere), 50)
    assert time.monotonic() - start < 3
    assert {r.status for r in records} == {"ERROR"}
    assert all("Connection refused" in (r.error or "") for r in records)


def test_a_server_that_dies_in_between_ends_the_rest_at_once() -> None:
    server = Server()
    start = time.monotonic()
    records = records_of(HttpTarget(url=server.url, restarts=1), 40, lambda n: server.close() if n == 2 else None)
    assert time.monotonic() - start < 5
    assert [r.status for r in records[:2]] == ["PASS", "PASS"]
    assert {r.status for r in records[2:]} == {"ERROR"}
    assert [r.attempts for r in records[1:5]] == [1, 4, 4, 1]
    assert (
        "given up after 2 questions in a row that reached nobody; last: the server cannot be reached: Connection"
        in (records[-1].error or "")
    )


def test_a_server_that_comes_back_is_asked_again(server: Server) -> None:
    server.plan = [sends()] * 4
    records = records_of(HttpTarget(url=server.url, restarts=1), 3)
    assert [(r.status, r.attempts) for r in records] == [("ERROR", 4), ("PASS", 1), ("PASS", 1)]


PROCESS = """
import http.server, os, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_OPTIONS(self): self.send_error(405)
    def do_POST(self):
        if sys.argv[2] == "hang":
            print("asked", flush=True)
            time.sleep(60)
        body = b'{"answer": "Bob"}'
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def test_a_server_process_killed_while_it_answers_ends_the_question_and_may_come_back() -> None:
    def started(port: int, how: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", PROCESS, str(port), how]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def kill_when_asked(process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()

    async def main(first: subprocess.Popen[str], port: int) -> None:
        target = open_target(HttpTarget(url=f"http://127.0.0.1:{port}/"), Surroundings(Path(), Path()))
        await target.open()
        threading.Thread(target=kill_when_asked, args=(first,), daemon=True).start()
        start = time.monotonic()
        with pytest.raises(TransportError, match=r"Connection refused \(tried 4 times\)"):
            await target.ask(Query("q", timeout=20))
        assert time.monotonic() - start < 5
        second = started(port, "answer")
        try:
            assert second.stdout is not None
            second.stdout.readline()
            assert (await target.ask(Query("q", timeout=20))).answer == "Bob"
        finally:
            second.kill()
            second.communicate()
            await target.close()

    first = started(0, "hang")
    try:
        assert first.stdout is not None
        asyncio.run(main(first, int(first.stdout.readline())))
    finally:
        first.kill()
        first.communicate()


# --- TLS ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 that nobody vouches for, with its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return path


@pytest.fixture
def tls_server(certificate: Path) -> Iterator[Server]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    running = Server(context)
    yield running
    running.close()


def test_a_certificate_that_nobody_vouches_for_is_named(tls_server: Server) -> None:
    error = fails(TransportError, tls_server.url)
    assert "the server's certificate is not trusted: self-signed certificate (SSL_CERT_FILE names a file" in str(error)
    assert tls_server.requests == []


def test_an_authority_of_ones_own_is_trusted(
    tls_server: Server, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert ask(tls_server.url).answer == "Bob"


def test_https_to_a_server_without_it_is_told(server: Server) -> None:
    error = fails(TransportError, server.url.replace("http:", "https:"))
    assert "no TLS connection: " in str(error)
    assert "does the server speak https?" in str(error)


# --- as an item -----------------------------------------------------------------------------------------------------


def test_the_record_holds_attempts_and_what_the_reply_cost(server: Server) -> None:
    usage = {
        "prompt_tokens": 1_000_000,
        "completion_tokens": 100_000,
        "prompt_tokens_details": {"cached_tokens": 400_000},
    }
    message = {"role": "assistant", "content": "Bob."}
    completion = {"model": "m-2025-01-31", "choices": [{"message": message}], "usage": usage}
    server.plan = [sends(), sends(http("200 OK", json.dumps(completion).encode()))]
    prices = {"m": {"input": 2.5, "output": 10, "cached": 1.25}}
    spec = HttpTarget(url=server.url, preset="openai-chat", prices=prices)
    (record,) = records_of(spec, 1)
    assert (record.status, record.attempts, record.answer) == ("PASS", 2, "Bob.")
    assert record.usage == {
        "input_tokens": 1_000_000, "output_tokens": 100_000, "total_tokens": 1_100_000, "cached_tokens": 400_000,
        "cost_usd": 3.0,
    }  # fmt: skip
