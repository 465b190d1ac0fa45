"""The rules of the gate: a summary against its thresholds gives a verdict with reasons.

Each suite's gate judges that suite's records; the gate over the run judges all, by the rules that were written into it.
Every rule yields reasons, and the worst reason is the verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_graph_eval.gate.completeness import all_skipped, missing
from pytest_graph_eval.gate.figures import SLACK, amount, figure, meets, number, percent
from pytest_graph_eval.gate.issues import Issue
from pytest_graph_eval.gate.provenance import provenance
from pytest_graph_eval.gate.spending import Spending
from pytest_graph_eval.gate.summary import AppliedGate, RunInfo, Summary
from pytest_graph_eval.gate.tally import JUDGE_OFF, Stat, Tally
from pytest_graph_eval.gate.verdict import Level, Reason, Verdict, worst
from pytest_graph_eval.models.settings import Ceiling, Line
from pytest_graph_eval.texts import listed, many

_NAMED = 3


def decide(summary: Summary, run: RunInfo, extra: Iterable[Reason] = ()) -> Verdict:
    """Return the verdict over a run.

    Args:
        summary: what was measured, with the gates to apply.
        run: the circumstances that `summary` was made with.
        extra: reasons found elsewhere (baseline, quarantine, preflight); they count like our own.
    """
    return worst([*_run_rules(summary, run), *_suite_rules(summary), *extra])


def judge_line(value: float, line: Line) -> Literal["PASS", "WARN", "FAIL"]:
    """Return what a mean or a share is against its pass line and its warn line."""
    if meets(value, line.pass_):
        return "PASS"
    return "WARN" if line.warn is not None and meets(value, line.warn) else "FAIL"


def _run_rules(summary: Summary, run: RunInfo) -> Iterator[Reason]:
    yield from missing(summary, run)
    if summary.gate.run and summary.counts.asked:
        # The defaults have judged every suite already; over the run only what was written counts.
        gate = summary.gate.run
        scope = _Scope(summary.tally, gate, summary, only=frozenset(gate.written))
        for rule in _LINES:
            yield from rule(scope)


def _suite_rules(summary: Summary) -> Iterator[Reason]:
    for key, suite in summary.by_suite.items():
        counts = suite.tally.counts
        if counts.asked:
            scope = _Scope(suite.tally, summary.gate.suites.get(key) or AppliedGate(), summary, suite=key)
            for rule in (*_FACTS, *_LINES):
                yield from rule(scope)
        elif counts.skipped and summary.counts.asked:
            # In a part of a suite it may well be that just the skipped ones were chosen.
            level: Level = "FAIL" if summary.run.status == "COMPLETE" else "NOTE"
            text = all_skipped(suite.tally.ids["skipped"])
            yield Reason(code="all_skipped", level=level, text=text, suite=key)
        elif not counts.skipped and summary.run.status == "COMPLETE" and summary.counts.asked:
            yield Reason(code="no_scenarios", level="FAIL", text="no scenario of this suite has a record", suite=key)


@dataclass(frozen=True, slots=True)
class _Scope:
    """A set of records, the gate that judges it, and which of its rules apply."""

    tally: Tally
    gate: AppliedGate
    summary: Summary
    suite: str = ""
    only: frozenset[str] | None = None

    def applies(self, rule: str) -> bool:
        return self.only is None or rule in self.only

    def wrote(self, rule: str) -> bool:
        return rule in self.gate.written

    def reason(self, code: str, level: Level, text: str) -> Reason:
        return Reason(code=code, level=level, text=text, suite=self.suite)

    def issues(self, kind: str) -> list[Issue]:
        """Return the issues of one kind in this scope."""
        found = (issue for issue in self.summary.issues if issue.kind == kind)
        return [issue for issue in found if self.suite in ("", issue.suite)]


def _nothing_measured(scope: _Scope) -> Iterator[Reason]:
    counts = scope.tally.counts
    if not counts.measured:
        found = (("error", counts.errors), ("inconclusive", counts.inconclusive), ("expected failure", counts.xfailed))
        what = ", ".join(f"{n} {word}" if word == "inconclusive" else many(n, word) for word, n in found if n)
        text = f"no scenario was measured ({what}){_cause(scope)}"
        yield scope.reason("nothing_measured", "FAIL", text)


def _must_pass(scope: _Scope) -> Iterator[Reason]:
    names = scope.tally.must_pass
    if names:
        yield scope.reason("must_pass", "FAIL", f"{many(len(names), 'scenario')} that must pass did not: {_few(names)}")


def _unmeasured(scope: _Scope) -> Iterator[Reason]:
    found = scope.tally.unmeasured
    if found:
        text = f"{many(len(found), 'score')} not a finite number, so in no mean: {_few(found)}"
        yield scope.reason("unmeasured_score", "FAIL", text)


def _unscored_failures(scope: _Scope) -> Iterator[Reason]:
    """Say that failures are in no mean, where other scenarios have scores that could hide them."""
    names = scope.tally.failed_unscored
    if names and scope.tally.overall.n and scope.gate.pass_rate is None:
        text = f"{many(len(names), 'failed scenario')} without a score, so in no mean (`pass_rate` would count them): "
        yield scope.reason("unscored_failures", "WARN", text + _few(names))


def _judge(scope: _Scope) -> Iterator[Reason]:
    """Say that judgements failed or were not made. They are no scores; when none was made, nothing is measured."""
    names, judged, counts = scope.tally.judge_errors, scope.tally.judged, scope.tally.judgements
    if names:
        failed = counts.get("failed", len(names))
        whole = failed + counts.get("made", judged)
        text = f"{many(failed, 'judgement')} of {whole} failed: {_few(names)}{_cause(scope, 'judge')}"
        yield scope.reason("judge_unavailable", "WARN" if judged else "FAIL", text)
    lines = [name for name, line in scope.gate.judge.items() if line is not None]
    for why, count in scope.tally.not_judged.items():
        is_off = why == JUDGE_OFF
        idle = f"; the gate's {'line' if len(lines) == 1 else 'lines'} for {_few(lines)} decided nothing"
        text = f"{many(count, 'judgement')} not made: {why}{idle if is_off and lines else ''}"
        yield scope.reason("not_judged", "NOTE" if is_off else "WARN", text)


def _judge_lines(scope: _Scope) -> Iterator[Reason]:
    """Hold the judge's means against their lines; where it is off, that is noted already."""
    if not scope.applies("judge") or (scope.tally.not_judged.keys() == {JUDGE_OFF} and not scope.tally.judged):
        return
    for name, line in scope.gate.judge.items():
        if line is None:
            continue
        stat, means = scope.tally.judge.get(name), scope.tally.judge_samples.get(name, [])
        met = {meets(mean, line.pass_) for mean in means}
        if stat is not None and len(met) > 1:
            text = f"judge.{name} {figure(stat.mean, [line.pass_])} straddles the line {number(line.pass_)}: "
            shown = (
                f"the samples' means run from {figure(min(means), [line.pass_])} to {figure(max(means), [line.pass_])}"
            )
            yield scope.reason("judge_unsure", "WARN", text + shown)
        else:
            yield from _score_line(scope, f"judge.{name}", stat, line)


