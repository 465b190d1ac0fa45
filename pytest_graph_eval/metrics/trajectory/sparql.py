"""Results of SPARQL queries: solutions as rows of terms, yes or no, graphs; and an IRI that a result must hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pytest_graph_eval.metrics.trajectory.args import shown
from pytest_graph_eval.metrics.trajectory.codes import Codes
from pytest_graph_eval.metrics.trajectory.comparison import Comparison
from pytest_graph_eval.metrics.trajectory.graphs import TURTLE, ResultError
from pytest_graph_eval.metrics.trajectory.kept import Kept
from pytest_graph_eval.metrics.trajectory.outputs import NOTHING_EXPECTED, decoded
from pytest_graph_eval.metrics.trajectory.results import GRAPH, Result, read_result
from pytest_graph_eval.metrics.trajectory.row_diff import EQUAL, rows_differ
from pytest_graph_eval.metrics.trajectory.tables import Table, choose_columns, is_alike, make_table
from pytest_graph_eval.metrics.trajectory.terms import Key, TermRules, without_blanks
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step
from pytest_graph_eval.once import once
from pytest_graph_eval.texts import listed

MOST_KEPT = 50_000
"""Cells of references, and of results of calls, that are kept: a step meets several calls, and a call several steps."""


@dataclass(frozen=True)
class _Reference:
    """An expected result: the columns that count, the places of rows where their order does."""

    result: Result
    names: Sequence[str]
    places: Sequence[int] | None
    lenient: bool

    @once
    def codes(self) -> Codes:
        """The codes of its terms."""
        return Codes((_ground(self.result, name) for name in self.names), lenient=self.lenient)

    @once
    def table(self) -> Table:
        """The columns that count as codes."""
        return make_table(self.result, self.names, self.codes.known, self.places)


def _rules(step: Step) -> TermRules:
    return TermRules(step.literals == "lexical", step.language == "ignore")


def _read_reference(step: Step) -> _Reference | Comparison:
    """Return a step's expected result, or what is wrong with it."""
    output = step.output
    if output is None and step.expect_empty:
        output = {"head": {"vars": step.required_columns or []}, "results": {"bindings": []}}
    if output is None:
        return NOTHING_EXPECTED
    try:
        result = read_result(output, step.output_media_type, _rules(step))
    except ResultError as e:
        code = "no_rdflib" if e.is_missing else "not_a_result"
        return Comparison(0.0, f"the reference output: {e}", code, is_error=True)
    given = None if result.form == GRAPH else step.required_columns
    names = list(dict.fromkeys(map(_bare, result.names if given is None else given)))
    wanted = [*names, *map(_bare, step.order_by)]
    if result.boolean is None and (unknown := [name for name in wanted if name not in result.names]):
        known = listed(result.names, 5) or "none"
        reason = f"no columns of the reference output: {listed(unknown, 5)}; it has {known}"
        return Comparison(0.0, reason, "unknown_column", is_error=True)
    if result.boolean is None and not result.rows and not step.expect_empty:
        reason = "the reference output has no rows, so nothing is compared; `expect_empty: true` if that is meant"
        return Comparison(0.0, reason, "empty_reference", is_error=True)
    if result.boolean is not None:
        names = []
    return _Reference(result, names, _places(step, result), step.literals == "lenient")


def _ground(result: Result, name: str) -> Iterable[Key | None]:
    """Return the terms of a column, blank nodes without their labels."""
    column = result.keys[name]
    return (without_blanks(key)[0] for key in column) if name in result.blanks else column


def _bare(name: str) -> str:
    """Return the name of a column without what a query puts around it: `?n`, `DESC(?n)`."""
    inner = name.rpartition("(")[2].rstrip(") ") if name.endswith(")") else name
    return inner.strip().lstrip("?$")


def _read_output(call: ToolCall, rules: TermRules, graphs: bool, media_type: str | None) -> Result | ResultError:
    try:
        return read_result(call.output, media_type, rules, graphs=graphs)
    except ResultError as e:
        return e


def _places(step: Step, result: Result) -> list[int] | None:
    """Return what stands for the place of each row where the order counts; ties of `order_by` share one.

    Places are negative: they are no codes of terms.
    """
    is_ordered = step.ordered or (step.order_by and "ordered" not in step.model_fields_set)
    if not is_ordered or result.form == GRAPH:
        return None
    by = [result.keys[_bare(name)] for name in step.order_by]
    if not by:
        return [-n for n in range(1, len(result.rows) + 1)]
    ties = (len(list(rows)) for _, rows in groupby(zip(*by, strict=True)))
    return [-n for n, size in enumerate(ties, 1) for _ in range(size)]


def _cells(kept: _Reference | Result | Comparison | ResultError) -> int:
    result = kept.result if isinstance(kept, _Reference) else kept
    return 1 + (len(result.rows) * len(result.names) if isinstance(result, Result) else 0)


