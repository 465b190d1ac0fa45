"""`graph-eval generate`: a suite out of the files of a graph."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.commands.console import complain, write

if TYPE_CHECKING:
    from pytest_graph_eval.generate.sources import Sources
    from pytest_graph_eval.scenario import Suite

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `generate`."""
    parser.add_argument(
        "sources", metavar="SOURCE", nargs="+", type=Path, help="files of the graph, or folders of them"
    )
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="suite, or test cases as .json")
    parser.add_argument(
        "--test-cases", action="store_true", help="the skill's test cases, evals/test_cases_<time>.json"
    )
    parser.add_argument("--merge", choices=("replace", "append"), help="what becomes of the scenarios in an old FILE")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="draws the questions (default: %(default)s)")
    parser.add_argument("--count", metavar="N", type=int, help="scenarios in all")
    parser.add_argument("--per-category", metavar="N", type=int, help="scenarios of each category")
    parser.add_argument("--categories", metavar="NAME", nargs="+", default=(), help="only these categories")
    parser.add_argument("--lang", metavar="LANG", default="en", help="languages of the questions, as en,fr")
    for group in ("multi-turn", "pronouns", "temporal", "fact-first"):
        parser.add_argument(f"--no-{group}", action="store_true", help=f"no {group} scenarios")
    parser.add_argument("--include-writes", action="store_true", help="also questions that change the graph, skipped")


def run(args: argparse.Namespace) -> int:
    """Write the suite, and say what it covers.

    Raises:
        DataError: no source can be read.
        UsageError: an option does not fit, or there is an old file and no word on it.
    """
    from pytest_graph_eval.generate.sources import read_sources
    from pytest_graph_eval.generate.suite import Options, generate

    options = Options(
        seed=args.seed,
        count=args.count,
        per_category=args.per_category,
        categories=args.categories,
        groups=_groups(args),
        languages=[lang for lang in args.lang.split(",") if lang],
    )
    sources = read_sources(args.sources)
    suite = generate(sources.catalog, options, **_keys(args, sources))
    _write(args, suite)
    for line in _report(suite):
        complain(line)
    return 1 if sources.failed else 0


def _groups(args: argparse.Namespace) -> list[str]:
    groups = [g for g in ("multi_turn", "pronouns", "temporal", "fact_first") if not getattr(args, f"no_{g}")]
    return [*groups, *(["writes"] if args.include_writes else [])]


def _keys(args: argparse.Namespace, sources: Sources) -> dict[str, Any]:
    folder = args.output.parent if args.output else Path()
    lists: Mapping[str, Any] = sources.files
    files = {kind: [_relative(Path(p), folder) for p in paths] for kind, paths in lists.items() if paths}
    names = [Path(name).name for paths in files.values() for name in paths]
    return {
        "suite": Path(names[0]).name.partition(".")[0],
        "description": f"Generated from {', '.join(names[:3])}{' ...' if len(names) > 3 else ''}",
        "target": files,
        "catalog": [path for paths in files.values() for path in paths],
        "meta": {"failed_sources": sources.failed} if sources.failed else {},
    }


def _relative(path: Path, folder: Path) -> str:
    """Return a path as the suite in a folder names it; on another drive there is only the whole path."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.resolve().as_posix()


def _write(args: argparse.Namespace, suite: Suite) -> None:
    from pytest_graph_eval.loader import load_suite
    from pytest_graph_eval.loader.writer import dump_suite

    text = dump_suite(suite)
    load_suite(args.output or "generated.graph.yaml", text=text)  # what is written can be read
    write([text], args.output)


def _report(suite: Suite) -> Iterator[str]:
    meta: Mapping[str, Any] = suite.meta
    yield f"{meta['n_scenarios']} scenarios"
    for category, entry in meta["coverage"].items():
        yield f"{category}: {entry['generated']}" + (f" (skipped: {entry['skipped']})" if "skipped" in entry else "")
    for what, types in meta["untouched"].items():
        yield from _listed(f"no scenario touches these {what.replace('_', ' ')}", types)
    for file, why in meta.get("failed_sources", {}).items():
        yield f"{file}: failed: {why}"


def _listed(what: str, names: Sequence[str]) -> Iterator[str]:
    from pytest_graph_eval.gate.figures import listed

    if names:
        yield f"{what}: {listed(names, 8)}"
