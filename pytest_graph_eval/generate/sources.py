"""Reads the sources of a graph to one catalog: files and folders, SPARQL endpoints, and targets that list their graph.

What cannot be read is told by name, and the rest is read all the same.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_graph_eval import yaml_source
from pytest_graph_eval.errors import DataError, TargetError, UsageError
from pytest_graph_eval.files import why_unreadable
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import Part
from pytest_graph_eval.graph.reading.file_kinds import KINDS, SUFFIXES, by_kind, is_declaration, is_endpoint
from pytest_graph_eval.graph.reading.files import read_files
from pytest_graph_eval.graph.reading.triples import Triple
from pytest_graph_eval.loader import DeclaredTarget, load_suite, load_targets
from pytest_graph_eval.models.settings import GraphTarget, McpTarget
from pytest_graph_eval.redaction import Redactor
from pytest_graph_eval.targets.base import Surroundings, open_target
from pytest_graph_eval.targets.http.sparql import read_endpoint, shown_endpoint
from pytest_graph_eval.targets.loop import LoopThread

_STORES = ("kv_store_", "vdb_")
"""How the JSON files begin that LightRAG and its relatives keep beside their GraphML."""
_OURS = re.compile(rb'\{\s*"(?:run_at"|\$schema"|format": \d+,\s*"kind": "graph-eval-)')
"""How the JSON files begin that this package writes."""
_SUITE_KEYS = frozenset({"suite", "target", "scenarios", "datasets"})


@dataclass(frozen=True, slots=True)
class Sources:
    """What was read.

    Attributes:
        catalog: what the sources hold together.
        files: files that were read, by the key that a graph target has for them.
        endpoints: SPARQL endpoints that were read, as they were given.
        target: the target whose graph was read.
        failed: why a source could not be read, by its name.
    """

    catalog: Catalog
    files: dict[str, list[Path]] = field(default_factory=dict)
    endpoints: tuple[str, ...] = ()
    target: DeclaredTarget | None = None
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Named:
    """The sources by how they are read."""

    files: dict[Path, None] = field(default_factory=dict)
    endpoints: list[str] = field(default_factory=list)
    targets: dict[str, DeclaredTarget] = field(default_factory=dict)


def read_sources(sources: Iterable[str | Path], folder: Path | None = None) -> Sources:
    """Read files, folders, SPARQL endpoints and targets as one graph.

    Args:
        sources: files (extraction JSON, GraphML, RDF), folders of them, addresses of SPARQL endpoints, suites whose
            target lists its graph, and files of targets (`FILE.yaml#NAME`).
        folder: what relative paths belong to; default: the working directory.

    Raises:
        DataError: none can be read, or two contradict each other.
        SuiteError: a file that declares a target cannot be used.
        UsageError: a path does not exist, a folder holds no graph, or a target cannot list its graph.
    """
    named = _named([str(source) for source in sources], folder or Path())
    graphs, parts, failed = _answers(named)
    read, problems = read_files(by_kind(named.files), more=graphs)
    for problem in problems:
        failed[problem.file] = "\n".join(filter(None, (failed.get(problem.file), str(problem))))
    parts += read
    if not parts:
        raise DataError("\n".join(failed.values())) if failed else DataError("the sources hold no graph")
    whole = {part.file for part in read}
    files = by_kind(named.files)
    kept = {kind: [Path(path) for path in files[kind] if kind == "rdf" or str(path) in whole] for kind in KINDS}
    return Sources(
        Catalog.from_parts(parts),
        {kind: [path for path in paths if str(path) not in failed] for kind, paths in kept.items()},
        tuple(url for url in named.endpoints if shown_endpoint(url) not in failed),
        next((target for name, target in named.targets.items() if name not in failed), None),
        failed,
    )


def _named(sources: Sequence[str], folder: Path) -> _Named:
    named = _Named()
    for source in dict.fromkeys(sources):
        if is_endpoint(source):
            named.endpoints.append(source)
        elif not is_declaration(source):
            named.files.update(dict.fromkeys(_files(folder / source)))
        elif isinstance((declared := _declared(source, folder)).spec, GraphTarget):
            files = (file for kind in KINDS for file in getattr(declared.spec, kind))
            named.files.update(dict.fromkeys(declared.folder / file for file in files))
        else:
            named.targets[source] = declared
    named.files = dict.fromkeys(sorted(named.files))
    return named


def _files(path: Path) -> list[Path]:
    """Return a file, or the files of a folder that can be a graph."""
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder; expected extraction JSON, GraphML, RDF, or an http address")
    if not path.is_dir():
        return [path]
    found = (p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES and not p.name.startswith(_STORES))
    inside = sorted(p for p in found if not _is_ours(p))
    if not inside:
        raise UsageError(f"{path}: no graph in this folder ({', '.join(SUFFIXES)})")
    return inside


def _is_ours(path: Path) -> bool:
    """Tell whether a file is what this package leaves in a project: a summary, a baseline, the schema of suites."""
    try:
        with path.open("rb") as file:
            return bool(_OURS.match(file.read(200)))
    except OSError:
        return False  # who reads it says why it cannot be read


def _declared(source: str, folder: Path) -> DeclaredTarget:
    """Return the target of a suite, or the one that a file of targets declares under the name after `#`."""
    file, _, name = source.partition("#")
    path = folder / file
    try:
        data = yaml_source.parse(path.read_text(encoding="utf-8-sig"), file).data
    except (OSError, UnicodeDecodeError) as e:
        raise UsageError(
            f"{source}: cannot be read: {why_unreadable(e)}; expected a suite or a file of targets"
        ) from None
    if isinstance(data, dict) and not _SUITE_KEYS.isdisjoint(data):
        declared = load_suite(path).declared
        if declared is None:
            raise UsageError(f"{source}: the suite has no target of its own; name a file of targets, FILE.yaml#NAME")
    else:
        targets = load_targets(path)
        if name not in targets and (name or len(targets) != 1):
            raise UsageError(f"{source}: expected FILE.yaml#NAME with one of {', '.join(targets)}")
        declared = targets[name or next(iter(targets))]
    if not isinstance(declared.spec, McpTarget | GraphTarget):
        kind = declared.spec.kind
        raise UsageError(f"{source}: a target of kind {kind} cannot list its graph; expected mcp or graph")
    return replace(declared, folder=declared.folder.resolve())


def _answers(named: _Named) -> tuple[dict[str, list[Triple]], list[Part], dict[str, str]]:
    """Ask on a loop of our own: whoever calls us, a notebook for one, may be running one already."""
    if not named.endpoints and not named.targets:
        return {}, [], {}
    loop = LoopThread()
    try:
        return loop.run(_asked(named))
    finally:
        loop.close()


async def _asked(named: _Named) -> tuple[dict[str, list[Triple]], list[Part], dict[str, str]]:
    """Ask the endpoints and the targets; return graphs and parts by what they are, and what failed."""
    graphs: dict[str, list[Triple]] = {}
    parts: list[Part] = []
    failed: dict[str, str] = {}
    for url in named.endpoints:
        try:
            graphs[shown_endpoint(url)] = await read_endpoint(url)
        except TargetError as e:
            failed[shown_endpoint(url)] = str(e)
    for source, declared in named.targets.items():
        try:
            parts.append(await _listed(declared))
        except TargetError as e:
            failed[source] = str(e)
    return graphs, parts, failed


async def _listed(declared: DeclaredTarget) -> Part:
    """Return what the graph of an MCP server holds."""
    from pytest_graph_eval.targets.mcp.inspection import inspect
    from pytest_graph_eval.targets.mcp.server import McpServer

    spec = declared.spec
    assert isinstance(spec, McpTarget)
    with tempfile.TemporaryDirectory(prefix="graph-eval-", ignore_cleanup_errors=True) as tmp:
        server = open_target(spec, Surroundings(declared.folder, Path(tmp), where=declared.where))
        assert isinstance(server, McpServer)
        try:
            await server.open()
            return await inspect(server, spec)
        except TargetError as e:
            raise type(e)(Redactor(server.secrets).text(str(e))) from None
        finally:
            await server.close()
