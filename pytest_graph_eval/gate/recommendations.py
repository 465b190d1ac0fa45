"""What to do next: one piece of advice for each rule of the tables that a run's statistics fulfil."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_graph_eval.gate.figures import SLACK, figure
from pytest_graph_eval.gate.issues import Issue
from pytest_graph_eval.gate.tally import Tally
from pytest_graph_eval.texts import cut, listed, many

YOY_GAP = 0.05  # this far under the overall score: comparison edges are sparse
YOY_FLOOR = 0.60  # under it the answers lack one of the years
MULTI_HOP = 0.75  # under it chains of relationships drown in candidates
CLAIM = 40  # the most characters of a claim that are repeated
NAMED = 3  # how many names an advice lists

# What is advised about issues of some kinds, before and after what is advised about categories.
_FIRST: dict[tuple[str, ...], str] = {
    ("error",): "Make the target answer first: {scenarios} ended in an error",
    ("hallucination",): "Look at what the evidence does not say: {claims} in {names}",
    ("inconclusive", "extraction_gap"): (
        "Look for extraction gaps: {scenarios} found nothing in the graph ({names}); check that the entities were "
        "extracted under the names that the questions use, or declare `aliases:`"
    ),
}
_LAST: dict[tuple[str, ...], str] = {
    ("precision",): (
        "Filter or cap what is retrieved: {scenarios} returned more than 15 entities ({names}); `top_entities: 8` on "
        "the target keeps the best ranked"
    ),
}
# A word of a category's name, the line that its score is under (None: it is far under the overall score), the advice.
_CATEGORIES: tuple[tuple[str, float | None, str], ...] = (
    (
        "yoy",
        YOY_FLOOR,
        (
            "{name} scores {score}: answers lack one of the years or the change; make sure that the metrics of BOTH "
            "years were extracted"
        ),
    ),
    (
        "yoy",
        None,
        (
            "{name} scores {score}, {gap} under the overall score: the graph may have too few comparison edges "
            "(COMPARED_TO) between the years"
        ),
    ),
    (
        "multi_hop",
        MULTI_HOP,
        (
            "{name} scores {score}: filter relationships by type before the chain is followed, so that fewer "
            "candidates compete"
        ),
    ),
)
# What had nothing to be judged by is no gap in the graph.
_NO_GAP = ("no_check", "no_baseline")


def recommend(tally: Tally, issues: Sequence[Issue]) -> list[str]:
    """Return the advice that this run calls for, most urgent first; an empty list when nothing does."""
    return [*_about_issues(_FIRST, issues), *_about_categories(tally), *_about_issues(_LAST, issues)]


def _about_issues(advice: dict[tuple[str, ...], str], issues: Sequence[Issue]) -> Iterator[str]:
    for kinds, text in advice.items():
        found = [i for kind in kinds for i in issues if i.kind == kind and not is_no_gap(i)]
        ids = list(dict.fromkeys(issue.id for issue in found))
        # The claims without the passage that each stands in.
        claims = dict.fromkeys(issue.text.partition(": not in the evidence")[0] for issue in found)
        if found:
            quoted = listed([cut(claim, CLAIM) for claim in claims], NAMED)
            yield text.format(scenarios=many(len(ids), "scenario"), names=listed(ids, NAMED), claims=quoted)


def is_no_gap(issue: Issue) -> bool:
    """Tell whether a scenario had nothing to be judged by, which says nothing about the graph."""
    return issue.kind == "inconclusive" and issue.text.startswith(_NO_GAP)


def _about_categories(tally: Tally) -> Iterator[str]:
    for word, line, text in _CATEGORIES:
        scored = ((name, g.mean) for name, g in tally.category.items() if word in name.lower() and g.mean is not None)
        name, score = next(scored, ("", None))
        gap = (tally.overall.mean or 0.0) - (score or 0.0)
        if score is not None and (score < line if line is not None else gap > YOY_GAP + SLACK):
            shown = figure(score, () if line is None else [line])
            yield text.format(name=name, score=shown, gap=figure(gap))
