"""What every reader of a data set takes and returns: data with places, entries, or why it cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pytest_graph_eval.errors import Problem
from pytest_graph_eval.scenario import Scenario, slug

__all__ = ["DataFile", "Entry", "Position", "lost_keys", "own_id"]

Position = Callable[[tuple[str | int, ...]], tuple[int, int]]
"""Returns line and column of what stands at a path in the data, or of the nearest thing around it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One scenario of a data set and where it stands in its file; `flags` go onto its record."""

    scenario: Scenario
    line: int
    col: int
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DataFile:
    """What a data set holds; `refused` says why it cannot be read at all, `documents` what it was made from."""

    entries: Sequence[Entry] = ()
    documents: Sequence[str] = ()
    problems: Sequence[Problem] = ()
    refused: str = ""


def own_id(scenario: Scenario) -> str:
    """Return the id in the other project where reading it leads back to the same scenario, else our own."""
    foreign = scenario.source_id
    return foreign if foreign is not None and slug(foreign) == scenario.id else scenario.id


def lost_keys(scenarios: Iterable[Scenario], kept: Iterable[str]) -> list[str]:
    """Return the keys with which these scenarios say something that a format which holds `kept` cannot hold."""
    held = {*kept, "id", "source_id", "rows"}
    default = {key: field.get_default(call_default_factory=True) for key, field in Scenario.model_fields.items()}
    return sorted({key for s in scenarios for key in s.model_fields_set - held if getattr(s, key) != default[key]})
