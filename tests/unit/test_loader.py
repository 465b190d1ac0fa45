"""Suite files to suites that run: every key, every shorthand, and every mistake at its place with what to do."""

from __future__ import annotations

import gc
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import Problem, SuiteError, UsageError
from pytest_graph_eval.loader import (
    DeclaredTarget,
    LoadedSuite,
    load_gate,
    load_suite,
    load_targets,
    prepare_suite,
    target_from_text,
)
from pytest_graph_eval.models.scenario import Scenario, Suite
from pytest_graph_eval.models.settings import GraphTarget, McpTarget, PythonTarget, ReplayTarget

GOLD = "gold_answer: g"


def load(text: str, **given: Any) -> LoadedSuite:
    return load_suite("suites/x.graph.yaml", text=text, **given)


def problems(text: str, **given: Any) -> Sequence[Problem]:
    with pytest.raises(SuiteError) as caught:
        load(text, **given)
    return caught.value.problems


def scenario(lines: str) -> str:
    """Return a suite with one scenario; the lines follow its id and question, and start on line 4."""
    return "scenarios:\n- id: s\n  question: Q?\n" + "".join(f"  {line}\n" for line in lines.split("\n"))


def the_problem(text: str, **given: Any) -> Problem:
    (problem,) = problems(text, **given)
    return problem


def one(lines: str) -> Scenario:
    (loaded,) = load(scenario(lines)).scenarios
    return loaded.scenario


# what is loaded


def test_a_scenario_knows_its_place_and_the_suite_its_key_and_name() -> None:
    text = "suite: Shown\nscenarios:\n  - {id: a, question: Q, gold_answer: g}\n  - question: Q\n    id: b\n"
    text += "    gold_answer: g\n"
    suite = load_suite("/root/in/x.graph.yaml", rootdir=Path("/root"), text=text)
    assert [(s.scenario.id, s.line, s.col) for s in suite.scenarios] == [("a", 3, 5), ("b", 4, 5)]
    assert (suite.key, suite.name, suite.folder) == ("in/x.graph.yaml", "Shown", Path("/root/in"))
    assert suite.find("b") == (1, suite.scenarios[1])
    assert suite.find("c") is None


def test_a_suite_outside_rootdir_is_counted_from_it_and_named_by_its_file() -> None:
    suite = load_suite("/a/x.graph.yaml", rootdir=Path("/b/c"), text=scenario(GOLD))
    assert suite.key == "../../a/x.graph.yaml"
    assert suite.name == "x"


def test_a_file_below_the_current_folder_is_called_by_the_path_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_suite(tmp_path / "in" / "x.graph.yaml", text=scenario(GOLD)).key == "in/x.graph.yaml"
    assert load_suite("/elsewhere/x.graph.yaml", text=scenario(GOLD)).key == "/elsewhere/x.graph.yaml"
    (tmp_path / "t.yaml").write_text("a: {call: b}", encoding="utf-8")
    assert load_targets(tmp_path / "t.yaml")["a"].where == "t.yaml:1"


def test_shorthands_are_what_they_stand_for() -> None:
    expect = one("""\
expect:
  names: A
  any_of: [A, B]
  forbidden: [X]
  contains: text
  matches: "x+"
  relationships: [A, KNOWS, B]
  equals: all
  in: both
tags: smoke
xfail: flaky
skipif: "1 > 2"
skip: true""")
    assert [n.name for n in expect.expect.names or []] == ["A"]
    assert [[n.name for n in group] for group in expect.expect.any_of or []] == [["A", "B"]]
    assert [(r.source, r.type, r.target) for r in expect.expect.relationships or []] == [("A", "KNOWS", "B")]
    assert expect.expect.equals is not None
    assert (expect.expect.equals.text, expect.expect.where) == ("all", "both")
    assert (expect.tags, expect.skip, expect.skipif[0].condition) == (["smoke"], "", "1 > 2")
    assert expect.xfail is not None
    assert (expect.xfail.reason, expect.xfail.raises) == ("flaky", ["check", "score"])


def test_text_fields_keep_the_text_and_number_fields_take_the_value() -> None:
    found = one("gold_answer: 0123\ncategory: NO\ntimeout: 1e1\nas_of: 2024-01-01\narguments: {a: 0123, b: NO, c: '1'}")
    assert (found.gold_answer, found.category, found.as_of) == ("0123", "NO", "2024-01-01")
    assert found.timeout == 10.0
    assert found.arguments == {"a": 123, "b": "NO", "c": "1"}


