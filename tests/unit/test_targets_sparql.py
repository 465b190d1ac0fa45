from __future__ import annotations

import asyncio
import json
import sys

import pytest

from pytest_graph_eval.errors import PreflightError, TargetError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.reading.files import read_graphs
from pytest_graph_eval.targets.http import sparql
from pytest_graph_eval.targets.http import wire as http_wire
from tests.unit.sparql_endpoint import Endpoint, serving

TRIG = """
@prefix ex: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:ada rdfs:label "Ada Byron"@en, "Ada Byron"@fr ; ex:born 1815 ; ex:home [ ex:city "London" ] .
ex:people { ex:ada ex:wrote ex:notes . ex:ada ex:born 1815 . }
"""
JSON = "application/sparql-results+json"


def read(url: str) -> Catalog:
    parts, problems = read_graphs({"e": asyncio.run(sparql.read_endpoint(url))})
    assert problems == []
    return Catalog.from_parts(parts)


def failure(url: str) -> str:
    with pytest.raises(TargetError) as caught:
        asyncio.run(sparql.read_endpoint(url))
    return str(caught.value)


def test_all_graphs_of_an_endpoint_are_read_as_one_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparql, "PAGE", 2)
    with serving(Endpoint(trig=TRIG)) as endpoint:
        ada, notes = read(endpoint.url).entities
        assert (ada.name, ada.attributes) == ("Ada Byron", {"born": 1815, "home city": "London"})
        assert (ada.iri, notes.name) == ("http://example.org/ada", "notes")
        assert len(endpoint.queries) == 1 + 3, "six triples, each once"
        assert "LIMIT 2 OFFSET 4" in endpoint.queries[-1]
        assert endpoint.headers[0]["accept"] == JSON


def test_an_empty_endpoint_is_an_empty_graph() -> None:
    with serving(Endpoint(turtle="# nothing\n")) as endpoint:
        assert read(endpoint.url).counts()["entities"] == 0


def test_a_graph_that_is_too_large_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparql, "MOST_TRIPLES", 5)
    with serving(Endpoint(trig=TRIG)) as endpoint:
        message = failure(endpoint.url)
    assert message == (
        f"SPARQL endpoint {endpoint.url}: it holds 6 triples, of which at most 5 are read; name one graph with "
        "`?default-graph-uri=IRI` in the address, or export a part to a file and give that"
    )


@pytest.mark.parametrize(
    ("number", "answer", "message"),
    [
        (0, (401, "text/plain", b"who?"), "a query answered HTTP 401 Unauthorized (a login goes into the address: "),
        (0, (404, "text/plain", b""), "404 Not Found (is the path of the address right?): without a body"),
        (1, (500, "text/plain", b"Virtuoso 22023 Error"), "500 Internal Server Error: Virtuoso 22023 Error"),
        (0, (302, "text/plain", b""), "it redirects to nowhere; write that address instead"),
        (0, (200, "text/html", b"<html>Query form</html>"), "a web page came back"),
        (0, (200, JSON, b"{"), "the reply is no JSON"),
        (0, (200, JSON, b"[]"), f"the reply is not {JSON}; is the address that of a SPARQL endpoint?"),
        (0, (200, JSON, b'{"results": {"bindings": [3]}}'), f"the reply is not {JSON}"),
        (0, (200, JSON, b'{"results": {"bindings": []}}'), "it does not count its triples: []; expected one row"),
        (1, (200, JSON, b'{"results": {"bindings": []}}'), "it gave 0 of its 6 triples and then none; is it changing"),
        (1, (200, JSON, json.dumps({"results": {"bindings": [{"s": {"type": "triple"}}] * 6}}).encode()),
         "?s is {'type': 'triple'}; expected a uri, a bnode or a literal"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_endpoint_is_said_with_what_to_do(
    number: int, answer: tuple[int, str, bytes], message: str
) -> None:
    with serving(Endpoint(trig=TRIG)) as endpoint:
        endpoint.answers[number] = answer
        told = failure(endpoint.url)
    assert told.startswith(f"SPARQL endpoint {endpoint.url}: ")
    assert message in told


def test_a_login_and_variables_of_the_address_are_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_PASSWORD", "s3cret-4711")
    with serving(Endpoint(trig=TRIG)) as endpoint:
        url = endpoint.url.replace("://", "://reader:${GRAPH_PASSWORD}@")
        assert len(read(url).entities) == 2
        assert endpoint.headers[0]["authorization"].startswith("Basic ")
        endpoint.answers[len(endpoint.queries)] = (500, "text/plain", b"no access with s3cret-4711")
        told = failure(url)
    assert "no access with" in told
    assert "s3cret" not in told
    monkeypatch.delenv("GRAPH_PASSWORD")
    assert failure(url) == (
        "the environment variable GRAPH_PASSWORD is not set; set it, or give it a default with `:-` (url)"
    )


def test_an_address_without_an_endpoint_and_a_slow_one_end_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_wire, "RETRY_DELAYS", ())
    monkeypatch.setattr(sparql, "SECONDS", 0.3)
    with serving(Endpoint(turtle="# nothing\n")) as endpoint:
        endpoint.delay = 1.0
        gone = endpoint.url
        assert failure(gone).endswith("no reply within 0.3 s: time ran out before a reply began")
    assert failure(gone).endswith("the server cannot be reached: Connection refused")
    assert "the request cannot be sent" in failure("http://:80/x")


def test_without_rdflib_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(PreflightError, match=r"pip install 'pytest-graph-eval\[rdf\]'"):
        asyncio.run(sparql.read_endpoint("http://127.0.0.1:1/sparql"))
