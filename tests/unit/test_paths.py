from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.targets.reply.paths import ABSENT, PathError, check_path, described, find, first_keys
from pytest_graph_eval.texts import nearest

DATA: dict[str, Any] = {
    "a": {"b": [{"c": 1}, {"c": None}, {"d": 2}], "n": None},
    "rows": [{"tags": ["x", "y"]}, {"tags": ["z"]}],
    "empty": [],
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.b[0].c", 1),
        ("a.b[-1].d", 2),
        ("a.b[*].c", [1]),
        ("rows[*].tags", [["x", "y"], ["z"]]),
        ("rows[*].tags[*]", ["x", "y", "z"]),
        ("empty[*].c", []),
        ("a.n", None),
        ("a.n.deeper", ABSENT),
        ("a.b[7]", ABSENT),
        ("nothing", ABSENT),
        ("nothing|a.b[0].c", 1),
        ("a.n|rows[0].tags?", ["x", "y"]),
        ("nothing|a.n", None),
        ("", DATA),
    ],
)
def test_a_path_finds_what_stands_there(path: str, expected: Any) -> None:
    assert find(DATA, path) == expected


def test_a_list_at_the_top_is_reached() -> None:
    assert find([{"x": 1}], "[0].x") == 1
    assert find([{"x": 1}, {"x": 2}], "[*].x") == [1, 2]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("rows.tags", "rows is a list of 2; an object is expected"),
        ("a[0]", "a is an object with the keys b, n; a list is expected"),
        ("a.b[0].c[*].x", "a.b[0].c is the number 1; a list is expected"),
        ("rows[*].tags.x", "rows[0].tags is a list of 2; an object is expected"),
    ],
)
def test_another_shape_is_named_with_its_place(path: str, message: str) -> None:
    with pytest.raises(PathError) as error:
        find(DATA, path)
    assert str(error.value) == message


@pytest.mark.parametrize("path", ["a..b", "a.", "a[x]", "a[", "a]b", ".a", "a.[0]"])
def test_a_malformed_path_is_refused(path: str) -> None:
    with pytest.raises(PathError, match="is no path at"):
        check_path(path)


def test_keys_of_all_alternatives_are_known() -> None:
    assert first_keys("a.b|c[0]|[*].d") == ["a", "c"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "the number 1.5"),
        ("x" * 80, "the text '" + "x" * 57 + "...'"),
        ({}, "an empty object"),
        (dict.fromkeys("abcdefgh"), "an object with the keys a, b, c, d, e, f, ..."),
        ([1], "a list of 1"),
        (ABSENT, "nothing"),
        ({1}, "a set"),
    ],
)
def test_values_are_described_briefly(value: Any, words: str) -> None:
    assert described(value) == words


def test_only_a_near_word_is_suggested() -> None:
    assert nearest("entites", ["entities", "chunks"]) == "; did you mean 'entities'?"
    assert nearest("zzz", ["entities"]) == ""


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (["x", {"entities": [1]}], "x"),
        ({"answer": "x"}, "x"),
        ([], ABSENT),
        ({}, ABSENT),
        (None, ABSENT),
    ],
)
def test_alternatives_may_be_for_a_list_and_for_an_object(data: Any, found: Any) -> None:
    assert find(data, "[0]|answer") is found or find(data, "[0]|answer") == found


def test_a_shape_that_no_alternative_is_for_is_an_error() -> None:
    with pytest.raises(PathError, match="the reply is the text 'x'; a list is expected"):
        find("x", "[0]|answer")
    with pytest.raises(PathError, match="a is the text 'x'; an object is expected"):
        find({"a": "x"}, "a.b|c")
