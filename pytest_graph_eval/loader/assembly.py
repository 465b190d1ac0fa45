"""A document becomes a suite that can run: models checked, defaults and rows applied, data sets read, target found.

Problems are collected in the document, so that everything wrong with a file is reported at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from pytest_graph_eval import yaml_source
from pytest_graph_eval.errors import SuiteError
from pytest_graph_eval.loader.additions import addition_problems
from pytest_graph_eval.loader.expansion import filled, row_findings, with_defaults
from pytest_graph_eval.loader.loaded import DeclaredTarget, LoadedScenario, LoadedSuite
from pytest_graph_eval.loader.rules import gate_findings, judge_findings, scenario_findings, target_findings
from pytest_graph_eval.loader.sharing import Sets, share_written
from pytest_graph_eval.models.extensions import current
from pytest_graph_eval.models.judge_settings import JudgeSettings
from pytest_graph_eval.models.scalars import Model
from pytest_graph_eval.models.scenario import Dataset, Scenario, Suite
from pytest_graph_eval.models.validation import Finding, Loc, choices, describe, dotted
from pytest_graph_eval.targets.conversation import HOW_TO_HOLD, holds_conversations
from pytest_graph_eval.yaml_source.document import MAX_PROBLEMS, Document

M = TypeVar("M", bound=Model)
_NONE_DECLARED = (
    "; none are declared: write `targets.yaml` beside the suite, or name a file of targets by the ini key "
    "`graph_eval_targets`"
)


def note(document: Document, findings: Iterable[Finding], base: Loc = (), prefix: str = "") -> None:
    """Add findings to the document's problems, at their positions below `base`."""
    for finding in findings:
        shown = dotted(finding.loc[:-1] if finding.at_key else finding.loc)
        where = ": ".join(filter(None, (prefix, shown)))
        message = f"{where}: {finding.message}" if where else finding.message
        document.note((*base, *finding.loc), message, finding.code, at_key=finding.at_key, key=finding.key)


def validated(model: type[M], data: Any, document: Document, base: Loc = (), prefix: str = "") -> M | None:
    """Return the model of `data`, or None after noting what is wrong with it."""
    try:
        return model.model_validate(data)
    except ValidationError as e:
        note(document, describe(e, data, model), base, prefix)
        return None


class Written(NamedTuple):
    """A scenario as it stands in the file: its place in the list from 0, and what messages call it.

    `partial` ones had problems; what is left of them is looked at by the rules, but never runs.
    """

    scenario: Scenario
    place: int
    name: str
    partial: bool = False


def read_suite(document: Document) -> tuple[Suite, list[Written]] | None:
    """Return the suite in a document with its scenarios, or None after noting why there is none.

    Each part is validated for itself, and what is wrong is left out, so that the rules which look at several parts
    can still speak about the rest.
    """
    data = document.data
    if not isinstance(data, dict):
        found = "the file is empty" if data is None else "the file is no mapping"
        document.note((), f"{found}; a suite has the keys `target:` and `scenarios:` or `datasets:`", "wrong_type")
        return None
    entries = data.get("scenarios")
    kept, sets = [], Sets()
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if len(document.problems) > MAX_PROBLEMS:
            document.note(("scenarios", index), "more problems than are worth reading; stopped here", "too_many")
            break
        if (written := _written(document, entry, index)) is not None:
            share_written(written.scenario, sets)
            kept.append(written)
    if isinstance(entries, list):
        data = {**data, "scenarios": [w.scenario for w in kept]}
    try:
        return Suite.model_validate(data), kept
    except ValidationError as e:
        findings = describe(e, data, Suite)
        note(document, findings)
    if any(f.loc[:1] == ("defaults",) for f in findings):  # they may have held what scenarios seem to lack
        kept = [w._replace(partial=True) for w in kept]
    suite = _rest(Suite, {**data, "scenarios": [w.scenario for w in kept]}, findings)
    return None if suite is None else (suite, kept)


def _written(document: Document, entry: Any, index: int) -> Written | None:
    """Return a scenario, or what is left of it; None where that is nothing."""
    own_id = entry.get("id") if isinstance(entry, dict) else None
    name = f"scenario {str(own_id)!r}" if isinstance(own_id, str) and own_id else f"scenarios[{index}]"
    try:
        return Written(Scenario.model_validate(entry), index, name)
    except ValidationError as e:
        findings = describe(e, entry, Scenario)
        note(document, findings, ("scenarios", index), name)
    if not isinstance(entry, dict):
        return None
    scenario = _rest(Scenario, {"id": f"_{index}", "question": "?"} | entry, findings)
    return None if scenario is None else Written(scenario, index, name, partial=True)


