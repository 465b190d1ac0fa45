"""The evaluation inside one pytest process: its suites, its targets, and the record on each report.

Every process has one, workers of pytest-xdist included; what only the controller does is in `controller`.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_graph_eval.boundary import Boundary
from pytest_graph_eval.errors import GraphEvalError, UsageError
from pytest_graph_eval.evaluation.evaluate import Context, new_record
from pytest_graph_eval.garbage import ends_with_session
from pytest_graph_eval.library import FactsMode, plain_nodeid, scenario_context, suite_context, with_current_facts
from pytest_graph_eval.loader import LoadedSuite, load_gate, load_suite, load_targets, target_from_text
from pytest_graph_eval.loader.files import BESIDE
from pytest_graph_eval.models.extensions import HOOKS, OPEN, Extensions, called, entry_points, gathered, pairs_of, using
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.models.settings import Gate
from pytest_graph_eval.plugin import folder_of, setting
from pytest_graph_eval.redaction import Redactor
from pytest_graph_eval.reports.properties import PREFIX, record_properties
from pytest_graph_eval.results import check_folder
from pytest_graph_eval.run.cassettes import Cassettes, packed
from pytest_graph_eval.run.collection import RECORD, SESSION, ScenarioItem
from pytest_graph_eval.run.controller import Controller
from pytest_graph_eval.run.distribution import Distribution
from pytest_graph_eval.run.history import History
from pytest_graph_eval.run.kept_replies import KeptReplies
from pytest_graph_eval.run.lookahead import Lookahead
from pytest_graph_eval.run.report_files import ReportFiles
from pytest_graph_eval.run.suite_targets import SuiteTargets

if TYPE_CHECKING:
    from pytest_graph_eval.evaluation.asking import OpenTarget
    from pytest_graph_eval.targets.recording.lines import Tape

NAME = "graph-eval-session"
OUTPUT = "evals/results"


def register(config: pytest.Config) -> None:
    """Register what runs suites in this process, and on the controller what judges them.

    Raises:
        pytest.UsageError: a file that an ini key names cannot be used.
    """
    session = config.stash[SESSION] = Session(config)
    config.pluginmanager.register(session, NAME)
    config.pluginmanager.register(session.lookahead, "graph-eval-lookahead")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Controller(config, session), "graph-eval-controller")
        config.pluginmanager.register(Distribution(config, session), "graph-eval-distribution")


class Session:
    """The suites that this process collected and the targets that it opened."""

    def __init__(self, config: pytest.Config) -> None:
        """Read the files that ini keys name."""
        self.config = config
        self.suites: dict[str, LoadedSuite] = {}
        self._named: dict[str, Any] = {}
        self.gate: Gate | None = None
        self.folder: Path = setting(config, "output") or config.rootpath / OUTPUT
        self._contexts: dict[str, tuple[OpenTarget | None, Context]] = {}
        self._told: set[str] = set()
        self.handed: dict[tuple[str, str], Record] = {}
        """Records by node id and phase, on their way to the controller in this process."""
        self.measured: ScenarioItem | None = None
        """The item that was measured last."""
        self._choices: dict[tuple[str, Any], Any] = {}
        worker = str(getattr(config, "workerinput", {}).get("workerid", "main"))
        self.targets = SuiteTargets(worker, self.tape)
        self.boundary = Boundary(self.targets.secrets, start=config.invocation_params.dir, root=config.rootpath)
        name = config.getini("graph_eval_cassettes")
        self.cassettes = Cassettes(self._ini_path(name) if name else None, config.rootpath)
        setting(config, "record-mode")  # a word that is no mode is told before the first question
        self._facts: FactsMode = setting(config, "facts") or "check"
        if self._facts == "check" and _only_looks(config):
            self._facts = "off"
        self.lookahead = Lookahead(config)
        try:
            self._register_packages()
            with using(self.extensions(config.hook)):
                self._read_ini()
            self.replacement = self._replacement()
            check_folder(self.folder)
            self.replies = self._kept_replies()
            self.reports = ReportFiles(config)
            self.history = History(config, self.folder)
        except GraphEvalError as e:
            raise pytest.UsageError(str(e)) from None
        self.boundary.watch_logs()
        config.add_cleanup(self.boundary.close)
        self._is_last = ends_with_session()
        if not self._is_last:
            config.add_cleanup(gc.unfreeze)

    def _register_packages(self) -> None:
        """Make the plugins of installed packages plugins of pytest, so that all of their hooks are called."""
        for name, plugin in entry_points():
            if not self.config.pluginmanager.is_registered(plugin):
                self.config.pluginmanager.register(plugin, f"graph-eval-{name}")

    @staticmethod
    def extensions(hook: Any) -> Extensions:
        """Return what plugins add, of conftest files those that `hook` (of a collector, or of pytest) belongs to.

        Raises:
            UsageError: a plugin's function raises, or returns what is no mapping of names to functions.
        """
        returned = {kind: called(getattr(hook, word), word) for kind, word in HOOKS.items()}
        return gathered({k: [p for one in found for p in pairs_of(one, HOOKS[k])] for k, found in returned.items()})

    def _ini_path(self, name: str) -> Path:
        return (self.config.inipath.parent if self.config.inipath else self.config.rootpath) / name

    def _read_ini(self) -> None:
        for key in ("targets", "gate"):
            name = self.config.getini(f"graph_eval_{key}")
            if not name:
                continue
            path = self._ini_path(name)
            if not path.is_file():
                raise UsageError(f"graph_eval_{key} {name}: there is no such file in {path.parent}")
            if key == "targets":
                self._named = load_targets(path)
            else:
                self.gate = load_gate(path)

    def _replacement(self) -> Any:
        """Return the target that `--graph-eval-target` puts in the place of every suite's own, if any."""
        text = setting(self.config, "target")
        if not text:
            return None
        if text in self._named:
            return self._named[text]
        try:
            return target_from_text(text, folder_of(self.config, "target"), sorted(self._named))
        except UsageError as e:
            if self._named or not (self.config.rootpath / BESIDE).is_file():
                raise
            advice = f"{BESIDE} is for the suites beside it; name it in the ini key `graph_eval_targets`, too"
            raise UsageError(f"{e}; {advice}") from None

    def _kept_replies(self) -> KeptReplies | None:
        folder = setting(self.config, "keep-responses")
        if folder is None:
            return None
        check_folder(folder, "--graph-eval-keep-responses")
        return KeptReplies(folder, lambda: self.redactor)

    def load(self, path: Path) -> LoadedSuite:
        """Load a suite file and remember it by its key.

        Raises:
            SuiteError: it cannot be loaded.
        """
        suite = load_suite(path, rootdir=self.config.rootpath, targets=self._named, target=self.replacement)
        suite = with_current_facts(suite, self._facts)
        self.suites[suite.key] = suite
        return suite

    def suite(self, key: str) -> LoadedSuite | None:
        """Return a suite by its key; the xdist controller, which collects nothing, loads it now."""
        if key not in self.suites:
            try:
                with using(OPEN):  # a worker has collected it, with the conftest files of its folder
                    self.load(self.config.rootpath / key)
            except GraphEvalError:
                return None
        return self.suites[key]

    def fail_on(self, suite: LoadedSuite) -> str:
        """Return whether a failed scenario fails its item (`items`) or only the gate decides (`gate`)."""
        own = suite.gate.fail_on if "fail_on" in suite.gate.model_fields_set else None
        return self._chosen("fail-on", own) or "items"

    def repeats(self, scenario: Scenario) -> int:
        """Return how often a scenario is asked."""
        return self._chosen("repeats", scenario.repeats if "repeats" in scenario.model_fields_set else None) or 1

    def tape(self, suite: LoadedSuite) -> Tape | None:
        """Return where the replies to a suite's questions are recorded, and when; None where they are not.

        A suite that plays its cassette does so for its own target, not for one that stands in its place.
        """
        mode = self._chosen("record-mode", None if self.replacement else suite.suite.record_mode)
        return None if mode in (None, "off") else self.cassettes.tape(suite, mode)

    def _chosen(self, name: str, own: Any) -> Any:
        """Return a setting that a suite may make, too: command line, environment, suite, ini file, in this order."""
        if (name, own) not in self._choices:  # asked for every scenario
            word = "graph_eval_" + name.replace("-", "_")
            outside = own is None or self.config.getoption(word) or os.environ.get(word.upper())
            self._choices[name, own] = setting(self.config, name) if outside else own
        return self._choices[name, own]

    @property
    def redactor(self) -> Redactor:
        """Takes secrets and directories out of texts."""
        return self.boundary.redactor

    def context(self, item: ScenarioItem, opened: OpenTarget | None) -> Context:
        """Return what scoring needs to know of an item's suite and target."""
        known, shared = self._contexts.get(item.suite.key, (None, None))
        if shared is None or known is not opened:
            shared = suite_context(item.suite, opened)
            if self.reports.paths:
                shared = dataclasses.replace(shared, keeps_contexts=True)
            self._contexts[item.suite.key] = opened, shared
        return scenario_context(shared, item.loaded, nodeid=plain_nodeid(item.nodeid), index=item.index)

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # plugins that shuffle are wrappers themselves
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None]:
        """Number the scenarios in the order of the suites, before anybody shuffles: the order of the results file."""
        scenarios = (item for item in items if isinstance(item, ScenarioItem))
        for index, item in enumerate(scenarios):
            item.index = index
        return (yield)

    def pytest_collection_finish(self) -> None:
        """Take the items out of the garbage collector's sight: they stay to the end of the session."""
        gc.freeze()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the record on the report that ends the scenario: the call's, or a setup that did not pass."""
        report = yield
        if isinstance(item, ScenarioItem) and (report.when == "call" or (report.when == "setup" and not report.passed)):
            record = item.stash.get(RECORD, None) or new_record(item.scenario, self.context(item, item.asked))
            _complete(record, report, call)
            if item.quarantined:
                record.flags.append("quarantined")
            if record.status == "INCONCLUSIVE" and report.skipped:
                report.longrepr = (str(item.path), item.loaded.line, f"inconclusive: {record.reason}")
            if report.when == "setup" and report.failed and item.failure:
                report.longrepr = item.located_failure()
            self._attach(report, record, item)
            if RECORD in item.stash:
                del item.stash[RECORD]  # it travels on; a second copy of every record is not kept
        if isinstance(item, ScenarioItem):
            self.boundary.clean(report)
        return report

    def _attach(self, report: pytest.TestReport, record: Record, item: ScenarioItem) -> None:
        """Hand what the controller needs over, redacted; as JSON text on the report where it is another process."""
        others = [pair for pair in item.user_properties if not pair[0].startswith(PREFIX)]  # than of an earlier attempt
        redactor = self.redactor
        record = item.cleaned(record, redactor) if report.passed else redactor.cleaned(record)
        item.user_properties[:] = report.user_properties = [*others, *record_properties(record)]
        opened = self.targets.known(item.suite, item.bound)
        tape = self.tape(item.suite) if opened else None
        seldom = {
            "graph_eval_target": self._target_facts(item.suite.key, opened),
            "graph_eval_recorded": packed(opened.target, tape, redactor) if opened and tape else "",
        }
        told = {name: text for name, text in seldom.items() if text}  # pytest keeps every report
        if hasattr(self.config, "workerinput"):
            told["graph_eval"] = record.to_line()
        else:
            record.forget_given()
            self.handed[report.nodeid, report.when] = record
        vars(report).update(graph_eval_status=record.status, **told)

    def unreported(self) -> list[Record]:
        """Return what was measured and is on no report that the controller saw: an interrupt came between."""
        item = self.measured
        if item is not None and RECORD in item.stash:
            record = self.redactor.cleaned(item.stash[RECORD])
            record.outcome = record.outcome or item.expected_outcome(record)
            self.handed[item.nodeid, "call"] = record
        records, self.handed = list(self.handed.values()), {}
        return records

    def _target_facts(self, key: str, opened: OpenTarget | None) -> str:
        """Return what a suite's target says of itself, once: the schemas of its tools may be long."""
        status = opened.result.status if opened and opened.result else None
        if status is None or key in self._told:
            return ""
        self._told.add(key)
        warnings = list(opened.result.warnings) if opened and opened.result else []
        facts = {
            "entities": status.entities,
            "relationships": status.relationships,
            "tools": status.tools,
            "warnings": warnings,
        }
        return json.dumps(self.redactor.value(facts), default=str)

    def pytest_report_teststatus(self, report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str, Any] | None:
        """Show INCONCLUSIVE as `I`, and a failed scenario that is left to the gate as `w`."""
        status = getattr(report, "graph_eval_status", None)
        if status == "INCONCLUSIVE" and report.skipped:
            return "skipped", "I", ("INCONCLUSIVE", {"yellow": True})
        if status == "FAIL" and report.passed and not hasattr(report, "wasxfail"):
            return "weak", "w", ("WEAK", {"yellow": True})
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Close the targets and the loop, each in bounded time."""
        self.lookahead.end()
        self.targets.close()

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self) -> None:
        """Collect what is garbage, once and for all: pytest does so twice, and Python again at its end."""
        if self._is_last:
            gc.collect()
            gc.freeze()


def _only_looks(config: pytest.Config) -> bool:
    """Tell whether this process measures nothing: it lists scenarios, or leaves them to workers of pytest-xdist."""
    option = config.getoption
    shows = any(option(name, False) for name in ("collectonly", "setuponly", "setupplan"))
    return bool(shows or (option("dist", "no") != "no" and not hasattr(config, "workerinput")))


def _complete(record: Record, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
    """Fill in what only pytest knows: the outcome, and why a scenario was not run or broke off."""
    if hasattr(report, "wasxfail"):
        record.outcome = "xfailed" if report.skipped else "xpassed"
    else:
        record.outcome = report.outcome
    measured = record.status in ("PASS", "FAIL", "INCONCLUSIVE")
    if report.skipped and not measured and (report.when == "setup" or record.outcome == "skipped"):
        record.status = "SKIPPED"
        record.reason = getattr(report, "wasxfail", "") or _skip_reason(report)
    elif report.failed and not measured and not record.error:
        record.error = _one_line(call) or "broke off"
        record.cause = "error"
    elif report.failed and record.status == "PASS":
        raised = _one_line(call)  # by a hook of another plugin, or by pytest for a warning that is an error
        record.status = "FAIL"
        record.reason = f"passed, but {raised}" if raised else "passed although it was expected to fail (strict xfail)"


def _skip_reason(report: pytest.TestReport) -> str:
    longrepr = report.longrepr
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr or "")
    return text.removeprefix("Skipped: ")


def _one_line(call: pytest.CallInfo[None]) -> str:
    if call.excinfo is None:
        return ""
    first, _, _ = str(call.excinfo.value).strip().partition("\n")
    return f"{call.excinfo.typename}: {first}"
