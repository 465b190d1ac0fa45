"""`graph-eval calibrate`: compares a judge's scores with those of people, and says whether a gate may lean on it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from pytest_graph_eval.commands.console import paper, say
from pytest_graph_eval.commands.records import RecordStream, find_results
from pytest_graph_eval.errors import DataError, Problem
from pytest_graph_eval.files import why_unreadable
from pytest_graph_eval.metrics.judge.agreement import Agreement, agreement
from pytest_graph_eval.metrics.judge.parsing import read_score
from pytest_graph_eval.metrics.judge.rubric import SCALE
from pytest_graph_eval.models.judge_settings import RUBRIC
from pytest_graph_eval.texts import many

Pair = tuple[str, float, float]
"""Metric, the label of a person, the score of the judge."""
_FORM = '{"id": "TC001", "human": {"faithfulness": 4}, "judge": {"faithfulness": 5}}'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("labels", metavar="LABELS", type=Path, help=f"JSON lines: {_FORM.replace('%', '%%')}")
    parser.add_argument(
        "--results", metavar="RESULTS", nargs="+", default=[], type=Path,
        help="judged results files, or folders, for lines without `judge`",
    )  # fmt: skip
    parser.add_argument("--least-kappa", metavar="X", type=float, default=0.6, help="default: %(default)s")
    parser.add_argument("--least-labels", metavar="N", type=int, default=30, help="default: %(default)s")


def run(args: argparse.Namespace) -> int:
    """Print the figures of each metric.

    Returns:
        0 where a gate may lean on the judge for every metric that has labels, else 1.
    """
    pairs, left_out = _pairs(args.labels, _scores(args.results))
    metrics = dict.fromkeys(metric for metric, _, _ in pairs)
    found = []
    for metric in metrics:
        of_metric = [(human, judge) for name, human, judge in pairs if name == metric]
        found.append(agreement(metric, [human for human, _ in of_metric], [judge for _, judge in of_metric]))
    head = ("Score", "n", "Exact", "Near", "Kappa", "Weighted", "Pearson", "Spearman", "Bias")
    say(paper().table([head, *map(_row, found)], align="lrrrrrrrr"))
    if left_out:
        say([f"{many(left_out, 'label')} without a judgement, which failed or was not made: left out"])
    reasons = {one.metric: one.trusted(args.least_kappa, args.least_labels) for one in found}
    for metric, why in reasons.items():
        say([f"{metric}: a gate {f'should not lean on the judge: {why}' if why else 'may lean on the judge'}"])
    return 1 if any(reasons.values()) else 0


def _row(one: Agreement) -> tuple[str, ...]:
    figures = (one.exact, one.near, one.kappa, one.weighted_kappa, one.pearson, one.spearman, one.bias)
    return (one.metric, str(one.n), *("-" if value is None else f"{value:.3f}" for value in figures))


def _scores(results: list[Path]) -> dict[str, dict[str, Any] | None]:
    """Return the judge's scores by the id of the scenario, with and without its suite; None where it is not unique."""
    found: dict[str, dict[str, Any] | None] = {}
    for record in RecordStream(find_results(results)) if results else ():
        scores = record.judge.get("scores") or {}
        found[record.id] = None if record.id in found else scores
        found[f"{record.suite}::{record.id}"] = scores
    return found


def _pairs(path: Path, known: dict[str, dict[str, Any] | None]) -> tuple[list[Pair], int]:
    """Return every label with the judge's score of the same answer and metric, and how many have none."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as e:
        raise DataError(
            f"{path}: the labels cannot be read ({why_unreadable(e)}); expected JSON lines such as {_FORM}"
        ) from None
    pairs: list[Pair] = []
    problems: list[Problem] = []
    left_out = 0
    for number, line in enumerate(lines, 1):
        try:
            found, missing = _line(line, known) if line.strip() else ([], 0)
        except ValueError as e:
            problems.append(Problem(str(path), number, 1, str(e)))
        else:
            pairs += found
            left_out += missing
    if problems or not pairs:
        what = "no label has a judge's score" if left_out else "no labels"
        raise DataError("" if problems else f"{path}: {what}; expected JSON lines such as {_FORM}", problems=problems)
    return pairs, left_out


def _line(line: str, known: dict[str, dict[str, Any] | None]) -> tuple[list[Pair], int]:
    data = json.loads(line)
    human = data.get("human") if isinstance(data, dict) else None
    if not isinstance(human, dict) or not human:
        raise ValueError(f"no `human` scores; expected a line such as {_FORM}")
    judge = data.get("judge", known.get(str(data.get("id"))))
    if not isinstance(judge, dict):
        raise ValueError(f"no judge's scores of {data.get('id')!r}: give `judge`, or --results with one such scenario")
    there = {metric: value for metric, value in human.items() if "judge" in data or metric in judge}
    found = [(metric, _number(metric, value), _number(metric, judge.get(metric))) for metric, value in there.items()]
    return found, len(human) - len(there)


def _number(metric: str, value: Any) -> float:
    return read_score(value, SCALE if metric in RUBRIC else (0.0, 1.0), metric)
