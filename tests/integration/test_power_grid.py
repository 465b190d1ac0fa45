"""The power grid example, asked live with a real SPARQL engine: it passes, and ten ways to break its agent do not.

Each way is a fault that agents have. The gate must say FAIL, and the record must name the fault.
"""

from __future__ import annotations

import functools
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval import decide, evaluate, load_suite, summarize
from pytest_graph_eval.gate.summary import RunInfo, Summary
from pytest_graph_eval.library import suite_info
from pytest_graph_eval.loader import DeclaredTarget
from pytest_graph_eval.models.records import Record, Response
from pytest_graph_eval.models.settings import PythonTarget
from pytest_graph_eval.targets.recording.lines import read_cassette
from pytest_graph_eval.targets.recording.recorder import target_identity

FOLDER = Path(__file__).parents[2] / "example_suites" / "power_grid"
SUITE = FOLDER / "power_grid.graph.yaml"

sys.path.insert(0, str(FOLDER))
from power_grid_agent import Agent, Tools, _rows  # noqa: E402 - it stands beside its suite

sys.path.remove(str(FOLDER))


class Remembering(Tools):
    """The tools, which answer the same query from memory: the grid does not change."""

    @functools.cache  # noqa: B019 - one object lives as long as the tests
    def sparql_query(self, query: str) -> str:
        return super().sparql_query(query)


@pytest.fixture(scope="module")
def tools() -> Tools:
    return Remembering(FOLDER)


def ask(agent: Agent) -> tuple[dict[str, Record], Summary]:
    """Run the suite against an agent, and judge it."""
    module = types.ModuleType(f"power_grid_agent_{id(agent)}")
    module.ask = agent  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module
    suite = load_suite(SUITE, rootdir=FOLDER, targets={})
    target = DeclaredTarget(PythonTarget(call=f"{module.__name__}:ask"), FOLDER)
    try:
        records = evaluate(suite, target)
    finally:
        del sys.modules[module.__name__]
    run = RunInfo(run_at="2026-11-30T12:00:00Z", collected=len(records))
    summary = summarize(records, {suite.key: suite_info(suite, None)}, run=run)
    return {record.id: record for record in records}, summary.decided(decide(summary, run))


class SkipsTheSearch(Agent):
    def find(self, name: str) -> str:
        return f"https://grid.example/id/{name.lower()}"


class TakesAnotherTransformer(Agent):
    def find(self, name: str) -> str:
        return _rows(self.call("autocomplete_search", query=name))[-1]["iri"]


class SwapsTheEnds(Agent):
    def query(self, query: str, **values: str) -> list[dict[str, str]]:
        swapped = query.replace("label ?from", "label ?x").replace("label ?to", "label ?from").replace("?x", "?to")
        return super().query(swapped, **values)


class StopsAtTheFirstRow(Agent):
    def query(self, query: str, **values: str) -> list[dict[str, str]]:
        return super().query(f"{query} LIMIT 1", **values)


class LooksBackTooFar(Agent):
    def mean(self, series: str, start: str) -> float:
        return super().mean(series, start.replace("7d", "8d"))


class AsksForDays(Agent):
    def mean(self, series: str, start: str) -> float:
        window = {"start": start, "end": "now", "granularity": "1d", "aggregates": ["average"]}
        return float(self.call("retrieve_data_points", external_id=series, **window))


class ReadsTheValuesFirst(Agent):
    def find(self, name: str) -> str:
        if name == "T4" and not self.calls:
            super().find(name)
            self.mean("https://grid.example/id/load-t4", "7d-ago")
        return super().find(name)

    def mean(self, series: str, start: str) -> float:
        return 312.5 if len(self.calls) > 3 else super().mean(series, start)


class WritesToTheGraph(Agent):
    def query(self, query: str, **values: str) -> list[dict[str, str]]:
        self.calls.append({"id": "u", "name": "sparql_update", "args": {}, "status": "success", "output": "ok"})
        return super().query(query, **values)


