"""A target that says when it is busy, or how fast it may be asked, makes nobody red, and is asked no faster."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from .runs import run_pytest


class Busy(ThreadingHTTPServer):
    """Refuses every fifth question for a second, and all that come before the second is over."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[float] = []
        self.too_early = 0
        self.free_at = 0.0
        self.guard = threading.Lock()

    def refuses(self) -> bool:
        with self.guard:
            now = time.monotonic()
            self.asked.append(now)
            if now < self.free_at:
                self.too_early += 1
                return True
            if len(self.asked) % 5 == 0:
                self.free_at = now + 1
                return True
            return False


class Handler(BaseHTTPRequestHandler):
    server: Busy

    def do_OPTIONS(self) -> None:
        self.send_error(405)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        refused = self.server.refuses()
        body = b"" if refused else json.dumps({"answer": "It was $1.0 billion."}).encode()
        self.send_response(429 if refused else 200)
        for name, value in {"retry-after": "1", "content-type": "application/json"}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def busy() -> Iterator[Busy]:
    with Busy() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_every_fifth_question_refused_for_a_second_is_green_at_the_rate_that_is_set(tmp_path: Path, busy: Busy) -> None:
    items = "".join(f'  - {{id: s{i}, question: q, expect: {{numbers: ["$1 billion"]}}}}\n' for i in range(20))
    url = f"http://127.0.0.1:{busy.server_port}/ask"
    (tmp_path / "s.graph.yaml").write_text(f"target: {{kind: http, url: '{url}', rate: 20/s}}\nscenarios:\n{items}")
    run = run_pytest(tmp_path)
    assert run.code == 0, run.out
    assert {r["status"] for r in run.records} == {"PASS"}
    assert len(busy.asked) == 20 + sum(r["attempts"] - 1 for r in run.records)
    # Of eight in flight, those that were on their way are refused with the one; nobody else asks too early.
    assert busy.too_early <= 7
    pauses = sorted(b - a for a, b in itertools.pairwise(busy.asked))
    assert pauses[len(pauses) // 4] > 0.03  # a network may make two of them closer, not most
    assert all(r["elapsed_s"] < 1 for r in run.records)
