"""Small numbers for terms: two terms get the same code exactly when they count as equal.

The codes are those of the reference's terms; what a call returned is looked up among them. Numbers that differ by the
noise of floating point fall together, never further than the tolerance from a number of the reference.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from pytest_graph_eval.metrics.trajectory.numbers import is_number, same_number
from pytest_graph_eval.metrics.trajectory.terms import VALUE_READERS, Key

__all__ = ["Codes"]


class Codes:
    """The terms of a reference; `lenient` lets an untyped literal equal a typed one of the same value."""

    def __init__(self, terms: Iterable[Key], *, lenient: bool) -> None:
        self.lenient = lenient
        self.known: dict[Key, int] = {}
        self.values: dict[Any, int] = {}
        """Values that untyped literals of the reference would have with a type, and the texts of typed ones."""
        distinct = set(terms)
        self.numbers: list[Any] = sorted(key for key in distinct if is_number(key))
        self._add_numbers()
        texts = [key for key in distinct if _is_text(key)]
        for key in distinct.difference(self.known, texts if lenient else ()):
            self.known[key] = len(self.known)
        if lenient:
            self._add_untyped(texts)

    def _add_numbers(self) -> None:
        first: Any = None
        for number in self.numbers:
            if first is not None and same_number(first, number):
                self.known[number] = self.known[first]
            else:
                first = number
                self.known[number] = len(self.known)

    def _add_untyped(self, texts: Iterable[Key]) -> None:
        for key in [key for key in self.known if _is_typed(key)]:
            self.values[key[2].strip()] = self.known[key]  # type: ignore[index]
        for key in texts:
            self.known[key] = self._untyped(key[1], len(self.known))  # type: ignore[index]
            for value in _values(key[1]):  # type: ignore[index]
                self.values.setdefault(value, self.known[key])

    def _untyped(self, text: str, otherwise: int) -> int:
        """Return the code of the typed literal that an untyped one equals."""
        typed = (self._lookup(value) for value in _values(text))
        code = next((code for code in typed if code is not None), None)
        return self.values.get(text.strip(), otherwise) if code is None else code

    def _lookup(self, key: Key) -> int | None:
        code = self.known.get(key)
        return self._nearest(key) if code is None and is_number(key) else code

    def _nearest(self, number: Any) -> int | None:
        """Return the code of the nearest number of the reference that is equal up to noise."""
        at = bisect_left(self.numbers, number)
        near = [n for n in self.numbers[max(at - 1, 0) : at + 1] if same_number(n, number)]
        return self.known[min(near, key=lambda n: abs(n - number))] if near else None

    def opened(self) -> _Found:
        """Return the codes as a mapping of keys that gives new codes to terms that the reference does not have."""
        return _Found(self)

    def find(self, key: Key, otherwise: int) -> int:
        """Return the code of a term that is none of the reference's own keys, `otherwise` where it equals none."""
        code = self._lookup(key)
        if code is None and self.lenient:
            if _is_text(key):
                return self._untyped(key[1], otherwise)  # type: ignore[index]
            code = self.values.get(key[2].strip() if _is_typed(key) else key)  # type: ignore[index]
        return otherwise if code is None else code


class _Found(dict[Any, int]):
    """The codes of one comparison, those of new terms included."""

    def __init__(self, codes: Codes) -> None:
        super().__init__(codes.known)
        self._codes = codes

    def __missing__(self, key: Key) -> int:
        code = self[key] = self._codes.find(key, len(self._codes.known) + len(self))
        return code


def _is_text(key: Key) -> bool:
    return isinstance(key, tuple) and key[0] == "text"


def _is_typed(key: Key) -> bool:
    return isinstance(key, tuple) and key[0] == "typed"


def _values(text: str) -> list[Key]:
    values = (reader(text.strip()) for reader in VALUE_READERS)
    return [value for value in values if value is not None]
