"""The charts of the HTML report as shapes with places: the template only writes them down as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pytest_graph_eval.gate.figures import figure, is_number, percentile
from pytest_graph_eval.gate.outcomes import MEASURED, kind_of
from pytest_graph_eval.gate.summary import Summary
from pytest_graph_eval.models.records import METRICS, Record
from pytest_graph_eval.reports.rows import (
    CategoryRow,
    DifficultyRow,
    Tone,
    category_rows,
    difficulty_rows,
    duration,
    label,
)
from pytest_graph_eval.texts import cut

_WIDTH = 360.0
_BINS = 10
_ROWS = 14
_RUNS = 30
_MARK = 100
"""Room for the name of a mark and its time."""
_RESULTS: dict[str, Tone] = {"PASS": "good", "WARN": "warn", "FAIL": "bad"}


@dataclass(frozen=True, slots=True)
class Shape:
    """One element: `kind` is rect, text, line, path or circle; `tone` its class, `title` what a pointer sees."""

    kind: str
    x: float
    y: float
    width: float = 0
    height: float = 0
    text: str = ""
    tone: str = ""
    title: str = ""


@dataclass(slots=True)
class Chart:
    """A titled drawing, `height` units high; `says` is the same in words, for those who do not see it."""

    title: str
    says: str
    height: float = 0
    width: float = _WIDTH
    shapes: list[Shape] = field(default_factory=list)

    def draw(self, kind: str, *place: float, **more: str) -> None:
        """Add a shape at its place: x, y, and width and height where it has some."""
        self.shapes.append(Shape(kind, *place, **more))  # type: ignore[arg-type]  # texts by name, numbers by place


def charts(summary: Summary, records: Sequence[Record], history: Sequence[Summary]) -> list[Chart]:
    """Return the charts that there is something to draw in."""
    found = (
        _distribution(records),
        _groups("By category", category_rows(summary)),
        _groups("By difficulty", difficulty_rows(summary)),
        _latency([r.elapsed_s for r in records if r.elapsed_s and is_number(r.elapsed_s) and kind_of(r) != "skipped"]),
        _history([*history, summary]) if history else None,
    )  # fmt: skip
    return [chart for chart in found if chart is not None]


# --- metrics ------------------------------------------------------------------------------------------------------


def _distribution(records: Sequence[Record]) -> Chart | None:
    """Draw for each metric how many scenarios have which score, in tenths."""
    measured = [r for r in records if kind_of(r) in MEASURED]
    names = [*METRICS, *sorted({name for r in measured for name in r.scores} - {*METRICS, "mean"})]
    values = {name: [v for r in measured if (v := r.scores.get(name)) is not None and is_number(v)] for name in names}
    rows = {name: found for name, found in values.items() if found}
    if not rows:
        return None
    says = "; ".join(f"{label(n)}: mean {figure(math.fsum(v) / len(v))} over {len(v)}" for n, v in rows.items())
    chart = Chart("Distribution of scores", says)
    for name, found in list(rows.items())[:_ROWS]:
        chart.shapes += _histogram(name, found, chart.height)
        chart.height += 40
    chart.shapes += [
        Shape("text", 150, chart.height + 8, text="0"),
        Shape("text", _WIDTH, chart.height + 8, text="1", tone="end"),
    ]
    chart.height += 14
    return chart


def _histogram(name: str, values: Sequence[float], top: float) -> Iterator[Shape]:
    counts = [0] * _BINS
    for value in values:
        counts[min(_BINS - 1, int(value * _BINS + 1e-9))] += 1
    step, most = (_WIDTH - 150) / _BINS, max(counts)
    yield Shape("text", 0, top + 16, text=cut(label(name), 22))
    yield Shape(
        "text", 0, top + 31, text=f"mean {figure(math.fsum(values) / len(values))}, n {len(values)}", tone="dim"
    )
    for number, count in enumerate(counts):
        height = max(2.0, 30 * count / most) if count else 0.0
        title = f"{number / _BINS:.1f} to {(number + 1) / _BINS:.1f}: {count}"
        yield Shape("rect", 150 + number * step, top + 34 - height, step - 2, height, tone="bar", title=title)
    yield Shape("line", 150, top + 34, _WIDTH - 150, 0, tone="axis")


def _groups(title: str, groups: Sequence[CategoryRow | DifficultyRow]) -> Chart | None:
    """Draw a bar for the mean score of each group, those with the lowest first where there are many."""
    if not groups:
        return None
    rows = list(groups)
    if len(rows) > _ROWS:
        rows.sort(key=lambda row: (row.value is not None, row.value or 0))
    says = "; ".join(f"{row.label} {row.score}" for row in rows)
    chart = Chart(title, says)
    for row in rows[:_ROWS]:
        top = chart.height
        chart.shapes += [
            Shape("text", 0, top + 12, text=f"{cut(row.label, 44)} ({row.questions})"),
            Shape("text", _WIDTH, top + 12, text=row.score, tone="end"),
            Shape("rect", 0, top + 18, _WIDTH, 8, tone="track"),
            Shape("rect", 0, top + 18, _WIDTH * (row.value or 0), 8, tone=row.tone or "bar"),
        ]
        if row.line is not None:
            chart.draw("line", _inside(_WIDTH * row.line), top + 15, 0, 14, tone="target", title=f"target {row.line:g}")
        chart.height += 36
    if len(rows) > _ROWS:
        chart.draw("text", 0, chart.height + 12, text=f"and {len(rows) - _ROWS} more", tone="dim")
        chart.height += 20
    return chart


def _inside(x: float) -> float:
    """Return where a line stands that is not to stick out of the chart by half its width."""
    return min(max(x, 1), _WIDTH - 1)


# --- time ---------------------------------------------------------------------------------------------------------


def _latency(seconds: Sequence[float]) -> Chart | None:
    """Draw how long the answers took; the bins grow by a factor, for times differ by orders of magnitude."""
    ordered = sorted(max(value, 1e-4) for value in seconds)
    if len(ordered) < 2:
        return None
    bins, low, high = 14, ordered[0], ordered[-1]
    spread = math.log(high / low) or 1.0
    counts = [0] * bins
    for value in ordered:
        counts[min(bins - 1, int(math.log(value / low) / spread * bins))] += 1
    marks = [(name, percentile(ordered, share) or 0.0) for name, share in (("p50", 0.5), ("p95", 0.95))]
    says = ", ".join(f"{name} {duration(value)}" for name, value in marks)
    chart = Chart("Latency", f"{says}, {len(ordered)} answers, from {duration(low)} to {duration(high)}", 132)
    step, most = _WIDTH / bins, max(counts)
    for number, count in enumerate(counts):
        height = max(2.0, 80 * count / most) if count else 0.0
        start, end = (low * math.exp(spread * n / bins) for n in (number, number + 1))
        title = f"{duration(start)} to {duration(end)}: {count}"
        chart.draw("rect", number * step, 112 - height, step - 2, height, tone="bar", title=title)
    chart.draw("line", 0, 112, _WIDTH, 0, tone="axis")
    (first, x1), (second, x2) = ((f"{n} {duration(v)}", math.log(v / low) / spread * _WIDTH) for n, v in marks)
    ends = x2 > _WIDTH - _MARK  # with both names on the left it is the other way round, so that no line cuts a name
    chart.shapes += [*_mark(first, x1, 20 if ends else 8, end=ends and x1 > _MARK),
                     *_mark(second, x2, 8 if ends else 20, end=ends)]  # fmt: skip
    chart.draw("text", 0, 127, text=duration(low), tone="dim")
    chart.draw("text", _WIDTH, 127, text=duration(high), tone="dim end")
    return chart


def _mark(name: str, x: float, top: float, *, end: bool) -> list[Shape]:
    """Return a line that begins at `top`, within the chart, with its name on its right, or before it."""
    x = _inside(x)
    return [
        Shape("line", x, top, 0, 112 - top, tone="target"),
        Shape("text", x - 4 if end else x + 4, top + 7, text=name, tone="end" if end else ""),
    ]


def _history(runs: Sequence[Summary]) -> Chart | None:
    """Draw the overall score and the pass rate of each run, the oldest on the left, a dot in the verdict's colour."""
    runs = runs[-_RUNS:]
    lines = {"Overall": [r.aggregate_scores.get("overall") for r in runs], "Pass rate": [r.pass_rate for r in runs]}
    says = "; ".join(f"{name}: {', '.join(figure(v) for v in values)}" for name, values in lines.items())
    chart = Chart("History", says, 150)
    places = [12 + (_WIDTH - 24) * n / (len(runs) - 1) for n in range(len(runs))]
    for share in (0.0, 0.5, 1.0):
        chart.draw("line", 0, 112 - 96 * share, _WIDTH, 0, tone="axis")
        chart.draw("text", _WIDTH, 108 - 96 * share, text=f"{share:g}", tone="dim end")
    for (name, values), style in zip(lines.items(), ("first", "second"), strict=True):
        known = [(x, 112 - 96 * v, v, r) for x, v, r in zip(places, values, runs, strict=True) if v is not None]
        if known:
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y, _, _ in known)
            chart.draw("path", 0, 0, text=path, tone=style)
        for x, y, value, run in known:
            title = f"{run.run_at}: {name.lower()} {figure(value)}, verdict {run.threshold_result}"
            chart.draw("circle", x, y, 4, tone=_RESULTS[run.threshold_result], title=title)
    chart.shapes += [
        Shape("text", 0, 128, text=runs[0].run_at[:10], tone="dim"),
        Shape("text", _WIDTH, 128, text=runs[-1].run_at[:10], tone="dim end"),
        Shape("line", 0, 141, 20, 0, tone="first"), Shape("text", 26, 145, text="overall score"),
        Shape("line", 130, 141, 20, 0, tone="second"), Shape("text", 156, 145, text="pass rate"),
    ]  # fmt: skip
    return chart
