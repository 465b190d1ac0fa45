"""Dates: how they are read, what an expected date may be, when a text states it, and what a question asks for."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from pytest_graph_eval.metrics.facts import dates, numbers
from pytest_graph_eval.metrics.facts.question_dates import QuestionDate, question_date
from pytest_graph_eval.metrics.facts.text import normalise
from tests.unit.date_cases import DATES


def verdict(answer: str, gold: str, **options: Any) -> dates.DateVerdict:
    found = dates.find(normalise(answer).plain, day_first=options.get("day_first"))
    return dates.match_date(dates.parse_gold(gold), found, precision=options.get("precision"))


@pytest.mark.parametrize(("answer", "gold", "options", "expected"), DATES)
def test_an_answer_states_a_date_or_says_why_not(
    answer: str, gold: str, options: dict[str, Any], expected: str
) -> None:
    found = verdict(answer, gold, **options)
    if expected == "fail":
        assert found.verdict == "fail"
    else:
        assert (found.reason or found.verdict) == expected


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("from 3 to 5 March 2024", ["2024-03-03", "2024-03-05"]),
        ("3, 4 and 5 March 2024", ["2024-03-03", "2024-03-04", "2024-03-05"]),
        ("March 3-5, 2024", ["2024-03-03", "2024-03-05"]),
        ("January-March 2023", ["2023-01", "2023-03"]),
        ("1 January to 31 March 2023", ["2023-01-01", "2023-03-31"]),
        ("January 1 to March 31, 2023", ["2023-01-01", "2023-03-31"]),
        ("Le 1er et le 15 mars 2024", ["2024-03-01", "2024-03-15"]),
        ("section 12, 5 March 2024", ["2024-03-05"]),
        ("in May 12 stores opened", []),
        ("on May 12, the stores opened", ["--05-12"]),
        ("2023 and FY2022 and Q4 2021", ["2023", "2022", "2021"]),
        ("in March", []),
        ("31 February 2023", ["2023"]),
        ("2023-02-30", []),
        ("v1.2.2023", []),
        ("2023 January and more", ["2023-01"]),
        ("Jan. 99, 2023 and March 32-33, 2024", ["2023", "2024"]),
        ("COVID-19 March 2023", ["2023-03"]),
        ("5 March 3023", ["--03-05"]),
        ("二〇二三年一月三十一日と平成", ["2023-01-31"]),
        ("2023年13月", ["2023"]),
        ("2023年度 and 2023年", ["2023", "2023"]),
        ("12 out of 15, 5 set 2023, 3 ago", ["2023-09-05"]),
        ("99/99/2023 and 2023-99", ["2023"]),
        ("$2,023 and 2023% and 2023.5 and x2023", []),
        ("10.12.20.23", []),
    ],
)
def test_the_dates_of_a_text_are_read_whole_and_in_order(text: str, days: list[str]) -> None:
    assert [token.iso() for token in dates.find(text)] == days


def test_a_timestamp_keeps_its_instant_and_its_zone() -> None:
    (token,) = dates.find("Run at 2024-03-01T08:30:05+02:00.")
    assert token.moment == dt.datetime(2024, 3, 1, 8, 30, 5, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    (token,) = dates.find("Run at 2024-03-01 08:30.")
    assert token.moment == dt.datetime(2024, 3, 1, 8, 30)
    (token,) = dates.find("Run at 2024-03-01 28:30.")
    assert token.moment is None


def test_a_numeric_date_keeps_both_readings_until_its_order_is_known() -> None:
    (token,) = dates.find("It closed on 03/04/2023.")
    assert token.ambiguous
    assert token.readings == ((2023, 4, 3), (2023, 3, 4))
    (token,) = dates.find("It closed on 03/04/2023.", day_first=False)
    assert (token.iso(), token.ambiguous) == ("2023-03-04", False)
    (token,) = dates.find("Die Filiale ist am 03/04/2023 geschlossen worden.")
    assert (token.iso(), token.ambiguous) == ("2023-04-03", False)
    (token,) = dates.find("It closed on 12/31/2023.", day_first=True)
    assert token.iso() == "2023-12-31"


def test_a_date_with_two_readings_is_no_statement_until_its_order_is_known() -> None:
    answer, gold = "It closed on 03/04/2023.", dates.parse_gold("2023-03-04")
    assert dates.match_date(gold, dates.find(answer)).reason == "ambiguous_date"
    assert dates.match_date(gold, dates.find(answer, day_first=False)).verdict == "pass"
    assert dates.match_date(gold, dates.find(answer, day_first="any")).verdict == "pass"
    french = dates.find("Le magasin est fermé depuis le 03/04/2023.")
    assert dates.match_date(gold, french).reason == "no_candidate"


def test_a_wrong_date_is_reported_with_the_nearest_one() -> None:
    found = verdict("It ran on 1 March 2020 and on 3 March 2024.", "2024-03-01")
    assert found.reason == "no_candidate"
    assert found.token is not None
    assert found.token.iso() == "2024-03-03"


@pytest.mark.parametrize(
    ("gold", "iso", "precision"),
    [("2023-01-31", "2023-01-31", "day"), ("2023-01", "2023-01", "month"), ("2023", "2023", "year"),
     (2023, "2023", "year"), (" 2023-01-31 ", "2023-01-31", "day"), ("2023-01-31T08:00:00Z", "2023-01-31", "day"),
     ("2023-01-31 08:00:00+00:00", "2023-01-31", "day")],
)  # fmt: skip
def test_an_expected_date_is_a_day_a_month_a_year_or_a_timestamp(gold: object, iso: str, precision: str) -> None:
    token = dates.parse_gold(gold)
    assert (token.iso(), token.precision) == (iso, precision)


@pytest.mark.parametrize(
    "gold",
    ["2024-00-10", "2024-13-01", "2023-02-29", "2023-02-30", "2023-13", "0000", "12024", "", "soon", "2023-1-31",
     "2023-01-31T25:00:00", True, None, 3.5, "2023-01-31x"],
)  # fmt: skip
def test_an_impossible_expected_date_is_refused(gold: object) -> None:
    with pytest.raises(
        ValueError, match=r"is no date: a day .2023-01-31., a month .2023-01. or a year .2023. is expected"
    ):
        dates.parse_gold(gold)


def test_an_expected_date_in_words_is_refused_with_the_form_to_write() -> None:
    with pytest.raises(ValueError, match=r"write '2023-01-31'"):
        dates.parse_gold("31 January 2023")


def test_a_date_is_never_a_figure_but_what_stands_beside_it_is() -> None:
    text = "On 12 March 2024, 15 stores opened (31/12/2023: 12)."
    assert [t.value for t in numbers.find(text)] == [15, 12]


# --- questions ----------------------------------------------------------------------------------------------------

KEEPS = QuestionDate()
CLEARS = QuestionDate(cleared=True)


def at(*ymd: int) -> QuestionDate:
    return QuestionDate(as_of=dt.datetime(*ymd, tzinfo=dt.UTC))  # type: ignore[arg-type,misc]  # year, month, day ...


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("features on 2024-03-01?", at(2024, 3, 1)),
        ("features on 30 June 2023?", at(2023, 6, 30)),
        ("features on the 1st of March 2024?", at(2024, 3, 1)),
        ("features le 1er mars 2024 ?", at(2024, 3, 1)),
        ("features on 3 Mar 2024?", at(2024, 3, 3)),
        ("features at the end of February 2024?", at(2024, 2, 29)),
        ("features à la fin de février 2023 ?", at(2023, 2, 28)),
        ("features at the beginning of March 2024?", at(2024, 3, 1)),
        ("début mars 2024 ?", at(2024, 3, 1)),
        ("features in 2024?", KEEPS),
        ("features in March 2024?", KEEPS),
        ("features on 2024-02-30?", KEEPS),
        ("features on 03/04/2024?", KEEPS),
        ("features le 03/04/2024 pour les ventes ?", at(2024, 4, 3)),
        ("features on 5 March?", KEEPS),
        ("runs in the last 7 days?", KEEPS),
        ("features at 2024-03-01T14:30:05Z?", at(2024, 3, 1, 14, 30, 5)),
        ("features at 2024-03-01T14:30:05+02:00?", at(2024, 3, 1, 12, 30, 5)),
        ("features at 2024-03-01 14:30?", at(2024, 3, 1, 14, 30)),
        ("between 1 March 2024 and 5 March 2024?", at(2024, 3, 1)),
        ("and today, compared with 2024-03-01?", at(2024, 3, 1)),
        ("and now?", CLEARS),
        ("AND NOW?", CLEARS),
        ("What is there currently?", CLEARS),
        ("et aujourd’hui ?", CLEARS),
        ("et maintenant ?", CLEARS),
        ("und jetzt?", CLEARS),
        ("What is the TODAY table?", KEEPS),
        ("What do you know about it?", KEEPS),
        ("the now-defunct table", KEEPS),
        ("", KEEPS),
    ],
)
def test_a_question_sets_keeps_or_clears_the_valid_time(question: str, expected: QuestionDate) -> None:
    assert question_date(question) == expected
