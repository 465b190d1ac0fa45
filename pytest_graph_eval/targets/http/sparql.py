"""Reads all triples of a SPARQL endpoint, page by page and within bounds.

The default graph and the named ones are read as one. Blank nodes keep their identity over pages as far as the server
labels them alike in each reply, as the common stores do.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from pytest_graph_eval.errors import PreflightError, ReplyError, TargetError
from pytest_graph_eval.graph.reading.rdf import MISSING_EXTRA, quiet
from pytest_graph_eval.graph.reading.triples import Triple
from pytest_graph_eval.redaction import Redactor
from pytest_graph_eval.targets.http.body import json_or_text, refuse_status
from pytest_graph_eval.targets.http.wire import Request, exchange, new_client, shown_url
from pytest_graph_eval.targets.templates import expand_environment

MOST_TRIPLES = 200_000
"""Triples that are read from an endpoint; a larger graph is refused, as a part of it would pass for the whole."""
PAGE = 5_000
"""Triples asked for at a time. A server may give fewer."""
SECONDS = 120.0
"""Time for one page."""

_ALL = "{ SELECT DISTINCT ?s ?p ?o WHERE { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } } }"
_COUNT = f"SELECT (COUNT(*) AS ?n) WHERE {_ALL}"
_ORDERED = f"SELECT ?s ?p ?o WHERE {_ALL} ORDER BY ?s ?p ?o"
_MEDIA = "application/sparql-results+json"
_LOGIN = "a login goes into the address: https://user:${PASSWORD}@host/path"
_HINTS = {401: _LOGIN, 403: _LOGIN, 404: "is the path of the address right?", 405: "does the endpoint take POST?"}


def shown_endpoint(url: str) -> str:
    """Return the address for messages: without credentials and query; one that is none as it is written."""
    try:
        return shown_url(url) if urlsplit(url).hostname else url
    except ValueError:
        return url


async def read_endpoint(url: str) -> list[Triple]:
    """Return all triples of an endpoint.

    Args:
        url: its address; `${VAR}` is read from the environment, `user:password@` is sent as a login, and parameters
            such as `?default-graph-uri=` are kept.

    Raises:
        TargetError: rdflib is not installed, a variable is unset, the server does not answer or answers with an
            error, or the graph is too large.
    """
    try:
        import rdflib  # noqa: F401 - said now, not after the last page
    except ImportError:
        raise PreflightError(MISSING_EXTRA) from None
    settings = expand_environment({"url": url}, os.environ, "")
    address = settings.values["url"]
    redactor = Redactor(settings.secrets)
    try:
        async with new_client() as client:
            return await _read(client, address)
    except TargetError as e:
        raise type(e)(redactor.text(f"SPARQL endpoint {shown_endpoint(address)}: {e}")) from None


async def _read(client: Any, url: str) -> list[Triple]:
    total = _count(await _select(client, url, _COUNT))
    if total > MOST_TRIPLES:
        raise ReplyError(
            f"it holds {total:,} triples, of which at most {MOST_TRIPLES:,} are read; name one graph with "
            f"`?default-graph-uri=IRI` in the address, or export a part to a file and give that"
        )
    rows: list[Mapping[str, Any]] = []
    while len(rows) < total:
        page = await _select(client, url, f"{_ORDERED} LIMIT {PAGE} OFFSET {len(rows)}")
        if not page:
            raise ReplyError(
                f"it gave {len(rows):,} of its {total:,} triples and then none; is it changing, or does it limit how "
                f"far results are paged?"
            )
        rows += page
    with quiet():
        return [(_term(row, "s"), _term(row, "p"), _term(row, "o")) for row in rows]


async def _select(client: Any, url: str, query: str) -> list[Mapping[str, Any]]:
    """Return the bindings of a SELECT."""
    headers = {"accept": _MEDIA, "content-type": "application/x-www-form-urlencoded"}
    request = Request("POST", url, headers, urlencode({"query": query}).encode())
    reply = await exchange(client, request, SECONDS)
    refuse_status(reply, "a query", _HINTS)
    data: Any = json_or_text(reply, reply.headers.get("content-type", "").partition(";")[0].strip().lower())
    try:
        bindings = data["results"]["bindings"]
    except (TypeError, KeyError, IndexError):
        bindings = None
    if not isinstance(bindings, list) or not all(isinstance(row, Mapping) for row in bindings):
        raise ReplyError(f"the reply is not {_MEDIA}; is the address that of a SPARQL endpoint?")
    return bindings


def _count(bindings: list[Mapping[str, Any]]) -> int:
    match bindings:
        case [{"n": {"value": str(text)}}] if text.isascii() and text.isdecimal():
            return int(text)
    raise ReplyError(f"it does not count its triples: {str(bindings)[:80]}; expected one row with a whole number")


def _term(row: Mapping[str, Any], name: str) -> Any:
    """Return a term of a row as rdflib's."""
    from rdflib import BNode, Literal, URIRef

    term: Any = row.get(name)
    match term:
        case {"type": "uri", "value": str(value)}:
            return URIRef(value)
        case {"type": "bnode", "value": str(value)}:
            return BNode(value)
        case {"type": "literal" | "typed-literal", "value": str(value)}:
            datatype = None if term.get("xml:lang") else term.get("datatype")
            return Literal(value, lang=term.get("xml:lang"), datatype=datatype and URIRef(datatype))
    raise ReplyError(f"?{name} is {str(term)[:80]}; expected a uri, a bnode or a literal")
