"""What a reader should know of single scenarios: one line each, taken out of their records.

The list of the summary, so that the cause of a verdict can be read without the records and without another run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pytest_graph_eval.gate.figures import figure, is_number
from pytest_graph_eval.gate.outcomes import Key, Kind, Namer
from pytest_graph_eval.models.conversations import FRESHNESS
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.texts import cut

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing worth reading.

    `kind` is hallucination, precision, extraction_gap, inconclusive, error or failure; of the facts that are expected
    stale, refreshed or unchecked, and no_catalog; and judge, for a judgement that failed.

    There may be one for each of a million records, and a model is ten times as large.
    """

    kind: str
    id: str
    suite: str = ""
    text: str = ""
    count: int | None = None
    """How many entities came back, for `precision`."""


def one_line(text: str) -> str:
    """Return text as one line of bounded length."""
    return cut(" ".join(text.split()), _LONGEST)


class IssueList:
    """Takes records and makes the issues of the summary, sorted as records are."""

    def __init__(self) -> None:
        self._found: list[tuple[Key, Issue]] = []

    def add(self, record: Record, kind: Kind, key: Key) -> None:
        """Take what is to be said of a record; nothing of the skipped and of expected failures."""
        if kind not in ("skipped", "xfailed"):
            self._found += [(key, issue) for issue in _issues(record, kind)]

    def issues(self, name: Namer) -> list[Issue]:
        """Return all issues, each under the name of its record."""
        ranked = sorted(self._found, key=lambda found: found[0])
        return [replace(issue, id=name(key)) for key, issue in ranked]


def _issues(record: Record, kind: Kind) -> Iterator[Issue]:
    for what, text, count in _facts(record, kind):
        yield Issue(kind=what, id=record.id, suite=record.suite, text=one_line(text), count=count)


def _facts(record: Record, kind: Kind) -> Iterator[tuple[str, str, int | None]]:
    """Yield kind, text and count of everything that is to be said."""
    for key in FRESHNESS:
        if texts := record.facts.get(key):
            yield key, "; ".join(texts), None
    if "catalog" in record.explain:
        yield "no_catalog", record.explain["catalog"], None
    if record.judge.get("error"):
        yield "judge", record.judge["error"], None
    if kind == "errors":
        yield "error", record.error or record.reason or "not measured, and no cause was recorded", None
        return
    if kind == "inconclusive":
        yield "inconclusive", record.reason or "neither an answer nor evidence came back", None
    if kind == "failed":
        yield "failure", _failure(record), None
    for claim in record.hallucinations:
        yield "hallucination", claim, None
    if "precision_issue" in record.flags:
        yield "precision", "", record.retrieved_entities_count
    if record.cause == "not_in_extraction":
        yield "extraction_gap", record.explain.get("cause") or record.gold_answer or record.question, None


def _failure(record: Record) -> str:
    """Say why a scenario failed: the cause, then a failed check or the reason given, else the lowest score.

    The check is the first that the cause is of, else the first.
    """
    failed = [check for check in record.checks if check.outcome != "pass"]
    more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
    if record.status == "PASS":
        what = "its teardown failed" if "teardown_error" in record.flags else f"its item {record.outcome}"
        text = record.reason or f"the scenario passed, but {what} in pytest"
    elif failed:
        first = next((check for check in failed if check.rule == record.cause), failed[0])
        message = first.message or f"expected {first.expected!r}"
        text = f"{first.kind}: {message.removeprefix(f'{first.kind}: ')}{more}"
    else:
        reason = record.reason or _lowest(record.scores.items())
        text = "; ".join(filter(None, (record.explain.get("cause"), reason)))
    return f"{record.cause}: {text}" if record.cause and record.cause != "error" else text


def _lowest(scores: Iterable[tuple[str, float | None]]) -> str:
    scored = [
        (value, metric) for metric, value in scores if value is not None and is_number(value) and metric != "mean"
    ]
    if not scored:
        return "no reason was recorded"
    value, metric = min(scored)
    return f"{metric} {figure(value)}"
