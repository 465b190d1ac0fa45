"""Says in plain words what pydantic found wrong with data: what was found, what is expected, which key was meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import ValidationError

from pytest_graph_eval.models.expect import Expect, Shorthand
from pytest_graph_eval.models.extensions import current
from pytest_graph_eval.models.scalars import Model, Scalar
from pytest_graph_eval.texts import many

Loc = tuple[str | int, ...]

_BEGINNING = 4
"""Letters that tell a word by its beginning: `faith` is `faithfulness`."""
MAX_FINDINGS = 1000
"""Of one part of a file; its first problems explain the others."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong with data: where in it, what, its code, and the key that it is about (then `at_key`)."""

    loc: Loc
    message: str
    code: str
    key: str = ""
    at_key: bool = False


def dotted(loc: Iterable[str | int]) -> str:
    """Return a path as users write it: `expect.numbers[0].near`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")


def nearest(word: str, words: Iterable[str]) -> str:
    """Return `, did you mean 'x'?` for the word that is meant, or nothing where none is near."""
    words, low = list(words), word.lower()
    begun = [known for known in words if known.lower().startswith(low)] if len(low) >= _BEGINNING else []
    near = begun if len(begun) == 1 else difflib.get_close_matches(low, words, n=1, cutoff=0.6)
    return f", did you mean {near[0]!r}?" if near else ""


def choices(word: str, words: Iterable[str], what: str, shown: Iterable[str] | None = None) -> str:
    """Return the end of a message about an unknown word: the word that is meant, and what the valid ones are."""
    words = list(words)
    meant = nearest(word, words)
    valid = ", ".join(words if shown is None else shown)
    return f"{meant} {what.capitalize()}: {valid}" if meant else f"; {what}: {valid}"


def first_problem(error: ValidationError, *above: str) -> str:
    """Return pydantic's first finding as it words it, led by its path (`scores.mean: ...`), which `above` begins."""
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, (*above, *first['loc'])))}: {first['msg']}"


_KEYS = "a mapping (`key: value`)"
_TEXT = "a text"

# pydantic's error type: what is expected (filled in from the error's context), and our code
_EXPECTED: dict[str, tuple[str, str]] = {
    "string_type": (_TEXT, "wrong_type"),
    "list_type": ("a list", "wrong_type"),
    "dict_type": (_KEYS, "wrong_type"),
    "model_type": (_KEYS, "wrong_type"),
    "model_attributes_type": (_KEYS, "wrong_type"),
    "bool_type": ("true or false", "wrong_type"),
    "bool_parsing": ("true or false", "wrong_type"),
    "flag_type": ("true or false", "wrong_type"),
    "number_type": ("a number", "wrong_type"),
    "whole_type": ("a whole number", "wrong_type"),
    **dict.fromkeys(("float_type", "float_parsing"), ("a number", "wrong_type")),  # of what plugins declare
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), ("a whole number", "wrong_type")),
    "not_finite": ("a finite number", "not_finite"),
    "literal_error": ("{expected}", "wrong_value"),
    "greater_than": ("more than {gt:g}", "wrong_value"),
    "greater_than_equal": ("at least {ge:g}", "wrong_value"),
    "less_than": ("less than {lt:g}", "wrong_value"),
    "less_than_equal": ("at most {le:g}", "wrong_value"),
    "too_short": ("{min_length} or more; leave the key out where nothing is expected", "empty"),
    "string_too_short": ("a text that is not empty", "empty"),
    "string_pattern_mismatch": ("a text that is not empty", "empty"),
}  # fmt: skip


def describe(error: ValidationError, data: Any, model: type[Model]) -> list[Finding]:
    """Return what is wrong with `data`, each thing once.

    Args:
        error: what validating `data` as `model` raised.
        data: the data as it was read; locations are paths in it.
        model: the model that it should have been.
    """
    findings: dict[tuple[Loc, str], Finding] = {}
    expected: dict[Loc, list[str]] = {}
    for item in error.errors(include_url=False)[:MAX_FINDINGS]:
        loc: Loc = _unwrapped(tuple(item["loc"]), data)
        path = _path(loc, data)
        kind = item["type"]
        if kind == "extra_forbidden":
            finding = _unknown_key(loc, path, model)
        elif kind == "missing":
            finding = _missing_key(str(item["loc"][-1]), path)
        elif kind == "union_tag_invalid":
            finding = _unknown_kind(path, item)
        elif kind == "empty_key":
            finding = Finding(path, "an empty key; name what is meant", "empty", str(item["input"]), at_key=True)
        elif kind in _EXPECTED:
            text, code = _EXPECTED[
                "string_too_short" if isinstance(item["input"], str) and kind == "too_short" else kind
            ]
            wanted = expected.setdefault(path, [])
            wanted.append(_short_form(model, loc) if text == _KEYS else text.format(**item.get("ctx", {})))
            finding = Finding(path, _found_expected(item["input"], wanted, counted=kind == "too_short"), code)
        else:
            finding = Finding(path, _message(item), "wrong_value")
        # a union reports once for each of its members: the last message holds what all of them expect
        findings[path, finding.key] = finding
    return _without_echoes(list(findings.values()))


def _missing_key(key: str, path: Loc) -> Finding:
    message = f"{key!r} has no value" if path[-1:] == (key,) else f"the key {key!r} is missing"
    return Finding(path, message, "missing_key", key)


def _short_form(model: type[Model], loc: Loc) -> str:
    """Return what a model may be written as."""
    models = _models_at(model, loc)
    return f"a text or {_KEYS}" if any(issubclass(m, Shorthand) for m in models) else _KEYS


