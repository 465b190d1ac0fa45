"""Dotted paths into JSON data: `a.b[0].c[*].name`, alternatives with `|`, a trailing `?` for an optional one.

`a|b` is the first of the two that is there. A path that ends in `?` says that its absence means "not reported"
rather than "empty"; what that makes of a reply is decided in `mapping`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_graph_eval.texts import cut


class PathError(ValueError):
    """The data does not have the shape that a path walks through, or the path itself is malformed."""


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final[Any] = _Absent()
"""What `find` returns where nothing stands, as opposed to a null."""

_STEP = re.compile(r"(?P<key>[^.\[\]|?]+)|\[(?:(?P<index>-?\d+)|(?P<each>\*))\]")


class _Each:
    pass


_STAR = _Each()
_Step = str | int | _Each


@functools.lru_cache(maxsize=1024)
def _alternatives(path: str) -> tuple[tuple[_Step, ...], ...]:
    return tuple(_steps(p.strip(), path) for p in path.removesuffix("?").split("|"))


def _steps(text: str, path: str) -> tuple[_Step, ...]:
    steps: list[_Step] = []
    position = 0
    while position < len(text):
        if steps and text[position] == ".":
            position += 1
            needs_key = True
        else:
            needs_key = False
        match = _STEP.match(text, position)
        if match is None or (needs_key and match["key"] is None) or (steps and match["key"] and not needs_key):
            raise PathError(f"{path!r} is no path at {text[position:]!r}; write `a.b[0].c[*].d`")
        steps.append(match["key"] or (_STAR if match["each"] else int(match["index"])))
        position = match.end()
    return tuple(steps)


def check_path(path: str) -> None:
    """Raise `PathError` when `path` is malformed."""
    _alternatives(path)


def is_optional(path: str) -> bool:
    """Tell whether the absence of `path` means "not reported"."""
    return path.endswith("?")


def first_keys(path: str) -> list[str]:
    """Return the keys that the alternatives of `path` begin with."""
    return [steps[0] for steps in _alternatives(path) if steps and isinstance(steps[0], str)]


def find(data: Any, path: str) -> Any:
    """Return what stands at `path` in `data`, `ABSENT` where nothing does; `[*]` gives one flat list.

    A null on the way ends the walk: what is below it is absent. Of several alternatives the first that holds
    something counts, else a null one, else nothing.

    Alternatives for a list at the top and for an object there (`[0]|answer`) are each for their form of reply.

    Raises:
        PathError: something on the way has another shape; the message says where, what was found and expected.
    """
    result = ABSENT
    alternatives = _alternatives(path)
    for steps in [a for a in alternatives if _begins(data, a)] or alternatives:
        value = _walk(data, steps, "")
        if value is not ABSENT and value is not None:
            return value
        if result is ABSENT:
            result = value
    return result


def found_at(data: Any, path: str) -> Any:
    """Return what `find` returns, and `ABSENT` also where the data have another shape."""
    try:
        return find(data, path)
    except PathError:
        return ABSENT


def _begins(data: Any, steps: Sequence[_Step]) -> bool:
    """Tell whether the first step of a path can be taken."""
    return not steps or isinstance(data, Mapping if isinstance(steps[0], str) else list)


def _walk(value: Any, steps: Sequence[_Step], walked: str) -> Any:
    for i, step in enumerate(steps):
        if value is None:
            return ABSENT
        if isinstance(step, _Each):
            return _each(value, steps[i + 1 :], walked)
        if isinstance(step, int):
            _expect(value, list, walked, "a list")
            value = value[step] if -len(value) <= step < len(value) else ABSENT
            walked += f"[{step}]"
        else:
            _expect(value, Mapping, walked, "an object")
            value = value.get(step, ABSENT)
            walked += f".{step}" if walked else step
        if value is ABSENT:
            return ABSENT
    return value


def _each(value: Any, steps: Sequence[_Step], walked: str) -> list[Any]:
    _expect(value, list, walked, "a list")
    found: list[Any] = []
    for i, item in enumerate(value):
        part = _walk(item, steps, f"{walked}[{i}]")
        if part is ABSENT or (part is None and steps):
            continue
        found.extend(part if any(isinstance(s, _Each) for s in steps) else [part])
    return found


def _expect(value: Any, kind: type[Any], walked: str, expected: str) -> None:
    if not isinstance(value, kind):
        raise PathError(f"{walked or 'the reply'} is {described(value)}; {expected} is expected")


def described(value: Any) -> str:
    """Return a few words on `value` for messages, never more than its beginning."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text {cut(value, 60, '...')!r}"
        case Mapping():
            keys = ", ".join(str(k) for k in list(value)[:6])
            return f"an object with the keys {keys}{', ...' if len(value) > 6 else ''}" if value else "an empty object"
        case list() | tuple():
            return f"a list of {len(value)}"
        case _:
            return "nothing" if value is ABSENT else f"a {type(value).__name__}"
