"""A SPARQL endpoint on this machine that speaks the real protocol: rdflib answers, http.server listens."""

from __future__ import annotations

import contextlib
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import rdflib

Answer = tuple[int, str, bytes]


class Endpoint:
    """Answers queries over a graph; `answer`, where it is set, takes the place of the reply to the k-th query."""

    def __init__(self, turtle: str = "", trig: str = "") -> None:
        self.data = rdflib.Dataset()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # rdflib's own
            self.data.parse(data=turtle or trig, format="turtle" if turtle else "trig")
        self.queries: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.answers: dict[int, Answer] = {}
        self.delay = 0.0
        self.url = ""

    def reply(self, query: str, headers: dict[str, str]) -> Answer:
        time.sleep(self.delay)
        self.queries.append(query)
        self.headers.append(headers)
        if len(self.queries) - 1 in self.answers:
            return self.answers[len(self.queries) - 1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            body = self.data.query(query).serialize(format="json")
        assert body is not None
        return 200, "application/sparql-results+json", body


@contextmanager
def serving(endpoint: Endpoint) -> Iterator[Endpoint]:
    """Listen until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            status, media, reply = endpoint.reply(
                parse_qs(body)["query"][0], {name.lower(): value for name, value in self.headers.items()}
            )
            with contextlib.suppress(ConnectionError):  # a client that did not wait
                self.answer(status, media, reply)

        def answer(self, status: int, media: str, reply: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", media)
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_port}/sparql"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
