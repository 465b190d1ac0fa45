"""The console report: a finished summary as lines of text, each with a word for its style.

The order is the ancestor's. Nothing is wider than the paper, lists are cut with a count, and everything that came
from outside is made harmless (`layout`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_graph_eval.gate.figures import figure, percent
from pytest_graph_eval.gate.summary import Summary
from pytest_graph_eval.gate.verdict import Reason
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.reports.comparison import change_rows, comparison_rows, drift_rows
from pytest_graph_eval.reports.issue_rows import Shared, issue_rows, shared
from pytest_graph_eval.reports.judge import judge_fields, judge_rows
from pytest_graph_eval.reports.layout import Paper, columns
from pytest_graph_eval.reports.rows import (
    ScoreRow,
    Tone,
    category_rows,
    difficulty_rows,
    execution_rows,
    next_steps,
    rating,
    score_rows,
    suite_names,
    suite_rows,
)
from pytest_graph_eval.texts import listed, many

_LISTED = 10  # lines of a list before it is cut with a count
_ROWS = 20  # rows of a table before it is cut with a count
_NAMES = 6  # names in a line
_QUESTION = 56  # columns of a question beside what failed
_LEAST = 60  # columns below which nothing could be laid out
_LABEL = 23  # columns of the labels on the left
_SIGNS: dict[Tone, str] = {"good": "✓", "warn": "⚠", "bad": "✗"}
_LEVELS: dict[str, Tone] = {"NOTE": "", "WARN": "warn", "FAIL": "bad", "PASS": "good"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the report; `style` is "", good, warn, bad or bold."""

    text: str = ""
    style: Tone = ""


def render(
    summary: Summary,
    records: Iterable[Record] = (),
    *,
    width: int = 80,
    ascii_only: bool = False,
    quiet: bool = False,
    exit_reason: str = "",
) -> list[Line]:
    """Return the lines of the console report.

    Args:
        summary: the finished summary, with its verdict.
        records: where they are still at hand, for the questions of the scenarios that failed.
        width: the most columns that a line may take, 60 at least.
        ascii_only: for streams that encode nothing else.
        quiet: the verdict line alone.
        exit_reason: what made the exit status, for the verdict line: `exit 1 because 3 scenarios failed`.
    """
    page = _Page(Paper(max(width, _LEAST), ascii_only), summary, records)
    if quiet:
        return list(page.verdict_line(exit_reason))
    ran = summary.total_questions or summary.skipped
    return [
        *page.title(),
        *page.execution(),
        *(page.measured() if ran else ()),
        *page.verdict(),
        *page.verdict_line(exit_reason),
    ]


