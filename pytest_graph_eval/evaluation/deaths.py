"""Which question a server died of when several were in flight: one of them answers for each death."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Death:
    """One death, and the questions that were lost in it, by their numbers in the order of being asked."""

    awaited: set[int]
    """Those that were in flight, until they come back with a reply or without."""
    lost: set[int] = field(default_factory=set)
    _is_repeated: bool = False
    _is_complete: asyncio.Event = field(default_factory=asyncio.Event)
    _are_tried: asyncio.Event = field(default_factory=asyncio.Event)

    def complete(self) -> None:
        """Have all who were in flight back; all but the oldest are to be tried again."""
        self.lost -= {min(self.lost)}
        self._is_complete.set()
        if not self.lost:
            self._are_tried.set()

    async def answers_for_it(self, number: int) -> bool:
        """Tell whether this question is the one that stays an error: the oldest, where the others are all innocent.

        Most servers work in the order of the questions. A server that dies of a certain question does so again when
        that one is asked alone; if none of the others is that one, the oldest has to be taken for it.
        """
        await self._is_complete.wait()
        if number in self.lost:
            return False
        await self._are_tried.wait()
        return not self._is_repeated

    def tried(self, number: int, *, died: bool) -> None:
        """Note how a question fared alone."""
        self._is_repeated |= died
        self.lost.discard(number)
        if not self.lost:
            self._are_tried.set()


class Deaths:
    """Brings the questions together that were in flight when a server died."""

    def __init__(self) -> None:
        """Start with nothing in flight."""
        self._in_flight: set[int] = set()
        self._now: Death | None = None

    @contextmanager
    def in_flight(self, number: int) -> Iterator[None]:
        """Count a question among those that a death would take, until it is back."""
        self._in_flight.add(number)
        try:
            yield
        finally:
            self._in_flight.discard(number)
            if self._now is not None:
                self._now.awaited.discard(number)
                if not self._now.awaited:
                    self._now.complete()
                    self._now = None

    def lost(self, number: int) -> Death:
        """Return the death that took a question, which is still in flight."""
        if self._now is None:
            self._now = Death({*self._in_flight})
        self._now.lost.add(number)
        return self._now
