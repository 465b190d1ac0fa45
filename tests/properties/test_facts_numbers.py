"""Properties of figures: a true statement is found in every writing, another value never, and nothing raises."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_graph_eval.metrics.facts import numbers
from pytest_graph_eval.metrics.facts.compare import match_number
from pytest_graph_eval.metrics.facts.statements import number_verdict
from pytest_graph_eval.metrics.facts.text import normalise

SCALES = {
    3: ["thousand", "k", "K", "mille", "Tausend", "тыс.", "ألف", "हज़ार"],
    6: ["million", "millions", "M", "mn", "Mio.", "millones", "milioni", "milhões", "млн", "مليون", "百万"],
    7: ["crore"],
    9: ["billion", "bn", "B", "milliards", "Milliarden", "Mrd.", "miliardi", "млрд", "مليار", "میلیارد"],
    12: ["trillion", "tn", "trn", "billones", "Billionen"],
}
GLUED = frozenset(("k", "K", "M", "mn", "bn", "B", "tn", "trn", "百万"))
ZEROS = "0٠۰०০๐０"
SPACES = " \u00a0\u202f\u2009"
AROUND = [
    "The value is {}.", "It came to {}, as reported.", "{}", "Total: {}", "| Total | {} |", "- {}", "**{}**",
    "Es sind {}.", "La valeur est de {} ; voilà.", "(see {} above)", "“Value”: {}!", "value={}",
]  # fmt: skip

wholes = st.integers(0, 10**12)
signs = st.sampled_from(["", "-", "−", "\u2010", "minus "])


def grouped(digits: str, separator: str) -> str:
    head = len(digits) % 3 or 3
    return separator.join([digits[:head], *(digits[i : i + 3] for i in range(head, len(digits), 3))])


def indian(digits: str) -> str:
    if len(digits) <= 3:
        return digits
    head, tail = digits[:-3], digits[-3:]
    first = len(head) % 2 or 2
    return ",".join([head[:first], *(head[i : i + 2] for i in range(first, len(head), 2)), tail])


def in_script(text: str, zero: str) -> str:
    return "".join(chr(ord(zero) + int(c)) if c.isascii() and c.isdigit() else c for c in text)


@st.composite
def written_wholes(draw: st.DrawFn) -> tuple[int, str]:
    """A whole number and one way to write it without a scale word."""
    value = draw(wholes)
    digits = str(value)
    style = draw(st.sampled_from(["plain", "group", "indian"]))
    if style == "group":
        # A lone point before three digits is a decimal mark, and groups need two of them to show.
        marks = ",'_" + SPACES + ("." if len(digits) > 6 else "")
        digits = grouped(digits, draw(st.sampled_from(marks)))
    elif style == "indian":
        digits = indian(digits)
    return value, in_script(digits, draw(st.sampled_from(ZEROS)))


@st.composite
def scaled_amounts(draw: st.DrawFn) -> tuple[Decimal, str]:
    """An amount and one way to write it with a scale word."""
    power = draw(st.sampled_from(list(SCALES)))
    word = draw(st.sampled_from(SCALES[power]))
    figures = draw(st.decimals(min_value="0.1", max_value="999", places=draw(st.integers(0, 2))))
    text = format(figures, "f")
    if draw(st.booleans()):
        text = text.replace(".", ",")
    gap = draw(st.sampled_from(["", " ", "\u00a0"] if word in GLUED else [" ", "\u00a0"]))
    if gap and word in ("k", "K", "M", "B"):
        gap = ""
    return figures.scaleb(power), in_script(text, draw(st.sampled_from(ZEROS))) + gap + word


def states(answer: str, gold: object, **options: object) -> bool:
    kind = options.pop("unit_class", None)
    text = normalise(answer)
    token = numbers.parse_gold(gold, kind)  # type: ignore[arg-type]
    return match_number(token, text.plain, numbers.find(text.plain), text.clauses, **options).verdict == "pass"  # type: ignore[arg-type]


@given(written_wholes(), st.sampled_from(AROUND))
@settings(max_examples=100)
def test_a_whole_number_is_found_in_every_grouping_and_script(written: tuple[int, str], around: str) -> None:
    value, text = written
    assert states(around.format(text), value, unit_class="count")


@given(written_wholes(), written_wholes(), st.sampled_from(AROUND))
@settings(max_examples=100)
def test_another_whole_number_is_never_found(written: tuple[int, str], other: tuple[int, str], around: str) -> None:
    assume(written[0] != other[0])
    assert not states(around.format(written[1]), other[0], unit_class="count")


@given(scaled_amounts(), st.sampled_from(AROUND))
@settings(max_examples=100)
def test_an_amount_is_found_under_every_scale_word(written: tuple[Decimal, str], around: str) -> None:
    value, text = written
    # A billion is another number in a German or French sentence.
    assume(not (text.endswith("illion") and around.startswith(("Es sind", "La valeur"))))
    assert states(around.format(text), format(value, "f"), rel_tol=0)


@given(scaled_amounts(), st.sampled_from(AROUND), st.decimals("1.02", "50", places=2), st.booleans())
@settings(max_examples=100)
def test_an_amount_more_than_one_percent_off_is_never_found(
    written: tuple[Decimal, str], around: str, factor: Decimal, up: bool
) -> None:
    value, text = written
    other = value * factor if up else value / factor
    assert not states(around.format(text), format(other, "f"))


CURRENCIES = {
    "USD": (["$", "US$", "USD ", "$ "], [" dollars", " USD", " US dollars", "$"]),
    "EUR": (["€", "EUR ", "€ "], [" euros", " €", "€", " EUR", " Euro"]),
    "GBP": (["£", "GBP "], [" pounds", " pounds sterling"]),
    "INR": (["₹", "Rs ", "INR ", "Rs. "], [" rupees", " INR"]),
    "JPY": (["¥", "JPY "], [" yen", "円"]),
}


@st.composite
def money(draw: st.DrawFn) -> tuple[Decimal, str, str]:
    """An amount of money, its currency, and one way to write it."""
    currency = draw(st.sampled_from(list(CURRENCIES)))
    value = draw(st.decimals("0.01", "99999", places=2))
    sign = draw(st.sampled_from(["", "-", "−"]))
    text = format(value, ",f")
    before, after = CURRENCIES[currency]
    if draw(st.booleans()):
        written = sign + draw(st.sampled_from(before)) + text
    else:
        written = sign + text + draw(st.sampled_from(after))
    return (-value if sign else value), currency, written


@given(money(), st.sampled_from(AROUND))
@settings(max_examples=150)
def test_money_is_found_with_its_currency_on_either_side(written: tuple[Decimal, str, str], around: str) -> None:
    value, currency, text = written
    assert states(around.format(text), f"{currency} {value}", rel_tol=0)


@given(money(), st.sampled_from(AROUND), st.sampled_from(list(CURRENCIES)))
@settings(max_examples=150)
def test_money_is_never_found_in_another_currency(written: tuple[Decimal, str, str], around: str, other: str) -> None:
    value, currency, text = written
    assume(other != currency)
    assert not states(around.format(text), f"{other} {value}", rel_tol=0)


@given(money(), st.sampled_from(AROUND))
@settings(max_examples=100)
def test_money_is_never_found_with_the_other_sign(written: tuple[Decimal, str, str], around: str) -> None:
    value, currency, text = written
    assume("(" not in around)
    assert not states(around.format(text), f"{currency} {-value}", rel_tol=0)


PERCENTS = ["%", " %", " percent", " per cent", " pct", " pour cent", " Prozent", " por ciento", "٪", "％"]


@given(st.decimals("0", "500", places=1), st.sampled_from(PERCENTS), signs, st.sampled_from(AROUND))
@settings(max_examples=150)
def test_a_percentage_is_found_with_every_sign_and_word(value: Decimal, word: str, sign: str, around: str) -> None:
    written = f"{sign}{value}{word}"
    gold = f"{'-' if sign else ''}{value}%"
    assert states(around.format(written), gold, rel_tol=0)
    assert not states(around.format(written), f"{value} percentage points")
    assert not states(around.format(written), str(value), unit_class="count")


ENGLISH = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()  # noqa: E501, SIM905 - as spoken
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905 - as spoken


def english(n: int, *, with_and: bool) -> str:
    for size, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand")):
        if n >= size:
            rest = f" {english(n % size, with_and=with_and)}" if n % size else ""
            return f"{english(n // size, with_and=with_and)} {name}{rest}"
    if n >= 100:
        rest = f"{' and' if with_and else ''} {english(n % 100, with_and=with_and)}" if n % 100 else ""
        return f"{ENGLISH[n // 100]} hundred{rest}"
    if n >= 20:
        return TENS[n // 10] + (f"-{ENGLISH[n % 10]}" if n % 10 else "")
    return ENGLISH[n]


FRENCH = "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf".split()  # noqa: E501, SIM905 - as spoken
DIZAINES = "_ _ vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt".split()  # noqa: SIM905 - as spoken
BELGIAN = "_ _ vingt trente quarante cinquante soixante septante quatre-vingt nonante".split()  # noqa: SIM905 - as spoken


def french(n: int, *, belgian: bool = False, final: bool = True) -> str:
    for size, name in ((10**9, "milliard"), (10**6, "million")):
        if n >= size:
            many = "s" if n >= 2 * size else ""
            rest = f" {french(n % size, belgian=belgian)}" if n % size else ""
            return f"{french(n // size, belgian=belgian)} {name}{many}{rest}"
    if n >= 1000:
        head = "" if n < 2000 else f"{french(n // 1000, belgian=belgian, final=False)} "
        return f"{head}mille{' ' + french(n % 1000, belgian=belgian) if n % 1000 else ''}"
    if n >= 100:
        head = "" if n < 200 else f"{FRENCH[n // 100]} "
        rest = f" {french(n % 100, belgian=belgian)}" if n % 100 else ""
        return f"{head}cent{'s' if n >= 200 and not rest and final else ''}{rest}"
    if n < 20:
        return FRENCH[n]
    tens = (BELGIAN if belgian else DIZAINES)[n // 10]
    unit = n % 10 if belgian or n // 10 not in (7, 9) else n % 10 + 10
    if unit == 0:
        return tens + ("s" if tens == "quatre-vingt" and final else "")
    link = " et " if unit in (1, 11) and not tens.startswith("quatre") else "-"
    return f"{tens}{link}{FRENCH[unit]}"


@given(st.integers(2, 10**10), st.booleans())
@settings(max_examples=100)
def test_english_number_words_are_read_whole(n: int, with_and: bool) -> None:
    words = english(n, with_and=with_and)
    tokens = numbers.find(f"They counted {words} of them.")
    assert [t.value for t in tokens] == [n], words


@given(st.integers(2, 10**10).filter(lambda n: n != 9), st.booleans())
@settings(max_examples=100)
def test_french_number_words_are_read_whole(n: int, belgian: bool) -> None:
    words = french(n, belgian=belgian)
    tokens = numbers.find(f"Il y en a {words} en tout.")
    assert [t.value for t in tokens] == [n], words


@given(st.text(max_size=200) | st.text(alphabet="0123456789.,-/:()$€%kKmMbBeE+ '\n|_½一万億年月日to", max_size=200))
@settings(max_examples=150)
def test_no_text_makes_the_tokeniser_raise_and_every_token_stands_where_it_says(text: str) -> None:
    end = 0
    for token in numbers.find(text):
        assert end <= token.span[0] < token.span[1] <= len(text)
        assert text[token.span[0] : token.span[1]] == token.text
        assert token.value.is_finite()
        end = token.span[1]


@given(st.text(alphabet="0123456789.,-/()$€% kMbnot\n|", max_size=120), st.text(max_size=20))
@settings(max_examples=100)
def test_no_text_makes_the_comparison_raise(raw: str, near: str) -> None:
    text = normalise(raw)
    for gold in ("$611.3 billion", "-3.2%", "12", "10-12", "3rd", "12 km"):
        token = numbers.parse_gold(gold)
        for select in ("any", "first", "last", "only"):
            number_verdict(text, token, select=select, near=near or None, nouns=["not", "b"])


UNIT = 2_500
HARD = {
    "digits": "1",
    "groups": "1,",
    "points": "1.",
    "spaced groups": "123 ",
    "hyphens": "1-",
    "slashes": "1/",
    "colons": "1:",
    "brackets": "(1",
    "signs": "+-$",
    "words": "one ",
    "scales": "million ",
    "articles": "un ",
    "months": "may ",
    "days": "3 and ",
    "figures": "12 stores. ",
    "money": "$5.1 billion and ",
    "units of myriads": "1万",
    "numerals": "一万",
    "letters": "a",
    "powers": "10^",
    "cells": "|1",
    "labels": "(in millions) 5\n",
    "no digits": "x-",
    "apostrophes": "1'",
    "percent": "%",
    "fractions": "½ ",
}


def cost(text: str) -> float:
    best = float("inf")
    for _ in range(2):
        numbers.find.cache_clear()
        start = time.process_time()
        numbers.find(text)
        best = min(best, time.process_time() - start)
    return best


def matching_cost(text: str) -> float:
    tokens, clauses = numbers.find(text), normalise(text).clauses
    best = float("inf")
    for _ in range(2):
        fresh = numbers.NumberTokens(tokens)
        start = time.process_time()
        for gold, options in (("7", {"near": "word"}), ("1", {"nouns": ["word"], "unit_class": "count"}), ("-5", {})):
            match_number(numbers.parse_gold(gold), text, fresh, clauses, **options)  # type: ignore[arg-type]
        best = min(best, time.process_time() - start)
    return best


MIXED = {"one line": "word 1 ", "commas": "word 1, ", "sentences": "word 1. ", "lines": "word 1\n", "cells": "|1|word",
         "rows": "|word|1|\n", "initials": "a. 1 word ", "denials": "not 1 ", "falls": "fell 1 "}  # fmt: skip


@pytest.mark.parametrize("piece", MIXED.values(), ids=MIXED)
def test_the_cost_of_looking_for_a_figure_grows_no_faster_than_the_text(piece: str) -> None:
    small, large = piece * (UNIT // len(piece)), piece * (4 * UNIT // len(piece))
    matching_cost("word 1 warms up")
    # Four times the text: linear is a ratio of 4, quadratic one of 16.
    assert matching_cost(large) < 8 * matching_cost(small) + 0.02


@pytest.mark.parametrize("piece", HARD.values(), ids=HARD)
def test_the_cost_of_a_text_grows_no_faster_than_its_length(piece: str) -> None:
    small = piece * (UNIT // len(piece))
    large = piece * (4 * UNIT // len(piece))
    cost("warm 12 up")
    # Four times the text: linear is a ratio of 4, quadratic one of 16.
    assert cost(large) < 8 * cost(small) + 0.02


USUAL = st.from_regex(
    r"-?\$?([1-9][0-9]{0,11}|[1-9][0-9]{0,2}(,[0-9]{3}){1,4}|0)(\.[0-9]{1,5})?"
    r"( (thousand|million|billion|trillion)| ?%)?",
    fullmatch=True,
)


@given(USUAL)
def test_an_expected_figure_in_a_usual_form_is_what_the_whole_engine_reads(raw: str) -> None:
    usual = numbers.usual_figure(raw)
    assert usual is None or [usual] == [t for t in numbers.find(raw) if t.unit_class != "year"]


def test_the_usual_forms_are_read_without_the_engine() -> None:
    assert all(map(numbers.usual_figure, ("$611.3 billion", "-$5", "$1,234,567", "6.7%", "0.5 %")))
    assert not any(map(numbers.usual_figure, ("12", "2023", "€5", "$5%", "$05", "1,23%", "$1.5 Mio.", "about $5")))
