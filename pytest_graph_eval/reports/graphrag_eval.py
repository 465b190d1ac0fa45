"""A finished run in graphrag-eval's own output shape: a result for each question, and its tree of aggregates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_graph_eval.gate.aggregates import CALL_METRICS, Aggregates
from pytest_graph_eval.gate.outcomes import Key, key_of, kind_of
from pytest_graph_eval.models.records import Record

METRICS = ("steps_score", "answer_recall", "answer_precision", "answer_f1", "answer_relevance")
"""The scores that the shape has."""

_MEASURED = ("input_tokens", "output_tokens", "total_tokens", "elapsed_sec")
_COPIED = (*_MEASURED, "actual_answer")
_STATISTICS = ("sum", "mean", "median", "min", "max")


class Results:
    """Takes the records of a run, in any order, and gives the results of its questions and their aggregates."""

    def __init__(self) -> None:
        self._aggregates = Aggregates()
        self._results: list[tuple[Key, dict[str, Any]]] = []

    def add(
        self, record: Record, question: Mapping[str, Any] | None = None, raw: Mapping[str, Any] | None = None
    ) -> None:
        """Take a record; one that was skipped is no result.

        Args:
            record: what came of the question.
            question: it in the form of the reference data, where it is at hand; then the reference steps are shown.
            raw: its response record, where that is at hand: it is copied as it is, with whole outputs of tools.
        """
        sample = _sample(record, raw)
        self._aggregates.add(sample, kind_of(sample), key_of(sample))
        if record.status != "SKIPPED":
            self._results.append((key_of(record), dict(_result(record, question or {}, raw))))

    def results(self) -> list[dict[str, Any]]:
        """Return the result of each question, in the order of the suites' files."""
        return [result for _, result in sorted(self._results, key=lambda item: item[0])]

    def aggregates(self, *, zeros: bool = False) -> dict[str, Any]:
        """Return the aggregates per template, over all questions, and as means of template means.

        Args:
            zeros: write tokens and time that nobody measured as zeros, for readers that want them in every template.
        """
        per_template = {name: _nested(_renamed(part)) for name, part in self._aggregates.per_template().items()}
        micro, macro = _renamed(self._aggregates.micro()), _renamed(self._aggregates.macro())
        if zeros:
            for part in (*per_template.values(), micro):
                _fill(part, _STATISTICS)
            _fill(macro, ("mean",))
        return {"per_template": per_template, "micro": micro, "macro": macro}


def _sample(record: Record, raw: Mapping[str, Any] | None) -> Record:
    """Return the record with what the shape has of it.

    What an agent called before it failed is scored there. Of a response record only what it says itself counts: no
    total that is a sum, and not the time that its replay took.
    """
    scores = {metric: record.scores.get(metric) for metric in METRICS}
    if scores["steps_score"] is None:
        scores["steps_score"] = record.steps.get("score")
    judged = {key: value for entry in _judgements(record) for key, value in entry.get("scores", {}).items()}
    scores |= {key: value for key, value in judged.items() if isinstance(value, int | float)}
    update: dict[str, Any] = {"scores": scores}
    if raw is not None:
        update["usage"] = {key: value for key, value in record.usage.items() if key in raw}
        update["elapsed_s"] = record.elapsed_s if "elapsed_sec" in raw else None
    return record.model_copy(update=update)


def _renamed(part: Mapping[str, Any]) -> dict[str, Any]:
    return {"elapsed_sec" if key == "elapsed_s" else key: value for key, value in part.items()}


def _nested(part: dict[str, Any]) -> dict[str, Any]:
    """Move the scores of single calls below `steps`, where the shape has them per template."""
    own = {metric: part.pop(metric) for metric in CALL_METRICS if metric in part}
    return {**part, "steps": {**part.get("steps", {}), **own}} if own else part


def _fill(part: dict[str, Any], statistics: Sequence[str]) -> None:
    for metric in _MEASURED:
        part.setdefault(metric, dict.fromkeys(statistics, 0))


def _result(record: Record, question: Mapping[str, Any], raw: Mapping[str, Any] | None) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a result in the shape's order; what is not known has none."""
    known = _as_raw(record) if raw is None else raw
    yield "template_id", record.template_id or record.suite
    yield "question_id", known.get("question_id", record.source_id or record.id)
    yield "question_text", record.question
    yield from ((key, known[key]) for key in _COPIED if key in known)
    if record.gold_answer is not None:
        yield "reference_answer", record.gold_answer
    calls = known.get("actual_steps") or []
    if question.get("reference_steps"):
        yield "reference_steps", _matched(question["reference_steps"], record, calls)
    failed = record.status == "ERROR"
    yield "status", "error" if failed else "success"
    if failed:
        yield "error", known.get("error") or record.error
    yield "actual_steps", calls
    scores = _sample(record, raw).scores
    fields = {key: value for entry in _judgements(record) for key, value in judged_fields(entry).items()}
    yield from ((metric, scores[metric]) for metric in METRICS if scores[metric] is not None and metric not in fields)
    yield from fields.items()


def _judgements(record: Record) -> list[dict[str, Any]]:
    """Return the judgements of a record that the shape knows: the rubric is of another family, turns it has none."""
    entries = [entry for entry in record.judge.get("judgements", ()) if entry["kind"] != "rubric"]
    return [] if record.turns else entries


def _as_raw(record: Record) -> dict[str, Any]:
    """Return what the record itself knows of the response; its outputs of tools are cut."""
    usage = {key: record.usage[key] for key in _MEASURED if record.usage.get(key) is not None}
    timed = {} if record.elapsed_s is None else {"elapsed_sec": record.elapsed_s}
    answered = {} if record.answer is None else {"actual_answer": record.answer}
    return {**usage, **timed, **answered, "actual_steps": record.tool_calls}


def _matched(groups: Sequence[Sequence[Mapping[str, Any]]], record: Record, calls: Sequence[Any]) -> list[Any]:
    """Return the reference steps, each with the id of the call that served it (its number where it has no id)."""
    served = [step.get("call") for group in record.steps.get("groups") or () for step in group["steps"]]
    numbers = iter(served if len(served) == sum(map(len, groups)) else ())
    return [
        [
            {**step, "matches": calls[call - 1].get("id", str(call))} if (call := next(numbers, None)) else dict(step)
            for step in group
        ]
        for group in groups
    ]


_CLAIMS = ("reference_claims_count", "actual_claims_count", "matching_claims_count")


def judged_fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return one judgement of a record (`record.judge["judgements"]`) as the keys that graphrag-eval's results have."""
    kind, outcome = entry["kind"], entry["outcome"]
    if outcome == "made":
        counts = entry.get("counts", {})
        claims = {f"answer_{key}": counts[key] for key in _CLAIMS if key in counts}
        reason = entry.get("reasons", {}).get("answer_f1")
        return {**claims, **({"answer_correctness_reason": reason} if claims else {}), **entry["scores"]}
    error = _ERRORS.get(kind, f"{kind}_error")
    if outcome == "not_made" or (kind in _ERRORS and entry.get("code") == "missing"):
        return {}
    return {**dict.fromkeys(entry.get("outputs", ())), error: entry["reason"]}


_ERRORS = {
    "claims": "answer_correctness_error",
    "relevance": "answer_relevance_error",
    "retrieval_answer": "retrieval_answer_error",
    "retrieval_context": "retrieval_context_error",
}
"""Custom judgements have one of their own name."""
