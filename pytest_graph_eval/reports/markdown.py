"""The Markdown report, for pull requests and step summaries: a finished run in bounded size, its verdict first.

It is made of parts in the order of their weight. What does not fit is left out whole, and the last line names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

from pytest_graph_eval.gate.figures import figure, percent
from pytest_graph_eval.gate.outcomes import MISSED, kind_of
from pytest_graph_eval.gate.summary import Summary
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.reports.comparison import change_rows, comparison_rows, difference_cells, drift_rows, worst_rows
from pytest_graph_eval.reports.issue_rows import issue_rows
from pytest_graph_eval.reports.judge import judge_fields, judge_rows
from pytest_graph_eval.reports.markdown_scenario import scenario
from pytest_graph_eval.reports.markup import code, folded, prose, table
from pytest_graph_eval.reports.rows import (
    ScoreRow,
    Tone,
    category_rows,
    difficulty_rows,
    execution_rows,
    next_steps,
    red_items,
    score_rows,
    suite_names,
    suite_rows,
)
from pytest_graph_eval.texts import listed, many

LIMIT = 60_000
"""Bytes that the report takes at most: what a comment on a pull request holds, with some room for what stands there."""
LEAST = 4_000
"""Bytes that it takes to say anything: the verdict, and what was left out."""

_SIGNS: dict[Tone, str] = {"good": "✅", "warn": "⚠️", "bad": "❌"}
_TONES: dict[str, Tone] = {"PASS": "good", "WARN": "warn", "FAIL": "bad"}
_ROWS = 20  # rows of a table before it is cut with a count
_NAMES = 6  # names in a line
_LISTED = 10  # lines of a list before it is cut with a count
_ENDING = 500  # bytes kept for the line that says what was left out


def render(summary: Summary, records: Iterable[Record] = (), *, limit: int = LIMIT) -> str:
    """Return the report as Markdown.

    Args:
        summary: the finished summary, with its verdict.
        records: where they are at hand, for what is behind each scenario that did not pass.
        limit: the most bytes of UTF-8 that the text may take, `LEAST` at least.
    """
    records = list(records)
    red = red_items(summary, records)
    page = _Page("\n\n".join(filter(None, (_head(summary), red and f"⚠️ {red}"))), max(limit, LEAST) - _ENDING)
    any(page.add(_reasons(summary, most)) for most in (_ROWS, 5, 1))
    for name, part in _PARTS.items():
        page.add(part(summary), name)
    missed = [record for record in records if kind_of(record) in MISSED]
    heading = "### What did not pass\n\n"
    shown = takewhile(page.add, (f"{'' if n else heading}{scenario(record)}" for n, record in enumerate(missed)))
    # Of a large run only the first are at hand.
    left = max(len(missed), sum(getattr(summary.counts, kind) for kind in MISSED)) - len(list(shown))
    if missed and left:
        page.lost.append(f"{many(left, 'scenario')} that did not pass")
    return page.text(limit)


class _Page:
    """Takes parts as long as there is room for them."""

    def __init__(self, head: str, room: int) -> None:
        self.lost: list[str] = []
        self._parts: list[str] = [head]
        self._room = room - len(head.encode())

    def add(self, part: str, name: str = "") -> bool:
        """Add a part and return True; where it does not fit, note its name and return False."""
        size = len(part.encode()) + 2
        fits = size <= self._room
        if part and fits:
            self._parts.append(part)
            self._room -= size
        elif part and name:
            self.lost.append(name)
        return fits

    def text(self, limit: int) -> str:
        """Return the whole, with a line about what was left out."""
        left_out = f"*Left out, to stay below {limit // 1000} KB: {listed(self.lost, _LISTED)}.*" if self.lost else ""
        return "\n\n".join(filter(None, [*self._parts, left_out])) + "\n"


def _sign(text: str, tone: Tone) -> str:
    return f"{_SIGNS[tone]} {text}" if text and tone in _SIGNS else text


def _list(lines: Sequence[str], noun: str, most: int = _LISTED) -> str:
    more = len(lines) - most
    rest = [f"… and {many(more, f'more {noun}')}"] if more > 0 else []
    return "\n".join(f"- {line}" for line in [*lines[:most], *rest])


def _cut_table(head: Sequence[str], rows: Sequence[Sequence[str]], noun: str, *, align: str) -> str:
    text = table(head, rows[:_ROWS], align=align)
    more = len(rows) - _ROWS
    return f"{text}\n\n… and {many(more, f'more {noun}')}" if more > 0 else text


def _head(summary: Summary) -> str:
    verdict, counts, overall = summary.threshold_result, summary.counts, summary.tally.overall
    suites = list(summary.by_suite.values())
    if len(suites) == 1:
        subject = f"**{prose(suites[0].name, 80)}**"
        subject += f": {prose(suites[0].description, 160)}" if suites[0].description else ""
    else:
        subject = f"**{many(len(suites), 'suite')}**"
    passed = f"{counts.passed} of {many(counts.counted, 'scenario')} passed ({percent(counts.passed, counts.counted)})"
    told = [passed if counts.counted else "no scenario was measured"]
    others = (
        (counts.xpassed, "of them unexpectedly"), (counts.failed, "failed"),
        (counts.errors, "not measured"), (counts.inconclusive, "inconclusive"),
        (len(summary.xfailed), "failed as expected"), (len(summary.skipped), "skipped"),
    )  # fmt: skip
    told += [f"{count} {what}" for count, what in others if count]
    if overall.mean is not None:
        told.append(f"overall score {figure(overall.mean)}")
    state = summary.run.status
    partial = "" if state == "COMPLETE" else f"\n\n⚠️ {state.lower()} run {prose(summary.run.partial, 120)}".rstrip()
    return f"## {_SIGNS[_TONES[verdict]]} Graph evaluation: {verdict}\n\n{subject}\n\n{', '.join(told)}.{partial}"


def _reasons(summary: Summary, most: int) -> str:
    names, several = suite_names(summary), len(summary.by_suite) > 1
    lines = []
    for reason in summary.verdict_reasons:
        sign = _SIGNS[_TONES[reason.level]] if reason.level in _TONES else "ℹ️"
        suite = f"{prose(names[reason.suite], 80)}: " if several and reason.suite in names else ""
        lines.append(f"{sign} {code(reason.code, 80)}: {suite}{prose(reason.text)}")
    return _list(lines, "reason", most)


def _baseline(summary: Summary) -> str:
    if not summary.baseline:
        return ""
    parts = ["### Against the baseline"]
    falls = worst_rows(summary)
    if falls:
        cells = [
            [code(name, 80), code(quantity, 40), *others] for name, quantity, *others in map(difference_cells, falls)
        ]
        parts.append(table(("Fell furthest", "In", "Before", "Now", "Change"), cells, align="llrrr"))
    parts.append(_list([f"{label}: {prose(_sign(text, tone))}" for label, text, tone in comparison_rows(summary)], ""))
    rows = change_rows(summary)
    if rows:
        cells = [[prose(r.label, 60), r.before, r.now, r.change, r.interval, r.n, r.p] for r in rows]
        head = ("Score", "Before", "Now", "Change", "95% interval", "n", "p")
        parts.append(folded("Change of each score", _cut_table(head, cells, "score", align="lrrrlrr")))
    drifts = drift_rows(summary)
    if drifts:
        parts.append(folded("What came and went", _list([prose(text) for text in drifts], "change")))
    return "\n\n".join(parts)


def _score_table(rows: Iterable[ScoreRow]) -> str:
    cells = [[prose(r.label, 60), r.score, prose(r.target), r.scored, _sign(r.result, r.tone)] for r in rows]
    return _cut_table(("Metric", "Score", "Target", "Scored", "Result"), cells, "metric", align="lrlrl")


def _scores(summary: Summary) -> str:
    if not (summary.total_questions or summary.skipped):
        return ""
    *rows, overall = score_rows(summary)
    return f"### Scores\n\n{_score_table([overall, *rows])}"  # tables are cut at their end


def _suites(summary: Summary) -> str:
    rows = suite_rows(summary)
    if len(rows) < 2:
        return ""
    cells = [[prose(r.name, 80), _sign(r.verdict, r.tone), r.score, r.passed, str(r.errors or "")] for r in rows]
    head = ("Suite", "Verdict", "Score", "Passed", "Errors")
    return folded(many(len(rows), "suite"), _cut_table(head, cells, "suite", align="llrrr"))


def _difficulties(summary: Summary) -> str:
    rows = [
        [prose(r.label, 60), r.score, str(r.questions), prose(r.target), _sign(r.rating, r.tone)]
        for r in difficulty_rows(summary)
    ]
    head = ("Difficulty", "Score", "Questions", "Target", "Rating")
    return folded("By difficulty", _cut_table(head, rows, "difficulty", align="lrrll")) if rows else ""


def _categories(summary: Summary) -> str:
    found = sorted(category_rows(summary), key=lambda row: (row.value is not None, row.value))
    rows = [[prose(r.label, 60), _sign(r.score, r.tone), str(r.questions), prose(r.note)] for r in found]
    head = ("Category", "Score", "Questions", "Note")
    return folded("By category, the lowest first", _cut_table(head, rows, "category", align="lrrl")) if rows else ""


def _judge(summary: Summary) -> str:
    fields, rows = list(judge_fields(summary.tally)), judge_rows(summary)
    parts = [_score_table(rows)] if rows else []
    parts += [_list([f"{label}: {prose(_sign(text, tone))}" for label, text, tone in fields], "line")] if fields else []
    return folded("Judge", "\n\n".join(parts)) if parts else ""


def _issues(summary: Summary) -> str:
    rows = [row for row in issue_rows(summary) if row.items]
    parts = []
    for row in rows:
        lines = [f"{prose(listed(names, _NAMES), 200)}: {prose(text)}" for names, text in row.items]
        parts.append(f"**{row.label}**: {prose(row.text)}\n\n{_list(lines, 'item')}")
    return folded("Issues", "\n\n".join(parts)) if parts else ""


def _advice(summary: Summary) -> str:
    lines = [prose(text) for text in (*summary.recommendations, *next_steps(summary))]
    return folded("Recommendations", _list(lines, "recommendation")) if lines else ""


def _run(summary: Summary) -> str:
    rows = [[label, prose(_sign(text, tone))] for label, text, tone in execution_rows(summary)]
    return folded("The run", table(("", ""), rows, align="ll"))


_PARTS: dict[str, Callable[[Summary], str]] = {
    "the comparison with the baseline": _baseline,
    "the scores": _scores,
    "the suites": _suites,
    "difficulties": _difficulties,
    "categories": _categories,
    "the judge": _judge,
    "issues": _issues,
    "recommendations": _advice,
    "the run": _run,
}
"""What the page has of the summary, in its order, by what it is called where it is left out."""
