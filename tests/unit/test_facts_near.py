"""Which of several figures belongs to the name that `near` asks for, where two periods are compared."""

from __future__ import annotations

import pytest

from pytest_graph_eval.metrics.facts import check_answer

# the text; which years $611.3 billion and $572.8 billion are the figures of
COMPARISONS = [
    ("Revenues were $611.3 billion (FY2023) and $572.8 billion (FY2022).", "FY2023", "FY2022"),
    ("Revenues rose from $572.8 billion (FY2022) to $611.3 billion (FY2023).", "FY2023", "FY2022"),
    ("FY2023: $611.3 billion, FY2022: $572.8 billion", "FY2023", "FY2022"),
    ("$611.3 billion in FY2023 versus $572.8 billion in FY2022", "FY2023", "FY2022"),
    ("In FY2023 revenues were $611.3 billion, up from $572.8 billion in FY2022.", "FY2023", "FY2022"),
    ("FY2023 revenues (in USD) were $611.3 billion; FY2022: $572.8 billion", "FY2023", "FY2022"),
    ("FY2022 and FY2023 revenues were $572.8 billion and $611.3 billion respectively.", "FY2023", "FY2022"),
    (
        "It had $572.8 billion for fiscal 2023 (FY2023, to January), against $611.3 billion for fiscal 2022 (FY2022).",
        "FY2022",
        "FY2023",
    ),
    (
        "SALES FY2023 COMPARED_TO SALES FY2022: Up from $611.3 billion in FY2022 to $572.8 billion in FY2023.",
        "FY2022",
        "FY2023",
    ),
]


@pytest.mark.parametrize(("text", "of_611", "of_572"), COMPARISONS)
def test_a_figure_belongs_to_one_period_of_a_comparison(text: str, of_611: str, of_572: str) -> None:
    found = {
        (value, year)
        for value in ("$611.3 billion", "$572.8 billion")
        for year in ("FY2022", "FY2023")
        if check_answer(text, {"numbers": [{"value": value, "near": year}]})[0].outcome == "pass"
    }
    assert found == {("$611.3 billion", of_611), ("$572.8 billion", of_572)}


def test_a_period_that_is_only_compared_with_takes_no_figure_away() -> None:
    text = "Revenues in FY2023 were $611.3 billion, which is more than in FY2022."
    (check,) = check_answer(text, {"numbers": [{"value": "$611.3 billion", "near": "FY2023"}]})
    assert check.outcome == "pass"


def test_the_figure_of_the_other_period_is_named_as_the_nearest() -> None:
    text = "Revenues were $572.8 billion (FY2023) and $611.3 billion (FY2022)."
    (check,) = check_answer(text, {"numbers": [{"value": "$611.3 billion", "near": "FY2023"}]})
    assert (check.outcome, check.found) == ("fail", "$572.8 billion")
