"""The report files that a pytest session is asked for: checked before the first question, written at its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.plugin import setting
from pytest_graph_eval.reports.build import FORMS, FinishedRun, form_of
from pytest_graph_eval.results import check_folder, write_whole

if TYPE_CHECKING:
    import pytest

__all__ = ["ReportFiles"]

OPTION = "--graph-eval-report"


class ReportFiles:
    """The files that `--graph-eval-report` names, each with the form of its suffix."""

    def __init__(self, config: pytest.Config) -> None:
        """Check that all of them can be written.

        Raises:
            UsageError: one cannot; all that are wrong are named.
        """
        self.paths: list[Path] = setting(config, "report") or []
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

        The results stand beside them, so that no report that fails costs the run or its verdict.
        """
        for path in self.paths:
            form = form_of(path, OPTION)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, FORMS[form](run))
            except OSError as e:
                yield f"report {path} was not written: {e.strerror or e}", False
            except Exception as e:  # whatever it is: a report never costs the run
                yield f"report {path} was not written, please report it ({type(e).__name__}: {e})", False
            else:
                yield f"report: {path}", True


def _check(path: Path) -> None:
    form_of(path, OPTION)
    check_folder(path.parent, OPTION)
    if path.is_dir():
        raise UsageError(f"{OPTION} {path}: this is a folder; name a file")
