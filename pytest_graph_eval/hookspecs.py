"""Hooks that other plugins and conftest files can implement; they run only with `--graph-eval`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_graph_eval.gate.summary import Summary
    from pytest_graph_eval.models.records import Record, Response, Score
    from pytest_graph_eval.models.scenario import Scenario


@pytest.hookspec
def pytest_graph_eval_metrics() -> Mapping[str, Callable[[Scenario, Response], float | Score]]:  # type: ignore[empty-body]
    """Add metrics: a name, and a function that scores what came back.

    The function is called for each response, of a conversation for each turn:

    Args:
        scenario: what was asked and what is expected.
        response: what came back; its lists are None where the target does not report them.

    It returns a number from 0 to 1, or `Score(reason="why there is none")`, which is unscored. Anything else, and an
    exception, is an ERROR of the scenario. The name must be none of ours and can then stand in `metrics`,
    `expect.scores` and `gate.metrics`; the score is reported, gated and compared with the baseline like ours.

    In a conftest file it holds for the suites in and below its folder. A package has it in the module that its entry
    point in the group `pytest_graph_eval` names; `evaluate()` and the `graph-eval` command know those as well.
    """


@pytest.hookspec
def pytest_graph_eval_checks() -> Mapping[str, Callable[[Any, Scenario, Response], bool | str]]:  # type: ignore[empty-body]
    """Add checks: a key under `expect:`, and a function that decides.

    The function is called where a scenario expects something under this key:

    Args:
        expected: the value in the suite. It is validated, as pydantic does, by the annotation of this parameter; what
            does not fit is an error of the suite, with its line.
        scenario: what was asked.
        response: what came back.

    It returns True where the check holds, or a text that says what is wrong; False is a failure without words.
    Anything else, and an exception, is an ERROR of the scenario. Where it holds: as for metrics.
    """


@pytest.hookspec
def pytest_graph_eval_target() -> Mapping[str, Callable[..., Any]]:  # type: ignore[empty-body]
    """Add kinds of targets: a word for `kind:`, and a function that takes the settings and returns whom to ask.

    The parameters of the function are the keys that such a `target:` takes beside those that all kinds share
    (`timeout`, `response`, `prices`, ...), validated by their annotations; `${VAR}` is read before. What it returns is
    called as the callable of a Python target is: with the question, and what else its parameters name. It may be
    async, and is closed at the end where it has a `close()`. Where it holds: as for metrics.
    """


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
