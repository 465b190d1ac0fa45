"""Reads the files of a graph by their kinds; a file with a fault is left out and its faults are told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pytest_graph_eval.errors import Problem
from pytest_graph_eval.graph.elements import Part
from pytest_graph_eval.graph.reading.extraction import read_extraction
from pytest_graph_eval.graph.reading.file_kinds import Files
from pytest_graph_eval.graph.reading.graphml import read_graphml
from pytest_graph_eval.graph.reading.rdf import parse_rdf
from pytest_graph_eval.graph.reading.triples import Triple, read_triples


def read_files(
    files: Files,
    folder: Path | None = None,
    more: Mapping[str, Iterable[Triple]] | None = None,
) -> tuple[list[Part], list[Problem]]:
    """Read files; relative paths belong to `folder`, messages name the paths as given.

    Args:
        files: paths by their kind.
        folder: what relative paths are relative to; default: the working directory.
        more: graphs of RDF from elsewhere, by their names; they and the files of RDF are read as one.

    Returns:
        What the files without a fault contribute, and everything that is wrong with the others.
    """
    parts: list[Part] = []
    problems: list[Problem] = []
    graphs: dict[str, Iterable[Triple]] = dict(more or {})
    for reader, paths in ((read_extraction, files["extraction"]), (read_graphml, files["graphml"])):
        for name, path in _distinct(paths, folder):
            part, found = reader(path, name)
            parts += [] if found else [part]
            problems += found
    for name, path in _distinct(files["rdf"], folder):
        graphs[name], found = parse_rdf(path, name)
        problems += found
    broken = {problem.file for problem in problems}
    read, found = read_graphs({name: graph for name, graph in graphs.items() if name not in broken})
    return parts + read, problems + found


def read_graphs(graphs: Mapping[str, Iterable[Triple]]) -> tuple[list[Part], list[Problem]]:
    """Read graphs of RDF as one, without those that have a fault, and tell the faults."""
    problems: list[Problem] = []
    while graphs:
        part, found = read_triples(graphs)
        if not found:
            return [part], problems
        problems += found
        broken = {problem.file for problem in found}
        graphs = {name: graph for name, graph in graphs.items() if name not in broken}
    return [], problems


def stamp(path: Path) -> tuple[int, int]:
    """Return what changes when a file does; a missing file is reported when it is read."""
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


def _distinct(paths: Iterable[str | Path], folder: Path | None) -> list[tuple[str, Path]]:
    """Return name and full path of each file once, however often and in whatever spelling it is named."""
    found: dict[Path, str] = {}
    for path in paths:
        found.setdefault(((folder or Path()) / path).resolve(), str(path))
    return [(name, path) for path, name in found.items()]
