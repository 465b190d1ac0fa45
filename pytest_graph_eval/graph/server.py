"""Serves a knowledge graph over MCP, with the three tools and the reply keys of the graph-eval skill.

`GraphService` answers in plain data and knows nothing of MCP; `serve` puts it behind the SDK (1.24+ or 2.x), which is
imported there and nowhere else in this package but in the client.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from pytest_graph_eval.errors import DataError, UsageError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.reading.file_kinds import by_kind
from pytest_graph_eval.graph.retrieval.search import MODES, search
from pytest_graph_eval.graph.retrieval.store import Store

_HOST = "127.0.0.1"
_INSTRUCTIONS = "A knowledge graph. Ask get_server_status what it holds, and query_graph_tool about it."


def _catalog(paths: Sequence[Path]) -> Catalog:
    return Catalog.from_files(**by_kind(paths))


class GraphService:
    """The graph behind the tools. Nothing but the files named at the start is ever read."""

    def __init__(self, paths: Sequence[Path], *, top_k: int = 5, empty: bool = False) -> None:
        """Load the files; with `empty`, only remember them, so that `reingest_from_file` can.

        Raises:
            DataError: a file is missing or invalid.
        """
        self.paths = tuple(paths)
        self.top_k = top_k
        self._lock = threading.Lock()
        self._loaded: tuple[Path, ...] = () if empty else self.paths
        self._store = Store(_catalog(self._loaded))

    def status(self) -> dict[str, Any]:
        """Return what the graph holds."""
        counts = self._store.catalog.counts()
        return {
            "status": "success",
            "overall": "ready" if counts["entities"] else "empty",
            "entities": counts["entities"],
            "relationships": counts["relationships"],
            "graph": {
                "entities": counts["entities"],
                "relationships": counts["relationships"],
                "chunks": counts["chunks"],
                "documents_ingested": counts["documents"],
            },
            "modes": list(MODES),
            "has_dimension_mismatch": False,
            "error": None,
        }

    def query(self, query: str, mode: str = "kg") -> dict[str, Any]:
        """Return what the graph has on a question; an unknown mode is a reply with `status: error`."""
        try:
            found = search(self._store, query, mode, self.top_k)
        except UsageError as e:
            return {"status": "error", "message": str(e)}
        entities = [
            {"entity_name": e.name, "entity_type": e.type, "description": e.description} for e in found.entities
        ]
        relationships = [
            {"src_id": r.source, "tgt_id": r.target, "description": r.description, "keywords": r.keywords or r.type}
            for r in found.relationships
        ]
        return {
            "status": "success",
            "message": f"{len(entities)} entities, {len(relationships)} relationships, {len(found.chunks)} chunks",
            "entities": entities,
            "relationships": relationships,
            "text_chunks": [{"id": chunk.id, "content": chunk.content} for chunk in found.chunks],
            "references": [
                {"reference_id": str(number), "file_path": document.file or document.id}
                for number, document in enumerate(found.documents, 1)
            ],
            "mode": found.mode,
        }

    def reingest(self, file_path: str) -> dict[str, Any]:
        """Read one of the files again, or for the first time; the others stay as they are loaded."""
        path = self._known(file_path)
        if path is None:
            known = ", ".join(path.name for path in self.paths) or "none"
            return {"status": "error", "message": f"{file_path!r} was not given at the start; known files: {known}"}
        with self._lock:
            loaded = tuple(p for p in self.paths if p == path or p in self._loaded)
            try:
                store = Store(_catalog(loaded))
            except DataError as e:
                return {"status": "error", "message": str(e)}
            self._store, self._loaded = store, loaded
        counts = store.catalog.counts()
        return {"status": "success", "message": f"{path.name} ingested", **counts}

    def _known(self, file_path: str) -> Path | None:
        """Return the file given at the start that a path or a bare name means."""
        wanted = Path(file_path)
        for path in self.paths:
            if wanted == path or wanted.resolve() == path.resolve():
                return path
        named = [path for path in self.paths if path.name == file_path]
        return named[0] if len(named) == 1 else None


def serve(paths: Sequence[Path], *, port: int | None = None, empty: bool = False) -> None:
    """Serve files over MCP until the client hangs up or a signal ends the process.

    Args:
        paths: extraction JSON files, and files of GraphML and RDF by their suffix.
        port: a port on 127.0.0.1 for streamable HTTP (path `/mcp`; 0 picks a free one); None is stdio.
        empty: start without the files loaded, for tests of a recovery by `reingest_from_file`.

    Raises:
        DataError: a file is missing or invalid.
        UsageError: the port cannot be listened on.
    """
    listener = None if port is None else _listen(port)
    service = GraphService(paths, empty=empty)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, _leave)
    server = _mcp_server(service)
    if listener is None:
        server.run("stdio")
    else:
        _run_http(server, listener)


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: the SDK's stdio reader blocks in a thread that no exception reaches. There is nothing to save."""
    os._exit(0)


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server((_HOST, port))
    except OSError as e:
        why = os.strerror(e.errno) if e.errno else str(e)
        raise UsageError(f"port {port}: cannot listen on {_HOST}: {why}; expected a free port, 0 picks one") from None


def _mcp_server(service: GraphService) -> Any:
    """Return the SDK's server object with the three tools."""
    from importlib.metadata import version

    if version("mcp").startswith("1."):
        from mcp.server.fastmcp import FastMCP as Server  # type: ignore[attr-defined]  # in 1.x only
    else:
        from mcp.server.mcpserver import MCPServer as Server
    server = Server("graph-eval", instructions=_INSTRUCTIONS, log_level="WARNING")

    def get_server_status() -> dict[str, Any]:
        """Tell how many entities and relationships the graph holds, and whether it is ready."""
        return service.status()

    def query_graph_tool(query: str, mode: str = "kg") -> dict[str, Any]:
        """Retrieve entities, relationships and text chunks for a question. Modes: kg, hybrid, global."""
        return service.query(query, mode)

    def reingest_from_file(file_path: str) -> dict[str, Any]:
        """Read one of the files that the server was started with again, by its name or path."""
        return service.reingest(file_path)

    for tool in (get_server_status, query_graph_tool, reingest_from_file):
        server.tool()(tool)
    return server


def _run_http(server: Any, listener: socket.socket) -> None:
    import uvicorn

    # Open streams of clients would hold a graceful shutdown for ever.
    config = uvicorn.Config(server.streamable_http_app(), log_level="warning", timeout_graceful_shutdown=1)
    print(f"serving at http://{_HOST}:{listener.getsockname()[1]}/mcp", file=sys.stderr, flush=True)  # noqa: T201 - told
    uvicorn.Server(config).run(sockets=[listener])
