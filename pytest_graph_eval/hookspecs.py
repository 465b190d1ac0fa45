"""Hooks that other plugins and conftest files can implement; they run only with `--graph-eval`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_graph_eval.gate.summary import Summary
    from pytest_graph_eval.records import Record


@pytest.hookspec
def pytest_graph_eval_record(config: pytest.Config, record: Record) -> None:
    """Look at, or annotate, a finished record before it is written.

    Args:
        config: pytest's configuration.
        record: the scenario's outcome; changes to its `flags` and `explain` are kept.

    Runs on the controller, once for each record, in the order of completion.
    Any conftest file and plugin can implement it.
    """


@pytest.hookspec
def pytest_graph_eval_summary(config: pytest.Config, summary: Summary) -> None:
    """Use the finished summary, verdict included, before the files are closed.

    Args:
        config: pytest's configuration.
        summary: what is written to `summary_*.json`.

    Runs on the controller, once, at the end of a session that ran scenarios.
    """
