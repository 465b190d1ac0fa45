"""Reads the history of runs for scenarios that go back and forth although nothing about them changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.gate.comparison.baseline import Place
from pytest_graph_eval.models.records import FORMAT
from pytest_graph_eval.models.repeats import wilson

_BACK_AND_FORTH = 2
"""Flips that make a scenario flaky; a single one is a change for better or worse."""


@dataclass(slots=True)
class Track:
    """The runs of one scenario as long as it asked and expected the same.

    `flips` counts changes between passed and not passed from one run to the next, `steady` the last runs without one.
    """

    fingerprint: str
    runs: int = 0
    passed: int = 0
    flips: int = 0
    steady: int = 0
    last: bool | None = None
    must_pass: bool = False
    others: dict[str, Track] | None = None
    """Tracks of the same scenario with other fingerprints: a history may go back and forth between branches."""

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the pass rate."""
        return wilson(self.passed, self.runs)

    def add(self, passed: bool, *, rescued: bool = False) -> None:
        """Add one run; a `rescued` one failed first and passed when it was run again."""
        for outcome in (False, True) if rescued else (passed,):
            if self.last is not None and outcome is not self.last:
                self.flips += 1
                self.steady = 0
            self.last = outcome
        self.runs += 1
        self.passed += passed
        self.steady += 1

    def went_back_and_forth(self) -> bool:
        """Tell whether it flipped and flipped back."""
        return self.flips >= _BACK_AND_FORTH

    def is_steady(self, min_runs: int) -> bool:
        """Tell whether the last `min_runs` runs show no flip."""
        return self.steady >= min_runs


History = dict[Place, Track]
"""The newest track of each scenario."""


def read_history(files: Iterable[tuple[str, Iterable[str]]]) -> History:
    """Read results files, given as name and lines, the oldest first. Memory grows with scenarios, not with lines.

    A run that ended in ERROR was not measured and one that was skipped did not happen: neither counts, so an outage
    makes no scenario flaky. Nor does a record that a resumed run took over: it is of the run before. A last line that
    was cut off is left out.

    Raises:
        DataError: a line is no record; the message says which.
    """
    history: History = {}
    for name, lines in files:
        for number, line in enumerate(lines, 1):
            if line.strip():
                data = _parse(line, f"{name}:{number}")
                if data is not None:
                    _add(history, data)
    return history


def find_flaky(history: History, min_runs: int = 5) -> dict[Place, Track]:
    """Return the scenarios that went back and forth in at least `min_runs` runs, those that still do.

    They are ordered by suite and id; `Track.is_steady` tells of the others that they are stable again.
    """
    found = (
        (place, track)
        for place, track in history.items()
        if track.runs >= min_runs and track.went_back_and_forth() and not track.is_steady(min_runs)
    )
    return dict(sorted(found, key=lambda item: item[0]))


def _parse(line: str, where: str) -> dict[str, Any] | None:
    """Return a record's data without validating all of it, which a long history has no time for."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as e:
        if not line.endswith("\n"):
            return None
        raise DataError(f"{where}: not a JSON line ({e}); expected a results file of this plugin") from None
    if not isinstance(data, dict) or not isinstance(data.get("id"), str) or "status" not in data:
        raise DataError(f"{where}: not a record; expected an object with `id` and `status`, as in a results file")
    found = data.get("format", FORMAT)
    if isinstance(found, bool) or not isinstance(found, int) or found > FORMAT:
        raise DataError(
            f"{where}: record format {found!r}; this version reads up to {FORMAT}: upgrade pytest-graph-eval"
        )
    return data


def _add(history: History, data: dict[str, Any]) -> None:
    flags = data.get("flags") or ()
    if data["status"] in ("ERROR", "SKIPPED") or "resumed" in flags:
        return
    # A history may have a million scenarios, in a few suites.
    place = (sys.intern(str(data.get("suite", ""))), data["id"])
    track = _track(history, place, str(data.get("fingerprint", "")))
    passed = data["status"] == "PASS"
    track.add(passed, rescued=passed and "flaky" in flags)
    track.must_pass = bool(data.get("must_pass"))


def _track(history: History, place: Place, fingerprint: str) -> Track:
    track = history.get(place)
    if track is not None and track.fingerprint == fingerprint:
        return track
    others: dict[str, Track] = {}
    if track is not None:
        others = track.others or {}
        others[track.fingerprint], track.others = track, None
    history[place] = found = others.pop(fingerprint, None) or Track(fingerprint)
    found.others = others or None
    return found
