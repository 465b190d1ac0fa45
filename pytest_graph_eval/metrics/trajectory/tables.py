"""Results as tables of codes, in which rows are compared as tuples, and blank nodes stand apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar

from pytest_graph_eval.metrics.trajectory.blank_nodes import Row, same_up_to_renaming
from pytest_graph_eval.metrics.trajectory.columns import Bag, closest, mappings
from pytest_graph_eval.metrics.trajectory.results import Result, Written
from pytest_graph_eval.metrics.trajectory.terms import without_blanks

PLACE = ""
"""The column that holds the places of rows where their order counts; no variable has an empty name."""

CHOICES = 50
"""Choices of columns that are tried where only blank nodes tell them apart."""


@dataclass(frozen=True)
class Table:
    """Columns of codes; `labels` holds the blank nodes of each cell, None where a column has none."""

    names: Sequence[str]
    columns: Sequence[Sequence[int]]
    labels: Sequence[Sequence[tuple[str, ...]] | None]

    def picked(self, choice: Sequence[int]) -> Table:
        """Return some of the columns in the order of `choice`."""
        return Table(*([part[c] for c in choice] for part in (self.names, self.columns, self.labels)))  # type: ignore[arg-type]

    @property
    def has_labels(self) -> bool:
        """Whether there are blank nodes."""
        return any(labels is not None for labels in self.labels)

    def rows(self) -> list[Row]:
        """Return the rows, blank nodes apart."""
        labels = [column for column in self.labels if column is not None]
        apart = (sum(row, ()) for row in zip(*labels, strict=True)) if labels else ((),) * len(self.columns[0])
        return [Row(ground, own) for ground, own in zip(zip(*self.columns, strict=True), apart, strict=True)]


def make_table(
    result: Result, names: Sequence[str], codes: Mapping[Any, int], places: Sequence[int] | None = None
) -> Table:
    """Return the named columns of a result, the places of its rows before them where they are given."""
    columns: list[Sequence[int]] = [] if places is None else [places]
    labels: list[Sequence[tuple[str, ...]] | None] = [None] * len(columns)
    for name in names:
        keys: Sequence[Any] = result.keys[name]
        apart = None
        if name in result.blanks:
            keys, apart = zip(*map(without_blanks, keys), strict=True)
        columns.append([codes[key] for key in keys])
        labels.append(apart)
    return Table([*([] if places is None else [PLACE]), *names], columns, labels)


def is_alike(expected: Result, names: Sequence[str], found: Result, bag: Bag) -> bool:
    """Tell at a glance whether results hold the same rows; where it is false they may still be the same.

    Cells are compared as they are written, then by value. Columns are told by name, or by having just the same terms;
    numbers have no tolerance, and blank nodes are left out.
    """
    if expected.blanks or found.blanks:
        return False
    is_all_written = not (expected.read or found.read)
    if is_all_written and _is_alike_as_written(expected.written, names, found.written, bag):
        return True
    is_by_value = any(len(column.kind) > 1 for side in (expected, found) for column in side.written.values())
    return (is_by_value or not is_all_written) and _has_rows(
        [expected.keys[name] for name in names], _told(expected.keys, names, found.keys, frozenset), bag
    )


def _is_alike_as_written(
    expected: Mapping[str, Written], names: Sequence[str], found: Mapping[str, Written], bag: Bag
) -> bool:
    columns = [expected[name] for name in names]
    kinds = {column.kind for column in found.values()}
    if len(kinds) == len(found):  # which then tell the columns apart
        picked = _told(expected, names, found, attrgetter("kind"))
    else:
        picked = _told(expected, names, found, lambda column: (column.kind, frozenset(column.texts)))
    if picked is None or any(mine.kind != theirs.kind for mine, theirs in zip(columns, picked, strict=True)):
        return False
    return _has_rows([column.texts for column in columns], [column.texts for column in picked], bag)


def _has_rows(expected: Sequence[Sequence[Any]], found: Sequence[Sequence[Any]] | None, bag: Bag) -> bool:
    return found is not None and bool(bag(zip(*expected, strict=True)) == bag(zip(*found, strict=True)))


C = TypeVar("C")


def _told(
    expected: Mapping[str, C], names: Sequence[str], found: Mapping[str, C], terms: Callable[[C], Hashable]
) -> list[C] | None:
    """Return the columns that have the names, else those that have just the terms; None where it cannot be told."""
    if all(name in found for name in names):
        return [found[name] for name in names]
    by_terms = {terms(column): column for column in found.values()}
    wanted = [terms(expected[name]) for name in names]
    if len(by_terms) < len(found) or len(set(wanted)) < len(wanted) or not all(map(by_terms.__contains__, wanted)):
        return None  # columns that are alike, or not there
    return [by_terms[one] for one in wanted]


def choose_columns(expected: Table, found: Table, bag: Bag) -> tuple[Table, bool]:
    """Return the columns of `found` that stand for the expected ones, and whether the rows are then the same.

    Where all expected names are there, columns are told by name alone; swapped values are a difference then.
    """
    by_name = {name: n for n, name in enumerate(found.names)}
    if all(name in by_name for name in expected.names):
        picked = found.picked([by_name[name] for name in expected.names])
        return picked, _same_rows(expected, picked, bag)
    for _, choice in zip(range(CHOICES), mappings(expected.columns, found.columns, bag), strict=False):
        picked = found.picked(choice)
        if not (expected.has_labels or picked.has_labels) or _same_rows(expected, picked, bag):
            return picked, True
    return found.picked(closest(expected.columns, found.columns)), False


def _same_rows(expected: Table, found: Table, bag: Bag) -> bool:
    if not (expected.has_labels or found.has_labels):
        return bool(bag(zip(*expected.columns, strict=True)) == bag(zip(*found.columns, strict=True)))
    one, other = expected.rows(), found.rows()
    if bag is not Counter:
        one, other = list(dict.fromkeys(one)), list(dict.fromkeys(other))
    return same_up_to_renaming(one, other)
