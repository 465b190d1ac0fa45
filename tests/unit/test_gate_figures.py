"""Figures: the same for every order, and never on the wrong side of a line."""

from __future__ import annotations

import itertools
import math

import pytest

from pytest_graph_eval.gate.figures import figure, is_number, mean, meets, number, percent, percentile
from pytest_graph_eval.texts import listed, many


def test_the_mean_is_the_same_for_every_order() -> None:
    values = [0.1, 0.7, 0.2, 1e-17]
    assert len({mean(order) for order in itertools.permutations(values)}) == 1


def test_nothing_has_no_mean_and_no_percentile() -> None:
    assert mean([]) is None
    assert percentile([], 0.95) is None


@pytest.mark.parametrize(("share", "expected"), [(0.5, 5), (0.95, 10), (0.0, 1), (1.0, 10)])
def test_percentiles_are_nearest_rank(share: float, expected: float) -> None:
    assert percentile(list(range(1, 11)), share) == expected


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True, None, "1"])
def test_what_is_no_finite_number_is_none(value: object) -> None:
    assert not is_number(value)


def test_a_mean_that_misses_by_float_error_meets_its_line() -> None:
    assert meets(0.7999999999999999, 0.8)
    assert not meets(0.799999, 0.8)


@pytest.mark.parametrize(
    ("value", "lines", "shown"),
    [
        (0.87, [0.8], "0.87"),
        (0.7996, [0.8], "0.7996"),
        (0.79951, [0.8], "0.7995"),
        (0.7999999999999999, [0.8], "0.80"),
        (0.80495, [0.8049], "0.805"),
        (0.8051, [0.805], "0.81"),
        (0.9996, [], "0.9996"),
        (1.0, [], "1.00"),
        (0.0004, [], "0.0004"),
        (1e-15, [], "1e-15"),
        (0.0, [], "0.00"),
        (None, [0.8], "-"),
    ],
)
def test_a_rounded_figure_never_crosses_a_line(value: float | None, lines: list[float], shown: str) -> None:
    assert figure(value, lines) == shown


@pytest.mark.parametrize(
    ("line", "shown"), [(0.8, "0.80"), (0.805, "0.805"), (1, "1.00"), (5, "5.00"), (1e-7, "1e-07")]
)
def test_a_line_is_shown_as_it_was_set(line: float, shown: str) -> None:
    assert number(line) == shown


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (17, 18, "94%"), (199, 200, "99.5%"), (200, 200, "100%"), (0, 200, "0%"), (1, 1000, "0.1%"),
        (1, 10**7, "<0.001%"), (10**7 - 1, 10**7, ">99.999%"), (0, 0, "-"),
    ],
)  # fmt: skip
def test_all_and_nothing_are_never_shown_for_less_or_more(part: int, whole: int, shown: str) -> None:
    assert percent(part, whole) == shown


def test_counts_agree_with_their_noun_and_lists_are_cut_with_a_count() -> None:
    assert [many(1, "entity"), many(2, "entity"), many(0, "scenario")] == ["1 entity", "2 entities", "0 scenarios"]
    assert listed(["a", "b"], 2) == "a, b"
    assert listed(["a", "b", "c", "d"], 2) == "a, b and 2 more"
