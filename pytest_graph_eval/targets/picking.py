"""Picks, of the tools that a server lists, the one that takes a question, and says what to call it with; pure.

A tool is a name and the JSON schema of its input; an operation of a JSON service is one as well. What changes
something, by the words of its name, is never picked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_QUESTIONS = (
    "question", "query", "q", "prompt", "user_query", "query_text", "search_query", "search_text", "search",
)  # fmt: skip
"""What the argument with the question is called, the likeliest first."""
_TEXTS = ("text", "input", "user_input", "message", "utterance", "user_utterance")
"""What it is called by tools that ask; to others, it may be something to store."""
_ASKING = frozenset({
    "ask", "query", "question", "answer", "chat", "search", "retrieve", "find", "lookup", "recall", "rag",
})  # fmt: skip
_CHANGING = frozenset({
    "add", "append", "build", "clear", "close", "commit", "create", "delete", "drop", "edit", "export", "import",
    "ingest", "insert", "kill", "load", "manage", "merge", "post", "publish", "purge", "put", "reindex", "reingest",
    "reload", "remove", "rename", "replace", "reset", "restore", "save", "send", "start", "stop", "submit", "sync",
    "train", "update", "upload", "upsert", "write",
})  # fmt: skip
_DOUBTFUL = frozenset({"execute", "index", "run", "set", "store"})
"""Words of tools that change something, unless they ask (`run_query`, `search_index`)."""
_LANGUAGES = frozenset({"sparql", "cypher", "sql", "gremlin", "graphql", "aql"})
"""Words of tools whose query is no question."""
_NAMES = frozenset({"id", "ids", "uuid", "iri", "uri", "url", "key", "name", "path", "file", "filename", "cursor"})
"""Words of arguments that name one thing."""
_MODES = {
    "kg": ("kg", "local", "mix", "naive", "basic", "vector"),
    "global": ("global", "hybrid", "mix"),
    "hybrid": ("hybrid", "mix", "drift", "global"),
}
"""Our modes, and what other systems call them, the nearest first."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_FILLERS: dict[str, Any] = {"integer": 10, "number": 1, "boolean": False, "array": [], "object": {}}
_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Pick:
    """The tool to ask, how to call it, and why it was picked."""

    tool: str
    argument: str
    arguments: dict[str, Any]
    modes: dict[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    """Tools that take a question, too, the likeliest first."""
    missing: tuple[str, ...] = ()
    """Required arguments for which there is no value to guess."""


def pick_tool(tools: Mapping[str, Mapping[str, Any]]) -> Pick | None:
    """Return the tool (of name to input schema) that most likely answers a question; None where none does."""
    ranked = sorted(ranked for name, schema in tools.items() for ranked in _ranked(name, schema))
    if not ranked:
        return None
    *_, name, argument = ranked[0]
    arguments, modes, missing = _arguments(tools[name], argument)
    others = tuple(dict.fromkeys(other for *_, other, _ in ranked[1:] if other != name))
    return Pick(name, argument, arguments, modes, others, missing)


def _ranked(name: str, schema: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield each argument of a tool that may take the question, led by what makes another one likelier."""
    words = {word.lower() for word in _WORD.findall(name)}
    asks = bool(words & _ASKING)
    if words & (_CHANGING | _LANGUAGES) or (words & _DOUBTFUL and not asks):
        return
    names = (*_QUESTIONS, *(*_TEXTS, *_only_text(schema)) * asks)
    for argument, rules in _properties(schema).items():
        if argument.lower() in names and _type(rules) == "string" and "enum" not in rules:
            is_stuck = bool(_arguments(schema, argument)[2])
            is_optional = argument not in _required(schema)
            rank = names.index(argument.lower())
            is_guess = rank >= len(_QUESTIONS + _TEXTS)
            yield is_stuck, is_guess, "stream" in words, is_optional, not asks, rank, len(name), name, argument


def _only_text(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what the one thing that a tool must be given is called, where it is a text and no name."""
    if len(required := _required(schema)) != 1 or not isinstance(required[0], str):
        return ()
    words = {word.lower() for word in _WORD.findall(required[0])}
    return () if words & (_NAMES | _LANGUAGES) else (required[0].lower(),)


def _properties(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    found = schema.get("properties")
    return {k: v for k, v in found.items() if isinstance(v, Mapping)} if isinstance(found, Mapping) else {}


def _required(schema: Mapping[str, Any]) -> list[Any]:
    found = schema.get("required")
    return found if isinstance(found, list) else []


def _forms(rules: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rules for an argument, and those of each of its alternatives."""
    found = rules.get("anyOf")
    return [rules, *(form for form in (found if isinstance(found, list) else ()) if isinstance(form, Mapping))]


def _type(rules: Mapping[str, Any]) -> str:
    """Return the type of an argument; of several the first that is not null."""
    kinds = [form.get("type") for form in _forms(rules)]
    flat = [kind for entry in kinds for kind in (entry if isinstance(entry, list) else [entry])]
    return next((kind for kind in flat if isinstance(kind, str) and kind != "null"), "")


def _options(rules: Mapping[str, Any]) -> list[Any]:
    return next((list(form["enum"]) for form in _forms(rules) if isinstance(form.get("enum"), list)), [])


def _arguments(schema: Mapping[str, Any], question: str) -> tuple[dict[str, Any], dict[str, str], tuple[str, ...]]:
    """Return what to call a tool with, what it calls our modes, and the arguments that nobody can guess."""
    arguments: dict[str, Any] = {question: "{question}"}
    modes: dict[str, str] = {}
    missing = []
    for name, rules in _properties(schema).items():
        is_required = name in _required(schema) and "default" not in rules
        found = _modes(_options(rules))
        if found:
            arguments[name], modes = "{mode}", {mode: word for mode, word in found.items() if mode != word}
        elif is_required and name != question:
            options = [rules["const"]] if "const" in rules else _options(rules)
            value = options[0] if options else rules.get("minimum", _FILLERS.get(_type(rules)))
            if value is None:
                missing.append(name)
            else:
                arguments[name] = value
    return arguments, modes, tuple(missing)


def _modes(options: list[Any]) -> dict[str, str]:
    """Return what a list of options calls our three modes; empty where it is about something else, or all are one."""
    found = {mode: next((w for w in words if w in options), "") for mode, words in _MODES.items()}
    return found if all(found.values()) and len(set(found.values())) > 1 else {}


def signature(name: str, schema: Mapping[str, Any]) -> str:
    """Return a tool in short form: `search(text: string, how?: local|global, limit?: integer)`."""
    required = _required(schema)
    parts = []
    for argument, rules in sorted(_properties(schema).items(), key=lambda item: item[0] not in required):
        options = _options(rules)
        shown = "|".join(map(str, options[:_SHOWN])) + "|..." * (len(options) > _SHOWN)
        parts.append(f"{argument}{'' if argument in required else '?'}: {shown or _type(rules) or 'any'}")
    return f"{name}({', '.join(parts)})"
