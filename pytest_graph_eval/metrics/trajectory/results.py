"""The result of a SPARQL query as columns of comparable terms: solutions, a yes or no, or a graph as triples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from pytest_graph_eval.metrics.trajectory.args import shown
from pytest_graph_eval.metrics.trajectory.graphs import GRAPH_COLUMNS, ResultError, read_graph
from pytest_graph_eval.metrics.trajectory.outputs import decoded, unwrapped
from pytest_graph_eval.metrics.trajectory.terms import (
    LITERALS,
    READERS,
    Key,
    TermError,
    TermRules,
    has_blank,
    read_term,
)

__all__ = ["GRAPH", "ROWS", "Result", "ResultError", "read_result"]

ROWS, BOOLEAN, GRAPH = "rows", "yes or no", "a graph"
"""Forms of results, in words of a message."""


@dataclass(frozen=True)
class Result:
    """A result as it was returned (`rows`, cells by column), with the key of each cell by column.

    `boolean` is set for ASK alone, which has neither. `blanks` are the columns with blank nodes.
    """

    form: str
    columns: Mapping[str, Sequence[Key | None]]
    rows: Sequence[Mapping[str, Any]]
    boolean: bool | None = None
    blanks: frozenset[str] = frozenset()


def read_result(output: Any, media_type: str | None, rules: TermRules, *, graphs: bool = True) -> Result:
    """Read what a tool returned.

    Args:
        output: JSON or RDF text, or decoded data.
        media_type: says the syntax of RDF where the text does not show it.
        rules: what makes literals equal.
        graphs: whether RDF is looked for.

    Raises:
        ResultError: it is no SPARQL result, or a graph that cannot be read here.
    """
    value = decoded(output)
    if isinstance(value, bool):
        return Result(BOOLEAN, {}, (), value)
    if isinstance(value, Mapping):
        if isinstance(value.get("boolean"), bool):
            return Result(BOOLEAN, {}, (), value["boolean"])
        if "results" in value or "boolean" in value:
            return _solutions(value, rules)
    if not graphs:
        raise ResultError(f"no SPARQL result in JSON: {shown(value)}")
    text = value if isinstance(value, str) else unwrapped(output)
    return _table(GRAPH, GRAPH_COLUMNS, read_graph(text, media_type), rules)


def _solutions(value: Mapping[str, Any], rules: TermRules) -> Result:
    results, head = value.get("results"), value.get("head")
    rows = results.get("bindings") if isinstance(results, Mapping) else None
    if not isinstance(rows, list | tuple) or not all(issubclass(kind, Mapping) for kind in set(map(type, rows))):
        raise ResultError(f"`results.bindings` is no list of objects: {shown(rows)}")
    names = head.get("vars") if isinstance(head, Mapping) else None
    if names is None:  # left out by servers that think it superfluous
        names = [name for row in rows for name in row]
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ResultError(f"`head.vars` is no list of names: {shown(names)}")
    return _table(ROWS, tuple(dict.fromkeys(names)), rows, rules)


def _table(form: str, names: Sequence[str], rows: Sequence[Mapping[str, Any]], rules: TermRules) -> Result:
    columns, blanks = {}, set()
    for name in names:
        columns[name], has_blanks = _column(name, rows, rules)
        if has_blanks:
            blanks.add(name)
    return Result(form, columns, rows, blanks=frozenset(blanks))


def _column(name: str, rows: Sequence[Mapping[str, Any]], rules: TermRules) -> tuple[Sequence[Key | None], bool]:
    """Return the keys of a column, and whether there are blank nodes among them."""
    plain = _plain_column(name, rows, rules)
    if plain is not None:
        return plain, False
    keys: list[Key | None] = []
    has_blanks = False
    try:
        for row in rows:
            key = read_term(row.get(name), rules)
            has_blanks = has_blanks or has_blank(key)
            keys.append(key)
    except TermError as e:
        raise ResultError(f"row {len(keys) + 1}, column {name}: {e}; found {shown(rows[len(keys)][name])}") from None
    return keys, has_blanks


_KIND, _VALUE = itemgetter(0), itemgetter(1)
_SPELLED, _DATATYPE = itemgetter("type", "value"), itemgetter("datatype")


def _plain_column(name: str, rows: Sequence[Mapping[str, Any]], rules: TermRules) -> Sequence[Key] | None:
    """Return the keys of a column that is bound everywhere with terms of one kind, as most are; else None.

    It gives what `read_term` gives, with the loops left to the interpreter's own functions.
    """
    try:
        cells = list(map(itemgetter(name), rows))
        (size,) = set(map(len, cells))
        spelled: list[Any] = list(map(_SPELLED, cells))
        (kind,) = set(map(_KIND, spelled))
        if not {str}.issuperset(map(type, map(_VALUE, spelled))):
            return None
        if size == 2:
            return spelled if kind in ("uri", "literal") else None
        (datatype,) = set(map(_DATATYPE, cells))
    except (KeyError, TypeError, ValueError):
        return None
    reader = READERS.get(datatype)
    if size != 3 or kind not in LITERALS or reader is None or rules.lexical:
        return None
    keys = list(map(reader, map(_VALUE, spelled)))
    return None if None in keys else keys
