"""Which way of searching a question asks for: the ancestor's mode selection."""

from __future__ import annotations

import re

from pytest_graph_eval.models.scenario import Scenario

_COMPARES = re.compile(r"\b(?:compar\w*|changed?|yoy|year[ -]over(?:[ -]year)?|versus|vs)\b", re.IGNORECASE)
_BY_CATEGORY = {"entity_relationship": "kg", "segment_performance": "kg", "multi_hop": "hybrid"}


def select_mode(scenario: Scenario) -> str:
    """Return the mode asked for: the scenario's own, or for `auto` kg, hybrid or global by the question.

    Comparisons need the edges between figures (global), chains of relations need both entities and text (hybrid),
    everything else takes the fast path (kg). Source: the graph-eval skill, "Query Mode Selection".
    """
    if scenario.mode != "auto":
        return scenario.mode
    if scenario.requires_yoy or _COMPARES.search(scenario.question):
        return "global"
    return _BY_CATEGORY.get(scenario.category or "", "kg")