def _flaky(scope: _Scope) -> Iterator[Reason]:
    for name in scope.tally.flaky:
        yield scope.reason(f"flaky:{name}", "WARN", f"{name} passed only when it was run again")


def _errors(scope: _Scope) -> Iterator[Reason]:
    allowed, names = scope.gate.max_errors, scope.tally.ids.get("errors", [])
    if allowed is not None and names and scope.applies("max_errors"):
        level: Level = "FAIL" if len(names) > allowed else "WARN"
        text = f"{many(len(names), 'error')} (at most {allowed}): {_few(names)}{_cause(scope)}"
        yield scope.reason("errors_present", level, text)


def _inconclusive(scope: _Scope) -> Iterator[Reason]:
    most, names = scope.gate.max_inconclusive, scope.tally.ids.get("inconclusive", [])
    if most is not None and names and scope.applies("max_inconclusive"):
        share = len(names) / scope.tally.counts.counted
        level: Level = "WARN" if meets(most, share) else "FAIL"
        text = f"{figure(share, [most])} of the scenarios are inconclusive, at most {number(most)} "
        yield scope.reason(
            "inconclusive", level, f"{text}({len(names)} of {scope.tally.counts.counted}): {_few(names)}"
        )


def _overall(scope: _Scope) -> Iterator[Reason]:
    line = scope.gate.overall
    if line is None or not scope.applies("overall"):
        return
    if scope.tally.overall.mean is None and not scope.wrote("overall"):
        # Suites of checks alone have no scores; the default then asks for the same share of passes.
        if scope.gate.pass_rate is None and scope.tally.counts.measured:
            yield from _rate_line(scope, "pass_rate (no scenario has a mean score)", line)
    else:
        yield from _score_line(scope, "overall", scope.tally.overall, line)


