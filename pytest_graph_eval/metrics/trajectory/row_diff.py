"""How far two results have the same rows, and which rows differ first, for measures and messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from pytest_graph_eval.metrics.trajectory.blank_nodes import coloured
from pytest_graph_eval.metrics.trajectory.columns import Bag
from pytest_graph_eval.metrics.trajectory.comparison import Comparison
from pytest_graph_eval.metrics.trajectory.ids import f1
from pytest_graph_eval.metrics.trajectory.results import Result
from pytest_graph_eval.metrics.trajectory.tables import PLACE, Table
from pytest_graph_eval.metrics.trajectory.terms import shown_term

MOST_ROWS = 2
MOST_CELLS = 6

EQUAL = Comparison(1.0, measures={"precision": 1.0, "recall": 1.0, "f1": 1.0})


def rows_differ(expected: Table, found: Table, bag: Bag, results: tuple[Result, Result]) -> Comparison:
    """Describe the difference of two tables with the same number of columns that are not equal.

    Args:
        expected: the columns that count.
        found: those that stand for them.
        bag: whether repeated rows count.
        results: what the tables were made from, for the cells as they were written.
    """
    keys = _keys(expected, found, bag)
    missing, extra = _left_over(*keys), _left_over(keys[1], keys[0])
    shared = len(keys[0]) - len(missing)
    precision, recall = _share(shared, keys[1]), _share(shared, keys[0])
    measures = {"precision": precision, "recall": recall, "f1": f1(precision, recall) or 0.0}
    if missing or extra:
        parts = [_listed("missing", missing, keys[0], results[0], expected)]
        parts.append(_listed("not expected", extra, keys[1], results[1], found))
        reason, code = "; ".join(filter(None, parts)), "rows_differ"
    elif expected.names[:1] == [PLACE]:
        reason, code = _first_out_of_order(expected, found, results), "order"
    else:
        reason, code = "the rows differ in which blank nodes are the same", "blank_nodes"
    return Comparison(0.0, reason + _renamed(expected, found), code, measures=measures)


Keys = Mapping[int, Hashable]
"""What a row is compared by, by the row's place in its result; of repeated rows just the first, unless they count."""


def _share(shared: int, keys: Keys) -> float:
    return shared / len(keys) if keys else 0.0


def _keys(expected: Table, found: Table, bag: Bag) -> tuple[Keys, Keys]:
    """Return the rows of both sides without their places."""
    one, other = (
        table.picked([n for n, name in enumerate(table.names) if name != PLACE]) for table in (expected, found)
    )
    first, second = (dict(enumerate(keys)) for keys in _told_apart(one, other))
    if bag is not Counter:
        first, second = ({row: key for key, row in _first_places(keys).items()} for keys in (first, second))
    return first, second


def _told_apart(one: Table, other: Table) -> Iterator[Iterable[Hashable]]:
    """Yield the rows of either side, equal where nothing near them tells them apart."""
    if one.has_labels or other.has_labels:
        yield from coloured(one.rows(), other.rows())
    else:
        yield from (zip(*table.columns, strict=True) for table in (one, other))


def _first_places(keys: Keys) -> dict[Hashable, int]:
    places: dict[Hashable, int] = {}
    for row, key in keys.items():
        places.setdefault(key, row)
    return places


def _left_over(keys: Keys, others: Keys) -> list[int]:
    """Return the rows of one side that the other does not have, or not as often."""
    left = Counter(others.values())
    rows = []
    for row, key in keys.items():
        if left[key] > 0:
            left[key] -= 1
        else:
            rows.append(row)
    return rows


def _listed(what: str, rows: Sequence[int], keys: Keys, result: Result, table: Table) -> str:
    if not rows:
        return ""
    shown = "; ".join(_row(result, table, row) for row in rows[:MOST_ROWS])
    more = "; …" if len(rows) > MOST_ROWS else ""
    return f"{len(rows)} of {len(keys)} rows {what}: {shown}{more}"


def _row(result: Result, table: Table, row: int) -> str:
    names = [name for name in table.names if name != PLACE]
    cells = [f"{name}={shown_term(result.rows[row].get(name))}" for name in names[:MOST_CELLS]]
    return f"row {row + 1} ({', '.join(cells)}{', …' if len(names) > MOST_CELLS else ''})"


def _first_out_of_order(expected: Table, found: Table, results: tuple[Result, Result]) -> str:
    one, other = _told_apart(expected, found)
    at = next((n for n, (mine, theirs) in enumerate(zip(one, other, strict=True)) if mine != theirs), 0)
    return (
        f"the rows are the expected ones in another order, first at row {at + 1}: "
        f"{_row(results[0], expected, at)} expected, {_row(results[1], found, at)} found"
    )


def _renamed(expected: Table, found: Table) -> str:
    pairs = [f"{mine}={theirs}" for mine, theirs in zip(expected.names, found.names, strict=True) if mine != theirs]
    return f" (columns compared: {', '.join(pairs[:MOST_CELLS])})" if pairs else ""
