"""A question asked in the calling thread, without an event loop: for targets that answer in this process.

Handing a coroutine to a loop's thread and its result back costs more than many a local target's whole answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pytest_graph_eval.targets.calls import Call

T = TypeVar("T")

TICK = 0.5
"""Seconds of one piece of a wait for a reply."""

_TURN = 1.0
"""Seconds that a call may wait for its turn on top of its time limit: the calls before it take next to nothing."""

_PIECE = 0.01
"""Seconds after which a call is looked at again that should have begun."""

_here = threading.local()


@dataclass(frozen=True, slots=True)
class _Wait:
    """What a coroutine that is run inline may wait for: a call in another thread."""

    future: Future[Any]
    start: float
    limit: float | None
    """Seconds, from when the call began."""

    def __await__(self) -> Generator[_Wait, None, None]:
        yield self

    def is_over(self, patience: float) -> bool:
        """Wait for `patience` seconds at most; tell whether that was all that is to be waited for."""
        left = self._left()
        if not self.future.done() and left > 0 and patience > 0:
            _wait(self.future, min(patience, left))
            left = self._left()
        return self.future.done() or left <= 0

    def _left(self) -> float:
        """Return how long to wait before the time that is left is asked for again; nothing where it is over."""
        if self.limit is None:
            return math.inf
        left = self.start + self.limit - time.monotonic()
        if not isinstance(self.future, Call):
            return left
        if self.future.begun is None:  # it does so in a moment, and then the limit counts from there
            return left if left > 0 else min(_PIECE, left + _TURN)
        return left + self.future.begun - self.start

    def in_ticks(self, tick: Callable[[], None] | None) -> None:
        """Wait to the end in pieces (see `wait_in_ticks`), and call `tick` before each."""
        while not self.is_over(0):
            if tick is not None:
                tick()
            self.is_over(TICK)


def is_run_inline() -> bool:
    """Tell whether the coroutine that asks is run inline."""
    return getattr(_here, "runs", False)


async def until_done(future: Future[Any], timeout: float | None = None) -> bool:
    """Wait for what another thread works on; tell whether it is done within `timeout` seconds."""
    if is_run_inline():
        await _Wait(future, time.monotonic(), timeout)
    else:
        await asyncio.wait({asyncio.wrap_future(future)}, timeout=timeout)
    return future.done()


class InlineCall(Generic[T]):
    """A coroutine that runs in the calling thread, and may be left alone where it waits.

    All that it may wait for is `until_done`.
    """

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        """Begin nothing yet."""
        self._work = work
        self._waits: _Wait | None = None
        self._value: T | None = None
        self._error: Exception | None = None
        self.is_done = False

    def advance(self, patience: float) -> bool:
        """Go on until the end, or until something is waited for that takes more than `patience` seconds.

        Returns whether it is done, be it with an error, which `result` raises. An interrupt ends it.
        """
        while not self.is_done:
            if self._waits is not None and not self._waits.is_over(patience):
                return False
            self._step()
        return True

    def result(self, tick: Callable[[], None] | None = None) -> T:
        """Go on to the end and return what comes of it.

        Args:
            tick: called now and then while a call in another thread is waited for.

        Raises:
            Exception: what the coroutine raised. An interrupt of the wait ends it.
        """
        try:
            while not self.is_done:
                if self._waits is not None:
                    self._waits.in_ticks(tick)
                self._step()
        except BaseException:
            self.close()
            raise
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]  # what the coroutine returned

    def has_value(self) -> bool:
        """Tell whether it is done without an error."""
        return self.is_done and self._error is None

    def close(self) -> None:
        """End it where it waits."""
        self._work.close()

    def withdraw(self) -> bool:
        """End it where the call that it waits for has not begun; tell whether it did."""
        call = self._waits.future if self._waits is not None else None
        if self.is_done or not isinstance(call, Call) or not call.withdraw():
            return False
        self.close()
        return True

    def _step(self) -> None:
        """Run it as far as it can be run without waiting."""
        _here.runs = True
        try:
            self._waits = self._work.send(None)
        except StopIteration as end:
            self._value, self.is_done = end.value, True
        except Exception as e:
            self._error, self.is_done = e, True
        finally:
            _here.runs = False


def run_inline(work: Coroutine[Any, Any, T], tick: Callable[[], None] | None = None) -> T:
    """Run `work` to its end in this thread (see `InlineCall.result`)."""
    return InlineCall(work).result(tick)


def wait_in_ticks(future: Future[Any], tick: Callable[[], None] | None = None) -> None:
    """Block until a future is done; call `tick` now and then meanwhile.

    Never in one piece: an interrupt that the system hands to another thread is only seen between two waits.
    """
    while not future.done():
        if tick is not None:
            tick()
        _wait(future, TICK)


def _wait(future: Future[Any], timeout: float) -> None:
    with contextlib.suppress(TimeoutError, CancelledError):  # the caller looks whether it is done
        future.exception(timeout)  # which takes a fifth of the time of `concurrent.futures.wait`
