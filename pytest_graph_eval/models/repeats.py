"""Folds the askings of a repeated scenario into one record, with the figures of a repeated trial."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import Any

from pytest_graph_eval.models.records import Record, Status

_SLACK = 1e-9
_MOST_K = 10


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a proportion; (0, 1) when nothing was tried.

    Raises:
        ValueError: the counts are impossible.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is no proportion")
    if not trials:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, weight = successes / trials, 1 + z * z / trials
    middle = (rate + z * z / (2 * trials)) / weight
    half = z / weight * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    # The bounds at 0 and 1 are exact; only float error would move them.
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == trials else middle + half
    return low, high


def pass_at_k(passed: int, trials: int, k: int) -> float:
    """Return the chance that at least one of `k` askings, drawn from those made, passed (unbiased).

    Raises:
        ValueError: `k` is not between 1 and `trials`.
    """
    return 1 - _all_of(trials - passed, trials, k)


def pass_hat_k(passed: int, trials: int, k: int) -> float:
    """Return the chance that all of `k` askings, drawn from those made, passed (unbiased).

    Raises:
        ValueError: `k` is not between 1 and `trials`.
    """
    return _all_of(passed, trials, k)


def _all_of(kind: int, trials: int, k: int) -> float:
    if not 1 <= k <= trials or not 0 <= kind <= trials:
        raise ValueError(f"cannot draw {k} of {trials} askings; k runs from 1 to the number of askings")
    return math.comb(kind, k) / math.comb(trials, k)


def fold(attempts: Sequence[Record], min_pass_rate: float) -> Record:
    """Return one record for all askings of a scenario, in the order in which they were made.

    It passes when the share of askings that passed reaches `min_pass_rate`; an error counts as not passed. It is
    ERROR when all of them were. Scores are means over the askings that have them; usage and counts of calls add up.
    Answer, checks and what was retrieved come from the first asking that shows why the status is what it is.

    Raises:
        ValueError: there is no asking.
    """
    if not attempts:
        raise ValueError("a record needs at least one asking")
    if len(attempts) == 1:
        return attempts[0]
    n = len(attempts)
    passed = sum(a.status == "PASS" for a in attempts)
    status = _status([a.status for a in attempts], passed / n >= min_pass_rate - _SLACK)
    number, shown = _shown(attempts, status)
    ks = range(1, min(n, _MOST_K) + 1)
    interval = wilson(passed, n)
    reason = shown.reason
    if status != "PASS":
        rate = f"{passed} of {n} repeats passed, a rate of at least {min_pass_rate:g} was expected"
        reason = f"{rate}; repeat {number}: {shown.reason or shown.error or shown.status}"
    return shown.model_copy(
        update={
            "status": status,
            "reason": reason,
            "scores": mean_scores(attempts),
            "hallucinations": union(a.hallucinations for a in attempts),
            "flags": union(a.flags for a in attempts),
            "usage": total([a.usage for a in attempts]),
            "steps": {**shown.steps, **counted([a.steps for a in attempts])},
            "elapsed_s": mean([a.elapsed_s for a in attempts]),
            "concurrency": max((a.concurrency for a in attempts if a.concurrency is not None), default=None),
            "attempts": sum(a.attempts for a in attempts),
            "deterministic": all(a.deterministic for a in attempts),
            "repeats": [_kept(k, a) for k, a in enumerate(attempts, 1)],
            "pass_rate": passed / n,
            "pass_interval": interval,
            "pass_at_k": {k: pass_at_k(passed, n, k) for k in ks},
            "pass_hat_k": {k: pass_hat_k(passed, n, k) for k in ks},
        }
    )


def _status(found: Sequence[Status], reached: bool) -> Status:
    if reached:
        return "PASS"
    if len(set(found)) == 1:
        return found[0]
    # A repeat that came back empty is not an answer gone wrong; one that failed or errored is.
    return "FAIL" if {"FAIL", "ERROR"} & set(found) else "INCONCLUSIVE"


def _shown(attempts: Sequence[Record], status: Status) -> tuple[int, Record]:
    """Return the first asking of that status, else the first that did not pass, with its number."""
    numbered = list(enumerate(attempts, 1))
    alike = [pair for pair in numbered if pair[1].status == status]
    return (alike or [pair for pair in numbered if pair[1].status != "PASS"])[0]


def _kept(number: int, attempt: Record) -> dict[str, Any]:
    """Return what is kept of one asking: enough to compare it, not to show it."""
    answer = attempt.answer
    return {
        "repeat": number,
        "status": attempt.status,
        "scores": dict(attempt.scores),
        "failed": sorted({c.kind for c in attempt.checks if c.outcome != "pass"}),
        "error": attempt.error,
        "elapsed_s": attempt.elapsed_s,
        "answer_sha256": None if answer is None else hashlib.sha256(answer.encode("utf-8", "replace")).hexdigest()[:12],
    }


def mean_scores(attempts: Sequence[Record]) -> dict[str, float | None]:
    """Return the mean of each score over the records that have it."""
    names = union(a.scores for a in attempts)
    return {name: mean([a.scores.get(name) for a in attempts]) for name in names}


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of what is known, None where nothing is."""
    known = [v for v in values if v is not None]
    return math.fsum(known) / len(known) if known else None


def add_up(totals: dict[str, float | None], part: Mapping[str, float | None]) -> None:
    """Add to each total; one with an unknown part is unknown."""
    for name, value in part.items():
        before = totals.get(name, 0)
        totals[name] = None if before is None or value is None else before + value


def total(usages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Add up what was used; a sum with an unknown part is unknown."""
    used: dict[str, Any] = {}
    for name in union(usages):
        parts = [usage.get(name) for usage in usages]
        known = [p for p in parts if isinstance(p, int | float)]
        used[name] = sum(known) if len(known) == len(parts) else None
    return used


def counted(steps: Sequence[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Add up how often each tool was called; in how many samples says only that it was in this one."""
    counts: dict[str, dict[str, int]] = {}
    for kind in ("total", "errors", "empty_results"):
        parts = [step.get(kind) or {} for step in steps]
        if tools := union(parts):
            counts[kind] = {tool: sum(part.get(tool, 0) for part in parts) for tool in tools}
    return counts | ({"once_per_sample": dict.fromkeys(counts["total"], 1)} if "total" in counts else {})


def union(parts: Iterable[Iterable[str]]) -> list[str]:
    """Return every item once, in the order in which they first came."""
    return list(dict.fromkeys(item for part in parts for item in part))
