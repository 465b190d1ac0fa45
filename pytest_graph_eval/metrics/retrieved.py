"""Checks on what was retrieved: expected entities, chunks and relationships, and `no_evidence`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_graph_eval.metrics.facts.names import entity_key
from pytest_graph_eval.metrics.retrieval import is_relationship, same_id, triple
from pytest_graph_eval.models.expect import Expect, RelationshipCheck
from pytest_graph_eval.models.records import Check, Response
from pytest_graph_eval.texts import listed


def retrieval_checks(expect: Expect, response: Response) -> list[Check]:
    """Return one check per expected entity, chunk and relationship, and one for `no_evidence`."""
    checks = [_presence("entities", name, _entity_names(response), _is_entity) for name in expect.entities or ()]
    checks += [_presence("chunks", id_, _chunk_ids(response), same_id) for id_ in expect.chunks or ()]
    checks += [_relationship_check(gold, response) for gold in expect.relationships or ()]
    if expect.no_evidence is not None:
        checks.append(_evidence_check(response, expected=not expect.no_evidence))
    return checks


def _entity_names(response: Response) -> list[str] | None:
    return None if response.entities is None else [e.name for e in response.entities]


def _chunk_ids(response: Response) -> list[str] | None:
    return None if response.chunks is None else [c.id for c in response.chunks]


def _is_entity(gold: str, found: str) -> bool:
    return entity_key(gold) == entity_key(found)


def _not_mapped(kind: str, expected: Any) -> Check:
    message = f"{kind}: {expected} expected, but the target maps no {kind}; map them in `response:`"
    return Check(kind=kind, outcome="error", expected=expected, message=message, rule="not_mapped")


def _presence(kind: str, gold: str, found: list[str] | None, same: Callable[[str, str], bool]) -> Check:
    if found is None:
        return _not_mapped(kind, gold)
    hit = next((name for name in found if same(gold, name)), None)
    if hit is not None:
        return Check(
            kind=kind, outcome="pass", expected=gold, found=hit, rule="retrieved", message=f"{kind}: {gold} retrieved"
        )
    message = f"{kind}: {gold} was not retrieved; retrieved: {listed(found, 5) or 'nothing'}"
    return Check(kind=kind, outcome="fail", expected=gold, message=message, rule="not_retrieved")


def _relationship_check(gold: RelationshipCheck, response: Response) -> Check:
    kind, expected = "relationships", triple(gold)
    if response.relationships is None:
        return _not_mapped(kind, expected)
    found = [f"{r.source} -{r.type}-> {r.target}" for r in response.relationships]
    for edge, text in zip(response.relationships, found, strict=True):
        if is_relationship(gold, edge):
            message = f"{kind}: {expected} retrieved as {text}"
            return Check(kind=kind, outcome="pass", expected=expected, found=text, message=message, rule="retrieved")
    ends = {entity_key(gold.source), entity_key(gold.target)}
    near = [
        text
        for edge, text in zip(response.relationships, found, strict=True)
        if ends & {entity_key(edge.source), entity_key(edge.target)}
    ]
    message = f"{kind}: {expected} was not retrieved; nearest: {listed(near, 3) or listed(found, 3) or 'nothing'}"
    return Check(
        kind=kind,
        outcome="fail",
        expected=expected,
        found=near[0] if near else None,
        message=message,
        rule="not_retrieved",
    )


def _evidence_check(response: Response, *, expected: bool) -> Check:
    if response.entities is None and response.relationships is None and response.chunks is None:
        return _not_mapped("no_evidence", not expected)
    lists = {"entities": response.entities, "relationships": response.relationships, "chunks": response.chunks}
    counts = {name: len(items) for name, items in lists.items() if items}
    found = ", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing"
    message = f"no_evidence: {'something' if expected else 'nothing'} should be retrieved; retrieved: {found}"
    outcome = "pass" if bool(counts) is expected else "fail"
    return Check(
        kind="no_evidence", outcome=outcome, expected=not expected, found=counts, message=message, rule="lists"
    )
