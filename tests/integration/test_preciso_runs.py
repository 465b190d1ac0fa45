"""Whole runs on a real preciso-graphrag: the example as its README has it, and a gate that a worse retrieval fails."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.plugin.runs import WITHOUT

from .environments import environment

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "example_suites" / "preciso"
WALMART = ROOT / "example_suites" / "walmart"


def run(folder: Path, *arguments: str, **variables: str) -> tuple[int, dict[str, Any]]:
    """Run pytest with suites in a process of its own; return its status and the summary."""
    output = folder / f"out{len(list(folder.glob('out*')))}"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *WITHOUT, "--graph-eval", *arguments]
    done = subprocess.run(
        [*command, "--graph-eval-output", str(output)], cwd=ROOT, env={**os.environ, **variables},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    summaries = list(output.glob("summary_*.json"))
    assert summaries, done.stdout + done.stderr
    return done.returncode, json.loads(summaries[0].read_text("utf-8"))


def commands_of_readme() -> list[list[str]]:
    text = (EXAMPLE / "README.md").read_text("utf-8")
    return [shlex.split(line)[2:] for line in re.findall(r"^pytest --graph-eval .*", text, re.MULTILINE)]


def scores(summary: dict[str, Any]) -> dict[str, Any]:
    return {key: summary[key] for key in ("aggregate_scores", "by_category", "passed", "weak", "xfailed")}


def test_the_example_is_green_live_and_played_and_both_give_the_same(tmp_path: Path) -> None:
    """The lines of the README; the cassette is as good as the server as long as this holds."""
    played, live = commands_of_readme()
    played_status, played_summary = run(tmp_path, *played, PRECISO_PYTHON="/nowhere")
    live_status, live_summary = run(tmp_path, *live, PRECISO_PYTHON=str(environment("preciso")))
    assert (played_status, live_status) == (0, 0)
    assert (played_summary["threshold_result"], live_summary["threshold_result"]) == ("PASS", "PASS")
    codes = [[reason["code"] for reason in s["verdict_reasons"]] for s in (played_summary, live_summary)]
    assert codes == [["target_warning", "replayed"], ["target_warning"]]
    assert scores(played_summary) == scores(live_summary)
    assert live_summary["baseline"]


MINILM = """
suite: walmart-in-meaning
target:
  command: ["${PRECISO_PYTHON}", -m, preciso_mcp.server]
  env:
    GRAPHRAG_EMBEDDING_PROVIDER: openai
    GRAPHRAG_OPENAI_EMBEDDING_MODEL: all-minilm
    GRAPHRAG_EMBEDDING_DIM: "384"
    OPENAI_BASE_URL: "${EMBEDDINGS}"
    OPENAI_API_KEY: unused
    GRAPHRAG_MCP_WORKDIR: "${GRAPH}"
    PYTHONSAFEPATH: "1"
  preset: preciso
  modes: {mix: MODE}
  start_timeout: 120
  setup: [{tool: ingest_graph_tool, arguments: {payload: {$file: FOLDER/walmart_extraction.json}}}]
datasets: [{path: FOLDER/test_cases.json, format: preciso}]
defaults: {mode: mix}
gate: {fail_on: gate}
scenarios:
  - {id: unanswerable, question: "How do penguins sleep?", expect: {no_evidence: true}}
"""


def test_the_gate_fails_and_names_the_scenarios_when_the_retrieval_gets_worse(tmp_path: Path, embeddings: str) -> None:
    """With embeddings of a real model, against a baseline in mode mix: the target then turns mix into local."""
    suite, baseline = tmp_path / "minilm.graph.yaml", tmp_path / "baseline.json"
    variables = {"EMBEDDINGS": embeddings, "PRECISO_PYTHON": str(environment("preciso")), "GRAPH": str(tmp_path / "g")}

    def asked_in(mode: str, *arguments: str) -> tuple[int, dict[str, Any]]:
        suite.write_text(MINILM.replace("MODE", mode).replace("FOLDER", str(WALMART)), "utf-8")
        return run(tmp_path, str(suite), *arguments, **variables)

    status, mix = asked_in("mix", "--graph-eval-save-baseline", str(baseline))
    assert (status, mix["threshold_result"]) == (0, "PASS")
    status, local = asked_in("local", "--graph-eval-baseline", str(baseline))
    assert (status, local["threshold_result"]) == (1, "FAIL")
    assert mix["aggregate_scores"]["answer_correctness"] > 0.9 > 0.7 > local["aggregate_scores"]["answer_correctness"]
    texts = {reason["code"]: reason["text"] for reason in local["verdict_reasons"]}
    assert texts["significant_regression"].startswith("pass_rate fell from 0.92 to ")
    lost = set(mix["passed"]) - set(local["passed"])
    assert {"TC001", "TC002", "TC003"} < lost
    assert all(f"{id_} (1.00 -> 0.00)" in texts["significant_regression"] for id_ in lost)


ONE_STEP = ("metric_retrieval", "segment_performance", "entity_relationship", "risk_factor", "out_of_scope")
"""Categories that one retrieval answers. For chains, definitions and deltas the server's five relations, and its cut at
a similarity of 0.6, are too few: a suite with those tells so."""


def test_a_suite_generated_from_its_own_graph_runs_green(tmp_path: Path, embeddings: str) -> None:
    """The server is asked what it holds, and then what the suite asks."""
    settings = MINILM.partition("datasets:")[0].partition("target:")[2].replace("MODE", "mix")
    (tmp_path / "targets.yaml").write_text("preciso:" + settings.replace("FOLDER", str(WALMART)), "utf-8")
    variables = {"EMBEDDINGS": embeddings, "PRECISO_PYTHON": str(environment("preciso")), "GRAPH": str(tmp_path / "g")}
    suite = tmp_path / "s.graph.yaml"
    command = [sys.executable, "-m", "pytest_graph_eval.cli", "generate", str(tmp_path / "targets.yaml#preciso")]
    made = subprocess.run(
        [*command, "-o", str(suite), "--count", "20", "--categories", *ONE_STEP], env={**os.environ, **variables},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    status, summary = run(tmp_path, str(suite), **variables)
    assert (summary["failed"], summary["inconclusive"], summary["errors"]) == ([], [], [])
    assert len(summary["passed"]) >= 15
    assert (status, summary["threshold_result"]) == (0, "PASS")
