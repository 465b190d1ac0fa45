"""The statistics of a set of records (a run, a suite): everything that a rule of the gate may ask for.

Records are added one by one and not kept, so that a million of them can be judged. Nothing depends on the order in
which they are added: sums are exact, lists are sorted by suite and index. There are statistics of each suite, and a run
may have thousands: a model is ten times as large as what is used here.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from math import fsum
from typing import Any

from pydantic import BaseModel, ConfigDict

from pytest_graph_eval.gate.figures import is_number
from pytest_graph_eval.gate.outcomes import MEASURED, Key, Kind, Namer
from pytest_graph_eval.gate.spending import Spending, SpendingBuilder
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.repeats import add_up

JUDGE_OFF = "the judge is off; --graph-eval-judge asks it"
"""Why no judgement was made where nobody asked for any; that alone is no fault of a run."""
DIFFICULTIES = ("easy", "medium", "hard")
_WORST = 5
_APART = ("must_pass", "failed_unscored", "flaky", "judge_errors")


class Counts(BaseModel):
    """How many records ended how. `xpassed` are among `passed`."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    passed: int = 0
    failed: int = 0
    errors: int = 0
    inconclusive: int = 0
    skipped: int = 0
    xfailed: int = 0
    xpassed: int = 0

    @property
    def counted(self) -> int:
        """Records that count: all that were to run except skipped and xfailed."""
        return self.passed + self.failed + self.errors + self.inconclusive

    @property
    def measured(self) -> int:
        """Records that were measured, for better or worse."""
        return self.passed + self.failed

    @property
    def asked(self) -> int:
        """Records whose question was to be asked: all but the skipped."""
        return self.counted + self.xfailed


@dataclass(frozen=True, slots=True)
class Stat:
    """One score over measured records: the mean of the `n` that have it, None where none has."""

    n: int = 0
    n_unscored: int = 0
    mean: float | None = None
    worst: tuple[tuple[str, float], ...] = ()
    """The lowest few, as (name, score)."""


@dataclass(frozen=True, slots=True)
class Group(Stat):
    """The mean scores of the records that share a category, difficulty, tag or template."""

    total: int = 0
    """Records that count, measured or not."""
    passed: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """The statistics of a set of records."""

    counts: Counts = field(default_factory=Counts)
    pass_rate: float | None = None
    overall: Stat = Stat()
    metrics: dict[str, Stat] = field(default_factory=dict)
    difficulty: dict[str, Group] = field(default_factory=dict)
    category: dict[str, Group] = field(default_factory=dict)
    tags: dict[str, Group] = field(default_factory=dict)
    template: dict[str, Group] = field(default_factory=dict)
    intent: dict[str, Group] = field(default_factory=dict)
    """Over questions by the intent that they expect first; each turn of a conversation is one."""
    rates: dict[str, Stat] = field(default_factory=dict)
    """How often the intent (`intent_match`) and the valid time that was used (`as_of_match`) are those expected."""
    ids: dict[str, list[str]] = field(default_factory=dict)
    """Names by what the records count as, all but the passed; and `xpassed`."""
    must_pass: list[str] = field(default_factory=list)
    """Those marked `must_pass` that did not pass."""
    failed_unscored: list[str] = field(default_factory=list)
    """Those that failed and have no mean score."""
    flaky: list[str] = field(default_factory=list)
    """Those that passed only when run again."""
    judged: int = 0
    judge_errors: list[str] = field(default_factory=list)
    """Those with a judgement that failed; `judged` counts those that have scores."""
    judge: dict[str, Stat] = field(default_factory=dict)
    """The judge's scores, on their own scales."""
    judge_samples: dict[str, list[float]] = field(default_factory=dict)
    """The mean of each sample, where several were judged."""
    judgements: dict[str, int] = field(default_factory=dict)
    """How many judgements were `made`, `failed`, `unscored` (nothing to judge) and `not_made`."""
    judge_caps: int = 0
    """How many of the judge's scores were lowered because of what code found."""
    judge_usage: dict[str, float | None] = field(default_factory=dict)
    """What the judge's replies used; None where one of them does not tell."""
    not_judged: dict[str, int] = field(default_factory=dict)
    """Why judgements were not made, and how many."""
    unmeasured: list[str] = field(default_factory=list)
    """Scores that are no finite number, as `name: metric`."""
    spent: dict[str, Spending] = field(default_factory=dict)
    """What was used, by the rules of `gate: {budget: ...}`; a rule that no record reports is absent."""


