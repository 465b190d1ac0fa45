"""The quick way to "equal" never says so of results that are not, whatever they hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_graph_eval.metrics.trajectory import sparql
from pytest_graph_eval.metrics.trajectory.verbatim import is_verbatim
from pytest_graph_eval.records import ToolCall
from pytest_graph_eval.steps import Step

KINDS = st.sampled_from(
    [{"type": "uri"}, {"type": "literal"}, {"type": "bnode"}, {"type": "literal", "xml:lang": "en"}]
)
NUMBER = {"datatype": "http://www.w3.org/2001/XMLSchema#integer"}
CELLS = st.one_of(
    st.builds(lambda kind, value: {"type": kind["type"], "value": value, **kind}, KINDS, st.sampled_from("ab")),
    st.builds(lambda value: {"type": "literal", "value": value, **NUMBER}, st.sampled_from(["1", "01", "2"])),
)
NAMES = st.sampled_from([["x"], ["x", "y"], ["y", "x"], ["u", "v"], ["x", "v"], ["x", "y", "z"]])
ODD = st.sampled_from([None, 3, "x", {"value": "a"}, {"type": "uri", "value": 3}, {"type": "uri", "value": {"a": 1}}])


@st.composite
def results(draw: st.DrawFn, cells: st.SearchStrategy[Any] = CELLS) -> dict[str, Any]:
    names = draw(NAMES)
    rows = st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(names, cells)), max_size=3)
    full = st.lists(st.fixed_dictionaries(dict.fromkeys(names, cells)), min_size=1, max_size=3)
    return {"head": {"vars": names}, "results": {"bindings": draw(full | rows)}}


@settings(max_examples=250, deadline=None)
@given(results(), results() | results(CELLS | ODD), st.booleans(), st.sampled_from([None, ["x"], ["y", "x"], ["q"]]))
def test_what_is_written_alike_is_equal_by_its_terms_as_well(
    expected: Any, found: Any, ignore_duplicates: bool, columns: Any
) -> None:
    step = Step(
        tool="q", output=expected, required_columns=columns, ignore_duplicates=ignore_duplicates, expect_empty=True
    )
    call = ToolCall(name="q", output=json.dumps(found))
    if is_verbatim(step, call):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sparql, "is_verbatim", lambda *_: False)
            assert sparql.compare_sparql(step, call).score == 1


@given(results(st.builds(lambda value: {"type": "uri", "value": value}, st.sampled_from("abc"))), st.data())
def test_rows_in_another_order_are_written_alike_and_a_changed_cell_is_not(found: Any, data: st.DataObject) -> None:
    rows, names = found["results"]["bindings"], found["head"]["vars"]
    if not rows or any(len(row) != len(names) for row in rows):
        return
    step = Step(tool="q", output=found, ignore_duplicates=False)
    shuffled = {**found, "results": {"bindings": data.draw(st.permutations(rows))}}
    assert is_verbatim(step, ToolCall(name="q", output=shuffled))
    changed = [*rows[:-1], {**rows[-1], names[0]: {"type": "uri", "value": "another"}}]
    assert not is_verbatim(step, ToolCall(name="q", output={**found, "results": {"bindings": changed}}))


URI = [{"type": "uri", "value": "a"}, {"type": "uri", "value": "b"}]
SWAPPED = [{"x": URI[1], "y": URI[0]}]


@pytest.mark.parametrize(
    ("found", "options", "told"),
    [
        ({"head": {"vars": ["x", "y"]}, "results": {"bindings": [{"x": URI[0], "y": URI[1]}]}}, {}, True),
        ({"head": {"vars": ["u", "v"]}, "results": {"bindings": [{"u": URI[1], "v": URI[0]}]}}, {}, True),
        ({"head": {"vars": ["x", "y"]}, "results": {"bindings": SWAPPED}}, {}, False),
        ({"head": {"vars": ["x", "v"]}, "results": {"bindings": [{"x": URI[0], "v": URI[1]}]}}, {}, False),
        ({"head": {"vars": ["x", "y"]}, "results": {"bindings": [{"x": URI[0], "y": URI[1]}] * 2}}, {}, True),
        ({"head": {"vars": ["x", "y"]}, "results": {"bindings": [{"x": URI[0], "y": URI[1]}] * 2}},
         {"ignore_duplicates": False}, False),
        ({"head": {"vars": ["x", "y"]}, "results": {"bindings": [{"x": URI[0], "y": URI[1]}]}},
         {"ordered": True}, False),
        ({"head": {"vars": ["x"]}, "results": {"bindings": [{"x": URI[0]}]}}, {"required_columns": ["x"]}, True),
        ({"boolean": True}, {}, False), ([], {}, False), (None, {}, False), ("{", {}, False), (3, {}, False),
        ({"head": None, "results": {"bindings": [1]}}, {}, False), ({"results": {"bindings": 3}}, {}, False),
    ],
)  # fmt: skip
def test_it_says_nothing_where_more_has_to_be_looked_at(found: Any, options: dict[str, Any], told: bool) -> None:
    expected = {"head": {"vars": ["x", "y"]}, "results": {"bindings": [{"x": URI[0], "y": URI[1]}]}}
    step = Step.model_validate({"tool": "q", "output": expected, **options})
    assert is_verbatim(step, ToolCall(name="q", output=found)) is told
