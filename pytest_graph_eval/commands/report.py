"""`graph-eval report`: the results of a run in another form; nobody is asked."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from pytest_graph_eval.commands.console import complain, output_argument, write
from pytest_graph_eval.commands.finished import finished_run
from pytest_graph_eval.commands.judging import load_suites
from pytest_graph_eval.commands.records import RecordStream, find_results
from pytest_graph_eval.errors import DataError, SuiteError, UsageError
from pytest_graph_eval.formats.datasets import parse_dataset
from pytest_graph_eval.library import target_digest
from pytest_graph_eval.loader import LoadedSuite
from pytest_graph_eval.models.records import Record, json_chunks
from pytest_graph_eval.models.scenario import Scenario, fingerprint
from pytest_graph_eval.reports.build import FORMS, form_of
from pytest_graph_eval.targets.recording.response_records import response_records
from pytest_graph_eval.texts import listed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "results", metavar="RESULTS", nargs="+", type=Path, help="results files of one run, or folders that hold them"
    )
    parser.add_argument(
        "--format", choices=[*FORMS, *_FORMS], help="the form: %(choices)s (default: by the suffix of --output)"
    )
    parser.add_argument(
        "--history", metavar="DIR", nargs="+", action="extend", default=[], type=Path,
        help="folders with older runs, beside that of RESULTS, for the course of the scores",
    )  # fmt: skip
    parser.add_argument(
        "--rootdir", metavar="DIR", type=Path, default=Path(),
        help="pytest's rootdir, where the suites are, for what results do not hold (default: the current folder)",
    )  # fmt: skip
    parser.add_argument(
        "--zeros", action="store_true", help="write tokens and time that nobody measured as 0, not leave them out"
    )
    output_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Write a page to look at, or a result for each question and the aggregates in another project's form.

    Returns:
        0: this is a report, and only a gate fails a build.
    """
    paths = find_results(args.results)
    stream, suites = RecordStream(paths), _Suites(args.rootdir)
    form = args.format or _form_of(args.output)
    if form in _FORMS:
        data = _FORMS[form](stream, suites, paths, zeros=args.zeros)
        write([*json_chunks(data, indent=2), "\n"], args.output)
    else:
        write(_report(form, stream, paths, args), args.output)
    for note in [*stream.notes, *suites.notes]:
        complain(f"note: {note}")
    return 0


def _form_of(output: Path | None) -> str:
    if output is None:
        raise UsageError("no form: name one with --format, or a file with -o whose suffix says it, such as report.html")
    return form_of(output, "-o")


def _report(form: str, stream: RecordStream, paths: Sequence[Path], args: argparse.Namespace) -> Iterable[str]:
    if args.zeros:
        raise UsageError("--zeros: a report shows what nobody measured as unknown; leave the option out")
    missing = [str(folder) for folder in args.history if not folder.is_dir()]
    if missing:
        raise UsageError(f"--history {', '.join(missing)}: no such folder; expected folders with summary_*.json")
    try:
        return list(FORMS[form](finished_run(paths, stream, args.history)))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as e:
        names = ", ".join(map(str, paths))
        raise DataError(
            f"{names}: a record holds what no record of this plugin holds ({type(e).__name__}: {e}); "
            "expected results as pytest wrote them"
        ) from e


def _graphrag_eval(stream: RecordStream, suites: _Suites, _: Sequence[Path], *, zeros: bool) -> dict[str, Any]:
    from pytest_graph_eval.reports.graphrag_eval import Results

    results = Results()
    for record in stream:
        results.add(record, suites.question(record), suites.response(record))
    return {"results": results.results(), "aggregates": results.aggregates(zeros=zeros)}