def test_a_key_without_a_value_is_absent() -> None:
    found = one("gold_answer: g\ncategory:\nexpect:\nxfail: null\ntags: ~")
    assert (found.category, found.xfail, found.tags) == (None, None, [])
    assert "category" not in found.model_fields_set


def test_a_null_in_the_gate_switches_a_rule_off() -> None:
    suite = load("gate: {overall: null, max_errors: ~, metrics: {faithfulness: null}}\n" + scenario(GOLD))
    assert (suite.gate.overall, suite.gate.max_errors, suite.gate.metrics) == (None, None, {"faithfulness": None})


def test_the_collector_is_left_as_it_was() -> None:
    load(scenario(GOLD))
    assert gc.isenabled()
    gc.disable()
    try:
        problems("scenarios: [")
        assert not gc.isenabled()
    finally:
        gc.enable()


# targets


def test_a_target_knows_its_folder_and_line() -> None:
    suite = load("suite: x\ntarget:\n  call: m:f\n" + scenario(GOLD))
    assert isinstance(suite.target, PythonTarget)
    assert (suite.target_folder, suite.target_where) == (Path("suites"), "suites/x.graph.yaml:2")


def test_a_named_target_comes_from_the_declared_ones_with_its_own_folder() -> None:
    declared = {"prod": DeclaredTarget(GraphTarget(extraction=["a.json"]), Path("conf"), "conf/targets.yaml:3")}
    suite = load("target: prod\n" + scenario(GOLD), targets=declared)
    assert (suite.target, suite.target_folder) == (declared["prod"].spec, Path("conf"))
    assert load("target: prod\n" + scenario(GOLD)).target is None


def test_a_replacement_target_wins_over_an_unknown_name() -> None:
    other = DeclaredTarget(GraphTarget(extraction=["a.json"]), Path())
    assert load("target: nope\n" + scenario(GOLD), targets={}, target=other).target is other.spec


def test_an_unknown_target_name_is_an_error_that_names_the_declared_ones() -> None:
    declared = {"prod": DeclaredTarget(GraphTarget(extraction=["a.json"]), Path())}
    problem = the_problem("target: prd\n" + scenario(GOLD), targets=declared)
    assert str(problem) == "suites/x.graph.yaml:1:9: unknown target 'prd', did you mean 'prod'? Declared targets: prod"
    assert (
        "none are declared: write `targets.yaml` beside the suite"
        in the_problem("target: x\n" + scenario(GOLD), targets={}).message
    )


def test_a_suite_that_is_to_run_needs_a_target() -> None:
    problem = the_problem(scenario(GOLD), targets={})
    assert problem.code == "no_target"
    assert "--graph-eval-target" in problem.message


@pytest.mark.parametrize(
    ("target", "col", "words"),
    [
        ("{kind: grph}", 16, "unknown kind 'grph', did you mean 'graph'? Kinds: graph, mcp, http, python, replay"),
        ("{timeout: 3}", 9, "cannot tell what kind of target this is"),
        ("{url: u, command: c}", 9, "either `command:` (stdio) or `url:`"),
        ("{extraction: a, top_q: 3}", 25, "target: unknown key 'top_q', did you mean 'top_k'? Valid keys: "),
        (
            "{kind: mcp, url: u, response: {anser: x}}",
            40,
            "target.response: unknown key 'anser', did you mean 'answer'?",
        ),
        ("{call: a, timeout: '3'}", 28, 'found the text "3", expected a number; without quotes'),
        ("{call: a, preset: precis}", 28, "did you mean 'preciso'?"),
        ("{url: u, headers: {A: }}", 31, 'found nothing, expected a text; write "" for an empty text'),
    ],
)
def test_a_wrong_target_is_an_error_at_its_place(target: str, col: int, words: str) -> None:
    problem = the_problem(f"target: {target}\n" + scenario(GOLD))
    assert words in problem.message
    assert problem.line == 1
    assert abs(problem.col - col) <= 10


def test_targets_are_declared_in_a_file_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "targets.yaml"
    path.write_text("prod:\n  url: http://h/mcp\n  headers: {A: NO}\ndev: {extraction: a.json}\n", encoding="utf-8")
    targets = load_targets(path)
    assert isinstance(targets["prod"].spec, McpTarget)
    assert targets["prod"].spec.headers == {"A": "NO"}
    assert (targets["dev"].folder, targets["dev"].where) == (tmp_path, f"{path}:4")


