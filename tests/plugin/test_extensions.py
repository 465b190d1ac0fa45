"""What packages and conftest files add is collected, gated, reported and compared with a baseline like ours."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pytest_graph_eval.cli import main
from pytest_graph_eval.models import extensions

from .conftest import Bench
from .runs import Run, run_pytest

PACKAGE = '''
"""A package that adds a metric, a check and a kind of target to pytest-graph-eval."""

from pytest_graph_eval import Score

def politeness(scenario, response):
    if response.answer is None:
        return Score(reason="no answer")
    return 1.0 if "please" in response.answer else 0.25

def polite(expected: bool, scenario, response):
    return (("please" in response.answer) == expected) or "it does not say please"

def parrot(word: str):
    return lambda question: f"{word}, {question}"

def pytest_graph_eval_metrics():
    return {"politeness": politeness}

def pytest_graph_eval_checks():
    return {"polite": polite}

def pytest_graph_eval_target():
    return {"parrot": parrot}

def pytest_graph_eval_record(record):
    record.flags.append("seen_by_package")
'''
SUITE = """target: {kind: parrot, word: please}
gate: {metrics: {politeness: 0.9}}
defaults: {metrics: [politeness]}
scenarios:
  - {id: a, question: "What is it?", expect: {polite: true}}
  - {id: b, question: "What was it?", expect: {polite: true, scores: {politeness: 0.5}}}
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the package above was installed."""
    folder = tmp_path_factory.mktemp("packages")
    wheel = folder / "graph_eval_manners-1.0-py3-none-any.whl"
    info = "graph_eval_manners-1.0.dist-info"
    files = {
        "graph_eval_manners.py": PACKAGE,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: graph-eval-manners\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[pytest_graph_eval]\nmanners = graph_eval_manners\n",
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD")))
    where = ["--python", sys.executable, "--target", str(folder / "site")]
    command = [sys.executable, "-m", "uv", "pip", "install", "-q", "--no-index", "--no-deps", *where, str(wheel)]
    subprocess.run(command, check=True, timeout=60)
    return folder / "site"


@pytest.fixture(scope="module")
def run(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of two workers with the package, which saves a baseline."""
    folder = tmp_path_factory.mktemp("manners")
    (folder / "s.graph.yaml").write_text(SUITE, encoding="utf-8")
    return with_package(folder, packages, "-n", "2", f"--graph-eval-save-baseline={folder / 'b.json'}")


def with_package(folder: Path, packages: Path, *args: str) -> Run:
    path = os.pathsep.join([str(packages), os.environ.get("PYTHONPATH", "")])
    return run_pytest(folder, *args, alone=True, PYTHONPATH=path)


def test_a_metric_of_a_package_is_gated_and_reported_under_xdist(run: Run) -> None:
    assert run.code == 0, run.out + run.err
    assert [r["scores"]["politeness"] for r in run.records] == [1.0, 1.0]
    assert [r["mean"] if "mean" in r else r["scores"]["mean"] for r in run.records] == [1.0, 1.0]
    assert run.says("Politeness 1.00 ≥ 0.90 2/2 ✓ PASS"), run.out
    assert {c["kind"] for r in run.records for c in r["checks"]} == {"polite"}
    assert all("seen_by_package" in r["flags"] for r in run.records), "its other hooks are called as well"


def test_it_is_in_the_baseline_and_a_drop_is_seen(run: Run, packages: Path) -> None:
    assert "politeness" in (run.folder / "b.json").read_text(encoding="utf-8")
    (run.folder / "s.graph.yaml").write_text(SUITE.replace("word: please", "word: well"), encoding="utf-8")
    worse = with_package(
        run.folder, packages, f"--graph-eval-baseline={run.folder / 'b.json'}", "--graph-eval-output=w"
    )
    (run.folder / "s.graph.yaml").write_text(SUITE, encoding="utf-8")
    assert worse.code == 1
    assert worse.says("polite: it does not say please"), worse.out
    assert worse.says("politeness"), worse.out


