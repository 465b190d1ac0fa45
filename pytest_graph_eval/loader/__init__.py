"""Suite files: reading, writing and merging them, with everything that can be wrong with one."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.loader.files import (
    load_document,
    load_gate,
    load_suite,
    load_targets,
    prepare_suite,
    target_from_text,
)
from pytest_graph_eval.loader.loaded import DeclaredTarget, LoadedScenario, LoadedSuite

if TYPE_CHECKING:
    from pytest_graph_eval.loader.merging import merge_suites
    from pytest_graph_eval.loader.schema import suite_schema
    from pytest_graph_eval.loader.writer import save_suite

__all__ = [
    "DeclaredTarget", "LoadedScenario", "LoadedSuite", "load_document", "load_gate", "load_suite", "load_targets",
    "merge_suites", "prepare_suite", "save_suite", "suite_schema", "target_from_text",
]  # fmt: skip

_LATER = {"merge_suites": "merging", "save_suite": "writer", "suite_schema": "schema"}
"""What a run does not need, and where it is."""


def __getattr__(name: str) -> Any:
    """Import on first use what a run does not need."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
