"""`graph-eval judge`: has the answers of finished runs judged, and writes the judgements into their results files."""

from __future__ import annotations

import argparse
import functools
import shlex
from collections.abc import Sequence
from pathlib import Path

from pytest_graph_eval.commands.console import complain, paper, say
from pytest_graph_eval.commands.judging import load_suites
from pytest_graph_eval.commands.records import find_results
from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.files import write_whole
from pytest_graph_eval.gate.outcomes import key_of, kind_of
from pytest_graph_eval.gate.tally import Tally, TallyBuilder
from pytest_graph_eval.judged import judge_records
from pytest_graph_eval.loader import LoadedSuite
from pytest_graph_eval.reports.judge import judge_fields
from pytest_graph_eval.reports.rows import label
from pytest_graph_eval.results import read_results, summary_path
from pytest_graph_eval.targets.loop import LoopThread


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "results", metavar="RESULTS", nargs="+", type=Path, help="results files, or folders that hold them"
    )
    parser.add_argument(
        "--rootdir", metavar="DIR", type=Path, default=Path(),
        help="pytest's rootdir, where the suites with their `judge:` are (default: the current folder)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Judge the records file by file; `graph-eval gate` then decides over them.

    Returns:
        0, or 1 where a judgement failed or was not made.
    """

    @functools.cache
    def suite_of(key: str) -> LoadedSuite | None:
        return load_suites([args.rootdir / key], args.rootdir).get(key)

    tally, loop, judged = TallyBuilder(), LoopThread(), []
    try:
        for path in find_results(args.results):
            records, note = read_results(path)
            done = judge_records(records, suite_of, loop, cache=path.parent)
            if done.records:
                judged.append(path)
                write_whole(path, (record.to_line() + "\n" for record in records))
            for record in records:
                tally.add(record, kind_of(record), key_of(record))
            for text in filter(None, [note, *done.notes]):
                complain(f"note: {text}")
    finally:
        loop.close()
    if not judged:
        raise UsageError(
            "nothing to judge: no record with an answer is of a suite with a `judge:`; add one to the suite file, or "
            "name pytest's rootdir with --rootdir"
        )
    found = tally.tally(lambda key: key[3])
    say([*_lines(found), *_next(judged, args.rootdir)])
    return 1 if {"failed", "not_made"} & found.judgements.keys() else 0


def _lines(tally: Tally) -> list[str]:
    rows = [
        (label(name), f"{stat.mean:.2f}", str(stat.n)) for name, stat in tally.judge.items() if stat.mean is not None
    ]
    table = paper().table([("Score", "Mean", "Scored"), *rows], align="lrr") if rows else []
    fields = [f"{name}: {text}" for name, text, _ in judge_fields(tally)]
    return [*table, *fields]


def _next(judged: Sequence[Path], root: Path) -> list[str]:
    """Return how to decide over the results with their judgements, which the summaries beside them do not know."""
    named = [] if root == Path() else ["--rootdir", str(root)]
    commands = [
        shlex.join(["graph-eval", "gate", str(path), *named, "-o", str(summary_path(path))])
        for path in judged
        if summary_path(path).is_file()
    ]
    if not commands:
        return ["`graph-eval gate` decides over the results with their judgements"]
    return ["the verdict in the summary is still that of before; to decide again:", *(f"  {c}" for c in commands)]
