"""The HTML report: one page that holds all it needs, made of a finished run.

Every text goes through jinja2's escaping, with control characters made visible before. What a scenario opens to is
JSON in the page, of which the page's script makes text nodes; the script is the only one that the page allows.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.gate.figures import figure, is_number
from pytest_graph_eval.gate.outcomes import Kind, key_of, kind_of
from pytest_graph_eval.gate.summary import Summary
from pytest_graph_eval.models.records import Record, json_text
from pytest_graph_eval.reports.charts import charts
from pytest_graph_eval.reports.comparison import ChangeRow, change_rows, comparison_rows, drift_rows
from pytest_graph_eval.reports.details import details
from pytest_graph_eval.reports.failure import visible
from pytest_graph_eval.reports.issue_rows import issue_rows
from pytest_graph_eval.reports.judge import judge_fields, judge_rows
from pytest_graph_eval.reports.marks import Evidence
from pytest_graph_eval.reports.rows import (
    ScoreRow,
    Tone,
    duration,
    execution_rows,
    next_steps,
    red_items,
    score_rows,
    suite_names,
    suite_rows,
)
from pytest_graph_eval.texts import code_apart, cut, many

if TYPE_CHECKING:
    from jinja2 import Environment

    from pytest_graph_eval.reports.build import FinishedRun

_READ = 120_000
"""Characters of retrieved text in which facts are looked for: about a second, those that did not pass first."""
_QUESTION = 300
_LISTED = 50
_FIRST = {"overall": 0, "pass_rate": 1}
# What a record counts as: its word, its tone, and its place in the table.
_KINDS: dict[Kind, tuple[str, Tone]] = {
    "failed": ("failed", "bad"),
    "errors": ("error", "bad"),
    "inconclusive": ("inconclusive", "warn"),
    "xfailed": ("xfailed", ""),
    "skipped": ("skipped", ""),
    "passed": ("passed", "good"),
}
# What a baseline's comparison lists, and how a line is marked for it.
_CHANGES: tuple[tuple[str, str, Tone], ...] = (
    ("worse", "worse than the baseline", "bad"),
    ("better", "better than the baseline", "good"),
    ("changed", "another question than in the baseline", ""),
    ("added", "new since the baseline", ""),
)
_LONGEST = 4_000
_UNSAFE = "<>&\u2028\u2029"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table of scenarios; a figure is its value to sort by, "" where there is none, and its text.

    `more` are words that are found though they are not in the line, `source` is what it opens to.
    """

    source: Any
    place: int
    word: str
    tone: Tone
    id: str
    suite: str
    question: str
    category: str
    difficulty: str
    score: tuple[float | str, str]
    time: tuple[float | str, str]
    more: str
    change: tuple[str, Tone] | None = None


@dataclass(frozen=True, slots=True)
class _Card:
    row: ScoreRow
    value: float | None
    change: ChangeRow | None


def render(run: FinishedRun) -> Iterator[str]:
    """Yield the text of the page in pieces."""
    summary = run.summary
    lines = _lines(summary, run.records)
    evidence = Evidence(_READ)
    values = {name: stat.mean for name, stat in (*summary.tally.metrics.items(), *summary.tally.rates.items())}
    values |= {"pass_rate": summary.pass_rate, "overall": summary.tally.overall.mean}
    changes = {row.label: row for row in change_rows(summary)}
    scores = sorted(score_rows(summary), key=lambda row: _FIRST.get(row.name, 2))
    cards = [_Card(row, values.get(row.name), changes.get(row.label)) for row in scores]
    yield from page(
        "report.html",
        summary=summary,
        title=", ".join(suite_names(summary).values()) or "graph evaluation",
        red_items=red_items(summary, run.records),
        when=summary.run_at.replace("T", " ").replace("Z", " UTC"),
        versions=[(key.replace("_", "-"), text, "") for key, text in summary.meta.items() if isinstance(text, str)],
        suites=suite_rows(summary) if len(summary.by_suite) > 1 else [],
        names=suite_names(summary),
        execution=list(execution_rows(summary)),
        cards=cards,
        judge=[_Card(row, None, None) for row in judge_rows(summary)],
        judge_fields=list(judge_fields(summary.tally)),
        charts=charts(summary, run.records, run.history),
        compared=list(comparison_rows(summary)) if summary.baseline else [],
        changes=change_rows(summary) if summary.baseline else [],
        drift=drift_rows(summary)[:_LISTED] if summary.baseline else [],
        issues=issue_rows(summary),
        places={name: at for at, line in reversed(list(enumerate(lines))) for name in (line.id, line.source.nodeid)},
        advice=[*summary.recommendations, *next_steps(summary)],
        counts=_counts(lines),
        categories=_categories(run.records),
        columns=("Score", "Time"),
        lines=lines,
        details=lambda record: script_json(details(record, evidence)),
    )


