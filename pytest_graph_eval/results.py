"""Opens, writes, finishes and reads the results file and the summary file of one run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import TextIO

from pytest_graph_eval.errors import DataError, UsageError
from pytest_graph_eval.files import write_whole
from pytest_graph_eval.gate.summary import Summary, read_summary
from pytest_graph_eval.models.records import Record, read_records

_HISTORY = 29
"""Older runs that a report shows beside its own."""


def check_folder(folder: Path, option: str = "--graph-eval-output") -> None:
    """Make sure that `folder` is, or can become, a folder to write to; nothing is created. `option` named it.

    Raises:
        UsageError: it cannot; the message says which part of the path is in the way.
    """
    _check(folder, f"{option} {folder}")


def check_file(path: Path, option: str) -> None:
    """Make sure that `path`, which `option` named, can be written once there is something to write.

    Raises:
        UsageError: it cannot.
    """
    _check(path.parent, f"{option} {path}")
    if path.is_dir():
        raise UsageError(f"{option} {path}: this is a folder; name a file")


def _check(folder: Path, named: str) -> None:
    part = folder
    while not part.exists() and part != part.parent:
        part = part.parent
    if not part.is_dir():
        raise UsageError(f"{named}: {part} is not a folder; name a folder that can be written to")
    if not os.access(part, os.W_OK | os.X_OK):
        raise UsageError(f"{named}: {part} cannot be written to; name another folder")
    try:
        tempfile.TemporaryFile(dir=part).close()  # there are folders that only seem to take files, such as /proc
    except OSError as e:
        raise UsageError(f"{named}: {part} takes no files ({e.strerror}); name another folder") from None


class ResultsFile:
    """`evaluation_results_<stamp>.jsonl`: a line for each record, flushed as it happens, sorted once in the end.

    A disk that is full must not cost the run, nor its verdict: the first error is kept in `problem`, and nothing more
    is written.
    """

    def __init__(self, folder: Path, stamp: str) -> None:
        """Create the file; a name that is taken gets `-2`, `-3` and so on."""
        self.stamp = stamp
        self.path = folder / f"evaluation_results_{stamp}.jsonl"
        self.problem = ""
        self._order: list[tuple[int, str]] = []
        self._file: TextIO | None = None
        with self._errors_kept():
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self._created()

    def _created(self) -> TextIO:
        number, stamp = 1, self.stamp
        while True:
            try:
                return self.path.open("x", encoding="utf-8", newline="\n")
            except FileExistsError:
                number += 1
                self.stamp = f"{stamp}-{number}"
                self.path = self.path.with_name(f"evaluation_results_{self.stamp}.jsonl")

    @contextmanager
    def _errors_kept(self) -> Iterator[None]:
        try:
            yield
        except OSError as e:
            self._keep(e)

    def _keep(self, error: OSError) -> None:
        self.problem = f"{error.strerror or error}: {self.path.parent}"

    def write(self, *records: Record) -> None:
        """Add a line for each, so that it is there even when the process dies next."""
        if self._file is not None and not self.problem:
            try:
                self._file.writelines([record.to_line() + "\n" for record in records])
                self._file.flush()
            except OSError as e:
                self._keep(e)
            else:
                self._order += [(record.index, record.nodeid) for record in records]

    def finish(self) -> None:
        """Close the file and put its lines into the order of collection."""
        if self._file is None:
            return
        with self._errors_kept():
            self._file.close()
        self._file = None
        if self.problem:
            return
        if self._order == sorted(self._order):
            return
        with self._errors_kept():
            # Only a line feed ends a line: an answer may hold any other line separator.
            lines = zip(self._order, self.path.read_text(encoding="utf-8").split("\n"), strict=False)
            write_whole(self.path, (line + "\n" for _, line in sorted(lines, key=itemgetter(0))))

    def rewrite(self, records: Iterable[Record]) -> None:
        """Put what was added to the records into a finished file."""
        if not self.problem:
            with self._errors_kept():
                write_whole(self.path, (r.to_line() + "\n" for r in records))

    def write_summary(self, chunks: Iterable[str]) -> None:
        """Write the summary, a text in pieces, beside the results, with the same stamp."""
        with self._errors_kept():
            write_whole(self.path.with_name(f"summary_{self.stamp}.json"), chunks)


def read_results(path: Path) -> tuple[list[Record], str]:
    """Return the records of a results file, and a note where its last line was cut off and is left out.

    Raises:
        DataError: the file is missing or unreadable, or holds a line that is no record.
    """
    try:
        # Only a line feed ends a line: an answer may hold any other line separator.
        *lines, last = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as e:
        raise DataError(
            f"{path}: the results cannot be read ({e.strerror}); expected a file evaluation_results_*.jsonl"
        ) from None
    note = ""
    if last:
        note = f"{path.name}: the last line was cut off when that run ended; its scenario is asked again"
    return read_records(lines, path.name), note


def find_unfinished(folder: Path) -> Path:
    """Return the newest results file in `folder` whose run did not come to its end.

    Raises:
        DataError: there is none.
    """
    for path in sorted(folder.glob("evaluation_results_*.jsonl"), key=lambda p: p.stat().st_mtime_ns, reverse=True):
        if _is_unfinished(path):
            return path
    raise DataError(f"--graph-eval-resume last: no unfinished run in {folder}; name a results file, or run anew")


def summary_path(results: Path) -> Path:
    """Return where the summary of a results file stands: beside it, with the same stamp."""
    return results.with_name(results.name.replace("evaluation_results_", "summary_", 1)).with_suffix(".json")


def older_summaries(folders: Iterable[Path], now: Summary) -> list[Summary]:
    """Return the summaries of older whole runs of the same suites, the oldest first and the newest few of them.

    A file in these folders that is no summary, or one of another version, is none of them.
    """
    found: dict[str, Summary] = {}
    for path in sorted((p for folder in folders for p in folder.glob("summary_*.json")), key=lambda p: p.name)[::-1]:
        try:
            summary = read_summary(path.read_text(encoding="utf-8"), path.name)
        except (OSError, ValueError, DataError):
            continue
        whole = summary.run.status == "COMPLETE" and summary.by_suite.keys() == now.by_suite.keys()
        if whole and summary.run_at < now.run_at:
            found.setdefault(summary.run_at, summary)
        if len(found) == _HISTORY:
            break
    return [found[moment] for moment in sorted(found)]


def _is_unfinished(path: Path) -> bool:
    """Tell whether a run has no summary, or one that says it was interrupted."""
    summary = summary_path(path)
    try:
        text = summary.read_text(encoding="utf-8")
        return read_summary(text, summary.name).run.status == "INTERRUPTED"
    except OSError:
        return True
    except DataError:
        return False
