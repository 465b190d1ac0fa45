"""Every vector of the kinds that the package has, one test each; the kinds still to come are listed, not skipped."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import GraphEvalError
from tests.vectors.adapter import run

HERE = Path(__file__).parent
KINDS = ("number", "percent", "date", "name", "denial", "set", "yaml", "gate", "steps", "sparql", "judge_json")
FUNCTIONS = ("checks", "question_date", "fingerprint", "merge")
CALLS = (
    "steps", "compare", "recall_at_k", "average_precision", "f1", "run", "aggregate", "answer_correctness", "custom",
    "config",
)  # fmt: skip
TO_COME = {
    "answers.json": set[str](),
    "facts.json": set[str](),
    "graphrag_eval.json": set[str](),
}
"""Kinds whose issue is not done yet."""

ABOUT = ("id", "what", "source", "expected", "expected_output", "right", "agree", "note", "disputed")
DISPUTED = ["agg-009", "agg-011", "cust-005"]
"""Cases that we hold to be wrong; the file says why."""


def cases(name: str) -> list[dict[str, Any]]:
    return json.loads((HERE / name).read_text(encoding="utf-8"))


ANSWERS, FACTS, GRAPHRAG = cases("answers.json"), cases("facts.json"), cases("graphrag_eval.json")
RUN = [c for c in ANSWERS if c["kind"] in KINDS]
RUN_FACTS = [c for c in FACTS if c["fn"] in FUNCTIONS]
RUN_GRAPHRAG = [c for c in GRAPHRAG if c["call"] in CALLS and "disputed" not in c]


def same(found: Any, right: Any) -> bool:
    if isinstance(found, bool) or isinstance(right, bool):
        return found is right
    if isinstance(found, int | float) and isinstance(right, int | float):
        return math.isclose(found, right, rel_tol=1e-6, abs_tol=1e-6)
    if isinstance(found, dict) and isinstance(right, dict):
        return agrees(found, right)
    if isinstance(found, list) and isinstance(right, list):
        return sorted(map(str, found)) == sorted(map(str, right))
    return bool(found == right)


def agrees(result: dict[str, Any], right: dict[str, Any]) -> bool:
    return all(key in result and same(result[key], value) for key, value in right.items())


@pytest.mark.parametrize("case", RUN, ids=[c["id"] for c in RUN])
def test_answers(case):
    result = run(case["kind"], case["inputs"])
    assert agrees(result, case["expected"]), (case["why"], result)


@pytest.mark.parametrize("case", RUN_FACTS, ids=[c["id"] for c in RUN_FACTS])
def test_facts(case):
    inputs, right = {k: v for k, v in case.items() if k not in ABOUT}, case.get("right", case["expected"])
    if "raises" in right:
        with pytest.raises(GraphEvalError):
            run("facts", inputs)
        return
    result = run("facts", inputs)
    assert agrees(result, right), (case["what"], case["note"], result)


@pytest.mark.parametrize("case", RUN_GRAPHRAG, ids=[f"{c['call']}-{c['id']}" for c in RUN_GRAPHRAG])
def test_graphrag_eval(case):
    inputs, right = {k: v for k, v in case.items() if k not in ABOUT}, case.get("right", case["expected_output"])
    if "raises" in right:
        with pytest.raises(GraphEvalError):
            run("graphrag_eval", inputs)
        return
    result = run("graphrag_eval", inputs)
    assert agrees(result, right), (case["what"], case["note"], result)


def test_no_vector_is_left_out_silently():
    assert {c["kind"] for c in ANSWERS} - set(KINDS) == TO_COME["answers.json"]
    assert {c["fn"] for c in FACTS} - set(FUNCTIONS) == TO_COME["facts.json"]
    assert {c["call"] for c in GRAPHRAG} - set(CALLS) == TO_COME["graphrag_eval.json"]
    assert [c["id"] for c in (*ANSWERS, *FACTS, *GRAPHRAG) if "disputed" in c] == DISPUTED


@pytest.mark.parametrize(("kind", "inputs"), [("poem", {}), ("graphrag_eval", {"call": "poem"})])
def test_a_kind_that_is_not_there_says_so(kind, inputs):
    with pytest.raises(ValueError, match="poem"):
        run(kind, inputs)
