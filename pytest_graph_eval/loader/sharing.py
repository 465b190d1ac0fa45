"""Makes equal sets of written keys one object: each model has one of its own, a fifth of what a scenario takes."""

from __future__ import annotations

from pytest_graph_eval.models.scalars import Model
from pytest_graph_eval.models.scenario import Scenario

Sets = dict[frozenset[str], set[str]]


def share_written(scenario: Scenario, sets: Sets) -> None:
    """Let a scenario and its checks have the sets of written keys that others have, too.

    Nothing changes such a set: models are frozen, and a copy gets a set of its own.

    Args:
        scenario: just made.
        sets: those that are known; new ones are added.
    """
    _share(scenario, sets)
    if "expect" in scenario.__pydantic_fields_set__:
        expect = scenario.expect
        _share(expect, sets)
        for key in expect.__pydantic_fields_set__:
            value = getattr(expect, key)
            if value.__class__ is list:
                for item in value:
                    if isinstance(item, Model):
                        _share(item, sets)


def _share(model: Model, sets: Sets) -> None:
    written = model.__pydantic_fields_set__
    _set(model, "__pydantic_fields_set__", sets.setdefault(frozenset(written), written))


_set = object.__setattr__
