"""`graph-eval gate`: what it decides over results files, what it prints, and its exit status."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.cli import main
from pytest_graph_eval.gate.comparison.baseline import write_baseline
from pytest_graph_eval.gate.comparison.pairing import Scope
from pytest_graph_eval.gate.comparison.regression import compare
from pytest_graph_eval.gate.replays import Replays
from pytest_graph_eval.gate.summary import GraphStats, Summary, read_summary
from pytest_graph_eval.gate.verdict import Reason
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import Scenario, fingerprint
from pytest_graph_eval.models.settings import Gate
from tests.unit import gate_factory
from tests.unit.cli_runs import results, run
from tests.unit.gate_records import SUITE, info, make, walmart

VOLATILE = {"run_at", "results_file", "meta", "elapsed_s", "p95_seconds", "latency"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def decided(*argv: object) -> tuple[int, Summary]:
    """Run the command; return its exit status and the summary that it wrote."""
    status = main(["gate", *map(str, argv), "-o", "out/new.json"])
    text = Path("out/new.json").read_text(encoding="utf-8")
    return status, read_summary(text, "new")


def steady(value: Any) -> Any:
    """Return a summary's data without its volatile fields."""
    if isinstance(value, dict):
        return {k: steady(v) for k, v in value.items() if k not in VOLATILE}
    return value


def same(one: Summary, other: Summary) -> bool:
    return json.dumps(steady(json.loads(one.to_json()))) == json.dumps(steady(json.loads(other.to_json())))


def codes(summary: Summary) -> list[str]:
    return [f"{r.level} {r.code}" for r in summary.verdict_reasons]


def good(n: int = 4, first: int = 0, **fields: Any) -> list[Record]:
    return [make(f"q{k}", "PASS", 0.9, index=k, **fields) for k in range(first, first + n)]


# One run


@pytest.mark.parametrize(
    ("records", "options", "status"),
    [
        (good(), [], 0),
        ([*good(), make("e", "ERROR", error="gone")], [], 1),
        ([*good(19), make("i", "INCONCLUSIVE")], [], 0),
        ([*good(19), make("i", "INCONCLUSIVE")], ["--strict"], 1),
        (walmart(), [], 1),
        (walmart(), ["--fail-on", "gate"], 0),
    ],
    ids=["pass", "fail", "warn", "strict", "items", "gate"],
)
def test_one_run_gives_its_own_summary_and_status(records: list[Record], options: list[str], status: int) -> None:
    path, told = run(Path("r"), records)
    assert decided(path, *options) == (status, told.model_copy(update={"results_file": path.as_posix()}))
    assert Path("out/new.json").read_bytes() == next(Path("r").glob("summary_*.json")).read_bytes()


def test_a_partial_run_stays_what_it_said(capsys: pytest.CaptureFixture[str]) -> None:
    _, told = run(Path("r"), good(2), {SUITE: info(scenarios=9)}, partial="-k q", collected=9, deselected=7)
    status, found = decided("r")
    assert (status, found.run.partial) == (0, "-k q")
    assert same(found, told)
    assert capsys.readouterr().out.endswith("verdict PASS (partial run); exit 0\n")


def test_lost_records_fail_as_in_the_run() -> None:
    _, told = run(Path("r"), good(2), {SUITE: info(scenarios=3)}, collected=3)
    status, found = decided("r")
    assert (status, codes(found)) == (1, ["FAIL partial_run"])
    assert same(found, told)


