"""A coroutine that is run in the calling thread waits for calls in other threads, and for nothing else."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from pytest_graph_eval.targets import inline
from pytest_graph_eval.targets.calls import CallThread, Outcome, in_thread
from pytest_graph_eval.targets.inline import InlineCall, run_inline, until_done


@pytest.fixture
def thread() -> Iterator[CallThread]:
    thread = CallThread()
    yield thread
    assert thread.close(5)


async def value_of(future: Future[Outcome], timeout: float | None = None) -> object:
    return future.result().value if await until_done(future, timeout) else "late"


def test_what_is_done_at_once_needs_no_loop() -> None:
    async def answer() -> str:
        return "at once"

    assert run_inline(answer()) == "at once"


def test_a_call_elsewhere_is_waited_for_inline_and_on_a_loop(thread: CallThread) -> None:
    assert run_inline(value_of(thread.submit(lambda: 7))) == 7
    assert asyncio.run(value_of(thread.submit(lambda: 8))) == 8


def test_a_wait_ends_in_time_and_leaves_the_call(thread: CallThread) -> None:
    gate = threading.Event()
    future = thread.submit(gate.wait)
    assert run_inline(value_of(future, 0.01)) == "late"
    assert run_inline(value_of(future, 0.01), lambda: None) == "late"
    gate.set()
    assert run_inline(value_of(future)) is True


def test_a_time_limit_counts_from_when_the_call_began(thread: CallThread) -> None:
    gate = threading.Event()
    first, second = thread.submit(lambda: gate.wait(5)), thread.submit(lambda: 2)
    waits = InlineCall(value_of(second, 0.1))
    assert not waits.advance(0.3)  # its turn has not come
    gate.set()
    assert waits.result() == 2
    assert first.result().value is True
    start = time.monotonic()
    assert run_inline(value_of(thread.submit(lambda: time.sleep(0.5)), 0.1)) == "late"
    assert time.monotonic() < start + 0.4


def test_who_waits_can_do_something_meanwhile(thread: CallThread, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inline, "TICK", 0.001)
    gate, ticks = threading.Event(), []

    def tick() -> None:
        ticks.append(1)
        if len(ticks) == 3:
            gate.set()

    assert run_inline(value_of(thread.submit(gate.wait)), tick) is True
    assert len(ticks) >= 3


def test_an_interrupt_of_the_wait_closes_the_work(thread: CallThread) -> None:
    gate, closed = threading.Event(), []

    async def work() -> None:
        try:
            await until_done(thread.submit(gate.wait))
        finally:
            closed.append(True)

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_inline(work(), interrupt)
    assert closed
    gate.set()
    assert asyncio.run(value_of(thread.submit(lambda: "a loop waits again"))) == "a loop waits again"


def test_calls_are_made_in_order_in_one_thread(thread: CallThread) -> None:
    order: list[int] = []
    threads = {thread.submit(lambda n=n: order.append(n) or threading.get_ident()).result(5).value for n in range(5)}
    assert order == [0, 1, 2, 3, 4]
    assert len(threads) == 1


def test_a_call_may_run_a_loop_of_its_own_or_return_what_is_to_be_awaited(thread: CallThread) -> None:
    async def answer() -> str:
        await asyncio.sleep(0)
        return "awaited"

    makes = (
        lambda: asyncio.run(answer()),
        lambda: asyncio.get_event_loop().run_until_complete(answer()),
        answer,
    )
    assert [thread.submit(make).result(5).value for make in makes] == ["awaited"] * 3
    assert in_thread(makes[0]).result(5).value == "awaited"
    assert in_thread(answer).result(5).value == "awaited"


def test_what_a_call_raises_is_an_outcome(thread: CallThread) -> None:
    def leave() -> None:
        raise SystemExit(3)

    assert isinstance(thread.submit(leave).result(5).error, SystemExit)
    assert thread.submit(lambda: 1).result(5).value == 1


def test_a_cancelled_call_is_not_made_and_what_it_awaits_is_cancelled(thread: CallThread) -> None:
    gate, begun, made, cancelled = threading.Event(), threading.Event(), [], threading.Event()

    async def endless() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    first, second = thread.submit(gate.wait), thread.submit(lambda: made.append(1))
    assert second.cancel()
    gate.set()
    first.result(5)
    third = thread.submit(endless)
    assert begun.wait(5)
    assert third.cancel()
    assert cancelled.wait(5)
    assert thread.submit(lambda: "on").result(5).value == "on"
    assert not made


def test_a_call_can_be_withdrawn_until_it_begins(thread: CallThread) -> None:
    gate, begun, made = threading.Event(), threading.Event(), []

    def first() -> None:
        begun.set()
        gate.wait(5)

    calls = [
        InlineCall(value_of(thread.submit(call))) for call in (first, lambda: made.append(2), lambda: made.append(3))
    ]
    for call in calls:
        assert not call.advance(0)
    assert begun.wait(5)
    assert [call.withdraw() for call in calls] == [False, True, True]
    gate.set()
    assert calls[0].result() is None
    assert run_inline(value_of(thread.submit(lambda: "next"))) == "next"
    assert not made


def test_with_a_running_loop_calls_work_side_by_side(thread: CallThread) -> None:
    async def meet(mine: int, events: list[asyncio.Event]) -> int:
        events[mine].set()
        await events[1 - mine].wait()
        return mine

    thread.start_loop()
    events = [asyncio.Event(), asyncio.Event()]
    futures = [thread.submit(lambda n=n: meet(n, events)) for n in range(2)]
    assert [future.result(5).value for future in futures] == [0, 1]


def test_a_thread_that_is_stuck_is_left_behind() -> None:
    thread, gate = CallThread(), threading.Event()
    thread.submit(gate.wait)
    assert not thread.close(0.01)
    gate.set()
    assert thread.close(5)
