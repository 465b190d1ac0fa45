"""Guesses from the shape of a reply where its parts stand; pure.

The guesses go by the names that public graph and retrieval servers use. What is a list of edges, of nodes, of texts or
of tool calls is told by the fields of its items, with its own name as a hint; a guess is only ever shown to people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_graph_eval.errors import ReplyError
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import ResponseMap
from pytest_graph_eval.targets.reply.items import FIELDS, LISTS
from pytest_graph_eval.targets.reply.mapping import map_reply, mapped_paths
from pytest_graph_eval.targets.reply.messages import message_list
from pytest_graph_eval.targets.reply.paths import ABSENT, found_at
from pytest_graph_eval.targets.reply.presets import NATIVE, PRESETS

PARTS = ("answer", "entities", "relationships", "chunks", "tool_calls", "usage")
"""The parts of a reply that scores and checks are made of."""

_PRESETS = {
    "mcp": ("generic-mcp", "preciso"),
    "http": ("native", "lightrag", "lightrag /query", "graphrag", "openai-chat"),
    "python": ("graphrag", "openai-chat"),
}
_ITEMS = 20
"""Items of a list that are looked at."""
_DEPTH = 6

_NAMES = {
    "relationships": "relationships relations edges links triples triplets facts",
    "entities": "entities nodes vertices concepts",
    "tool_calls": "tool_calls toolCalls tools_used calls steps trajectory actions",
    "chunks": "chunks text_chunks passages text_units documents docs contexts context sources source_documents hits "
    "snippets results matches evidence retrieved",
    "references": "references citations sources",
}
_REQUIRED = {
    "relationships": ("source", "target"),
    "tool_calls": ("name", "args"),
    "chunks": ("content",),
    "entities": ("name",),
}
"""The fields without which an item is none of its kind; kinds in the order in which they are told apart."""

_SYNONYMS: dict[str, dict[str, str]] = {
    "relationships": {
        "source": "subject head start src from_node source_name source_node source_node_uuid",
        "target": "object tail end tgt dst to_node target_name target_node target_node_uuid",
        "type": "relation predicate label relationship relation_type edge_type kind name",
        "description": "fact text summary content",
    },
    "tool_calls": {"name": "tool toolName function", "args": "tool_input parameters params"},
    "chunks": {
        "id": "passage_id document_id doc_id uuid file_path source url reference_id",
        "content": "body passage chunk snippet fact summary document text_content pageContent",
    },
    "entities": {
        "name": "label display_name node value id",
        "type": "label labels category kind group",
        "description": "summary desc text definition content",
    },
}
"""What else the fields of items are called, besides the names that are known anyway."""

_ANSWERS = (
    "answer", "response", "final_answer", "output_text", "generated_text", "completion", "reply", "result", "output",
    "text", "content", "summary",
)  # fmt: skip
_WEAK = frozenset({"result", "output", "text", "content", "summary"})
"""Names under which some servers return the evidence once more, as one text."""
_TEXTS = {"mode": ("query_mode", "mode", "search_mode"), "intent": ("intent",), "as_of": ("as_of", "valid_at")}
_TOKENS = frozenset({"input_tokens", "output_tokens", "total_tokens", "prompt_tokens", "completion_tokens"})


@dataclass(frozen=True, slots=True)
class Suggestion:
    """How a reply can be mapped: by a preset, else by `response:`."""

    preset: str | None
    """Empty where nothing has to be said, because the reply is read as it is; None where no preset fits."""
    response: dict[str, Any]
    """What the shape of the reply lets guess, also where a preset finds it."""
    rules: ResponseMap
    sizes: dict[str, int]
    """Part to how many of it are found so."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A value of the reply, and the path to it."""

    path: str
    key: str
    value: Any


def suggest(reply: Any, kind: str, question: str = "") -> Suggestion:
    """Return how to map a reply.

    A preset is suggested where it finds all that a guess from the shape finds.

    Args:
        reply: as decoded.
        kind: of the target: mcp, http or python.
        question: what was asked; in a list of messages, what follows it counts.
    """
    response = guess_response(reply)
    guess = ResponseMap(**response)
    sizes = part_sizes(reply, guess, question)
    for name in _PRESETS.get(kind, ()):
        rules = NATIVE if name == "native" else PRESETS[name].response
        found = part_sizes(reply, rules, question)
        if all(found[part] >= size for part, size in sizes.items()) and (response or not isinstance(reply, Mapping)):
            return Suggestion("" if rules is NATIVE else name.partition(" ")[0], response, rules, found)
    return Suggestion(None, response, guess, sizes)


def part_sizes(reply: Any, rules: ResponseMap, question: str = "") -> dict[str, int]:
    """Return how many of each of `PARTS` a mapping finds: items of lists, else 1; 0 is there and empty, -1 not there.

    A reply that cannot be mapped so has none.
    """
    try:
        response = map_reply(reply, rules, question)
    except ReplyError:
        return dict.fromkeys(PARTS, -1)
    return {part: _size(reply, rules, response, part) for part in PARTS}


