"""The questions in flight ahead of the one that is waited for, and what they say until it is their turn.

Whoever waits decides what may be asked ahead; here it is started, handed over once, and cancelled when nobody comes
for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Hashable, Iterable
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from pytest_graph_eval.scenario import Scenario
from pytest_graph_eval.settings import Gate
from pytest_graph_eval.targets.inline import wait_in_ticks
from pytest_graph_eval.targets.loop import LoopThread

T = TypeVar("T")

DEFAULT = 8
"""Questions in flight where nobody says how many."""


def is_serial(scenario: Scenario, *gates: Gate | None) -> bool:
    """Tell whether nothing else may be in flight with a question: it says so, or it or a gate judges its latency."""
    if "serial" in scenario.model_fields_set:
        return scenario.serial
    budgets = [part.expect.budget for part in (scenario, *(scenario.turns or ()))]
    if any(budget is not None and budget.seconds is not None for budget in budgets):
        return True
    return any(gate.budget is not None and gate.budget.p95_seconds is not None for gate in gates if gate)


class Kept:
    """What a question logs, prints and warns of before its scenario runs; kept until then, and said at once later."""

    def __init__(self) -> None:
        """Start with nothing said."""
        self._lock = threading.Lock()
        self._said: list[Callable[[], object]] | None = []

    def keep(self, say: Callable[[], object]) -> bool:
        """Keep `say` to be called later; False where it has to be said now."""
        with self._lock:
            if self._said is None:
                return False
            self._said.append(say)
            return True

    def release(self) -> None:
        """Say everything that was kept, in its order."""
        with self._lock:
            said, self._said = self._said or [], None
        for say in said:
            say()


KEPT: ContextVar[Kept | None] = ContextVar("graph_eval_kept", default=None)
"""Set in the tasks and threads that work on a question."""


def keep(say: Callable[[], object]) -> bool:
    """Keep `say` where it belongs to a question whose scenario does not run yet; False where it has to be said now."""
    kept = KEPT.get()
    return kept is not None and kept.keep(say)


@dataclass(frozen=True, slots=True)
class _Flight(Generic[T]):
    future: Future[T]
    kept: Kept


class Window(Generic[T]):
    """Up to `size` questions in flight: the one that is waited for and those that follow it."""

    def __init__(self, loop: LoopThread, size: int) -> None:
        """Start with nothing in flight.

        Args:
            loop: where the questions are asked.
            size: how many at most, from 1.
        """
        self._loop = loop
        self._size = size
        self._flights: dict[Hashable, _Flight[T]] = {}

    def ask(
        self,
        ahead: Iterable[tuple[Hashable, Callable[[], Coroutine[Any, Any, T]]]],
        tick: Callable[[], None] | None = None,
    ) -> T:
        """Return what comes of the first question of `ahead`, with those that follow it in flight meanwhile.

        Others are begun while it is waited for; where it is there already, when half of the window is used up.

        Args:
            ahead: keys of questions, and what asks each; the first is waited for. One that was handed over is asked
                anew the next time.
            tick: called now and then while the reply is waited for.

        Raises:
            Exception: what asking it raised. An interrupt of the wait cancels it.
        """
        questions = iter(ahead)
        key, ask = next(questions)
        flight = self._flights.pop(key, None) or self._started(ask)
        if not flight.future.done() or len(self._flights) < self._size // 2:  # else nothing is gained by more yet
            for other, ask_ahead in islice(questions, self._size - 1):
                if other not in self._flights:
                    self._flights[other] = self._started(ask_ahead)
        flight.kept.release()
        try:
            wait_in_ticks(flight.future, tick=tick)
            return flight.future.result()
        except BaseException:
            flight.future.cancel()
            raise

    def _started(self, ask: Callable[[], Coroutine[Any, Any, T]]) -> _Flight[T]:
        kept = Kept()
        token = KEPT.set(kept)  # a task starts with the context of whoever submits it
        try:
            return _Flight(self._loop.submit(ask()), kept)
        finally:
            KEPT.reset(token)

    def cancel(self) -> None:
        """Cancel what is in flight and was not handed over."""
        for flight in self._flights.values():
            flight.future.cancel()
        self._flights.clear()
