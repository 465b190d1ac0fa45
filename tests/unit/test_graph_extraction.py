from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import relation_type
from tests.unit.graph_samples import chunk, edge, entity, tiny, write


def load(folder: Path, data: Any) -> Catalog:
    write(folder, "a.json", data)
    return Catalog.from_files(["a.json"], folder=folder)


def problems(folder: Path, data: Any) -> list[str]:
    with pytest.raises(DataError) as caught:
        load(folder, data)
    assert str(caught.value)
    return [str(problem) for problem in caught.value.problems]


def only(folder: Path, data: Any) -> str:
    found = problems(folder, data)
    assert len(found) == 1, found
    return found[0]


def test_a_file_is_read_with_all_its_fields(tmp_path: Path) -> None:
    data = tiny()
    data["entities"][0] |= {"aliases": ["Countess Lovelace", " "], "born": 1815, "attributes": {"field": "mathematics"}}
    catalog = load(tmp_path, data)
    ada, engine = catalog.entities
    assert (ada.name, ada.type, ada.aliases) == ("Ada Byron", "PERSON", ("Countess Lovelace",))
    assert ada.attributes == {"born": 1815, "field": "mathematics"}
    assert ada.sources == ("d::c1",)
    assert engine.description == "The Analytical Engine is a computer of brass."
    (relationship,) = catalog.relationships
    assert (relationship.source, relationship.type, relationship.target) == (
        "Ada Byron", "DESCRIBED", "Analytical Engine",
    )  # fmt: skip
    assert (relationship.keywords, relationship.weight) == ("DESCRIBED,year=1843", 1.0)
    assert [(c.id, c.order, c.document) for c in catalog.chunks] == [("d::c1", 1, "d")]
    assert [(d.id, d.file) for d in catalog.documents] == [("d", "d.md")]


def test_a_chunk_id_that_names_its_document_is_kept(tmp_path: Path) -> None:
    data = tiny(chunks=[{"chunk_id": "d::c1", "content": "x"}], entities=[], relationships=[])
    assert load(tmp_path, data).chunks[0].id == "d::c1"


def test_a_chunk_without_id_gets_one_from_its_content(tmp_path: Path) -> None:
    data = tiny(chunks=[{"content": "x"}, {"content": "y"}], entities=[], relationships=[])
    first, second = load(tmp_path, data).chunks
    assert first.id != second.id
    assert load(tmp_path, data).chunks[0].id == first.id


def test_the_other_names_of_the_ends_and_joined_fields_are_read(tmp_path: Path) -> None:
    data = tiny()
    data["chunks"].append(chunk(2, "More."))
    data["relationships"][0] = {
        "source_entity": "Ada  Byron", "target_entity": "Analytical Engine", "description": "one<SEP>two",
        "source_id": "c1<SEP>c2", "weight": 2,
    }  # fmt: skip
    (relationship,) = load(tmp_path, data).relationships
    assert relationship.source == "Ada Byron"
    assert relationship.description == "one\ntwo"
    assert relationship.sources == ("d::c1", "d::c2")
    assert (relationship.type, relationship.keywords, relationship.weight) == ("", "", 2.0)


def test_null_is_an_absent_field(tmp_path: Path) -> None:
    data = tiny()
    data["chunks"][0]["chunk_order_index"] = None
    data["entities"][0]["aliases"] = None
    data["relationships"][0] |= {"keywords": None, "weight": None}
    assert load(tmp_path, data).relationships[0].weight == 1.0


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(tiny()).encode())
    assert len(Catalog.from_files([tmp_path / "a.json"]).entities) == 2


def test_empty_lists_are_an_empty_graph(tmp_path: Path) -> None:
    counts = load(tmp_path, tiny(chunks=[], entities=[], relationships=[])).counts()
    assert counts == {"entities": 0, "relationships": 0, "chunks": 0, "documents": 1}


@pytest.mark.parametrize(
    ("keywords", "type_"),
    [
        ("EMPLOYS,role=CEO", "EMPLOYS"),
        ("role=x, PART_OF", "PART_OF"),
        ("leadership, fleet", ""),
        ("", ""),
        ("CEO x", ""),
    ],
)
def test_the_relation_type_is_the_first_item_in_capitals(keywords: str, type_: str) -> None:
    assert relation_type(keywords) == type_


