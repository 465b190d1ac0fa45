"""Makes the scenarios that run from those that are written: defaults merged in, one for each row. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pytest_graph_eval.models.expect import Budget, Expect, Stable
from pytest_graph_eval.models.scalars import Model
from pytest_graph_eval.models.scenario import Defaults, Scenario, XFail, slug
from pytest_graph_eval.models.steps import ToolRules
from pytest_graph_eval.models.validation import Finding, nearest
from pytest_graph_eval.targets.templates import render

M = TypeVar("M", bound=Model)

_ADDED = ("tags", "marks")
_BY_KEY = (Expect, XFail, Budget, Stable, ToolRules)
_WORD = re.compile(r"\{(\w+)\}")
_ROW_KEY = re.compile(r"\w+")


def with_defaults(scenario: Scenario, defaults: Defaults) -> Scenario:
    """Return the scenario with what the suite's defaults add, and its turns with what it expects of each of them.

    Mappings merge by key, tags and marks add, everything else (lists too) is the scenario's own where it has it.
    """
    scenario = _merged(defaults, scenario) if defaults.model_fields_set else scenario
    if not scenario.turns or not scenario.expect.model_fields_set:
        return scenario
    turns = [t.model_copy(update={"expect": _merged(scenario.expect, t.expect)}) for t in scenario.turns]
    return scenario.model_copy(update={"turns": turns})


def _merged(base: Model, own: M) -> M:
    update = {
        name: _both(name, getattr(base, name), getattr(own, name))
        if name in own.model_fields_set
        else getattr(base, name)
        for name in base.model_fields_set
    }
    return own.model_copy(update=update)


def _both(name: str, base: Any, own: Any) -> Any:
    if name in _ADDED:
        return base + [item for item in own if item not in base]
    if isinstance(base, dict) and isinstance(own, dict):
        return {**base, **{key: _both("", base[key], value) if key in base else value for key, value in own.items()}}
    if isinstance(own, _BY_KEY) and type(base) is type(own):
        return _merged(base, own)
    return own


def filled(data: Mapping[str, Any], row: Mapping[str, str]) -> dict[str, Any]:
    """Return a scenario's data with one row filled in: `{key}` in all texts, and the row's id behind the scenario's.

    Only keys of the row are replaced, and only `{{key}}` is unescaped; every other brace is text.
    """
    scenario = {key: render(value, row) for key, value in data.items() if key not in ("id", "rows")}
    return {**scenario, "id": f"{data['id']}-{row['id']}"}


def row_findings(scenario: Scenario, data: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what is wrong with a scenario's rows: an id missing or repeated, keys that are not used or not given.

    `data` is the scenario as plain data.
    """
    rows = scenario.rows or []
    words = _words({key: value for key, value in data.items() if key not in ("id", "rows")})
    known = {key for row in rows for key in row if key != "id"}
    first: dict[str, int] = {}
    for index, row in enumerate(rows):
        loc = ("rows", index)
        row_id = row.get("id", "")
        if not row_id:
            yield Finding(loc, "a row needs an `id`; its item is named by it", "missing_key", "id")
        elif slug(row_id) != row_id:
            advice = f"letters, digits, `-`, `_`, `.`; try {slug(row_id)!r}"
            yield Finding((*loc, "id"), f"found {row_id!r}, expected {advice}", "wrong_value", row_id)
        elif first.setdefault(row_id, index) != index:
            yield Finding(
                (*loc, "id"), f"duplicate row id {row_id!r}, also in row {first[row_id] + 1}", "duplicate_id", row_id
            )
        for key in row:
            yield from _unused(key, words, (*loc, key))
        for key in sorted((known & words) - row.keys()):
            yield Finding(
                loc, f"the row has no {key!r}, which `{{{key}}}` needs and other rows have", "missing_key", key
            )


def _unused(key: str, words: set[str], loc: tuple[str | int, ...]) -> Iterator[Finding]:
    if not _ROW_KEY.fullmatch(key):
        yield Finding(
            loc, f"a row's key is one word of letters, digits and `_`, found {key!r}", "wrong_value", key, at_key=True
        )
    elif key != "id" and key not in words:
        meant = nearest(key, sorted(words))
        yield Finding(
            loc, f"the row's key {key!r} is not used: no text has `{{{key}}}`{meant}", "unknown_key", key, at_key=True
        )


def _words(value: Any) -> set[str]:
    """Return all words that stand in braces in the texts of `value`."""
    if isinstance(value, str):
        return set(_WORD.findall(value))
    if isinstance(value, Mapping):
        value = list(value.values())
    return {word for item in value for word in _words(item)} if isinstance(value, list | tuple) else set()
