"""The embedded graph under arbitrary questions, graphs and files."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_graph_eval.errors import DataError, Problem
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import Chunk, Document, Entity, Part, Relationship
from pytest_graph_eval.graph.retrieval.search import MODES, Retrieved, search
from pytest_graph_eval.graph.retrieval.store import Store
from tests.unit.graph_samples import FERRIES

WORDS = ["net", "sales", "FY2023", "2022", "Oslo", "ferry", "leads", "risk", "U.S.", "東京", "société", "the", "CEO"]
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
questions = st.one_of(st.text(), st.lists(st.sampled_from([*WORDS, "who", "?", '"', "compare", "Tesla"])).map(" ".join))


@st.composite
def parts(draw: st.DrawFn) -> Part:
    names = draw(st.lists(phrases, min_size=1, max_size=8, unique=True))
    entities = tuple(
        Entity(name, draw(st.sampled_from(["PERSON", "COMPANY", ""])), draw(phrases), sources=("c0",)) for name in names
    )
    ends = st.tuples(st.sampled_from(names), st.sampled_from(names)).filter(lambda pair: pair[0] != pair[1])
    pairs = draw(st.lists(ends, max_size=8)) if len(names) > 1 else []
    edges = tuple(
        Relationship(a, b, draw(st.sampled_from(["LEADS", ""])), draw(phrases), sources=("c1",)) for a, b in pairs
    )
    chunks = tuple(Chunk(f"c{n}", draw(phrases), n, "d") for n in range(2))
    return Part("x", entities, edges, chunks, (Document("d"),))


def lists(found: Retrieved) -> tuple[object, ...]:
    return found.entities, found.relationships, found.chunks, found.documents


FERRY_STORE = Store(
    Catalog.from_parts(
        [
            Part(
                "ferries",
                tuple(Entity(e["entity_name"], e["entity_type"], e["description"]) for e in FERRIES["entities"]),
                tuple(Relationship(r["src_id"], r["tgt_id"], "", r["description"]) for r in FERRIES["relationships"]),
                tuple(Chunk(c["chunk_id"], c["content"]) for c in FERRIES["chunks"]),
            )
        ]
    )
)


@given(question=questions, mode=st.sampled_from(MODES))
def test_any_question_is_answered_the_same_each_time(question: str, mode: str) -> None:
    first = search(FERRY_STORE, question, mode)
    assert lists(search(FERRY_STORE, question, mode)) == lists(first)
    assert all(len(found) <= 5 for found in lists(first)[:3] if isinstance(found, tuple))


@given(part=parts(), question=questions, mode=st.sampled_from(MODES))
def test_any_graph_is_searched_and_only_what_it_holds_is_found(part: Part, question: str, mode: str) -> None:
    catalog = Catalog.from_parts([part])
    found = search(Store(catalog), question, mode)
    assert set(found.entities) <= set(catalog.entities)
    assert set(found.relationships) <= set(catalog.relationships)
    assert set(found.chunks) <= set(catalog.chunks)
    assert len(set(found.entities)) == len(found.entities)


@given(part=parts(), question=questions, mode=st.sampled_from(MODES), size=st.integers(1, 8))
def test_fewer_are_the_first_of_more(part: Part, question: str, mode: str, size: int) -> None:
    store = Store(Catalog.from_parts([part]))
    more, fewer = search(store, question, mode, top_k=9), search(store, question, mode, top_k=size)
    if fewer.entities:  # with fewer sources the evidence may fall below the floor as a whole
        assert fewer.entities == more.entities[:size]


@given(part=parts(), question=questions, mode=st.sampled_from(MODES), data=st.data())
def test_a_dropped_entity_never_appears(part: Part, question: str, mode: str, data: st.DataObject) -> None:
    gone = data.draw(st.sampled_from(part.entities)).name
    left = Part(
        part.file,
        tuple(e for e in part.entities if e.name != gone),
        tuple(r for r in part.relationships if gone not in (r.source, r.target)),
        part.chunks,
    )
    found = search(Store(Catalog.from_parts([left])), question, mode)
    assert gone not in {entity.name for entity in found.entities}
    assert all(gone not in (edge.source, edge.target) for edge in found.relationships)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(), mode=st.sampled_from(MODES))
def test_the_order_of_files_and_records_changes_nothing(seed: int, mode: str) -> None:
    mixed = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        paths = [split(Path(folder), number) for number in range(3)]
        straight = Store(Catalog.from_files(paths))
        mixed.shuffle(paths)
        for path in paths:
            shuffle(path, mixed)
        shuffled = Store(Catalog.from_files(paths))
    for question in ("Who commands MS Aurora?", "Compare MS Aurora and MS Polaris", "Who owns Fjordverft?"):
        assert lists(search(shuffled, question, mode)) == lists(search(straight, question, mode))


def split(folder: Path, number: int) -> Path:
    """Write a document with a third of the ferries' relationships, its own chunks and all entities."""
    data = FERRIES | {"document_id": f"d{number}", "relationships": FERRIES["relationships"][number::3]}
    path = folder / f"{number}.json"
    path.write_text(json.dumps(data), "utf-8")
    return path


def shuffle(path: Path, mixed: random.Random) -> None:
    data = json.loads(path.read_text("utf-8"))
    for key in ("chunks", "entities", "relationships"):
        mixed.shuffle(data[key])
    path.write_text(json.dumps(data), "utf-8")


FIELDS = [
    "document_id", "chunks", "entities", "relationships", "content", "chunk_id", "chunk_order_index", "file_path",
    "entity_name", "entity_type", "description", "source_id", "aliases", "src_id", "tgt_id", "keywords", "weight", "x",
]  # fmt: skip
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=20,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    data=json_values
    | st.fixed_dictionaries(
        {"document_id": st.text(min_size=1), "chunks": st.lists(json_values, max_size=3)},
        optional={"entities": st.lists(json_values, max_size=3), "relationships": st.lists(json_values, max_size=3)},
    )
)
def test_any_json_is_read_or_refused_with_its_problems(data: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        path.write_text(json.dumps(data), "utf-8")
        problems, catalog = read(path)
    if catalog is None:
        assert problems
        assert all(problem.message for problem in problems)
    else:
        search(Store(catalog), "x")


def read(path: Path) -> tuple[Sequence[Problem], Catalog | None]:
    try:
        return [], Catalog.from_files([path])
    except DataError as e:
        return e.problems, None
