"""Records, scenarios and baselines for the tests of the gate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_graph_eval.gate.comparison.baseline import Baseline, build
from pytest_graph_eval.gate.comparison.pairing import Scope
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import digest

SUITE = "a.graph.yaml"
WHOLE = Scope(whole=frozenset({SUITE}))


def identity(id_: str, **more: Any) -> dict[str, Any]:
    return {"question": f"What is {id_}?", **more}


def record(
    id_: str, status: str = "PASS", *, suite: str = SUITE, asks: dict[str, Any] | None = None, **more: Any
) -> Record:
    return Record(id=id_, suite=suite, status=status, fingerprint=digest(asks or identity(id_)), **more)


def records(statuses: str, **more: Any) -> list[Record]:
    """Return records q0, q1, ... of statuses by their first letter: P F E I S."""
    words = {w[0]: w for w in ("PASS", "FAIL", "ERROR", "INCONCLUSIVE", "SKIPPED")}
    return [record(f"q{n}", words[letter], **more) for n, letter in enumerate(statuses)]


def repeated(id_: str, statuses: str, scores: dict[str, float] | None = None, **more: Any) -> Record:
    """Return the record of a scenario that was asked several times, PASS when all of them passed."""
    kept = [{"status": "PASS" if s == "P" else "FAIL", "scores": scores or {}} for s in statuses]
    return record(id_, "PASS" if set(statuses) == {"P"} else "FAIL", repeats=kept, **more)


def baseline(found: Iterable[Record], **more: Any) -> Baseline:
    found = list(found)
    return build(found, {(r.suite, r.id): identity(r.id) for r in found}, **more)
