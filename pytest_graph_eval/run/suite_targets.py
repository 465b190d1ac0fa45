"""The targets that the suites of one pytest process ask: opened once, on one thread, and closed at the end."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.loader import LoadedSuite

if TYPE_CHECKING:
    from pytest_graph_eval.evaluation.asking import OpenTarget
    from pytest_graph_eval.evaluation.pool import Pool
    from pytest_graph_eval.targets.loop import LoopThread
    from pytest_graph_eval.targets.recording.lines import Tape


class SuiteTargets:
    """The open target of each suite; suites with equal settings share one."""

    def __init__(self, worker: str, tape: Callable[[LoadedSuite], Tape | None]) -> None:
        """Open nothing yet.

        Args:
            worker: the xdist worker's name, or `main`.
            tape: returns where the replies to a suite's questions are recorded.
        """
        self._worker = worker
        self._tape = tape
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._loop: LoopThread | None = None
        self._pool: Pool | None = None
        self._opened: dict[str, tuple[Any, OpenTarget]] = {}

    @property
    def loop(self) -> LoopThread:
        """The thread on which this process talks to its targets; started with the first question."""
        if self._loop is None:
            from pytest_graph_eval.targets.loop import LoopThread

            self._loop = LoopThread()
        return self._loop

    def secrets(self) -> frozenset[str]:
        """Return the values that no target wants to be shown."""
        return self._pool.secrets() if self._pool else frozenset()

    def known(self, suite: LoadedSuite, bound: Any = None) -> OpenTarget | None:
        """Return the suite's target where the suite has used it already, with the same value of its fixture."""
        known, opened = self._opened.get(suite.key, (None, None))
        return opened if known is bound else None

    def get(self, suite: LoadedSuite, bound: Any = None) -> OpenTarget:
        """Return the suite's target, opened and checked; opening happens once in this process.

        Args:
            suite: the suite.
            bound: the value of the fixture that is the target, where it is one.
        """
        opened = self.known(suite, bound)
        if opened is None:
            settings = self._settings(suite, bound)
            assert self._pool is not None
            opened = self._pool.known(*settings) or self.loop.run(self._pool.get(*settings))
            self._opened[suite.key] = (bound, opened)
        return opened

    def shared(self, suite: LoadedSuite, opened: OpenTarget) -> OpenTarget | None:
        """Return a suite's target where it is the one that `opened` is for another suite, and fit for this one, too."""
        found = self.known(suite)
        if found is None and not getattr(suite.target, "fixture", None) and self._pool is not None:
            found = self._pool.known(*self._settings(suite, None))
        if found is None or found.target is not opened.target or found.error is not None:
            return None
        self._opened.setdefault(suite.key, (None, found))
        return found

    def _settings(self, suite: LoadedSuite, bound: Any) -> tuple[Any, ...]:
        """Return what the pool needs to open a suite's target, or to find it."""
        from pytest_graph_eval.evaluation.pool import Pool
        from pytest_graph_eval.targets.base import Surroundings

        assert suite.target is not None  # a suite without one does not load
        if self._scratch is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="graph-eval-", ignore_cleanup_errors=True)
        if self._pool is None:
            self._pool = Pool()
        surroundings = Surroundings(
            folder=suite.target_folder,
            tmp=Path(self._scratch.name),
            worker=self._worker,
            where=suite.target_where,
            extraction=suite.extraction,
        )
        scenarios = [loaded.scenario for loaded in suite.scenarios]
        return suite.target, surroundings, scenarios, bound, self._tape(suite)

    def close(self) -> None:
        """Close the targets and the loop, each in bounded time."""
        if self._loop is not None:
            if self._pool is not None:
                self._loop.run(self._pool.close())
            self._loop.close()
            self._loop = self._pool = None
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None
