"""Reads extraction JSON, the interchange format of preciso-graphrag, and finds everything that is wrong with a file.

Top level: `document_id`, `chunks`, `entities`, `relationships`. Chunk ids are the document's own and become
`document_id::chunk_id`, so that several documents can be merged. Beyond the format, entities may have a `label` (or
`display_name`), `aliases` and a `caveat`, and entities and relationships a valid time under one of `validity.KEYS`.
Other keys are allowed; those of entities that hold plain values become attributes.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_graph_eval.errors import Problem
from pytest_graph_eval.graph import validity
from pytest_graph_eval.graph.elements import SEPARATOR, Chunk, Document, Entity, Part, Relationship, relation_type
from pytest_graph_eval.graph.reading.file_kinds import read_text
from pytest_graph_eval.graph.reading.positions import item_positions
from pytest_graph_eval.texts import cut, nearest

_LISTS = ("chunks", "entities", "relationships")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_EXPECTED = "an extraction JSON file; relative paths belong to the file that names them"


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of a record: what it must hold, and whether it must be there (and not blank)."""

    name: str
    kind: type | tuple[type, ...] = str
    word: str = "text"
    required: bool = False


_FILE = (_Field("file_path"),)
_FIELDS: Mapping[str, tuple[_Field, ...]] = {
    "chunks": (
        _Field("content", required=True),
        _Field("chunk_id"),
        _Field("chunk_order_index", int, "a whole number"),
        *_FILE,
    ),
    "entities": (
        _Field("entity_name", required=True),
        _Field("entity_type", required=True),
        _Field("description", required=True),
        _Field("source_id", required=True),
        _Field("aliases", (str, list), f"a list of texts, or one text joined by {SEPARATOR}"),
        _Field("label"),
        _Field("display_name"),
        _Field("caveat"),
        *_FILE,
    ),
    "relationships": (
        _Field("src_id"),
        _Field("tgt_id"),
        _Field("source_entity"),
        _Field("target_entity"),
        _Field("description", required=True),
        _Field("source_id", required=True),
        _Field("keywords"),
        _Field("weight", (int, float), "a number"),
        *_FILE,
    ),
}
_ENDS = (("src_id", "source_entity"), ("tgt_id", "target_entity"))
_KNOWN_OF_ENTITY = frozenset(f.name for f in _FIELDS["entities"]) | validity.KEYS | {"timestamp", "attributes"}


