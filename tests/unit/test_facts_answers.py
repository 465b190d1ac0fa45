"""Whole answers as users' data holds them, and what `check_answer` must say of them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.metrics.facts import check_answer
from tests.unit.answer_cases import FALSE, PAIRS, TRUE


@pytest.mark.parametrize(("answer", "expect"), TRUE)
def test_an_answer_that_is_right_passes(answer: str, expect: dict[str, Any]) -> None:
    assert [c.outcome for c in check_answer(answer, expect)] == ["pass"] * len(check_answer(answer, expect))


@pytest.mark.parametrize(("answer", "expect"), FALSE)
def test_an_answer_that_is_wrong_fails(answer: str, expect: dict[str, Any]) -> None:
    assert "fail" in [c.outcome for c in check_answer(answer, expect)]


@pytest.mark.parametrize(("answer", "first", "second"), PAIRS)
def test_of_two_figures_each_belongs_to_its_own_name(answer: str, first: str, second: str) -> None:
    names, figures = zip(*(pair.rsplit("=", 1) for pair in (first, second)), strict=True)
    found = [
        check_answer(answer, {"numbers": [{"value": figure, "near": name}]})[0].outcome
        for name in names
        for figure in figures
    ]
    assert found == ["pass", "fail", "fail", "pass"]
