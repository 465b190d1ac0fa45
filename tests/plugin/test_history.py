"""Baseline, stability, repeats, quarantine and resume: what a run makes of earlier ones."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Bench

Scenario = Callable[..., str]
EXAMPLES = Path(__file__).parents[2] / "example_suites" / "walmart"

SWITCH = """
import json, pathlib
STATE = pathlib.Path(__file__).with_name("state.json")

def ask(question, id):
    bad = json.loads(STATE.read_text())
    return "It was $1.2 billion." if id in bad else "It was $611.3 billion."
"""


def codes(bench: Bench) -> dict[str, str]:
    return {r["code"]: r["level"] for r in bench.summary()["verdict_reasons"]}


class Switch:
    """A target whose wrong answers can be chosen."""

    def __init__(self, bench: Bench, count: int = 4, *, deterministic: bool = True) -> None:
        self.bench = bench
        bench.pytester.makepyfile(switch=SWITCH)
        self.write(count, deterministic=deterministic)
        self.break_()

    def write(self, count: int, *, deterministic: bool = True, head: str = "", question: str = "q") -> None:
        items = [
            f'- {{id: s{n}, question: "{question} {n}", expect: {{numbers: ["$611.3 billion"]}}}}' for n in range(count)
        ]
        flag = str(deterministic).lower()
        self.bench.suite("\n".join(items), target=f"{{call: 'switch:ask', deterministic: {flag}}}", head=head)

    def break_(self, *ids: str) -> None:
        (self.bench.path / "state.json").write_text(json.dumps(ids))


@pytest.fixture
def switch(bench: Bench) -> Switch:
    return Switch(bench)


def test_one_scenario_that_passed_and_does_not_now_fails_a_deterministic_target(bench: Bench, switch: Switch) -> None:
    saved = bench.run("--graph-eval-save-baseline", "kept/base.json")
    assert saved.ret == 0
    saved.stdout.fnmatch_lines(["baseline saved: kept/base.json (*"])
    assert bench.run("--graph-eval-save-baseline", "base.json").ret == 0
    assert bench.run("--graph-eval-baseline", "base.json").ret == 0
    switch.break_("s2")
    result = bench.run("--graph-eval-baseline", "base.json", "--graph-eval-fail-on", "gate")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert codes(bench)["deterministic_regression"] == "FAIL"
    assert bench.summary()["baseline"]["worse"] == ["s2"]


def test_a_live_target_is_tested_for_noise(bench: Bench) -> None:
    switch = Switch(bench, 30, deterministic=False)
    bench.run("--graph-eval-save-baseline", "base.json")
    switch.break_("s2")
    options = ("--graph-eval-baseline", "base.json", "--graph-eval-fail-on", "gate")
    assert bench.run(*options).ret == 0
    assert codes(bench)["not_significant"] == "WARN"
    switch.break_(*(f"s{n}" for n in range(6)))
    assert bench.run(*options).ret == pytest.ExitCode.TESTS_FAILED
    assert codes(bench)["significant_regression"] == "FAIL"
    (power,) = bench.summary()["power"]["groups"]
    assert 0 < power["smallest_drop"] < 0.5


def test_what_is_gone_fails_and_what_changed_is_compared_with_nothing(bench: Bench, switch: Switch) -> None:
    bench.run("--graph-eval-save-baseline", "base.json")
    switch.write(3)
    assert bench.run("--graph-eval-baseline", "base.json").ret == pytest.ExitCode.TESTS_FAILED
    assert codes(bench)["vanished:s3"] == "FAIL"
    switch.write(4, question="another question")
    assert bench.run("--graph-eval-baseline", "base.json").ret == pytest.ExitCode.TESTS_FAILED
    assert codes(bench)["nothing_paired"] == "FAIL"


def test_what_a_partial_run_left_out_has_not_vanished(bench: Bench, switch: Switch) -> None:
    bench.run("--graph-eval-save-baseline", "base.json")
    assert bench.run("--graph-eval-baseline", "base.json", "-k", "s0 or s1").ret == 0
    assert bench.summary()["baseline"]["not_run"] == ["s2", "s3"]


@pytest.mark.parametrize(
    ("text", "found"),
    [(None, "no such baseline"), ("{", "not readable as JSON"), ("{}", "not a baseline"),
     ('{"kind": "graph-eval-baseline", "format": 99}', "format 99")],
)  # fmt: skip
def test_a_baseline_that_cannot_be_used_is_refused_before_the_first_question(
    bench: Bench, scenario: Scenario, text: str | None, found: str
) -> None:
    bench.suite(scenario("die"))
    if text is not None:
        (bench.path / "base.json").write_text(text)
    result = bench.run("--graph-eval-baseline", "base.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*base.json*{found}*"])


@pytest.mark.parametrize(
    ("name", "why"), [(".", "this is a folder; name a file"), ("s.graph.yaml/b.json", "is not a folder")]
)
def test_a_place_for_a_baseline_that_is_none_is_told_before_the_first_question(
    bench: Bench, switch: Switch, name: str, why: str
) -> None:
    (bench.path / "s.graph.yaml").touch()
    result = bench.run("--graph-eval-save-baseline", name)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--graph-eval-save-baseline *{why}*"])


def test_a_baseline_is_not_saved_from_a_run_that_proves_nothing(bench: Bench, switch: Switch) -> None:
    base = bench.path / "base.json"
    switch.break_("s0", "s1", "s2")
    result = bench.run("--graph-eval-save-baseline", "base.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["baseline not saved: the verdict is FAIL*"])
    switch.break_()
    result = bench.run("--graph-eval-save-baseline", "base.json", "-k", "s0")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*exit 1 because no baseline was saved*", "baseline not saved: only a part*"])
    assert not base.exists()
    assert bench.run("--graph-eval-save-baseline", "base.json", "--graph-eval-baseline-partial", "-k", "s0").ret == 0
    assert list(json.loads(base.read_text())["suites"]["s.graph.yaml"]) == ["s0"]
    bench.run("--graph-eval-save-baseline", "base.json", "--graph-eval-baseline-partial", "-k", "s2")
    assert list(json.loads(base.read_text())["suites"]["s.graph.yaml"]) == ["s0", "s2"]


def test_with_both_options_known_ids_are_compared_and_new_ones_recorded(bench: Bench, switch: Switch) -> None:
    bench.run("--graph-eval-save-baseline", "base.json")
    switch.write(5)
    result = bench.run("--graph-eval-baseline", "base.json", "--graph-eval-save-baseline", "new.json")
    assert result.ret == 0
    assert bench.summary()["baseline"]["added"] == ["s4"]
    assert len(json.loads((bench.path / "new.json").read_text())["suites"]["s.graph.yaml"]) == 5


def test_bare_questions_have_a_gate_after_one_saved_baseline(bench: Bench) -> None:
    cases = json.loads((EXAMPLES / "test_cases.json").read_text())["test_cases"]
    more = [
        "Who founded Walmart?",
        "Where are the headquarters of Walmart?",
        "When was Asda sold?",
        "What is Flipkart?",
        "Which executives lead the segments?",
        "Who was chief financial officer before 2022?",
    ]
    questions = [c["question"] for c in cases] + more
    shutil.copy(EXAMPLES / "walmart_extraction.json", bench.path)
    items = "\n".join(f"- {{id: q{n}, question: {json.dumps(q)}}}" for n, q in enumerate(questions))
    head = "defaults: {expect: {stable: {entities: 0.8, chunks: 0.8, facts: 1.0}}}"
    bench.suite(items, head=head, target="{extraction: walmart_extraction.json}")
    assert bench.run().ret == pytest.ExitCode.TESTS_FAILED
    assert sum("no_baseline" in r["reason"] for r in bench.records()) == 30
    assert bench.run("--graph-eval-save-baseline", "base.json").ret == 0
    assert sum("recorded" in r["flags"] for r in bench.records()) == 30
    assert bench.run("--graph-eval-baseline", "base.json").ret == 0
    lost = _drop_a_third(bench.path / "walmart_extraction.json")
    result = bench.run("--graph-eval-baseline", "base.json", "--tb=no")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert bench.summary()["threshold_result"] == "FAIL"
    named = {name for row in bench.summary()["baseline"]["drift"] for name in row["lost"]}
    assert "WALMART INC" in lost & named


def _drop_a_third(path: Path) -> set[str]:
    data = json.loads(path.read_text())
    lost = {e["entity_name"] for e in data["entities"][::3]}
    data["entities"] = [e for e in data["entities"] if e["entity_name"] not in lost]
    data["relationships"] = [r for r in data["relationships"] if not {r["src_id"], r["tgt_id"]} & lost]
    path.write_text(json.dumps(data))
    return lost


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ({"answer": "It was $5 million in 2014."}, {"answer": "It was $6 million in 2014."}, "lost: $5 million"),
        ({"answer": "x", "entities": [{"name": "A"}]}, {"answer": "x", "entities": []}, "lost: A"),
    ],
)
def test_an_answer_is_enough_to_record_and_to_compare(bench: Bench, before: Any, after: Any, lost: str) -> None:
    bench.pytester.makepyfile(
        told="import json, pathlib\ndef ask(question):\n    return json.loads(pathlib.Path('reply.json').read_text())\n"
    )
    kind = "entities" if "entities" in before else "facts"
    bench.suite(f"- {{id: a, question: q, expect: {{stable: {{{kind}: 1.0}}}}}}", target="{call: 'told:ask'}")
    (bench.path / "reply.json").write_text(json.dumps(before))
    assert bench.run("--graph-eval-save-baseline", "base.json").ret == 0
    assert (bench.records()[0]["status"], bench.records()[0]["flags"]) == ("PASS", ["recorded"])
    (bench.path / "reply.json").write_text(json.dumps(after))
    bench.run("--graph-eval-baseline", "base.json").assert_outcomes(failed=1)
    assert lost in bench.records()[0]["reason"]


def test_repeats_ask_anew_and_keep_every_attempt(bench: Bench) -> None:
    bench.pytester.makepyfile(
        coin="calls = []\ndef ask(question):\n    calls.append(1)\n"
        "    return '$611.3 billion' if len(calls) % 3 else '$1.2 billion'\n"
    )
    expect = 'expect: {numbers: ["$611.3 billion"]}'
    bench.suite(
        f'- {{id: a, question: "q", repeats: 6, min_pass_rate: 0.6, {expect}}}\n- {{id: b, question: "q", {expect}}}',
        target="{call: 'coin:ask'}",
    )
    bench.run("--graph-eval-repeats", "3").assert_outcomes(passed=1, failed=1)
    bench.run().assert_outcomes(passed=2)
    first, second = bench.records()
    assert (first["pass_rate"], len(first["repeats"]), first["scores"]["facts"]) == (4 / 6, 6, 4 / 6)
    assert first["pass_interval"][0] < 4 / 6 < first["pass_interval"][1]
    assert (first["pass_at_k"]["1"], first["pass_hat_k"]["1"]) == (pytest.approx(4 / 6), pytest.approx(4 / 6))
    assert second["repeats"] == []


def test_a_suite_that_asks_once_wins_over_the_repeats_of_the_ini_file(bench: Bench) -> None:
    bench.pytester.makepyfile(parrot="def ask(question):\n    return 'Bob'\n")
    expect = "question: q, expect: {names: [Bob]}"
    bench.suite(f"- {{id: a, repeats: 1, {expect}}}\n- {{id: b, {expect}}}", target="{call: 'parrot:ask'}")
    bench.run("-o", "graph_eval_repeats=3").assert_outcomes(passed=2)
    assert [len(r["repeats"]) for r in bench.records()] == [0, 3]


@pytest.mark.parametrize(
    ("second", "raises", "outcome"),
    [
        ({"error": "down"}, "[check, score]", {"failed": 1}),
        ({"error": "down"}, "[error]", {"xfailed": 1}),
        ({"answer": "Al"}, "[check, score]", {"xfailed": 1}),
    ],
)
def test_an_xfail_hides_no_error_of_one_repeat_that_it_does_not_name(
    bench: Bench, second: dict[str, str], raises: str, outcome: dict[str, int]
) -> None:
    lines = [{"id": "a", "response": {"answer": "Bob"}}, {"id": "a", "response": second}]
    (bench.pytester.path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)))
    xfail = f"xfail: {{reason: known, raises: {raises}}}"
    bench.suite(
        f"- {{id: a, question: q, repeats: 2, {xfail}, expect: {{names: [Bob]}}}}",
        target="{kind: replay, path: r.jsonl}",
    )
    bench.run().assert_outcomes(**outcome)
    assert (bench.records()[0]["status"], bench.records()[0]["pass_rate"]) == ("FAIL", 0.5)


def test_the_kth_replay_line_of_an_id_serves_the_kth_repeat(bench: Bench) -> None:
    lines = [{"id": "a", "response": {"answer": f"${n}.5 billion"}} for n in (1, 2, 1)]
    (bench.path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)))
    item = '- {id: a, question: "q", repeats: %d, min_pass_rate: 0.6, expect: {numbers: ["$1.5 billion"]}}'
    bench.suite(item % 3, target="{path: r.jsonl}")
    bench.run().assert_outcomes(passed=1)
    assert [r["status"] for r in bench.records()[0]["repeats"]] == ["PASS", "FAIL", "PASS"]
    bench.suite(item % 4, target="{path: r.jsonl}")
    bench.run()
    assert "ERROR" in {r["status"] for r in bench.records()[0]["repeats"]}


QUARANTINE = """format: 1
quarantine:
  - {{id: {id}, suite: s.graph.yaml, fingerprint: {fingerprint}, runs: 10, passed: 7, flips: 3,
      interval: [0.4, 0.89], until: {until}{more}}}
