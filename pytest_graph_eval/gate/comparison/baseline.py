"""The baseline file: what a run that was accepted looked like, to compare later runs with.

It keeps what each scenario asked and expected, not a hash of it: fingerprints are computed from that on reading, so
an edited or merged file, or another version of this package, cannot pair what is not the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.files import write_whole
from pytest_graph_eval.gate.figures import is_number, mean
from pytest_graph_eval.gate.outcomes import kind_of
from pytest_graph_eval.gate.summary import GraphStats
from pytest_graph_eval.models.records import Record, Status, json_text
from pytest_graph_eval.models.scenario import digest
from pytest_graph_eval.models.validation import first_problem
from pytest_graph_eval.texts import listed

FORMAT = 1
KIND = "graph-eval-baseline"
_HOW = "save one with --graph-eval-save-baseline"

Place = tuple[str, str]
"""A scenario's place: the suite's key and the scenario's id."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Attempt(_Part):
    """One asking of a scenario: whether it passed, and its scores (None is unscored)."""

    passed: bool
    scores: dict[str, float | None] = {}


class Entry(_Part):
    """One scenario of a baseline. `scenario` is its `identity`; `attempts` are in the order of asking."""

    scenario: dict[str, Any] = {}
    status: Status
    attempts: list[Attempt] = Field(min_length=1)
    retrieved: dict[str, list[str]] = {}
    key_facts: list[str] = []
    flags: list[str] = []
    target: str = ""
    deterministic: bool = False
    claimed: str = Field("", exclude=True)
    """The fingerprint of an entry made from a record alone; never read from a baseline file."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint, computed from what was asked where that is known."""
        return digest(self.scenario) if self.scenario else self.claimed

    def pass_rate(self, first: int | None = None) -> float:
        """Return the share of the `first` askings (default: all) that passed."""
        attempts = self.attempts[:first]
        return sum(a.passed for a in attempts) / len(attempts)

    def score(self, metric: str, first: int | None = None) -> float | None:
        """Return the mean score of the `first` askings (default: all); None where no one has it."""
        if len(self.attempts) == 1:
            return self.attempts[0].scores.get(metric)
        return mean([s for a in self.attempts[:first] if (s := a.scores.get(metric)) is not None])

    def metrics(self) -> set[str]:
        """Return the metrics that at least one asking names, scored or not."""
        return {name for a in self.attempts for name in a.scores}

    @classmethod
    def of(cls, record: Record, identity: Mapping[str, Any] | None = None) -> Entry:
        """Return what a baseline keeps of `record`; without an `identity` its fingerprint is taken as it claims."""
        return cls(
            scenario=dict(identity or {}),
            # A pass whose item failed in pytest is no pass.
            status="FAIL" if kind_of(record) == "failed" else record.status,
            attempts=_attempts(record),
            retrieved=record.retrieved,
            key_facts=record.key_facts,
            flags=record.flags,
            target=record.target,
            deterministic=record.deterministic,
            claimed=record.fingerprint,
        )


class Baseline(_Part):
    """The scenarios of an accepted run by suite and id, and what each suite's target said of its graph."""

    format: int = FORMAT
    kind: str = KIND
    created: str = ""
    suite_hash: str = ""
    meta: dict[str, Any] = {}
    graphs: dict[str, GraphStats] = {}
    suites: dict[str, dict[str, Entry]] = {}

    def entries(self) -> dict[Place, Entry]:
        """Return all entries by suite and id."""
        return {(suite, id_): entry for suite, entries in self.suites.items() for id_, entry in entries.items()}

    def to_text(self) -> str:
        """Return the text of a baseline file: sorted, so that two of them can be compared line by line."""
        data = self.model_dump(mode="json")
        data["suites"] = {suite: dict(sorted(entries.items())) for suite, entries in sorted(data["suites"].items())}
        return json_text(data, indent=1) + "\n"


def place_of(record: Record) -> Place:
    """Return the place of a record's scenario."""
    return record.suite, record.id


def _attempts(record: Record) -> list[Attempt]:
    if not record.repeats:
        return [_attempt(kind_of(record) == "passed", record.scores)]
    return [_attempt(r.get("status") == "PASS", r.get("scores") or {}) for r in record.repeats]


def _attempt(passed: bool, scores: Mapping[str, Any]) -> Attempt:
    finite = {name: value if is_number(value) else None for name, value in scores.items()}
    return Attempt(passed=passed, scores=finite)


