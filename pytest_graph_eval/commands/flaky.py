"""`graph-eval flaky`: finds scenarios that go back and forth in the recorded runs, and quarantines them."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from pytest_graph_eval.commands.console import paper, say
from pytest_graph_eval.commands.records import find_results, moment_of, nothing_in
from pytest_graph_eval.errors import DataError
from pytest_graph_eval.files import write_whole
from pytest_graph_eval.gate.comparison.baseline import Place
from pytest_graph_eval.gate.comparison.pairing import names_of
from pytest_graph_eval.gate.flaky import History, Track, find_flaky, read_history
from pytest_graph_eval.gate.quarantine import Quarantined, quarantine_text, read_quarantine, renewed
from pytest_graph_eval.reports.layout import Paper
from pytest_graph_eval.texts import many

_DAYS = 30
_MIN_RUNS = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "results", metavar="RESULTS", nargs="+", type=Path,
        help="results files, or folders that hold them; ordered by the time in their names, else as given",
    )  # fmt: skip
    parser.add_argument(
        "--min-runs", metavar="N", type=partial(_at_least, 2), default=_MIN_RUNS,
        help="the fewest runs to judge by, and how many without a flip make a scenario stable (default: %(default)s)",
    )  # fmt: skip
    until = parser.add_mutually_exclusive_group()
    until.add_argument("--until", metavar="DATE", type=_day, help="the last day of new entries, such as 2026-12-31")
    until.add_argument(
        "--days", metavar="N", type=partial(_at_least, 0), default=_DAYS,
        help="the same, counted from today (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="the quarantine file to write or to renew")


def _at_least(least: int, text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else -1
    if number < least:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from {least}")
    return number


def _day(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a day that exists, such as 2026-12-31") from None


def run(args: argparse.Namespace) -> int:
    """Print what is flaky and what is stable again, and renew the quarantine file where one is named.

    Returns:
        0: this is a report, and only a gate fails a build.

    Raises:
        DataError: a file cannot be read, or nothing was measured.
    """
    before = read_quarantine(args.output) if args.output and args.output.exists() else []
    files = _in_order(find_results(args.results))
    history = read_history((str(path), _lines_of(path)) for path in files)
    if not history:
        raise nothing_in(files, "no whole record of a scenario that was measured")
    today = datetime.datetime.now(tz=datetime.UTC).date()
    until = args.until or today + datetime.timedelta(days=args.days)
    entries = renewed(before, history, until=until, min_runs=args.min_runs)
    say(_report(paper(), history, entries if args.output else [], args.min_runs, len(files)))
    if args.output:
        write_whole(args.output, [quarantine_text(entries)])
        say([f"{args.output}: {len(entries)} in quarantine" if entries else f"{args.output}: nothing in quarantine"])
    return 0


def _in_order(files: Sequence[Path]) -> list[Path]:
    """Return the files with the oldest run first, where all of their names tell; else in the order given."""
    moments = {file: moment_of(file) for file in files}
    dated = [(moment, file) for file, moment in moments.items() if moment]
    return [file for _, file in sorted(dated)] if len(dated) == len(files) else list(files)


def _lines_of(path: Path) -> Iterator[str]:
    # Only a line feed ends a line: an answer may hold any other line separator.
    with path.open(encoding="utf-8", newline="\n") as file:
        try:
            yield from file
        except UnicodeDecodeError as e:
            raise DataError(f"{path}: not UTF-8 text ({e}); expected a results file of this plugin") from None


def _report(
    page: Paper, history: History, entries: Sequence[Quarantined], min_runs: int, n_files: int
) -> Iterator[str]:
    quarantined = {entry.place: entry for entry in entries}
    flaky = find_flaky(history, min_runs)
    steady = (p for p, track in history.items() if track.went_back_and_forth() and track.is_steady(min_runs))
    stable = {place: history[place] for place in sorted(steady)}
    names = names_of({*flaky, *stable, *quarantined})
    yield f"{many(len(history), 'scenario')} in {many(n_files, 'results file')}"
    if all(track.runs < min_runs for track in history.values()):
        yield f"no scenario has {min_runs} runs yet, so that nothing can be told (--min-runs)"
    yield from _table(page, "FLAKY", flaky, names, quarantined)
    yield from _table(page, f"STABLE AGAIN (no flip in the last {min_runs} runs)", stable, names, quarantined)
    rest = [entry for entry in entries if entry.place not in flaky and entry.place not in stable]
    if rest:
        yield from ("", "IN QUARANTINE AND NEITHER")
        for entry in rest:
            yield from page.wrap(f"{names[entry.place]}: {_why_kept(entry, history, min_runs)}", first="  - ")


def _table(
    page: Paper,
    title: str,
    tracks: Mapping[Place, Track],
    names: Mapping[Place, str],
    entries: Mapping[Place, Quarantined],
) -> Iterator[str]:
    yield from ("", title, ("-" if page.ascii_only else "─") * page.width)
    if not tracks:
        yield "none"
        return
    head = ("Scenario", "Runs", "Passed", "Flips", "95% interval", "Quarantine")
    rows = [
        (
            names[place], track.runs, track.passed, track.flips,
            "{:.2f} to {:.2f}".format(*track.interval), _state(track, entries.get(place)),
        )
        for place, track in tracks.items()
    ]  # fmt: skip
    yield from page.table([head, *rows], align="lrrrll")


def _state(track: Track, entry: Quarantined | None) -> str:
    """Say what the quarantine makes of a scenario."""
    if track.must_pass:
        return "never: it must pass"
    if entry is None:
        return "no"
    return "remove the entry" if entry.stable else f"until {entry.until}"


def _why_kept(entry: Quarantined, history: History, min_runs: int) -> str:
    track = history.get(entry.place)
    if track is None:
        return "these runs say nothing of it; remove the entry if it does not exist any more"
    if track.fingerprint != entry.fingerprint:
        return "it asks or expects something else now; remove the entry"
    if track.runs < min_runs:
        return f"only {track.runs} of these runs measured it, {min_runs} are needed"
    return "it did not go back and forth in these runs, and they do not end without a flip"
