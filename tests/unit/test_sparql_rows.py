"""Which results of queries are equal: columns, order, repetition, blank nodes, and what is said of the others."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from tests.unit.query_results import blank, compared, iri, select, text, triple, typed

A, B, C = (iri(f"urn:{name}") for name in "abc")
PAIRS = select(["s", "n"], [A, text("A")], [B, text("B")])


# --- columns --------------------------------------------------------------------------------------------------------


def test_columns_may_be_renamed_and_permuted():
    assert compared(PAIRS, select(["name", "node"], [text("B"), B], [text("A"), A])).score == 1.0


def test_values_are_told_in_renamed_columns_whatever_their_spelling():
    reference = select(["s", "n"], [A, typed("1.50", "decimal")], [B, typed("2", "decimal")])
    for one, two in (("1.5", "2.0"), ("01.50", "2")):
        found = select(["x", "y"], [typed(two, "decimal"), B], [typed(one, "decimal"), A])
        assert compared(reference, found).score == 1.0
    found = select(["x", "y"], [typed("2", "decimal"), B], [typed("1.51", "decimal"), A])
    assert compared(reference, found).score == 0.0


def test_equal_texts_of_other_datatypes_differ():
    reference = select(["s", "n"], [A, typed("1", "boolean")], [B, typed("1", "boolean")])
    found = select(["x", "y"], [A, typed("1", "integer")], [B, typed("1", "integer")])
    assert compared(reference, found).score == 0.0


def test_a_text_that_its_datatype_does_not_know_equals_only_itself():
    reference = select(["s", "n"], [A, typed("1.0", "decimal")], [B, typed("much", "decimal")])
    found = select(["x", "y"], [B, typed("much", "decimal")], [A, typed("1", "decimal")])
    assert compared(reference, found).score == 1.0
    found = select(["x", "y"], [B, typed("more", "decimal")], [A, typed("1", "decimal")])
    assert compared(reference, found).score == 0.0


def test_more_columns_than_expected_do_not_count():
    found = select(["x", "name", "node"], [text("1"), text("B"), B], [text("1"), text("A"), A])
    assert compared(PAIRS, found).score == 1.0


def test_columns_are_told_by_name_where_all_names_are_there():
    swapped = select(["s", "n"], [text("A"), A], [text("B"), B])
    assert compared(PAIRS, swapped).score == 0.0
    assert compared(select(["a", "b"], [A, B]), select(["b", "a"], [A, B])).score == 0.0


def test_columns_that_match_one_by_one_but_not_in_rows_differ():
    result = compared(PAIRS, select(["x", "y"], [A, text("B")], [B, text("A")]))
    assert (result.score, result.code) == (0.0, "rows_differ")
    assert "columns compared: s=x, n=y" in result.reason


def test_only_required_columns_count():
    found = select(["s", "n"], [B, text("?")], [A, text("?")])
    assert compared(PAIRS, found).score == 0.0
    assert compared(PAIRS, found, required_columns=["?s"]).score == 1.0


def test_fewer_columns_than_required_are_not_enough():
    result = compared(PAIRS, select(["s"], A, B))
    assert (result.score, result.code) == (0.0, "columns_missing")
    assert result.reason == "columns s, n expected, s found"


def test_no_required_columns_ask_for_any_rows():
    assert compared(PAIRS, select(["x"], C), required_columns=[]).score == 1.0
    result = compared(PAIRS, select(["x"]), required_columns=[])
    assert (result.score, result.reason) == (0.0, "any rows expected, 0 found")


@pytest.mark.parametrize("step", [{"required_columns": ["s", "typo"]}, {"ordered": True, "order_by": ["typo"]}])
def test_a_column_that_the_reference_does_not_have_is_an_error(step):
    result = compared(PAIRS, PAIRS, **step)
    assert (result.score, result.code, result.is_error) == (0.0, "unknown_column", True)
    assert result.reason == "no columns of the reference output: typo; it has s, n"


def test_a_column_may_stand_for_one_expected_column_only():
    expected = select(["a", "b"], [A, A], [B, B])
    assert compared(expected, select(["x", "y"], [A, text("1")], [B, text("2")])).score == 0.0
    assert compared(expected, select(["x", "y"], [A, A], [B, B])).score == 1.0


# --- order and repetition -------------------------------------------------------------------------------------------


def test_rows_may_come_in_any_order_unless_it_counts():
    expected, found = select(["s"], A, B, C), select(["x"], C, B, A)
    assert compared(expected, found).score == 1.0
    result = compared(expected, found, ordered=True)
    assert (result.score, result.code, result.measures["f1"]) == (0.0, "order", 1.0)
    assert result.reason == (
        "the rows are the expected ones in another order, first at row 1: row 1 (s=<urn:a>) expected, "
        "row 1 (x=<urn:c>) found (columns compared: s=x)"
    )
    assert compared(expected, select(["x"], A, B, C), ordered=True).score == 1.0


def test_rows_that_tie_may_swap():
    names, ties = ["s", "n"], {"ordered": True, "order_by": ["DESC(?n)"]}
    expected = select(names, [A, typed("2", "integer")], [B, typed("2.0", "decimal")], [C, typed("1", "integer")])
    swapped = select(names, [B, typed("2", "integer")], [A, typed("2", "integer")], [C, typed("1", "integer")])
    wrong = select(names, [A, typed("2", "integer")], [C, typed("1", "integer")], [B, typed("2", "integer")])
    assert compared(expected, swapped, **ties).score == 1.0
    assert compared(expected, swapped, ordered=True).score == 0.0
    assert compared(expected, wrong, **ties).code == "order"
    assert compared(expected, swapped, order_by=["n"]).score == 1.0
    assert compared(expected, wrong, order_by=["n"]).score == 0.0


def test_ties_are_the_references_where_their_column_is_not_required():
    expected = select(["s", "n"], [A, text("1")], [B, text("1")], [C, text("2")])
    ties = {"ordered": True, "order_by": ["n"], "required_columns": ["s"]}
    assert compared(expected, select(["x"], B, A, C), **ties).score == 1.0
    assert compared(expected, select(["x"], A, C, B), **ties).score == 0.0


def test_repeated_rows_count_on_request_and_where_the_order_does():
    once, twice = select(["s"], A, B), select(["s"], A, A, B)
    assert compared(once, twice).score == 1.0
    for step in ({"ignore_duplicates": False}, {"ordered": True}):
        for one, other in ((once, twice), (twice, once)):
            result = compared(one, other, **step)
            assert (result.score, result.code) == (0.0, "rows_differ")
    assert compared(twice, once, ignore_duplicates=False).reason == "1 of 3 rows missing: row 2 (s=<urn:a>)"


def test_repetition_is_looked_at_in_the_required_columns():
    expected = select(["s"], A, B)
    found = select(["x", "y"], [A, text("1")], [A, text("2")], [B, text("3")])
    assert compared(expected, found).score == 1.0
    assert compared(expected, found, ignore_duplicates=False).score == 0.0


# --- what is said ---------------------------------------------------------------------------------------------------


def test_rows_that_differ_are_measured_and_shown():
    expected = select(["s"], A, B, C)
    found = select(["s"], A, text("x" * 200), triple(A, iri("urn:p"), blank("b")), B, text("d", "de"))
    result = compared(expected, found)
    assert result.measures == {"precision": 2 / 5, "recall": 2 / 3, "f1": 0.5}
    long = "x" * 79 + "…"
    assert result.reason == (
        f'1 of 3 rows missing: row 3 (s=<urn:c>); 3 of 5 rows not expected: row 2 (s="{long}"); '
        "row 3 (s=<< <urn:a> <urn:p> _:b >>); …"
    )


def test_an_equal_result_has_full_measures():
    assert compared(PAIRS, PAIRS).measures == {"precision": 1.0, "recall": 1.0, "f1": 1.0}


def test_a_message_stays_in_one_line():
    assert "\n" not in compared(select(["s"], text("a\nb")), select(["s"], text("c\r\nd"))).reason


def test_the_closest_columns_are_shown_where_names_do_not_tell():
    rows = [[iri(f"urn:{n}"), typed(str(n), "integer"), text(f"name {n}")] for n in range(50)]
    moved = [[row[2], row[0], row[1]] for row in reversed(rows)]
    moved[7] = [text("wrong"), *moved[7][1:]]
    result = compared(select(["s", "n", "l"], *rows), select(["x", "y", "z"], *moved))
    assert result.measures["f1"] == pytest.approx(49 / 50)
    assert "row 43" in result.reason
    assert "columns compared: s=y, n=z, l=x" in result.reason


# --- blank nodes ----------------------------------------------------------------------------------------------------


def chain(*labels: str) -> dict:
    return select(["a", "b"], *([blank(one), blank(other)] for one, other in pairwise(labels)))


def test_blank_nodes_are_renamed_each_to_another_one():
    expected = select(["s", "o"], [blank("b"), text("x")], [blank("b"), text("y")], [blank("c"), text("z")])
    same = select(["s", "o"], [blank("2"), text("z")], [blank("1"), text("y")], [blank("1"), text("x")])
    merged = select(["s", "o"], [blank("1"), text("z")], [blank("1"), text("y")], [blank("1"), text("x")])
    assert compared(expected, same).score == 1.0
    assert compared(expected, merged).score == 0.0


def test_blank_nodes_are_told_apart_by_their_neighbours():
    assert compared(chain("a", "b", "c", "d"), chain("9", "8", "7", "6")).score == 1.0
    assert compared(chain("a", "b", "c", "d"), chain("9", "8", "9", "6")).score == 0.0


def ring(*labels: str) -> list:
    return [[blank(one), blank(other)] for one, other in zip(labels, (*labels[1:], labels[0]), strict=True)]


def test_rings_that_neighbours_cannot_tell_apart_are_tried():
    """Two rings of three against one of six: each node has one neighbour on either side."""
    two, one = [*ring("a", "b", "c"), *ring("d", "e", "f")], ring("1", "2", "3", "4", "5", "6")
    names = ["x", "y"]
    result = compared(select(names, *two), select(names, *one))
    assert (result.score, result.code) == (0.0, "blank_nodes")
    assert result.reason == "the rows differ in which blank nodes are the same"
    assert compared(select(names, *two), select(names, *reversed(two))).score == 1.0
    other = [*ring("z", "q", "w"), *ring("o", "p", "k")]
    assert compared(select(names, *two), select(["m", "n"], *other)).score == 1.0


def test_blank_nodes_decide_between_columns():
    expected = select(["a", "b"], [blank("x"), blank("y")], [blank("x"), blank("z")])
    assert compared(expected, select(["m", "n"], [blank("1"), blank("2")], [blank("3"), blank("2")])).score == 1.0


def test_blank_nodes_in_triples_are_the_same_as_elsewhere():
    def stated(inside: str, outside: str) -> dict:
        return select(["t", "b"], [triple(blank(inside), iri("urn:p"), A), blank(outside)])

    assert compared(stated("x", "x"), stated("y", "y")).score == 1.0
    assert compared(stated("x", "x"), stated("y", "z")).score == 0.0
    assert compared(stated("x", "y"), stated("z", "z")).score == 0.0


def test_blank_nodes_keep_the_order_of_rows():
    one, other = (
        select(["s", "o"], [blank("a"), A], [blank("b"), B]),
        select(["s", "o"], [blank("1"), B], [blank("2"), A]),
    )
    assert compared(one, other).score == 1.0
    assert compared(one, other, ordered=True).score == 0.0
    assert compared(one, select(["s", "o"], [blank("b"), A], [blank("a"), B]), ordered=True).score == 1.0


# --- forms ----------------------------------------------------------------------------------------------------------

YES, NO = {"head": {}, "boolean": True}, {"head": {}, "boolean": False}


@pytest.mark.parametrize(
    ("expected", "found", "score", "code"),
    [
        (YES, YES, 1.0, ""),
        (NO, NO, 1.0, ""),
        (YES, NO, 0.0, "boolean_differs"),
        (True, YES, 1.0, ""),
        (YES, "true", 1.0, ""),
        (YES, PAIRS, 0.0, "other_form"),
        (YES, {"boolean": "true"}, 0.0, "not_a_result"),
        (YES, {"boolean": 1}, 0.0, "not_a_result"),
        (YES, 1, 0.0, "not_a_result"),
    ],
)
def test_ask_is_yes_or_no(expected, found, score, code):
    for step in ({}, {"required_columns": []}, {"required_columns": ["ignored"]}):
        result = compared(expected, found, **step)
        assert (result.score, result.code, result.is_error) == (score, code, False)


def test_rows_are_no_yes_or_no():
    assert compared(PAIRS, YES).reason == "rows expected, yes or no found"


def test_an_empty_reference_is_an_error_unless_it_is_meant():
    empty, other = select(["s"]), select(["x"])
    result = compared(empty, empty)
    assert (result.score, result.code, result.is_error) == (0.0, "empty_reference", True)
    assert "`expect_empty: true`" in result.reason
    assert compared(empty, other, expect_empty=True).score == 1.0
    result = compared(empty, select(["s"], A), expect_empty=True)
    assert (result.score, result.reason, result.is_error) == (0.0, "no rows expected, 1 found", False)
    assert compared(select(["s", "n"]), empty, expect_empty=True).code == "columns_missing"
    assert compared(empty, NO, expect_empty=True).code == "other_form"
    assert compared(PAIRS, select(["s", "n"])).reason.startswith("2 of 2 rows missing: ")


def test_no_rows_may_be_expected_without_an_output():
    assert compared(None, select(["s"]), compare="sparql", expect_empty=True).score == 1.0
    assert compared(None, select(["s"], A), compare="sparql", expect_empty=True).score == 0.0
    result = compared(None, select(["s"], A), compare="sparql")
    assert (result.code, result.is_error) == ("nothing_expected", True)


WRAPPED = [
    json.dumps(PAIRS),
    json.dumps(PAIRS, indent=2).encode(),
    "\ufeff" + json.dumps(PAIRS),
    json.dumps(json.dumps(PAIRS)),
    [{"type": "text", "text": json.dumps(PAIRS)}],
    {"content": [{"type": "text", "text": json.dumps(PAIRS)}], "isError": False},
    {"content": [], "structuredContent": PAIRS},
    {"content": [{"type": "text", "text": "see below"}], "structuredContent": {"result": json.dumps(PAIRS)}},
    {"result": json.dumps(PAIRS)},
    {"results": PAIRS["results"]},
    {"head": {"vars": ["s", "n", "s"], "link": []}, "results": {**PAIRS["results"], "distinct": False}},
]


@pytest.mark.parametrize("output", WRAPPED)
def test_a_result_is_found_in_what_is_around_it(output):
    assert compared(PAIRS, output).score == 1.0
    assert compared(output, PAIRS).score == 1.0


NO_RESULTS = [
    None, "", "null", "[]", "no rows", "{broken", '"text"', 5, [], {}, {"head": {}}, {"results": None}, {"results": {}},
    {"results": {"bindings": None}}, {"results": {"bindings": [5]}}, {"head": {"vars": 5}, "results": {"bindings": []}},
    {"head": {"vars": [1]}, "results": {"bindings": []}}, "[" * 100_000, object(),
]  # fmt: skip


@pytest.mark.parametrize("output", NO_RESULTS, ids=lambda output: str(output)[:20])
def test_what_is_no_result_matches_nothing_and_says_so(output):
    result = compared(PAIRS, output)
    assert (result.score, result.code, result.is_error) == (0.0, "not_a_result", False)
    assert len(result.reason) < 300
    if output is not None:
        result = compared(output, PAIRS, compare="sparql")
        assert (result.score, result.code, result.is_error) == (0.0, "not_a_result", True)
        assert result.reason.startswith("the reference output: ")
