"""A run of graphrag-eval 6.6.1, made by the package itself, against ours: all numbers are the same but for a fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval import cli, evaluate
from tests.unit.cli_runs import results

RUN = json.loads((Path(__file__).parents[1] / "data" / "graphrag_eval_6.6.1.json").read_text(encoding="utf-8"))
MEASURED = ("input_tokens", "output_tokens", "total_tokens", "elapsed_sec")


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("numbers")
    (folder / "data.json").write_text(json.dumps(RUN["data"]), encoding="utf-8")
    (folder / "records.jsonl").write_text("\n".join(map(json.dumps, RUN["records"])), encoding="utf-8")
    (folder / "s.graph.yaml").write_text(
        "target: {path: records.jsonl}\n"
        "defaults: {expect: {steps_mode: suffix}}\n"
        "datasets: [{path: data.json, format: graphrag-eval}]\n",
        encoding="utf-8",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        results(folder / "r", evaluate("s.graph.yaml"))
        assert cli.main(["report", "r", "--format", "graphrag-eval", "--zeros", "-o", "report.json"]) == 0
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def test_every_result_is_the_same(ours: Any) -> None:
    steps = {record["question_id"]: record.get("actual_steps", []) for record in RUN["records"]}
    for result, theirs in zip(ours["results"], RUN["results"], strict=True):
        assert result.pop("actual_steps") == steps[theirs["question_id"]]
        if "reference_steps" in result:
            groups = result["reference_steps"]
            result["reference_steps"] = [[step.get("matches") for step in group] for group in groups]
        assert result == theirs


def test_every_aggregate_is_the_same_but_the_mean_of_what_a_template_has_not(ours: Any) -> None:
    found, theirs = ours["aggregates"], RUN["aggregates"]
    assert found["per_template"] == rounded(theirs["per_template"])
    assert found["micro"] == rounded(theirs["micro"])
    assert found["macro"]["steps_score"] == rounded(theirs["macro"]["steps_score"])
    for metric in MEASURED:  # a template without any counts as 0 there
        means = [part[metric]["mean"] for part in theirs["per_template"].values()]
        assert theirs["macro"][metric]["mean"] == pytest.approx(sum(means) / len(means))
        assert found["macro"][metric]["mean"] == pytest.approx(sum(means) / (len(means) - means.count(0)))


def rounded(value: Any) -> Any:
    """Return the figures as approximate ones."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    return pytest.approx(value)
