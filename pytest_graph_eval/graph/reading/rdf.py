"""Reads files of RDF: Turtle, N-Triples, RDF/XML, JSON-LD. Needs the extra `rdf` (rdflib).

Nothing is fetched: a context of JSON-LD has to stand in the file, but for schema.org's.
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pytest_graph_eval.errors import Problem
from pytest_graph_eval.graph.reading.file_kinds import RDF_FORMATS, read_text
from pytest_graph_eval.graph.reading.triples import Triple

MISSING_EXTRA = "RDF needs rdflib, which is not installed; pip install 'pytest-graph-eval[rdf]'"
_SHOWN = {"turtle": "Turtle", "nt": "N-Triples", "xml": "RDF/XML", "json-ld": "JSON-LD"}
_SCHEMA_ORG = re.compile(r"https?://(www\.)?schema\.org/?(docs/jsonldcontext\.json(ld)?)?")
_BOMB = re.compile(r"<!ENTITY\s+\S+\s+(?:\"[^\"]*&(?!#)|'[^']*&(?!#)|SYSTEM|PUBLIC)")


def parse_rdf(path: Path, name: str) -> tuple[list[Triple], list[Problem]]:
    """Return the triples of a file, and what is wrong with it."""
    try:
        import rdflib
    except ImportError:
        return [], [Problem(name, 0, 0, MISSING_EXTRA, "missing_extra")]
    text, problems = read_text(path, name, "a file of RDF")
    if problems:
        return [], problems
    kind = _format(path, text)
    try:
        text = _closed(text, kind)
        graph = rdflib.Dataset(default_union=True) if kind == "json-ld" else rdflib.Graph()
        with quiet():
            graph.parse(data=text, format=kind, publicID=path.resolve().as_uri())
            return sorted(set(graph.triples((None, None, None)))), []
    except Exception as e:  # rdflib lets out its own errors, those of its XML and JSON parsers, and plain ones
        line, message = _place(e)
        return [], [Problem(name, line, 1 if line else 0, f"not readable as {_SHOWN[kind]}: {message}", "not_rdf")]


def _format(path: Path, text: str) -> str:
    """Return what a file is read as: what the end of its name says, but for XML and Turtle under each other's names."""
    kind = RDF_FORMATS.get(path.suffix.lower(), "json-ld" if text.lstrip()[:1] in ("{", "[") else "turtle")
    is_xml = text.lstrip().startswith(("<?xml", "<rdf:", "<!DOCTYPE", "<!--"))
    return "xml" if is_xml and kind != "json-ld" else "turtle" if kind == "xml" else kind


def _closed(text: str, kind: str) -> str:
    """Return a text that needs nothing but itself."""
    if kind == "xml" and _BOMB.search(text):
        raise ValueError("an entity is declared by other entities or by a file; expected plain declarations")
    if kind != "json-ld":
        return text
    data = json.loads(text)
    for holder in _contexts(data):
        given = holder["@context"] if isinstance(holder["@context"], list) else [holder["@context"]]
        holder["@context"] = [_own_context(one) for one in given]
    return json.dumps(data)


def _contexts(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if "@context" in item:
                yield item
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item


def _own_context(context: Any) -> Any:
    if isinstance(context, str):
        if not _SCHEMA_ORG.fullmatch(context):
            raise ValueError(f"the context {context} would have to be fetched; put what it holds into the file")
        return {"@vocab": "http://schema.org/"}
    if isinstance(context, dict) and "@import" in context:
        raise ValueError(f"the context imports {context['@import']}; put what it holds into the file")
    return context


@contextmanager
def quiet() -> Iterator[None]:
    """Keep rdflib's words on ill-typed literals and on its own old parts away from the user."""
    log = logging.getLogger("rdflib.term")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        log.setLevel(level)


def _place(error: Exception) -> tuple[int, str]:
    """Return the line of a parser's error where it tells one, and its message without its copy of the file."""
    lines = getattr(error, "lines", None)
    if lines is not None:  # Turtle counts from 0
        return lines + 1, str(getattr(error, "_why", error))
    number = getattr(error, "_linenum", None) or getattr(error, "lineno", None) or 0
    text = getattr(error, "_msg", None) or getattr(error, "msg", None) or str(error) or type(error).__name__
    return number, " ".join(str(text).split())[:200]
