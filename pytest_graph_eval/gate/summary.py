"""The summary of a run: made from its records, written to and read from `summary_*.json`.

The ancestor's keys come first and are always there; ours follow and are only ever added to. `format` counts breaks.
Until a verdict is set the summary says FAIL: no green without evidence.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticSerializationError

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.gate.aggregates import Aggregates
from pytest_graph_eval.gate.issues import Issue, IssueList
from pytest_graph_eval.gate.outcomes import Namer, key_of, kind_of
from pytest_graph_eval.gate.recommendations import recommend
from pytest_graph_eval.gate.roll import Roll, SuiteHash
from pytest_graph_eval.gate.tally import Counts, Group, Tally, TallyBuilder, merged
from pytest_graph_eval.gate.verdict import Reason, Result, Verdict, worst
from pytest_graph_eval.models.records import METRICS, Record, json_chunks
from pytest_graph_eval.models.scalars import StrList
from pytest_graph_eval.models.settings import Gate
from pytest_graph_eval.models.validation import first_problem

FORMAT = 1
MODES = ("kg", "hybrid", "global")
_WEAK = 0.50


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class GraphStats(_Part):
    """What a target said of its graph; None where it does not tell."""

    entities: int | None = None
    relationships: int | None = None
    tools: dict[str, dict[str, Any]] | None = None
    """Tool name to its input schema."""
    warnings: list[str] = []
    """What the preflight noted: `recovered`, `no_relationships`, and what the target itself warns of."""


@dataclass(frozen=True, slots=True)
class SuiteInfo:
    """What a summary needs to know of a suite, beside its records."""

    name: str
    description: str = ""
    gate: Gate = field(default_factory=Gate)
    documents: list[str] = field(default_factory=list)
    target: str = ""
    graph: GraphStats | None = None
    scenarios: int | None = None
    """How many scenarios the suite has, run or not; None where nobody knows."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """The circumstances of a run, told by whoever ran it.

    `run_at` is UTC in ISO form; `partial` says what cut the run short (`-k revenue`), "" for a whole one. `collected`
    counts scenario items before deselection, None where nobody knows. `asked` tells whether suites were in reach,
    `command_line` whether `--graph-eval` stands on the command line and not only in the configuration.
    `baseline_missing` says why a baseline that was asked for cannot be compared with, "" when there is no such trouble.
    """

    run_at: str
    results_file: str = ""
    duration_s: float | None = None
    partial: str = ""
    interrupted: bool = False
    collected: int | None = None
    deselected: int = 0
    collection_errors: list[str] = field(default_factory=list)
    gate: Gate | None = None
    asked: bool = True
    command_line: bool = True
    baseline_missing: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


class AppliedGate(Gate):
    """A gate with its defaults filled in; `written` names the rules that a user wrote."""

    model_config = ConfigDict(extra="ignore")  # a later version may have written rules that this one does not know

    written: StrList = []

    @classmethod
    def of(cls, gate: Gate) -> AppliedGate:
        """Return `gate` as applied."""
        if isinstance(gate, AppliedGate):
            return gate
        return cls.model_construct(**dict(gate), written=sorted(gate.model_fields_set))


class AppliedGates(_Part):
    """The gate over the whole run, where there is one, and each suite's own."""

    run: AppliedGate | None = None
    suites: dict[str, AppliedGate] = {}


class RunState(_Part):
    """How much of what was collected is in the records."""

    status: Literal["COMPLETE", "PARTIAL", "INTERRUPTED"] = "COMPLETE"
    partial: str = ""
    collected: int | None = None
    deselected: int = 0
    not_run: int = 0
    collection_errors: list[str] = []


@dataclass(frozen=True, slots=True)
class SuiteSummary:
    """One suite of the run: what it is and its own statistics."""

    name: str
    description: str = ""
    target: str = ""
    documents: list[str] = field(default_factory=list)
    scenarios: int | None = None
    threshold_result: Result = "FAIL"
    tally: Tally = field(default_factory=Tally)


