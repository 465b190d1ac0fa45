"""Has the records of a run judged, suite by suite, as each suite's `judge:` says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.loader import LoadedSuite
from pytest_graph_eval.models.conversations import turn_record
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import fingerprint, turns_of
from pytest_graph_eval.redaction import Redactor

if TYPE_CHECKING:
    from pytest_graph_eval.metrics.judge.cases import Case
    from pytest_graph_eval.targets.loop import LoopThread


@dataclass(slots=True)
class Judged:
    """What came of judging: how many records were given a judgement or a reason for none, and what to tell of it."""

    records: int = 0
    notes: list[str] = field(default_factory=list)


def mark_unjudged(record: Record, suite: LoadedSuite | None, why: str) -> None:
    """Put on a record that was measured which judgements its suite asks for, and why they are not made yet."""
    if suite is None or suite.judge is None or record.judge.get("scores"):  # a resumed one may have been judged
        return
    from pytest_graph_eval.evaluation.judging import not_made

    settings = suite.judge
    _put(record, [not_made(settings, why) for _ in _asked(record)])


def _asked(record: Record) -> list[tuple[int, Record]]:
    """Return what is judged for itself, where it was measured: each turn of a conversation, else the record."""
    from pytest_graph_eval.evaluation.judging import can_be_judged

    turns = [(row["turn"], turn_record(record, row)) for row in record.turns] or [(1, record)]
    return [(number, turn) for number, turn in turns if can_be_judged(turn)]


def _put(record: Record, found: Sequence[dict[str, Any]]) -> None:
    """Put judgements on a record, in the order of `_asked`; those of a turn stand in its row as well."""
    if not found:
        return
    if not record.turns:
        record.judge = found[0]
        return
    from pytest_graph_eval.evaluation.judging import joined

    numbered = list(zip([number for number, _ in _asked(record)], found, strict=True))
    rows = {row["turn"]: row for row in record.turns}
    for number, judge in numbered:
        rows[number]["judge"] = judge
    record.judge = joined(numbered)


def judge_records(
    records: Sequence[Record],
    suite_of: Callable[[str], LoadedSuite | None],
    loop: LoopThread,
    *,
    cache: Path | None = None,
) -> Judged:
    """Put the judgements on the records that were measured and whose suite has a judge.

    Whatever happens to the judge, the records stay; what it was told to do and did not do stands in them.

    Args:
        records: of any number of suites; they are changed.
        suite_of: returns a suite by its key, None where it cannot be loaded.
        loop: where to ask.
        cache: the folder in which replies are kept; without one each judgement is made anew.
    """
    from pytest_graph_eval.evaluation.judging import Judging
    from pytest_graph_eval.targets.judge_cache import JudgeCache

    groups: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records:
        groups[record.suite].append(record)
    judged, kept = Judged(), None
    try:
        for key, group in groups.items():
            suite = suite_of(key)
            if suite is None or suite.judge is None:
                continue
            if kept is None and cache is not None and suite.judge.cache:
                kept = JudgeCache(cache)
            cases = [_cases(record, suite) for record in group]
            flat = [case for some in cases for case in some]
            judging = Judging(suite.judge, flat, folder=suite.folder, cache=kept, where=key)
            results = iter(loop.run(judging.run()) if flat else ())
            redactor = Redactor(judging.secrets)
            for record, some in zip(group, cases, strict=True):
                _put(record, [redactor.value(next(results)) for _ in some])
                judged.records += bool(some)
            judged.notes += [f"{suite.name}: {note}" for note in judging.notes]
    finally:
        if kept is not None:
            kept.close()
    return judged


def _cases(record: Record, suite: LoadedSuite) -> list[Case]:
    """Return what is to be judged of a record; references come from its scenario, if it is still what was run."""
    from pytest_graph_eval.metrics.judge.cases import case_of

    found = suite.find(record.id)
    same = found is not None and fingerprint(found[1].scenario) == record.fingerprint
    turns = turns_of(found[1].scenario) if found is not None and same else []
    said = [turn_record(record, row) for row in record.turns]
    return [case_of(turn, turns[n - 1] if turns else None, said[: n - 1]) for n, turn in _asked(record)]
