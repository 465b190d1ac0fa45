"""What one look at one text came to, before it is a `Check`: holds or not, the rule, the place, the words."""

from __future__ import annotations

from typing import Any, NamedTuple

from pytest_graph_eval.metrics.facts.text import Span, Text


class Finding(NamedTuple):
    """The outcome of one expected item in one text; `holds` is None where it could not be decided.

    `words` continue the sentence "<kind>: <expected> ...". `found` is the nearest thing found, `span` where it stands
    in the plain text.
    """

    holds: bool | None
    rule: str
    words: str
    found: Any = None
    span: Span | None = None


def broken(rule: str, words: str) -> Finding:
    """Return a finding that decides nothing."""
    return Finding(None, rule, words)


def found_in(text: Text, span: Span) -> str:
    """Return the plain text of a span on one line."""
    return " ".join(text.plain[span[0] : span[1]].split())


def quoted(text: Text, span: Span) -> str:
    """Return the surroundings of a span in quotes, for messages."""
    return f"“{text.around(*span)}”"


def opening(text: Text) -> str:
    """Return how a text begins, in quotes, for messages about what is nowhere in it."""
    return f"“{text.around(0, 0, 120)}”" if text.plain else "nothing"
