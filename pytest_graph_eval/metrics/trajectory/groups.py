"""Groups of reference steps against the calls of a trajectory: which step gets which call, at the best total.

Groups come one after another: what serves a group comes before all that serves the next one. Inside a group any order
will do. Everything is looked at from the end, so that of equal calls the latest one counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from pytest_graph_eval.metrics.trajectory.assignment import Pairing
from pytest_graph_eval.models.steps import StepsMode

Scores = Sequence[Sequence[Sequence[float]]]
"""How well each call fits each step of each group, between 0 and 1."""

Pairs = list[list[int | None]]
"""The call of each step of each group."""

_Weights = list[list[int]]
_UNIT = 10**12


def assign(scores: Scores, *, mode: StepsMode = "mean", ordered: bool = True) -> Pairs:
    """Return which call each step gets, so that the mean over groups of the mean over steps is the greatest.

    Args:
        scores: of every step with every call; 0 is no match.
        mode: `mean` looks at all groups; `suffix` at a group only where all steps of all later ones got a call;
            `last_group` at the last one alone.
        ordered: whether groups must come one after another.
    """
    if not scores:
        return []
    if mode != "last_group" and (pairs := _obvious(scores, ordered=ordered)) is not None:
        return pairs
    last = len(scores) - 1
    looked_at = [last] if mode == "last_group" else range(last, -1, -1)
    weights = [_weights(scores, group) for group in looked_at]
    by_order = _in_suffix if mode == "suffix" else _in_order
    found = (by_order if ordered else _anywhere)(weights)
    pairs = [[None] * len(group) for group in scores]
    for group, columns in zip(looked_at, found, strict=False):
        calls = len(scores[group][0])
        pairs[group] = [None if column is None else calls - 1 - column for column in reversed(columns)]
    return pairs


def _obvious(scores: Scores, *, ordered: bool) -> Pairs | None:
    """Return the pairs in which every step has its own best call, the latest of equal ones; None where they clash."""
    used: set[int] = set()
    pairs: Pairs = []
    end = -1
    for group in scores:
        calls: list[int] = []
        for step in group:
            best = max(step, default=0)
            call = len(step) - 1 - step[::-1].index(best) if best > 0 else -1
            if call in used or call <= (end if ordered else -1):
                return None
            used.add(call)
            calls.append(call)
        end = max(calls)
        pairs.append(list(calls))
    return pairs


def _weights(scores: Scores, group: int) -> _Weights:
    """Return the scores of a group as whole numbers on one scale, with steps and calls from the last to the first."""
    share = math.lcm(*map(len, scores)) // len(scores[group])
    return [
        [max(round(score * _UNIT), 1) * share if score > 0 else 0 for score in reversed(step)]
        for step in reversed(scores[group])
    ]


class _Table(NamedTuple):
    """For each number of calls: the best total of all groups so far on that many, and the calls of the last group."""

    weights: _Weights
    totals: list[int | None]
    windows: list[tuple[int, int]]


def _in_order(groups: Sequence[_Weights]) -> list[list[int | None]]:
    tables: list[_Table] = []
    for weights in groups:
        tables.append(_extended(weights, _totals(tables, weights)))
    return _traced(tables)


def _in_suffix(groups: Sequence[_Weights]) -> list[list[int | None]]:
    """Look for the best number of complete groups before one that may be incomplete."""
    complete: list[_Table] = []
    best: list[_Table] = []
    for weights in groups:
        before = _totals(complete, weights)
        partial = _extended(weights, before)
        if not best or (partial.totals[-1] or 0) > (best[-1].totals[-1] or 0):
            best = [*complete, partial]
        complete.append(_extended(weights, before, whole=True))
        if complete[-1].totals[-1] is None:
            break
    return _traced(best)


def _totals(tables: Sequence[_Table], weights: _Weights) -> list[int | None]:
    return tables[-1].totals if tables else [0] * (len(weights[0]) + 1)


def _extended(weights: _Weights, before: list[int | None], *, whole: bool = False) -> _Table:
    """Return the table with one more group.

    A group begins only where the total before it got better: from there on it has the most calls left. It ends where
    it cannot get better any more. With `whole`, only pairings in which every step has a call count.
    """
    size = len(before)
    bonus = sum(map(max, weights)) + 1 if whole and size > 1 else 0  # one more pair outweighs all better ones
    raised = [[weight and weight + bonus for weight in row] for row in weights] if bonus else weights
    most = sum(max(row, default=0) for row in raised)
    totals: list[int | None] = [None] * size if whole else list(before)
    windows = [(n, n) for n in range(size)]
    for start, total in enumerate(before):
        if total is None or (start and before[start - 1] is not None and total <= before[start - 1]):  # type: ignore[operator]
            continue
        pairing = Pairing(raised)
        for column in range(start, size - 1):
            pairing.add(column)
            if whole and None in pairing.columns:
                continue
            reached = total + pairing.total - bonus * len(weights)
            if (known := totals[column + 1]) is None or reached > known:
                totals[column + 1], windows[column + 1] = reached, (start, column + 1)
            if pairing.total == most:
                break
    for n in range(1, size):
        if (known := totals[n - 1]) is not None and (totals[n] is None or known > totals[n]):  # type: ignore[operator]
            totals[n], windows[n] = known, windows[n - 1]
    return _Table(raised, totals, windows)


def _traced(tables: Sequence[_Table]) -> list[list[int | None]]:
    """Return the columns of each step, from the calls that each group got."""
    found = []
    end = len(tables[-1].totals) - 1
    for table in reversed(tables):
        start, end = table.windows[end]
        found.append(_paired(table.weights, range(start, end)))
        end = start
    return found[::-1]


def _paired(weights: _Weights, columns: Sequence[int]) -> list[int | None]:
    pairing = Pairing(weights)
    for column in columns:
        pairing.add(column)
    return pairing.columns


def _anywhere(groups: Sequence[_Weights]) -> list[list[int | None]]:
    """Pair the steps of all groups at once."""
    columns = iter(_paired([row for weights in groups for row in weights], range(len(groups[0][0]))))
    return [[next(columns) for _ in weights] for weights in groups]
