"""The feature store example: it passes, and ten ways to break its agent do not.

Each way is a fault that agents with a memory have. The gate must say FAIL and name the scenarios, and the record must
name the turn and the fault.
"""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval import decide, evaluate, load_suite, summarize
from pytest_graph_eval.gate.summary import RunInfo, Summary
from pytest_graph_eval.library import suite_info
from pytest_graph_eval.loader import DeclaredTarget
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.settings import PythonTarget

FOLDER = Path(__file__).parents[2] / "example_suites" / "feature_store"
SUITE = FOLDER / "feature_store.graph.yaml"

sys.path.insert(0, str(FOLDER))
from feature_store_agent import Agent  # noqa: E402 - it stands beside its suite

sys.path.remove(str(FOLDER))


def ask(agent: Agent) -> tuple[dict[str, Record], Summary]:
    """Run the suite against an agent, and judge it."""
    module = types.ModuleType(f"feature_store_agent_{id(agent)}")
    module.ask = agent  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module
    suite = load_suite(SUITE, rootdir=FOLDER, targets={})
    try:
        records = evaluate(suite, DeclaredTarget(PythonTarget(call=f"{module.__name__}:ask"), FOLDER))
    finally:
        del sys.modules[module.__name__]
    run = RunInfo(run_at="2026-11-30T12:00:00Z", collected=len(records))
    summary = summarize(records, {suite.key: suite_info(suite, None)}, run=run)
    return {r.id: r for r in records}, summary.decided(decide(summary, run))


def test_the_agent_passes_and_everything_is_exercised() -> None:
    records, summary = ask(Agent())
    assert {r.status for r in records.values()} == {"PASS"}
    assert summary.threshold_result == "PASS"
    assert sorted(len(r.turns) for r in records.values()) == [0] * 6 + [1] * 2 + [2] * 4 + [3] * 2
    assert (summary.intent_match_rate, summary.valid_time_match_rate) == (1.0, 1.0)
    assert sorted(summary.by_intent) == ["DEFINITION", "FRESHNESS", "LINEAGE", "OUT_OF_SCOPE", "OWNER", "SUMMARY"]


class ForgetsTheDate(Agent):
    def when(self, question: str, state: dict[str, Any]) -> str | None:
        return super().when(question, {})


class KeepsTheDate(Agent):
    def when(self, question: str, state: dict[str, Any]) -> str | None:
        return super().when(question, state) or state.get("when")


class StatesALaterName(Agent):
    def known(self, when: str | None) -> list[Any]:
        return super().known(None)


class DoesNotSayTheDate(Agent):
    def header(self, state: dict[str, Any]) -> str:
        return ""


class DeniesWhatExists(Agent):
    def definition(self, state: dict[str, Any], known: list[Any]) -> tuple[str, list[Any]]:
        return (self.missing(state), []) if state["subject"] == "AVG_BASKET" else super().definition(state, known)


class ForgetsTheSubject(Agent):
    def subject(self, question: str, state: dict[str, Any]) -> str | None:
        return super().subject(question, {}) or "AVG_BASKET"


class TakesOneOfTwo(Agent):
    def found(self, state: dict[str, Any], known: list[Any]) -> list[Any]:
        return super().found(state, known)[:1]


class TakesItForSomethingElse(Agent):
    def intent(self, question: str, state: dict[str, Any]) -> str:
        return super().intent(question, state).replace("FRESHNESS", "LINEAGE")


class NamesAFeatureOutOfScope(Agent):
    def out_of_scope(self, state: dict[str, Any], known: list[Any]) -> tuple[str, list[Any]]:
        return "CHURN_SCORE will rise tomorrow.", []


class MixesConversations(Agent):
    """Keeps one memory for all conversations."""

    def __call__(self, question: str, conversation: Any) -> dict[str, Any]:
        self.memory = getattr(self, "memory", conversation.state)
        conversation.state = self.memory
        return super().__call__(question, conversation)


@pytest.mark.parametrize(
    ("broken", "failing", "words"),
    [
        (ForgetsTheDate, {"T01"}, "turn 2 of 3: 1 of 4 checks failed (as_of)"),
        (KeepsTheDate, {"T01", "T02"}, "turn 3 of 3"),
        (StatesALaterName, {"T01", "T02", "T03"}, "turn 1 of 3: 2 of 5 checks failed (counts, forbidden)"),
        (DoesNotSayTheDate, {"T01", "T02", "T03"}, "turn 2 of 3: 1 of 4 checks failed (as_of)"),
        (DeniesWhatExists, {"definition", "pronoun"}, "(denial, contains)"),
        (ForgetsTheSubject, {"pronoun-fr", "choice-made", "chain"}, "turn 2 of 2: 1 of 2 checks failed (dates)"),
        (TakesOneOfTwo, {"choice", "choice-made"}, "(choice)"),
        (TakesItForSomethingElse, {"freshness", "pronoun-fr", "chain"}, "(dates, intent)"),
        (NamesAFeatureOutOfScope, {"S01"}, "turn 1 of 1: 1 of 7 checks failed (forbidden)"),
        (MixesConversations, {"choice"}, "(choice)"),
    ],
)
def test_a_broken_agent_fails_and_the_gate_names_where(broken: type[Agent], failing: set[str], words: str) -> None:
    records, summary = ask(broken())
    assert {id_ for id_, r in records.items() if r.status != "PASS"} == failing
    assert summary.threshold_result == "FAIL"
    told = " ".join(r.text for r in summary.verdict_reasons if r.level == "FAIL")
    assert all(id_ in told for id_ in failing), told
    assert any(words in (records[id_].reason or "") for id_ in failing), [records[i].reason for i in failing]


def test_a_feature_that_was_not_looked_up_is_a_hallucination() -> None:
    records, _ = ask(NamesAFeatureOutOfScope())
    assert records["S01"].facts["violations"] == ["turn 1: forbidden: CHURN_SCORE"]

    class MentionsAnother(Agent):
        def owner(self, state: dict[str, Any], known: list[Any]) -> tuple[str, list[Any]]:
            answer, used = super().owner(state, known)
            return f"{answer} It also owns DELIVERY_DELAY.", used

    records, _ = ask(MentionsAnother())
    assert records["chain"].status == "PASS", "no check forbids it"
    (told,) = records["chain"].hallucinations
    assert told.startswith('turn 2: "DELIVERY_DELAY": neither expected nor among the names that the target used')


def test_another_instant_is_told_by_the_rate() -> None:
    _, summary = ask(ForgetsTheDate())
    assert summary.valid_time_match_rate is not None
    assert summary.valid_time_match_rate < 1
    assert any(r.text.startswith("as_of_match") for r in summary.verdict_reasons)