def _pass_rate(scope: _Scope) -> Iterator[Reason]:
    if scope.gate.pass_rate is not None and scope.applies("pass_rate"):
        yield from _rate_line(scope, "pass_rate", scope.gate.pass_rate)


def _matched(rule: str) -> Callable[[_Scope], Iterator[Reason]]:
    """Return the rule that holds how often the expected intent or valid time was used against its line."""

    def check(scope: _Scope) -> Iterator[Reason]:
        line: Line | None = getattr(scope.gate, rule)
        if line is not None and scope.applies(rule):
            yield from _score_line(scope, rule, scope.tally.rates.get(rule), line)

    return check


def _budget(scope: _Scope) -> Iterator[Reason]:
    """Hold what was used against the most that may be; what is not reported by all is the least that was used."""
    budget = scope.gate.budget
    if budget is None or not scope.applies("budget"):
        return
    for rule in type(budget).model_fields:
        line: Ceiling | None = getattr(budget, rule)
        if line is not None:
            yield from _ceiling(scope, rule, scope.tally.spent.get(rule, Spending()), line)


def _ceiling(scope: _Scope, rule: str, spent: Spending, line: Ceiling) -> Iterator[Reason]:
    value = spent.value
    if value is None:
        if scope.tally.counts.measured:
            yield _unreported(scope, rule)
        return
    shown = f"budget.{rule} {amount(value, [line.pass_, line.warn or line.pass_])}"
    level: Level | None = "FAIL" if value > (line.warn or line.pass_) * (1 + SLACK) else None
    if level is None and value > line.pass_ * (1 + SLACK):
        level = "WARN"
    if level is not None:
        limits = amount(line.pass_) + (f" (fails above {amount(line.warn)})" if line.warn is not None else "")
        most = _few([f"{name} {amount(used)}" for name, used in spent.most])
        text = f"{shown} is above the line {limits}, in {many(spent.n, 'scenario')}; most: {most}"
        yield scope.reason("over_budget", level, text)
    elif spent.n_missing:
        silent = f"{many(spent.n_missing, 'scenario')} do not report it, such as {_few(spent.missing)}"
        text = f"{shown} is the least that was used (at most {amount(line.pass_)}): {silent}"
        yield scope.reason("budget_incomplete", "WARN", text)


def _unreported(scope: _Scope, rule: str) -> Reason:
    if scope.summary.run.status != "COMPLETE":
        return scope.reason("no_records", "NOTE", f"budget.{rule}: not judged, no scenario that ran reports it")
    advice = "; `prices:` of the target turns tokens into a cost" if rule == "cost_usd" else ""
    text = f"budget.{rule}: the gate has a line for it, but no scenario reports it{advice}, or remove the rule"
    return scope.reason("no_records", "FAIL", text)


def _named(rule: str) -> Callable[[_Scope], Iterator[Reason]]:
    """Return the rule that holds each named metric, difficulty, category or tag against its line."""

    def check(scope: _Scope) -> Iterator[Reason]:
        lines: Mapping[str, Line | None] = getattr(scope.gate, rule)
        stats: Mapping[str, Stat] = getattr(scope.tally, rule)
        for name, line in lines.items():
            if line is not None and scope.applies(rule):
                yield from _score_line(scope, f"{rule}.{name}", stats.get(name), line)

    return check


_NOTED: Mapping[str, tuple[Level, str]] = {
    "recovered": ("NOTE", "the graph was not fit to be asked, and was recovered before the first question"),
    "no_relationships": ("WARN", "the graph holds 0 relationships: questions that follow them cannot be asked"),
}


