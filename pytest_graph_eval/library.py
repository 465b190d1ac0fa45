"""A whole run without pytest, and what a suite tells its records and its summary."""

from __future__ import annotations

import functools
import hashlib
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_graph_eval.catalogs import catalog_of, names_of
from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.evaluation.evaluate import Context, last_turn_passed, score_scenario
from pytest_graph_eval.evaluation.prefetch import DEFAULT, Window, is_serial
from pytest_graph_eval.gate.summary import GraphStats, SuiteInfo
from pytest_graph_eval.graph.reading.file_kinds import KINDS
from pytest_graph_eval.judged import judge_records
from pytest_graph_eval.loader import DeclaredTarget, LoadedScenario, LoadedSuite, load_suite, prepare_suite
from pytest_graph_eval.metrics.facts import NameIndex
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import Scenario, Suite
from pytest_graph_eval.redaction import Redactor
from pytest_graph_eval.targets.inline import run_inline

if TYPE_CHECKING:
    from pytest_graph_eval.evaluation.asking import Asked, OpenTarget
    from pytest_graph_eval.targets.loop import LoopThread


def evaluate(
    suite: Suite | LoadedSuite | Path | str,
    target: DeclaredTarget | None = None,
    *,
    folder: Path | None = None,
    judge: bool = False,
    facts: FactsMode = "check",
    concurrency: int = DEFAULT,
) -> list[Record]:
    """Ask every scenario of a suite and return its records, in file order.

    A suite that says `record_mode: none` plays its cassette; nothing is recorded here.

    Args:
        suite: a suite, or the path of its file.
        target: asked in place of the suite's own.
        folder: what relative paths of a suite that is no file belong to; default: the current one.
        judge: have the suite's `judge:` judge the answers; its replies are not cached.
        facts: what becomes of generated scenarios whose facts the suite's catalog no longer holds (see
            `with_current_facts`).
        concurrency: how many questions may be in flight, from 1; targets and scenarios with limits keep theirs.

    Raises:
        SuiteError: the suite cannot run. A target that fails is no error here: its records are ERROR.
        UsageError: `concurrency` is below 1.
    """
    if concurrency < 1:
        raise UsageError(f"concurrency={concurrency}: expected a whole number from 1; 1 asks one question at a time")
    from pytest_graph_eval.targets.loop import LoopThread

    if isinstance(suite, str | Path):
        loaded = load_suite(suite, targets={}, target=target)
    else:
        loaded = prepare_suite(suite, folder=folder, targets={}, target=target)
    loaded = with_current_facts(loaded, facts)
    loop = LoopThread()
    try:
        records = _measured(loaded, loop, concurrency, plays=target is None)
        if judge:
            judge_records(records, {loaded.key: loaded}.get, loop)
        return records
    finally:
        loop.close()


def _measured(suite: LoadedSuite, loop: LoopThread, concurrency: int, *, plays: bool) -> list[Record]:
    """Return the records of a suite whose target is opened for them; it `plays` its cassette where it says so."""
    from pytest_graph_eval.evaluation.pool import Pool
    from pytest_graph_eval.targets.base import Surroundings
    from pytest_graph_eval.targets.recording.lines import Tape

    pool, scenarios = Pool(), [loaded.scenario for loaded in suite.scenarios]
    tape = Tape(suite.cassette, "none") if plays and suite.suite.record_mode == "none" else None
    with tempfile.TemporaryDirectory(prefix="graph-eval-", ignore_cleanup_errors=True) as tmp:
        around = Surroundings(
            folder=suite.target_folder, tmp=Path(tmp), where=suite.target_where, extraction=suite.extraction
        )
        opened = loop.run(pool.get(suite.target, around, scenarios, tape=tape))
        try:
            return list(_records(suite, opened, Window(loop, concurrency)))
        finally:
            loop.run(pool.close())


def _records(suite: LoadedSuite, opened: OpenTarget, window: Window[Asked]) -> Iterator[Record]:
    """Yield the record of each scenario in order, with the questions that follow in flight meanwhile."""
    shared = suite_context(suite, opened)
    contexts = [
        scenario_context(shared, loaded, nodeid=f"{suite.key}::{loaded.scenario.id}", index=index)
        for index, loaded in enumerate(suite.scenarios)
    ]
    alone = [is_serial(loaded.scenario, suite.gate) for loaded in suite.scenarios]

    def ahead(start: int) -> Iterator[tuple[int, Callable[[], Coroutine[Any, Any, Asked]]]]:
        most = 1 if alone[start] else opened.at_once
        for index in islice(range(start, len(contexts)), most):
            if index > start and alone[index]:
                return
            scenario = suite.scenarios[index].scenario
            passed = partial(last_turn_passed, scenario, context=contexts[index])
            yield index, partial(opened.ask, scenario, passed=passed)

    try:
        for index, loaded in enumerate(suite.scenarios):
            if opened.is_inline:
                passed = partial(last_turn_passed, loaded.scenario, context=contexts[index])
                asked = run_inline(opened.ask(loaded.scenario, passed=passed))
            else:
                asked = window.ask(ahead(index))
            record = score_scenario(loaded.scenario, asked, contexts[index])
            yield Redactor(opened.target.secrets if opened.target else ()).record(record)
    finally:
        window.cancel()