def build(
    records: Iterable[Record],
    identities: Mapping[Place, Mapping[str, Any]],
    *,
    graphs: Mapping[str, GraphStats] | None = None,
    suite_hash: str = "",
    created: str = "",
    meta: Mapping[str, Any] | None = None,
) -> Baseline:
    """Return a baseline of a run.

    Skipped scenarios are left out: nothing is known of them.

    Args:
        records: one a scenario.
        identities: `scenario.identity` of each record's scenario, as loaded for this run.
        graphs: what each suite's target said of its graph.
        suite_hash: the summary's hash over the scenarios that ran.
        created: when, as the caller writes instants.
        meta: whatever the caller wants to keep beside it (versions, target settings).

    Raises:
        DataError: a record and its scenario are not the same, so the suite changed while the run went on.
    """
    suites: dict[str, dict[str, Entry]] = {}
    strange = []
    for record in records:
        if record.status == "SKIPPED":
            continue
        identity = identities.get(place_of(record))
        if identity is None or digest(identity) != record.fingerprint:
            strange.append(f"{record.suite}::{record.id}")
            continue
        suites.setdefault(record.suite, {})[record.id] = Entry.of(record, identity)
    if strange:
        raise DataError(
            f"no baseline was saved: {listed(strange)} - the record does not belong to the scenario as it is loaded; "
            "expected records of this very suite: run it again and save then"
        )
    return Baseline(
        created=created, suite_hash=suite_hash, meta=dict(meta or {}), graphs=dict(graphs or {}), suites=suites
    )


def merge(baseline: Baseline, newer: Baseline) -> Baseline:
    """Return `baseline` with the scenarios and graphs of `newer` put in, the others as they were."""
    suites = {key: dict(entries) for key, entries in baseline.suites.items()}
    for key, entries in newer.suites.items():
        suites.setdefault(key, {}).update(entries)
    return newer.model_copy(
        update={
            "suites": suites,
            "graphs": {**baseline.graphs, **newer.graphs},
            "meta": {**baseline.meta, **newer.meta},
        }
    )


def why_not_saved(verdict: str, records: Sequence[Record], *, partial: bool, merging: bool = False) -> str | None:
    """Return why a run must not become the baseline, None when it may.

    Args:
        verdict: of the whole run.
        records: all of them.
        partial: whether only a part of what is in reach ran.
        merging: whether just the scenarios that ran are put into an older baseline.
    """
    errors = [r.id for r in records if kind_of(r) == "errors"]
    if errors:
        return f"{len(errors)} of {len(records)} records are ERROR ({listed(errors)}); repair what broke, then save"
    if verdict == "FAIL":
        return "the verdict is FAIL; repair what it names, or where the change is meant, run without a baseline to save"
    if not any(r.status != "SKIPPED" for r in records):
        return "nothing was measured; run at least one scenario"
    if partial and not merging:
        return (
            "only a part of the scenarios ran; run all of them, "
            "or put these into the older baseline with --graph-eval-baseline-partial"
        )
    return None


def parse_baseline(text: str, name: str) -> Baseline:
    """Read the text of a baseline file; `name` is used in messages.

    Raises:
        DataError: it is no baseline, a damaged one, or one of a newer format; the message says what to do.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise DataError(f"{name}: not readable as JSON ({e}); expected a baseline: {_HOW}") from None
    if not isinstance(data, dict) or data.get("kind") != KIND:
        raise DataError(f"{name}: not a baseline (no `kind: {KIND}`); expected a file that this option wrote: {_HOW}")
    found = data.get("format")
    if isinstance(found, bool) or not isinstance(found, int) or not 1 <= found <= FORMAT:
        raise DataError(
            f"{name}: baseline format {found!r}; this version reads formats 1 to {FORMAT}: "
            f"upgrade pytest-graph-eval, or {_HOW}"
        )
    try:
        baseline = Baseline.model_validate(data)
    except ValidationError as e:
        raise DataError(f"{name}: damaged baseline: {first_problem(e)}; restore it, or {_HOW}") from None
    for (suite, id_), entry in baseline.entries().items():
        if not entry.scenario:
            raise DataError(
                f"{name}: damaged baseline: {suite}::{id_} does not say what was asked (`scenario`); "
                f"restore it, or {_HOW}"
            )
    return baseline


def read_baseline(path: Path) -> Baseline:
    """Read a baseline file.

    Raises:
        DataError: it is missing, unreadable, foreign or of a newer format; the message says what to do.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(f"{path}: no such baseline; {_HOW}") from None
    except (OSError, UnicodeDecodeError) as e:
        raise DataError(f"{path}: the baseline cannot be read ({e}); expected a UTF-8 file: {_HOW}") from None
    return parse_baseline(text, str(path))


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline file, all of it or nothing.

    Raises:
        DataError: it cannot be written there.
    """
    try:
        write_whole(path, [baseline.to_text()])
    except OSError as e:
        raise DataError(f"{path}: the baseline cannot be written ({e}); choose a place that can be written") from None
