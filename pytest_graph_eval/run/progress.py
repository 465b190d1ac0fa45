"""Tells how far a run is: a status line in a terminal, a plain line now and then elsewhere, nothing with -q."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.gate.figures import figure
from pytest_graph_eval.gate.outcomes import kind_of
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.plugin import is_suite, setting
from pytest_graph_eval.run.status_line import StatusLine
from pytest_graph_eval.texts import many

DELAY = 1.0
"""Seconds before there is a status at all: a run that is over by then needs none."""
AGE = 0.5
"""Seconds after which a status that is still shown is made anew."""
PAUSE = 30.0
"""Seconds between two plain lines at least; in a long run it is a tenth of the time that it has taken so far."""


@dataclass(slots=True)
class Course:
    """How far a run is. `total` returns how many scenarios there are, None where nobody knows."""

    total: Callable[[], int | None]
    started: float | None = None
    done: int = 0
    failed: int = 0
    errors: int = 0
    scored: int = 0
    score: float = 0.0

    def add(self, record: Record) -> None:
        """Count a finished scenario."""
        kind = kind_of(record)
        self.done += 1
        self.failed += kind == "failed"
        self.errors += kind == "errors"
        if record.mean is not None and kind not in ("skipped", "xfailed"):
            self.scored += 1
            self.score += record.mean

    def text(self, now: float) -> str:
        """Return it in one line."""
        total = self.total()
        known = f"{self.done}/{total}" if total else str(self.done)
        parts = [f"graph-eval {known}"]
        parts += [f"mean {figure(self.score / self.scored)}"] if self.scored else []
        parts += [f"{self.failed} failed"] if self.failed else []
        parts += [many(self.errors, "error")] if self.errors else []
        elapsed = self.elapsed(now)
        if total and 0 < self.done < total:
            left = round(elapsed / self.done * (total - self.done))
            parts.append(f"{left // 60}:{left % 60:02} left")
        return ", ".join(parts)

    def elapsed(self, now: float) -> float:
        """Return the seconds since the first scenario was begun."""
        return 0.0 if self.started is None else now - self.started


class Progress:
    """Shows the course of one session; the controller tells it what is finished."""

    def __init__(self, config: pytest.Config, total: Callable[[], int | None]) -> None:
        """Start with nothing done; `total` returns how many scenarios there are, None where nobody knows."""
        self.config = config
        self.course = Course(total)
        self._line: StatusLine | None = None
        self._shown = 0.0
        self._is_on = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, Any, Any]:
        """Watch what is printed while the tests run."""
        reporter: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        # Another reporter (pytest-sugar) draws lines of its own.
        plain = reporter is not None and type(reporter).__module__ == "_pytest.terminal"
        self._is_on = plain and reporter.verbosity >= 0 and not setting(self.config, "quiet")
        writer = self.config.get_terminal_writer() if self._is_on else None
        if writer is not None and self._can_draw(writer._file):
            self._line = StatusLine(writer._file, writer.width_of_current_line)
            writer._file = self._line
        try:
            return (yield)
        finally:
            if writer is not None and self._line is not None:
                writer._file = self._line.close()
                self._line = None

    def _can_draw(self, file: Any) -> bool:
        """Tell whether a status can be taken back: not where tests print past pytest, nor where nothing can move."""
        dumb = os.environ.get("TERM", "dumb") == "dumb" or os.name == "nt"
        return file.isatty() and not dumb and self.config.getoption("capture", "fd") not in ("no", "tee-sys")

    def tick(self) -> Callable[[], None] | None:
        """Return what is to be called while a reply is waited for; None where nothing is shown."""
        return self._draw if self._line is not None else None

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin with the first scenario."""
        if self._is_on and self.course.started is None and is_suite(self.config, Path(nodeid.partition("::")[0])):
            self.course.started = self._shown = time.monotonic()
        self._draw()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self) -> None:
        """Show it anew where pytest just printed, or in plain lines."""
        if not self._is_on or self.course.started is None or self.course.done == self.course.total():
            return
        if self._line is not None:
            self._draw()
            return
        now = time.monotonic()
        if now - self._shown >= max(PAUSE, self.course.elapsed(now) / 10):
            self._shown = now
            self._print(self.course.text(now))

    def _draw(self) -> None:
        now = time.monotonic()
        if self._line is None or self.course.elapsed(now) < DELAY:
            return
        if not self._line.visible or now - self._shown >= AGE:
            self._line.show(self.course.text(now))
            self._shown = now

    def _print(self, text: str) -> None:
        reporter: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        reporter.ensure_newline()
        if self.config.get_terminal_writer().width_of_current_line:  # dots of pytest-xdist, that belong to no file
            reporter.write_line("")
        reporter.write_line(text)
