"""What was read from objects that come again soon, kept as long as it is not too much in all."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Calls a function once for an object (the very object, not an equal one) and further arguments.

    The results used last are kept, while their sizes together do not exceed a limit; the last one is always kept.
    """

    def __init__(self, function: Callable[..., T], size: Callable[[T], int], most: int) -> None:
        self._function, self._size, self._most = function, size, most
        self._held: dict[tuple[Any, ...], tuple[Any, T]] = {}
        self._total = 0
        self._lock = Lock()

    def __call__(self, owner: Any, *more: Hashable) -> T:
        """Return the function's result, from before where it is still there."""
        key = (id(owner), *more)  # `owner` is held beside the result, so that no other object gets its id
        with self._lock:
            found = self._held.pop(key, None)
            if found is not None:
                self._held[key] = found
                return found[1]
        result = self._function(owner, *more)
        with self._lock:
            if key not in self._held:
                self._total += self._size(result)
            self._held[key] = owner, result
            while self._total > self._most and len(self._held) > 1:
                _, old = self._held.pop(next(iter(self._held)))
                self._total -= self._size(old)
        return result

    def forget(self) -> None:
        """Give everything back, where nothing of it comes again."""
        with self._lock:
            self._held.clear()
            self._total = 0
