"""Metrics, checks and targets of plugins: used like ours, and never a score or a pass where something is wrong."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from pytest_graph_eval import (
    Record,
    Response,
    Scenario,
    Score,
    Suite,
    SuiteError,
    UsageError,
    evaluate,
    extended,
    load_suite,
    save_suite,
)
from pytest_graph_eval.cli import main
from pytest_graph_eval.loader import load_targets, suite_schema
from pytest_graph_eval.models.extensions import OPEN, current, plugin, using
from pytest_graph_eval.models.scenario import fingerprint

EXAMPLE = Path(__file__).parents[2] / "example_suites/custom_metric"


def echo(greeting: str = "Hello", times: int = 1) -> Callable[[str], str]:
    """Greets and repeats the question."""
    return lambda question: " ".join([greeting, *[question] * times])


def most_words(expected: Annotated[int, Field(ge=1)], scenario: Scenario, response: Response) -> bool | str:
    """At most so many words."""
    words = len((response.answer or "").split())
    return words <= expected or f"{words} words, at most {expected} are expected"


def suite(**scenario: Any) -> dict[str, Any]:
    return {
        "target": {"kind": "echo", "greeting": "Dear"},
        "scenarios": [{"id": "a", "question": "What is it?", **scenario}],
    }


def run(data: Mapping[str, Any], **own: Any) -> Record:
    """Load a suite and evaluate it with what `own` adds."""
    with extended(target={"echo": echo}, **own):
        (record,) = evaluate(Suite.model_validate(data))
    return record


def refused(text: str, **own: Any) -> str:
    with extended(target={"echo": echo}, **own), pytest.raises(SuiteError) as caught:
        load_suite("s.graph.yaml", text=text)
    return str(caught.value)


def scored(value: Any) -> Record:
    """Return the record of a scenario for which the metric `own` returns a value, or raises it."""

    def own(scenario: Scenario, response: Response) -> Any:
        if isinstance(value, Exception):
            raise value
        return value

    return run(suite(expect={"contains": ["Dear"]}, metrics=["own"]), metrics={"own": own})


@pytest.mark.parametrize(("value", "score"), [(0.25, 0.25), (1, 1.0), (True, 1.0), (Score(value=0.5), 0.5)])
def test_a_metric_of_a_plugin_is_scored_and_makes_the_mean(value: Any, score: float) -> None:
    record = scored(value)
    assert (record.scores["own"], record.mean) == (score, score)
    assert record.status == ("PASS" if score >= 0.8 else "FAIL")


def test_a_metric_that_does_not_apply_is_unscored_with_its_reason() -> None:
    record = scored(Score(reason="no answer to look at"))
    assert (record.scores["own"], record.explain["own"], record.mean) == (None, "no answer to look at", None)


@pytest.mark.parametrize(
    "value",
    [1.01, -0.1, float("nan"), float("inf"), None, "0.5", [1], Score(), Score.model_construct(value=None, reason=" ")],
)
def test_what_is_no_score_is_an_error_and_never_a_score(value: Any) -> None:
    record = scored(value)
    assert record.status == "ERROR"
    assert set(record.scores.values()) == {None}
    assert "metric own (test_extensions.py:" in (record.error or "")
    assert "`Score(reason=...)` where there is none" in (record.error or "")


def test_what_a_plugin_says_is_kept_short_and_in_a_line_and_an_exit_is_none() -> None:
    long = run(suite(expect={"own": 1}), checks={"own": lambda e, s, r: "too\nlong " * 100_000})
    assert len(long.checks[0].message) < 600
    assert "\n" not in long.checks[0].message

    def leaves(*_: Any) -> bool:
        raise SystemExit(3)

    record = run(suite(expect={"own": 1}), checks={"own": lambda e, s, r: leaves()}, metrics={"m": leaves})
    assert record.status == "ERROR"
    assert (record.error or "").count("raised SystemExit: 3") == 2


def test_an_exception_in_a_metric_is_an_error_with_its_cause() -> None:
    record = scored(ZeroDivisionError("division\nby zero"))
    assert record.status == "ERROR"
    assert "raised ZeroDivisionError: division by zero at test_extensions.py:" in (record.error or "")


def test_a_metric_stands_in_metrics_scores_and_gate_and_its_line_counts() -> None:
    data = suite(expect={"scores": {"own": 0.6}}) | {"gate": {"metrics": {"own": 0.9}}}
    record = run(data, metrics={"own": lambda _, __: 0.5})
    assert (record.status, record.reason) == ("FAIL", "own 0.50 is below 0.6")


@pytest.mark.parametrize(("least", "status"), [(4, "PASS"), (3, "FAIL")])
def test_a_check_of_a_plugin_decides(least: int, status: str) -> None:
    record = run(suite(expect={"most_words": least}), checks={"most_words": most_words})
    assert record.status == status
    (check,) = record.checks
    assert (check.kind, check.expected) == ("most_words", least)
    if status == "FAIL":
        assert check.message == "most_words: 4 words, at most 3 are expected"


@pytest.mark.parametrize("found", [None, 1, "", " ", [], 0.0])
def test_a_check_that_says_neither_true_nor_what_is_wrong_is_an_error(found: Any) -> None:
    record = run(suite(expect={"own": 1}), checks={"own": lambda e, s, r: found, "idle": most_words})
    assert record.status == "ERROR", "a forgotten return is no pass"
    assert "True is expected, or a text that says what is wrong" in (record.error or "")


def test_false_is_a_failure_and_an_exception_an_error() -> None:
    def broken(expected: str, scenario: Scenario, response: Response) -> bool:
        raise KeyError(expected)

    failed = run(suite(expect={"own": {"a": 1}}), checks={"own": lambda e, s, r: False})
    errored = run(suite(expect={"own": "x"}), checks={"own": broken})
    assert (failed.status, errored.status) == ("FAIL", "ERROR")
    assert "own: the check (test_extensions.py:" in (errored.error or "")
    assert "raised KeyError: 'x'" in (errored.error or "")


def test_values_are_validated_with_their_line() -> None:
    text = """target: {kind: echo}
