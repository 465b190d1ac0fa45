"""Questions about time and conversations out of a graph with a history: right answers pass, and wrong ones fail."""

from __future__ import annotations

import functools
import importlib.util
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval import evaluate
from pytest_graph_eval.evaluation.asking import Asked
from pytest_graph_eval.evaluation.evaluate import Context, score_scenario
from pytest_graph_eval.generate.suite import Options, suite_of
from pytest_graph_eval.generate.times import before, day_words, days, now, view_at
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.library import with_current_facts
from pytest_graph_eval.loader import prepare_suite
from pytest_graph_eval.models.records import Record, Response
from pytest_graph_eval.models.scenario import Scenario, Suite, turns_of
from tests.unit.dated_graph import feature_store
from tests.unit.graph_samples import tiny, write

AGENT = Path(__file__).parents[1] / "servers/catalog_agent.py"
CATEGORIES = ("temporal", "freshness", "dataset", "multi_turn", "object", "attribute")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, "store.json", feature_store())
    return tmp_path


def view(folder: Path) -> View:
    return View(Catalog.from_files([folder / "store.json"]))


def made_of(graph: Catalog, lang: str = "en", answers: bool = True, **options: Any) -> Suite:
    chosen = {"categories": CATEGORIES, "per_category": 60, "answers": answers, "languages": (lang,), **options}
    target = {"factory": "catalog_agent:agent"} if answers else {"extraction": ["store.json"], "top_k": 20}
    return suite_of(graph, Options(**chosen), target=target, catalog=["store.json"])


@functools.cache
def suite(lang: str = "en", answers: bool = True) -> Suite:
    """Return everything that the unchanged store can be asked."""
    with tempfile.TemporaryDirectory() as folder:
        return made_of(view(write(Path(folder), "store.json", feature_store()).parent).catalog, lang, answers)


@pytest.fixture
def agent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Record]]:
    """Return what asks the agent a suite, with a fault or without."""
    spec = importlib.util.spec_from_file_location("catalog_agent", AGENT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.__file__ = str(folder / "catalog_agent.py")
    monkeypatch.setitem(sys.modules, "catalog_agent", module)

    def ask(asked: Suite, *faults: str) -> list[Record]:
        module.FAULTS.clear()
        module.FAULTS.update(faults)
        return evaluate(prepare_suite(asked, folder=folder, targets={}))

    return ask


def by_kind(records: list[Record], status: str) -> set[str]:
    return {str(r.template_id) for r in records if r.status == status}


def told(records: list[Record]) -> str:
    return "\n".join(
        f"{r.id}: {r.status} {r.reason or r.error} {r.answer} {r.turns}" for r in records if r.status != "PASS"
    )


KINDS = {
    "definition_at", "not_yet", "relation_at", "before_anything", "inventory_at", "added_in", "freshness_at",
    "freshness", "dataset_time", "neighbours_after", "neighbours_after_name", "freshness_after", "recap", "kept_date",
    "object_walk", "object_walk_name", "attribute_walk", "attribute_walk_name",
}  # fmt: skip


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_an_agent_that_answers_rightly_passes_all_kinds(folder: Path, agent: Any, lang: str) -> None:
    records = agent(suite(lang))
    assert by_kind(records, "PASS") == KINDS, told(records)
    assert {r.status for r in records} == {"PASS"}, told(records)
    assert all(r.facts["stale"] == [] for r in records)
    assert all(r.mean and r.mean >= 0.95 for r in records)


DATED = {"definition_at", "not_yet", "relation_at", "before_anything", "inventory_at", "freshness_at", "kept_date"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "failing"),
    [
        ("no_past", DATED),
        ("sticky", {"kept_date"}),
        ("forgetful", {"kept_date", "neighbours_after", "freshness_after", "recap", "object_walk", "attribute_walk"}),
        ("vague", KINDS - {"not_yet"}),
    ],
)
def test_each_kind_of_wrong_answer_fails_just_the_kinds_that_ask_for_it(
    folder: Path, agent: Any, fault: str, failing: set[str]
) -> None:
    records = agent(suite(), fault)
    assert by_kind(records, "FAIL") == failing
    assert by_kind(records, "ERROR") == set()


