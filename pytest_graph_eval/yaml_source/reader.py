"""Reads YAML text into plain data with a position for every value, and lists everything that is wrong with it.

YAML 1.2 core rules: only `true`, `false`, `null` and numbers mean anything but themselves; `NO`, `12:30` and
dates stay text. The events of PyYAML's parser are read one by one (in C where libyaml is there), so that
nesting, number of values and aliases are bounded while reading, not afterwards.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from pytest_graph_eval.errors import Problem
from pytest_graph_eval.models.scalars import Scalar, plain
from pytest_graph_eval.yaml_source.document import MAX_PROBLEMS, Document, Node, Places, mark_of
from pytest_graph_eval.yaml_source.hints import Pitfalls, syntax_problem
from pytest_graph_eval.yaml_source.rules import MAX_BYTES, MAX_DEPTH, MAX_VALUES, Loader, resolve
from pytest_graph_eval.yaml_source.usual import read_usual

_TAG = "tag:yaml.org,2002:"
_TAGS: dict[str, tuple[str, Any]] = {
    _TAG + "int": ("a whole number", int), _TAG + "float": ("a number", (int, float)),
    _TAG + "bool": ("true or false", bool), _TAG + "null": ("null", type(None)),
}  # fmt: skip
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes | str:
    """Return the content of a file, or why it cannot be used, as a text."""
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except (OSError, ValueError) as e:
        reason = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
        return f"cannot be read: {reason}"
    if len(content) > limit:
        return f"larger than {limit // 1024 // 1024} MiB, the most that is read; split it"
    return content


def decode(content: bytes, name: str) -> str | Problem:
    """Return the text of a UTF-8 file without a byte order mark, or the problem with it."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = content.count(b"\n", 0, e.start) + 1
        col = e.start - content.rfind(b"\n", 0, e.start)
        found = f"byte 0x{content[e.start]:02x}"
        return Problem(name, line, col, f"not UTF-8 text ({found}); save the file as UTF-8", "not_utf8")


def parse(text: str, name: str) -> Document:
    """Read one YAML document. Everything that is wrong is in the result's `problems`, nothing is raised."""
    text = text.removeprefix("\ufeff")
    if bad := _NOT_YAML.search(text):
        line = text.count("\n", 0, bad.start()) + 1
        col = bad.start() - text.rfind("\n", 0, bad.start())
        message = (
            f"the character U+{ord(bad[0]):04X} is not allowed in YAML; remove it, or write an escape in double quotes"
        )
        return Document(name, None, None, [Problem(name, line, col, message, "bad_character")], broken=True)
    pitfalls = Pitfalls(text)
    if usual := read_usual(text, pitfalls):
        places = Places(usual.keys, usual.items, lambda: _read(text, name, pitfalls).root)
        return Document(name, usual.data, None, [], places=places)
    return _read(text, name, pitfalls)


def _read(text: str, name: str, pitfalls: Pitfalls) -> Document:
    """Read a text with the place of everything in it."""
    reader = _Reader(text, name, pitfalls)
    broken = False
    try:
        reader.read()
    except yaml.MarkedYAMLError as e:
        reader.problems.append(syntax_problem(e, text, name))
        broken = True
    except _Stop:
        broken = True
    found = reader.stack[0].data
    if broken or not found or (isinstance(found[0], str) and plain(found[0]) is None):
        return Document(name, None, None, reader.problems, broken)
    spots = frozenset((p.line, p.col) for p in reader.problems)
    return Document(name, found[0], reader.stack[0].child(0), reader.problems, spots=spots)


class _Stop(Exception):  # noqa: N818 - control flow: reading ends, the reason is among the problems
    """Reading cannot go on."""


_MERGE: Any = object()
_REFUSED: Any = object()


