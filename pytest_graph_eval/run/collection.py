"""The scenarios of a suite as pytest items.

An item asks its question in the call phase, scores the response and fails with a finished text. Its record travels
on the report as one JSON string, so that it reaches the controller under pytest-xdist.

Items are `pytest.Function`s around a generated callable: fixtures, autouse fixtures of every scope, marks and re-runs
then work through pytest's public interface.
"""

from __future__ import annotations

import datetime
import functools
import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_graph_eval.errors import SuiteError, TargetTimeout, UsageError
from pytest_graph_eval.evaluation.evaluate import Context, last_turn_passed, new_record, score_scenario
from pytest_graph_eval.evaluation.prefetch import is_serial
from pytest_graph_eval.loader import LoadedScenario, LoadedSuite
from pytest_graph_eval.models.extensions import using
from pytest_graph_eval.models.records import Outcome, Record
from pytest_graph_eval.models.repeats import fold
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.once import once
from pytest_graph_eval.reports.failure import failure_text, headline
from pytest_graph_eval.run.kept_replies import NOT_KEPT
from pytest_graph_eval.run.located import located

if TYPE_CHECKING:
    from pytest_graph_eval.evaluation.asking import Asked, OpenTarget, Passed
    from pytest_graph_eval.redaction import Redactor
    from pytest_graph_eval.run.session import Session

RECORD = pytest.StashKey[Record]()
SESSION = pytest.StashKey["Session"]()


class ScenarioFailed(Exception):  # noqa: N818 - shown to users as the state that it is
    """A scenario did not pass; the text is in the record, this only carries the kind to pytest."""


class CheckFailed(ScenarioFailed, AssertionError):  # noqa: N818 - as above
    """A check of `expect` failed."""


class ScoreTooLow(ScenarioFailed, AssertionError):  # noqa: N818 - as above
    """No check failed, but a score is below its line."""


class NotMeasured(ScenarioFailed):
    """The target gave no usable reply."""


class TimedOut(ScenarioFailed):
    """The target gave no reply in time."""


# An error is hidden only by an xfail that names it: `timeout` is not part of `error`.
_RAISES: dict[str, type[Exception]] = {
    "check": CheckFailed,
    "score": ScoreTooLow,
    "error": NotMeasured,
    "timeout": TimedOut,
}


def scenario_items(parent: pytest.Module) -> Iterator[ScenarioItem]:
    """Load the suite of a collector and yield an item for each scenario.

    Raises:
        pytest.Collector.CollectError: the suite cannot be loaded; the text lists every problem.
    """
    session = parent.config.stash[SESSION]
    try:
        with using(session.extensions(parent.ihook)):
            suite = session.load(parent.path)
    except (SuiteError, UsageError) as e:
        raise parent.CollectError(str(e)) from None
    same: dict[tuple[str, ...], ScenarioItem] = {}
    for loaded in suite.scenarios:
        fixtures = tuple(loaded.scenario.usefixtures)
        first = same.get(fixtures)
        item = ScenarioItem.from_parent(parent, name=loaded.scenario.id, suite=suite, loaded=loaded, first=first)
        same.setdefault(fixtures, item)
        yield item


