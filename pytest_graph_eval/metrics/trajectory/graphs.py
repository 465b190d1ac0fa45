"""Results of CONSTRUCT and DESCRIBE: RDF text, read by rdflib into rows of subject, predicate and object."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

from pytest_graph_eval.metrics.trajectory.args import shown

GRAPH_COLUMNS = ("subject", "predicate", "object")
TURTLE = "text/turtle"
FORMATS: Mapping[str, str] = {
    TURTLE: "turtle",
    "application/x-turtle": "turtle",
    "text/n3": "turtle",
    "application/n-triples": "turtle",
    "application/rdf+xml": "xml",
}
"""Media types of graphs, and rdflib's names for them."""

_STARTS = re.compile(r"@?(prefix|base)\b|#|<[^>\s]*>|_:|\[|\(|[\w-]*:[\w-]+\s", re.IGNORECASE)


class ResultError(ValueError):
    """An output that is no result of a SPARQL query; the message says why. `is_missing` says that rdflib is."""

    def __init__(self, reason: str, *, is_missing: bool = False) -> None:
        super().__init__(reason)
        self.is_missing = is_missing


def read_graph(text: Any, media_type: str | None) -> list[dict[str, Any]]:
    """Read RDF text into rows of cells as SPARQL results write them.

    Args:
        text: what a tool returned, unwrapped.
        media_type: says the syntax where the text does not show it.

    Raises:
        ResultError: it is no RDF, or rdflib is not installed.
    """
    named = FORMATS.get((media_type or "").partition(";")[0].strip().lower())
    syntax = (_looks_like(text) or named) if isinstance(text, str) else None
    if syntax is None:
        raise ResultError(f"neither a SPARQL result in JSON nor RDF as Turtle, N-Triples or RDF/XML: {shown(text)}")
    try:
        import rdflib
    except ImportError:
        reason = "reading a graph needs rdflib: pip install 'pytest-graph-eval[rdf]'"
        raise ResultError(reason, is_missing=True) from None
    graph, log = rdflib.Graph(), logging.getLogger("rdflib.term")
    log.addFilter(_nothing)  # it writes a traceback for each literal that is none of its type
    try:
        graph.parse(data=text, format=syntax)
    except Exception as e:
        said = (str(e).strip() or type(e).__name__).splitlines()[0]
        raise ResultError(f"not {syntax} that can be read: {shown(said)}") from None
    finally:
        log.removeFilter(_nothing)
    triples = sorted(graph, key=lambda triple: tuple(map(str, triple)))  # so that messages do not depend on hashes
    return [dict(zip(GRAPH_COLUMNS, map(_cell, triple), strict=True)) for triple in triples]


def _nothing(_: logging.LogRecord) -> bool:
    return False


def _looks_like(text: str) -> str | None:
    """Return the syntax of a text that may be RDF; prose is none."""
    start = text[:1000].lstrip()
    if start.startswith(("<?xml", "<rdf:RDF")):
        return "xml"
    return "turtle" if _STARTS.match(start) else None


def _cell(term: Any) -> dict[str, Any]:
    import rdflib

    if isinstance(term, rdflib.URIRef):
        return {"type": "uri", "value": str(term)}
    if isinstance(term, rdflib.BNode):
        return {"type": "bnode", "value": str(term)}
    return {"type": "literal", "value": str(term), "xml:lang": term.language, "datatype": _text(term.datatype)}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
