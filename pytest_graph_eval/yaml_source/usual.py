"""Reads the YAML that most files are made of into data alone, as fast as the parser's events come.

Places are worked out when one is asked for: then `reader` reads the text once more. So it does, too, with whatever
has a problem or is unusual here: anchors, tags, merges, limits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import yaml

from pytest_graph_eval.models.scalars import Scalar
from pytest_graph_eval.yaml_source.hints import Pitfalls
from pytest_graph_eval.yaml_source.rules import MAX_DEPTH, MAX_VALUES, Loader, resolve

_DEPTH_OF_ITEMS = 5
"""So deep are the rows of a scenario."""


class Usual(NamedTuple):
    """The data of a text with some marks: of its top keys and, by their `id`, of itself and of mappings in lists."""

    data: Any
    keys: dict[str, Any]
    items: dict[int, Any]


def read_usual(text: str, pitfalls: Pitfalls) -> Usual | None:
    """Return the data of a text that is a mapping or a list; None where anything is to be said about it."""
    events = Loader(text)
    try:
        return _read(events.get_event, text, pitfalls)
    except yaml.MarkedYAMLError:
        return None
    finally:
        events.dispose()


def _read(get: Any, text: str, pitfalls: Pitfalls) -> Usual | None:  # noqa: C901, PLR0912, PLR0915 - one loop over all events is what makes it fast
    scalar, mapping, sequence = yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent
    ends = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
    unusual = (yaml.AliasEvent, yaml.DocumentStartEvent)
    marked, odd = "&" in text or "!" in text, pitfalls.any
    known: dict[str, Any] = {}
    names: dict[str, str] = {}
    top: dict[str, Any] = {}
    items: dict[int, Any] = {}
    stack: list[tuple[Any, Any, Any]] = []
    found: Any = None
    data: Any = None
    add: Any = None  # what takes the next item of a list; None in a mapping
    key: Any = None  # the key whose value comes next
    start: Any = None  # where it stands
    for number, event in enumerate(iter(get, None)):
        if number > MAX_VALUES:
            return None
        kind = event.__class__
        if kind is scalar:
            value = event.value
            if marked and (event.tag is not None or event.anchor is not None):
                return None
            if add is None and key is None:
                if data is None or value in data or value == "<<":
                    return None
                key, start = names.setdefault(value, value), event.start_mark
                if len(stack) == 1:
                    top[key] = start
                continue
            if not event.style:
                if odd and any(pitfalls.of_scalar(event)):
                    return None
                meaning = known.get(value)
                if meaning is None:
                    meaning = resolve(value)
                    known[value] = meaning = value if meaning is value else Scalar(value, meaning)
                value = meaning
            if add is not None:
                add(value)
                continue
            if value.__class__ is Scalar and value.value is None:
                if any(pitfalls.of_empty_value(key, start, event.start_mark)):
                    return None
                value = None
            data[key] = value
            key = None
        elif kind is mapping or kind is sequence:
            if marked and (event.tag is not None or event.anchor is not None):
                return None
            if (add is None and key is None and stack) or len(stack) >= MAX_DEPTH:
                return None
            stack.append((data, add, key))
            data, key = ({}, None) if kind is mapping else ([], None)
            if len(stack) == 1 or (add is not None and kind is mapping and len(stack) <= _DEPTH_OF_ITEMS):
                items[id(data)] = event.start_mark
            add = data.append if kind is sequence else None
        elif kind in ends:
            value = data
            data, add, key = stack.pop()
            if add is not None:
                add(value)
            elif stack:
                data[key] = value
                key = None
            else:
                found = value
        elif kind in unusual and (number > 1 or kind is yaml.AliasEvent):
            return None
    return None if found is None else Usual(found, top, items)