class ScenarioItem(pytest.Function):
    """One scenario."""

    failure = ""  # of the class: a dictionary of more than thirty attributes of an item takes twice the memory

    def __init__(
        self, *, suite: LoadedSuite, loaded: LoadedScenario, first: ScenarioItem | None = None, **kwargs: Any
    ) -> None:
        """Take the marks, keywords and fixtures that the scenario declares.

        With `first`, an item of this suite that uses the same fixtures, they are not looked up again: as pytest does
        it for the cases of one parametrized test.
        """
        self.suite = suite
        self.loaded = loaded
        scenario = self.scenario = loaded.scenario
        if first is None:
            fixture = getattr(suite.target, "fixture", None)
            super().__init__(callobj=_callable(fixture, scenario.usefixtures), **kwargs)
        else:
            super().__init__(callobj=first.obj, fixtureinfo=first._fixtureinfo, **kwargs)
        self.eval_session: Session = self.config.stash[SESSION]
        self.asked: OpenTarget | None = None
        self._clean: tuple[Record, Redactor] | None = None
        self.index = 0
        self.extra_keyword_matches.update(filter(None, (scenario.category, scenario.difficulty, *scenario.tags)))
        self.add_marker("graph_eval")
        _add_marks(self, scenario)
        self._quarantine()

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file, the 0-based line and the name that reports show."""
        return self.path, self.loaded.line - 1, f"[graph-eval] {self.name}"

    def setup(self) -> None:
        """Set the fixtures up, then make sure that the target is fit to be asked."""
        self.asked = None
        super().setup()
        if self.config.getoption("setuponly", False) or self.config.getoption("setupplan", False):
            return
        if self._taken_over() is not None:
            return
        opened = self._target()
        if opened.error is not None:
            record = new_record(self.scenario, self.context(opened))
            record.error, record.cause = str(opened.error), "error"
            record = self.stash[RECORD] = self.eval_session.redactor.record(record)
            self.failure = self._failure_text(record, opened.error.stderr)
            raise NotMeasured(record.error)

    def runtest(self) -> None:
        """Ask, score, and fail with a text that names the cause."""
        record, asked = self._measure()
        if record.status != "PASS":  # its texts are shown here; those of the others are redacted when they are written
            record = self.eval_session.redactor.record(record)
        self.stash[RECORD], self.eval_session.measured = record, self
        if record.status == "PASS":
            return
        if record.status == "INCONCLUSIVE":
            pytest.skip(record.reason or "inconclusive")
        errors = [a.error for one in asked for a in (one, *one.turns) if a.error]
        stderr = errors[0].stderr if errors else ""
        self.failure = self._failure_text(record, stderr)
        if record.status == "FAIL" and self._gate_decides():
            self.add_report_section("call", "graph-eval", self.failure)
            return
        raise _kind_of_failure(record, errors)(record.error or record.reason)

    def expected_outcome(self, record: Record) -> Outcome:
        """Return the outcome that a record's report is about to have."""
        if record.status in ("PASS", "INCONCLUSIVE"):
            return "passed" if record.status == "PASS" else "skipped"
        if record.status == "FAIL" and self._gate_decides():
            return "passed"
        return "xfailed" if record.status == "FAIL" and self.get_closest_marker("xfail") else "failed"

    def _measure(self) -> tuple[Record, list[Asked]]:
        """Return the record: taken over from the run that is resumed, else of every asking together."""
        old = self._taken_over()
        if old is not None:
            return old, []
        self.asked = opened = self._target()
        asked, records = [], []
        repeats = self.eval_session.repeats(self.scenario)
        for number in range(1, repeats + 1):
            one, record = self.eval_session.lookahead.measure(self, opened, number)
            asked.append(one)
            replies = self.eval_session.replies
            if replies is not None and not replies.keep(self.suite.key, self.scenario, one, number):
                record.flags.append(NOT_KEPT)
            if repeats > 1 or self.scenario.expect.stable:  # it is hashed, or held against what was written earlier
                record = self.eval_session.redactor.record(record)
            records.append(self.eval_session.history.stability(record, self.scenario))
        return fold(records, self.scenario.min_pass_rate), asked

    def scored(self, asked: Asked, opened: OpenTarget) -> Record:
        """Return the record of one asking; of one that passes it is noted that nothing has to be hidden in it."""
        record = score_scenario(self.scenario, asked, self.context(opened))
        redactor = self.eval_session.redactor
        if record.status == "PASS" and redactor.cleaned(record) is record:
            self._clean = record, redactor
        return record

    def cleaned(self, record: Record, redactor: Redactor) -> Record:
        """Return the redacted record; the same where nothing has to be hidden."""
        known, by = self._clean or (None, None)
        self._clean = None  # a second copy of every record is not kept
        return record if known is record and by is redactor else redactor.cleaned(record)

    @property
    def may_be_scored_ahead(self) -> bool:
        """Whether nothing but our own code scores it: what a plugin's function says or does is its own item's."""
        extensions = self.suite.extensions
        return not (extensions.metrics or extensions.checks)

    def passed(self, opened: OpenTarget) -> Passed | None:
        """Return what tells whether a turn passed, where the conversation ends with the first that does not."""
        if not self.scenario.stop_on_failure:
            return None
        return functools.partial(last_turn_passed, self.scenario, context=self.context(opened))

    def _taken_over(self) -> Record | None:
        if not self.eval_session.history.resumed:
            return None
        return self.eval_session.history.taken_over(new_record(self.scenario, self.context(None)))

    @once
    def is_serial(self) -> bool:
        """Whether nothing else may be in flight with its question: it says so, or its latency is judged."""
        return is_serial(self.scenario, self.suite.gate, self.eval_session.gate)

    @once
    def may_be_asked_ahead(self) -> bool:
        """Whether its question is sure to be asked, and in no other way than now."""
        for mark in self.iter_markers():
            if mark.name in ("skip", "skipif", "filterwarnings"):
                return False
            if mark.name == "xfail" and not mark.kwargs.get("run", True):
                return False
        return self._taken_over() is None

    def leads_to(self, other: pytest.Item) -> bool:
        """Tell whether questions of `other` and of what follows may be asked while this item runs.

        Nothing may happen in between that changes what they are asked or what is replied: no other test, no fixture
        to be set up, no scenario that must be alone, no conftest file of another folder.
        """
        if not isinstance(other, ScenarioItem) or other.is_serial:
            return False
        if other.suite is not self.suite and other._folder is not self._folder:
            return False
        return self._lasting_fixtures is not None and self._lasting_fixtures == other._lasting_fixtures

    @property
    def _folder(self) -> Any:
        """The collector of the suite's folder."""
        return self.parent.parent if self.parent else None

    @once
    def _lasting_fixtures(self) -> tuple[str, ...] | None:
        """The fixtures that the item uses; None where one of them does not last for the whole session."""
        definitions = self._fixtureinfo.name2fixturedefs.values()
        lasts = all(found.scope == "session" for same in definitions for found in same)
        return tuple(self.fixturenames) if lasts else None

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return our own finished text for our own failures, pytest's for everything else."""
        if isinstance(excinfo.value, ScenarioFailed) and self.failure:
            return self.located_failure()
        return super().repr_failure(excinfo)

    def located_failure(self) -> Any:
        """Return the failure's text with its place in the suite file."""
        return located(self.failure, headline(self.stash[RECORD]), self.path, self.loaded.line)

    def where(self) -> str:
        """Return `file:line` of the scenario, for a data set's entry with its own place behind it."""
        place = f"{self._shown(self.path)}:{self.loaded.line}"
        if not self.loaded.source:
            return place
        name, line, col = self.loaded.source.rsplit(":", 2)
        return f"{place}, from {self._shown(self.config.rootpath / name)}:{line}:{col}"

    def _shown(self, path: Path) -> str:
        """Return a path as it is written from where pytest was started."""
        try:
            return Path(os.path.relpath(path, self.config.invocation_params.dir)).as_posix()
        except ValueError:  # another drive
            return path.as_posix()

    def _failure_text(self, record: Record, stderr: str) -> str:
        stderr = self.eval_session.redactor.text(stderr)
        rerun = f"{self._shown(self.path)}::{self.name}"
        return failure_text(record, self.scenario, self.where(), rerun=rerun, stderr=stderr)

    def context(self, opened: OpenTarget | None) -> Context:
        """Return what scoring needs to know about this item's surroundings."""
        return self.eval_session.context(self, opened)

    @property
    def bound(self) -> Any:
        """The value of the fixture that is the target, where it is one."""
        fixture = getattr(self.suite.target, "fixture", None)
        return self.funcargs.get(fixture) if fixture else None

    def _target(self) -> OpenTarget:
        return self.eval_session.targets.get(self.suite, self.bound)

    def _quarantine(self) -> None:
        """Expect a failure where the quarantine says so."""
        decision = self.eval_session.history.decision(self.suite.key, self.scenario)
        self.quarantined = decision is not None and decision.applied
        if decision is not None and decision.applied:
            raises = (CheckFailed, ScoreTooLow)
            self.add_marker(pytest.mark.xfail(reason=decision.reason, raises=raises, strict=False))

    def _gate_decides(self) -> bool:
        """Tell whether a failing scenario is left to the gate: not what must pass, nor what is expected to fail."""
        if self.scenario.must_pass or self.get_closest_marker("xfail"):
            return False
        return self.eval_session.fail_on(self.suite) == "gate"


