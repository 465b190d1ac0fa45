"""A run with a judge: off unless asked for, after the last scenario, and never at the cost of the run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.chat_endpoint import ChatEndpoint
from tests.servers.judge_model import Judge

from .runs import Run, run_pytest

SUITE = """
suite: judged
target: {{call: "toy_agent:ask"}}
judge: {{url: "{url}", model: m, headers: {{Authorization: "Bearer ${{JUDGE_KEY:-none}}"}}, retries: 0, timeout: 5}}
gate: {{judge: {{faithfulness: 3.5}}, overall: null}}
scenarios:
  - {{id: good, question: "fine", expect: {{contains: fine}}}}
  - {{id: bad, question: "text", expect: {{contains: text}}}}
  - {{id: capped, question: "fraction", expect: {{contains: fraction, excludes: answer}}}}
  - {{id: known, question: "fine", xfail: known, expect: {{contains: x y z}}}}
  - {{id: dead, question: "crash", expect: {{contains: x}}}}
"""
AGENT = """
def ask(question):
    if question == "crash":
        raise RuntimeError("gone")
    return question + " answer"
"""
NO_NETWORK = """
import socket

def refuse(*_, **__):
    raise AssertionError("a connection was tried")

socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
"""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ChatEndpoint]:
    endpoint = ChatEndpoint(Judge())
    yield endpoint
    endpoint.close()


def folder(base: Path, url: str) -> Path:
    base.mkdir()
    (base / "s.graph.yaml").write_text(SUITE.format(url=url), encoding="utf-8")
    (base / "toy_agent.py").write_text(AGENT, encoding="utf-8")
    return base


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, endpoint: ChatEndpoint) -> Run:
    base = folder(tmp_path_factory.mktemp("on") / "x", endpoint.url)
    return run_pytest(base, "--graph-eval-judge", JUDGE_KEY="sk-secret-key")


def test_judgements_are_on_the_records_and_in_the_summary(judged: Run) -> None:
    assert judged.record("good")["judge"]["scores"]["faithfulness"] == 4
    assert "not_a_number" in judged.record("bad")["judge"]["error"]
    assert judged.record("bad")["judge"]["scores"] == {}
    assert judged.record("dead")["judge"] == judged.record("known")["judge"] == {}
    assert judged.summary["tally"]["judgements"] == {"failed": 1, "made": 2}
    assert judged.summary["tally"]["judge"]["faithfulness"]["mean"] == 3


def test_a_score_is_capped_by_a_violation_and_the_report_says_so(judged: Run) -> None:
    judge = judged.record("capped")["judge"]
    assert judge["scores"]["faithfulness"] == 2
    (cap,) = judge["judgements"][0]["caps"]
    assert cap == {"metric": "faithfulness", "before": 4, "after": 2, "why": "says what must not be said"}
    assert judged.says("Capped: 1 score by what code found")


def test_the_gate_judges_by_its_own_line_and_items_are_left_alone(judged: Run) -> None:
    assert judged.record("good")["outcome"] == judged.record("bad")["outcome"] == "passed"
    assert {"below_threshold", "judge_unavailable", "errors_present"} <= judged.codes()
    assert judged.says("judge.faithfulness 3.00 is under the line 3.5")
    assert judged.says("Judgements: 2 made, 1 failed")


def test_the_key_is_sent_and_stays_secret(judged: Run, endpoint: ChatEndpoint) -> None:
    assert "Bearer sk-secret-key" in endpoint.keys
    written = "".join(path.read_text(errors="replace") for path in (judged.folder / "results").iterdir())
    assert "sk-secret-key" not in judged.out + judged.err + written


def test_off_nothing_leaves_the_machine_and_the_report_says_what_was_not_made(
    tmp_path: Path, endpoint: ChatEndpoint
) -> None:
    before = len(endpoint.requests)
    base = folder(tmp_path / "x", endpoint.url)
    (base / "conftest.py").write_text(NO_NETWORK, encoding="utf-8")
    run = run_pytest(base, alone=True)
    assert len(endpoint.requests) == before
    assert run.says("Judgements: 3 not made (the judge is off; --graph-eval-judge asks it)")
    assert run.record("good")["outcome"] == "passed"
    assert "no_records" not in run.codes()
    assert run.record("good")["judge"]["judgements"][0]["outcome"] == "not_made"


def test_under_xdist_and_with_x_the_controller_judges_what_ran(tmp_path: Path, endpoint: ChatEndpoint) -> None:
    base = folder(tmp_path / "x", endpoint.url)
    run = run_pytest(base, "-n", "2", GRAPH_EVAL_JUDGE="1")
    assert run.record("good")["judge"]["scores"]["faithfulness"] == 4
    base = folder(tmp_path / "y", endpoint.url)
    run = run_pytest(base, "-x", "--graph-eval-judge", "-k", "good or dead", "-p", "no:xdist")
    assert run.summary["tally"]["judgements"] == {"made": 1}


def test_a_finished_run_is_judged_later_and_gated_again(
    tmp_path: Path, endpoint: ChatEndpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    from pytest_graph_eval import cli

    base = folder(tmp_path / "x", endpoint.url)
    run = run_pytest(base)
    (path,) = (base / "results").glob("*.jsonl")
    assert cli.main(["judge", str(path), "--rootdir", str(base)]) == 1, "one judgement failed"
    said, _, command = capsys.readouterr().out.rstrip().rpartition("\n")
    assert said.endswith("the verdict in the summary is still that of before; to decide again:")
    judges = [json.loads(line)["judge"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert [judge.get("scores", {}).get("faithfulness") for judge in judges] == [4, None, 2, None, None]
    out = base / "again.json"
    assert cli.main(["gate", str(path), "--rootdir", str(base), "-o", str(out)]) == 1
    assert json.loads(out.read_text(encoding="utf-8"))["tally"]["judge"]["faithfulness"]["mean"] == 3
    assert run.summary["tally"]["judgements"] == {"not_made": 3}
    cli.main(["gate", str(path), "--rootdir", str(base), "-o", str(out), "--judge", "faithfulness=2.5"])
    reasons = json.loads(out.read_text(encoding="utf-8"))["verdict_reasons"]
    assert not any("judge.faithfulness" in reason["text"] for reason in reasons)
    assert cli.main(shlex.split(command)[1:]) == 1
    assert run.summary["tally"]["judgements"] == {"made": 2, "failed": 1}


INTERRUPTING = """
import os, signal, time

