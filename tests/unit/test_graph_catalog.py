from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from pytest_graph_eval.errors import DataError, UsageError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import Chunk, Document, Entity, Part, Relationship
from tests.unit.graph_samples import chunk, edge, entity, tiny, write


def merged(folder: Path, *files: dict[str, object]) -> Catalog:
    return Catalog.from_files([write(folder, f"{n}.json", data) for n, data in enumerate(files)])


def test_one_name_in_several_files_is_one_entity(tmp_path: Path) -> None:
    other = tiny("e", relationships=[])
    other["entities"][0] |= {"description": "She wrote a program.", "aliases": ["Countess"], "born": 1815}
    other["entities"][1]["entity_type"] = "MACHINE"
    third = tiny("f", relationships=[])
    third["entities"][0]["entity_type"] = "HUMAN"
    ada, _ = merged(tmp_path, tiny(), other, third).entities
    assert ada.type == "PERSON"
    assert ada.description == "Ada Byron was a mathematician.\nShe wrote a program."
    assert ada.sources == ("d::c1", "e::c1", "f::c1")
    assert (ada.aliases, ada.attributes) == (("Countess",), {"born": 1815})


def test_one_edge_is_kept_per_pair_and_type(tmp_path: Path) -> None:
    data = tiny(
        relationships=[
            edge("Ada Byron", "Analytical Engine", "DESCRIBED,year=1843", "one", "c1"),
            edge("Analytical Engine", "Ada Byron", "DESCRIBED,in=notes", "two", "c1"),
            edge("Ada Byron", "Analytical Engine", "PROGRAMMED", "three", "c1"),
        ]
    )
    described, programmed = merged(tmp_path, data).relationships
    assert (described.source, described.target) == ("Ada Byron", "Analytical Engine")
    assert described.description == "one\ntwo"
    assert described.keywords == "DESCRIBED,year=1843,in=notes"
    assert (described.weight, programmed.weight) == (2.0, 1.0)


def test_chunks_of_several_documents_keep_apart_and_stand_in_reading_order(tmp_path: Path) -> None:
    data = tiny("b", chunks=[chunk(2, "late"), chunk(1, "early")], entities=[], relationships=[])
    catalog = merged(tmp_path, data, tiny("a"))
    assert [c.id for c in catalog.chunks] == ["a::c1", "b::c1", "b::c2"]


def test_a_file_named_twice_counts_once(tmp_path: Path) -> None:
    write(tmp_path, "a.json", tiny())
    catalog = Catalog.from_files(["a.json", "./a.json", tmp_path / "a.json"], folder=tmp_path)
    assert catalog.relationships[0].weight == 1.0


def test_one_chunk_id_with_two_texts_is_refused(tmp_path: Path) -> None:
    other = tiny(chunks=[chunk(1, "Something else.")])
    with pytest.raises(
        DataError, match=r"chunk 'd::c1' has another content than in .*0\.json; expected one text per chunk"
    ):
        merged(tmp_path, tiny(), other)
    assert len(merged(tmp_path, tiny(), tiny()).chunks) == 1


def test_problems_of_all_files_come_together(tmp_path: Path) -> None:
    write(tmp_path, "a.json", "{")
    write(tmp_path, "b.json", tiny(entities=[entity("A", "T", "d", "c7")], relationships=[]))
    with pytest.raises(DataError) as caught:
        Catalog.from_files(["b.json", "a.json", "c.json"], ["d.graphml"], folder=tmp_path)
    assert [p.file for p in caught.value.problems] == ["a.json", "b.json", "c.json", "d.graphml"]


def test_a_relationship_without_its_entity_is_refused() -> None:
    part = Part("x", (Entity("A"),), (Relationship("A", "B"),))
    with pytest.raises(DataError, match="x: relationship 'A' to 'B': no entity 'B'"):
        Catalog.from_parts([part])


def test_names_are_those_of_entities_and_their_declared_aliases() -> None:
    part = Part("x", (Entity("Ernst & Young", "COMPANY", aliases=("EY",)), Entity("Asda", "COMPANY")))
    assert Catalog.from_parts([part]).names() == (
        ("Asda", "COMPANY"), ("EY", "COMPANY"), ("Ernst & Young", "COMPANY"),
    )  # fmt: skip


def test_entities_and_chunks_are_found_by_name_and_id() -> None:
    catalog = Catalog.from_parts([Part("x", (Entity("A"),), (), (Chunk("c", "text"),), (Document("d"),))])
    assert catalog.entity("A") == Entity("A")
    assert catalog.chunk("c") == Chunk("c", "text")
    assert catalog.entity("B") is catalog.chunk("B") is None
    assert catalog.counts() == {"entities": 1, "relationships": 0, "chunks": 1, "documents": 1}


def test_a_catalog_is_cheap_to_hash() -> None:
    catalog = Catalog()
    assert hash(catalog) == object.__hash__(catalog)
    assert catalog != Catalog()


@pytest.mark.slow
def test_a_graph_of_many_rows_merges_in_linear_time(tmp_path: Path) -> None:
    names = [f"Entity {n}" for n in range(20_000)]
    data = tiny(
        chunks=[chunk(1, "x")],
        entities=[entity(name, "T", "d", "c1") for name in names],
        relationships=[edge(a, b, "NEXT", "d", "c1") for a, b in itertools.pairwise(names)],
    )
    assert merged(tmp_path, data).counts()["relationships"] == 19_999


