"""What a whole session does: files, verdict, exit status, partial and broken runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from pytest_graph_eval.plugin import OPTIONS

from .conftest import Bench

Scenario = Callable[..., str]


def three(scenario: Scenario) -> str:
    return "\n".join([scenario("good", "a"), scenario("wrong", "b"), scenario("good", "c")])


def codes(bench: Bench) -> set[str]:
    return {r["code"] for r in bench.summary()["verdict_reasons"]}


def test_the_files_have_one_line_a_scenario_in_file_order(bench: Bench, scenario: Scenario) -> None:
    bench.suite(three(scenario))
    bench.run()
    assert [(r["index"], r["id"], r["status"]) for r in bench.records()] == [
        (0, "a", "PASS"), (1, "b", "FAIL"), (2, "c", "PASS"),
    ]  # fmt: skip
    assert bench.summary()["failed"] == ["b"]
    assert bench.summary()["results_file"].startswith("evals/results/evaluation_results_")


def test_what_passed_is_not_kept_once_it_is_written_unless_something_reads_it_again(
    bench: Bench, scenario: Scenario
) -> None:
    bench.pytester.makeconftest(
        "import gc, weakref\nrecords = {}\n"
        "def pytest_graph_eval_record(record): records[record.id] = weakref.ref(record)\n"
        "def pytest_graph_eval_summary():\n"
        "    gc.collect()\n"
        "    print('kept:', *(name for name, record in records.items() if record() is not None))\n"
    )
    bench.suite(three(scenario))
    bench.run("-s", alone=True).stdout.fnmatch_lines(["*kept: b"])  # pytester keeps what its own runs tell hooks
    first = bench.summary()
    bench.run("-s", "--graph-eval-report=r.md", alone=True).stdout.fnmatch_lines(["*kept: a b c"])
    for key in ("counts", "aggregate_scores", "passed", "failed", "issues", "verdict_reasons", "suite_hash"):
        assert first[key] == bench.summary()[key]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_xdist_gives_the_same_records_and_verdict(bench: Bench, scenario: Scenario, workers: str) -> None:
    def stable(record: dict[str, object]) -> dict[str, object]:
        return {k: v for k, v in record.items() if k != "elapsed_s"}

    bench.suite(three(scenario))
    alone = bench.run()
    here = [stable(r) for r in bench.records()]
    shared = bench.run("-n", workers)
    assert [stable(r) for r in bench.records()] == here
    assert alone.ret == shared.ret == pytest.ExitCode.TESTS_FAILED
    shared.stdout.fnmatch_lines(["*verdict*"])


def test_a_crashed_worker_makes_its_scenario_an_error_and_no_other(bench: Bench, scenario: Scenario) -> None:
    bench.suite("\n".join([scenario("good", "a"), scenario("die", "b"), scenario("good", "c")]))
    result = bench.run("-n", "2")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert {r["id"]: r["status"] for r in bench.records()} == {"a": "PASS", "b": "ERROR", "c": "PASS"}
    assert "crashed" in next(r["error"] for r in bench.records() if r["id"] == "b")


def test_an_interrupt_keeps_what_was_measured(bench: Bench, scenario: Scenario) -> None:
    bench.suite("\n".join([scenario("good", "a"), scenario("interrupt", "b"), scenario("good", "c")]))
    result = bench.run(alone=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert [r["id"] for r in bench.records()][:1] == ["a"]
    assert bench.summary()["run"]["status"] == "INTERRUPTED"


@pytest.mark.parametrize(
    ("args", "word"),
    [(["-k", "one or two"], "-k one or two"), (["s.graph.yaml::a"], "node ids"), (["-x"], "stopping after 1 failures")],
)
def test_a_partial_run_says_so(bench: Bench, scenario: Scenario, args: list[str], word: str) -> None:
    bench.suite("\n".join([three(scenario), scenario("good", "one"), scenario("good", "two")]))
    result = bench.run(*args)
    assert word in bench.summary()["run"]["partial"]
    assert "partial_run" in codes(bench)
    assert "artial" in result.stdout.str()


@pytest.mark.parametrize("args", [("-m", "graph_eval"), ("-k", "not test_x"), ("-k", "not test_x", "-m", "graph_eval")])
def test_what_leaves_out_only_other_tests_runs_the_whole_suite(
    bench: Bench, scenario: Scenario, args: tuple[str, ...]
) -> None:
    bench.suite(scenario("good"))
    bench.pytester.makepyfile(test_x="def test(): pass")
    result = bench.run(*args, "--graph-eval-save-baseline=b.json")
    result.assert_outcomes(passed=1, deselected=1)
    assert (result.ret, bench.summary()["run"]["partial"]) == (pytest.ExitCode.OK, "")


def test_last_failed_runs_the_failed_scenarios(bench: Bench, scenario: Scenario) -> None:
    bench.suite(three(scenario))
    bench.pytester.runpytest("--graph-eval", "-p", "no:randomly")
    result = bench.pytester.runpytest("--graph-eval", "-p", "no:randomly", "--lf")
    result.assert_outcomes(failed=1)
    assert [r["id"] for r in bench.records()] == ["b"]
    assert bench.summary()["run"]["partial"]


@pytest.mark.parametrize("option", ["--collect-only", "--setup-only", "--setup-plan"])
def test_looking_only_asks_writes_and_decides_nothing(bench: Bench, scenario: Scenario, option: str) -> None:
    bench.suite(scenario("die"))
    result = bench.run(option)
    assert result.ret == pytest.ExitCode.OK
    assert not (bench.path / "evals").exists()
    result.stdout.no_fnmatch_line("*verdict*")


def test_collect_only_lists_the_node_ids(bench: Bench, scenario: Scenario) -> None:
    bench.suite(three(scenario))
    bench.run("--collect-only", "-q").stdout.fnmatch_lines(["s.graph.yaml::a", "s.graph.yaml::b", "s.graph.yaml::c"])


@pytest.mark.parametrize(
    ("scenarios", "code"),
    [
        (["good, skip: later"], "all_skipped"),
        (["empty"], "nothing_measured"),
        (["crash"], "nothing_measured"),
        (["crash, xfail: {reason: r, raises: [error]}"], "nothing_measured"),
        (["wrong, xfail: known"], "nothing_measured"),
    ],
)
def test_nothing_measured_is_never_green(bench: Bench, scenario: Scenario, scenarios: list[str], code: str) -> None:
    items = []
    for n, text in enumerate(scenarios):
        word, _, more = text.partition(",")
        items.append(scenario(word, f"s{n}", f",{more}" if more else ""))
    bench.suite("\n".join(items))
    result = bench.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert bench.summary()["threshold_result"] == "FAIL"
    if "xfail: known" not in scenarios[0]:
        assert code in codes(bench)


def test_a_suite_without_a_scenario_cannot_be_loaded(bench: Bench) -> None:
    bench.suite("")
    (bench.path / "s.graph.yaml").write_text("target: {call: 'toy:ask'}\nscenarios: []\n")
    result = bench.run(alone=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*verdict FAIL*"])


def test_a_broken_suite_lists_its_problems_and_fails_the_verdict(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good", "a", ", tgas: [x]") + "\n" + scenario("good", "b", ", timeout: soon"))
    result = bench.run(alone=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*s.graph.yaml:5:*tgas*", "*s.graph.yaml:6:*timeout*", "*verdict FAIL*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    shared = bench.run("-n", "2")
    assert shared.ret == pytest.ExitCode.TESTS_FAILED
    shared.stdout.fnmatch_lines(["*collection_error*"])


def test_no_suite_found_fails_only_when_asked_for_on_the_command_line(bench: Bench) -> None:
    bench.pytester.makepyfile(test_x="def test(): pass")
    result = bench.run("--graph-eval-quiet")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["verdict FAIL; exit 1 because of no_scenarios"])
    result = bench.run("--graph-eval-quiet", "--deselect", "test_x.py", "--ignore", "test_x.py")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["verdict FAIL; exit 5 because of no_scenarios"])
    bench.pytester.makeini("[pytest]\naddopts = --graph-eval\n")
    result = bench.run("test_x.py", flag=False)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*verdict*")


def test_without_the_flag_one_line_says_what_was_left_out(bench: Bench, scenario: Scenario) -> None:
    bench.pytester.makepyfile(test_x="def test(): pass")
    for name, line in (("s", "1 suite not run; add --graph-eval to run it"),
                       ("t", "2 suites not run; add --graph-eval to run them")):  # fmt: skip
        bench.suite(scenario("good"), name=name)
        result = bench.run(flag=False)
        assert result.ret == pytest.ExitCode.OK
        result.stdout.fnmatch_lines([f"graph-eval: {line}"])


def test_a_suite_named_without_the_flag_is_a_usage_error(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good"))
    result = bench.run("s.graph.yaml", flag=False)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*s.graph.yaml is a graph evaluation suite: add --graph-eval to run it*"])


@pytest.mark.parametrize("name", [name for name, kind, _ in OPTIONS if kind not in ("flag", "choice")])
def test_an_empty_value_is_not_taken_for_an_option_that_is_left_out(
    bench: Bench, scenario: Scenario, name: str
) -> None:
    bench.suite(scenario("good"))
    result = bench.run(f"--graph-eval-{name}=")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    key = f"graph_eval_{name}".replace("-", "_")
    said = f"*--graph-eval-{name}: found an empty value; give one, or leave the option out (`-o {key}=` switches off*"
    result.stderr.fnmatch_lines([said])


def test_an_ini_key_is_switched_off_on_the_command_line(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good"))
    bench.pytester.makeini("[pytest]\ngraph_eval_baseline = none.json\n")
    assert bench.run().ret == pytest.ExitCode.USAGE_ERROR
    assert bench.run("-o", "graph_eval_baseline=").ret == 0


@pytest.mark.parametrize("key", ["gate", "targets"])
def test_a_file_that_an_ini_key_names_and_that_is_not_there_is_told_with_the_key(
    bench: Bench, scenario: Scenario, key: str
) -> None:
    bench.suite(scenario("good"))
    bench.pytester.makeini(f"[pytest]\ngraph_eval_{key} = none.yaml\n")
    result = bench.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*graph_eval_{key} none.yaml: there is no such file in *"])


@pytest.mark.parametrize("option", ["output", "baseline"])
def test_a_value_that_moves_the_rootdir_is_a_usage_error(bench: Bench, scenario: Scenario, option: str) -> None:
    bench.suite(scenario("good"))
    elsewhere = bench.path.parent / f"elsewhere-{bench.path.name}"
    elsewhere.mkdir()
    value = elsewhere if option == "output" else elsewhere / "b.json"
    assert bench.run(f"--graph-eval-save-baseline={elsewhere / 'b.json'}").ret == pytest.ExitCode.OK
    result = bench.run(f"--graph-eval-{option}", str(value))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"ERROR: --graph-eval-{option} {value}: pytest takes a path *; write --graph-eval-{option}={value}, or give *"]
    )
    for args in (
        [f"--graph-eval-{option}={value}"],
        ["--rootdir", str(bench.path), f"--graph-eval-{option}", str(value)],
    ):
        assert bench.run(*args).ret == pytest.ExitCode.OK


def test_a_value_that_moves_the_rootdir_past_a_nearer_ini_file_is_a_usage_error(
    bench: Bench, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.pytester.makeini("[pytest]\n")
    bench.pytester.syspathinsert()
    (bench.path / "out").mkdir()
    (bench.path / "near").mkdir()
    bench.suite(scenario("good"), name="near/s")
    monkeypatch.chdir(bench.path / "near")
    assert bench.run("--graph-eval-output", "../out").ret == pytest.ExitCode.OK
    (bench.path / "near/pytest.ini").write_text("[pytest]\n")
    assert bench.run("--graph-eval-output=../out").ret == pytest.ExitCode.OK
    for start, args in (("near", ["--graph-eval-output", "../out"]), (".", ["--graph-eval-output", "out", "near"])):
        monkeypatch.chdir(bench.path / start)
        assert bench.run(*args).ret == pytest.ExitCode.USAGE_ERROR


def test_what_is_no_file_moves_no_rootdir(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good"))
    (bench.path / "evals").mkdir()
    assert bench.run("--graph-eval-output", "evals", "--graph-eval-target", "toy:ask").ret == pytest.ExitCode.OK
    assert "pytest takes a path" not in str(bench.run("--graph-eval-target", "python " + "x" * 300).stderr)


def test_warn_exits_with_0_and_with_1_when_strict(bench: Bench, scenario: Scenario) -> None:
    items = [scenario("good", f"g{n}") for n in range(19)] + [scenario("empty", "i")]
    bench.suite("\n".join(items))
    result = bench.run()
    assert (result.ret, bench.summary()["threshold_result"]) == (pytest.ExitCode.OK, "WARN")
    assert bench.run("--graph-eval-strict").ret == pytest.ExitCode.TESTS_FAILED


def test_the_gate_fails_a_run_whose_items_all_passed(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good"), head="gate: {metrics: {faithfulness: 0.9}}")
    result = bench.run()
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "no_records" in codes(bench)


def test_a_gate_over_all_suites_comes_from_an_ini_key(bench: Bench, scenario: Scenario) -> None:
    items = [scenario("good", f"g{n}") for n in range(9)] + [scenario("wrong", "weak")]
    bench.suite("\n".join(items), head="gate: {fail_on: gate}")
    (bench.path / "gate.yaml").write_text("pass_rate: 0.95\n")
    bench.pytester.makeini("[pytest]\ngraph_eval_gate = gate.yaml\n")
    result = bench.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*pass_rate 0.9*"])


def test_without_the_terminal_plugin_the_files_are_written(bench: Bench, scenario: Scenario) -> None:
    bench.suite(three(scenario))
    result = bench.run("-p", "no:terminal")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert len(bench.records()) == 3


def test_a_rerun_that_passes_is_one_record_and_a_warning(bench: Bench) -> None:
    bench.pytester.makepyfile(
        flaky="calls = []\ndef ask(question):\n    calls.append(1)\n"
        "    return '$611.3 billion' if len(calls) > 1 else '$1.2 billion'\n"
    )
    bench.suite('- {id: a, question: "q", expect: {numbers: ["$611.3 billion"]}}', target="{call: 'flaky:ask'}")
    result = bench.run("--reruns", "2", "--junitxml=j.xml")
    assert result.ret == pytest.ExitCode.OK
    statuses = re.findall(r'graph_eval_status" value="(\w+)"', (bench.path / "j.xml").read_text())
    assert statuses == ["FAIL", "PASS"]  # pytest-rerunfailures makes a test case of each attempt
    (record,) = bench.records()
    assert (record["status"], record["attempts"], record["flags"]) == ("PASS", 2, ["flaky"])
    assert bench.summary()["threshold_result"] == "WARN"


def test_output_that_cannot_be_written_is_refused_before_the_first_question(bench: Bench, scenario: Scenario) -> None:
    (bench.path / "taken").write_text("a file")
    bench.suite(scenario("die"))
    result = bench.run("--graph-eval-output", "taken/x")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*taken is not a folder*"])


def test_two_runs_in_one_second_do_not_overwrite_each_other(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good"))
    for _ in range(2):
        bench.run()
    assert len(list((bench.path / "evals/results").glob("*.jsonl"))) == 2


@pytest.mark.parametrize(
    ("env", "ini", "args", "strict"),
    [
        ({}, "", [], False),
        ({}, "graph_eval_strict = true", [], True),
        ({"GRAPH_EVAL_STRICT": "0"}, "graph_eval_strict = true", [], False),
        ({"GRAPH_EVAL_STRICT": "0"}, "", ["--graph-eval-strict"], True),
    ],
)
def test_command_line_beats_environment_beats_ini(
    bench: Bench, scenario: Scenario, monkeypatch: pytest.MonkeyPatch,
    env: dict[str, str], ini: str, args: list[str], strict: bool,
) -> None:  # fmt: skip
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    bench.pytester.makeini(f"[pytest]\n{ini}\n")
    items = [scenario("good", f"g{n}") for n in range(19)] + [scenario("empty", "i")]
    bench.suite("\n".join(items))
    assert bench.run(*args).ret == (1 if strict else 0)


def test_a_path_in_an_ini_file_belongs_to_its_folder_wherever_pytest_starts(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = bench.path / "below"
    below.mkdir()
    bench.suite('- {id: a, question: "q", expect: {numbers: [12]}}', name="below/s")
    (bench.path / "told.jsonl").write_text('{"id": "a", "response": {"answer": "12"}}\n')
    monkeypatch.chdir(below)
    bench.pytester.makeini("[pytest]\ngraph_eval_target = told.jsonl\n")
    bench.run().assert_outcomes(passed=1)
    (results,) = (bench.path / "evals/results").glob("*.jsonl")
    results.rename(bench.path / "done.jsonl")
    bench.pytester.makeini("[pytest]\ngraph_eval_target = told.jsonl\ngraph_eval_resume = done.jsonl\n")
    bench.run().assert_outcomes(passed=1)
    assert bench.records()[0]["flags"] == ["resumed"]


def test_a_teardown_error_is_flagged_on_the_record(bench: Bench, scenario: Scenario) -> None:
    bench.pytester.makeconftest(
        "import pytest\n@pytest.fixture\ndef f():\n    yield\n    raise RuntimeError('teardown broke')\n"
    )
    bench.suite(scenario("good", "a", ", usefixtures: [f]"))
    result = bench.run()
    result.assert_outcomes(passed=1, errors=1)
    assert bench.records()[0]["flags"] == ["teardown_error"]


def test_a_secret_control_sequence_cannot_steer_the_terminal(bench: Bench) -> None:
    bench.pytester.makepyfile(evil="def ask(question):\n    return '\\x1b[2J gone \\x07 <script>'\n")
    bench.suite('- {id: a, question: "q", expect: {numbers: ["$611.3 billion"]}}', target="{call: 'evil:ask'}")
    result = bench.run()
    assert "\x1b[2J" not in result.stdout.str()
    assert "\x1b[2J" in bench.records()[0]["answer"]
    assert json.dumps(bench.summary())


def test_a_name_that_only_a_file_beside_the_suite_declares_is_told_where_it_is_missing(
    bench: Bench, scenario: Scenario
) -> None:
    bench.suite(scenario("good"))
    (bench.path / "targets.yaml").write_text("prod: {call: 'toy:ask'}\n", encoding="utf-8")
    result = bench.run("--graph-eval-target=prod")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*target 'prod': *; targets.yaml is for the suites beside it; name it in the ini key*"]
    )
    bench.pytester.makeini("[pytest]\ngraph_eval_targets = targets.yaml\n")
    assert bench.run("--graph-eval-target=prod").ret == 0
