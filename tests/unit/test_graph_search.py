from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import Chunk, Entity, Part, Relationship
from pytest_graph_eval.graph.retrieval.search import MODES, Retrieved, search
from pytest_graph_eval.graph.retrieval.store import Store
from tests.unit.graph_samples import harbour


@pytest.fixture(scope="module")
def ferries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(harbour(tmp_path_factory.mktemp("ferries")))
    yield store
    store.close()


def names(found: Retrieved) -> list[str]:
    return [entity.name for entity in found.entities]


def is_empty(found: Retrieved) -> bool:
    return not (found.entities or found.relationships or found.chunks or found.documents)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who commands MS Aurora?", {"Jonas Weber", "MS Aurora"}),
        ("Who is the captain of MS Polaris?", {"Mei Tanaka", "MS Polaris"}),
        ("Who founded Nordsund Lines?", {"Astrid Holm", "Nordsund Lines"}),
        ("How many passengers did Nordsund Lines carry in 2023?", {"Passengers 2023", "Nordsund Lines"}),
        ("Who leads the Solberg Group?", {"Ingrid Solberg", "Solberg Group"}),
        ("Where is Nordsund Lines headquartered?", {"Bergen", "Nordsund Lines"}),
        ("Which vessels serve the Bergen-Stavanger route?", {"MS Aurora", "MS Polaris", "Bergen-Stavanger route"}),
        ("Qui dirige Nordsund France ?", {"Luc Martin", "Nordsund France"}),
        ("東京フェリーの社長は誰ですか", {"東京フェリー", "田中美咲"}),
    ],
)
def test_kg_finds_what_is_named_and_what_is_asked_beside_it(ferries: Store, question: str, expected: set[str]) -> None:
    found = search(ferries, question, "kg")
    assert set(names(found)) == expected
    assert found.relationships
    assert found.mode == "kg"


@pytest.mark.parametrize(
    ("question", "chain"),
    [
        (
            "Who chairs the group that owns the shipyard that built MS Aurora?",
            {"MS Aurora", "Fjordverft", "Solberg Group", "Ingrid Solberg"},
        ),
        ("Who commands the ship that Fjordverft built?", {"Fjordverft", "MS Aurora", "Jonas Weber"}),
        ("Who commands the vessel that had an engine failure?", {"MS Polaris", "Mei Tanaka"}),
        ("Where is the seat of the owner of Fjordverft?", {"Fjordverft", "Solberg Group", "Oslo"}),
        (
            "Qui est le directeur de la filiale française de Nordsund Lines ?",
            {"Nordsund Lines", "Nordsund France", "Luc Martin"},
        ),
    ],
)
def test_hybrid_walks_chains_of_relationships(ferries: Store, question: str, chain: set[str]) -> None:
    found = search(ferries, question, "hybrid")
    assert chain <= set(names(found))
    assert len(found.entities) <= len(chain) + 1


def test_relationships_that_tell_nothing_of_the_question_stay_out() -> None:
    shop, sales, costs, firm = Entity("Shop"), Entity("Shop sales"), Entity("Shop costs"), Entity("Firm")
    edges = (
        Relationship("Shop", "Shop sales", "REPORTED", "The shop reported 5."),
        Relationship("Shop", "Shop costs", "REPORTED", "The shop reported 7."),
        Relationship("Firm", "Shop", "OWNS", "The firm owns it."),
    )
    store = Store(Catalog.from_parts([Part("x", (shop, sales, costs, firm), edges)]))
    found = search(store, "What were shop sales?")
    assert names(found) == ["Shop sales"]
    assert [edge.description for edge in found.relationships] == ["The shop reported 5."]


def test_global_puts_the_comparing_relationship_first(ferries: Store) -> None:
    found = search(ferries, "How did the number of passengers change from 2022 to 2023?", "global")
    assert set(names(found)) == {"Passengers 2022", "Passengers 2023"}
    assert found.relationships[0].keywords == "comparison"
    assert [chunk.id for chunk in found.chunks] == ["ferries::c4"]


def test_global_brings_both_sides_of_a_comparison_that_no_relationship_states(ferries: Store) -> None:
    assert {"MS Aurora", "MS Polaris"} <= set(names(search(ferries, "Compare MS Aurora and MS Polaris.", "global")))
    two = Catalog.from_parts([Part("x", (Entity("Oslo", description="A city."), Entity("Bergen")))])
    assert set(names(search(Store(two), "Compare Oslo with Bergen", "global"))) == {"Oslo", "Bergen"}


def test_only_hybrid_finds_chunks_by_their_own_text() -> None:
    part = Part("x", (Entity("Oslo"),), (), (Chunk("c", "Oslo: the harbour froze over."),))
    store = Store(Catalog.from_parts([part]))
    assert [len(search(store, "Oslo harbour froze", mode).chunks) for mode in MODES] == [0, 1, 0]