def test_the_embedded_graph_answers_for_its_day_by_what_it_does_not_retrieve(folder: Path) -> None:
    asked = suite(answers=False)
    loaded = prepare_suite(asked, folder=folder, targets={})
    records = evaluate(loaded)
    assert by_kind(records, "PASS") == {"found_at", "linked_at", "empty_before"}
    assert {r.status for r in records} == {"PASS"}, told(records)
    blind = [s.model_copy(update={"as_of": None}) for s in asked.scenarios]
    records = evaluate(prepare_suite(asked.model_copy(update={"scenarios": blind}), folder=folder, targets={}))
    assert by_kind(records, "FAIL") >= {"linked_at", "empty_before"}


@pytest.mark.parametrize(
    ("left_out", "kinds"),
    [
        ("temporal", KINDS - DATED - {"added_in", "dataset_time"}),
        ("pronouns", KINDS - {"neighbours_after", "freshness_after", "object_walk", "attribute_walk"}),
        ("fact_first", {k for k in KINDS if "walk" not in k}),
        ("multi_turn", DATED - {"kept_date"} | {"added_in", "freshness", "dataset_time"}),
    ],
)
def test_groups_can_be_left_out(folder: Path, left_out: str, kinds: set[str]) -> None:
    groups = [g for g in ("multi_turn", "pronouns", "temporal", "fact_first") if g != left_out]
    assert {s.template_id for s in made_of(view(folder).catalog, groups=groups).scenarios} == kinds


@pytest.mark.slow
def test_a_suite_as_of_one_time_asks_nothing_about_others_and_is_rightly_answered(folder: Path, agent: Any) -> None:
    asked = made_of(view(folder).catalog, at="2024-06-01")
    assert {s.template_id for s in asked.scenarios} == KINDS - DATED - {"added_in", "dataset_time"}
    assert {s.as_of or s.turns[0].as_of for s in asked.scenarios if s.turns or s.as_of} == {"2024-06-01"}  # type: ignore[index]
    assert not any(turn.as_of for s in asked.scenarios for turn in (s.turns or [])[1:])
    assert not any(asks_about(s, "DELIVERY_DELAY", "deliveries table") for s in asked.scenarios)
    assert "all is asked as of one time, so nothing about others" in json.dumps(asked.meta["coverage"])
    records = agent(asked)
    assert {r.status for r in records} == {"PASS"}, told(records)
    assert all(r.facts["stale"] == [] for r in records)


def test_a_list_may_be_answered_in_any_order(folder: Path) -> None:
    asked = made_of(view(folder).catalog, categories=("lineage",)).scenarios
    several = [s for s in asked if s.expect.names and len(s.expect.names) > 1]
    assert several
    for scenario in several:
        names = [n.name for n in scenario.expect.names or ()]
        reply = Asked(response=Response(answer=f"It is {' and '.join(reversed(names))}."))
        assert score_scenario(scenario, reply, Context()).status == "PASS"
        fewer = Asked(response=Response(answer=f"It is {names[0]}."))
        assert score_scenario(scenario, fewer, Context()).status == "FAIL"


# --- what goes stale --------------------------------------------------------------------------------------------------


def stale(folder: Path, asked: Suite) -> dict[str, list[str]]:
    """Return the stale scenarios, with what changed."""
    loaded = with_current_facts(prepare_suite(asked, folder=folder, targets={}), "check")
    said = {s.scenario.id: [t for facts in s.freshness for t in facts["stale"]] for s in loaded.scenarios}
    return {id_: texts for id_, texts in said.items() if texts}


def entity_of(data: dict[str, Any], name: str) -> dict[str, Any]:
    return next(e for e in data["entities"] if e["entity_name"] == name and "valid_to" not in e)


def kinds_of(asked: Suite, ids: Any) -> set[str]:
    return {str(s.template_id) for s in asked.scenarios if s.id in ids}


def asks_about(scenario: Scenario, *names: str) -> bool:
    """Tell whether an answer to a scenario says anything of a name; that it must not be said does not count."""
    for turn in turns_of(scenario):
        expect = turn.expect.model_dump(exclude_unset=True, exclude={"forbidden"})
        if any(name in f"{turn.question} {turn.gold_answer} {turn.source_entities} {expect}" for name in names):
            return True
    return False


