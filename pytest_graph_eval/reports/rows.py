"""The rows that every report shows: a finished summary as labels, figures, targets and results.

No layout and no colour: the terminal, Markdown and HTML reports each draw these rows in their own way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from pytest_graph_eval.gate.figures import figure, meets, number, percent
from pytest_graph_eval.gate.recommendations import is_no_gap
from pytest_graph_eval.gate.summary import Summary
from pytest_graph_eval.gate.tally import Group, Stat
from pytest_graph_eval.gate.thresholds import judge_line
from pytest_graph_eval.gate.verdict import Result
from pytest_graph_eval.models.records import METRICS, Record
from pytest_graph_eval.models.settings import Gate, Line
from pytest_graph_eval.texts import listed

Tone = Literal["", "good", "warn", "bad", "bold"]

# Performance targets of the ancestor: shown beside the scores, while only `gate:` decides.
TARGETS = {
    "overall": 0.80,
    "context_relevancy": 0.85,
    "faithfulness": 0.80,
    "answer_correctness": 0.80,
    "precision": 0.70,
    "easy": 0.90,
    "medium": 0.75,
    "hard": 0.60,
}
RATINGS: tuple[tuple[float, str, Tone], ...] = (
    (0.90, "EXCELLENT", "good"),
    (0.80, "GOOD", "good"),
    (0.60, "FAIR", "warn"),
    (0.00, "POOR", "bad"),
)
_RATING_LINES = [line for line, _, _ in RATINGS]
_NOTE_BELOW = 0.80
# What usually lies behind a weak category, by a word of its name.
_NOTES = (
    ("yoy", "needs the figures of both years"),
    ("multi_hop", "requires chain traversal"),
    ("relationship", "needs typed edges between the entities"),
    ("segment", "needs figures by segment"),
    ("risk", "needs risk descriptions in the text"),
)
_TONES: dict[str, Tone] = {"PASS": "good", "WARN": "warn", "FAIL": "bad", "met": "good", "below": "warn"}
_SPELLED = {"yoy": "YoY", "as_of_match": "Valid Time Match", "multi_hop": "Multi-Hop Reasoning"}


def label(name: str) -> str:
    """Return a metric, category or difficulty as a heading: `yoy_comparison` is `YoY Comparison`."""
    if name in _SPELLED or not (name.isascii() and name.islower() and name.replace("_", "").isalnum()):
        return _SPELLED.get(name, name)
    return " ".join(_SPELLED.get(word, word.title()) for word in name.split("_"))


def rating(score: float | None) -> tuple[str, Tone]:
    """Return the word for a score and its tone; "" where there is no score."""
    if score is None:
        return "", ""
    return next(((word, tone) for line, word, tone in RATINGS if meets(score, line)), ("POOR", "bad"))


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score beside its target. `result` is PASS, WARN, FAIL by a line of the gate, else `met` or `below`."""

    name: str
    label: str
    score: str
    target: str
    scored: str
    result: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class DifficultyRow:
    """The mean score of one difficulty with its rating."""

    label: str
    score: str
    questions: int
    target: str
    rating: str
    tone: Tone
    value: float | None
    line: float | None


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """The mean score of one category, with a note where it is low."""

    label: str
    score: str
    questions: int
    note: str
    tone: Tone
    value: float | None
    line: float | None


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One suite of several: its own verdict and figures."""

    name: str
    verdict: Result
    score: str
    passed: str
    errors: int
    tone: Tone


def execution_rows(summary: Summary) -> Iterator[tuple[str, str, Tone]]:
    """Yield label, text and tone of what was run, and how much of it."""
    yield "Total Questions", str(summary.total_questions), ""
    documents = summary.documents_tested
    yield "Documents Tested", f"{len(documents)} ({listed(documents, 3)})" if documents else "0", ""
    for key, suite in summary.by_suite.items() if len(summary.by_suite) == 1 else ():
        graph = summary.graph_stats.get(key)
        counts = ((graph.entities, "entities"), (graph.relationships, "relationships")) if graph else ()
        shown = [f"{count} {noun}" for count, noun in counts if count is not None]
        if suite.target or shown:
            yield "Target", ": ".join(filter(None, (suite.target, ", ".join(shown)))), ""
    modes = ", ".join(f"{mode}: {count}" for mode, count in summary.query_modes_used.items())
    yield "Query Modes", modes or "-", ""
    yield "Duration", duration(summary.meta.get("duration_s")), ""
    yield from _cost_rows(summary)
    if summary.results_file:
        yield "Results", summary.results_file, ""
    yield "Status", *_status(summary)


def _cost_rows(summary: Summary) -> Iterator[tuple[str, str, Tone]]:
    p50, p95 = summary.latency.get("p50"), summary.latency.get("p95")
    if p50 is not None and p95 is not None:
        yield "Latency", f"p50 {duration(p50)}, p95 {duration(p95)}", ""
    tokens, cost = summary.usage.get("total_tokens"), summary.usage.get("cost_usd")
    shown = [f"{tokens:,} tokens"] if tokens is not None else []
    shown += [f"{cost:.4f} USD"] if cost is not None else []
    if shown:
        yield "Usage", ", ".join(shown), ""


def duration(seconds: object) -> str:
    """Return a time in the unit that suits it; `-` where it is not known."""
    if not isinstance(seconds, int | float):
        return "-"
    if seconds >= 60:
        return f"{int(seconds // 60)} min {seconds % 60:.0f} s"
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.001 else "<1 ms"


def _status(summary: Summary) -> tuple[str, Tone]:
    run = summary.run
    deselected = f"{run.deselected} deselected" if run.deselected else ""
    missing = f"{run.not_run} did not run" if run.not_run else ""
    why = ", ".join(dict.fromkeys(filter(None, (run.partial, deselected, missing))))
    tone: Tone = "good" if run.status == "COMPLETE" and not run.not_run else "warn"
    return f"{run.status}{f' ({why})' if why else ''}", tone


def score_rows(summary: Summary) -> list[ScoreRow]:
    """Return the metrics with their targets; the pass rate and the overall score come last."""
    tally, gated = summary.tally, {name for gate in summary.gate.suites.values() for name in gate.metrics}
    others = sorted(name for name, stat in tally.metrics.items() if name not in METRICS and (stat.n or name in gated))
    rows = [score_row(summary, "metrics", name, tally.metrics.get(name, Stat())) for name in (*METRICS, *others)]
    rates = [score_row(summary, name, name, stat) for name, stat in tally.rates.items()]
    return [*rows, *rates, _rate_row(summary), score_row(summary, "overall", "overall", tally.overall)]


def score_row(summary: Summary, rule: str, name: str, stat: Stat) -> ScoreRow:
    """Return a score beside the line that the gates draw for it under `rule`, or beside its performance target."""
    target = _target(summary, rule, name)
    result = target.result(stat.mean)
    return ScoreRow(
        name=name,
        label="OVERALL SCORE" if name == "overall" else label(name),
        score=figure(stat.mean, target.lines()),
        target=target.text,
        scored=f"{stat.n}/{stat.n + stat.n_unscored}" if stat.n else "(0 scored)",
        result=result,
        tone=_TONES.get(result, ""),
    )


def _rate_row(summary: Summary) -> ScoreRow:
    counts, rate = summary.counts, summary.pass_rate
    target = _target(summary, "pass_rate", "")
    if not target.text and summary.tally.overall.mean is None:
        target = _target(summary, "overall", "overall")
    result = target.result(rate)
    return ScoreRow(
        name="pass_rate",
        label="Pass Rate",
        score=figure(rate, target.lines()),
        target=target.text,
        scored=f"{counts.passed}/{counts.counted}",
        result=result,
        tone=_TONES.get(result, ""),
    )


@dataclass(frozen=True, slots=True)
class _Target:
    """What a figure is held against: a line of the gate, else a performance target, else nothing."""

    line: Line | None = None
    aim: float | None = None
    by_suite: bool = False

    @property
    def text(self) -> str:
        if self.by_suite:
            return "by suite"
        if self.line is None:
            return f"≥ {number(self.aim)}" if self.aim is not None else ""
        warn = "" if self.line.warn is None else f" (warn {number(self.line.warn)})"
        return f"≥ {number(self.line.pass_)}{warn}"

    def lines(self) -> list[float]:
        if self.line is None:
            return [] if self.aim is None else [self.aim]
        return [self.line.pass_] if self.line.warn is None else [self.line.pass_, self.line.warn]

    @property
    def least(self) -> float | None:
        return next(iter(self.lines()), None)

    def result(self, value: float | None) -> str:
        if value is None or self.by_suite or not self.lines():
            return ""
        if self.line is not None:
            return judge_line(value, self.line)
        return "met" if meets(value, self.lines()[0]) else "below"


def _target(summary: Summary, rule: str, name: str) -> _Target:
    """Return the line that all gates of this run agree on, else the performance target."""

    def line(gate: Gate) -> Line | None:
        found = getattr(gate, rule)
        return found.get(name) if isinstance(found, dict) else found

    run = summary.gate.run
    if run and rule in run.written and (written := line(run)):
        return _Target(line=written)
    found = [line(gate) for gate in summary.gate.suites.values()]
    if any(one != found[0] for one in found[1:]):
        return _Target(by_suite=True)
    return _Target(line=found[0] if found else None, aim=None if rule == "judge" else TARGETS.get(name))


def red_items(summary: Summary, records: Iterable[Record]) -> str:
    """Say that pytest fails where the verdict alone does not; empty where it does, or where no item failed."""
    if summary.threshold_result == "FAIL" or all(record.outcome != "failed" for record in records):
        return ""
    if summary.run.status == "INTERRUPTED":
        return "Scenarios failed in pytest, and the run was interrupted: pytest exits with 2 whatever the gate says."
    return "Scenarios failed in pytest, which exits with 1 for them whatever the gate says (`fail_on: items`)."


def difficulty_rows(summary: Summary) -> list[DifficultyRow]:
    """Return the difficulties, the easy ones first, each with its rating."""
    return [_difficulty_row(summary, name, group) for name, group in summary.tally.difficulty.items()]


def _difficulty_row(summary: Summary, name: str, group: Group) -> DifficultyRow:
    target = _target(summary, "difficulty", name)
    word, tone = rating(group.mean)
    result = target.result(group.mean)
    if result in ("WARN", "FAIL", "below"):
        word = f"{word}, {'below target' if result == 'below' else result}"
        tone = "bad" if "bad" in (tone, _TONES[result]) else "warn"
    score = figure(group.mean, [*target.lines(), *_RATING_LINES])
    return DifficultyRow(label(name), score, group.total, target.text, word, tone, group.mean, target.least)


def category_rows(summary: Summary) -> list[CategoryRow]:
    """Return the categories by name, each with a note where its score is low or missing."""
    return [_category_row(summary, name, group) for name, group in summary.tally.category.items()]


def _category_row(summary: Summary, name: str, group: Group) -> CategoryRow:
    target = _target(summary, "category", name)
    _, tone = rating(group.mean)
    result = target.result(group.mean) if target.line else ""
    note = ""
    if group.mean is None:
        note = "no score"
    elif result in ("WARN", "FAIL"):
        tone, note = _TONES[result], f"{result}: target {target.text}"
    elif not meets(group.mean, _NOTE_BELOW):
        note = next((text for word, text in _NOTES if word in name.lower()), f"below {number(_NOTE_BELOW)}")
    score = figure(group.mean, [*target.lines(), *_RATING_LINES])
    return CategoryRow(label(name), score, group.total, note, tone, group.mean, target.least)


def suite_names(summary: Summary) -> dict[str, str]:
    """Return what each suite is called: its name, or its file where several have that name."""
    counts = Counter(suite.name for suite in summary.by_suite.values())
    return {key: suite.name if counts[suite.name] == 1 else key for key, suite in summary.by_suite.items()}


def suite_rows(summary: Summary) -> list[SuiteRow]:
    """Return the suites of the run, those with the worst verdict first."""
    severity, names = ("FAIL", "WARN", "PASS"), suite_names(summary)
    ranked = sorted(summary.by_suite.items(), key=lambda item: (severity.index(item[1].threshold_result), item[0]))
    rows = []
    for key, suite in ranked:
        target = _Target(line=gate.overall if (gate := summary.gate.suites.get(key)) else None)
        counts, verdict = suite.tally.counts, suite.threshold_result
        score = figure(suite.tally.overall.mean, target.lines())
        passed = f"{counts.passed}/{counts.counted} ({percent(counts.passed, counts.counted)})"
        rows.append(SuiteRow(names[key] or key, verdict, score, passed, counts.errors, _TONES[verdict]))
    return rows


_STEPS: tuple[tuple[Callable[[Summary], bool], str], ...] = (
    (lambda s: bool(s.failed), "Run again only what failed: pytest --graph-eval --lf"),
    (lambda s: s.run.status != "COMPLETE", "Run the whole suite: a partial run proves only its part"),
    (lambda s: _has(s, "inconclusive", "extraction_gap"), "Ingest the documents that hold what the graph lacks"),
    (lambda s: _has(s, "stale"), "Bring the suite up to date: graph-eval generate, or --graph-eval-facts refresh"),
    (lambda s: _has(s, "precision"), "Tune entity disambiguation in the extraction phase"),
)


def _has(summary: Summary, *kinds: str) -> bool:
    return any(issue.kind in kinds and not is_no_gap(issue) for issue in summary.issues)


def next_steps(summary: Summary) -> list[str]:
    """Return what to do after this run, from the rules that fired."""
    return [step for applies, step in _STEPS if applies(summary)]
