"""The exit status of a session as the gate leaves or raises it, and what made it, for the verdict line."""

from __future__ import annotations

import pytest

from pytest_graph_eval.gate.summary import Summary
from pytest_graph_eval.gate.verdict import because
from pytest_graph_eval.texts import many


def exit_status(
    summary: Summary, exitstatus: int | pytest.ExitCode, *, failed: int, strict: bool, missing: str, broken: bool
) -> tuple[int | pytest.ExitCode, str]:
    """Return the exit status, which is only ever raised, and what made it: `exit 1 because 3 scenarios failed`.

    Args:
        summary: with its verdict.
        exitstatus: pytest's own.
        failed: how many scenarios failed their item.
        strict: whether a WARN fails, too.
        missing: what was asked for and not written, in words; "" for nothing.
        broken: whether a suite could not be loaded.
    """
    gate = because(summary.verdict_reasons)
    if exitstatus == pytest.ExitCode.TESTS_FAILED:
        why = f"{many(failed, 'scenario')} failed" if failed else "of other tests"
        return exitstatus, f"exit 1 because {why}"
    if exitstatus != pytest.ExitCode.OK:
        nothing = exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
        return exitstatus, f"exit {int(exitstatus)}{gate if nothing or broken else ''}"
    why = gate
    if summary.threshold_result != "FAIL":
        is_strict = strict and summary.threshold_result == "WARN"
        why = " (--graph-eval-strict)" if is_strict else f" because {missing}" if missing else ""
        if not why:
            return exitstatus, "exit 0"
    return pytest.ExitCode.TESTS_FAILED, f"exit 1{why}"
