"""Public interface of pytest-graph-eval; every name is imported when it is first used.

The pytest plugin is `pytest_graph_eval.plugin`. Importing this package imports nothing else, because pytest
does so in every run of everybody who has it installed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_graph_eval.errors import DataError, GraphEvalError

__all__ = [
    "DataError",
    "GraphEvalError",
]

_HOME = {
    "DataError": "errors",
    "GraphEvalError": "errors",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
