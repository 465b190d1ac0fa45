from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.graph.catalog import Catalog

PREFIXES = """
@prefix ex: <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix time: <http://www.w3.org/2006/time#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def read(folder: Path, *files: str | tuple[str, str]) -> Catalog:
    """Read Turtle, or files with their names."""
    named = [f if isinstance(f, tuple) else (f"{n}.ttl", PREFIXES + f) for n, f in enumerate(files)]
    for name, text in named:
        (folder / name).write_text(text, "utf-8")
    return Catalog.from_files(rdf=[name for name, _ in named], folder=folder)


def problems(folder: Path, *files: str | tuple[str, str]) -> list[str]:
    with pytest.raises(DataError) as caught:
        read(folder, *files)
    return [str(problem) for problem in caught.value.problems]


def edges(catalog: Catalog) -> list[tuple[str, str, str]]:
    return [(edge.source, edge.type, edge.target) for edge in catalog.relationships]


def test_a_resource_is_an_entity_with_its_labels_texts_and_literals(tmp_path: Path) -> None:
    (acme,) = read(
        tmp_path,
        """ex:Company rdfs:label "Entreprise"@fr, "Company"@en ; a owl:Class .
        ex:foundedIn a owl:DatatypeProperty .
        ex:acme a ex:Company, owl:NamedIndividual ; rdfs:label "Acme SA"@fr, "Acme  Corp"@en ; skos:altLabel "ACME" ;
          rdfs:comment "Makes anvils."@en, "Fait des enclumes."@fr ; skos:scopeNote "Figures are unaudited." ;
          ex:foundedIn "1919"^^xsd:gYear ; ex:revenue 12.50 ; ex:employees 42 ; ex:listed true ; ex:tag "b", "a" ;
          ex:motto "Toujours"@fr, "Always"@en ; owl:sameAs <http://dbpedia.org/resource/Acme> .""",
    ).entities
    assert (acme.name, acme.label, acme.type) == ("Acme Corp", "Acme Corp", "Company")
    assert acme.aliases == ("ACME", "Acme SA")
    assert acme.iri == "http://example.org/acme"
    assert acme.caveat == "Figures are unaudited."
    assert acme.attributes == {
        "employees": 42, "founded in": "1919", "listed": True, "motto": "Always", "revenue": 12.5,
        "same as": "http://dbpedia.org/resource/Acme", "tag": "a; b",
    }  # fmt: skip
    assert acme.description.splitlines()[:4] == ["Makes anvils.", "employees: 42", "founded in: 1919", "listed: true"]
    assert "revenue: 12.50" in acme.description


def test_object_properties_are_relationships_and_their_objects_entities(tmp_path: Path) -> None:
    catalog = read(
        tmp_path,
        """ex:worksFor rdfs:label "works for" . ex:ada ex:worksFor ex:acme ; ex:knows ex:bob . ex:bob ex:knows ex:ada .
        ex:ada ex:self ex:ada ; schema:url <http://ada.example> ; schema:email <mailto:ada@example.org> .""",
    )
    assert edges(catalog) == [("ada", "works for", "acme"), ("ada", "knows", "bob"), ("bob", "knows", "ada")]
    assert {edge.description for edge in catalog.relationships} >= {"ada works for acme."}
    assert all(edge.directed for edge in catalog.relationships)
    assert catalog.entities[1].attributes == {"url": "http://ada.example", "email": "mailto:ada@example.org"}


def test_resources_that_share_a_label_keep_it_and_have_names_of_their_own(tmp_path: Path) -> None:
    catalog = read(
        tmp_path,
        """ex:apple_inc rdfs:label "Apple" . ex:fruit rdfs:label "Apple" . <http://other.org/fruit> rdfs:label "Apple" .
        ex:ada ex:eats ex:fruit .""",
    )
    assert [entity.name for entity in catalog.entities] == [
        "Apple (apple inc)",
        "Apple (fruit) <http://example.org/fruit>", "Apple (fruit) <http://other.org/fruit>", "ada",
    ]  # fmt: skip
    assert {entity.label for entity in catalog.entities} == {"Apple", "ada"}
    assert catalog.relationships[0].description == "ada eats Apple."


