"""Arguments fit or they do not, and a message says where they differ first."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.metrics.trajectory.args import args_difference, shown

LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    ("expected", "found", "match", "difference"),
    [
        ({"q": "x"}, {"q": "x"}, "exact", None),
        ({}, {}, "exact", None),
        ({}, {"verbose": True}, "exact", "argument verbose: nothing expected, true found"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "exact", None),
        ({"page": {"size": 25, "dir": "down"}}, {"page": {"dir": "down", "size": 25.0}}, "exact", None),
        ({"page": {"size": 25}}, {"page": {"size": 30}}, "exact", "argument page.size: 25 expected, 30 found"),
        ({"page": {"size": 25}}, {}, "exact", 'argument page: {"size": 25} expected, nothing found'),
        ({"ids": [1, 2]}, {"ids": [1, 3]}, "exact", "argument ids[1]: 2 expected, 3 found"),
        ({"ids": [1, 2]}, {"ids": (1, 2)}, "exact", None),
        ({"ids": [1, 2]}, {"ids": [1]}, "exact", "argument ids: 2 items expected, 1 found"),
        ({"ids": [1]}, {"ids": 1}, "exact", "argument ids: [1] expected, 1 found"),
        ({"k": 1}, {"k": True}, "exact", "argument k: 1 expected, true found"),
        ({"k": 1}, {"k": "1"}, "exact", 'argument k: 1 expected, "1" found'),
        ({"k": None}, {"k": None}, "exact", None),
        ({"k": None}, {}, "exact", "argument k: null expected, nothing found"),
        ({"k": 0}, {"k": None}, "exact", "argument k: 0 expected, null found"),
        ({"k": float("nan")}, {"k": float("nan")}, "exact", None),
        ({"k": 2**60}, {"k": float(2**60)}, "exact", None),
        ({"k": 2**53 + 1}, {"k": float(2**53)}, "exact", "argument k: 9007199254740993 expected"),
        ({"k": 10**400}, {"k": float("nan")}, "exact", "argument k: "),
        ({"q": "x"}, {"q": "x", "k": 1}, "superset", None),
        ({"q": "x", "k": 1}, {"q": "x"}, "superset", "argument k: 1 expected, nothing found"),
        ({"q": "x"}, {"q": "x", "k": 1}, "subset", "argument k: nothing expected, 1 found"),
        ({"q": "x", "k": 1}, {"q": "x"}, "subset", None),
        ({"q": "x", "k": 1}, {"q": "y"}, "subset", 'argument q: "x" expected, "y" found'),
        ({"page": {"size": 25}}, {"page": {"size": 25, "dir": "up"}}, "superset", None),
        ({"page": {"size": 25}}, {"page": {"size": 25, "dir": "up"}}, "subset", "argument page.dir: nothing expected"),
        ({"q": "x"}, {"q": "y", "k": 1}, "ignore", None),
    ],
)
def test_arguments_fit_by_their_mode(expected: Any, found: Any, match: Any, difference: str | None) -> None:
    result = args_difference(expected, found, match)
    assert (str(result) if result else None) == difference or (difference and str(result).startswith(difference))


@pytest.mark.parametrize(
    ("expected", "found", "wildcards", "fits"),
    [
        ({"q": "*"}, {"q": "anything"}, ["*"], True),
        ({"q": "*"}, {"q": "anything"}, [], False),
        ({"q": "*"}, {}, ["*"], False),
        ({"page": {"size": "ANY"}}, {"page": {"size": 3}}, ["ANY"], True),
        ({"ids": ["*", 2]}, {"ids": [9, 2]}, ["*"], True),
        ({"ids": ["*", 2]}, {"ids": [9, 3]}, ["*"], False),
        ({"q": "x", "*": "*"}, {"q": "x", "k": 1}, ["*"], True),
        ({"q": "x", "*": "*"}, {"q": "y", "k": 1}, ["*"], False),
        ({"q": "x", "token": "t"}, {"q": "x", "token": "u"}, ["token"], True),
        ({"q": "x"}, {"q": "x", "token": "u"}, ["token"], True),
        ({"q": "x"}, {"q": "x", "token": "u", "k": 1}, ["token"], False),
        ({"q": "x", "token": "t"}, {"q": "x"}, ["token"], True),
        ({"page": {"size": 1, "at": 5}}, {"page": {"size": 1, "at": 6}}, ["page.at"], True),
        ({"page": {"size": 1}}, {"page": {"size": 2, "at": 6}}, ["page.at"], False),
    ],
)
def test_wildcards_stand_for_values_or_name_free_arguments(
    expected: Any, found: Any, wildcards: Any, fits: Any
) -> None:
    assert (args_difference(expected, found, "exact", wildcards) is None) is fits


@pytest.mark.parametrize("value", [LOOP, {1: LOOP}, {(1, 2): 3}, [10**5000], object(), "\ud800", b"\xff", {1, 2}])
def test_whatever_an_agent_puts_there_is_no_match_and_has_words(value: Any) -> None:
    difference = args_difference({"q": "x"}, {"q": value})
    assert difference is not None
    assert difference.found == shown(value)
    assert len(difference.found) <= 80


def test_a_mapping_that_holds_itself_ends() -> None:
    loop: dict[str, Any] = {}
    loop["a"] = loop
    assert args_difference({"a": {"a": {}}}, loop) is not None


def test_long_values_are_cut() -> None:
    assert shown("x" * 500) == '"' + "x" * 78 + "…"
