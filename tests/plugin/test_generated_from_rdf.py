"""A suite out of a Turtle file of 5,000 triples, run against it: wineries, their owners, grapes and regions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import rdflib

from pytest_graph_eval.cli import main
from tests.plugin.runs import run_pytest

HEAD = """@prefix ex: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:headquarteredIn rdfs:label "headquartered in" . ex:Winery rdfs:label "winery"@en, "domaine"@fr .
"""
FIRST = ("Bel", "Cor", "Dal", "Fen", "Gar", "Hol", "Jun", "Kar", "Lor", "Mir", "Nor", "Pel", "Ros", "Sal", "Tor", "Val")
LAST = ("ano", "ette", "ino", "mont", "ville", "berg", "dale", "wick")


def turtle() -> Iterator[str]:
    draw = random.Random(3)
    names = [a + b.lower() + c for a, b, c in itertools.product(FIRST, FIRST, LAST)]
    draw.shuffle(names)
    name = iter(names)
    regions, grapes = [next(name) for _ in range(40)], [f"{next(name)} Noir" for _ in range(40)]
    yield HEAD
    for kind, group in (("Region", regions), ("Grape", grapes)):
        for n, own in enumerate(group):
            yield f'ex:{kind}{n} a ex:{kind} ; rdfs:label "{own}" ; rdfs:comment "{own} is a {kind.lower()}." .'
    for n in range(480):
        own, region = f"{next(name)} Estate", draw.randrange(40)
        yield (
            f'ex:w{n} a ex:Winery ; rdfs:label "{own}"@en ; rdfs:comment "{own} lies in {regions[region]}."@en ; '
            f"ex:headquarteredIn ex:Region{region} ; ex:grows ex:Grape{draw.randrange(40)} ; ex:ownedBy ex:p{n} ; "
            f'ex:foundedIn "{1700 + n % 300}"^^xsd:gYear ; ex:hectares {n + 12}.5 .\n'
            f'ex:p{n} a schema:Person ; schema:name "{next(name)} {next(name)}" .'
        )


def test_a_suite_generated_from_it_runs_green(tmp_path: Path) -> None:
    text = "\n".join(turtle())
    assert len(rdflib.Graph().parse(data=text, format="turtle")) >= 5_000
    (tmp_path / "wine.ttl").write_text(text, "utf-8")
    assert main(["generate", str(tmp_path / "wine.ttl"), "-o", str(tmp_path / "s.graph.yaml")]) == 0
    run = run_pytest(tmp_path)
    assert {r["id"]: r["status"] for r in run.records if r["status"] != "PASS"} == {}
    assert len(run.records) >= 15
    assert {r["difficulty"] for r in run.records} >= {"easy", "hard"}
    assert (run.code, run.summary["threshold_result"]) == (0, "PASS")
