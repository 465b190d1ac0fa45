"""Reads the sources of a suite: files and folders to one catalog, and why a part of it could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_graph_eval.errors import DataError, UsageError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.file_kinds import SUFFIXES, Files, by_kind
from pytest_graph_eval.graph.files import read_files

__all__ = ["Sources", "read_sources"]


@dataclass(frozen=True, slots=True)
class Sources:
    """What was read: the catalog, its files by their kind, and why others could not be read."""

    catalog: Catalog
    files: Files
    failed: dict[str, str] = field(default_factory=dict)


def read_sources(paths: Iterable[Path]) -> Sources:
    """Read files; of a folder all that can be a graph.

    Files that cannot be read are in `failed`, and the others are read all the same.

    Raises:
        DataError: none can be read, or they contradict each other.
        UsageError: a path does not exist, or a folder holds no such file.
    """
    names = _files(paths)
    parts, problems = read_files(by_kind(names))
    if not parts:
        raise DataError(problems=problems)
    failed: dict[str, str] = {}
    for problem in problems:
        failed.setdefault(problem.file, problem.message)
    return Sources(Catalog.from_parts(parts), by_kind(name for name in names if name not in failed), failed)


def _files(paths: Iterable[Path]) -> Sequence[str]:
    found: set[str] = set()
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder; expected files of a graph ({', '.join(SUFFIXES)})")
        inside = [p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES] if path.is_dir() else [path]
        if not inside:
            raise UsageError(f"{path}: no graph in this folder; expected files that end in {', '.join(SUFFIXES)}")
        found.update(str(p) for p in inside)
    return sorted(found)