class Summary(_Part):
    """What came of a run; one `summary_*.json`."""

    run_at: str
    total_questions: int
    results_file: str
    documents_tested: list[str]
    aggregate_scores: dict[str, float | None]
    by_category: dict[str, float | None]
    by_difficulty: dict[str, float | None]
    passed: list[str]
    failed: list[str]
    hallucination_count: int
    threshold_result: Result = "FAIL"
    query_modes_used: dict[str, int]

    format: int = FORMAT
    verdict_reasons: list[Reason] = []
    run: RunState = RunState()
    counts: Counts
    pass_rate: float | None
    weak: list[str]
    inconclusive: list[str]
    errors: list[str]
    skipped: list[str]
    xfailed: list[str]
    by_suite: dict[str, SuiteSummary]
    by_tag: dict[str, float | None]
    by_intent: dict[str, float | None] = {}
    intent_match_rate: float | None = None
    valid_time_match_rate: float | None = None
    by_template: dict[str, float | None]
    tally: Tally
    per_template: dict[str, Any]
    micro: dict[str, Any]
    macro: dict[str, Any]
    steps: dict[str, Any]
    usage: dict[str, Any]
    latency: dict[str, float | int | None]
    graph_stats: dict[str, GraphStats]
    gate: AppliedGates
    baseline: dict[str, Any] = {}
    power: dict[str, Any] = {}
    issues: list[Issue]
    recommendations: list[str] = []
    suite_hash: str
    meta: dict[str, Any] = {}

    def decided(self, verdict: Verdict, **more: Any) -> Summary:
        """Return a copy with the verdict, each suite's own, and other keys (`baseline`, `power`) set."""
        reasons: defaultdict[str, list[Reason]] = defaultdict(list)
        for reason in verdict.reasons:
            reasons[reason.suite].append(reason)
        suites = {key: replace(s, threshold_result=worst(reasons[key]).result) for key, s in self.by_suite.items()}
        update = {"threshold_result": verdict.result, "verdict_reasons": list(verdict.reasons), "by_suite": suites}
        return self.model_copy(update={**update, **more})

    def suites(self) -> dict[str, SuiteInfo]:
        """Return what the summary knows of its suites, to summarize their records again."""
        return {
            key: SuiteInfo(
                name=suite.name,
                description=suite.description,
                gate=self.gate.suites.get(key, Gate()),
                documents=suite.documents,
                target=suite.target,
                graph=self.graph_stats.get(key),
                scenarios=suite.scenarios,
            )
            for key, suite in self.by_suite.items()
        }

    def to_json(self) -> str:
        """Return the text of a summary file."""
        return "".join(self.json_chunks())

    def json_chunks(self) -> Iterator[str]:
        """Yield the text of a summary file, a key at a time: it may list a million scenarios."""
        before = "{\n"
        for name in type(self).model_fields:
            yield before + self._key_as_json(name).removeprefix("{\n").removesuffix("\n}")
            before = ",\n"
        yield "\n}\n"

    def _key_as_json(self, name: str) -> str:
        try:
            return self.model_dump_json(by_alias=True, indent=2, include={name})
        except PydanticSerializationError:  # a lone surrogate
            return "".join(json_chunks(self.model_dump(mode="json", by_alias=True, include={name}), indent=2))


def summarize(records: Iterable[Record], suites: Mapping[str, SuiteInfo] | None = None, *, run: RunInfo) -> Summary:
    """Return the summary of a run, without a verdict.

    Args:
        records: one for each scenario that ran, in any order; they are read once and not kept.
        suites: what is known of each suite, by the key that its records carry (`Record.suite`). A suite that only
            the records know is judged by the default gate.
        run: the circumstances.
    """
    builder = SummaryBuilder()
    for record in records:
        builder.add(record)
    return builder.summary(suites or {}, run)


