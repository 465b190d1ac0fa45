"""What only the controller does: gather the records, judge them, write the files, and raise the exit status."""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_graph_eval.evaluation.evaluate import new_record
from pytest_graph_eval.files import shown
from pytest_graph_eval.gate.replays import Replays
from pytest_graph_eval.gate.summary import GraphStats, RunInfo, SuiteInfo, Summary, SummaryBuilder
from pytest_graph_eval.gate.tally import JUDGE_OFF
from pytest_graph_eval.gate.thresholds import decide
from pytest_graph_eval.gate.verdict import Level, Reason
from pytest_graph_eval.interrupts import held_interrupts
from pytest_graph_eval.judged import Judged, judge_records, mark_unjudged
from pytest_graph_eval.library import plain_nodeid, scenario_context, suite_context, suite_info
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.plugin import is_suite, setting
from pytest_graph_eval.reports import terminal
from pytest_graph_eval.reports.build import FinishedRun
from pytest_graph_eval.reports.properties import suite_properties
from pytest_graph_eval.results import ResultsFile, older_summaries
from pytest_graph_eval.run.accepted import compare_with_baseline, save_baseline
from pytest_graph_eval.run.exit_status import exit_status
from pytest_graph_eval.run.invocation import Invocation, is_distributed, versions
from pytest_graph_eval.run.progress import Progress
from pytest_graph_eval.step_summary import VARIABLE, append_step_summary
from pytest_graph_eval.targets.loop import LoopThread
from pytest_graph_eval.texts import listed, many

if TYPE_CHECKING:
    from pytest_graph_eval.run.session import Session

_HELD_BACK = 0.1
"""Seconds after which a finished record is written, whatever comes next: the process may be killed in a slow hook."""