"""


@pytest.mark.parametrize(
    ("change", "outcome", "said"),
    [
        ({}, "xfailed", "1 scenario quarantined as flaky: s1"),
        ({"until": "2020-01-01"}, "failed", "the quarantine of s1 ended on 2020-01-01"),
        ({"fingerprint": "0123456789ab"}, "failed", "asks or expects something else"),
        ({"more": ", stable: true"}, "failed", "s1 is stable again"),
        ({"id": "gone"}, "failed", "there is no such scenario"),
    ],
)
def test_a_quarantined_scenario_is_expected_to_fail_while_its_entry_holds(
    bench: Bench, switch: Switch, change: dict[str, str], outcome: str, said: str
) -> None:
    bench.run()
    values = {"id": "s1", "fingerprint": bench.records()[1]["fingerprint"], "until": "2999-01-01", "more": "", **change}
    (bench.path / "q.yaml").write_text(QUARANTINE.format(**values))
    switch.break_("s1")
    result = bench.run("--graph-eval-quarantine", "q.yaml", "-rx")
    result.assert_outcomes(**{"passed": 3, outcome: 1})
    assert said in " ".join(result.stdout.str().split())
    if outcome == "xfailed":
        assert "passed 7 of 10 runs" in " ".join(result.stdout.str().split())
        assert bench.records()[1]["flags"] == ["quarantined"]


def test_what_must_pass_cannot_be_quarantined(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("wrong", "s1", ", must_pass: true"))
    bench.run()
    values = {"id": "s1", "fingerprint": bench.records()[0]["fingerprint"], "until": "2999-01-01", "more": ""}
    (bench.path / "q.yaml").write_text(QUARANTINE.format(**values))
    bench.run("--graph-eval-quarantine", "q.yaml").assert_outcomes(failed=1)
    assert codes(bench)["quarantine:s1"] == "WARN"


def test_a_quarantine_that_cannot_be_read_is_a_usage_error(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("die"))
    (bench.path / "q.yaml").write_text("quarantine: [{id: a}]\n")
    result = bench.run("--graph-eval-quarantine", "q.yaml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*q.yaml*"])


RECORDER = """
import pathlib, time
LOG = pathlib.Path(__file__).with_name("asked.log")

