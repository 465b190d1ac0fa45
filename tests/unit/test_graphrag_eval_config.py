"""graphrag-eval's configuration becomes the settings of a judge, and what is wrong with it is said at its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval import load_suite
from pytest_graph_eval.errors import SuiteError
from pytest_graph_eval.formats.graphrag_eval_config import read_config

MODEL = {"provider": "openai", "model": "m"}


def test_what_can_be_judged_follows_from_the_models_that_there_are() -> None:
    found, wrong, idle = read_config({"llm": {"generation": {**MODEL, "max_tokens": 9}, "embedding": MODEL}})
    assert (wrong, idle) == ([], [])
    assert found["kinds"] == ["claims", "retrieval", "relevance"]
    assert (found["model"], found["temperature"], found["json"]) == ("m", 0.0, {"max_tokens": 9})


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (None, "configuration is a mapping"),
        ([], "configuration is a mapping"),
        ({"llm": 1}, "expected a mapping"),
        ({"llm": {"generation": {"model": "m"}}}, "'provider' is missing"),
        ({"llm": {"generation": {**MODEL, "temperature": 3}}}, "expected a number from 0 to 2"),
        ({"llm": {"generation": {**MODEL, "max_tokens": 0}}}, "expected a number from 1"),
        ({"answer_correctness": {"enabled": True}}, "`answer_correctness` needs `llm.generation`"),
        ({"llm": {"generation": MODEL}, "answer_relevance": {"enabled": True}}, "needs `llm.embedding`"),
        ({"answer_correctness": {"enabled": "maybe"}}, "expected true or false"),
        ({"custom_evaluations": []}, "one evaluation or more"),
        ({"custom_evaluations": [{"name": "a"}]}, "the key 'inputs' is missing"),
        ({"llm": {"generation": MODEL}, "answer_correctness": {"prompt": "{question}"}}, "exactly the placeholders"),
    ],
)
def test_what_is_wrong_is_said(config: Any, message: str) -> None:
    _, wrong, _ = read_config(config)
    assert any(message in finding.message for finding in wrong), wrong


def suite(folder: Path, judge: str, gate: str = "{}") -> Path:
    path = folder / "s.graph.yaml"
    text = (
        f"target: {{call: 'm:f'}}\njudge: {judge}\ngate: {gate}\nscenarios: [{{id: a, question: Q, gold_answer: g}}]\n"
    )
    path.write_text(text, encoding="utf-8")
    return path


def test_a_suite_takes_over_the_configuration_and_its_own_keys_win(tmp_path: Path) -> None:
    (tmp_path / "llm.yaml").write_text("llm: {generation: {provider: p, model: big, temperature: 1}}\n")
    judge = load_suite(suite(tmp_path, "{url: 'http://h/v1', config: llm.yaml, temperature: 0}"), targets={}).judge
    assert judge is not None
    assert (judge.model, judge.temperature, judge.kinds) == ("big", 0, ["claims", "retrieval"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("llm: [", "llm.yaml:"),
        ("custom_evaluation: [a]\n", "llm.yaml:1:1: unknown key 'custom_evaluation'"),
        ("llm: {generation: {provider: p}}\n", "llm.yaml:1:19: llm.generation: the key 'model' is missing"),
        (None, "llm.yaml"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_an_error_of_the_suite(
    text: str | None, message: str, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / "llm.yaml").write_text(text)
    with pytest.raises(SuiteError) as e:
        load_suite(suite(tmp_path, "{url: 'http://h/v1', config: llm.yaml}"), targets={})
    assert message in str(e.value)


@pytest.mark.parametrize(
    ("judge", "gate", "message"),
    [
        ("{call: 'm:f'}", "{judge: {faithfulness: 4.0}}", ""),
        ("{call: 'm:f'}", "{judge: {faithfulness: 0.8}}", "found 0.8, expected a share or score between 1 and 5"),
        (
            "{call: 'm:f', kinds: claims}",
            "{judge: {answer_f1: 4}}",
            "found 4, expected a share or score between 0 and 1",
        ),
        ("{call: 'm:f'}", "{judge: {faithfullness: 4}}", "the judge gives no score 'faithfullness', did you mean"),
        ("null", "{judge: {faithfulness: 4}}", "the suite has no `judge:`"),
        ("{call: 'm:f', kinds: rubrik}", "{}", 'judge.kinds: found the text "rubrik"'),
    ],
)
def test_the_lines_of_the_gate_belong_to_scores_that_the_judge_gives(
    judge: str, gate: str, message: str, tmp_path: Path
) -> None:
    path = suite(tmp_path, judge, gate)
    if not message:
        assert load_suite(path, targets={}).gate.judge["faithfulness"] is not None
        return
    with pytest.raises(SuiteError) as e:
        load_suite(path, targets={})
    assert message in str(e.value)