def _preflight(scope: _Scope) -> Iterator[Reason]:
    """Repeat what the preflight noted about the target."""
    graph = scope.summary.graph_stats.get(scope.suite)
    for word in graph.warnings if graph else ():
        level, text = _NOTED.get(word, ("NOTE", f"the target warns: {word}"))
        yield scope.reason(word if word in _NOTED else "target_warning", level, text)


def _provenance(scope: _Scope) -> Iterator[Reason]:
    """Say where what is expected is not what the catalog says."""
    return provenance([issue for issue in scope.summary.issues if issue.suite == scope.suite], scope.suite)


_Rule = Callable[[_Scope], Iterator[Reason]]
# What no gate can switch off, and what a gate draws its lines for.
_FACTS: Sequence[_Rule] = (
    _nothing_measured, _must_pass, _unmeasured, _unscored_failures, _judge, _flaky, _preflight, _provenance,
)  # fmt: skip
_LINES: Sequence[_Rule] = (
    _errors,
    _overall,
    _pass_rate,
    *map(_matched, ("intent_match", "as_of_match")),
    *map(_named, ("metrics", "difficulty", "category", "tags")),
    _judge_lines,
    _inconclusive,
    _budget,
)


def _score_line(scope: _Scope, rule: str, stat: Stat | None, line: Line) -> Iterator[Reason]:
    """Hold a mean score against its line; a rule that a user wrote needs a score to judge."""
    if stat is None or stat.mean is None:
        if scope.tally.counts.measured:
            yield _no_records(scope, rule)
        return
    level = judge_line(stat.mean, line)
    if level != "PASS":
        low = [f"{name} {figure(score, [line.pass_])}" for name, score in stat.worst if not meets(score, line.pass_)]
        text = f"{_against(rule, stat.mean, line, level)} ({stat.n} scored); lowest: {_few(low)}"
        yield scope.reason("below_threshold", level, text)


def _no_records(scope: _Scope, rule: str) -> Reason:
    if scope.summary.run.status != "COMPLETE":
        return scope.reason("no_records", "NOTE", f"{rule}: not judged, no scenario that ran has a score for it")
    lost = rule.startswith("judge.") and (scope.tally.judge_errors or scope.tally.not_judged)
    what = "as no judgement was made" if lost else "check the name, or remove the rule"
    text = f"{rule}: the gate has a line for it, but no scenario has a score for it{',' if lost else ';'} {what}"
    return scope.reason("no_records", "FAIL", text)


def _rate_line(scope: _Scope, rule: str, line: Line) -> Iterator[Reason]:
    rate, counts = scope.tally.pass_rate, scope.tally.counts
    if rate is None or judge_line(rate, line) == "PASS":
        return
    level = judge_line(rate, line)
    names = [name for kind in ("errors", "failed", "inconclusive") for name in scope.tally.ids.get(kind, ())]
    passed = f"{counts.passed} of {counts.counted} passed, {percent(counts.passed, counts.counted)}"
    text = f"{_against(rule, rate, line, level)} ({passed}); not passed: {_few(names)}"
    yield scope.reason("below_threshold", "WARN" if level == "WARN" else "FAIL", text)


def _against(rule: str, value: float, line: Line, level: str) -> str:
    """Say what was found and which line it missed."""
    if line.warn is None:
        return f"{rule} {figure(value, [line.pass_])} is under the line {number(line.pass_)}"
    shown = f"{rule} {figure(value, [line.pass_, line.warn])}"
    if level == "WARN":
        return f"{shown} is between the warn line {number(line.warn)} and the pass line {number(line.pass_)}"
    return f"{shown} is under the warn line {number(line.warn)} (pass line {number(line.pass_)})"


def _cause(scope: _Scope, kind: str = "error") -> str:
    """Return the causes of the errors in this scope, or whose the one is that is told."""
    found = scope.issues(kind)
    causes = dict.fromkeys(issue.text for issue in found)
    if not causes:
        return ""
    return f"; {found[0].id}: {found[0].text}" if len(causes) > 1 else f": {found[0].text}"


def _few(names: Sequence[str]) -> str:
    return listed(names, _NAMED)