@pytest.mark.parametrize("fields", [{"outcome": "failed", "status": "FAIL"}, {"flags": ["teardown_error"]}])
def test_an_item_that_failed_makes_the_exit_status_as_in_the_run(
    fields: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    bad = good(1, 20)[0].model_copy(update=fields)
    path, _ = run(Path("r"), [*good(20), bad])
    assert main(["gate", str(path), "--quiet"]) == 1
    assert capsys.readouterr().out == "verdict PASS; exit 1 because 1 scenario failed\n"
    assert main(["gate", str(path), "--quiet", "--fail-on", "gate"]) == 0
    assert capsys.readouterr().out == "verdict PASS; exit 0\n"


def test_an_interrupted_run_could_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    path, _ = run(Path("r"), good(2), {SUITE: info(scenarios=5)}, collected=5, interrupted=True)
    assert main(["gate", str(path), "--quiet"]) == 2
    assert capsys.readouterr().out == "verdict WARN (interrupted run); exit 2 because the run was interrupted\n"


def test_the_verdict_line_names_the_rules_that_made_the_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    run(Path("r"), [make("i", "INCONCLUSIVE")])
    assert main(["gate", "r", "--quiet"]) == 1
    assert capsys.readouterr().out == "verdict FAIL; exit 1 because of nothing_measured, inconclusive\n"


def test_strict_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    run(Path("r"), [*good(19), make("i", "INCONCLUSIVE")])
    assert main(["gate", "r", "--strict", "--quiet"]) == 1
    assert capsys.readouterr().out == "verdict WARN; exit 1 (--strict)\n"


def test_the_report_names_the_questions_that_failed_and_fits_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    run(Path("r"), walmart())
    assert main(["gate", "r"]) == 1
    out = capsys.readouterr().out
    assert "What is figure 11 of Walmart's report?" in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_the_report_goes_to_the_summary_of_a_github_step_as_that_of_a_run_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = [make(f"b{n:03}", "FAIL", 0.1, index=n, question=f"Why {n}?", reason="a check failed") for n in range(150)]
    run(Path("r"), [*bad, *good(first=150)])
    path, step = Path("r"), Path("step.md")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(step))
    assert main(["gate", str(path), "--quiet"]) == 1
    text = step.read_text(encoding="utf-8")
    assert text.startswith("## ❌ Graph evaluation: FAIL")
    shown = text.count("a check failed")
    assert 10 < shown <= 100
    assert f"{150 - shown} scenarios that did not pass" in text
    assert main(["gate", str(path), "--quiet"]) == 1
    assert step.read_text(encoding="utf-8").count("Graph evaluation: FAIL") == 2
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/step.md")
    assert main(["gate", str(path), "--quiet"]) == 1
    assert "step summary ($GITHUB_STEP_SUMMARY) was not written" in capsys.readouterr().err


def test_what_only_the_run_could_say_is_kept() -> None:
    notes = [
        Reason(code="quarantine:q9", level="WARN", text="q9 must pass and cannot be quarantined"),
        Reason(code="quarantine", level="NOTE", text="1 scenario quarantined as flaky: q1"),
    ]
    _, told = run(Path("r"), good(), extra=notes)
    _, found = decided("r")
    assert codes(found) == ["WARN quarantine:q9", "NOTE quarantine"]
    assert same(found, told)


def test_replays_are_told_as_the_run_told_them() -> None:
    records = [record.model_copy(update={"flags": ["replayed"]}) for record in good(3)]
    replays = Replays()
    for record in records:
        replays.add(record)
    _, told = run(Path("r"), records, extra=list(replays.notes()))
    _, found = decided("r")
    assert codes(found) == ["NOTE replayed"]
    assert same(found, told)


def test_the_summary_holds_no_absolute_path(tmp_path_factory: pytest.TempPathFactory) -> None:
    path, _ = run(Path("r"), good())
    assert decided(path.resolve())[1].results_file == path.as_posix()
    elsewhere, _ = run(tmp_path_factory.mktemp("elsewhere"), good())
    assert decided(elsewhere)[1].results_file == elsewhere.name


# Shards


