"""What is in flight ahead, is handed over once, and what it says until then."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval import evaluate
from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.evaluation import prefetch
from pytest_graph_eval.evaluation.prefetch import KEPT, InlineWindow, Kept, Window, keep
from pytest_graph_eval.targets import inline
from pytest_graph_eval.targets.calls import CallThread
from pytest_graph_eval.targets.inline import until_done
from pytest_graph_eval.targets.loop import LoopThread


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    thread = LoopThread()
    yield thread
    assert thread.close(5)


class Desk:
    """Answers questions, and notes which were begun and which were cancelled."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.cancelled: list[str] = []
        self.gate = threading.Event()

    def ahead(self, names: str) -> list[tuple[str, Callable[[], Coroutine[Any, Any, str]]]]:
        return [(name, lambda name=name: self.answer(name)) for name in names]

    async def answer(self, name: str) -> str:
        self.begun.append(name)
        try:
            while name.isupper() and not self.gate.is_set():
                await asyncio.sleep(0.005)
        except asyncio.CancelledError:
            self.cancelled.append(name)
            raise
        if name == "!":
            raise ValueError("broken")
        return name


def test_who_waits_can_do_something_meanwhile(loop: LoopThread, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inline, "TICK", 0.01)
    desk, ticks = Desk(), []

    def tick() -> None:
        ticks.append(1)
        if len(ticks) == 3:
            desk.gate.set()

    assert Window[str](loop, 1).ask(desk.ahead("A"), tick) == "A"
    assert len(ticks) >= 3
    with pytest.raises(ValueError, match="broken"):
        Window[str](loop, 1).ask(desk.ahead("!"), tick)


def test_the_window_slides_over_what_follows(loop: LoopThread) -> None:
    desk = Desk()
    window: Window[str] = Window(loop, 3)
    assert window.ask(desk.ahead("abcdef")) == "a"
    loop.run(asyncio.sleep(0))
    assert desk.begun == ["a", "b", "c"]
    assert window.ask(desk.ahead("bcdef")) == "b"
    assert window.ask(desk.ahead("cdef")) == "c"
    loop.run(asyncio.sleep(0))
    assert desk.begun == list("abcde")


def test_what_was_handed_over_is_asked_anew(loop: LoopThread) -> None:
    desk = Desk()
    window: Window[str] = Window(loop, 2)
    for _ in range(2):
        assert window.ask(desk.ahead("ab")) == "a"
    assert sorted(desk.begun) == ["a", "a", "b"]


def test_an_error_reaches_the_one_who_waits(loop: LoopThread) -> None:
    window: Window[str] = Window(loop, 2)
    desk = Desk()
    window.ask(desk.ahead("a!"))
    with pytest.raises(ValueError, match="broken"):
        window.ask(desk.ahead("!b"))
    assert window.ask(desk.ahead("b")) == "b"


def test_nobody_comes_for_what_is_cancelled(loop: LoopThread) -> None:
    desk = Desk()
    window: Window[str] = Window(loop, 3)
    window.ask(desk.ahead("aBC"))
    window.cancel()
    loop.run(asyncio.sleep(0.05))
    assert sorted(desk.cancelled) == ["B", "C"]
    desk.gate.set()
    assert window.ask(desk.ahead("B")) == "B"


def test_questions_are_taken_from_what_follows_only_as_far_as_the_window_goes(loop: LoopThread) -> None:
    desk = Desk()

    def endless() -> Iterator[Any]:
        yield from desk.ahead("ab")
        raise AssertionError("looked too far")

    assert Window[str](loop, 2).ask(endless()) == "a"


def test_what_is_said_is_kept_until_it_is_its_turn() -> None:
    said: list[str] = []
    kept = Kept()

    def speaks() -> bool:
        return keep(lambda: said.append("early"))

    context = copy_context()
    context.run(KEPT.set, kept)
    assert context.run(speaks)
    assert said == []
    kept.release()
    assert said == ["early"]
    assert not context.run(speaks)
    assert not keep(lambda: said.append("nobody's"))
    assert said == ["early"]


def test_a_question_s_tasks_and_calls_in_other_loops_speak_for_it(loop: LoopThread) -> None:
    other = LoopThread()
    said: list[str] = []

    async def remote(name: str) -> None:
        await asyncio.sleep(0.02)
        if not keep(lambda: said.append(name)):
            said.append(f"{name} at once")

    async def calls(name: str) -> None:
        await asyncio.wrap_future(other.submit(remote(name)))

    async def question(name: str) -> str:
        await asyncio.create_task(calls(name))
        return name

    def ahead(names: str) -> list[Any]:
        return [(name, lambda name=name: question(name)) for name in names]

    window: Window[str] = Window(loop, 2)
    window.ask(ahead("ab"))
    loop.run(asyncio.sleep(0.05))
    assert said == ["a at once"]
    window.ask(ahead("b"))
    assert said == ["a at once", "b"]
    assert other.close(5)


