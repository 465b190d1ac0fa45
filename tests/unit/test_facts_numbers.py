"""Figures: how they are read, what an expected value may be, and when a text states it."""

from __future__ import annotations

import sys
from collections import Counter
from decimal import Decimal, localcontext
from typing import Any

import pytest

from pytest_graph_eval.metrics.facts import numbers, rules
from pytest_graph_eval.metrics.facts.compare import NumberVerdict, match_number
from pytest_graph_eval.metrics.facts.page import Page, page
from pytest_graph_eval.metrics.facts.tables import cues, currencies, scales, units
from pytest_graph_eval.metrics.facts.text import normalise
from pytest_graph_eval.metrics.facts.tokens import NumberToken
from tests.unit.figure_cases import GROUPS

CASES = [(group, *case) for group, cases in GROUPS.items() for case in cases]


def verdict(answer: str, gold: object, **options: Any) -> NumberVerdict:
    text = normalise(answer)
    plain = text.without("header", "citation", "quotation", "block quote")
    token = numbers.parse_gold(gold, options.get("unit_class"), default_scale=options.get("default_scale"))
    tokens = numbers.find(plain, locale=options.pop("locale", "auto"))
    return match_number(token, plain, tokens, text.clauses, **options)


def only(text: str) -> NumberToken:
    (token,) = numbers.find(text)
    return token


# --- what a text states -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("group", "answer", "gold", "options", "expected"), CASES)
def test_an_answer_states_a_figure_or_says_why_not(
    group: str, answer: str, gold: str, options: dict[str, Any], expected: str
) -> None:
    found = verdict(answer, gold, **options)
    if expected == "fail":
        assert found.verdict == "fail"
    else:
        assert (found.reason or found.verdict) == expected
    assert (found.verdict == "pass") == (found.reason == "")


@pytest.mark.parametrize(
    ("answer", "gold", "options", "value"),
    [
        ("Traffic fell by 3.2%.", "-3.2%", {}, "-3.2"),
        ("Traffic rose by 3.2%.", "-3.2%", {}, "3.2"),
        ("Traffic fell by 3%.", "-5%", {}, "-3"),
        ("It rose by 6.7 percentage points.", "6.7%", {}, "6.7"),
        ("It is €611.3 billion.", "$611.3 billion", {}, "611.3e9"),
        ("$5, $7 and $90", "$8", {}, "7"),
        ("The share is 0.067.", "6.7%", {"accept_fraction": True}, "6.7"),
        ("2846", "$2,846 million", {"default_scale": "million"}, "2846e6"),
        ("12 km", "12,000 m", {}, "12000"),
    ],
)
def test_the_answer_value_is_that_of_the_nearest_candidate_as_it_was_compared(
    answer: str, gold: str, options: dict[str, Any], value: str
) -> None:
    assert verdict(answer, gold, **options).answer_value == Decimal(value)


@pytest.mark.parametrize("answer", ["It ranked 3rd.", "There are 2-4 of them.", "It is often used.", "FY3", ""])
def test_nothing_comparable_leaves_no_answer_value(answer: str) -> None:
    assert verdict(answer, 3, unit_class="count").answer_value is None


@pytest.mark.parametrize(
    ("gold", "answer", "passes"),
    [
        ("$611.3 billion", "$611.35 billion", True),
        ("$611.3 billion", "$611.36 billion", False),
        ("$611.3 billion", "$611 billion", True),
        ("$611.3 billion", "$612 billion", False),
        ("$100 million", "$101 million", False),
        ("$100 million", "$100.5 million", True),
        ("$10", "$10.10", True),
        ("$10", "$10.11", False),
        ("21%", "21.2%", True),
        ("21%", "21.3%", False),
        ("12", "12.0", True),
        ("12", "12.1", False),
        ("12.5", "12.54", True),
        ("12.5", "12.56", False),
    ],
)
def test_without_a_declared_tolerance_half_a_unit_of_the_coarser_digit_is_allowed_but_never_over_one_percent(
    gold: str, answer: str, passes: bool
) -> None:
    assert (verdict(answer, gold).verdict == "pass") is passes


