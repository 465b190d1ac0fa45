"""What is wrong with the paths by which a target's replies and its status are read, before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.models.validation import Finding, Loc

if TYPE_CHECKING:
    from pytest_graph_eval.models.settings import PreflightSpec, ResponseMap


def reply_findings(spec: Any, base: Loc) -> Iterator[Finding]:
    """Yield the malformed paths, unknown fields and id rules of a target's settings.

    Args:
        spec: the settings of any target.
        base: where they stand.
    """
    if spec.response is not None:
        yield from _mapping(spec.response, (*base, "response"))
    if spec.preflight is not None:
        yield from _status(spec.preflight, (*base, "preflight"))
    catalog = getattr(spec, "catalog", None)
    if catalog is not None and "response" in catalog.model_fields_set:
        yield from _mapping(catalog.response, (*base, "catalog", "response"))


def _mapping(rules: ResponseMap, base: Loc) -> Iterator[Finding]:
    from pytest_graph_eval.targets.reply.mapping import map_problems

    for place, message, key in map_problems(rules):
        if key:
            yield Finding((*base, *place, key), message, "unknown_key", key, at_key=True)
        else:
            yield Finding((*base, *place), message, "wrong_value")


def _status(spec: PreflightSpec, base: Loc) -> Iterator[Finding]:
    from pytest_graph_eval.targets.reply.paths import PathError, check_path

    paths: dict[Loc, str | None] = {(key,): getattr(spec, key) for key in ("entities", "relationships", "warnings")}
    paths |= {("require", n, "path"): requirement.path for n, requirement in enumerate(spec.require)}
    for place, path in paths.items():
        try:
            check_path(path or "")
        except PathError as e:
            yield Finding((*base, *place), str(e), "wrong_value")
