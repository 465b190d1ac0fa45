"""The rows that every report shows of a comparison with the baseline, out of the summary's `baseline` and `power`.

`gate/comparison` makes the blocks; a key that is not there is shown as nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.gate.figures import figure
from pytest_graph_eval.gate.summary import Summary
from pytest_graph_eval.reports.rows import Tone, label
from pytest_graph_eval.texts import listed, many

if TYPE_CHECKING:
    from pytest_graph_eval.gate.comparison.differences import Row

_NAMES = 6
_LISTS: tuple[tuple[str, str, Tone], ...] = (
    ("worse", "Worse", "bad"),
    ("better", "Better", "good"),
    ("vanished", "Vanished", "bad"),
    ("changed", "Changed Scenarios", ""),
    ("added", "New Scenarios", ""),
    ("not_run", "Not Run", ""),
)


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """The pass rate or a metric in the baseline and now, over the same scenarios."""

    label: str
    before: str
    now: str
    change: str
    interval: str
    n: str
    p: str
    tone: Tone


def comparison_rows(summary: Summary) -> Iterator[tuple[str, str, Tone]]:
    """Yield label, text and tone of what was compared, which scenarios flipped, and what could have been seen."""
    block = summary.baseline
    paired, sure = block.get("n_paired", 0), block.get("n_deterministic", 0)
    yield "Compared", f"{many(paired, 'scenario')}{f', {sure} on a target without noise' if sure else ''}", ""
    for key, heading, tone in _LISTS:
        names = block.get(key) or []
        if names or key == "worse":
            yield heading, f"{len(names)} ({listed(names, _NAMES)})" if names else "none", tone if names else "good"
    aside = [f"{name} {why}" for name, why in (block.get("set_aside") or {}).items()]
    if aside:
        yield "Set Aside", f"{len(aside)} ({listed(aside, _NAMES)})", ""
    for group in summary.power.get("groups", ()):
        yield "Smallest Visible Drop", _power(group), ""


def _power(group: Mapping[str, Any]) -> str:
    drop, pairs = group.get("smallest_drop"), many(group.get("n", 0), "pair")
    note = group.get("note") or ""
    if drop is None:
        return f"none with {pairs}{f': {note}' if note else ''}"
    return f"{figure(drop)} of the pass rate, with {100 * group.get('power', 0.8):.0f}% power from {pairs}"


def change_rows(summary: Summary) -> list[ChangeRow]:
    """Return how the pass rate and each metric changed, as the comparison lists them."""
    return [_change_row(change) for change in summary.baseline.get("changes") or ()]


def _change_row(change: Mapping[str, Any]) -> ChangeRow:
    interval, p = change.get("interval"), change.get("p")
    tone: Tone = {"significant_regression": "bad", None: ""}.get(change.get("code"), "warn")  # type: ignore[assignment]  # a word of Tone
    return ChangeRow(
        label=label(change["name"]),
        before=figure(change["before"]),
        now=figure(change["now"]),
        change=f"{change['difference']:+.3f}",
        interval=f"{interval[0]:+.2f} to {interval[1]:+.2f}" if interval else "",
        n=str(change["n"]),
        p="" if p is None else f"{p:.2g}",
        tone=tone,
    )


def drift_rows(summary: Summary) -> list[str]:
    """Return what each scenario lost and gained since the baseline, the largest change first."""
    return [_drift(row) for row in summary.baseline.get("drift") or ()]


def _drift(row: Mapping[str, Any]) -> str:
    parts = [f"{word} {listed(row[word], _NAMES)}" for word in ("lost", "gained") if row.get(word)]
    return f"{row['id']}: {row['kind']} {figure(row['share'])}: {'; '.join(parts)}"


def worst_rows(summary: Summary) -> list[Row]:
    """Return the scenarios that fell furthest, each with the quantity that did."""
    from pytest_graph_eval.gate.comparison.differences import Row

    return [Row.model_validate(row) for row in summary.baseline.get("worst") or ()]


def difference_cells(row: Row) -> tuple[str, str, str, str, str]:
    """Return one quantity of one scenario in two runs: scenario, quantity, before, now, change."""
    before, now = figure(row.before), figure(row.now)
    if row.statuses:
        # The rate of a single asking says no more than its status.
        before, now = (
            status if rate in (0, 1) else f"{status} {text}"
            for status, rate, text in zip(row.statuses, (row.before, row.now), (before, now), strict=True)
        )
    return row.name, row.quantity, before, now, "" if row.change is None else f"{row.change:+.3f}"