def test_an_empty_file_of_targets_says_what_belongs_there(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("# nothing yet\n")
    with pytest.raises(SuiteError, match=r"t.yaml.*: the file is empty; expected targets by name, as in `default:"):
        load_targets(tmp_path / "t.yaml")


def test_a_file_of_targets_reports_all_its_problems(tmp_path: Path) -> None:
    path = tmp_path / "targets.yaml"
    path.write_text("a: {url: u, tool: t, arguments: {}, toool: x}\nb: name\nc: {kind: x}\na: 1\n", encoding="utf-8")
    with pytest.raises(SuiteError) as caught:
        load_targets(path)
    found = [(p.line, p.code) for p in caught.value.problems]
    assert found == [(1, "unknown_key"), (2, "wrong_type"), (3, "wrong_value"), (4, "duplicate_key")]
    path.write_text("- a\n", encoding="utf-8")
    with pytest.raises(SuiteError, match="expected a mapping"):
        load_targets(path)


def test_a_gate_has_a_file_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "gate.yaml"
    path.write_text("overall: 0.9\nmetrics: {faithfulness: {pass: 0.8, warn: 0.7}}\n", encoding="utf-8")
    gate = load_gate(path)
    assert gate.overall is not None
    assert gate.overall.pass_ == 0.9
    path.write_text("overal: 0.9\nmetrics: {faith: 0.8}\nmax_errors: .nan\n", encoding="utf-8")
    with pytest.raises(SuiteError) as caught:
        load_gate(path)
    assert [p.code for p in caught.value.problems] == ["unknown_key", "not_finite"]
    with pytest.raises(SuiteError, match="cannot be read"):
        load_gate(tmp_path / "nope.yaml")


@pytest.mark.parametrize(
    ("text", "kind", "key", "value"),
    [
        ("https://h:1/mcp", McpTarget, "url", "https://h:1/mcp"),
        ("pkg.mod:make.ask", PythonTarget, "call", "pkg.mod:make.ask"),
        ("a/b.json", GraphTarget, "extraction", ["a/b.json"]),
        ("a.graphml", GraphTarget, "graphml", ["a.graphml"]),
        ("runs/r.jsonl", ReplayTarget, "path", "runs/r.jsonl"),
        ("my runs/r.jsonl", ReplayTarget, "path", "my runs/r.jsonl"),
        ("a b:c", McpTarget, "command", ["a", "b:c"]),
        ("graph-eval serve 'my graph.json'", McpTarget, "command", ["graph-eval", "serve", "my graph.json"]),
        ("python server.json", McpTarget, "command", ["python", "server.json"]),
        ("env", McpTarget, "command", ["env"]),
    ],
)
def test_a_short_text_stands_for_a_target(text: str, kind: type, key: str, value: object) -> None:
    target = target_from_text(text, Path("here"))
    assert isinstance(target.spec, kind)
    assert getattr(target.spec, key) == value
    assert target.folder == Path("here")


@pytest.mark.parametrize("text", ["prd", "a 'b", "x:", "file.txt", ""])
def test_a_text_that_stands_for_no_target_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"expected a declared name \(declared: prod\)"):
        target_from_text(text, Path(), ["prod"])


# defaults and rows


def test_defaults_merge_by_key_lists_replace_and_tags_add() -> None:
    text = """\
defaults:
  mode: kg
  tags: [a]
  marks: [slow]
  source_entities: [D]
  arguments: {x: 1, deep: {y: 2}}
  xfail: {reason: r, strict: true}
  expect: {names: [N], scores: {faithfulness: 0.5}, budget: {seconds: 3}}
scenarios:
  - id: s
    question: Q
    mode: auto
    tags: [a, b]
    marks: fast
    arguments: {deep: {z: 3}}
    xfail: {strict: false}
    expect: {names: [M], scores: {precision: 0.6}, budget: {total_tokens: 9}}
  - {id: t, question: Q, xfail: false}
"""
    text = text.replace("  source_entities: [D]\n", "")
    first, second = (item.scenario for item in load(text).scenarios)
    assert (first.mode, first.tags, first.marks) == ("auto", ["a", "b"], ["slow", "fast"])
    assert first.arguments == {"x": 1, "deep": {"y": 2, "z": 3}}
    assert first.xfail is not None
    assert (first.xfail.reason, first.xfail.strict) == ("r", False)
    assert [n.name for n in first.expect.names or []] == ["M"]
    assert first.expect.scores == {"faithfulness": 0.5, "precision": 0.6}
    assert first.expect.budget is not None
    assert (first.expect.budget.seconds, first.expect.budget.total_tokens) == (3, 9)
    assert (second.mode, second.tags, second.xfail) == ("kg", ["a"], None)


