"""The records of a conversation's turns become the one of its scenario. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_graph_eval.models.records import Check, Record, Status
from pytest_graph_eval.models.repeats import counted, mean_scores, total, union

NO_CHECK = "no_check"
"""How the reason of a record begins that nothing could be checked of."""

_KEPT = {
    "question", "gold_answer", "query_mode", "mode_ran", "answer", "status", "reason", "error", "cause", "scores",
    "contexts", "relevant", "explain", "checks", "facts", "steps", "intent", "as_of", "hallucinations", "retrieved",
    "retrieved_entities_count", "retrieved_chunks_count", "tool_calls", "usage", "elapsed_s", "concurrency",
    "attempts", "flags",
}  # fmt: skip
_WORST: tuple[Status, ...] = ("ERROR", "FAIL", "INCONCLUSIVE")
_FACTS = ("hits", "misses", "violations")
FRESHNESS = ("stale", "refreshed", "unchecked")
"""Keys of a record's `facts` that tell whether the graph still holds what is expected, each a list of texts.

`stale`: what the graph says otherwise, empty where it was compared and holds; `refreshed`: what was put in its place;
`unchecked`: why nothing could be compared.
"""


def joined(record: Record, turns: Sequence[Record]) -> Record:
    """Return the record of a conversation.

    It is ERROR when a turn is, else FAIL when a turn is, else INCONCLUSIVE when a turn is that has something to check;
    scores are means over the turns, what was used adds up, and lists join. Question and answer are those of the first.

    Args:
        record: of the scenario, not measured yet.
        turns: the records of all its turns; those that were not asked are SKIPPED.
    """
    asked = [turn for turn in turns if turn.status != "SKIPPED"]
    counting = [turn for turn in asked if not is_unchecked(turn)]
    found = {turn.status for turn in counting}
    status: Status = next((s for s in _WORST if s in found), "PASS" if found else "INCONCLUSIVE")
    shown = next((turn for turn in counting or asked if turn.status == status), turns[0])
    told = [f"turn {n} of {len(turns)}: {turn.error or turn.reason}" for n, turn in enumerate(turns, 1)
            if turn in counting and turn.status != "PASS"]  # fmt: skip
    what = "; ".join(told) or shown.reason
    scores = mean_scores([turn for turn in counting if turn.status in ("PASS", "FAIL")] or [record])
    return record.model_copy(
        update={
            "status": status,
            "reason": what if status in ("FAIL", "INCONCLUSIVE") else None,
            "error": what if status == "ERROR" else None,
            "cause": shown.cause,
            "scores": dict.fromkeys(scores) if status == "ERROR" else _mean_last(scores),
            "turns": [_row(n, turn) for n, turn in enumerate(turns, 1)],
            "checks": [_numbered(c, n) for n, t in enumerate(turns, 1) for c in t.checks],
            "explain": dict(shown.explain),
            "facts": _facts(turns),
            "hallucinations": [f"turn {n}: {text}" for n, t in enumerate(turns, 1) for text in t.hallucinations],
            "answer": turns[0].answer,
            "query_mode": turns[0].query_mode,
            "mode_ran": turns[0].mode_ran,
            "retrieved": _retrieved(asked),
            "retrieved_entities_count": _sum(t.retrieved_entities_count for t in asked),
            "retrieved_chunks_count": _sum(t.retrieved_chunks_count for t in asked),
            "tool_calls": _calls(asked),
            "key_facts": union(t.key_facts for t in asked),
            "flags": union([record.flags, *(t.flags for t in asked)]),
            "usage": total([t.usage for t in asked]),
            "steps": counted([t.steps for t in asked]),
            "elapsed_s": _sum(t.elapsed_s for t in asked),
            "concurrency": max((t.concurrency for t in asked if t.concurrency is not None), default=None),
            "attempts": 1 + sum(t.attempts - 1 for t in asked),
            "deterministic": all(t.deterministic for t in asked),
        }
    )  # fmt: skip


def _numbered(check: Check, number: int) -> Check:
    """Return a check whose message tells the turn."""
    rest = check.message.removeprefix(f"{check.kind}: ")
    return check.model_copy(update={"message": f"{check.kind}: turn {number}: {rest}"})


def is_unchecked(turn: Record) -> bool:
    """Tell whether a turn only prepares others: its reply came, and nothing is expected of it."""
    return turn.status == "INCONCLUSIVE" and (turn.reason or "").startswith(NO_CHECK)


def failed_turns(record: Record) -> list[tuple[int, Record]]:
    """Return the turns of a finished conversation that did not pass, with their numbers."""
    numbered = [(row["turn"], turn_record(record, row)) for row in record.turns]
    return [(n, turn) for n, turn in numbered if turn.status in _WORST and not is_unchecked(turn)]


def turn_record(record: Record, row: dict[str, Any]) -> Record:
    """Return a turn of a finished conversation as a record of its own."""
    return Record.model_validate({"id": record.id, **row})


def _row(number: int, turn: Record) -> dict[str, Any]:
    return {"turn": number, **turn.model_dump(mode="json", include=_KEPT)}


def _mean_last(scores: dict[str, float | None]) -> dict[str, float | None]:
    return {name: scores[name] for name in sorted(scores, key=lambda name: name == "mean")}


def _facts(turns: Sequence[Record]) -> dict[str, Any]:
    """Join what was found of the expected facts; the valid time matches when it does in every turn that tells."""
    found: dict[str, Any] = freshness([t.facts for t in turns])
    if not any(turn.facts.keys() - FRESHNESS for turn in turns):
        return found
    found |= {
        key: [f"turn {n}: {text}" for n, t in enumerate(turns, 1) for text in t.facts.get(key, ())] for key in _FACTS
    }
    for key in ("as_of_match", "as_of_stated"):
        known = [t.facts[key] for t in turns if t.facts.get(key) is not None]
        found[key] = all(known) if known else None
    return found


def freshness(turns: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return what the `facts` of turns say of their freshness, with the turn where not all say the same."""
    found: dict[str, list[str]] = {}
    if not any(turns):  # nothing was held against a catalog
        return found
    for key in (key for key in FRESHNESS if any(key in facts for facts in turns)):
        told = [(n, text) for n, facts in enumerate(turns, 1) for text in facts.get(key, ())]
        same = len(told) == len(turns) and len({text for _, text in told}) == 1
        said = len(turns) > 1 and not same
        found[key] = [f"turn {n}: {text}" if said else text for n, text in (told[:1] if same else told)]
    return found


def _retrieved(turns: Sequence[Record]) -> dict[str, list[str]]:
    kinds = union(t.retrieved for t in turns)
    return {kind: union(t.retrieved.get(kind, ()) for t in turns) for kind in kinds}


def _calls(turns: Sequence[Record]) -> list[dict[str, Any]] | None:
    """Return all calls, None where a turn does not tell its own."""
    calls: list[dict[str, Any]] = []
    for turn in turns:
        if turn.tool_calls is None:
            return None
        calls += turn.tool_calls
    return calls


def _sum(values: Iterable[float | None]) -> Any:
    """Add up; a sum with an unknown part is unknown."""
    parts = list(values)
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) and parts else None