def shards(records: list[Record], n: int, seed: int = 0) -> list[Path]:
    """Write a run as n parts that left out what the others ran."""
    size = len(records)
    parts = [records[(k + seed) % n :: n] for k in range(n)]
    return [
        run(
            Path("sh") / str(k),
            part,
            {SUITE: info(scenarios=size, graph=GraphStats(entities=3, relationships=2))},
            number=k,
            partial=f"-k part{k}",
            collected=size,
            deselected=size - len(part),
        )[0]
        for k, part in enumerate(parts)
    ]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_shards_in_any_order_give_the_summary_of_one_run(order: tuple[int, ...]) -> None:
    records = walmart()
    _, told = run(
        Path("one"), records, {SUITE: info(scenarios=24, graph=GraphStats(entities=3, relationships=2))}, collected=24
    )
    paths = shards(records, 3)
    status, found = decided(*(paths[k] for k in order))
    assert same(found, told)
    assert found.run.status == "COMPLETE"
    assert status == 1
    assert found.meta["duration_s"] == 3.0


def test_a_folder_is_all_results_in_it_and_below() -> None:
    paths = shards(walmart(), 2)
    _, found = decided("sh")
    assert found.run.status == "COMPLETE"
    assert found.results_file == ", ".join(path.as_posix() for path in paths)
    assert same(found, decided(*paths)[1])


def test_shards_of_different_suites_are_one_run() -> None:
    for number, key in enumerate("ab"):
        run(Path("sh"), good(3, suite=key), {key: info(name=key, scenarios=3)}, number=number)
    _, found = decided("sh")
    assert (found.run.status, found.run.collected, list(found.by_suite)) == ("COMPLETE", 6, ["a", "b"])


def test_shards_that_leave_something_out_are_partial(capsys: pytest.CaptureFixture[str]) -> None:
    paths = shards(good(9), 3)
    status, found = decided(*paths[:2])
    assert status == 0
    run_ = found.run
    assert (run_.status, run_.partial, run_.collected, run_.deselected, run_.not_run) == (
        "PARTIAL", "-k part0, -k part1", 9, 3, 0,
    )  # fmt: skip
    assert "partial run (-k part0, -k part1): 6 scenarios ran" in capsys.readouterr().out


def test_a_suite_of_which_no_shard_has_a_record_is_missed() -> None:
    # Each part collected 6 scenarios: its own suite of 3, and another of 3 that no part ran.
    for number, key in enumerate("abc"[:2]):
        run(
            Path("sh"), good(3, suite=key), {key: info(name=key, scenarios=3)},
            number=number, partial=f"-k {key}", collected=9, deselected=6,
        )  # fmt: skip
    _, found = decided("sh")
    assert (found.run.status, found.run.collected) == ("PARTIAL", 12)


def test_the_parts_of_an_interrupted_and_a_second_run_are_complete_together() -> None:
    run(Path("sh"), good(2), {SUITE: info(scenarios=4)}, number=0, interrupted=True, collected=4)
    run(
        Path("sh"), good(2, first=2), {SUITE: info(scenarios=4)},
        number=1, partial="-k rest", collected=4, deselected=2,
    )  # fmt: skip
    status, found = decided("sh")
    assert (status, found.run.status) == (0, "COMPLETE")


def test_records_that_a_complete_part_lost_fail() -> None:
    run(Path("sh"), good(2), {SUITE: info(scenarios=3)}, number=0, collected=3)
    run(Path("sh"), good(2, suite="b"), {"b": info(scenarios=2)}, number=1)
    status, found = decided("sh")
    assert (status, codes(found)) == (1, ["FAIL partial_run"])
    assert "4 of 5 scenarios have a record" in found.verdict_reasons[0].text


def test_summaries_of_an_older_version_leave_it_open_whether_shards_are_complete() -> None:
    for k in range(2):
        run(Path("sh"), good(2, 2 * k), {SUITE: info()}, number=k, partial=f"-k {k}", collected=4, deselected=2)
    _, found = decided("sh")
    assert (found.run.status, found.run.collected) == ("PARTIAL", None)


