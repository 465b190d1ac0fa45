"""Suite files of every kind: wrong in many places at once, no text at all, and in unusual places."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from .runs import Run, run_pytest

# Each line, the part of it that the message must point to, and how the message goes on; "" holds no mistake.
MISTAKES = [
    ("suite: many mistakes", "", ""),
    ("target: {extraction: nowhere.json, timout: 3}", "timout", "target: unknown key 'timout', did you mean"),
    ("defaults: {timeout: soon}", "soon", 'defaults.timeout: found the text "soon", expected a number'),
    ("gate: {overal: 0.9}", "overal", "gate: unknown key 'overal', did you mean 'overall'? Valid keys: overall, metri"),
    ("scenarios:", "", ""),
    ('  - {id: a b, question: "Q", gold_answer: "x"}', "a b", "scenario 'a b': id: an id is letters, digits, `-`, `_`"),
    ('  - {id: b, question: "", gold_answer: "x"}', '""', "scenario 'b': question: found the text \"\", expected"),
    ('  - {id: c, question: "Q", expect: {numbes: ["1"]}}', "numbes", "expect: unknown key 'numbes', did you mean"),
    ('  - {id: d, question: "Q", tgas: [x], gold_answer: "x"}', "tgas", "scenario 'd': unknown key 'tgas', did you"),
    ('  - {id: e, question: "Q", expect: {dates: [2023-02-30]}}', "2023-02-30", "'2023-02-30' is no date: a day"),
    ('  - {id: f, question: "Q", expect: {names: []}}', "[]", "expect.names: found an empty list, expected 1 or more"),
    ('  - {id: g, question: "Q", expect: {names: [A], forbidden: [A]}}', "A], f", "'A' is both required and forbidden"),
    ('  - {id: h, question: "Q", gold_answer: "x", pass_score: 1.5}', "1.5", "pass_score: found `1.5`, expected at"),
    ('  - {id: h, question: "Q", gold_answer: "x"}', "h,", "duplicate id 'h', first on line 13; ids are unique in a"),
]  # fmt: skip
BROKEN: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "nothing.graph.yaml: the file is empty; a suite has the keys"),
    "binary": (bytes(range(256)) * 8, "binary.graph.yaml:2:118: not UTF-8 text (byte 0x80)"),
    "latin": ("suite: café".encode("latin-1"), "latin.graph.yaml:1:11: not UTF-8 text (byte 0xe9)"),
    "nulls": (b"suite: a\x00b\n", "nulls.graph.yaml:1"),
    "list": (b"- a\n- b\n", "list.graph.yaml:1:1: the file is no mapping"),
    "cut": (b'scenarios:\n  - {id: a, question: "Q\n', "cut.graph.yaml:"),
    "tabs": (b"scenarios:\n\t- {id: a}\n", "tabs.graph.yaml:2"),
    "bomb": (b"a: &a [1,1,1,1,1,1,1,1,1,1]\n" + b"".join(
        b"%c: &%c [%s]\n" % (n, n, b",".join([b"*%c" % (n - 1)] * 10)) for n in range(ord("b"), ord("k"))
    ), "bomb.graph.yaml:"),
}  # fmt: skip


def mistakes() -> list[tuple[int, int, str]]:
    """Return line, column and the beginning of the message for every mistake."""
    return [
        (number, line.index(part) + 1, message)
        for number, (line, part, message) in enumerate(MISTAKES, 1)
        if part
    ]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("broken")
    (folder / "many.graph.yaml").write_text("\n".join(line for line, _, _ in MISTAKES) + "\n", encoding="utf-8")
    for name, (content, _) in BROKEN.items():
        (folder / f"{name}.graph.yaml").write_bytes(content)
    (folder / "gone.graph.yaml").symlink_to(folder / "nowhere")
    (folder / "folder.graph.yaml").mkdir()
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    return run_pytest(folder)


def test_twelve_mistakes_give_twelve_errors_with_their_places(run: Run) -> None:
    found = [line for line in run.out.splitlines() if re.match(r"many\.graph\.yaml:\d", line)]
    expected = mistakes()
    assert len(expected) == 12
    for line, (row, col, message) in zip(found, expected, strict=True):
        assert line.startswith(f"many.graph.yaml:{row}:{col}: ")
        assert message in line


@pytest.mark.parametrize("name", list(BROKEN))
def test_a_file_that_is_no_suite_is_named_with_its_place(run: Run, name: str) -> None:
    assert any(line.startswith(BROKEN[name][1]) for line in run.out.splitlines()), run.out


def test_files_that_cannot_be_loaded_stop_the_run_with_status_2_and_no_traceback(run: Run) -> None:
    assert run.code == 2
    assert run.says("FAIL collection_error: 9 suites could not be loaded")
    assert run.says("verdict FAIL (interrupted run); exit 2")
    assert "Traceback" not in run.out + run.err
    assert "pytest_graph_eval/" not in run.out


def test_under_xdist_the_status_is_1_and_the_verdict_is_the_same(folder: Path) -> None:
    shared = run_pytest(folder, "-n", "2", "many.graph.yaml", "nothing.graph.yaml")
    assert shared.code == 1
    assert shared.says("FAIL collection_error: 2 suites could not be loaded")
    assert shared.says("verdict FAIL")
    told = shared.out.partition("short test summary info")[0]  # which repeats all of it where CI is set
    assert len([line for line in told.splitlines() if re.match(r"many\.graph\.yaml:\d", line)]) == 12
    assert "Traceback" not in shared.out + shared.err


# --- places

SUITE = """
suite: same name
target: {call: "answers:ask"}
scenarios:
  - {id: a, question: "How much?", expect: {numbers: ["$5 billion"]}}
  - {id: b, question: "How much?", expect: {numbers: ["$6 billion"]}}
