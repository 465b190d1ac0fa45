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

__all__ = ["Row", "coloured", "same_up_to_renaming"]

EFFORT = 2_000_000
"""Nodes that are looked at while pairs are tried; results that are not told apart by then count as different."""


class Row(NamedTuple):
    """A row without its blank nodes, and the labels of these in the order in which they stand in it."""

    ground: Hashable
    labels: tuple[str, ...]


_Node = tuple[int, str]
"""A blank node: the side that it stands on (0 or 1) and its label there."""


class _Colours:
    """The colour of each node of both sides; nodes that could stand for each other have the same one."""

    def __init__(self, sides: Sequence[Sequence[Row]]) -> None:
        self.rows: list[tuple[Hashable, tuple[_Node, ...]]] = []
        self.of: dict[_Node, int] = {}
        self.beside: dict[_Node, list[int]] = defaultdict(list)
        self.members: list[tuple[dict[_Node, None], dict[_Node, None]]] = [({}, {})]
        for side, rows in enumerate(sides):
            for row in rows:
                nodes = tuple((side, label) for label in row.labels)
                for node in dict.fromkeys(nodes):
                    self.beside[node].append(len(self.rows))
                    self.of[node] = 0
                    self.members[0][side][node] = None
                self.rows.append((row.ground, nodes))

    def refine(self, changed: Iterable[_Node], rounds: int | None = None) -> bool:
        """Split colours until nothing changes, or so many times; False where the sides turn out to differ."""
        dirty = set(changed)
        while dirty and rounds != 0:
            found: dict[int, dict[Hashable, list[_Node]]] = defaultdict(lambda: defaultdict(list))
            for node in dirty:
                if sum(map(len, self.members[self.of[node]])) > 2:
                    found[self.of[node]][self._surroundings(node)].append(node)
            dirty = set()
            for colour, groups in found.items():
                for nodes in self._parted(colour, list(groups.values())):
                    if not self.recolour(nodes) and rounds is None:
                        return False
                    dirty.update(self.neighbours(nodes))
            rounds = None if rounds is None else rounds - 1
        return True

    def _surroundings(self, node: _Node) -> Hashable:
        """Return what stands beside a node, whatever the labels and the order of rows."""
        seen: Counter[Hashable] = Counter()
        for index in self.beside[node]:
            ground, nodes = self.rows[index]
            seen[ground, tuple(-1 if other == node else self.of[other] for other in nodes)] += 1
        return frozenset(seen.items())

    def _parted(self, colour: int, groups: list[list[_Node]]) -> list[list[_Node]]:
        """Return the groups that get a new colour: all but the largest, unless other members keep the old one."""
        if sum(map(len, groups)) < sum(map(len, self.members[colour])):
            return groups
        return sorted(groups, key=len)[:-1]

    def recolour(self, nodes: Iterable[_Node]) -> bool:
        """Give nodes a colour of their own; False where it does not have as many nodes on both sides."""
        own: tuple[dict[_Node, None], dict[_Node, None]] = ({}, {})
        for node in nodes:
            del self.members[self.of[node]][node[0]][node]
            own[node[0]][node] = None
            self.of[node] = len(self.members)
        self.members.append(own)
        return len(own[0]) == len(own[1])

    def neighbours(self, nodes: Iterable[_Node]) -> Iterable[_Node]:
        return (other for node in nodes for index in self.beside[node] for other in self.rows[index][1])

    def pair(self, left: _Node, right: _Node) -> bool:
        """Let a node of each side stand for each other; False where the sides then differ."""
        self.recolour((left, right))
        return self.refine(self.neighbours((left, right)))

    def forked(self) -> _Colours:
        """Return a copy whose colours can change on their own."""
        other = copy(self)
        other.of = dict(self.of)
        other.members = [(dict(left), dict(right)) for left, right in self.members]
        return other

    def agree(self) -> bool:
        """Tell whether the rows of both sides are the same when every node is its colour."""
        counts: tuple[Counter[Hashable], Counter[Hashable]] = (Counter(), Counter())
        for ground, nodes in self.rows:
            if nodes:
                counts[nodes[0][0]][ground, tuple(self.of[node] for node in nodes)] += 1
        return counts[0] == counts[1]


def same_up_to_renaming(left: Sequence[Row], right: Sequence[Row]) -> bool:
    """Tell whether the blank nodes of one side can be renamed, each to another one, so that the rows are the same.

    The rows count as often as they are given, in any order.
    """
    if Counter(row.ground for row in left) != Counter(row.ground for row in right):
        return False
    colours = _Colours((left, right))
    if len(colours.members[0][0]) != len(colours.members[0][1]) or not colours.refine(colours.of):
        return False
    at_will = colours.forked()
    if _paired_at_will(at_will):
        return True
    return _paired_by_trial(colours, [EFFORT])


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
    colours = _Colours((left, right))
    colours.refine(list(colours.of), rounds)
    rows = [(ground, tuple(colours.of[node] for node in nodes)) for ground, nodes in colours.rows]
    return rows[: len(left)], rows[len(left) :]  # type: ignore[return-value]
