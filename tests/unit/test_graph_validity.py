from __future__ import annotations

import pytest

from pytest_graph_eval.graph.validity import ALWAYS, Validity, canonical, covering, instant, read


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2024-03-01", "2024-03-01", "2024-03-01"),
        (" 2024 ", "2024-01-01", "2024-12-31"),
        (2024, "2024-01-01", "2024-12-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2023-12", "2023-12-01", "2023-12-31"),
        ("2024-03-01T12:00:00+02:00", "2024-03-01T10:00:00Z", "2024-03-01T10:00:00Z"),
        ("2024-03-01 12:00", "2024-03-01T12:00:00Z", "2024-03-01T12:00:00Z"),
        ("9999-12-31", None, None),
        ("9999-12-31T23:59:59.999999+00:00", None, None),
        ("0001-01-01", None, None),
        ("9999", None, None),
    ],
)
def test_a_time_is_read_as_a_day_or_an_instant(value: object, first: str | None, last: str | None) -> None:
    assert (canonical(str(value)), canonical(str(value), last=True)) == (first, last)


@pytest.mark.parametrize("value", ["soon", "2024-02-30", "01/03/2024", 1700000000, True, [], "2024-13", "x" * 10_000])
def test_what_is_no_time_is_said_with_its_key(value: object) -> None:
    times, (message,) = read({"valid_from": value})
    assert times == ALWAYS
    assert message.startswith(".valid_from: found ")
    assert message.endswith("; expected a day (2024-03-01), a month, a year or an ISO instant (2024-03-01T12:00:00Z)")
    assert len(message) < 200


def test_the_words_of_several_projects_are_known() -> None:
    assert read({"valid_at": "2020", "invalid_at": "2021-05"})[0] == Validity("2020-01-01", "2021-05-31")
    assert read({"validFrom": "2020-01-02", "validThrough": ""})[0] == Validity("2020-01-02", None)
    assert read({"valid_from": None, "name": "x"}) == (ALWAYS, [])


def test_an_end_before_the_start_is_refused() -> None:
    assert read({"valid_from": "2021", "valid_to": "2020"})[1] == [
        ": valid from 2021-01-01 to 2020-12-31; expected an end after the start"
    ]
    assert read({"valid_from": "2020-01-01", "valid_to": "2020-01-01"})[1] == []


def test_a_day_holds_until_it_is_over_and_an_instant_ends_with_itself() -> None:
    day, moment = Validity("2024-03-01", "2024-03-01"), Validity("2024-03-01T06:00:00Z", "2024-03-01T12:00:00Z")
    held = [(v.holds(instant(f"2024-03-01T{hour}:00:00Z"))) for v in (day, moment) for hour in ("00", "06", "12")]
    assert held == [True, True, True, False, True, False]
    assert not day.holds(instant("2024-03-02"))
    assert ALWAYS.holds(instant("0001-01-01"))


def test_several_times_are_covered_from_the_first_start_to_the_last_end() -> None:
    assert covering([]) == covering([ALWAYS]) == ALWAYS
    assert covering([ALWAYS, Validity("2020-01-01", "2020-12-31")]) == Validity("2020-01-01", "2020-12-31")
    assert covering([Validity("2020-01-01", "2020-12-31"), Validity("2021-01-01")]) == Validity("2020-01-01")
    assert covering([Validity(None, "2020-12-31"), Validity("2019-01-01", "2020-06-30")]) == Validity(
        None, "2020-12-31"
    )
