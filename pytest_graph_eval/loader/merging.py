"""Two suites become one: incoming scenarios are added to a base, or replace it. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

from pytest_graph_eval.errors import Problem, SuiteError, UsageError
from pytest_graph_eval.formats.entries import MODES, by_key
from pytest_graph_eval.loader.expansion import with_defaults
from pytest_graph_eval.loader.loaded import LoadedSuite
from pytest_graph_eval.models.scenario import Scenario, Suite, fingerprint


def merge_suites(base: Suite | LoadedSuite, incoming: Suite | LoadedSuite, mode: str = "append") -> Suite:
    """Return the base with the incoming scenarios.

    `append`: an incoming scenario takes the place of the base's with the same id, others follow behind; they keep
    what the incoming suite's defaults say. Target, gate, defaults and names stay the base's where it has them,
    lists of files join, `meta` merges by key (incoming wins, counts and hash are made anew).
    `replace`: the incoming suite as it is.

    Raises:
        UsageError: an unknown mode.
        SuiteError: an id stands twice in one of the suites.
    """
    if mode not in MODES:
        raise UsageError(f"merge mode {mode!r}: expected one of {', '.join(MODES)}")
    base, incoming = _suite(base), _suite(incoming)
    problems = [*_duplicates(base, "base"), *_duplicates(incoming, "incoming")]
    if problems:
        raise SuiteError(problems)
    if mode == "replace":
        return incoming
    scenarios = {s.id: s for s in base.scenarios}
    for scenario in incoming.scenarios:
        scenarios[scenario.id] = _apart_from(scenario, incoming, base)
    return _joined(base, incoming, list(scenarios.values()))


def _suite(suite: Suite | LoadedSuite) -> Suite:
    return suite.suite if isinstance(suite, LoadedSuite) else suite


def _duplicates(suite: Suite, name: str) -> list[Problem]:
    twice = [i for i, count in Counter(s.id for s in suite.scenarios).items() if count > 1]
    return [Problem(suite.suite or name, 0, 0, f"duplicate id {i!r}; ids are unique", "duplicate_id", i) for i in twice]


def _apart_from(scenario: Scenario, incoming: Suite, base: Suite) -> Scenario:
    """Return a scenario as it is outside its own suite, where other defaults hold."""
    return scenario if incoming.defaults == base.defaults else with_defaults(scenario, incoming.defaults)


def _joined(base: Suite, incoming: Suite, scenarios: Sequence[Scenario]) -> Suite:
    own = base.model_fields_set
    values = {name: getattr(base if name in own else incoming, name) for name in own | incoming.model_fields_set}
    if "defaults" not in own:
        values.pop("defaults", None)  # the incoming ones are in its scenarios
    for name in ("catalog", "datasets"):
        joined = [*getattr(base, name), *(item for item in getattr(incoming, name) if item not in getattr(base, name))]
        values.update({name: joined} if joined else {})
    meta = by_key(base.meta, incoming.meta)
    meta["n_scenarios"] = len(scenarios)
    if "scenario_hash" in meta:
        meta["scenario_hash"] = _hash(scenarios)
    return Suite(**{**values, "scenarios": list(scenarios), "meta": meta})


def _hash(scenarios: Iterable[Scenario]) -> str:
    """Return 12 hex digits over the ids and fingerprints of a set of scenarios, whatever their order."""
    lines = sorted(f"{s.id} {fingerprint(s)}" for s in scenarios)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]
