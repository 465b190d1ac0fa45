"""What changed in each scenario between two runs: its pass rate and every metric, worst first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel, ConfigDict

from pytest_graph_eval.gate.comparison.baseline import Place
from pytest_graph_eval.gate.comparison.changes import RATE
from pytest_graph_eval.gate.comparison.pairing import Pair
from pytest_graph_eval.gate.figures import SLACK


class Row(BaseModel):
    """One quantity of one scenario in both runs; None is unscored. `change` is second minus first, None if unknown.

    The quantity is a metric, or `pass_rate` with the statuses beside it.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    """The scenario's id, with its suite where the id is not unique."""
    quantity: str
    before: float | None
    now: float | None
    change: float | None
    statuses: tuple[str, str] | None = None
    worse: bool


def differences(pairs: Iterable[Pair], names: Mapping[Place, str]) -> list[Row]:
    """Return all that changed: lost passes first, then what fell or is not measured any more, most first."""
    return sorted((row for pair in pairs for row in _rows(pair, names[pair.place])), key=_badness)


def _rows(pair: Pair, name: str) -> Iterator[Row]:
    before, now = pair.before, pair.now
    change = now.pass_rate() - before.pass_rate()
    statuses = (before.status, now.status)
    if abs(change) > SLACK or before.status != now.status:
        yield Row(
            name=name,
            quantity=RATE,
            before=before.pass_rate(),
            now=now.pass_rate(),
            change=change,
            statuses=statuses,
            worse=change < -SLACK or (pair.passed_before and not pair.passes_now),
        )
    for metric in sorted(before.metrics() | now.metrics()):
        old, new = before.score(metric), now.score(metric)
        if old is None or new is None:
            if old is not new:
                yield Row(name=name, quantity=metric, before=old, now=new, change=None, worse=new is None)
        elif abs(new - old) > SLACK:
            yield Row(name=name, quantity=metric, before=old, now=new, change=new - old, worse=new < old)


def _badness(row: Row) -> tuple[bool, bool, float, str, str]:
    size = row.change if row.change is not None else (-1.0 if row.worse else 1.0)
    return not row.worse, row.quantity != RATE, size, row.name, row.quantity