class Counter:
    """Answers in a thread of its own, as callables do: capital letters when the gate opens, `!` never well."""

    def __init__(self, thread: CallThread) -> None:
        self.begun: list[str] = []
        self.closed: list[str] = []
        self.said: list[str] = []
        self.gate = threading.Event()
        self._thread = thread

    def ahead(self, names: str) -> list[tuple[str, Callable[[], Coroutine[Any, Any, str]]]]:
        return [(name, lambda name=name: self.answer(name)) for name in names]

    async def answer(self, name: str) -> str:
        future = self._thread.submit(lambda: self._call(name))
        try:
            await until_done(future)
        except GeneratorExit:
            self.closed.append(name)
            raise
        if name == "!":
            raise ValueError("broken")
        return str(future.result().value)

    def _call(self, name: str) -> str:
        self.begun.append(name)
        if name.isupper():
            self.gate.wait(10)
        if not keep(lambda: self.said.append(name)):
            self.said.append(f"{name} at once")
        return name


@pytest.fixture
def counter(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter]:
    monkeypatch.setattr(InlineWindow, "_QUICK", 0.2)
    monkeypatch.setattr(prefetch, "GO", 10)
    thread = CallThread()
    counter = Counter(thread)
    yield counter
    counter.gate.set()
    assert thread.close(5)


class Local(InlineWindow[str]):
    """A window whose every reply is followed by a go, as in a run."""

    def ask(self, ahead: Any, tick: Callable[[], None] | None = None) -> str:
        try:
            return super().ask(ahead, tick)
        finally:
            self.go_on()


def test_where_replies_come_at_once_several_are_asked_in_one_go(counter: Counter) -> None:
    window = Local(3)
    assert window.ask(counter.ahead("abcdef")) == "a"
    assert counter.begun == list("abc")
    assert counter.said == ["a at once"]
    assert list(window.at_hand()) == [("b", "b"), ("c", "c")]
    assert window.ask(counter.ahead("bcdef")) == "b"
    assert window.ask(counter.ahead("cdef")) == "c"
    assert counter.begun == list("abc")
    assert counter.said == ["a at once", "b", "c"]
    assert window.ask(counter.ahead("def")) == "d"
    assert counter.begun == list("abcdef")


def test_a_slow_reply_has_nothing_asked_behind_it(counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InlineWindow, "_QUICK", 0.0)
    window = Local(3)
    assert window.ask(counter.ahead("abc")) == "a"
    assert counter.begun == ["a"]


def test_a_go_ends_at_the_first_reply_that_is_not_there_at_once(counter: Counter) -> None:
    window = Local(4)
    assert window.ask(counter.ahead("aBcd")) == "a"
    assert counter.begun == ["a", "B"]
    assert not [*window.at_hand()]
    assert window.ask(counter.ahead("Bcd"), counter.gate.set) == "B"
    assert counter.begun == ["a", "B"]
    assert window.ask(counter.ahead("cd")) == "c"
    assert counter.begun == ["a", "B", "c", "d"]


def test_an_error_of_a_go_reaches_the_one_who_waits_for_it(counter: Counter) -> None:
    window = Local(3)
    assert window.ask(counter.ahead("a!b")) == "a"
    assert [*window.at_hand()] == [("b", "b")]
    with pytest.raises(ValueError, match="broken"):
        window.ask(counter.ahead("!b"))
    assert window.ask(counter.ahead("b")) == "b"
    assert counter.begun == ["a", "!", "b"]


def test_who_is_asked_anew_waits_for_what_began_before(counter: Counter) -> None:
    window = Local(3)
    window.ask(counter.ahead("aBc"))
    counter.gate.set()
    assert window.ask(counter.ahead("aBc")) == "a"
    assert counter.begun == ["a", "B", "a", "c"]
    assert window.ask(counter.ahead("Bc")) == "B"


@pytest.mark.parametrize("leave", ["cancelled", "passed over"])
def test_what_nobody_comes_for_is_closed(counter: Counter, leave: str) -> None:
    window = Local(3)
    window.ask(counter.ahead("aBc"))
    if leave == "cancelled":
        window.cancel()
    else:
        counter.gate.set()
        assert window.ask(counter.ahead("c")) == "c"
    assert counter.closed == ["c", "B"]  # the last one was taken back before it began
    assert counter.begun[:2] == ["a", "B"]
    assert not [*window.at_hand()]


def test_an_interrupt_while_others_are_asked_ends_the_wait(counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    window = Local(3)

    async def interrupted() -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        window.ask([*counter.ahead("a"), ("b", interrupted)])
    assert KEPT.get() is None
    window.cancel()


AGENT = """
import asyncio

async def ask(question):
    await asyncio.sleep(0.02)
    return question
"""


@pytest.mark.parametrize(("size", "most"), [(1, 1), (4, 4)])
def test_the_library_form_of_a_run_asks_ahead_except_what_is_serial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, most: int
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / f"agent_{size}.py").write_text(AGENT)
    items = [f"{{id: s{i}, question: was {i}, expect: {{contains: was {i}}}}}" for i in range(8)]
    items[6] = items[6].replace("{id", "{serial: true, id")
    lines = "".join(f"  - {item}\n" for item in items)
    path = tmp_path / "s.graph.yaml"
    path.write_text(f'target: {{call: "agent_{size}:ask"}}\nscenarios:\n{lines}')
    records = evaluate(path, concurrency=size)
    assert [(r.id, r.answer, r.status, r.index) for r in records] == [
        (f"s{i}", f"was {i}", "PASS", i) for i in range(8)
    ]
    assert max(r.concurrency or 0 for r in records) == most
    assert records[6].concurrency == records[7].concurrency == 1


def test_less_than_one_question_at_a_time_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="concurrency=0: expected a whole number from 1"):
        evaluate(tmp_path / "s.graph.yaml", concurrency=0)