class _StatBuilder:
    """Collects one score; values are kept as plain doubles, the worst few with their key."""

    __slots__ = ("_merged", "_worst", "passed", "total", "unscored", "values")

    def __init__(self) -> None:
        self.values = array("d")
        self._merged: list[array[float]] = []
        self.unscored = 0
        self.total = 0
        self.passed = 0
        self._worst: list[tuple[float, Key]] = []

    def add(self, value: float | None, key: Key) -> None:
        if value is None:
            self.unscored += 1
            return
        self.values.append(value)
        self._worst.append((value, key))
        self._cut_long()

    def merge(self, other: _StatBuilder) -> None:
        """Take what another one has collected; the values themselves are shared, not copied."""
        self._merged += (other.values, *other._merged)
        self.unscored += other.unscored
        self.total += other.total
        self.passed += other.passed
        self._worst += other._worst
        self._cut_long()

    def _cut_long(self) -> None:
        if len(self._worst) > 20 * _WORST:
            self._cut()

    def _cut(self) -> None:
        self._worst.sort()
        del self._worst[_WORST:]

    def stat(self, name: Namer) -> Stat:
        self._cut()
        worst = tuple((name(key), value) for value, key in self._worst)
        parts = (self.values, *self._merged)
        n = sum(map(len, parts))
        mean = fsum(chain.from_iterable(parts)) / n if n else None
        return Stat(n=n, n_unscored=self.unscored, mean=mean, worst=worst)

    def group(self, name: Namer) -> Group:
        stat = self.stat(name)
        return Group(stat.n, stat.n_unscored, stat.mean, stat.worst, self.total, self.passed)


_Groups = defaultdict[str, _StatBuilder]


