"""The `graph-eval` command: what it prints, where, and with which exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from pytest_graph_eval import cli

SUITE = "target: {extraction: e.json}\nscenarios:\n- {id: a, question: Q, gold_answer: g, tags: [x]}\n"


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("x.graph.yaml")
    path.write_text(SUITE, encoding="utf-8")
    return path


def test_validate_counts_the_scenarios_of_good_suites(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", str(suite)]) == 0
    assert capsys.readouterr() == ("x.graph.yaml: 1 scenario\n", "")


def test_validate_prints_every_problem_of_every_file(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("deep").mkdir()
    Path("deep/bad.graph.yml").write_text(
        "scenarios:\n- {id: a, qestion: Q}\n- {id: a, question: Q}\n", encoding="utf-8"
    )
    assert cli.main(["validate", ".", "nope.graph.yaml"]) == 2
    out, err = capsys.readouterr()
    assert [line.split(": ")[0] for line in out.splitlines()] == [
        "deep/bad.graph.yml:2:11", "deep/bad.graph.yml:3:3", "deep/bad.graph.yml:3:8",
        "x.graph.yaml", "nope.graph.yaml",
    ]  # fmt: skip
    assert err == "graph-eval: 4 problems in 2 files\n"


def test_validate_resolves_names_in_a_file_of_targets(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite.write_text(SUITE.replace("{extraction: e.json}", "prd"), encoding="utf-8")
    assert cli.main(["validate", str(suite)]) == 0, "no file says which there are"
    Path("targets.yaml").write_text("prod: {call: a}\n", encoding="utf-8")
    assert cli.main(["validate", str(suite), "--targets", "targets.yaml"]) == 2
    assert "did you mean 'prod'?" in capsys.readouterr().out
    Path("targets.yaml").write_text("prod: 3\n", encoding="utf-8")
    assert cli.main(["validate", str(suite), "--targets", "targets.yaml"]) == 2
    assert capsys.readouterr().err.startswith("graph-eval: targets.yaml:1:7: prod: ")


def test_validate_refuses_a_folder_without_suites(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite.unlink()
    assert cli.main(["validate", "."]) == 2
    assert capsys.readouterr().err == "graph-eval: .: no suite in this folder (*.graph.yaml or *.graph.yml)\n"


def test_schema_goes_to_stdout_or_a_file(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema"]) == 0
    printed = capsys.readouterr().out
    assert json.loads(printed)["title"] == "pytest-graph-eval suite"
    assert cli.main(["schema", "-o", "new/folder/schema.json"]) == 0
    assert Path("new/folder/schema.json").read_text(encoding="utf-8") == printed


def test_export_writes_test_cases_and_says_what_is_left_out(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", str(suite)]) == 0
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert (data["total_cases"], data["test_cases"][0]["id"], data["source_extractions"]) == (1, "a", ["e.json"])
    assert data["generated_at"].endswith("Z")
    assert err == "graph-eval: left out, because the format has no place for it: tags\n"


def test_export_keeps_the_sources_of_a_data_set(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", str(suite), "-o", "cases.json"]) == 0
    Path("cases.json").write_text(
        Path("cases.json").read_text(encoding="utf-8").replace("e.json", "other.json"), encoding="utf-8"
    )
    Path("y.graph.yaml").write_text("datasets: [{path: cases.json}]", encoding="utf-8")
    capsys.readouterr()
    assert cli.main(["export", "y.graph.yaml"]) == 0
    assert json.loads(capsys.readouterr().out)["source_extractions"] == ["other.json"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["export", "nope.graph.yaml"], "graph-eval: nope.graph.yaml: cannot be read: No such file or directory"),
        (
            ["export", "x.graph.yaml", "-o", "."],
            "graph-eval: -o .: cannot be written: Is a directory; name another file",
        ),
        (
            ["schema", "-o", "x.graph.yaml/s.json"],
            "graph-eval: -o x.graph.yaml/s.json: cannot be written: File exists; name another file",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line_on_stderr(
    suite: Path, capsys: pytest.CaptureFixture[str], args: list[str], words: str
) -> None:
    assert cli.main(args) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", words + "\n")


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"graph-eval {metadata.version('pytest-graph-eval')}\n"


def test_an_interrupt_ends_without_a_traceback(
    suite: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setitem(cli.COMMANDS, "schema", cli.Command("", lambda _: None, interrupted))
    assert cli.main(["schema"]) == 2
    assert capsys.readouterr().err == "graph-eval: interrupted\n"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "required: COMMAND"),
        (["nope"], "invalid choice: 'nope'"),
        (["validate"], "required: SUITE"),
        (["export", "x", "--format", "csv"], "invalid choice: 'csv'"),
        (["serve", "a.json", "--http", "99999"], "'99999' is no port, expected 0 to 65535"),
        (["serve", "a.json", "--http", "x"], "'x' is no port"),
    ],
)
def test_wrong_arguments_exit_with_2(args: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(args)
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


def test_help_names_every_command_and_the_exit_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["-h"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in cli.COMMANDS)
    assert "0 pass, 1 below the bar, 2 could not run" in out


def test_serve_hands_files_and_port_to_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_graph_eval.graph import server

    seen: list[object] = []
    monkeypatch.setattr(server, "serve", lambda paths, port=None, **_: seen.append((paths, port)))
    assert cli.main(["serve", "a.json", "b.json", "--http", "8080"]) == 0
    assert cli.main(["serve", "a.json"]) == 0
    assert seen == [([Path("a.json"), Path("b.json")], 8080), ([Path("a.json")], None)]


def run(code: str, **given: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        **given,  # type: ignore[call-overload, no-any-return]
    )


@pytest.mark.slow
def test_the_command_imports_no_pytest_and_nothing_heavy() -> None:
    code = "import sys, pytest_graph_eval.cli; print({'pytest', 'mcp', 'httpx', 'pydantic', 'yaml'} & set(sys.modules))"
    assert run(code).stdout == "set()\n"
    code = "import sys, pytest_graph_eval.cli as c; c.main(['schema']); print({'pytest', 'mcp'} & set(sys.modules))"
    assert run(code).stdout.endswith("\nset()\n")


def test_a_reader_that_goes_away_leaves_no_traceback() -> None:
    script = f"{sys.executable} -m pytest_graph_eval.cli schema | {sys.executable} -c 'import sys; sys.stdin.read(5)'"
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert done.stderr == ""


def test_a_message_fits_any_terminal(suite: Path) -> None:
    suite.write_text("scenarios: [{id: a, question: Q, gold_änswer: g}]", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest_graph_eval.cli", "validate", str(suite)],
        capture_output=True, timeout=60, check=False, env={"PYTHONIOENCODING": "ascii", "PATH": ""},
    )  # fmt: skip
    assert done.returncode == 2
    assert b"gold_\\xe4nswer" in done.stdout
