"""Instants are compared as instants, whatever their form and zone."""

from __future__ import annotations

import pytest

from pytest_graph_eval.metrics.facts.as_of import instant, is_current, stated, used
from pytest_graph_eval.metrics.facts.text import normalise


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("2024-03-01", "2024-03-01 00:00:00+00:00", True),
        ("2024-03-01T00:00:00Z", "2024-03-01", True),
        ("2024-03-01 00:00:00+00:00", "2024-03-01T02:00:00+02:00", True),
        ("2024-03-01 00:00:00+00:00", "2024-03-01 00:00:00+02:00", False),
        ("2024-03-01", "current", False),
        ("current", "2024-03-01", False),
        ("current", "", True),
        ("current", "now", True),
        ("2024-03-01", "soon", False),
        ("2024-03-01", None, None),
        ("current", None, None),
    ],
)
def test_the_used_instant(expected, actual, same):
    assert used(expected, actual) is same


def test_what_is_no_instant_is_none():
    assert instant("soon") is None
    assert instant("2024-02-30") is None
    assert is_current(" Current ")
    assert not is_current("2024-03-01")


@pytest.mark.parametrize(
    ("raw", "expected", "holds", "day"),
    [
        ("On 1 March 2024 it was.", "2024-03-01", True, "2024-03-01"),
        ("*Catalog as it was on 2024-03-01.* It was.", "2024-03-01 00:00:00+00:00", True, "2024-03-01"),
        ("*Catalog as it was on 2020-01-01.* On 2024-03-01 it was.", "2024-03-01", False, "2020-01-01"),
        ("It runs as it was on the old platform.", "current", False, ""),
        ("*Catalog as it was on 2024-03-01.* It was.", "current", True, "2024-03-01"),
        ("In March 2024.", "2024-03-01", False, "2024-03"),
    ],
)
def test_the_stated_day(raw, expected, holds, day):
    found = stated(normalise(raw), expected)
    assert (found.holds, found.day) == (holds, day)
