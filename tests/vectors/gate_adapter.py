"""Translates a gate vector into records, a gate and a baseline, lets the package judge them, and renames the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_graph_eval.gate.comparison.baseline import Attempt, Baseline, Entry
from pytest_graph_eval.gate.comparison.pairing import Scope
from pytest_graph_eval.gate.comparison.regression import Comparison, compare
from pytest_graph_eval.gate.summary import RunInfo, SuiteInfo, Summary, summarize
from pytest_graph_eval.gate.thresholds import decide
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.repeats import wilson
from pytest_graph_eval.models.settings import BaselineGate, Gate

SUITE = "suite"
_XFAILED = ("xfailed", "xfail", "XFAIL")
STATUS = {
    **dict.fromkeys(("passed", "pass", "PASS"), "PASS"),
    **dict.fromkeys(("failed", "fail", "FAIL"), "FAIL"),
    **dict.fromkeys(("error", "errors", "ERROR"), "ERROR"),
    **dict.fromkeys(("skipped", "skip", "SKIPPED"), "SKIPPED"),
    **dict.fromkeys(("inconclusive", "INCONCLUSIVE"), "INCONCLUSIVE"),
    **dict.fromkeys(("xpassed", "XPASS"), "PASS"),
    **dict.fromkeys(_XFAILED, "FAIL"),
}
_BARE = (
    "no_scenarios", "all_skipped", "below_threshold", "errors_present", "unmeasured_score", "deterministic_regression",
    "significant_regression", "not_significant", "insufficient_samples", "partial_run", "baseline_missing",
    "judge_unavailable", "collection_error",
)  # fmt: skip
_NAMED = ("missing_metric", "not_exercised", "vanished", "not_comparable", "flaky")
POLICY = ("alpha", "min_effect", "min_n")


def run_gate(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Judge one case."""
    records, before = _records(inputs), _baseline(inputs)
    policy = BaselineGate(**{k: v for k, v in (inputs.get("policy") or {}).items() if k in POLICY})
    suites = {SUITE: SuiteInfo(name=SUITE, gate=_gate(inputs, policy))}
    run = _run(inputs, records)
    summary = summarize(records, suites, run=run)
    comparison = None if before is None else compare(before, records, _scope(inputs), policies={SUITE: policy})
    verdict = decide(summary, run, extra=comparison.reasons if comparison else ())
    return {
        "verdict": verdict.result,
        "exit_nonzero": verdict.result == "FAIL",
        "reasons": _words(verdict.codes()),
        **_figures(inputs, summary, comparison),
    }


def _words(codes: Sequence[str]) -> list[str]:
    """Return codes in the words of the vectors: without what they have no word for, unless nothing else is said."""
    known = [(word, code) for code in codes if (word := code.partition(":")[0]) in _BARE + _NAMED]
    return [word if word in _BARE else code for word, code in known] or list(codes)


def _record(name: str, status: str = "PASS", **more: Any) -> Record:
    if status in _XFAILED:
        more["outcome"] = "xfailed"
    return Record(
        id=name, suite=SUITE, nodeid=f"{SUITE}::{name}", fingerprint="as-asked", status=STATUS[status], **more
    )  # type: ignore[arg-type]


def _records(inputs: Mapping[str, Any]) -> list[Record]:
    """Return the records of the run that a case describes in one of its forms."""
    judged = {"judge": {"error": "unavailable"}}
    records = [
        *(_record(f"{word}{i}", word) for word, n in (inputs.get("counts") or {}).items() for i in range(n)),
        *_scored(inputs),
        *(_record(str(name)) for name in inputs.get("current_ids") or ()),
        *(_record(f"w{w}-{i}") for w, n in enumerate(inputs.get("per_worker_results") or ()) for i in range(n)),
        *(_record(r.get("id", str(i)), r.get("outcome") or r.get("status")) for i, r in enumerate(_results(inputs))),
        *(now for _, now in _pairs(inputs)),
        *_attempts(inputs),
    ]
    failures = inputs.get("judge_errors") or 0
    for i in range(failures):
        if i < len(records):
            records[i].judge.update(judged["judge"])
        else:
            records.append(_record(f"judged{i}", **judged))
    return records


def _results(inputs: Mapping[str, Any]) -> list[Any]:
    return [r if isinstance(r, dict) else {"outcome": r} for r in inputs.get("results") or ()]


def _scored(inputs: Mapping[str, Any]) -> Iterator[Record]:
    metric = inputs.get("metric")
    for i, score in enumerate(inputs.get("scores") or ()):
        value = float(score) if score is not None else None
        yield _record(f"s{i}", scores={metric or "mean": value, "mean": value})
    if inputs.get("current_metrics"):
        yield _record("all", scores=dict(inputs["current_metrics"]))


def _attempts(inputs: Mapping[str, Any]) -> Iterator[Record]:
    attempts = list(inputs.get("attempts") or ())
    if attempts:
        rescued = len(attempts) > 1 and STATUS[attempts[-1]] == "PASS"
        flags = ["flaky"] if rescued else []
        yield _record(inputs.get("id", "scenario"), attempts[-1], attempts=len(attempts), flags=flags)