def _lines(summary: Summary, records: Sequence[Record]) -> list[Line]:
    """Return the lines of the table: what did not pass first, else in the order of the suites."""
    order, baseline, names = list(_KINDS), summary.baseline, suite_names(summary)
    changes = {name: (word, tone) for key, word, tone in _CHANGES for name in baseline.get(key) or ()}
    return [
        Line(
            source=record,
            place=record.index,
            word=_KINDS[kind_of(record)][0],
            tone=_KINDS[kind_of(record)][1],
            id=record.id,
            suite=names.get(record.suite, record.suite) if len(names) > 1 else "",
            question=record.question,
            category=record.category or "",
            difficulty=record.difficulty or "",
            score=_sortable(record.mean, figure),
            time=_sortable(record.elapsed_s, duration),
            more=" ".join(filter(None, (record.cause, *record.tags, *record.flags, record.target))),
            change=changes.get(record.id) or changes.get(record.nodeid),
        )
        for record in sorted(records, key=lambda r: (order.index(kind_of(r)), key_of(r)))
    ]


def _sortable(value: float | None, shown: Callable[[float | None], str]) -> tuple[float | str, str]:
    return (value, shown(value)) if value is not None and is_number(value) else ("", "-")


def _counts(lines: Sequence[Line]) -> list[tuple[str, Tone, int]]:
    found = [(word, tone, sum(line.word == word for line in lines)) for word, tone in _KINDS.values()]
    return [count for count in found if count[2]]


def _categories(records: Iterable[Record]) -> list[str]:
    return sorted({record.category for record in records if record.category})


# --- the page -----------------------------------------------------------------------------------------------------


def page(template: str, **values: Any) -> Iterator[str]:
    """Yield the text of a template with the style and the script that all pages share."""
    from markupsafe import Markup

    style, script = (_file(name) for name in ("style.css", "script.js"))
    yield from (
        _environment()
        .get_template(template)
        .generate(
            style=Markup(style),  # noqa: S704 - a file of this package
            script=Markup(script),  # noqa: S704 - as above
            script_hash=_hash(script),
            style_hash=_hash(style),
            **values,
        )
    )


def _file(name: str) -> str:
    return files("pytest_graph_eval.reports").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("pytest_graph_eval.reports", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    environment.filters |= {"cut": lambda text: cut(text, _QUESTION), "said": _said}
    environment.globals |= {"many": many}
    return environment


def _visible(value: Any) -> Any:
    """Bound what is written, and make its control characters visible: they are text, and do not steer the page."""
    if type(value) is not str:
        return value
    return visible(cut(value, _LONGEST))


def _said(text: str) -> Any:
    """Return a text of ours as HTML, with what stands between backticks as code."""
    from markupsafe import Markup, escape

    parts = code_apart(_visible(text))
    return Markup().join(Markup("<code>{}</code>").format(part) if is_code else escape(part) for part, is_code in parts)


def script_json(value: Any) -> Any:
    """Return JSON that is safe inside a script element, whatever it holds."""
    from markupsafe import Markup

    text = json_text(value)
    for char in _UNSAFE:
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - nothing is left in it that HTML would read