class AsksAgainAndAgain(Agent):
    def query(self, query: str, **values: str) -> list[dict[str, str]]:
        for _ in range(4):
            super().query(query, **values)
        return super().query(query, **values)


class SaysAnotherFigure(Agent):
    def mean(self, series: str, start: str) -> float:
        return 1.1 * super().mean(series, start)


class LosesTheLanguages(Agent):
    def call(self, tool: str, **args: Any) -> str:
        output = super().call(tool, **args)
        # engines write JSON with spaces or without, and the keys of a cell in any order
        self.calls[-1]["output"] = re.sub(r',\s*"xml:lang":\s*"\w+"|"xml:lang":\s*"\w+",', "", output)
        return output


class Invents(Agent):
    def __call__(self, question: str) -> dict[str, Any]:
        if "owns" in question:
            return {"answer": "The grid is owned by Norvale Nett.", "tool_calls": []}
        return super().__call__(question)


class WritesBadQueries(Agent):
    def query(self, query: str, **values: str) -> list[dict[str, str]]:
        return super().query(query.replace("WHERE {", "WHERE"), **values)


BREAKS = [
    (SkipsTheSearch, "line-ends", "step 1 autocomplete_search: it was never called"),
    (TakesAnotherTransformer, "load-t4", "argument mrid"),
    (SwapsTheEnds, "line-ends", "Cedar"),
    (StopsAtTheFirstRow, "transformers-alder", "T2"),
    (LooksBackTooFar, "load-t4", "argument start"),
    (AsksForDays, "load-t4", "it ended in an error: ValueError: this historian has hourly averages only"),
    (ReadsTheValuesFirst, "load-t4", "out of order"),
    (WritesToTheGraph, "count-north", "sparql_update must not be called; call 2 sparql_update"),
    (AsksAgainAndAgain, "count-north", "6 calls, at most 4 expected"),
    (SaysAnotherFigure, "oil-t4", "mean 0.50 is below pass_score 0.8"),
    (LosesTheLanguages, "region-names", "Sør"),
    (Invents, "out-of-scope", "a denial is expected"),
    (WritesBadQueries, "no-such-transformer", "it ended in an error: ParseException"),
]


def told(record: Record) -> Iterator[str]:
    yield from (check.message for check in record.checks if check.outcome != "pass")
    yield record.reason or ""


def test_the_agent_passes_when_it_is_asked_live(tools: Tools) -> None:
    records, summary = ask(Agent(tools))
    assert {id_: list(told(r)) for id_, r in records.items() if r.status != "PASS"} == {}
    assert (summary.threshold_result, summary.verdict_reasons) == ("PASS", [])
    assert summary.steps["total"] == {
        "autocomplete_search": 9, "retrieve_data_points": 2, "retrieve_time_series": 2, "sparql_query": 8,
    }  # fmt: skip


@pytest.mark.parametrize(("broken", "scenario", "words"), BREAKS, ids=[b.__name__ for b, *_ in BREAKS])
def test_a_broken_agent_fails_and_the_record_names_the_fault(
    tools: Tools, broken: type[Agent], scenario: str, words: str
) -> None:
    records, summary = ask(broken(tools))
    assert summary.threshold_result == "FAIL"
    assert scenario in summary.failed
    assert any(scenario in reason.text for reason in summary.verdict_reasons)
    assert records[scenario].status == "FAIL"
    assert words in "\n".join(told(records[scenario]))


def test_the_cassette_is_what_the_agent_says_today(tools: Tools) -> None:
    cassette, agent = read_cassette(FOLDER / "cassettes" / "power_grid.jsonl"), Agent(tools)
    suite = load_suite(SUITE, targets={})
    assert list(cassette.headers) == [target_identity(suite.target, FOLDER)]
    assert {line.question for line in cassette.lines.values()} == {s.scenario.question for s in suite.scenarios}
    for line in cassette.lines.values():
        assert isinstance(line.content, Response)
        assert agent(line.question)["answer"] == line.content.answer
