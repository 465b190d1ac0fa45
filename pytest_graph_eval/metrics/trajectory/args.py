"""Arguments of a tool call against those that were expected: whether they fit, and what differs first."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from pytest_graph_eval.metrics.trajectory.numbers import same_scalar
from pytest_graph_eval.models.steps import ArgsMatch

LONGEST = 80
"""Characters of a value in a message."""


class Difference(NamedTuple):
    """The first place where arguments differ from the expected ones: `page.size`, and both sides in words."""

    path: str
    expected: str
    found: str

    def __str__(self) -> str:
        """Return the difference as part of a sentence."""
        return f"argument {self.path}: {self.expected} expected, {self.found} found"


def args_difference(
    expected: Mapping[str, Any], found: Mapping[str, Any], match: ArgsMatch = "exact", wildcards: Collection[str] = ()
) -> Difference | None:
    """Return the first difference that counts, in the order of the expected arguments; None where the call fits.

    Numbers are compared by value, the order of keys never counts. What holds for the arguments holds for the keys of
    mappings inside them.

    Args:
        expected: the arguments of the reference step.
        found: those of the call, whatever an agent put there.
        match: what the found ones are to the expected ones: `exact`, `superset`, `subset`, or `ignore`.
        wildcards: expected texts that stand for any value (`{"*": "*"}` for any further arguments), and paths of
            arguments that may hold anything or be missing.
    """
    return None if match == "ignore" else _mappings(expected, found, "", match, frozenset(wildcards))


def _mappings(
    expected: Mapping[str, Any], found: Mapping[str, Any], path: str, match: ArgsMatch, wild: frozenset[str]
) -> Difference | None:
    for key, value in expected.items():
        here = f"{path}{key}"
        if key in wild or here in wild:
            continue
        if key not in found:
            if match != "subset":
                return Difference(here, shown(value), "nothing")
        elif difference := _values(value, found[key], here, match, wild):
            return difference
    if match == "superset" or any(key == value and key in wild for key, value in expected.items()):
        return None
    more = (key for key in found if key not in expected and f"{path}{key}" not in wild)
    surplus = next(more, None)
    return None if surplus is None else Difference(f"{path}{surplus}", "nothing", shown(found[surplus]))


def _values(expected: Any, found: Any, path: str, match: ArgsMatch, wild: frozenset[str]) -> Difference | None:
    if isinstance(expected, str) and expected in wild:
        return None
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        return _mappings(expected, found, f"{path}.", match, wild)
    if isinstance(expected, list) and isinstance(found, list | tuple):
        pairs = zip(expected, found, strict=False)
        inside = (_values(one, other, f"{path}[{n}]", match, wild) for n, (one, other) in enumerate(pairs))
        if difference := next(filter(None, inside), None):
            return difference
        if len(expected) == len(found):
            return None
        return Difference(path, f"{len(expected)} items", f"{len(found)}")
    same = same_scalar(expected, found, exact=True)
    return None if same else Difference(path, shown(expected), shown(found))


def shown(value: Any, longest: int = LONGEST) -> str:
    """Return a value as JSON for a message, whatever it is, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=lambda other: f"<{type(other).__name__}>")
    except (TypeError, ValueError, RecursionError):  # keys that are no texts, data that holds itself
        text = f"a {type(value).__name__} that is no JSON"
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
