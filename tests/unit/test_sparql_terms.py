"""Which terms of query results are equal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.query_results import blank, compared, iri, select, text, triple, typed

LONG = "9" * 5000
EQUAL = [
    (typed("0fb8", "hexBinary"), typed("0FB8", "hexBinary")),
    (typed("5", "integer"), typed("5.0", "decimal")),
    (typed("5", "integer"), typed("5e0", "double")),
    (typed("05", "integer"), {"type": "typed-literal", "value": "+5", "datatype": "http://www.w3.org/2001/XMLSchema#int"}),
    (typed(" 5\n", "integer"), typed("5", "integer")),
    (typed("-0", "integer"), typed("0.0", "double")),
    (typed("0.1", "decimal"), typed("1.0E-1", "double")),
    (typed("0.30000000000000004", "double"), typed("0.3", "decimal")),
    (typed("1.5E3", "double"), typed("1500", "float")),
    (typed("INF", "double"), typed("+INF", "float")),
    (typed("NaN", "double"), typed("NaN", "float")),
    (typed("-7", "negativeInteger"), typed("-7", "nonPositiveInteger")),
    (typed(LONG, "integer"), typed("0" + LONG, "integer")),
    (typed("1", "boolean"), typed("true", "boolean")),
    (text("a"), typed("a", "string")),
    (text("a", "en-GB"), text("a", "EN-gb")),
    (typed("2023-01-31T00:00:00Z", "dateTime"), typed("2023-01-31T01:00:00.000+01:00", "dateTime")),
    (typed("2023-01-31T24:00:00", "dateTime"), typed("2023-02-01T00:00:00", "dateTimeStamp")),
    (typed("2023-01-31T00:00:00.10", "dateTime"), typed("2023-01-31T00:00:00.1", "dateTime")),
    (typed("-0044-03-15T12:00:00Z", "dateTime"), typed("-0044-03-15T13:00:00+01:00", "dateTime")),
    (typed("2023-01-31Z", "date"), typed("2023-01-31+00:00", "date")),
    (typed("10:00:00Z", "time"), typed("12:00:00+02:00", "time")),
    (typed("2023Z", "gYear"), typed("2023+00:00", "gYear")),
    (typed("P1Y2M", "duration"), typed("P14M", "yearMonthDuration")),
    (typed("P1D", "dayTimeDuration"), typed("PT24H", "duration")),
    (typed("-PT1.50S", "duration"), typed("-PT1.5S", "duration")),
    (typed("YQ ==", "base64Binary"), typed("YQ==", "base64Binary")),
    (typed("POINT(1 2)", "urn:wkt"), typed("POINT(1 2)", "urn:wkt")),
    (blank("a"), blank("b")),
    (None, None),
    (triple(iri("urn:a"), iri("urn:p"), typed("1", "int")), triple(iri("urn:a"), iri("urn:p"), typed("1.0", "double"))),
    ({"type": "literal", "value": 5}, text("5")),
]  # fmt: skip
DIFFERENT = [
    (typed("10000000001", "integer"), typed("10000000002", "integer")),
    (typed("10000000001", "integer"), typed("10000000002.0", "decimal")),
    (typed(LONG, "integer"), typed("1" + LONG[1:], "integer")),
    (typed("1.000001", "double"), typed("1.000009", "double")),
    (typed("0.000001", "double"), typed("0.000009", "double")),
    (typed("INF", "double"), typed("-INF", "double")),
    (typed("INF", "double"), typed("1E308", "double")),
    (typed("NaN", "double"), typed("0", "double")),
    (typed("5", "integer"), text("5")),
    (typed("1", "integer"), typed("1", "boolean")),
    (typed("true", "boolean"), text("True")),
    (typed("x", "integer"), typed("0", "integer")),
    (typed("1_0", "integer"), typed("10", "integer")),
    (typed("٣", "integer"), typed("3", "integer")),
    (text("a", "en"), text("a", "fr")),
    (text("a", "en"), text("a")),
    (text("a"), text("a ")),
    (text("a"), text("A")),
    (text("None"), None),
    (text(""), None),
    (iri("urn:a"), text("urn:a")),
    (iri("urn:a"), iri("urn:A")),
    (iri("urn:a"), typed("urn:a", "anyURI")),
    (iri("a"), blank("a")),
    (typed("2023-01-31T00:00:00Z", "dateTime"), typed("2023-01-31T00:00:00", "dateTime")),
    (typed("2023-01-31T00:00:00Z", "dateTime"), typed("2023-01-31T00:00:01Z", "dateTime")),
    (typed("2023-02-29T00:00:00Z", "dateTime"), typed("2023-03-01T00:00:00Z", "dateTime")),
    (typed("2023-01-31", "date"), typed("2023-01-31T00:00:00", "dateTime")),
    (typed("2023-01-31", "date"), typed("2023-01-31Z", "date")),
    (typed("P1M", "duration"), typed("P30D", "duration")),
    (typed("P1D", "duration"), typed("-P1D", "duration")),
    (typed("2023", "gYear"), typed("2023", "integer")),
    (triple(iri("urn:a"), iri("urn:p"), iri("urn:b")), triple(iri("urn:b"), iri("urn:p"), iri("urn:a"))),
    (triple(iri("urn:a"), iri("urn:p"), iri("urn:b")), iri("urn:a")),
]  # fmt: skip


def rows_of(one: Any) -> dict[str, Any]:
    """The term beside a row that is always there, so that an unbound one is seen."""
    return select(["x", "k"], [one, text("k")])


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_terms_of_one_value_are_equal(one, other):
    assert compared(rows_of(one), rows_of(other)).score == 1.0
    assert compared(rows_of(other), rows_of(one)).score == 1.0


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_terms_of_different_values_are_different(one, other):
    for expected, found in ((one, other), (other, one)):
        result = compared(rows_of(expected), rows_of(found))
        assert (result.score, result.code, result.is_error) == (0.0, "rows_differ", False)


@pytest.mark.parametrize("value", ["0" * 40_000 + "x", "1" * 40_000 + "." + "1" * 40_000 + "e", "P" + "1" * 40_000])
def test_long_texts_are_read_in_linear_time(value):
    for datatype in ("double", "dateTime", "duration", "boolean"):
        assert compared(rows_of(typed(value, datatype)), rows_of(typed(value, datatype))).score == 1.0


def test_lexical_literals_are_equal_by_their_characters_and_datatype():
    pairs = [
        (typed("5", "integer"), typed("5", "integer"), 1.0),
        (typed("5", "integer"), typed("05", "integer"), 0.0),
        (typed("5", "integer"), typed("5", "int"), 0.0),
        (text("5"), typed("5", "string"), 1.0),
    ]
    for one, other, score in pairs:
        assert compared(rows_of(one), rows_of(other), literals="lexical").score == score


LENIENT = [
    (text("5"), typed("5", "integer"), 1.0),
    (text("5.0"), typed("5", "integer"), 1.0),
    (text("0.30000000000000004"), typed("0.3", "double"), 1.0),
    (text("true"), typed("1", "boolean"), 1.0),
    (text("2023-01-31T00:00:00Z"), typed("2023-01-31T00:00:00+00:00", "dateTime"), 1.0),
    (text("POINT(1 2)"), typed("POINT(1 2)", "urn:wkt"), 1.0),
    (text("2023"), typed("2023", "gYear"), 1.0),
    (text("5"), typed("6", "integer"), 0.0),
    (text("007"), text("7"), 0.0),
    (text("5"), iri("5"), 0.0),
    (text("x"), typed("5", "integer"), 0.0),
    (text("NaN"), typed("NaN", "double"), 1.0),
    (text("-INF"), typed("-INF", "double"), 1.0),
    (text("nan"), typed("NaN", "double"), 0.0),
    (text("True"), typed("true", "boolean"), 0.0),
    (text("1"), typed("true", "boolean"), 0.0),
    (text(" 5 "), typed("5", "integer"), 1.0),
    (text("P1D"), typed("PT24H", "duration"), 1.0),
    (typed("5", "integer"), typed("5.0", "decimal"), 1.0),
]


@pytest.mark.parametrize(("one", "other", "score"), LENIENT)
def test_a_lenient_comparison_lets_an_untyped_literal_have_a_type(one, other, score):
    assert compared(rows_of(one), rows_of(other), literals="lenient").score == score
    assert compared(rows_of(other), rows_of(one), literals="lenient").score == score


def test_a_reference_that_mixes_typed_and_untyped_literals_is_compared_leniently():
    mixed = select(["a", "b"], [typed("5", "integer"), text("5")])
    for found in (
        [text("5"), text("5")],
        [typed("5", "integer"), typed("5", "integer")],
        [text("5"), typed("5", "int")],
    ):
        assert compared(mixed, select(["a", "b"], found), literals="lenient").score == 1.0


def test_languages_can_be_ignored():
    one, other = rows_of(text("Bern", "de")), rows_of(text("Bern", "fr"))
    assert compared(one, other).score == 0.0
    assert compared(one, other, language="ignore").score == 1.0
    assert compared(one, rows_of(text("Bern")), language="ignore").score == 1.0


BAD_CELLS = [
    "urn:a", 5, [], {}, {"type": "uri"}, {"value": "a"}, {"type": "uri", "value": None}, {"type": "uri", "value": 5},
    {"type": "word", "value": "a"}, {"type": ["uri"], "value": "a"}, {"type": "literal", "value": None},
    {"type": "literal", "value": "1", "datatype": []}, {"type": "literal", "value": "1", "datatype": 7},
    {"type": "literal", "datatype": "http://www.w3.org/2001/XMLSchema#boolean"}, {"type": "triple", "value": "a"},
    {"type": "triple", "value": {"subject": None}}, {"type": "literal", "value": 10**5000},
]  # fmt: skip


@pytest.mark.parametrize("cell", BAD_CELLS)
def test_a_cell_that_is_no_term_makes_no_result_and_says_where(cell):
    result = compared(rows_of(text("a")), rows_of(cell))
    assert (result.score, result.code, result.is_error) == (0.0, "not_a_result", False)
    assert "row 1, column x: " in result.reason


def test_triples_nested_without_end_are_no_terms():
    nested = iri("urn:a")
    for _ in range(100):
        nested = triple(nested, iri("urn:p"), iri("urn:o"))
    assert compared(rows_of(iri("urn:a")), rows_of(nested)).code == "not_a_result"


def test_numbers_of_the_reference_that_differ_by_noise_are_one():
    expected = select(
        ["k", "n"], [text("a"), typed("0.3", "double")], [text("b"), typed("0.30000000000000004", "double")]
    )
    found = select(["k", "n"], [text("a"), typed("0.3", "double")], [text("b"), typed("0.3", "double")])
    assert compared(expected, found).score == 1.0
