"""A daemon thread for a user's callables: made, called and closed there, so that what they hold stays in one thread."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, InvalidStateError
from contextvars import copy_context
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came to; exceptions of any kind are values here, so that they cannot end the thread."""

    value: Any = None
    error: BaseException | None = None
    seconds: float = 0.0


class Call(Future[Outcome]):
    """The outcome to come of a call that waits for its turn."""

    def __init__(self) -> None:
        """Wait for it."""
        super().__init__()
        self._turn = threading.Lock()
        self.begun: float | None = None
        """When the call began, on the monotonic clock."""

    def begin(self) -> bool:
        """Take the turn; False where the call was withdrawn or cancelled."""
        if self.cancelled() or not self._turn.acquire(blocking=False):
            return False
        self.begun = time.monotonic()
        return True

    def withdraw(self) -> bool:
        """Cancel the call, unless it has begun; tell whether it will not be made."""
        return self._turn.acquire(blocking=False) and self.cancel()


class CallThread:
    """Makes calls one after another; no event loop runs meanwhile, so that one may use `asyncio.run`.

    What a call returns to be awaited is awaited on the thread's own loop. After `start_loop` that loop runs all the
    time, for asynchronous callables, which work side by side.
    """

    def __init__(self) -> None:
        """Start the thread."""
        self._jobs: SimpleQueue[Callable[[asyncio.Runner], None] | None] = SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._main, name="graph-eval call", daemon=True)
        self._thread.start()

    def _main(self) -> None:
        with asyncio.Runner() as runner:
            while (job := self._jobs.get()) is not None:
                asyncio.set_event_loop(
                    runner.get_loop()
                )  # for callables that take the thread's own, also after a `run`
                job(runner)

    def submit(self, call: Callable[[], Any]) -> Future[Outcome]:
        """Have `call` made when those before it have returned, with a running loop at once.

        Cancelling the future cancels a call that is not begun, and what it returned to be awaited.
        """
        if self._loop is not None:
            return asyncio.run_coroutine_threadsafe(_side_by_side(call), self._loop)
        future = Call()
        context = copy_context()

        def job(runner: asyncio.Runner) -> None:
            def await_here(value: Awaitable[Any]) -> Any:
                return runner.run(_awaited(value, future), context=copy_context())

            if future.begin():
                outcome = context.run(_made, call, await_here)
                with contextlib.suppress(InvalidStateError):  # cancelled meanwhile
                    future.set_result(outcome)

        self._jobs.put(job)
        return future

    def start_loop(self) -> None:
        """Run the thread's loop from now on: what follows works side by side."""
        ready = threading.Event()

        async def serve() -> None:
            self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
            ready.set()
            await self._stop.wait()

        self._jobs.put(lambda runner: runner.run(serve()))
        ready.wait()

    def close(self, timeout: float) -> bool:
        """Stop; tell whether the thread ended within `timeout` seconds. One that is stuck in a call is left behind."""
        self._jobs.put(None)
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout)
        return not self._thread.is_alive()


def in_thread(call: Callable[[], Any]) -> Future[Outcome]:
    """Make a call in a daemon thread of its own: an executor's threads would keep the process from ending."""
    future: Future[Outcome] = Future()
    context = copy_context()  # what it prints belongs to the question that it serves

    def run() -> None:
        outcome = context.run(_made, call, asyncio.run)
        with contextlib.suppress(InvalidStateError):
            future.set_result(outcome)

    threading.Thread(target=run, name="graph-eval call", daemon=True).start()
    return future


def _made(call: Callable[[], Any], wait_for: Callable[[Any], Any]) -> Outcome:
    """Make a call, and have what it returns to be awaited waited for; timed from when it began."""
    start = time.perf_counter()
    try:
        value = call()
        value = wait_for(value) if inspect.isawaitable(value) else value
        return Outcome(value, seconds=time.perf_counter() - start)
    except BaseException as e:
        return Outcome(error=e)


async def _awaited(value: Awaitable[Any], future: Future[Outcome]) -> Any:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    future.add_done_callback(lambda f: loop.call_soon_threadsafe(task.cancel) if f.cancelled() else None)
    return await value


async def _side_by_side(call: Callable[[], Any]) -> Outcome:
    start = time.perf_counter()
    try:
        value = call()
        value = await value if inspect.isawaitable(value) else value
        return Outcome(value, seconds=time.perf_counter() - start)
    except asyncio.CancelledError:
        raise
    except BaseException as e:
        return Outcome(error=e)
