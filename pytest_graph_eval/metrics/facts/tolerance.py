"""How far two figures may be apart and still agree, and how that is said."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from pytest_graph_eval.metrics.facts import rules
from pytest_graph_eval.metrics.facts.digits import ARITHMETIC
from pytest_graph_eval.metrics.facts.tokens import NumberToken, UnitClass, last_place

Declared = float | Decimal | str | None
_SCALE_OF = {power: name for name, power in rules.SCALE_NAMES.items()}


@dataclass(slots=True)
class Tolerance:
    """The tolerance of one expected figure; `rel` and `abs` are None where none is declared."""

    gold: NumberToken
    kind: UnitClass
    rel: Decimal | None
    abs: Decimal | None

    @classmethod
    def of(cls, gold: NumberToken, kind: UnitClass, rel_tol: Declared, abs_tol: Declared) -> Tolerance:
        """Return the tolerance for `gold`, declared numbers taken as they print."""
        rel = None if rel_tol is None else Decimal(str(rel_tol))
        return cls(gold, kind, rel, None if abs_tol is None else Decimal(str(abs_tol)))

    @property
    def is_exact(self) -> bool:
        """Tell whether only the very value will do: a count, an ordinal or a plain whole number, nothing declared."""
        whole = self.kind in ("count", "ordinal", "plain") and self.gold.is_exact
        return self.rel is None and self.abs is None and whole

    def around(self, gold: Decimal, found: Decimal) -> Decimal:
        """Return how far `found` may be from `gold`; the limit itself is inside."""
        if self.is_exact:
            return Decimal(0)
        if self.rel is not None or self.abs is not None:
            share = ARITHMETIC.multiply(self.rel or Decimal(0), gold.copy_abs())
            return max(share, self.abs or Decimal(0))
        half = ARITHMETIC.scaleb(rules.HALF_UNIT, max(last_place(gold), last_place(found)))
        return min(half, ARITHMETIC.multiply(rules.MOST_RELATIVE, gold.copy_abs()))

    def widest(self, gold: Decimal) -> Decimal:
        """Return the most that `around` can be for any figure."""
        if self.is_exact or self.rel is not None or self.abs is not None:
            return self.around(gold, gold)
        return ARITHMETIC.multiply(rules.MOST_RELATIVE, gold.copy_abs())

    def bounds(self, gold: Decimal) -> tuple[Decimal, Decimal]:
        """Return the least and the largest value that can agree at all."""
        room = self.widest(gold)
        return ARITHMETIC.subtract(gold, room), ARITHMETIC.add(gold, room)

    def words(self, found: Decimal | None) -> str:
        """Return the tolerance in words, for messages."""
        if self.is_exact:
            return "exact"
        gold = self.gold.value
        room = self.around(gold, gold if found is None else found)
        limit = shown(room, self.gold.power)
        if self.rel is not None or self.abs is not None:
            declared = [f"{name} {value:f}" for name, value in (("rel_tol", self.rel), ("abs_tol", self.abs)) if value]
            return f"tolerance {limit} ({' and '.join(declared) or 'declared exact'})"
        one_percent = ARITHMETIC.multiply(rules.MOST_RELATIVE, gold.copy_abs())
        return f"tolerance {limit} ({'1 % at most' if room == one_percent else 'half a unit of the last digit'})"


@lru_cache(maxsize=4096)
def shown(value: Decimal, power: int = 0) -> str:
    """Return a value as a person would write it: grouped, and with the scale word of `power` where there is one."""
    name = _SCALE_OF.get(power)
    scaled = ARITHMETIC.scaleb(value, -power) if name else value
    text = format(scaled.normalize(ARITHMETIC), ",f")
    return f"{text} {name}" if name else text
