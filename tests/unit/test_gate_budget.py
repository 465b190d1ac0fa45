"""What all scenarios together may use: time, tokens, cost; unknown is not zero."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.errors import SuiteError
from pytest_graph_eval.gate.figures import amount
from pytest_graph_eval.gate.summary import AppliedGate, read_summary
from pytest_graph_eval.loader import load_suite
from pytest_graph_eval.models.records import Record
from tests.unit.gate_records import SUITE, codes, gate, info, judged, make, text_of


def used(n: int, **fields: Any) -> list[Record]:
    return [make(f"q{i:02}", mean=1.0, **fields) for i in range(n)]


def cost(each: float, n: int = 10) -> list[Record]:
    return used(n, usage={"cost_usd": each, "total_tokens": 100}, elapsed_s=1.0)


@pytest.mark.parametrize(
    ("rule", "records", "line", "level", "text"),
    [
        ("cost_usd", cost(0.1), 1.0, None, ""),
        ("cost_usd", cost(0.1), 0.99, "FAIL", "cost_usd 1 is above the line 0.99, in 10 scenarios; most: q00 0.10"),
        ("cost_usd", cost(0.12), {"pass": 1.0, "warn": 1.5}, "WARN",
         "budget.cost_usd 1.20 is above the line 1 (fails above 1.50), in 10 scenarios; most: q00 0.12"),
        ("cost_usd", cost(0.16), {"pass": 1.0, "warn": 1.5}, "FAIL", "budget.cost_usd 1.60 is above the line 1 (fails"),
        ("cost_usd", cost(0.10004), 1.0, "FAIL", "budget.cost_usd 1.0004 is above the line 1,"),
        ("total_tokens", cost(0), 1000, None, ""),
        ("total_tokens", cost(0), 999, "FAIL", "budget.total_tokens 1000 is above the line 999, in 10 scenarios"),
        ("total_tokens", used(10, usage={"total_tokens": 10**6}), 10**6, "FAIL",
         "budget.total_tokens 10000000 is above the line 1000000,"),
        ("p95_seconds", [make(f"q{i:02}", mean=1.0, elapsed_s=float(i)) for i in range(1, 21)], 19, None, ""),
        ("p95_seconds", [make(f"q{i:02}", mean=1.0, elapsed_s=float(i)) for i in range(1, 21)], 18.5, "FAIL",
         "budget.p95_seconds 19 is above the line 18.50, in 20 scenarios; most: q20 20, q19 19, q18 18"),
    ],
)  # fmt: skip
def test_what_was_used_is_held_against_its_line(
    rule: str, records: list[Record], line: Any, level: str | None, text: str
) -> None:
    summary = judged(records, info(gate(budget={rule: line})))
    assert codes(summary) == ([("over_budget", level)] if level else [])
    assert summary.threshold_result == (level or "PASS")
    if level:
        assert text in text_of(summary, "over_budget")


def test_all_lines_are_judged() -> None:
    records = used(2, usage={"cost_usd": 1, "total_tokens": 10}, elapsed_s=3)
    summary = judged(records, info(gate(budget={"p95_seconds": 2, "total_tokens": 19, "cost_usd": 1.5})))
    assert [level for _, level in codes(summary)] == ["FAIL"] * 3


def test_what_nobody_reports_fails() -> None:
    summary = judged(used(3), info(gate(budget={"cost_usd": 1})))
    assert codes(summary) == [("no_records", "FAIL")]
    assert text_of(summary, "no_records") == (
        "budget.cost_usd: the gate has a line for it, but no scenario reports it; `prices:` of the target turns tokens "
        "into a cost, or remove the rule"
    )
    assert codes(judged(used(3), info(gate(budget={"total_tokens": 1}))))[0] == ("no_records", "FAIL")
    assert codes(judged(used(3), info(gate(budget={"cost_usd": 1})), partial="-k x"))[-1] == ("no_records", "NOTE")


def test_what_some_do_not_report_is_no_pass() -> None:
    records = [*cost(0.1, 3), *(make(f"r{i}", mean=1.0) for i in range(7))]
    summary = judged(records, info(gate(budget={"cost_usd": 1})))
    assert codes(summary) == [("budget_incomplete", "WARN")]
    assert text_of(summary, "budget_incomplete") == (
        "budget.cost_usd 0.30 is the least that was used (at most 1): 7 scenarios do not report it, such as r0, r1, r2 "
        "and 2 more"
    )
    assert codes(judged(records, info(gate(budget={"cost_usd": 0.2})))) == [("over_budget", "FAIL")]


def test_errors_and_skipped_got_no_reply_and_expected_failures_cost_too() -> None:
    records = [
        *cost(0.1, 3),
        make("e", "ERROR", elapsed_s=9.0),
        make("s", "SKIPPED", usage={"cost_usd": 50}, elapsed_s=50.0),
        make("x", "FAIL", outcome="xfailed", usage={"cost_usd": 0.5}, elapsed_s=60.0),
    ]
    rules = gate(max_errors=9, budget={"cost_usd": 0.8, "p95_seconds": 9})
    summary = judged(records, info(rules))
    assert [c for c in codes(summary) if c[0].endswith(("budget", "incomplete"))] == []
    spent = summary.by_suite[SUITE].tally.spent
    assert (spent["cost_usd"].value, spent["cost_usd"].n, spent["cost_usd"].n_missing) == (0.8, 4, 0)
    assert (spent["p95_seconds"].value, spent["p95_seconds"].n) == (9.0, 4)


def test_the_gate_over_the_run_adds_up_all_suites_and_asks_only_those_that_report() -> None:
    records = [
        *(make(f"a{i}", mean=1.0, suite="a", usage={"cost_usd": 0.6}) for i in range(2)),
        *(make(f"b{i}", mean=1.0, suite="b", usage={"cost_usd": 0.6}) for i in range(2)),
        *(make(f"g{i}", mean=1.0, suite="graph") for i in range(9)),
    ]
    suites = {name: info(name=name) for name in ("a", "b", "graph")}
    assert judged(records, suites, gate=gate(budget={"cost_usd": 2.4})).threshold_result == "PASS"
    over = judged(records, suites, gate=gate(budget={"cost_usd": 2.3}))
    assert "budget.cost_usd 2.40 is above the line 2.30, in 4 scenarios" in text_of(over, "over_budget")
    own = judged(records, suites | {"a": info(gate(budget={"cost_usd": 1.1}), name="a")})
    assert [(r.code, r.suite) for r in own.verdict_reasons] == [("over_budget", "a")]


def test_the_order_of_records_changes_nothing() -> None:
    records = [make(f"q{i}", mean=1.0, usage={"cost_usd": i / 7}, elapsed_s=i / 3) for i in range(200)]
    rules = info(gate(budget={"cost_usd": 1, "p95_seconds": 1}))
    assert judged(records, rules).to_json() == judged(records[::-1], rules).to_json()


def test_a_budget_survives_the_summary_file() -> None:
    rules = gate(budget={"cost_usd": {"pass": 1, "warn": 2}, "p95_seconds": 5})
    summary = judged(cost(0.1), info(rules))
    again = read_summary(summary.to_json(), "x")
    assert again.gate.suites[SUITE] == AppliedGate.of(rules)
    assert again.tally.spent == summary.tally.spent


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("{cost_usd: 0}", "expected more than 0"),
        ("{cost_usd: -1}", "expected more than 0"),
        ("{cost_usd: {pass: 2, warn: 1}}", "`warn` must not be below `pass`: more than `pass` warns"),
        ("{cost_usd: {warn: 1}}", "the key 'pass' is missing"),
        ("{cost: 1}", "unknown key 'cost', did you mean 'cost_usd'"),
        ("{p95_seconds: fast}", "number"),
        ("3", "expected a mapping"),
    ],
)
def test_wrong_budgets_are_load_errors(rules: str, words: str) -> None:
    suite = "target: {call: 'm:f'}\nscenarios: [{id: a, question: 'Q?', gold_answer: '1'}]\n"
    with pytest.raises(SuiteError) as caught:
        load_suite("x.graph.yaml", text=f"gate: {{budget: {rules}}}\n{suite}")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("value", "lines", "text"),
    [
        (1.0, (), "1"), (0.0, (), "0"), (12345678.0, (), "12345678"), (1.5, (), "1.50"), (0.0000075, (), "0.0000075"),
        (1.0000001, (1.0,), "1.0000001"), (0.99999, (1.0,), "1.00"), (1e-15, (), "1e-15"),
    ],
)  # fmt: skip
def test_an_amount_is_never_shown_on_the_other_side_of_a_line_it_is_above(
    value: float, lines: tuple[float, ...], text: str
) -> None:
    assert amount(value, lines) == text
