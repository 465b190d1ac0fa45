"""Whether the arguments of a call fit a tool's input schema.

Servers ignore arguments that they do not know, so that a typo goes unnoticed: here an unknown name is a problem
unless the schema says in so many words that it takes any.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_graph_eval.texts import cut, located, nearest


def argument_problems(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with `arguments`: unknown names, missing ones, values of a wrong type or not allowed."""
    return [*_unknown(schema, arguments), *_invalid(schema, arguments)]


def _unknown(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[str]:
    known = schema.get("properties")
    if not isinstance(known, Mapping) or schema.get("additionalProperties", False) is not False:
        return []
    names = ", ".join(known) or "none"
    return [
        f"unknown argument {name!r}{nearest(name, known)} (known: {names})" for name in arguments if name not in known
    ]


def _invalid(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[str]:
    """Return the violations of the schema itself; a schema that is none, or refers elsewhere, is not judged."""
    import jsonschema  # type: ignore[import-untyped]  # comes with mcp, without stubs
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
        # An empty registry: a reference to somewhere else must not start a download.
        errors = sorted(
            kind(schema, registry=Registry()).iter_errors(dict(arguments)), key=lambda e: list(map(str, e.path))
        )
    except (jsonschema.SchemaError, Unresolvable):
        return []
    return [_told(error) for error in errors if error.validator != "additionalProperties"]


def _told(error: Any) -> str:
    place = ".".join(str(part) for part in error.path)
    return located(place, cut(error.message, 300))
