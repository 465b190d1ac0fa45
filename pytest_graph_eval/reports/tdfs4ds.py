"""A finished run in the output shape of tdfs4ds' evaluation: a row for each turn, and the means of each scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum
from typing import Any

from pytest_graph_eval.formats.tdfs4ds import written
from pytest_graph_eval.gate.outcomes import Key, key_of
from pytest_graph_eval.models.conversations import turn_record
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import Scenario

METRICS = ("faithfulness", "completeness", "relevance", "robustness", "efficiency")
"""The judge's scores from 1 to 5 that the shape has; null where no judge was asked, or its judgement failed."""


class Results:
    """Takes the records of a run, in any order, and gives its results."""

    def __init__(self) -> None:
        self._rows: list[tuple[Key, dict[str, Any], list[dict[str, Any]]]] = []
        self._models: set[str] = set()

    def add(self, record: Record, scenario: Scenario | None = None) -> None:
        """Take a record; one that was skipped is no result.

        Args:
            record: what came of the scenario.
            scenario: as it was run, where it is at hand: it has the description and what was expected.
        """
        if record.status == "SKIPPED":
            return
        about = {
            "scenario_id": record.source_id or record.id,
            "category": record.category or "",
            "description": scenario.description if scenario else "",
        }
        asked = written(scenario)["turns"] if scenario else []
        turns = []
        for number, turn in _turns(record):
            self._models |= {str(turn.judge["model"])} if turn.judge.get("model") else set()
            turns.append({**about, "turn": number, **dict(_turn(turn, asked[number - 1] if asked else {}))})
        self._rows.append((key_of(record), about, turns))

    def data(self, *, timestamp: str, version: str) -> dict[str, Any]:
        """Return the results as the shape has them."""
        rows = sorted(self._rows, key=lambda row: row[0])
        turns = [turn for _, _, own in rows for turn in own]
        return {
            "type": "llm_as_judge_evaluation",
            "timestamp": timestamp,
            "model": ", ".join(sorted(self._models)) or None,
            "version": version,
            "tdfs4ds_version": None,
            "n_scenarios": len(rows),
            "n_turns": len(turns),
            "n_stale": sum(turn["facts_stale"] for turn in turns),
            "summary": [{**about, **_means(own)} for _, about, own in rows],
            "turns": turns,
        }


def _turns(record: Record) -> Iterator[tuple[int, Record]]:
    """Yield the turns of a record that were asked, with their numbers; a lone question is the first."""
    if not record.turns:
        yield 1, record
    for row in record.turns:
        if row["status"] != "SKIPPED":
            yield row["turn"], turn_record(record, row)


def _turn(turn: Record, asked: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a turn's row in the shape's order; unknown texts are empty, as its readers expect."""
    intent = next((c for c in turn.checks if c.kind == "intent"), None)
    yield "expected_intent", intent.expected[0] if intent else asked.get("expected_intent", "")
    yield "actual_intent", turn.intent or ""
    yield "user", turn.question
    yield "assistant", f"[agent error: {turn.error}]" if turn.answer is None and turn.error else turn.answer or ""
    yield "expected_facts", asked.get("expected_facts", {})
    yield "time_context", asked.get("time_context", {})
    yield "actual_as_of", turn.as_of
    yield from ((f"facts_{key}", bool(turn.facts.get(key))) for key in ("stale", "refreshed"))
    yield from (("context", ""), ("trace", {}))
    scores = _scores(turn.judge)
    yield from scores.items()
    yield "intent_match", None if intent is None or intent.outcome == "error" else intent.outcome == "pass"
    yield "as_of_match", turn.facts.get("as_of_match")
    for key, name in (("fact_hits", "hits"), ("fact_misses", "misses"), ("violations", "violations")):
        yield key, turn.facts.get(name, [])
    reasons = {k: v for entry in turn.judge.get("judgements", ()) for k, v in entry.get("reasons", {}).items()}
    yield "justification", {name: {"score": scores[name], "rationale": reasons.get(name, "")} for name in METRICS}
    yield "judge_error", turn.judge.get("error")


def _scores(judge: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the rubric scored: another kind of judgement may have a score of the same name."""
    made = [entry for entry in judge.get("judgements", ()) if entry.get("kind") == "rubric"]
    return {name: made[0].get("scores", {}).get(name) if made else None for name in METRICS}


def _means(turns: list[dict[str, Any]]) -> dict[str, float | None]:
    """Return the mean of each metric over the turns that have it, and the mean of these means."""
    found = {name: _mean([turn[name] for turn in turns]) for name in METRICS}
    return {**found, "avg_score": _mean(list(found.values()))}


def _mean(values: list[Any]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fsum(known) / len(known), 2) if known else None
