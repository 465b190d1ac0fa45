"""How often the intent and the valid time are the expected ones: counted over turns, and held against the gate."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.models.records import Check, Record
from pytest_graph_eval.models.settings import Gate

from .gate_records import info, judged, make


def intent(found: str, expected: str = "HELP") -> Check:
    return Check(kind="intent", outcome="pass" if found == expected else "fail", expected=[expected], found=found)


def time(used: bool | None) -> Check:
    return Check(kind="as_of", outcome="fail" if used is False else "pass", found={"stated": True, "used": used})


def talk(*turns: tuple[str, float | None, Check]) -> Record:
    rows = [{"status": s, "scores": {"mean": mean}, "checks": [check.model_dump()]} for s, mean, check in turns]
    return make("talk", "FAIL", 0.5, checks=[check for _, _, check in turns], turns=rows)


RECORDS = [
    make("a", mean=1.0, checks=[intent("HELP"), time(None)]),
    talk(("PASS", 1.0, intent("HELP")), ("FAIL", 0.0, intent("HELP", "SUMMARY"))),
    make("b", "FAIL", 0.5, checks=[time(True), time(False)]),
    make("c", "ERROR", checks=[intent("X")]),
]


def test_rates_are_over_turns_and_leave_out_what_is_not_told() -> None:
    summary = judged(RECORDS)
    assert summary.intent_match_rate == pytest.approx(2 / 3)
    assert summary.valid_time_match_rate == 0.5
    assert summary.by_intent == {"HELP": 1.0, "SUMMARY": 0.0}
    assert (summary.tally.intent["HELP"].total, summary.tally.intent["HELP"].passed) == (2, 2)


def test_without_any_such_check_the_rates_are_unknown() -> None:
    summary = judged([make("a", mean=1.0)])
    assert (summary.intent_match_rate, summary.valid_time_match_rate, summary.by_intent) == (None, None, {})


@pytest.mark.parametrize(
    ("rules", "codes"),
    [
        ({"intent_match": 0.6, "as_of_match": 0.5}, []),
        ({"intent_match": 0.95}, ["below_threshold"]),
        ({"as_of_match": {"pass": 1.0, "warn": 0.5}}, ["below_threshold"]),
    ],
)
def test_the_gate_has_lines_for_them(rules: dict[str, Any], codes: list[str]) -> None:
    gate = Gate.model_validate({"overall": None, "max_errors": None, **rules})
    found = [r for r in judged(RECORDS, info(gate)).verdict_reasons if "_match" in r.text]
    assert [r.code for r in found] == codes
    assert [r.level for r in found] == (["WARN"] if "as_of_match" in rules and codes else ["FAIL"] * len(codes))


def test_a_line_that_nothing_falls_under_is_no_green() -> None:
    gate = Gate.model_validate({"as_of_match": 1.0})
    (reason,) = judged([make("a", mean=1.0)], info(gate)).verdict_reasons
    assert (reason.code, reason.level) == ("no_records", "FAIL")
    assert reason.text.startswith("as_of_match: the gate has a line for it")