def test_files_are_one_graph_whatever_their_order(tmp_path: Path) -> None:
    labels, facts = 'ex:ada rdfs:label "Ada Byron" .', "ex:ada ex:wrote ex:notes ; ex:born 1815 ."
    one, other = read(tmp_path, labels, facts), read(tmp_path, facts, labels)
    assert edges(one) == edges(other) == [("Ada Byron", "wrote", "notes")]
    assert one.entities == other.entities
    assert [document.file for document in one.documents] == ["0.ttl", "1.ttl"]


def test_a_blank_node_belongs_to_what_points_at_it(tmp_path: Path) -> None:
    catalog = read(
        tmp_path,
        """ex:acme ex:address [ ex:city "Paris" ; ex:geo [ ex:lat 48.9 ] ] ; ex:sites (ex:lyon ex:nice) .
        ex:ada ex:employment [ a ex:Job ; ex:employer ex:acme ; ex:title "CEO" ;
                               schema:startDate "2019" ; schema:endDate "2021-06" ] .""",
    )
    acme = catalog.entity("acme")
    assert acme is not None
    assert acme.attributes == {"address city": "Paris", "address geo lat": 48.9}
    assert edges(catalog) == [
        ("acme", "sites", "lyon"), ("acme", "sites", "nice"), ("ada", "employer", "acme"),
    ]  # fmt: skip
    job = catalog.relationships[2]
    assert (job.keywords, job.valid_from, job.valid_to) == ("employer,employment", "2019-01-01", "2021-06-30")
    assert job.description == "ada employer acme (title: CEO; end date: 2021-06; start date: 2019)."


def test_blank_nodes_with_a_label_or_without_an_owner_are_entities_of_a_stable_name(tmp_path: Path) -> None:
    text = """ex:ada ex:knows [ schema:name "Bob" ; ex:age 40 ] . [] a ex:Event ; ex:year 1843 .
    _:a ex:next _:b . _:b ex:next _:a ; ex:size 3 ."""
    first, second = read(tmp_path, text), read(tmp_path, text)
    names = [entity.name for entity in first.entities]
    assert names == [entity.name for entity in second.entities]
    assert (names[0], names[2]) == ("Bob", "ada")
    assert names[1].startswith("Event ")
    assert edges(first) == [("ada", "knows", "Bob")]


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ('schema:validFrom "2020-01-01"^^xsd:date ; schema:validThrough "2020-12-31"^^xsd:date',
         "2020-01-01", "2020-12-31"),
        ('ex:valid_from "2020" ; ex:valid_to "2021"^^xsd:gYear', "2020-01-01", "2021-12-31"),
        ('prov:generatedAtTime "2020-01-01T10:00:00+02:00"^^xsd:dateTime', "2020-01-01T08:00:00Z", None),
        ('dcterms:valid "start=2020-02; end=2021;"', "2020-02-01", "2021-12-31"),
        ('dcterms:temporal "2020/2021-03"', "2020-01-01", "2021-03-31"),
        ('dcterms:temporal "2020"', "2020-01-01", "2020-12-31"),
        ('schema:temporalCoverage "2020/.."', "2020-01-01", None),
        ('dcterms:temporal [ schema:startDate "2020-01-01Z"^^xsd:date ]', "2020-01-01", None),
        ("time:hasTime [ time:hasBeginning [ time:inXSDDate '2020' ] ; time:hasEnd [ time:inXSDDate '2021-05' ] ]",
         "2020-01-01", "2021-05-31"),
        ('dcterms:temporal "Middle Ages"', None, None),
        ('schema:startDate "2020"', None, None),
    ],
)  # fmt: skip
def test_a_valid_time_is_read_from_the_usual_vocabularies(
    tmp_path: Path, said: str, start: str | None, end: str | None
) -> None:
    (entity,) = read(tmp_path, f"ex:a ex:size 1 ; {said} .").entities
    assert (entity.valid_from, entity.valid_to) == (start, end)
    assert (len(entity.attributes) == 1) is (start is not None), "what is no time is still told"


