"""What every report lists of single scenarios: the summary's issues by kind, a cause that many share said once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_graph_eval.gate.issues import Issue
from pytest_graph_eval.gate.summary import Summary
from pytest_graph_eval.reports.rows import Tone
from pytest_graph_eval.texts import many

# kind of issue: its label, what is counted, and what is said of it
_KINDS: Mapping[str, tuple[str, str, str]] = {
    "hallucination": ("Hallucinations", "claim", "not in the evidence"),
    "precision": ("Precision Issues", "scenario", "with more than 15 entities: filter them, or set `top_entities`"),
    "extraction_gap": ("Extraction Gaps", "scenario", "asking for what was never extracted"),
    "stale": ("Stale Facts", "scenario", "expecting what the catalog no longer says"),
    "inconclusive": ("Inconclusive", "scenario", "with nothing to judge"),
    "error": ("Errors", "scenario", "not measured"),
    "judge": ("Judge Errors", "scenario", "without a judgement that was asked for"),
}
_SHARED = {"error", "inconclusive", "judge"}

Shared = tuple[list[str], str]
"""Scenarios, and what is to be said of all of them."""


@dataclass(frozen=True, slots=True)
class IssueRow:
    """The issues of one kind."""

    label: str
    text: str
    tone: Tone
    items: list[Shared]


def issue_rows(summary: Summary) -> list[IssueRow]:
    """Return the kinds of issues that there are; hallucinations also where there are none. Failures are not listed."""
    found: defaultdict[str, list[Issue]] = defaultdict(list)
    for issue in summary.issues:
        found[issue.kind].append(issue)
    rows = []
    for kind, (label, noun, what) in _KINDS.items():
        count = len(found[kind])
        if count or kind == "hallucination":
            text = f"{many(count, noun)} {what}" if count else "none"
            rows.append(IssueRow(label, text, "warn" if count else "good", shared(found[kind])))
    return rows


def shared(issues: Iterable[Issue]) -> list[Shared]:
    """Return what is said in `issues`, each cause with all the scenarios that have it."""
    together: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for issue in issues:
        text = issue.text if issue.count is None else many(issue.count, "entity")
        together[text, "" if issue.kind in _SHARED else issue.id].append(issue.id)
    return [(names, text) for (text, _), names in together.items()]
