"""Checks on what was retrieved: one outcome per expected item, with what came back instead."""

from __future__ import annotations

from pytest_graph_eval.metrics.retrieved import retrieval_checks
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.records import Check, Response

REPLY = Response.model_validate(
    {
        "entities": [{"name": '"WALMART INC"'}, {"name": "Ohio"}],
        "chunks": [{"id": "doc::c1"}],
        "relationships": [{"source": "Walmart Inc", "target": "Doug McMillon", "type": "EMPLOYS,LED_BY"}],
    }
)


def run(**keys: object) -> list[Check]:
    return retrieval_checks(Expect.model_validate(keys), REPLY)


def outcomes(checks: list[Check]) -> list[str]:
    return [c.outcome for c in checks]


def test_entities_are_compared_whatever_their_case_and_quotes():
    checks = run(entities=["Walmart Inc", "Texas"])
    assert outcomes(checks) == ["pass", "fail"]
    assert checks[1].message == 'entities: Texas was not retrieved; retrieved: "WALMART INC", Ohio'
    assert checks[1].rule == "not_retrieved"


def test_a_bare_chunk_id_finds_the_one_with_its_document():
    assert outcomes(run(chunks=["c1", "c2"])) == ["pass", "fail"]


def test_relationships_are_direction_blind_unless_directed():
    backwards = {"source": "Doug McMillon", "type": "led by", "target": "WALMART INC"}
    assert outcomes(run(relationships=[backwards, {**backwards, "directed": True}])) == ["pass", "fail"]


def test_a_relationship_of_another_type_is_named_as_the_nearest():
    (check,) = run(relationships=[["Walmart Inc", "ACQUIRED", "Doug McMillon"]])
    assert check.outcome == "fail"
    assert "nearest: Walmart Inc -EMPLOYS,LED_BY-> Doug McMillon" in check.message


def test_a_relationship_without_a_type_takes_any():
    assert outcomes(run(relationships=[["Walmart Inc", "", "Doug McMillon"]])) == ["pass"]


def test_no_evidence_counts_what_came_back():
    (check,) = run(no_evidence=True)
    assert check.outcome == "fail"
    assert check.message == (
        "no_evidence: nothing should be retrieved; retrieved: 2 entities, 1 relationships, 1 chunks"
    )
    assert outcomes(run(no_evidence=False)) == ["pass"]
    empty = Response(entities=[], chunks=[])
    assert outcomes(retrieval_checks(Expect(no_evidence=True), empty)) == ["pass"]


def test_what_the_target_does_not_map_is_an_error_and_not_a_failure():
    expect = Expect.model_validate(
        {"entities": ["A"], "chunks": ["c"], "relationships": [["A", "", "B"]], "no_evidence": True}
    )
    checks = retrieval_checks(expect, Response(answer="x"))
    assert outcomes(checks) == ["error"] * 4
    assert checks[0].message == "entities: A expected, but the target maps no entities; map them in `response:`"
