"""Has finished records judged by a model: asks, asks again where a reply cannot be read, and adds up what it cost.

No failure here is a score, and none ends a run: a judgement was made, failed, was unscored (nothing to judge), or was
not made, each with its reason.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import fsum
from pathlib import Path
from typing import Any

from pytest_graph_eval.errors import TargetError
from pytest_graph_eval.metrics.judge.cases import Case, Scored, Unscored
from pytest_graph_eval.metrics.judge.kinds import Kind, kinds_of
from pytest_graph_eval.metrics.judge.parsing import ReplyProblem
from pytest_graph_eval.models.judge_settings import JudgeSettings
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.repeats import add_up
from pytest_graph_eval.targets.base import Surroundings
from pytest_graph_eval.targets.judge_cache import JudgeCache
from pytest_graph_eval.targets.judge_model import JudgeModel, ModelReply

_COUNTS = ("input_tokens", "output_tokens", "total_tokens", "cost_usd")
_FINAL = ("HTTP 401", "HTTP 403", "HTTP 404", "HTTP 405")
"""Refusals that no second try changes."""


def can_be_judged(record: Record) -> bool:
    """Tell whether a record was measured and counts; there is nothing to judge in the others."""
    return record.status in ("PASS", "FAIL") and record.outcome != "xfailed"


def not_made(settings: JudgeSettings, why: str) -> dict[str, Any]:
    """Return the `judge` of a record whose judgements were not made."""
    entries = [{"kind": kind.name, "outcome": "not_made", "reason": why} for kind in kinds_of(settings)]
    return {"model": settings.model or settings.call, "judgements": entries}


def joined(turns: Sequence[tuple[int, dict[str, Any]]]) -> dict[str, Any]:
    """Return the `judge` of a conversation out of those of its turns, by number: scores are means over the turns."""
    scores: defaultdict[str, list[float]] = defaultdict(list)
    samples: defaultdict[str, list[list[float]]] = defaultdict(list)
    usage: dict[str, Any] = {}
    for _, judge in turns:
        for name, value in judge.get("scores", {}).items():
            if is_score(value):
                scores[name].append(value)
        for name, values in judge.get("samples", {}).items():
            samples[name].append(values)
        add_up(usage, judge.get("usage", {}))
    errors = [f"turn {number}: {judge['error']}" for number, judge in turns if judge.get("error")]
    means = {name: [_mean(of_one) for of_one in zip(*found, strict=True)] for name, found in samples.items()}
    return {
        "model": next((judge.get("model") for _, judge in turns), None),
        "scores": {name: _mean(values) for name, values in scores.items()},
        **({"samples": means} if means else {}),
        "judgements": [{"turn": number, **entry} for number, judge in turns for entry in judge["judgements"]],
        **({"error": "; ".join(errors)} if errors else {}),
        **({"usage": usage} if usage else {}),
    }


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


@dataclass(slots=True)
class _Spent:
    """What the judge's replies used; a count is None as soon as one reply does not report it."""

    requests: int = 0
    cached: int = 0
    counts: dict[str, float | None] = field(default_factory=dict)

    def add(self, used: Mapping[str, float | None]) -> None:
        self.requests += 1
        add_up(self.counts, {name: used.get(name) for name in _COUNTS})

    def data(self) -> dict[str, Any]:
        return {"requests": self.requests, "cached": self.cached, **self.counts}


@dataclass(frozen=True, slots=True)
class _Task:
    """One reply to get: what is asked, and for which of the samples."""

    kind: Kind
    case: Case
    user: str
    number: int


_Outcome = tuple[str, Scored | str]
"""`made` with the scores, `failed` or `not_made` with the reason."""


def _read(task: _Task, reply: ModelReply) -> Scored:
    if reply.is_cut:
        raise ReplyProblem("truncated", "the reply was cut off when its tokens were used up; be brief")
    return task.kind.read(reply.text, task.case)