def _size(reply: Any, rules: ResponseMap, response: Response, part: str) -> int:
    value = getattr(response, part)
    if isinstance(value, list):
        return len(value) if value or _stands(reply, rules, part) else -1
    return -1 if value is None else int(bool(value))


def _stands(reply: Any, rules: ResponseMap, part: str) -> bool:
    """Tell whether a mapped list is really there, be it empty."""
    return any(
        name == part and found_at(found_at(reply, rules.root or ""), path) is not ABSENT
        for name, path in mapped_paths(rules)
    )


def guess_response(reply: Any) -> dict[str, Any]:
    """Return what stands under `response:` for a reply of this shape; empty where nothing in it is known."""
    if not isinstance(reply, Mapping | list):
        return {}
    places = list(_places(reply))
    guess: dict[str, Any] = {}
    lists = _lists(places)
    messages = next(_messages(places), "")
    if messages:
        guess["messages"] = messages
        lists.pop("tool_calls", None)
    guess |= {kind: place.path for kind, place in lists.items()}
    for kind, place in lists.items():
        if (fields := _fields(place.value, kind)) and (group := _group(kind)):
            guess[group] = fields
    if not messages and (answer := _answer(places, lists)):
        guess["answer"] = answer
    guess |= _singles(places)
    groups = {_group(part): part for part in guess}
    return {name: found for name, found in guess.items() if _is_readable(reply, groups.get(name, name), guess)}


def _is_readable(reply: Any, part: str, guess: Mapping[str, Any]) -> bool:
    """Tell whether a part can be read as it was guessed; what only looks like tokens or messages cannot."""
    rules = {key: guess[key] for key in (part, _group(part)) if key in guess}
    try:
        map_reply(reply, ResponseMap(**rules))
    except ReplyError:
        return False
    return True


def _messages(places: Sequence[_Place]) -> Iterator[str]:
    """Yield where messages of a chat stand: a list of them, or that of the first choice."""
    for place in places:
        if isinstance(place.value, list) and place.path != "[*]":
            if message_list(place.value):
                yield place.path
            elif place.key == "choices" and found_at(place.value, "[0].message") is not ABSENT:
                yield f"{place.path}[0].message"


def _places(value: Any, path: str = "", depth: int = 0) -> Iterator[_Place]:
    """Yield every object's members, and every list, down to lists inside the items of lists."""
    if depth > _DEPTH:
        return
    if isinstance(value, list):
        if not path and _is_even(value):
            yield _Place("[*]", "", value)
        yield from _of_items(value, path, depth)
    elif isinstance(value, Mapping):
        for key, member in value.items():
            if not isinstance(key, str) or re.search(r"[.\[\]|?,]", key) or not key:
                continue  # no path can name it
            inner = f"{path}.{key}" if path else key
            yield _Place(inner, key, member)
            yield from _places(member, inner, depth + 1)


def _of_items(items: list[Any], path: str, depth: int) -> Iterator[_Place]:
    """Yield what stands in a list whose items differ (`[1].nodes`), and lists inside of like items (`[*].nodes`)."""
    if message_list(items) is not None:
        return
    if not _is_even(items):
        for number, item in enumerate(items[:_ITEMS]):
            yield _Place(f"{path}[{number}]", "", item)
            yield from _places(item, f"{path}[{number}]", depth + 1)
        return
    objects = [item for item in items[:_ITEMS] if isinstance(item, Mapping)]
    for key in dict.fromkeys(key for item in objects for key, member in item.items() if isinstance(member, list)):
        inner = f"{path}[*].{key}[*]"
        if isinstance(key, str) and isinstance(found := found_at(items, f"[*].{key}[*]"), list):
            yield _Place(inner, key, found)


def _is_even(items: list[Any]) -> bool:
    return len({type(item) for item in items}) <= 1


def _lists(places: Sequence[_Place]) -> dict[str, _Place]:
    """Return the best list of each kind: one named so before others, with items before empty, then the first."""
    best: dict[str, tuple[tuple[bool, bool, int], _Place]] = {}
    for number, place in enumerate(places):
        if not isinstance(place.value, list) or place.key == "choices" or message_list(place.value):
            continue
        kind = _kind(place)
        if kind is None:
            continue
        rank = (not _is_named(place, kind), not place.value, number)
        if kind not in best or rank < best[kind][0]:
            best[kind] = (rank, place)
    return {kind: best[kind][1] for kind in LISTS if kind in best}


def _is_named(place: _Place, kind: str) -> bool:
    return place.key in _NAMES[kind].split()


def _kind(place: _Place) -> str | None:
    """Tell what the items of a list are."""
    items, named = place.value[:_ITEMS], [kind for kind in _NAMES if _is_named(place, kind)]
    if not items:
        return named[0] if named else None
    if all(isinstance(item, str) for item in items):
        return next((kind for kind in named if kind in ("entities", "chunks", "references")), None)
    if not all(isinstance(item, Mapping) for item in items):
        return None
    possible = [kind for kind, fields in _REQUIRED.items() if all(_path_of(items, kind, f) for f in fields)]
    if "references" in named and "chunks" not in possible:
        return "references"
    if both := [kind for kind in named if kind in possible]:
        return both[0]
    # Anything has a name: without a telling one of the list, only what has a type or a description, too, is an entity.
    typed = _path_of(items, "entities", "type") or _path_of(items, "entities", "description")
    return next((kind for kind in possible if kind != "entities" or typed), None)


