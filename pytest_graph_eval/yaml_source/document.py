"""The data of one file with the positions of its parts and the problems found in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_graph_eval.errors import Problem

MAX_PROBLEMS = 1000
"""Reading a file stops here: its first problems explain the others."""

Position = tuple[int, int]
"""Line and column, both counted from 1."""


class Node:
    """A mapping or a list: its data, and where it, its keys and what is in it stand.

    What stands below is a `Node`, or for a scalar the parser's mark. `keys` is None for a list.
    """

    __slots__ = ("below", "data", "height", "key", "keys", "mark")

    def __init__(self, data: Any, mark: Any) -> None:
        """Start empty at `mark`; `key` and `height` serve the reader."""
        self.mark = mark
        self.data = data
        self.height = 1
        self.key: Any = None
        self.keys: dict[str, Any] | None
        self.below: Any
        if data.__class__ is dict:
            self.keys, self.below = {}, {}
        else:
            self.keys, self.below = None, []

    def child(self, segment: str | int) -> Any:
        """Return what stands at a key or an index, None where there is nothing."""
        if self.keys is not None:
            return self.below.get(segment)
        return self.below[segment] if isinstance(segment, int) and -1 < segment < len(self.below) else None


def _child(node: Any, segment: str | int) -> Any:
    return node.child(segment) if isinstance(node, Node) else None


def mark_of(node: Any) -> Any:
    """Return the mark of a node or of a scalar."""
    return node.mark if isinstance(node, Node) else node


@dataclass(frozen=True, slots=True)
class Places:
    """The places that a file without a problem needs: enough of them, and what works the others out."""

    keys: dict[str, Any]
    """Marks of the keys at the top."""
    items: dict[int, Any]
    """Marks of the whole and of mappings that are items of a list, by their `id`."""
    read: Callable[[], Any]
    """Reads the file once more and returns its root."""

    def of_item(self, data: Any, loc: Sequence[str | int]) -> Any:
        """Return the mark of what stands at `loc`, or of the nearest thing around it; None where it is not known."""
        try:
            for segment in loc:
                data = data[segment]
        except (KeyError, IndexError, TypeError):
            pass
        return self.items.get(id(data))


@dataclass(slots=True)
class Document:
    """The data of one YAML file, the positions of its parts, and what is wrong with it.

    `data` is made of dicts with text keys, lists, `Scalar` (plain), `str` (quoted, or plain text) and None (a
    plain null or nothing as the value of a key). `broken` says that reading stopped at a problem.
    """

    name: str
    data: Any
    root: Any
    problems: list[Problem]
    broken: bool = False
    spots: frozenset[Position] = frozenset()
    """Where reading found problems: what else is wrong there follows from them."""
    places: Places | None = None
    """In place of `root`, until a place is asked for that is not among them."""

    def _top(self) -> Any:
        if self.places is not None:
            self.root, self.places = self.places.read(), None
        return self.root

    def path(self, loc: Sequence[str | int]) -> tuple[str | int, ...]:
        """Return `loc` without the segments that are not in the file (tags of unions, wrappers)."""
        node, path = self._top(), []
        for segment in loc:
            below = _child(node, segment)
            if below is not None:
                node = below
                path.append(segment)
        return tuple(path)

    def position(self, loc: Sequence[str | int] = ()) -> Position:
        """Return where the value at `loc` stands, or the nearest thing around it that exists; (0, 0) without data."""
        if self.places and (mark := self.places.of_item(self.data, loc)):
            return mark.line + 1, mark.column + 1
        node = self._top()
        for segment in loc:
            below = _child(node, segment)
            if below is None:
                break
            node = below
        mark = mark_of(node)
        return (0, 0) if mark is None else (mark.line + 1, mark.column + 1)

    def key_position(self, loc: Sequence[str | int]) -> Position:
        """Return where the last key of `loc` stands; for an item of a list, the item."""
        if self.places and len(loc) == 1:
            mark = self.places.keys.get(loc[0])  # type: ignore[arg-type]  # an index is just not found
            return self.position(loc) if mark is None else (mark.line + 1, mark.column + 1)
        node = self._top()
        for segment in loc[:-1]:
            node = _child(node, segment)
        keys = node.keys if isinstance(node, Node) else None
        mark = keys.get(loc[-1]) if keys and loc else None  # type: ignore[arg-type]  # an index is just not found
        return self.position(loc) if mark is None else (mark.line + 1, mark.column + 1)

    def note(self, loc: Sequence[str | int], message: str, code: str, *, at_key: bool = False, key: str = "") -> None:
        """Add a problem at `loc`, unless reading has already found one in that very place."""
        line, col = self.key_position(loc) if at_key else self.position(loc)
        if self.spots.isdisjoint((line, near) for near in range(col - 2, col + 3)):
            self.problems.append(Problem(self.name, line, col, message, code, key))
