"""`--graph-eval-record-mode`: what is asked, recorded and played in a session, and what the report says of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Bench

Scenario = Callable[..., str]
MODE = "--graph-eval-record-mode"


def codes(bench: Bench) -> dict[str, str]:
    return {r["code"]: r["text"] for r in bench.summary()["verdict_reasons"]}


def remove_target(bench: Bench) -> None:
    """Make sure that nothing can be asked."""
    (bench.path / "toy.py").write_text("raise RuntimeError('asked')\n", encoding="utf-8")


def without_time(record: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in record.items() if k not in ("elapsed_s", "concurrency", "flags", "deterministic", "index")}


@pytest.fixture
def two(bench: Bench, scenario: Scenario) -> Bench:
    bench.suite("\n".join([scenario("good", "a"), scenario("wrong", "b")]))
    return bench


def test_without_the_option_nothing_is_recorded(two: Bench) -> None:
    two.run()
    assert not (two.path / "cassettes").exists()
    assert "replayed" not in codes(two)


def test_once_records_beside_the_suite_and_plays_without_the_target(two: Bench) -> None:
    live = two.run(MODE, "once")
    cassette = two.path / "cassettes" / "s.jsonl"
    text, asked = cassette.read_text("utf-8"), two.records()
    assert codes(two)["cassette_written"] == "recorded 2 replies in cassettes/s.jsonl, which holds 2"
    remove_target(two)
    played = two.run(MODE, "once")
    assert [without_time(r) for r in two.records()] == [without_time(r) for r in asked]
    assert [r["elapsed_s"] for r in two.records()] == [r["elapsed_s"] for r in asked]
    assert [(r["flags"], r["deterministic"]) for r in asked] == [([], False)] * 2
    assert [(r["flags"], r["deterministic"]) for r in two.records()] == [(["replayed"], True)] * 2
    assert codes(two)["replayed"] == "2 of 2 scenarios replayed from cassettes; their target was not asked"
    assert "cassette_written" not in codes(two)
    assert cassette.read_text("utf-8") == text
    assert live.ret == played.ret == pytest.ExitCode.TESTS_FAILED


def test_none_says_how_to_record_what_is_missing(two: Bench, scenario: Scenario) -> None:
    two.run(MODE, "once")
    two.suite("\n".join([scenario("good", "a"), scenario("good", "c").replace("good question", "good new question")]))
    result = two.run(MODE, "none")
    assert {r["id"]: r["status"] for r in two.records()} == {"a": "PASS", "c": "ERROR"}
    result.stdout.fnmatch_lines(["*nothing is recorded of 'c'*"])
    assert "/cassettes/s.jsonl: no reply to this question" in two.records()[1]["error"]
    assert f"Record it: pytest --graph-eval {MODE} once" in two.records()[1]["error"]


def test_workers_record_what_one_process_records(two: Bench) -> None:
    def recorded() -> list[dict[str, Any]]:
        lines = (two.path / "cassettes" / "s.jsonl").read_text("utf-8").splitlines()
        return [{k: v for k, v in json.loads(line).items() if k != "elapsed_s"} for line in lines]

    two.run(MODE, "once")
    alone = recorded()
    two.run(MODE, "all", "-n", "2")
    assert recorded() == alone
    remove_target(two)
    two.run(MODE, "none", "-n", "2")
    assert {r["id"]: r["status"] for r in two.records()} == {"a": "PASS", "b": "FAIL"}
    assert codes(two)["replayed"].startswith("2 of 2 scenarios")


def test_all_records_anew(two: Bench) -> None:
    two.run(MODE, "once")
    toy = two.path / "toy.py"
    changed = toy.read_text("utf-8").replace("$605.9 billion", "$611.3 billion")
    toy.write_text(f"{changed}\n", "utf-8")  # of another size: Python knows compiled modules by seconds and size
    two.run(MODE, "once")
    assert [r["status"] for r in two.records()] == ["PASS", "FAIL"]
    two.run(MODE, "all")
    assert [r["status"] for r in two.records()] == ["PASS", "PASS"]
    remove_target(two)
    two.run(MODE, "none")
    assert [r["status"] for r in two.records()] == ["PASS", "PASS"]


def test_ini_keys_and_the_environment_say_the_mode_and_the_folder(
    two: Bench, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.pytester.makeini("[pytest]\ngraph_eval_record_mode = none\ngraph_eval_cassettes = kept/here\n")
    (two.path / "deep").mkdir()
    (two.path / "deep" / "s.graph.yml").write_text((two.path / "s.graph.yaml").read_text("utf-8"), "utf-8")
    monkeypatch.setenv("GRAPH_EVAL_RECORD_MODE", "once")
    two.run()
    kept = two.path / "kept" / "here"
    assert sorted(p.relative_to(kept) for p in kept.rglob("*.jsonl")) == [Path("deep/s.jsonl"), Path("s.jsonl")]
    monkeypatch.delenv("GRAPH_EVAL_RECORD_MODE")
    remove_target(two)
    two.run()
    assert codes(two)["replayed"].startswith("4 of 4 scenarios")


def test_a_suite_that_plays_its_cassette_is_asked_only_when_the_command_line_says_so(
    two: Bench, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.suite(scenario("good", "a"), head="record_mode: none")
    assert two.run().ret == pytest.ExitCode.TESTS_FAILED
    assert "no replies of the target toy:ask; nothing is recorded" in two.records()[0]["error"]
    two.run(MODE, "once")
    two.pytester.makeini("[pytest]\ngraph_eval_record_mode = off\n")
    two.run()
    assert two.records()[0]["flags"] == ["replayed"]
    two.run("--graph-eval-target", "toy:ask")
    assert two.records()[0]["flags"] == []
    monkeypatch.setenv("GRAPH_EVAL_RECORD_MODE", "off")
    two.run()
    assert two.records()[0]["flags"] == []


@pytest.mark.parametrize("where", ["option", "variable", "ini"])
def test_a_mode_that_is_none_is_a_usage_error(two: Bench, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    if where == "variable":
        monkeypatch.setenv("GRAPH_EVAL_RECORD_MODE", "twice")
    if where == "ini":
        two.pytester.makeini("[pytest]\ngraph_eval_record_mode = twice\n")
    result = two.run(*((MODE, "twice") if where == "option" else ()))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    name = {
        "option": "*invalid choice: 'twice'*",
        "variable": "*GRAPH_EVAL_RECORD_MODE twice*",
        "ini": "*record_mode twice*",
    }
    result.stderr.fnmatch_lines([name[where]])
    if where != "option":
        result.stderr.fnmatch_lines(["*expected `off`, `once`, `all`, `none`*"])


def test_a_cassette_of_other_settings_is_told_and_recorded_anew(two: Bench, scenario: Scenario) -> None:
    two.run(MODE, "once")
    two.suite(scenario("good", "a"), target="{call: 'toy:ask', drop: [x]}")
    two.run(MODE, "once")
    assert codes(two)["stale_cassette"] == (
        "1 scenario recorded with other settings of the target, or other files that it is set up with, so the "
        "recording was not used: a"
    )
    assert two.records()[0]["flags"] == ["stale_cassette"]
    two.run(MODE, "once")
    assert two.records()[0]["flags"] == ["replayed"]


def test_one_pass_that_is_lost_in_a_replay_is_a_regression(two: Bench, scenario: Scenario) -> None:
    two.suite(scenario("good", "a"))
    two.run(MODE, "once")
    two.run(MODE, "none", "--graph-eval-save-baseline", "b.json")
    cassette = two.path / "cassettes" / "s.jsonl"
    cassette.write_text(cassette.read_text("utf-8").replace("$611.3 billion", "$605.9 billion"), "utf-8")
    two.run(MODE, "none", "--graph-eval-baseline", "b.json")
    assert "deterministic_regression" in codes(two)


def test_a_cassette_that_cannot_be_written_is_a_warning(two: Bench, scenario: Scenario) -> None:
    two.suite(scenario("good", "a"))
    (two.path / "cassettes").write_text("a file", "utf-8")
    two.pytester.makeini("[pytest]\ngraph_eval_cassettes = cassettes/below\n")
    result = two.run(MODE, "all")
    assert two.records()[0]["status"] == "ERROR"
    assert "cannot be read: Not a directory" in two.records()[0]["error"]
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_folder_that_became_a_file_meanwhile_is_a_warning(two: Bench, scenario: Scenario) -> None:
    two.suite(scenario("good", "a"))
    hook = "import pathlib\ndef pytest_graph_eval_record(record):\n    pathlib.Path('cassettes').write_text('x')\n"
    two.pytester.makeconftest(hook)
    two.run(MODE, "once")
    assert "cassettes/s.jsonl was not written: " in codes(two)["cassette_not_written"]
    assert two.summary()["threshold_result"] == "WARN"


def test_repeats_are_recorded_one_by_one(two: Bench, scenario: Scenario) -> None:
    two.suite(scenario("good", "a"))
    two.run(MODE, "once", "--graph-eval-repeats", "3")
    assert codes(two)["cassette_written"].startswith("recorded 3 replies")
    remove_target(two)
    two.run(MODE, "none", "--graph-eval-repeats", "3")
    assert (two.records()[0]["pass_rate"], two.records()[0]["deterministic"]) == (1.0, True)
    two.run(MODE, "once", "--graph-eval-repeats", "4")
    assert [r["status"] for r in two.records()[0]["repeats"]] == ["PASS", "PASS", "PASS", "ERROR"]
    assert not two.records()[0]["deterministic"]


def test_a_replayed_fixture_target_is_not_called(two: Bench, scenario: Scenario) -> None:
    two.pytester.makeconftest(
        "import pytest\nimport toy\n@pytest.fixture(scope='session')\ndef agent():\n    return toy.ask\n"
    )
    two.suite(scenario("good", "a"), target="{fixture: agent}")
    two.run(MODE, "once")
    two.pytester.makeconftest(
        "import pytest\n@pytest.fixture(scope='session')\ndef agent():\n    return lambda question: 1 / 0\n"
    )
    two.run(MODE, "none")
    assert [r["status"] for r in two.records()] == ["PASS"]
