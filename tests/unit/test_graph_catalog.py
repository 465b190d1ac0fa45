from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from pytest_graph_eval.errors import DataError
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


def test_a_graph_of_many_rows_merges_in_linear_time(tmp_path: Path) -> None:
    names = [f"Entity {n}" for n in range(20_000)]
    data = tiny(
        chunks=[chunk(1, "x")],
        entities=[entity(name, "T", "d", "c1") for name in names],
        relationships=[edge(a, b, "NEXT", "d", "c1") for a, b in itertools.pairwise(names)],
    )
    assert merged(tmp_path, data).counts()["relationships"] == 19_999
