"""Servers that fail in every way, seen through the plugin: status, message, bounded time, nothing left behind."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from .runs import SERVERS, Run, run_pytest

RAW = [sys.executable, str(SERVERS / "raw_server.py")]
EXITS = [sys.executable, "-c", "import sys; print('ValueError: no licence file', file=sys.stderr); sys.exit(7)"]
HELLO = {"a": "hello", "b": "hello"}
# name -> command, further settings, id -> question. `hello` is echoed, and must be.
SUITES: dict[str, tuple[list[str], str, dict[str, str]]] = {
    "missing": (["no-such-server"], "", HELLO),
    "exits": (EXITS, "", HELLO),
    "hangs": ([*RAW, "hang"], ", start_timeout: 1", HELLO),
    "talks_then_hangs": ([*RAW, "garbage then hang"], ", start_timeout: 1", HELLO),
    "dies": ([*RAW, "dies in third query"], "", {f"q{n}": "hello" for n in range(1, 5)}),
    # One at a time: beside others, those that it does not die of are asked again before its end is counted.
    "keeps_dying": (RAW, ", restarts: 1, max_concurrency: 1", {"a": "die", "b": "die", "c": "hello", "d": "hello"}),
    "garbage": ([*RAW, "noisy start"], "", {"a": "garbage", "b": "hello"}),
    "late": (RAW, ", timeout: 0.5", {"a": "hang"}),
    "lives_on": ([*RAW, "ignores eof", "child"], "", HELLO),
    "replies": (
        RAW,
        "",
        {word.replace(" ", "_"): word for word in ("isError", "status error", "empty", "nothing", "null", "foreign")},
    ),
}
# suite, id -> outcome in pytest, status of the record, and what the message names
EXPECTED: dict[tuple[str, str], tuple[str, str, str]] = {
    ("missing", "a"): ("failed", "ERROR", "the command 'no-such-server' was not found on the PATH"),
    ("missing", "b"): ("failed", "ERROR", "the command 'no-such-server' was not found on the PATH"),
    ("exits", "a"): ("failed", "ERROR", "the server ended with exit status 7"),
    ("exits", "b"): ("failed", "ERROR", "the server ended with exit status 7"),
    ("hangs", "a"): ("failed", "ERROR", "the server was not ready within 1 s"),
    ("hangs", "b"): ("failed", "ERROR", "the server was not ready within 1 s"),
    ("talks_then_hangs", "a"): ("failed", "ERROR", "the server was not ready within 1 s"),
    ("talks_then_hangs", "b"): ("failed", "ERROR", "the server was not ready within 1 s"),
    ("dies", "q1"): ("passed", "PASS", ""),
    ("dies", "q2"): ("passed", "PASS", ""),
    ("dies", "q3"): ("failed", "ERROR", "the server ended with exit status 3 while a reply from query_graph_tool"),
    ("dies", "q4"): ("passed", "PASS", ""),  # it was started again
    ("keeps_dying", "a"): ("failed", "ERROR", "the server ended with exit status 4"),
    ("keeps_dying", "b"): ("failed", "ERROR", "the server ended with exit status 4"),
    ("keeps_dying", "c"): ("failed", "ERROR", "given up after 1 restart"),
    ("keeps_dying", "d"): ("failed", "ERROR", "given up after 1 restart"),
    ("garbage", "a"): ("passed", "PASS", ""),  # what is no message is passed over
    ("garbage", "b"): ("passed", "PASS", ""),
    ("late", "a"): ("failed", "ERROR", "no reply from query_graph_tool within 0.5 s"),
    ("lives_on", "a"): ("passed", "PASS", ""),
    ("lives_on", "b"): ("passed", "PASS", ""),
    ("replies", "isError"): ("failed", "ERROR", "replied with an error: Error executing tool: mode is wrong"),
    ("replies", "status_error"): ("failed", "ERROR", 'reports status "error": embedding endpoint is down'),
    ("replies", "empty"): ("skipped", "INCONCLUSIVE", "no evidence: neither an answer nor anything retrieved"),
    ("replies", "nothing"): ("skipped", "INCONCLUSIVE", "no evidence: neither an answer nor anything retrieved"),
    ("replies", "null"): ("skipped", "INCONCLUSIVE", "no evidence: neither an answer nor anything retrieved"),
    ("replies", "foreign"): ("failed", "ERROR", "none of the mapped keys: it is an object with the keys rows"),
}


def write_suites(folder: Path) -> None:
    for name, (command, more, questions) in SUITES.items():
        (folder / name).mkdir()
        scenarios = [
            f'  - {{id: "{id_}", question: "{question}", expect: {{equals: "{question}"}}}}'
            for id_, question in questions.items()
        ]
        target = f"target: {{command: {json.dumps(command)}{more}}}"
        text = "\n".join([target, "scenarios:", *scenarios])
        (folder / name / "s.graph.yaml").write_text(text + "\n", encoding="utf-8")


def left_behind(folder: Path) -> list[str]:
    """Return the processes that work in a folder: servers, and what they started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "cwd").readlink().is_relative_to(folder):
                    found.append((entry / "cmdline").read_text().replace("\0", " "))
            except OSError:  # it ended meanwhile
                continue
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("servers")
    write_suites(folder)
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    start = time.monotonic()
    run = run_pytest(folder)
    assert time.monotonic() - start < 60  # each of the servers that hang does so for a minute
    return run


