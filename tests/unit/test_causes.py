"""Why a scenario failed: the word and the phrase of each cause, and the failures whose cause cannot be told."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.evaluation.asking import Asked
from pytest_graph_eval.evaluation.evaluate import Context, score_scenario
from pytest_graph_eval.metrics.facts import NameIndex
from pytest_graph_eval.models.records import Record, Response
from pytest_graph_eval.models.scenario import Scenario

HELD = NameIndex([("WALMART INC", "COMPANY"), ("DOUG McMILLON", "PERSON"), ("NET SALES FY2023", "FINANCIAL_METRIC")])
EVIDENCE = {
    "entities": [{"name": "WALMART INC"}],
    "relationships": [],
    "chunks": [{"id": "d::c1", "content": "Doug McMillon is the CEO. Net sales were $605.9 billion in FY2023."}],
}
NOTHING: dict[str, Any] = {"entities": [], "relationships": [], "chunks": []}


def judged(expected: dict[str, Any], response: dict[str, Any], **context: NameIndex) -> Record:
    scenario = Scenario.model_validate({"id": "a", "question": "What does Walmart say?", **expected})
    asked = Asked(response=Response.model_validate(response), entities_found=len(response.get("entities", ())))
    return score_scenario(scenario, asked, Context(**context))


def cause(expected: dict[str, Any], response: dict[str, Any], **context: NameIndex) -> tuple[str | None, str]:
    record = judged(expected, response, **context)
    assert record.status in ("FAIL", "INCONCLUSIVE")
    return record.cause, record.explain.get("cause", "")


def checks(**kinds: Any) -> dict[str, Any]:
    return {"expect": kinds}


def said(answer: str) -> dict[str, Any]:
    return {**EVIDENCE, "answer": answer}


# what is expected, what came back, the word, the phrase
CASES = [
    (
        checks(forbidden=["KPMG"], numbers=["$605.9 billion"]), said("KPMG says $1.0 billion."),
        "contradicted", "it states KPMG, which it must not",
    ),
    (
        checks(entities=["SAM WALTON"]), EVIDENCE,
        "not_in_extraction", "the graph does not hold SAM WALTON: extract it, or ingest what holds it",
    ),
    (
        checks(relationships=[["WALMART INC", "FOUNDED_BY", "SAM WALTON"]]), EVIDENCE,
        "not_in_extraction", "the graph does not hold SAM WALTON: extract it, or ingest what holds it",
    ),
    (
        {"gold_answer": "Sam Walton", "source_entities": ["SAM WALTON", "WALMART INC"]}, NOTHING,
        "not_in_extraction", "the graph does not hold SAM WALTON: extract it, or ingest what holds it",
    ),
    (checks(names=["Doug McMillon"]), NOTHING, "no_evidence", "nothing was retrieved"),
    (
        checks(names=["Doug McMillon"]), {**NOTHING, "answer": "I can't say."},
        "no_evidence", "nothing was retrieved",
    ),
    (
        checks(numbers=["$605.9 billion"]), said("They were not $605.9 billion."),
        "denied_with_evidence", "the answer denies $605.9 billion",
    ),
    (
        checks(denial=False), said("I could not find any information about that."),
        "denied_with_evidence", "the answer denies what was retrieved",
    ),
    (
        checks(entities=["DOUG McMILLON"]), EVIDENCE,
        "not_retrieved", "DOUG McMILLON was not retrieved, though the graph holds it",
    ),
    (checks(chunks=["c9"]), EVIDENCE, "not_retrieved", "c9 was not retrieved"),
    (
        {"gold_answer": "$9.9 billion", "source_chunks": ["c9"]}, said("It was $605.9 billion."),
        "not_retrieved", "c9 was not retrieved",
    ),
    (
        checks(numbers=["$611.3 billion"]), said("They were $605.9 billion."),
        "wrong_value", "$605.9 billion is stated in place of $611.3 billion",
    ),
    (
        {"gold_answer": "$611.3 billion", "source_chunks": ["c1"]}, said("They were $605.9 billion."),
        "wrong_value", "$605.9 billion is stated in place of $611.3 billion",
    ),
    (
        checks(numbers=[{"value": "$611.3 billion", "near": "FY2023"}]), EVIDENCE,
        "wrong_value", "$605.9 billion is stated in place of $611.3 billion",
    ),
    (
        checks(dates=["2023-01-31"]), said("The year ended on 2022-01-31."),
        "wrong_value", "2022-01-31 is stated in place of 2023-01-31",
    ),
    (
        checks(numbers=["$605.9 billion"], names=["Doug McMillon"]), said("It sold a lot, says Doug McMillon."),
        "retrieved_not_stated", "the evidence states $605.9 billion, the answer does not",
    ),
    (
        {"gold_answer": "Doug McMillon", "source_chunks": ["c1"]}, said("It is somebody."),
        "retrieved_not_stated", "the evidence states Doug McMillon, the answer does not",
    ),
    (checks(names=["Judith McKenna"]), said("It is somebody."), "not_retrieved", "Judith McKenna was not retrieved"),
    # in mere evidence another figure is just there, too: it takes no place
    (checks(numbers=["$611.3 billion"]), EVIDENCE, "not_retrieved", "$611.3 billion was not retrieved"),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "response", "word", "phrase"), CASES)
def test_a_cause_is_a_word_and_a_phrase_that_names_what_it_is_about(
    expected: dict[str, Any], response: dict[str, Any], word: str, phrase: str
) -> None:
    assert cause(expected, response, names=HELD, held=HELD) == (word, phrase)


@pytest.mark.parametrize(
    ("expected", "response"),
    [
        (checks(names=["Doug McMillon"]), {"answer": "It is somebody."}),  # evidence is not mapped
        (checks(matches=["^Yes"]), {"answer": "No."}),
        ({"gold_answer": "Doug McMillon", "metrics": ["precision"]}, said("Doug McMillon")),  # only too much came back
    ],
)
def test_a_cause_that_cannot_be_told_is_not_guessed(expected: dict[str, Any], response: dict[str, Any]) -> None:
    assert cause(expected, response) == (None, "")


def test_without_a_catalog_nothing_is_said_to_be_missing_from_it() -> None:
    assert cause(checks(entities=["SAM WALTON"]), EVIDENCE) == ("not_retrieved", "SAM WALTON was not retrieved")


def test_what_the_catalog_holds_and_the_graph_does_not_is_told() -> None:
    catalog = HELD.extended([("SAM WALTON", "PERSON")])
    expected = checks(entities=["SAM WALTON"])
    lost = "the graph does not hold SAM WALTON: extract it, or ingest what holds it"
    assert cause(expected, EVIDENCE, names=catalog, held=HELD) == ("not_in_extraction", lost)
    assert cause(expected, EVIDENCE, names=catalog) == ("not_retrieved", "SAM WALTON was not retrieved")
    never = "the catalog does not hold SAM WALTON: extract it, or ingest what holds it"
    assert cause(expected, EVIDENCE, names=HELD) == ("not_in_extraction", never)


def test_what_was_retrieved_is_not_called_missing_whatever_the_catalog_says() -> None:
    expected = {"gold_answer": "$1.0 billion", "source_entities": ["WALMART INC"], "source_chunks": ["c1"]}
    assert cause(expected, said("They were $605.9 billion."), names=NameIndex([("OTHER", "")]))[0] == "wrong_value"


def test_a_scenario_that_passes_has_no_cause() -> None:
    record = judged(checks(names=["Doug McMillon"]), said("Doug McMillon is."))
    assert (record.status, record.cause, "cause" in record.explain) == ("PASS", None, False)
