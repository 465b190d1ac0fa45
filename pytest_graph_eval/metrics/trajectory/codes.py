"""Small numbers for terms: two terms get the same code exactly when they count as equal.

The codes are those of the reference's terms; what a call returned is looked up among them. Numbers that differ by the
noise of floating point fall together, never further than the tolerance from a number of the reference.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_graph_eval.metrics.trajectory.numbers import TOLERANCE, is_number, same_number
from pytest_graph_eval.metrics.trajectory.terms import MAY_BE_VALUE, VALUE_READERS, Key
from pytest_graph_eval.once import once


class Codes:
    """The terms of a reference; `lenient` lets an untyped literal equal a typed one of the same value."""

    def __init__(self, columns: Iterable[Iterable[Key]], *, lenient: bool) -> None:
        self.lenient = lenient
        self.known: dict[Any, int] = {}
        self._by_text: dict[Key, int] = {}
        self._numbers: list[Any] = []
        self._texts: list[Any] = []
        for key in set().union(*columns):
            kind = type(key)
            if kind is int or kind is float:
                self._numbers.append(key)
            elif kind is tuple and key[0] == "literal":  # type: ignore[index]
                self._texts.append(key)
            else:
                self.known[key] = len(self.known)
                if _is_typed(key):
                    self._by_text[_as_text(key)] = self.known[key]
        self._add_numbers()
        for key in self._texts:
            self.known[key] = self._of_text(key[1], len(self.known)) if lenient else len(self.known)

    def _add_numbers(self) -> None:
        self._numbers.sort()
        first: Any = None
        for number in self._numbers:
            is_close = first is not None and number - first <= TOLERANCE * max(abs(number), abs(first))
            if is_close and same_number(first, number):
                self.known[number] = self.known[first]
            else:
                first = number
                self.known[number] = len(self.known)

    @once
    def _by_value(self) -> dict[Any, int]:
        """The codes of untyped literals by the values that they would have with a type."""
        return {value: self.known[key] for key in reversed(self._texts) for value in _values(key[1])}

    @once
    def _untyped_numbers(self) -> list[Any]:
        return sorted(filter(is_number, self._by_value))

    def _of_text(self, text: str, otherwise: int) -> int:
        """Return the code of the typed literal that an untyped one equals."""
        if not MAY_BE_VALUE.match(text):
            return self._by_text.get(("literal", text.strip()), otherwise)
        codes = (self._lookup(value) for value in _values(text))
        code = next((code for code in codes if code is not None), None)
        return self._by_text.get(("literal", text.strip()), otherwise) if code is None else code

    def _lookup(self, key: Key) -> int | None:
        code = self.known.get(key)
        return _nearest(key, self._numbers, self.known) if code is None and is_number(key) else code

    def opened(self) -> _Found:
        """Return the codes as a mapping of keys that gives new codes to terms that the reference does not have."""
        return _Found(self)

    def find(self, key: Any, otherwise: int) -> int:
        """Return the code of a term that is none of the reference's own keys, `otherwise` where it equals none."""
        code = self._lookup(key)
        if code is None and self.lenient:
            if type(key) is tuple and key[0] == "literal":
                return self._of_text(key[1], otherwise)
            code = self.known.get(_as_text(key)) if _is_typed(key) else self._by_value.get(key)
            if code is None and is_number(key):
                code = _nearest(key, self._untyped_numbers, self._by_value)
        return otherwise if code is None else code


class _Found(dict[Any, int]):
    """The codes of one comparison, those of new terms included."""

    def __init__(self, codes: Codes) -> None:
        super().__init__(codes.known)
        self._codes = codes

    def __missing__(self, key: Key) -> int:
        code = self[key] = self._codes.find(key, len(self._codes.known) + len(self))
        return code


def _nearest(number: Any, numbers: Sequence[Any], codes: Mapping[Any, int]) -> int | None:
    """Return the code of the nearest of some sorted numbers that is equal up to noise."""
    at = bisect_left(numbers, number)
    near = [n for n in numbers[max(at - 1, 0) : at + 1] if same_number(n, number)]
    return codes[min(near, key=lambda n: abs(n - number))] if near else None


def _is_typed(key: Any) -> bool:
    return type(key) is tuple and key[0] == "typed"


def _as_text(key: Any) -> Key:
    return "literal", key[2].strip()


def _values(text: str) -> list[Key]:
    """Return what a text is as a literal with a datatype; 1 and 0 without one are numbers, not booleans."""
    if not MAY_BE_VALUE.match(text):
        return []
    values = [reader(text.strip()) for reader in VALUE_READERS]
    found = [value for value in values if value is not None]
    return found[:1] if found and is_number(found[0]) else found
