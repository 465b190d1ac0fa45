"""Runs as reports show them: every part of a page has something to show, and hostile ones that try to break it."""

from __future__ import annotations

from typing import Any

from pytest_graph_eval.models.records import Check, Record
from pytest_graph_eval.reports.build import FinishedRun
from tests.unit.gate_records import SUITE, info, judged, make

HOSTILE = (
    "</script><script>document.title = 'broken'</script>",
    "<img src=x onerror=\"document.title='broken'\"> & <!-- <script>",
    "\x1b[31mred\x1b[0m \x07\x00\x9b2J \x7f NUL",
    "\u202egnirts\u2066 \u200f\u061c right to left",
    "lone \ud800 surrogate \udfff",
    "{{ 7 * 7 }} {% raw %} ${x} `'\"",
    "| pipes | and ]]> ends",
    "\ufdd0 \ufffe \u2028 \U0010ffff",
)
ANSWER = "Total revenues were **$611.3 billion**, led by Doug McMillon, not $605.9 billion; founded in 2014."


def span(word: str, answer: str = ANSWER) -> tuple[int, int]:
    return answer.index(word), answer.index(word) + len(word)


def full() -> Record:
    """Return a record in which every part of a scenario is there."""
    checks = [
        Check(kind="numbers", outcome="pass", expected="$611.3 billion", found="$611.3 billion",
              message="numbers: $611.3 billion is stated", span=span("$611.3 billion"), where="answer"),
        Check(kind="forbidden", outcome="fail", expected="$605.9 billion", found="$605.9 billion",
              message="forbidden: must not be asserted", span=span("$605.9 billion"), where="answer"),
        Check(kind="names", outcome="pass", expected=["Doug McMillon"], found="Doug McMillon",
              message="names: is stated in the evidence", span=(0, 5), where="evidence"),
        Check(kind="steps", outcome="fail", expected=1.0, found=0.5, message="steps: score 0.5"),
    ]  # fmt: skip
    return make(
        "full", "FAIL", 0.4, scores={"faithfulness": 0.5}, question="What were total revenues?", answer=ANSWER,
        gold_answer="$611.3 billion", checks=checks, reason="2 of 4 checks failed", cause="contradicted",
        facts={"stale": ["numbers: the catalog says $612 billion"]},
        explain={"faithfulness": "1 of 2 key facts", "note": "told by a hook", "cause": "the answer says otherwise"},
        hallucinations=['"2014": not in the evidence ("founded in 2014")'],
        retrieved={"entities": ["TOTAL REVENUES FY2023", "SAM WALTON"], "relationships": ["A -OWNS-> B"],
                   "chunks": ["c1", "c2"], "names": ["WALMART"]},
        relevant=["Total Revenues FY2023"],
        contexts=["Total revenues of $611.3 billion were led by Doug McMillon.", "Nothing of the kind."],
        tool_calls=[{"name": "sparql_query", "args": {"query": "SELECT ?x"}, "status": "success", "output": "[1]"},
                    {"name": "lookup", "args": {}, "status": "error", "output": "no such thing"}],
        steps={"score": 0.5, "groups": [{"score": 0.5, "steps": [
            {"tool": "sparql_query", "score": 1.0, "call": 1},
            {"tool": "retrieve", "score": 0.0, "call": None, "reason": "not called"}]}]},
        judge={"model": "m", "scores": {"faithfulness": 4.0}, "judgements": [
            {"kind": "rubric", "outcome": "made", "scores": {"faithfulness": 4.0}, "reasons": {"faithfulness": "fine"},
             "caps": [{"metric": "robustness", "before": 5.0, "after": 2.0, "why": "wrong intent"}]},
            {"kind": "claims", "outcome": "failed", "reason": "no JSON"}]},
        repeats=[{"repeat": 1, "status": "PASS", "scores": {"mean": 1.0}, "failed": [], "elapsed_s": 0.2},
                 {"repeat": 2, "status": "FAIL", "scores": {"mean": 0.0}, "failed": ["numbers"], "elapsed_s": None}],
        pass_rate=0.5, pass_interval=(0.09, 0.91), usage={"total_tokens": 1200}, tags=["smoke"], flags=["replayed"],
        query_mode="kg", mode_ran="mix", elapsed_s=1.25, attempts=2, must_pass=True, target="graph", category="metric",
    )  # fmt: skip


def conversation() -> Record:
    turns = [
        {
            "turn": 1,
            "question": "What is it?",
            "answer": "A basket.",
            "status": "PASS",
            "scores": {"mean": 1.0},
            "checks": [],
        },
        {
            "turn": 2,
            "question": "And who owns it?",
            "answer": "Nobody.",
            "status": "FAIL",
            "reason": "1 of 1 checks",
            "scores": {"mean": 0.0},
            "checks": [],
        },
    ]
    return make("talk", "FAIL", 0.5, question="What is it?", turns=turns, category="talk")


def run_of(records: list[Record], **fields: Any) -> FinishedRun:
    return FinishedRun(judged(records, {SUITE: info(**fields)}), records)


def many(count: int) -> FinishedRun:
    """Return a run of so many scenarios, a tenth of which failed."""
    plain = {"tool_calls": None, "steps": {}, "judge": {}, "repeats": [], "hallucinations": [], "gold_answer": None}
    base, records = full().model_copy(update=plain), []
    for n in range(count):
        bad = n % 10 == 0
        update = {
            "id": f"TC{n:04}", "nodeid": f"{SUITE}::TC{n:04}", "index": n, "status": "FAIL" if bad else "PASS",
            "scores": {**base.scores, "mean": 0.4 if bad else 1.0}, "question": f"Question {n} about the revenues?",
            "category": f"category {n % 7}", "difficulty": ("easy", "medium", "hard")[n % 3], "outcome": None,
            "contexts": [f"Text {m} of {n % 20}. " * 20 for m in range(3)], "elapsed_s": 0.01 * (n + 1),
        }  # fmt: skip
        records.append(base.model_copy(update=update))
    return run_of(records)


def hostile() -> FinishedRun:
    """Return a run all of whose texts are hostile, and one of whose answers has five megabytes."""
    records = []
    for n, word in enumerate(HOSTILE):
        check = Check(kind=word, outcome="fail", expected=word, found={word: word}, message=word, span=(0, 4))
        records.append(full().model_copy(update={
            "id": word, "nodeid": f"{SUITE}::{word}", "index": n, "question": word, "answer": f"{word} 2014",
            "gold_answer": word, "reason": word, "error": word, "cause": word, "category": word, "difficulty": word,
            "tags": [word], "flags": [word], "documents": [word], "target": word, "hallucinations": [word],
            "explain": {"faithfulness": word}, "checks": [check], "contexts": [word, word],
            "retrieved": {"entities": [word], "chunks": [word, word], word: [word]}, "intent": word,
            "tool_calls": [{"name": word, "args": {word: word}, "status": word, "output": word}],
            "scores": {**full().scores, word: 0.5}, "usage": {word: 3}, "query_mode": word,
            "judge": {"judgements": [{"kind": word, "outcome": word, "scores": {word: word}, "reasons": {word: word}}]},
        }))  # fmt: skip
    records.append(make("big", "FAIL", 0.1, answer="<b>x" * 1_250_000, question="q" * 50_000, gold_answer="x"))
    return run_of(records, name=HOSTILE[0], description=HOSTILE[1])
