"""Which figures of a text stand by a name or count a noun: looked up from the name's side, and remembered per text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from pytest_graph_eval.metrics.facts import context, grid, headed, subjects
from pytest_graph_eval.metrics.facts.page import Page
from pytest_graph_eval.metrics.facts.tokens import NumberTokens

Span = tuple[int, int]


def by_name(page: Page, tokens: NumberTokens, name: str, clauses: Sequence[Span]) -> dict[int, int]:
    """Return the numbers of the tokens that stand by a name (`subjects.stands_by`); the values say nothing."""
    key = ("name", name)
    known = tokens.memory.get(key)
    if known is None:
        places = subjects.places(page, name, 0, len(page.lower))
        around = _around(page, tokens, places, clauses)
        known = {
            i: 1
            for i in around
            if subjects.stands_by(page, tokens[i].span, places, _clause(page, tokens, i, clauses), tokens.amounts)
        }
        for place in places:
            known |= dict.fromkeys(_inside(tokens, headed.under(page, place)), 1)
        tokens.memory[key] = known
    return known


def by_noun(page: Page, tokens: NumberTokens, noun: str, clauses: Sequence[Span]) -> dict[int, int]:
    """Return how close a noun stands to the tokens that it is beside at all (`subjects.noun_beside`)."""
    key = ("noun", noun)
    known = tokens.memory.get(key)
    if known is None:
        known = {}
        for i in _around(page, tokens, subjects.noun_places(page, noun), clauses, only_next=True):
            clause = _clause(page, tokens, i, clauses)
            close = subjects.noun_beside(page, tokens[i].span, noun, clause, tokens.amounts)
            if close:
                known[i] = close
        tokens.memory[key] = known
    return known


def _inside(tokens: NumberTokens, lines: Sequence[Span]) -> range:
    """Return the numbers of the tokens in some lines that follow each other."""
    if not lines:
        return range(0)
    return range(bisect_left(tokens.starts, lines[0][0]), bisect_left(tokens.starts, lines[-1][1]))


def _clause(page: Page, tokens: NumberTokens, i: int, clauses: Sequence[Span]) -> Span:
    return context.scope(page, tokens[i].span[0], clauses)


def _around(
    page: Page, tokens: NumberTokens, places: Sequence[Span], clauses: Sequence[Span], *, only_next: bool = False
) -> list[int]:
    """Return the numbers of the tokens in the clause, the row or the column of some places, in order."""
    found: set[int] = set()
    for place in places:
        found.update(_beside(page, tokens, place, clauses, only_next=only_next))
    return sorted(found)


def _beside(
    page: Page, tokens: NumberTokens, place: Span, clauses: Sequence[Span], *, only_next: bool
) -> Iterator[int]:
    starts = tokens.starts
    row = grid.row_at(page, place[0])
    if row is not None:
        for span in [(row.start, row.end), *((r.start, r.end) for r in grid.rows_under(page, row) if row.is_head)]:
            yield from range(bisect_left(starts, span[0]), bisect_left(starts, span[1]))
    elif only_next:
        after = bisect_right(starts, place[0])
        yield from range(max(0, after - _NEIGHBOURS), min(len(tokens), after + _NEIGHBOURS))
    else:
        start, end = context.scope(page, place[0], clauses)
        yield from range(bisect_left(starts, start), bisect_left(starts, end))


# Years and ordinals may stand between a figure and its noun.
_NEIGHBOURS = 3
