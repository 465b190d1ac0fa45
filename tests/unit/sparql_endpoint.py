"""A SPARQL endpoint on this machine that speaks the real protocol: rdflib answers, http.server listens."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs

import rdflib

from tests.servers.listening import Asked, Reply, listening

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

    def reply(asked: Asked) -> Reply:
        headers = {name.lower(): value for name, value in asked.headers.items()}
        status, media, body = endpoint.reply(parse_qs(asked.body.decode())["query"][0], headers)
        return status, {"content-type": media}, body

    with listening(reply) as address:
        endpoint.url = f"{address}/sparql"
        yield endpoint
