"""The measures agree with a reference implementation, and hold what every measure must hold."""

from __future__ import annotations

import random
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_graph_eval.metrics.retrieval import measure
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.scenario import Scenario

OURS = {"chunk_recall@{k}": "R@{k}", "chunk_precision@{k}": "P@{k}", "precision@{k}": "P@{k}",
        "hit_rate@{k}": "Success@{k}", "RR": "RR", "AP": "AP", "nDCG@{k}": "nDCG@{k}"}  # fmt: skip
NAMES = ["chunk_recall@3", "chunk_precision@3", "precision@2", "hit_rate@2", "RR", "AP", "nDCG@4"]


def score(name: str, gold: list[str], found: list[str]) -> float | None:
    scenario = Scenario.model_validate({"id": "a", "question": "q", "source_chunks": gold})
    return measure(name, scenario, Response.model_validate({"chunks": [{"id": c} for c in found]})).value


def test_agree_with_a_reference_implementation_on_1000_random_rankings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reference's imports
        import ir_measures

    def reference(names: set[str], gold: list[str], found: list[str]) -> dict[str, float]:
        measures = [ir_measures.parse_measure(name) for name in sorted(names)]
        judged = [ir_measures.Qrel("q", doc, 1) for doc in gold]
        run = [ir_measures.ScoredDoc("q", doc, len(found) - rank) for rank, doc in enumerate(found)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {str(m): v for m, v in ir_measures.calc_aggregate(measures, judged, run).items()}

    draw = random.Random(20260530)
    docs = [f"c{i}" for i in range(30)]
    for _ in range(1000):
        gold = draw.sample(docs, draw.randint(1, 8))
        found = draw.sample(docs, draw.randint(1, 20))
        k = draw.randint(1, 12)
        names = {ours.format(k=k): theirs.format(k=k) for ours, theirs in OURS.items()}
        right = reference(set(names.values()), gold, found)
        for ours, theirs in names.items():
            assert score(ours, gold, found) == pytest.approx(right[theirs], abs=1e-9), (ours, gold, found)


IDS = st.lists(st.sampled_from("abcdefgh"), max_size=12)
GOLD = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8)


@given(GOLD, IDS)
def test_lie_between_zero_and_one_and_ignore_the_order_of_the_gold(gold, found):
    for name in NAMES:
        value = score(name, gold, found)
        assert value is not None
        assert 0 <= value <= 1
        assert score(name, gold[::-1], found) == value


@given(GOLD, IDS)
def test_repeats_change_nothing(gold, found):
    repeated = [item for item in found for _ in range(2)]
    for name in NAMES:
        assert score(name, gold, repeated) == score(name, gold, found)


@given(GOLD)
def test_a_perfect_ranking_is_perfect(gold):
    found = list(dict.fromkeys(gold))
    for name in ("chunk_recall@8", "RR", "AP", "nDCG@3", "hit_rate@1"):
        assert score(name, gold, found) == pytest.approx(1.0)
