"""Whether two results of a SPARQL query hold the same cells, written alike: most of those that are right do.

A quick way to "equal" for results in JSON; it says nothing of those that are written in another way, so that terms are
read only where it counts. Loops over cells are left to the interpreter's own functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

from pydantic_core import from_json

from pytest_graph_eval.metrics.trajectory.kept import Kept
from pytest_graph_eval.records import ToolCall
from pytest_graph_eval.steps import Step

__all__ = ["is_verbatim"]

MOST_KEPT = 100_000
"""Cells that are kept read: a step is compared with several calls, and they with it."""

_FORMS = frozenset({
    ("type", "value"), ("type", "value", "datatype"), ("type", "datatype", "value"), ("type", "value", "xml:lang"),
    ("type", "xml:lang", "value"),
})  # fmt: skip
_KINDS = frozenset({"uri", "literal", "typed-literal"})

_Column = tuple[tuple[str, ...], list[tuple[Hashable, ...]]]
"""The keys that all cells have, and the values of each."""


def is_verbatim(step: Step, call: ToolCall) -> bool:
    """Tell whether a call returned the expected rows in any order, each cell written as in the reference.

    Columns are those of the same names; where none of them is there, those with the same cells. Where the order of the
    rows counts, nothing is told.
    """
    if step.ordered or step.order_by:
        return False
    expected, found = _columns(step), _columns(call)
    names = list(expected) if step.required_columns is None else step.required_columns
    if not found or not names or not all(name in expected for name in names):
        return False
    try:
        picked = _picked(names, expected, found)
        wanted = [expected[name] for name in names]
        if picked is None or [keys for keys, _ in wanted] != [keys for keys, _ in picked]:
            return False
        bag = set if step.ignore_duplicates else Counter
        rows, others = (bag(zip(*(values for _, values in side), strict=True)) for side in (wanted, picked))
    except TypeError:  # a cell that holds more than texts
        return False
    return rows == others and all(map(_is_sound, wanted))


def _picked(names: Sequence[str], expected: dict[str, _Column], found: dict[str, _Column]) -> list[_Column] | None:
    there = [name for name in names if name in found]
    if there:  # where only some of them are there, others may go by another name
        return [found[name] for name in names] if len(there) == len(names) else None
    by_cells = {frozenset(values): (keys, values) for keys, values in found.values()}
    picked = [by_cells.pop(frozenset(expected[name][1]), None) for name in names]
    is_plain = len(by_cells) + len(names) == len(found) and None not in picked  # no columns that are alike
    return picked if is_plain else None  # type: ignore[return-value]  # None is not in it


def _is_sound(column: _Column) -> bool:
    """Tell whether a column holds nothing but IRIs and literals; a blank node is the same one under another label."""
    keys, values = column
    is_text = {str}.issuperset(map(type, chain.from_iterable(values)))
    return keys in _FORMS and is_text and _KINDS.issuperset(map(itemgetter(0), values))


def _read(owner: Step | ToolCall) -> dict[str, _Column]:
    """Return the columns of an output; none where it is no table in JSON whose columns hold cells of one form each."""
    try:
        data: Any = from_json(owner.output) if isinstance(owner.output, str) else owner.output
        rows = data["results"]["bindings"]
        cells = {name: list(map(itemgetter(name), rows)) for name in data["head"]["vars"]} if rows else {}
        forms = {name: set(map(tuple, column)) for name, column in cells.items()}
        if any(len(form) != 1 for form in forms.values()):
            return {}
        return {name: (forms[name].pop(), list(map(tuple, map(dict.values, c)))) for name, c in cells.items()}
    except (KeyError, TypeError, ValueError, RecursionError):
        return {}


_columns = Kept(_read, lambda columns: 1 + sum(len(values) for _, values in columns.values()), MOST_KEPT)
