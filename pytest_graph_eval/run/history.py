"""What a pytest process knows of earlier runs: the baseline, the quarantine, and the run that is resumed.

Every process reads them itself before the first question, so that workers of pytest-xdist decide alike.
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.models.conversations import FRESHNESS
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import Scenario, fingerprint
from pytest_graph_eval.plugin import folder_of, setting
from pytest_graph_eval.results import check_file, find_unfinished, read_results

if TYPE_CHECKING:  # most runs have neither a baseline nor a quarantine
    from pytest_graph_eval.gate.comparison.baseline import Baseline, Entry, Place
    from pytest_graph_eval.gate.quarantine import Decision, Quarantined

RESUME = "graph_eval_resume"
_FINISHED = ("PASS", "FAIL", "INCONCLUSIVE")


class History:
    """Earlier runs, as far as options name them."""

    def __init__(self, config: pytest.Config, folder: Path) -> None:
        """Read the files.

        Args:
            config: pytest's configuration.
            folder: where results are written, and the newest unfinished ones are looked for.

        Raises:
            DataError: a file is missing, unreadable, foreign or of a newer format.
            UsageError: there can be no baseline where one is to be saved.
        """
        path = setting(config, "baseline")
        self.baseline: Baseline | None = _baseline(path) if path else None
        self.saving: Path | None = setting(config, "save-baseline")
        if self.saving is not None:
            check_file(self.saving, "--graph-eval-save-baseline")
        self.merging = bool(setting(config, "baseline-partial"))
        self.saved: Baseline | None = self._saved()
        path = setting(config, "quarantine")
        self.quarantine: dict[Place, Quarantined] = _quarantine(path) if path else {}
        self.today = datetime.datetime.now(tz=datetime.UTC).date()
        self.resumed_from = _resumed_from(config, folder)
        self.notes: list[str] = []
        self.resumed = self._resumed()

    def _saved(self) -> Baseline | None:
        """Return the baseline that this run's scenarios are put into, where only a part of it is replaced."""
        if not self.merging:
            return None
        if self.saving is None:
            raise DataError(
                "--graph-eval-baseline-partial: nothing to put the scenarios into; add --graph-eval-save-baseline FILE"
            )
        return _baseline(self.saving) if self.saving.exists() else None

    def _resumed(self) -> dict[Place, Record]:
        if self.resumed_from is None:
            return {}
        records, note = read_results(self.resumed_from)
        if note:
            self.notes.append(note)
        return {(r.suite, r.id): r for r in records if r.status in _FINISHED}

    def before(self, record: Record) -> Entry | None:
        """Return the scenario's entry in the baseline."""
        return self.baseline.suites.get(record.suite, {}).get(record.id) if self.baseline else None

    def stability(self, record: Record, scenario: Scenario) -> Record:
        """Return the record with `expect.stable` decided, where the scenario has it."""
        stable = scenario.expect.stable
        if stable is None:
            return record
        from pytest_graph_eval.gate.comparison.drift import judge_stability

        return judge_stability(record, stable, self.before(record), saving=self.saving is not None)

    def taken_over(self, fresh: Record) -> Record | None:
        """Return the finished record of the run that is resumed, if its scenario and target are those of `fresh`."""
        old = self.resumed.get((fresh.suite, fresh.id))
        if old is None or (old.fingerprint, old.target_digest) != (fresh.fingerprint, fresh.target_digest):
            return None
        flags = [*dict.fromkeys([*old.flags, "resumed"])]
        facts = {key: found for key, found in old.facts.items() if key not in FRESHNESS} | fresh.facts
        of_now = {"index": fresh.index, "nodeid": fresh.nodeid, "outcome": None, "flags": flags, "facts": facts}
        return old.model_copy(update=of_now)

    def decision(self, suite: str, scenario: Scenario) -> Decision | None:
        """Return what the quarantine makes of a scenario, None where it is not in it."""
        entry = self.quarantine.get((suite, scenario.id))
        if entry is None:
            return None
        from pytest_graph_eval.gate.quarantine import decide

        return decide(entry, fingerprint(scenario), must_pass=scenario.must_pass, today=self.today)


def _baseline(path: Path) -> Baseline:
    from pytest_graph_eval.gate.comparison.baseline import read_baseline

    return read_baseline(path)


def _quarantine(path: Path) -> dict[Place, Quarantined]:
    from pytest_graph_eval.gate.quarantine import read_quarantine

    return {entry.place: entry for entry in read_quarantine(path)}


def _resumed_from(config: pytest.Config, folder: Path) -> Path | None:
    """Return the results file to take over; workers are told by the controller, which already writes a new one."""
    told = getattr(config, "workerinput", {}).get(RESUME)
    if told is not None:
        return Path(told) if told else None
    text = setting(config, "resume")
    if not text:
        return None
    if text == "last":
        return find_unfinished(folder)
    return folder_of(config, "resume") / str(text)
