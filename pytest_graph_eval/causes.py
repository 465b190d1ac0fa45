"""Why a scenario failed, in one word, where the record can tell."""

from __future__ import annotations

from pytest_graph_eval.metrics.facts import NameIndex, Text
from pytest_graph_eval.records import Check, Record
from pytest_graph_eval.scenario import Scenario

__all__ = ["cause_of"]

_VIOLATIONS = ("forbidden", "excludes")
_WRONG = ("out_of_tolerance", "currency_mismatch", "sign_mismatch", "unit_mismatch", "wrong_date", "wrong_value")


def cause_of(
    record: Record, scenario: Scenario, answer: Text | None, evidence: Text | None, catalog: NameIndex | None
) -> str | None:
    """Return the cause of a record that did not pass, or None where it cannot be told.

    The order is that of the pipeline: what the graph never held could not be retrieved, what was not retrieved
    could not be stated.
    """
    failed = [c for c in record.checks if c.outcome == "fail"]
    if any(c.kind in _VIOLATIONS for c in failed):
        return "contradicted"
    if _missing_from_catalog(scenario, catalog):
        return "not_in_extraction"
    if not any(record.retrieved.values()) and record.retrieved:
        return "no_evidence"
    if any(c.kind == "denial" for c in failed) and scenario.expect.denial is not True:
        return "denied_with_evidence"
    if any(c.kind in ("entities", "relationships", "chunks") for c in failed):
        return "not_retrieved"
    if any(c.rule in _WRONG and c.found is not None for c in failed):
        return "wrong_value"
    if _source_missed(record, scenario):
        return "not_retrieved"
    if answer is not None and evidence is not None and evidence.plain and _is_about_text(record, failed):
        return "retrieved_not_stated"
    return None


def _missing_from_catalog(scenario: Scenario, catalog: NameIndex | None) -> bool:
    return catalog is not None and any(not catalog.knows(name) for name in scenario.source_entities)


def _source_missed(record: Record, scenario: Scenario) -> bool:
    """Tell whether nothing of the scenario's sources was retrieved."""
    relevancy = record.scores.get("context_relevancy")
    if scenario.source_chunks and relevancy is not None:
        return relevancy < 1.0
    recall = record.scores.get("entity_recall")
    return recall is not None and recall < 1.0


def _is_about_text(record: Record, failed: list[Check]) -> bool:
    correctness = record.scores.get("answer_correctness")
    return bool(failed) or (correctness is not None and correctness < 1.0)