class _Page:
    """The sections of the report over one summary."""

    def __init__(self, paper: Paper, summary: Summary, records: Iterable[Record]) -> None:
        self.paper = paper
        self.summary = summary
        failed = set(summary.failed)
        self.questions = {
            name: record.question for record in records for name in (record.id, record.nodeid) if name in failed
        }

    def title(self) -> Iterator[Line]:
        corners = "++++=|" if self.paper.ascii_only else "╔╗╚╝═║"
        inner = self.paper.width - 2
        yield Line(corners[0] + corners[4] * inner + corners[1], "bold")
        for text in ("GRAPH EVALUATION REPORT", *self._subtitle()):
            yield Line(f"{corners[5]} {self.paper.centre(text, inner - 2)} {corners[5]}", "bold")
        yield Line(corners[2] + corners[4] * inner + corners[3], "bold")

    def _subtitle(self) -> Iterator[str]:
        suites = list(self.summary.by_suite.values())
        if len(suites) == 1:
            yield suites[0].name
            if suites[0].description:
                yield suites[0].description
        else:
            yield f"{len(suites)} suites" if suites else "no suite"

    def execution(self) -> Iterator[Line]:
        yield from self._head("EXECUTION SUMMARY")
        for label, text, tone in execution_rows(self.summary):
            yield from self._field(label, self._sign(text, tone), tone)

    def measured(self) -> Iterator[Line]:
        """All that there is to say only where something ran."""
        for section in (
            self.suites, self.scores, self.judge, self.difficulties, self.categories, self.issues, self.tests,
            self.recommendations, self.baseline,
        ):  # fmt: skip
            yield from section()

    def suites(self) -> Iterator[Line]:
        rows = suite_rows(self.summary)
        if len(rows) < 2:
            return
        yield from self._head("SUITES")
        head = ("Suite", "Score", "Passed", "Errors", "Verdict")
        cells = [(r.name, r.score, r.passed, str(r.errors or ""), self._sign(r.verdict, r.tone)) for r in rows]
        yield from self._cut_table(head, cells, [r.tone for r in rows], "suite", align="llrrl")

    def scores(self) -> Iterator[Line]:
        yield from self._head("AGGREGATE SCORES")
        *lines, overall = self._score_table("Metric", "Score", score_rows(self.summary))
        yield from (*lines, self._rule(), overall)

    def _score_table(self, what: str, figure: str, rows: Sequence[ScoreRow]) -> Iterator[Line]:
        cells = [(r.label, r.score, r.target, r.scored, self._sign(r.result, r.tone)) for r in rows]
        head = (what, figure, "Target", "Scored", "Result")
        yield from self._table(head, cells, [row.tone for row in rows], align="lllrl")

    def judge(self) -> Iterator[Line]:
        fields = list(judge_fields(self.summary.tally))
        if fields:
            yield from self._head("JUDGE")
        rows = judge_rows(self.summary)
        if rows:
            yield from (*self._score_table("Score", "Mean", rows), self._rule())
        for label, text, tone in fields:
            yield from self._field(label, text, tone)

    def difficulties(self) -> Iterator[Line]:
        rows = difficulty_rows(self.summary)
        if rows:
            yield from self._head("PERFORMANCE BY DIFFICULTY")
            cells = [
                (f"{r.label}:", f"{r.score} / 1.0", f"({many(r.questions, 'question')})", r.target,
                 self._sign(r.rating, r.tone))
                for r in rows
            ]  # fmt: skip
            yield from self._cut_table((), cells, [r.tone for r in rows], "difficulty", align="lllll")

    def categories(self) -> Iterator[Line]:
        rows = category_rows(self.summary)
        if not rows:
            return
        yield from self._head("PERFORMANCE BY CATEGORY")
        if len(rows) > _ROWS:
            rows.sort(key=lambda row: (row.value is not None, row.value))
        cells = [
            (r.label, self._sign(r.score, r.tone, last=True), f"({many(r.questions, 'question')})",
             r.note and f"({r.note})")
            for r in rows
        ]  # fmt: skip
        yield from self._cut_table(
            (), cells, [r.tone for r in rows], "category", align="llll", note="the lowest are shown"
        )

    def issues(self) -> Iterator[Line]:
        yield from self._head("ISSUES")
        for row in issue_rows(self.summary):
            yield from self._field(row.label, row.text, row.tone)
            yield from self._items(row.items)

    def _items(self, items: Sequence[Shared], questions: Mapping[str, str] | None = None) -> Iterator[Line]:
        for names, text in items[:_LISTED]:
            question = (questions or {}).get(names[0], "")
            asked = f" ({self.paper.fit(question, _QUESTION)})" if question else ""
            yield from self._item(f"{listed(names, _NAMES)}{asked}: {text}")
        yield from self._cut(len(items) - _LISTED, "item")

    def tests(self) -> Iterator[Line]:
        yield from self._head("TESTS")
        counts = self.summary.counts
        whole = counts.counted
        good: Tone = "good" if counts.passed == whole else ""
        yield from self._field("Tests Passed", self._share(counts.passed), good)
        yield from self._field(
            "Tests Failed", self._share(counts.failed) + self._weak(), "bad" if counts.failed else ""
        )
        failures = (issue for issue in self.summary.issues if issue.kind == "failure")
        yield from self._items(shared(failures), self.questions)
        if counts.errors:
            yield from self._field("Errors", self._share(counts.errors), "bad")
        if counts.inconclusive:
            yield from self._field("Inconclusive", self._share(counts.inconclusive), "warn")
        for label, names in (
            ("Expected Failures", self.summary.xfailed),
            ("Unexpected Passes", self.summary.tally.ids.get("xpassed", [])),
            ("Skipped", self.summary.skipped),
        ):
            if names:
                yield from self._field(label, f"{len(names)} ({listed(names, _NAMES)})")

    def _share(self, count: int) -> str:
        whole = self.summary.counts.counted
        return f"{count}/{whole} ({percent(count, whole)})" if whole else str(count)

    def _weak(self) -> str:
        weak = self.summary.weak
        return f"; weak (mean 0.50 or more): {listed(weak, _NAMES)}" if weak else ""

    def recommendations(self) -> Iterator[Line]:
        yield from self._head("RECOMMENDATIONS")
        mean = self.summary.tally.overall.mean
        word, tone = rating(mean)
        if word:
            scored = many(self.summary.tally.overall.n, "scenario")
            text = f"Knowledge graph quality is {word} (overall score {figure(mean)} over {scored})"
            yield from self._item(self._sign(text, tone), mark="", tone=tone)
        if self.summary.recommendations:
            yield Line("Consider:")
            for number, advice in enumerate(self.summary.recommendations, 1):
                yield from self._item(advice, mark=f"  {number}. ")
        steps = next_steps(self.summary)
        if steps:
            yield Line("Next steps:")
            for step in steps:
                yield from self._item(step, mark="  -> " if self.paper.ascii_only else "  → ")
        if not (word or self.summary.recommendations or steps):
            yield Line("none")

    def baseline(self) -> Iterator[Line]:
        if not self.summary.baseline:
            return
        yield from self._head("BASELINE")
        for label, text, tone in comparison_rows(self.summary):
            yield from self._field(label, text, tone)
        rows = change_rows(self.summary)
        if rows:
            yield self._rule()
            cells = [(r.label, r.before, r.now, r.change, r.interval, r.n, r.p) for r in rows]
            head = ("Score", "Before", "Now", "Change", "95% interval", "n", "p")
            yield from self._cut_table(head, cells, [r.tone for r in rows], "score", align="lllllrl")
        drifts = drift_rows(self.summary)
        if drifts:
            yield Line("What came and went:")
            for text in drifts[:_LISTED]:
                yield from self._item(text)
            yield from self._cut(len(drifts) - _LISTED, "change")

    def verdict(self) -> Iterator[Line]:
        yield from (Line(), self._rule("=" if self.paper.ascii_only else "═", "bold"))
        reasons = self.summary.verdict_reasons
        for reason in reasons[:_ROWS]:
            yield from self._reason(reason)
        yield from self._cut(len(reasons) - _ROWS, "reason")

    def _reason(self, reason: Reason) -> Iterator[Line]:
        several = reason.suite in self.summary.by_suite and len(self.summary.by_suite) > 1
        name = f"{suite_names(self.summary)[reason.suite]}: " if several else ""
        tone = _LEVELS[reason.level]
        yield from self._item(f"{reason.code}: {name}{reason.text}".rstrip(": "), mark=f"{reason.level} ", tone=tone)

    def verdict_line(self, exit_reason: str) -> Iterator[Line]:
        summary = self.summary
        status = "" if summary.run.status == "COMPLETE" else f" ({summary.run.status.lower()} run)"
        text = f"verdict {summary.threshold_result}{status}" + (f"; {exit_reason}" if exit_reason else "")
        yield from self._item(text, mark="", tone=_LEVELS[summary.threshold_result])

    def _head(self, text: str) -> Iterator[Line]:
        yield from (Line(), Line(text, "bold"), self._rule())

    def _rule(self, sign: str = "", tone: Tone = "") -> Line:
        return Line((sign or ("-" if self.paper.ascii_only else "─")) * self.paper.width, tone)

    def _sign(self, text: str, tone: Tone, *, last: bool = False) -> str:
        if not text or tone not in _SIGNS:
            return text
        return f"{text} {_SIGNS[tone]}" if last else f"{_SIGNS[tone]} {text}"

    def _field(self, label: str, text: str, tone: Tone = "") -> Iterator[Line]:
        head = f"{self.paper.fit(label, _LABEL - 2)}:"
        head += " " * (_LABEL - columns(head))
        yield from (Line(line, tone) for line in self.paper.wrap(text, first=head, most=4))

    def _item(self, text: str, *, mark: str = "  - ", tone: Tone = "", most: int = 5) -> Iterator[Line]:
        yield from (Line(line, tone) for line in self.paper.wrap(text, first=mark, most=most))

    def _cut(self, more: int, noun: str, *, note: str = "") -> Iterator[Line]:
        if more > 0:
            yield Line(f"  ... and {many(more, f'more {noun}')}{f'; {note}' if note else ''}")

    def _cut_table(
        self, head: Sequence[str], rows: Sequence[Sequence[str]], tones: Sequence[Tone], noun: str, *, align: str,
        note: str = "",
    ) -> Iterator[Line]:  # fmt: skip
        """Lay out the first rows, and say how many more there are."""
        yield from self._table(head, rows[:_ROWS], tones[:_ROWS], align=align)
        yield from self._cut(len(rows) - _ROWS, noun, note=note)

    def _table(
        self, head: Sequence[str], rows: Sequence[Sequence[str]], tones: Sequence[Tone], *, align: str
    ) -> Iterator[Line]:
        """Lay rows out below their header; the first and the last column give way where it gets tight."""
        lines = self.paper.table([head, *rows] if head else rows, align=align)
        if head:
            yield from (Line(lines[0]), self._rule())
        for line, tone in zip(lines[bool(head) :], tones, strict=True):
            yield Line(line, tone)
