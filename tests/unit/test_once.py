"""Attributes that are made when they are first asked for."""

from __future__ import annotations

from pytest_graph_eval.once import once


class Made:
    def __init__(self) -> None:
        self.times = 0

    @once
    def value(self) -> int:
        """What it says."""
        self.times += 1
        return self.times


def test_an_attribute_is_made_when_asked_for_and_stays():
    made, other = Made(), Made()
    assert made.times == 0
    assert (made.value, made.value, made.times, other.value) == (1, 1, 1, 1)


def test_what_was_made_can_be_set_and_forgotten_by_its_name():
    made = Made()
    made.__dict__["value"] = 7
    assert made.value == 7
    del made.value
    assert made.value == 1


def test_the_class_has_the_attribute_with_its_text():
    assert Made.value.__doc__ == "What it says."
