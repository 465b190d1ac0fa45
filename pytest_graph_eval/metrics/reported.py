"""Checks on what a target reports beside its answer: the intent it saw, and what a question used against its budget."""

from __future__ import annotations

from typing import Any, Literal

from pytest_graph_eval.models.expect import Budget, Expect
from pytest_graph_eval.models.records import Check, Record, Response

_SLACK = 1e-9


def budget_checks(budget: Budget | None, record: Record) -> list[Check]:
    """Return one check per limit; what the target does not report is an error."""
    if budget is None:
        return []
    found: dict[str, Any] = {
        "seconds": record.elapsed_s,
        "total_tokens": record.usage.get("total_tokens"),
        "cost_usd": record.usage.get("cost_usd"),
    }
    limits = budget.model_dump(exclude_none=True)
    return [_budget_check(name, found[name], most, record) for name, most in limits.items()]


def _budget_check(name: str, value: Any, most: float, record: Record) -> Check:
    if value is None:
        message = f"{name}: at most {most:g} expected, but the target does not report it{_unpriced(name, record)}"
        return Check(kind="budget", outcome="error", expected={name: most}, message=message, rule="not_reported")
    outcome: Literal["pass", "fail"] = "pass" if value <= most * (1 + _SLACK) else "fail"
    message = f"{name}: {value:g} used, at most {most:g} expected"
    return Check(kind="budget", outcome=outcome, expected={name: most}, found=value, message=message, rule=name)


def _unpriced(name: str, record: Record) -> str:
    """Say how a cost can be had that is not reported."""
    if name != "cost_usd":
        return ""
    gaps = [flag.partition(":")[2] for flag in record.flags if flag.startswith("unpriced:")]
    return f" ({gaps[0]})" if gaps else "; `prices:` of the target turns tokens into a cost"


def intent_checks(expect: Expect, response: Response) -> list[Check]:
    """Return the check on the intent where one is expected; a target that reports none makes it an error."""
    if expect.intent is None:
        return []
    wanted, found = " or ".join(expect.intent), response.intent
    if found is None:
        message = f"intent: {wanted} expected, but the target reports none; map `intent:` in its `response:`"
        return [Check(kind="intent", outcome="error", expected=expect.intent, message=message, rule="not_reported")]
    is_right = found.strip().casefold() in {intent.strip().casefold() for intent in expect.intent}
    outcome: Literal["pass", "fail"] = "pass" if is_right else "fail"
    message = f"intent: {wanted} expected, {found or 'nothing'} found"
    return [Check(kind="intent", outcome=outcome, expected=expect.intent, found=found, message=message, rule="intent")]
