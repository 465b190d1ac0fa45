"""A finished run as the text of a report: one function for each form, by the suffix of its file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_graph_eval.errors import UsageError

if TYPE_CHECKING:
    from pytest_graph_eval.gate.summary import Summary
    from pytest_graph_eval.models.records import Record


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """What reports are made of; `history` holds the summaries of older runs, the oldest first."""

    summary: Summary
    records: Sequence[Record]
    history: Sequence[Summary] = ()


def _html(run: FinishedRun) -> Iterable[str]:
    from pytest_graph_eval.reports.html import render

    return render(run)


def _markdown(run: FinishedRun) -> Iterable[str]:
    from pytest_graph_eval.reports.markdown import render

    yield render(run.summary, run.records)


def _json(run: FinishedRun) -> Iterable[str]:
    from pytest_graph_eval.models.records import json_chunks

    data = {
        "summary": run.summary.model_dump(mode="json", by_alias=True),
        "records": [record.model_dump(mode="json") for record in run.records],
    }
    yield from json_chunks(data, indent=2)
    yield "\n"


FORMS: dict[str, Callable[[FinishedRun], Iterable[str]]] = {"html": _html, "md": _markdown, "json": _json}


def form_of(path: Path, named_by: str) -> str:
    """Return the form that a file's suffix asks for; `named_by` is the option for the message.

    Raises:
        UsageError: there is no such form.
    """
    form = path.suffix[1:].lower()
    if form not in FORMS:
        found = f"the suffix `{path.suffix}`" if path.suffix else "no suffix"
        known = ", ".join(f"`.{name}`" for name in FORMS)
        raise UsageError(f"{named_by} {path}: {found} names no form of a report; expected one of {known}")
    return form


def build_report(
    summary: Summary,
    records: Iterable[Record],
    *,
    form: str = "html",
    history: Sequence[Summary] = (),
) -> str:
    """Return the report of a finished run.

    Args:
        summary: of the run, with its verdict.
        records: of its scenarios.
        form: `html` is one page that needs no other file and no network, `md` a text of bounded size for pull requests,
            `json` the summary and all records.
        history: summaries of older runs, the oldest first, for the course of the scores.

    Raises:
        UsageError: there is no such form.
    """
    if form not in FORMS:
        known = ", ".join(f"`{name}`" for name in FORMS)
        raise UsageError(f"form {form!r}: no form of a report; expected one of {known}")
    return "".join(FORMS[form](FinishedRun(summary, list(records), history)))
