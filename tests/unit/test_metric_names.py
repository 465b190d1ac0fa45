"""The one list of metric names."""

from __future__ import annotations

import pytest

from pytest_graph_eval.metrics.names import is_by_name, is_metric, metric_names


@pytest.mark.parametrize("name", metric_names("1") + metric_names("100"))
def test_every_listed_name_is_a_metric(name: str) -> None:
    assert is_metric(name)


@pytest.mark.parametrize(
    "name", ["", "mean", "recall", "chunk_recall", "chunk_recall@", "chunk_recall@0", "nDCG@-1", "RR@3"]
)
def test_other_names_are_none(name: str) -> None:
    assert not is_metric(name)


def test_standard_measures_are_told_from_composed_metrics() -> None:
    assert is_by_name("RR")
    assert is_by_name("precision@3")
    assert not is_by_name("precision")
    assert not is_by_name("facts")