@pytest.mark.parametrize(
    ("options", "passes"),
    [
        ({"rel_tol": 0.01}, True), ({"rel_tol": 0.0099}, False), ({"abs_tol": 1}, True), ({"abs_tol": 0.99}, False),
        ({"rel_tol": 0.001, "abs_tol": 1}, True), ({"rel_tol": 0, "abs_tol": 0}, False),
        ({"rel_tol": Decimal(1)}, True),
    ],
)  # fmt: skip
def test_a_declared_tolerance_is_inclusive_and_the_larger_of_the_two_counts(
    options: dict[str, Any], passes: bool
) -> None:
    assert (verdict("Measured: 101", "100", **options).verdict == "pass") is passes


@pytest.mark.parametrize(
    ("answer", "gold", "options", "words"),
    [
        ("12", 12, {"unit_class": "count"}, "exact"),
        ("$611 billion", "$611.3 billion", {}, "tolerance 0.5 billion (half a unit of the last digit)"),
        ("$611.28 billion", "$611.3 billion", {}, "tolerance 0.05 billion (half a unit of the last digit)"),
        ("7%", "6.7%", {}, "tolerance 0.067 (1 % at most)"),
        ("$600 billion", "$611.3 billion", {"rel_tol": 0.02}, "tolerance 12.226 billion (rel_tol 0.02)"),
        ("5", "5", {"abs_tol": 1, "rel_tol": 0.1}, "tolerance 1 (rel_tol 0.1 and abs_tol 1)"),
        ("5", "5", {"rel_tol": 0}, "tolerance 0 (declared exact)"),
        ("nothing", "$611.3 billion", {}, "tolerance 0.05 billion (half a unit of the last digit)"),
    ],
)
def test_every_verdict_says_its_tolerance(answer: str, gold: object, options: dict[str, Any], words: str) -> None:
    assert verdict(answer, gold, **options).tolerance == words


def test_a_text_of_many_figures_gives_the_verdict_of_a_short_one() -> None:
    noise = " ".join(f"Item {i} cost ${i}.17 and grew {i}.3%." for i in range(1, 400))
    for answer, gold, reason in [
        ("Revenue was $611.3 billion.", "$611.3 billion", ""),
        ("Revenue was €611.3 billion.", "$611.3 billion", "currency_mismatch"),
        ("Traffic fell by 777.7%.", "-777.7%", ""),
        ("Traffic rose by 777.7%.", "-777.7%", "sign_mismatch"),
        ("Revenue was not $611.3 billion.", "$611.3 billion", "negated"),
        ("Revenue was $605.9 billion.", "$611.3 billion", "out_of_tolerance"),
    ]:
        assert verdict(f"{noise} {answer}", gold).reason == reason
    assert verdict(f"{noise} Revenue was $605.9 billion.", "$611.3 billion").answer_value == Decimal("605.9e9")
    assert verdict(f"{noise} Net sales were $5.55.", "$5.55", near="net sales").verdict == "pass"
    assert verdict(f"{noise} Net sales were $5.55.", "$7.17", near="net sales").reason == "out_of_tolerance"
    assert verdict(f"{noise} It has 12 features.", 12, unit_class="count", nouns=["feature"]).verdict == "pass"


def test_any_form_of_a_name_will_do_for_near() -> None:
    answer = "WMT had revenue of $611.3 billion; Target had $109.1 billion."
    assert verdict(answer, "$611.3 billion", near=["Walmart", "WMT"]).verdict == "pass"
    assert verdict(answer, "$109.1 billion", near=["Walmart", "WMT"]).reason == "out_of_tolerance"


def test_the_arithmetic_does_not_depend_on_the_decimal_context_of_the_caller() -> None:
    with localcontext() as context:
        context.prec = 3
        assert verdict("It is 123,456,789.", "123,456,788").verdict == "fail"
        assert verdict("It is $611.3 billion.", "$611.3 billion").verdict == "pass"