def dated(**more: object) -> dict[str, object]:
    """Ada from 1815 to 1852, the engine from a day of 1837; her work on it in 1843."""
    data = tiny(**more)
    data["entities"][0] |= {"valid_from": "1815-12-10", "attributes": {"valid_to": "1852-11-27", "rank": "Countess"}}
    data["entities"][1] |= {"valid_at": 1837, "label": "The Engine", "caveat": "never built"}
    data["relationships"][0] |= {"valid_from": "1843", "valid_to": "1843"}
    return data


def test_valid_times_labels_and_caveats_are_read_and_are_no_attributes(tmp_path: Path) -> None:
    catalog = merged(tmp_path, dated())
    ada, engine = catalog.entities
    assert (ada.valid_from, ada.valid_to, ada.label) == ("1815-12-10", "1852-11-27", "Ada Byron")
    assert ada.attributes == {"rank": "Countess"}
    assert (engine.valid_from, engine.valid_to, engine.label, engine.caveat, engine.attributes) == (
        "1837-01-01", None, "The Engine", "never built", {},
    )  # fmt: skip
    assert (catalog.relationships[0].valid_from, catalog.relationships[0].valid_to) == ("1843-01-01", "1843-12-31")
    assert catalog.first_valid == "1815-12-10"
    assert catalog.change_points == ("1815-12-10", "1837-01-01", "1843-01-01", "1843-12-31", "1852-11-27")
    assert (Catalog().first_valid, Catalog().change_points) == (None, ())


@pytest.mark.parametrize(
    ("instant", "entities", "relationships"),
    [
        ("1815-12-09", 0, 0),
        ("1815-12-10", 1, 0),
        ("1842-12-31T23:59:59Z", 2, 0),
        ("1843-12-31T23:59:59+00:00", 2, 1),
        ("1844-01-01T00:30:00+01:00", 2, 1),
        ("1844-01-01", 2, 0),
        ("1852-11-27T12:00:00", 2, 0),
        ("1852-11-28", 1, 0),
    ],
)
def test_a_graph_is_read_as_it_was_at_an_instant(
    tmp_path: Path, instant: str, entities: int, relationships: int
) -> None:
    then = merged(tmp_path, dated()).at(instant)
    assert (len(then.entities), len(then.relationships)) == (entities, relationships)
    assert len(then.chunks) == len(then.documents) == min(entities, 1)


def test_each_record_of_an_entity_keeps_its_own_time(tmp_path: Path) -> None:
    data = tiny(
        chunks=[chunk(1, "Old."), chunk(2, "New.")],
        entities=[
            entity("Basket", "FEATURE", "Mean of last year.", "c1") | {"valid_from": "2022", "valid_to": "2022"},
            entity("Basket", "FEATURE", "Mean of last month.", "c2") | {"valid_from": "2023-01-01T00:00:00Z"},
            entity("Other", "FEATURE", "Undated.", "c1"),
        ],
        relationships=[
            edge("Basket", "Other", "FEEDS", "fed", "c1") | {"valid_to": "2022"},
            edge("Other", "Basket", "FEEDS", "feeds", "c2") | {"valid_from": "2023"},
        ],
    )
    catalog = merged(tmp_path, data)
    assert (catalog.entities[0].valid_from, catalog.entities[0].valid_to) == ("2022-01-01", None)
    assert [(r.description, r.valid_from, r.valid_to) for r in catalog.relationships] == [
        ("fed", None, "2022-12-31"), ("feeds", "2023-01-01", None),
    ]  # fmt: skip
    then, now = catalog.at("2022-06-01"), catalog.at("2023-06-01")
    assert [c.entities[0].description for c in (then, now)] == ["Mean of last year.", "Mean of last month."]
    assert [c.relationships[0].description for c in (then, now)] == ["fed", "feeds"]
    assert [[c.id for c in at.chunks] for at in (then, now)] == [["d::c1"], ["d::c1", "d::c2"]]


def test_an_instant_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'soon' is no instant; expected a day \(2024-03-01\) or an ISO instant"):
        Catalog().at("soon")


def test_a_pair_and_its_reverse_are_two_relationships_where_the_source_says_so() -> None:
    entities = (Entity("A"), Entity("B"))
    edges = (Relationship("A", "B", "FOLLOWS"), Relationship("B", "A", "FOLLOWS"))
    assert len(Catalog.from_parts([Part("x", entities, edges)]).relationships) == 1
    assert len(Catalog.from_parts([Part("x", entities, edges, ordered=True)]).relationships) == 2


def test_a_direction_that_one_source_knows_is_kept() -> None:
    entities = (Entity("A"), Entity("B"))
    store = Part("a", entities, (Relationship("B", "A", "OWNS", directed=False),))
    (edge,) = Catalog.from_parts([store, Part("b", entities, (Relationship("A", "B", "OWNS"),))]).relationships
    assert (edge.source, edge.directed, edge.weight) == ("A", True, 2.0)
