"""`graph-eval check`: one text against facts, each verdict explained in one line, for people who write suites."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_graph_eval.errors import DataError, UsageError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.reading.file_kinds import SUFFIXES, by_kind
from pytest_graph_eval.metrics.facts import check_answer
from pytest_graph_eval.metrics.facts.validate import problems
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.validation import first_problem

# option, key in `expect`, help
_LISTS = (
    ("--number", "numbers", "a number that must be stated, such as '$611.3 billion'"),
    ("--date", "dates", "a date that must be stated: 2023-01-31, 2023-01 or 2023"),
    ("--name", "names", "a name that must be stated"),
    ("--forbidden", "forbidden", "a name that must not be asserted"),
    ("--contains", "contains", "a text that must be there"),
    ("--excludes", "excludes", "a text that must not be there"),
    ("--matches", "matches", "a regular expression that must match"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("answer", metavar="ANSWER", help="the text to check; `-` reads standard input")
    for option, key, text in _LISTS:
        parser.add_argument(option, dest=key, metavar="FACT", action="append", default=[], help=text)
    parser.add_argument(
        "--count", dest="counts", metavar="NOUN=N", action="append", default=[], help="a number of things: features=12"
    )
    parser.add_argument(
        "--any-of", metavar="A,B", action="append", default=[], help="names of which one must be stated"
    )
    denial = parser.add_mutually_exclusive_group()
    denial.add_argument("--denial", action="store_true", default=None, help="it must say that it does not know")
    denial.add_argument("--no-denial", dest="denial", action="store_false", help="it must not say so")
    parser.add_argument("--as-of", metavar="DAY", help="the valid time that must be stated, or `current`")
    parser.add_argument("--question", metavar="TEXT", default="", help="what was asked: tells what a denial is about")
    parser.add_argument(
        "--catalog", metavar="FILE", type=Path, help="known names (lines, extraction JSON, GraphML): the longest wins"
    )


def run(args: argparse.Namespace) -> int:
    """Print one line per fact.

    Returns:
        0 where all hold, 1 where one fails or cannot be decided.
    """
    expect = _expect(args)
    answer = sys.stdin.read() if args.answer == "-" else args.answer
    catalog = list(_catalog(args.catalog)) if args.catalog else []
    checks = check_answer(answer, expect, question=args.question, catalog=catalog)
    for check in checks:
        sys.stdout.write(f"{check.outcome.upper():5} {check.message}\n")
    return 0 if all(check.outcome == "pass" for check in checks) else 1


def _expect(args: argparse.Namespace) -> Any:
    """Return the `Expect` that the arguments describe."""
    data: dict[str, Any] = {key: getattr(args, key) for _, key, _ in _LISTS if getattr(args, key)}
    if args.counts:
        data["counts"] = dict(_count(text) for text in args.counts)
    if args.any_of:
        data["any_of"] = [[name.strip() for name in group.split(",")] for group in args.any_of]
    data |= {key: value for key in ("denial", "as_of") if (value := getattr(args, key)) is not None}
    if not data:
        raise UsageError("nothing to check: give at least one of --number, --date, --name, --count, --denial, ...")
    try:
        expect = Expect.model_validate(data)
    except ValidationError as e:
        raise UsageError(first_problem(e)) from None
    if found := problems(expect):
        raise UsageError("\n".join(f"{'.'.join(map(str, loc))}: {message}" for loc, message, _ in found))
    return expect


def _count(text: str) -> tuple[str, int]:
    noun, equals, value = text.rpartition("=")
    if not (equals and noun.strip() and value.strip().isdecimal()):
        raise UsageError(f"--count {text!r}: a noun and a whole number are expected, as in features=12")
    return noun.strip(), int(value)


def _catalog(path: Path) -> Iterator[tuple[str, str]]:
    """Yield names and types of a catalog: lines of text, or the entities of a file of a graph."""
    if path.suffix.lower() in SUFFIXES:
        yield from ((entity.name, entity.type) for entity in Catalog.from_files(**by_kind([path])).entities)
        return
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as e:
        raise DataError(f"{path}: cannot be read: {e}") from None
    yield from ((line.strip(), "") for line in lines if line.strip())
