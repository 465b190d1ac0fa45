"""Figures that entities stand for: a metric in a period, with its value read out of the description.

`NET SALES FY2023: "Net Sales were $605.9 billion in FY2023"` is the metric `net sales` in the period FY2023. The
facts engine reads value, unit and dates; an entity whose description states several amounts stands for none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_graph_eval.graph.catalog import Entity
from pytest_graph_eval.metrics.facts import Text
from pytest_graph_eval.metrics.facts.keyfacts import KeyFact, date_facts, number_facts
from pytest_graph_eval.metrics.facts.tokens import NumberToken

__all__ = ["Figure", "Period", "amounts", "read_figure", "split_period"]

_PERIOD = re.compile(
    r"(?<![^\W_])(?:(?P<part>[QHTS][1-4]|[1-4][QHTS])[ _-]?(?:of )?)?"
    r"(?:(?P<fiscal>FY|fiscal(?: year)?|exercice)[ _'’-]?(?P<short>\d{2}(?:\d{2})?)|(?P<year>(?:19|20|21)\d{2}))"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_EDGES = re.compile(r"^[\W_]+|(?:[\W_]+(?:(?:in|for|of|at|as of|en|de|pour|au)[\W_]*)?)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """A year, or a part of one; it sorts by time. `shown` is how a question says it."""

    year: int
    part: str
    shown: str


@dataclass(frozen=True, slots=True)
class Figure:
    """What an entity says: one amount of a metric in a period. `text` is the amount as it is written."""

    entity: Entity
    metric: str
    period: Period
    text: str
    token: NumberToken

    @property
    def fact(self) -> tuple[str, ...]:
        """The figure as a plain fact: value and unit, whatever the words around them."""
        token = self.token
        return (
            "figure",
            self.entity.name,
            f"{token.value.normalize():f}",
            token.unit_class,
            token.currency or token.unit,
        )


def split_period(name: str) -> tuple[str, Period] | None:
    """Return the metric and the period that a name says, None where it says no period, or several."""
    found = list(_PERIOD.finditer(name))
    if len(found) != 1:
        return None
    m = found[0]
    metric = _EDGES.sub("", f"{name[: m.start()].rstrip()} {name[m.end() :].lstrip()}".strip())
    return (metric, _period(m)) if any(map(str.isalpha, metric)) else None


def _period(m: re.Match[str]) -> Period:
    digits = m["year"] or m["short"]
    year = int(digits) if len(digits) == 4 else (2000 if digits < "70" else 1900) + int(digits)
    part = "".join(sorted(m["part"].upper(), key=str.isdigit)) if m["part"] else ""
    return Period(year, part, f"{part} {'FY' if m['fiscal'] else ''}{year}".strip())


def amounts(text: Text) -> list[KeyFact]:
    """Return the amounts that a text states; dates and ordinals are none."""
    return [
        fact for fact in number_facts(text, [d.span for d in date_facts(text)]) if isinstance(fact.token, NumberToken)
    ]


def read_figure(entity: Entity, text: Text) -> Figure | None:
    """Return the figure that an entity stands for; None where its name says no period or its text not one amount.

    Args:
        entity: with a name such as `NET SALES FY2023`.
        text: its description.
    """
    named = split_period(entity.name)
    found = amounts(text) if named else []
    token = found[0].token if len(found) == 1 else None
    if named is None or not isinstance(token, NumberToken) or token.high is not None:
        return None
    return Figure(entity, *named, found[0].text, token)
