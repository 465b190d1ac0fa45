"""Reads results files as one run: finds them, streams their records, and takes each scenario once."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_graph_eval.errors import DataError, UsageError
from pytest_graph_eval.gate.comparison.baseline import Place, place_of
from pytest_graph_eval.gate.merging import Part
from pytest_graph_eval.gate.summary import read_summary
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.results import summary_path
from pytest_graph_eval.texts import listed, many

PATTERN = "evaluation_results_*.jsonl"
_STAMP = re.compile(r"evaluation_results_(\d{8}T\d{6}Z)(?:-(\d+))?\.jsonl")
_VOLATILE = {"elapsed_s", "latency", "index", "execution_timestamp", "concurrency"}
"""What differs between two records of the same outcome: times, and the place in a run."""
_MOVED = "resumed"
"""The flag of a record that was taken over from an earlier run."""
_NAMES = 5


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


def nothing_in(paths: Sequence[Path], what: str) -> DataError:
    """Return the error of results in which there is nothing to go by."""
    names = listed([str(path) for path in paths], _NAMES)
    return DataError(
        f"{names}: {what}; expected the results of a run: name other files, or run `pytest --graph-eval` again"
    )


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
        self.ran: Counter[str] = Counter()
        self.notes: list[str] = []
        self._paths = paths

    def __iter__(self) -> Iterator[Record]:
        """Yield the records.

        Raises:
            DataError: a file holds something else, records of a scenario disagree, or there is none at all.
        """
        seen: defaultdict[str, set[str]] = defaultdict(set)
        again: set[Place] = set()
        repeated = 0
        for path in self._paths:
            for record in self._file(path):
                ids = seen[record.suite]
                if record.id in ids:
                    again.add(place_of(record))
                    repeated += 1
                    continue
                ids.add(record.id)
                self.ran[record.suite] += 1
                yield record
        if not self.ran:
            raise nothing_in(self._paths, "no whole record")
        if again:
            self._check_alike(again)
            self.notes.append(f"{many(repeated, 'record')} found twice, and the same both times: counted once")

    def _file(self, path: Path) -> Iterator[Record]:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    record = Record.from_line(line.decode("utf-8"))
                except (DataError, UnicodeDecodeError) as e:
                    if line.endswith(b"\n") or not line.startswith(b"{"):
                        raise DataError(f"{path}:{number}: {e}; expected a results file of this plugin") from None
                    self.notes.append(f"{path.name}: the last line was cut off when its run ended, and is left out")
                    return
                record.suite = sys.intern(record.suite)  # there may be a million of them
                yield record

    def _check_alike(self, places: Container[Place]) -> None:
        """Read once more, and compare the records of each of `places`."""
        first: dict[Place, tuple[Path, int]] = {}
        quarrels: dict[Place, str] = {}
        for path in self._paths:
            for offset, line in _lines(path):
                data = json.loads(line)
                place = (data.get("suite", ""), data["id"])
                if place not in places:
                    continue
                where, start = first.setdefault(place, (path, offset))
                keys = _differing(_line_at(where, start), line)
                if keys:
                    quarrels[place] = f"{'::'.join(place)} in {where.name} and {path.name} ({listed(keys, 3)})"
        if quarrels:
            raise DataError(
                f"{many(len(quarrels), 'scenario')} with records that disagree: "
                f"{listed(list(quarrels.values()), _NAMES)}; expected the parts of one run, in which each scenario ran "
                "once: name only the files that belong together (the file of a resumed run holds all of it)"
            )


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the records of a file that was read before as offset and line, without a last one that is cut off."""
    offset = 0
    with path.open("rb") as file:
        for line in file:
            if line.strip() and (line.endswith(b"\n") or _is_record(line)):
                yield offset, line
            offset += len(line)


def _is_record(line: bytes) -> bool:
    try:
        Record.from_line(line.decode("utf-8"))
    except (DataError, UnicodeDecodeError):
        return False
    return True


def _line_at(path: Path, offset: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        return file.readline()


def _differing(one: bytes, other: bytes) -> list[str]:
    """Return the keys in which two records of a scenario differ, times and the place in the run apart."""
    before, now = _steady(one), _steady(other)
    return sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))


def _steady(line: bytes) -> dict[str, Any]:
    """Return what a line says without what may differ between two records of the same outcome."""
    data: dict[str, Any] = _without(json.loads(line), _VOLATILE)
    data["flags"] = [flag for flag in data.get("flags") or () if flag != _MOVED]
    return data


def _without(value: Any, keys: Container[str]) -> Any:
    if isinstance(value, dict):
        return {k: _without(v, keys) for k, v in value.items() if k not in keys}
    if isinstance(value, list):
        return [_without(v, keys) for v in value]
    return value