def test_the_gate_decides_again_where_the_package_is_absent(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    results = [str(run.folder / "results"), "--rootdir", str(run.folder)]
    assert main(["gate", *results, "--quiet"]) == 0
    assert main(["gate", *results, "--quiet", "--no-baseline", "--metric", "politeness=1"]) == 0
    assert main(["gate", *results, "--quiet", "--suite", str(run.folder / "s.graph.yaml")]) == 0
    (run.folder / "rules.yaml").write_text("metrics: {politeness: 0.95}\n", encoding="utf-8")
    assert main(["gate", *results, "--quiet", "--gate", str(run.folder / "rules.yaml")]) == 0
    capsys.readouterr()
    assert main(["gate", *results, "--metric", "politness=1"]) == 2
    assert "gate.metrics.politness: unknown metric 'politness'" in capsys.readouterr().err


def test_the_library_and_the_command_know_the_package(
    run: Run, packages: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pytest_graph_eval import evaluate

    monkeypatch.syspath_prepend(packages)
    extensions._installed.cache_clear()
    try:
        assert [r.scores["politeness"] for r in evaluate(run.folder / "s.graph.yaml")] == [1.0, 1.0]
        assert main(["validate", str(run.folder)]) == 0
        assert main(["schema"]) == 0
        assert '"polite"' in capsys.readouterr().out
    finally:
        extensions._installed.cache_clear()


def test_conftest_files_add_to_the_suites_of_their_folder(bench: Bench) -> None:
    bench.pytester.mkdir("inner")
    hooks = "def pytest_graph_eval_metrics(): return {{'own': lambda scenario, response: {}}}\n"
    scenarios = "- {id: a, question: good question, expect: {names: [revenues], scores: {own: 0.5}}}"
    (bench.path / "inner/conftest.py").write_text(hooks.format("0.75"), encoding="utf-8")
    suite = bench.suite(scenarios)
    (bench.path / "inner/i.graph.yaml").write_text(suite.read_text(encoding="utf-8"), encoding="utf-8")
    result = bench.run()
    result.stdout.fnmatch_lines(["*s.graph.yaml:5:*: scenario 'a': expect.scores: unknown metric 'own'*"])
    suite.unlink()
    assert bench.run().ret == 0
    assert bench.records()[0]["scores"]["own"] == 0.75


@pytest.mark.parametrize(
    ("hook", "message"),
    [
        ("metrics(): return {'precision': len}", "*the metric 'precision' has the name of one of ours; rename it*"),
        ("target(): raise OSError('no licence')", "*pytest_graph_eval_target() raised OSError: no licence at conf*"),
        ("checks(): return [1]", "*pytest_graph_eval_checks() returned [[]1[]]; a mapping of names to functions is*"),
        (
            "metrics(): return {'own': lambda s, r: 2}",
            "*metric own (conftest.py:1) returned 2; a number from*",
        ),
        (
            "metrics(): return {'own': lambda s, r: 1 / 0}",
            "*raised ZeroDivisionError: division by zero at conf*",
        ),
    ],
)
def test_what_is_wrong_with_a_plugin_is_told_where_it_is(bench: Bench, hook: str, message: str) -> None:
    (bench.path / "conftest.py").write_text(f"def pytest_graph_eval_{hook}\n", encoding="utf-8")
    bench.suite("- {id: a, question: good question, expect: {names: [revenues]}}")
    result = bench.run()
    assert result.ret != 0
    (result.stdout if result.outlines else result.stderr).fnmatch_lines([message])


def test_a_package_that_cannot_be_imported_is_a_usage_error(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    info = bench.path / "site/broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[pytest_graph_eval]\nbad = no_such_module\n", encoding="utf-8")
    monkeypatch.syspath_prepend(bench.path / "site")
    bench.suite("- {id: a, question: good question, expect: {names: [revenues]}}")
    result = bench.run()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*the plugin 'bad' of broken cannot be loaded: ModuleNotFoundError*"])
    result.stderr.no_fnmatch_line("*Traceback*")
