"""`graph-eval coverage`: what of a graph the scenarios of a suite ask about, and what they leave untouched."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pytest_graph_eval.catalogs import catalog_of
from pytest_graph_eval.commands.console import complain, paper, say, write
from pytest_graph_eval.errors import DataError, UsageError
from pytest_graph_eval.gate.figures import percent
from pytest_graph_eval.generate.coverage import Part, coverage
from pytest_graph_eval.generate.sources import read_sources
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.loader import LoadedSuite, load_suite, load_targets
from pytest_graph_eval.texts import listed, many

_FORMAT = 1
_NAMED = 8
_LABEL = 17


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("suite", metavar="SUITE", type=Path, help="a suite file")
    parser.add_argument(
        "sources", metavar="SOURCE", nargs="*", help="what `generate` reads (default: the suite's catalog)"
    )
    parser.add_argument("--targets", metavar="FILE", type=Path, help="YAML file of the targets that suites may name")
    parser.add_argument("--least", metavar="SHARE", type=_share, help="exit with 1 where a share is below this one")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="where to write it as JSON")


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share, expected 0 to 1")
    return share


def run(args: argparse.Namespace) -> int:
    """Print the shares and what is untouched.

    Returns:
        0; 1 where a share is below `--least`, or where one of several sources could not be read.
    """
    suite = load_suite(args.suite, targets=load_targets(args.targets) if args.targets else None)
    catalog, failed = _catalog(suite, args.sources)
    parts = coverage([loaded.scenario for loaded in suite.scenarios], View(catalog))
    if args.output:
        head = {"format": _FORMAT, "suite": suite.key, "scenarios": len(suite.scenarios), "graph": catalog.counts()}
        found = {name: part.data() for name, part in parts.items()}
        write([json.dumps({**head, **found, "failed": failed}, indent=2, ensure_ascii=False) + "\n"], args.output)
    page = paper()
    say([many(len(suite.scenarios), "scenario")])
    say(
        line for name, part in parts.items() for head, text in _lines(name, part)
        for line in page.wrap(text, first=f"{head}:".ljust(_LABEL))
    )  # fmt: skip
    low = [name for name, part in parts.items() if args.least and part.share is not None and part.share < args.least]
    if low:
        complain(f"below --least {args.least:g}: {', '.join(low)}")
    for file, why in failed.items():
        complain(f"{file} could not be read, so nothing in it counts: {why}")
    return 1 if low or failed else 0


def _catalog(suite: LoadedSuite, sources: Sequence[str]) -> tuple[Catalog, Mapping[str, str]]:
    """Return what the graph holds, and why parts of it could not be read."""
    if sources:
        found = read_sources(sources)
        return found.catalog, found.failed
    known = catalog_of(suite, own=True)
    if known is None:
        raise UsageError(f"{suite.key}: it has no `catalog:`; name the files of the graph behind the suite")
    if known.problem:
        raise DataError(known.problem)
    return known.catalog, {}


def _lines(name: str, part: Part) -> Iterator[tuple[str, str]]:
    """Yield the share of one part and what is untouched, with how many of it the graph holds."""
    total, untouched = len(part.held), part.untouched
    share = percent(total - len(untouched), total) if total else "none in the graph"
    yield name.replace("_", " "), f"{total - len(untouched)} of {total} ({share})"
    if untouched:
        counted = [n if name == "categories" else f"{n} ({part.held[n]})" for n in untouched]
        yield "  untouched", listed(counted, _NAMED)
