"""Tells what of a reply a mapping leaves out, and what it looks for in vain; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from pytest_graph_eval.errors import ReplyError
from pytest_graph_eval.models.settings import ResponseMap
from pytest_graph_eval.targets.reply.items import FIELDS
from pytest_graph_eval.targets.reply.mapping import map_reply, mapped_paths
from pytest_graph_eval.targets.reply.paths import ABSENT, found_at, is_optional

_GROUPS = {"entities": "entity_fields", "relationships": "relationship_fields", "chunks": "chunk_fields"}
_ITEMS = 20
"""Items of a list that are looked at."""


def unmapped(reply: Any, rules: ResponseMap) -> list[tuple[str, Any]]:
    """Return path and value of what stands in a reply and no mapped path leads to; the topmost of each."""
    reply = found_at(reply, rules.root or "")
    # What is read whether it is mapped or not: `refuse_error` looks at these.
    paths = [path for _, path in mapped_paths(rules)] + ["status", "error"]
    known = {_steps(part) for path in paths for part in path.removesuffix("?").split("|")}
    return list(_uncovered(reply, "", known)) if isinstance(reply, Mapping | list) else []


def _steps(path: str) -> tuple[str, ...]:
    """Return the keys and numbers of a path; all items of a list are as one."""
    return tuple(step for step in re.findall(r"[^.\[\]]+", path.strip()) if step != "*")


def _uncovered(value: Any, path: str, known: set[tuple[str, ...]]) -> Iterator[tuple[str, Any]]:
    steps = _steps(path)
    if steps in known:
        return
    if not any(mapped[: len(steps)] == steps for mapped in known):
        yield path, value
    elif isinstance(value, Mapping):
        for key, member in value.items():
            yield from _uncovered(member, f"{path}.{key}" if path else str(key), known)
    elif isinstance(value, list) and len({type(item) for item in value}) > 1:  # a tuple (answer, context)
        for number, item in enumerate(value[:_ITEMS]):
            yield from _uncovered(item, f"{path}[{number}]", known)
    elif isinstance(value, list) and value:
        yield from _uncovered(value[0], f"{path}[*]", known)


def unfound(reply: Any, rules: ResponseMap) -> list[tuple[str, str]]:
    """Return part and path of what a mapping looks for and the reply does not have, in items of lists, too.

    What is optional may be missing, and so may descriptions.
    """
    rooted = found_at(reply, rules.root or "")
    if not isinstance(rooted, Mapping | list):
        return []
    needed = [(name, path) for name, path in mapped_paths(rules) if not is_optional(getattr(rules, name))]
    absent = [(name, path) for name, path in needed if found_at(rooted, path) is ABSENT]
    with suppress(ReplyError):
        response = map_reply(reply, rules)
        for part, group in _GROUPS.items():
            items = getattr(response, part)
            for field, path in {**FIELDS[group], **getattr(rules, group)}.items() if items else ():
                if field != "description" and not any(getattr(item, field) for item in items):
                    absent.append((f"{part}[*].{field}", path))
    return absent
