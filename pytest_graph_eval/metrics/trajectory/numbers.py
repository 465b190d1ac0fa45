"""When two numbers are equal: whole numbers exactly, all others up to the noise of floating point."""

from __future__ import annotations

import math
from typing import Any

TOLERANCE = 1e-9
"""Relative difference up to which numbers are equal, unless both are whole by their type or their writing."""


def is_number(value: Any) -> bool:
    """Tell whether a value is a number; true is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def same_number(one: Any, other: Any) -> bool:
    """Tell whether two values are numbers and equal; NaN equals NaN.

    >>> same_number(0.1 + 0.2, 0.3), same_number(10**10, 10**10 + 1), same_number(True, 1)
    (True, False, False)
    """
    if not (is_number(one) and is_number(other)):
        return False
    if isinstance(one, int) and isinstance(other, int):
        return one == other
    try:
        return math.isclose(one, other, rel_tol=TOLERANCE) or (math.isnan(one) and math.isnan(other))
    except OverflowError:  # a whole number beyond the range of floats
        return False


def same_scalar(one: Any, other: Any, *, exact: bool = False) -> bool:
    """Tell whether two scalars are equal as JSON; true is no 1, and what is no JSON equals nothing.

    Numbers are equal up to noise, or, where `exact`, by their very value; NaN equals NaN.
    """
    if is_number(one) and is_number(other):
        return bool(one == other or (one != one and other != other)) if exact else same_number(one, other)  # noqa: PLR0124 - NaN
    alike = any(isinstance(one, kind) and isinstance(other, kind) for kind in (str, bool, type(None)))
    return alike and bool(one == other)