def test_where_no_name_or_description_says_anything_the_text_answers_in_every_mode() -> None:
    store = Store(Catalog.from_parts([Part("x", (Entity("Oslo"),), (), (Chunk("c", "The harbour froze over."),))]))
    for mode in MODES:
        found = search(store, "When did the harbour freeze?", mode)
        assert ([c.id for c in found.chunks], found.entities) == (["c"], ())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "question",
    [
        "What is the boiling point of tungsten?",
        "Who commands the Titanic?",
        "Who founded Maersk?",
        "How many passengers did Stena Line carry in 2023?",
        "大阪の天気はどうですか",
        "Quelle est la capitale de la France ?",
        "What were Walmart's net sales in FY2023?",
        "Who is the president of Brazil?",
    ],
)
def test_what_the_graph_is_not_about_brings_no_evidence(ferries: Store, question: str, mode: str) -> None:
    assert is_empty(search(ferries, question, mode))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "question",
    [
        "", " ", "?", "!!! ... ???", '"', "'; DROP TABLE link; --", "NEAR(a, b)", "a AND", "* OR *", "name:x", "\x00",
        "\ud800", "Oslo\ud800x", "🙂", "\u202e", "the of and", "a" * 1_000_000, "Nordsund " * 100_000, "東" * 50_000,
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_any_question_is_answered(ferries: Store, question: str, mode: str) -> None:
    assert isinstance(search(ferries, question, mode), Retrieved)


def test_an_empty_graph_has_no_evidence() -> None:
    store = Store(Catalog())
    for mode in MODES:
        assert is_empty(search(store, "Who commands MS Aurora?", mode))


def test_an_unknown_mode_is_refused_with_the_known_ones(ferries: Store) -> None:
    with pytest.raises(UsageError, match="unknown mode 'mix'; the modes are kg, hybrid, global"):
        search(ferries, "x", "mix")


def test_top_k_cuts_after_the_ranking(ferries: Store) -> None:
    question = "Which vessels serve the Bergen-Stavanger route?"
    all_of_it = search(ferries, question, "hybrid", top_k=50)
    for size in (1, 2, 3):
        cut = search(ferries, question, "hybrid", top_k=size)
        assert cut.entities == all_of_it.entities[:size]
        assert cut.relationships == all_of_it.relationships[:size]
        assert len(cut.chunks) <= size


def test_equal_scores_stand_in_the_order_of_names() -> None:
    part = Part("x", tuple(Entity(name, "CITY", "A port.") for name in ("Oslo", "Bergen", "Arendal")))
    assert names(search(Store(Catalog.from_parts([part])), "Which port?")) == ["Arendal", "Bergen", "Oslo"]


def test_the_longest_name_takes_its_words() -> None:
    part = Part("x", (Entity("Net Sales"), Entity("Grocery Net Sales"), Entity("Grocery Net Sales Growth Plan")))
    store = Store(Catalog.from_parts([part]))
    assert names(search(store, "What were grocery net sales?")) == ["Grocery Net Sales"]
    assert names(search(store, "What were net sales?")) == ["Net Sales"]


def test_two_entities_of_one_name_are_both_meant() -> None:
    part = Part("x", (Entity("Mercury Inc", "COMPANY"), Entity("Mercury", "PLANET")))
    assert set(names(search(Store(Catalog.from_parts([part])), "What is Mercury?"))) == {"Mercury", "Mercury Inc"}


def test_an_entity_is_found_by_its_alias() -> None:
    part = Part("x", (Entity("Ernst & Young", aliases=("EY",)), Entity("Other")))
    assert names(search(Store(Catalog.from_parts([part])), "What does EY do?")) == ["Ernst & Young"]


def test_a_name_that_is_a_stop_word_is_found_when_written_in_capitals() -> None:
    part = Part("x", (Entity("WHO", "ORGANIZATION", "A health agency."), Entity("Other", description="Else.")))
    store = Store(Catalog.from_parts([part]))
    assert names(search(store, "What does the WHO do?")) == ["WHO"]
    assert is_empty(search(store, "What does who do?"))


@pytest.mark.parametrize(("asked", "expected"), [("FY2023", "Sales FY2023"), ("2022", "Sales FY2022")])
def test_years_must_agree(asked: str, expected: str) -> None:
    part = Part("x", (Entity("Sales FY2022"), Entity("Sales FY2023"), Entity("Costs FY2023")))
    assert names(search(Store(Catalog.from_parts([part])), f"What were sales in {asked}?")) == [expected]


def test_without_a_year_all_years_are_meant() -> None:
    part = Part("x", (Entity("Sales FY2022"), Entity("Sales FY2023")))
    assert names(search(Store(Catalog.from_parts([part])), "What were sales?")) == ["Sales FY2022", "Sales FY2023"]


def test_a_single_word_means_a_longer_name_only_when_written_as_a_name() -> None:
    people = (Entity("Doug Miller", "PERSON", "Doug Miller bakes."), Entity("Ann Baker", "PERSON", "Ann Baker sings."))
    store = Store(Catalog.from_parts([Part("x", people)]))
    assert names(search(store, "What does Miller do?"))[0] == "Doug Miller"


def test_searching_changes_nothing(ferries: Store) -> None:
    catalog = ferries.catalog
    before = (catalog.entities, catalog.relationships, catalog.chunks)
    copies = tuple(replace(entity) for entity in catalog.entities)
    for mode in MODES:
        search(ferries, "Who commands MS Aurora?", mode)
    assert (catalog.entities, catalog.relationships, catalog.chunks) == before
    assert catalog.entities == copies


def test_documents_are_those_of_the_chunks(ferries: Store) -> None:
    found = search(ferries, "Who commands MS Aurora?")
    assert [document.file for document in found.documents] == ["ferries.md"]


def test_a_source_that_no_chunk_has_is_passed_over() -> None:
    part = Part("x", (Entity("Oslo", sources=("gone",)), Entity("Bergen")), (Relationship("Oslo", "Bergen", "NEAR"),))
    assert names(search(Store(Catalog.from_parts([part])), "What is Oslo?")) == ["Oslo"]
