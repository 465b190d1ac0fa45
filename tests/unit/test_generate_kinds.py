"""What each kind of scenario asks, and what it does not ask because the graph has no answer, or several."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pytest_graph_eval.generate.drafts import Draft
from pytest_graph_eval.generate.figures import split_period
from pytest_graph_eval.generate.kinds.table import KINDS
from pytest_graph_eval.generate.relations import phrase
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.generate.wording import base_form, plural, possessive, put
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import Chunk, Entity, Part, Relationship


def entity(name: str, type_: str, description: str = "", *, at: str = "", **more: Any) -> Entity:
    return Entity(name, type_, description, sources=(at,) if at else (), **more)


def figure(name: str, value: str, *, at: str = "", type_: str = "METRIC") -> Entity:
    return entity(name, type_, f"{split_period(name)[0]} came to {value}.", at=at)  # type: ignore[index]  # it has one


def edge(source: str, relation: str, target: str, description: str = "", **more: Any) -> Relationship:
    return Relationship(source, target, relation, description, **more)


def view(*items: Entity | Relationship | Chunk) -> View:
    def of(kind: type) -> tuple[Any, ...]:
        return tuple(item for item in items if isinstance(item, kind))

    return View(Catalog.from_parts([Part("f", of(Entity), of(Relationship), of(Chunk))]))


def built(kind: str, graph: View, **more: str) -> list[Draft]:
    """Return all that a kind makes of a graph."""
    drafts = (KINDS[kind].build(graph, {**spec, **more}) for spec in KINDS[kind].specs(graph))
    return [draft for draft in drafts if draft is not None]


def asked(kind: str, graph: View, **more: str) -> dict[str, str | None]:
    return {draft.asks[0].question: draft.asks[0].gold_answer for draft in built(kind, graph, **more)}


def reasons(kind: str, graph: View) -> set[str]:
    found: Counter[str] = Counter()
    for spec in KINDS[kind].specs(graph):
        KINDS[kind].build(graph, spec, found)
    return set(found)


ACME = entity("Acme", "COMPANY", "Acme is a maker of anvils.")
SALES = (figure("Sales 2023", "$5.1 million"), edge("Acme", "REPORTED_METRIC", "Sales 2023"))
BEFORE = (figure("Sales 2022", "$4.0 million"), edge("Acme", "REPORTED_METRIC", "Sales 2022"))


# --- figures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "metric", "shown"),
    [
        ("NET SALES FY2023", "NET SALES", "FY2023"), ("Q3 2023 Revenue", "Revenue", "Q3 2023"),
        ("Revenue (3Q FY23)", "Revenue", "Q3 FY2023"), ("sales_2023", "sales", "2023"),
        ("Revenue in 2022", "Revenue", "2022"), ("Fiscal year 1998 margin", "margin", "FY1998"),
    ],
)  # fmt: skip
def test_a_period_is_read_out_of_a_name(name: str, metric: str, shown: str) -> None:
    found = split_period(name)
    assert found is not None
    assert (found[0], found[1].shown("en")) == (metric, shown)


@pytest.mark.parametrize("name", ["2023", "Airbus A320", "FY2022 and FY2023 sales", "Area 51", "MS-2020X"])
def test_a_name_with_no_period_or_two_is_no_figure(name: str) -> None:
    assert split_period(name) is None


@pytest.mark.parametrize(
    ("description", "gold"),
    [
        ("Sales were $5.1 million, up from $4.0 million in 2022.", "$5.1 million"),
        ("Sales were $5.1 million, an increase of 27.5%.", "$5.1 million"),
        ("Sales were $5.1 million.\nSales were $5.1 million.", "$5.1 million"),
        ("Sales were $5.1 million.\nSales were $6.2 million.", None),
        ("Sales were between $5 million and $6 million.", None),
        ("Sales were good.", None),
    ],
)
def test_the_amount_of_a_figure_is_the_one_that_is_not_compared_with(description: str, gold: str | None) -> None:
    graph = view(ACME, entity("Sales 2023", "METRIC", description), SALES[1])
    assert asked("metric_retrieval", graph) == ({"What were Acme's sales in 2023?": gold} if gold else {})


def test_several_figures_for_a_period_are_no_answer() -> None:
    graph = view(ACME, SALES[0], edge("Acme", "REPORTED_METRIC", "Sales 2023", "Acme had sales of $5.3 million."))
    assert reasons("metric_retrieval", graph) == {"the graph states several figures for the period"}
    graph = view(ACME, *SALES, entity("SALES FY2023", "METRIC", "Sales were $5.4 million."))
    assert "the graph states several figures for the period" in reasons("metric_retrieval", graph)


def test_a_gold_answer_that_its_chunk_does_not_state_is_none() -> None:
    sales = figure("Sales 2023", "$5.1 million", at="c1")
    for text, found in (("Sales came to $5.1 million.", 1), ("Sales came to $5.9 million.", 0)):
        graph = view(ACME, sales, SALES[1], Chunk("c1", text))
        assert len(built("metric_retrieval", graph)) == found
    assert reasons("metric_retrieval", graph) == {"the source chunk does not state it"}


def test_an_event_in_a_year_is_no_figure() -> None:
    graph = view(entity("Storm 2023", "EVENT", "The storm took 2,000 roofs."), entity("Flu 2023", "X", "Six weeks."))
    assert reasons("metric_retrieval", graph) == {"it is no figure"}


def test_a_segments_figure_is_asked_for_as_one() -> None:
    north = entity("North", "GEOGRAPHIC_SEGMENT", "North is a segment.")
    graph = view(
        ACME, north, figure("North Sales 2023", "$2 million"), edge("North", "REPORTED_METRIC", "North Sales 2023")
    )
    assert asked("segment_performance", graph) == {"What were the sales of North in 2023?": "$2 million"}
    assert built("metric_retrieval", graph) == []


CHANGES = [
    ("Sales rose by $1.1 million (27.5%).", "yoy_comparison", "Increased from $4.0M to $5.1M (+$1.1M, +27.5%)"),
    ("Sales rose.", "yoy_computed", "Increased from $4.0M to $5.1M (+$1.1M, +27.5%)"),
    ("Sales rose.", "yoy_values", "Increased from $4.0M to $5.1M"),
    ("Sales rose by $1.2 million.", "yoy_comparison", "Increased from $4.0M to $5.1M (+$1.2M, +27.5%)"),
]


@pytest.mark.parametrize(("said", "kind", "gold"), CHANGES)
def test_a_change_is_the_stated_one_else_computed(said: str, kind: str, gold: str) -> None:
    graph = view(ACME, *SALES, *BEFORE, edge("Sales 2023", "COMPARED_TO", "Sales 2022", said))
    assert asked(kind, graph) == {"How did Acme's sales change from 2022 to 2023?": gold}
    (draft,) = built(kind, graph)
    assert draft.asks[0].requires_yoy
    assert set(draft.asks[0].source_entities) == {"Sales 2022", "Sales 2023"}


def test_a_change_that_does_not_follow_is_a_contradiction() -> None:
    graph = view(ACME, *SALES, *BEFORE, edge("Sales 2023", "COMPARED_TO", "Sales 2022", "It rose by $3.0 million."))
    assert reasons("yoy_comparison", graph) == {"the change that the graph states does not follow from the two figures"}


def test_percentages_change_by_points() -> None:
    graph = view(figure("Margin 2022", "5.0%"), figure("Margin 2023", "6.5%"))
    assert asked("yoy_computed", graph) == {
        "How did the margin change from 2022 to 2023?": "Increased from 5.0% to 6.5% (+1.5 points)"
    }


def test_different_units_and_equal_years_are_not_compared() -> None:
    graph = view(figure("Load 2022", "$5"), figure("Load 2023", "5.0%"))
    assert reasons("yoy_computed", graph) == {"the two years are not of one owner and unit"}
    graph = view(figure("Load 2022", "5.0%"), figure("Load 2023", "5.0%"))
    assert reasons("yoy_computed", graph) == {"the two years do not differ as they are printed"}


def test_the_largest_of_several_is_asked_for_where_there_is_one() -> None:
    items = [
        item for name, value in (("North", "$2 million"), ("South", "$3 million"))
        for item in (entity(name, "REGION"), figure(f"{name} Sales 2023", value),
                     edge(name, "REPORTED_METRIC", f"{name} Sales 2023"))
    ]  # fmt: skip
    assert asked("aggregation", view(*items)) == {
        "Which region had the highest sales in 2023?": "South ($3 million)",
        "Which region had the lowest sales in 2023?": "North ($2 million)",
    }
    items[1] = figure("North Sales 2023", "$3 million")
    assert reasons("aggregation", view(*items)) == {"several are the first"}


def test_attributes_are_asked_for_by_their_keys() -> None:
    graph = view(entity("Pump 7", "PUMP", attributes={"maxFlow": 63.25, "on": True, "maker": "Acme"}))
    assert asked("attribute", graph) == {"What is the max flow of Pump 7?": "63.25"}


# --- relations --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("relation", "out", "into"),
    [
        ("AUDITED_BY", "By which company is X audited?", "Which company is audited by X?"),
        ("OPERATES_IN", "In which company does X operate?", "Which company operates in X?"),
        ("SUBSIDIARY_OF", "Of which company is X a subsidiary?", "Which company is a subsidiary of X?"),
        ("PART_OF", "Of which company is X part?", "Which company is part of X?"),
        ("SELLS", "Which company does X sell?", "Which company sells X?"),
        ("FOUNDED", "Which company was founded by X?", "Which company founded X?"),
        ("hasOwner", "What is the owner of X?", 'Which company is linked by "has owner" to X?'),
        ("in", "In which company is X?", "Which company is in X?"),
        ("is_led_by", "By which company is X led?", "Which company is led by X?"),
        ("carries", "Which company does X carry?", "Which company carries X?"),
        ("ship yard deal", 'Which company is linked by "ship yard deal" to X?',
         'Which company is linked by "ship yard deal" to X?'),
    ],
)  # fmt: skip
def test_relations_are_put_into_words(relation: str, out: str, into: str) -> None:
    graph = view(entity("X", "COMPANY"), entity("Y", "COMPANY"), edge("X", relation, "Y"))
    (there,), (back,) = list(graph.links("X")), list(graph.links("Y"))
    assert phrase(graph, there, "en").question.replace("{x}", "X") == out
    assert phrase(graph, back, "en").question.replace("{x}", "X") == into


def test_a_relation_whose_word_says_nothing_is_not_asked_for() -> None:
    graph = view(entity("X", "A"), entity("Y", "B"), edge("X", "to", "Y"))
    assert reasons("relation", graph) == {"the relation's word says nothing"}


def test_several_targets_are_no_answer_and_the_way_counts_only_where_the_words_tell_it() -> None:
    one, two = edge("X", "OWNED_BY", "Y"), edge("X", "OWNED_BY", "Z")
    people = (entity("X", "SHIP"), entity("Y", "FIRM"), entity("Z", "FIRM"))
    assert set(asked("relation", view(*people, one, two))) == {"Which ship is owned by Y?", "Which ship is owned by Z?"}
    loose = [edge("X", "deal", "Y", directed=False), edge("Z", "deal", "X", directed=False)]
    assert asked("relation", view(*people, *loose)) == {
        'Which ship is linked by "deal" to Y?': "X", 'Which ship is linked by "deal" to Z?': "X"
    }  # fmt: skip


def test_a_forgotten_direction_is_read_where_the_description_tells_it() -> None:
    told = edge("X", "OWNED_BY", "Y", "Y is owned by X.", directed=False)
    ends = (entity("X", "FIRM"), entity("Y", "SHIP"))
    assert asked("relation", view(*ends, told)) == {"Which ship is owned by X?": "Y", "By which firm is Y owned?": "X"}
    other = edge("X", "OWNED_BY", "Y", "They have a deal.", directed=False)
    assert 'Which ship is linked by "owned by" to X?' in asked("relation", view(*ends, other))


def test_names_that_mean_several_entities_are_not_asked_about() -> None:
    graph = view(
        entity("Mercury (planet)", "PLANET", "Mercury (planet) is the closest to the sun."),
        entity("Mercury (element)", "METAL", "Mercury (element) is liquid in a warm room."),
        entity("Acme Inc", "COMPANY", "Acme Inc is a maker of anvils."),
        entity("ACME", "BRAND", "ACME is a brand of fine anvils."),
        edge("Acme Inc", "OWNS", "Mercury (element)"),
    )
    assert asked("relation", graph) == {}
    assert set(asked("definition", graph)) == {"What is Mercury (planet)?", "What is Mercury (element)?"}
    (draft,) = built("disambiguation", graph)
    assert draft.asks[0].question == "What is Mercury?"
    assert draft.asks[0].expect == {"choice": ["Mercury (element)", "Mercury (planet)"]}


def roles(*extra: Relationship) -> View:
    people = [entity(name, "PERSON", f"{name} works.") for name in ("Ann Lee", "Bo Kim")]
    return view(
        ACME, *people, edge("Acme", "EMPLOYS", "Ann Lee", keywords="EMPLOYS,role=Head of Sales of Acme"), *extra
    )


def test_who_has_a_role_is_read_from_keywords_or_sentences() -> None:
    assert asked("role", roles()) == {"Who is the Head of Sales of Acme?": "Ann Lee"}
    told = roles(edge("Bo Kim", "", "Acme", "Bo Kim is the captain of Acme."))
    assert asked("role", told) == {
        "Who is the Head of Sales of Acme?": "Ann Lee",
        "Who is the captain of Acme?": "Bo Kim",
    }
    french = roles(edge("Bo Kim", "", "Acme", "Bo Kim est le directeur général de Acme."))
    assert asked("role", french, lang="fr")["Qui est le directeur général de Acme ?"] == "Bo Kim"


@pytest.mark.parametrize(
    ("keywords", "why"),
    [
        ("EMPLOYS,role=Head of Sales", "several people have the role"),
        ("EMPLOYS,role=Chief Head of Sales", "several people have the role"),
        ("EMPLOYS,role=Head of Sales,until=2022-06", "the person no longer has the role"),
    ],
)
def test_a_role_of_two_people_or_of_the_past_is_no_answer(keywords: str, why: str) -> None:
    graph = roles(edge("Acme", "EMPLOYS", "Bo Kim", keywords=keywords))
    assert why in reasons("role", graph)
    assert len(asked("role", graph)) == ("no longer" in why)


def test_chains_name_what_is_in_the_middle_by_its_relation() -> None:
    graph = roles()
    more = (entity("Anvil", "PRODUCT"), entity("Reno", "CITY"))
    shop = view(*graph.catalog.entities, *more, *graph.catalog.relationships,
                edge("Acme", "SELLS", "Anvil"), edge("Acme", "LOCATED_IN", "Reno"))  # fmt: skip
    assert asked("role_chain", shop)["Who is the Head of Sales of the company that sells Anvil?"] == "Ann Lee"
    assert asked("chain", shop)["In which city is the company that sells Anvil located?"] == "Reno"
    (draft,) = [d for d in built("chain", shop) if d.asks[0].source_entities == ("Anvil", "Acme", "Reno")]
    assert draft.used == {("edge", "Acme", "SELLS", "Anvil"), ("edge", "Acme", "LOCATED_IN", "Reno")}


def test_edges_without_a_type_are_asked_for_by_their_ends() -> None:
    graph = view(ACME, entity("Reno", "CITY"), edge("Acme", "", "Reno", "Acme has built its forge in Reno since 1990."))
    assert asked("between", graph) == {"How are Acme and Reno related?": "Acme has built its forge in Reno since 1990."}


def test_neighbours_of_one_and_of_two_hops() -> None:
    graph = view(*(entity(n, "T") for n in ("Aa", "Bb", "Cc")), edge("Aa", "R", "Bb"), edge("Bb", "R", "Cc"))
    assert asked("lineage", graph)["What is Bb directly connected to in the graph?"] == "Aa, Cc"
    assert asked("lineage_two_hops", graph)["What can be reached from Aa in exactly two steps in the graph?"] == "Cc"


# --- texts ------------------------------------------------------------------------------------------------------------


def test_a_risk_is_asked_for_by_its_owner_and_kind() -> None:
    risk = entity("FIRE RISK", "RISK_FACTOR", "A fire in the forge could stop the making of anvils for months.")
    graph = view(ACME, risk, edge("Acme", "EXPOSED_TO", "FIRE RISK"))
    assert asked("risk_factor", graph) == {
        "What are Acme's fire risks?": "A fire in the forge could stop the making of anvils for months."
    }
    assert "En quoi consiste le risque « fire » de Acme ?" in asked("risk_factor", graph, lang="fr")


def test_a_search_takes_words_that_no_other_description_has() -> None:
    pumps = [
        entity("P1", "PUMP", "P1 is a pump with ceramic bearings, golden valves and velvet gaskets."),
        entity("P2", "PUMP", "P2 is a pump with ceramic bearings."),
    ]
    assert asked("search", view(*pumps)) == {
        "Which pump is a pump with ceramic bearings, golden valves and velvet gaskets?": "P1"
    }


def test_counts_name_what_is_counted() -> None:
    graph = view(entity("A", "LEGAL_ENTITY"), entity("B", "LEGAL_ENTITY"), ACME)
    assert asked("summary", graph)["How many legal entities does the knowledge graph hold?"] == "2"
    assert reasons("summary", view(entity("A", "LegalEntity"), entity("B", "LEGAL_ENTITY"))) == {
        "the type is not there, or is written in several ways"
    }


def test_what_the_graph_may_be_about_is_not_out_of_scope() -> None:
    graph = view(entity("Tungsten", "METAL", "A metal."), entity("Zoo", "PLACE", "Penguins live there."))
    questions = asked("out_of_scope_evidence", graph)
    assert not any("tungsten" in question or "penguin" in question for question in questions)
    assert len(questions) == 6


@pytest.mark.parametrize("spec", [{}, {"entity": 5}, {"entity": "gone"}])
def test_a_recipe_that_says_too_little_is_no_scenario(spec: dict[str, Any]) -> None:
    for kind in KINDS.values():
        assert kind.build(view(ACME), spec) is None, kind.name


# --- words ------------------------------------------------------------------------------------------------------------


def test_shouted_names_are_written_as_their_texts_write_them() -> None:
    graph = view(
        entity("DOUG McMILLON", "PERSON", "Doug McMillon leads Walmart."),
        entity("WALMART INC", "COMPANY", "Walmart Inc. is a retailer."),
        entity("GROCERY", "LINE", "Grocery is a category.", at="c1"),
        entity("NASA", "AGENCY", "It flies."),
        entity("Solberg Group", "GROUP", "The Solberg Group is a firm."),
        Chunk("c1", "It sells grocery products."),
    )
    shown = {e.name: graph.shown(e.name) for e in graph.catalog.entities}
    assert shown == {"DOUG McMILLON": "Doug McMillon", "WALMART INC": "Walmart", "GROCERY": "grocery", "NASA": "NASA",
                     "Solberg Group": "Solberg Group"}  # fmt: skip
    assert (graph.called("Solberg Group"), graph.called("Solberg Group", "fr")) == (
        "the Solberg Group",
        "Solberg Group",
    )


def test_grammar_of_two_languages() -> None:
    assert [plural(w) for w in ("legal entity", "person", "box", "sales", "day")] == [
        "legal entities", "people", "boxes", "sales", "days"
    ]  # fmt: skip
    assert [possessive(n) for n in ("Walmart", "Nordsund Lines", "Sam's Club")] == [
        "Walmart's", "Nordsund Lines'", "Sam's Club's"
    ]  # fmt: skip
    assert [base_form(v) for v in ("carries", "operates", "reaches", "has")] == ["carry", "operate", "reach", "have"]
    assert put("role", "fr", role="le directeur", owner="le port") == "Qui est le directeur du port ?"
