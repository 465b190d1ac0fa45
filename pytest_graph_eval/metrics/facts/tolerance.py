"""How far two figures may be apart and still agree, and how that is said."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from pytest_graph_eval.metrics.facts import rules
from pytest_graph_eval.metrics.facts.digits import ARITHMETIC
from pytest_graph_eval.metrics.facts.tokens import NumberToken, UnitClass, last_place

Declared = float | Decimal | str | None
_SCALE_OF = {power: name for name, power in rules.SCALE_NAMES.items()}


_NOTHING = Decimal(0)


class Tolerance:
    """The tolerance of one expected figure; `rel` and `abs` are None where none is declared."""

    __slots__ = ("abs", "gold", "is_declared", "is_exact", "most", "rel")

    def __init__(self, gold: NumberToken, kind: UnitClass, rel_tol: Declared, abs_tol: Declared) -> None:
        """Take the tolerance of `gold`, declared numbers as they print."""
        self.gold = gold
        self.rel = None if rel_tol is None else Decimal(str(rel_tol))
        self.abs = None if abs_tol is None else Decimal(str(abs_tol))
        self.is_declared = rel_tol is not None or abs_tol is not None
        self.is_exact = not self.is_declared and kind in ("count", "ordinal", "plain") and gold.is_exact
        """Whether only the very value will do: a count, an ordinal or a plain whole number, nothing declared."""
        self.most = self._most(gold.value)
        """The most that any figure may be from the expected one."""

    def _most(self, gold: Decimal) -> Decimal:
        if self.is_exact:
            return _NOTHING
        if self.is_declared:
            return max(ARITHMETIC.multiply(self.rel or _NOTHING, gold.copy_abs()), self.abs or _NOTHING)
        return ARITHMETIC.multiply(rules.MOST_RELATIVE, gold.copy_abs())

    def around(self, gold: Decimal, found: Decimal) -> Decimal:
        """Return how far `found` may be from `gold`; the limit itself is inside."""
        most = self.most if gold is self.gold.value else self._most(gold)
        if self.is_exact or self.is_declared:
            return most
        return min(ARITHMETIC.scaleb(rules.HALF_UNIT, max(last_place(gold), last_place(found))), most)

    def words(self, found: Decimal | None) -> str:
        """Return the tolerance in words, for messages."""
        if self.is_exact:
            return "exact"
        gold = self.gold.value
        room = self.around(gold, gold if found is None else found)
        limit = shown(room, self.gold.power)
        if self.is_declared:
            declared = [f"{name} {value:f}" for name, value in (("rel_tol", self.rel), ("abs_tol", self.abs)) if value]
            return f"tolerance {limit} ({' and '.join(declared) or 'declared exact'})"
        return f"tolerance {limit} ({'1 % at most' if room == self.most else 'half a unit of the last digit'})"


@lru_cache(maxsize=4096)
def shown(value: Decimal, power: int = 0) -> str:
    """Return a value as a person would write it: grouped, and with the scale word of `power` where there is one."""
    name = _SCALE_OF.get(power)
    scaled = ARITHMETIC.scaleb(value, -power) if name else value
    text = format(scaled.normalize(ARITHMETIC), ",f")
    return f"{text} {name}" if name else text
