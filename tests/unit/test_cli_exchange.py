"""`graph-eval import` and `export`: other projects' scenarios as a suite of ours that loads, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from pytest_graph_eval import cli
from pytest_graph_eval.commands import exchange
from pytest_graph_eval.formats.datasets import FORMATS
from pytest_graph_eval.loader import load_suite
from pytest_graph_eval.models.scenario import Dataset

WALMART = Path(__file__).parents[2] / "example_suites" / "walmart" / "test_cases.json"
STEPS = [[{"name": "find", "args": {"q": "bay"}, "output": "A"}], [{"name": "read", "output": "B"}]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def data_set(name: str, *questions: dict[str, Any]) -> str:
    data = [{"template_id": "t1", "questions": [{"question_text": "Q?", **q} for q in questions]}]
    Path(name).write_text(json.dumps(data, indent=1), encoding="utf-8")
    return name


def test_an_imported_suite_loads_and_holds_the_same_scenarios(folder: Path) -> None:
    name = data_set(
        "g.json", {"id": "q 1", "reference_answer": "A", "reference_steps": STEPS}, {"id": 2, "reference_answer": "x"}
    )
    assert cli.main(["import", name, "-o", "new/g.graph.yaml"]) == 0
    written = load_suite("new/g.graph.yaml")
    Path("d.graph.yaml").write_text("datasets: [{path: g.json, format: graphrag-eval}]", encoding="utf-8")
    assert [s.scenario for s in written.scenarios] == [s.scenario for s in load_suite("d.graph.yaml").scenarios]
    assert (written.name, [s.scenario.source_id for s in written.scenarios]) == ("g", ["q 1", None])


def test_test_cases_are_imported_too_and_several_files_become_one_suite(folder: Path) -> None:
    name = data_set("g.json", {"id": "q1", "reference_answer": "A"})
    assert cli.main(["import", str(WALMART), name, "--name", "both", "--prefix", "x-", "-o", "s.graph.yaml"]) == 0
    suite = load_suite("s.graph.yaml")
    assert (suite.name, len(suite.scenarios), suite.scenarios[-1].scenario.id) == ("both", 25, "x-q1")


def test_a_set_of_conversations_comes_back(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = WALMART.parents[1] / "feature_store" / "scenarios.json"
    assert cli.main(["import", str(source), "-o", "s.graph.yaml"]) == 0
    assert cli.main(["export", "s.graph.yaml", "--format", "tdfs4ds", "-o", "again.json"]) == 0
    given, again = (json.loads(Path(p).read_text(encoding="utf-8")) for p in (source, "again.json"))
    for scenario in again["scenarios"]:
        scenario.pop("thread_id")
    assert again["scenarios"] == given["scenarios"]
    assert again["meta"]["scenario_hash"] == given["meta"]["scenario_hash"]
    assert cli.main(["export", "s.graph.yaml", "--format", "graphrag-eval"]) == 0
    assert "turns" in capsys.readouterr().err


def test_what_is_imported_comes_back_by_an_export(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = data_set("g.json", {"id": "q 1", "reference_answer": "A", "reference_steps": STEPS})
    assert cli.main(["import", name, "-o", "s.graph.yaml"]) == 0
    assert cli.main(["export", "s.graph.yaml", "--format", "graphrag-eval"]) == 0
    out, err = capsys.readouterr()
    (template,) = json.loads(out)
    assert template["questions"] == [
        {"id": "q 1", "question_text": "Q?", "reference_answer": "A", "reference_steps": STEPS}
    ]
    assert err == ""


def test_an_export_says_what_the_format_cannot_hold(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.graph.yaml").write_text("scenarios: [{id: a, question: Q, tags: [x], expect: {denial: true}}]", "utf-8")
    assert cli.main(["export", "s.graph.yaml", "--format", "graphrag-eval"]) == 0
    assert "no place for it: expect.denial, tags" in capsys.readouterr().err


def test_what_is_left_out_of_a_suite_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = data_set("g.json", {"id": "a", "reference_steps": [[], *STEPS]}, {"id": "b"})
    assert cli.main(["import", name, "-o", "s.graph.yaml"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "graph-eval: g.json:5:4: a: empty_step_group",
        "graph-eval: left out, because nothing could be checked: 1 question (b)",
    ]


def test_all_problems_of_all_files_are_told_and_nothing_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.json").write_text("{", encoding="utf-8")
    names = [data_set("a.json", {"id": "x", "reference_answer": "1"}), data_set("b.json", {"id": "x"}, {"id": ""})]
    assert cli.main(["import", *names, "bad.json", "nope.json", "-o", "s.graph.yaml"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in lines] == ["b.json:5:4", "b.json:9:4", "bad.json", "nope.json"]
    assert "duplicate id 'x', first in a.json; import one of the files with --prefix" in lines[0]
    assert not Path("s.graph.yaml").exists()


def test_the_format_that_is_named_is_the_one_that_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["import", data_set("g.json", {"id": "a"}), "--format", "preciso"]) == 2
    assert "(preciso: an object with a list `test_cases`)" in capsys.readouterr().err


def test_every_format_that_is_read_can_be_named() -> None:
    options = Dataset.model_fields["format"].annotation
    assert set(exchange.FORMATS) == set(FORMATS) == set(get_args(get_args(options)[0]))


def test_nothing_to_import_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["import", data_set("g.json")]) == 2
    assert "graph-eval: g.json: no question with something to check" in capsys.readouterr().err