@dataclass(slots=True)
class _Reader:
    """Reads one parsed file; collects `(list name, number, message)` for everything that is wrong."""

    data: dict[str, Any]
    document: str
    file: str
    wrong: list[tuple[str, int, str]] = field(default_factory=list)
    chunk_ids: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    resolved: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def records(self, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the records of one list whose fields are fit to be read."""
        fields = _FIELDS[kind]
        for number, record in enumerate(self.data[kind]):
            if not isinstance(record, dict):
                self.wrong.append((kind, number, f": {_shown(record)} stands here; expected an object"))
                continue
            messages = _wrong_fields(record, fields)
            self.wrong += ((kind, number, message) for message in messages)
            if not messages:
                yield number, record

    def chunks(self) -> Iterator[Chunk]:
        for number, record in self.records("chunks"):
            content = record["content"]
            own = record.get("chunk_id") or "chunk-" + hashlib.sha256(content.encode(errors="replace")).hexdigest()[:16]
            if own in self.chunk_ids:
                message = f".chunk_id: {own!r} stands twice in this file; expected one chunk per id"
                self.wrong.append(("chunks", number, message))
                continue
            self.chunk_ids.add(own)
            order = record.get("chunk_order_index")
            yield Chunk(self.full_id(own), content, number if order is None else order, self.document)

    def entities(self) -> Iterator[Entity]:
        for number, record in self.records("entities"):
            name = _tidy(record["entity_name"])
            self.names.add(name)
            times = self.validity("entities", number, record)
            yield Entity(
                name=name,
                type=_tidy(record["entity_type"]),
                description=_sentences(record["description"]),
                aliases=tuple(a for a in map(_tidy, _items(record.get("aliases") or ())) if a and a != name),
                sources=self.sources("entities", number, record["source_id"]),
                attributes=_attributes(record) if len(record) > 4 else {},
                label=_tidy(record.get("label") or record.get("display_name") or "") or name,
                caveat=record.get("caveat") or "",
                valid_from=times.start,
                valid_to=times.end,
            )

    def relationships(self) -> Iterator[Relationship]:
        for number, record in self.records("relationships"):
            ends = [self.end(number, record, keys) for keys in _ENDS]
            weight = _weight(record.get("weight"))
            sources = self.sources("relationships", number, record["source_id"])
            times = self.validity("relationships", number, record)
            if not math.isfinite(weight):
                self.wrong.append(("relationships", number, f".weight: found {weight}; expected a finite number"))
            elif ends[0] is not None and ends[0] == ends[1]:
                message = f": both ends are {ends[0]!r}; expected two different entities"
                self.wrong.append(("relationships", number, message))
            elif ends[0] is not None and ends[1] is not None:
                keywords = record.get("keywords") or ""
                yield Relationship(
                    source=ends[0],
                    target=ends[1],
                    type=relation_type(keywords),
                    description=_sentences(record["description"]),
                    keywords=keywords,
                    sources=sources,
                    weight=weight,
                    valid_from=times.start,
                    valid_to=times.end,
                )

    def validity(self, kind: str, number: int, record: Mapping[str, Any]) -> validity.Validity:
        """Return when a record holds, as it says itself or in its `attributes`; unreadable times are noted as wrong."""
        declared = record.get("attributes")
        times, messages = validity.read({**declared, **record} if isinstance(declared, dict) else record)
        self.wrong += ((kind, number, message) for message in messages)
        return times

    def end(self, number: int, record: Mapping[str, Any], keys: tuple[str, str]) -> str | None:
        """Return the entity at one end of an edge, or None after noting what is wrong with it."""
        key = keys[0] if keys[0] in record or keys[1] not in record else keys[1]
        name = record.get(key) or ""
        if name in self.names:
            return name
        name = _tidy(name)
        if name in self.names:
            return name
        if not name:
            message = f".{key}: missing; expected the name of an entity (`{keys[0]}`, or `{keys[1]}`)"
        else:
            message = f".{key}: no entity {name!r} in this file; expected one of its {len(self.names)} entity names"
            message += nearest(name, self.names)
        self.wrong.append(("relationships", number, message))
        return None

    def sources(self, kind: str, number: int, text: str) -> tuple[str, ...]:
        """Return the full ids of the chunks that `source_id` names; the unknown ones are noted as wrong."""
        known = self.resolved.get(text)
        if known is not None:
            return known
        ids = _items(text)
        unknown = [own for own in ids if own not in self.chunk_ids]
        for own in unknown:
            message = f".source_id: no chunk {own!r} in this file; expected one of its {len(self.chunk_ids)} chunks"
            self.wrong.append((kind, number, message + nearest(own, self.chunk_ids)))
        full = tuple(dict.fromkeys(self.full_id(own) for own in ids))
        if not unknown:
            self.resolved[text] = full
        return full

    def full_id(self, own: str) -> str:
        """Return a chunk id that is unique among documents; one that names its document already stays as it is."""
        return own if own.startswith(f"{self.document}::") else f"{self.document}::{own}"


def read_extraction(path: Path, name: str) -> tuple[Part, list[Problem]]:
    """Return what a file contributes, and everything that is wrong with it; the part counts only when nothing is."""
    text, problems = read_text(path, name, _EXPECTED)
    if problems:
        return Part(name), problems
    try:
        data = json.loads(text)
    except json.JSONDecodeError as e:
        return Part(name), [Problem(name, e.lineno, e.colno, f"not JSON: {e.msg}", "not_json")]
    except (ValueError, RecursionError) as e:
        return Part(name), [Problem(name, 0, 0, f"not readable as JSON: {e}", "not_json")]
    problems = _check_top(data, name)
    if _SURROGATE.search(text) and not _is_unicode(data):
        problems.append(
            Problem(name, 0, 0, "half a surrogate pair (\\ud800 to \\udfff) stands alone; expected Unicode")
        )
    if problems:
        return Part(name), problems
    return _read_part(data, name, text)


def _check_top(data: Any, name: str) -> list[Problem]:
    """Check the four required keys; without them nothing inside can be judged."""
    if _is_json_ld(data):
        message = "JSON-LD, not an extraction; name the file .jsonld, or put it under the `rdf:` of a graph target"
        return [Problem(name, 1, 1, message, "json_ld")]
    if not isinstance(data, dict):
        message = f"{_shown(data)} at the top; expected an object with `document_id`, {', '.join(_LISTS)}"
        return [Problem(name, 1, 1, message, "not_an_object")]
    document = data.get("document_id")
    wrong = []
    if not isinstance(document, str) or not document.strip():
        wrong.append(("document_id", "a text that is not empty"))
    wrong += [(key, "a list (it may be empty)") for key in _LISTS if not isinstance(data.get(key), list)]
    wrong += [(key, "a text") for key in ("file_path", "source_file") if not isinstance(data.get(key) or "", str)]
    found = {key: f"found {_shown(data[key])}" if key in data else "missing" for key, _ in wrong}
    return [Problem(name, 1, 1, f"{key}: {found[key]}; expected {expected}") for key, expected in wrong]


def _is_json_ld(data: Any) -> bool:
    first = data[0] if isinstance(data, list) and data else data
    return isinstance(first, dict) and not {"@context", "@graph", "@id"}.isdisjoint(first)


def _read_part(data: dict[str, Any], name: str, text: str) -> tuple[Part, list[Problem]]:
    document = data["document_id"].strip()
    file = data.get("file_path") or data.get("source_file") or ""
    reader = _Reader(data, document, name)
    # Chunks first, entities second: each kind is checked against the ones before it.
    chunks, entities, edges = tuple(reader.chunks()), tuple(reader.entities()), tuple(reader.relationships())
    part = Part(name, entities, edges, chunks, (Document(document, file),))
    return part, _positioned(reader.wrong, name, text)


def _positioned(wrong: Iterable[tuple[str, int, str]], name: str, text: str) -> list[Problem]:
    """Give each finding the line and column of its record."""
    wrong = list(wrong)
    if not wrong:
        return []
    positions = item_positions(text, [(key, None) for key in _LISTS])
    return [
        Problem(name, *positions.get((kind, number), (0, 0)), f"{kind}[{number}]{message}")
        for kind, number, message in wrong
    ]


def _wrong_fields(record: Mapping[str, Any], fields: Iterable[_Field]) -> list[str]:
    """Return what is wrong with the fields of a record; a loop without calls, as files have millions of fields."""
    messages = []
    for rule in fields:
        value = record.get(rule.name)
        if value is None:
            if rule.required:
                messages.append(f".{rule.name}: missing; expected {rule.word}")
        elif not isinstance(value, rule.kind) or value is True or value is False or _holds_no_texts(value):
            messages.append(f".{rule.name}: found {_shown(value)}; expected {rule.word}")
        elif rule.required and not str(value).strip():
            messages.append(f".{rule.name}: empty; expected {rule.word} that is not empty")
    return messages


def _holds_no_texts(value: object) -> bool:
    """Tell whether a value is a list with anything but texts in it."""
    return value.__class__ is list and not all(isinstance(item, str) for item in value)


def _weight(value: float | None) -> float:
    """Return a weight as a float: 1 where none is given, infinity for a whole number that no float can hold."""
    try:
        return 1.0 if value is None else float(value)
    except OverflowError:
        return math.inf


def _tidy(text: str) -> str:
    """Return a name with its white space reduced to single spaces."""
    return " ".join(text.split())


def _items(value: str | Iterable[str]) -> list[str]:
    """Return the items of a list, or of a text joined by the separator."""
    items = value.split(SEPARATOR) if isinstance(value, str) else value
    return [item.strip() for item in items if item.strip()]


def _sentences(description: str) -> str:
    """Return a description that a store may have joined from several, one a line."""
    return "\n".join(_items(description)) if SEPARATOR in description else description


def _attributes(record: Mapping[str, Any]) -> dict[str, str | int | float | bool]:
    """Return what an entity carries beyond the format: its `attributes`, and further keys with plain values."""
    declared = record.get("attributes")
    extra = {k: v for k, v in record.items() if k not in _KNOWN_OF_ENTITY}
    return {
        str(key): value
        for key, value in {**extra, **(declared if isinstance(declared, dict) else {})}.items()
        if isinstance(value, str | int | float | bool) and key not in validity.KEYS
    }


def _shown(value: Any) -> str:
    """Return a value as a message shows it: its JSON, cut off when long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return cut(text, 40, "...")


def _is_unicode(data: Any) -> bool:
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