def ask(question):
    with LOG.open("a") as log:
        log.write(question + "\\n")
    time.sleep(0.02)
    return "It was $611.3 billion."
"""


def test_a_run_that_was_killed_is_resumed_where_it_stopped(bench: Bench) -> None:
    bench.pytester.makepyfile(recorder=RECORDER)
    items = [f'- {{id: s{n}, question: "q{n}", expect: {{numbers: ["$611.3 billion"]}}}}' for n in range(100)]
    bench.suite("\n".join(items), target="{call: 'recorder:ask'}")
    log = bench.path / "asked.log"
    command = [sys.executable, "-m", "pytest", "--graph-eval", "-p", "no:cacheprovider", "-p", "no:randomly", "-q"]
    process = subprocess.Popen(command, cwd=bench.path, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while (not log.exists() or log.read_text().count("\n") < 30) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    asked = log.read_text().count("\n")
    (killed,) = (bench.path / "evals/results").glob("*.jsonl")
    finished = killed.read_text().count("\n")
    assert finished >= asked - 1
    with killed.open("a") as file:
        file.write('{"id": "torn')
    result = bench.run("--graph-eval-resume", "last")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*the last line was cut off*"])
    assert log.read_text().count("\n") - asked <= 100 - finished
    assert [r["id"] for r in bench.records()] == [f"s{n}" for n in range(100)]
    assert sum("resumed" in r["flags"] for r in bench.records()) == finished
    assert bench.summary()["threshold_result"] == "PASS"


def test_resume_asks_again_what_was_an_error_or_has_changed(bench: Bench, scenario: Scenario) -> None:
    bench.suite("\n".join([scenario("good", "a"), scenario("crash", "b"), scenario("good", "c")]))
    bench.run()
    (first,) = (bench.path / "evals/results").glob("*.jsonl")
    changed = scenario("good", "c").replace("good question", "good other")
    bench.suite("\n".join([scenario("good", "a"), scenario("good", "b"), changed]))
    bench.run("--graph-eval-resume", str(first.relative_to(bench.path)))
    resumed = [r["id"] for r in bench.records() if "resumed" in r["flags"]]
    assert resumed == ["a"]
    bench.run("--graph-eval-resume", str(first.relative_to(bench.path)), "-n", "2")
    assert [r["id"] for r in bench.records() if "resumed" in r["flags"]] == ["a"]


def test_resume_says_when_there_is_nothing_to_resume(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good"))
    result = bench.run("--graph-eval-resume", "last")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no unfinished run*"])
    assert bench.run("--graph-eval-resume", "nowhere.jsonl").ret == pytest.ExitCode.USAGE_ERROR
