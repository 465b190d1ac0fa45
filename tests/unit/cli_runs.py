"""Runs in files, as pytest leaves them: what the commands that read results start from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pytest_graph_eval.gate.summary import SuiteInfo, Summary, summarize
from pytest_graph_eval.gate.thresholds import decide
from pytest_graph_eval.gate.verdict import Reason
from pytest_graph_eval.models.records import Record
from tests.unit.gate_records import SUITE, info, run_info

STAMP = "20260530T1345{:02}Z"


def results(folder: Path, records: Iterable[Record], *, number: int = 0, name: str = "") -> Path:
    """Write a results file; `number` is the second at which its run began."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name or f"evaluation_results_{STAMP.format(number)}.jsonl")
    path.write_text("".join(r.to_line() + "\n" for r in records), encoding="utf-8")
    return path


def run(
    folder: Path,
    records: Iterable[Record],
    suites: dict[str, SuiteInfo] | None = None,
    *,
    number: int = 0,
    extra: Iterable[Reason] = (),
    blocks: dict[str, Any] | None = None,
    **circumstances: Any,
) -> tuple[Path, Summary]:
    """Write the results file and the summary of a run; return the file and the summary."""
    records = list(records)
    path = results(folder, records, number=number)
    circumstances = {"collected": len(records), "duration_s": 1.0, **circumstances}
    told = run_info(results_file=path.as_posix(), **circumstances)
    summary = summarize(records, suites if suites is not None else {SUITE: info(scenarios=len(records))}, run=told)
    summary = summary.decided(decide(summary, told, extra), **(blocks or {}))
    beside = folder / f"summary_{STAMP.format(number)}.json"
    beside.write_text(summary.to_json(), encoding="utf-8")
    return path, summary
