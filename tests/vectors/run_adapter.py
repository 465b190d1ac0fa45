"""Translates vectors about whole runs of graphrag-eval into scenarios, responses and records, and back."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.evaluation.asking import Asked
from pytest_graph_eval.evaluation.evaluate import Context, score_scenario
from pytest_graph_eval.formats import graphrag_eval
from pytest_graph_eval.metrics.trajectory import count_calls
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.models.settings import ReplayTarget
from pytest_graph_eval.reports.graphrag_eval import METRICS, Results
from pytest_graph_eval.targets.base import Query, Surroundings, open_target

_USAGE = ("input_tokens", "output_tokens", "total_tokens")


def run_data_set(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Score response records with a data set, counting groups as graphrag-eval 6.6.1 does.

    The keys of a lone result stand at the top, too.
    """
    # Template by template: to the cases an id may stand in two of them, which one file of ours may not.
    files = [graphrag_eval.read([template], lambda _: (1, 1), "vector") for template in inputs["reference"]]
    if problems := [problem for file in files for problem in file.problems]:
        raise DataError(problems=problems)
    scenarios = [entry.scenario for file in files for entry in file.entries]
    questions = graphrag_eval.questions(inputs["reference"])
    results = Results()
    for index, (scenario, record) in enumerate(_scored(scenarios, inputs["actual"])):
        raw = inputs["actual"][scenario.source_id or scenario.id]
        results.add(record.model_copy(update={"index": index}), questions[scenario.source_id or scenario.id], raw)
    found = results.results()
    return {**(found[0] if len(found) == 1 else {}), "results": found}


def _scored(scenarios: Sequence[Scenario], actual: Mapping[str, Any]) -> Iterator[tuple[Scenario, Record]]:
    with tempfile.TemporaryDirectory() as tmp:
        (Path(tmp) / "records.json").write_text(json.dumps(actual), encoding="utf-8")
        target = open_target(ReplayTarget(path="records.json"), Surroundings(Path(tmp), Path(tmp)))
        asyncio.run(target.open())
    for scenario in scenarios:
        expect = scenario.expect.model_copy(update={"steps_mode": "suffix"})
        query = Query(scenario.question, id=scenario.id, source_id=scenario.source_id or "")
        response = asyncio.run(target.ask(query))
        yield scenario, score_scenario(scenario.model_copy(update={"expect": expect}), Asked(response), Context())


def run_aggregates(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Aggregate samples; every statistic stands at its dotted path, too."""
    results = Results()
    for index, sample in enumerate(inputs["actual"]):
        results.add(_record(sample, index), raw=sample)
    found = results.aggregates(zeros=True)
    return {**found, **dict(_dotted(found))}


def _record(sample: Mapping[str, Any], index: int) -> Record:
    """Return a sample as a record."""
    steps = sample.get("actual_steps") or []
    return Record(
        id=str(sample["question_id"]),
        index=index,
        status="ERROR" if sample.get("error") is not None else "PASS",
        template_id=sample["template_id"],
        scores={metric: sample[metric] for metric in METRICS if metric in sample},
        usage={key: sample[key] for key in _USAGE if key in sample},
        elapsed_s=sample.get("elapsed_sec"),
        tool_calls=steps,
        steps={**count_calls(steps)},
    )


def _dotted(value: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, part in value.items():
        yield f"{path}{key}", part
        if isinstance(part, Mapping):
            yield from _dotted(part, f"{path}{key}.")
