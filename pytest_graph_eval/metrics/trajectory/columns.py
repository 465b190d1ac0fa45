"""Which column of a result is which of the reference: by what stands in them, where their names do not tell.

Columns get candidates by their values, among which is searched column by column, comparing the rows so far: wrong
choices end early. Where that takes long, rows and columns are refined against each other first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from operator import eq
from typing import Any

Codes = Sequence[int]
"""A column, term by term."""

Bag = Callable[..., Any]
"""Makes rows comparable whatever their order: `set`, or `Counter` where repeated rows count."""

EFFORT = 4_000_000
"""Cells that a search looks at before it gives up: far more than any result takes that is not made to resist."""

FIRST_EFFORT = 400_000
"""The same before columns are refined."""

_GLANCE = 50
"""Rows that tell most wrong choices before all are looked at."""


def mappings(expected: Sequence[Codes], found: Sequence[Codes], bag: Bag) -> Iterator[list[int]]:
    """Yield the choices of columns with which the found rows are the expected ones.

    Args:
        expected: the columns of the reference, at least one, all of the same length.
        found: the columns of the other result, no fewer of them.
        bag: compares rows.
    """
    colours = _by_value(expected, found, bag)
    may_refine = len(expected) == len(found)
    search = _Search(expected, found, bag, colours, FIRST_EFFORT if may_refine else EFFORT)
    yield from search.choices()
    if search.gave_up and may_refine:
        colours = _refined(expected, found, bag, colours)
        yield from _Search(expected, found, bag, colours, EFFORT).choices()


_Colours = tuple[list[int], list[int]]
"""A number for each column of either side; columns with different numbers do not stand for each other."""


class _Search:
    """Chooses column by column, as long as the rows so far may be the same and it does not take too much."""

    def __init__(
        self, expected: Sequence[Codes], found: Sequence[Codes], bag: Bag, colours: _Colours, effort: int
    ) -> None:
        mine, theirs = colours
        self._is_possible = not Counter(mine) - Counter(theirs)
        candidates = [[c for c, colour in enumerate(theirs) if colour == own] for own in mine]
        self._order = sorted(range(len(expected)), key=lambda column: len(candidates[column]))
        self._candidates = [candidates[c] for c in self._order]
        self._expected = [expected[c] for c in self._order]
        self._found, self._bag, self._effort = found, bag, effort
        self._bags: dict[int, Any] = {}

    @property
    def gave_up(self) -> bool:
        """Whether there was more to try."""
        return self._effort < 0

    def choices(self) -> Iterator[list[int]]:
        """Yield the columns that stand for the expected ones, for each way in which they may."""
        chosen: list[int] = []
        untried = [iter(self._candidates[0])] if self._is_possible else []
        while untried and not self.gave_up:
            column = next(untried[-1], None)
            if column is None:
                untried.pop()
                del chosen[-1:]
            elif column not in chosen and self._fits([*chosen, column]):
                chosen.append(column)
                if len(chosen) < len(self._order):
                    untried.append(iter(self._candidates[len(chosen)]))
                    continue
                places = dict(zip(self._order, chosen, strict=True))
                yield [places[c] for c in range(len(chosen))]
                chosen.pop()

    def _fits(self, chosen: Sequence[int]) -> bool:
        """Tell whether the rows may be the same with these first columns; with all columns, whether they are."""
        depth = len(chosen)
        if depth < len(self._order) and (depth == 1 or len(self._candidates[depth - 1]) == 1):
            return True  # known from the values, or there is nothing to choose and the end will tell
        if depth not in self._bags:
            self._bags[depth] = self._bag(zip(*self._expected[:depth], strict=True))
        columns, wanted = [self._found[c] for c in chosen], self._bags[depth]
        self._effort -= depth * _GLANCE
        if any(row not in wanted for row in islice(zip(*columns, strict=True), _GLANCE)):
            return False
        self._effort -= depth * len(columns[0])
        return bool(self._bag(zip(*columns, strict=True)) == wanted)


def _by_value(expected: Sequence[Codes], found: Sequence[Codes], bag: Bag) -> _Colours:
    fingerprint = frozenset if bag is set else _in_order
    return _numbered(list(map(fingerprint, expected)), list(map(fingerprint, found)))


def _in_order(values: Iterable[Any]) -> Hashable:
    return tuple(sorted(values))


def _numbered(mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> _Colours:
    numbers: dict[Hashable, int] = {}
    for one in (*mine, *theirs):
        numbers.setdefault(one, len(numbers))
    return [numbers[one] for one in mine], [numbers[one] for one in theirs]


def _refined(expected: Sequence[Codes], found: Sequence[Codes], bag: Bag, colours: _Colours) -> _Colours:
    """Tell columns apart by the rows that their values stand in, and rows by the columns, until nothing changes."""
    if sorted(colours[0]) != sorted(colours[1]):
        return colours
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
            [(colour, _in_order(zip(own_rows, column, strict=True))) for colour, column in zip(own, side, strict=True)]
            for side, own, own_rows in zip(sides, colours, numbers, strict=True)
        )
        colours = _numbered(*views)
        before, known = known, len({*colours[0], *colours[1]})
        if known == before:
            break
    return colours


# --- the closest choice, where none is right ----------------------------------------------------------------------

_SEEDS = 10
_SAMPLE = 200


def closest(expected: Sequence[Codes], found: Sequence[Codes]) -> list[int]:
    """Return the choice of columns with which most rows agree, as far as a few looks tell.

    Rows are laid side by side by a value that is unique on both sides; then the other columns show themselves.
    """
    values = [set(column) for column in found]
    shared = [[len(mine & theirs) for theirs in values] for mine in map(set, expected)]
    most = max(map(max, shared)) + 1
    best: tuple[float, list[int]] = (-1.0, [])
    for pairs in [[], *_laid_beside(expected, found, shared)]:
        rows, others = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        picked = [[column[row] for row in others] for column in found]
        agreed: list[list[float]] = []
        for column, common in zip(expected, shared, strict=True):
            mine = [column[row] for row in rows]
            counts = (sum(map(eq, mine, theirs)) for theirs in picked)
            agreed.append([count + value / most for count, value in zip(counts, common, strict=True)])
        best = max(best, _greedy(agreed))
    return best[1]


def _laid_beside(
    expected: Sequence[Codes], found: Sequence[Codes], shared: Sequence[Sequence[int]]
) -> Iterator[list[tuple[int, int]]]:
    """Yield pairs of rows with the same value, which stands once in a column of either side; best columns first."""
    seeds = sorted(((value, i, j) for i, row in enumerate(shared) for j, value in enumerate(row)), reverse=True)[
        :_SEEDS
    ]
    mine = {i: _once(expected[i]) for _, i, _ in seeds}
    theirs = {j: _once(found[j]) for _, _, j in seeds}
    for _, i, j in seeds:
        pairs = ((row, theirs[j][value]) for value, row in mine[i].items() if value in theirs[j])
        yield list(islice(pairs, _SAMPLE))


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