# --- tokens -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "quantum", "unit_class", "currency"),
    [
        ("$611.3 billion", "611.3e9", "0.1e9", "money", "$"),
        ("611,289 million", "611289e6", "1e6", "plain", ""),
        ("611,300,000", "611300000", "1", "plain", ""),
        ("half a million", "500000", "1", "plain", ""),
        ("12.50", "12.5", "0.01", "plain", ""),
        ("6,113億ドル", "6113e8", "1e8", "money", "$"),
        ("150 bps", "1.5", "0.01", "points", ""),
        ("34 cents", "0.34", "0.01", "money", "cent"),
        ("CHF 1'234.50", "1234.5", "0.01", "money", "CHF"),
        ("3rd", "3", "1", "ordinal", ""),
        ("2.5x", "2.5", "0.1", "ratio", ""),
    ],
)
def test_a_token_knows_its_value_last_digit_class_and_currency(
    text: str, value: str, quantum: str, unit_class: str, currency: str
) -> None:
    token = only(text)
    assert token.value == Decimal(value)
    assert token.quantum == Decimal(quantum)
    assert (token.unit_class, token.currency, token.text) == (unit_class, currency, text)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a 150 bps rise, 0.5pp, 3 points de pourcentage", ["1.5", "0.5", "3"]),
        ("5-percent share, 10-percentage-point lead", ["5", "10"]),
        ("6億1130万 1万2千 3千500 1万5", ["611300000", "12000", "3500", "10005"]),
        ("6억 1130만 명, 611,289百万円", ["611300000", "611289000000"]),
        ("二百一十万人 百分之六点七 一万亿元 三十五", ["2100000", "6.7", "1000000000000", "35"]),
        ("一一百 十分 一般", []),
        ("5 million 300 thousand people, 2 crore 30 lakh", ["5300000", "23000000"]),
        ("-5 million 300 thousand", ["-5300000"]),
        ("5.2 lakh crore, 5 mil millones de pesos", ["5.2e12", "5e9"]),
        ("two dozen boxes, 3 dozen, 12 mille", ["24", "36", "12000"]),
        ("a single store, one depot", ["1", "1"]),
        ("$.5 million and .5", ["500000", "0.5"]),
        ("1½ million, ½, 2 1/2, 3/4, 12 5/3", ["1500000", "0.5", "2.5", "0.75", "12"]),
        ("16:9 and 3:0 and 3:1", ["1.77777778", "3"]),
        ("US $5, USD $6, CAD $7, kr 8, Rs.9", ["5", "6", "7", "8", "9"]),
        ("- $5, − $6, -$7, $-8, + 9, +10", ["5", "-6", "-7", "-8", "9", "10"]),
        ("minus twelve, negative five, minus $3", ["-12", "-5", "-3"]),
        ("a-5 and 3--5, 7/+5, x+5", ["3", "5", "7", "5"]),
        ("§12, °12, №12", []),
        ("12 +/- 3 and 12 ± 3", ["12", "12"]),
        ("$5-6 million, $5 to 6, €5 to €6", ["5000000", "5", "5"]),
        ("2019-2023, 2022-23, 2022-99", ["99"]),
        ("5 Hong Kong dollars, 5 dollars canadiens, 5 won, 5 million won", ["5", "5", "5", "5000000"]),
        ("5 o'clock, 5 pm, 5 h", ["5"]),
        ("12% points, 12 ‰, 12pct", ["12", "1.2", "12"]),
        ("5kb, 5kwh, 12e, 5x", ["12", "5"]),
        ("one and three quarters, two point five, one hundred point", ["1.75", "2.5", "100"]),
        ("soixante-dixième, quatre-vingtième, cent unième, vingt-et-unième", ["70", "80", "101", "21"]),
        ("forty-something people, twenty-odd", []),
        ("cents, per cent, five cents", ["0.05"]),
        ("three and a half, trois millions et demi, deux et demi", ["3.5", "3500000", "2.5"]),
    ],
)
def test_a_text_is_read_as_these_figures(text: str, values: list[str]) -> None:
    assert [t.value for t in numbers.find(text)] == [Decimal(v) for v in values]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("| A | B ($k) |\n|---|---|\n| x | 5 |\n\nother | 7 |", ["5000", "7"]),
        ("| A | in 000s |\n|---|---|\n| x | 5 |", ["5000"]),
        ("| A | (M) |\n|---|---|\n| x | 5 |", ["5"]),
        ("Sales (net of returns): 5", ["5"]),
        ("Sales (in millions) were 5 in 3 stores", ["5e6", "3e6"]),
        ("Sales (%): 5 and $6", ["5", "6"]),
        ("(in millions)\n\ntext of 5 lines\n\n| x | 6 |", ["5", "6"]),
        ("| 2023 ($m) | 5 |\n| 2022 | 6 |", ["2023", "5e6", "2022", "6"]),
    ],
)
def test_a_label_gives_its_scale_to_what_it_governs_and_to_nothing_else(text: str, values: list[str]) -> None:
    assert [t.value for t in numbers.find(text)] == [Decimal(v) for v in values]


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("There were 5m visits.", ["5"]),
        ("Le taux est de 2,125 pour les magasins.", ["2.125"]),
        ("twelve visits, so (12) in all", ["-12"]),
        ("It was 12.", []),
    ],
)
def test_a_token_keeps_every_other_reading_of_its_text(text: str, readings: list[str]) -> None:
    assert list(numbers.find(text)[-1].readings) == [Decimal(r) for r in readings]


