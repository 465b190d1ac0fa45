"""Suite files: reading, writing and merging them, with everything that can be wrong with one."""

from pytest_graph_eval.loader.files import (
    load_document,
    load_gate,
    load_suite,
    load_targets,
    prepare_suite,
    target_from_text,
)
from pytest_graph_eval.loader.loaded import DeclaredTarget, LoadedScenario, LoadedSuite
from pytest_graph_eval.loader.merging import merge_suites
from pytest_graph_eval.loader.schema import suite_schema
from pytest_graph_eval.loader.writer import save_suite

__all__ = [
    "DeclaredTarget", "LoadedScenario", "LoadedSuite", "load_document", "load_gate", "load_suite", "load_targets",
    "merge_suites", "prepare_suite", "save_suite", "suite_schema", "target_from_text",
]  # fmt: skip
