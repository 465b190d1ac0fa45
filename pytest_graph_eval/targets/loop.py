"""One daemon thread with one event loop, so that synchronous pytest items can use asynchronous targets."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for callers in other threads. `close` cancels and awaits whatever is left."""

    def __init__(self) -> None:
        """Start the thread and wait until its loop runs."""
        ready = threading.Event()
        self._thread = threading.Thread(target=self._main, args=(ready,), name="graph-eval", daemon=True)
        self._thread.start()
        ready.wait()

    def _main(self, ready: threading.Event) -> None:
        async def main() -> None:
            self._loop = asyncio.get_running_loop()
            self._stop = asyncio.Event()
            ready.set()
            await self._stop.wait()

        asyncio.run(main())

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start `work` and return its future."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` to its end; an interrupt of the waiting thread cancels it."""
        future = self.submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self, timeout: float = 15.0) -> bool:
        """Stop the loop; tell whether it ended within `timeout` seconds."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(timeout)
        return not self._thread.is_alive()