defaults: {expect: {most_words: 5}}
scenarios:
  - {id: a, question: q, expect: {most_words: many}}
  - {id: b, question: q, expect: {most_wrds: 5}, metrics: [onw]}
"""
    said = refused(text, checks={"most_words": most_words}, metrics={"own": lambda *_: 1})
    assert (
        "s.graph.yaml:4:47: scenario 'a': expect.most_words: found the text \"many\", expected a whole number" in said
    )
    assert "s.graph.yaml:5:35: scenario 'b': expect: unknown key 'most_wrds', did you mean 'most_words'?" in said
    assert "unknown metric 'onw', did you mean 'own'?" in said


def test_settings_of_a_target_are_validated_with_their_line(tmp_path: Path) -> None:
    text = (
        "target: {kind: echo, greting: Hi, times: few, timeout: 3}\nscenarios: [{id: a, question: q, gold_answer: g}]\n"
    )
    said = refused(text)
    assert "s.graph.yaml:1:22: target: unknown key 'greting', did you mean 'greeting'?" in said
    assert 's.graph.yaml:1:42: target.times: found the text "few", expected a whole number' in said
    (tmp_path / "t.yaml").write_text("mine: {kind: echo, times: few}\n", encoding="utf-8")
    with (
        extended(target={"echo": echo}),
        pytest.raises(SuiteError, match=r"t\.yaml:1:27: mine\.times: found the text .few., expected a whole"),
    ):
        load_targets(tmp_path / "t.yaml")
    assert "unknown kind 'ehco', did you mean 'echo'? Kinds: graph, mcp, http, python, replay, echo" in refused(
        text.replace("echo", "ehco")
    )


def test_settings_are_read_from_the_environment_and_the_target_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Client:
        closed: list[str] = []

        def __init__(self, token: str, port: int) -> None:
            self.token, self.port = token, port

        async def __call__(self, question: str) -> str:
            return f"{question} {self.token} {self.port}"

        async def close(self) -> None:
            self.closed.append(self.token)

    monkeypatch.setenv("ECHO_TOKEN", "secret-token")
    data = suite(expect={"contains": ["7687"]}) | {"target": {"kind": "db", "token": "${ECHO_TOKEN}", "port": 7687}}
    with extended(target={"db": Client}):
        (record,) = evaluate(Suite.model_validate(data))
    assert record.status == "PASS", record
    assert "secret-token" not in record.to_line()
    assert Client.closed == ["secret-token"]
    monkeypatch.delenv("ECHO_TOKEN")
    with extended(target={"db": Client}):
        (record,) = evaluate(Suite.model_validate(data))
    assert "the environment variable ECHO_TOKEN is not set" in (record.error or "")


def test_a_factory_that_fails_ends_its_scenarios_with_the_cause() -> None:
    def down(url: str) -> None:
        raise ConnectionError(f"nobody at {url}")

    data = suite(gold_answer="g") | {"target": {"kind": "down", "url": "bolt://x"}}
    with extended(target={"down": down}):
        (record,) = evaluate(Suite.model_validate(data))
    assert "down: the factory raised ConnectionError: nobody at bolt://x" in (record.error or "")


def test_names_of_ours_and_of_others_are_refused() -> None:
    text = "target: {kind: echo}\nscenarios: [{id: a, question: q, gold_answer: g}]\n"
    clashes: list[tuple[dict[str, Any], str]] = [
        ({"metrics": {"precision": most_words}}, "the metric 'precision' has the name of one of ours; rename it"),
        ({"metrics": {"nDCG@5": most_words}}, "the metric 'nDCG@5' has a name that is no word"),
        ({"metrics": {"mean": most_words}}, "the metric 'mean' has the name of one of ours"),
        ({"checks": {"numbers": most_words}}, "the check 'numbers' has the name of one of ours"),
        ({"checks": {"in": most_words}}, "the check 'in' has the name of one of ours"),
        ({"checks": {"none": lambda: True}}, "the check 'none' cannot be used"),
    ]
    for own, message in clashes:
        assert message in refused(text, **own)
    with extended(target={"mcp": echo}):
        assert "the kind of target 'mcp' has the name of one of ours" in refused(text)
    with extended(metrics={"own": lambda *_: 1}):
        assert "the metric 'own' is added at test_extensions.py:" in refused(text, metrics={"own": lambda *_: 0})
    with pytest.raises(UsageError, match=r"pytest_graph_eval_metrics: 'own': 5 is returned, expected a name and"):
        extended(metrics={"own": 5}).__enter__()  # type: ignore[dict-item]  # that is the error


def test_an_export_says_which_checks_it_leaves_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, output = str(EXAMPLE / "custom_metric.graph.yaml"), str(tmp_path / "x.json")
    arguments = ["-p", str(EXAMPLE / "conftest.py"), "export", data, "--format", "tdfs4ds", "-o", output]
    assert main(arguments) == 0
    assert "cites" in capsys.readouterr().err


def test_what_is_added_ends_with_the_block() -> None:
    with extended(metrics={"own": lambda *_: 1}):
        assert current().knows("metrics", "own")
    assert not current().knows("metrics", "own")


def test_a_suite_keeps_the_keys_of_plugins_when_it_is_saved_and_fingerprinted(tmp_path: Path) -> None:
    data = suite(expect={"most_words": 5, "contains": ["Dear"]})
    with extended(target={"echo": echo}, checks={"most_words": most_words}):
        built = Suite.model_validate(data)
        save_suite(built, tmp_path / "s.graph.yaml")
        text = (tmp_path / "s.graph.yaml").read_text(encoding="utf-8")
        assert "most_words: 5" in text
        assert "added" not in text
        assert load_suite(tmp_path / "s.graph.yaml").suite == built
    with using(OPEN):  # as where the plugin is not installed
        assert fingerprint(load_suite(tmp_path / "s.graph.yaml").scenarios[0].scenario) == fingerprint(
            built.scenarios[0]
        )


def test_a_target_whose_plugin_is_absent_says_so() -> None:
    with using(OPEN):
        (record,) = evaluate(Suite.model_validate(suite(gold_answer="g")))
    assert "no plugin that is here has this kind of target; install it" in (record.error or "")


def test_the_schema_has_what_plugins_add() -> None:
    with extended(target={"echo": echo}, checks={"most_words": most_words}):
        found = suite_schema()["$defs"]
    assert found["Expect"]["properties"]["most_words"] == {
        "description": "At most so many words.", "minimum": 1, "type": "integer",
    }  # fmt: skip
    assert found["EchoTarget"]["properties"]["greeting"]["default"] == "Hello"
    assert "added" not in str(suite_schema())
    assert "CustomTarget" not in str(suite_schema())


def test_commands_take_a_conftest_as_a_plugin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert main(["-p", str(EXAMPLE / "conftest.py"), "validate", str(EXAMPLE)]) == 0
    assert main(["validate", str(EXAMPLE)]) == 2
    assert main(["-p", "no.such.module", "validate", str(EXAMPLE)]) == 2
    assert main(["-p", "json", "validate", str(EXAMPLE)]) == 2
    said = capsys.readouterr().err
    assert "the plugin 'no.such.module' cannot be loaded: ModuleNotFoundError" in said
    assert "the plugin 'json' has none of pytest_graph_eval_metrics()" in said
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_metrics.py").write_text("def pytest_graph_eval_metrics(): return {}\n", encoding="utf-8")
    assert plugin("own_metrics").pytest_graph_eval_metrics() == {}


def test_a_hook_that_returns_no_mapping_or_raises_is_said() -> None:
    for hook, message in ((list, r"returned \[\]; a mapping of names"), (lambda: 1 / 0, "raised ZeroDivisionError")):
        with pytest.raises(UsageError, match=message):
            extended(types.SimpleNamespace(pytest_graph_eval_checks=hook)).__enter__()