class SummaryBuilder:
    """Takes records and makes the summary, for those who learn the circumstances of a run from its records."""

    def __init__(self) -> None:
        self.roll = Roll()
        self.modes: Counter[str] = Counter()
        self.documents: dict[str, set[str]] = {}
        self.suites: dict[str, TallyBuilder] = {}
        self.aggregates = Aggregates()
        self.issues = IssueList()
        self.hash = SuiteHash()

    def add(self, record: Record) -> None:
        """Take a record."""
        kind, key = kind_of(record), key_of(record)
        weak = kind == "failed" and record.mean is not None and record.mean >= _WEAK
        self.roll.add(key, kind, weak=weak)
        self.documents.setdefault(record.suite, set()).update(record.documents)
        self.hash.add(record)
        if kind != "skipped" and record.query_mode:
            self.modes[record.query_mode] += 1
        if record.suite not in self.suites:
            self.suites[record.suite] = TallyBuilder()
        for part in (self.suites[record.suite], self.aggregates, self.issues):
            part.add(record, kind, key)

    def summary(self, suites: Mapping[str, SuiteInfo], run: RunInfo) -> Summary:
        """Return the summary of what was added, without a verdict; once, as what was added goes with it."""
        name = self.roll.namer()
        tally = merged(self.suites.values()).tally(name)
        issues = self.issues.issues(name)
        infos = {key: suites.get(key) or SuiteInfo(name=key) for key in sorted({*suites, *self.suites})}
        listed = {what: tally.ids.get(what, []) for what in ("inconclusive", "errors", "skipped", "xfailed")}
        return Summary(
            run_at=run.run_at,
            total_questions=tally.counts.asked,
            results_file=run.results_file,
            documents_tested=self._documents(infos),
            aggregate_scores={m: tally.metrics[m].mean if m in tally.metrics else None for m in METRICS}
            | {"overall": tally.overall.mean},
            by_category=_means(tally.category),
            by_difficulty=_means(tally.difficulty),
            passed=self.roll.named(name, "passed"),
            failed=self.roll.named(name, "failed", "errors"),
            hallucination_count=sum(issue.kind == "hallucination" for issue in issues),
            query_modes_used={mode: self.modes[mode] for mode in sorted(self.modes, key=_mode_order)},
            run=_state(run, len(self.roll)),
            counts=tally.counts,
            pass_rate=tally.pass_rate,
            weak=self.roll.weak(name),
            **listed,
            by_suite={key: self._suite(key, info, name) for key, info in infos.items()},
            by_tag=_means(tally.tags),
            by_intent=_means(tally.intent),
            intent_match_rate=_rate(tally, "intent_match"),
            valid_time_match_rate=_rate(tally, "as_of_match"),
            by_template=_means(tally.template),
            tally=tally,
            per_template=self.aggregates.per_template(),
            micro=self.aggregates.micro(),
            macro=self.aggregates.macro(),
            steps=self.aggregates.steps(),
            usage=self.aggregates.usage(),
            latency=self.aggregates.latency(),
            graph_stats={key: info.graph for key, info in infos.items() if info.graph},
            gate=_gates(infos, run),
            issues=issues,
            recommendations=recommend(tally, issues),
            suite_hash=self.hash.hexdigest(),
            meta={"duration_s": run.duration_s, **run.meta},
        )

    def _documents(self, infos: Mapping[str, SuiteInfo]) -> list[str]:
        """Return what the suites that ran declare, or where a suite declares nothing, what its scenarios refer to."""
        ran = (infos[key].documents or sorted(self.documents[key]) for key in sorted(self.documents))
        return list(dict.fromkeys(name for documents in ran for name in documents))

    def _suite(self, key: str, info: SuiteInfo, name: Namer) -> SuiteSummary:
        builder = self.suites.pop(key, None)  # there may be thousands
        tally = builder.tally(name) if builder else Tally()
        return SuiteSummary(
            name=info.name,
            description=info.description,
            target=info.target,
            documents=info.documents,
            scenarios=info.scenarios,
            tally=tally,
        )


def _means(groups: Mapping[str, Group]) -> dict[str, float | None]:
    return {label: group.mean for label, group in groups.items()}


def _rate(tally: Tally, rule: str) -> float | None:
    return tally.rates[rule].mean if rule in tally.rates else None


def _mode_order(mode: str) -> tuple[int, str]:
    return (MODES.index(mode) if mode in MODES else len(MODES)), mode


def _gates(infos: Mapping[str, SuiteInfo], run: RunInfo) -> AppliedGates:
    gates = {id(info.gate): info.gate for info in infos.values()}  # one for all suites that write none
    applied = {number: AppliedGate.of(gate) for number, gate in gates.items()}
    suites = {key: applied[id(info.gate)] for key, info in infos.items()}
    return AppliedGates(run=AppliedGate.of(run.gate) if run.gate else None, suites=suites)


def _state(run: RunInfo, n_records: int) -> RunState:
    expected = n_records if run.collected is None else run.collected - run.deselected
    return RunState(
        status="INTERRUPTED" if run.interrupted else "PARTIAL" if run.partial else "COMPLETE",
        partial=run.partial,
        collected=run.collected,
        deselected=run.deselected,
        not_run=max(0, expected - n_records),
        collection_errors=list(run.collection_errors),
    )


def read_summary(text: str, name: str) -> Summary:
    """Read a summary file back; `name` is used in messages.

    Raises:
        DataError: not JSON, not a summary of this package, or of a newer format.
    """
    try:
        data = json.loads(text)
    except ValueError as e:
        raise DataError(f"{name}: not JSON: {e}; expected a summary_*.json of pytest-graph-eval") from None
    if not isinstance(data, dict) or not {"format", "threshold_result", "aggregate_scores"} <= data.keys():
        raise DataError(f"{name}: not a summary of pytest-graph-eval: an object with `format`, `threshold_result` and "
                        "`aggregate_scores` is expected; make one with `graph-eval gate RESULTS`")  # fmt: skip
    found = data["format"]
    if not isinstance(found, int) or found > FORMAT:
        raise DataError(
            f"{name}: summary format {found!r}; this version reads up to {FORMAT}: upgrade pytest-graph-eval"
        )
    try:
        return Summary.model_validate(data)
    except ValidationError as e:
        raise DataError(f"{name}: not a summary: {first_problem(e)}") from None
