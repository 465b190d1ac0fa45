from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, SKOS, BNode, Literal, URIRef

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.reading.triples import Triple, read_triples

IRIS = [URIRef(f"http://e/{name}") for name in ("a", "b", "A_b", "x/a", "C", "p")] + [
    URIRef("urn:x:1"),
    URIRef("http://"),
]
BLANKS = [BNode(f"n{n}") for n in range(4)]
WORDS = [RDF.type, RDF.first, RDF.rest, RDF.subject, RDF.predicate, RDF.object, RDFS.label, RDFS.subClassOf, RDF.nil,
         SKOS.altLabel, OWL.Class, OWL.sameAs, URIRef("http://schema.org/validFrom"), URIRef("http://e/valid"),
         URIRef("http://e/hasBeginning"), RDF.Property]  # fmt: skip
literals = st.builds(
    Literal,
    st.sampled_from(["a", "b", "", " ", "2020", "2021-05-01", "9999", "x" * 50, "é\n漢", "2020/2019"]),
    lang=st.sampled_from([None, "en", "fr", "en-GB"]),
)
triples = st.lists(
    st.tuples(
        st.sampled_from(IRIS + BLANKS),
        st.sampled_from(IRIS[-4:] + WORDS),
        st.one_of(st.sampled_from(IRIS + BLANKS + WORDS), literals),
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(triples, st.randoms(use_true_random=False))
def test_any_triples_make_a_graph_that_does_not_depend_on_their_order(rows: list[Triple], draw: random.Random) -> None:
    part, problems = read_triples({"x.ttl": rows})
    assert all(problem.file == "x.ttl" for problem in problems)
    names = [entity.name for entity in part.entities]
    assert len(names) == len(set(names))
    assert all(edge.source in set(names) and edge.target in set(names) for edge in part.relationships)
    assert all(entity.label for entity in part.entities)
    shuffled = list(rows)
    draw.shuffle(shuffled)
    again, _ = read_triples({"x.ttl": shuffled})
    try:
        one, other = Catalog.from_parts([part]), Catalog.from_parts([again])
    except DataError as e:
        raise AssertionError(str(e)) from None
    assert one.entities == other.entities
    assert [(e.source, e.type, e.target) for e in one.relationships] == [
        (e.source, e.type, e.target) for e in other.relationships
    ]
    assert one.at("2020-06-01").counts()["entities"] <= len(names)