def test_a_range_has_two_ends_and_shares_what_stands_at_one_of_them() -> None:
    token = only("They pay $5 to 6.5 million.")
    assert (token.unit_class, token.value, token.high, token.currency) == (
        "range", Decimal(5_000_000), Decimal(6_500_000), "$",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "unit", "dimension"),
    [("12 stores", "stores", None), ("12 MW", "MW", "power"), ("12kg", "kg", "mass"), ("12 of them", "", None),
     ("20 °C", "°C", "celsius"), ("3 kilowatt-hours", "kilowatt-hour", "energy"), ("a 12-month plan", "month", None)],
)  # fmt: skip
def test_a_token_knows_the_noun_or_the_unit_that_follows(text: str, unit: str, dimension: str | None) -> None:
    token = only(text)
    assert (token.unit, token.measure.dimension if token.measure else None) == (unit, dimension)


@pytest.mark.parametrize(("text", "flag"), [("about 12 stores", True), ("~12", True), ("12 stores", False)])
def test_an_approximate_figure_is_marked(text: str, flag: bool) -> None:
    assert only(text).approximate is flag


@pytest.mark.parametrize(
    "text",
    [
        "COVID-19", "Form 10-K", "10-Q", "section 4.2.1", "v1.2", "192.168.0.1", "+1 (555) 123-4567", "FEATURE_12",
        "ISBN 978-3-16-148410-0", "22:22", "2024-03-12", "12 March 2024", "[12]", "[^3]", "https://x.org/12?y=5", "#12",
        "007", "1a2b3c", "0x1F", "A4", "CO2", "F-150", "page 12", "No. 5", "n° 12", "§ 4", "Note 14", "the 1990s",
        "±0.5",
        "1,23.4", "12/31/2024", "1" * 60, "3f2504e0-4f89-11d3", "user12@example.org", "4x4", "no longer", "per second",
        "the number 7 bus stops here", "Bus number 7 stops here", "the number 4 seed",
        "millions of", "not far", "one of the measures", "one can see", "1e999", "FY2023", "Q4 2023", "H1 23",
    ],
)  # fmt: skip
def test_what_only_contains_digits_is_no_figure(text: str) -> None:
    found = numbers.find(f"See {text}, please.")
    assert [t for t in found if t.unit_class not in ("year", "ordinal")] == []


