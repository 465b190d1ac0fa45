"""Properties of dates: a day is found in every way to write it, another day never, and nothing raises."""

from __future__ import annotations

import datetime as dt
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_graph_eval.metrics.facts import dates, numbers
from pytest_graph_eval.metrics.facts.question_dates import question_date
from pytest_graph_eval.metrics.facts.text import normalise

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "en short": "Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sept. Oct. Nov. Dec.",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "fr short": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
}
SUFFIXES = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
AROUND = ["It closed on {}.", "{}", "({})", "| closed | {} |", "- {}: closed", "on {}, as planned", "**{}**", "« {} »"]

days = st.dates(dt.date(1900, 1, 1), dt.date(2099, 12, 31))


@st.composite
def written_days(draw: st.DrawFn) -> tuple[dt.date, str]:
    """A day and one way to write it that has no other reading."""
    day = draw(days)
    month = {name: names.split()[day.month - 1] for name, names in MONTHS.items()}
    suffix = f"{day.day}{SUFFIXES.get(day.day, 'th')}"
    forms = [
        f"{day}",
        f"{day:%Y/%m/%d}",
        f"{day}T08:30:00Z",
        f"{day} 08:30:00+00:00",
        f"{day:%d.%m.%Y}",
        f"{day.day}.{day.month}.{day.year}",
        f"{day.day} {month['en']} {day.year}",
        f"{suffix} {month['en']} {day.year}",
        f"{suffix} of {month['en']}, {day.year}",
        f"{month['en']} {day.day}, {day.year}",
        f"{month['en']} {suffix} {day.year}",
        f"{month['en short']} {day.day},{day.year}",
        f"{day.day} {month['en short']} {day.year}",
        f"{day.day}-{month['en short'].rstrip('.')[:3]}-{day.year}",
        f"{day.day}{'er' if day.day == 1 else ''} {month['fr']} {day.year}",
        f"{day.day} {month['fr short']} {day.year}",
        f"{day.day}. {month['de']} {day.year}",
        f"{day.day} de {month['es']} de {day.year}",
        f"{day.day} {month['it']} {day.year}",
        f"{day.day}{'º' if day.day == 1 else ''} de {month['pt']} de {day.year}",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day.year} {month['en']} {day.day}",
    ]
    text = draw(st.sampled_from(forms))
    if draw(st.booleans()):
        text = text.replace(" ", draw(st.sampled_from(["\u00a0", "\u202f"])))
    return day, text


def states(answer: str, gold: str, **options: object) -> bool:
    found = dates.find(normalise(answer).plain, **options)  # type: ignore[arg-type]
    return dates.match_date(dates.parse_gold(gold), found).verdict == "pass"


@given(written_days(), st.sampled_from(AROUND))
@settings(max_examples=150)
def test_a_day_is_found_in_every_way_to_write_it(written: tuple[dt.date, str], around: str) -> None:
    day, text = written
    answer = around.format(text)
    assert states(answer, f"{day}")
    assert states(answer, f"{day:%Y-%m}")
    assert states(answer, f"{day.year}")


@given(written_days(), days, st.sampled_from(AROUND))
@settings(max_examples=150)
def test_another_day_is_never_found(written: tuple[dt.date, str], other: dt.date, around: str) -> None:
    day, text = written
    assume(day != other)
    assert not states(around.format(text), f"{other}")


@given(written_days(), st.integers(1, 400), st.sampled_from(AROUND))
@settings(max_examples=100)
def test_a_day_nearby_is_never_found(written: tuple[dt.date, str], off: int, around: str) -> None:
    day, text = written
    other = day + dt.timedelta(days=off) if day.year < 2050 else day - dt.timedelta(days=off)
    assert not states(around.format(text), f"{other}")


@given(days, st.sampled_from("/-"), st.booleans())
@settings(max_examples=100)
def test_a_numeric_day_has_the_readings_of_its_order(day: dt.date, mark: str, day_first: bool) -> None:
    form = f"%d{mark}%m{mark}%Y" if day_first else f"%m{mark}%d{mark}%Y"
    answer = f"It closed on {day.strftime(form)}."
    assert states(answer, f"{day}", day_first=day_first)
    assert states(answer, f"{day}", day_first="any")
    settled = day.day > 12 or day.day == day.month
    assert states(answer, f"{day}") == settled
    french = f"Le magasin est fermé depuis le {day.strftime(form)}."
    assert states(french, f"{day}") == (settled or day_first)


@given(written_days(), st.sampled_from(AROUND))
@settings(max_examples=100)
def test_no_part_of_a_date_is_a_figure(written: tuple[dt.date, str], around: str) -> None:
    text = normalise(around.format(written[1])).plain
    assert [t for t in numbers.find(text) if t.unit_class not in ("year", "ordinal") and not t.maybe_year] == []


@given(written_days())
@settings(max_examples=150)
def test_a_question_takes_the_day_that_is_written(written: tuple[dt.date, str]) -> None:
    day, text = written
    found = question_date(f"Which features were there on {text}?").as_of
    assert found is not None
    assert found.astimezone(dt.UTC).date() == day


@given(st.integers(-5, 2300), st.integers(-5, 20), st.integers(-5, 40))
def test_an_expected_day_is_taken_exactly_when_it_exists(year: int, month: int, day: int) -> None:
    text = f"{year:04}-{month:02}-{day:02}"
    try:
        exists = dt.date(year, month, day).isoformat() == text
    except ValueError:
        exists = False
    if exists:
        assert dates.parse_gold(text).iso() == text
    else:
        with pytest.raises(ValueError, match="a day"):
            dates.parse_gold(text)


@given(st.text(max_size=120) | st.text(alphabet="0123456789-/.: ,TZ'年月日maymarchdeof", max_size=120))
@settings(max_examples=150)
def test_no_text_makes_reading_dates_raise(text: str) -> None:
    end = 0
    for token in dates.find(text):
        assert end <= token.span[0] < token.span[1] <= len(text)
        if token.year and token.month and token.day:
            assert dt.date(token.year, token.month, token.day)
        end = token.span[1]
    question_date(text)


HARD = [
    "1",
    "1/",
    "2023-",
    "2023-01-",
    "1 may ",
    "may ",
    "3, ",
    "3 and 4 and ",
    "january-",
    "fy",
    "1999 ",
    "年",
    "2023年",
]


def cost(text: str) -> float:
    best = float("inf")
    for i in range(2):
        start = time.process_time()
        dates.find(text + " " * i)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("piece", HARD)
def test_the_cost_of_a_text_grows_no_faster_than_its_length(piece: str) -> None:
    size = 2_500
    small, large = piece * (size // len(piece)), piece * (4 * size // len(piece))
    cost("warm up on 1 May 2023")
    # Four times the text: linear is a ratio of 4, quadratic one of 16.
    assert cost(large) < 8 * cost(small) + 0.02
