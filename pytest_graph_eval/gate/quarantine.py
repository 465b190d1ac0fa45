"""The quarantine file: which flaky scenarios are expected to fail for now, and when that ends."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError, field_validator

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.gate.comparison.baseline import Place
from pytest_graph_eval.gate.flaky import History, Track, find_flaky
from pytest_graph_eval.models.scalars import Flag, Model, Number, Text, Whole, plain
from pytest_graph_eval.models.validation import describe
from pytest_graph_eval.yaml_source import Document, decode, parse, read_bytes

FORMAT = 1
_HOW = "write one with `graph-eval flaky RESULTS... -o FILE`"
_HEAD = "# Flaky scenarios, written by `graph-eval flaky`; applied by `pytest --graph-eval-quarantine FILE`.\n"


class Quarantined(Model):
    """One entry: a scenario, what its history showed, and the day after which it counts again."""

    id: Text = Field(min_length=1)
    suite: Text
    fingerprint: Text = Field(min_length=1)
    runs: Whole = Field(ge=1)
    passed: Whole = Field(ge=0)
    flips: Whole = Field(ge=0)
    interval: list[Number] = Field(min_length=2, max_length=2)
    until: Text
    stable: Flag = False

    @field_validator("until")
    @classmethod
    def _is_day(cls, value: str) -> str:
        try:
            return datetime.date.fromisoformat(value).isoformat()
        except ValueError:
            raise ValueError(f"found {value!r}, expected a day such as 2026-05-30") from None

    @property
    def place(self) -> Place:
        """The suite's key and the scenario's id."""
        return self.suite, self.id

    def figures(self) -> str:
        """Return the history in words."""
        low, high = self.interval
        return f"passed {self.passed} of {self.runs} runs (95% interval {low:.2f} to {high:.2f}), {self.flips} flips"


class _File(Model):
    format: Whole = Field(ge=1)
    quarantine: list[Quarantined]


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of an entry in this run: applied as a non-strict xfail, or only reported; `reason` in words."""

    action: Literal["xfail", "must_pass", "changed", "stable", "expired"]
    reason: str

    @property
    def applied(self) -> bool:
        """Whether a failure of the scenario is expected."""
        return self.action == "xfail"


def decide(entry: Quarantined, fingerprint: str, *, must_pass: bool, today: datetime.date) -> Decision:
    """Return what becomes of `entry`.

    Args:
        entry: from the quarantine file.
        fingerprint: of the scenario as it is now.
        must_pass: whether the scenario is one that must pass, which no quarantine can excuse.
        today: the entry holds through the day in `until`.
    """
    if must_pass:
        return Decision("must_pass", f"{entry.id} must pass and cannot be quarantined; remove the entry")
    if entry.fingerprint != fingerprint:
        text = f"{entry.id} asks or expects something else than when it was quarantined; remove the entry"
        return Decision("changed", text)
    if entry.stable:
        return Decision("stable", f"{entry.id} is stable again: {entry.figures()}; remove the entry")
    if today > datetime.date.fromisoformat(entry.until):
        text = f"the quarantine of {entry.id} ended on {entry.until}; repair it, or extend `until`"
        return Decision("expired", text)
    return Decision("xfail", f"quarantined as flaky: {entry.figures()}; until {entry.until}")


def renewed(
    entries: Iterable[Quarantined], history: History, *, until: datetime.date, min_runs: int = 5
) -> list[Quarantined]:
    """Return the quarantine that follows from `history`: what is flaky now, and what was quarantined before.

    Entries that are stable again stay, marked so that a run reports them; the day on which an entry ends is never
    moved. Entries whose scenario changed or is not in the history stay as they are. A flaky scenario that must pass
    gets no entry, as none would excuse it.

    Args:
        entries: of the file as it is, if there is one.
        history: what `read_history` returned.
        until: the last day of new entries.
        min_runs: the fewest runs to judge by, and how many without a flip make a scenario stable again.
    """
    old = {entry.place: entry for entry in entries}
    flaky = find_flaky(history, min_runs)
    result = dict(old)
    for place, track in flaky.items():
        before = old.get(place)
        if track.must_pass and before is None:
            continue
        kept = before is not None and before.fingerprint == track.fingerprint
        result[place] = _entry(place, track, before.until if before and kept else until.isoformat())
    for place, before in old.items():
        newest = history.get(place)
        if newest and newest.fingerprint == before.fingerprint and newest.is_steady(min_runs):
            result[place] = _entry(place, newest, before.until, stable=True)
    return [result[place] for place in sorted(result)]


def _entry(place: Place, track: Track, until: str, *, stable: bool = False) -> Quarantined:
    suite, id_ = place
    return Quarantined(
        id=id_,
        suite=suite,
        fingerprint=track.fingerprint,
        runs=track.runs,
        passed=track.passed,
        flips=track.flips,
        interval=[round(bound, 4) for bound in track.interval],
        until=until,
        stable=stable,
    )


def quarantine_text(entries: Sequence[Quarantined]) -> str:
    """Return the text of a quarantine file."""
    rows = [entry.model_dump(exclude_defaults=True) for entry in entries]
    return _HEAD + yaml.safe_dump({"format": FORMAT, "quarantine": rows}, sort_keys=False, allow_unicode=True)


def parse_quarantine(text: str, name: str) -> list[Quarantined]:
    """Read the text of a quarantine file; `name` is used in messages.

    Raises:
        DataError: it is no quarantine file, or of a newer format; everything that is wrong is listed.
    """
    document = parse(text, name)
    file = None if document.broken or document.problems else _validated(document)
    if file:
        _check_duplicates(document, file)
    if document.problems or file is None:
        raise DataError(problems=document.problems)
    return file.quarantine


def _validated(document: Document) -> _File | None:
    data = document.data
    if not isinstance(data, Mapping) or "quarantine" not in data:
        document.note((), f"not a quarantine file: expected `format:` and `quarantine:`; {_HOW}", "foreign")
        return None
    found = plain(data.get("format"))
    if isinstance(found, int) and found > FORMAT:
        text = f"quarantine format {found}; this version reads formats 1 to {FORMAT}: upgrade pytest-graph-eval"
        document.note(("format",), text, "newer_format")
        return None
    try:
        return _File.model_validate(data)
    except ValidationError as e:
        for found in describe(e, data, _File):
            document.note(found.loc, found.message, found.code, at_key=found.at_key, key=found.key)
        return None


def _check_duplicates(document: Document, file: _File) -> None:
    count = Counter(entry.place for entry in file.quarantine)
    for number, entry in enumerate(file.quarantine):
        if count[entry.place] > 1:
            text = f"{entry.suite}::{entry.id} is quarantined {count[entry.place]} times; keep one of the entries"
            document.note(("quarantine", number), text, "duplicate_id")


def read_quarantine(path: Path) -> list[Quarantined]:
    """Read a quarantine file.

    Raises:
        DataError: it is missing, unreadable, foreign or of a newer format; the message says what to do.
    """
    content = read_bytes(path)
    if isinstance(content, str):
        raise DataError(f"{path}: {content}; expected a quarantine file: {_HOW}")
    text = decode(content, str(path))
    if not isinstance(text, str):
        raise DataError(problems=[text])
    return parse_quarantine(text, str(path))
