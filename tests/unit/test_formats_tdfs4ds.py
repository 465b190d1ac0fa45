"""The scenario sets of tdfs4ds: read with every problem named, written so that they come back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval import load_suite
from pytest_graph_eval.errors import SuiteError, UsageError
from pytest_graph_eval.formats import tdfs4ds
from pytest_graph_eval.formats.datasets import read_dataset
from pytest_graph_eval.formats.entries import DataFile
from pytest_graph_eval.models.scenario import Dataset, Scenario

SET = {
    "scenarios": [
        {
            "id": "M 01",
            "category": "multi_turn",
            "description": "definition, then freshness",
            "multi_turn": True,
            "skills": ["DEFINITION", "FRESHNESS"],
            "thread_id": "eval_m01",
            "turns": [
                {
                    "turn": 1,
                    "user": "What is AVG_BASKET on 2024-03-01?",
                    "expected_intent": "DEFINITION",
                    "acceptable_intents": ["EXPLAIN"],
                    "fact_spec": {"kind": "definition", "feature": "AVG_BASKET"},
                    "expected_facts": {"required_names": ["AVG_BASKET"], "must_exist": True, "absent_names": ["NEW"],
                                       "feature_count": 5, "dates": ["2024-03-01"]},
                    "time_context": {"as_of_expected": "2024-03-01 00:00:00+00:00", "cleared": False},
                },
                {"turn": 2, "user": "And now?", "expected_intent": "FRESHNESS", "fact_spec": {},
                 "expected_facts": {"disambiguation_expected": True, "all_entity_variants": ["A (X)", "B (X)"]},
                 "time_context": {"as_of_expected": None, "cleared": True}},
            ],
        }
    ],
    "meta": {"scenario_hash": "old", "coverage": {}},
}  # fmt: skip


def read(data: Any, prefix: str = "") -> DataFile:
    text = data if isinstance(data, str) else json.dumps(data, indent=1)
    return read_dataset(text.encode(), "set.json", Dataset(path="set.json", prefix=prefix))


def one(**turn: Any) -> dict[str, Any]:
    return {"scenarios": [{"id": "S01", "turns": [{"user": "q", **turn}]}]}


def scenario(data: Any) -> Scenario:
    file = read(data)
    assert not file.problems
    return file.entries[0].scenario


def test_facts_intents_and_times_become_checks() -> None:
    read_as = scenario(SET)
    assert (read_as.id, read_as.source_id, read_as.category) == ("M-01", "M 01", "multi_turn")
    first, second = read_as.turns or []
    assert first.expect.model_dump(exclude_unset=True) == {
        "names": [{"name": "AVG_BASKET"}],
        "counts": {"features": {"value": 5, "nouns": ["features", "variables"]}},
        "dates": [{"value": "2024-03-01", "day_first": "any"}],
        "denial": False,
        "forbidden": [{"name": "NEW"}],
        "as_of": "2024-03-01 00:00:00+00:00",
        "intent": ["DEFINITION", "EXPLAIN"],
    }
    assert (first.fact_spec["kind"], first.facts["feature_count"]) == ("definition", 5)
    assert second.expect.choice is not None
    assert [n.name for n in second.expect.choice] == ["A", "B"]
    assert second.expect.as_of == "current"


def test_a_set_comes_back_as_it_was() -> None:
    again = json.loads(tdfs4ds.write([scenario(SET)], generated_at="2024-01-01T00:00:00Z"))
    assert scenario(again) == scenario(SET)
    assert [t["expected_facts"] for t in again["scenarios"][0]["turns"]] == [
        t["expected_facts"]
        for t in SET["scenarios"][0]["turns"]  # type: ignore[index]
    ]
    assert again["meta"]["scenario_hash"] == tdfs4ds.fingerprint(SET)
    assert again["meta"]["n_scenarios"] == 1


def test_checks_of_our_own_are_written_where_the_format_has_a_word_for_them() -> None:
    expect = {"names": ["A"], "any_of": [["B", "C"]], "forbidden": ["D"], "denial": False, "choice": ["E", "F"]}
    own = Scenario.model_validate({"id": "a", "question": "q", "expect": {**expect, "matches": "x"}, "pass_score": 0.5})
    turn = json.loads(tdfs4ds.write([own]))["scenarios"][0]["turns"][0]
    assert turn["expected_facts"] == {
        "required_names": ["A"], "expected_any": ["B", "C"], "forbidden_names": ["D"],
        "all_entity_variants": ["E", "F"], "disambiguation_expected": True, "must_exist": True,
    }  # fmt: skip
    assert tdfs4ds.lost_keys([own]) == ["expect.matches", "pass_score"]
    assert tdfs4ds.lost_keys([scenario(SET)]) == []


def test_a_results_file_is_regrouped_without_its_old_facts() -> None:
    rows = [{"scenario_id": "S02", "turn": 1, "user": "b", "expected_intent": "HELP", "expected_facts": {"x": 1}},
            {"user": "c"}, {"scenario_id": "S02", "turn": 2, "user": "d", "category": "x"}]  # fmt: skip
    file = read({"summary": [], "turns": rows})
    assert [(e.scenario.id, [t.question for t in e.scenario.turns or ()]) for e in file.entries] == [
        ("S02", ["b", "d"]), ("S", ["c"])]  # fmt: skip
    first = (file.entries[0].scenario.turns or [])[0]
    assert (first.expect.intent, first.facts) == (["HELP"], {})


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        ({"scenarios": [7]}, 3, "scenarios[0]: found `7`, expected a mapping"),
        ({"scenarios": [{"turns": []}]}, 3, "scenarios[0]: the key 'id' is missing"),
        ({"scenarios": [{"id": "a", "turns": []}]}, 3, "scenarios[0] ('a'): turns: found an empty list"),
        ({"scenarios": [{"id": "a", "turns": [{}]}]}, 6, "turn 1: the key 'user' is missing"),
        ({"scenarios": [{"id": "a", "turns": [{"user": " "}]}]}, 6, "turn 1: question: the question is empty"),
        (one(expected_facts=[1]), 6, "turn 1: expected_facts: found a list, expected a mapping"),
        (one(expected_facts={"required_names": [None]}), 6, "turn 1: expect.names[0]"),
        (one(expected_facts={"processes": [3]}), 6, "expected_facts: a fact has another form than tdfs4ds writes"),
        (one(expected_facts={"dates": 3}), 6, "expected_facts: a fact has another form"),
        ({"scenarios": [*one()["scenarios"], *one()["scenarios"]]}, 11, "duplicate id 'S01', first in scenarios[0]"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(data: Any, place: int, words: str) -> None:
    problems = read(data).problems
    assert any(words in p.message for p in problems), problems
    assert problems[0].line == place


@pytest.mark.parametrize("facts", [{"dates": ["2024-13-01"]}, {"required_names": ["-"]}, {"feature_count": "x"},
                                   {"required_names": ["A"], "forbidden_names": ["A"]}])  # fmt: skip
def test_a_fact_that_nothing_can_match_is_an_error_of_the_suite(tmp_path: Path, facts: dict[str, Any]) -> None:
    (tmp_path / "set.json").write_text(json.dumps(one(expected_facts=facts)), encoding="utf-8")
    text = "target: {path: r.jsonl}\ndatasets: [{path: set.json, format: tdfs4ds}]\n"
    with pytest.raises(Exception, match="scenario 'S01': turns"):
        load_suite(tmp_path / "a.graph.yaml", text=text)


def test_another_file_is_refused() -> None:
    refused = read_dataset(b'{"a": 1}', "x.json", Dataset(path="x.json", format="tdfs4ds")).refused
    assert refused == (
        "not in a format that can be read (tdfs4ds: an object with a list `scenarios`, each with `turns`, or with "
        "`turns` alone)"
    )
    assert tdfs4ds.matches({"scenarios": None, "turns": None}) is False


def test_two_ways_to_write_one_instant_are_one_set() -> None:
    ways = ["2024-03-01", "2024-03-01 00:00:00+00:00", "2024-03-01T01:00:00+01:00"]
    assert len({tdfs4ds.fingerprint(one(time_context={"as_of_expected": w})) for w in ways}) == 1
    assert tdfs4ds.fingerprint(one(time_context={"cleared": True})) != tdfs4ds.fingerprint(one())


def test_the_order_of_names_does_not_matter_but_that_of_other_lists_may() -> None:
    def printed(key: str, *values: Any) -> str:
        return tdfs4ds.fingerprint(one(expected_facts={key: list(values)}))

    assert printed("absent_names", "A", "B") == printed("absent_names", "B", "A")
    assert printed("processes", {"a": 1}, {"b": 1}) != printed("processes", {"b": 1}, {"a": 1})


def test_a_merge_refuses_sets_in_which_scenarios_cannot_be_told_apart() -> None:
    twice, nameless = {"scenarios": [{"id": 1}, {"id": "1"}]}, {"scenarios": [{"turns": []}]}
    with pytest.raises(SuiteError, match="base: duplicate id '1'; ids are unique in a set"):
        tdfs4ds.merge(twice, {})
    with pytest.raises(SuiteError, match="incoming: a scenario has no `id`"):
        tdfs4ds.merge({}, nameless)
    with pytest.raises(UsageError, match="merge mode 'add': expected one of append, replace"):
        tdfs4ds.merge({}, {}, "add")
    assert tdfs4ds.merge(twice, one(), "replace") == one(), "what is thrown away need not be sound"


def test_the_conversations_of_a_set_that_the_target_cannot_hold_are_told_together(tmp_path: Path) -> None:
    talks = [{"id": f"M{n}", "turns": [{"user": "q", "expected_facts": {"required_names": ["A"]}}, {"user": "r"}]}
             for n in range(3)]  # fmt: skip
    (tmp_path / "set.json").write_text(json.dumps({"scenarios": talks}), encoding="utf-8")
    text = "target: {extraction: a.json}\ndatasets:\n  - path: set.json\n"
    with pytest.raises(SuiteError) as caught:
        load_suite(tmp_path / "a.graph.yaml", text=text, targets={})
    (problem,) = caught.value.problems
    assert problem.message.startswith("scenario 'M0' and 2 more: the graph target cannot hold a conversation")
    assert (problem.line, problem.code) == (3, "no_conversation")
