"""One scenario and what was asked of its target become one record; no pytest.

`score_scenario` is pure: it computes every metric that applies, runs every check, and derives the status.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.evaluation.causes import cause_of
from pytest_graph_eval.evaluation.described import describe
from pytest_graph_eval.metrics import answers, retrieval
from pytest_graph_eval.metrics.custom import custom_checks, custom_scores
from pytest_graph_eval.metrics.facts import (
    NO_NAMES,
    NameIndex,
    Text,
    facts_found,
    facts_score,
    key_facts,
    normalise,
    run_checks,
)
from pytest_graph_eval.metrics.grounding import ungrounded_names
from pytest_graph_eval.metrics.names import CALLS, is_by_name
from pytest_graph_eval.metrics.reported import budget_checks, intent_checks
from pytest_graph_eval.metrics.trajectory import judge_calls, settled
from pytest_graph_eval.models.conversations import NO_CHECK, freshness, is_unchecked, joined
from pytest_graph_eval.models.extensions import Extensions
from pytest_graph_eval.models.records import METRICS, Check, Record, Response, Score
from pytest_graph_eval.models.scenario import Scenario, fingerprint, turns_of

if TYPE_CHECKING:
    from pytest_graph_eval.evaluation.asking import Asked

_SLACK = 1e-9
_NO_GOLD = Score(value=None, reason="no gold data")
# By-name metrics that need no cutoff are computed wherever they are defined; those with a cutoff when they are named.
_OWN = ("facts", "steps_score")
ALWAYS = ("entity_recall", "entity_precision", "relationship_recall", "RR", "AP")


@dataclass(slots=True)
class Context:
    """What scoring needs to know of a scenario's suite and target; nobody changes it."""

    suite: str = ""
    nodeid: str = ""
    index: int = 0
    target: str = ""
    target_digest: str = ""
    deterministic: bool = False
    documents: Sequence[str] = ()
    flags: Sequence[str] = ()
    """What the scenario's record is flagged with, whatever comes back."""
    freshness: Sequence[Mapping[str, Any]] = ()
    """What `facts` of the record say of each turn, whatever comes back: whether the catalog still says the same."""
    catalog_problem: str = ""
    """Why the catalog that the suite names cannot be read."""
    relevant_types: Mapping[str, Sequence[str]] = field(default_factory=dict)
    names: NameIndex | None = None
    """The names of the catalog: what the graph should hold."""
    held: NameIndex | None = None
    """The names of the target's own graph: what it does hold."""
    gate_metrics: Sequence[str] = ()
    extensions: Extensions = field(default_factory=Extensions)
    """What plugins add to the suite."""
    keeps_contexts: bool = False
    """Whether the retrieved texts are kept on the record, for a judge or a report to show."""


def new_record(scenario: Scenario, context: Context) -> Record:
    """Return the record of a scenario that was not measured yet: ERROR with all scores null."""
    return Record.of(
        explain={"catalog": context.catalog_problem} if context.catalog_problem else {},
        facts=freshness(context.freshness),
        id=scenario.id,
        category=scenario.category,
        difficulty=scenario.difficulty,
        question=scenario.question,
        gold_answer=turns_of(scenario)[0].gold_answer,
        suite=context.suite,
        nodeid=context.nodeid,
        source_id=scenario.source_id,
        fingerprint=fingerprint(scenario),
        index=context.index,
        tags=list(scenario.tags),
        template_id=scenario.template_id,
        must_pass=scenario.must_pass,
        requires_yoy=bool(scenario.requires_yoy),
        target=context.target,
        target_digest=context.target_digest,
        documents=list(context.documents),
        flags=list(context.flags),
        deterministic=context.deterministic,
    )


def score_scenario(scenario: Scenario, asked: Asked, context: Context) -> Record:
    """Return the finished record of one asking: metrics, checks, status, cause; of a conversation, of all its turns."""
    if scenario.turns and asked.error is None:
        return joined(new_record(scenario, context), score_turns(scenario, asked.turns, context))
    return _score(scenario, asked, context)