@pytest.mark.parametrize("text", ["1. AVG_BASKET\n2. N_ORDERS", "1) baskets\n2) orders", "> 3. quoted", "(1) a, (2) b"])
def test_a_list_mark_is_no_figure(text: str) -> None:
    assert numbers.find(text) == ()


@pytest.mark.parametrize("text", ["In 2012", "since 1999", "(2023)", "en 2023", "seit 2020", "Copyright 2001"])
def test_a_year_is_a_year_and_no_amount(text: str) -> None:
    assert only(text).unit_class == "year"


def test_a_total_that_looks_like_a_year_stays_a_count_but_is_no_money() -> None:
    assert verdict("a total of 2023 stores", 2023, unit_class="count").verdict == "pass"
    assert verdict("a total of 2023", "$2,023").reason == "no_candidate"


def test_tokens_of_a_text_are_remembered_and_a_declared_locale_keeps_its_own() -> None:
    text = "The rate is 1.234."
    assert numbers.find(text) is numbers.find(text)
    assert only(text).value == Decimal("1.234")
    assert numbers.find(text, locale="de")[0].value == 1234


# --- expected values ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gold", "value", "unit_class"),
    [
        ("$611.3 billion", "611.3e9", "money"), ("6.7%", "6.7", "percent"), ("-3.2", "-3.2", "plain"),
        (12, "12", "plain"),
        (12.7, "12.7", "plain"), ("12.0", "12", "plain"), ("approximately 2.1 million", "2.1e6", "plain"),
        ("3rd", "3", "ordinal"), ("INR 52,000,000", "52000000", "money"), ("10-12", "10", "range"),
        ("one", "1", "plain"),
        ("none", "0", "plain"), ("twelve stores", "12", "plain"), ("2023", "2023", "plain"), ("3:1", "3", "ratio"),
        ("$(1,234) million", "-1234e6", "money"), ("1.5 percentage points", "1.5", "points"),
        ("+6.7%", "6.7", "percent"),
        (Decimal("0.10"), "0.1", "plain"), (10**20, "1e20", "plain"), ("1e3", "1000", "plain"),
        ("exactly one", "1", "plain"),
    ],
)  # fmt: skip
def test_an_expected_value_is_read_as_a_person_would_write_it(gold: object, value: str, unit_class: str) -> None:
    token = numbers.parse_gold(gold)
    assert (token.value, token.unit_class) == (Decimal(value), unit_class)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ("", "holds no figure"),
        ("Doug McMillon", "holds no figure: a value such as 12, '6.7%' or '\\$611.3 billion' is expected"),
        ("FY2023", "holds no figure"),
        ("2023-01-31", "holds no figure.*expect it under `dates`"),
        ("$5 and $6", "holds 2 figures \\('\\$5', '\\$6'\\): exactly one is expected"),
        (True, "True is no figure"),
        (None, "None is no figure"),
        ([1], "is no figure"),
        (float("nan"), "is no finite figure"),
        (float("inf"), "is no finite figure"),
        ("v1.2.3", "holds no figure"),
    ],
)
def test_an_expected_value_that_is_no_figure_is_refused_with_what_to_write(gold: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        numbers.parse_gold(gold)


@pytest.mark.parametrize(
    ("gold", "unit_class", "message"),
    [
        ("6.7%", "money", "is a percent figure, not money"),
        ("3rd", "count", "is an ordinal figure, not count"),
        ("$5", "percent", "is a money figure, not percent"),
        ("12.5", "ordinal", "not ordinal"),
        ("12", "range", "not range"),
        ("12", "weight", "unit class 'weight' is not known: one of plain, money"),
    ],
)
def test_an_expected_value_of_another_class_is_refused(gold: str, unit_class: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        numbers.parse_gold(gold, unit_class)


@pytest.mark.parametrize(
    ("gold", "unit_class"),
    [
        ("12", "count"),
        ("611,300,000", "money"),
        ("6.7", "percent"),
        ("3", "ordinal"),
        ("1.5", "points"),
        ("$34", "plain"),
    ],
)
def test_a_bare_expected_value_takes_its_declared_class(gold: str, unit_class: Any) -> None:
    assert numbers.parse_gold(gold, unit_class).unit_class == unit_class


def test_a_declared_currency_makes_money_and_an_unknown_one_is_refused() -> None:
    assert numbers.parse_gold("611", currency="INR").currency == "INR"
    with pytest.raises(ValueError, match="currency 'XYZ' is not known: a code such as USD"):
        numbers.parse_gold("611", currency="XYZ")


def test_the_default_scale_reads_only_unmarked_expected_values() -> None:
    assert numbers.parse_gold("2,846", default_scale="million").value == Decimal(2_846_000_000)
    assert numbers.parse_gold("$2.8 billion", default_scale="million").value == Decimal("2.8e9")
    assert numbers.parse_gold("6.7%", default_scale="million").value == Decimal("6.7")


# --- languages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [("auto", "auto"), ("de", "de"), ("de_DE", "de"), ("en-US", "en"), ("de-CH", "en"), ("FR.utf8", "fr")],
)
def test_a_locale_is_known_by_its_language_and_sometimes_by_its_country(name: str, expected: str) -> None:
    assert rules.locale(name) == expected


@pytest.mark.parametrize(("name", "near"), [("xx", "use a language code"), ("frr", "did you mean 'fr'"), ("", "use a")])
def test_an_unknown_locale_is_refused_with_the_nearest_one(name: str, near: str) -> None:
    with pytest.raises(ValueError, match=near):
        numbers.find("12", locale=name)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("There are 12 features in the domain.", "en"), ("Il y a 12 features dans le domaine.", "fr"),
        ("Es gibt 1.234 Features.", "de"), ("Clôturé le 03/04/2023.", "fr"), ("La tienda se cerró en España.", "es"),
        ("Ci sono dodici negozi nella città.", "it"), ("As vendas não foram boas.", "pt"), ("12", None), ("", None),
        ("AVG_BASKET 12", None), ("Total: 611.289", None),
    ],
)  # fmt: skip
def test_the_language_is_guessed_where_the_words_tell_and_else_left_open(text: str, language: str | None) -> None:
    assert rules.language(page(text)) == language