"""
KEYS = ["a b/ünï/s.graph.yaml", "one/s.graph.yaml", "two/s.graph.yaml", "../outside/s.graph.yaml"]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Four suites of one name and the same ids, run from a folder below rootdir; one lies outside of rootdir."""
    root = tmp_path_factory.mktemp("places") / "root"
    for key in KEYS:
        path = root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.resolve().write_text(SUITE, encoding="utf-8")
        path.with_name("answers.py").write_text("def ask(question):\n    return 'It was $5.0 billion.'\n")
    outside = (root / KEYS[-1]).resolve()
    return run_pytest(root, "--import-mode=importlib", "..", str(outside), cwd=root / "one")


def test_suites_with_one_name_and_the_same_ids_are_kept_apart(places: Run) -> None:
    found = [(r["suite"], r["nodeid"], r["status"]) for r in places.records]
    assert found == [(key, f"{key}::{id_}", status) for key in KEYS for id_, status in (("a", "PASS"), ("b", "FAIL"))]
    assert sorted(places.summary["failed"]) == sorted(f"{key}::b" for key in KEYS)
    assert set(places.summary["by_suite"]) == set(KEYS)
    for key in KEYS:
        assert places.says(f"FAIL below_threshold: {key}: overall 0.50")


def test_each_failure_names_the_file_as_it_is_called_from_here(places: Run) -> None:
    for shown in ("'../a b/ünï/s.graph.yaml::b'", "s.graph.yaml::b", "../two/s.graph.yaml::b"):
        assert f"  re-run: pytest --graph-eval {shown}\n" in places.out
    assert "  at: ../../outside/s.graph.yaml:6 (b)\n" in places.out


def test_the_command_that_runs_it_again_runs_it_again(places: Run) -> None:
    commands = re.findall(r"re-run: pytest (.*)", places.out)
    assert len(commands) == 4
    arguments = [word for command in commands for word in shlex.split(command)]
    here = places.folder / "one"
    again = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(again, cwd=here, capture_output=True, encoding="utf-8", timeout=60, check=True)
    assert "4 tests collected" in done.stdout


def test_the_report_of_a_run_elsewhere_is_where_it_was_asked_for(places: Run) -> None:
    assert not list(places.folder.rglob("evals"))
    assert json.loads(next((places.folder / "results").glob("*.jsonl")).read_text().splitlines()[0])["index"] == 0