def score_turns(scenario: Scenario, asked: Sequence[Asked], context: Context) -> list[Record]:
    """Return the record of each turn of a conversation; SKIPPED where it was not asked, or does not count any more.

    Names that the target used in earlier turns are known in later ones.
    """
    records: list[Record] = []
    names: list[str] = []
    stopped = ""
    whole = context
    for number, turn in enumerate(turns_of(scenario)):
        context = replace(whole, freshness=whole.freshness[number : number + 1])
        if stopped or number >= len(asked):
            skipped = new_record(turn, context)
            skipped.status, skipped.reason = "SKIPPED", f"not asked: {stopped or 'the conversation ended before'}"
            records.append(skipped)
            continue
        one = asked[number]
        if one.response is not None and one.response.names is not None:
            names += one.response.names
            one = replace(one, response=one.response.model_copy(update={"names": list(dict.fromkeys(names))}))
        records.append(_score(turn, one, context))
        if one.response is None:
            stopped = f"turn {number + 1} has no reply"
        elif scenario.stop_on_failure and not _goes_on(records[-1]):
            stopped = f"turn {number + 1} did not pass (stop_on_failure)"
    return records


def last_turn_passed(scenario: Scenario, asked: Sequence[Asked], context: Context) -> bool:
    """Tell whether the last of the turns that were asked passed, or had nothing to check."""
    return _goes_on(score_turns(scenario, asked, context)[len(asked) - 1])


def _goes_on(turn: Record) -> bool:
    return turn.status == "PASS" or is_unchecked(turn)


def _score(scenario: Scenario, asked: Asked, context: Context) -> Record:
    record = new_record(scenario, context)
    record.query_mode, record.mode_ran = asked.mode, asked.mode_ran
    record.elapsed_s, record.attempts, record.concurrency = asked.elapsed_s, asked.attempts, asked.concurrency
    record.flags += asked.flags
    record.deterministic |= asked.is_replayed
    response = asked.response
    if response is None:
        record.error, record.cause = str(asked.error), "error"
        return record
    response = settled(response)
    describe(record, response, asked, keeps_contexts=context.keeps_contexts)
    if response.error is not None:  # what was called until then is kept
        record.error, record.cause = f"the target reports an error: {response.error}", "error"
        record.steps |= judge_calls(scenario.expect, response).steps
        return record
    if not scenario.has_something_to_check():
        return _inconclusive(record, f"{NO_CHECK}: there is neither gold data nor a check")
    if _nothing_came(response, scenario) and not _expects_nothing(scenario):
        _inconclusive(record, "no evidence: neither an answer nor anything retrieved came back")
        return _with_cause(record, scenario, context)
    names = _names(scenario, response, context)
    subject = _Subject(scenario, response, names)
    called = judge_calls(scenario.expect, response)
    record.steps |= called.steps
    record.checks = [
        *run_checks_of(subject),
        *called.checks,
        *intent_checks(scenario.expect, response),
        *budget_checks(scenario.expect.budget, record),
        *custom_checks(context.extensions.checks, scenario, response),
    ]
    record.facts |= facts_found(record.checks)
    catalog = context.names or context.held
    ungrounded = ungrounded_names(scenario, response, subject.answer, subject.evidence, catalog)
    own, broken = custom_scores(context.extensions.metrics, scenario, response)
    record.checks += broken
    scores = _scores(subject, record, asked, context, {**called.scores, **own})
    if ungrounded:
        told = {name.partition(":")[0] for name in record.hallucinations}
        record.hallucinations += [name for name in ungrounded if name.partition(":")[0] not in told]
    record.scores = {name: score.value for name, score in scores.items()}
    record.scores["mean"] = _mean(scenario, record.scores)
    record.explain |= {name: score.reason for name, score in scores.items() if score.reason}
    record.key_facts = [fact.signed for fact in key_facts(subject.main, names, ignore=scenario.question)]
    _decide(record, scenario)
    return _with_cause(record, scenario, context, subject.answer, subject.evidence)