_SECTIONS = ("expect", "gate", "defaults")


def _rest(model: type[M], data: dict[str, Any], findings: Iterable[Finding]) -> M | None:
    """Return the model without the keys that findings are about; of the large sections, without the keys below."""
    rest = dict(data)
    for finding in findings:
        key, *below = finding.loc or (finding.key,)
        if key in _SECTIONS and below and isinstance(rest.get(key), dict):
            rest[key] = {k: v for k, v in rest[key].items() if k != below[0]}
        else:
            rest.pop(str(key), None)
    try:
        return model.model_validate(rest)
    except ValidationError:  # an id or a question without use, or more findings than are described
        return None


class Assembly:
    """Turns one suite into scenarios that run, and notes what keeps it from running."""

    def __init__(self, suite: Suite, document: Document, key: str, folder: Path) -> None:
        """Take a suite and where it comes from; `document` may be empty for a suite built in Python."""
        self.suite = suite
        self.document = document
        self.key = key
        self.folder = folder
        self.loaded: list[LoadedScenario] = []
        self.documents: list[str] = []
        self._first: dict[str, LoadedScenario] = {}
        self._conversations: list[tuple[Scenario, Loc]] = []

    def run(
        self,
        written: Iterable[Written],
        targets: Mapping[str, DeclaredTarget] | None,
        target: DeclaredTarget | None,
    ) -> LoadedSuite:
        """Return the suite ready to run.

        Raises:
            SuiteError: it has problems; all of them, each once.
        """
        document, suite = self.document, self.suite
        document.problems.extend(addition_problems(current()))
        for one in written:
            self._add_written(one)
        for index, dataset in enumerate(suite.datasets):
            self._add_dataset(dataset, ("datasets", index))
        if "gate" in suite.model_fields_set:
            note(document, (replace(f, loc=("gate", *f.loc)) for f in gate_findings(suite.gate)))
        if suite.judge is not None and suite.judge.config is not None:
            judge = self._judge(suite.judge, suite.judge.config)
            suite = self.suite = suite.model_copy(update={"judge": judge})
        note(document, judge_findings(suite))
        declared = self._target(targets, target)
        self._check_conversations(declared)
        if not self.loaded and not document.problems:
            what = "add entries to `scenarios:`, or `datasets:`"
            document.note(("scenarios",), f"the suite has no scenario; {what}", "no_scenarios", at_key=True)
        if document.problems:
            raise SuiteError(dict.fromkeys(document.problems))
        documents = tuple(dict.fromkeys(self.documents))
        line = document.key_position(("catalog",))[0]
        where = f"{document.name}:{line}" if line else document.name
        return LoadedSuite(suite, self.key, self.folder, tuple(self.loaded), declared, documents, where, current())

    def _add_written(self, written: Written) -> None:
        """Add a scenario of the file, or one for each of its rows."""
        base: Loc = ("scenarios", written.place)
        scenario = with_defaults(written.scenario, self.suite.defaults)
        if scenario.rows is None:
            self._add(LoadedScenario(scenario, *self.document.position(base)), written, base)
            return
        data = scenario.model_dump(by_alias=True, exclude_unset=True)
        findings = list(row_findings(scenario, data))
        note(self.document, findings, base, written.name)
        bad = {f.loc[1] for f in findings}
        for index, row in enumerate(scenario.rows):
            if index in bad:
                continue
            one = validated(Scenario, filled(data, row), self.document, base, written.name)
            if one is not None:
                place = self.document.position((*base, "rows", index))
                self._add(LoadedScenario(one, *place), written, base)

    def _add_dataset(self, dataset: Dataset, base: Loc) -> None:
        """Add every entry of another project's file."""
        from pytest_graph_eval.formats.datasets import MAX_BYTES, read_dataset
        from pytest_graph_eval.formats.entries import DataFile

        name = (Path(self.key).parent / dataset.path).as_posix()
        content = yaml_source.read_bytes(self.folder / dataset.path, MAX_BYTES)
        file = DataFile(refused=content) if isinstance(content, str) else read_dataset(content, name, dataset)
        if file.refused:
            self.document.note((*base, "path"), f"{dataset.path}: {file.refused}", "unreadable")
            return
        self.document.problems.extend(file.problems)
        documents = tuple(file.documents)
        self.documents.extend(documents)
        place = self.document.position((*base, "path"))
        for entry in file.entries:
            scenario = with_defaults(entry.scenario, self.suite.defaults)
            source = f"{name}:{entry.line}:{entry.col}"
            self._add(LoadedScenario(scenario, *place, source, documents, entry.flags), None, (*base, "path"))

    def _add(self, loaded: LoadedScenario, written: Written | None, base: Loc) -> None:
        """Add one scenario that runs, after the rules have spoken; `written` is None for a data set's entry."""
        scenario = loaded.scenario
        first = self._first.setdefault(scenario.id, loaded)
        if first is not loaded:
            where = f"in {first.source}" if first.source else f"on line {first.line}"
            advice = "ids are unique in a suite, rename one" if written else "add a `prefix:` to the data set"
            message = f"duplicate id {scenario.id!r}, first {where}; {advice}"
            self.document.note((*base, "id"), message, "duplicate_id", key=scenario.id)
        complete = written is not None and not written.partial
        for finding in scenario_findings(scenario, must_check=complete):
            self._note_rule(finding, base, written.name if written else f"scenario {scenario.id!r}")
        self.loaded.append(loaded)
        if len(scenario.turns or ()) > 1:
            self._conversations.append((scenario, (*base, "turns") if written else base))

    def _check_conversations(self, declared: DeclaredTarget | None) -> None:
        """Note the conversations that the target cannot hold, those of one data set together."""
        lost: dict[Loc, list[str]] = {}
        for scenario, loc in self._conversations if declared is not None else ():
            if declared is not None and not holds_conversations(declared.spec, scenario):
                lost.setdefault(loc, []).append(scenario.id)
        for loc, ids in lost.items():
            more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
            kind = declared.spec.kind if declared else ""
            message = f"scenario {ids[0]!r}{more}: the {kind} target cannot hold a conversation; {HOW_TO_HOLD[kind]}"
            self.document.note(loc, message, "no_conversation")

    def _note_rule(self, finding: Finding, base: Loc, name: str) -> None:
        """Note a finding where its value stands: in the scenario, or in the defaults."""
        own = len(self.document.path((*base, *finding.loc))) - len(base)
        inherited: Loc = ("defaults", *finding.loc)
        if len(self.document.path(inherited)) - 1 > own:
            note(self.document, [replace(finding, loc=inherited)])
        else:
            note(self.document, [finding], base, name)

    def _judge(self, judge: JudgeSettings, name: str) -> JudgeSettings:
        """Return the judge with what a configuration of graphrag-eval says, where the suite does not say it itself."""
        from pytest_graph_eval.formats.graphrag_eval_config import read_config

        content = yaml_source.read_bytes(self.folder / name)
        text = yaml_source.decode(content, name) if isinstance(content, bytes) else content
        if not isinstance(text, str) or isinstance(content, str):
            self.document.note(("judge", "config"), f"{name}: {text}", "unreadable")
            return judge
        config = yaml_source.parse(text, name)
        settings, wrong, idle = read_config(config.data)
        note(config, [*wrong, *idle] if not config.broken else ())
        self.document.problems.extend(config.problems)
        own = {key: getattr(judge, key) for key in judge.model_fields_set - {"config"}}
        whole = {**settings, **own}
        if config.problems:
            return judge
        return validated(JudgeSettings, whole, self.document, ("judge",)) or judge

    def _target(
        self, targets: Mapping[str, DeclaredTarget] | None, replacement: DeclaredTarget | None
    ) -> DeclaredTarget | None:
        """Return the target to ask: the replacement, the suite's own, or the one that it names."""
        own = self.suite.target
        if replacement is not None:
            return replacement
        if own is not None and not isinstance(own, str):
            note(self.document, target_findings(own, ("target",)))
            line = self.document.key_position(("target",))[0]
            return DeclaredTarget(own, self.folder, f"{self.document.name}:{line}" if line else self.document.name)
        if targets is None:
            return None
        if own is None and isinstance(self.document.data, dict) and self.document.data.get("target") is not None:
            return None  # it was refused, which is said already
        if own is None:
            advice = "add `target:`, or run with --graph-eval-target"
            self.document.note((), f"the suite names no target; {advice}", "no_target")
        elif own in targets:
            return targets[own]
        else:
            known = choices(own, targets, "declared targets") if targets else _NONE_DECLARED
            self.document.note(("target",), f"unknown target {own!r}{known}", "unknown_target", key=own)
        return None
