"""Each key that decides a pytest outcome, and the outcome that it makes."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from .conftest import Bench, check

Scenario = Callable[..., str]


# what the target answers, the scenario's other keys, the outcome in pytest and the status of the record
OUTCOMES = [
    ("good", "", "passed", "PASS"),
    ("wrong", "", "failed", "FAIL"),
    ("crash", "", "failed", "ERROR"),
    ("empty", "", "skipped", "INCONCLUSIVE"),
    ("good", "skip: not now", "skipped", "SKIPPED"),
    ("good", "skip: true", "skipped", "SKIPPED"),
    ("good", "skip: false", "passed", "PASS"),
    ("good", "skipif: \"sys.platform != 'nowhere'\"", "skipped", "SKIPPED"),
    ("good", "skipif: {condition: 'False', reason: never}", "passed", "PASS"),
    ("wrong", "xfail: known", "xfailed", "FAIL"),
    ("wrong", "xfail: true", "xfailed", "FAIL"),
    ("good", "xfail: {reason: known, strict: false}", "xpassed", "PASS"),
    ("good", "xfail: {reason: known, strict: true}", "failed", "FAIL"),
    ("crash", "xfail: known", "failed", "ERROR"),
    ("crash", "xfail: {reason: known, raises: [error]}", "xfailed", "ERROR"),
    ("wrong", "xfail: {reason: known, raises: [score]}", "failed", "FAIL"),
    ("wrong", "xfail: {reason: known, until: 2020-01-01}", "failed", "FAIL"),
    ("wrong", "xfail: {reason: known, until: 2999-01-01}", "xfailed", "FAIL"),
    ("crash", "xfail: {reason: known, run: false}", "xfailed", "SKIPPED"),
    ("empty", "xfail: known", "skipped", "INCONCLUSIVE"),
    ("wrong", "metrics: [facts], pass_score: 0.5", "failed", "FAIL"),
    # a synchronous callable cannot be stopped, so what comes right after one that is late finds it busy
    ("slow", "timeout: 0.1, xfail: {reason: known, raises: [check]}", "failed", "ERROR"),
    ("slow", "timeout: 0.1, skip: a pause", "skipped", "SKIPPED"),
]


def test_a_scenario_has_the_outcome_that_its_keys_say(bench: Bench, scenario: Scenario) -> None:
    rows = [(f"s{n}", *row) for n, row in enumerate(OUTCOMES)]
    bench.suite("\n".join(scenario(word, id_, f", {more}" if more else "") for id_, word, more, _, _ in rows))
    bench.run()
    found = {r["id"]: (r["outcome"], r["status"]) for r in bench.records()}
    wrong = [(row, found.get(row[0])) for row in rows if found.get(row[0]) != row[3:]]
    assert not wrong


@pytest.mark.parametrize(("raises", "outcome"), [("timeout", {"xfailed": 1}), ("error", {"failed": 1})])
def test_a_timeout_is_hidden_only_by_an_xfail_that_names_it(
    bench: Bench, scenario: Scenario, raises: str, outcome: dict[str, int]
) -> None:
    bench.suite(scenario("slow", more=f", timeout: 0.1, xfail: {{reason: known, raises: [{raises}]}}"))
    bench.run().assert_outcomes(**outcome)


def test_a_failing_item_exits_with_1_and_a_passing_one_with_0(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good"))
    assert bench.run().ret == pytest.ExitCode.OK
    bench.suite(scenario("wrong"))
    assert bench.run().ret == pytest.ExitCode.TESTS_FAILED


def test_inconclusive_shows_its_letter_reason_and_yaml_line(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good", "a") + "\n" + scenario("empty", "b"))
    result = bench.run("-rs")
    result.stdout.fnmatch_lines(["s.graph.yaml .I*", "INCONCLUSIVE * s.graph.yaml:6: inconclusive: no evidence*"])


def test_fail_on_gate_leaves_a_weak_scenario_to_the_gate(bench: Bench, scenario: Scenario) -> None:
    items = [scenario("good", f"g{n}") for n in range(9)] + [scenario("wrong", "weak")]
    bench.suite("\n".join(items))
    result = bench.run("--graph-eval-fail-on", "gate")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["s.graph.yaml .........w*"])
    assert bench.records()[-1]["status"] == "FAIL"
    assert bench.summary()["failed"] == ["weak"]


def test_fail_on_gate_does_not_excuse_what_must_pass(bench: Bench, scenario: Scenario) -> None:
    items = [scenario("good", f"g{n}") for n in range(9)] + [scenario("wrong", "weak", ", must_pass: true")]
    bench.suite("\n".join(items))
    result = bench.run("--graph-eval-fail-on", "gate")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=9, failed=1)
    assert any(r["code"] == "must_pass" for r in bench.summary()["verdict_reasons"])


def test_fail_on_gate_never_excuses_an_error(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good") + "\n" + scenario("crash", "b"))
    bench.run("--graph-eval-fail-on", "gate").assert_outcomes(passed=1, failed=1)


def test_fail_on_can_be_set_in_the_suite(bench: Bench, scenario: Scenario) -> None:
    items = [scenario("good", f"g{n}") for n in range(9)] + [scenario("wrong", "weak")]
    bench.suite("\n".join(items), head="gate: {fail_on: gate}")
    assert bench.run().ret == pytest.ExitCode.OK
    assert bench.run("--graph-eval-fail-on", "items").ret == pytest.ExitCode.TESTS_FAILED


def test_marks_select_and_unknown_ones_are_refused(bench: Bench, scenario: Scenario) -> None:
    bench.pytester.makeini("[pytest]\nmarkers = nightly: slow ones\n    only(n): one\n")
    bench.suite(scenario("good", "a", ", marks: [nightly, {only: [1]}]") + "\n" + scenario("good", "b"))
    bench.run("-m", "nightly").assert_outcomes(passed=1, deselected=1)
    bench.suite(scenario("good", "a", ", marks: [nighly]"))
    result = bench.run("--strict-markers")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*s.graph.yaml:5: mark 'nighly':*"])


@pytest.mark.parametrize("word", ["revenue_category", "hard", "smoke"])
def test_category_difficulty_and_tags_are_keywords(bench: Bench, scenario: Scenario, word: str) -> None:
    more = ", category: revenue_category, difficulty: hard, tags: [smoke]"
    bench.suite(scenario("good", "a", more) + "\n" + scenario("good", "b"))
    bench.run("-k", word).assert_outcomes(passed=1, deselected=1)


def test_fixtures_of_every_scope_are_set_up(bench: Bench, scenario: Scenario) -> None:
    bench.pytester.makeconftest(
        """
        import pytest
        seen = []

        @pytest.fixture(autouse=True, scope="session")
        def s(): seen.append("session")

        @pytest.fixture(autouse=True, scope="module")
        def m(request): seen.append("module " + request.module.__name__)

        @pytest.fixture(autouse=True, scope="class")
        def c(): seen.append("class")

        @pytest.fixture(autouse=True)
        def f(request): seen.append("function " + request.node.name)

        @pytest.fixture
        def wanted():
            seen.append("wanted")
            yield
            print("SEEN", seen, "torn down")
        """
    )
    bench.suite(scenario("good", "a", ", usefixtures: [wanted]"))
    result = bench.run("-s")
    result.assert_outcomes(passed=1)
    assert "SEEN ['session', 'module s', 'class', 'function a', 'wanted'] torn down" in result.stdout.str()


def test_a_target_can_come_from_a_fixture(bench: Bench, scenario: Scenario) -> None:
    bench.pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def agent():
            return lambda question: "Total revenues were $611.3 billion."
        """
    )
    bench.suite(scenario("good"), target="{fixture: agent}")
    bench.run().assert_outcomes(passed=1)


