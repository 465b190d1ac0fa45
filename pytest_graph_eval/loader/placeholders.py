"""Placeholders in a target's settings that are written almost right, and would be sent as they stand."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Any

from pytest_graph_eval.models.validation import Finding, Loc

_ALONE = re.compile(r"\s*\{(\w+)\}\s*")
_ANYWHERE = re.compile(r"(?<![{$])\{(\w+)\}(?!\})")
# Where they stand by themselves: other braces there are text, of a query or of JSON.
_DATA = ("arguments", "json_")
# Where no other braces belong.
_TEXTS = ("url", "headers")


def placeholder_findings(spec: Any, base: Loc) -> Iterator[Finding]:
    """Yield the placeholders that nobody fills in, where the name of one that is filled in is near.

    Args:
        spec: the settings of any target.
        base: where they stand.
    """
    for key in (*_DATA, *_TEXTS):
        for place, text in _texts(getattr(spec, key, None), (*base, key.rstrip("_"))):
            names = _ANYWHERE.findall(text) if key in _TEXTS else [m[1] for m in [_ALONE.fullmatch(text)] if m]
            for name in names:
                if near := _meant(name):
                    yield Finding(
                        place, f"unknown placeholder {{{name}}}, did you mean {{{near}}}?", "wrong_value", name
                    )


def _texts(value: Any, place: Loc) -> Iterator[tuple[Loc, str]]:
    if isinstance(value, str):
        yield place, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _texts(item, (*place, key))


def _meant(name: str) -> str:
    """Return the placeholder that is meant; nothing where the name is one, or like none."""
    from pytest_graph_eval.targets.base import Query

    known = [*Query("").placeholders(), "tmp", "worker"]
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.75)
    return near[0] if near and name not in known else ""
