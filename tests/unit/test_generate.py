"""Suites out of graphs: what is asked, what is not, and that it never depends on the machine."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_graph_eval import cli, load_suite

WALMART = Path(__file__).parent.parent.parent / "example_suites/walmart/walmart_extraction.json"


def test_a_suite_is_written_that_loads_and_asks_its_own_graph(tmp_path: Path) -> None:
    path = tmp_path / "evals" / "w.graph.yaml"
    assert cli.main(["generate", str(WALMART), "-o", str(path)]) == 0
    suite = load_suite(path)
    assert suite.target is not None
    assert suite.target.kind == "graph"
    scenario = next(s.scenario for s in suite.scenarios if s.scenario.category == "metric_retrieval")
    assert scenario.fact_spec["kind"] == "metric_retrieval"
    held = json.loads(WALMART.read_text("utf-8"))["entities"]
    described = next(e["description"] for e in held if e["entity_name"] == scenario.source_entities[0])
    assert scenario.gold_answer
    assert scenario.gold_answer in described
