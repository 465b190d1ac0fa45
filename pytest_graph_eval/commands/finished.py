"""Puts a finished run together again out of its results files and the summaries beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_graph_eval.commands.records import RecordStream, part_of
from pytest_graph_eval.gate.merging import Part, reasons_of, run_of, suites_of
from pytest_graph_eval.gate.summary import Summary, summarize
from pytest_graph_eval.gate.thresholds import decide
from pytest_graph_eval.gate.verdict import Reason
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.reports.build import FinishedRun
from pytest_graph_eval.results import older_summaries
from pytest_graph_eval.texts import listed

_NAMES = 5


def finished_run(paths: Sequence[Path], stream: RecordStream, history: Sequence[Path] = ()) -> FinishedRun:
    """Return a run as reports are made of it.

    The summary of a run in one file is the one beside it, verdict included. Of several files, and where there is none,
    it is made anew, and says what the verdict cannot know.

    Args:
        paths: results files of one run.
        stream: their records.
        history: folders with older runs, beside those of `paths`.

    Raises:
        DataError: a file cannot be read, or the files are not the parts of one run.
    """
    parts = [part_of(path) for path in paths]
    records = list(stream)
    summary = parts[0].summary if len(parts) == 1 and parts[0].summary else _summary(parts, records, stream)
    folders = dict.fromkeys([*history, *(path.parent for path in paths)])
    return FinishedRun(summary, records, older_summaries(folders, summary))


def _summary(parts: Sequence[Part], records: Sequence[Record], stream: RecordStream) -> Summary:
    suites = suites_of(parts)
    run = replace(run_of(parts, suites, stream.ran), results_file=", ".join(part.name for part in parts))
    summary = summarize(records, suites, run=run)
    return summary.decided(decide(summary, run, extra=[*reasons_of(parts), *_unknown(parts)]))


def _unknown(parts: Sequence[Part]) -> Iterator[Reason]:
    """Say what the verdict of a run that was put together leaves out."""
    bare = [part.name for part in parts if part.summary is None]
    if bare:
        text = (
            f"no summary_*.json stands beside {listed(bare, _NAMES)}: what it holds is judged by the default gate; "
            "`graph-eval gate RESULTS --suite FILE` judges it by its own"
        )
        yield Reason(code="no_summary", level="WARN", text=text)
    compared = [part.name for part in parts if part.summary and part.summary.baseline]
    if compared:
        text = (
            f"{listed(compared, _NAMES)} was compared with a baseline, which this verdict leaves out; "
            "`graph-eval gate RESULTS --baseline FILE` takes it in"
        )
        yield Reason(code="not_compared", level="WARN", text=text)
