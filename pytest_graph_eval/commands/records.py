"""Reads results files as one run: finds them, streams their records, and takes each scenario once."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_graph_eval.errors import DataError, UsageError
from pytest_graph_eval.gate.figures import listed, many
from pytest_graph_eval.gate.merging import Part
from pytest_graph_eval.gate.summary import read_summary
from pytest_graph_eval.records import Record
from pytest_graph_eval.results import summary_path

__all__ = ["PATTERN", "RecordStream", "find_results", "moment_of", "part_of"]

PATTERN = "evaluation_results_*.jsonl"
_STAMP = re.compile(r"evaluation_results_(\d{8}T\d{6}Z)(?:-(\d+))?\.jsonl")
_VOLATILE = {"elapsed_s", "latency", "index", "execution_timestamp"}
"""What differs between two records of the same outcome: times, and the place in a run."""
_MOVED = "resumed"
"""The flag of a record that was taken over from an earlier run."""
_NAMES = 5
_SHIFT = 48


def find_results(paths: Sequence[Path]) -> list[Path]:
    """Return the results files that `paths` name, each once; a folder means all in it and below, by name.

    Raises:
        UsageError: a path does not exist, or a folder holds none; all of them are named.
    """
    found: dict[Path, Path] = {}
    problems = []
    for path in paths:
        files = sorted(path.rglob(PATTERN)) if path.is_dir() else [path] if path.exists() else []
        if not files:
            what = f"no {PATTERN} in this folder" if path.is_dir() else "no such file or folder"
            problems.append(f"{path}: {what}; expected results files, or folders that hold some")
        for file in files:
            found.setdefault(file.resolve(), file)
    if problems:
        raise UsageError("\n".join(problems))
    return list(found.values())


def moment_of(path: Path) -> tuple[str, int] | None:
    """Return when a run began as the name of its file says, to sort by; None where the name says nothing."""
    match = _STAMP.fullmatch(path.name)
    return (match[1], int(match[2] or 1)) if match else None


def part_of(path: Path) -> Part:
    """Return a results file with the summary beside it.

    Raises:
        DataError: there is a summary, and it cannot be read.
    """
    beside = summary_path(path)
    try:
        text = beside.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Part(path.name, None)
    except (OSError, UnicodeDecodeError) as e:
        raise DataError(f"{beside}: the summary cannot be read ({e}); expected what the run wrote") from None
    return Part(path.name, read_summary(text, str(beside)))


class RecordStream:
    """The records of some results files, in the order of the files, each scenario once. It is read once.

    A scenario that has the same record twice counts once. Once all are read, `ran` tells how many scenarios of each
    suite there are, and `notes` what was left out.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        """Open nothing yet."""
        self.ran: Counter[str] = Counter()
        self.notes: list[str] = []
        self._paths = paths
        # Where each scenario's record stands, as one number: a million of them have to be remembered.
        self._seen: dict[str, dict[str, int]] = {}
        self._repeated = 0
        self._quarrels: list[str] = []

    def __iter__(self) -> Iterator[Record]:
        """Yield the records.

        Raises:
            DataError: a line is no record, or records of the same scenario disagree; all such scenarios are counted.
        """
        for number, path in enumerate(self._paths):
            for offset, line, record in self._file(path):
                if self._is_new(record, line, number << _SHIFT | offset):
                    yield record
        if self._quarrels:
            raise DataError(
                f"{many(len(self._quarrels), 'scenario')} with records that disagree: "
                f"{listed(self._quarrels, _NAMES)}; expected the parts of one run, in which each scenario ran once: "
                "name only the files that belong together (the file of a resumed run holds all of it)"
            )
        if self._repeated:
            self.notes.append(f"{many(self._repeated, 'record')} found twice, and the same both times: counted once")

    def _file(self, path: Path) -> Iterator[tuple[int, bytes, Record]]:
        """Yield offset, line and record."""
        offset = 0
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        record = Record.from_line(line.decode("utf-8"))
                    except (DataError, UnicodeDecodeError) as e:
                        if line.endswith(b"\n"):
                            raise DataError(f"{path}:{number}: {e}; expected a results file of this plugin") from None
                        self.notes.append(f"{path.name}: the last line was cut off when its run ended, and is left out")
                        return
                    record.suite = sys.intern(record.suite)
                    yield offset, line, record
                offset += len(line)

    def _is_new(self, record: Record, line: bytes, place: int) -> bool:
        seen = self._seen.setdefault(record.suite, {})
        first = seen.setdefault(record.id, place)
        if first == place:
            self.ran[record.suite] += 1
            return True
        before, now = _steady(self._line_at(first)), _steady(line)
        self._repeated += 1
        if before != now:
            keys = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
            files = (self._paths[first >> _SHIFT].name, self._paths[place >> _SHIFT].name)
            self._quarrels.append(f"{record.suite}::{record.id} in {files[0]} and {files[1]} ({listed(keys, 3)})")
        return False

    def _line_at(self, place: int) -> bytes:
        with self._paths[place >> _SHIFT].open("rb") as file:
            file.seek(place & ((1 << _SHIFT) - 1))
            return file.readline()


def _steady(line: bytes) -> dict[str, Any]:
    """Return what a line says without what may differ between two records of the same outcome."""
    data: dict[str, Any] = _without(json.loads(line), _VOLATILE)
    data["flags"] = [flag for flag in data.get("flags") or () if flag != _MOVED]
    return data


def _without(value: Any, keys: Iterable[str]) -> Any:
    if isinstance(value, dict):
        return {k: _without(v, keys) for k, v in value.items() if k not in keys}
    if isinstance(value, list):
        return [_without(v, keys) for v in value]
    return value