# --- tables -------------------------------------------------------------------------------------------------------


def test_folding_keeps_every_character_in_its_place() -> None:
    sample = [*range(0x3000), *range(0xFB00, 0x10000), *range(0x1D000, 0x1E000, 7), sys.maxunicode]
    text = "".join(chr(c) for c in sample if not 0xD800 <= c < 0xE000)
    folded = Page(text)
    assert len(folded.text) == len(folded.lower) == len(text)


def test_every_scale_word_has_one_meaning_and_is_folded() -> None:
    words = [w for table in scales._WORDS.values() for w in table.split()]
    assert [w for w, n in Counter(map(scales.fold, words)).items() if n > 1] == []
    for table in (scales.SCALES, scales.SHORT_SUFFIXES, scales.MULTIPLES, currencies.WORDS, currencies.ADJECTIVES):
        assert [w for w in table if Page(w).lower != w] == []


def test_every_currency_leads_to_a_code_or_a_group() -> None:
    known = set(currencies.CODES.values()) | currencies.GROUPS.keys()
    for table in (
        currencies.SYMBOLS,
        currencies.WORDS,
        currencies.PREFIXES,
        currencies.CJK_WORDS,
        currencies.ADJECTIVES,
    ):
        own = {sign for sign, code in currencies.SYMBOLS.items() if sign == code}
        assert {c for c in table.values() if c not in known | own and len(c) != 3} == set()


def test_no_word_makes_a_percentage_and_points_alike_and_every_unit_has_a_size() -> None:
    assert cues.PERCENT.isdisjoint(cues.POINTS)
    assert all(measure.size > 0 for table in (units.SYMBOLS, units.WORDS) for measure in table.values())