_reference = Kept(_read_reference, _cells, MOST_KEPT)
_found = Kept(_read_output, _cells, MOST_KEPT)


def forget_results() -> None:
    """Give back what was read for one response: memory that is still at hand takes the next one's results."""
    _reference.forget()
    _found.forget()


def compare_sparql(step: Step, call: ToolCall) -> Comparison:
    """Compare the result of a query: columns by name, else by what stands in them; terms by value.

    The score is 1 or 0; precision, recall and F1 over rows are among the measures.
    """
    reference = _reference(step)
    if isinstance(reference, Comparison):
        return reference
    expected = reference.result
    is_graph = expected.form == GRAPH
    found = _found(call, _rules(step), is_graph, (step.output_media_type or TURTLE) if is_graph else None)
    if isinstance(found, ResultError):
        code = "no_rdflib" if found.is_missing else "not_a_result"
        return Comparison(0.0, f"the output: {found}", code, is_error=found.is_missing)
    if found.form != expected.form:
        return Comparison(0.0, f"{expected.form} expected, {found.form} found", "other_form")
    if expected.boolean is not None:
        if found.boolean == expected.boolean:
            return Comparison(1.0)
        return Comparison(0.0, f"{shown(expected.boolean)} expected, {shown(found.boolean)} found", "boolean_differs")
    if len(found.names) < len(reference.names):
        columns = f"{', '.join(reference.names)} expected, {', '.join(found.names) or 'none'} found"
        return Comparison(0.0, f"columns {columns}", "columns_missing")
    if not expected.rows or not reference.names:
        return _by_emptiness(expected, found)
    return _compared(step, reference, found)


def _by_emptiness(expected: Result, found: Result) -> Comparison:
    if bool(expected.rows) == bool(found.rows):
        return Comparison(1.0)
    wanted = "any rows" if expected.rows else "no rows"
    return Comparison(0.0, f"{wanted} expected, {len(found.rows)} found", "rows_differ")


def _compared(step: Step, reference: _Reference, found: Result) -> Comparison:
    counts = reference.places is not None or not (step.ignore_duplicates or found.form == GRAPH)
    bag = Counter if counts else set
    if reference.places is None and is_alike(reference.result, reference.names, found, bag):
        return EQUAL
    by_name = all(name in found.names for name in reference.names)
    names = reference.names if by_name else list(found.names)
    places = None
    if reference.places is not None:  # rows behind the last one have places of their own
        further = range(len(reference.places), len(found.rows))
        places = [*reference.places[: len(found.rows)], *(-n - 1 for n in further)]
    table = make_table(found, names, reference.codes.opened(), places)
    picked, is_equal = choose_columns(reference.table, table, bag)
    return EQUAL if is_equal else rows_differ(reference.table, picked, bag, (reference.result, found))


def compare_iri(step: Step, call: ToolCall) -> Comparison:
    """Look for an IRI among the cells of a result, or the texts of other JSON: as a whole, never as a part."""
    wanted = {iri for iri in _iris(step.output) if isinstance(iri, str) and iri}
    if not wanted:
        reason = "the reference output is no IRI and no list of IRIs"
        return Comparison(0.0, reason, "nothing_expected", is_error=True)
    found = _found(call, TermRules(), True, None)
    held = _texts(decoded(call.output)) if isinstance(found, ResultError) else _named(found)
    missing = sorted(wanted - held)
    if not missing:
        return Comparison(1.0)
    return Comparison(0.0, f"not in the output: {listed(missing, 5)}", "iri_missing")


def _iris(output: Any) -> list[Any]:
    value = decoded(output)
    values = value if isinstance(value, list | tuple) else [value]
    return [v.strip().removeprefix("<").removesuffix(">") if isinstance(v, str) else v for v in values]


def _named(result: Result) -> set[str]:
    """Return all IRIs of a result, those in triple terms included."""
    stack = [key for column in result.keys.values() for key in column]
    iris = set()
    while stack:
        key = stack.pop()
        if isinstance(key, tuple) and key[0] == "uri":
            iris.add(key[1])
        elif isinstance(key, tuple) and key[0] == "triple":
            stack.extend(key[1:])
    return iris


def _texts(value: Any) -> set[str]:
    """Return the texts in JSON data, or a text alone; a SPARQL result that cannot be read has none."""
    if isinstance(value, Mapping) and "results" in value:
        return set()
    stack, seen, texts = [value], set(), set()
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            texts.add(item.strip().removeprefix("<").removesuffix(">"))
        elif isinstance(item, Mapping | list | tuple) and id(item) not in seen:
            seen.add(id(item))
            stack.extend(item.values() if isinstance(item, Mapping) else item)
    return texts