def _with_cause(
    record: Record, scenario: Scenario, context: Context, answer: Text | None = None, evidence: Text | None = None
) -> Record:
    """Note why a record did not pass, in a word and in a phrase, where that can be told."""
    if record.status in ("FAIL", "INCONCLUSIVE"):
        cause = cause_of(record, scenario, answer, evidence, catalog=context.names, graph=context.held)
        if cause is not None:
            record.cause, record.explain["cause"] = cause
    return record


@dataclass(slots=True)
class _Subject:
    """A response prepared once for all metrics and checks."""

    scenario: Scenario
    response: Response
    names: NameIndex
    answer: Text | None = None
    evidence: Text | None = None

    def __post_init__(self) -> None:
        self.answer = None if self.response.answer is None else normalise(self.response.answer)
        lists = (self.response.entities, self.response.relationships, self.response.chunks)
        mapped = any(found is not None for found in lists)
        self.evidence = normalise(self.response.evidence()) if mapped else None

    @property
    def main(self) -> Text:
        """The answer, else the evidence."""
        return self.evidence or normalise("") if self.answer is None else self.answer


def run_checks_of(subject: _Subject) -> list[Check]:
    """Return the outcome of every check of the scenario's `expect`."""
    return run_checks(
        subject.scenario.expect,
        answer=subject.answer,
        evidence=subject.evidence,
        catalog=subject.names,
        question=subject.scenario.question,
        response=subject.response,
    )


def _nothing_came(response: Response, scenario: Scenario) -> bool:
    """Tell whether there is nothing to judge; tool calls alone are something where they are checked."""
    called = response.tool_calls is not None and scenario.expect.has_step_checks()
    return not (response.answer or "").strip() and not response.has_evidence() and not called


def _expects_nothing(scenario: Scenario) -> bool:
    """Tell whether an empty response is what the scenario asks for."""
    return bool(scenario.expect.no_evidence)


def _inconclusive(record: Record, reason: str) -> Record:
    record.status, record.reason = "INCONCLUSIVE", reason
    return record


def _names(scenario: Scenario, response: Response, context: Context) -> NameIndex:
    """Return the catalog of known names: the graph's, the scenario's, and those that came back."""
    expect = scenario.expect
    own = [(name, "") for name in scenario.source_entities]
    for group in filter(None, (expect.names, expect.order, expect.choice)):
        own += [(n.name, "") for n in group]
    if response.names:
        own += [(name, "") for name in response.names]
    if response.entities:
        own += [(e.name, e.type) for e in response.entities]
    base = NO_NAMES if context.names is None else context.names
    return base.extended(own) if own else base


def _scores(
    subject: _Subject, record: Record, asked: Asked, context: Context, called: Mapping[str, Score]
) -> dict[str, Score]:
    """Return every metric that applies but the mean, in the order of the record."""
    scenario, response = subject.scenario, subject.response
    has_gold = scenario.has_gold()
    scores = _gold_scores(subject, record, asked, context) if has_gold else dict.fromkeys(METRICS, _NO_GOLD)
    if scenario.expect.has_fact_checks():
        scores["facts"] = facts_score(record.checks)
    scores |= called
    for name in _named(scenario, context):
        if name in CALLS:
            scores.setdefault(name, Score(reason="no reference steps"))
            continue
        score = retrieval.measure(name, scenario, response)
        if score.value is not None or name not in ALWAYS:
            scores[name] = score
    return scores


def _mean(scenario: Scenario, scores: Mapping[str, float | None]) -> float | None:
    """Return the mean of the scores that count; None where none of them has a value."""
    counted = scenario.metrics or ((*METRICS, *_OWN) if scenario.has_gold() else _OWN)
    values = [value for name in counted if (value := scores.get(name)) is not None]
    return math.fsum(values) / len(values) if values else None


