"""Times and granularities as arguments of tools, and the calls that are told by them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from pytest_graph_eval.metrics.trajectory.comparators import compare
from pytest_graph_eval.metrics.trajectory.comparison import Comparison
from pytest_graph_eval.metrics.trajectory.times import instant, offset, same_granularity, time_difference
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step

NOON = "2026-03-10T12:00:00Z"
EPOCH = 1773144000


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("now", 0), (" NOW\n", 0), ("0s-ago", 0), ("30s-ago", -30), ("5m-ago", -300), ("1h-ahead", 3600),
        ("2d-ago", -172800), ("2w-ago", -1209600), ("1H-AGO", -3600), ("now-1h", None), ("1y-ago", None),
        ("h-ago", None), ("-1h-ago", None), ("1h", None), ("", None), (5, None), (None, None),
        ("٣h-ago", None), ("9" * 50 + "h-ago", None),
    ],
)  # fmt: skip
def test_relative_times_are_offsets_from_the_moment_of_the_call(value, seconds):
    assert offset(value) == seconds


@pytest.mark.parametrize(
    "value",
    [
        NOON, "2026-03-10T12:00:00", "2026-03-10T13:00:00+01:00", "2026-03-10T12:00:00.000000000Z", "20260310T120000Z",
        " 2026-03-10 12:00:00+00:00 ", EPOCH, float(EPOCH), EPOCH * 1000, str(EPOCH), str(EPOCH * 1000),
        datetime(2026, 3, 10, 12, tzinfo=UTC), datetime(2026, 3, 10, 12),
        datetime(2026, 3, 10, 14, tzinfo=timezone(timedelta(hours=2))),
    ],
    ids=str,
)  # fmt: skip
def test_absolute_times_are_instants_however_they_are_written(value):
    assert instant(value) == EPOCH


def test_dates_are_their_midnight():
    assert instant("2026-03-10") == instant(date(2026, 3, 10)) == EPOCH - 43200
    assert instant("2026-01-01") == instant("2026-01") == instant("2026")


@pytest.mark.parametrize("value", ["yesterday", "", "2026-02-30", "12:00", True, None, [], 10**400, "1" * 40])
def test_what_is_no_time_is_none(value):
    assert instant(value) is None


@pytest.mark.parametrize(
    ("expected", "given", "now", "difference"),
    [
        (None, None, NOON, None),
        (None, "now", NOON, 'nothing expected, "now" found'),
        ("now", None, NOON, '"now" expected, nothing found'),
        ("1h-ago", "60m-ago", None, None),
        ("now", "0h-ahead", None, None),
        ("1h-ago", "61m-ago", None, '"1h-ago" expected, "61m-ago" found: 60 s apart, 0 s allowed'),
        ("1h-ago", "2026-03-10T11:00:59Z", NOON, None),
        ("1h-ago", "2026-03-10T11:01:00Z", EPOCH, None),
        ("1h-ago", EPOCH * 1000 - 3_600_000, str(EPOCH), None),
        ("12h-ago", "2026-03-10", NOON, None),
        ("1h-ago", "2026-03-10T11:01:01Z", NOON,
         '"1h-ago" expected, "2026-03-10T11:01:01Z" found: 61 s apart, 60 s allowed'),
        ("now", NOON, None,
         f'"now" expected, "{NOON}" found: no execution_timestamp of the call says what the reference\'s time is'),
        ("now", NOON, "noon",
         f'"now" expected, "{NOON}" found: no execution_timestamp of the call says what the reference\'s time is'),
        (NOON, "now", NOON,
         f'"{NOON}" expected, "now" found: the reference is an absolute time, the call\'s a relative one'),
        (NOON, EPOCH, None, None),
        (NOON, "2026-03-10T12:00:01Z", None,
         f'"{NOON}" expected, "2026-03-10T12:00:01Z" found: 1 s apart, 0 s allowed'),
        ("yesterday", "yesterday", None, None),
        ("yesterday", "Yesterday", None, '"yesterday" expected, "Yesterday" found'),
        (date(2026, 3, 10), "2026-03-10T00:00:00Z", None, None),
        (date(2026, 3, 10), "soon", None, '2026-03-10 expected, "soon" found'),
        (1767225600000, 1767225600000, None, None),
        (float("nan"), float("nan"), None, None),
        (float("inf"), 5, None, "Infinity expected, 5 found: inf s apart, 0 s allowed"),
    ],
)  # fmt: skip
def test_times_are_compared_with_a_tolerance_that_is_said(expected, given, now, difference):
    assert time_difference(expected, given, now) == difference


def test_a_tolerance_may_be_given():
    assert time_difference(NOON, "2026-03-10T12:00:30Z", None, tolerance=30) is None
    assert "31 s apart, 30 s allowed" in str(time_difference(NOON, "2026-03-10T12:00:31Z", None, tolerance=30))
    assert "1 s apart, 0 s allowed" in str(time_difference("now", "2026-03-10T12:00:01Z", NOON, tolerance=0))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("15m", "15minutes", True), ("15m", "15 min", True), ("1h", "60m", True), ("1d", "24 hours", True),
        ("1w", "7d", True), ("1h", "1H", True), ("90m", "1h30m", True), ("1q", "3mo", True), ("1y", "12 months", True),
        ("1M", "1month", True), ("day", "1d", True), (None, None, True), ("auto", "auto", True), (60, 60, True),
        ("1d", "1d5h", False), ("1M", "1m", False), ("1h", "1m", False), ("1mo", "30d", False), ("1h", None, False),
        ("1h", "", False), ("auto", "1h", False), ("1fortnight", "14d", False), (60, "60s", False),
        ("1h", ["1h"], False),
    ],
)  # fmt: skip
def test_granularities_are_equal_by_length(one, other, same):
    assert same_granularity(one, other) is same
    assert same_granularity(other, one) is same


# --- calls ----------------------------------------------------------------------------------------------------------


def points(expected: dict[str, Any] | None, given: dict[str, Any], now: Any = NOON, **step: Any) -> Comparison:
    call = ToolCall(name="retrieve_data_points", args=given, output="[]", execution_timestamp=now)
    return compare(Step(tool="retrieve_data_points", args=expected, **step), call)


@pytest.mark.parametrize(
    ("expected", "given", "reason"),
    [
        ({"external_id": "x"}, {"external_id": ["x"]}, ""),
        ({"external_id": ["x", "y"]}, {"external_id": ["y", "x"]}, ""),
        ({"external_id": "x", "aggregates": ["max", "sum"]}, {"external_id": "x", "aggregates": ["sum", "max"]}, ""),
        ({"external_id": "x", "aggregates": []}, {"external_id": "x"}, ""),
        ({"external_id": "x", "limit": 10}, {"external_id": "x", "limit": 10.0}, ""),
        ({"external_id": "x", "granularity": "1h"}, {"external_id": "x", "granularity": "60m", "other": 1}, ""),
        ({"external_id": "x", "end": "now"}, {"external_id": "x", "end": NOON}, ""),
        ({"external_id": "x"}, {}, 'argument external_id: "x" expected, null found'),
        ({"external_id": 1}, {"external_id": "1"}, 'argument external_id: 1 expected, "1" found'),
        ({"external_id": "x"}, {"external_id": ["x", "x"]}, 'argument external_id: "x" expected, ["x", "x"] found'),
        ({"external_id": "x"}, {"external_id": "x", "aggregates": "max"},
         'argument aggregates: null expected, "max" found'),
        ({"external_id": "x"}, {"external_id": "x", "limit": 5}, "argument limit: null expected, 5 found"),
        ({"external_id": "x", "limit": 10}, {"external_id": "x", "limit": "10"},
         'argument limit: 10 expected, "10" found'),
        ({"external_id": "x", "granularity": "1d"}, {"external_id": "x", "granularity": "1d5h"},
         'argument granularity: "1d" expected, "1d5h" found'),
        ({"external_id": "x"}, {"external_id": "x", "start": "1h-ago"},
         'argument start: nothing expected, "1h-ago" found'),
        ({"external_id": "x", "start": "1h-ago"}, {"external_id": "x", "start": "2026-03-10T11:01:01Z"},
         'argument start: "1h-ago" expected, "2026-03-10T11:01:01Z" found: 61 s apart, 60 s allowed'),
    ],
)  # fmt: skip
def test_data_points_are_told_by_their_arguments(expected, given, reason):
    result = points(expected, given)
    assert (result.score, result.reason) == (0.0 if reason else 1.0, reason)
    assert not result.is_error


def test_a_step_may_give_data_points_more_time():
    start = {"external_id": "x", "start": "1h-ago"}
    assert points(start, {"external_id": "x", "start": "2026-03-10T11:05:00Z"}, tolerance=300).score == 1.0
    assert points(start, {"external_id": "x", "start": "2026-03-10T11:00:01Z"}, tolerance=0).score == 0.0


def series(expected: dict[str, Any] | None, given: dict[str, Any]) -> Comparison:
    call = ToolCall(name="retrieve_time_series", args=given, output="[]")
    return compare(Step(tool="retrieve_time_series", args=expected), call)


@pytest.mark.parametrize(
    ("expected", "given", "score"),
    [
        ({"mrid": "m1"}, {"mrid": ["m1"]}, 1.0),
        ({"mrid": ["m2", "m1"]}, {"mrid": ["m1", "m2"]}, 1.0),
        ({"mrid": 7}, {"mrid": 7}, 1.0),
        ({"mrid": 7}, {"mrid": "7"}, 0.0),
        ({"mrid": "m1"}, {"mrid": "m1", "limit": 5}, 1.0),
        ({"mrid": "m1", "limit": 10}, {"mrid": "m1", "limit": 5}, 0.0),
        ({"mrid": "m1", "limit": 0}, {"mrid": "m1", "limit": 5}, 0.0),
        ({"mrid": "m1", "limit": 10}, {"mrid": "m1", "limit": "10"}, 0.0),
        ({"limit": 3}, {"limit": 3}, 1.0),
        ({"limit": 3}, {"limit": 3, "mrid": "m1"}, 0.0),
        ({}, {}, 1.0),
        ({}, {"limit": 3}, 0.0),
        ({"mrid": "m1", "unit": "MW"}, {"mrid": "m1", "unit": "kW", "foo": 1}, 1.0),
        ({"mrid": "m1"}, {"mrid": {"a": object()}}, 0.0),
    ],
)
def test_time_series_are_told_by_their_arguments(expected, given, score):
    assert series(expected, given).score == score


def test_a_reference_without_the_arguments_that_count_is_an_error():
    for result in (points(None, {}), series(None, {}), points({"start": "now"}, {"external_id": "x"})):
        assert (result.score, result.code, result.is_error) == (0.0, "nothing_expected", True)