def _found_expected(value: Any, wanted: Sequence[str], *, counted: bool = False) -> str:
    words = list(dict.fromkeys(wanted))
    found = many(len(value), "item") if counted and isinstance(value, list) and value else _shown(value)
    return f"found {found}, expected {' or '.join(words)}{_advice(value, words[0])}"


def _shown(value: Any) -> str:
    """Return a value as part of a sentence."""
    if value is None or (isinstance(value, Scalar) and value == ""):
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    text = str(value) if len(str(value)) <= 60 else str(value)[:59] + "…"
    if isinstance(value, str) and not isinstance(value, Scalar):
        return f'the text "{text}"'
    return f"`{text}`"


def _advice(value: Any, wanted: str) -> str:
    if wanted == _TEXT and isinstance(value, Mapping | list):
        return "; quote the text if it holds `: `, braces or brackets"
    if wanted == _TEXT and value is None:
        return '; write "" for an empty text'
    if wanted.startswith("'") and isinstance(value, str):
        return nearest(value, wanted.split("'")[1::2])
    if "number" in wanted and isinstance(value, str) and not isinstance(value, Scalar):
        return "; without quotes, commas or units"
    if wanted == "at most 1" and isinstance(value, int | float):
        return "; a share: 80 % is 0.8"
    if wanted == "a list" and isinstance(value, Mapping):
        return "; begin each item with `- `"
    return ""


def told(item: Any) -> str:
    """Return what was found and is expected by one finding of pydantic's, in its words where we have none."""
    if item["type"] not in _EXPECTED:
        return _message(item)
    text, _ = _EXPECTED[item["type"]]
    return _found_expected(item["input"], [text.format(**item.get("ctx", {}))], counted=item["type"] == "too_short")


def _message(item: Any) -> str:
    """Return the text of one of our own validators, or pydantic's where we have no better words."""
    error = item.get("ctx", {}).get("error")
    return str(error) if error is not None else str(item["msg"])


def _unknown_key(loc: Loc, path: Loc, model: type[Model]) -> Finding:
    key = str(loc[-1])
    names = valid_names(_models_at(model, loc[:-1]))
    valid = choices(key, names, "valid keys") if names else ""
    return Finding(path, f"unknown key {key!r}{valid}", "unknown_key", key, at_key=True)


def _unknown_kind(path: Loc, item: Any) -> Finding:
    tags = [w.strip("' ") for w in item["ctx"]["expected_tags"].split(",")]
    kinds = [*(tag for tag in tags if tag not in ("name", "custom")), *current().targets]
    found = item["ctx"]["tag"]
    if found == "missing":
        message = f"cannot tell what kind of target this is; add `kind:`, one of {', '.join(kinds)}"
        return Finding(path, message, "missing_key", "kind")
    if not isinstance(item["input"], Mapping):
        return Finding(path, _found_expected(item["input"], [_KEYS]), "wrong_type")
    message = f"unknown kind {found!r}{choices(found, kinds, 'kinds')}"
    return Finding((*path, "kind"), message, "wrong_value", found)


def _without_echoes(findings: list[Finding]) -> list[Finding]:
    """Drop a missing key where an unknown key beside it is its misspelling."""
    unknown = [f for f in findings if f.code == "unknown_key"]

    def is_echo(finding: Finding) -> bool:
        return finding.code == "missing_key" and any(
            f.loc[:-1] == finding.loc and f"did you mean {finding.key!r}" in f.message for f in unknown
        )

    return [f for f in findings if not is_echo(f)]


def _unwrapped(loc: Loc, data: Any) -> Loc:
    """Drop the index of the list that a validator put around a lone list (`any_of: [a, b]` is one group)."""
    value = data
    for number, part in enumerate(loc):
        value = _below(value, part)
        if part == "any_of" and isinstance(value, list) and not any(isinstance(v, list) for v in value):
            return (*loc[: number + 1], *loc[number + 2 :])
    return loc


_NOTHING = object()


def _below(value: Any, part: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(part, _NOTHING)
    if isinstance(value, list) and isinstance(part, int) and part < len(value):
        return value[part]
    return _NOTHING


def _path(loc: Loc, data: Any) -> Loc:
    """Return `loc` without what is not in the data: tags of unions, lists around lone values, missing keys."""
    path: list[str | int] = []
    for part in loc:
        below = _below(data, part)
        if below is not _NOTHING:
            data = below
            path.append(part)
    return tuple(path)


def valid_names(models: Iterable[type[Model]], *, added: bool = True) -> list[str]:
    """Return the keys that these models take, as written in YAML, those that plugins added as well."""
    models = list(models)
    keys = [field.alias or name for model in models for name, field in model.model_fields.items() if name != "added"]
    return list(dict.fromkeys([*keys, *(current().checks if added and Expect in models else ())]))


def _models_at(model: type[Model], loc: Loc) -> list[type[Model]]:
    """Return the models that the data at `loc` may be."""
    models = [model]
    for part in loc:
        fields = [f for m in models for name, f in m.model_fields.items() if part in (name, f.alias)]
        if fields:
            models = [m for f in fields for m in _models_in(f.annotation)]
        else:  # an index, a key of a free mapping, or the tag of a union
            tagged = [m for m in models if (f := m.model_fields.get("kind")) and f.default == part]
            models = tagged or models
    return models


def _models_in(annotation: Any) -> list[type[Model]]:
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]
