"""What a comparator says of one expected step and one tool call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far a call's result is the expected one: 1.0 is equal, below that `reason` says what differs first.

    `code` names the rule in a word (`rows_differ`, `not_a_result`, `empty_reference`, ...; the vectors' words).
    `is_error` says that the *reference* cannot be compared with anything, which no agent is to blame for.
    """

    score: float
    reason: str = ""
    code: str = ""
    is_error: bool = False
    measures: Mapping[str, float] = field(default_factory=dict)
    """More figures of the same comparison: precision, recall, f1 of rows or ids."""


Compare = Callable[[Step, ToolCall], Comparison]
"""A comparator never raises, whatever the agent's call holds: what cannot be read is a non-match with a reason."""
