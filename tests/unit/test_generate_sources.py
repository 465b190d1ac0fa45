from __future__ import annotations

import asyncio
from pathlib import Path

import networkx
import pytest

from pytest_graph_eval.catalogs import catalog_of
from pytest_graph_eval.cli import main
from pytest_graph_eval.errors import DataError, SuiteError, UsageError
from pytest_graph_eval.gate.comparison.baseline import build, write_baseline
from pytest_graph_eval.generate.sources import read_sources
from pytest_graph_eval.loader import load_suite
from tests.unit.cli_runs import run
from tests.unit.gate_records import make
from tests.unit.graph_samples import entity, tiny, write
from tests.unit.sparql_endpoint import Endpoint, serving

TURTLE = "<http://e/Ada_Byron> <http://e/knows> <http://e/Babbage> ."
SUITE = """target: {graph: true}
scenarios: [{id: a, question: "Who?", gold_answer: Ada}]
""".replace("{graph: true}", "{rdf: [sub/b.ttl]}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    write(tmp_path, "a.json", tiny())
    write(tmp_path, "sub/b.ttl", TURTLE)
    networkx.write_graphml(networkx.Graph([("Engine", "Ada Byron")]), tmp_path / "sub" / "c.graphml")
    write(tmp_path, "sub/kv_store_llm_response_cache.json", "{}")
    return tmp_path


def test_files_folders_and_endpoints_are_one_graph(folder: Path) -> None:
    with serving(Endpoint(turtle="<http://e/Babbage> <http://e/built> <http://e/Engine> .")) as endpoint:
        found = read_sources([str(folder), folder / "a.json", endpoint.url])
    assert [entity.name for entity in found.catalog.entities] == ["Ada Byron", "Analytical Engine", "Babbage", "Engine"]
    assert {(e.source, e.type, e.target) for e in found.catalog.relationships} == {
        ("Ada Byron", "DESCRIBED", "Analytical Engine"), ("Ada Byron", "knows", "Babbage"),
        ("Babbage", "built", "Engine"), ("Engine", "", "Ada Byron"),
    }  # fmt: skip
    assert {kind: [path.name for path in paths] for kind, paths in found.files.items()} == {
        "extraction": ["a.json"], "graphml": ["c.graphml"], "rdf": ["b.ttl"],
    }  # fmt: skip
    assert (found.endpoints, found.target, found.failed) == ((endpoint.url,), None, {})


def test_sources_are_read_where_a_loop_is_running_already() -> None:
    async def notebook() -> int:
        with serving(Endpoint(turtle=TURTLE)) as endpoint:
            return len(read_sources([endpoint.url]).catalog.entities)

    assert asyncio.run(notebook()) == 2


def test_what_cannot_be_read_is_told_and_the_rest_is_read(folder: Path) -> None:
    write(folder, "bad.json", "{")
    write(folder, "bad.ttl", "<http://e/a> x:y 1 .")
    write(folder, "time.ttl", "<http://e/x> <http://schema.org/validFrom> 'soon' .")
    write(folder, "sub/kv_store_text_chunks.json", "[]")
    with serving(Endpoint(turtle="# nothing\n")) as endpoint:
        endpoint.answers[0] = (500, "text/plain", b"out of memory")
        found = read_sources([folder, endpoint.url])
    names = [f"{folder}/{name}" for name in ("bad.json", "sub/kv_store_text_chunks.json", "bad.ttl", "time.ttl")]
    assert list(found.failed) == [endpoint.url, *names]
    assert "out of memory" in found.failed[endpoint.url]
    assert "bad.json:1:2: not JSON" in found.failed[names[0]]
    assert ".valid_from: found 'soon'" in found.failed[names[3]]
    assert [path.name for paths in found.files.values() for path in paths] == ["a.json", "b.ttl"]
    assert len(found.catalog.entities) == 3
    assert found.endpoints == ()


def test_what_this_package_leaves_in_a_project_is_no_source(folder: Path) -> None:
    _, summary = run(folder, [make("a", mean=1.0)])
    assert main(["schema", "-o", str(folder / "graph-eval.schema.json")]) == 0
    write_baseline(folder / "accepted.json", build([], {}, graphs={}, suite_hash="", created=summary.run_at, meta={}))
    found = read_sources([folder])
    assert found.failed == {}
    assert [path.name for path in found.files["extraction"]] == ["a.json"]


def test_nothing_to_read_is_an_error_with_all_reasons(tmp_path: Path) -> None:
    write(tmp_path, "a.json", "{")
    write(tmp_path, "b.json", "[]")
    with pytest.raises(DataError, match=r"(?s)a\.json:1:2: not JSON.*b\.json:1:1: \[\] at the top"):
        read_sources([tmp_path])
    write(tmp_path, "b.json", tiny("b", entities=[entity("A", "T", "d", "c1")], relationships=[]))
    write(tmp_path, "a.json", tiny("b", chunks=[{"chunk_id": "c1", "content": "x"}], relationships=[]))
    with pytest.raises(DataError, match="has another content than in"):
        read_sources([tmp_path])


def test_the_files_of_a_suites_own_graph_are_sources_too(folder: Path) -> None:
    write(folder, "s.graph.yaml", SUITE)
    write(
        folder,
        "targets.yaml",
        "one: {rdf: [sub/b.ttl]}\ntwo: {extraction: [a.json]}\nlive: {url: 'http://x/', kind: http}",
    )
    for source in ("s.graph.yaml", "targets.yaml#one"):
        found = read_sources([source], folder)
        assert [path.name for path in found.files["rdf"]] == ["b.ttl"]
        assert found.target is None


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        ("none.json", UsageError, "none.json: no such file or folder; expected extraction JSON, GraphML, RDF"),
        ("empty", UsageError, r"empty: no graph in this folder \(\.json, \.graphml, \.ttl"),
        ("none.yaml", UsageError, "none.yaml: cannot be read: No such file or directory; expected a suite or a file"),
        ("targets.yaml", UsageError, "targets.yaml: expected FILE.yaml#NAME with one of one, live"),
        ("targets.yaml#three", UsageError, "targets.yaml#three: expected FILE.yaml#NAME with one of one, live"),
        ("targets.yaml#live", UsageError, "live: a target of kind http cannot list its graph; expected mcp or graph"),
        ("lone.graph.yaml", UsageError, "the suite has no target of its own; name a file of targets, FILE.yaml#NAME"),
        ("broken.yaml", SuiteError, "broken.yaml"),
    ],
)  # fmt: skip
def test_a_source_that_is_none_is_refused(folder: Path, source: str, kind: type[Exception], message: str) -> None:
    (folder / "empty").mkdir()
    write(folder, "targets.yaml", "one: {rdf: [sub/b.ttl]}\nlive: {url: 'http://x/', kind: http}")
    write(folder, "lone.graph.yaml", SUITE.partition("\n")[2])
    write(folder, "broken.yaml", "target: [")
    with pytest.raises(kind, match=message):
        read_sources([source], folder)