def test_a_statement_about_a_statement_dates_it(tmp_path: Path) -> None:
    catalog = read(
        tmp_path,
        """ex:ada ex:worksFor ex:acme .
        [] a rdf:Statement ; rdf:subject ex:ada ; rdf:predicate ex:worksFor ; rdf:object ex:acme ; ex:validTo "1999" .
        [] a rdf:Statement ; rdf:subject ex:ada ; rdf:predicate ex:worksFor ; rdf:object ex:acme ; ex:validFrom "2005" .
        [] a owl:Axiom ; owl:annotatedSource ex:bob ; owl:annotatedProperty ex:worksFor ; owl:annotatedTarget ex:acme ;
           rdfs:comment "A guess." .""",
    )
    assert [(e.source, e.valid_from, e.valid_to) for e in catalog.relationships] == [
        ("ada", None, "1999-12-31"), ("ada", "2005-01-01", None), ("bob", None, None),
    ]  # fmt: skip
    assert catalog.relationships[2].description == "bob works for acme (comment: A guess.)."
    assert catalog.relationships[2].type == "worksFor"
    assert catalog.counts()["entities"] == 3


def test_an_unreadable_valid_time_is_a_problem_with_its_resource(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, 'ex:a schema:validFrom "soon" .', "ex:b ex:size 1 .")
    assert problem == (
        "0.ttl: <http://example.org/a>.valid_from: found 'soon'; expected a day (2024-03-01), a month, a year or an "
        "ISO instant (2024-03-01T12:00:00Z)"
    )


def test_the_most_specific_class_is_the_type(tmp_path: Path) -> None:
    (rex,) = read(
        tmp_path,
        """ex:Dog rdfs:subClassOf ex:Mammal . ex:Mammal rdfs:subClassOf ex:Animal, ex:Mammal .
        ex:rex a ex:Animal, ex:Mammal, ex:Dog .""",
    ).entities
    assert rex.type == "Dog"


def test_an_ontology_alone_is_a_graph_of_its_classes(tmp_path: Path) -> None:
    catalog = read(
        tmp_path, 'ex:Dog a owl:Class ; rdfs:subClassOf ex:Animal ; rdfs:comment "Barks." . ex:eats a rdf:Property .'
    )
    assert edges(catalog) == [("Dog", "subClassOf", "Animal")]
    assert catalog.entities[1].description == "Barks."