FactsMode = Literal["check", "refresh", "off"]


def with_current_facts(suite: LoadedSuite, mode: FactsMode) -> LoadedSuite:
    """Return a suite whose generated scenarios were held against its catalog, or its graph target's own files.

    `check` notes on the records of stale scenarios what the graph says now; `refresh` has them judged by that, unless
    it is nothing; `off` reads nothing. A catalog that cannot be read changes nothing here; the records say so.
    """
    made = {loaded.scenario.id for loaded in suite.scenarios if _is_made(loaded.scenario)}
    known = catalog_of(suite, own=True) if mode != "off" and made else None
    if known is None or known.problem:
        return suite
    from pytest_graph_eval.generate.refresh import compared

    inherited, refresh = suite.suite.defaults.expect, mode == "refresh"
    scenarios = tuple(
        compared(loaded, known.view, inherited, refresh=refresh) if loaded.scenario.id in made else loaded
        for loaded in suite.scenarios
    )
    return replace(suite, scenarios=scenarios)


def _is_made(scenario: Scenario) -> bool:
    """Tell whether a scenario, or a turn of it, keeps how it was made."""
    return bool(scenario.fact_spec) or any(turn.fact_spec for turn in scenario.turns or ())


def suite_context(suite: LoadedSuite, opened: OpenTarget | None) -> Context:
    """Return what scoring needs to know of a suite and its target; `opened` is None where nothing was asked."""
    spec = suite.target
    target = opened.target if opened else None
    declared = spec.deterministic if spec else None
    held = _names_of_graph(opened)
    known = catalog_of(suite)
    return Context(
        suite=suite.key,
        target=(spec.name or spec.kind) if spec else "",
        target_digest=target_digest(suite),
        deterministic=bool(declared if declared is not None else target and target.deterministic),
        documents=suite_documents(suite),
        relevant_types=spec.relevant_types if spec else {},
        names=known.names if known is not None and not known.problem else held,
        catalog_problem=known.problem if known is not None else "",
        held=held,
        gate_metrics=tuple(suite.gate.metrics),
        extensions=suite.extensions,
        keeps_contexts=suite.judge is not None and "retrieval" in suite.judge.asked,
    )


def scenario_context(shared: Context, loaded: LoadedScenario, *, nodeid: str, index: int) -> Context:
    """Return what is `shared` by a suite's scenarios, with what is one's own."""
    documents = loaded.documents or shared.documents
    return replace(
        shared, nodeid=nodeid, index=index, documents=documents, flags=loaded.flags, freshness=loaded.freshness
    )


@functools.lru_cache(maxsize=64)
def _digest_of(settings: str) -> str:
    return hashlib.sha256(settings.encode()).hexdigest()[:12]


def target_digest(suite: LoadedSuite) -> str:
    """Return 12 hex digits over the target's settings as written, without what its environment holds."""
    paced = {"max_concurrency", "rate"}  # they change how fast is asked, not what
    return _digest_of(suite.target.model_dump_json(exclude_defaults=True, exclude=paced)) if suite.target else ""


def target_group(suite: LoadedSuite) -> str:
    """Return a name that suites with the same target share: those that one open target can serve."""
    spec = suite.target
    assert spec is not None  # a suite without one does not load
    return f"{spec.name or spec.kind}-{_digest_of(f'{suite.target_folder} {target_digest(suite)}')[:6]}"


def plain_nodeid(nodeid: str) -> str:
    """Return a scenario's node id without the group that pytest-xdist appends with `--dist loadgroup`."""
    if "@" not in nodeid:  # most: it stays the text that pytest holds
        return nodeid
    head, colons, name = nodeid.rpartition("::")
    return f"{head}{colons}{name.partition('@')[0]}"


def suite_documents(suite: LoadedSuite) -> tuple[str, ...]:
    """Return the documents behind a suite: its data sets' sources, else the target's own files."""
    if suite.documents:
        return suite.documents
    spec = suite.target
    files = [file for kind in KINDS for file in getattr(spec, kind, ())]
    return tuple(dict.fromkeys(Path(file).name for file in files))


def suite_info(suite: LoadedSuite, graph: GraphStats | None) -> SuiteInfo:
    """Return what the summary needs to know of a suite."""
    spec = suite.target
    return SuiteInfo(
        name=suite.name,
        description=suite.suite.description,
        gate=suite.gate,
        documents=list(suite_documents(suite)),
        target=(spec.name or spec.kind) if spec else "",
        graph=graph,
        scenarios=len(suite.scenarios),
    )


def _names_of_graph(opened: OpenTarget | None) -> NameIndex | None:
    """Return the names that the target's own graph holds, where it tells."""
    catalog = opened.target.catalog() if opened and opened.target and not opened.error else None
    return names_of(catalog) if catalog is not None else None