def found(run: Run) -> dict[tuple[str, str], dict[str, Any]]:
    return {(Path(r["suite"]).parent.name, r["id"]): r for r in run.records}


def test_every_scenario_has_a_record(run: Run) -> None:
    assert set(found(run)) == set(EXPECTED)


@pytest.mark.parametrize(("suite", "id_"), EXPECTED, ids=str)
def test_each_failure_has_its_status_and_names_its_cause(run: Run, suite: str, id_: str) -> None:
    record = found(run)[suite, id_]
    outcome, status, message = EXPECTED[suite, id_]
    assert (record["outcome"], record["status"]) == (outcome, status)
    assert message in (record["error"] or record["reason"] or "")
    if status != "PASS":
        assert set(record["scores"].values()) == {None}
        assert record["cause"] == ("error" if status == "ERROR" else "no_evidence")


def test_what_the_servers_wrote_last_is_shown(run: Run) -> None:
    for line in ("  | ValueError: no licence file", "  | Traceback: out of memory", "  | about to die"):
        assert line + "\n" in run.out


def test_a_server_that_does_not_start_is_an_error_at_setup(run: Run) -> None:
    assert run.says("ERROR at setup of [graph-eval] a")
    assert run.code == 1
    assert run.summary["threshold_result"] == "FAIL"
    assert {"errors_present", "nothing_measured"} <= run.codes()


def test_no_traceback_of_ours_is_shown(run: Run) -> None:
    assert "pytest_graph_eval/" not in run.out + run.err
    assert "Traceback (most recent call last)" not in run.out + run.err


def test_no_process_is_left(run: Run, folder: Path) -> None:
    assert run.records
    assert left_behind(folder) == []


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_suites_that_share_a_server_differ_in_what_can_be_asked_of_it(tmp_path: Path, order: str) -> None:
    target = f"target: {{command: {json.dumps([sys.executable, str(SERVERS / 'sdk_server.py')])}}}\n"
    ask = "{id: one, question: hello, expect: {equals: hello}"
    suites = {
        "a": f"scenarios:\n  - {ask}, arguments: {{modus: kg}}}}\n",
        "b": f"scenarios:\n  - {ask}}}\n  - {{id: two, question: pid, expect: {{equals: pid}}}}\n",
    }
    for name, scenarios in suites.items():
        (tmp_path / f"{name}.graph.yaml").write_text(target + scenarios)
    run = run_pytest(tmp_path, *(f"{name}.graph.yaml" for name in order))
    found = {(r["suite"], r["id"]): (r["status"], r["error"]) for r in run.records}
    status, error = found.pop(("a.graph.yaml", "one"))
    assert status == "ERROR"
    assert "a.graph.yaml:1: target" in error
    assert "unknown argument 'modus'" in error
    assert found == {("b.graph.yaml", id_): ("PASS", None) for id_ in ("one", "two")}
