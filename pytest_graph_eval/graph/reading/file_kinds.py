"""Tells the kind of a graph's file by the end of its name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypedDict

from pytest_graph_eval.errors import Problem

Kind = Literal["extraction", "graphml", "rdf"]
"""What a graph target calls its lists of files."""

KINDS: tuple[Kind, ...] = ("extraction", "graphml", "rdf")

RDF_FORMATS = {
    ".ttl": "turtle", ".turtle": "turtle", ".n3": "turtle", ".nt": "nt",
    ".rdf": "xml", ".owl": "xml", ".jsonld": "json-ld",
}  # fmt: skip
"""Ends of names to what rdflib calls the form of RDF."""

_RDF: Kind = "rdf"

SUFFIXES: dict[str, Kind] = {".json": "extraction", ".graphml": "graphml", **dict.fromkeys(RDF_FORMATS, _RDF)}
"""Ends of names to kinds of files."""


class Files(TypedDict):
    """The files of a graph by their kind."""

    extraction: list[str | Path]
    graphml: list[str | Path]
    rdf: list[str | Path]


def by_kind(paths: Iterable[str | Path]) -> Files:
    """Return files by their kind; any other end is extraction JSON."""
    files = Files(extraction=[], graphml=[], rdf=[])
    for path in paths:
        files[SUFFIXES.get(Path(path).suffix.lower(), "extraction")].append(path)
    return files


def read_text(path: Path, name: str, expected: str) -> tuple[str, list[Problem]]:
    """Return the text of a file, and why it has none; `expected` says what it should be."""
    try:
        return path.read_bytes().decode("utf-8-sig"), []
    except FileNotFoundError:
        return "", [Problem(name, 0, 0, f"no such file; expected {expected}", "missing_file")]
    except UnicodeDecodeError as e:
        return "", [Problem(name, 0, 0, f"byte {e.start} is no UTF-8; expected a UTF-8 text file", "not_utf8")]
    except OSError as e:
        return "", [Problem(name, 0, 0, f"cannot be read: {e.strerror}", "unreadable")]


def is_endpoint(source: str) -> bool:
    """Tell whether a source of a graph is the address of an endpoint."""
    return source.startswith(("http://", "https://"))


def is_declaration(source: str) -> bool:
    """Tell whether a source is a YAML file that declares a target, perhaps with the target's name after `#`."""
    return Path(source.partition("#")[0]).suffix.lower() in (".yaml", ".yml")


def is_file(source: str) -> bool:
    """Tell whether a source is a file of a graph itself."""
    return not is_endpoint(source) and not is_declaration(source)
