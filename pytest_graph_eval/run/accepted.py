"""Holds a session's records against the baseline that the user accepted, and saves a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.gate.summary import SuiteInfo, Summary
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import identity
from pytest_graph_eval.texts import many

if TYPE_CHECKING:  # most runs have no baseline
    from pytest_graph_eval.gate.comparison.baseline import Baseline, Place
    from pytest_graph_eval.gate.comparison.pairing import Scope
    from pytest_graph_eval.gate.comparison.regression import Comparison
    from pytest_graph_eval.loader import LoadedScenario
    from pytest_graph_eval.run.session import Session


def compare_with_baseline(
    session: Session, records: Sequence[Record], suites: Mapping[str, SuiteInfo], *, by_node_ids: bool
) -> Comparison | None:
    """Return how this run compares with the baseline, None without one.

    Args:
        session: knows the baseline and the suites.
        records: of this run.
        suites: what the summary knows of each suite.
        by_node_ids: whether single scenarios were named, so that no suite was collected whole.
    """
    baseline = session.history.baseline
    if baseline is None:
        return None
    from pytest_graph_eval.gate.comparison.regression import compare

    policies = {key: info.gate.baseline for key, info in suites.items()}
    graphs = {key: info.graph for key, info in suites.items() if info.graph}
    scope = _scope(session, baseline, records, suites, by_node_ids=by_node_ids)
    return compare(baseline, records, scope, policies=policies, graphs=graphs)


def _scope(
    session: Session,
    baseline: Baseline,
    records: Sequence[Record],
    suites: Mapping[str, SuiteInfo],
    *,
    by_node_ids: bool,
) -> Scope:
    """Tell what vanished from what was only not run: the suites as loaded say which scenarios there are."""
    from pytest_graph_eval.gate.comparison.baseline import place_of
    from pytest_graph_eval.gate.comparison.pairing import Scope

    ran = {place_of(r) for r in records}
    there = {(key, s.scenario.id) for key in suites for s in _scenarios(session, key)}
    gone = {key for key in baseline.suites if not (session.config.rootpath / key).is_file()}
    return Scope(whole=frozenset(() if by_node_ids else suites), gone=frozenset(gone), not_asked=frozenset(there - ran))


def _scenarios(session: Session, key: str) -> tuple[LoadedScenario, ...]:
    suite = session.suite(key)
    return suite.scenarios if suite else ()


def save_baseline(
    session: Session, summary: Summary, records: Sequence[Record], comparison: Comparison | None
) -> tuple[str, bool]:
    """Write the baseline where one is to be saved; return what happened in words, and whether it was refused."""
    history = session.history
    path = history.saving
    if path is None:
        return "", False
    from pytest_graph_eval.gate.comparison.baseline import merge, why_not_saved, write_baseline

    partial = summary.run.status != "COMPLETE"
    why = why_not_saved(summary.threshold_result, records, partial=partial, merging=history.merging)
    if why:
        return f"baseline not saved: {why}", True
    try:
        new = _built(session, summary, records)
        if history.baseline is not None and comparison is not None:
            new = merge(history.baseline, _only(new, {*comparison.added, *comparison.changed}))
        elif history.saved is not None:
            new = merge(history.saved, new)
        write_baseline(path, new)
    except DataError as e:
        return str(e), True
    start = session.config.invocation_params.dir
    name = path.relative_to(start).as_posix() if path.is_relative_to(start) else path
    return f"baseline saved: {name} ({many(sum(map(len, new.suites.values())), 'scenario')})", False


def _built(session: Session, summary: Summary, records: Sequence[Record]) -> Baseline:
    from pytest_graph_eval.gate.comparison.baseline import build

    keys = dict.fromkeys(r.suite for r in records)
    identities = {(key, s.scenario.id): identity(s.scenario) for key in keys for s in _scenarios(session, key)}
    return build(
        records,
        identities,
        graphs=summary.graph_stats,
        suite_hash=summary.suite_hash,
        created=summary.run_at,
        meta=summary.meta,
    )


def _only(baseline: Baseline, names: set[str]) -> Baseline:
    """Return the part of a baseline that a comparison lists by name (`id`, or `suite::id` where it is not unique)."""

    def is_listed(place: Place) -> bool:
        return place[1] in names or "::".join(place) in names

    suites = {
        key: {id_: entry for id_, entry in entries.items() if is_listed((key, id_))}
        for key, entries in baseline.suites.items()
    }
    return baseline.model_copy(update={"suites": {key: entries for key, entries in suites.items() if entries}})