def test_the_catalog_of_a_suite_takes_what_generation_reads(folder: Path) -> None:
    write(folder, "targets.yaml", "one: {rdf: [sub/b.ttl]}")
    suite = {"target": {"extraction": ["a.json"]}, "catalog": ["targets.yaml#one", "a.json"],
             "scenarios": [{"id": "a", "question": "Who?", "gold_answer": "Ada"}]}  # fmt: skip
    write(folder, "s.graph.yaml", suite)
    known = catalog_of(load_suite(folder / "s.graph.yaml"))
    assert known is not None
    assert [entity.name for entity in known.catalog.entities] == ["Ada Byron", "Analytical Engine", "Babbage"]
    write(folder, "s.graph.yaml", suite | {"catalog": ["none.yaml"]})
    known = catalog_of(load_suite(folder / "s.graph.yaml"))
    assert known is not None
    assert "s.graph.yaml:1: the catalog cannot be read: none.yaml: cannot be read: No such file" in known.problem


def test_a_suite_out_of_an_endpoint_names_it_and_asks_nobody_by_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turtle = "".join(
        f"<http://e/m{year}> <http://www.w3.org/2000/01/rdf-schema#label> 'Net sales FY{year}' ; "
        f"<http://www.w3.org/2000/01/rdf-schema#comment> 'Net sales were $ {year}.5 million in FY{year}.' . "
        f"<http://e/Acme> <http://e/REPORTED_METRIC> <http://e/m{year}> ."
        for year in (2021, 2022, 2023)
    )
    out = tmp_path / "s.graph.yaml"
    with serving(Endpoint(turtle=turtle)) as endpoint:
        main(["generate", endpoint.url, "-o", str(out)])
        assert main(["coverage", str(out)]) == 0
        assert len(endpoint.queries) == 4, "read once for each command"
    text = out.read_text("utf-8")
    assert f"catalog:\n  - {endpoint.url}\n" in text
    assert "target:" not in text
    capsys.readouterr()
