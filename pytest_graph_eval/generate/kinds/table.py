"""The table of all kinds of scenarios, and building one again from what a suite keeps of it.

Generating is: take recipes, choose, build. Checking whether a scenario still holds is: build its recipe again, and
compare the digest of the facts used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_graph_eval.generate.drafts import Draft, Spec, digest_of
from pytest_graph_eval.generate.kinds import (
    figure_kinds,
    fresh_kinds,
    relation_kinds,
    talk_kinds,
    text_kinds,
    time_kinds,
)
from pytest_graph_eval.generate.kinds.kind import Kind
from pytest_graph_eval.generate.view import View

DIGEST = "digest"
AT = "valid_at"
"""The valid time as of which a recipe is built, where it is not today's graph."""

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for module in (figure_kinds, relation_kinds, text_kinds, time_kinds, fresh_kinds, talk_kinds)
    for kind in module.KINDS
}
"""All kinds by name, in the order in which a suite has them."""


def fact_spec(kind: Kind, spec: Spec, draft: Draft, at: str | None = None) -> dict[str, str]:
    """Return what a suite keeps of how a scenario was made."""
    return {"kind": kind.name, **spec, **({AT: at} if at is not None else {}), DIGEST: digest_of(draft.used)}


def rebuild(view: View, stored: Mapping[str, Any]) -> Draft | None:
    """Build the recipe that a suite keeps (`fact_spec`) again; None where the graph no longer answers it.

    Raises:
        KeyError: the recipe is of a kind that is not in the table.
        UsageError: its valid time is none.
    """
    kind = KINDS[str(stored.get("kind"))]
    spec = {key: value for key, value in stored.items() if key not in ("kind", AT, DIGEST)}
    return kind.build(view.at(str(stored[AT])) if AT in stored else view, spec)
