"""The prompts: files of ours, each with a version in its name; a change of a text is a new version."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib.resources import files

VERSIONS = {"rubric": 1, "claims": 1, "relevance": 1, "retrieval": 1, "custom": 1}


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a judge is told: `name` is kind and version (`rubric/1`), as results show it."""

    name: str
    text: str


@functools.cache
def prompt(kind: str) -> Prompt:
    """Return the present prompt of a kind of judgement."""
    version = VERSIONS[kind]
    path = files(__package__) / "prompts" / f"{kind}.{version}.md"
    return Prompt(f"{kind}/{version}", path.read_text(encoding="utf-8").strip())
