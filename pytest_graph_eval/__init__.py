"""Public interface of pytest-graph-eval; every name is imported when it is first used.

The pytest plugin is `pytest_graph_eval.plugin`. Importing this package imports nothing else, because pytest
does so in every run of everybody who has it installed.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_graph_eval.errors import (
        DataError,
        GraphEvalError,
        PreflightError,
        Problem,
        ReplyError,
        SuiteError,
        TargetError,
        TargetTimeout,
        ToolError,
        TransportError,
        UsageError,
    )
    from pytest_graph_eval.gate.summary import RunInfo, SuiteInfo, Summary, summarize
    from pytest_graph_eval.gate.thresholds import decide
    from pytest_graph_eval.gate.verdict import Verdict
    from pytest_graph_eval.generate.library import generate
    from pytest_graph_eval.library import evaluate
    from pytest_graph_eval.loader import load_suite, merge_suites, save_suite
    from pytest_graph_eval.metrics.facts import check_answer
    from pytest_graph_eval.models.extensions import extended
    from pytest_graph_eval.models.records import Record, Response, Score
    from pytest_graph_eval.models.scenario import Scenario, Suite
    from pytest_graph_eval.reports.build import build_report

__all__ = [
    "DataError",
    "GraphEvalError",
    "PreflightError",
    "Problem",
    "Record",
    "ReplyError",
    "Response",
    "RunInfo",
    "Scenario",
    "Score",
    "Suite",
    "SuiteError",
    "SuiteInfo",
    "Summary",
    "TargetError",
    "TargetTimeout",
    "ToolError",
    "TransportError",
    "UsageError",
    "Verdict",
    "build_report",
    "check_answer",
    "decide",
    "evaluate",
    "extended",
    "generate",
    "load_suite",
    "merge_suites",
    "save_suite",
    "summarize",
]

# Where names are defined, if not in `errors`.
_HOMES = {
    "models.extensions": ("extended",),
    "gate.summary": ("RunInfo", "SuiteInfo", "Summary", "summarize"),
    "gate.thresholds": ("decide",),
    "gate.verdict": ("Verdict",),
    "generate.library": ("generate",),
    "library": ("evaluate",),
    "loader": ("load_suite", "merge_suites", "save_suite"),
    "metrics.facts": ("check_answer",),
    "models.records": ("Record", "Response", "Score"),
    "reports.build": ("build_report",),
    "models.scenario": ("Scenario", "Suite"),
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), "errors")
    module = importlib.import_module(f"{__name__}.{home}")
    return globals().setdefault(name, getattr(module, name))


def __dir__() -> list[str]:
    """List the public names too, imported or not."""
    return sorted({*globals(), *__all__})


class _Package(types.ModuleType):
    """This package, in which `generate` is the function even after the folder of that name was imported.

    The import system binds every submodule as an attribute of its package; one that would hide a public name is
    still there for `from pytest_graph_eval.generate.library import ...`.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in __all__ and isinstance(value, types.ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
