"""`graph-eval import` and `graph-eval export`: scenarios out of other projects' files and into them."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pytest_graph_eval import yaml_source
from pytest_graph_eval.commands.console import complain, output_argument, write
from pytest_graph_eval.errors import DataError, Problem, SuiteError
from pytest_graph_eval.formats import datasets
from pytest_graph_eval.formats.datasets import MAX_BYTES, read_dataset
from pytest_graph_eval.formats.entries import DataFile, Entry
from pytest_graph_eval.loader import load_suite
from pytest_graph_eval.loader.writer import dump_suite
from pytest_graph_eval.models.scenario import Dataset, Scenario, Suite
from pytest_graph_eval.texts import listed, many

FORMATS = ("preciso", "graphrag-eval", "tdfs4ds")
_NAMES = 5


def import_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `import`."""
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="data sets of other projects")
    parser.add_argument("--format", choices=FORMATS, help="the form of the files (default: detected)")
    parser.add_argument("--prefix", metavar="TEXT", default="", help="put before every id")
    parser.add_argument("--name", metavar="TEXT", help="the suite's name (default: that of the first file)")
    output_argument(parser)


def run_import(args: argparse.Namespace) -> int:
    """Write the scenarios of all files as one suite; what cannot be in one is named on stderr."""
    files = {path: _read(path, args) for path in args.files}
    entries = [entry for path, file in files.items() for entry in _entries(path, file)]
    if problems := [*(p for f in files.values() for p in f.problems), *_twice(files)]:
        raise SuiteError(problems)
    kept = [entry.scenario for entry in entries if entry.scenario.has_something_to_check()]
    _tell_left_out(entries)
    if not kept:
        names = listed([path.as_posix() for path in files], _NAMES)
        raise DataError(f"{names}: no question with something to check; a suite needs one, so nothing is written")
    text = dump_suite(_suite(args.name or args.files[0].stem, kept))
    load_suite(args.output or "import.graph.yaml", text=text)  # what is written can be read
    write([text], args.output)
    return 0


def _read(path: Path, args: argparse.Namespace) -> DataFile:
    name = path.as_posix()
    content = yaml_source.read_bytes(path, MAX_BYTES)
    if isinstance(content, bytes):
        file = read_dataset(content, name, Dataset(path=name, format=args.format, prefix=args.prefix))
    else:
        file = DataFile(refused=content)
    return DataFile(problems=[Problem(name, 0, 0, file.refused, "unreadable")]) if file.refused else file


def _entries(path: Path, file: DataFile) -> Iterator[Entry]:
    """Yield the entries of a file, and tell what is flagged of them."""
    for entry in file.entries:
        if entry.flags:
            complain(f"{path}:{entry.line}:{entry.col}: {entry.scenario.id}: {', '.join(entry.flags)}")
        yield entry


def _twice(files: dict[Path, DataFile]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for path, file in files.items():
        for entry in file.entries:
            where = first.setdefault(entry.scenario.id, path.as_posix())
            if where != path.as_posix():
                message = f"duplicate id {entry.scenario.id!r}, first in {where}; import one of the files with --prefix"
                yield Problem(path.as_posix(), entry.line, entry.col, message, "duplicate_id", entry.scenario.id)


def _tell_left_out(entries: Iterable[Entry]) -> None:
    bare = [entry.scenario.id for entry in entries if not entry.scenario.has_something_to_check()]
    if bare:
        complain(f"left out, because nothing could be checked: {many(len(bare), 'question')} ({listed(bare, _NAMES)})")


def _suite(name: str, scenarios: Sequence[Scenario]) -> Suite:
    return Suite(suite=name, scenarios=list(scenarios))


def export_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `export`."""
    parser.add_argument("suite", metavar="SUITE", type=Path, help="a suite file")
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="the form (default: %(default)s)")
    output_argument(parser)


def run_export(args: argparse.Namespace) -> int:
    """Write the scenarios of a suite in another project's form; what that cannot hold is named on stderr."""
    suite, form = load_suite(args.suite), datasets.FORMATS[args.format]
    scenarios = [loaded.scenario for loaded in suite.scenarios]
    now = datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    sources = suite.documents or getattr(suite.target, "extraction", ())
    write([form.write(scenarios, generated_at=now, source_extractions=sources)], args.output)
    if lost := form.lost_keys(scenarios):
        complain(f"left out, because the format has no place for it: {', '.join(lost)}")
    return 0
