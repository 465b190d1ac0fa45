"""What came and went since the baseline, without any gold data, and what `expect.stable` makes of it.

Only ids, names and facts are looked at, so timings, scores and wordings never count as drift.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pytest_graph_eval.gate.comparison.baseline import Entry, Place, place_of
from pytest_graph_eval.gate.figures import figure, meets, number
from pytest_graph_eval.metrics.facts import key_facts, normalise, stated
from pytest_graph_eval.models.expect import Stable
from pytest_graph_eval.models.records import Check, Record
from pytest_graph_eval.texts import listed

Kind = Literal["entities", "relationships", "chunks", "facts"]
KINDS: tuple[Kind, ...] = ("entities", "relationships", "chunks", "facts")


class Drift(BaseModel):
    """What of one kind a scenario lost and gained. `share` is the overlap (Jaccard); of facts, the share kept."""

    model_config = ConfigDict(frozen=True)

    suite: str
    id: str
    kind: Kind
    share: float
    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()


def drift(before: Entry, record: Record) -> list[Drift]:
    """Return the change of each kind that is known both times, unchanged ones included."""
    rows = []
    for kind in KINDS:
        old, new = _items(kind, before.retrieved, before.key_facts), _items(kind, record.retrieved, record.key_facts)
        if old is not None and new is not None:
            rows.append(_row(place_of(record), kind, old, new))
    return rows


def drift_table(pairs: Iterable[tuple[Entry, Record]]) -> list[Drift]:
    """Return all that changed, the least overlap first."""
    rows = []
    for before, record in pairs:
        if before.retrieved != record.retrieved or before.key_facts != record.key_facts:
            rows += [row for row in drift(before, record) if row.lost or row.gained]
    return sorted(rows, key=lambda r: (r.share, -len(r.lost), r.suite, r.id, KINDS.index(r.kind)))


def stable_checks(stable: Stable, before: Entry, record: Record) -> list[Check]:
    """Decide `expect.stable` against the scenario's entry in the baseline, one check for each kind with a line.

    The caller has made sure that the fingerprints are the same. A kind that one of the two runs does not report
    is an error, not a failure.
    """
    rows = {row.kind: row for row in drift(before, record)}
    lines: dict[Kind, float | None] = {kind: getattr(stable, kind) for kind in KINDS}
    return [_check(kind, line, rows.get(kind), before) for kind, line in lines.items() if line is not None]


def _check(kind: Kind, line: float, row: Drift | None, before: Entry) -> Check:
    expected = {kind: line}
    if row is None:
        return Check(
            kind="stable", outcome="error", expected=expected, rule="not_reported", message=_unknown(kind, before)
        )
    passed = meets(row.share, line)
    what = "of the baseline's facts kept" if kind == "facts" else f"overlap of {kind} with the baseline"
    message = f"{figure(row.share, [line])} {what}, at least {number(line)} expected"
    if row.lost:
        message += f"; lost: {listed(row.lost)}"
    if row.gained:
        message += f"; new: {listed(row.gained)}"
    found = {"share": row.share, "lost": list(row.lost), "gained": list(row.gained)}
    return Check(
        kind="stable",
        outcome="pass" if passed else "fail",
        expected=expected,
        found=found,
        message=message,
        rule="facts_kept" if kind == "facts" else "jaccard",
    )


def _unknown(kind: Kind, before: Entry) -> str:
    if kind in before.retrieved:
        return f"the target reported no {kind} this time, the baseline has them; map `{kind}` in `response:`"
    return f"the baseline does not know the {kind} of this scenario; map `{kind}` in `response:` and save it anew"


def _items(kind: Kind, retrieved: Mapping[str, Sequence[str]], facts: Sequence[str]) -> dict[str, str] | None:
    """Return the items of one kind by their normalised text; None where the target does not report them."""
    items = facts if kind == "facts" else retrieved.get(kind)
    return None if items is None else {_normal(item): item for item in reversed(items)}


def _normal(text: str) -> str:
    """Return the text without differences of case, width and spacing, which are no drift."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _row(place: Place, kind: Kind, old: Mapping[str, str], new: Mapping[str, str]) -> Drift:
    lost = {key: old[key] for key in old.keys() - new.keys()}
    gained = {key: new[key] for key in new.keys() - old.keys()}
    if kind == "facts" and lost and gained:
        lost, gained = _unstated(lost, gained), _unstated(gained, lost)
    whole = len(old) if kind == "facts" else len(old.keys() | new.keys())
    suite, id_ = place
    return Drift(
        suite=suite,
        id=id_,
        kind=kind,
        # Nothing before and nothing now is no change.
        share=(len(old) - len(lost)) / whole if whole else 1.0,
        lost=tuple(sorted(lost.values())),
        gained=tuple(sorted(gained.values())),
    )


def _unstated(facts: Mapping[str, str], among: Mapping[str, str]) -> dict[str, str]:
    """Return the facts whose figure or date is not among others, however they are written: 3,400 is 3 400."""
    there = normalise(" ;\n".join(among.values()))
    return {
        key: text
        for key, text in facts.items()
        if not any(fact.token and stated(fact, there) for fact in key_facts(normalise(text)))
    }


def judge_stability(record: Record, stable: Stable, before: Entry | None, *, saving: bool) -> Record:
    """Return the record with its stability decided.

    Args:
        record: as scored without a baseline.
        stable: the scenario's lines.
        before: its entry in the baseline, if there is one.
        saving: whether this run is to become the baseline, so that a scenario without an entry is recorded now.
    """
    if record.status in ("ERROR", "SKIPPED") or _nothing_came(record):
        return record
    if before is None or before.fingerprint != record.fingerprint:
        return _without_baseline(record, before, saving=saving)
    checks = stable_checks(stable, before, record)
    broken = [c.message for c in checks if c.outcome == "error"]
    failed = [c.message for c in checks if c.outcome == "fail"]
    update: dict[str, object] = {"checks": [*record.checks, *checks]}
    if broken:
        update |= {
            "status": "ERROR",
            "error": "; ".join(broken),
            "cause": "error",
            "scores": dict.fromkeys(record.scores),
        }
    elif failed:
        earlier = [record.reason] if record.status == "FAIL" and record.reason else []
        reason = "; ".join([*earlier, *failed])
        update |= {"status": "FAIL", "reason": reason, "cause": record.cause or "drifted"}
    elif record.status == "INCONCLUSIVE":
        update |= {"status": "PASS", "reason": None, "cause": None}
    return record.model_copy(update=update)


def _nothing_came(record: Record) -> bool:
    """Tell whether there is nothing to compare: an answer is something, whatever was retrieved for it."""
    empty = record.status == "INCONCLUSIVE" and record.cause in ("no_evidence", "not_in_extraction")
    answers = (record.answer, *(turn.get("answer") for turn in record.turns))
    return empty and not any((answer or "").strip() for answer in answers)


def _without_baseline(record: Record, before: Entry | None, *, saving: bool) -> Record:
    if record.status == "FAIL":
        return record
    if saving:
        return record.model_copy(
            update={"status": "PASS", "reason": None, "cause": None, "flags": [*record.flags, "recorded"]}
        )
    known = "its entry in the baseline asks or expects something else" if before else "it is in no baseline"
    reason = f"no_baseline: `stable` has nothing to compare with, {known}; save one with --graph-eval-save-baseline"
    return record.model_copy(update={"status": "INCONCLUSIVE", "reason": reason, "cause": None})
