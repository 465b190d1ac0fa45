"""What every reader of a data set takes and returns: data with places, entries, or why it cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ConfigDict, ValidationError

from pytest_graph_eval.errors import Problem
from pytest_graph_eval.models.scalars import Model
from pytest_graph_eval.models.scenario import Scenario, slug
from pytest_graph_eval.models.validation import Loc, describe, dotted

M = TypeVar("M", bound=Model)

MODES = ("append", "replace")
"""Ways to merge two sets."""

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


class Lenient(Model):
    """A part of a data set; keys that the format does not name are left alone."""

    model_config = ConfigDict(extra="ignore")


class Reader:
    """What readers of one file share: where its parts stand, and all that is wrong with them."""

    def __init__(self, position: Position, name: str, prefix: str) -> None:
        """Take what messages call the file (`name`), and what is put before every id (`prefix`)."""
        self.position, self.prefix = position, prefix
        self.first: dict[str, str] = {}
        """Each id, and what messages call the scenario that had it first."""
        self.problems: list[Problem] = []
        self._name = name

    def checked(self, model: type[M], raw: Any, place: Loc, where: str) -> M | None:
        """Return the model of a part of the file, or None after noting what is wrong with it."""
        try:
            return model.model_validate(raw)
        except ValidationError as e:
            for f in describe(e, raw, model):
                at = f"{where}: {dotted(f.loc)}" if f.loc else where
                self.note((*place, *f.loc), f"{at}: {f.message}", f.code, f.key)
            return None

    def is_first(self, id_: str, where: str, place: Loc, why: str) -> bool:
        """Tell whether an id is new in the file; one that is not is noted, and `why` ends the message."""
        first = self.first.setdefault(id_, where)
        if first is not where:
            self.note(place, f"{where}: duplicate id {id_!r}, first in {first}{why}", "duplicate_id", id_)
        return first is where

    def note(self, place: Loc, message: str, code: str, key: str = "") -> None:
        """Note a problem at a place in the file."""
        self.problems.append(Problem(self._name, *self.position(place), message, code, key))


def called(place: str, raw: Any, key: str = "id") -> str:
    """Return what messages call a part: its place and its id."""
    own = raw.get(key) if isinstance(raw, Mapping) else None
    return f"{place} ({str(own)!r})" if isinstance(own, str | int) and not isinstance(own, bool) else place


def own_id(scenario: Scenario) -> str:
    """Return the id in the other project where reading it leads back to the same scenario, else our own."""
    foreign = scenario.source_id
    return foreign if foreign is not None and slug(foreign) == scenario.id else scenario.id


def lost_keys(scenarios: Iterable[Scenario], kept: Iterable[str]) -> list[str]:
    """Return the keys with which these scenarios say something that a format which holds `kept` cannot hold."""
    held = {*kept, "id", "source_id", "rows"}
    default = {key: field.get_default(call_default_factory=True) for key, field in Scenario.model_fields.items()}
    return sorted({key for s in scenarios for key in s.model_fields_set - held if getattr(s, key) != default[key]})


def by_key(base: Mapping[str, Any], incoming: Mapping[str, Any]) -> dict[str, Any]:
    """Return two mappings as one, at every depth; where both have a value, the incoming one wins."""
    merged = dict(base)
    for key, value in incoming.items():
        both = isinstance(value, Mapping) and isinstance(base.get(key), Mapping)
        merged[key] = by_key(base[key], value) if both else value
    return merged
