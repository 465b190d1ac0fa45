"""What a judgement starts from: a finished record and its scenario; and what comes of one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_graph_eval.metrics.facts.checks import is_violation
from pytest_graph_eval.models.expect import ANSWER_CHECKS
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import Scenario

RETRIEVAL = "retrieval"
"""What graphrag-eval calls a step that retrieves texts."""


class Unscored(ValueError):  # noqa: N818 - nothing went wrong
    """Why a judgement does not apply to a case, or has nothing to judge; `code` is `missing` or `blank`."""

    def __init__(self, message: str, *, code: str = "blank") -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Case:
    """An answer to be judged, with all that a judge may be shown. None is unknown, an empty list is empty."""

    question: str | None = None
    reference_answer: str | None = None
    actual_answer: str | None = None
    reference_steps: Sequence[Sequence[Mapping[str, Any]]] | None = None
    actual_steps: Sequence[Mapping[str, Any]] | None = None
    contexts: Sequence[str] | None = None
    reference_contexts: Sequence[str] | None = None
    facts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What was decided by code: `hits`, `misses`, `violations`, as sentences."""
    failed: frozenset[str] = frozenset()
    """Kinds and rules of the checks that failed."""
    verified_names: Sequence[str] = ()
    ungrounded: Sequence[str] = ()
    """What the answer states and the evidence does not, as sentences."""
    intent: str | None = None
    intent_as_expected: bool | None = None
    as_of: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    earlier: Sequence[Mapping[str, str | None]] = ()
    """`question` and `answer` of the turns before, where it is a turn of a conversation."""


@dataclass(frozen=True, slots=True)
class Cap:
    """A score that was lowered because of what code found."""

    metric: str
    before: float
    after: float
    why: str


@dataclass(frozen=True, slots=True)
class Scored:
    """What a judge's reply says. `scores` of custom judgements may hold any JSON value; only numbers are aggregated."""

    scores: Mapping[str, Any]
    reasons: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    caps: Sequence[Cap] = ()


def case_of(record: Record, scenario: Scenario | None = None, earlier: Sequence[Record] = ()) -> Case:
    """Return what there is to judge of a record.

    Args:
        record: of a scenario, or of a turn.
        scenario: what was asked; without it the references are unknown.
        earlier: the records of the turns before.
    """
    steps = scenario.expect.steps if scenario else None
    groups = [[step.model_dump(exclude_unset=True, by_alias=False) for step in group] for group in steps or ()]
    named = [[{"name": step["tool"], **step} for step in group] for group in groups]
    texts = [
        text
        for group in named
        for step in group
        if step["name"] == RETRIEVAL
        for text in retrieved_texts(step.get("output"))
    ]
    failed = [check for check in record.checks if check.outcome == "fail"]
    return Case(
        question=record.question or None,
        reference_answer=record.gold_answer,
        actual_answer=record.answer,
        reference_steps=named if steps else None,
        actual_steps=record.tool_calls,
        contexts=record.contexts,
        reference_contexts=texts or None,
        facts=_facts(record),
        failed=frozenset(word for check in failed for word in (check.kind, f"{check.kind}:{check.rule}")),
        verified_names=sorted({name for kind in ("entities", "names") for name in record.retrieved.get(kind, ())}),
        ungrounded=record.hallucinations,
        intent=record.intent,
        intent_as_expected=next((c.outcome == "pass" for c in record.checks if c.kind == "intent"), None),
        as_of=record.as_of,
        usage=record.usage,
        earlier=[{"question": turn.question, "answer": turn.answer} for turn in earlier],
    )


def retrieved_texts(output: Any) -> list[str]:
    """Return the texts in the output of a step that retrieves, decoded or as JSON; ids alone are none."""
    if isinstance(output, str):
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return [output]
    items = output if isinstance(output, list) else [output]
    found = (item.get("text") or item.get("content") if isinstance(item, Mapping) else item for item in items)
    return [text for text in found if isinstance(text, str)]


def _facts(record: Record) -> dict[str, list[str]]:
    """Return what the checks of the answer came to, those that could not be decided apart."""
    found: dict[str, list[str]] = {"hits": [], "misses": [], "violations": []}
    for check in record.checks:
        if check.kind in ANSWER_CHECKS and check.outcome != "error":
            kind = "hits" if check.outcome == "pass" else "violations" if is_violation(check) else "misses"
            found[kind].append(check.message)
    return found if any(found.values()) else {}