class Judging:
    """Judges a list of cases, once. `results` are the `judge` of their records, in the same order."""

    def __init__(
        self, settings: JudgeSettings, cases: Sequence[Case], *, folder: Path, cache: JudgeCache | None = None,
        where: str = "",
    ) -> None:  # fmt: skip
        """Ask nobody yet.

        Args:
            settings: of the suite.
            cases: what to judge.
            folder: what a relative module belongs to: the suite's folder.
            cache: where replies are kept; None makes each judgement anew.
            where: `file:line` of the settings, for messages.
        """
        self._settings = settings
        self._model = JudgeModel(settings, Surroundings(folder, folder, where=where))
        self._cases = cases
        self._cache = cache if settings.cache else None
        self._kinds = kinds_of(settings)
        self._places = asyncio.Semaphore(settings.concurrency)
        self._stopped = ""
        self._total = _Spent()
        self.results: list[dict[str, Any]] = []

    @property
    def secrets(self) -> frozenset[str]:
        """Values of the settings that must not be shown."""
        return self._model.secrets

    @property
    def notes(self) -> list[str]:
        """What was done otherwise than the settings say."""
        dropped = [f"the judge's endpoint refuses `{name}`, which was left out" for name in self._model.dropped]
        return [*dropped, *([self._cache.problem] if self._cache and self._cache.problem else ())]

    async def run(self) -> list[dict[str, Any]]:
        """Judge all cases and return `results`."""
        self._stopped = ""
        try:
            failed = await self._opened()
            work = [self._judged(case, failed) for case in self._cases]
            self.results = list(await asyncio.gather(*work))
        finally:
            await self._model.close()
        return self.results

    async def _opened(self) -> str:
        try:
            await self._model.open()
        except TargetError as e:
            return f"the judge cannot be asked: {e}"
        return ""

    async def _judged(self, case: Case, failed: str) -> dict[str, Any]:
        """Return the `judge` of one record."""
        spent = _Spent()
        entries = list(await asyncio.gather(*(self._judgement(kind, case, failed, spent) for kind in self._kinds)))
        scores: dict[str, Any] = {}
        samples: dict[str, list[float]] = {}
        for entry in entries:
            scores |= entry.get("scores", {})
            samples |= entry.pop("samples", {})
        errors = [f"{entry['kind']}: {entry['reason']}" for entry in entries if entry["outcome"] == "failed"]
        return {
            "model": self._settings.model or self._settings.call,
            "scores": scores,
            **({"samples": samples} if samples else {}),
            "judgements": entries,
            **({"error": "; ".join(errors)} if errors else {}),
            "usage": spent.data(),
        }

    async def _judgement(self, kind: Kind, case: Case, failed: str, spent: _Spent) -> dict[str, Any]:
        """Return what came of one kind of judgement on one case."""
        base: dict[str, Any] = {"kind": kind.name, "prompt": kind.prompt}
        base |= {"outputs": list(kind.outputs)} if kind.outputs else {}
        try:
            user = kind.ask(case)
        except Unscored as e:
            return {**base, "outcome": "unscored", "reason": str(e), "code": e.code}
        if failed:
            return {**base, "outcome": "failed", "reason": failed}
        tasks = [_Task(kind, case, user, number) for number in range(1, self._settings.samples + 1)]
        found = await asyncio.gather(*(self._sample(task, spent) for task in tasks))
        for outcome in ("failed", "not_made"):  # a mean over some of the samples would be another score
            if bad := [text for what, text in found if what == outcome]:
                return {**base, "outcome": outcome, "reason": str(bad[0])}
        return {**base, "outcome": "made", **_folded([scored for _, scored in found if isinstance(scored, Scored)])}

    async def _sample(self, task: _Task, spent: _Spent) -> _Outcome:
        key = JudgeCache.key(self._model.identity, task.kind.prompt, task.kind.system, task.user, task.number)
        cached = self._cache.get(key) if self._cache else None
        if cached is not None:
            try:
                scored = task.kind.read(cached, task.case)
            except ReplyProblem:
                pass  # kept by a version that could read it
            else:
                spent.cached += 1
                return "made", scored
        async with self._places:
            if self._stopped:
                return "not_made", self._stopped
            try:
                text, outcome = await self._asked(task, spent)
            except Exception as e:  # whatever it is: a judge never costs the run
                return "failed", f"{type(e).__name__}: {e}"
        if self._cache and outcome[0] == "made":
            self._cache.put(key, text)
        return outcome

    async def _asked(self, task: _Task, spent: _Spent) -> tuple[str, _Outcome]:
        """Ask until a reply can be read, with the reason why the last one could not; then give up."""
        problem, system = "", task.kind.system
        for _ in range(self._settings.retries + 1):
            try:
                reply = await self._model.reply(system, task.user, task.number)
            except TargetError as e:
                problem = str(e)
                if any(status in problem for status in _FINAL):
                    break
                continue
            self._pay(reply.usage.model_dump() if reply.usage else {}, reply.gap, spent)
            try:
                return reply.text, ("made", _read(task, reply))
            except ReplyProblem as e:
                problem = f"{e.code}: {e}"
                system = (
                    f"{task.kind.system}\n\nYour last reply could not be used ({problem}). Reply in the form above."
                )
        return "", ("failed", problem)

    def _pay(self, used: Mapping[str, Any], gap: str, spent: _Spent) -> None:
        """Add up, and stop where no more may be spent."""
        spent.add(used)
        self._total.add(used)
        most, cost = self._settings.max_cost_usd, self._total.counts["cost_usd"]
        if most is None or self._stopped:
            return
        if cost is None:
            self._stopped = f"`max_cost_usd` cannot be kept, the cost is not known: {gap or 'not reported'}"
        elif cost >= most:
            self._stopped = f"`max_cost_usd` is used up: {cost:.4f} of {most:g} USD"


def _folded(samples: Sequence[Scored]) -> dict[str, Any]:
    """Return the judgement over all samples: means of numbers, their spread, and the words of the first."""
    first = samples[0]
    values = {name: [sample.scores[name] for sample in samples] for name in first.scores}
    numeric = {name: list(map(float, found)) for name, found in values.items() if all(map(is_score, found))}
    scores = {
        name: fsum(numeric[name]) / len(samples) if name in numeric else found[0] for name, found in values.items()
    }
    folded: dict[str, Any] = {"scores": scores}
    if len(samples) > 1:
        folded["samples"] = numeric
        folded["spread"] = {name: max(found) - min(found) for name, found in numeric.items()}
    details = {"reasons": dict(first.reasons), "counts": dict(first.counts), "caps": list(_caps(samples))}
    return folded | {key: value for key, value in details.items() if value}


def is_score(value: Any) -> bool:
    """Tell whether a value can be averaged; true and false count as 1 and 0."""
    return isinstance(value, bool | int | float)


def _caps(samples: Iterable[Scored]) -> Iterator[dict[str, Any]]:
    """Yield each cap once, with the highest score that it lowered."""
    seen: dict[tuple[str, str], dict[str, Any]] = {}
    for sample in samples:
        for cap in sample.caps:
            known = seen.setdefault((cap.metric, cap.why), asdict(cap))
            known["before"] = max(known["before"], cap.before)
    yield from seen.values()
