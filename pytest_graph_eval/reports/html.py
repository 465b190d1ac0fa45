"""The HTML report: one page that holds all it needs, made of a finished run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pytest_graph_eval.reports.rows import execution_rows, score_rows

if TYPE_CHECKING:
    from pytest_graph_eval.reports.build import FinishedRun

__all__ = ["render"]


def render(run: FinishedRun) -> Iterable[str]:
    """Yield the text of the page in pieces."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("pytest_graph_eval.reports", "page")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    yield from environment.get_template("report.html").generate(
        summary=run.summary,
        records=run.records,
        execution=list(execution_rows(run.summary)),
        scores=score_rows(run.summary),
    )