class _Reader:
    """Builds data and positions from parser events, with a stack of its own instead of recursion."""

    def __init__(self, text: str, name: str, pitfalls: Pitfalls) -> None:
        self.name = name
        self.events = Loader(text)
        self.pitfalls = pitfalls
        self.problems: list[Problem] = []
        self.top = Node([], None)  # a list that will hold the document
        self.stack = [self.top]
        self.total = 0
        self.merges: dict[int, list[tuple[Any, Any]]] = {}
        self.open_anchors: dict[int, tuple[str, int]] = {}
        self.anchors: dict[str, tuple[Any, Any, int, int]] = {}
        self.lone_anchors: dict[str, Any] = {}

    def read(self) -> None:
        """Read all events.

        Raises:
            yaml.MarkedYAMLError: the text is not YAML.
            _Stop: a limit was passed or an alias leads nowhere.
        """
        handlers = {
            yaml.MappingStartEvent: self.start_mapping, yaml.SequenceStartEvent: self.start_list,
            yaml.MappingEndEvent: self.end, yaml.SequenceEndEvent: self.end, yaml.AliasEvent: self.alias,
            yaml.DocumentStartEvent: self.start_document,
        }  # fmt: skip
        get, scalar = self.events.get_event, yaml.ScalarEvent
        try:
            while (event := get()) is not None:
                if event.__class__ is not scalar:
                    handle = handlers.get(event.__class__)
                    if handle is not None:
                        handle(event)
                elif self.top.keys is None or self.top.key is not None:
                    self.scalar(event)
                else:
                    self.key(event)
        finally:
            self.events.dispose()
        for anchor, mark in self.lone_anchors.items():
            message = f"`&{anchor}` is an anchor that nothing refers to; quote the text if the & belongs to it"
            self.note(mark, message, "lone_anchor")

    def note(self, mark: Any, message: str, code: str, key: str = "") -> None:
        if len(self.problems) == MAX_PROBLEMS:
            message, code = "more problems than are worth reading; the rest is not looked at", "too_many"
            self.problems.append(Problem(self.name, mark.line + 1, mark.column + 1, message, code))
            raise _Stop
        self.problems.append(Problem(self.name, mark.line + 1, mark.column + 1, message, code, key))

    def stop(self, mark: Any, message: str, code: str) -> None:
        self.note(mark, message, code)
        raise _Stop

    def start_document(self, event: Any) -> None:
        if self.top.data:
            self.stop(event.start_mark, "a second document (`---`); a file holds one", "syntax")

    def count(self, number: int, mark: Any) -> None:
        self.total += number
        if self.total > MAX_VALUES:
            self.stop(
                mark, f"more than {MAX_VALUES:,} values, each use of an alias counted; split the file", "too_large"
            )

    def check_depth(self, depth: int, mark: Any) -> None:
        if depth > MAX_DEPTH:
            self.stop(mark, f"nested deeper than {MAX_DEPTH} levels", "too_deep")

    def key(self, event: Any) -> None:
        """Take a scalar as the next key of a mapping."""
        top: Any = self.top
        text, mark = event.value, event.start_mark
        first = top.keys.setdefault(text, mark)
        if first is not mark:
            self.note(mark, f"duplicate key {text!r}, first on line {first.line + 1}; keep one", "duplicate_key", text)
            text = _REFUSED
        elif text == "<<" and not event.style:
            text = _MERGE
        top.key = text
        if event.anchor is not None:
            self.anchors[event.anchor] = (event.value, mark, 1, 0)

    def scalar(self, event: Any) -> None:
        """Take a scalar as the next value of a mapping or item of a list."""
        self.total += 1
        value, mark, top = event.value, event.start_mark, self.top
        if self.total > MAX_VALUES:
            self.count(0, mark)
        if event.tag is not None:
            value = self.tagged(event)
        elif not event.style:
            if self.pitfalls.any:
                self.check_plain(event)
            meaning = resolve(value)
            if meaning is not value:
                value = Scalar(value, meaning)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, mark, 1, 0)
            if not event.style:
                self.lone_anchors[event.anchor] = mark
        if top.keys is None:
            top.data.append(value)
            top.below.append(mark)
        elif value.__class__ is Scalar or top.key.__class__ is not str:
            self.set(top, value, mark)
        else:  # the most frequent case
            top.data[top.key] = value
            top.below[top.key] = mark
            top.key = None

    def check_plain(self, event: Any) -> None:
        for message, code in self.pitfalls.of_scalar(event):
            self.note(event.start_mark, message, code)

    def tagged(self, event: Any) -> Any:
        """Return the value of a scalar with a tag: the standard ones are followed, others refused."""
        tag, text = event.tag, event.value
        if tag in ("!", _TAG + "str"):
            return text
        if tag not in _TAGS:
            self.refuse_tag(event)
            return text
        what, kind = _TAGS[tag]
        value = resolve(text)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.note(event.start_mark, f"{text!r} is not {what}, as its tag says", "bad_tag")
        return Scalar(text, float(value) if tag == _TAG + "float" and isinstance(value, int) else value)

    def refuse_tag(self, event: Any) -> None:
        tag = event.tag.replace(_TAG, "!!")
        message = f"the tag `{tag}` is not allowed; quote the text if the `!` belongs to it"
        self.note(event.start_mark, message, "bad_tag")

    def set(self, top: Any, value: Any, node: Any) -> None:
        """Give the last key of a mapping its value."""
        key = top.key
        top.key = None
        if key.__class__ is not str:
            if key is _MERGE:
                self.merges.setdefault(id(top), []).append((value, node))
            return
        if value.__class__ is Scalar and value.value is None:
            value = None
            for message, code in self.pitfalls.of_empty_value(key, top.keys[key], node):
                self.note(top.keys[key], message, code, key)
        top.data[key] = value
        top.below[key] = node

    def place(self, value: Any, node: Any) -> None:
        """Put a finished collection, or what an alias stands for, where it belongs."""
        top = self.top
        if top.keys is None:
            top.data.append(value)
            top.below.append(node)
        elif top.key is None:
            kind = "a list" if isinstance(value, list) else "a mapping"
            advice = "quote the text if the brackets belong to it"
            self.note(mark_of(node), f"a key must be a text, found {kind}; {advice}", "bad_key")
            top.key = _REFUSED
        else:
            self.set(top, value, node)

    def start_mapping(self, event: Any) -> None:
        self.push(event, {}, _TAG + "map")

    def start_list(self, event: Any) -> None:
        self.push(event, [], _TAG + "seq")

    def push(self, event: Any, data: Any, tag: str) -> None:
        self.count(1, event.start_mark)
        self.check_depth(len(self.stack), event.start_mark)
        if event.tag is not None and event.tag not in ("!", tag):
            self.refuse_tag(event)
        self.top = Node(data, event.start_mark)
        self.stack.append(self.top)
        if event.anchor is not None:
            self.open_anchors[id(self.top)] = (event.anchor, self.total)

    def end(self, _: Any) -> None:
        """Finish the innermost collection."""
        node = self.stack.pop()
        self.top = self.stack[-1]
        if self.merges:
            self.merge(node)
        if self.open_anchors and id(node) in self.open_anchors:
            anchor, start = self.open_anchors.pop(id(node))
            self.anchors[anchor] = (node.data, node, self.total - start + 1, node.height)
        if self.top.height <= node.height:
            self.top.height = node.height + 1
        self.place(node.data, node)

    def merge(self, node: Any) -> None:
        """Apply `<<`: own keys win, then earlier sources."""
        for value, below in self.merges.pop(id(node), ()):
            for source in below.below if isinstance(value, list) else [below]:
                if not isinstance(source, Node) or source.keys is None:
                    self.note(node.keys["<<"], "`<<` needs a mapping or a list of mappings", "bad_merge")
                    continue
                for key in source.below.keys() - node.below.keys():
                    node.data[key] = source.data[key]
                    node.below[key] = source.below[key]
                    node.keys.setdefault(key, source.keys[key])

    def alias(self, event: Any) -> None:
        """Use an anchored value again; its size counts again, so that alias bombs end here."""
        name, mark = event.anchor, event.start_mark
        if any(name == anchor for anchor, _ in self.open_anchors.values()):
            self.stop(mark, f"`*{name}` refers to something that it is part of", "recursive_alias")
        if name not in self.anchors:
            self.stop(mark, f"`*{name}` refers to no anchor; quote the text if the * belongs to it", "syntax")
        value, node, size, height = self.anchors[name]
        self.count(size, mark)
        self.check_depth(len(self.stack) - 1 + height, mark)
        self.lone_anchors.pop(name, None)
        top: Any = self.top
        top.height = max(top.height, height + 1)
        if top.keys is not None and top.key is None and isinstance(value, str):
            self.key(yaml.ScalarEvent(None, None, (False, True), str(value), mark, mark, '"'))
        else:
            self.place(value, node)
