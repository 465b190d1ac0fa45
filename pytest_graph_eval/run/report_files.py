"""The report files that a pytest session is asked for: checked before the first question, written at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.files import write_whole
from pytest_graph_eval.library import plain_nodeid
from pytest_graph_eval.plugin import setting
from pytest_graph_eval.reports.build import FORMS, FinishedRun, form_of
from pytest_graph_eval.results import check_file
from pytest_graph_eval.run.collection import ScenarioItem

if TYPE_CHECKING:
    import pytest

    from pytest_graph_eval.reports.plan import Planned

OPTION = "--graph-eval-report"
T = TypeVar("T")


class ReportFiles:
    """The files that `--graph-eval-report` names, each with the form of its suffix."""

    def __init__(self, config: pytest.Config) -> None:
        """Check that all of them can be written.

        Raises:
            UsageError: one cannot; all that are wrong are named.
        """
        self._start = config.invocation_params.dir
        self.paths: list[Path] = list(dict.fromkeys(setting(config, "report") or ()))
        # An editor that collects puts no plan in the place of the last report: the command line has to ask for one.
        self.plans = any(str(arg).startswith(OPTION) for arg in config.invocation_params.args)
        self.lost = ""
        """What could not be written although it was asked for, in words."""
        problems = []
        for path in self.paths:
            try:
                _check(path)
            except UsageError as e:
                problems.append(str(e))
        if problems:
            raise UsageError("\n".join(problems))

    def write(self, run: FinishedRun) -> Iterator[tuple[str, bool]]:
        """Write the files, and yield a line about each and whether it was written.

        The results stand beside them, so that no report that fails costs the run or its verdict; but whoever asked for
        it must not see a green run without it.
        """
        for path in self.paths:
            yield self._written(path, "report", FORMS[form_of(path, OPTION)], run)

    def write_plan(self, items: Iterable[pytest.Item]) -> Iterator[tuple[str, bool]]:
        """Write what would be asked, where the command line names a file, and yield a line about each file."""
        if not (self.paths and self.plans):
            return
        from pytest_graph_eval.reports.plan import render_plan

        planned = [_planned(item) for item in items if isinstance(item, ScenarioItem)]
        for path in self.paths:
            if form_of(path, OPTION) == "html":
                yield self._written(path, "plan", render_plan, planned)
            else:
                why = "the plan of --collect-only has one form; name an .html file"
                yield f"plan {self._shown(path)} was not written: {why}", False

    def _written(self, path: Path, what: str, form: Callable[[T], Iterable[str]], data: T) -> tuple[str, bool]:
        shown = self._shown(path)
        try:
            write_whole(path, form(data))
        except OSError as e:
            why = f": {e.strerror or e}; name another file"
        except Exception as e:  # whatever it is: a report never costs the run
            why = f", please report it ({type(e).__name__}: {e})"
        else:
            return f"{what}: {shown}", True
        self.lost = f"the {what} was not written"
        return f"{what} {shown} was not written{why}", False

    def _shown(self, path: Path) -> Path:
        return path.relative_to(self._start) if path.is_relative_to(self._start) else path


def _planned(item: ScenarioItem) -> Planned:
    from pytest_graph_eval.reports.plan import Planned

    return Planned(
        suite=item.suite,
        scenario=item.scenario,
        nodeid=plain_nodeid(item.nodeid),
        where=item.where(),
        repeats=item.eval_session.repeats(item.scenario),
        marked=next((name for name in ("skip", "xfail") if item.get_closest_marker(name)), ""),
    )


def _check(path: Path) -> None:
    form_of(path, OPTION)
    check_file(path, OPTION)
