"""What the graph behind a suite should hold: its `catalog:`, read once in a process, or why it cannot be read."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.errors import GraphEvalError
from pytest_graph_eval.graph.reading.file_kinds import KINDS, by_kind, is_file
from pytest_graph_eval.loader import LoadedSuite
from pytest_graph_eval.metrics.facts import NameIndex
from pytest_graph_eval.models.settings import GraphTarget

if TYPE_CHECKING:
    from pytest_graph_eval.generate.view import View
    from pytest_graph_eval.graph.catalog import Catalog


@dataclass(frozen=True, eq=False)
class Known:
    """A catalog and what is read out of it; with a `problem` it is empty."""

    catalog: Catalog
    problem: str = ""

    @property
    def names(self) -> NameIndex | None:
        """The names in it; None where it cannot be read."""
        return None if self.problem else names_of(self.catalog)

    @cached_property
    def view(self) -> View:
        """The catalog as questions see it."""
        from pytest_graph_eval.generate.view import View

        return View(self.catalog)


@functools.lru_cache(maxsize=64)
def names_of(catalog: Catalog) -> NameIndex:
    """Return the names in a catalog; made once for each."""
    return NameIndex(catalog.names())


def catalog_of(suite: LoadedSuite, *, own: bool = False) -> Known | None:
    """Return what the graph should hold; None where the suite does not say.

    Args:
        suite: the suite; relative paths of its `catalog:` belong to its folder.
        own: a graph target's files are taken where there is no `catalog:`.
    """
    if not all(map(is_file, suite.suite.catalog)):
        return _asked(suite.folder, tuple(suite.suite.catalog), suite.catalog_where)
    if suite.suite.catalog:
        return _read(suite.folder, _stamped(suite.folder, by_kind(suite.suite.catalog)), suite.catalog_where)
    if own and isinstance(suite.target, GraphTarget):
        files: dict[str, Any] = {kind: getattr(suite.target, kind) for kind in KINDS}
        return _read(suite.target_folder, _stamped(suite.target_folder, files), suite.target_where)
    return None


_Stamped = tuple[tuple[str, str, int, int], ...]


def _stamped(folder: Path, files: Mapping[str, Any]) -> _Stamped:
    """Return files by kind with what changes when one does."""
    from pytest_graph_eval.graph.reading.files import stamp

    return tuple((kind, str(path), *stamp(folder / path)) for kind in KINDS for path in files[kind])


@functools.lru_cache(maxsize=8)
def _read(folder: Path, stamped: _Stamped, where: str) -> Known:
    from pytest_graph_eval.graph.catalog import Catalog

    files = {kind: [file for its_kind, file, *_ in stamped if its_kind == kind] for kind in KINDS}
    try:
        return Known(Catalog.from_files(**files, folder=folder))
    except (GraphEvalError, OSError, ValueError) as e:  # a path that is none (`\0`) included
        return _unreadable(where, str(e))


@functools.lru_cache(maxsize=8)
def _asked(folder: Path, sources: tuple[str, ...], where: str) -> Known:
    """Read a catalog that is not in files alone: endpoints are asked once in a process."""
    from pytest_graph_eval.generate.sources import read_sources

    try:
        found = read_sources(sources, folder)
    except (GraphEvalError, OSError, ValueError) as e:  # a path that is none (`\0`) included
        return _unreadable(where, str(e))
    return _unreadable(where, "\n".join(found.failed.values())) if found.failed else Known(found.catalog)


def _unreadable(where: str, why: str) -> Known:
    from pytest_graph_eval.graph.catalog import Catalog

    return Known(Catalog(), f"{where}: the catalog cannot be read: {why}; mend it, or remove it from the suite")
