"""Whether an agent took a question for what it is: the intent that it reports against the acceptable ones."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_graph_eval.expect import Expect
from pytest_graph_eval.records import Check, Response


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
