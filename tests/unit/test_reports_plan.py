"""The plan of a run: what would be asked of whom, how it would be checked, and that hostile suites stay text."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.loader import prepare_suite
from pytest_graph_eval.models.scenario import Suite
from pytest_graph_eval.reports.plan import Planned, render_plan
from tests.unit.report_samples import HOSTILE
from tests.unit.test_reports_html import Page


def planned(*scenarios: dict[str, Any], repeats: int = 1, marked: str = "", **suite: Any) -> list[Planned]:
    data = {"suite": "toy", "target": {"call": "toy:ask"}, "scenarios": list(scenarios), **suite}
    loaded = prepare_suite(Suite.model_validate(data), targets={})
    return [
        Planned(loaded, one.scenario, f"t.graph.yaml::{one.scenario.id}", "t.graph.yaml:3", repeats, marked)
        for one in loaded.scenarios
    ]


def plan(rows: list[Planned]) -> Page:
    return Page("".join(render_plan(rows)))


def test_it_counts_what_would_be_asked() -> None:
    talk = {"id": "talk", "turns": [{"question": "A?", "expect": {"names": ["A"]}}, {"question": "B?"}]}
    rows = planned(talk, repeats=3) + planned({"id": "b", "question": "C?", "gold_answer": "c"}, marked="skip")
    text = " ".join(plan(rows).text.split())
    assert "2 scenarios of 1 suite" in text
    assert "6 questions would be asked" in text, "a skipped one is not asked, a turn is"


def test_a_scenario_shows_its_checks_as_a_suite_writes_them() -> None:
    scenario = {"id": "a", "question": "Q?", "gold_answer": "g", "tags": ["smoke"], "must_pass": True,
                "expect": {"numbers": ["$611.3 billion"], "names": [{"name": "EY", "aliases": ["E & Y"]}]}}  # fmt: skip
    (data,) = plan(planned(scenario, gate={"overall": {"pass": 0.9}})).data.values()
    parts = {title: blocks for title, blocks, _ in data}
    assert parts["Checks"][0][2] == [["numbers", "[$611.3 billion]"], ["names", "[{name: EY, aliases: [E & Y]}]"]]
    assert ["Gold answer", "g"] in parts["Question"][0][2]
    assert parts["Run it alone"] == [["code", "pytest --graph-eval t.graph.yaml::a"]]
    assert {row[0]: row[1] for row in parts["How"][0][2]} == {
        "Written in": "t.graph.yaml:3", "Target": "python: toy:ask", "Mode": "auto", "Least mean": "0.8",
        "Must pass": "yes", "Tags": "smoke",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ({"url": "https://me:secret@host.example/x?key=1", "tool": "t"}, "mcp: host.example"),
        ({"kind": "http", "url": "${ADDRESS}/x"}, "http"),
        ({"command": ["python", "-m", "x", "--key=1"]}, "mcp: python"),
        ({"path": "r.jsonl"}, "replay: r.jsonl"),
        ({"extraction": ["a.json", "b.json"]}, "graph: a.json, b.json"),
        ({"fixture": "agent"}, "python: agent"),
        ({"call": "toy:ask", "name": "prod"}, "prod (python)"),
    ],
)
def test_it_says_whom_without_what_may_be_secret(target: dict[str, Any], shown: str) -> None:
    (data,) = plan(planned({"id": "a", "question": "Q?", "gold_answer": "g"}, target=target)).data.values()
    parts = {title: blocks for title, blocks, _ in data}
    assert ["Target", shown] in parts["How"][0][2]


def test_the_gate_is_told() -> None:
    scenario = {"id": "a", "question": "Q?", "gold_answer": "g"}
    assert "{overall: 0.9, max_errors: 2}" in plan(planned(scenario, gate={"overall": 0.9, "max_errors": 2})).text
    assert "the default rules" in plan(planned(scenario)).text


def test_hostile_suites_are_text() -> None:
    rows = [
        row
        for n, word in enumerate(HOSTILE)
        if "surrogate" not in word  # which no suite can hold
        for row in planned({"id": f"a{n}", "question": word, "gold_answer": word, "category": word, "tags": [word],
                            "expect": {"contains": [word]}}, suite=word)
    ]  # fmt: skip
    found = plan(rows)
    assert (found.tags["script"], found.tags["img"], found.tags["tr"]) == (len(rows) + 1, 0, len(rows) + 3)


def test_a_plan_of_nothing_says_so() -> None:
    assert "0 scenarios of 0 suites" in " ".join(plan([]).text.split())
