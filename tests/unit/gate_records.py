"""Records and summaries that the tests of the gate and of the reports start from."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from pytest_graph_eval.gate.summary import GraphStats, RunInfo, SuiteInfo, Summary, summarize
from pytest_graph_eval.gate.thresholds import decide
from pytest_graph_eval.models.records import METRICS, Check, Record
from pytest_graph_eval.models.settings import Gate

SUITE = "suites/walmart.graph.yaml"
RUN_AT = "2026-05-30T13:45:22Z"


def make(id_: str, status: str = "PASS", mean: float | None = None, **fields: Any) -> Record:
    """Return a record; `scores` given by name come on top of the four metrics, which are unscored by default."""
    suite = fields.setdefault("suite", SUITE)
    scores = {**dict.fromkeys(METRICS), "mean": mean, **fields.pop("scores", {})}
    return Record(id=id_, status=status, scores=scores, nodeid=f"{suite}::{id_}", **fields)  # type: ignore[arg-type]


def info(gate: Gate | None = None, **fields: Any) -> SuiteInfo:
    return SuiteInfo(name=fields.pop("name", "walmart-10k"), gate=gate or Gate(), **fields)


def gate(**rules: Any) -> Gate:
    return Gate(**rules)


def run_info(**fields: Any) -> RunInfo:
    return RunInfo(run_at=RUN_AT, **fields)


def judged(records: Iterable[Record], suites: dict[str, SuiteInfo] | SuiteInfo | None = None, **fields: Any) -> Summary:
    """Return the summary of records with its verdict; one suite's info may be given alone."""
    if isinstance(suites, SuiteInfo):
        suites = {SUITE: suites}
    run = run_info(**fields)
    summary = summarize(records, suites, run=run)
    return summary.decided(decide(summary, run))


def codes(summary: Summary) -> list[tuple[str, str]]:
    return [(reason.code, reason.level) for reason in summary.verdict_reasons]


def text_of(summary: Summary, code: str) -> str:
    (text,) = {reason.text for reason in summary.verdict_reasons if reason.code == code}
    return text


CATEGORIES = (
    ["metric_retrieval"] * 5
    + ["entity_relationship"] * 4
    + ["segment_performance"] * 4
    + ["risk_factor"] * 3
    + ["yoy_comparison"] * 4
    + ["multi_hop"] * 4
)
_MODES = {"yoy_comparison": "global", "multi_hop": "hybrid"}
_LEVEL = {"yoy_comparison": 0.72, "multi_hop": 0.62}


def walmart() -> list[Record]:
    """Return 24 records as a run of the Walmart questions could have ended: good, weak, wrong, empty and marked."""
    chance = random.Random(1)
    records = []
    for index, category in enumerate(CATEGORIES):
        level = _LEVEL.get(category, 0.9)
        scores = {m: min(1.0, round(level + chance.uniform(-0.2, 0.2), 3)) for m in METRICS}
        mean = sum(scores.values()) / 4
        passed = mean >= 0.8
        records.append(
            make(
                f"TC{index + 1:03}",
                "PASS" if passed else "FAIL",
                mean,
                scores=scores,
                category=category,
                difficulty="easy" if index < 9 else "hard" if category == "multi_hop" else "medium",
                question=f"What is figure {index + 1} of Walmart's report?",
                gold_answer="$611.3 billion",
                query_mode=_MODES.get(category, "kg"),
                retrieved_entities_count=5,
                outcome="passed" if passed else "failed",
                reason=None if passed else f"mean {mean:.3f} is below pass_score 0.8",
                cause=None if passed else "not_retrieved",
                index=index,
                elapsed_s=(index + 1) / 100,
                usage={"input_tokens": 250, "output_tokens": 50, "total_tokens": 300, "cost_usd": 0.001},
            )
        )
    records[15].hallucinations = ['"2014": not in the evidence ("… Doug McMillon is CEO since 2014")']
    for place, count in ((8, 22), (13, 18)):
        records[place].flags = ["precision_issue"]
        records[place].retrieved_entities_count = count
    records[10].status, records[10].outcome = "FAIL", "failed"
    records[10].checks = [
        Check(kind="numbers", outcome="fail", expected="$605.9 billion",
              message="expected $605.9 billion (within 0.05 billion), nearest $611.3 billion: out_of_tolerance"),
        Check(kind="names", outcome="fail", expected="Doug McMillon"),
    ]  # fmt: skip
    records[20].status, records[20].outcome, records[20].cause = "INCONCLUSIVE", "skipped", "not_in_extraction"
    records[20].reason = "neither an answer nor evidence came back"
    records[21].outcome = "xfailed"
    return records


WALMART = SuiteInfo(
    name="walmart-10k",
    description="Walmart FY2022 + FY2023",
    documents=["walmart_extraction.json"],
    target="graph",
    graph=GraphStats(entities=51, relationships=65),
)
