"""A record and a verdict as scalars with names, for JUnit files and whatever else reads the properties of tests."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from pytest_graph_eval.gate.summary import Summary
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.texts import cut

PREFIX = "graph_eval_"
LONGEST = 200
"""Characters of a text: properties are for figures and words."""

Property = tuple[str, str | int | float | bool]


def record_properties(record: Record) -> list[Property]:
    """Return a scenario's outcome as properties: its status, circumstances and scores; nothing that is unknown."""
    values = {
        "status": record.status,
        "cause": record.cause,
        "category": record.category,
        "difficulty": record.difficulty,
        "mode": record.mode_ran or record.query_mode,
        "attempts": record.attempts,
        "pass_rate": record.pass_rate,
        "seconds": record.elapsed_s,
        "total_tokens": record.usage.get("total_tokens"),
        "cost_usd": record.usage.get("cost_usd"),
        "flags": ", ".join(record.flags) or None,
        **record.scores,
    }
    return list(_known(values))


def suite_properties(summary: Summary) -> list[Property]:
    """Return the verdict of a run and its figures as properties."""
    values = {
        "verdict": summary.threshold_result,
        "reasons": ", ".join(f"{r.level} {r.code}" for r in summary.verdict_reasons if r.level != "NOTE") or None,
        "run_status": summary.run.status,
        "questions": summary.total_questions,
        "pass_rate": summary.pass_rate,
        **summary.aggregate_scores,
        "suite_hash": summary.suite_hash,
        "results_file": summary.results_file,
    }
    return list(_known(values))


def _known(values: dict[str, Any]) -> Iterator[Property]:
    for name, value in values.items():
        if value is not None and value != "":
            yield _key(name), cut(value, LONGEST) if isinstance(value, str) else value


@functools.cache  # one text for all records
def _key(name: str) -> str:
    return PREFIX + re.sub(r"[^\w.@-]", "_", name)
