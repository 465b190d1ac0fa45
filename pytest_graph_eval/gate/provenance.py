"""What a verdict says of the facts that scenarios expect: whether the graph still holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pytest_graph_eval.gate.issues import Issue
from pytest_graph_eval.gate.verdict import Level, Reason
from pytest_graph_eval.texts import cut, listed, many

_NAMED = 3
_LONGEST = 200


class _Rule(NamedTuple):
    """What is said of one kind of issue; `advice` ends it."""

    code: str
    level: Level
    words: str
    advice: str = ""


_RULES: Mapping[str, _Rule] = {
    "no_catalog": _Rule("catalog_unreadable", "FAIL", "measured without the suite's catalog"),
    "stale": _Rule(
        "stale_facts", "WARN", "expecting what the catalog no longer says",
        "; generate the suite again, or run with --graph-eval-facts refresh",
    ),
    "refreshed": _Rule("facts_refreshed", "NOTE", "judged by what the catalog says now"),
    "unchecked": _Rule("facts_unchecked", "NOTE", "whose facts could not be compared with the catalog"),
}  # fmt: skip


def provenance(issues: Sequence[Issue], suite: str) -> Iterator[Reason]:
    """Yield a reason for each thing that the issues of a suite say of its expected facts."""
    for kind, rule in _RULES.items():
        texts: dict[str, list[str]] = {}
        for issue in issues:
            if issue.kind == kind:
                texts.setdefault(issue.text, []).append(issue.id)
        if texts:
            count = many(sum(map(len, texts.values())), "scenario")
            found = [f"{listed(ids, _NAMED)} ({cut(text, _LONGEST)})" for text, ids in texts.items()]
            text = f"{count} {rule.words}: {listed(found, _NAMED)}{rule.advice}"
            yield Reason(code=rule.code, level=rule.level, text=text, suite=suite)
