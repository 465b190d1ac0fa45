"""What is at hand is scored ahead only where it is sure whose reply it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from pytest_graph_eval.evaluation.asking import Asked
from pytest_graph_eval.run.lookahead import Lookahead


class Item:
    """A scenario of a suite, as far as scoring ahead looks at it."""

    may_be_scored_ahead = True

    def __init__(self, suite: str) -> None:
        self.suite = suite

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


def test_a_reply_to_another_suite_or_one_that_cannot_be_scored_waits_for_its_turn() -> None:
    lookahead = object.__new__(Lookahead)
    lookahead._scored = {}
    same, other, broken = Item("a"), Item("b"), Item("a")
    window = AtHand((same, "reply"), (other, "reply"), (broken, "broken"))
    lookahead._go_on(cast("Any", window), cast("Any", "a's target"), cast("Any", Item("a")))
    assert [(key, record) for key, (_, record) in lookahead._scored.items()] == [((same, 1), "reply of a's target")]
