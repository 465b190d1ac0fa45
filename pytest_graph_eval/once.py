"""What is made when it is first asked for and stays: `functools.cached_property` without its lock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as once
else:

    class once:  # noqa: N801 - a decorator, as `property` is
        """An attribute that its method makes; threads that ask at the same time may make it twice.

        The lock, which newer versions of Python do without, takes longer than most of what is made of a short text.
        """

        def __init__(self, make: Any) -> None:
            self._make, self.__doc__ = make, make.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            made = instance.__dict__[self._name] = self._make(instance)
            return made


__all__ = ["once"]
