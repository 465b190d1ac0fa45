"""Whatever a graph calls its entities, the suite out of it can be written, read back and asked."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_graph_eval import generate, load_suite
from pytest_graph_eval.generate.kinds.table import rebuild
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import Entity, Part, Relationship
from pytest_graph_eval.loader.writer import dump_suite

ODD = st.sampled_from([
    "NO", "12:30", "# a", "- {z}", "${HOME}", "{question}", "a\nb", "שלום", "\u202eevil", "<b>x</b>", "'\"", "%",
    "0123", "a: b", "Rob'); --", "é" * 20, "x" * 119, "2023", "Sales 2023", "The The", "Inc", "`a`", "*b*", "[1]", "~",
    "L" * 300,
])  # fmt: skip
WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip)
NAMES = st.lists(ODD | WORDS, min_size=2, max_size=6, unique_by=lambda name: " ".join(name.split()))
TYPES = st.sampled_from(["PERSON", "RISK", "x y", "Ünï", "METRIC", ""])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(names=NAMES, type_=TYPES, relation=ODD, lang=st.sampled_from(["en", "fr"]))
def test_any_name_survives_writing_and_loading(names: list[str], type_: str, relation: str, lang: str) -> None:
    said = [f"{name} is $5 million, and a thing of wonder number {i}." for i, name in enumerate(names)]
    entities = tuple(Entity(name, type_, text) for name, text in zip(names, said, strict=True))
    edges = tuple(Relationship(a, b, relation, f"{a} is the head of {b}.") for a, b in pairwise(names))
    graph = Catalog.from_parts([Part("f", entities, edges)])
    suite = generate(graph, target={"call": "a:b"}, per_category=2, languages=[lang])
    text = dump_suite(suite)
    read = load_suite("x.graph.yaml", text=text).suite
    assert [s.fingerprint for s in read.scenarios] == [s.fingerprint for s in suite.scenarios]
    for scenario in read.scenarios:
        assert scenario.question.isprintable()
        assert rebuild(View(graph), scenario.fact_spec) is not None
