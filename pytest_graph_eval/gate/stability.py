"""Decides `expect.stable`: whether a scenario without gold data still gets what it got in the baseline."""

from __future__ import annotations

from pytest_graph_eval.expect import Stable
from pytest_graph_eval.gate.baseline import Entry
from pytest_graph_eval.gate.drift import stable_checks
from pytest_graph_eval.records import Record


def judge_stability(record: Record, stable: Stable, before: Entry | None, *, saving: bool) -> Record:
    """Return the record with its stability decided.

    Args:
        record: as scored without a baseline.
        stable: the scenario's lines.
        before: its entry in the baseline, if there is one.
        saving: whether this run is to become the baseline, so that a scenario without an entry is recorded now.
    """
    nothing_came = record.status == "INCONCLUSIVE" and record.cause in ("no_evidence", "not_in_extraction")
    if record.status in ("ERROR", "SKIPPED") or nothing_came:
        return record
    if before is None or before.fingerprint != record.fingerprint:
        return _without_baseline(record, before, saving=saving)
    checks = stable_checks(stable, before, record)
    broken = [c.message for c in checks if c.outcome == "error"]
    failed = [c.message for c in checks if c.outcome == "fail"]
    update: dict[str, object] = {"checks": [*record.checks, *checks]}
    if broken:
        update |= {
            "status": "ERROR",
            "error": "; ".join(broken),
            "cause": "error",
            "scores": dict.fromkeys(record.scores),
        }
    elif failed:
        earlier = [record.reason] if record.status == "FAIL" and record.reason else []
        reason = "; ".join([*earlier, *failed])
        update |= {"status": "FAIL", "reason": reason, "cause": record.cause or "drifted"}
    elif record.status == "INCONCLUSIVE":
        update |= {"status": "PASS", "reason": None, "cause": None}
    return record.model_copy(update=update)


def _without_baseline(record: Record, before: Entry | None, *, saving: bool) -> Record:
    if record.status == "FAIL":
        return record
    if saving:
        return record.model_copy(
            update={"status": "PASS", "reason": None, "cause": None, "flags": [*record.flags, "recorded"]}
        )
    known = "its entry in the baseline asks or expects something else" if before else "it is in no baseline"
    reason = f"no_baseline: `stable` has nothing to compare with, {known}; save one with --graph-eval-save-baseline"
    return record.model_copy(update={"status": "INCONCLUSIVE", "reason": reason, "cause": None})