def test_one_of_two_graphs_of_different_sizes_is_a_warning() -> None:
    for k in range(2):
        graph = GraphStats(entities=10 + k, relationships=5)
        run(
            Path("sh"), good(2, 2 * k), {SUITE: info(scenarios=4, graph=graph)},
            number=k, partial=f"-k {k}", collected=4, deselected=2,
        )  # fmt: skip
    _, found = decided("sh")
    assert codes(found) == [f"WARN different_graphs:{SUITE}"]
    text = found.verdict_reasons[0].text
    assert "10 entities and 5 relationships in evaluation_results_20260530T134500Z.jsonl" in text
    assert "11 entities and 5 relationships in evaluation_results_20260530T134501Z.jsonl" in text


def test_parts_with_different_gates_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    run(Path("sh"), good(2), {SUITE: info(Gate(overall=None))}, number=0)
    run(Path("sh"), good(2, 2), number=1)
    assert main(["gate", "sh"]) == 2
    err = capsys.readouterr().err
    assert f"the gate of {SUITE} (in evaluation_results_20260530T134500Z.jsonl and evaluation_results_" in err
    assert "name the suite file with --suite" in err


def test_parts_with_different_gates_over_the_run_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    run(Path("sh"), good(2), number=0, gate=Gate(max_errors=3))
    run(Path("sh"), good(2, 2), number=1)
    assert main(["gate", "sh"]) == 2
    assert "were judged by different gates over the run (`graph_eval_gate`)" in capsys.readouterr().err


# The same scenario twice


def test_a_record_found_twice_counts_once(capsys: pytest.CaptureFixture[str]) -> None:
    run(Path("a"), good(3, elapsed_s=1.0))
    again = [r.model_copy(update={"elapsed_s": 2.0, "index": 7, "flags": ["resumed"]}) for r in good(3)]
    run(Path("b"), again, number=1)
    status, found = decided("a", "b")
    assert (status, found.counts.passed, found.run.collected) == (0, 3, 3)
    assert "note: 3 records found twice, and the same both times: counted once" in capsys.readouterr().out


def test_the_same_file_named_twice_is_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    path, told = run(Path("a"), good(3))
    assert same(decided(path, "a", Path("a").resolve())[1], told)
    assert "note" not in capsys.readouterr().out


