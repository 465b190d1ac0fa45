"""`graph-eval init`: what it writes runs as it is, here and in CI, and nothing that was there is touched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_graph_eval import cli, evaluate, load_suite
from pytest_graph_eval.commands.init import workflow
from pytest_graph_eval.loader import suite_schema
from tests.plugin.runs import WITHOUT
from tests.servers.services import OWN, needs, serving

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "tests/servers/my_graph_server.py"


def init(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = cli.main(["init", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return status, out + err


def steps(path: Path) -> list[tuple[str, str]]:
    """Return the commands of a workflow, each with the folder that it runs in."""
    (job,) = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    folder = job["defaults"]["run"]["working-directory"]
    return [(step["run"], folder) for step in job["steps"] if "run" in step]


def run_as_ci_does(root: Path, path: Path) -> str:
    """Run the commands of a workflow as GitHub does; the package is installed from this checkout already."""
    foreign = ("PYTEST_", "GRAPH_EVAL", "COVERAGE", "COV_")
    env = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    env |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PYTEST_ADDOPTS": " ".join(WITHOUT),
        "GITHUB_STEP_SUMMARY": str(root / "step_summary.md"),
        "CI": "true",
    }
    said = ""
    for command, folder in steps(path):
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command], cwd=root / folder, env=env,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip
        said += done.stdout
        assert done.returncode == 0, f"$ {command}\n{said}"
    return said


def test_what_is_written_is_green_and_its_workflow_runs_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, said = init(capsys, "demo")
    assert status == 0
    demo = tmp_path / "demo"
    written = [f"demo/{p.relative_to(demo).as_posix()}" for p in demo.rglob("*") if p.is_file()]
    assert sorted(written) == sorted(line.split()[1] for line in said.splitlines() if line.startswith("wrote "))
    assert {r.status for r in evaluate(demo / "first.graph.yaml")} == {"PASS"}

    options = ["--graph-eval", "--graph-eval-save-baseline", "baseline.json", "-q", "-p", "no:cacheprovider"]
    subprocess.run([sys.executable, "-m", "pytest", *options], cwd=demo, check=True, capture_output=True, timeout=60)
    assert (demo / "baseline.json").exists()
    shutil.rmtree(demo / "evals")
    assert "verdict PASS; exit 0" in run_as_ci_does(demo, demo / ".github/workflows/graph-eval.yml")
    summary = next((demo / "evals/results").glob("summary_*.json")).read_text(encoding="utf-8")
    assert json.loads(summary)["baseline"]["n_paired"] == 4
    for artifact in ("evals/results", "graph-eval.html", "graph-eval.xml"):
        assert (demo / artifact).exists()

    assert "PASS" in (demo / "step_summary.md").read_text(encoding="utf-8")

    graph = demo / "extraction.json"
    graph.write_text(graph.read_text(encoding="utf-8").replace("168 MW", "186 MW"), encoding="utf-8")
    with pytest.raises(AssertionError, match="verdict FAIL"):
        run_as_ci_does(demo, demo / ".github/workflows/graph-eval.yml")


def test_nothing_that_is_there_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "targets.yaml").write_text("default: {extraction: mine.json}\n", encoding="utf-8")
    (tmp_path / "extraction.json").symlink_to(tmp_path / "nowhere.json")
    status, said = init(capsys)
    assert status == 0
    assert "left  targets.yaml " in said
    assert "left  extraction.json " in said
    assert "wrote first.graph.yaml " in said
    assert "  cd " not in said
    assert (tmp_path / "targets.yaml").read_text(encoding="utf-8") == "default: {extraction: mine.json}\n"
    assert not (tmp_path / "nowhere.json").exists()
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}
    assert "wrote" not in init(capsys)[1]
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()} == before


def test_the_workflow_of_a_folder_in_a_repository_is_in_its_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\ntestpaths = ['tests']\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    said = init(capsys, "quality: #1/größe")[1]
    assert "wrote .github/workflows/graph-eval.yml " in said
    assert {folder for _, folder in steps(tmp_path / ".github/workflows/graph-eval.yml")} == {"quality: #1/größe"}
    assert "verdict PASS; exit 0" in run_as_ci_does(tmp_path, tmp_path / ".github/workflows/graph-eval.yml")
    assert (tmp_path / "quality: #1/größe/evals/results").is_dir()
    text = (tmp_path / ".github/workflows/graph-eval.yml").read_text(encoding="utf-8")
    assert "quality: #1/größe/evals/results" in text


def test_the_workflow_of_this_repository_is_the_same_one() -> None:
    own = (ROOT / ".github/workflows/graph-eval.yml").read_text(encoding="utf-8")
    assert own == workflow(package=".", folder=".", suites="example_suites"), "run python -m tests.generated"


def made_from(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, dict[str, Any]]:
    status, said = init(capsys, "live", "--from-server", *arguments)
    targets = Path("live/targets.yaml")
    return status, said, yaml.safe_load(targets.read_text(encoding="utf-8"))["default"] if targets.exists() else {}


def test_a_command_becomes_a_target_whose_suite_is_green(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(SERVER, tmp_path)
    status, said, target = made_from(capsys, "python my_graph_server.py", "--question", "Who leads Walmart?")
    assert status == 0, said
    assert (target["tool"], target["cwd"]) == ("search", "..")
    assert "graph-eval-record-mode once --graph-eval-save-baseline" in said
    suite = load_suite("live/first.graph.yaml")
    (scenario,) = (s.scenario for s in suite.scenarios)
    assert (scenario.question, scenario.expect.entities) == ("Who leads Walmart?", ["Doug McMillon"])
    assert [r.status for r in evaluate(suite)] == ["PASS"]


def test_an_address_becomes_a_target_whose_suite_is_green(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with serving({"/ask": needs("query", OWN)}) as url:
        status, said, target = made_from(capsys, f"{url}/ask")
        assert status == 0, said
        assert target["url"] == f"{url}/ask"
        assert [r.status for r in evaluate("live/first.graph.yaml")] == ["PASS"]


def test_what_a_server_did_not_return_is_not_said_to_be_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with serving({"/ask": needs("query", [1, 2])}) as url:
        status, _, _ = made_from(capsys, f"{url}/ask")
    assert status == 1
    assert "# The server returned nothing to expect" in Path("live/first.graph.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("server", "message"),
    [
        ("http://127.0.0.1:9/mcp", "no target could be made of this server; nothing is written"),
        ("python -c pass", "no target could be made of this server; nothing is written"),
        ("", "--from-server: found an empty text; a URL or a command in quotes is expected"),
        ("data.json", "--from-server 'data.json': a URL or a command is expected"),
        ("my_agent:ask", "--from-server 'my_agent:ask': a URL or a command is expected"),
    ],
)
def test_of_what_is_no_server_nothing_is_made(
    server: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, said, _ = made_from(capsys, server)
    assert status == 2
    assert message in said
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_followed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert init(capsys, "file") == (2, "graph-eval: file: this is a file; name a folder\n")
    assert "--question is what a server is asked" in init(capsys, "x", "--question", "Who?")[1]


def test_the_schema_lies_where_the_modeline_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    init(capsys)
    first = (tmp_path / "first.graph.yaml").read_text(encoding="utf-8").partition("\n")[0]
    name = first.removeprefix("# yaml-language-server: $schema=")
    assert yaml.safe_load((tmp_path / name).read_text(encoding="utf-8")) == suite_schema()
