"""`graph-eval gate`: decides again over the results of one run, or of the shards that make one; nobody is asked."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from pytest_graph_eval.commands.console import complain, paper, say
from pytest_graph_eval.commands.judging import WHOLE, Judge, load_suites
from pytest_graph_eval.commands.records import find_results
from pytest_graph_eval.commands.rules import add_options, check_rules, read_rules
from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.files import write_whole
from pytest_graph_eval.gate.comparison.baseline import read_baseline
from pytest_graph_eval.gate.summary import Summary
from pytest_graph_eval.gate.verdict import because
from pytest_graph_eval.models.extensions import OPEN, using
from pytest_graph_eval.reports import terminal
from pytest_graph_eval.reports.build import FinishedRun
from pytest_graph_eval.step_summary import append_step_summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "results", metavar="RESULTS", nargs="*", type=Path, help="results files of one run, or folders that hold them"
    )
    parser.add_argument(
        "--suite", metavar="FILE", nargs="+", action="extend", default=[], type=Path,
        help="suite files: their gates and scenarios as they are now (default: what the summaries say)",
    )  # fmt: skip
    parser.add_argument("--targets", metavar="FILE", type=Path, help="YAML file of the targets that suites may name")
    parser.add_argument(
        "--rootdir", metavar="DIR", type=Path, default=Path(), help="pytest's rootdir (default: the current folder)"
    )
    baseline = parser.add_mutually_exclusive_group()
    baseline.add_argument("--baseline", metavar="FILE", type=Path, help="compare with the baseline in FILE")
    baseline.add_argument("--no-baseline", action="store_true", help="leave out the comparison that the run made")
    parser.add_argument(
        "--fail-on", choices=("items", "gate"), default="items",
        help="items: exit 1 where an item failed in pytest, as the run did; gate: only the verdict decides",
    )  # fmt: skip
    parser.add_argument("--strict", action="store_true", help="make a WARN verdict exit with status 1")
    parser.add_argument("--quiet", action="store_true", help="print the verdict line only")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="where to write the summary JSON")
    add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Judge the records and print the report.

    Returns:
        What the run itself returns: 0 for PASS and WARN, 1 for FAIL, for items that failed, and with `--strict` for
        WARN; 2 where the run was interrupted.
    """
    with using(OPEN):  # what plugins added to the run may not be installed here
        judge = _judge(args)
    summary = judge.judge()
    check_rules(judge.rules, summary)
    if args.output:
        write_whole(args.output, summary.json_chunks())
    failed_items = judge.failed_items if args.fail_on == "items" else 0
    status, why = _exit_status(summary, failed_items, strict=args.strict)
    _print(summary, judge, f"exit {status}{why}", quiet=args.quiet)
    for line, _ in append_step_summary(FinishedRun(summary, judge.missed[:WHOLE]), os.environ):
        complain(line)
    return status


def _judge(args: argparse.Namespace) -> Judge:
    if not args.results:
        raise UsageError("no results: name results files or folders that hold some, before --suite")
    return Judge(
        find_results(args.results),
        suites=load_suites(args.suite, args.rootdir, args.targets),
        rules=read_rules(args),
        baseline=read_baseline(args.baseline) if args.baseline else None,
        compared=not args.no_baseline,
        root=args.rootdir,
    )


def _exit_status(summary: Summary, failed_items: int, *, strict: bool) -> tuple[int, str]:
    """Return the exit status, and what made it."""
    if summary.run.status == "INTERRUPTED":
        return 2, " because the run was interrupted"
    if failed_items:
        return 1, f" because {failed_items} scenario{'s' * (failed_items != 1)} failed"
    if summary.threshold_result == "FAIL":
        return 1, because(summary.verdict_reasons)
    return (1, " (--strict)") if strict and summary.threshold_result == "WARN" else (0, "")


def _print(summary: Summary, judge: Judge, exit_reason: str, *, quiet: bool) -> None:
    page = paper()
    lines = terminal.render(
        summary,
        judge.missed,
        width=page.width,
        ascii_only=page.ascii_only,
        quiet=quiet,
        exit_reason=exit_reason,
    )
    say(line.text for line in lines)
    say(text for note in judge.notes for text in page.wrap(note, first="note: "))
