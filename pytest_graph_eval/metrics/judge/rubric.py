"""The rubric: five scores from 1 to 5, capped by what code found about the answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pytest_graph_eval.metrics.judge.cases import Cap, Case, Scored, Unscored
from pytest_graph_eval.metrics.judge.parsing import ReplyProblem, read_object, read_score, reason_of
from pytest_graph_eval.models.judge_settings import RUBRIC

SCALE = (1.0, 5.0)
_MOST_NAMES = 60


def ask(case: Case) -> str:
    """Return the user message: one JSON document, in which no text can pass for a key.

    Raises:
        Unscored: there is no answer to judge.
    """
    if not (case.actual_answer or "").strip():
        raise Unscored("no answer to judge")
    data = {
        "question": case.question,
        "answer": case.actual_answer,
        "reference_answer": case.reference_answer,
        "facts": {kind: list(texts) for kind, texts in case.facts.items()},
        "verified_names": list(case.verified_names[:_MOST_NAMES]),
        "not_in_evidence": list(case.ungrounded),
        "intent": case.intent,
        "intent_as_expected": case.intent_as_expected,
        "as_of": case.as_of,
        "usage": dict(case.usage),
    }
    return document(case, data)


def document(case: Case, data: dict[str, Any]) -> str:
    """Return data as the JSON text that a judge gets, with what was said before; what is not known is left out."""
    data = {"earlier_turns": list(case.earlier) or None, **data}
    return json.dumps({k: v for k, v in data.items() if v is not None}, ensure_ascii=False, indent=1, default=str)


def read(raw: str, case: Case) -> Scored:
    """Return the five scores of a reply, capped.

    Raises:
        ReplyProblem: a score is missing or none; then no score of the reply counts.
    """
    data = read_object(raw, key=RUBRIC[0])
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    problems: list[ReplyProblem] = []
    for name in RUBRIC:
        value = data.get(name)
        if isinstance(value, dict):
            reasons[name] = reason_of(value)
            value = value.get("score")
        try:
            scores[name] = read_score(value, SCALE, name)
        except ReplyProblem as e:
            problems.append(e)
    if problems:
        raise ReplyProblem(problems[0].code, "; ".join(map(str, problems)))
    caps = [
        Cap(name, scores[name], most, why)
        for name, most, applies, why in _CAPS
        if applies(case) and scores[name] > most
    ]
    lowered = {cap.metric: cap.after for cap in caps}
    return Scored({**scores, **lowered}, {k: v for k, v in reasons.items() if v}, caps=caps)


def _all_missed(case: Case) -> bool:
    return bool(case.facts) and not case.facts["hits"]


# score, the most that it can be, when, and why
_CAPS: tuple[tuple[str, float, Callable[[Case], bool], str], ...] = (
    ("robustness", 2.0, lambda case: "intent" in case.failed, "another intent than expected"),
    ("robustness", 2.0, lambda case: "as_of:other_instant" in case.failed, "answered at another instant"),
    ("faithfulness", 2.0, lambda case: bool(case.facts.get("violations")), "says what must not be said"),
    ("faithfulness", 2.0, _all_missed, "states none of the expected facts"),
    ("completeness", 3.0, lambda case: "as_of:not_stated" in case.failed, "the expected date is not stated"),
)
