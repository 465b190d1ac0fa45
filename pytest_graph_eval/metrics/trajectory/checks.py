"""The checks `steps` and `tools`, and the scores of what an agent called: one result for a response."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pytest_graph_eval.metrics.names import CALLS
from pytest_graph_eval.models.expect import STEP_CHECKS, Expect
from pytest_graph_eval.models.records import Check, Response, Score, ToolCall
from pytest_graph_eval.models.steps import ToolRules, may_be_tool, same_tool
from pytest_graph_eval.texts import many

if TYPE_CHECKING:
    from pytest_graph_eval.metrics.trajectory.alignment import Alignment

_SLACK = 1e-9
_NO_CALLS = Score(value=None, reason="the target reports no tool calls")
_MOST = 5
"""Steps or calls in a message."""


class Judged(NamedTuple):
    """The checks, the scores, and what the record keeps of the steps: `score`, `groups`, and calls beyond them."""

    checks: list[Check]
    scores: dict[str, Score]
    steps: dict[str, Any]


def judge_calls(expect: Expect, response: Response) -> Judged:
    """Hold what was called against `steps` and `tools` of what is expected.

    Where the target reports no tool calls, both checks are errors and the scores are unscored; an empty list says that
    nothing was called.
    """
    calls = response.tool_calls
    if calls is None:
        broken = [_not_reported(kind) for kind in STEP_CHECKS if getattr(expect, kind) is not None]
        return Judged(broken, dict.fromkeys(("steps_score", *CALLS), _NO_CALLS) if expect.steps else {}, {})
    rules = list(_tool_checks(expect, expect.tools, calls)) if expect.tools else []
    if not expect.steps:
        return Judged(rules, {}, {})
    from pytest_graph_eval.metrics.trajectory.alignment import align

    found = align(expect, calls)
    check = _steps_check(found, (expect.scores or {}).get("steps_score", 1.0))
    return Judged([check, *rules], _scores(found), _kept(found))


def _not_reported(kind: str) -> Check:
    message = f"{kind}: the target reports no tool calls; map `tool_calls` or `messages` in `response:`"
    return Check(kind=kind, outcome="error", message=message, rule="no_trace")


def _steps_check(found: Alignment, least: float) -> Check:
    if found.broken:
        message = f"steps: {_some([str(one) for one in found.broken])}"
        return Check(kind="steps", outcome="error", expected=least, message=message, rule=found.broken[0].code)
    if found.score >= least - _SLACK:
        message = f"steps: score {found.score:g}, at least {least:g} expected"
        return Check(kind="steps", outcome="pass", expected=least, found=found.score, message=message, rule="served")
    faults = [str(one) for one in found.unmet]
    codes = sorted((one.code for one in found.unmet), key=lambda code: code == "not_called")
    if found.extra and not found.rule.may_exceed:
        faults.insert(0, f"beyond the steps: {_listed(found.calls, found.extra)}")
        codes.append("extra_calls")
    message = f"steps: score {found.score:.3g}, at least {least:g} expected; {_some(faults)}"
    rule = codes[0] if codes else "score"
    return Check(kind="steps", outcome="fail", expected=least, found=found.score, message=message, rule=rule)


def _some(parts: Sequence[str]) -> str:
    more = f"; and {len(parts) - _MOST} more" if len(parts) > _MOST else ""
    return "; ".join(parts[:_MOST]) + more


def _listed(calls: Sequence[ToolCall], numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - _MOST} more" if len(numbers) > _MOST else ""
    return ", ".join(f"call {n + 1} {calls[n].name}" for n in numbers[:_MOST]) + more


def _scores(found: Alignment) -> dict[str, Score]:
    """Return the score of the steps, and precision, recall and F1 of the calls; a partial match counts in part."""
    if found.broken:
        return dict.fromkeys(("steps_score", *CALLS), Score(value=None, reason="a reference step cannot be compared"))
    steps, calls, served = sum(map(len, found.groups)), len(found.calls), found.served
    unmet = f"; {_some([str(one) for one in found.unmet])}" if found.unmet else ""
    reason = f"{served:.3g} of {steps} steps served by {calls} calls"
    precision = Score(value=served / calls, reason=reason) if calls else Score(reason="nothing was called")
    recall, f1 = served / steps, 2 * served / (steps + calls)
    scores = (Score(value=found.score, reason=f"{reason}{unmet}"), precision, Score(value=recall, reason=reason))
    return dict(zip(("steps_score", *CALLS), (*scores, Score(value=f1, reason=reason)), strict=True))


def _kept(found: Alignment) -> dict[str, Any]:
    groups = [
        {"score": math.fsum(one.score for one in group) / len(group), "steps": [one.as_data() for one in group]}
        for group in found.outcomes
    ]
    extra = [{"call": n + 1, "tool": found.calls[n].name} for n in found.extra]
    return {"score": None if found.broken else found.score, "groups": groups, "extra": extra}


# --- rules on tools -----------------------------------------------------------------------------------------------


def _tool_checks(expect: Expect, rules: ToolRules, calls: Sequence[ToolCall]) -> Iterator[Check]:
    for tool in rules.required:
        yield _required(tool, calls)
    # A longer name that the scenario itself expects is that of another tool.
    wanted = [*rules.required, *(step.tool for group in expect.steps or () for step in group)]
    others = {call.name for call in calls if any(same_tool(name, call.name) for name in wanted)}
    for tool in rules.forbidden:
        yield _forbidden(tool, calls, others)
    failed = [n for n, call in enumerate(calls) if call.status not in ("success", "requested")]
    if rules.max_calls is not None:
        message = f"{many(len(calls), 'call')}, at most {rules.max_calls} expected"
        yield _tool_check("max_calls", rules.max_calls, len(calls) <= rules.max_calls, message, len(calls))
    if rules.max_errors is not None:
        which = f" ({_listed(calls, failed)})" if failed else ""
        message = f"{many(len(failed), 'call')} failed, at most {rules.max_errors} expected{which}"
        yield _tool_check("max_errors", rules.max_errors, len(failed) <= rules.max_errors, message, len(failed))


def _forbidden(tool: str, calls: Sequence[ToolCall], others: Container[str]) -> Check:
    made = [n for n, call in enumerate(calls) if may_be_tool(tool, call.name) and call.name not in others]
    message = f"{tool} must not be called; {_listed(calls, made) if made else 'it was not'}"
    if made and not any(same_tool(tool, calls[n].name) for n in made):
        message += " (where that is another tool, `tools.required` or `steps` says so)"
    return _tool_check("forbidden", tool, not made, message, [n + 1 for n in made])


def _required(tool: str, calls: Sequence[ToolCall]) -> Check:
    made = [n for n, call in enumerate(calls) if same_tool(tool, call.name)]
    good = [n for n in made if calls[n].status == "success"]
    called = ", ".join(dict.fromkeys(call.name for call in calls)) or "nothing"
    fault = f"it was called without success ({_listed(calls, made)})" if made else f"called: {called}"
    message = f"{tool} must be called; {_listed(calls, good) if good else fault}"
    return _tool_check("required", tool, bool(good), message, [n + 1 for n in made])


def _tool_check(rule: str, expected: Any, holds: bool, message: str, found: Any) -> Check:
    outcome: Literal["pass", "fail"] = "pass" if holds else "fail"
    return Check(
        kind="tools", outcome=outcome, expected={rule: expected}, found=found, message=f"tools: {message}", rule=rule
    )