class Controller:
    """Judges one pytest session."""

    def __init__(self, config: pytest.Config, session: Session) -> None:
        """Start with nothing measured."""
        self.config = config
        self.session = session
        self.started = datetime.datetime.now(tz=datetime.UTC)
        self.clock = time.perf_counter()
        self.counted = SummaryBuilder()
        self.unwritten: list[Record] = []
        """Those that are finished and neither written nor counted yet: of a go that measured some together."""
        self.unwritten_since = 0.0
        self.records: list[Record] = []
        """Those that are read again once they are written and counted: mostly what failed, which is few."""
        self.replays = Replays()
        self.pending: dict[tuple[str, str], Record] = {}
        self.reruns: dict[str, list[str]] = {}
        self.graphs: dict[str, GraphStats] = {}
        self.collection_errors: list[str] = []
        self.invocation = Invocation(config)
        self.collected: int | None = None
        self.deselected = 0
        self.order: dict[str, int] = {}
        self.file: ResultsFile | None = None
        self.summary: Summary | None = None
        self.exit_reason = ""
        self.saved = ""
        self.refused = False
        self.reported: list[tuple[str, bool]] = []
        self.judges = bool(setting(config, "judge"))
        history, shows = session.history, session.reports.paths or os.environ.get(VARIABLE)
        self.keeps_all = bool(self.judges or shows or history.baseline or history.saving)
        self.progress = Progress(config, self._selected)
        config.pluginmanager.register(self.progress, "graph-eval-progress")
        session.lookahead.tick = self.progress.tick

    def _selected(self) -> int | None:
        """Return how many scenarios are to run, None where nobody knows yet."""
        return None if self.collected is None else self.collected - self.deselected

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember the suites that could not be loaded."""
        if report.failed and is_suite(self.config, Path(report.nodeid)):
            self.collection_errors.append(report.nodeid)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Count the scenarios that this run leaves out."""
        self.deselected += sum(1 for item in items if item.get_closest_marker("graph_eval"))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the scenarios; an xdist controller collects nothing and learns it from its workers."""
        if not is_distributed(self.config):
            selected = sum(1 for item in session.items if item.get_closest_marker("graph_eval"))
            self.collected = selected + self.deselected

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Learn from a worker which scenarios there are, and their order."""
        suites = [nodeid for nodeid in ids if is_suite(self.config, Path(nodeid.partition("::")[0]))]
        self.collected = len(suites)
        self.order = {plain_nodeid(nodeid): index for index, nodeid in enumerate(suites)}

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the record off the report; it is written when the scenario's teardown is known."""
        run = report.nodeid, getattr(report, "worker_id", "")  # with `--dist=each` every worker runs every item
        record = self._handed(report)
        if record is not None:
            self._take_recorded(report)
            self._note_graph(record, report)
            if str(report.outcome) == "rerun":  # what pytest-rerunfailures makes of an attempt that it repeats
                self.reruns.setdefault(record.nodeid, []).append(record.status)
            else:
                self.pending[run] = record
            self.session.handed.pop((report.nodeid, report.when), None)
        if report.when == "teardown" and run in self.pending:
            if report.failed:
                self.pending[run].flags.append("teardown_error")
            self._finish(run)
        elif report.when not in ("setup", "call", "teardown"):
            self._crashed(report)

    def _handed(self, report: pytest.TestReport) -> Record | None:
        line = vars(report).pop("graph_eval", None)
        return self.session.handed.get((report.nodeid, report.when)) if line is None else Record.from_line(line)

    def _take_recorded(self, report: pytest.TestReport) -> None:
        text = vars(report).pop("graph_eval_recorded", "")
        if text:
            self.session.cassettes.take(text)

    def _note_graph(self, record: Record, report: pytest.TestReport) -> None:
        facts = getattr(report, "graph_eval_target", "")
        if facts and record.suite not in self.graphs:
            self.graphs[record.suite] = GraphStats.model_validate_json(facts)

    def _crashed(self, report: pytest.TestReport) -> None:
        """Make the record of a scenario whose xdist worker died: nobody else can."""
        run = report.nodeid, str(getattr(getattr(getattr(report, "node", None), "gateway", None), "id", ""))
        nodeid = plain_nodeid(report.nodeid)
        if str(report.outcome) == "rerun":  # as above: another worker runs it next
            lost = self.pending.pop(run, None)
            self.reruns.setdefault(nodeid, []).append(lost.status if lost else "ERROR")
            return
        if run in self.pending:  # it was measured, and its teardown took the worker down
            self.pending[run].flags.append("teardown_error")
            self._finish(run)
            return
        key, _, name = nodeid.partition("::")
        suite = self.session.suite(key) if is_suite(self.config, Path(key)) else None
        found = suite.find(name) if suite else None
        if suite is None or found is None:
            return
        index, loaded = found
        index = self.order.get(nodeid, index)
        context = scenario_context(suite_context(suite, None), loaded, nodeid=nodeid, index=index)
        record = new_record(loaded.scenario, context)
        record.outcome, record.cause = "failed", "error"
        record.error = "the worker process crashed while it ran this scenario"
        self.pending[run] = record
        self._finish(run)

    def _finish(self, *runs: tuple[str, str]) -> None:
        """Take pending records that are finished, and write them unless the next one is sure to be there at once."""
        records = [self._taken(run) for run in runs]
        try:
            for record in records:
                self.config.hook.pytest_graph_eval_record(config=self.config, record=record)
        except BaseException:  # of a plugin's: it ends the run, but what was measured stays
            self._write()
            raise
        if not self.session.lookahead.has_scored_next() or time.monotonic() > self.unwritten_since + _HELD_BACK:
            self._write()

    def _taken(self, run: tuple[str, str]) -> Record:
        record = self.pending[run]
        earlier = self.reruns.pop(record.nodeid, [])
        record.attempts += len(earlier)
        if earlier and record.status == "PASS":
            record.flags.append("flaky")
        mark_unjudged(record, self.session.suite(record.suite), "the run ended before" if self.judges else JUDGE_OFF)
        if not self.unwritten:
            self.unwritten_since = time.monotonic()
        self.unwritten.append(record)
        self.progress.course.add(record)
        del self.pending[run]
        return record

    def _count(self, records: list[Record]) -> None:
        for record in records:
            self.counted.add(record)

    def _finish_rest(self) -> None:
        """Finish what was measured and never got so far: an interrupt came between, maybe of its taking itself."""
        for record in self.session.unreported():
            self.pending.setdefault((record.nodeid, ""), record)
        taken = {id(record) for record in self.unwritten}
        self._finish(*(run for run, record in self.pending.items() if id(record) not in taken))
        self._write()
        if self.file is not None:
            self.file.finish()

    def _write(self) -> None:
        """Write and count what is finished: together what was measured in one go, which takes less time.

        An interrupt waits meanwhile: a record that is half taken in would be lost, or there twice.
        """
        if not self.unwritten:
            return
        with held_interrupts():
            records, self.unwritten = self.unwritten, []
            if self.file is None:
                self.file = ResultsFile(self.session.folder, self.started.strftime("%Y%m%dT%H%M%SZ"))
            self.file.write(*records)
            if not self.judges:
                self._count(records)
            for record in records:
                if self.keeps_all or record.status != "PASS":
                    self.records.append(record)
                self.replays.add(record)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Judge what was measured, write the summary, and raise the exit status where the verdict asks for it."""
        written = [*self.session.cassettes.write()]
        if self.config.getoption("collectonly", False):
            self.reported = [*self.session.reports.write_plan(session.items)]
            if self.session.reports.lost and exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        self._finish_rest()
        if self.invocation.only_looks() or exitstatus in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR):
            return
        nothing_is_a_failure = self.invocation.asks_for_suites and not self.deselected
        if self.file is None and not self.collection_errors and not nothing_is_a_failure:
            return
        self.records.sort(key=lambda r: (r.index, r.nodeid))
        judged = list(self._judged(exitstatus))
        if self.judges:
            self._count(self.records)
        run = self._run(session, exitstatus)
        suites = self._suites()
        summary = self.counted.summary(suites, run)
        comparison = compare_with_baseline(
            self.session, self.records, suites, by_node_ids=self.invocation.names_items()
        )
        blocks = (
            {}
            if comparison is None
            else {"baseline": comparison.block(), "power": {"groups": [p.model_dump() for p in comparison.power]}}
        )
        notes = [*self._quarantine_notes(), *self.replays.notes(), *written, *judged]
        extra = [*(comparison.reasons if comparison else ()), *notes]
        self.summary = summary.decided(decide(summary, run, extra=[*extra, *self._unwritten()]), **blocks)
        self.saved, self.refused = save_baseline(self.session, self.summary, self.records, comparison)
        self.config.hook.pytest_graph_eval_summary(config=self.config, summary=self.summary)
        if self.file is not None:
            self.file.write_summary(self.summary.json_chunks())
            if self.file.problem:
                self.summary = summary.decided(decide(summary, run, extra=[*extra, *self._unwritten()]), **blocks)
        history = older_summaries([self.session.folder], self.summary) if self.session.reports.paths else []
        finished = FinishedRun(self.summary, self.records, history)
        self.reported = [*self.session.reports.write(finished), *append_step_summary(finished, os.environ)]
        self._raise_status(session, exitstatus)
        for plugin in self.config.pluginmanager.get_plugins():
            if hasattr(plugin, "add_global_property"):  # pytest's writer of JUnit files, which registers without a name
                for name, value in suite_properties(self.summary):
                    plugin.add_global_property(name, str(value))

    def _judged(self, exitstatus: int | pytest.ExitCode) -> Iterator[Reason]:
        """Have the records judged where that is asked for, and tell what was done otherwise than said."""
        if not self.judges or exitstatus == pytest.ExitCode.INTERRUPTED:
            return
        loop = LoopThread()
        try:
            judged = judge_records(self.records, self.session.suite, loop, cache=self.session.folder)
        except KeyboardInterrupt:
            yield Reason(code="judging_interrupted", level="WARN", text="judging was interrupted; the results stand")
            judged = Judged(records=len(self.records))
        except Exception as e:  # whatever it is: the judge never costs the run
            text = f"judging broke off, please report it ({type(e).__name__}: {e}); the results stand"
            yield Reason(code="judging_broke_off", level="FAIL", text=self.session.redactor.text(text))
            judged = Judged(records=len(self.records))
        finally:
            loop.close()
        if judged.records and self.file is not None:
            self.file.rewrite(self.records)
        if not judged.records:
            text = "--graph-eval-judge: no suite that ran has a `judge:` and an answer to judge"
            yield Reason(code="no_judge", level="WARN", text=text)
        yield from (Reason(code="judge", level="NOTE", text=note) for note in judged.notes)

    def _unwritten(self) -> Iterator[Reason]:
        """Say that results are lost: a gate whose evidence is nowhere is not green."""
        if self.file is not None and self.file.problem:
            text = f"results could not be written ({self.file.problem}); make room, or name another folder"
            yield Reason(code="results_not_written", level="FAIL", text=text)

    def _raise_status(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        assert self.summary is not None
        raised, self.exit_reason = exit_status(
            self.summary,
            exitstatus,
            failed=sum(1 for r in self.records if r.outcome == "failed"),
            strict=bool(setting(self.config, "strict")),
            missing="no baseline was saved" if self.refused else self.session.reports.lost,
            broken=bool(self.collection_errors),
        )
        if raised != exitstatus:
            session.exitstatus = raised

    def _suites(self) -> dict[str, SuiteInfo]:
        found = {key: self.session.suite(key) for key in self.counted.suites}
        return {key: suite_info(suite, self.graphs.get(key)) for key, suite in found.items() if suite is not None}

    def _run(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> RunInfo:
        return RunInfo(
            run_at=self.started.strftime("%Y-%m-%dT%H:%M:%SZ"),
            results_file=shown(self.file.path, self.config.rootpath) if self.file else "",
            duration_s=time.perf_counter() - self.clock,
            partial=self.invocation.partial(session, self.deselected),
            interrupted=exitstatus == pytest.ExitCode.INTERRUPTED or bool(self.collection_errors and self.file is None),
            collected=self.collected,
            deselected=self.deselected,
            collection_errors=self.collection_errors,
            gate=self.session.gate,
            command_line=self.invocation.asks_for_suites,
            meta=versions(),
        )

    def _quarantine_notes(self) -> Iterator[Reason]:
        """Say what became of each entry of the quarantine: nothing is quarantined in silence."""
        applied = []
        for (key, name), entry in self.session.history.quarantine.items():
            suite = self.session.suite(key)
            found = suite.find(name) if suite else None
            if found is None:
                text = f"{key}::{name} is in the quarantine, but there is no such scenario; remove the entry"
                yield Reason(code=f"quarantine:{name}", level="NOTE", text=text)
                continue
            decision = self.session.history.decision(key, found[1].scenario)
            if decision is not None and decision.applied:
                applied.append(entry.id)
            elif decision is not None:
                level: Level = "WARN" if decision.action == "must_pass" else "NOTE"
                yield Reason(code=f"quarantine:{name}", level=level, text=decision.reason, suite=key)
        if applied:
            text = f"{many(len(applied), 'scenario')} quarantined as flaky: {listed(applied, 5)}"
            yield Reason(code="quarantine", level="NOTE", text=text)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the report, and which files were written."""
        if self.summary is not None:
            self._print(terminalreporter, self.summary)
        for text, written in self.reported:
            terminalreporter.write_line(text, red=not written)

    def _print(self, terminalreporter: pytest.TerminalReporter, summary: Summary) -> None:
        writer = self.config.get_terminal_writer()
        ascii_only = not _can_encode(writer)
        quiet = bool(setting(self.config, "quiet"))
        width = max(60, min(80, writer.fullwidth))
        terminalreporter.ensure_newline()
        for line in terminal.render(
            summary, self.records, width=width, ascii_only=ascii_only, quiet=quiet, exit_reason=self.exit_reason
        ):
            terminalreporter.write_line(line.text, **_MARKUP.get(line.style, {}))
        for note in (*self.session.history.notes, self.saved):
            if note:
                terminalreporter.write_line(note, yellow=self.refused)


_MARKUP: dict[str, dict[str, bool]] = {
    "good": {"green": True},
    "warn": {"yellow": True},
    "bad": {"red": True},
    "bold": {"bold": True},
}


def _can_encode(writer: Any) -> bool:
    encoding = getattr(getattr(writer, "_file", None), "encoding", None) or "ascii"
    try:
        "═✓⚠".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