def _group(kind: str) -> str:
    group = {"entities": "entity_fields"}.get(kind, f"{kind.removesuffix('s')}_fields")
    return group if group in FIELDS else ""


def _path_of(items: Sequence[Any], kind: str, field: str, taken: frozenset[str] = frozenset()) -> str:
    """Return where a field stands in the items: a known name, else a synonym, at the top or one object below."""
    known = FIELDS[_group(kind)].get(field, "").split("|")
    for name in [*known, *_SYNONYMS[kind].get(field, "").split()]:
        for path in (name, *_nested(items, name)):
            values = [v for item in items if (v := found_at(item, path)) is not ABSENT and v is not None and v != ""]
            fitting = values and all(_fits(v, kind, field) for v in values)
            if fitting and path not in taken and len(values) * 2 >= len(items):
                return path
    return ""


def _nested(items: Sequence[Any], name: str) -> list[str]:
    first = items[0] if items and isinstance(items[0], Mapping) else {}
    inner = [key for key, member in first.items() if isinstance(member, Mapping) and name in member]
    return [f"{key}.{name}" for key in inner if isinstance(key, str) and key.isidentifier()]


def _fits(value: Any, kind: str, field: str) -> bool:
    """Tell whether a value can be that of a field: an object of arguments, else a text or a list of texts."""
    if (kind, field) == ("tool_calls", "args"):
        return isinstance(value, Mapping) or (isinstance(value, str) and value.lstrip().startswith("{"))
    if isinstance(value, list):
        return bool(value) and all(isinstance(v, str) for v in value)
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _fields(items: list[Any], kind: str) -> dict[str, str]:
    """Return the fields of items that do not stand under a name that is known anyway."""
    objects = [item for item in items[:_ITEMS] if isinstance(item, Mapping)]
    group = _group(kind)
    if not objects or not group:
        return {}
    fields: dict[str, str] = {}
    taken: frozenset[str] = frozenset()
    for field in _SYNONYMS[kind]:
        path = _path_of(objects, kind, field, taken)
        taken |= {path}
        if path and path not in FIELDS[group][field].split("|"):
            fields[field] = path
    return fields


def _answer(places: Sequence[_Place], lists: Mapping[str, _Place]) -> str:
    """Return where the answer stands: a text of a telling name that is not the evidence, nor a message, once more."""
    known = {p.path.partition("[")[0] for p in lists.values()}
    messages = {p.value for p in places if p.key == "message" and isinstance(p.value, str)}
    samples = _samples(lists)
    candidates = []
    for number, place in enumerate(places):
        if not isinstance(place.value, str) or "[*]" in place.path or place.path in known:
            continue
        names = re.split(r"[.\[\]]+", place.path.rstrip("]"))
        if place.path == "[0]" and not place.key:
            rank = 1  # the first of a tuple (answer, context)
        elif names[-1] in _ANSWERS:
            rank = min(_ANSWERS.index(name) for name in names if name in _ANSWERS)
        else:
            continue
        is_weak = _ANSWERS[rank] in _WEAK
        if is_weak and (place.value in messages or _is_evidence(place.value, samples)):
            continue
        candidates.append((not place.value, rank, place.path.count("."), number, place.path))
    return min(candidates)[-1] if candidates else ""


def _samples(lists: Mapping[str, _Place]) -> list[str]:
    """Return the beginnings of what was retrieved, without signs and white space."""
    fields = {"chunks": "content", "entities": "description", "relationships": "description"}
    found = []
    for kind, field in fields.items():
        items = lists[kind].value[:_ITEMS] if kind in lists else []
        path = _path_of(items, kind, field) if items and isinstance(items[0], Mapping) else ""
        texts = [item if isinstance(item, str) else found_at(item, path) if path else "" for item in items]
        found += [s for t in texts if isinstance(t, str) and len(s := _squeezed(t)[:40]) >= 20]
    return found


def _squeezed(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()


def _is_evidence(text: str, samples: Sequence[str]) -> bool:
    squeezed = _squeezed(text)
    return bool(samples) and 2 * sum(sample in squeezed for sample in samples) >= len(samples)


def _singles(places: Sequence[_Place]) -> dict[str, str]:
    """Return where usage, its model, and the mode, the intent and the valid time stand."""
    found: dict[str, str] = {}
    for place in places:
        if "usage" not in found and isinstance(place.value, Mapping) and _TOKENS & set(place.value):
            found["usage"] = place.path
    if "usage" in found:
        beside = found["usage"].rpartition(".")[0]
        model = f"{beside}.model" if beside else "model"
        if any(p.path == model and isinstance(p.value, str) for p in places):
            found["model"] = model
    for part, keys in _TEXTS.items():
        paths = [p.path for p in places if p.key in keys and isinstance(p.value, str) and "[" not in p.path]
        if paths:
            found[part] = min(paths, key=lambda path: keys.index(path.rpartition(".")[2]))
    return found
