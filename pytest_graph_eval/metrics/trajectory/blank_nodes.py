"""Whether rows with blank nodes are the same up to one renaming of these nodes.

Colours are refined until they tell nodes apart as far as their surroundings do (1-dimensional Weisfeiler-Leman, on
both sides at once, looking again only at what stands beside a change). What is still alike after that is paired at
will; only where that was wrong, which takes surroundings made for it, other pairs are tried.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from copy import copy
from typing import NamedTuple

EFFORT = 2_000_000
"""Nodes that are looked at while pairs are tried; results that are not told apart by then count as different."""


class Row(NamedTuple):
    """A row without its blank nodes, and the labels of these in the order in which they stand in it."""

    ground: Hashable
    labels: tuple[str, ...]


_Sides = tuple[dict[int, None], dict[int, None]]
"""Nodes of either side, in a fixed order."""


class _Colours:
    """The colour of each node of both sides; nodes that could stand for each other have the same one.

    Nodes are numbers: those of the first side below `middle`, those of the second from there on.
    """

    def __init__(self, left: Sequence[Row], right: Sequence[Row]) -> None:
        grounds: dict[Hashable, int] = {}
        self.rows: list[tuple[int, tuple[int, ...]]] = []
        self.middle = size = 0
        for rows in (left, right):
            self.middle = size
            numbers: dict[str, int] = {}
            for ground, labels in rows:
                nodes = tuple([size + numbers.setdefault(label, len(numbers)) for label in labels])
                self.rows.append((grounds.setdefault(ground, len(grounds)), nodes))
            size += len(numbers)
        self.of = [0] * size
        self.beside: list[list[int]] = [[] for _ in self.of]
        for index, (_, nodes) in enumerate(self.rows):
            for node in nodes if len(nodes) < 2 else set(nodes):
                self.beside[node].append(index)
        both = range(size)
        self.members: list[_Sides] = [(dict.fromkeys(both[: self.middle]), dict.fromkeys(both[self.middle :]))]

    def refine(self, changed: Iterable[int], rounds: int | None = None) -> bool:
        """Split colours until nothing changes, or so many times; False where the sides turn out to differ."""
        dirty = set(changed)
        while dirty and rounds != 0:
            found: dict[int, dict[Hashable, list[int]]] = defaultdict(lambda: defaultdict(list))
            for node in dirty:
                if self._size(self.of[node]) > 2:
                    found[self.of[node]][self._surroundings(node)].append(node)
            dirty = set()
            for colour, groups in found.items():
                for nodes in self._parted(colour, list(groups.values())):
                    if not self.recolour(nodes) and rounds is None:
                        return False
                    dirty |= self.neighbours(nodes)
            rounds = None if rounds is None else rounds - 1
        return True

    def _size(self, colour: int) -> int:
        left, right = self.members[colour]
        return len(left) + len(right)

    def _surroundings(self, node: int) -> Hashable:
        """Return what stands beside a node, whatever the labels and the order of rows."""
        seen = []
        of = self.of
        for index in self.beside[node]:
            ground, nodes = self.rows[index]
            seen.append((ground, *[-1 if other == node else of[other] for other in nodes]))
        return tuple(sorted(seen))

    def _parted(self, colour: int, groups: list[list[int]]) -> list[list[int]]:
        """Return the groups that get a new colour: all but the largest, unless other members keep the old one."""
        if sum(map(len, groups)) < self._size(colour):
            return groups
        return sorted(groups, key=len)[:-1]

    def recolour(self, nodes: Iterable[int]) -> bool:
        """Give nodes a colour of their own; False where it does not have as many nodes on both sides."""
        own: _Sides = ({}, {})
        for node in nodes:
            side = node >= self.middle
            del self.members[self.of[node]][side][node]
            own[side][node] = None
            self.of[node] = len(self.members)
        self.members.append(own)
        return len(own[0]) == len(own[1])

    def neighbours(self, nodes: Iterable[int]) -> set[int]:
        return {other for node in nodes for index in self.beside[node] for other in self.rows[index][1]}

    def pair(self, left: int, right: int) -> bool:
        """Let a node of each side stand for each other; False where the sides then differ."""
        self.recolour((left, right))
        return self.refine(self.neighbours((left, right)))

    def forked(self) -> _Colours:
        """Return a copy whose colours can change on their own."""
        other = copy(self)
        other.of = list(self.of)
        other.members = [(dict(left), dict(right)) for left, right in self.members]
        return other

    def agree(self) -> bool:
        """Tell whether the rows of both sides are the same when every node is its colour."""
        counts: tuple[Counter[Hashable], Counter[Hashable]] = (Counter(), Counter())
        for ground, nodes in self.rows:
            if nodes:
                counts[nodes[0] >= self.middle][ground, *[self.of[node] for node in nodes]] += 1
        return counts[0] == counts[1]


def same_up_to_renaming(left: Sequence[Row], right: Sequence[Row]) -> bool:
    """Tell whether the blank nodes of one side can be renamed, each to another one, so that the rows are the same.

    The rows count as often as they are given, in any order.
    """
    if Counter(row.ground for row in left) != Counter(row.ground for row in right):
        return False
    colours = _Colours(left, right)
    if 2 * colours.middle != len(colours.of) or not colours.refine(range(len(colours.of))):
        return False
    return _paired_at_will(colours.forked()) or _paired_by_trial(colours, [EFFORT])


def _paired_at_will(colours: _Colours) -> bool:
    colour = 0
    while colour < len(colours.members):  # pairing adds colours at the end
        left, right = colours.members[colour]
        while len(left) > 1:
            if not colours.pair(next(iter(left)), next(iter(right))):
                return False
        colour += 1
    return colours.agree()


def _paired_by_trial(colours: _Colours, effort: list[int]) -> bool:
    open_classes = [pair for pair in colours.members if len(pair[0]) > 1]
    if not open_classes:
        return colours.agree()
    left, right = min(open_classes, key=lambda pair: len(pair[0]))
    first = next(iter(left))
    for candidate in list(right):
        effort[0] -= len(colours.of)
        if effort[0] < 0:
            return False
        trial = colours.forked()
        if trial.pair(first, candidate) and _paired_by_trial(trial, effort):
            return True
    return False


def coloured(left: Sequence[Row], right: Sequence[Row], rounds: int = 1) -> tuple[list[Hashable], list[Hashable]]:
    """Return the rows of each side with colours for blank nodes, so that rows can be told apart one by one."""
    colours = _Colours(left, right)
    colours.refine(range(len(colours.of)), rounds)
    rows: list[Hashable] = [(ground, *[colours.of[node] for node in nodes]) for ground, nodes in colours.rows]
    return rows[: len(left)], rows[len(left) :]
