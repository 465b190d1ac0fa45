"""What every reader of a data set returns: its entries with their places, or why it cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_graph_eval.errors import Problem
from pytest_graph_eval.scenario import Scenario

__all__ = ["DataFile", "Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One scenario of a data set and where it stands in its file."""

    scenario: Scenario
    line: int
    col: int


@dataclass(frozen=True, slots=True)
class DataFile:
    """What a data set holds; `refused` says why it cannot be read at all, `documents` what it was made from."""

    entries: Sequence[Entry] = ()
    documents: Sequence[str] = ()
    problems: Sequence[Problem] = ()
    refused: str = ""
