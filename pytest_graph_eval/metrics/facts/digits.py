"""Figures written in digits: which values `1.234,5`, `61,13,00,000` or `1'234` can mean."""

from __future__ import annotations

from decimal import Context, Decimal
from functools import lru_cache

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.rules import MOST_DIGITS

# Wide enough for every figure that is taken, and without traps: no text makes arithmetic raise, whatever the
# context of the calling thread.
ARITHMETIC = Context(prec=2 * MOST_DIGITS + 60, traps=[])
# For thirds and ratios, which have no last digit.
SHORT = Context(prec=9, traps=[])

# comma, point: what a lone separator before exactly three digits is (`group`, `decimal`, or `both`, group first).
Separators = tuple[str, str]

FRACTIONS: dict[str, Decimal] = {
    "½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75"), "⅕": Decimal("0.2"), "⅖": Decimal("0.4"),
    "⅗": Decimal("0.6"), "⅘": Decimal("0.8"), "⅛": Decimal("0.125"), "⅜": Decimal("0.375"), "⅝": Decimal("0.625"),
    "⅞": Decimal("0.875"), "⅓": Decimal("0.3333"), "⅔": Decimal("0.6667"), "⅙": Decimal("0.1667"),
    "⅚": Decimal("0.8333"),
}  # fmt: skip

_GROUPS = re.compile(r"\d{1,3}(?:(?P<sep>[,.' _٬])\d{3})(?:(?P=sep)\d{3})*")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")
_SEPARATOR = re.compile(r"[,.' _٬٫]")


@lru_cache(maxsize=4096)
def values(core: str, separators: Separators) -> tuple[Decimal, ...]:
    """Return what a run of digits and separators can mean, the likeliest first; nothing where it is no number.

    `1.2.3`, `5'10`, `1,23.4` and codes with leading zeros (`007`) are no numbers. The exponent of each value is that
    of its last printed digit.
    """
    if len(core) > MOST_DIGITS and sum(map(str.isdigit, core)) > MOST_DIGITS:
        return ()
    marks = _SEPARATOR.findall(core)
    if not marks:
        return () if len(core) > 2 and core[0] == "0" else (Decimal(core),)
    last = marks[-1]
    head, _, tail = core.rpartition(last)
    if last == "٫" or (last in ",." and marks.count(last) == 1 and len(marks) > 1):
        whole = _grouped(head)
        return (Decimal(f"{whole}.{tail}"),) if whole is not None else ()
    if len(marks) > 1 or last not in ",.":
        whole = _grouped(core)
        return (Decimal(whole),) if whole is not None else ()
    decimal = Decimal(f"{head}.{tail}")
    if len(tail) != 3 or len(head) > 3 or head[0] == "0":
        return () if len(head) > 1 and head[0] == "0" else (decimal,)
    grouped = Decimal(head + tail)
    meaning = separators[0] if last == "," else separators[1]
    return {"group": (grouped,), "decimal": (decimal,), "both": (grouped, decimal)}[meaning]


def _grouped(text: str) -> str | None:
    """Return the digits of a whole number, or None where its groups are not three digits each (or Indian)."""
    if text.isdigit():
        return text
    if text[0] != "0" and (_GROUPS.fullmatch(text) or _INDIAN.fullmatch(text)):
        return _SEPARATOR.sub("", text)
    return None
