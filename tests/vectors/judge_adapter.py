"""Translates vectors about a judge's replies and graphrag-eval's model-based metrics, and renames what comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.formats.graphrag_eval_config import read_config
from pytest_graph_eval.metrics.judge import custom
from pytest_graph_eval.metrics.judge.cases import Case, Unscored
from pytest_graph_eval.metrics.judge.kinds import kinds_of
from pytest_graph_eval.metrics.judge.parsing import ReplyProblem, read_judgement
from pytest_graph_eval.models.judge_settings import JudgeSettings
from pytest_graph_eval.reports.graphrag_eval import judged_fields

LLM = {"generation": {"provider": "p", "model": "m"}}


def run_judge_json(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Read a reply."""
    try:
        found = read_judgement(inputs["raw"], tuple(inputs["scale"]), inputs.get("threshold"))
    except ReplyProblem as e:
        return {"verdict": "error", "reason": e.code, "score": None}
    return {"verdict": "ok", "score": found.score, "reason_text": found.reason, "warning": found.warning}


def run_config(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Read a configuration."""
    settings = _settings(inputs["reference"])
    kinds = settings["kinds"]
    return {
        "answer_correctness": "claims" in kinds,
        "answer_relevance": "relevance" in kinds,
        "custom_evaluations": len(settings["custom"]),
    }


def run_answer_correctness(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Compare the claims of two answers."""
    return judged_fields(_judged(inputs, {"kinds": ["claims"]})[1])


def run_custom(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Judge by instructions of one's own."""
    settings = _settings({"llm": LLM, "custom_evaluations": [inputs["config"]]})
    prompt, entry = _judged(inputs, settings)
    return {"fields": judged_fields(entry), "prompt": prompt}


def _settings(config: Any) -> dict[str, Any]:
    settings, wrong, _ = read_config(config)
    if wrong:
        raise DataError("; ".join(finding.message for finding in wrong))
    return settings


def _judged(inputs: Mapping[str, Any], settings: Mapping[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Return what was asked and what came of it, as a record holds it."""
    made = JudgeSettings.model_validate({"call": "a:model", "kinds": [], **settings})
    kind = kinds_of(made)[-1]
    case = _case(inputs["reference"], inputs["actual"])
    entry: dict[str, Any] = {"kind": kind.name, "outputs": kind.outputs}
    try:
        user = kind.ask(case)
    except Unscored as e:
        return None, {**entry, "outcome": "unscored", "reason": str(e), "code": e.code}
    prompt = f"{custom.instructions(made.custom[0])}\n\n{user}" if made.custom else user
    raw = inputs["llm"] if isinstance(inputs["llm"], str) else json.dumps(inputs["llm"])
    try:
        scored = kind.read(raw, case)
    except ReplyProblem as e:
        return prompt, {**entry, "outcome": "failed", "reason": str(e)}
    found = {"scores": scored.scores, "counts": scored.counts, "reasons": scored.reasons}
    return prompt, {**entry, "outcome": "made", **found}


def _case(reference: Mapping[str, Any], actual: Mapping[str, Any]) -> Case:
    return Case(
        question=reference.get("question_text"),
        reference_answer=reference.get("reference_answer"),
        reference_steps=reference.get("reference_steps"),
        actual_answer=actual.get("actual_answer"),
        actual_steps=actual.get("actual_steps"),
    )
