"""The calls of an agent against the reference steps: the score, what served each step, and why nothing did."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from pytest_graph_eval.metrics.trajectory.comparison import Comparison
from pytest_graph_eval.metrics.trajectory.groups import Pairs, assign
from pytest_graph_eval.metrics.trajectory.matching import OTHER_TOOL, match
from pytest_graph_eval.metrics.trajectory.sparql import forget_results
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step, StepsMode, Trajectory
from pytest_graph_eval.once import once


class _Rule(NamedTuple):
    """What a trajectory as a whole may differ in from the reference steps."""

    ordered: bool
    may_miss: bool
    may_exceed: bool


_RULES: dict[Trajectory, _Rule] = {
    "exact": _Rule(ordered=True, may_miss=False, may_exceed=False),
    "unordered": _Rule(ordered=False, may_miss=False, may_exceed=False),
    "in_order": _Rule(ordered=True, may_miss=False, may_exceed=True),
    "any_order": _Rule(ordered=False, may_miss=False, may_exceed=True),
    "subset": _Rule(ordered=False, may_miss=True, may_exceed=False),
}

# What is nearest to serving a step, the nearest last.
_NEARNESS = ("other_tool", "args_mismatch", "not_finished", "step_errored")


class StepOutcome(NamedTuple):
    """What came of one reference step; `call` and `nearest` count the calls from 1."""

    label: str
    tool: str
    score: float
    call: int | None = None
    nearest: int | None = None
    reason: str = ""
    code: str = ""
    measures: Mapping[str, float] = MappingProxyType({})
    """How near the result of the call was: precision, recall and F1 of rows or ids."""

    def __str__(self) -> str:
        """Return the step that was not served in full as part of a sentence."""
        return f"{self.label} {self.tool}: {self.reason}"

    def as_data(self) -> dict[str, Any]:
        """Return what a record keeps."""
        data: dict[str, Any] = {"tool": self.tool, "score": self.score, "call": self.call}
        return data | {key: value for key in ("nearest", "reason", "code", "measures") if (value := getattr(self, key))}


@dataclass
class Alignment:
    """The calls of one response, and what each reference step got of them."""

    groups: Sequence[Sequence[Step]]
    calls: Sequence[ToolCall]
    comparisons: Sequence[Sequence[Sequence[Comparison]]]
    pairs: Pairs
    mode: StepsMode
    rule: _Rule = field(default=_RULES["in_order"])

    @once
    def score(self) -> float:
        """The mean over groups of the mean over their steps; 0 where a call is too much that must not be."""
        if self.extra and not self.rule.may_exceed:
            return 0.0
        shares = [math.fsum(scores) / len(scores) for scores in self._scores() if scores]
        return math.fsum(shares) / len(shares) if shares else 1.0

    def _scores(self) -> Iterator[list[float]]:
        """Yield the scores of the steps of each group that counts."""
        for group, pairs in list(zip(self.comparisons, self.pairs, strict=True))[self._first :]:
            scores = [0.0 if call is None else step[call].score for step, call in zip(group, pairs, strict=True)]
            yield [s for s in scores if s] if self.rule.may_miss else scores

    @property
    def _first(self) -> int:
        """The first group that counts."""
        return len(self.groups) - 1 if self.mode == "last_group" else 0

    @once
    def outcomes(self) -> list[list[StepOutcome]]:
        """What came of each step, by group."""
        return [
            [self._outcome(group, step) for step in range(len(self.groups[group]))] for group in range(len(self.groups))
        ]

    @once
    def unmet(self) -> list[StepOutcome]:
        """The steps that count and were not served in full."""
        if self.rule.may_miss:
            return []
        return [one for group in self.outcomes[self._first :] for one in group if one.score < 1]

    @once
    def extra(self) -> list[int]:
        """The successful calls that serve no step, not even one that nothing serves."""
        free = [
            [c.score > 0 for c in self.comparisons[g][s]]
            for g, group in enumerate(self.pairs) for s, call in enumerate(group) if call is None
        ]  # fmt: skip
        extra = []
        for call, one in enumerate(self.calls):
            if call in self._used or one.status != "success":
                continue
            served = next((n for n, fits in enumerate(free) if fits[call]), None)
            if served is None:
                extra.append(call)
            else:
                del free[served]  # out of order, which is another fault
        return extra

    @once
    def _used(self) -> set[int | None]:
        return {call for group in self.pairs for call in group}

    @once
    def served(self) -> float:
        """The sum of the scores of all steps."""
        return math.fsum(one.score for group in self.outcomes for one in group)

    @once
    def broken(self) -> list[StepOutcome]:
        """Reference steps that nothing can be compared with, and why."""
        return [
            StepOutcome(self._label(g, s), self.groups[g][s].tool, 0.0, reason=bad.reason, code=bad.code)
            for g, group in enumerate(self.comparisons) for s, step in enumerate(group)
            if (bad := next((c for c in step if c.is_error), None))
        ]  # fmt: skip

    def _label(self, group: int, step: int) -> str:
        return f"step {group + 1}.{step + 1}" if self._is_grouped else f"step {group + 1}"

    @once
    def _is_grouped(self) -> bool:
        return any(len(group) > 1 for group in self.groups)

    def _outcome(self, group: int, step: int) -> StepOutcome:
        label, tool = self._label(group, step), self.groups[group][step].tool
        fits, call = self.comparisons[group][step], self.pairs[group][step]
        if call is not None:
            found = fits[call]
            if found.score == 1:
                return StepOutcome(label, tool, 1.0, call + 1)
            reason = f"call {call + 1} serves it by {found.score:g}: {found.reason}"
            return StepOutcome(label, tool, found.score, call + 1, None, reason, found.code, found.measures)
        nearest = max(range(len(fits)), key=lambda n: self._nearness(fits[n], n), default=None)
        if nearest is None or fits[nearest] is OTHER_TOOL:
            return StepOutcome(label, tool, 0.0, None, None, "it was never called", "not_called")
        found = fits[nearest]
        reason, code = (found.reason, found.code) if not found.score else self._why_not(group, nearest)
        return StepOutcome(label, tool, 0.0, None, nearest + 1, f"call {nearest + 1}: {reason}", code, found.measures)

    def _nearness(self, found: Comparison, call: int) -> tuple[float, ...]:
        """Order calls by how near they are to serving a step: those that serve none first, of equal ones the latest."""
        rank = _NEARNESS.index(found.code) if found.code in _NEARNESS else len(_NEARNESS)
        return rank > 0, call not in self._used, found.score, rank, found.measures.get("f1", 0.0), call

    def _why_not(self, group: int, call: int) -> tuple[str, str]:
        """Say why a call that fits a step does not serve it."""
        for g, pairs in enumerate(self.pairs):
            if call in pairs:
                return f"it fits, but serves {self._label(g, pairs.index(call))}", "taken"
        if self.mode == "last_group" and group < self._first:
            return "it fits, but only the last group counts", "last_group"
        if self.mode == "suffix" and any(None in pairs for pairs in self.pairs[group + 1 :]):
            return "it fits, but a later group is incomplete, where `steps_mode: suffix` stops", "suffix"
        return "it fits, but is out of order: groups come one after another", "order"


def align(expect: Expect, calls: Sequence[ToolCall]) -> Alignment:
    """Give the calls to the reference steps.

    Args:
        expect: with `steps`; `steps_mode`, `trajectory` and `compare` say how.
        calls: in the order in which they were made.
    """
    groups = [[_effective(step, expect) for step in group] for group in expect.steps or ()]
    comparisons = [[[match(step, call) for call in calls] for step in group] for group in groups]
    forget_results()
    scores = [[[c.score for c in step] for step in group] for group in comparisons]
    mode, rule = expect.steps_mode or "mean", _RULES[expect.trajectory or "in_order"]
    return Alignment(groups, calls, comparisons, assign(scores, mode=mode, ordered=rule.ordered), mode, rule)


def _effective(step: Step, expect: Expect) -> Step:
    """Return a step with the comparator that all have by default, where it has something to compare."""
    if expect.compare is None or step.compare is not None or (step.output is None and expect.compare != "args"):
        return step
    return step.model_copy(update={"compare": expect.compare})
