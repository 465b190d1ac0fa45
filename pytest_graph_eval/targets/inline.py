"""A question asked in the calling thread, without an event loop: for targets that answer in this process.

Handing a coroutine to a loop's thread and its result back costs more than many a local target's whole answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")

TICK = 0.5
"""Seconds of one piece of a wait for a reply."""

_here = threading.local()


@dataclass(frozen=True, slots=True)
class _Wait:
    """What a coroutine that is run inline may wait for: a call in another thread."""

    future: Future[Any]
    end: float | None
    """When the wait is over, on the monotonic clock."""

    def __await__(self) -> Generator[_Wait, None, None]:
        yield self


async def until_done(future: Future[Any], timeout: float | None = None) -> bool:
    """Wait for what another thread works on; tell whether it is done within `timeout` seconds."""
    if getattr(_here, "runs", False):
        await _Wait(future, None if timeout is None else time.monotonic() + timeout)
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
            if self._waits is not None and not self._is_over(self._waits, patience):
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
                    wait_in_ticks(self._waits.future, self._waits.end, tick)
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

    @staticmethod
    def _is_over(waits: _Wait, patience: float) -> bool:
        left = patience if waits.end is None else min(patience, waits.end - time.monotonic())
        if not waits.future.done() and left > 0:
            _wait(waits.future, left)
        return waits.future.done() or (waits.end is not None and waits.end <= time.monotonic())

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


def wait_in_ticks(future: Future[Any], end: float | None = None, tick: Callable[[], None] | None = None) -> None:
    """Block until a future is done or the monotonic clock shows `end`; call `tick` now and then meanwhile.

    Never in one piece: an interrupt that the system hands to another thread is only seen between two waits.
    """
    while not future.done():
        left = TICK if end is None else min(TICK, end - time.monotonic())
        if left <= 0:
            return
        if tick is not None:
            tick()
        _wait(future, left)


def _wait(future: Future[Any], timeout: float) -> None:
    with contextlib.suppress(TimeoutError, CancelledError):  # the caller looks whether it is done
        future.exception(timeout)  # which takes a fifth of the time of `concurrent.futures.wait`
