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
from typing import Any, TypeVar

T = TypeVar("T")

TICK = 0.5
"""Seconds of one piece of a wait for a reply."""

_here = threading.local()


@dataclass(frozen=True, slots=True)
class _Wait:
    """What a coroutine that is run inline may wait for: a call in another thread."""

    future: Future[Any]
    timeout: float | None

    def __await__(self) -> Generator[_Wait, None, None]:
        yield self


async def until_done(future: Future[Any], timeout: float | None = None) -> bool:
    """Wait for what another thread works on; tell whether it is done within `timeout` seconds."""
    if getattr(_here, "runs", False):
        await _Wait(future, timeout)
    else:
        await asyncio.wait({asyncio.wrap_future(future)}, timeout=timeout)
    return future.done()


def run_inline(work: Coroutine[Any, Any, T], tick: Callable[[], None] | None = None) -> T:
    """Run `work` to its end in this thread; all that it may wait for is `until_done`.

    Args:
        work: a target's question.
        tick: called now and then while a call in another thread is waited for.

    Raises:
        Exception: what `work` raised. An interrupt of the wait ends it.
    """
    _here.runs = True
    try:
        while True:
            waited = work.send(None)
            wait_in_ticks(waited.future, waited.timeout, tick)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # what a coroutine returns
    finally:
        _here.runs = False
        work.close()


def wait_in_ticks(future: Future[Any], timeout: float | None = None, tick: Callable[[], None] | None = None) -> None:
    """Block until a future is done or `timeout` seconds are over; call `tick` now and then meanwhile.

    Never in one piece: an interrupt that the system hands to another thread is only seen between two waits.
    """
    end = None if timeout is None else time.monotonic() + timeout
    while not future.done():
        left = TICK if end is None else min(TICK, end - time.monotonic())
        if left <= 0:
            return
        if tick is not None:
            tick()
        _wait(future, left)


def _wait(future: Future[Any], timeout: float | None) -> None:
    with contextlib.suppress(TimeoutError, CancelledError):  # the caller looks whether it is done
        future.exception(timeout)  # which takes a fifth of the time of `concurrent.futures.wait`
