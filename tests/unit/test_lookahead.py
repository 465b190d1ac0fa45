"""What is at hand is scored ahead only where it is sure whose reply it is."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

from pytest_graph_eval.evaluation.asking import Asked
from pytest_graph_eval.run.lookahead import Lookahead


class Item:
    """A scenario of a suite, as far as scoring ahead looks at it."""

    may_be_scored_ahead = True

    def __init__(self, suite: str) -> None:
        self.suite = suite
        self.eval_session = SimpleNamespace(targets=self)

    def shared(self, suite: str, opened: str) -> str | None:
        """Stand for the targets of the session: suite `b` has the target of `a`, as it knows it itself."""
        return f"{opened}, as b's" if suite == "b" else None

    def scored(self, asked: Asked, opened: str) -> str:
        if asked.mode == "broken":
            raise ValueError(asked.mode)
        return f"{asked.mode} of {opened}"


class AtHand:
    """A window with replies."""

    def __init__(self, *replies: tuple[Item, str]) -> None:
        self._replies = replies

    def go_on(self) -> None: ...

    def at_hand(self) -> Iterator[tuple[Any, Asked]]:
        return (((item, 1), Asked(mode=mode)) for item, mode in self._replies)


def test_a_reply_of_another_target_or_one_that_cannot_be_scored_waits_for_its_turn() -> None:
    lookahead = object.__new__(Lookahead)
    lookahead._scored = {}
    same, sharing, other, broken = Item("a"), Item("b"), Item("c"), Item("a")
    window = AtHand((same, "one"), (sharing, "two"), (other, "three"), (broken, "broken"))
    lookahead._go_on(cast("Any", window), cast("Any", "a's target"), cast("Any", Item("a")))
    scored = [(key, record) for key, (_, record) in lookahead._scored.items()]
    assert scored == [((same, 1), "one of a's target"), ((sharing, 1), "two of a's target, as b's")]
