"""`graph-eval generate`: a suite, or test cases of the graph-eval skill, out of a graph."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_graph_eval.commands.console import complain, write
from pytest_graph_eval.errors import SuiteError, UsageError
from pytest_graph_eval.formats import preciso
from pytest_graph_eval.formats.datasets import read_dataset
from pytest_graph_eval.generate.library import generate
from pytest_graph_eval.loader import load_suite, merge_suites, target_from_text
from pytest_graph_eval.loader.writer import dump_suite
from pytest_graph_eval.models.scenario import Dataset, Suite
from pytest_graph_eval.models.settings import TargetSpec
from pytest_graph_eval.texts import listed, many

_LEFT_OUT = ("multi-turn", "pronouns", "temporal", "fact-first")
_TYPES_SHOWN = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    say = parser.add_argument
    say("sources", metavar="SOURCE", nargs="+", help="files or folders, a SPARQL endpoint, a suite or FILE.yaml#TARGET")
    say("-o", "--output", metavar="FILE", type=Path, help="a suite, or test cases as .json (default: stdout)")
    say("--test-cases", action="store_true", help="the skill's test cases; default FILE: evals/test_cases_<time>.json")
    say("--merge", choices=("replace", "append"), help="what becomes of the scenarios of a FILE that is there already")
    say("--target", metavar="TARGET", help="whom to ask: a suite, or as for --graph-eval-target (default: the files)")
    say("--seed", metavar="N", type=int, default=0, help="draws the questions (default: %(default)s)")
    say("--count", metavar="N", type=int, help="scenarios in all")
    say("--per-category", metavar="N", type=int, help="scenarios of each category")
    say("--categories", metavar="NAME", nargs="+", default=(), help="only these categories")
    say("--lang", metavar="LANG,...", default="en", help="languages of the questions in turn, of en and fr")
    say("--at", metavar="INSTANT", help="ask the graph as it was at a day or an instant")
    for group in _LEFT_OUT:
        say(f"--no-{group}", action="store_true", help=f"no {group} scenarios")
    say("--include-writes", action="store_true", help="also questions that change the graph; the suite skips them")


def run(args: argparse.Namespace) -> int:
    """Write the suite, and say what it covers.

    Returns:
        0; 1 where a source could not be read, which is said.
    """
    output = _output(args)
    if output is not None and output.is_dir():
        raise UsageError(f"{output}: this is a folder; name a file in it")
    if output is not None and output.exists() and args.merge is None:
        raise UsageError(f"{output}: is there already; say --merge append to keep its scenarios, or --merge replace")
    suite = generate(
        args.sources, target=_target(args.target), folder=output.parent if output else "", seed=args.seed,
        count=args.count, per_category=args.per_category, categories=args.categories, at=args.at,
        languages=[lang.strip() for lang in args.lang.split(",") if lang.strip()], include_writes=args.include_writes,
        **{group.replace("-", "_"): not getattr(args, f"no_{group}".replace("-", "_")) for group in _LEFT_OUT},
    )  # fmt: skip
    _write(suite, output, append=args.merge == "append")
    for line in _report(suite):
        complain(line)
    return 1 if "failed_sources" in suite.meta else 0


def _output(args: argparse.Namespace) -> Path | None:
    output: Path | None = args.output
    if not args.test_cases:
        return output
    if output is None:
        return Path(f"evals/test_cases_{datetime.datetime.now(tz=datetime.UTC):%Y%m%dT%H%M%SZ}.json")
    if output.suffix.lower() != ".json":
        raise UsageError(f"{output}: test cases are JSON; name a file that ends in .json")
    return output


def _target(text: str | None) -> TargetSpec | None:
    if text is None:
        return None
    if Path(text).suffix in (".yaml", ".yml"):
        return load_suite(text, targets={}).target
    return target_from_text(text, Path.cwd()).spec


def _write(suite: Suite, output: Path | None, *, append: bool) -> None:
    is_cases = output is not None and output.suffix.lower() == ".json"
    if append and output is not None and output.exists():
        suite = merge_suites(_old_cases(output) if is_cases else _old_suite(output), suite)
    write([_cases(suite) if is_cases else _suite_text(suite, output)], output)


def _suite_text(suite: Suite, output: Path | None) -> str:
    text = dump_suite(suite)
    load_suite(output or "generated.graph.yaml", text=text)  # what is written can be read
    return text


def _old_suite(path: Path) -> Suite:
    return load_suite(path).suite


def _old_cases(path: Path) -> Suite:
    name = path.as_posix()
    file = read_dataset(path.read_bytes(), name, Dataset(path=name, format="preciso"))
    if file.refused or file.problems:
        raise SuiteError(file.problems) if file.problems else UsageError(f"{path}: {file.refused}")
    return Suite(catalog=list(file.documents), scenarios=[entry.scenario for entry in file.entries])


def _cases(suite: Suite) -> str:
    kept = [scenario for scenario in suite.scenarios if scenario.has_gold() and not scenario.turns]
    if bare := len(suite.scenarios) - len(kept):
        complain(f"left out, because test cases have no place for what is checked: {many(bare, 'scenario')}")
    now = f"{datetime.datetime.now(tz=datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
    return preciso.write(kept, generated_at=now, source_extractions=suite.catalog)


def _report(suite: Suite) -> Iterator[str]:
    meta: Mapping[str, Any] = suite.meta
    yield many(meta["n_scenarios"], "scenario")
    for category, entry in meta["coverage"].items():
        yield f"{category}: {entry['generated']}" + (f" (skipped: {entry['skipped']})" if "skipped" in entry else "")
    for what, types in meta["untouched"].items():
        yield from _listed(f"no scenario touches these {what.replace('_', ' ')}", types)
    for file, why in meta.get("failed_sources", {}).items():
        yield f"{file}: failed: {why}"


def _listed(what: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"{what}: {listed(names, _TYPES_SHOWN)}"
