"""Figures of agreement against pandas and worked examples, and `graph-eval calibrate` on labels made with a server."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_graph_eval import cli
from pytest_graph_eval.metrics.judge.agreement import agreement, kappa, pearson, spearman
from pytest_graph_eval.models.judge_settings import RUBRIC
from pytest_graph_eval.models.records import Record
from tests.servers.chat_endpoint import ChatEndpoint
from tests.servers.judge_model import rubric

PAIRS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=40)


def correlation(one: list[float], other: list[float], method: str) -> float:
    return float(pandas.DataFrame({"a": one, "b": other}).corr(method=method).loc["a", "b"])  # type: ignore[arg-type]


@pytest.mark.parametrize(("ours", "method"), [(pearson, "pearson"), (spearman, "spearman")])
@given(pairs=PAIRS)
def test_correlations_are_those_of_pandas(ours: Callable[..., float | None], method: str, pairs: Any) -> None:
    one, other = ([float(v) for v in values] for values in zip(*pairs, strict=True))
    if len(set(one)) < 2 or len(set(other)) < 2:
        assert ours(one, other) is None
    else:
        assert ours(one, other) == pytest.approx(correlation(one, other, method), abs=1e-9)


def test_kappa_is_that_of_the_worked_example() -> None:
    # Cohen's kappa of the usual 2x2 example: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no.
    one, other = [1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert kappa(one, other) == pytest.approx(0.4)


def by_table(one: list[int], other: list[int], power: int) -> float:
    """Return kappa from the table of counts, as textbooks define it."""
    import numpy as np

    n, observed = len(one), np.zeros((6, 6))
    for a, b in zip(one, other, strict=True):
        observed[a, b] += 1 / n
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0))
    distance = abs(np.subtract.outer(np.arange(6), np.arange(6)))
    weights = distance**2 if power else (distance > 0)
    return float(1 - (weights * observed).sum() / (weights * expected).sum())


@given(PAIRS)
def test_kappa_is_that_of_the_table_of_counts(pairs: Any) -> None:
    one, other = (list(values) for values in zip(*pairs, strict=True))
    if len({*one, *other}) == 1:
        assert kappa(one, other) is None
    else:
        assert kappa(one, other) == pytest.approx(by_table(one, other, 0))
        assert kappa(one, other, weights="quadratic") == pytest.approx(by_table(one, other, 2))


def test_shares_are_compared_by_fifths_and_scores_by_whole_ones() -> None:
    assert agreement("answer_f1", [0.0, 1.0, 0.5], [0.1, 0.9, 0.7]).exact == pytest.approx(2 / 3)
    found = agreement("faithfulness", [4, 2, 3], [4.4, 3, 3.5])
    assert (found.exact, found.near, found.bias) == (pytest.approx(1 / 3), 1, pytest.approx(1.9 / 3))


def test_of_constant_raters_nothing_is_said() -> None:
    found = agreement("faithfulness", [5] * 40, [5] * 40)
    assert (found.exact, found.kappa, found.pearson) == (1, None, None)
    assert "kappa is not defined" in found.trusted(0.6, 30)
    assert agreement("faithfulness", [], []).exact is None


# --- the command --------------------------------------------------------------------------------------------------


def judged_by_server(humans: list[int], folder: Path) -> Path:
    """Have as many answers judged by a local endpoint that errs by a fixed rule; return the judged results file."""
    import os

    def reply(messages: list[dict[str, Any]]) -> str:
        number = int(json.loads(messages[1]["content"])["answer"].split()[1])
        score = humans[number]
        return rubric(min(5, score + 1) if number % 5 == 0 else max(1, score - 1) if number % 7 == 0 else score)

    endpoint = ChatEndpoint(reply)
    try:
        text = (
            f"target: {{call: 'm:f'}}\njudge: {{url: '{endpoint.url}', model: m, concurrency: 8}}\n"
            "scenarios: [{id: a, question: Q, gold_answer: g}]\n"
        )
        (folder / "s.graph.yaml").write_text(text, encoding="utf-8")
        records = [Record(id=f"s{n}", suite="s.graph.yaml", question="Q", answer=f"No {n}", status="PASS", index=n)
                   for n in range(len(humans))]  # fmt: skip
        path = folder / "evaluation_results_20260101T000000Z.jsonl"
        path.write_text("".join(record.to_line() + "\n" for record in records), encoding="utf-8")
        here = Path.cwd()
        os.chdir(folder)
        try:
            assert cli.main(["judge", str(path)]) == 0
        finally:
            os.chdir(here)
    finally:
        endpoint.close()
    return path


def test_calibrate_gives_the_figures_of_a_reference_library_on_60_judged_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = random.Random(7)
    humans = [draw.randint(1, 5) for _ in range(60)]
    results = judged_by_server(humans, tmp_path)
    assert "60 made" in capsys.readouterr().out
    labels = tmp_path / "labels.jsonl"
    lines = [json.dumps({"id": f"s{n}", "human": {"faithfulness": score}}) for n, score in enumerate(humans)]
    labels.write_text("\n".join(lines), encoding="utf-8")
    assert cli.main(["calibrate", str(labels), "--results", str(results)]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("faithfulness")).split()
    judge = [json.loads(line)["judge"]["scores"]["faithfulness"] for line in results.read_text().splitlines()]
    both = list(map(float, humans)), list(map(float, judge))
    whole = [int(score) for score in judge]
    expected = [
        sum(a == b for a, b in zip(humans, judge, strict=True)) / 60,
        1.0,
        by_table(humans, whole, 0),
        by_table(humans, whole, 2),
        correlation(*both, "pearson"),
        correlation(*both, "spearman"),
        sum(b - a for a, b in zip(*both, strict=True)) / 60,
    ]
    assert expected[2:4] == pytest.approx([0.7608695652173914, 0.9657249688408808]), "what scikit-learn 1.9.1 gives"
    assert row == ["faithfulness", "60", *(f"{value:.3f}" for value in expected)]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "no labels; expected JSON lines such as"),
        ("nonsense", "labels.jsonl:1:1: "),
        ('{"id": "a"}', "no `human` scores"),
        ('{"id": "a", "human": {"faithfulness": 4}}', "no judge's scores of 'a': give `judge`, or --results"),
        ('{"human": {"faithfulness": 9}, "judge": {"faithfulness": 4}}', "faithfulness: found 9, expected 1 to 5"),
        ('{"human": {"answer_f1": 0.5}, "judge": {}}', "answer_f1: no score is given"),
    ],
)
def test_labels_that_cannot_be_used_are_named_by_their_line(
    lines: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(lines, encoding="utf-8")
    assert cli.main(["calibrate", str(path)]) == 2
    assert message in capsys.readouterr().err


def test_labels_of_judgements_that_failed_are_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, labels = tmp_path / "evaluation_results_20260101T000000Z.jsonl", tmp_path / "labels.jsonl"
    judges: list[dict[str, Any]] = [{"scores": {"faithfulness": 4}}, {"scores": {}, "error": "no"}]
    records = [Record(id=f"s{n}", status="PASS", judge=judge) for n, judge in enumerate(judges)]
    results.write_text("".join(record.to_line() + "\n" for record in records))
    labels.write_text("\n".join(json.dumps({"id": f"s{n}", "human": {"faithfulness": 4}}) for n in range(2)))
    assert cli.main(["calibrate", str(labels), "--results", str(results)]) == 1
    out = capsys.readouterr().out
    assert "1 label without a judgement, which failed or was not made: left out" in out
    assert "labels: 1, at least 30 are needed" in out
    labels.write_text(json.dumps({"id": "s1", "human": {"faithfulness": 4}}))
    assert cli.main(["calibrate", str(labels), "--results", str(results)]) == 2
    assert "no label has a judge's score" in capsys.readouterr().err


def test_a_missing_file_of_labels_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["calibrate", str(tmp_path / "none.jsonl")]) == 2
    assert "the labels cannot be read (No such file or directory); expected JSON lines" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("judge", "options", "code", "message"),
    [
        (lambda n: n % 5 + 1, [], 0, "faithfulness: a gate may lean on the judge"),
        (lambda n: (n * 3) % 5 + 1, [], 1, "should not lean on the judge: weighted kappa"),
        (lambda n: n % 5 + 1, ["--least-labels", "99"], 1, "labels: 40, at least 99 are needed"),
        (lambda _: 3, [], 1, "weighted kappa 0.000 is below 0.6"),
    ],
)
def test_it_says_whether_a_gate_may_lean_on_the_judge(
    judge: Callable[[int], int], options: list[str], code: int, message: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path = tmp_path / "labels.jsonl"
    pairs = [{"human": {RUBRIC[0]: n % 5 + 1}, "judge": {RUBRIC[0]: judge(n)}} for n in range(40)]
    path.write_text("\n".join(map(json.dumps, pairs)), encoding="utf-8")
    assert cli.main(["calibrate", str(path), *options]) == code
    assert message in capsys.readouterr().out


def test_judge_says_where_there_is_nothing_to_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.graph.yaml").write_text("target: {call: 'm:f'}\nscenarios: [{id: a, question: Q, gold_answer: g}]\n")
    path = tmp_path / "evaluation_results_20260101T000000Z.jsonl"
    path.write_text(Record(id="a", suite="s.graph.yaml", status="PASS").to_line() + "\n")
    assert cli.main(["judge", str(path), "--rootdir", str(tmp_path)]) == 2
    assert "nothing to judge: no record with an answer is of a suite with a `judge:`" in capsys.readouterr().err