def _tdfs4ds(stream: RecordStream, suites: _Suites, paths: Sequence[Path], *, zeros: bool) -> dict[str, Any]:
    from pytest_graph_eval.reports.tdfs4ds import Results

    if zeros:
        raise UsageError("--zeros: this form has no place for what nobody measured; leave the option out")
    results = Results()
    for record in stream:
        results.add(record, suites.scenario(record))
    stamps = [found[0] for path in paths if (found := re.search(r"\d{8}T\d{6}", path.name))]
    return results.data(
        timestamp=min(stamps, default="").replace("T", "_"), version=metadata.version("pytest-graph-eval")
    )


_FORMS: dict[str, Callable[..., dict[str, Any]]] = {"graphrag-eval": _graphrag_eval, "tdfs4ds": _tdfs4ds}


@dataclass(slots=True)
class _Source:
    """What a suite holds that results do not: its questions, and the response records that it replays."""

    suite: LoadedSuite | None = None
    questions: Mapping[str, Any] = field(default_factory=dict)
    responses: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""


class _Suites:
    """The suites of a run, read when one of their records comes."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._sources: dict[str, _Source] = {}
        self._changed: set[str] = set()
        self._missing: dict[str, str] = {}

    def question(self, record: Record) -> Mapping[str, Any] | None:
        """Return the question of a record as a data set has it; None where its suite has it no more."""
        from pytest_graph_eval.formats.graphrag_eval import question

        scenario = self.scenario(record)
        if scenario is None:
            return None
        written: Mapping[str, Any] = self._source(record.suite).questions.get(record.source_id or record.id, {})
        return written if written.get("question_text") == record.question else question(scenario)

    def scenario(self, record: Record) -> Scenario | None:
        """Return the scenario of a record as it was run; None where its suite has it no more."""
        source = self._source(record.suite)
        found = source.suite.find(record.id) if source.suite else None
        if found is None or fingerprint(found[1].scenario) != record.fingerprint:
            if source.suite is not None:
                self._changed.add(record.id)
            return None
        return found[1].scenario

    def response(self, record: Record) -> Mapping[str, Any] | None:
        """Return the response record that a record was scored from; None where the suite replays no such records."""
        source = self._source(record.suite)
        if source.digest != record.target_digest or not source.responses:
            return None
        ids = (record.id, record.source_id or record.id)  # as the target looks for them
        return next((found for id_ in ids if (found := source.responses.get(id_))), {})

    def _source(self, key: str) -> _Source:
        if key not in self._sources:
            self._sources[key] = self._read(key)
        return self._sources[key]

    def _read(self, key: str) -> _Source:
        try:
            suite = load_suites([self._root / key], self._root)[key]
        except (SuiteError, KeyError) as e:
            self._missing[key] = str(e).partition("\n")[0]
            return _Source()
        return _Source(suite, _questions(suite), _responses(suite), target_digest(suite))

    @property
    def notes(self) -> list[str]:
        """What results lack, and why."""
        notes = [f"nothing of what was expected in {key}: {why}" for key, why in self._missing.items()]
        if self._changed:
            names = listed(sorted(self._changed), 5)
            notes.append(f"nothing of what was expected in what the suites hold otherwise than it was run: {names}")
        return notes


def _questions(suite: LoadedSuite) -> dict[str, Any]:
    """Return the questions of graphrag-eval's data sets as they are written, by their own ids."""
    from pytest_graph_eval.formats import graphrag_eval

    found: dict[str, Any] = {}
    for dataset in suite.suite.datasets:
        parsed = parse_dataset((suite.folder / dataset.path).read_bytes(), dataset.path)
        if isinstance(parsed, tuple) and graphrag_eval.matches(parsed[0]):
            found |= graphrag_eval.questions(parsed[0])
    return found


def _responses(suite: LoadedSuite) -> dict[str, Any]:
    """Return graphrag-eval's response records by question, where the suite replays such."""
    path = getattr(suite.target, "path", None)
    if path is None:
        return {}
    try:
        items = response_records((suite.target_folder / path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return {}  # the records say what is wrong with it
    return {key: record for _, key, record in reversed(items or []) if isinstance(record, Mapping)}
