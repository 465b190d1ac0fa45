"""What Python libraries return becomes JSON data."""

from __future__ import annotations

import dataclasses
import datetime
import enum
from decimal import Decimal
from typing import Any

import pandas
import pytest
from pydantic import BaseModel

from pytest_graph_eval.targets.reply.plain import plain_data


class Colour(enum.Enum):
    RED = "red"


class Word(enum.StrEnum):
    YES = "yes"


class Model(BaseModel):
    a: int = 1
    inner: Any = None


@dataclasses.dataclass
class Data:
    a: int = 1
    inner: Any = None


THING = object()


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        ("x", "x"),
        (True, True),
        (1.5, 1.5),
        ((1, (2,)), [1, [2]]),
        ({3}, [3]),
        ({1: {"a": (1,)}}, {"1": {"a": [1]}}),
        (Colour.RED, "red"),
        (Word.YES, "yes"),
        (Decimal("1.5"), 1.5),
        (datetime.date(2024, 3, 1), "2024-03-01"),
        (datetime.datetime(2024, 3, 1, tzinfo=datetime.UTC), "2024-03-01T00:00:00+00:00"),
        (Model(inner=Data(inner=[Model()])), {"a": 1, "inner": {"a": 1, "inner": [{"a": 1, "inner": None}]}}),
        (Data, Data),
        (THING, THING),
    ],
)
def test_a_value_as_data(value: Any, plain: Any) -> None:
    assert plain_data(value) == plain
    assert type(plain_data(value)) is type(plain)


def test_a_data_frame_is_a_list_of_rows_with_nulls() -> None:
    frame = pandas.DataFrame({"id": [1, 2], "text": ["a", None], "n": [0.5, float("nan")]})
    frame["when"] = [pandas.Timestamp("2024-03-01"), pandas.NaT]
    rows = plain_data({"sources": frame})["sources"]
    assert rows == [
        {"id": 1, "text": "a", "n": 0.5, "when": "2024-03-01T00:00:00"},
        {"id": 2, "text": None, "n": None, "when": None},
    ]
    assert [type(row["id"]) for row in rows] == [int, int]


def test_arrays_and_their_numbers_are_lists_and_numbers() -> None:
    column = pandas.Series([1, 2]).to_numpy()
    assert plain_data({"a": column, "b": column[0]}) == {"a": [1, 2], "b": 1}
    assert type(plain_data(column[0])) is int


def test_data_that_holds_itself_does_not_end() -> None:
    loop: dict[str, Any] = {}
    loop["x"] = loop
    with pytest.raises(RecursionError):
        plain_data(loop)
