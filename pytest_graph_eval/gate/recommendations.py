"""What to do next: one piece of advice for each rule of the table that a run's statistics fulfil."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_graph_eval.gate.figures import SLACK, figure
from pytest_graph_eval.gate.issues import Issue
from pytest_graph_eval.gate.tally import Group, Tally
from pytest_graph_eval.texts import cut, listed, many

YOY_GAP = 0.05  # this far under the overall score: comparison edges are sparse
YOY_FLOOR = 0.60  # under it the answers lack one of the years
MULTI_HOP = 0.75  # under it chains of relationships drown in candidates
CLAIM = 40  # the most characters of a claim that are repeated
NAMED = 3  # how many names an advice lists


@dataclass(frozen=True, slots=True)
class _Run:
    tally: Tally
    issues: Sequence[Issue]

    def of(self, kind: str) -> list[Issue]:
        return [issue for issue in self.issues if issue.kind == kind]

    def category(self, word: str) -> tuple[str, Group] | None:
        """Return the first scored category with `word` in its name."""
        found = ((name, g) for name, g in self.tally.category.items() if word in name.lower() and g.mean is not None)
        return next(found, None)


def recommend(tally: Tally, issues: Sequence[Issue]) -> list[str]:
    """Return the advice that this run calls for, most urgent first; an empty list when nothing does."""
    run = _Run(tally, issues)
    return [advice for rule in _RULES if (advice := rule(run))]


def _errors(run: _Run) -> str:
    found = run.of("error")
    return f"Make the target answer first: {_scenarios(found)} ended in an error" if found else ""


def _hallucinations(run: _Run) -> str:
    found = run.of("hallucination")
    return f"Look at what the evidence does not say: {_quoted(found)} in {_names(found)}" if found else ""


def _gaps(run: _Run) -> str:
    # What had nothing to be judged by is no gap in the graph.
    empty = [i for i in run.of("inconclusive") if not i.text.startswith(("no_check", "no_baseline"))]
    found = empty + run.of("extraction_gap")
    return (
        f"Look for extraction gaps: {_scenarios(found)} found nothing in the graph ({_names(found)}); check that the "
        "entities were extracted under the names that the questions use, or declare `aliases:`"
        if found
        else ""
    )


def _yoy_years(run: _Run) -> str:
    name, group = run.category("yoy") or ("", None)
    if group is None or group.mean is None or group.mean >= YOY_FLOOR:
        return ""
    return (
        f"{name} scores {figure(group.mean, [YOY_FLOOR])}: answers lack one of the years or the change; "
        "make sure that the metrics of BOTH years were extracted"
    )


def _yoy_edges(run: _Run) -> str:
    name, group = run.category("yoy") or ("", None)
    overall = run.tally.overall.mean
    if group is None or group.mean is None or overall is None or overall - group.mean <= YOY_GAP + SLACK:
        return ""
    return (
        f"{name} scores {figure(group.mean)}, {figure(overall - group.mean)} under the overall score: the graph may "
        "have too few comparison edges (COMPARED_TO) between the years"
    )


def _multi_hop(run: _Run) -> str:
    name, group = run.category("multi_hop") or ("", None)
    if group is None or group.mean is None or group.mean >= MULTI_HOP:
        return ""
    return (
        f"{name} scores {figure(group.mean, [MULTI_HOP])}: filter relationships by type before the chain "
        "is followed, so that fewer candidates compete"
    )


def _precision(run: _Run) -> str:
    found = run.of("precision")
    return (
        f"Filter or cap what is retrieved: {_scenarios(found)} returned more than 15 entities ({_names(found)}); "
        "`top_entities: 8` on the target keeps the best ranked"
        if found
        else ""
    )


_RULES: tuple[Callable[[_Run], str], ...] = (
    _errors,
    _hallucinations,
    _gaps,
    _yoy_years,
    _yoy_edges,
    _multi_hop,
    _precision,
)


def _scenarios(issues: Sequence[Issue]) -> str:
    return many(len({issue.id for issue in issues}), "scenario")


def _names(issues: Sequence[Issue]) -> str:
    return listed(list(dict.fromkeys(issue.id for issue in issues)), NAMED)


def _quoted(issues: Sequence[Issue]) -> str:
    """Return the claims without the passage that each stands in."""
    claims = dict.fromkeys(issue.text.partition(": not in the evidence")[0] for issue in issues)
    return listed([cut(claim, CLAIM) for claim in claims], NAMED)
