"""Every vector of the kinds that the package has, one test each; the kinds still to come are listed, not skipped."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.vectors.adapter import run

HERE = Path(__file__).parent
KINDS = ("number", "percent", "date", "name", "denial", "set", "yaml", "gate")
FUNCTIONS = ("checks", "question_date")
TO_COME = {
    "answers.json": {"sparql", "steps", "judge_json"},
    "facts.json": {"fingerprint", "merge"},
    "graphrag_eval.json": {"all of it"},
}
"""Kinds whose issue is not done yet."""

ABOUT = ("id", "what", "source", "expected", "right", "agree", "note")


def cases(name: str) -> list[dict[str, Any]]:
    return json.loads((HERE / name).read_text(encoding="utf-8"))


ANSWERS, FACTS = cases("answers.json"), cases("facts.json")
RUN = [c for c in ANSWERS if c["kind"] in KINDS]
RUN_FACTS = [c for c in FACTS if c["fn"] in FUNCTIONS]


def same(found: Any, right: Any) -> bool:
    if isinstance(found, bool) or isinstance(right, bool):
        return found is right
    if isinstance(found, int | float) and isinstance(right, int | float):
        return math.isclose(found, right, rel_tol=1e-6, abs_tol=1e-6)
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
    result = run("facts", {key: value for key, value in case.items() if key not in ABOUT})
    assert agrees(result, case.get("right", case["expected"])), (case["what"], case["note"], result)


def test_no_vector_is_left_out_silently():
    assert {c["kind"] for c in ANSWERS} - set(KINDS) == TO_COME["answers.json"]
    assert {c["fn"] for c in FACTS} - set(FUNCTIONS) == TO_COME["facts.json"]
    assert [c["id"] for c in (*ANSWERS, *FACTS) if "disputed" in c] == []


@pytest.mark.parametrize("kind", sorted(TO_COME["answers.json"] | {"graphrag_eval"}))
def test_a_kind_that_is_not_there_yet_says_so(kind):
    with pytest.raises(NotImplementedError, match=kind):
        run(kind, {})
