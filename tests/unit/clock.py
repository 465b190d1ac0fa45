"""An event loop whose clock jumps to the next timer: what takes minutes is tested in no time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["run"]

T = TypeVar("T")


class _JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        select = self._selector.select  # type: ignore[attr-defined]  # nothing public lets a loop sleep differently

        def jump(timeout: float | None = None) -> Any:
            assert timeout is not None, "the loop waits for something that never comes"
            self._now += timeout
            return select(0)

        self._selector.select = jump  # type: ignore[attr-defined]  # as above

    def time(self) -> float:
        return self._now


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work`, which must wait for timers only, on a loop that starts at 0 s."""
    with asyncio.Runner(loop_factory=_JumpingLoop) as runner:
        return runner.run(work)
