"""The public interface: its names, where they come from, and that nothing is imported before it is used."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import pytest_graph_eval
from pytest_graph_eval import errors

ROOT = Path(__file__).parent.parent
WALMART = ROOT / "example_suites/walmart/walmart.graph.yaml"
PROMISED = {
    *("load_suite", "save_suite", "merge_suites", "evaluate", "check_answer", "summarize", "decide"),
    *("Suite", "Scenario", "Response", "Record", "Summary", "Verdict"),
}


def run_python(code: str) -> str:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_all_is_sorted_and_holds_what_is_promised() -> None:
    names = pytest_graph_eval.__all__
    assert names == sorted(set(names))
    assert set(names) >= PROMISED | set(errors.__all__)


@pytest.mark.parametrize("name", pytest_graph_eval.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    value = getattr(importlib.import_module("pytest_graph_eval"), name)
    assert value.__name__ == name
    assert name in dir(pytest_graph_eval)


def test_star_import_gives_exactly_the_public_names() -> None:
    code = "from pytest_graph_eval import *; print(*sorted(n for n in dir() if not n.startswith('__')))"
    assert run_python(code).split() == sorted(pytest_graph_eval.__all__)


def test_type_checkers_see_the_names_where_they_are_found() -> None:
    tree = ast.parse(Path(pytest_graph_eval.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert sorted(seen) == pytest_graph_eval.__all__
    for name, module in seen.items():
        assert getattr(pytest_graph_eval, name) is getattr(importlib.import_module(str(module)), name)


def test_importing_the_package_imports_no_other_module_of_it_and_nothing_heavy() -> None:
    code = "import sys, pytest_graph_eval; print(*sys.modules)"
    heavy = {"pydantic", "yaml", "mcp", "httpx", "networkx", "jinja2", "asyncio", "pytest", "tabulate", "sqlite3"}
    modules = run_python(code).split()
    assert [m for m in modules if m.startswith("pytest_graph_eval")] == ["pytest_graph_eval"]
    assert not heavy & set(modules)


def test_generate_stays_the_function_when_the_folder_of_that_name_is_imported() -> None:
    code = (
        "import pytest_graph_eval.generate.library, pytest_graph_eval as p; from pytest_graph_eval import generate;"
        "print(callable(generate), p.generate is generate)"
    )
    assert run_python(code).split() == ["True", "True"]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'evaluat'"):
        pytest_graph_eval.evaluat  # noqa: B018 - reading it is the test


def test_a_whole_run_without_pytest() -> None:
    suite = pytest_graph_eval.load_suite(WALMART)
    records = pytest_graph_eval.evaluate(suite)
    assert [r.id for r in records] == [s.scenario.id for s in suite.scenarios]
    assert {r.status for r in records} == {"PASS"}
    run = pytest_graph_eval.RunInfo(run_at="2026-05-30T12:00:00Z", collected=len(records))
    info = pytest_graph_eval.SuiteInfo(name=suite.name, gate=suite.gate)
    summary = pytest_graph_eval.summarize(records, {suite.key: info}, run=run)
    assert summary.threshold_result == "FAIL", "no verdict was set yet"
    verdict = pytest_graph_eval.decide(summary, run)
    assert verdict.result == summary.decided(verdict).threshold_result == "PASS"


def test_evaluate_takes_a_path_and_a_suite_built_in_python() -> None:
    by_path = pytest_graph_eval.evaluate(WALMART)
    suite = pytest_graph_eval.Suite.model_validate(
        {
            "target": {"extraction": "walmart_extraction.json"},
            "scenarios": [{"id": "a", "question": "Who founded Walmart?", "expect": {"names": ["Bill Gates"]}}],
        }
    )
    (built,) = pytest_graph_eval.evaluate(suite, folder=WALMART.parent)
    assert len(by_path) > 30
    assert (built.status, built.scores["facts"]) == ("FAIL", 0.0)


def test_evaluate_plays_a_suite_that_says_so() -> None:
    records = pytest_graph_eval.evaluate(WALMART.parents[1] / "preciso" / "preciso.graph.yaml")
    assert len(records) == 28
    assert {record.flags[0] for record in records} == {"replayed"}
    assert "ERROR" not in {record.status for record in records}


def test_suites_are_saved_merged_and_loaded_back(tmp_path: Path) -> None:
    suite = pytest_graph_eval.load_suite(WALMART).suite
    extra = pytest_graph_eval.Suite(
        scenarios=[pytest_graph_eval.Scenario(id="new", question="Who?", gold_answer="Sam Walton")]
    )
    merged = pytest_graph_eval.merge_suites(suite, extra).model_copy(update={"datasets": []})
    pytest_graph_eval.save_suite(merged, tmp_path / "m.graph.yaml")
    loaded = pytest_graph_eval.load_suite(tmp_path / "m.graph.yaml")
    assert loaded.suite.scenarios[-1].id == "new"
    assert loaded.suite.scenarios[:-1] == suite.scenarios


def test_check_answer_explains_a_fact() -> None:
    checks = pytest_graph_eval.check_answer("Revenue was $605.9 billion.", {"numbers": ["$611.3 billion"]})
    assert [c.outcome for c in checks] == ["fail"]
    assert "$605.9 billion" in checks[0].message
