"""Which questions are asked before their scenario's turn: those of the items that follow, of the same target.

Order and node ids of the items stay as they are; an item finds its reply there, or on its way, when it is called.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_graph_eval.evaluation.prefetch import DEFAULT, GO, Ahead, InlineWindow, Window
from pytest_graph_eval.plugin import setting

if TYPE_CHECKING:
    from pytest_graph_eval.evaluation.asking import Asked, OpenTarget
    from pytest_graph_eval.models.records import Record
    from pytest_graph_eval.run.collection import ScenarioItem
    from pytest_graph_eval.run.kept_output import KeptLogs, KeptStreams

Key = tuple["ScenarioItem", int]
Question = tuple[Key, Callable[[], Coroutine[Any, Any, "Asked"]]]


class Lookahead:
    """Keeps questions in flight from the call phase of the running item over the items that follow."""

    def __init__(self, config: pytest.Config) -> None:
        """Read how many questions may be in flight; with a debugger it is one."""
        debugs = config.getoption("usepdb", False) or config.getoption("trace", False)
        self._size: int = 1 if debugs else setting(config, "concurrency") or DEFAULT
        self._is_worker = hasattr(config, "workerinput")
        self.tick: Callable[[], Callable[[], None] | None] | None = None
        """Returns what is to be called while a reply is waited for, if anything."""
        self._next: pytest.Item | None = None
        self._places: dict[pytest.Item, int] = {}
        self._windows: dict[bool, Ahead[Asked]] = {}
        self._scored: dict[Key, tuple[Asked, Record]] = {}
        self._is_interrupted = False
        self._logs: KeptLogs | None = None
        self._streams: KeptStreams | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, nextitem: pytest.Item | None) -> None:
        """Note which item follows: under pytest-xdist it is not the next of the session."""
        self._next = nextitem
        if self._logs is not None:
            self._logs.hold_level()

    def measure(self, item: ScenarioItem, opened: OpenTarget, repeat: int) -> tuple[Asked, Record]:
        """Return what came of asking a scenario's question, and its score.

        Others are asked meanwhile, and where their replies are at hand they are scored in one go with this one.

        Args:
            item: the running item.
            opened: its target.
            repeat: the number of the asking, from 1.
        """
        window = self._window(item, opened)
        known = self._scored.pop((item, repeat), None)
        if known is not None and isinstance(window, InlineWindow) and window.take((item, repeat)) is known[0]:
            return known
        if item.is_serial:
            self._cancel()  # what was left by items that were skipped after all
        elif self._size > 1 and self._at_once(item, opened) != 1:
            self._keep_output(item)
        asked = window.ask(self._questions(item, opened, repeat), self.tick and self.tick())
        if known is not None and known[0] is asked:
            return known
        record = None
        try:
            record = item.scored(asked, opened)
            self._go_on(window, opened, item)
        except KeyboardInterrupt:  # the running item has its answer; it ends before the session does
            self._is_interrupted = True
        return asked, record or item.scored(asked, opened)

    def _go_on(self, window: Ahead[Asked], opened: OpenTarget, item: ScenarioItem) -> None:
        """Ask and score what follows, as far as that needs no waiting."""
        window.go_on()
        if not item.may_be_scored_ahead:
            return
        end = time.monotonic() + GO
        for key, one in window.at_hand():
            other, repeat = cast("Key", key)
            # What an item that was skipped after all left behind may be of another target.
            its = self._shared(item, other, opened)
            if its is not None and other.may_be_scored_ahead and (other, repeat) not in self._scored:
                with contextlib.suppress(Exception):  # which its own turn raises again
                    self._scored[other, repeat] = one, other.scored(one, its)
                if time.monotonic() > end:
                    return

    def has_scored_next(self) -> bool:
        """Tell whether the scores of all askings of the item that follows the running one are there."""
        if (self._next, 1) not in self._scored:
            return False
        item = cast("ScenarioItem", self._next)
        return all((item, n) in self._scored for n in range(2, item.eval_session.repeats(item.scenario) + 1))

    def pytest_runtest_logfinish(self) -> None:
        """End the session where it was interrupted while questions of other items were asked."""
        if self._is_interrupted:
            self._is_interrupted = False
            raise KeyboardInterrupt

    def _window(self, item: ScenarioItem, opened: OpenTarget) -> Ahead[Asked]:
        if opened.is_inline not in self._windows:
            self._windows[opened.is_inline] = self._new_window(item, is_inline=opened.is_inline)
        return self._windows[opened.is_inline]

    def _new_window(self, item: ScenarioItem, *, is_inline: bool) -> Ahead[Asked]:
        if not is_inline:
            return Window(item.eval_session.targets.loop, self._size)
        return InlineWindow(1) if self._size == 1 else InlineWindow()

    def _at_once(self, item: ScenarioItem, opened: OpenTarget) -> int | None:
        """Return how many questions of the target may be asked at a time; None is any number.

        A callable that takes its worker down must do so in its own scenario: xdist blames the running one.
        """
        if self._is_worker and _is_callable(item):
            return 1
        return None if opened.is_inline else opened.at_once

    def _questions(self, item: ScenarioItem, opened: OpenTarget, repeat: int) -> Iterator[Question]:
        most = 1 if item.is_serial else self._at_once(item, opened)
        yield from islice(self._endless(item, opened, repeat), most)

    def _endless(self, item: ScenarioItem, opened: OpenTarget, repeat: int) -> Iterator[Question]:
        """Yield the item's questions from `repeat` on, then those of the items that follow, as far as that is safe."""
        yield from _askings(item, opened, repeat)
        for other in self._following(item):
            its = self._shared(item, other, opened) if item.leads_to(other) else None
            if its is None:
                return
            if other.may_be_asked_ahead:
                yield from _askings(other, its, 1)

    @staticmethod
    def _shared(item: ScenarioItem, other: ScenarioItem, opened: OpenTarget) -> OpenTarget | None:
        """Return the target of `other`, as its own suite knows it, where it is that of `item`."""
        if other.suite is item.suite:
            return opened
        with contextlib.suppress(Exception):  # which its own turn raises again
            return item.eval_session.targets.shared(other.suite, opened)
        return None

    def _following(self, item: ScenarioItem) -> Iterator[Any]:
        items = item.session.items
        if self._is_worker:
            yield from [] if self._next is None else [self._next, *self._queued(item.config, items)]
            return
        if not self._places:
            self._places = {other: place for place, other in enumerate(items)}
        place = self._places.get(item, len(items))
        yield from islice(items, place + 1, None)

    def _queued(self, config: pytest.Config, items: list[pytest.Item]) -> Iterator[pytest.Item]:
        """Yield those after the next that pytest-xdist has handed to this worker, in order; what it may, it hands out.

        They wait as numbers in a queue of xdist's own, which ends with a mark. A version of it without such a queue
        leaves us with the next item alone.
        """
        queues = (getattr(plugin, "torun", None) for plugin in config.pluginmanager.get_plugins())
        queue = next((queue for queue in queues if hasattr(queue, "lock")), None)
        if queue is None:
            return
        with queue.lock() as waiting:
            numbers = list(islice(waiting, self._size))
        yield from (items[number] for number in numbers if isinstance(number, int))

    def _keep_output(self, item: ScenarioItem) -> None:
        from pytest_graph_eval.run.kept_output import KeptLogs, KeptStreams

        if self._logs is None:
            self._logs = KeptLogs()
        self._logs.watch()
        if self._streams is None and _is_callable(item):
            self._streams = KeptStreams()

    def end(self) -> None:
        """Cancel what nobody comes for any more."""
        self._cancel()
        for output in (self._logs, self._streams):
            if output is not None:
                output.end()

    def _cancel(self) -> None:
        for window in self._windows.values():
            window.cancel()
        self._scored.clear()


def _is_callable(item: ScenarioItem) -> bool:
    from pytest_graph_eval.models.settings import CustomTarget, PythonTarget

    return isinstance(item.suite.target, PythonTarget | CustomTarget)


def _askings(item: ScenarioItem, opened: OpenTarget, first: int) -> Iterator[Question]:
    for number in range(first, item.eval_session.repeats(item.scenario) + 1):
        yield (item, number), partial(opened.ask, item.scenario, repeat=number, passed=item.passed(opened))
