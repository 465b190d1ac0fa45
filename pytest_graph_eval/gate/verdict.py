"""A verdict and its reasons: what every rule of the gate returns, and how the worst of them decides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pytest_graph_eval.texts import listed

Result = Literal["PASS", "WARN", "FAIL"]
Level = Literal["NOTE", "WARN", "FAIL"]
_RESULT_OF: dict[Level, Result] = {"NOTE": "PASS", "WARN": "WARN", "FAIL": "FAIL"}
_SEVERITY = ("FAIL", "WARN", "NOTE")


class Reason(BaseModel):
    """One rule that fired. A NOTE is worth knowing and changes nothing.

    `code` is a stable word (`below_threshold`, `flaky:TC001`), `text` says what was found, what was expected and
    which scenarios are behind it; `suite` is the key of the suite whose rule it is, "" for the whole run.
    """

    model_config = ConfigDict(frozen=True, defer_build=True)

    code: str
    level: Level
    text: str = ""
    suite: str = ""


class Verdict(BaseModel):
    """What the gate decided, and every reason, the worst first."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    result: Result
    reasons: tuple[Reason, ...] = ()

    def codes(self) -> list[str]:
        """Return the codes of the reasons, each once, worst first."""
        return list(dict.fromkeys(r.code for r in self.reasons))


def because(reasons: Iterable[Reason]) -> str:
    """Return what made a FAIL as the end of a line: ` because of must_pass, below_threshold`."""
    codes = dict.fromkeys(reason.code for reason in reasons if reason.level == "FAIL")
    return f" because of {listed(list(codes), 3)}" if codes else ""


def worst(reasons: Iterable[Reason]) -> Verdict:
    """Return the verdict that the worst of `reasons` makes; PASS when there is none."""
    ranked = tuple(sorted(reasons, key=lambda r: _SEVERITY.index(r.level)))
    return Verdict(result=_RESULT_OF[ranked[0].level] if ranked else "PASS", reasons=ranked)
