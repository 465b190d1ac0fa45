"""What must be there for a verdict to mean anything: suites that load, and a record of every scenario. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_graph_eval.gate.summary import RunInfo, Summary
from pytest_graph_eval.gate.verdict import Reason
from pytest_graph_eval.texts import listed, many

_NAMED = 3


def missing(summary: Summary, run: RunInfo) -> Iterator[Reason]:
    """Yield what is missing from a run: suites, the baseline, some scenarios or all of them."""
    yield from _not_loaded(run)
    if run.baseline_missing:
        yield Reason(code="baseline_missing", level="FAIL", text=run.baseline_missing)
    yield from _not_run(summary, run)
    if not summary.counts.asked:
        yield from _nothing_asked(summary, run)


def _not_loaded(run: RunInfo) -> Iterator[Reason]:
    errors = run.collection_errors
    if errors:
        yield Reason(
            code="collection_error",
            level="FAIL",
            text=f"{many(len(errors), 'suite')} could not be loaded: {listed(errors, _NAMED)}",
        )


def _not_run(summary: Summary, run: RunInfo) -> Iterator[Reason]:
    """Say that scenarios are missing: chosen by the user, cut off by an interruption, or lost."""
    state = summary.run
    ran = summary.counts.asked + summary.counts.skipped
    if run.interrupted:
        if state.not_run or not run.collection_errors:
            text = f"interrupted: {state.not_run or 'an unknown number'} of the scenarios did not run"
            yield Reason(code="partial_run", level="WARN", text=text)
    elif run.partial:
        yield Reason(code="partial_run", level="NOTE", text=f"partial run ({run.partial}): {many(ran, 'scenario')} ran")
    elif state.not_run:
        text = f"{ran} of {ran + state.not_run} scenarios have a record; the others are lost, which no option explains"
        yield Reason(code="partial_run", level="FAIL", text=text)


def _nothing_asked(summary: Summary, run: RunInfo) -> Iterator[Reason]:
    """Say that there was nothing to gate, unless nobody asked for a gate in this run."""
    skipped, collected = summary.counts.skipped, run.collected or 0
    selected = collected - run.deselected
    if skipped:
        text = all_skipped(summary.skipped)
        yield Reason(code="all_skipped", level="FAIL", text=text)
    elif selected > 0:
        if not run.collection_errors:  # which stopped pytest, and are told
            text = f"no scenario has a record, so nothing was measured ({selected} were to run)"
            yield Reason(code="nothing_measured", level="FAIL", text=text)
    elif collected and run.command_line:
        text = f"every scenario was deselected, so nothing was measured ({collected}: {run.partial or 'by an option'})"
        yield Reason(code="no_scenarios", level="FAIL", text=text)
    elif not collected and not run.collection_errors and (run.asked or run.command_line):
        text = "no scenario was collected: name a suite or a folder with *.graph.yaml files, or leave --graph-eval out"
        yield Reason(code="no_scenarios", level="FAIL", text=text)


def all_skipped(names: Sequence[str]) -> str:
    """Say which scenarios were skipped, where there are no others."""
    return f"every scenario was skipped, so nothing was measured ({len(names)}: {listed(names, _NAMED)})"
