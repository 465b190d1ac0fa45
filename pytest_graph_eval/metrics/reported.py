"""Checks on what a target reports beside its answer: the intent it saw, and what a question used against its budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pytest_graph_eval.expect import Budget, Expect
from pytest_graph_eval.records import Check, Record, Response

_SLACK = 1e-9


def budget_checks(budget: Budget | None, record: Record) -> Iterator[Check]:
    """Yield one check per limit; what the target does not report is an error."""
    if budget is None:
        return
    found: dict[str, Any] = {
        "seconds": record.elapsed_s,
        "total_tokens": record.usage.get("total_tokens"),
        "cost_usd": record.usage.get("cost_usd"),
    }
    for name, most in budget.model_dump(exclude_none=True).items():
        value = found[name]
        if value is None:
            message = f"{name}: at most {most:g} expected, but the target does not report it{_unpriced(name, record)}"
            yield Check(kind="budget", outcome="error", expected={name: most}, message=message, rule="not_reported")
        else:
            outcome: Literal["pass", "fail"] = "pass" if value <= most * (1 + _SLACK) else "fail"
            message = f"{name}: {value:g} used, at most {most:g} expected"
            yield Check(kind="budget", outcome=outcome, expected={name: most}, found=value, message=message, rule=name)


def _unpriced(name: str, record: Record) -> str:
    """Say how a cost can be had that is not reported."""
    if name != "cost_usd":
        return ""
    gaps = [flag.partition(":")[2] for flag in record.flags if flag.startswith("unpriced:")]
    return f" ({gaps[0]})" if gaps else "; `prices:` of the target turns tokens into a cost"


def intent_checks(expect: Expect, response: Response) -> Iterator[Check]:
    """Yield the check on the intent where one is expected; a target that reports none makes it an error."""
    if expect.intent is None:
        return
    wanted, found = " or ".join(expect.intent), response.intent
    if found is None:
        message = f"intent: {wanted} expected, but the target reports none; map `intent:` in its `response:`"
        yield Check(kind="intent", outcome="error", expected=expect.intent, message=message, rule="not_reported")
        return
    is_right = found.strip().casefold() in {intent.strip().casefold() for intent in expect.intent}
    yield Check(
        kind="intent",
        outcome="pass" if is_right else "fail",
        expected=expect.intent,
        found=found,
        message=f"intent: {wanted} expected, {found or 'nothing'} found",
        rule="intent",
    )
