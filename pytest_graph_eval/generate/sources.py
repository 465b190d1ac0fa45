"""Reads the sources of a suite: files and folders to one catalog, and why a part of it could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_graph_eval.errors import DataError, Problem, UsageError
from pytest_graph_eval.graph.catalog import Catalog

__all__ = ["Sources", "read_sources"]

_SUFFIXES = (".json", ".graphml")


@dataclass(frozen=True, slots=True)
class Sources:
    """What was read: the catalog, its files by the key that a graph target has for them, and what failed."""

    catalog: Catalog
    files: dict[str, list[Path]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def read_sources(paths: Iterable[Path]) -> Sources:
    """Read files; of a folder all that can be a graph.

    Files that cannot be read are in `failed`, and the others are read all the same.

    Raises:
        DataError: none can be read.
        UsageError: a path does not exist, or a folder holds no such file.
    """
    files: dict[str, list[Path]] = {"extraction": [], "graphml": []}
    failed: dict[str, str] = {}
    problems: list[Problem] = []
    for path in _files(paths):
        kind = "graphml" if path.suffix.lower() == ".graphml" else "extraction"
        try:
            Catalog.from_files([path]) if kind == "extraction" else Catalog.from_files(graphml=[path])
        except DataError as e:
            problems += e.problems
            failed[path.as_posix()] = str(e)
        else:
            files[kind].append(path)
    if not any(files.values()):
        raise DataError(problems=problems)
    return Sources(Catalog.from_files(files["extraction"], files["graphml"]), files, failed)


def _files(paths: Iterable[Path]) -> Sequence[Path]:
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder; expected extraction JSON or GraphML")
        inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in _SUFFIXES) if path.is_dir() else [path]
        if not inside:
            raise UsageError(f"{path}: no graph in this folder ({' or '.join(_SUFFIXES)})")
        found.update(dict.fromkeys(inside))
    return sorted(found)
