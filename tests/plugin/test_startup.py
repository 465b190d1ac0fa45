"""What an installed plugin costs a pytest run: nothing but its door, until a suite is collected."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

DOOR = {"pytest_graph_eval", "pytest_graph_eval.hookspecs", "pytest_graph_eval.plugin"}
HEAVY = {"asyncio", "anyio", "yaml", "pydantic", "mcp", "httpx", "jinja2", "networkx", "tabulate", "sqlite3", "decimal"}
SPY = """
import gc, json, pytest, sys

words = []

def pytest_sessionfinish():
    words.extend(["frozen"] * (gc.get_freeze_count() > 0))

@pytest.hookimpl(trylast=True)
def pytest_unconfigure():
    with open("modules.json", "w") as file:
        json.dump(sorted(sys.modules) + words, file)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("startup")
    (folder / "conftest.py").write_text(SPY)
    (folder / "test_x.py").write_text("def test(): pass\n")
    suite = 'target: {call: "m:ask"}\nscenarios: [{id: a, question: q, gold_answer: "$1 billion"}]\n'
    (folder / "s.graph.yaml").write_text(suite)
    (folder / "m.py").write_text("def ask(question): return '$1 billion'\n")
    return folder


def modules(folder: Path, *args: str, importtime: bool = False) -> tuple[set[str], str]:
    """Return the modules that a pytest run had loaded in the end, and what it printed."""
    # Other plugins load what they like; only pytest itself and this plugin take part.
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, *(["-X", "importtime"] if importtime else []), "-m", "pytest", "-q"]
    command += ["-p", "no:cacheprovider", *args]
    done = subprocess.run(command, cwd=folder, env=alone, capture_output=True, encoding="utf-8", timeout=60, check=True)
    return set(json.loads((folder / "modules.json").read_text())), done.stdout + done.stderr


def ours(found: set[str]) -> set[str]:
    return {name for name in found if name.partition(".")[0] == "pytest_graph_eval"}


@pytest.fixture(scope="module")
def without(folder: Path) -> set[str]:
    """The modules of a run without the plugin."""
    return modules(folder)[0]


def test_without_the_flag_only_the_door_is_loaded(folder: Path, without: set[str]) -> None:
    found, log = modules(folder, "-p", "pytest_graph_eval.plugin", importtime=True)
    assert ours(found) == DOOR
    imported = {line.rpartition("|")[2].strip() for line in log.splitlines() if line.startswith("import time:")}
    assert ours(imported) <= DOOR
    assert not ((found | imported) - without) & (HEAVY | {"frozen"})
    assert "graph-eval: 1 suite not run" in log


def test_a_suite_beside_a_named_test_is_not_spoken_of(folder: Path) -> None:
    found, log = modules(folder, "-p", "pytest_graph_eval.plugin", "test_x.py")
    assert ours(found) == DOOR
    assert "not run" not in log


def test_a_flag_in_addopts_costs_a_run_without_suites_nothing(folder: Path, without: set[str]) -> None:
    found, _ = modules(folder, "-p", "pytest_graph_eval.plugin", "-o", "addopts=--graph-eval", "test_x.py")
    assert ours(found) == DOOR | {
        "pytest_graph_eval.run",
        "pytest_graph_eval.run.suite_file",
    }  # the suite beside the test, not yet opened
    assert not (found - without) & HEAVY


def test_a_suite_of_a_python_target_loads_no_client_and_no_graph(folder: Path, without: set[str]) -> None:
    found, _ = modules(folder, "-p", "pytest_graph_eval.plugin", "--graph-eval", "s.graph.yaml")
    # The collector passes over what was imported and collected.
    assert {"pytest_graph_eval.run.collection", "frozen"} <= found
    assert not (found - without) & {"mcp", "httpx", "anyio", "jinja2", "networkx", "sqlite3"}
    unused = (
        "formats", "gate.comparison", "generate", "graph.catalog", "graph.reading.files", "loader.merging",
        "metrics.judge", "metrics.trajectory.alignment",
    )  # fmt: skip
    assert not {name for name in ours(found) if name.removeprefix("pytest_graph_eval.").startswith(unused)}


CALLER = """
import gc, json, pytest, sys

def pytest_sessionfinish():
    frozen.append(gc.get_freeze_count() > 0)

frozen = []
for _ in range(2):
    pytest.main(sys.argv[1:], plugins=[sys.modules[__name__]])
    frozen.append(gc.get_freeze_count() > 0)
print(frozen)
"""


def test_a_program_that_calls_pytest_gets_its_garbage_collector_back(folder: Path) -> None:
    (folder / "caller.py").write_text(CALLER)
    command = [sys.executable, "caller.py", "-q", "-p", "no:cacheprovider", "-p", "pytest_graph_eval.plugin"]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "--graph-eval"}
    done = subprocess.run(command, cwd=folder, env=alone, capture_output=True, encoding="utf-8", timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == str([True, False] * 2), done.stdout + done.stderr


LITTER = """
import gc

class Litter:
    def __init__(self):
        self.me = self

    def __del__(self):
        raise ValueError("left behind")

def test():
    gc.disable()  # the cycle is there to the end
    Litter()
"""


def test_what_a_test_leaves_behind_is_told_of_at_the_end(folder: Path) -> None:
    (folder / "test_litter.py").write_text(LITTER)
    named = ("--graph-eval", "-W", "default", "test_litter.py", "s.graph.yaml")
    found, log = modules(folder, "-p", "pytest_graph_eval.plugin", *named)
    assert "ValueError: left behind" in log
    assert "frozen" in found
