"""How many questions a target takes at once, how many a second, and how long it asked to be left alone.

One limiter serves one open target in one process. It is taken before a question's own clock starts, so that waiting
for a turn is neither latency nor a timeout.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

_ANY = 1_000_000


@dataclass(slots=True, eq=False)
class Turn:
    """A question's turn; `concurrency` is the most that were in flight at any time of it, itself included."""

    is_alone: bool = False
    """Whether nothing else may be in flight meanwhile."""
    concurrency: int = 1
    is_taken: bool = False


class Limiter:
    """Lets questions through.

    After a refusal (429, 503) nobody asks for as long as the server said, and only half as many ask at once from then
    on; each reply lets a part of one more in again.
    """

    def __init__(self, most: int | None = None, rate: float | None = None) -> None:
        """Set the limits.

        Args:
            most: questions at once; None is any number.
            rate: questions a second; None is any number. They are spread evenly.
        """
        self._most = float(most or _ANY)
        self._allowed = self._most
        self._interval = 1 / rate if rate else 0.0
        self._not_before = 0.0
        self._held_until = 0.0
        self._taken = 0
        self._lone_wanted = 0
        self._is_lone = False
        self._turns: dict[asyncio.Task[object] | None, Turn] = {}
        self._waiters: list[asyncio.Future[None]] = []
        self._pacing = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, *, alone: bool = False) -> AsyncIterator[Turn]:
        """Wait for a turn, and hold it. With `alone` nothing else is in flight meanwhile."""
        turn = Turn(is_alone=alone)
        try:
            await self._start(turn)
            yield turn
            self._allowed = min(self._most, self._allowed + 1 / self._allowed)
        finally:
            self._end(turn)

    @property
    def is_crowded(self) -> bool:
        """Whether the question of the current task has had company."""
        turn = self._turns.get(asyncio.current_task())
        return turn is not None and turn.concurrency > 1

    async def again(self, wait: float) -> None:
        """Give a refused turn of the current task up for another one; nobody asks for `wait` seconds.

        A task without a turn waits for the rate alone: the preflight's, or one of a client that sends in its own tasks.
        """
        self.hold(wait)
        turn = self._turns.get(asyncio.current_task())
        if turn is None:
            await self._keep_pace()
            return
        self._end(turn)
        await self._start(turn)

    def hold(self, wait: float) -> None:
        """Let nobody ask for `wait` seconds, and fewer at once from then on: the server refused a question."""
        now = asyncio.get_running_loop().time()
        if now >= self._held_until:  # others that were on their way are refused for the same reason
            self._allowed = max(1.0, min(self._allowed, self._taken) / 2)
        self._held_until = max(self._held_until, now + wait)
        self._not_before = max(self._not_before, now + wait)

    async def _start(self, turn: Turn) -> None:
        await self._take(turn)
        async with self._pacing:  # in the order in which they came
            await self._keep_pace()
        turn.concurrency = 1
        self._turns[asyncio.current_task()] = turn
        for other in self._turns.values():
            other.concurrency = max(other.concurrency, len(self._turns))

    async def _keep_pace(self) -> None:
        loop = asyncio.get_running_loop()
        while (wait := self._not_before - loop.time()) > 0:
            await asyncio.sleep(wait)
        self._not_before = loop.time() + self._interval

    async def _take(self, turn: Turn) -> None:
        self._lone_wanted += turn.is_alone
        try:
            while not self._has_room(turn):
                waiter = asyncio.get_running_loop().create_future()
                self._waiters.append(waiter)
                await waiter
            turn.is_taken = True
            self._taken += 1
            self._is_lone = turn.is_alone
        finally:
            self._lone_wanted -= turn.is_alone
            if not turn.is_taken:
                self._wake()

    def _has_room(self, turn: Turn) -> bool:
        if turn.is_alone:
            return self._taken == 0
        return not self._lone_wanted and not self._is_lone and self._taken < int(self._allowed)

    def _end(self, turn: Turn) -> None:
        self._turns.pop(asyncio.current_task(), None)
        if turn.is_taken:
            turn.is_taken = False
            self._taken -= 1
            self._is_lone = False
        self._wake()

    def _wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
