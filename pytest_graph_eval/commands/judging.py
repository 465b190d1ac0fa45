"""Judges a run out of its results files: streams the records into a summary, and decides by the gate's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_graph_eval.commands.records import RecordStream, part_of
from pytest_graph_eval.commands.rules import put_over
from pytest_graph_eval.errors import Problem, SuiteError, UsageError
from pytest_graph_eval.files import shown
from pytest_graph_eval.gate.comparison.baseline import Baseline, place_of
from pytest_graph_eval.gate.comparison.pairing import Scope
from pytest_graph_eval.gate.comparison.regression import Comparison, compare
from pytest_graph_eval.gate.merging import Part, reasons_of, run_of, suites_of
from pytest_graph_eval.gate.outcomes import MISSED, kind_of
from pytest_graph_eval.gate.replays import Replays
from pytest_graph_eval.gate.summary import RunInfo, SuiteInfo, Summary, SummaryBuilder
from pytest_graph_eval.gate.thresholds import decide
from pytest_graph_eval.gate.verdict import Reason
from pytest_graph_eval.library import suite_info
from pytest_graph_eval.loader import LoadedSuite, load_suite, load_targets
from pytest_graph_eval.models.extensions import OPEN, using
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import fingerprint
from pytest_graph_eval.models.settings import Gate
from pytest_graph_eval.texts import listed, many

_NAMES = 5
_SHOWN, WHOLE = 1000, 100
"""Records that did not pass and are kept for the report, which lists a few; the first of them are kept whole."""
_UNCOMPARED = (
    "answer", "checks", "explain", "facts", "gold_answer", "hallucinations", "judge", "contexts", "question",
    "steps", "turns", "usage",
)  # fmt: skip


def load_suites(files: Sequence[Path], root: Path, targets: Path | None = None) -> dict[str, LoadedSuite]:
    """Return suites by the key that their records carry.

    Args:
        files: suite files.
        root: the folder that keys are counted from.
        targets: a file of the targets that the suites may name; None leaves names unresolved.

    Raises:
        SuiteError: a file cannot be used; holds the problems of all of them.
    """
    declared = load_targets(targets) if targets else None
    found: dict[str, LoadedSuite] = {}
    problems: list[Problem] = []
    for file in files:
        try:
            with using(OPEN):  # what plugins added to the run may not be installed here
                suite = load_suite(file, rootdir=root, targets=declared)
        except SuiteError as e:
            problems += e.problems
        else:
            found[suite.key] = suite
    if problems:
        raise SuiteError(problems)
    return found


class Judge:
    """Judges one run, once."""

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        suites: Mapping[str, LoadedSuite] | None = None,
        rules: Gate | None = None,
        baseline: Baseline | None = None,
        compared: bool = True,
        root: Path = Path(),
    ) -> None:
        """Read everything but the records.

        Args:
            paths: results files of one run.
            suites: as their files are now; what the summaries say holds for the others.
            rules: of the gate, in place of the suites' own.
            baseline: what to compare with.
            compared: whether a comparison that the run made must be made again.
            root: the folder that the keys of suites are counted from.

        Raises:
            DataError: a summary cannot be read, or they do not belong together.
            UsageError: the run was compared with a baseline and now is not.
        """
        self._paths = paths
        self._parts = [part_of(path) for path in paths]
        self._suites = suites or {}
        self.rules = rules or Gate.model_construct()
        self._baseline = baseline
        self._root = root
        declared = {key: suite_info(suite, None) for key, suite in self._suites.items()}
        self._infos = suites_of(self._parts, declared)
        self._stream = RecordStream(paths)
        self.failed_items = 0
        self.missed: list[Record] = []
        if compared and baseline is None:
            _refuse_lost_comparison(self._parts)

    @property
    def notes(self) -> list[str]:
        """What was left out of the records, in words."""
        return self._stream.notes

    def judge(self) -> Summary:
        """Return the summary with its verdict. `failed_items`, `missed` and `notes` are complete then.

        Raises:
            DataError: the records cannot be read or do not belong together.
            UsageError: nothing is known of a suite.
        """
        builder, kept, watch, replays = SummaryBuilder(), [], _Watch(self._infos, self._suites), Replays()
        for record in self._stream:
            watch.look_at(record)
            replays.add(record)
            self._count(record)
            builder.add(record)
            if self._baseline is not None:
                kept.append(_slim(record))
        watch.refuse_strangers()
        run = run_of(self._parts, self._infos, self._stream.ran)
        names = ", ".join(shown(path.resolve(), Path.cwd()) for path in self._paths)
        run = replace(run, results_file=names, gate=run.gate and put_over(run.gate, self.rules, only_written=True))
        infos = {key: replace(info, gate=put_over(info.gate, self.rules)) for key, info in self._infos.items()}
        summary = builder.summary(infos, run)
        comparison = self._compare(kept, infos, run)
        told = [*reasons_of(self._parts), *replays.notes(), *watch.reasons()]
        extra = [*(comparison.reasons if comparison else ()), *told]
        return summary.decided(decide(summary, run, extra), **(comparison.blocks() if comparison else {}))

    def _count(self, record: Record) -> None:
        self.failed_items += record.outcome == "failed" or "teardown_error" in record.flags
        if kind_of(record) in MISSED and len(self.missed) < _SHOWN:
            self.missed.append(record if len(self.missed) < WHOLE else _named(record))

    def _compare(self, records: Sequence[Record], infos: Mapping[str, SuiteInfo], run: RunInfo) -> Comparison | None:
        if self._baseline is None:
            return None
        policies = {key: info.gate.baseline for key, info in infos.items()}
        graphs = {key: info.graph for key, info in infos.items() if info.graph}
        scope = self._scope(self._baseline, records, run)
        return compare(self._baseline, records, scope, policies=policies, graphs=graphs)

    def _scope(self, baseline: Baseline, records: Sequence[Record], run: RunInfo) -> Scope:
        """Tell what vanished from what was only not run, as the run itself does."""
        ran = self._stream.ran.keys()
        # Without a single file of a suite this is not the folder that the run knew, and nothing is gone.
        at_home = any((self._root / key).is_file() for key in ran)
        gone = frozenset(key for key in baseline.suites if at_home and not (self._root / key).is_file())
        if "node ids" in run.partial:
            return Scope(gone=gone)
        if not run.partial and not run.interrupted and run.collected == len(records):
            return Scope(whole=frozenset(ran), gone=gone)
        there = {key: suite for key in ran if (suite := self._suites.get(key) or self._on_disk(key))}
        places = {(key, loaded.scenario.id) for key, suite in there.items() for loaded in suite.scenarios}
        return Scope(
            whole=frozenset(there), gone=gone, not_asked=frozenset(places - {place_of(record) for record in records})
        )

    def _on_disk(self, key: str) -> LoadedSuite | None:
        try:
            return load_suites([self._root / key], self._root)[key]
        except SuiteError:
            return None


class _Watch:
    """Looks out for records that do not belong to the suites."""

    def __init__(self, infos: Mapping[str, SuiteInfo], suites: Mapping[str, LoadedSuite]) -> None:
        self._infos = infos
        self._prints = {
            key: {loaded.scenario.id: fingerprint(loaded.scenario) for loaded in suite.scenarios}
            for key, suite in suites.items()
        }
        self._strangers: dict[str, None] = {}
        self._changed: list[tuple[str, str]] = []

    def look_at(self, record: Record) -> None:
        if record.suite not in self._infos:
            self._strangers[record.suite] = None
        prints = self._prints.get(record.suite)
        if prints is not None and prints.get(record.id) != record.fingerprint and not record.facts.get("refreshed"):
            self._changed.append(place_of(record))

    def refuse_strangers(self) -> None:
        if self._strangers:
            raise UsageError(
                f"nothing says by which gate to judge {listed(list(self._strangers), _NAMES)}: its run left no "
                "summary_*.json beside the results; name the suite file with --suite (and pytest's rootdir with "
                "--rootdir, where that is another folder)"
            )

    def reasons(self) -> list[Reason]:
        """Say which records are of scenarios that the suite files do not hold as they were run."""
        if not self._changed:
            return []
        names = listed(["::".join(place) for place in sorted(self._changed)], _NAMES)
        text = (
            f"{many(len(self._changed), 'scenario')} changed or removed in the suite file since the run: {names}; "
            "the results speak of what they were, run them again"
        )
        return [Reason(code="changed_since", level="WARN", text=text)]


def _refuse_lost_comparison(parts: Sequence[Part]) -> None:
    compared = [part.name for part in parts if part.summary and part.summary.baseline]
    if compared:
        raise UsageError(
            f"{listed(compared, _NAMES)}: this run was compared with a baseline, which is a part of its verdict; "
            "name it with --baseline FILE, or decide without it with --no-baseline"
        )


def _named(record: Record) -> Record:
    kept = {name: getattr(record, name) for name in ("id", "nodeid", "suite", "index", "question", "status", "outcome")}
    return Record(**kept)


def _slim(record: Record) -> Record:
    """Return the record without what no comparison looks at: many of them are kept."""
    blank = {name: Record.model_fields[name].get_default(call_default_factory=True) for name in _UNCOMPARED}
    return record.model_copy(update=blank)
