"""The questions in flight ahead of the one that is waited for, and what they say until it is their turn.

Whoever waits decides what may be asked ahead; here it is started, handed over once, and cancelled when nobody comes
for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Coroutine, Hashable, Iterable, Iterator
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.models.settings import Gate
from pytest_graph_eval.targets.inline import TICK, InlineCall, run_inline, wait_in_ticks
from pytest_graph_eval.targets.loop import LoopThread

T = TypeVar("T")

DEFAULT = 8
"""Questions in flight where nobody says how many."""

GO = 0.02
"""Seconds for which asking, or scoring, others in one go may hold up the item that runs."""


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


Questions = Iterable[tuple[Hashable, Callable[[], Coroutine[Any, Any, T]]]]
"""Keys of questions, and what asks each; the first is waited for."""


class Ahead(Protocol[T]):
    """What keeps questions ahead of the one that is waited for."""

    def ask(self, ahead: Questions[T], tick: Callable[[], None] | None = None) -> T:
        """Return what comes of the first question of `ahead`; some that follow it may be asked as well.

        Args:
            ahead: the questions; one that was handed over is asked anew the next time.
            tick: called now and then while the reply is waited for.

        Raises:
            Exception: what asking it raised. An interrupt of the wait ends it.
        """

    def go_on(self) -> None:
        """Ask what follows, where that was not done meanwhile: the reply that was waited for is safe by now."""

    def at_hand(self) -> Iterator[tuple[Hashable, T]]:
        """Yield what came of those ahead that have their reply."""

    def cancel(self) -> None:
        """Cancel what is ahead and was not handed over."""


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

    def ask(self, ahead: Questions[T], tick: Callable[[], None] | None = None) -> T:
        """Return what comes of the first question of `ahead` (see `Ahead`), with those that follow it in flight.

        Others are begun while it is waited for; where it is there already, when half of the window is used up.
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

    def go_on(self) -> None:
        """Do nothing: what follows is in flight already."""

    def at_hand(self) -> Iterator[tuple[Hashable, T]]:
        """Yield what came of those in flight that have their reply."""
        for key, flight in self._flights.items():
            future = flight.future
            if future.done() and not future.cancelled() and future.exception() is None:
                yield key, future.result()

    def cancel(self) -> None:
        """Cancel what is in flight and was not handed over."""
        for flight in self._flights.values():
            flight.future.cancel()
        self._flights.clear()


class InlineWindow(Generic[T]):
    """Questions asked in the calling thread, one after another: several in one go where replies come at once.

    What is done for several in one go costs half of what it costs between the phases of pytest's items, whose code
    takes the place of ours in the processor's caches.
    """

    _QUICK = 0.002
    """Seconds within which the reply to a question must come for others to be asked in the same go."""

    def __init__(self, size: int = 128) -> None:
        """Start with nothing asked.

        Args:
            size: how many questions to ask in one go at most, from 1; `GO` bounds it in time.
        """
        self._size = size
        self._calls: dict[Hashable, tuple[InlineCall[T], Kept]] = {}
        self._following: dict[Hashable, Callable[[], Coroutine[Any, Any, T]]] = {}

    def ask(self, ahead: Questions[T], tick: Callable[[], None] | None = None) -> T:
        """Return what comes of the first question of `ahead` (see `Ahead`)."""
        questions = iter(ahead)
        key, ask = next(questions)
        if key in self._calls:
            call, kept = self._calls.pop(key)
            kept.release()
            return call.result(tick)
        self._following = dict(islice(questions, self._size - 1))
        self._make_way()
        start = time.monotonic()
        result = run_inline(ask(), tick)
        if time.monotonic() > start + self._QUICK:
            self._following = {}
        return result

    def take(self, key: Hashable) -> T | None:
        """Hand over what came of a question ahead that has its reply; None where there is none."""
        if key not in self._calls or not self._calls[key][0].has_value():
            return None
        call, kept = self._calls.pop(key)
        kept.release()
        return call.result()

    def _make_way(self) -> None:
        """Close what nobody comes for, and wait for what began first: a target is asked one question at a time."""
        for key in [key for key in self._calls if key not in self._following]:
            self._calls.pop(key)[0].close()
        for call, _ in self._calls.values():
            while not call.advance(TICK):
                pass

    def go_on(self) -> None:
        """Ask what follows in one go, where the last reply came at once; to the first that does not.

        All are handed over before the first is waited for: a wait for each takes longer than what it waits for.
        """
        end = time.monotonic() + GO
        begun = list(self._begin(end))
        for place, key in enumerate(begun, 1):
            if not self._calls[key][0].advance(self._QUICK) or time.monotonic() > end:
                self._take_back(begun[place:])
                return

    def _begin(self, end: float) -> Iterator[Hashable]:
        following, self._following = self._following, {}
        for key, ask in following.items():
            if key in self._calls:
                continue
            kept = Kept()
            token = KEPT.set(kept)
            try:
                call = InlineCall(ask())
                self._calls[key] = call, kept
                call.advance(0)
            finally:
                KEPT.reset(token)
            yield key
            if time.monotonic() > end:
                return

    def _take_back(self, keys: list[Hashable]) -> None:
        """Have those not asked that wait for their turn: one may hold up all behind it."""
        for key in reversed(keys):
            if self._calls[key][0].is_done:
                continue
            if not self._calls[key][0].withdraw():
                return
            del self._calls[key]

    def at_hand(self) -> Iterator[tuple[Hashable, T]]:
        """Yield what came of those ahead that have their reply."""
        return ((key, call.result()) for key, (call, _) in self._calls.items() if call.has_value())

    def cancel(self) -> None:
        """Close what is ahead and was not handed over."""
        for call, _ in self._calls.values():
            call.close()
        self._calls.clear()
