"""A suite out of a graph in one call: what `graph-eval generate` does, for programs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.generate.sources import Sources, read_sources
from pytest_graph_eval.generate.suite import GROUPS, Options, suite_of
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.models.scenario import Suite
from pytest_graph_eval.models.settings import GraphTarget, TargetSpec
from pytest_graph_eval.targets.reply.presets import response_map

_NAMES_SHOWN = 3


def generate(
    sources: Catalog | Path | str | Iterable[Path | str],
    *,
    target: TargetSpec | Mapping[str, Any] | None = None,
    folder: Path | str = "",
    seed: int = 0,
    count: int | None = None,
    per_category: int | None = None,
    categories: Sequence[str] = (),
    multi_turn: bool = True,
    pronouns: bool = True,
    temporal: bool = True,
    fact_first: bool = True,
    include_writes: bool = False,
    at: str | None = None,
    languages: Sequence[str] = ("en",),
) -> Suite:
    """Return a suite with questions that a graph answers, each with one answer, and with its coverage in `meta`.

    Args:
        sources: the graph, or what holds it: files and folders, addresses of SPARQL endpoints, suites and files of
            targets (`FILE.yaml#NAME`) whose server lists its graph. The suite then has files and addresses as its
            `catalog:`; what could not be read of them is in `meta["failed_sources"]`.
        target: whom the suite asks; default: the server among the sources, or else the embedded graph over the files.
            A target that gives evidence and no answers is not asked for what only an answer can say (counts,
            comparisons, choices).
        folder: where the suite will be: its paths are relative to it; default: the current folder.
        seed: draws the questions. The same seed draws the same ones from the same graph, wherever and whenever.
        count: scenarios in all; default: 6 easy, 8 medium and 4 hard ones, and some of each further kind.
        per_category: scenarios of each category.
        categories: the only categories; default: all.
        multi_turn: also conversations.
        pronouns: also follow-up questions with pronouns.
        temporal: also questions about valid times.
        fact_first: also conversations that come to an object by what is said of it.
        include_writes: also questions that change the graph; they are skipped until somebody says otherwise.
        at: the valid time as of which the graph is asked, a day or an ISO instant.
        languages: `en`, `fr` or both, in turn.

    Raises:
        DataError: no source can be read.
        UsageError: an argument has no such value.
    """
    wanted = (multi_turn, pronouns, temporal, fact_first, include_writes)
    spec = TypeAdapter[TargetSpec](TargetSpec).validate_python(target) if target is not None else None
    read = None
    if not isinstance(sources, Catalog):
        read = read_sources([sources] if isinstance(sources, Path | str) else sources)
        spec = spec or _listing(read, Path(folder))
    options = Options(
        seed, count, per_category, categories, [g for g, on in zip(GROUPS, wanted, strict=True) if on], languages,
        spec is not None and gives_answers(spec), at,
    )  # fmt: skip
    if isinstance(sources, Catalog):
        return suite_of(sources, options, **({"target": spec} if spec is not None else {}))
    assert read is not None
    return suite_of(read.catalog, options, **_keys(read, spec, Path(folder)))


def _listing(read: Sources, folder: Path) -> TargetSpec | None:
    """Return the server whose graph was read."""
    declared = read.target
    if declared is None or declared.folder == folder.resolve():
        return declared.spec if declared else None
    raise UsageError(
        f"{declared.where}: relative paths of a target belong to its folder; write the suite there, with "
        f"-o {_relative(declared.folder, Path())}/NAME.graph.yaml"
    )


def gives_answers(spec: TargetSpec) -> bool:
    """Tell whether a target promises answers, and not only evidence; one that says nothing of its replies does."""
    if isinstance(spec, GraphTarget):
        return False
    rules = response_map(spec)
    answer = rules.answer if rules else ""
    return rules is None or bool(rules.messages) or bool(answer and not str(answer).endswith("?"))


def _keys(read: Sources, spec: TargetSpec | None, folder: Path) -> dict[str, Any]:
    """Return the keys of a suite that say where its graph is."""
    lists: Mapping[str, Any] = read.files
    files = {kind: [_relative(Path(path), folder) for path in paths] for kind, paths in lists.items() if paths}
    catalog = [*(path for paths in files.values() for path in paths), *read.endpoints]
    names = [Path(name.partition("?")[0]).name for name in catalog]
    names = names or [str(getattr(spec, "name", None) or getattr(spec, "preset", None) or "graph")]
    asked = files if spec is None else spec
    return {
        "suite": names[0].partition(".")[0],
        "description": f"Generated from {', '.join(names[:_NAMES_SHOWN])}{' ...' if len(names) > _NAMES_SHOWN else ''}",
        **({"target": asked} if asked else {}),
        **({"catalog": catalog} if catalog else {}),
        "meta": {"failed_sources": read.failed} if read.failed else {},
    }


def _relative(path: Path, folder: Path) -> str:
    """Return a path as the suite in a folder names it; on another drive there is only the whole path."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.resolve().as_posix()
