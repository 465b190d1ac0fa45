"""What building a scenario gives: its questions, what their answers must satisfy, and the facts that they rest on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Spec = Mapping[str, str]
"""The arguments of a kind, plain texts: names as the catalog has them, relation types, languages, instants."""

Fact = tuple[str, ...]
"""One fact that an answer rests on: what it is, what it is about, what it says."""


class Unanswerable(Exception):  # noqa: N818 - it is an outcome of asking, not an error
    """The graph does not answer a question, or not with one answer; the text says why, for the coverage."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One question and what its answer must satisfy; `expect` is as in a suite's `expect:`."""

    question: str
    gold_answer: str | None = None
    expect: Mapping[str, Any] = field(default_factory=dict)
    source_entities: tuple[str, ...] = ()
    source_chunks: tuple[str, ...] = ()
    query_hints: str = ""
    requires_yoy: bool = False
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A scenario in the making: its turns (one for a lone question) and the facts that they rest on.

    `settings` are further keys of the scenario, such as `skip` or `metrics`.
    """

    asks: tuple[Ask, ...]
    used: frozenset[Fact]
    tags: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


def digest_of(used: Iterable[Fact]) -> str:
    """Return 12 hex digits over facts, whatever their order."""
    text = json.dumps(sorted(map(list, set(used))), ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
