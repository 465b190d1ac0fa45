"""Outputs of tools against those that are expected: ids, IRIs, JSON, text, and which comparator looks at them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_graph_eval.metrics.trajectory.comparators import chosen, compare
from pytest_graph_eval.metrics.trajectory.comparison import Comparison
from pytest_graph_eval.metrics.trajectory.ids import average_precision, f1, recall_at_k
from pytest_graph_eval.metrics.trajectory.kept import Kept
from pytest_graph_eval.metrics.trajectory.outputs import decoded, unwrapped
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step
from tests.unit.query_results import iri, select, text, triple


def found(kind: str, expected: Any, output: Any, *, args: Any = None, **step: Any) -> Comparison:
    return compare(
        Step(tool="t", compare=kind, output=expected, **step), ToolCall(name="t", output=output, args=args or {})
    )


# --- which comparator -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        ({"tool": "sparql_query", "compare": "text"}, "text"),
        ({"tool": "sparql_query"}, "sparql"),
        ({"tool": "mcp__graph__sparql_query"}, "sparql"),
        ({"tool": "run", "output_media_type": "application/sparql-results+json"}, "sparql"),
        ({"tool": "run", "output_media_type": "Text/Turtle; charset=utf-8"}, "sparql"),
        ({"tool": "sparql_query", "output_media_type": "application/json"}, "json"),
        ({"tool": "retrieval", "output_media_type": "text/plain"}, "text"),
        ({"tool": "retrieval"}, "ids"),
        ({"tool": "retrieve_time_series"}, "time_series"),
        ({"tool": "retrieve_data_points"}, "data_points"),
        ({"tool": "iri_discovery", "output": "urn:a"}, "iri"),
        ({"tool": "autocomplete_search", "output": "urn:a"}, "iri"),
        ({"tool": "autocomplete_search", "output": ["urn:a", "urn:b"]}, "iri"),
        ({"tool": "autocomplete_search", "output": '{"head": {}}'}, "text"),
        ({"tool": "autocomplete_search", "output": {"head": {}}}, "json"),
        ({"tool": "calc", "output": "5"}, "text"),
        ({"tool": "calc", "output": 5}, "json"),
        ({"tool": "calc", "output": [1], "output_media_type": "application/x-unknown"}, "json"),
    ],
)
def test_the_comparator_is_chosen_by_key_media_type_tool_and_output(step, kind):
    assert chosen(Step(**step)) == kind


def test_a_step_compared_by_its_arguments_takes_any_output():
    assert found("args", "5", "6").score == 1.0


@pytest.mark.parametrize("kind", ["sparql", "ids", "json", "text"])
def test_a_step_without_an_output_cannot_be_compared(kind):
    result = found(kind, None, "x")
    assert (result.score, result.code, result.is_error) == (0.0, "nothing_expected", True)
    assert result.reason == "the reference step has no output to compare with; give it an `output:`"


# --- ids ------------------------------------------------------------------------------------------------------------


def documents(*ids: Any) -> str:
    return json.dumps([{"id": i, "text": f"text of {i}"} for i in ids])


@pytest.mark.parametrize(
    ("expected", "output", "k", "score"),
    [
        (documents(1, 2), documents(2, 1), 2, 1.0),
        (documents("a", "b", "c", "d"), documents("a", "z", "b", "c", "y"), 5, 0.75),
        (documents("a", "b", "c"), documents("b"), 1, 1.0),
        (documents("a", "b", "c"), documents("x", "b", "a"), 2, 0.5),
        (documents("a", "a", "b"), documents("a", "b"), 3, 1.0),
        (documents("a"), documents("a", "a"), None, 1.0),
        (documents("a"), documents("a"), 0, 0.0),
        (documents("a"), documents("x", "a"), "1", 0.0),
        (documents("a"), documents("x", "a"), "many", 1.0),
        (documents("a"), documents("x", "a"), -1, 1.0),
        (documents("a"), documents("x", "a"), True, 1.0),
        (documents(1), documents("1"), None, 0.0),
        (documents(1), documents(1.0), None, 1.0),
        (documents(1), documents(True), None, 0.0),
        (["a", "b"], ["b"], None, 0.5),
        (["a"], {"documents": [{"id": "a"}], "took": 5}, None, 1.0),
        (["a"], [{"text": "no id"}], None, 0.0),
        (["a"], [], None, 0.0),
        ([{"id": "a"}], [{"type": "text", "text": "[]", "id": "a"}], None, 1.0),
    ],
)
def test_retrieval_is_scored_by_recall_at_k(expected, output, k, score):
    assert found("ids", expected, output, args={} if k is None else {"k": k}).score == score


def test_the_steps_own_k_comes_first():
    assert found("ids", ["a"], ["x", "a"], args={"k": 2}, k=1).score == 0.0


def test_ids_that_are_missing_are_named_with_the_other_measures():
    result = found("ids", ["a", "b", "c", "d"], ["x", "a", "y", "b"], args={"k": 3})
    assert result.code == "ids_missing"
    assert result.reason == '3 of 4 expected ids not among the first 3: "b", "c", "d"'
    assert result.measures == pytest.approx(
        {"recall": 1 / 3, "precision": 1 / 3, "f1": 1 / 3, "average_precision": 0.25}
    )


def test_nothing_relevant_is_an_error_unless_it_is_meant():
    result = found("ids", "[]", "[]")
    assert (result.score, result.code, result.is_error) == (0.0, "empty_reference", True)
    assert found("ids", "[]", "[]", expect_empty=True).score == 1.0
    assert found("ids", None, "[]", expect_empty=True).score == 1.0
    result = found("ids", "[]", documents("a"), expect_empty=True)
    assert (result.score, result.reason) == (0.0, "nothing should be retrieved, 1 items were")


def test_what_is_no_list_of_ids_is_told_apart_by_side():
    result = found("ids", ["a"], "no hits")
    assert (result.score, result.code, result.is_error) == (0.0, "not_ids", False)
    assert result.reason == 'the output is no list of ids, or of objects with `id`: "no hits"'
    for expected in ("text", [{"text": "a"}], {"a": [], "b": []}):
        result = found("ids", expected, ["a"])
        assert (result.code, result.is_error) == ("not_ids", True)


def test_measures_of_rankings():
    assert recall_at_k(range(12), range(12)) == 1.0
    assert recall_at_k([], [1], 5) == recall_at_k([1], [1], 0) == 0.0
    assert average_precision("ab", "axb") == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision("a", "aa") == 1.0
    assert average_precision([], "a") == average_precision("a", "x") == 0.0
    assert f1(0.5, 1.0) == pytest.approx(2 / 3)
    assert f1(0.0, 0.0) == 0.0
    assert f1(None, 0.5) is None


# --- IRIs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "score"),
    [
        (select(["x"], iri("urn:ex:bay7")), 1.0),
        (json.dumps(select(["x", "y"], [iri("urn:ex:t1"), iri("urn:ex:bay7")])), 1.0),
        (select(["x"], triple(iri("urn:ex:bay7"), iri("urn:p"), text("x"))), 1.0),
        ([{"iri": "urn:ex:bay7", "label": "Bay 7"}], 1.0),
        ("urn:ex:bay7\n", 1.0),
        ("<urn:ex:bay7>", 1.0),
        ("@prefix ex: <urn:ex:> . ex:bay7 a ex:Bay .", 1.0),
        (select(["x"], iri("urn:ex:bay77")), 0.0),
        (select(["x"], text("urn:ex:bay7")), 0.0),
        (select(["x"]), 0.0),
        ({"boolean": True}, 0.0),
        ({"results": {"bindings": ["urn:ex:bay7"]}}, 0.0),
        ("not found: urn:ex:bay7", 0.0),
        ("no hits", 0.0),
        (None, 0.0),
    ],
)
def test_an_iri_is_a_whole_cell(output, score):
    result = found("iri", "urn:ex:bay7", output)
    assert (result.score, result.is_error) == (score, False)
    assert result.reason == ("" if score else "not in the output: urn:ex:bay7")


def test_several_iris_must_all_be_there():
    output = select(["x"], iri("urn:a"), iri("urn:b"))
    assert found("iri", ["<urn:a>", "urn:b"], output).score == 1.0
    assert found("iri", ["urn:a", "urn:c"], output).reason == "not in the output: urn:c"


@pytest.mark.parametrize("expected", [None, [], "", 5])
def test_a_reference_without_an_iri_is_an_error(expected):
    result = found("iri", expected, "urn:a")
    assert (result.code, result.is_error) == ("nothing_expected", True)
    assert result.reason == "the reference output is no IRI and no list of IRIs"


# --- JSON and text --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "output", "difference"),
    [
        ('{"a": 1, "b": [1, 2]}', '{"b":[1,2],"a":1}', None),
        ({"a": 1}, '{"a": 1.0}', None),
        ("1", "1.0", None),
        ("[0.1]", "[0.10000000000000002]", None),
        ("[NaN]", "[NaN]", None),
        ("null", "null", None),
        ("[1, 2]", "[2, 1]", "output $[0]: 1 expected, 2 found"),
        ("[1, 2]", "[1]", "output $: 2 items expected, 1 found"),
        ('{"n": true}', '{"n": 1}', "output $.n: true expected, 1 found"),
        ('{"n": 0}', '{"n": null}', "output $.n: 0 expected, null found"),
        ('{"a": {"b": 1}}', '{"a": {}}', "output $.a.b: 1 expected, nothing found"),
        ('{"a": {}}', '{"a": {"b": 1}}', "output $.a.b: nothing expected, 1 found"),
        ("{}", "[]", "output $: {} expected, [] found"),
        ("10000000001", "10000000002", "output $: 10000000001 expected, 10000000002 found"),
        ([1], "no rows", 'the output is no JSON: "no rows"'),
        ([1], None, "output $: [1] expected, null found"),
    ],
)
def test_json_is_compared_by_value_and_the_first_difference_is_named(expected, output, difference):
    result = found("json", expected, output)
    assert (result.score, result.reason) == ((1.0, "") if difference is None else (0.0, difference))
    assert not result.is_error


def test_a_reference_that_is_no_json_is_an_error():
    result = found("json", "{broken", "{}")
    assert (result.score, result.code, result.is_error) == (0.0, "not_json", True)
    assert "`compare: text`" in result.reason


@pytest.mark.parametrize(
    ("expected", "output", "score"),
    [
        ("42", "42", 1.0),
        ("42", {"content": [{"type": "text", "text": "42"}]}, 1.0),
        ("42", "42\n", 0.0),
        ("42", 42, 0.0),
        ("\u00e5", "a\u030a", 0.0),
        ("a", None, 0.0),
        ([1], [1], 1.0),
    ],
)
def test_text_is_compared_character_by_character(expected, output, score):
    result = found("text", expected, output)
    assert (result.score, result.code) == (score, "" if score else "text_differs")


def test_outputs_are_taken_out_of_what_is_around_them():
    pictures = [{"type": "image", "data": "…"}]
    assert unwrapped({"content": [*pictures, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}) == "a\nb"
    assert unwrapped(pictures) == pictures
    assert unwrapped({"result": {"a": 1}}) == {"result": {"a": 1}}
    assert unwrapped([]) == []
    assert decoded('"{\\"a\\": 1}"') == {"a": 1}
    assert decoded("[1") == "[1"


# --- keeping what was read ------------------------------------------------------------------------------------------


def test_what_was_read_is_kept_by_object_within_a_limit():
    calls: list[Any] = []

    def read(owner: list[int], factor: int = 1) -> int:
        calls.append(owner)
        return len(owner) * factor

    kept = Kept(read, size=lambda result: result, most=4)
    one, twin, large = [1, 1], [1, 1], [0] * 9
    assert (kept(one), kept(one), len(calls)) == (2, 2, 1)
    assert (kept(twin), len(calls)) == (2, 2)
    assert (kept(one, 3), len(calls)) == (6, 3)
    assert (kept(one), len(calls)) == (2, 4)
    assert (kept(large), kept(large), len(calls)) == (9, 9, 5)
    kept.forget()
    assert (kept(large), len(calls)) == (9, 6)
