"""Conversations as pytest items: asked ahead like all others, each of them in its own thread, told turn by turn."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .runs import Run, run_pytest

AGENT = """
import asyncio

async def ask(question, conversation):
    with open("asked.txt", "a") as file:
        print(conversation.thread_id, conversation.turn, question, file=file)
    await asyncio.sleep(0.02)
    state = conversation.state
    state["names"] = [*state.get("names", []), question]
    return {"answer": "I heard " + ", ".join(state["names"]), "intent": "CHAT"}
"""
SUITE = """
target: {call: "talker:ask"}
scenarios:
  - id: whole
    turns:
      - {question: Alpha, expect: {names: Alpha, intent: CHAT}}
      - {question: Beta, expect: {names: [Alpha, Beta]}}
  - id: stopped
    stop_on_failure: true
    turns:
      - {question: Gamma, expect: {names: Zeta}}
      - {question: Delta, expect: {names: Delta}}
  - id: other
    repeats: 2
    turns:
      - {question: Eta, expect: {names: Eta, excludes: Alpha}}
      - {question: Theta, expect: {names: [Eta, Theta]}}
"""


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("talk")
    (folder / "talker.py").write_text(AGENT)
    (folder / "talk.graph.yaml").write_text(SUITE)
    return run_pytest(folder)


def test_each_conversation_has_its_own_thread(talked: Run) -> None:
    lines = [line.split() for line in (talked.folder / "asked.txt").read_text().splitlines()]
    threads: dict[str, list[str]] = {}
    for thread, _, question in lines:
        threads.setdefault(thread, []).append(question)
    assert sorted(threads.values()) == [["Alpha", "Beta"], ["Eta", "Theta"], ["Eta", "Theta"], ["Gamma"]]


def test_records_tell_the_turns(talked: Run) -> None:
    found = {r["id"]: r for r in talked.records}
    assert {id_: [t["status"] for t in r["turns"]] for id_, r in found.items()} == {
        "whole": ["PASS", "PASS"], "stopped": ["FAIL", "SKIPPED"], "other": ["PASS", "PASS"]}  # fmt: skip
    assert (found["other"]["pass_rate"], len(found["other"]["repeats"])) == (1.0, 2)
    assert talked.summary["intent_match_rate"] == 1.0


def test_the_failure_names_the_turn(talked: Run) -> None:
    assert "turn 1 of 2: Gamma" in talked.out
    assert "names: Zeta is not stated in the answer" in talked.out


def test_a_conversation_is_played_from_a_cassette(talked: Run, tmp_path: Path) -> None:
    for name in ("talker.py", "talk.graph.yaml"):
        (tmp_path / name).write_text((talked.folder / name).read_text())
    run_pytest(tmp_path, "--graph-eval-record-mode=once")
    shutil.rmtree(tmp_path / "results")
    (tmp_path / "talker.py").write_text("")
    again = run_pytest(tmp_path, "--graph-eval-record-mode=none")
    assert [r["status"] for r in again.records] == ["PASS", "FAIL", "PASS"]
    assert again.records[0]["turns"][1]["answer"] == "I heard Alpha, Beta"
