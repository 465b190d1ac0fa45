"""`graph-eval compare A B`: prints what changed from one run to another, worst first, and what the gate makes of it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_graph_eval.commands.console import paper, say
from pytest_graph_eval.commands.records import RecordStream, find_results, part_of
from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.gate.comparison.baseline import Baseline, read_baseline
from pytest_graph_eval.gate.comparison.differences import Row
from pytest_graph_eval.gate.comparison.pairing import Scope
from pytest_graph_eval.gate.comparison.regression import Difference, compare_runs
from pytest_graph_eval.gate.merging import run_of, suites_of
from pytest_graph_eval.gate.summary import GraphStats, RunInfo, SuiteInfo, Summary, summarize
from pytest_graph_eval.gate.verdict import worst
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.reports.comparison import comparison_rows, difference_cells
from pytest_graph_eval.reports.layout import Paper
from pytest_graph_eval.texts import many

_ROWS = 40
_REASON_LINES = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("first", metavar="A", type=Path, help="the older run: a results file, a folder, or a baseline")
    parser.add_argument("second", metavar="B", type=Path, help="the newer run: a results file, or a folder")
    parser.add_argument("--all", action="store_true", help=f"print every change (default: the worst {_ROWS})")


def run(args: argparse.Namespace) -> int:
    """Print the changes, the reasons and the verdict.

    Returns:
        1 when B is worse than A by the rules of the gate, else 0.
    """
    if _is_baseline(args.second) and args.second.is_file():
        raise UsageError(f"{args.second}: a baseline can only be the older run; give it first, then results")
    find_results([path for path in (args.first, args.second) if not _is_baseline(path)])  # names all that are missing
    now = _read(args.second)
    before = _Side(baseline=read_baseline(args.first)) if _is_baseline(args.first) else _read(args.first)
    difference = compare_runs(
        before.baseline or before.records,
        now.records,
        policies={key: policy for key, info in now.suites.items() if (policy := info.gate.baseline)},
        scope=now.scope,
        graphs=(before.graphs, now.graphs),
    )
    page = paper()
    title = f"{args.first} -> {args.second}"
    say(_lines(page, difference.rows, _summary(now, difference), title, most=None if args.all else _ROWS))
    say(text for note in (*before.notes, *now.notes) for text in page.wrap(note, first="note: "))
    return 1 if difference.regressed else 0


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two runs. `scope` is None where what it has anything of was run whole."""

    records: list[Record] = field(default_factory=list)
    baseline: Baseline | None = None
    suites: dict[str, SuiteInfo] = field(default_factory=dict)
    scope: Scope | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def graphs(self) -> dict[str, GraphStats]:
        return {key: info.graph for key, info in self.suites.items() if info.graph}


def _is_baseline(path: Path) -> bool:
    return path.suffix == ".json"


def _read(path: Path) -> _Side:
    paths = find_results([path])
    parts = [part_of(found) for found in paths]
    suites = suites_of(parts)
    stream = RecordStream(paths)
    records = list(stream)
    scope = None
    if all(part.summary for part in parts):
        told = run_of(parts, suites, stream.ran)
        scope = Scope() if told.partial or told.interrupted else None
    return _Side(records, suites=suites, scope=scope, notes=stream.notes)


def _summary(now: _Side, difference: Difference) -> Summary:
    """Return the newer run's summary with the comparison in it, as reports read it."""
    summary = summarize(now.records, now.suites, run=RunInfo(run_at=""))
    return summary.decided(worst(difference.comparison.reasons), **difference.comparison.blocks())


def _lines(page: Paper, rows: Sequence[Row], summary: Summary, title: str, *, most: int | None) -> Iterator[str]:
    """Lay out the changes, who was not compared, the reasons and the verdict."""
    rule = ("-" if page.ascii_only else "─") * page.width
    yield page.fit(title)
    yield rule
    if rows:
        head = ("Scenario", "Score", "Before", "Now", "Change")
        yield from page.table([head, *map(difference_cells, rows[:most])], align="lllll")
    else:
        yield "nothing changed"
    if most is not None and len(rows) > most:
        yield f"... and {many(len(rows) - most, 'more change')}; print them with --all"
    yield rule
    yield from _apart(page, summary)
    for reason in summary.verdict_reasons:
        text = f"{reason.code}: {reason.text}"
        yield from page.wrap(text, first=f"{reason.level} ", most=_REASON_LINES)
    yield f"verdict {summary.threshold_result}; exit {int(summary.threshold_result == 'FAIL')}"


def _apart(page: Paper, summary: Summary) -> Iterator[str]:
    """Say how many scenarios were compared, and which were not."""
    for label, text, _ in comparison_rows(summary):
        yield from page.wrap(text, first=f"{label}: ", most=4)