def test_the_suite_as_written_keeps_its_defaults_apart() -> None:
    suite = load("defaults: {tags: [a]}\n" + scenario(GOLD))
    assert suite.suite.scenarios[0].tags == []
    assert suite.scenarios[0].scenario.tags == ["a"]


ROWS = """\
question: What of {company}, {other}, {{company}}?
expect: {names: ["{company}"], matches: "{company}{2}"}
arguments: {q: 'SELECT {?x} {company}', n: [1, "{company}"]}
rows:
- {id: w, company: Walmart}
- {id: n, company: NO}"""


def test_each_row_is_a_scenario_with_its_keys_filled_in() -> None:
    text = "scenarios:\n- id: s\n" + "".join(f"  {line}\n" for line in ROWS.split("\n"))
    first, second = load(text).scenarios
    assert (first.scenario.id, first.line, first.col) == ("s-w", 7, 5)
    assert (second.scenario.id, second.line) == ("s-n", 8)
    assert first.scenario.question == "What of Walmart, {other}, {company}?"
    assert first.scenario.arguments == {"q": "SELECT {?x} Walmart", "n": [1, "Walmart"]}
    assert [n.name for n in second.scenario.expect.names or []] == ["NO"]
    assert first.scenario.expect.matches == ["Walmart{2}"]
    assert first.scenario.rows is None


@pytest.mark.parametrize(
    ("rows", "line", "code", "words"),
    [
        ("- {c: x}", 7, "missing_key", "a row needs an `id`"),
        ("- {id: a, c: x}\n- {id: a, c: y}", 8, "duplicate_id", "duplicate row id 'a', also in row 1"),
        ("- {id: a b, c: x}", 7, "wrong_value", "try 'a-b'"),
        ("- {id: a, c: x, d: y}", 7, "unknown_key", "'d' is not used: no text has `{d}`"),
        ("- {id: a, c: x}\n- {id: b}", 8, "missing_key", "the row has no 'c', which `{c}` needs"),
        ("- {id: a, c: x}\n- {id: b, c: }", 8, "missing_key", "the row has no 'c'"),
        ("- {id: a, c: x, 'd e': y}", 7, "wrong_value", "one word of letters"),
        ("- {id: a, c: [x]}", 7, "wrong_type", "found a list, expected a text"),
        ("[]", 6, "empty", "found an empty list"),
    ],
)
def test_a_wrong_row_is_an_error_at_its_place(rows: str, line: int, code: str, words: str) -> None:
    below = rows if rows == "[]" else "".join(f"\n  {r}" for r in rows.split("\n"))
    problem = the_problem(
        "scenarios:\n- id: s\n  question: '{c}?'\n  mode: kg\n  gold_answer: g\n  rows: " + below + "\n"
    )
    assert (problem.line, problem.code) == (line, code)
    assert words in problem.message


def test_a_row_that_makes_a_wrong_value_is_an_error() -> None:
    text = scenario("expect: {matches: '{p}'}\nrows: [{id: a, p: ok}, {id: b, p: '('}]")
    assert the_problem(text).code == "bad_regex"


# what is refused

PLAIN = "scenarios: [{id: a, question: Q, gold_answer: g}]"


