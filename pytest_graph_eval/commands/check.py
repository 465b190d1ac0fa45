"""`graph-eval check`: one text against facts, each verdict explained in one line, for people who write suites."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_graph_eval.errors import DataError, UsageError
from pytest_graph_eval.files import why_unreadable
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.reading.file_kinds import SUFFIXES, by_kind
from pytest_graph_eval.loader.rules import expect_findings
from pytest_graph_eval.metrics.facts import check_answer
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.validation import Finding, describe

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
_OPTIONS = {key: option for option, key, _ in _LISTS} | {"counts": "--count"}
"""Of the keys of `expect` that are not called as their option."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    # argparse takes `-3` for a value, and `-3.2%` or `-$5` for an option that it does not know.
    parser._negative_number_matcher = re.compile(r"-[\d.,]|-\W\d")
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
    parser.add_argument("--question", metavar="TEXT", help="what was asked: tells what a denial is about")
    parser.add_argument(
        "--catalog", metavar="FILE", type=Path, help="known names (lines, extraction JSON, GraphML): the longest wins"
    )


def run(args: argparse.Namespace) -> int:
    """Print one line per fact.

    Returns:
        0 where all hold, 1 where one fails or cannot be decided.
    """
    if args.question is not None and not args.question.strip():
        raise UsageError("--question: found an empty text, expected what was asked; leave the option out otherwise")
    expect = _expect(args)
    answer = sys.stdin.read() if args.answer == "-" else args.answer
    catalog = list(_catalog(args.catalog)) if args.catalog else []
    checks = check_answer(answer, expect, question=args.question or "", catalog=catalog)
    for check in checks:
        sys.stdout.write(f"{check.outcome.upper():5} {check.message}\n")
    return 0 if all(check.outcome == "pass" for check in checks) else 1


def _expect(args: argparse.Namespace) -> Any:
    """Return the `Expect` that the arguments describe."""
    data: dict[str, Any] = {key: getattr(args, key) for _, key, _ in _LISTS if getattr(args, key)}
    if args.counts:
        data["counts"] = _counts(args.counts)
    if args.any_of:
        data["any_of"] = [_group(text) for text in args.any_of]
    data |= {key: value for key in ("denial", "as_of") if (value := getattr(args, key)) is not None}
    if not data:
        raise UsageError("nothing to check: give at least one of --number, --date, --name, --count, --denial, ...")
    try:
        expect = Expect.model_validate(data)
    except ValidationError as e:
        raise _refused(describe(e, data, Expect)) from None
    if found := list(expect_findings(expect)):
        raise _refused(found)
    return expect


def _refused(findings: Sequence[Finding]) -> UsageError:
    """Return the error that names the option of each finding."""
    lines = [f"{_option(str(finding.loc[0]))}: {finding.message}" for finding in findings]
    return UsageError("\n".join(dict.fromkeys(lines)))


def _option(key: str) -> str:
    return _OPTIONS.get(key) or "--" + key.replace("_", "-")


def _group(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise UsageError(f"--any-of {text!r}: an empty name; names with commas between them are expected, as in A,B")
    return names


def _counts(texts: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for text in texts:
        noun, equals, value = (part.strip() for part in text.rpartition("="))
        if not (equals and noun and value.isdecimal()):
            raise UsageError(f"--count {text!r}: a noun and a whole number are expected, as in features=12")
        if counts.setdefault(noun, int(value)) != int(value):
            raise UsageError(f"--count {text!r}: {counts[noun]} {noun} are expected already; keep one")
    return counts


def _catalog(path: Path) -> Iterator[tuple[str, str]]:
    """Yield names and types of a catalog: lines of text, or the entities of a file of a graph."""
    if path.suffix.lower() in SUFFIXES:
        yield from ((entity.name, entity.type) for entity in Catalog.from_files(**by_kind([path])).entities)
        return
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as e:
        what = "expected a file of names, one a line, or of a graph"
        raise DataError(f"--catalog {path}: cannot be read: {why_unreadable(e)}; {what}") from None
    yield from ((line.strip(), "") for line in lines if line.strip())
