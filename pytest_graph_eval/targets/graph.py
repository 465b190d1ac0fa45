"""The embedded graph as a target: files of a graph in, evidence out, all in this process.

It has no language model: `Response.answer` stays unknown, the evidence lists are what it retrieves.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from pathlib import Path

from pytest_graph_eval.errors import DataError, PreflightError, ReplyError, TransportError, UsageError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.reading.file_kinds import KINDS
from pytest_graph_eval.graph.reading.files import stamp
from pytest_graph_eval.graph.reading.graphml import CHUNK_STORE
from pytest_graph_eval.graph.retrieval.search import Retrieved, search
from pytest_graph_eval.graph.retrieval.store import Store
from pytest_graph_eval.models import records
from pytest_graph_eval.models.settings import GraphTarget
from pytest_graph_eval.targets.base import Query, Surroundings, Target, TargetStatus
from pytest_graph_eval.texts import located

_Key = tuple[tuple[str, Path, int, int], ...]
_KEPT = 8
_loaded: OrderedDict[_Key, Store] = OrderedDict()
"""Graphs by their files' paths, times and sizes: suites that name the same files share one."""
_lock = threading.Lock()


class EmbeddedGraph(Target):
    """A knowledge graph in this process; stores are shared and read-only, so closing gives back nothing but its own."""

    kind = "graph"
    deterministic = True
    at_once = 1
    is_inline = True

    def __init__(self, spec: GraphTarget, surroundings: Surroundings) -> None:
        self.name = spec.name or "graph"
        self.where = surroundings.where
        self._spec, self._folder = spec, surroundings.folder
        if spec.deterministic is not None:
            self.deterministic = spec.deterministic
        self._store: Store | None = None
        self._past: dict[str, Store] = {}

    async def open(self) -> None:
        """Load the graph, or take the one that is loaded already."""
        try:
            self._store = await asyncio.to_thread(_load, self._spec, self._folder)
        except (DataError, UsageError) as e:
            raise PreflightError(located(self.where, f"the graph cannot be loaded:\n{e}")) from None

    async def ask(self, query: Query) -> records.Response:
        """Search the graph as it was at `as_of` where it has valid times; an argument `top_k` goes over the setting."""
        store = self._opened()
        has_history = bool(store.catalog.change_points)
        try:
            store = self._at(query.as_of) if query.as_of and has_history else store
            found = search(store, query.question, query.mode or "kg", self._top_k(query))
        except UsageError as e:
            raise ReplyError(f"embedded graph: {e}") from None
        as_of = (query.as_of or "current") if has_history else None
        return _response(found, has_chunks=bool(self._opened().catalog.chunks), as_of=as_of)

    async def status(self) -> TargetStatus:
        """Return the counts."""
        counts = self._opened().catalog.counts()
        return TargetStatus(entities=counts["entities"], relationships=counts["relationships"], raw=counts)

    async def close(self) -> None:
        """Let go of the graph."""
        self._store = None
        self._past.clear()

    def catalog(self) -> Catalog | None:
        """Return what the graph holds; None before it is open."""
        return None if self._store is None else self._store.catalog

    def _at(self, instant: str) -> Store:
        """Return the graph as it was at an instant; a few are kept, as conversations stay at one."""
        store = self._past.pop(instant, None) or Store(self._opened().catalog.at(instant))
        self._past[instant] = store
        if len(self._past) > _KEPT:
            del self._past[next(iter(self._past))]
        return store

    def _opened(self) -> Store:
        if self._store is None:
            raise TransportError("embedded graph: not open; call open() first")
        return self._store

    def _top_k(self, query: Query) -> int:
        unknown = sorted(set(query.arguments) - {"top_k"})
        if unknown:
            raise UsageError(f"unknown argument {unknown[0]!r}; it takes `top_k` only")
        top_k = query.arguments.get("top_k", self._spec.top_k)
        if not isinstance(top_k, int) or isinstance(top_k, bool) or top_k < 1:
            raise UsageError(f"top_k is {top_k!r}; expected a whole number above 0")
        return top_k


def _load(spec: GraphTarget, folder: Path) -> Store:
    """Return the store of the target's files; each set of unchanged files is read once in a process."""
    named: list[tuple[str, Path]] = [(kind, folder / name) for kind in KINDS for name in getattr(spec, kind)]
    named += [("chunks", (folder / name).with_name(CHUNK_STORE)) for name in spec.graphml]
    key = tuple((kind, path.resolve(), *stamp(path)) for kind, path in named)
    with _lock:
        store = _loaded.get(key)
        if store is None:
            store = _loaded[key] = Store(Catalog.from_files(spec.extraction, spec.graphml, spec.rdf, folder=folder))
        _loaded.move_to_end(key)
        while len(_loaded) > _KEPT:
            _loaded.popitem(last=False)
    return store


def _response(found: Retrieved, *, has_chunks: bool, as_of: str | None) -> records.Response:
    """Map what was found; a graph that holds no text at all (GraphML alone) has no chunk list, not an empty one."""
    chunks = [records.Chunk(id=chunk.id, content=chunk.content) for chunk in found.chunks]
    return records.Response(
        entities=[records.Entity(name=e.name, type=e.type, description=e.description) for e in found.entities],
        relationships=[
            records.Relationship(
                source=edge.source, target=edge.target, type=edge.type or edge.keywords, description=edge.description
            )
            for edge in found.relationships
        ],
        chunks=chunks if has_chunks else None,
        references=[document.file or document.id for document in found.documents],
        mode=found.mode,
        as_of=as_of,
    )
