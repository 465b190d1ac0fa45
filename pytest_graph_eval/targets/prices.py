"""What a reply cost: its tokens at the price of the model that used them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from pytest_graph_eval.models.records import Usage
from pytest_graph_eval.models.settings import Price

ANY_MODEL = "*"
_PER = Decimal(1_000_000)
_VERSION = re.compile(r"-\d{4}-?\d{2}-?\d{2}\Z")
"""The date that providers put behind the name of a model that was asked for without one."""


def priced(usage: Usage | None, prices: Mapping[str, Price]) -> tuple[Usage | None, str]:
    """Return the usage with its cost, and why it has none.

    A cost that the reply reports stays. Otherwise every count that has a price must be known: unknown is not zero.

    Args:
        usage: what was reported.
        prices: by model; `*` is the price of models without an entry, and of usage that names no model.
    """
    if usage is None:
        return None, "no usage is reported"
    if usage.cost_usd is not None:
        return usage, ""
    costs = [_cost(part, prices) for part in usage.by_model or [usage]]
    gaps = [gap for _, gap in costs if gap]
    if gaps:
        return usage, gaps[0]
    return usage.model_copy(update={"cost_usd": float(sum(cost for cost, _ in costs))}), ""


def _cost(usage: Usage, prices: Mapping[str, Price]) -> tuple[Decimal, str]:
    if usage.cost_usd is not None:
        return Decimal(repr(usage.cost_usd)), ""
    price = _price(usage.model, prices)
    if price is None:
        model = f"the model {usage.model!r}" if usage.model else "a reply that names no model"
        return Decimal(0), f"no price for {model} (there are prices for {', '.join(prices)})"
    counts = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    if price.cached is not None:
        counts["cached_tokens"] = usage.cached_tokens
    known = {name: Decimal(count) for name, count in counts.items() if count is not None}
    missing = [name for name in counts if name not in known]
    if missing:
        return Decimal(0), f"{missing[0]} not reported"
    cached = known.get("cached_tokens", Decimal(0))
    fresh = known["input_tokens"] - cached
    if fresh < 0:
        return Decimal(0), f"{cached} cached_tokens are more than {usage.input_tokens} input_tokens"
    each = {name: Decimal(repr(value)) for name, value in price.model_dump(exclude_none=True).items()}
    total = fresh * each["input"] + cached * each.get("cached", 0) + known["output_tokens"] * each["output"]
    return total / _PER, ""


def _price(model: str | None, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model by its whole name, else by its name without a date, else the one of any model."""
    names = [model, _VERSION.sub("", model), ANY_MODEL] if model else [ANY_MODEL]
    return next((prices[name] for name in names if name in prices), None)
