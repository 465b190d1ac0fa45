"""Appends the Markdown report to the summary of a GitHub Actions step, where the run is one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_graph_eval.reports.build import FinishedRun

VARIABLE = "GITHUB_STEP_SUMMARY"
MOST = 1024 * 1024
"""Bytes of a step's whole summary; GitHub shows nothing of a larger one."""


def append_step_summary(run: FinishedRun, environment: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Append the report to the file that `$GITHUB_STEP_SUMMARY` names, if any.

    Yields:
        A line about what went wrong, and False; nothing when all is well. No trouble with it costs the run.
    """
    name = environment.get(VARIABLE, "")
    if not name:
        return
    try:
        problem = _append(run, Path(name))
    except OSError as e:
        problem = e.strerror or str(e)
    except Exception as e:  # whatever it is: a report never costs the run
        problem = f"please report it ({type(e).__name__}: {e})"
    if problem:
        yield f"step summary (${VARIABLE}) was not written: {problem}", False


def _append(run: FinishedRun, path: Path) -> str:
    """Append the report; return why that was not done, "" when it was."""
    from pytest_graph_eval.reports.markdown import LEAST, LIMIT, render

    if path.exists() and not path.is_file():
        return f"{path} is no file"
    there = path.stat().st_size if path.exists() else 0
    gap = "\n\n" if there else ""
    room = MOST - there - len(gap)
    if room < LEAST:
        return f"it holds {there} of {MOST} bytes already"
    text = gap + render(run.summary, run.records, limit=min(LIMIT, room))
    with path.open("ab") as file:
        file.write(text.encode())
    return ""
