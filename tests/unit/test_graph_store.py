from __future__ import annotations

import gc
import itertools
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import Entity, Part, Relationship
from pytest_graph_eval.graph.retrieval import store as store_module
from pytest_graph_eval.graph.retrieval.store import Kind, Store
from pytest_graph_eval.graph.retrieval.words import fold
from tests.unit.graph_samples import harbour


def chain(length: int) -> Catalog:
    """A path of entities: n0 - n1 - n2 ..."""
    names = [f"n{n:03}" for n in range(length)]
    edges = [Relationship(a, b, "NEXT") for a, b in itertools.pairwise(names)]
    return Catalog.from_parts([Part("x", tuple(map(Entity, names)), tuple(edges))])


def found(store: Store, text: str, kind: Kind = Kind.ENTITY, limit: int = 10) -> list[str]:
    items: Any = {
        Kind.ENTITY: store.catalog.entities,
        Kind.RELATIONSHIP: store.catalog.relationships,
        Kind.CHUNK: store.catalog.chunks,
    }[kind]
    return [
        getattr(items[place], "name", getattr(items[place], "id", "")) for place in store.find(fold(text), kind, limit)
    ]


def test_entities_are_found_by_name_alias_type_and_description() -> None:
    entity = Entity("Ernst & Young LLP", "COMPANY", "The auditor.", aliases=("EY",))
    store = Store(Catalog.from_parts([Part("x", (entity, Entity("Other", "PLACE", "Else.")))]))
    for text in ("young", "EY", "company", "auditors"):
        assert found(store, text) == ["Ernst & Young LLP"]


def test_a_word_in_a_name_ranks_above_one_in_a_text(tmp_path: Path) -> None:
    store = Store(harbour(tmp_path))
    assert found(store, "Bergen")[0] in ("Bergen", "Bergen-Stavanger route")
    assert len(found(store, "Bergen", limit=1)) == 1


def test_relationships_are_found_by_their_ends_and_chunks_by_their_text(tmp_path: Path) -> None:
    store = Store(harbour(tmp_path))
    edges = [store.catalog.relationships[n] for n in store.find(fold("Oslo"), Kind.RELATIONSHIP, 5)]
    assert [(edge.source, edge.target) for edge in edges] == [("Solberg Group", "Oslo")]
    assert found(store, "Haugesund", Kind.CHUNK) == ["ferries::c7"]


def test_scripts_without_spaces_are_searched_by_parts(tmp_path: Path) -> None:
    store = Store(harbour(tmp_path))
    assert found(store, "社長", Kind.CHUNK) == ["ferries::c9"]
    assert found(store, "東京フェリー")[0] == "東京フェリー"


@pytest.mark.parametrize("text", ['"', 'a" OR "b', "name : x", "NEAR(a b)", "a*", "-a", "(", "^a", "{a b} : c", "AND"])
def test_operators_of_the_full_text_language_are_plain_words(tmp_path: Path, text: str) -> None:
    store = Store(harbour(tmp_path))
    for word in (text, *fold(text)):
        assert isinstance(store.find([word], Kind.ENTITY, 5), list)


def test_words_with_marks_stay_whole_in_the_index() -> None:
    store = Store(Catalog.from_parts([Part("x", (Entity("AT&T"), Entity("C++"), Entity("14.7"), Entity("14")))]))
    assert [found(store, text) for text in ("AT&T", "C++", "14.7")] == [["AT&T"], ["C++"], ["14.7"]]


def test_unknown_words_find_nothing_and_have_no_frequency(tmp_path: Path) -> None:
    store = Store(harbour(tmp_path))
    assert store.find(["tungsten"], Kind.ENTITY, 5) == store.find([], Kind.ENTITY, 5) == []
    assert store.frequency("tungsten") == 0
    assert store.rarity("tungsten") == 1
    assert store.frequency("astrid") == 3
    assert store.rarity("astrid") < 1


def test_neighbours_are_reached_in_so_many_hops() -> None:
    store = Store(chain(10))
    assert [store.edges_near([0], hops) for hops in (0, 1, 2, 3)] == [[], [0], [0, 1], [0, 1, 2]]
    assert store.edges_near([5], 1) == [4, 5]
    assert store.edges_near([], 2) == []


def test_the_neighbourhood_of_a_hub_is_bounded() -> None:
    spokes = tuple(Entity(f"s{n}") for n in range(300))
    edges = tuple(Relationship("hub", spoke.name) for spoke in spokes)
    store = Store(Catalog.from_parts([Part("x", (Entity("hub"), *spokes), edges)]))
    assert len(store.edges_near([0], 3, limit=100)) == 100


def test_a_relationship_tells_itself_only_what_the_names_of_its_ends_do_not() -> None:
    edge = Relationship("Sam's Club", "Kathryn McLay", "EMPLOYS", "Kathryn McLay leads Sam's Club.", "EMPLOYS,role=CEO")
    store = Store(Catalog.from_parts([Part("x", (Entity("Sam's Club"), Entity("Kathryn McLay")), (edge,))]))
    assert store.edge_words(0) == {"emploi", "rol", "ceo", "lead"}
    assert store.ends(0) == (1, 0)


def test_legal_forms_and_years_are_known_in_names() -> None:
    catalog = Catalog.from_parts(
        [Part("x", (Entity("WALMART INC", aliases=("Inc", "Walmart Company")), Entity("NET SALES FY2023")))]
    )
    sales, walmart = (Store(catalog).entity_words(place) for place in (0, 1))
    assert [name.words for name in walmart.names] == [("walmart",), ("inc",), ("walmart",)]
    assert (sales.names[0].years, sales.years) == ({"fy2023"}, {"2023"})


def test_remembered_words_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_REMEMBERED", 3)
    store = Store(chain(10))
    words = [store.entity_words(place) for place in range(10)]
    assert [store.entity_words(place) for place in range(10)] == words
    assert len(store._entity_words) <= 3


def test_common_words_are_read_only_beside_rare_ones_in_a_large_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_ROWS_READ", 5)
    entities = [Entity(f"ferry {n}", description="common words") for n in range(20)]
    store = Store(Catalog.from_parts([Part("x", (*entities, Entity("rare", description="common words")))]))
    assert found(store, "common rare") == ["rare"]
    assert len(found(store, "common", limit=50)) == 21


def test_one_store_is_used_from_many_threads(tmp_path: Path) -> None:
    store = Store(harbour(tmp_path))
    expected = store.find(fold("Nordsund Lines passengers"), Kind.ENTITY, 10)
    results: list[list[int]] = []

    def work() -> None:
        results.extend(store.find(fold("Nordsund Lines passengers"), Kind.ENTITY, 10) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 160


@pytest.mark.filterwarnings("error::ResourceWarning")
def test_a_store_that_is_dropped_closes_its_database() -> None:
    store = Store(chain(2))
    database = store._database
    del store
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        database.execute("SELECT 1")


def test_without_fts5_the_message_says_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_SCHEMA", store_module._SCHEMA.replace("fts5(", "no_such_module("))
    with pytest.raises(UsageError, match=r"cannot index texts: no such module.*the embedded graph needs FTS5"):
        Store(chain(1))


def test_a_rare_word_outranks_common_ones_however_many_rows_have_them() -> None:
    entities = tuple(Entity(f"Estate {chr(97 + n // 26)}{chr(97 + n % 26)}x", "", "A winery.") for n in range(300))
    store = Store(Catalog.from_parts([Part("x", entities)]))
    for place in (0, 150, 299):
        assert store.find(["estat", entities[place].name.split()[1], "wineri"], Kind.ENTITY, 5)[0] == place