XML = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [<!ENTITY ex "http://example.org/">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="http://example.org/">
<rdf:Description rdf:about="&ex;ada"><ex:wrote rdf:resource="&ex;notes"/></rdf:Description></rdf:RDF>"""
JSON_LD = """{"@context": {"@vocab": "http://example.org/", "wrote": {"@type": "@id"}}, "@id": "http://example.org/g",
"@graph": [{"@id": "http://example.org/ada", "wrote": "http://example.org/notes"}]}"""
TURTLE = "<http://example.org/ada> <http://example.org/wrote> <http://example.org/notes> ."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.nt", TURTLE), ("a.turtle", TURTLE), ("a.TTL", TURTLE), ("a.owl", TURTLE), ("a.rdf", XML), ("a.owl", XML),
        ("a.ttl", XML), ("a.jsonld", JSON_LD), ("a.json", JSON_LD), ("a.nt", "\ufeff" + TURTLE),
    ],
)  # fmt: skip
def test_each_form_of_rdf_is_read(tmp_path: Path, name: str, text: str) -> None:
    assert edges(read(tmp_path, (name, text))) == [("ada", "wrote", "notes")]


def test_the_context_of_schema_org_is_known_and_no_other_is_fetched(tmp_path: Path) -> None:
    catalog = read(
        tmp_path,
        ("a.jsonld", '[{"@context": "https://schema.org/", "@type": "Person", "name": "Ada Byron", "@id": "x:a"}]'),
    )
    assert [(e.name, e.type) for e in catalog.entities] == [("Ada Byron", "Person")]
    for context in ('"http://example.org/context"', '["other.jsonld"]', '{"@import": "other.jsonld"}'):
        (problem,) = problems(tmp_path, ("a.jsonld", f'{{"@context": {context}, "name": "x"}}'))
        assert problem.endswith("put what it holds into the file")
        assert problem.startswith("a.jsonld: not readable as JSON-LD: the context ")


BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>' + XML.split("]>")[1]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (
            ("a.ttl", "<http://e/a> <http://e/b> 'x' .\n<http://e/a> foo:b 3 ."),
            "a.ttl:2:1: not readable as Turtle: Prefix",
        ),
        (("a.ttl", '<http://e/a> <http://e/b> "x .\n'), "a.ttl:1:1: not readable as Turtle: newline found in string"),
        (("a.nt", "<http://e/a> <http://e/b> .\n"), "a.nt: not readable as N-Triples: Invalid line"),
        (("a.rdf", "<rdf:RDF"), "a.rdf:1:1: not readable as RDF/XML: unclosed token"),
        (("a.rdf", BOMB), "a.rdf: not readable as RDF/XML: an entity is declared by other entities"),
        (("a.rdf", BOMB.replace('"aaaa"', 'SYSTEM "file:///etc/hostname"').replace("&a;", "")), "or by a file"),
        (("a.jsonld", '{"x":\n'), "a.jsonld:2:1: not readable as JSON-LD: Expecting value"),
        (("a.jsonld", "[" * 100_000), "a.jsonld: not readable as JSON-LD: "),
        (("a.ttl", "[" * 5_000), "a.ttl: not readable as Turtle: "),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(tmp_path: Path, file: tuple[str, str], message: str) -> None:
    (problem,) = problems(tmp_path, file)
    assert message in problem
    assert len(problem) < 400


def test_missing_and_foreign_files_are_all_named(tmp_path: Path) -> None:
    (tmp_path / "b.ttl").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError) as caught:
        Catalog.from_files(rdf=["a.ttl", "b.ttl", "."], folder=tmp_path)
    assert [str(p) for p in caught.value.problems] == [
        ".: cannot be read: Is a directory",
        "a.ttl: no such file; expected a file of RDF",
        "b.ttl: byte 0 is no UTF-8; expected a UTF-8 text file",
    ]


def test_json_ld_under_another_key_says_where_it_belongs(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(JSON_LD)
    with pytest.raises(DataError, match=r"a\.json:1:1: JSON-LD, not an extraction; name the file \.jsonld, or put it"):
        Catalog.from_files(["a.json"], folder=tmp_path)


def test_literals_that_break_their_datatype_are_texts_and_nothing_is_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (entity,) = read(
        tmp_path, 'ex:a ex:n "many"^^xsd:integer ; ex:d "2020-13-45"^^xsd:date ; ex:f "NaN"^^xsd:double .'
    ).entities
    assert (entity.attributes["n"], entity.attributes["d"]) == ("many", "2020-13-45")
    assert entity.attributes["f"] == "nan"
    assert capfd.readouterr() == ("", "")


def test_without_rdflib_the_message_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdflib", None)
    (problem,) = problems(tmp_path, "ex:a ex:b ex:c .")
    assert problem == "0.ttl: RDF needs rdflib, which is not installed; pip install 'pytest-graph-eval[rdf]'"


@pytest.mark.slow
def test_long_chains_and_wide_stars_are_read_in_linear_time(tmp_path: Path) -> None:
    lines = [f"ex:hub ex:has ex:n{n} . ex:n{n} ex:next ex:n{n + 1} ; ex:size {n} ." for n in range(3_000)]
    start = time.process_time()
    assert read(tmp_path, "\n".join(lines)).counts()["relationships"] == 6_000
    assert time.process_time() - start < 10


def test_an_empty_file_is_an_empty_graph(tmp_path: Path) -> None:
    found: Any = read(tmp_path, "").counts()
    assert (found["entities"], found["documents"]) == (0, 1)
