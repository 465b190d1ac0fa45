"""The result of a SPARQL query as columns of comparable terms: solutions, a yes or no, or a graph as triples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

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
from pytest_graph_eval.once import once

ROWS, BOOLEAN, GRAPH = "rows", "yes or no", "a graph"
"""Forms of results, in words of a message."""


Columns = Mapping[str, Sequence[Key | None]]


class Written(NamedTuple):
    """A column that is bound everywhere with terms of one kind: the kind (`("uri",)`), and their texts as written.

    Two of one kind hold the same terms where their texts are the same; the kind of literals has their datatype.
    """

    kind: tuple[str, ...]
    texts: Sequence[str]


@dataclass(frozen=True)
class Result:
    """A result as it was returned (`rows`, cells by column), with something to compare each cell by, by column.

    `written` has the columns of one kind, `read` the keys of all others; `boolean` is set for ASK alone, which has
    neither. `blanks` are the columns with blank nodes.
    """

    form: str
    names: Sequence[str]
    rows: Sequence[Mapping[str, Any]]
    boolean: bool | None = None
    written: Mapping[str, Written] = field(default_factory=dict)
    read: Columns = field(default_factory=dict)
    blanks: frozenset[str] = frozenset()

    @once
    def keys(self) -> Columns:
        """The key of each cell, by column."""
        return {name: self.read[name] if name in self.read else self._values(name) for name in self.names}

    def _values(self, name: str) -> Sequence[Key | None]:
        kind, texts = self.written[name]
        if len(kind) == 1:
            return [(kind[0], text) for text in texts]
        values = list(map(READERS[kind[1]], texts))
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
        return Result(BOOLEAN, (), (), value)
    if isinstance(value, Mapping):
        if isinstance(value.get("boolean"), bool):
            return Result(BOOLEAN, (), (), value["boolean"])
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
    written: dict[str, Written] = {}
    read: dict[str, Sequence[Key | None]] = {}
    for name in names:
        plain = _written(name, rows, rules)
        if plain is None:
            read[name] = _column(name, rows, rules)
        else:
            written[name] = plain
    blanks = frozenset(name for name, column in read.items() if any(map(has_blank, column)))
    return Result(form, names, rows, written=written, read=read, blanks=blanks)


def _column(name: str, rows: Sequence[Mapping[str, Any]], rules: TermRules) -> Sequence[Key | None]:
    """Return the keys of a column."""
    keys: list[Key | None] = []
    try:
        for row in rows:
            keys.append(read_term(row.get(name), rules))  # noqa: PERF401 - how many there are tells where it stopped
    except TermError as e:
        raise ResultError(f"row {len(keys) + 1}, column {name}: {e}; found {shown(rows[len(keys)][name])}") from None
    return keys


_TYPE, _VALUE, _DATATYPE = map(itemgetter, ("type", "value", "datatype"))


def _written(name: str, rows: Sequence[Mapping[str, Any]], rules: TermRules) -> Written | None:
    """Return the cells of a column as they are written, where equal texts are what makes them equal; else None.

    They are terms of one kind then, as in most columns; the loops are left to the interpreter's own functions.
    """
    try:
        cells = list(map(itemgetter(name), rows))
        (size,) = set(map(len, cells))
        (kind,) = set(map(_TYPE, cells))
        texts = list(map(_VALUE, cells))
        if set(map(type, texts)) != {str}:
            return None
        if size == 2:
            return Written((kind,), texts) if kind in ("uri", "literal") else None
        (datatype,) = set(map(_DATATYPE, cells))
        is_read = size == 3 and datatype in READERS
    except (KeyError, TypeError, ValueError):
        return None
    return Written((kind, datatype), texts) if kind in LITERALS and is_read and not rules.lexical else None