def test_records_that_disagree_are_refused_and_all_counted(capsys: pytest.CaptureFixture[str]) -> None:
    run(Path("a"), good(7))
    run(Path("b"), [r.model_copy(update={"status": "FAIL", "answer": "no"}) for r in good(7)], number=1)
    assert main(["gate", "a", "b"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "7 scenarios with records that disagree" in err
    assert (
        f"{SUITE}::q0 in evaluation_results_20260530T134500Z.jsonl and evaluation_results_20260530T134501Z.jsonl "
        "(answer, status)"
    ) in err
    assert "and 2 more; expected the parts of one run, in which each scenario ran once" in err


def test_the_same_id_in_two_suites_is_two_scenarios() -> None:
    suites = {key: info(scenarios=2) for key in "ab"}
    run(Path("r"), [*good(2, suite="a"), *good(2, suite="b")], suites)
    assert decided("r")[1].counts.passed == 4


# Without a summary


SUITE_TEXT = """
suite: revenue
description: all of it
target: {call: 'toy:ask'}
gate: {overall: 0.95}
scenarios:
- {id: q0, question: What is 0?, gold_answer: zero}
- {id: q1, question: What is 1?, gold_answer: one}
"""


def written_suite(path: str = "s.graph.yaml") -> list[Record]:
    """Write a suite file and return a record of each of its scenarios."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(SUITE_TEXT, encoding="utf-8")
    golds = ("zero", "one")
    prints = [
        fingerprint(Scenario(id=f"q{k}", question=f"What is {k}?", gold_answer=gold)) for k, gold in enumerate(golds)
    ]
    return [make(f"q{k}", "PASS", 0.9, suite=path, index=k, fingerprint=p) for k, p in enumerate(prints)]


def test_a_run_without_a_summary_needs_its_suite(capsys: pytest.CaptureFixture[str]) -> None:
    results(Path("r"), written_suite())
    assert main(["gate", "r"]) == 2
    err = capsys.readouterr().err
    assert "nothing says by which gate to judge s.graph.yaml: its run left no summary_*.json beside the results" in err
    assert "name the suite file with --suite" in err


def test_with_the_suite_file_its_gate_and_its_scenarios_count() -> None:
    results(Path("r"), written_suite())
    status, found = decided("r", "--suite", "s.graph.yaml")
    assert (status, codes(found)) == (1, ["FAIL below_threshold"])
    assert (found.run.status, found.by_suite["s.graph.yaml"].description) == ("COMPLETE", "all of it")


def test_a_run_that_was_killed_is_interrupted_and_its_torn_line_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    path = results(Path("r"), written_suite())
    path.write_bytes(path.read_bytes()[:-20])
    assert decided("r", "--suite", "s.graph.yaml", "--overall", "0.5")[0] == 2
    out = " ".join(capsys.readouterr().out.split())
    assert "interrupted: 1 of the scenarios did not run" in out
    assert f"note: {path.name}: the last line was cut off when its run ended, and is left out" in out


def test_a_last_line_without_a_line_feed_counts_when_it_is_whole() -> None:
    path = results(Path("r"), written_suite())
    path.write_bytes(path.read_bytes().rstrip())
    assert decided("r", "--suite", "s.graph.yaml")[1].counts.passed == 2


def test_keys_of_suites_are_counted_from_rootdir(capsys: pytest.CaptureFixture[str]) -> None:
    written_suite("project/s.graph.yaml")
    results(Path("r"), [r.model_copy(update={"suite": "s.graph.yaml"}) for r in written_suite("project/s.graph.yaml")])
    assert main(["gate", "r", "--suite", "project/s.graph.yaml"]) == 2
    assert "--rootdir" in capsys.readouterr().err
    assert decided("r", "--suite", "project/s.graph.yaml", "--rootdir", "project")[1].counts.passed == 2


def test_the_suite_file_wins_over_the_summary_and_keeps_its_graph() -> None:
    records = written_suite()
    known = info(Gate(overall=0.1), graph=GraphStats(entities=5, relationships=1))
    run(Path("r"), records, {"s.graph.yaml": known})
    assert decided("r")[0] == 0
    status, found = decided("r", "--suite", "s.graph.yaml")
    assert (status, found.graph_stats["s.graph.yaml"].entities) == (1, 5)


def test_results_of_a_suite_that_has_changed_since_are_a_warning() -> None:
    results(Path("r"), [*written_suite(), make("gone", "PASS", 1.0, suite="s.graph.yaml")])
    Path("s.graph.yaml").write_text(SUITE_TEXT.replace("What is 1?", "What is one?"), encoding="utf-8")
    _, found = decided("r", "--suite", "s.graph.yaml", "--overall", "0.5")
    assert codes(found) == ["WARN changed_since"]
    assert "2 scenarios changed or removed in the suite file since the run: s.graph.yaml::gone, s.graph.yaml::q1" in (
        found.verdict_reasons[0].text
    )


def test_every_problem_of_every_suite_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    results(Path("r"), good())
    Path("bad.graph.yaml").write_text("scenarios: [{id: a}]\n", encoding="utf-8")
    assert main(["gate", "r", "--suite", "bad.graph.yaml", "none.graph.yaml"]) == 2
    err = capsys.readouterr().err
    assert "bad.graph.yaml:1:13: scenario 'a': the key 'question' is missing" in err
    assert "none.graph.yaml: cannot be read" in err


def test_a_suite_that_names_its_target_finds_it_in_the_targets_file(capsys: pytest.CaptureFixture[str]) -> None:
    records = written_suite()
    Path("s.graph.yaml").write_text(SUITE_TEXT.replace("{call: 'toy:ask'}", "production"), encoding="utf-8")
    Path("t.yaml").write_text("prod: {call: 'toy:ask'}\n", encoding="utf-8")
    results(Path("r"), records)
    assert main(["gate", "r", "--suite", "s.graph.yaml", "--targets", "t.yaml"]) == 2
    assert "s.graph.yaml:4:9: unknown target 'production'; declared targets: prod" in capsys.readouterr().err
    assert decided("r", "--suite", "s.graph.yaml")[1].counts.passed == 2


# Other rules


RULES = [
    *good(10, scores={"precision": 0.7}, difficulty="easy", category="c", tags=["t"]),
    make("e", "ERROR", error="x"),
    make("i", "INCONCLUSIVE"),
]


@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        ([], ["FAIL errors_present", "WARN inconclusive"]),
        (["--max-errors", "1"], ["WARN errors_present", "WARN inconclusive"]),
        (["--max-errors", "off", "--max-inconclusive", "off"], []),
        (["--max-inconclusive", "0.05"], ["FAIL errors_present", "FAIL inconclusive"]),
        (["--overall", "0.95"], ["FAIL errors_present", "FAIL below_threshold", "WARN inconclusive"]),
        (["--overall", "0.95:0.9"], ["FAIL errors_present", "WARN below_threshold", "WARN inconclusive"]),
        (["--pass-rate", "0.9"], ["FAIL errors_present", "FAIL below_threshold", "WARN inconclusive"]),
        (["--metric", "precision=0.8"], ["FAIL errors_present", "FAIL below_threshold", "WARN inconclusive"]),
        (["--metric", "precision=0.5", "--metric", "faithfulness=0.1"],
         ["FAIL errors_present", "FAIL no_records", "WARN inconclusive"]),
        (["--difficulty", "easy=0.95"], ["FAIL errors_present", "FAIL below_threshold", "WARN inconclusive"]),
        (["--category", "c=0.95:0.5"], ["FAIL errors_present", "WARN below_threshold", "WARN inconclusive"]),
        (["--tag", "t=0.95"], ["FAIL errors_present", "FAIL below_threshold", "WARN inconclusive"]),
    ],
)  # fmt: skip
def test_rules_on_the_command_line_replace_those_of_the_suite(options: list[str], reasons: list[str]) -> None:
    run(Path("r"), RULES)
    status, found = decided("r", *options)
    assert codes(found) == reasons
    assert status == int(found.threshold_result == "FAIL")


def test_a_suites_named_lines_are_replaced_one_by_one() -> None:
    run(Path("r"), RULES, {SUITE: info(Gate(metrics={"precision": 0.9, "faithfulness": 0.9}, max_errors=None))})
    _, found = decided("r", "--metric", "faithfulness=off")
    assert [r.text[:17] for r in found.verdict_reasons if r.level == "FAIL"] == ["metrics.precision"]
    assert found.gate.suites[SUITE].written == ["max_errors", "metrics"]


def test_rules_from_a_file_and_options_win_over_it() -> None:
    run(Path("r"), RULES)
    Path("g.yaml").write_text("max_errors: 1\nmax_inconclusive: 0.01\nmetrics: {precision: 0.9}\n", encoding="utf-8")
    _, found = decided("r", "--gate", "g.yaml")
    assert codes(found) == ["FAIL below_threshold", "FAIL inconclusive", "WARN errors_present"]
    _, found = decided("r", "--gate", "g.yaml", "--max-inconclusive", "off", "--metric", "precision=0.5")
    assert codes(found) == ["WARN errors_present"]


def test_the_gate_over_the_run_gets_no_rule_that_it_has_not() -> None:
    over = Gate(overall=0.99, metrics={"precision": 0.99})
    run(Path("r"), good(scores={"precision": 0.7}), gate=over)
    assert codes(decided("r")[1]) == ["FAIL below_threshold", "FAIL below_threshold"]
    _, found = decided("r", "--overall", "0.5", "--metric", "precision=0.5", "--max-errors", "3", "--tag", "x=off")
    assert found.threshold_result == "PASS"
    assert found.gate.run is not None
    assert found.gate.run.written == ["metrics", "overall"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--overall", "high"], "'high' is no line; expected a share such as 0.8, with a warn line as 0.8:0.6"),
        (["--overall", "0.5:0.8"], "`warn` must not be above `pass`"),
        (["--overall", "nan"], "a finite number is expected"),
        (["--metric", "0.8"], "'0.8': expected a name and a line, such as faithfulness=0.8"),
        (["--metric", "=0.8"], "expected a name and a line"),
        (["--tag", "t=x"], "'x' is no line"),
        (["--max-errors", "-1"], "'-1': expected a whole number from 0 or `off`"),
        (["--max-errors", "few"], "'few': expected a whole number from 0 or `off`"),
        (["--max-inconclusive", "2"], "'2': expected a share between 0 and 1 or `off`"),
        (["--max-inconclusive", "x"], "'x': expected a share between 0 and 1 or `off`"),
        (["--max-inconclusive", "nan"], "'nan': expected a share between 0 and 1"),
        (["--fail-on", "x"], "invalid choice: 'x'"),
        (["--baseline", "b", "--no-baseline"], "not allowed with argument"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_read_exit_2(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["gate", "r", *options])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_rules_that_make_no_sense_are_all_named(capsys: pytest.CaptureFixture[str]) -> None:
    run(Path("r"), good())
    assert main(["gate", "r", "--overall", "80", "--metric", "faithfullness=0.8"]) == 2
    err = capsys.readouterr().err
    assert "gate.overall.pass: found 80, expected a share or score between 0 and 1" in err
    assert "unknown metric 'faithfullness', did you mean 'faithfulness'?" in err


def test_a_file_of_rules_with_an_unknown_key_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    run(Path("r"), good())
    Path("g.yaml").write_text("overal: 0.8\n", encoding="utf-8")
    assert main(["gate", "r", "--gate", "g.yaml"]) == 2
    assert "g.yaml:1:1: unknown key 'overal', did you mean 'overall'?" in capsys.readouterr().err


# The baseline


A = gate_factory.SUITE


def accepted(statuses: str, path: str = "base.json", **more: Any) -> None:
    write_baseline(Path(path), gate_factory.baseline(gate_factory.records(statuses, deterministic=True), **more))


def test_with_the_baseline_the_verdict_is_that_of_the_run() -> None:
    before = gate_factory.baseline(gate_factory.records("PPPP", deterministic=True))
    write_baseline(Path("base.json"), before)
    now = gate_factory.records("PPFP", deterministic=True)
    suites = {A: info(Gate(overall=None), scenarios=4)}
    scope = Scope(whole=frozenset({A}))
    comparison = compare(before, now, scope, policies={A: Gate().baseline})
    _, told = run(Path("r"), now, suites, extra=comparison.reasons, blocks=comparison.blocks())
    status, found = decided("r", "--baseline", "base.json")
    assert same(found, told)
    assert (status, codes(found)) == (1, ["FAIL deterministic_regression"])
    assert found.baseline["worse"] == ["q2"]


def test_a_comparison_is_not_lost_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    run(Path("r"), gate_factory.records("PP"), {A: info(Gate(overall=None))}, blocks={"baseline": {"n_paired": 2}})
    assert main(["gate", "r"]) == 2
    err = capsys.readouterr().err
    assert "evaluation_results_20260530T134500Z.jsonl: this run was compared with a baseline" in err
    assert "name it with --baseline FILE, or decide without it with --no-baseline" in err
    assert main(["gate", "r", "--no-baseline"]) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "base.json: no such baseline; save one with --graph-eval-save-baseline"),
        ("{}", "base.json: not a baseline"),
    ],
)
def test_a_baseline_that_is_missing_or_foreign_exits_2(
    content: str | None, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(Path("r"), gate_factory.records("PP"))
    if content is not None:
        Path("base.json").write_text(content, encoding="utf-8")
    assert main(["gate", "r", "--baseline", "base.json"]) == 2
    assert message in capsys.readouterr().err


def lost(**circumstances: Any) -> list[str]:
    """Return the reasons over a run of q0 to q2, against a baseline that has q3 and another suite as well."""
    more = [gate_factory.record("x", suite="other.graph.yaml", deterministic=True)]
    before = gate_factory.baseline([*gate_factory.records("PPPP", deterministic=True), *more])
    write_baseline(Path("base.json"), before)
    run(
        Path("r"), gate_factory.records("PPP", deterministic=True), {A: info(Gate(overall=None), scenarios=3)},
        **circumstances,
    )  # fmt: skip
    return [code for code in codes(decided("r", "--baseline", "base.json")[1]) if "partial_run" not in code]


def test_a_scenario_that_a_whole_run_has_not_any_more_has_vanished() -> None:
    assert lost() == ["FAIL vanished:q3"]


def test_a_suite_whose_file_is_gone_has_vanished_where_the_others_are_there() -> None:
    Path(A).write_text(SUITE_TEXT, encoding="utf-8")
    assert lost() == ["FAIL vanished:q3", "FAIL vanished:x"]


def test_a_partial_run_asks_the_suite_file_what_vanished() -> None:
    partial = {"partial": "-k q", "collected": 4, "deselected": 1}
    assert lost(**partial) == []
    more = "".join(f"- {{id: q{k}, question: Q, gold_answer: g}}\n" for k in range(2, 4))
    Path(A).write_text(SUITE_TEXT + more, encoding="utf-8")
    assert lost(**partial) == ["FAIL vanished:x"]
    Path(A).write_text(SUITE_TEXT, encoding="utf-8")
    assert lost(**partial) == ["FAIL vanished:q3", "FAIL vanished:x"]


def test_a_run_of_single_node_ids_lost_nothing() -> None:
    assert lost(partial="node ids", collected=3) == []


# What cannot be read


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "no results: name results files or folders that hold some, before --suite"),
        (["none.jsonl"], "none.jsonl: no such file or folder; expected results files, or folders that hold some"),
        (["empty", "none"], "empty: no evaluation_results_*.jsonl in this folder"),
        (["r", "--targets", "none.yaml"], "none.yaml: cannot be read"),
    ],
)
def test_what_is_not_there_exits_2(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    run(Path("r"), good())
    assert main(["gate", *argv]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_all_missing_paths_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", "one", "two"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{\n", ".jsonl:3: not a JSON line"),
        (b'{"id": 1}\n', ".jsonl:3: not a record: an object with `id` and `scores` is expected"),
        (b'{"id": "\xff"}\n', ".jsonl:3: 'utf-8' codec can't decode byte 0xff"),
        (b'{"id": "a", "scores": {}, "index": 9223372036854775808}\n', "index: Input should be less than"),
        (b'{"format": 9, "id": "a", "scores": {}}\n', "record format 9; this version reads up to 1"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_record_is_named_by_file_and_number(
    line: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path, _ = run(Path("r"), good(1))
    path.write_bytes(path.read_bytes() + b"\n" + line + good(1)[0].to_line().encode() + b"\n")
    assert main(["gate", "r"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "summary_20260530T134500Z.json: not JSON"),
        (b"\xff", "summary_20260530T134500Z.json: the summary cannot be read ('utf-8' codec can't decode"),
        (b'{"format": 7, "threshold_result": "PASS", "aggregate_scores": {}}', "summary format 7; this version reads"),
    ],
)
def test_a_summary_that_cannot_be_read_is_named(
    content: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(Path("r"), good())
    next(Path("r").glob("summary_*.json")).write_bytes(content)
    assert main(["gate", "r"]) == 2
    assert message in capsys.readouterr().err
