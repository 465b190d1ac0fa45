"""`graph-eval coverage`: what of a graph a suite is counted to ask about, and what it says is untouched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.cli import main
from pytest_graph_eval.generate.coverage import Part, coverage
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.models.scenario import Scenario
from tests.unit.graph_samples import FERRIES, tiny, write


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> View:
    folder = tmp_path_factory.mktemp("graphs")
    files = [write(folder, "ferries.json", FERRIES), write(folder, "ada.json", tiny("ada"))]
    return View(Catalog.from_files(files))


def covered(view: View, *scenarios: dict[str, Any]) -> dict[str, Part]:
    made = [Scenario.model_validate({"id": f"s{n}", "question": "Q?", **data}) for n, data in enumerate(scenarios)]
    return coverage(made, view)


def touched(part: Part) -> dict[str, int]:
    return dict(part.exercised)


def test_nothing_is_exercised_by_a_suite_that_names_nothing(view: View) -> None:
    parts = covered(view, {"gold_answer": "1987"})
    assert [parts[name].share for name in ("entity_types", "relation_types", "documents", "categories")] == [0.0] * 4
    assert parts["documents"].untouched == ["ferries", "ada"]


def test_an_empty_graph_has_no_share() -> None:
    parts = covered(View(Catalog()), {"gold_answer": "1987"})
    assert {part.share for part in parts.values()} == {None}


def test_sources_are_counted_by_their_type_and_the_edge_between_two_of_them_by_its_type(view: View) -> None:
    parts = covered(view, {"source_entities": ["Ada Byron", "Analytical Engine"], "category": "own"})
    assert touched(parts["entity_types"]) == {"PERSON": 1, "MACHINE": 1}
    assert touched(parts["relation_types"]) == {"DESCRIBED": 1}
    assert touched(parts["documents"]) == {"ada": 1}
    assert touched(parts["categories"]) == {"own": 1}


def test_one_end_touches_no_edge(view: View) -> None:
    assert not covered(view, {"source_entities": ["Ada Byron"]})["relation_types"].exercised


@pytest.mark.parametrize(
    "expect",
    [
        {"names": ["ada byron"]},
        {"entities": ["Ada Byron"]},
        {"relationships": [["Ada Byron", "DESCRIBED", "Analytical Engine"]]},
        {"choice": ["Ada Byron", "Nobody"]},
    ],
)
def test_what_is_expected_counts_like_sources(view: View, expect: dict[str, Any]) -> None:
    assert "PERSON" in covered(view, {"expect": expect})["entity_types"].exercised


def test_the_turns_of_a_conversation_count(view: View) -> None:
    turns = [
        {"question": "Who?", "source_entities": ["Ada Byron"]},
        {"question": "What?", "source_chunks": ["ferries::c2"]},
    ]
    parts = covered(view, {"turns": turns})
    assert touched(parts["documents"]) == {"ferries": 1}
    assert touched(parts["entity_types"]) == {"PERSON": 1}


def test_named_chunks_decide_the_document_also_by_the_part_of_the_id_behind_it(view: View) -> None:
    parts = covered(view, {"source_entities": ["Ada Byron"], "source_chunks": ["c9"]})
    assert touched(parts["documents"]) == {"ferries": 1}


def test_untouched_names_begin_with_what_the_graph_holds_most() -> None:
    assert Part({"a": 1, "b": 7, "c": 7, "d": 9}, {"d": 1}).untouched == ["b", "c", "a"]


SUITE = "target: {extraction: ada.json}\nscenarios:\n  - {id: a, question: Q?, source_entities: [Ada Byron]}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "ada.json", tiny("ada"))
    (tmp_path / "s.graph.yaml").write_text(SUITE, encoding="utf-8")
    return tmp_path


def test_the_command_prints_shares_and_writes_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "s.graph.yaml", "ada.json", "-o", "out/c.json"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[:5] == [
        "1 scenario",
        "entity types:    1 of 2 (50%)",
        "  untouched:     MACHINE (1)",
        "relation types:  0 of 1 (0%)",
        "  untouched:     DESCRIBED (1)",
    ]
    assert err == ""
    data = json.loads((folder / "out/c.json").read_text("utf-8"))
    assert data["entity_types"] == {
        "share": 0.5, "total": 2, "exercised": 1, "untouched": ["MACHINE"],
        "by_name": {"MACHINE": {"held": 1, "exercised": 0}, "PERSON": {"held": 1, "exercised": 1}},
    }  # fmt: skip
    assert (data["format"], data["suite"], data["scenarios"], data["failed"]) == (1, "s.graph.yaml", 1, {})


def test_without_sources_the_suite_says_what_its_graph_holds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "s.graph.yaml"]) == 0
    assert "entity types:    1 of 2 (50%)" in capsys.readouterr().out


@pytest.mark.parametrize(("least", "code"), [("0.5", 1), ("0", 0)])
def test_a_share_below_the_least_is_exit_1(
    folder: Path, capsys: pytest.CaptureFixture[str], least: str, code: int
) -> None:
    assert main(["coverage", "s.graph.yaml", "ada.json", "--least", least]) == code
    err = capsys.readouterr().err
    assert err == ("graph-eval: below --least 0.5: relation_types, categories\n" if code else "")


def test_a_source_that_cannot_be_read_is_told_and_is_exit_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "bad.json", "{}")
    assert main(["coverage", "s.graph.yaml", "ada.json", "bad.json"]) == 1
    assert "graph-eval: bad.json could not be read, so nothing in it counts: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("suite", "sources", "message"),
    [
        ("s.graph.yaml", ["gone.json"], "gone.json: no such file"),
        ("gone.graph.yaml", ["ada.json"], "gone.graph.yaml"),
        ("call.graph.yaml", [], "call.graph.yaml: it has no `catalog:`; name the files of the graph behind the suite"),
        ("lost.graph.yaml", [], "lost.graph.yaml:1: the catalog cannot be read: gone.json: no such file"),
    ],
)
def test_what_cannot_be_done_is_exit_2(
    folder: Path, capsys: pytest.CaptureFixture[str], suite: str, sources: list[str], message: str
) -> None:
    rest = "scenarios: [{id: a, question: Q?, gold_answer: g}]\n"
    (folder / "call.graph.yaml").write_text("target: {call: 'a:b'}\n" + rest, encoding="utf-8")
    (folder / "lost.graph.yaml").write_text("catalog: gone.json\ntarget: {call: 'a:b'}\n" + rest, encoding="utf-8")
    assert main(["coverage", suite, *sources]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("least", ["2", "-1", "much", "nan"])
def test_a_share_is_between_0_and_1(folder: Path, capsys: pytest.CaptureFixture[str], least: str) -> None:
    with pytest.raises(SystemExit) as e:
        main(["coverage", "s.graph.yaml", "--least", least])
    assert e.value.code == 2
    assert f"'{least}' is no share, expected 0 to 1" in capsys.readouterr().err
