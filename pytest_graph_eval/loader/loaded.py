"""What loading a suite gives: its scenarios as they run, with their places, and the target to ask."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_graph_eval.graph.reading.file_kinds import by_kind, is_file
from pytest_graph_eval.models.extensions import Extensions
from pytest_graph_eval.models.judge_settings import JudgeSettings
from pytest_graph_eval.models.scenario import Scenario, Suite
from pytest_graph_eval.models.settings import Gate, TargetSpec

_SUFFIX = re.compile(r"(\.graph)?\.ya?ml$")


@dataclass(frozen=True, slots=True)
class DeclaredTarget:
    """A target's settings, the folder that its relative paths belong to, and `file:line` of where it is declared."""

    spec: TargetSpec
    folder: Path
    where: str = ""


@dataclass(frozen=True, slots=True)
class LoadedScenario:
    """A scenario as it runs: defaults merged in, its row filled in.

    `line` and `col` are its place in the suite file, counted from 1 (0 where the suite is no file); for a data set's
    entry that is the data set's line, and `source` names the entry's own place (`file:line:col`).
    `documents` are the sources that the data set was made from, `flags` what its record is flagged with. `freshness`
    is what its record's `facts` say of each turn beside what was found: whether the graph still holds what is expected.
    """

    scenario: Scenario
    line: int = 0
    col: int = 0
    source: str = ""
    documents: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    freshness: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class LoadedSuite:
    """A suite that can run: as it was written, and its scenarios as they run.

    `key` is the file's path from rootdir in posix form. Relative paths of the suite belong to `folder`.
    `catalog_where` is `file:line` of its `catalog:`.
    """

    suite: Suite
    key: str
    folder: Path
    scenarios: tuple[LoadedScenario, ...]
    declared: DeclaredTarget | None = None
    documents: tuple[str, ...] = ()
    catalog_where: str = ""
    extensions: Extensions = field(default_factory=Extensions, repr=False, compare=False)
    """What plugins add to the suite."""
    _by_id: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The shown name: `suite:`, else the file's name."""
        return self.suite.suite or Path(self.key).name.partition(".")[0]

    @property
    def gate(self) -> Gate:
        """What makes the verdict over this suite."""
        return self.suite.gate

    @property
    def judge(self) -> JudgeSettings | None:
        """The model that judges the answers, where the suite names one."""
        return self.suite.judge

    @property
    def target(self) -> TargetSpec | None:
        """The settings of the target to ask; None where the suite has none."""
        return self.declared.spec if self.declared else None

    @property
    def target_folder(self) -> Path:
        """The folder that the target's relative paths belong to."""
        return self.declared.folder if self.declared else self.folder

    @property
    def target_where(self) -> str:
        """`file:line` of the target's settings, for messages."""
        return self.declared.where if self.declared else ""

    @property
    def cassette(self) -> Path:
        """The file beside the suite that holds the recorded replies of its target."""
        return self.folder / "cassettes" / (_SUFFIX.sub("", Path(self.key).name) + ".jsonl")

    @property
    def extraction(self) -> str:
        """The path of the first extraction file in the suite's catalog; empty where there is none."""
        files = by_kind(file for file in self.suite.catalog if is_file(file))["extraction"]
        return str((self.folder / files[0]).resolve()) if files else ""

    def find(self, scenario_id: str) -> tuple[int, LoadedScenario] | None:
        """Return a scenario and its place in the suite by its id."""
        if not self._by_id:
            self._by_id.update({loaded.scenario.id: i for i, loaded in enumerate(self.scenarios)})
        index = self._by_id.get(scenario_id)
        return None if index is None else (index, self.scenarios[index])
