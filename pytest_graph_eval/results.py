"""Opens, writes and finishes the results file and the summary file of one run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.records import Record

__all__ = ["ResultsFile", "check_folder", "write_whole"]


def check_folder(folder: Path) -> None:
    """Make sure that `folder` is, or can become, a folder to write to; nothing is created.

    Raises:
        UsageError: it cannot; the message says which part of the path is in the way.
    """
    part = folder
    while not part.exists() and part != part.parent:
        part = part.parent
    if not part.is_dir():
        raise UsageError(f"--graph-eval-output {folder}: {part} is not a folder; name a folder that can be written to")
    if not os.access(part, os.W_OK | os.X_OK):
        raise UsageError(f"--graph-eval-output {folder}: {part} cannot be written to; name another folder")


def write_whole(path: Path, lines: Iterable[str]) -> None:
    """Write a file so that it is either the old or the new one, never half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class ResultsFile:
    """`evaluation_results_<stamp>.jsonl`: a line for each record, flushed as it happens, sorted once in the end."""

    def __init__(self, folder: Path, stamp: str) -> None:
        """Create the file; a name that is taken gets `-2`, `-3` and so on.

        Raises:
            OSError: the folder cannot be written to.
        """
        folder.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            self.stamp = stamp if number == 1 else f"{stamp}-{number}"
            self.path = folder / f"evaluation_results_{self.stamp}.jsonl"
            try:
                self._file: TextIO | None = self.path.open("x", encoding="utf-8", newline="\n")
            except FileExistsError:
                number += 1
            else:
                break

    @property
    def summary_path(self) -> Path:
        """Where the summary of this run belongs."""
        return self.path.with_name(f"summary_{self.stamp}.json")

    def write(self, record: Record) -> None:
        """Add one line, so that it is there even when the process dies next."""
        assert self._file is not None
        self._file.write(record.to_line() + "\n")
        self._file.flush()

    def finish(self) -> None:
        """Close the file and put its lines into the order of collection."""
        if self._file is None:
            return
        self._file.close()
        self._file = None
        records = [Record.from_line(line) for line in self.path.read_text(encoding="utf-8").splitlines()]
        ordered = sorted(records, key=lambda r: (r.index, r.nodeid))
        if ordered != records:
            write_whole(self.path, (r.to_line() + "\n" for r in ordered))
