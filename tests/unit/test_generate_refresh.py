"""Facts that changed since a suite was generated: which scenarios are stale, what is told, and what refreshing does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.evaluation.evaluate import Context, new_record
from pytest_graph_eval.generate.drafts import Ask, Draft, Spec, Unanswerable, digest_of
from pytest_graph_eval.generate.kinds import table as kinds
from pytest_graph_eval.generate.kinds.kind import Kind
from pytest_graph_eval.generate.library import generate
from pytest_graph_eval.generate.refresh import compared
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import Entity, Part
from pytest_graph_eval.library import with_current_facts
from pytest_graph_eval.loader import LoadedScenario, prepare_suite
from pytest_graph_eval.models.conversations import joined
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import Scenario, fingerprint
from tests.unit.graph_samples import edge, entity, write

WALMART = Path(__file__).parents[2] / "example_suites/walmart/walmart_extraction.json"


def says(view: View, spec: Spec) -> Draft:
    """Ask what an entity is: its description is the answer, its attributes are facts beside it."""
    entity = view.entity(spec["entity"])
    if entity is None:
        raise Unanswerable("it is gone")
    if entity.description == "broken":
        raise RuntimeError("a fault of ours")
    told = {key: str(value) for key, value in entity.attributes.items()}
    expect = {"contains": told["color"]} if "color" in told else {}
    expect |= {"excludes": told["not"]} if "not" in told else {}
    one = Ask(f"What is {entity.name}?", entity.description or None, expect, (entity.name,))
    two = Ask("And its color?", None, expect or {"names": [entity.name]})
    facts = {("says", entity.name, entity.description), *(("has", key, value) for key, value in told.items())}
    return Draft((one, two) if spec["turns"] == "2" else (one,), frozenset(facts))


@pytest.fixture(autouse=True)
def toy_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = Kind("says", "definition", "easy", "nothing", lambda _: (), says, ("entity", "turns"))
    monkeypatch.setitem(kinds.KINDS, "says", kind)  # type: ignore[arg-type]  # a dict, shown as a mapping


def graph(description: str | None = "a ferry", **attributes: str) -> View:
    entities = [Entity("Other", "SHIP", "another")]
    entities += [Entity("Aurora", "SHIP", description, attributes=attributes)] if description is not None else []
    return View(Catalog.from_parts([Part("x", tuple(entities))]))


def generated(turns: int = 1, view: View | None = None, **more: Any) -> LoadedScenario:
    """Return the scenario that the first graph makes."""
    spec = {"kind": "says", "entity": "Aurora", "turns": str(turns)}
    draft = kinds.rebuild(view or graph(), spec)
    assert draft is not None
    asks = [
        {"question": a.question, "gold_answer": a.gold_answer, "source_entities": list(a.source_entities),
         "expect": a.expect} for a in draft.asks
    ]  # fmt: skip
    data = asks[0] if turns == 1 else {"turns": asks}
    return LoadedScenario(Scenario(id="a", **data, fact_spec=spec | {"digest": digest_of(draft.used)}, **more))


def look(
    loaded: LoadedScenario, view: View, *, refresh: bool = False, inherited: Expect | None = None
) -> LoadedScenario:
    return compared(loaded, view, inherited or Expect(), refresh=refresh)


def test_what_the_graph_still_says_is_not_stale_whatever_else_is_new_in_it() -> None:
    grown = View(Catalog.from_parts([Part("x", (*graph().catalog.entities, Entity("Polaris", "SHIP", "a new one")))]))
    for refresh in (False, True):
        found = look(generated(), grown, refresh=refresh)
        assert found.freshness == ({"stale": []},)
        assert found.scenario == generated().scenario


def test_checking_tells_old_and_new_and_leaves_the_scenario() -> None:
    found = look(generated(), graph("a tanker", color="red"))
    assert found.freshness == ({"stale": ["gold_answer: a ferry -> a tanker", "contains: nothing -> red"]},)
    assert fingerprint(found.scenario) == fingerprint(generated().scenario)


def test_refreshing_expects_what_the_graph_says_now() -> None:
    found = look(generated(), graph("a tanker", color="red"), refresh=True)
    changes = ["gold_answer: a ferry -> a tanker", "contains: nothing -> red"]
    assert found.freshness == ({"stale": [], "refreshed": changes},)
    assert found.scenario.gold_answer == "a tanker"
    assert [c.text for c in found.scenario.expect.contains or ()] == ["red"]
    assert fingerprint(found.scenario) != fingerprint(generated().scenario)


@pytest.mark.parametrize("refresh", [False, True])
def test_what_the_graph_no_longer_answers_stays_as_it_was_and_is_stale(refresh: bool) -> None:
    found = look(generated(), graph(None), refresh=refresh)
    expected = "a ferry -> nothing: the graph no longer answers it, or no longer with one answer"
    assert found.freshness == ({"stale": [expected]},)
    assert found.scenario == generated().scenario


def test_empty_facts_never_take_the_place_of_good_ones() -> None:
    found = look(generated(), graph(""), refresh=True)
    assert found.freshness == (
        {"stale": ["gold_answer: a ferry -> nothing", "kept as it was: no expected fact would be left"]},
    )
    assert found.scenario.gold_answer == "a ferry"


def test_facts_that_contradict_each_other_do_not_either() -> None:
    found = look(generated(), graph("a tanker", color="red", **{"not": "red"}), refresh=True)
    (facts,) = found.freshness
    assert facts["stale"][-1] == "kept as it was: 'red' is both required and excluded; keep one"
    assert found.scenario.gold_answer == "a ferry"


def test_facts_behind_a_question_may_change_without_changing_the_answer() -> None:
    found = look(generated(), graph(note="seen twice"))
    assert found.freshness == ({"stale": ["the facts behind it changed, though not what is expected"]},)


def test_what_people_added_stays_where_it_is_no_fact() -> None:
    added = {"scores": {"AP": 0.5}, "budget": {"seconds": 3}, "intent": ["CHAT"]}
    loaded = generated(pass_score=0.7, tags=["mine"])
    own = Expect.model_validate({**added, "denial": False, "excludes": "Titanic"})
    loaded = LoadedScenario(loaded.scenario.model_copy(update={"expect": own}))
    found = look(loaded, graph("a tanker"), refresh=True, inherited=Expect(denial=False))
    assert found.freshness[0]["refreshed"] == ["gold_answer: a ferry -> a tanker", "excludes: Titanic -> nothing"]
    assert found.scenario.expect == Expect.model_validate({**added, "denial": False})
    assert (found.scenario.pass_score, found.scenario.tags) == (0.7, ["mine"])


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"kind": "freshness", "feature": "X"}, "its fact_spec has no digest: another project made it"),
        ({"kind": "says2", "digest": "0"}, "its fact_spec is of a kind that this version does not build: says2"),
        ({"kind": ["says"], "digest": "0"}, "its fact_spec is of a kind that this version does not build: ['says']"),
        ({"kind": "says", "entity": "Aurora", "turns": "2", "digest": "0"},
         "its fact_spec (says) makes 2 questions, and it has 1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("refresh", [False, True])
def test_what_cannot_be_compared_is_unknown_and_not_fresh(spec: Mapping[str, Any], why: str, refresh: bool) -> None:
    loaded = LoadedScenario(generated().scenario.model_copy(update={"fact_spec": spec}))
    found = look(loaded, graph("a tanker"), refresh=refresh)
    assert found.freshness == ({"unchecked": [why]},)
    assert found.scenario == loaded.scenario


def test_a_recipe_that_breaks_costs_no_run() -> None:
    (facts,) = look(generated(), graph("broken")).freshness
    assert facts == {"unchecked": ["its fact_spec (says) cannot be built: RuntimeError: a fault of ours"]}


def test_a_recipe_without_its_arguments_is_no_longer_answered() -> None:
    loaded = LoadedScenario(generated().scenario.model_copy(update={"fact_spec": {"kind": "says", "digest": "0"}}))
    assert "no longer answers it" in look(loaded, graph()).freshness[0]["stale"][0]


def test_each_turn_of_a_conversation_tells_its_own_change() -> None:
    loaded = generated(2)
    found = look(loaded, graph("a tanker", color="red"), refresh=True)
    assert [facts["refreshed"] for facts in found.freshness] == [
        ["gold_answer: a ferry -> a tanker", "contains: nothing -> red"],
        ["names: Aurora -> nothing", "contains: nothing -> red"],
    ]
    assert found.scenario.turns is not None
    assert [t.expect.contains is not None for t in found.scenario.turns] == [True, True]


def test_turns_may_have_recipes_of_their_own() -> None:
    own = generated().scenario
    kept = {"question": "Aurora?", "gold_answer": "a ferry", "fact_spec": own.fact_spec}
    talk = Scenario(id="t", turns=[{"question": "Hello", "expect": {"denial": False}}, kept])  # type: ignore[call-arg, list-item]
    found = look(LoadedScenario(talk), graph("a tanker"), refresh=True)
    assert found.freshness[0] == {}
    assert found.freshness[1]["refreshed"] == ["gold_answer: a ferry -> a tanker", "source_entities: nothing -> Aurora"]
    assert found.scenario.turns is not None
    assert [t.gold_answer for t in found.scenario.turns] == [None, "a tanker"]


def record_of(loaded: LoadedScenario) -> Record:
    return new_record(loaded.scenario, Context(freshness=loaded.freshness))


def test_a_record_says_so_even_where_nothing_was_measured() -> None:
    assert record_of(look(generated(), graph("a tanker"))).facts == {"stale": ["gold_answer: a ferry -> a tanker"]}
    assert record_of(look(generated(), graph())).facts == {"stale": []}
    assert record_of(generated()).facts == {}


def test_the_record_of_a_conversation_names_the_turns() -> None:
    found = look(generated(2), graph("a tanker"))
    expected = ["turn 1: gold_answer: a ferry -> a tanker"]
    assert record_of(found).facts == {"stale": expected}
    turns = [Record(id="a", status="PASS", facts=dict(facts)) for facts in found.freshness]
    assert joined(Record(id="a"), turns).facts == {"stale": expected}


def test_of_a_real_suite_one_new_entity_makes_stale_what_counts_its_kind_alone(tmp_path: Path) -> None:
    data = json.loads(WALMART.read_text("utf-8"))
    write(tmp_path, "w.json", data)
    made = generate(tmp_path / "w.json", folder=tmp_path, target={"kind": "python", "call": "a:b"}, per_category=6)
    assert len(made.scenarios) > 50

    def stale() -> dict[str, list[str]]:
        loaded = with_current_facts(prepare_suite(made, folder=tmp_path, targets={}), "check")
        told = {s.scenario.id: [t for facts in s.freshness for t in facts["stale"]] for s in loaded.scenarios}
        return {id_: texts for id_, texts in told.items() if texts}

    assert stale() == {}
    first = data["entities"][0]["entity_name"]
    new = entity("ZEBRA LANE", "PERSON", "Zebra Lane is a gardener in Oslo.", data["chunks"][0]["chunk_id"])
    data["entities"].append(new)
    data["relationships"].append(edge("ZEBRA LANE", first, "KNOWS", "They met.", new["source_id"]))
    write(tmp_path, "w.json", data)
    ((id_, texts),) = stale().items()
    assert id_.startswith("summary-person-")
    assert texts == ["gold_answer: 8 -> 9", "counts: people 8 (nouns people person) -> people 9 (nouns people person)"]