def _pairs(inputs: Mapping[str, Any]) -> Iterator[tuple[tuple[str, Entry], Record]]:
    """Yield baseline entry and record of each paired scenario, where a case counts its flips or gives both sides."""
    fell, rose = inputs.get("pass_to_fail"), inputs.get("fail_to_pass") or 0
    if fell is not None:
        sure = inputs.get("kind_of_check") == "deterministic"
        for i in range(inputs["n"]):
            before = "FAIL" if fell <= i < fell + rose else "PASS"
            now = "FAIL" if i < fell else "PASS"
            yield (f"p{i}", _entry(before, sure)), _record(f"p{i}", now, deterministic=sure)
        return
    before, now = inputs.get("baseline"), inputs.get("current")
    if before is None or now is None:
        return
    yield from _given_pair(inputs, before, now)


def _given_pair(inputs: Mapping[str, Any], before: Any, now: Any) -> Iterator[tuple[tuple[str, Entry], Record]]:
    if not isinstance(before, dict) or not isinstance(now, dict):
        before, now = {"scores": before}, {"scores": now}
    metric = inputs.get("metric") or before.get("metric") or "score"
    olds, news = _values(before), _values(now)
    for i in range(max(len(olds), len(news))):
        name = before.get("id", f"p{i}")
        old = olds[i] if i < len(olds) else None
        new = news[i] if i < len(news) else None
        entry = _entry(before.get("outcome") or before.get("status") or "PASS", False, {metric: old})
        entry = entry.model_copy(update={"claimed": before.get("fingerprint", "as-asked")})
        record = _record(name, now.get("outcome") or now.get("status") or "PASS", scores={metric: new})
        record.fingerprint = now.get("fingerprint", "as-asked")
        yield (name, entry), record


def _values(side: Mapping[str, Any]) -> list[Any]:
    """Return a side's scores: given one by one, or as a mean over as many as were scored."""
    scores = side.get("scores")
    if isinstance(scores, list):
        return scores
    count = next((side[k] for k in ("n_scored", "scored", "n") if k in side), 1)
    value = next((side[k] for k in ("mean", "score", "value") if k in side), scores)
    return [value] * count


def _entry(status: str, sure: bool, scores: Mapping[str, Any] | None = None) -> Entry:
    word = STATUS[status]
    attempt = Attempt(passed=word == "PASS", scores=dict(scores or {}))
    return Entry.model_construct(
        scenario={}, status=word, attempts=[attempt], retrieved={}, key_facts=[], flags=[], target="",
        deterministic=sure, claimed="as-asked",
    )  # fmt: skip


def _baseline(inputs: Mapping[str, Any]) -> Baseline | None:
    entries = {str(name): _entry("PASS", False) for name in inputs.get("baseline_ids") or ()}
    entries |= dict(pair for pair, _ in _pairs(inputs))
    if inputs.get("baseline_metrics"):
        entries["all"] = _entry("PASS", False, inputs["baseline_metrics"])
    return Baseline(suites={SUITE: entries}) if entries else None


def _gate(inputs: Mapping[str, Any], policy: BaselineGate) -> Gate:
    """Return a gate with the one line that a case draws, by what the line is for."""
    line = inputs.get("threshold")
    rules: dict[str, Any] = {"overall": None, "baseline": policy}
    if line is not None and inputs.get("metric"):
        rules["metrics"] = {inputs["metric"]: line}
    elif line is not None and inputs.get("scores"):
        rules["overall"] = line
    elif line is not None:
        rules["pass_rate"] = line
    return Gate.model_validate(rules)


def _run(inputs: Mapping[str, Any], records: list[Record]) -> RunInfo:
    deselected = inputs.get("deselected") or []
    errors = inputs.get("collection_errors") or []
    missing = inputs.get("baseline_path_given") and not inputs.get("baseline_exists", True)
    count = inputs.get("expected_total", inputs.get("collected"))
    return RunInfo(
        run_at="",
        partial=f"{len(deselected)} deselected" if deselected else "",
        deselected=len(deselected),
        collected=count if count is not None else len(records) + len(deselected),
        collection_errors=errors if isinstance(errors, list) else ["a suite"] * errors,
        baseline_missing="no such file" if missing else "",
    )


def _scope(inputs: Mapping[str, Any]) -> Scope:
    return Scope(
        whole=frozenset({SUITE}), not_asked=frozenset((SUITE, str(name)) for name in inputs.get("deselected") or ())
    )


def _figures(inputs: Mapping[str, Any], summary: Summary, comparison: Comparison | None) -> dict[str, Any]:
    stat = summary.tally.metrics.get(inputs.get("metric") or "")
    found: dict[str, Any] = {
        "mean": stat.mean if stat else summary.tally.overall.mean,
        "pass_rate": summary.pass_rate,
        "total": summary.total_questions,
        "item_failed": bool(summary.failed),
        "answer_failures": summary.counts.failed,
    }
    if comparison is not None and comparison.changes:
        before = inputs.get("baseline")
        metric = inputs.get("metric") or (before.get("metric") if isinstance(before, Mapping) else None)
        named = [change for change in comparison.changes if change.name == metric]
        found["p_value"] = (named or comparison.changes)[0].p
    counts = summary.counts
    if "interval" in inputs and counts.counted:
        found["ci_low"], found["ci_high"] = wilson(counts.passed, counts.counted)
    return found