def _gold_scores(subject: _Subject, record: Record, asked: Asked, context: Context) -> dict[str, Score]:
    """Return the four metrics of the ancestor, and note its flags and hallucinations."""
    scenario, response = subject.scenario, subject.response
    faithfulness, record.hallucinations = answers.faithfulness(
        scenario, response, subject.answer, subject.evidence, subject.names
    )
    correctness, correct_flags = answers.answer_correctness(
        scenario, response, subject.answer, subject.evidence, subject.names
    )
    types = {**retrieval.RELEVANT_TYPES, **context.relevant_types}
    precision, flags = retrieval.precision(scenario, response, types, found=asked.entities_found)
    relevant = retrieval.relevant_entities(scenario, response, types)
    record.relevant = None if relevant is None else [entity.name for entity in relevant]
    record.flags += [*correct_flags, *flags]
    return {
        "context_relevancy": answers.context_relevancy(scenario, response, subject.names),
        "faithfulness": faithfulness,
        "answer_correctness": correctness,
        "precision": precision,
    }


def _named(scenario: Scenario, context: Context) -> list[str]:
    """Return the by-name metrics to compute: those without a cutoff, and those that anything names.

    Without gold to retrieve, those without a cutoff are left out, whatever names them.
    """
    has_gold_set = scenario.source_entities or scenario.source_chunks or scenario.expect.relationships
    wanted = [*(scenario.metrics or ()), *(scenario.expect.scores or ()), *context.gate_metrics]
    wanted = [*ALWAYS, *wanted] if has_gold_set else [name for name in wanted if name not in ALWAYS]
    return [name for name in dict.fromkeys(wanted) if is_by_name(name) or name in CALLS]


def _decide(record: Record, scenario: Scenario) -> None:
    """Set status and reason from checks and scores."""
    broken = [c for c in record.checks if c.outcome == "error"]
    failed = [c for c in record.checks if c.outcome == "fail"]
    if broken:
        record.error = "; ".join(c.message for c in broken)
        record.status, record.cause = "ERROR", "error"
        record.scores = dict.fromkeys(record.scores)
        return
    low = _low_scores(record, scenario)
    if failed or low:
        record.status = "FAIL"
        kinds = ", ".join(dict.fromkeys(c.kind for c in failed))
        checks = f"{len(failed)} of {len(record.checks)} checks failed ({kinds})" if failed else ""
        record.reason = "; ".join(filter(None, [checks, *low]))
    elif not record.checks and record.mean is None:
        unscored = "; ".join(f"{n}: {record.explain[n]}" for n in record.scores if record.explain.get(n))
        record.status, record.reason = "INCONCLUSIVE", f"nothing could be scored ({unscored})"
    else:
        record.status = "PASS"


def _low_scores(record: Record, scenario: Scenario) -> list[str]:
    """Return in words which scores are below the scenario's own lines; an unscored one cannot reach its line."""
    low = []
    for name, line in (scenario.expect.scores or {}).items():
        value = record.scores.get(name)
        if value is None:
            low.append(f"{name} is unscored, at least {line:g} is expected")
        elif value < line - _SLACK:
            low.append(f"{name} {_below(value, line)} is below {line:g}")
    mean = record.mean
    counts = scenario.has_gold() or scenario.metrics
    if counts and mean is not None and mean < scenario.pass_score - _SLACK:
        low.append(f"mean {_below(mean, scenario.pass_score)} is below pass_score {scenario.pass_score:g}")
    return low


def _below(value: float, line: float) -> str:
    """Return a value with enough digits that it does not look like the line it missed."""
    for digits in range(2, 10):
        text = f"{value:.{digits}f}"
        if float(text) < line:
            return text
    return repr(value)
