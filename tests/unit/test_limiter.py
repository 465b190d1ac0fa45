"""How many questions a target takes at once and a second, and what happens when it refuses some."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest

from pytest_graph_eval.errors import SuiteError
from pytest_graph_eval.loader import load_suite
from pytest_graph_eval.models.settings import HttpTarget
from pytest_graph_eval.targets.limiter import Limiter

from .clock import run


def now() -> float:
    return asyncio.get_running_loop().time()


class Asker:
    """Asks through a limiter and notes when each question began, and beside how many others."""

    def __init__(self, limiter: Limiter, seconds: float = 1.0) -> None:
        self.limiter, self.seconds = limiter, seconds
        self.began: list[float] = []
        self.in_flight = self.most = 0

    async def ask(self, *, alone: bool = False, refused: int = 0, wait: float = 0.0) -> int:
        async with self.limiter.turn(alone=alone) as turn:
            for left in range(refused, -1, -1):
                self.began.append(now())
                self.in_flight += 1
                self.most = max(self.most, self.in_flight)
                await asyncio.sleep(self.seconds)
                self.in_flight -= 1
                if left:
                    await self.limiter.again(wait)
        return turn.concurrency


def test_no_more_than_allowed_are_in_flight() -> None:
    async def main() -> tuple[Asker, list[int]]:
        asker = Asker(Limiter(3))
        return asker, await asyncio.gather(*(asker.ask() for _ in range(7)))

    asker, concurrency = run(main())
    assert asker.most == 3
    assert asker.began == [0, 0, 0, 1, 1, 1, 2]
    assert concurrency[:6] == [3] * 6


def test_without_limits_all_go_at_once() -> None:
    async def main() -> list[int]:
        asker = Asker(Limiter())
        return await asyncio.gather(*(asker.ask() for _ in range(20)))

    assert run(main()) == [20] * 20


def test_a_rate_is_spread_evenly_and_counts_no_wait_as_company() -> None:
    async def main() -> tuple[list[float], list[int]]:
        asker = Asker(Limiter(rate=5), seconds=0.1)
        concurrency = await asyncio.gather(*(asker.ask() for _ in range(6)))
        return asker.began, concurrency

    began, concurrency = run(main())
    assert began == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert concurrency == [1] * 6


def test_a_question_that_must_be_alone_waits_for_the_others_and_they_for_it() -> None:
    async def main() -> tuple[list[float], list[int]]:
        asker = Asker(Limiter())
        asked = [asker.ask(), asker.ask(), asker.ask(alone=True), asker.ask(alone=True), asker.ask()]
        concurrency = await asyncio.gather(*asked)
        return asker.began, concurrency

    assert run(main()) == ([0, 0, 1, 2, 3], [2, 2, 1, 1, 1])


def test_after_a_refusal_nobody_asks_until_the_server_allows_it_and_then_half_as_many() -> None:
    async def main() -> Asker:
        asker = Asker(Limiter())
        refused = [asker.ask(refused=1, wait=10) for _ in range(8)]
        await asyncio.gather(*refused, *(asker.ask() for _ in range(4)))
        return asker

    asker = run(main())
    late = [t for t in asker.began if t]
    assert asker.began.count(0) == 12
    assert len(late) == 8
    assert min(late) == 11  # 1 s in flight, 10 s as the server said
    assert late.count(11) == 6  # half of the twelve; all eight refusals have one cause


def test_refused_again_and_again_it_ends_up_alone_and_recovers() -> None:
    async def main() -> tuple[list[float], int]:
        limiter = Limiter(8)
        first = Asker(limiter)
        await asyncio.gather(*(first.ask(refused=3, wait=1) for _ in range(8)))
        later = Asker(limiter)
        await asyncio.gather(*(later.ask() for _ in range(60)))
        return first.began, later.most

    began, most = run(main())
    assert [began.count(t) for t in sorted(set(began))][:4] == [8, 4, 2, 1]
    assert most == 8


def test_a_rate_is_kept_by_questions_that_are_asked_again() -> None:
    async def main() -> list[float]:
        asker = Asker(Limiter(rate=2), seconds=0.1)
        await asyncio.gather(*(asker.ask(refused=1, wait=1) for _ in range(5)))
        return asker.began

    began = sorted(run(main()))
    assert len(began) == 10
    assert min(b - a for a, b in itertools.pairwise(began)) == pytest.approx(0.5)


def test_a_rate_is_kept_where_a_client_asks_again_in_tasks_of_its_own() -> None:
    async def main() -> tuple[list[float], list[float]]:
        limiter = Limiter(rate=2)
        asker = Asker(limiter, seconds=0.1)
        again: list[float] = []

        async def send_again() -> None:
            await limiter.again(1)
            again.append(now())

        await asyncio.gather(*(send_again() for _ in range(4)), *(asker.ask() for _ in range(4)))
        return again, asker.began

    again, began = run(main())
    times = sorted([*again, *began])
    assert len(times) == 8
    assert times[0] >= 1
    assert min(b - a for a, b in itertools.pairwise(times)) == pytest.approx(0.5)


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("after", [0.5, 1.5])
def test_who_gives_up_takes_nobody_s_turn(alone: bool, after: float) -> None:
    async def main() -> tuple[list[float], int]:
        limiter = Limiter(1)
        asker = Asker(limiter)
        first = asyncio.create_task(asker.ask(refused=1, wait=5))
        await asyncio.sleep(0)
        gone = asyncio.create_task(asker.ask(alone=alone))
        await asyncio.sleep(after)
        gone.cancel()
        await first
        return asker.began, await asker.ask()

    began, concurrency = run(main())
    assert concurrency == 1
    assert began[-1] == pytest.approx(7)


def test_one_that_is_cancelled_while_it_waits_to_ask_again_frees_its_turn_once() -> None:
    async def main() -> int:
        limiter = Limiter(1)
        asker = Asker(limiter)
        gone = asyncio.create_task(asker.ask(refused=1, wait=5))
        await asyncio.sleep(2)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        await asyncio.gather(asker.ask(), asker.ask())
        return asker.most

    assert run(main()) == 1


def test_the_preflight_asks_without_a_turn_and_only_waits() -> None:
    async def main() -> tuple[bool, float]:
        limiter = Limiter()
        await limiter.again(3)
        return limiter.is_crowded, now()

    assert run(main()) == (False, 3)


@pytest.mark.parametrize(("rate", "expected"), [("5/s", 5), ("90 / min", 1.5), ("1800/h", 0.5), ("0.5/s", 0.5)])
def test_a_rate_is_questions_in_a_time(rate: str, expected: float) -> None:
    assert HttpTarget(url="http://x", rate=rate).per_second() == expected


@pytest.mark.parametrize("rate", ["5", "0/s", "-1/s", "5/day", "fast", "/s", "5/s/s"])
def test_what_is_no_rate_is_refused_with_its_place(rate: str, tmp_path: Any) -> None:
    text = f"target: {{url: 'http://x', rate: '{rate}'}}\nscenarios: [{{id: a, question: q, gold_answer: b}}]\n"
    with pytest.raises(SuiteError, match=r":1:\d+: .*found '.*', expected questions in a time, like 5/s"):
        load_suite(tmp_path / "s.graph.yaml", text=text, targets={})