def test_everything_that_is_wrong_is_reported_at_once_with_its_place(tmp_path: Path) -> None:
    data = tiny(
        chunks=[chunk(1, "x"), chunk(1, "y"), {"chunk_id": "c3"}, "text", {"content": 7}],
        entities=[
            entity("A", "T", "", "c1"),
            entity(" ", "T", "d", "c1"),
            entity("B", "T", "d", "c9"),
            {"entity_name": "C", "entity_type": 5, "description": "d", "source_id": "c1", "aliases": [1]},
            entity("D", "T", "d", "c1"),
            {**entity("E", "T", "d", "c1"), "aliases": [1]},
        ],
        relationships=[
            edge("D", "D", "", "self", "c1"),
            edge("D", "Nobody", "", "no such end", "c1"),
            {"src_id": "D", "description": "d", "source_id": "c1"},
            {**edge("D", "B", "", "d", "c1"), "weight": "heavy"},
            {**edge("D", "B", "", "d", "c1"), "weight": 1e999},
            {**edge("D", "B", "", "d", "c1"), "weight": True},
            {**edge("D", "B", "", "d", "c1"), "keywords": ["x"]},
        ],
    )
    text = json.dumps(data, indent=1).replace("Infinity", "1e999")
    found = problems(tmp_path, text)
    expected = [
        "chunks[1].chunk_id: 'c1' stands twice in this file; expected one chunk per id",
        "chunks[2].content: missing; expected text",
        'chunks[3]: "text" stands here; expected an object',
        "chunks[4].content: found 7; expected text",
        "entities[0].description: empty; expected text that is not empty",
        "entities[1].entity_name: empty; expected text that is not empty",
        "entities[2].source_id: no chunk 'c9' in this file; expected one of its 1 chunks",
        "entities[3].entity_type: found 5; expected text",
        "entities[3].aliases: found [1]; expected a list of texts, or one text joined by <SEP>",
        "entities[5].aliases: found [1]; expected a list of texts, or one text joined by <SEP>",
        "relationships[0]: both ends are 'D'; expected two different entities",
        "relationships[1].tgt_id: no entity 'Nobody' in this file; expected one of its 2 entity names",
        "relationships[2].tgt_id: missing; expected the name of an entity (`tgt_id`, or `target_entity`)",
        'relationships[3].weight: found "heavy"; expected a number',
        "relationships[4].weight: found inf; expected a finite number",
        "relationships[5].weight: found true; expected a number",
        'relationships[6].keywords: found ["x"]; expected text',
    ]
    assert [message.split(": ", 1)[1] for message in found] == expected
    lines = text.splitlines()
    for message in found:
        line, column = map(int, message.split(":")[1:3])
        assert lines[line - 1][column - 1] in '{"'


def test_the_place_of_a_finding_is_the_line_and_column_of_its_record(tmp_path: Path) -> None:
    text = json.dumps(tiny(relationships=[edge("Ada Byron", "Engine", "", "d", "c1")]), indent=2)
    line = next(n for n, row in enumerate(text.splitlines(), 1) if '"src_id"' in row) - 1
    message = only(tmp_path, text)
    assert message.startswith(f"a.json:{line}:5: relationships[0].tgt_id: no entity 'Engine'")


def test_a_mistyped_name_is_met_with_the_nearest_one(tmp_path: Path) -> None:
    data = tiny(relationships=[edge("ada byron", "Analytical Engine", "", "d", "c1")])
    assert only(tmp_path, data).endswith("did you mean 'Ada Byron'?")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "a.json:1:2: not JSON: Expecting property name"),
        ('{"a": 1,}', "a.json:1:9: not JSON"),
        ("", "a.json:1:1: not JSON: Expecting value"),
        ("[" * 100_000, "a.json: not readable as JSON"),
        ("9" * 5_000, "a.json: not readable as JSON"),
        ("[1]", "a.json:1:1: [1] at the top; expected an object with `document_id`, chunks, entities, relationships"),
        ("null", "a.json:1:1: null at the top; expected an object"),
    ],
)
def test_what_is_no_extraction_at_all_is_said_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    assert only(tmp_path, text).startswith(message)


def test_missing_top_level_keys_are_all_named(tmp_path: Path) -> None:
    assert problems(tmp_path, {"document_id": " ", "chunks": {}, "source_file": 3}) == [
        'a.json:1:1: document_id: found " "; expected a text that is not empty',
        "a.json:1:1: chunks: found {}; expected a list (it may be empty)",
        "a.json:1:1: entities: missing; expected a list (it may be empty)",
        "a.json:1:1: relationships: missing; expected a list (it may be empty)",
        "a.json:1:1: source_file: found 3; expected a text",
    ]


def test_a_missing_file_is_named_as_it_was_given(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^data/none\.json: no such file; expected an extraction JSON file"):
        Catalog.from_files(["data/none.json"], folder=tmp_path)


def test_a_folder_and_other_encodings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b'{"document_id": "caf\xe9"}')
    with pytest.raises(DataError) as caught:
        Catalog.from_files([".", "latin.json"], folder=tmp_path)
    assert [str(p) for p in caught.value.problems] == [
        ".: cannot be read: Is a directory",
        "latin.json: byte 20 is no UTF-8; expected a UTF-8 text file",
    ]


def test_half_a_surrogate_pair_is_refused_and_a_whole_one_read(tmp_path: Path) -> None:
    text = json.dumps(tiny())
    assert "half a surrogate pair" in only(tmp_path, text.replace("Ada Byron", "\\ud83d Byron"))
    assert load(tmp_path, text.replace("Ada", "\\ud83d\\ude00")).entities[1].name == "😀 Byron"


def test_a_long_list_of_problems_is_cut_in_the_message_and_whole_in_problems(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"\.\.\. and 80 more problems$") as caught:
        load(tmp_path, tiny(entities=[{}] * 24, relationships=[{}, {}]))
    assert len(caught.value.problems) == 100


def test_a_weight_beyond_any_float_is_not_finite(tmp_path: Path) -> None:
    data = tiny()
    data["relationships"][0]["weight"] = 10**400
    assert "weight: found inf; expected a finite number" in only(tmp_path, data)


def test_among_very_many_names_the_nearest_one_is_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_graph_eval.texts._COMPARED", 1)
    data = tiny(relationships=[edge("ada byron", "Analytical Engine", "", "d", "c1")])
    assert only(tmp_path, data).endswith("expected one of its 2 entity names")
