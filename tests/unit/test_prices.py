"""Tokens become a cost only where everything that the price asks for is known."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import SuiteError
from pytest_graph_eval.evaluation.asking import OpenTarget
from pytest_graph_eval.evaluation.evaluate import Context, score_scenario
from pytest_graph_eval.loader import load_suite
from pytest_graph_eval.models.records import Record, Response, Usage
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.models.settings import Price, PythonTarget
from pytest_graph_eval.targets.base import Query, Target
from pytest_graph_eval.targets.prices import priced

PRICES = {
    "big": Price(input=2.5, output=10, cached=1.25),
    "small-2024": Price(input=0.1, output=0.2),
    "*": Price(input=1, output=1),
}


def usage(model: str | None = "big", **counts: Any) -> Usage:
    return Usage(model=model, **counts)


@pytest.mark.parametrize(
    ("used", "cost"),
    [
        (usage(input_tokens=1000, output_tokens=500, cached_tokens=0), 0.0075),
        (usage(input_tokens=1000, output_tokens=500, cached_tokens=400), 0.007),
        (usage(input_tokens=1000, output_tokens=0, cached_tokens=1000), 0.00125),
        (usage(input_tokens=0, output_tokens=0, cached_tokens=0), 0.0),
        (usage("big-2025-01-31", input_tokens=1000, output_tokens=500, cached_tokens=0), 0.0075),
        (usage("big-20250131", input_tokens=1000, output_tokens=500, cached_tokens=0), 0.0075),
        (usage("small-2024", input_tokens=1_000_000, output_tokens=1_000_000, cached_tokens=7), 0.3),
        (usage("other", input_tokens=3, output_tokens=4), 0.000007),
        (usage("bigger", input_tokens=3, output_tokens=4), 0.000007),
        (usage(None, input_tokens=3, output_tokens=4), 0.000007),
        (usage(cost_usd=0.5, input_tokens=1000), 0.5),
        (usage(cost_usd=0.0), 0.0),
        (Usage(by_model=[usage(input_tokens=1000, output_tokens=500, cached_tokens=0),
                         usage("other", input_tokens=1, output_tokens=1)]), 0.007502),
        (Usage(by_model=[usage(cost_usd=0.1), usage("other", input_tokens=1, output_tokens=1)]), 0.100002),
    ],
)  # fmt: skip
def test_the_cost_is_exact(used: Usage, cost: float) -> None:
    found, gap = priced(used, PRICES)
    assert found is not None
    assert (found.cost_usd, gap) == (cost, "")
    assert found.model_copy(update={"cost_usd": used.cost_usd}) == used


def test_the_arithmetic_is_decimal() -> None:
    found, _ = priced(Usage(input_tokens=3_000_000, output_tokens=0), {"*": Price(input=0.1, output=0)})
    assert found is not None
    assert found.cost_usd == 0.3  # 3 * 0.1 is 0.30000000000000004 in binary


@pytest.mark.parametrize(
    ("used", "gap"),
    [
        (None, "no usage is reported"),
        (usage(output_tokens=1, cached_tokens=0), "input_tokens not reported"),
        (usage(input_tokens=1, cached_tokens=0), "output_tokens not reported"),
        (usage(total_tokens=9), "input_tokens not reported"),
        (usage(input_tokens=1, output_tokens=1), "cached_tokens not reported"),
        (usage(input_tokens=1, output_tokens=1, cached_tokens=2), "2 cached_tokens are more than 1 input_tokens"),
        (Usage(by_model=[usage(), usage("other", input_tokens=1, output_tokens=1)]), "input_tokens not reported"),
    ],
)
def test_what_is_not_known_costs_not_nothing(used: Usage | None, gap: str) -> None:
    found, said = priced(used, PRICES)
    assert said == gap
    assert found == used


@pytest.mark.parametrize(
    ("model", "gap"),
    [
        ("other", "no price for the model 'other' (there are prices for big)"),
        ("big-preview", "no price for the model 'big-preview'"),
        (None, "no price for a reply that names no model (there are prices for big)"),
    ],
)
def test_a_model_without_a_price_is_named(model: str | None, gap: str) -> None:
    _, said = priced(usage(model, input_tokens=1, output_tokens=1), {"big": PRICES["big"]})
    assert said.startswith(gap)


@pytest.mark.parametrize(
    ("counts", "total"),
    [
        ({"input_tokens": 1, "output_tokens": 2}, 3),
        ({"input_tokens": 1, "output_tokens": 2, "total_tokens": 9}, 9),
        ({"input_tokens": 1}, None),
    ],
)
def test_a_total_is_the_sum_where_both_parts_are_known(counts: dict[str, int], total: int | None) -> None:
    assert Usage(**counts).total_tokens == total


# --- in a record ----------------------------------------------------------------------------------------------------


class Fake(Target):
    """Returns one response."""

    name = kind = "fake"

    def __init__(self, response: Response) -> None:
        self.response = response

    async def open(self) -> None:
        """Need nothing."""

    async def ask(self, query: Query) -> Response:
        return self.response


def record_of(used: Usage | None, *, prices: dict[str, Any] | None = None, most: float = 0.01) -> Record:
    scenario = Scenario(id="a", question="Q?", gold_answer="Bob", expect={"budget": {"cost_usd": most}})
    spec = PythonTarget(call="m:f", prices=prices or {})
    response = Response(answer="Bob", usage=used, attempts=3)
    asked = asyncio.run(OpenTarget(spec, Fake(response)).ask(scenario))
    return score_scenario(scenario, asked, Context())


USED = Usage(input_tokens=1000, output_tokens=500, model="big")
BIG = {"big": {"input": 2.5, "output": 10}}


def test_a_cost_goes_on_the_record_and_is_held_against_the_budget() -> None:
    record = record_of(USED, prices=BIG)
    assert (record.status, record.attempts) == ("PASS", 3)
    assert record.usage == {"input_tokens": 1000, "output_tokens": 500, "total_tokens": 1500, "cost_usd": 0.0075}
    dear = record_of(USED, prices=BIG, most=0.007)
    assert dear.status == "FAIL"
    assert [c.message for c in dear.checks] == ["cost_usd: 0.0075 used, at most 0.007 expected"]


@pytest.mark.parametrize(
    ("used", "prices", "words"),
    [
        (USED, {}, "the target does not report it; `prices:` of the target turns tokens into a cost"),
        (None, BIG, "the target does not report it (no usage is reported)"),
        (USED.model_copy(update={"model": "x"}), BIG, "(no price for the model 'x' (there are prices for big))"),
    ],
)
def test_a_budget_without_a_cost_is_an_error_that_says_how_to_get_one(
    used: Usage | None, prices: dict[str, Any], words: str
) -> None:
    record = record_of(used, prices=prices)
    assert record.status == "ERROR"
    assert "cost_usd: at most 0.01 expected, but the target does not report it" in (record.error or "")
    assert words in (record.error or "")
    assert any(flag.startswith("unpriced:") for flag in record.flags) is bool(prices)


@pytest.mark.parametrize(
    ("prices", "words"),
    [
        ("{big: {input: 1}}", "the key 'output' is missing"),
        ("{big: {input: -1, output: 2}}", "expected"),
        ("{big: {input: 1, output: 2, cache: 1}}", "unknown key 'cache', did you mean 'cached'"),
        ("{big: 3}", "expected"),
        ("{big: {input: .inf, output: 1}}", "finite"),
    ],
)
def test_wrong_prices_are_load_errors(prices: str, words: str) -> None:
    text = f"target: {{call: 'm:f', prices: {prices}}}\nscenarios: [{{id: a, question: 'Q?', gold_answer: '1'}}]\n"
    with pytest.raises(SuiteError) as caught:
        load_suite(Path("x.graph.yaml"), text=text)
    assert words in str(caught.value)
