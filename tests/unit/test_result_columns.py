"""Which columns stand for which, where names do not tell: with little effort, and within a limit."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest

from pytest_graph_eval.metrics.trajectory import columns
from pytest_graph_eval.metrics.trajectory.blank_nodes import Row, same_up_to_renaming
from pytest_graph_eval.metrics.trajectory.columns import closest, mappings

ORDER = [3, 0, 4, 1, 2]


def bits() -> list[list[int]]:
    """Five columns of zeros and ones: all rows but a few, so that only whole rows tell the columns apart."""
    rows = [row for row in product((0, 1), repeat=5) if row not in {(1, 1, 0, 0, 0), (0, 1, 1, 0, 0), (0, 0, 1, 1, 1)}]
    return [list(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("first_effort", [0, columns.FIRST_EFFORT])
@pytest.mark.parametrize("bag", [set, Counter])
def test_columns_are_found_by_refinement_as_by_search(monkeypatch, first_effort, bag):
    monkeypatch.setattr(columns, "FIRST_EFFORT", first_effort)
    expected = bits()
    found = [expected[c] for c in ORDER]
    assert next([found[c] for c in choice] for choice in mappings(expected, found, bag)) == expected
    found[0] = [1 - value for value in found[0]]
    assert list(mappings(expected, found, bag)) == []


def test_a_search_that_takes_too_much_finds_nothing(monkeypatch):
    monkeypatch.setattr(columns, "EFFORT", 10)
    monkeypatch.setattr(columns, "FIRST_EFFORT", 10)
    expected = bits()
    assert list(mappings(expected, [*expected, [7] * len(expected[0])], set)) == []


def test_all_choices_are_yielded_where_several_fit():
    assert sorted(mappings([[1, 2], [1, 2]], [[1, 2], [1, 2]], set)) == [[0, 1], [1, 0]]
    assert list(mappings([[1, 2]], [[1, 2]], set)) == [[0]]
    assert list(mappings([[1, 2], [1, 2]], [[1, 2], [3, 4]], set)) == []


def test_the_closest_columns_agree_in_most_rows():
    draw = random.Random(7)
    expected = [draw.sample(range(60), 60) for _ in range(4)]
    order = [2, 0, 3, 1]
    found = [[99] * 60, *(list(expected[c]) for c in order)]
    for column in found[1:]:
        column[draw.randrange(60)] = 100
    assert closest(expected, found) == [order.index(c) + 1 for c in range(4)]


def test_the_closest_columns_are_all_different_where_nothing_agrees():
    assert sorted(closest([[1], [2]], [[3], [4], [5]])) in ([0, 1], [0, 2], [1, 2])


def test_pairs_of_blank_nodes_are_tried_within_a_limit(monkeypatch):
    """Nodes that all look alike, of graphs that are not the same: two squares, and a ring of eight."""
    monkeypatch.setattr("pytest_graph_eval.metrics.trajectory.blank_nodes.EFFORT", 100)

    def rows(*rings: str) -> list[Row]:
        return [Row("edge", pair) for ring in rings for pair in zip(ring, ring[1:] + ring[0], strict=True)]

    assert not same_up_to_renaming(rows("abcd", "efgh"), rows("abcdefgh"))
    assert same_up_to_renaming(rows("abcd", "efgh"), rows("hgfe", "badc"))