def _kind_of_failure(record: Record, errors: Sequence[Exception]) -> type[ScenarioFailed]:
    """Return what kept a scenario from passing: what `xfail` may name. Repeats that broke off are no failed checks."""
    if record.status == "ERROR" or (record.repeats and all(one["status"] != "FAIL" for one in record.repeats)):
        late = errors and all(isinstance(e, TargetTimeout) for e in errors)
        return TimedOut if late else NotMeasured
    return CheckFailed if any(c.outcome == "fail" for c in record.checks) else ScoreTooLow


def _callable(fixture: str | None, usefixtures: list[str]) -> Callable[..., None]:
    """Make the callable that pytest reads the item's fixtures from."""

    def scenario(**_: Any) -> None: ...

    parameters = [inspect.Parameter(fixture, inspect.Parameter.POSITIONAL_OR_KEYWORD)] if fixture else []
    scenario.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by inspect.signature
    return pytest.mark.usefixtures(*usefixtures)(scenario) if usefixtures else scenario


def _add_marks(item: ScenarioItem, scenario: Scenario) -> None:
    """Add the marks that the scenario declares.

    Raises:
        pytest.Collector.CollectError: a mark is unknown under --strict-markers, or no mark at all.
    """
    if scenario.skip is not None:
        item.add_marker(pytest.mark.skip(reason=scenario.skip or "skip: true in the suite"))
    for skipif in scenario.skipif:
        item.add_marker(pytest.mark.skipif(skipif.condition, reason=skipif.reason or f"condition: {skipif.condition}"))
    xfail = scenario.xfail
    if xfail is not None and not _is_past(xfail.until):
        raises = tuple(_RAISES[name] for name in xfail.raises)
        kwargs: dict[str, Any] = {} if xfail.strict is None else {"strict": xfail.strict}
        item.add_marker(pytest.mark.xfail(reason=xfail.reason, raises=raises, run=xfail.run, **kwargs))
    for mark in scenario.marks:
        try:
            item.add_marker(_mark(mark))
        except pytest.fail.Exception as e:
            raise item.parent.CollectError(f"{item.where()}: mark {mark!r}: {e.msg}") from None  # type: ignore[union-attr]


def _is_past(until: str | None) -> bool:
    return until is not None and datetime.datetime.now(tz=datetime.UTC).date() > datetime.date.fromisoformat(until)


def _mark(mark: Any) -> pytest.MarkDecorator:
    """Make a mark from `name` or `{name: arguments}`, where arguments are a value, a list or keywords."""
    if isinstance(mark, str):
        return getattr(pytest.mark, mark)  # type: ignore[no-any-return]
    ((name, args),) = mark.items()
    decorator = getattr(pytest.mark, name)
    if isinstance(args, dict):
        return decorator(**args)  # type: ignore[no-any-return]
    return decorator(*(args if isinstance(args, list) else [args]))  # type: ignore[no-any-return]
