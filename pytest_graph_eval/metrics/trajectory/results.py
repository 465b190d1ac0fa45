"""The result of a SPARQL query as columns of comparable terms: solutions, a yes or no, or a graph as triples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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

ROWS, BOOLEAN, GRAPH = "rows", "yes or no", "a graph"
"""Forms of results, in words of a message."""


Columns = Mapping[str, Sequence[Key | None]]


@dataclass(frozen=True)
class Result:
    """A result as it was returned (`rows`, cells by column), with something to compare each cell by, by column.

    What stands in `columns` is equal only where the terms are; what stands in `keys`, wherever they are. `boolean` is
    set for ASK alone, which has neither. `blanks` are the columns with blank nodes, and `typed` those whose cells
    stand in `columns` as they were written.
    """

    form: str
    columns: Columns
    rows: Sequence[Mapping[str, Any]]
    boolean: bool | None = None
    blanks: frozenset[str] = frozenset()
    typed: frozenset[str] = frozenset()

    @cached_property
    def keys(self) -> Columns:
        """The key of each cell, by column."""
        return {name: self._values(name) if name in self.typed else column for name, column in self.columns.items()}

    def _values(self, name: str) -> Sequence[Key | None]:
        written: Any = self.columns[name]
        values = list(map(READERS[written[0][2]], map(_VALUE, written)))
        return [read_term(row[name], TermRules()) for row in self.rows] if None in values else values


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
    columns: dict[str, Sequence[Key | None]] = {}
    blanks, typed = set(), set()
    for name in names:
        plain = _plain_column(name, rows, rules)
        columns[name] = _column(name, rows, rules) if plain is None else plain
        if plain is None and any(map(has_blank, columns[name])):
            blanks.add(name)
        elif plain and len(plain[0]) == len(_TYPED):
            typed.add(name)
    return Result(form, columns, rows, blanks=frozenset(blanks), typed=frozenset(typed))


def _column(name: str, rows: Sequence[Mapping[str, Any]], rules: TermRules) -> Sequence[Key | None]:
    """Return the keys of a column."""
    keys: list[Key | None] = []
    try:
        for row in rows:
            keys.append(read_term(row.get(name), rules))  # noqa: PERF401 - how many there are tells where it stopped
    except TermError as e:
        raise ResultError(f"row {len(keys) + 1}, column {name}: {e}; found {shown(rows[len(keys)][name])}") from None
    return keys


_TYPED = ("type", "value", "datatype")
_VALUE = itemgetter(1)
_WRITTEN = {size: itemgetter(*_TYPED[:size]) for size in (2, 3)}
"""What makes a tuple of a cell with that many keys."""


def _plain_column(name: str, rows: Sequence[Mapping[str, Any]], rules: TermRules) -> Sequence[tuple[Any, ...]] | None:
    """Return the cells of a column that is bound everywhere with terms of one kind, as most are; else None.

    Those without a datatype are what `read_term` gives, with the loops left to the interpreter's own functions.
    """
    try:
        cells = list(map(itemgetter(name), rows))
        (size,) = set(map(len, cells))
        written = list(map(_WRITTEN[size], cells))
        kinds, values, *datatypes = zip(*written, strict=True)
        (kind,) = set(kinds)
        if set(map(type, values)) != {str}:
            return None
        if size == 2:
            return written if kind in ("uri", "literal") else None
        (datatype,) = set(datatypes[0])
        is_read = datatype in READERS
    except (KeyError, TypeError, ValueError):
        return None
    return written if kind in LITERALS and is_read and not rules.lexical else None
