"""Which call serves which step: always the best pairing that there is, whatever the scores."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_graph_eval.metrics.trajectory.assignment import Pairing
from pytest_graph_eval.metrics.trajectory.groups import Pairs, Scores, assign

SCORES = st.sampled_from([0.0, 0.0, 0.0, 0.25, 0.5, 1 / 3, 0.75, 1.0, 1.0])


@st.composite
def trajectories(draw: st.DrawFn, groups: int = 3, steps: int = 2, calls: int = 4) -> Scores:
    count = draw(st.integers(0, calls))
    row = st.lists(SCORES, min_size=count, max_size=count)
    group = st.lists(row, min_size=1, max_size=steps)
    return draw(st.lists(group, min_size=1, max_size=groups))


def total(scores: Scores, pairs: Pairs) -> float:
    sums = [
        math.fsum(0 if call is None else step[call] for step, call in zip(group, found, strict=True)) / len(group)
        for group, found in zip(scores, pairs, strict=True)
    ]
    return math.fsum(sums) / len(sums)


def all_pairings(scores: Scores) -> Iterator[Pairs]:
    """Yield every way to give calls to steps, each call to one step at most."""
    sizes = [len(group) for group in scores]
    calls = len(scores[0][0])
    for flat in itertools.product([None, *range(calls)], repeat=sum(sizes)):
        used = [call for call in flat if call is not None]
        steps = [step for group in scores for step in group]
        if len(used) == len(set(used)) and all(c is None or s[c] > 0 for s, c in zip(steps, flat, strict=True)):
            rest = iter(flat)
            yield [[next(rest) for _ in range(size)] for size in sizes]


def in_order(pairs: Pairs) -> bool:
    known = [[call for call in group if call is not None] for group in pairs]
    return all(max(a) < min(b) for a, b in itertools.combinations(known, 2) if a and b)


def in_suffix(pairs: Pairs) -> bool:
    """Only where all steps of all later groups got a call does a group count."""
    return all(
        not any(c is not None for c in pairs[n]) or all(None not in later for later in pairs[n + 1 :])
        for n in range(len(pairs))
    )


def only_last(pairs: Pairs) -> bool:
    return all(call is None for group in pairs[:-1] for call in group)


def best(scores: Scores, *rules: object) -> float:
    return max(total(scores, p) for p in all_pairings(scores) if all(rule(p) for rule in rules))  # type: ignore[operator]


@settings(max_examples=120)
@given(trajectories())
def test_the_pairing_is_the_best_that_keeps_the_order(scores: Scores) -> None:
    pairs = assign(scores)
    assert in_order(pairs)
    assert math.isclose(total(scores, pairs), best(scores, in_order))


@settings(max_examples=120)
@given(trajectories())
def test_the_pairing_is_the_best_that_stops_at_an_incomplete_group(scores: Scores) -> None:
    pairs = assign(scores, mode="suffix")
    assert in_order(pairs)
    assert in_suffix(pairs)
    assert math.isclose(total(scores, pairs), best(scores, in_order, in_suffix))


@settings(max_examples=60)
@given(trajectories())
def test_the_pairing_is_the_best_of_the_last_group(scores: Scores) -> None:
    assert math.isclose(total(scores, assign(scores, mode="last_group")), best(scores, only_last))


@settings(max_examples=80)
@given(trajectories())
def test_the_pairing_is_the_best_of_all_where_the_order_does_not_count(scores: Scores) -> None:
    assert math.isclose(total(scores, assign(scores, ordered=False)), best(scores))


@settings(max_examples=80)
@given(trajectories(groups=1, steps=4, calls=5))
def test_one_group_gets_the_best_assignment(scores: Scores) -> None:
    assert math.isclose(total(scores, assign(scores)), best(scores))


@given(trajectories(), st.randoms(use_true_random=False))
def test_the_order_inside_a_group_does_not_count(scores: Scores, random: object) -> None:
    shuffled = [random.sample(list(group), len(group)) for group in scores]  # type: ignore[attr-defined]
    for mode in ("mean", "suffix", "last_group"):
        found = [total(s, assign(s, mode=mode)) for s in (scores, shuffled)]  # type: ignore[arg-type]
        assert math.isclose(*found)


@given(trajectories(), st.data())
def test_one_more_call_that_serves_no_step_changes_nothing(scores: Scores, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(scores[0][0])))
    more = [[[*step[:place], 0.0, *step[place:]] for step in group] for group in scores]
    for mode in ("mean", "suffix", "last_group"):
        assert math.isclose(total(scores, assign(scores, mode=mode)), total(more, assign(more, mode=mode)))  # type: ignore[arg-type]


@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=1, max_size=4))
def test_a_pairing_is_the_best_after_every_column(weights: list[list[int]]) -> None:
    pairing = Pairing(weights)
    for column in range(4):
        pairing.add(column)
        assert pairing.total == greatest(weights, range(column + 1))
        taken = [c for c in pairing.columns if c is not None]
        assert len(taken) == len(set(taken))
        assert pairing.total == sum(w[c] for w, c in zip(weights, pairing.columns, strict=True) if c is not None)


def greatest(weights: Sequence[Sequence[int]], columns: Sequence[int]) -> int:
    if not weights:
        return 0
    rest = greatest(weights[1:], columns)
    return max(
        [rest, *(weights[0][c] + greatest(weights[1:], [o for o in columns if o != c]) for c in columns)],
    )