@pytest.mark.parametrize(
    ("lines", "line", "col", "code", "words"),
    [
        ("check: [x]", 4, 3, "unknown_key", "scenario 's': unknown key 'check'"),
        ("gold_anser: g", 4, 3, "unknown_key", "did you mean 'gold_answer'? Valid keys: "),
        ("expect: {naems: [x]}", 4, 12, "unknown_key", "expect: unknown key 'naems', did you mean 'names'?"),
        ("expect: {names: [{nam: x}]}", 4, 21, "unknown_key", "expect.names[0]: unknown key 'nam', did you mean"),
        ("expect: {any_of: [x, {nam: y}]}", 4, 25, "unknown_key", "expect.any_of[1]: unknown key 'nam'"),
        ("category: x", 2, 3, "no_checks", "nothing to check; add `gold_answer`"),
        ("expect: {in: both}", 2, 3, "no_checks", "nothing to check"),
        ("source_entities: []\nsource_chunks: []", 2, 3, "no_checks", "nothing to check"),
        ("timeout: 3s\n" + GOLD, 4, 12, "wrong_type", 'timeout: found the text "3s", expected a number'),
        ("timeout: '3'\n" + GOLD, 4, 12, "wrong_type", "without quotes, commas or units"),
        ("timeout: 0\n" + GOLD, 4, 12, "wrong_value", "found `0`, expected more than 0"),
        ("timeout: .inf\n" + GOLD, 4, 12, "not_finite", "found `.inf`, expected a finite number"),
        ("pass_score: 80\n" + GOLD, 4, 15, "wrong_value", "expected at most 1; a share: 80 % is 0.8"),
        ("must_pass: yes\n" + GOLD, 4, 14, "wrong_type", "expected true or false"),
        ("must_pass: true\nxfail: x\n" + GOLD, 4, 14, "contradiction", "must_pass: contradicts `xfail`"),
        ("gold_answer: {v}", 4, 17, "unquoted_braces", "quote the whole text"),
        ("gold_answer: {a: b}", 4, 16, "wrong_type", "found a mapping, expected a text; quote"),
        ("gold_answer: ''", 4, 16, "empty", "expected a text that is not empty"),
        ("tags: {a: b}\n" + GOLD, 4, 9, "wrong_type", "expected a text"),
        ("source_entities: [A, '']", 4, 24, "empty", "source_entities[1]: an empty item"),
        ("metrics: [faithfullness]\n" + GOLD, 4, 13, "unknown_metric", "did you mean 'faithfulness'? Metrics: "),
        ("metrics: [faith]\n" + GOLD, 4, 13, "unknown_metric", "did you mean 'faithfulness'? Metrics: "),
        ("metrics: [chunk_recal@5]\n" + GOLD, 4, 13, "unknown_metric", "did you mean 'chunk_recall@5'?"),
        ("metrics: [precision@0]\n" + GOLD, 4, 13, "unknown_metric", "unknown metric 'precision@0'"),
        ("expect: {scores: {mean: 0.8}}", 4, 21, "unknown_metric", "the least mean is `pass_score`"),
        ("expect: {scores: {precision: 80}}", 4, 32, "wrong_value", "expected a score between 0 and 1"),
        ("expect: {scores: {precision: .nan}}", 4, 32, "not_finite", "a finite number"),
        ("expect: {numbers: [1, .nan]}", 4, 25, "not_finite", "expect.numbers[1].value: "),
        ("expect: {counts: {x: -.inf}}", 4, 24, "not_finite", "a finite number"),
        ("expect: {numbers: [abc]}", 4, 22, "bad_number", "expect.numbers[0].value: 'abc' holds no figure"),
        ("expect: {dates: [2024-02-30]}", 4, 20, "bad_date", "expect.dates[0].value: '2024-02-30' is no date"),
        ("expect: {names: []}", 4, 19, "empty", "found an empty list, expected 1 or more"),
        ("expect: {any_of: [[]]}", 4, 21, "empty", "found an empty list"),
        ("expect: {order: [a]}", 4, 19, "empty", "found 1 item, expected 2 or more"),
        ("expect: {names: ['']}", 4, 20, "empty", "expected a text that is not empty"),
        ("expect: {entities: [A, ' ']}", 4, 26, "empty", "expect.entities[1]: an empty item"),
        ("expect: {matches: ''}", 4, 21, "empty", "an empty pattern is found in every text"),
        ("expect: {matches: '('}", 4, 21, "bad_regex", "is not a regular expression: missing )"),
        ("expect: {names: [A B], forbidden: [a b]}", 4, 20, "contradiction", "'A B' is both required and forbidden"),
        ("expect: {order: [X, Y], forbidden: Y}", 4, 23, "contradiction", "'Y' is both"),
        ("expect: {any_of: [x, y], forbidden: [x, y]}", 4, 21, "contradiction", "every name of this group"),
        ("expect: {contains: A, excludes: [' a']}", 4, 22, "contradiction", "both required and excluded"),
        ("expect: {no_evidence: true, chunks: c}", 4, 39, "contradiction", "expect.chunks: contradicts `no_evid"),
        ("expect: {relationships: [[a, b]]}", 4, 28, "wrong_value", "a relationship is [source, type, target]"),
        ("expect: {equals: [a]}", 4, 20, "wrong_type", "found a list, expected a text or a mapping"),
        ("expect: {dates: {value: '2023', day_first: maybe}}", 4, 46, "wrong_type", "expected 'any' or true or false"),
        ("expect: {budget: {}}", 4, 20, "wrong_value", "`budget:` needs at least one of"),
        ("expect: {stable: {}}", 4, 20, "wrong_value", "`stable:` needs at least one of"),
        ("xfail: {until: 2024-02-30}\n" + GOLD, 4, 18, "wrong_value", "expected a day that exists, like 2026-12-31"),
        ("xfail: {raises: chek}\n" + GOLD, 4, 19, "wrong_value", "did you mean 'check'?"),
        ("as_of: 2024-02-30\n" + GOLD, 4, 10, "wrong_value", "no day that exists"),
        ("skipif: 'a ='\n" + GOLD, 4, 11, "wrong_value", "is not a Python condition"),
        ("repeats: 0\n" + GOLD, 4, 12, "wrong_value", "expected at least 1"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_scenario_is_named_at_its_place(lines: str, line: int, col: int, code: str, words: str) -> None:
    problem = the_problem(scenario(lines))
    assert (problem.line, problem.col, problem.code) == (line, col, code), problem
    assert words in problem.message


@pytest.mark.parametrize(
    ("text", "line", "code", "words"),
    [
        ("", 0, "wrong_type", "the file is empty; a suite has the keys"),
        ("- a", 1, "wrong_type", "the file is no mapping"),
        ("suite: x\nscenarios: []", 2, "no_scenarios", "add entries to `scenarios:`, or `datasets:`"),
        ("suite: x\n", 1, "no_scenarios", "the suite has no scenario"),
        ("scenarios: {a: b}", 1, "wrong_type", "found a mapping, expected a list"),
        ("scenarios: [a]", 1, "wrong_type", "scenarios[0]: found the text"),
        ("scenario:\n- {id: a}", 1, "unknown_key", "unknown key 'scenario', did you mean 'scenarios'?"),
        ("scenarios: [{id: a, gold_answer: g}]", 1, "missing_key", "the key 'question' is missing"),
        ("scenarios: [{question: Q, gold_answer: g}]", 1, "missing_key", "scenarios[0]: the key 'id' is missing"),
        ("scenarios: [{id: a, question: , gold_answer: g}]", 1, "missing_key", "'question' has no value"),
        ("scenarios: [{id: a, question: ' ', gold_answer: g}]", 1, "wrong_value", "the question is empty"),
        ("scenarios: [{id: 'a::b', question: Q, gold_answer: g}]", 1, "wrong_value", "try 'a-b'"),
        ("scenarios: [{id: 'a[b]', question: Q, gold_answer: g}]", 1, "wrong_value", "try 'a-b'"),
        ("gate: {overal: 1}\n" + PLAIN, 1, "unknown_key", "did you mean 'overall'?"),
        ("gate: {overall: 80}\n" + PLAIN, 1, "wrong_value", "between 0 and 1"),
        ("gate: {tags: {a: {pass: .5, warn: .6}}}\n" + PLAIN, 1, "wrong_value",
         "`warn` must not be above `pass`"),
        ("gate: {metrics: {x: 1}}\n" + PLAIN, 1, "unknown_metric", "gate.metrics: unknown"),
        ("gate: {max_inconclusive: .nan}\n" + PLAIN, 1, "not_finite", "finite"),
        ("defaults: {mod: kg}\n" + PLAIN, 1, "unknown_key", "did you mean 'mode'?"),
        ("defaults: {metrics: [x], expect: {denial: true}}\nscenarios: [{id: a, question: Q}, {id: b, question: Q}]",
         1, "unknown_metric", "defaults.metrics[0]: unknown metric 'x'"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_suite_is_named_at_its_place(text: str, line: int, code: str, words: str) -> None:
    problem = the_problem(text)
    assert (problem.line, problem.code) == (line, code), problem
    assert words in problem.message


def test_a_duplicate_id_names_the_first_place_and_carries_the_id() -> None:
    problem = the_problem(
        "scenarios:\n- {id: a, question: Q, gold_answer: g}\n- {question: R, gold_answer: g, id: a}\n"
    )
    assert (problem.line, problem.col, problem.code, problem.key) == (3, 37, "duplicate_id", "a")
    assert "first on line 2" in problem.message


def test_a_row_may_not_make_an_id_that_exists() -> None:
    text = "scenarios:\n- {id: a-b, question: Q, gold_answer: g}\n"
    text += "- {id: a, question: '{x}', gold_answer: g, rows: [{id: b, x: y}]}\n"
    assert the_problem(text).code == "duplicate_id"


def test_a_forbidden_one_word_name_leaves_another_case_alone() -> None:
    assert one("expect: {names: [Apple], forbidden: [apple]}").expect.forbidden
    assert the_problem(scenario("expect: {names: [APPLE], forbidden: [apple]}")).code == "contradiction"
    assert (
        the_problem(scenario("expect: {names: [Apple], forbidden: [{name: apple, case: any}]}")).code == "contradiction"
    )
    assert one("expect: {names: [{name: A, in: answer}], forbidden: [{name: A, in: evidence}]}").expect.names


TWELVE = """\
suit: x
target: {kind: grph}
gate: {overall: {pas: 0.8}}
scenarios:
  - id: a::b
    qestion: foo
    gold_answer: {company}
  - id: ok
    question: fine
  - id: ok
    question: fine
    must_pass: true
    xfail: x
    metrics: [faithfullness]
    expect: {matches: "(", scores: {precision: .inf}}
  - id: last
    question: store #5
    timeout: ten
"""


def test_all_mistakes_of_a_file_are_reported_at_once_in_file_order() -> None:
    found = [(p.line, p.code) for p in problems(TWELVE)]
    assert found == [
        (1, "unknown_key"), (2, "wrong_value"), (3, "unknown_key"), (5, "wrong_value"), (6, "unknown_key"),
        (7, "unquoted_braces"), (8, "no_checks"), (10, "duplicate_id"), (12, "contradiction"), (14, "unknown_metric"),
        (15, "bad_regex"), (15, "not_finite"), (17, "cut_by_comment"), (18, "wrong_type"),
    ]  # fmt: skip


def test_a_scenario_with_another_mistake_is_not_also_said_to_check_nothing() -> None:
    assert [p.code for p in problems(scenario("chek: [x]\ncheks: y"))] == ["unknown_key", "unknown_key"]
    broken_defaults = "defaults: {expect: {names: []}}\nscenarios: [{id: a, question: Q}]"
    assert [p.code for p in problems(broken_defaults)] == ["empty"]


def test_more_problems_than_anybody_reads_are_cut_off() -> None:
    found = problems("scenarios:\n" + "- {id: a, question: Q, gold_answer: g, x: 1, y: 2}\n" * 1_000)
    assert found[-1].code == "too_many"
    assert len(found) < 2_100


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"nope\.graph\.yaml: cannot be read: No such file"):
        load_suite(tmp_path / "nope.graph.yaml")
    (tmp_path / "x.graph.yaml").write_bytes(b"a: \xff")
    with pytest.raises(SuiteError, match=r"x\.graph\.yaml:1:4: not UTF-8"):
        load_suite(tmp_path / "x.graph.yaml", rootdir=tmp_path)


# data sets


def write_cases(folder: Path, *ids: object, name: str = "cases.json") -> None:
    cases = [{"id": i, "question": "Q", "gold_answer": "g"} for i in ids]
    data = {"source_extractions": ["e.json"], "test_cases": cases}
    (folder / name).write_text(json.dumps(data, indent=1), encoding="utf-8")


def in_folder(folder: Path, text: str) -> LoadedSuite:
    return load_suite(folder / "x.graph.yaml", rootdir=folder, text=text)


def test_each_entry_of_a_data_set_becomes_a_scenario_with_both_places(tmp_path: Path) -> None:
    write_cases(tmp_path, "T1", "T 2")
    suite = in_folder(tmp_path, "defaults: {tags: [x]}\ndatasets:\n  - path: cases.json\n")
    first, second = suite.scenarios
    assert (first.scenario.id, first.line, first.col, first.source) == ("T1", 3, 11, "cases.json:6:3")
    assert (second.scenario.id, second.scenario.source_id, second.scenario.tags) == ("T-2", "T 2", ["x"])
    assert first.documents == suite.documents == ("e.json",)


def test_data_set_entries_with_nothing_to_check_load(tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_text('{"test_cases": [{"id": "a", "question": "Q"}]}', encoding="utf-8")
    assert len(in_folder(tmp_path, "datasets: [{path: cases.json}]").scenarios) == 1


def test_an_id_that_two_data_sets_share_suggests_a_prefix(tmp_path: Path) -> None:
    write_cases(tmp_path, "T1")
    with pytest.raises(SuiteError) as caught:
        in_folder(tmp_path, "datasets:\n- {path: cases.json}\n- {path: cases.json}\n")
    (problem,) = caught.value.problems
    assert (problem.line, problem.code, problem.key) == (3, "duplicate_id", "T1")
    assert "first in cases.json:6:3; add a `prefix:` to the data set" in problem.message
    suite = in_folder(tmp_path, "datasets:\n- {path: cases.json}\n- {path: cases.json, prefix: b-}\n")
    assert [s.scenario.id for s in suite.scenarios] == ["T1", "b-T1"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cases.json: cannot be read: No such file"),
        (b"{", "not JSON: Expecting property name"),
        (b"\xff", "not UTF-8 text (byte 0)"),
        (b"[1]", "not in a format that can be read (preciso: an object with a list `test_cases`; "),
        (b'{"test_cases": {}}', "not in a format"),
        (b'{"test_cases": [], "test_cases": []}', "'test_cases' stands twice"),
        (b'{"test_cases": [NaN]}', "NaN is not JSON"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_data_set_that_cannot_be_read_is_a_problem_of_its_path(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / "cases.json").write_bytes(content)
    with pytest.raises(SuiteError) as caught:
        in_folder(tmp_path, "suite: x\ndatasets: [{path: cases.json}]\n")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.col, problem.code) == ("x.graph.yaml", 2, 19, "unreadable")
    assert words in problem.message


def test_an_empty_data_set_gives_no_scenario(tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_text('{"test_cases": []}', encoding="utf-8")
    with pytest.raises(SuiteError, match="the suite has no scenario"):
        in_folder(tmp_path, "datasets: [{path: cases.json}]")


# suites built in Python


def test_a_suite_built_in_python_is_made_ready() -> None:
    suite = Suite(
        target=GraphTarget(extraction=["a.json"]),
        defaults={"tags": ["x"]},
        scenarios=[Scenario(id="a", question="{q}", gold_answer="g", rows=[{"id": "1", "q": "Q"}])],
    )
    loaded = prepare_suite(suite, folder=Path("here"), name="mine")
    (item,) = loaded.scenarios
    assert (item.scenario.id, item.scenario.question, item.scenario.tags, item.line) == ("a-1", "Q", ["x"], 0)
    assert (loaded.key, loaded.target_folder, loaded.target_where) == ("mine", Path("here"), "mine")
    assert prepare_suite(loaded) is loaded
    other = target_from_text("other:ask", Path())
    assert prepare_suite(loaded, target=other).declared is other


def test_a_suite_built_in_python_follows_the_same_rules() -> None:
    suite = Suite(scenarios=[Scenario(id="a", question="Q"), Scenario(id="a", question="Q", gold_answer="g")])
    with pytest.raises(SuiteError) as caught:
        prepare_suite(suite)
    assert [(str(p).split(":")[0], p.code) for p in caught.value.problems] == [
        ("suite", "no_checks"),
        ("suite", "duplicate_id"),
    ]


def test_a_target_that_a_suite_names_is_looked_for_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "s.graph.yaml"
    path.write_text("target: mine\nscenarios: [{id: a, question: q, gold_answer: g}]\n", encoding="utf-8")
    beside = tmp_path / "targets.yaml"
    beside.write_text("mine: {call: 'a:b'}\n", encoding="utf-8")
    assert load_suite(path).target.call == "a:b"  # type: ignore[union-attr]  # a python target
    elsewhere = DeclaredTarget(load_targets(beside)["mine"].spec, tmp_path, "elsewhere:1")
    declared = load_suite(path, targets={"mine": elsewhere})
    assert declared.target_where == "elsewhere:1", "what is declared elsewhere wins"
    beside.write_text("mine: {cal: 'a:b'}\n", encoding="utf-8")
    with pytest.raises(SuiteError, match=r"targets\.yaml:1"):
        load_suite(path, targets={})


def test_scenarios_share_equal_sets_of_written_keys_and_a_copy_has_its_own() -> None:
    text = "target: {call: 'a:b'}\nscenarios:\n" + "".join(
        f"- {{id: s{i}, question: q, expect: {{names: [A, {{name: B, aliases: [C]}}]}}}}\n" for i in range(2)
    )
    one, other = (loaded.scenario for loaded in load_suite("s.graph.yaml", text=text).scenarios)
    assert one.model_fields_set is other.model_fields_set
    assert one.expect.model_fields_set is other.expect.model_fields_set
    assert [name.model_fields_set for name in one.expect.names or ()] == [{"name"}, {"name", "aliases"}]
    assert "tags" in one.model_copy(update={"tags": ["t"]}).model_fields_set
    assert other.model_fields_set == {"id", "question", "expect"}
