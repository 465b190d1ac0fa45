"""Another project's test cases: read with every problem named, written so that they come back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.formats import preciso
from pytest_graph_eval.formats.datasets import read_dataset
from pytest_graph_eval.formats.entries import DataFile
from pytest_graph_eval.models.scenario import Dataset, Scenario

WALMART = Path(__file__).parents[2] / "example_suites" / "walmart" / "test_cases.json"

SEED = {
    "generated_at": "2026-05-30T12:00:00Z",
    "source_extractions": ["extractions/WALMART_2022_10K_extracted.json"],
    "total_cases": 1,
    "test_cases": [
        {
            "id": "TC010",
            "question": "How did Walmart's net sales change from FY2022 to FY2023?",
            "gold_answer": "Increased from $572.8B to $611.3B (+$38.5B, +6.7%)",
            "source_entities": ["NET SALES FY2022", "NET SALES FY2023"],
            "source_chunks": ["chunk_008", "chunk_012"],
            "category": "yoy_comparison",
            "difficulty": "medium",
            "requires_yoy": True,
            "query_hints": "comparison, year-over-year, fiscal 2022 2023",
        }
    ],
}


def read(data: Any, prefix: str = "", indent: int | None = 1) -> DataFile:
    text = data if isinstance(data, str) else json.dumps(data, indent=indent)
    return read_dataset(text.encode(), "cases.json", Dataset(path="cases.json", prefix=prefix))


def cases(*entries: Any) -> dict[str, Any]:
    return {"test_cases": list(entries)}


def test_the_seeds_own_example_is_read_in_full() -> None:
    file = read(SEED)
    (entry,) = file.entries
    assert entry.scenario == Scenario(**SEED["test_cases"][0])  # type: ignore[index]
    assert entry.scenario.requires_yoy is True
    assert (entry.line, entry.col) == (8, 3)
    assert file.documents == ["extractions/WALMART_2022_10K_extracted.json"]
    assert not file.problems
    assert not file.refused


def test_empty_values_are_absent_ones() -> None:
    case = {
        "id": "a",
        "question": "Q",
        "gold_answer": "",
        "source_entities": [],
        "category": None,
        "requires_yoy": False,
    }
    (entry,) = read(cases(case)).entries
    assert entry.scenario.model_fields_set == {"id", "question"}
    assert not entry.scenario.has_something_to_check()


def test_keys_of_other_readers_are_left_alone() -> None:
    (entry,) = read(cases({"id": "a", "question": "Q", "weight": 3, "expect": {"x": 1}})).entries
    assert entry.scenario == Scenario(id="a", question="Q")


@pytest.mark.parametrize(
    ("foreign", "prefix", "own", "source_id"),
    [
        ("TC001", "", "TC001", None),
        ("TC 1::a/b", "", "TC-1-a-b", "TC 1::a/b"),
        (7, "", "7", None),
        ("TC001", "w-", "w-TC001", "TC001"),
        ("  ", "", None, None),
    ],
)
def test_foreign_ids_become_ids_of_ours_and_are_kept(
    foreign: object, prefix: str, own: str | None, source_id: str | None
) -> None:
    file = read(cases({"id": foreign, "question": "Q", "gold_answer": "g"}), prefix)
    found = [(e.scenario.id, e.scenario.source_id) for e in file.entries]
    assert found == ([] if own is None else [(own, source_id)])


@pytest.mark.parametrize(
    ("case", "code", "words"),
    [
        ("text", "wrong_type", "test_cases[1]: a test case is an object with `id` and `question`"),
        ({"question": "Q"}, "missing_key", "test_cases[1]: the key 'id' is missing"),
        ({"id": True, "question": "Q"}, "missing_key", "the key 'id' is missing or no text"),
        ({"id": "b"}, "missing_key", "test_cases[1] ('b'): the key 'question' is missing"),
        ({"id": "b", "question": ["Q"]}, "wrong_type", "test_cases[1] ('b'): question: found a list, expected a text"),
        ({"id": "b", "question": " "}, "wrong_value", "the question is empty"),
        ({"id": "b", "question": "Q", "source_entities": [["x"]]}, "wrong_type", "source_entities[0]: found a list"),
        ({"id": "b", "question": "Q", "requires_yoy": "yes"}, "wrong_type", "requires_yoy: found the text"),
        ({"id": "a", "question": "Q"}, "duplicate_id", "duplicate id 'a', first in test_cases[0]"),
        ({"id": "-a", "question": "Q"}, "duplicate_id", "test_cases[1] ('-a'): duplicate id 'a'"),
    ],
)
def test_a_bad_entry_is_named_by_index_id_and_place(case: object, code: str, words: str) -> None:
    file = read(cases({"id": "a", "question": "Q"}, case))
    (problem,) = file.problems
    assert (problem.file, problem.code) == ("cases.json", code)
    assert words in problem.message
    assert problem.line > 5
    assert [e.scenario.id for e in file.entries] == ["a"]


def test_all_bad_entries_of_a_file_are_named() -> None:
    file = read(cases({"id": "a"}, 3, {"id": "b", "question": []}), indent=None)
    assert [(p.line, p.code) for p in file.problems] == [(1, "missing_key"), (1, "wrong_type"), (1, "missing_key")]


def test_wrong_sources_are_a_problem_of_the_file() -> None:
    (problem,) = read({"source_extractions": [3], "test_cases": []}).problems
    assert str(problem) == "cases.json: source_extractions: expected a list of file names"


def test_half_characters_are_refused() -> None:
    file = read('{"test_cases": [{"id": "a", "question": "\\ud800"}]}')
    assert [p.code for p in file.problems] == ["wrong_value"]


def test_what_is_written_has_the_seeds_keys_and_comes_back() -> None:
    (entry,) = read(SEED).entries
    text = preciso.write([entry.scenario], generated_at="2026-05-30T12:00:00Z", source_extractions=["e.json"])
    written = json.loads(text)
    assert list(written) == list(SEED)
    assert list(written["test_cases"][0]) == list(SEED["test_cases"][0])  # type: ignore[index]
    assert read(text).entries[0].scenario == entry.scenario


def test_the_example_cases_come_back_as_the_same_scenarios() -> None:
    first = [e.scenario for e in read(WALMART.read_text(encoding="utf-8")).entries]
    again = [e.scenario for e in read(preciso.write(first, generated_at="x")).entries]
    assert len(first) == 24
    assert again == first


def test_a_foreign_id_is_written_where_it_leads_back_to_the_same_scenario() -> None:
    kept = Scenario(id="a-b", source_id="a b", question="Q")
    prefixed = Scenario(id="x-a", source_id="a", question="Q")
    twin = Scenario(id="y-a", source_id="a", question="Q")
    written = json.loads(preciso.write([kept, prefixed, twin], generated_at="x"))
    assert [c["id"] for c in written["test_cases"]] == ["a b", "x-a", "y-a"]


def test_what_the_format_cannot_hold_is_told() -> None:
    full = Scenario(id="a", question="Q", expect={"denial": True}, tags=["x"], mode="auto", timeout=3)
    assert preciso.lost_keys([full, Scenario(id="b", question="Q", gold_answer="g")]) == ["expect", "tags", "timeout"]
