"""Which column of a result is which of the reference: by what stands in them, where their names do not tell.

Columns get candidates by their values, these are thinned by refining rows and columns against each other, and what is
left is searched column by column, comparing the rows so far: wrong choices end early.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from operator import eq
from typing import Any

__all__ = ["Bag", "Codes", "closest", "mappings"]

Codes = Sequence[int]
"""A column, term by term."""

Bag = Callable[..., Any]
"""Makes rows comparable whatever their order: `set`, or `Counter` where repeated rows count."""

EFFORT = 4_000_000
"""Cells that a search looks at before it gives up: far more than any result takes that is not made to resist."""


def mappings(expected: Sequence[Codes], found: Sequence[Codes], bag: Bag) -> Iterator[list[int]]:
    """Yield the choices of columns with which the found rows are the expected ones.

    Args:
        expected: the columns of the reference, at least one, all of the same length.
        found: the columns of the other result, no fewer of them.
        bag: compares rows.
    """
    candidates = _candidates(expected, found, bag)
    if not all(candidates):
        return
    order = sorted(range(len(expected)), key=lambda column: len(candidates[column]))
    effort = EFFORT
    chosen: list[int] = []
    untried = [list(reversed(candidates[order[0]]))]
    prefixes = [bag(zip(*(expected[c] for c in order[: n + 1]), strict=True)) for n in range(len(order))]
    while untried:
        if not untried[-1]:
            untried.pop()
            if chosen:
                chosen.pop()
            continue
        column = untried[-1].pop()
        if column in chosen:
            continue
        depth = len(chosen) + 1
        effort -= depth * (len(found[column]) + 10)
        if effort < 0:
            return
        if bag(zip(*(found[c] for c in (*chosen, column)), strict=True)) != prefixes[depth - 1]:
            continue
        if depth == len(order):
            places = dict(zip(order, (*chosen, column), strict=True))
            yield [places[c] for c in range(len(order))]
            continue
        chosen.append(column)
        untried.append(list(reversed(candidates[order[depth]])))


def _candidates(expected: Sequence[Codes], found: Sequence[Codes], bag: Bag) -> list[list[int]]:
    colours = _by_value(expected, found, bag)
    if len(expected) == len(found):
        colours = _refined(expected, found, bag, colours)
    mine, theirs = colours
    return [[c for c, colour in enumerate(theirs) if colour == own] for own in mine]


def _by_value(expected: Sequence[Codes], found: Sequence[Codes], bag: Bag) -> tuple[list[int], list[int]]:
    return _numbered([_hashable(bag(column)) for column in expected], [_hashable(bag(column)) for column in found])


def _hashable(bag: Any) -> Hashable:
    return frozenset(bag.items() if isinstance(bag, Counter) else bag)


def _numbered(mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> tuple[list[int], list[int]]:
    numbers: dict[Hashable, int] = {}
    for one in (*mine, *theirs):
        numbers.setdefault(one, len(numbers))
    return [numbers[one] for one in mine], [numbers[one] for one in theirs]


def _refined(
    expected: Sequence[Codes], found: Sequence[Codes], bag: Bag, colours: tuple[list[int], list[int]]
) -> tuple[list[int], list[int]]:
    """Tell columns apart by the rows that their values stand in, and rows by the columns, until nothing changes."""
    sides = (expected, found)
    if bag is set:
        sides = tuple([*zip(*dict.fromkeys(zip(*side, strict=True)), strict=True)] for side in sides)  # type: ignore[assignment]
    known = len({*colours[0], *colours[1]})
    while sorted(colours[0]) == sorted(colours[1]) and known < len(expected):
        rows: list[list[Hashable]] = []
        for side, own in zip(sides, colours, strict=True):
            cells = [[colour << 40 | code for code in column] for colour, column in zip(own, side, strict=True)]
            rows.append([tuple(sorted(row)) for row in zip(*cells, strict=True)])
        numbers = _numbered(*rows)
        if sorted(numbers[0]) != sorted(numbers[1]):
            return [-1] * len(expected), []
        views = (
            [
                (colour, _hashable(Counter(zip(column, own_rows, strict=True))))
                for colour, column in zip(own, side, strict=True)
            ]
            for side, own, own_rows in zip(sides, colours, numbers, strict=True)
        )
        colours = _numbered(*views)
        before, known = known, len({*colours[0], *colours[1]})
        if known == before:
            break
    return colours


# --- the closest choice, where none is right ----------------------------------------------------------------------

_SEEDS = 12
_SAMPLE = 300


def closest(expected: Sequence[Codes], found: Sequence[Codes]) -> list[int]:
    """Return the choice of columns with which most rows agree, as far as a few looks tell.

    Rows are laid side by side by a value that is unique on both sides; then the other columns show themselves.
    """
    shared = [[len(mine & theirs) for theirs in map(set, found)] for mine in map(set, expected)]
    most = max(map(max, shared)) + 1
    best: tuple[float, list[int]] = (-1.0, [])
    for pairs in [[], *_laid_beside(expected, found)]:
        rows, others = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        picked = [[column[row] for row in others] for column in found]
        agreed: list[list[float]] = []
        for column, values in zip(expected, shared, strict=True):
            mine = [column[row] for row in rows]
            counts = (sum(map(eq, mine, theirs)) for theirs in picked)
            agreed.append([count + value / most for count, value in zip(counts, values, strict=True)])
        best = max(best, _greedy(agreed))
    return best[1]


def _laid_beside(expected: Sequence[Codes], found: Sequence[Codes]) -> Iterator[list[tuple[int, int]]]:
    """Yield pairs of rows that share a value which stands once in a column of either side, best columns first."""
    unique = [[_once(column) for column in side] for side in (expected, found)]
    seeds = [
        (len(mine.keys() & theirs.keys()), i, j)
        for i, mine in enumerate(unique[0])
        for j, theirs in enumerate(unique[1])
    ]
    for _, i, j in sorted(seeds, reverse=True)[:_SEEDS]:
        mine, theirs = unique[0][i], unique[1][j]
        yield [(row, theirs[value]) for value, row in mine.items() if value in theirs][:_SAMPLE]


def _once(column: Codes) -> dict[int, int]:
    counts = Counter(column)
    return {value: row for row, value in enumerate(column) if counts[value] == 1}


def _greedy(agreed: Sequence[Sequence[float]]) -> tuple[float, list[int]]:
    """Give each row of a table a column of its own, the greatest entries first; return their sum and the columns."""
    entries = sorted(((-value, i, j) for i, row in enumerate(agreed) for j, value in enumerate(row)))
    places: dict[int, int] = {}
    total = 0.0
    for value, i, j in entries:
        if i not in places and j not in places.values():
            places[i] = j
            total -= value
    return total, [places[i] for i in range(len(agreed))]
