"""A question that fails beside others is asked once more alone: our own load makes nothing red."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_graph_eval.errors import ReplyError, TargetError, TargetTimeout, TransportError
from pytest_graph_eval.evaluation.asking import Asked, OpenTarget
from pytest_graph_eval.evaluation.evaluate import Context, score_scenario
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.models.settings import HttpTarget, McpTarget
from pytest_graph_eval.targets.base import Query, Target

from .clock import run


@dataclass
class Desk(Target):
    """Answers after a second, or fails as it is told by the question and how many it has at hand."""

    fails: Callable[[str, int], TargetError | None]
    at_hand: int = 0
    asked: list[str] = field(default_factory=list)
    name = kind = "desk"

    async def open(self) -> None: ...

    async def ask(self, query: Query) -> Response:
        self.asked.append(query.question)
        self.at_hand += 1
        error = self.fails(query.question, self.at_hand)
        await asyncio.sleep(1)
        self.at_hand -= 1
        if error:
            raise error
        return Response(answer="Bob")


def ask(desk: Desk, names: str, concurrency: int | None = None, spec: Any = None) -> list[Asked]:
    async def main() -> list[Asked]:
        opened = OpenTarget(spec or HttpTarget(url="http://x"), desk)
        scenarios = [Scenario(id=name, question=name, gold_answer="Bob") for name in names]
        if concurrency == 1:
            return [await opened.ask(s) for s in scenarios]
        return list(await asyncio.gather(*(opened.ask(s) for s in scenarios)))

    return run(main())


@pytest.mark.parametrize("kind", [TargetTimeout, TransportError])
def test_what_fails_of_our_own_load_is_asked_again_alone(
    kind: type[TargetError], caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk(lambda _, at_hand: kind("too many") if at_hand > 2 else None)
    crowd = ask(desk, "abcd")
    told = sorted(record.getMessage() for record in caplog.records)
    assert told == [f"{name}: too many; asked once more, alone" for name in "cd"]
    assert [a.error for a in crowd] == [None] * 4
    assert sorted(desk.asked) == list("abccdd")
    assert [a.concurrency for a in crowd] == [4, 4, 1, 1]
    assert [(a.attempts, a.flags) for a in crowd] == [(1, [])] * 4


def test_a_question_that_takes_the_server_down_alone_is_the_only_error() -> None:
    desk = Desk(lambda name, _: TransportError("died") if "c" in desk.asked[-1:] or name == "c" else None)
    crowd = ask(desk, "abcd")
    assert [str(a.error) for a in crowd] == ["None", "None", "died", "None"]


@dataclass
class Process(Desk):
    """A process of ours: when it dies, it takes everything with it that is in flight."""

    deaths: int = 0

    async def ask(self, query: Query) -> Response:
        before = self.deaths
        self.asked.append(query.question)
        error = self.fails(query.question, len(self.asked))
        await asyncio.sleep(1)
        self.deaths += error is not None
        await asyncio.sleep(0)
        if error or self.deaths > before:
            raise TransportError("died")
        return Response(answer="Bob")


@pytest.mark.parametrize(
    ("fails", "errors"),
    [
        (lambda name, count: TransportError("died") if count == 3 else None, "a"),
        (lambda name, count: TransportError("died") if name == "c" else None, "c"),
        (lambda name, count: TransportError("died") if name == "a" else None, "a"),
        (lambda name, count: TransportError("died") if name in "bd" else None, "bd"),
    ],
    ids=["once", "of a younger one", "of the oldest", "of two"],
)
def test_each_death_of_our_own_process_stays_the_error_of_a_question(
    fails: Callable[[str, int], TargetError | None], errors: str
) -> None:
    crowd = ask(Process(fails), "abcd", spec=McpTarget(command=["server"]))
    assert "".join(name for name, asked in zip("abcd", crowd, strict=True) if asked.error) == errors


def test_a_process_that_dies_with_one_question_in_flight_is_not_asked_again() -> None:
    desk = Process(lambda name, count: TransportError("died") if count == 1 else None)
    assert [str(a.error) for a in ask(desk, "ab", 1, spec=McpTarget(command=["server"]))] == ["died", "None"]
    assert desk.asked == ["a", "b"]


def test_what_comes_back_is_never_asked_for_again() -> None:
    desk = Desk(lambda *_: ReplyError("no JSON"))
    assert [str(a.error) for a in ask(desk, "abc")] == ["no JSON"] * 3
    assert desk.asked == list("abc")


def test_once_three_in_a_row_are_late_alone_lateness_is_not_our_load() -> None:
    desk = Desk(lambda *_: TargetTimeout("late"))
    assert [str(a.error) for a in ask(desk, "abcdefgh")] == ["late"] * 8
    assert len(desk.asked) == 8 + 3


def test_the_record_is_the_same_in_company_but_for_what_depends_on_the_clock() -> None:
    def records(concurrency: int) -> list[str]:
        desk = Desk(lambda name, at_hand: TargetTimeout("late") if at_hand > 1 or name == "b" else None)
        found = []
        for asked, name in zip(ask(desk, "abc", concurrency), "abc", strict=True):
            scenario = Scenario(id=name, question=name, gold_answer="Bob")
            record = score_scenario(scenario, asked, Context())
            assert record.concurrency == asked.concurrency
            found.append(record.model_copy(update={"elapsed_s": None, "concurrency": None}).to_line())
        return found

    assert records(1) == records(3)


def test_a_conversation_that_broke_beside_others_is_held_anew_alone() -> None:
    """A server that died has forgotten the turns before."""
    desk = Desk(lambda name, at_hand: TransportError("died") if name == "a2" and at_hand > 1 else None)

    async def main() -> list[Asked]:
        opened = OpenTarget(HttpTarget(url="http://x"), desk)
        turns = [{"question": "a1", "gold_answer": "Bob"}, {"question": "a2", "gold_answer": "Bob"}]
        scenarios = [Scenario.model_validate({"id": "a", "turns": turns})]
        scenarios += [Scenario.model_validate({"id": "b", "turns": [{**t, "question": "b"} for t in turns]})]
        return list(await asyncio.gather(*(opened.ask(s) for s in scenarios)))

    first, second = run(main())
    assert [turn.error for turn in first.turns] == [None, None]
    assert [turn.concurrency for turn in first.turns] == [1, 1]
    assert len(second.turns) == 2
    assert [q for q in desk.asked if q != "b"] == ["a1", "a2", "a1", "a2"]
