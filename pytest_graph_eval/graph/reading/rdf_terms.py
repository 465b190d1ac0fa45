"""The vocabulary of RDF that says what something is called, is, means, and when it holds; and texts made of terms."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from pytest_graph_eval.graph.validity import FROM_KEYS, TO_KEYS

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
FOAF = "http://xmlns.com/foaf/0.1/"
DCTERMS = "http://purl.org/dc/terms/"
DC = "http://purl.org/dc/elements/1.1/"


def _schema(name: str) -> tuple[str, str]:
    return f"http://schema.org/{name}", f"https://schema.org/{name}"


TYPE = f"{RDF}type"
DEPRECATED = f"{OWL}deprecated"
LABELS = (f"{SKOS}prefLabel", f"{RDFS}label", *_schema("name"), f"{FOAF}name", f"{DCTERMS}title", f"{DC}title")
"""What gives a resource its name; the first in this order that it has."""
ALIASES = (f"{SKOS}altLabel", f"{SKOS}hiddenLabel", *_schema("alternateName"), f"{FOAF}nick")
TEXTS = (f"{SKOS}definition", f"{RDFS}comment", f"{DCTERMS}description", f"{DC}description", *_schema("description"))
CAVEATS = (f"{SKOS}scopeNote", f"{SKOS}editorialNote")
CLASSES = frozenset((f"{RDFS}Class", f"{OWL}Class", f"{RDFS}Datatype", f"{OWL}Restriction", f"{OWL}Ontology"))
PROPERTIES = frozenset(
    {
        f"{RDF}Property",
        *(f"{OWL}{kind}Property" for kind in ("Object", "Datatype", "Annotation", "Ontology", "Functional")),
        *(f"{OWL}{kind}Property" for kind in ("InverseFunctional", "Transitive", "Symmetric", "Asymmetric")),
    }
)
NO_TYPES = frozenset((f"{OWL}NamedIndividual", f"{OWL}Thing", f"{RDFS}Resource"))
"""Types that tell nothing."""
REIFIED = (
    (f"{RDF}subject", f"{RDF}predicate", f"{RDF}object"),
    (f"{OWL}annotatedSource", f"{OWL}annotatedProperty", f"{OWL}annotatedTarget"),
)
"""How a statement is spoken about: by `rdf:Statement`, and by `owl:Axiom`."""

_ADDRESSES = frozenset(
    (
        *("sameAs", "seeAlso", "isDefinedBy", "imports", "versionIRI", "homepage", "page", "url", "license"),
        *("image", "img", "depiction", "thumbnail", "logo"),
    )
)
_STARTS = frozenset((*FROM_KEYS, "generatedAtTime"))
_ENDS = frozenset((*TO_KEYS, "invalidatedAtTime"))
_SPAN = frozenset(["temporal", "valid", "temporalCoverage", "hasTime", "validTime"])
_SPAN_STARTS = frozenset(["startDate", "start", "hasBeginning"])
_SPAN_ENDS = frozenset(["endDate", "end", "hasEnd"])
_LOCAL = re.compile(r"[^/#:]+(?=[/#:]?$)")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


def local_name(iri: str) -> str:
    """Return the last part of an IRI."""
    match = _LOCAL.search(iri)
    return " ".join(unquote(match[0]).split()) if match else iri


def readable(iri: str) -> str:
    """Return the last part of an IRI as a name: `.../Doug_McMillon` is `Doug McMillon`."""
    return " ".join(local_name(iri).replace("_", " ").split())


def words(name: str) -> str:
    """Return the name of a property as words: `worksFor` is `works for`; one with spaces stays as it is."""
    return name if " " in name else " ".join(_CAMEL.sub(" ", name).lower().split())


def is_vocabulary(iri: str) -> bool:
    """Tell whether a term belongs to RDF itself."""
    return iri.startswith((RDF, RDFS, OWL, "http://www.w3.org/2001/XMLSchema#"))


def is_address(predicate: str, iri: str) -> bool:
    """Tell whether an object is an address to look at rather than a thing that is related."""
    return local_name(predicate) in _ADDRESSES or iri.startswith(("mailto:", "tel:", "data:"))


def best(literals: Iterable[Any]) -> list[Any]:
    """Return the literals in the best language there is, sorted: English, then none, then by the code."""
    ranked: dict[tuple[int, str], list[Any]] = {}
    for literal in literals:
        language = (literal.language or "").partition("-")[0].lower()
        rank = (("en", "").index(language), "") if language in ("en", "") else (2, language)
        ranked.setdefault(rank, []).append(literal)
    return sorted(ranked[min(ranked)], key=str) if ranked else []


def value_of(literal: Any) -> str | int | float | bool:
    """Return a number or a truth value as what it is, and everything else as its text."""
    value = literal.value
    if isinstance(value, bool | int):
        return value
    kind = str(literal.datatype).rpartition("#")[2]
    try:
        number = float(literal) if kind in ("decimal", "double", "float") else math.nan
    except ValueError:
        number = math.nan
    return number if math.isfinite(number) else str(literal)


def time_key(path: tuple[str, ...], *, about_relation: bool = False) -> str:
    """Return `valid_from`, `valid_to` or `span` for a path of properties that leads to a valid time, else nothing.

    Args:
        path: the IRIs from the resource to the literal; OWL-Time's `inXSD...` at the end does not count.
        about_relation: whether the resource stands for a relation (a role, an employment): then its start and end
            are those of the relation.
    """
    names = [local_name(iri) for iri in path]
    while len(names) > 1 and names[-1].startswith("inXSD"):
        names.pop()
    last, inside = names[-1], about_relation or not _SPAN.isdisjoint(names[:-1])
    if last in _STARTS or (inside and last in _SPAN_STARTS):
        return "valid_from"
    if last in _ENDS or (inside and last in _SPAN_ENDS):
        return "valid_to"
    return "span" if last in _SPAN else ""