def judge(prompt):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)
    return "too late"
"""


def test_an_interrupt_while_judging_costs_the_judgements_only(tmp_path: Path) -> None:
    base = folder(tmp_path / "x", "unused")
    (base / "toy_judge.py").write_text(INTERRUPTING, encoding="utf-8")
    text = (base / "s.graph.yaml").read_text(encoding="utf-8")
    before, _, rest = text.partition("judge: {url")
    text = before + 'judge: {call: "toy_judge:judge"}\n' + rest.partition("\n")[2]
    (base / "s.graph.yaml").write_text(text, encoding="utf-8")
    run = run_pytest(base, "--graph-eval-judge", "-k", "good")
    assert run.record("good")["outcome"] == "passed"
    assert run.record("good")["judge"]["judgements"][0] == {
        "kind": "rubric", "outcome": "not_made", "reason": "the run ended before",
    }  # fmt: skip
    assert run.says("WARN judging_interrupted: judging was interrupted; the results stand")
    assert run.says("WARN not_judged: 1 judgement not made: the run ended before")


BREAKING = """
from pytest_graph_eval.evaluation.judging import Judging

async def run(self):
    raise LookupError("a fault of ours")

Judging.run = run
"""


def test_a_fault_of_ours_while_judging_fails_the_gate_and_keeps_the_results(tmp_path: Path) -> None:
    base = folder(tmp_path / "x", "http://127.0.0.1:9")
    (base / "conftest.py").write_text(BREAKING, encoding="utf-8")
    run = run_pytest(base, "--graph-eval-judge", "-k", "good", alone=True)
    assert run.code == 1
    assert run.record("good")["outcome"] == "passed"
    assert run.says("FAIL judging_broke_off: judging broke off, please report it (LookupError: a fault of ours)")


def test_a_judge_that_nobody_has_is_told(tmp_path: Path) -> None:
    base = tmp_path / "x"
    base.mkdir()
    (base / "toy_agent.py").write_text(AGENT, encoding="utf-8")
    text = 'target: {call: "toy_agent:ask"}\nscenarios: [{id: a, question: fine, expect: {contains: fine}}]\n'
    (base / "s.graph.yaml").write_text(text, encoding="utf-8")
    run = run_pytest(base, "--graph-eval-judge")
    assert run.code == 0
    assert run.says("WARN no_judge: --graph-eval-judge: no suite that ran has a `judge:`")
