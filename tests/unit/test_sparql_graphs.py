"""Results of CONSTRUCT and DESCRIBE: graphs are the same up to their blank nodes, whatever the syntax."""

from __future__ import annotations

import logging
import sys

import pytest

from tests.unit.query_results import compared, iri, select

TURTLE = """@prefix ex: <urn:ex:> .
ex:t1 a ex:Transformer ; ex:bay [ ex:nr 7 ; ex:load 0.5e0 ] ; ex:name "Trafo"@de .
"""
TRIPLES = """_:x <urn:ex:load> "5.0E-1"^^<http://www.w3.org/2001/XMLSchema#double> .
<urn:ex:t1> <urn:ex:name> "Trafo"@de .
_:x <urn:ex:nr> "07"^^<http://www.w3.org/2001/XMLSchema#integer> .
<urn:ex:t1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:ex:Transformer> .
<urn:ex:t1> <urn:ex:bay> _:x .
<urn:ex:t1> <urn:ex:bay> _:x .
"""
XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:ex:">
  <e:Transformer rdf:about="urn:ex:t1"><e:name xml:lang="de">Trafo</e:name><e:bay rdf:parseType="Resource">
    <e:nr rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">7</e:nr>
    <e:load rdf:datatype="http://www.w3.org/2001/XMLSchema#double">0.5</e:load>
  </e:bay></e:Transformer>
</rdf:RDF>
"""


@pytest.mark.parametrize("other", [TURTLE.replace("ex:", "p:").replace("<urn:p:>", "<urn:ex:>"), TRIPLES, XML])
def test_a_graph_is_the_same_in_other_prefixes_order_and_syntax(other):
    for one, two in ((TURTLE, other), (other, TURTLE)):
        for step in ({}, {"output_media_type": "text/turtle"}, {"ordered": True, "ignore_duplicates": False}):
            assert compared(one, two, **step).score == 1.0
    content = {"content": [{"type": "text", "text": other}]}
    assert compared(TURTLE, content, output_media_type="application/rdf+xml").score == 1.0


@pytest.mark.parametrize(
    ("old", "new"),
    [("7", "8"), ("@de", "@en"), ("ex:bay", "ex:boy"), ("[ ex:nr 7 ; ex:load", "[ ex:nr 7 ] , [ ex:load")],
)
def test_another_triple_makes_another_graph(old, new):
    result = compared(TURTLE, TURTLE.replace(old, new))
    assert (result.score, result.code) == (0.0, "rows_differ")
    assert 0.0 < result.measures["f1"] < 1.0


def test_the_triples_that_differ_are_shown():
    result = compared("<urn:a> <urn:p> 1, 2 .", "<urn:a> <urn:p> 1 .")
    assert result.reason == '1 of 2 rows missing: row 2 (subject=<urn:a>, predicate=<urn:p>, object="2"^^xsd:integer)'


def test_an_empty_graph_must_be_meant():
    step = {"output_media_type": "text/turtle"}
    assert compared("# nothing\n", "", **step).code == "empty_reference"
    assert compared("", "# nothing\n", **step, expect_empty=True).score == 1.0
    assert compared("", TURTLE, **step, expect_empty=True).score == 0.0


NO_GRAPHS = [
    "no results", "<urn:a> <urn:b", "<?xml version='1.0'?><a>", "Error: no such graph", '{"@id": "urn:a"}', None, 5,
    "( " * 5000,
]  # fmt: skip


@pytest.mark.parametrize("output", NO_GRAPHS)
def test_what_is_no_graph_matches_none(output):
    result = compared(TURTLE, output)
    assert (result.score, result.code, result.is_error) == (0.0, "not_a_result", False)
    assert result.reason.startswith("the output: ")


def test_rows_are_no_graph():
    assert compared(TURTLE, select(["s"], iri("urn:a"))).reason == "a graph expected, rows found"
    assert compared(select(["s"], iri("urn:a")), TURTLE).code == "not_a_result"


def test_a_literal_that_is_none_of_its_type_writes_no_log(caplog):
    wrong = '<urn:a> <urn:p> "abc"^^<http://www.w3.org/2001/XMLSchema#integer> .'
    with caplog.at_level(logging.DEBUG):
        assert compared(wrong, wrong).score == 1.0
    assert caplog.records == []


def test_without_rdflib_a_graph_is_an_error_that_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdflib", None)
    result = compared(TURTLE, TURTLE)
    assert (result.score, result.code, result.is_error) == (0.0, "no_rdflib", True)
    assert result.reason == ("the reference output: reading a graph needs rdflib: pip install 'pytest-graph-eval[rdf]'")
    assert compared(select(["s"], iri("urn:a")), TURTLE).code == "not_a_result"