class TallyBuilder:
    """Takes records and makes their `Tally`."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._judged = 0
        self._judge: _Groups = defaultdict(_StatBuilder)
        self._samples: defaultdict[str, defaultdict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        self._judgements: Counter[str] = Counter()
        self._not_judged: Counter[str] = Counter()
        self._caps = 0
        self._judge_usage: dict[str, float | None] = {}
        self._overall = _StatBuilder()
        self._metrics: _Groups = defaultdict(_StatBuilder)
        self._groups: dict[str, _Groups] = {
            which: defaultdict(_StatBuilder) for which in ("difficulty", "category", "tags", "template", "intent")
        }
        self._rates: _Groups = defaultdict(_StatBuilder)
        self._keys: defaultdict[str, list[Key]] = defaultdict(list)
        self._unmeasured: list[tuple[Key, str]] = []
        self._spent = SpendingBuilder()

    def add(self, record: Record, kind: Kind, key: Key) -> None:
        """Count a record."""
        self.counts[kind] += 1
        if record.judge:
            self._add_judge(record.judge, key, counted=kind in MEASURED)
        self._list(record, kind, key)
        self._spent.add(record, kind, key)
        if kind in ("skipped", "xfailed"):
            return
        is_measured = kind in MEASURED
        value = self._score(record, key) if is_measured else None
        if is_measured and (record.checks or record.turns):
            self._add_matches(record, key)
        for group in self._groups_of(record):
            group.total += 1
            group.passed += kind == "passed"
            if is_measured:
                group.add(value, key)

    def _list(self, record: Record, kind: Kind, key: Key) -> None:
        if kind == "passed" and record.outcome != "xpassed" and not record.flags and not record.judge:
            return  # in none of them, as most
        lists = {
            kind: kind != "passed",
            "xpassed": record.outcome == "xpassed",
            "must_pass": record.must_pass and kind != "passed",
            "failed_unscored": kind == "failed" and not is_number(record.mean),
            "flaky": "flaky" in record.flags,
            "judge_errors": bool(record.judge.get("error")),
        }
        for name, listed in lists.items():
            if listed:
                self._keys[name].append(key)

    def _add_judge(self, judge: Mapping[str, Any], key: Key, *, counted: bool) -> None:
        """Count the judgements of a record; the scores of one that is expected to fail are in no mean."""
        for entry in judge.get("judgements", ()):
            self._judgements[entry["outcome"]] += 1
            if entry["outcome"] == "not_made":
                self._not_judged[entry["reason"]] += 1
            self._caps += len(entry.get("caps", ()))
        add_up(self._judge_usage, judge.get("usage") or {})
        if not counted:
            return
        scores = judge.get("scores") or {}
        self._judged += bool(scores)
        for name, value in scores.items():
            self._judge[name].add(float(value) if is_number(value) else None, key)
        for name, values in (judge.get("samples") or {}).items():
            for number, value in enumerate(values):
                self._samples[name][number].append(value)

    def _score(self, record: Record, key: Key) -> float | None:
        """Take the scores of a measured record and return its mean."""
        mean = None
        for metric, score in record.scores.items():
            value = score if score is not None and is_number(score) else None
            if value is None and score is not None:
                self._unmeasured.append((key, metric))
            if metric == "mean":
                mean = value
            else:
                self._metrics[metric].add(value, key)
        self._overall.add(mean, key)
        return mean

    def _add_matches(self, record: Record, key: Key) -> None:
        """Count what each question was taken for, and at which time it was answered, where that is told."""
        for check in record.checks:
            if check.kind == "intent" and check.outcome != "error":
                self._rates["intent_match"].add(float(check.outcome == "pass"), key)
            elif check.kind == "as_of":
                used = check.found.get("used") if isinstance(check.found, Mapping) else None
                if used is not None:
                    self._rates["as_of_match"].add(float(used), key)
        intents = [c.model_dump() for c in record.checks if c.kind == "intent"]
        own: list[dict[str, Any]] = (
            [{"checks": intents, "scores": record.scores, "status": record.status}] if intents else []
        )
        for asked in record.turns or own:
            intent = next((c["expected"][0] for c in asked["checks"] if c["kind"] == "intent"), None)
            if intent is not None:
                group, mean = self._groups["intent"][intent], asked["scores"].get("mean")
                group.total += 1
                group.passed += asked["status"] == "PASS"
                group.add(mean if is_number(mean) else None, key)

    def _groups_of(self, record: Record) -> Iterable[_StatBuilder]:
        if record.difficulty:
            yield self._groups["difficulty"][record.difficulty]
        if record.category:
            yield self._groups["category"][record.category]
        yield from (self._groups["tags"][tag] for tag in dict.fromkeys(record.tags))
        yield self._groups["template"][record.template_id or record.suite]

    def merge(self, other: TallyBuilder) -> None:
        """Take what another one has counted."""
        self.counts.update(other.counts)
        self._judged += other._judged
        _merge(self._judge, other._judge)
        for metric, numbered in other._samples.items():
            for number, values in numbered.items():
                self._samples[metric][number] += values
        self._judgements.update(other._judgements)
        self._not_judged.update(other._not_judged)
        self._caps += other._caps
        add_up(self._judge_usage, other._judge_usage)
        self._overall.merge(other._overall)
        _merge(self._metrics, other._metrics)
        _merge(self._rates, other._rates)
        for which, groups in other._groups.items():
            _merge(self._groups[which], groups)
        for what, keys in other._keys.items():
            self._keys[what] += keys
        self._unmeasured += other._unmeasured
        self._spent.merge(other._spent)

    def tally(self, name: Namer) -> Tally:
        """Return the statistics of what was added."""
        names = {kind: [name(key) for key in sorted(keys)] for kind, keys in self._keys.items()}
        apart: dict[str, Any] = {what: names.pop(what, []) for what in _APART}
        groups: dict[str, Any] = {which: _finish(found, name) for which, found in self._groups.items()}
        counts = Counts(**self.counts, xpassed=len(names.get("xpassed", ())))
        return Tally(
            counts=counts,
            pass_rate=counts.passed / counts.counted if counts.counted else None,
            overall=self._overall.stat(name),
            metrics={metric: self._metrics[metric].stat(name) for metric in sorted(self._metrics)},
            rates={rule: self._rates[rule].stat(name) for rule in sorted(self._rates)},
            **groups,
            ids=dict(sorted(names.items())),
            judged=self._judged,
            judge={metric: self._judge[metric].stat(name) for metric in sorted(self._judge)},
            judge_samples={
                metric: [fsum(values) / len(values) for _, values in sorted(numbered.items())]
                for metric, numbered in sorted(self._samples.items())
            },
            judgements=dict(sorted(self._judgements.items())),
            not_judged=dict(sorted(self._not_judged.items())),
            judge_caps=self._caps,
            judge_usage={what: None if n is None else float(n) for what, n in self._judge_usage.items()},
            spent=self._spent.spent(name),
            unmeasured=[f"{name(key)}: {metric}" for key, metric in sorted(self._unmeasured)],
            **apart,
        )


def merged(builders: Iterable[TallyBuilder]) -> TallyBuilder:
    """Return what counts the records of all `builders`, which must not get more of them."""
    whole = TallyBuilder()
    for builder in builders:
        whole.merge(builder)
    return whole


def _merge(groups: _Groups, others: _Groups) -> None:
    for label, other in others.items():
        groups[label].merge(other)


def _finish(groups: Mapping[str, _StatBuilder], name: Namer) -> dict[str, Group]:
    return {label: groups[label].group(name) for label in sorted(groups, key=_natural)}


def _natural(label: str) -> tuple[int, str]:
    """Sort easy, medium, hard as a person would; every other label by name after them."""
    return (DIFFICULTIES.index(label) if label in DIFFICULTIES else len(DIFFICULTIES)), label