def test_a_missing_fixture_is_an_error_that_names_it(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good", "a", ", usefixtures: [nowhere]"))
    result = bench.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'nowhere' not found*"])
    (record,) = bench.records()
    assert record["status"] == "ERROR"


def test_the_failure_text_tells_the_cause(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("wrong"))
    result = bench.run()
    result.stdout.fnmatch_lines(
        [
            "FAIL: 1 of 1 checks failed (numbers)",
            "  at: s.graph.yaml:5 (a)",
            "  question: wrong question",
            "  numbers: $611.3 billion is not stated in the answer*",
            "*$605.9 billion*",
            "  retrieved entities: NET SALES FY2023",
            "  retrieved chunks: c2",
            "  mode: kg",
            "  cause: wrong_value*",
            "  re-run: pytest --graph-eval s.graph.yaml::a",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_rows_become_items_with_their_values(bench: Bench) -> None:
    bench.suite(
        '- id: r\n  question: "{word} question"\n  rows: [{id: one, word: good}, {id: two, word: wrong}]\n'
        '  expect: {numbers: ["$611.3 billion"]}'
    )
    result = bench.run("-v")
    result.stdout.fnmatch_lines(["s.graph.yaml::r-one PASSED*", "s.graph.yaml::r-two FAILED*"])


def test_junit_has_the_scores_and_nothing_large(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good") + "\n" + scenario("wrong", "b"))
    bench.run("--junitxml=j.xml")
    text = (bench.path / "j.xml").read_text()
    assert '<property name="graph_eval_status" value="PASS" />' in text
    assert '<property name="graph_eval_mean" value="1.0" />' in text
    assert "TOTAL REVENUES" not in text.split("<failure")[0]


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_a_failure_has_a_headline_and_a_place(bench: Bench, workers: tuple[str, ...]) -> None:
    path = bench.suite(check("wrong"))
    told = "FAIL: numbers: $611.3 billion is not stated in the answer: the value is another one"
    result = bench.run(*workers, "--tb=line", "--junitxml=junit.xml")
    result.stdout.fnmatch_lines([f"{path}:5: {told}*"])
    assert f'message="{told}' in (bench.path / "junit.xml").read_text("utf-8")


@pytest.mark.parametrize("ci", ["", "1"])
def test_the_short_summary_has_one_line_a_failure(bench: Bench, monkeypatch: pytest.MonkeyPatch, ci: str) -> None:
    monkeypatch.delenv("BUILD_NUMBER", raising=False)
    monkeypatch.setenv("CI", ci)
    bench.suite("\n".join([check("wrong"), check("crash", "b")]))
    summary = bench.run().stdout.str().partition("short test summary info")[2]
    lines = summary.splitlines()[1:-1]
    assert [line[:31] for line in lines] == ["FAILED s.graph.yaml::a - FAIL: ", "FAILED s.graph.yaml::b - ERROR:"]


def test_every_reply_is_kept_where_that_is_asked_for(bench: Bench, scenario: Scenario) -> None:
    bench.suite(scenario("good", "a", ", repeats: 2") + "\n" + scenario("crash", "b"))
    bench.suite(scenario("good", "c"), name="t", target="{call: 'toy:ask', response: {answer: nowhere}}")
    bench.run("--graph-eval-keep-responses=raw")
    found = {path.name: json.loads(path.read_text("utf-8")) for path in (bench.path / "raw").rglob("*.json")}
    assert sorted(found) == ["a.json", "a@2.json", "b.json", "c.json"]
    assert found["a.json"]["reply"]["chunks"] == found["a.json"]["response"]["chunks"]
    assert "raised" in found["b.json"]["error"]
    assert "cannot be read" in found["c.json"]["error"]
    assert found["c.json"]["reply"] == found["a.json"]["reply"]


def test_replies_that_cannot_be_kept_are_flagged_and_a_folder_that_is_none_is_refused(
    bench: Bench, scenario: Scenario
) -> None:
    bench.suite(scenario("good", "a"))
    (bench.path / "file").write_text("in the way", "utf-8")
    result = bench.run("--graph-eval-keep-responses=file")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines("*--graph-eval-keep-responses*file is not a folder*")
    (bench.path / "raw/s.graph.yaml/a.json").mkdir(parents=True)
    bench.run("--graph-eval-keep-responses=raw")
    assert bench.records()[0]["flags"] == ["reply_not_kept"]