def test_a_new_entity_makes_stale_only_what_counts_or_lists_its_kind_now(folder: Path) -> None:
    asked, data = suite(), feature_store()
    data["entities"].append({**entity_of(data, "CHURN_SCORE"), "entity_name": "RETURNS", "valid_from": "2025-06-01",
                             "attributes": {}, "description": "RETURNS is the share of orders sent back."})  # fmt: skip
    write(folder, "store.json", data)
    found = stale(folder, asked)
    assert kinds_of(asked, found) == {"kept_date", "added_in"}
    assert len(found) < 0.15 * len(asked.scenarios)
    assert all(asks_about(s, "FEATURE", "feature") for s in asked.scenarios if s.id in found)


@pytest.mark.parametrize("name", ["AVG_BASKET", "N_ORDERS", "CHURN_SCORE", "DELIVERY_DELAY", "deliveries table"])
def test_removing_an_entity_makes_stale_all_that_asks_about_it_and_nothing_else(folder: Path, name: str) -> None:
    asked, data = suite(), feature_store()
    gone = {name}
    data["entities"] = [e for e in data["entities"] if e["entity_name"] not in gone]
    data["relationships"] = [r for r in data["relationships"] if not gone & {r["src_id"], r["tgt_id"]}]
    write(folder, "store.json", data)
    expected = {s.id for s in asked.scenarios if asks_about(s, name)}
    assert set(stale(folder, asked)) == expected


def test_a_later_start_or_another_value_makes_stale_what_rests_on_it(folder: Path) -> None:
    asked, data = suite(), feature_store()
    entity_of(data, "N_ORDERS")["attributes"]["last_refreshed"] = "2024-07-01"
    write(folder, "store.json", data)
    found = stale(folder, asked)
    assert kinds_of(asked, found) == {"freshness", "freshness_after"}
    assert all(texts == ["dates: 2024-06-28 (day_first any) -> 2024-07-01 (day_first any)"] for texts in found.values())
    data = feature_store()
    entity_of(data, "CHURN_SCORE")["valid_from"] = "2024-06-02"
    write(folder, "store.json", data)
    found = stale(folder, asked)
    assert "not_yet" in kinds_of(asked, found)
    assert all(asks_about(s, "CHURN_SCORE") for s in asked.scenarios if s.id in found)


def test_removing_a_relationship_makes_stale_just_the_walks_over_it(folder: Path) -> None:
    asked, data = suite(), feature_store()
    data["relationships"].pop()
    write(folder, "store.json", data)
    found = stale(folder, asked)
    assert kinds_of(asked, found) <= {"neighbours_after", "neighbours_after_name", "object_walk", "object_walk_name"}
    assert found
    assert all(asks_about(s, "DELIVERY_DELAY", "deliveries table") for s in asked.scenarios if s.id in found)


# --- times ------------------------------------------------------------------------------------------------------------


def test_days_lie_between_changes_and_before_is_before_all_of_them(folder: Path) -> None:
    found = view(folder)
    assert days(found) == ("2024-01-11", "2024-05-03")
    assert before(found) == "2024-01-09"
    assert [len(view_at(found, day).catalog.entities) for day in ("2024-01-09", "2024-01-11", "2024-05-03")] == [
        0,
        4,
        5,
    ]
    assert len(now(found).catalog.entities) == 7


def test_a_graph_without_history_is_asked_nothing_about_time(tmp_path: Path) -> None:
    write(tmp_path, "store.json", tiny())
    found = view(tmp_path)
    assert (days(found), before(found), now(found)) == ((), None, found)
    asked = made_of(found.catalog, categories=("temporal",))
    assert asked.scenarios == []
    assert "nothing in the graph says since when it holds" in json.dumps(asked.meta["coverage"])


def test_what_may_end_after_the_last_change_is_not_asked_of_now(folder: Path) -> None:
    data = feature_store()
    entity_of(data, "N_ORDERS")["valid_to"] = "2030-01-01"
    write(folder, "store.json", data)
    asked = made_of(view(folder).catalog)
    assert not any(asks_about(s, "What is N_ORDERS?") for s in asked.scenarios)
    assert "kept_date" not in {s.template_id for s in asked.scenarios if asks_about(s, "features")}


@pytest.mark.parametrize(
    ("day", "lang", "words"),
    [
        ("2024-03-01", "en", "on 1 March 2024"),
        ("2024-03-01", "fr", "le 1er mars 2024"),
        ("2024-08-12", "fr", "le 12 août 2024"),
    ],
)
def test_days_in_words(day: str, lang: str, words: str) -> None:
    assert day_words(day, lang) == words
