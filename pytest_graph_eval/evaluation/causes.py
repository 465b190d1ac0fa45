"""Why a scenario did not pass, in one word and one phrase, where the record can tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pytest_graph_eval.metrics.facts import NameIndex, Text, key_facts, normalise, run_checks
from pytest_graph_eval.metrics.facts.names import entity_key
from pytest_graph_eval.metrics.retrieval import same_id
from pytest_graph_eval.models.expect import ANSWER_CHECKS, Expect
from pytest_graph_eval.models.records import Check, Record
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.texts import listed

_VIOLATIONS = ("forbidden", "excludes")
_DENIALS = ("denied", "negated")
_WRONG = (
    "out_of_tolerance", "anchor_mismatch", "currency_mismatch", "sign_mismatch", "unit_mismatch", "class_mismatch",
    "wrong_date", "other_instant", "past_date",
)  # fmt: skip


class Cause(NamedTuple):
    """The cause in one word, for machines, and in one phrase that names what it is about."""

    word: str
    phrase: str


def cause_of(
    record: Record,
    scenario: Scenario,
    answer: Text | None,
    evidence: Text | None,
    *,
    catalog: NameIndex | None = None,
    graph: NameIndex | None = None,
) -> Cause | None:
    """Return the cause of a record that did not pass, or None where it cannot be told.

    The order is that of the pipeline: what the graph never held could not be retrieved, what was not retrieved
    could not be stated.

    Args:
        record: the record, with checks and scores.
        scenario: what was asked and expected.
        answer: the answer, None where the target gave none.
        evidence: all that was retrieved, None where the target maps nothing of it.
        catalog: the names that the graph should hold, where that is known.
        graph: the names that the graph does hold, where that is known.
    """
    case = _Case(record, scenario, answer, evidence, catalog, graph)
    return next((cause for look in _ORDER if (cause := look(case)) is not None), None)


@dataclass(frozen=True)
class _Case:
    """One record that did not pass, and what its cause is read from."""

    record: Record
    scenario: Scenario
    answer: Text | None
    evidence: Text | None
    catalog: NameIndex | None
    graph: NameIndex | None

    @cached_property
    def failed(self) -> list[Check]:
        """The checks that failed."""
        return [c for c in self.record.checks if c.outcome == "fail"]

    @cached_property
    def facts(self) -> Expect:
        """What the answer was to state: the scenario's own checks where one failed, else the gold answer's facts."""
        if any(c.kind in ANSWER_CHECKS for c in self.failed):
            own = {k: v for k in ANSWER_CHECKS if (v := getattr(self.scenario.expect, k)) is not None}
            return Expect.model_construct(_fields_set=set(own), **own)
        correctness = self.record.scores.get("answer_correctness")
        gold = self.scenario.gold_answer
        return _facts_of(gold, self.scenario.question, self.catalog) if gold and (correctness or 0) < 1 else Expect()

    @cached_property
    def unstated(self) -> list[Check]:
        """The facts that are not stated where they were looked for."""
        return [c for c in self.look_in(self.answer, self.evidence) if c.outcome == "fail"]

    def look_in(self, answer: Text | None, evidence: Text | None) -> list[Check]:
        """Look for the facts in a text."""
        question = self.scenario.question
        return run_checks(self.facts, answer=answer, evidence=evidence, catalog=self.catalog, question=question)

    @cached_property
    def missed(self) -> list[str]:
        """The expected entities, ends of relationships included, that were not retrieved."""
        expect = self.scenario.expect
        wanted = [*self.scenario.source_entities, *(expect.entities or ())]
        wanted += [end for r in expect.relationships or () for end in (r.source, r.target)]
        found = {entity_key(name) for name in self.record.retrieved.get("entities", ())}
        return list(dict.fromkeys(name for name in wanted if entity_key(name) not in found))

    @cached_property
    def missed_chunks(self) -> list[str]:
        """The source chunks, where none of them was retrieved."""
        found = self.record.retrieved.get("chunks")
        wanted = self.scenario.source_chunks
        return [] if found is None or any(same_id(w, f) for w in wanted for f in found) else list(wanted)


def _facts_of(gold: str, question: str, catalog: NameIndex | None) -> Expect:
    """Return the checks that a gold answer amounts to."""
    facts = key_facts(normalise(gold), catalog, ignore=question)
    kinds = {key: [f.text for f in facts if f.kind == key[:-1]] for key in ("numbers", "dates", "names")}
    return Expect.model_validate({k: v for k, v in kinds.items() if v} or {"contains": [gold]})


def _contradicted(case: _Case) -> Cause | None:
    said = [str(c.expected) for c in case.failed if c.kind in _VIOLATIONS]
    return Cause("contradicted", f"it states {listed(said, 5)}, which it must not") if said else None


def _never_held(case: _Case) -> Cause | None:
    for where, names in (("the graph", case.graph), ("the catalog", case.catalog)):
        lost = [name for name in case.missed if names is not None and not names.knows(name)]
        if lost:
            return Cause(
                "not_in_extraction", f"{where} does not hold {listed(lost, 5)}: extract it, or ingest what holds it"
            )
    return None


def _nothing_came(case: _Case) -> Cause | None:
    retrieved = case.record.retrieved
    unmapped = not retrieved and case.record.status != "INCONCLUSIVE"
    if unmapped or any(retrieved.values()) or case.scenario.expect.no_evidence:
        return None
    return Cause("no_evidence", "nothing was retrieved")


def _denied(case: _Case) -> Cause | None:
    denied = [c for c in case.failed if c.rule in _DENIALS]
    if not denied or case.scenario.expect.denial is True:
        return None
    what = "what was retrieved" if denied[0].kind == "denial" else str(denied[0].expected)
    return Cause("denied_with_evidence", f"the answer denies {what}")


def _not_found(case: _Case) -> Cause | None:
    missed = [str(c.expected) for c in case.failed if c.rule == "not_retrieved"]
    return _not_retrieved(case, missed) if missed else None


def _not_retrieved(case: _Case, missed: Sequence[str]) -> Cause:
    held = case.graph is not None and bool(case.missed) and all(case.graph.knows(name) for name in case.missed)
    though = ", though the graph holds it" if held and len(missed) == 1 else ""
    return Cause("not_retrieved", f"{listed(missed, 5)} {'was' if len(missed) == 1 else 'were'} not retrieved{though}")


def _wrong(case: _Case) -> Cause | None:
    """Find another value in the place of an expected one.

    In mere evidence only a figure that stands by the name asked for is in its place; others just stand there, too.
    """
    wrong = [c for c in case.unstated if c.rule in _WRONG and c.found is not None]
    if case.answer is None:
        anchored = {n.value for n in case.facts.numbers or () if n.near or n.of}
        wrong = [c for c in wrong if c.expected in anchored]
    if not wrong:
        return None
    return Cause("wrong_value", f"{wrong[0].found} is stated in place of {wrong[0].expected}")


def _sources_missed(case: _Case) -> Cause | None:
    missed = case.missed_chunks or ([] if case.scenario.source_chunks else case.missed)
    return _not_retrieved(case, missed) if missed else None


def _entities_missed(case: _Case) -> Cause | None:
    return _not_retrieved(case, case.missed) if case.missed else None


def _not_stated(case: _Case) -> Cause | None:
    if not case.unstated or case.evidence is None:
        return None
    there = case.look_in(case.evidence, None)
    stated = [str(c.expected) for c in there if c.outcome == "pass" and _is_among(c, case.unstated)]
    if stated and case.answer is not None:
        return Cause("retrieved_not_stated", f"the evidence states {listed(stated, 5)}, the answer does not")
    return None if stated else _not_retrieved(case, [str(c.expected) for c in case.unstated])


def _is_among(check: Check, others: Iterable[Check]) -> bool:
    return any(check.kind == o.kind and check.expected == o.expected for o in others)


_ORDER: tuple[Callable[[_Case], Cause | None], ...] = (
    _contradicted, _never_held, _nothing_came, _denied, _not_found, _sources_missed, _wrong, _not_stated,
    _entities_missed,
)  # fmt: skip
