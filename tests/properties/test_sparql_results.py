"""Results of queries: what never changes that two are equal, what always does, and no reply that raises."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_graph_eval.metrics.trajectory.blank_nodes import Row, same_up_to_renaming
from pytest_graph_eval.metrics.trajectory.comparators import compare
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step
from tests.unit.query_results import blank, compared, iri, select, text, triple, typed

TERMS = [
    iri("urn:a"), iri("urn:b"), text("a"), text("a", "en"), text("1"), typed("1", "integer"), typed("2.5", "double"),
    typed("true", "boolean"), typed("2023-01-31T00:00:00Z", "dateTime"), typed("x", "urn:type"), None,
    blank("n0"), blank("n1"), blank("n2"), triple(blank("n0"), iri("urn:p"), iri("urn:b")),
]  # fmt: skip
SPELLINGS = {
    id(TERMS[5]): [typed("01", "int"), typed("1.0", "decimal")],
    id(TERMS[6]): [typed("25e-1", "float"), typed("2.50", "decimal")],
    id(TERMS[7]): [typed("1", "boolean")],
    id(TERMS[8]): [typed("2023-01-31T02:00:00+02:00", "dateTime")],
    id(TERMS[3]): [text("a", "EN")],
}
"""Other ways to write the same term."""

OTHER = iri("urn:not there")
MODES = st.fixed_dictionaries(
    {},
    optional={"ignore_duplicates": st.booleans(), "literals": st.sampled_from(["value", "lenient"]),
              "language": st.sampled_from(["match", "ignore"])},
)  # fmt: skip


@st.composite
def tables(draw: Any, width: int = 4, height: int = 6) -> list[list[Any]]:
    columns = draw(st.integers(1, width))
    few = draw(st.lists(st.sampled_from(TERMS), min_size=1, max_size=5, unique_by=id))
    row = st.lists(st.sampled_from(few), min_size=columns, max_size=columns)
    return draw(st.lists(row, min_size=1, max_size=height))


def renamed(term: Any, labels: dict[str, str]) -> Any:
    if term is not None and term["type"] == "bnode":
        return blank(labels[term["value"]])
    if term is not None and term["type"] == "triple":
        return {"type": "triple", "value": {place: renamed(inner, labels) for place, inner in term["value"].items()}}
    return term


@st.composite
def rewritten(draw: Any, rows: list[list[Any]]) -> dict[str, Any]:
    """The same rows: shuffled, columns permuted and renamed, blank nodes renamed, terms spelled in other ways."""
    fresh = draw(st.permutations(["x", "y", "n0"]))
    labels = dict(zip(("n0", "n1", "n2"), fresh, strict=True))
    order = draw(st.permutations(range(len(rows[0]))))
    written = [
        [renamed(draw(st.sampled_from([row[c], *SPELLINGS.get(id(row[c]), ())])), labels) for c in order]
        for row in draw(st.permutations(rows))
    ]
    return select([f"new{c}" for c in order], *written)


def named(rows: list[list[Any]]) -> dict[str, Any]:
    return select([f"c{n}" for n in range(len(rows[0]))], *rows)


@settings(deadline=None)
@given(st.data(), tables(), MODES)
def test_names_order_and_spelling_never_change_that_results_are_equal(data, rows, mode):
    result = compared(named(rows), data.draw(rewritten(rows)), **mode)
    assert (result.score, result.measures["f1"]) == (1.0, 1.0), result.reason


@settings(deadline=None)
@given(st.data(), tables(), MODES)
def test_another_cell_always_makes_results_differ(data, rows, mode):
    r, c = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(rows[0]) - 1))
    changed = [list(row) for row in rows]
    changed[r][c] = OTHER
    found = data.draw(rewritten(changed))
    for one, other in ((named(rows), found), (found, named(rows))):
        result = compared(one, other, **mode)
        assert result.score == 0.0
        assert result.code == "rows_differ"
        assert result.measures["f1"] < 1.0


@settings(deadline=None)
@given(st.data(), tables())
def test_one_row_more_or_less_makes_multisets_differ(data, rows):
    more = [*rows, rows[data.draw(st.integers(0, len(rows) - 1))]]
    for one, other in ((rows, more), (more, rows)):
        assert compared(named(one), data.draw(rewritten(other)), ignore_duplicates=False).score == 0.0


def plainly_equal(one: list[list[Any]], other: list[list[Any]]) -> bool:
    """Try every choice of columns and every renaming of blank nodes."""
    labels = ("n0", "n1", "n2")
    rows = {tuple(map(repr, row)) for row in one}
    return any(
        {tuple(repr(renamed(row[c], dict(zip(labels, fresh, strict=True)))) for c in order) for row in other} == rows
        for order, fresh in product(permutations(range(len(other[0]))), permutations(labels))
    )


GROUND = [iri("urn:a"), iri("urn:b"), *(blank(f"n{n}") for n in range(3))]


@settings(deadline=None, max_examples=150)
@given(st.data(), st.integers(1, 3))
def test_trying_all_columns_and_renamings_gives_the_same_verdict(data, width):
    row = st.lists(st.sampled_from(GROUND), min_size=width, max_size=width)
    one, other = (data.draw(st.lists(row, min_size=1, max_size=5)) for _ in range(2))
    names = [f"x{n}" for n in range(width)]
    assert compared(named(one), select(names, *other)).score == float(plainly_equal(one, other))


EDGES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=9)


def plainly_isomorphic(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> bool:
    nodes = [sorted({node for edge in edges for node in edge}) for edges in (one, other)]
    if len(nodes[0]) != len(nodes[1]):
        return False
    maps = (dict(zip(nodes[1], fresh, strict=True)) for fresh in permutations(nodes[0]))
    return any(sorted((m[a], m[b]) for a, b in other) == sorted(one) for m in maps)


@settings(deadline=None, max_examples=150)
@given(EDGES, EDGES, st.permutations(range(6)))
def test_graphs_of_blank_nodes_are_the_same_when_some_renaming_makes_them_so(one, other, fresh):
    def rows(edges: list[tuple[int, int]]) -> list[Row]:
        return [Row("edge", (str(a), str(b))) for a, b in edges]

    assert same_up_to_renaming(rows(one), rows([(fresh[a], fresh[b]) for a, b in reversed(one)]))
    assert same_up_to_renaming(rows(one), rows(other)) is plainly_isomorphic(one, other)


# --- whatever an agent replies --------------------------------------------------------------------------------------

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.just(10**400), st.floats(), st.text(max_size=8), st.binary(max_size=4),
    st.sampled_from(["now", "1h-ago", "urn:a", "uri", "bnode", "triple", "[1]", '{"id": 1}',
                     "@prefix : <urn:> . :a :b :c ."]),
)  # fmt: skip
KEYS = st.sampled_from(
    ["head", "vars", "results", "bindings", "boolean", "s", "type", "value", "datatype", "xml:lang", "content",
     "structuredContent", "text", "result", "id", "k", "mrid", "limit", "external_id", "start", "end",
     "granularity", "aggregates"]
)  # fmt: skip
DATA = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
STEPS = [
    Step(tool="t", compare="sparql", output=select(["s"], iri("urn:a")), literals="lenient"),
    Step(tool="t", compare="sparql", output=select(["s"], blank("a")), ordered=True),
    Step(tool="t", compare="sparql", output={"boolean": True}),
    Step(tool="t", compare="sparql", output="<urn:a> <urn:b> <urn:c> ."),
    Step(tool="t", compare="iri", output="urn:a"),
    Step(tool="t", compare="ids", output='[{"id": 1}, {"id": "a"}]'),
    Step(tool="t", compare="time_series", args={"mrid": ["m1"], "limit": 5}),
    Step(tool="t", compare="time_series", args={}),
    Step(
        tool="t", compare="data_points", args={"external_id": "x", "granularity": "1h", "start": "1h-ago", "end": "now"}
    ),
    Step(tool="t", compare="data_points", args={"external_id": ["x"], "start": "2026-03-01", "aggregates": ["max"]}),
    Step(tool="t", compare="json", output={"a": [1, {"b": None}]}),
    Step(tool="t", compare="text", output="a"),
]


def in_rows(cell: Any) -> Any:
    return {"head": {"vars": ["s"]}, "results": {"bindings": [{"s": cell}]}}


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step.compare}-{STEPS.index(step)}")
@settings(deadline=None, max_examples=40)
@given(
    output=DATA | DATA.map(in_rows),
    args=st.dictionaries(KEYS, DATA, max_size=4),
    time=st.none() | st.text() | st.floats(),
)
def test_nothing_that_an_agent_replies_makes_a_comparison_raise(step, output, args, time):
    result = compare(step, ToolCall(name="t", output=output, args=args, execution_timestamp=time))
    assert 0.0 <= result.score <= 1.0
    assert not result.is_error
    assert bool(result.reason) is (result.score < 1.0)
    assert len(result.reason) < 2000


def test_data_that_holds_itself_is_compared_as_well():
    loop: list[Any] = []
    loop.append(loop)
    for step in STEPS:
        assert compare(step, ToolCall(name="t", output=loop, args={"mrid": loop, "external_id": loop})).score < 1.0
