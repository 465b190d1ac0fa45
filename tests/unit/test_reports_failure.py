"""The text of a failed scenario: everything needed, each thing once, within 80 columns."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.models.records import Check, Record
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.reports.failure import failure_text, printable


def text_of(record: dict[str, Any], scenario: dict[str, Any] | None = None, **more: str) -> str:
    asked = {"id": "TC002", "question": "What were the net sales in FY2023?", **(scenario or {})}
    known = {key: asked[key] for key in ("id", "question", "gold_answer") if key in asked}
    found = Record(**{"status": "FAIL", **known, **record})
    arguments = {"where": "s.graph.yaml:7", "rerun": f"s.graph.yaml::{asked['id']}", **more}
    return failure_text(found, Scenario.model_validate(asked), **arguments)


GOLD = {"gold_answer": "$605.9 billion", "source_entities": ["NET SALES FY2023"]}
LOW = {
    "reason": "mean 0.33 is below pass_score 0.8",
    "query_mode": "kg",
    "mode_ran": "mix",
    "scores": {
        "context_relevancy": 1.0, "faithfulness": None, "answer_correctness": 0.0, "precision": 0.0, "RR": 0.0,
        "mean": 1 / 3,
    },
    "explain": {
        "answer_correctness": "0 of 1 numbers of the gold answer are in the answer; not there: $605.9 billion",
        "precision": "no entity was retrieved",
        "cause": "the graph does not hold NET SALES FY2023: extract it, or ingest what holds it",
    },
    "retrieved": {"entities": [], "relationships": [], "chunks": ["walmart_fy2022_fy2023::chunk_012"]},
    "answer": "They grew.\nA lot.",
    "flags": ["alias:WMT"],
    "cause": "not_in_extraction",
}  # fmt: skip
LOW_TEXT = """\
FAIL: mean 0.33 is below pass_score 0.8
  at: s.graph.yaml:7 (TC002)
  question: What were the net sales in FY2023?
  answer_correctness: 0.000: 0 of 1 numbers of the gold answer are in the
      answer; not there: $605.9 billion
  precision: 0.000: no entity was retrieved
  gold answer: $605.9 billion
  answer: They grew. A lot.
  retrieved entities: none
  retrieved relationships: none
  retrieved chunks: walmart_fy2022_fy2023::chunk_012
  mode: kg (ran mix)
  flags: alias:WMT
  cause: not_in_extraction: the graph does not hold NET SALES FY2023: extract
      it, or ingest what holds it
  re-run: pytest --graph-eval s.graph.yaml::TC002"""


def test_a_low_score_is_told_by_what_pulled_it_down() -> None:
    assert text_of(LOW, GOLD) == LOW_TEXT


def test_no_line_but_the_first_and_the_command_is_longer_than_80_columns() -> None:
    lines = text_of({**LOW, "reason": "why " * 40}, GOLD, rerun="a" * 100).splitlines()
    assert all(len(line) <= 80 for line in lines[1:-1])
    assert lines[-1] == "  re-run: pytest --graph-eval " + "a" * 100


def test_failed_checks_come_with_what_was_found_and_passed_ones_are_left_out() -> None:
    checks = [
        Check(kind="numbers", outcome="fail", message="numbers: $1 billion is not stated; nearest: “$2 billion”"),
        Check(kind="names", outcome="pass", message="names: fine"),
        Check(kind="entities", outcome="fail", message="entities: B was not retrieved; retrieved: A"),
        Check(kind="steps", outcome="error", expected=1, found=2),
    ]
    text = text_of({"checks": checks, "reason": "3 of 4", "retrieved": {"entities": ["A"], "chunks": ["c"]}})
    assert "  numbers: $1 billion is not stated; nearest: “$2 billion”\n" in text
    assert "  entities: B was not retrieved; retrieved: A\n" in text
    assert "  steps: expected 1, found 2\n" in text
    assert "fine" not in text
    assert "retrieved entities" not in text  # the failed check lists them
    assert "  retrieved chunks: c\n" in text


def test_many_retrieved_entities_are_listed_in_part_even_beside_a_failed_check() -> None:
    check = Check(kind="entities", outcome="fail", message="entities: B was not retrieved; retrieved: E0, E1")
    text = text_of({"checks": [check], "retrieved": {"entities": [f"E{n}" for n in range(12)]}})
    assert "  retrieved entities: E0; E1; E2; E3; E4; E5; E6; E7 … (+4)\n" in text


def test_a_score_with_its_own_line_shows_it() -> None:
    scores = {"faithfulness": 0.5, "precision": None, "mean": 0.9}
    wanted = {**GOLD, "expect": {"scores": {"faithfulness": 0.8, "precision": 0.7}}}
    text = text_of({"scores": scores, "explain": {"faithfulness": "1 of 2"}}, wanted)
    assert "  faithfulness: 0.500 (least 0.8): 1 of 2\n" in text
    assert "  precision: unscored (least 0.7)\n" in text
    assert "  mean" not in text


def test_an_empty_answer_and_invented_facts_are_shown() -> None:
    text = text_of({"answer": "", "hallucinations": ['"2014": not in the evidence']})
    assert "  answer: (empty)\n" in text
    assert '  hallucinations: "2014": not in the evidence\n' in text


def test_an_error_shows_the_target_and_its_last_lines_and_no_cause_word() -> None:
    stderr = "\n".join(f"line {n}" for n in range(50))
    text = text_of({"status": "ERROR", "error": "no reply", "target": "mcp", "cause": "error"}, stderr=stderr)
    lines = text.splitlines()
    assert lines[0] == "ERROR: no reply"
    assert "  target: mcp" in lines
    assert [line for line in lines if line.startswith("  | ")] == [f"  | line {n}" for n in range(30, 50)]
    assert "cause" not in text


def test_each_line_of_an_error_stays_one_up_to_a_count() -> None:
    lines = text_of({"status": "ERROR", "error": "it cannot be read:\n\n  a: \x1b[2J b\n" + "c\n" * 20}).splitlines()
    assert lines[:3] == ["ERROR: it cannot be read:", "  a: \\x1b[2J b", "  c"]
    assert lines.count("  c") == 18
    assert "  and 2 more lines" in lines


@pytest.mark.parametrize(
    ("argument", "quoted"),
    [
        ("a/s.graph.yaml::x", "a/s.graph.yaml::x"),
        ("a b/s.graph.yaml::x", "'a b/s.graph.yaml::x'"),
        ("it's.graph.yaml::x", "'it'\"'\"'s.graph.yaml::x'"),
    ],
)
def test_the_command_is_one_that_a_shell_takes(argument: str, quoted: str) -> None:
    assert text_of({}, rerun=argument).endswith(f"  re-run: pytest --graph-eval {quoted}")


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\x00b\x07", "a\\x00b\\x07"),
        ("\u202etxt", "\\u202etxt"),
        ("\ud83d alone", "\\ud83d alone"),
        ("plain\ttext ünï 🙂", "plain\ttext ünï 🙂"),
    ],
)
def test_a_target_cannot_steer_the_terminal(raw: str, shown: str) -> None:
    assert printable(raw) == shown
    assert printable(raw).encode("utf-8")


def test_an_answer_of_megabytes_is_cut() -> None:
    text = text_of({"answer": "word " * 1_000_000})
    assert len(text) < 1000
    assert " […]\n" in text


def test_a_failed_check_on_tool_calls_shows_what_was_called_and_says_the_score_once() -> None:
    text = text_of(
        {
            "reason": "1 of 1 checks failed (steps)",
            "checks": [
                Check(kind="steps", outcome="fail", message="steps: score 0.5, at least 1 expected; step 2 b: …")
            ],
            "scores": {"steps_score": 0.5, "mean": 0.5},
            "explain": {"steps_score": "1 of 2 steps served"},
            "tool_calls": [{"name": "a", "status": "success"}, {"name": "b", "status": "error"}],
        },
        {"expect": {"steps": ["a", "b"], "scores": {"steps_score": 0.9}}},
    )
    assert "  steps: score 0.5, at least 1 expected; step 2 b: …\n  called: 1 a; 2 b (error)\n" in text
    assert "steps_score" not in text


def test_an_agent_that_called_nothing_and_one_that_called_a_lot_are_shown() -> None:
    failed = {"reason": "r", "checks": [Check(kind="tools", outcome="fail", message="tools: a must be called")]}
    assert "\n  called: none\n" in text_of({**failed, "tool_calls": []})
    many = text_of({**failed, "tool_calls": [{"name": "a", "status": "success"}] * 20})
    assert "7 a; 8 a … (+12)" in " ".join(many.split())
    assert "called:" not in text_of({**failed, "tool_calls": None})
    assert "called:" not in text_of({"reason": "r", "tool_calls": []})
