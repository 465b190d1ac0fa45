"""The `graph-eval` command: a table of subcommands, each in a module that is imported when it is called for.

Exit status 0 pass, 1 below the bar, 2 could not run. What a command says goes to stdout, why it could not run to
stderr as `graph-eval: message`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from pytest_graph_eval.commands.console import complain, output_argument, write
from pytest_graph_eval.errors import GraphEvalError, SuiteError, UsageError
from pytest_graph_eval.texts import many

PATTERNS = ("*.graph.yaml", "*.graph.yml")


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand: its line in the help, its arguments, and what it does.

    `run` returns the exit status, or raises a `GraphEvalError` or an `OSError` that says why it could not run.
    """

    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments; default: those of the process.

    Returns:
        The exit status.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # no message is lost to a narrow terminal
    argv = sys.argv[1:] if argv is None else argv
    args = _parser(argv).parse_args(argv)
    command: Command = args.command
    try:
        with _with_plugins(args.plugin):
            return command.run(args)
    except GraphEvalError as e:
        complain(str(e))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # who read us has gone: let the exit be quiet
    except OSError as e:
        complain(_told(e, getattr(args, "output", None)))
    except KeyboardInterrupt:
        complain("interrupted")
    return 2


def _told(error: OSError, output: Path | None) -> str:
    """Return what could not be read or written, and why."""
    if not error.filename:
        return str(error)
    if output is not None and Path(error.filename) in (output, *output.parents, output.resolve()):
        return f"-o {output}: cannot be written: {error.strerror}; name another file"
    return f"{error.filename}: {error.strerror}"


class _Version(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib import metadata

        _say(f"graph-eval {metadata.version('pytest-graph-eval')}")
        parser.exit()


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser; only commands that the arguments name learn theirs, as a command pays for what it imports."""
    parser = argparse.ArgumentParser(
        prog="graph-eval",
        description="Tools around the evaluation suites that `pytest --graph-eval` runs.",
        epilog="exit status: 0 pass, 1 below the bar, 2 could not run",
        formatter_class=lambda prog: argparse.HelpFormatter(prog, indent_increment=1),  # room for the longest command
    )
    parser.add_argument(
        "-p", dest="plugin", metavar="PLUGIN", action="append", default=[],
        help="a module, or a file such as conftest.py, whose hooks add metrics, checks or targets to suites",
    )  # fmt: skip
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        sub = commands.add_parser(name, help=command.help, description=command.help)
        if name in argv:
            command.arguments(sub)
        sub.set_defaults(command=command)
    return parser


@contextlib.contextmanager
def _with_plugins(names: Sequence[str]) -> Iterator[None]:
    """Let the suites of a command use what plugins add."""
    if not names:
        yield
        return
    from pytest_graph_eval.models.extensions import extended, plugin

    with extended(*map(plugin, names)):
        yield


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _validate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suites", metavar="SUITE", nargs="+", type=Path, help="suite files, or folders with suites")
    parser.add_argument("--targets", metavar="FILE", type=Path, help="YAML file of the targets that suites may name")


def _validate(args: argparse.Namespace) -> int:
    from pytest_graph_eval.loader import load_suite, load_targets

    targets = load_targets(args.targets) if args.targets else None
    bad = problems = 0
    for path in _suite_files(args.suites):
        try:
            suite = load_suite(path, targets=targets)
        except SuiteError as e:
            bad, problems = bad + 1, problems + len(e.problems)
            _say(str(e))
        else:
            _say(f"{path}: {many(len(suite.scenarios), 'scenario')}")
    if bad:
        complain(f"{problems} problem{'s' * (problems != 1)} in {bad} file{'s' * (bad != 1)}")
    return 2 if bad else 0


def _suite_files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted({file for pattern in PATTERNS for file in path.rglob(pattern)})
        if not found:
            raise UsageError(f"{path}: no suite in this folder ({' or '.join(PATTERNS)})")
        yield from found


def _schema(args: argparse.Namespace) -> int:
    from pytest_graph_eval.loader import suite_schema

    write([json.dumps(suite_schema(), indent=2, ensure_ascii=False) + "\n"], args.output)
    return 0


def _serve_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("extractions", metavar="FILE", nargs="+", type=Path, help="extraction JSON, GraphML, RDF")
    parser.add_argument("--http", metavar="PORT", type=_port, help="serve over streamable HTTP (default: stdio)")
    parser.add_argument("--empty", action="store_true", help="start without the files loaded, to try a recovery")


def _port(text: str) -> int:
    port = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port, expected 0 to 65535")
    return port


def _serve(args: argparse.Namespace) -> int:
    from pytest_graph_eval.graph.server import serve

    serve(args.extractions, port=args.http, empty=args.empty)
    return 0


def _command(text: str, module: str, arguments: str = "add_arguments", run: str = "run") -> Command:
    """Return a command that is two functions of a module in `commands`."""

    def call(name: str, given: Any) -> Any:
        return getattr(import_module(f"pytest_graph_eval.commands.{module}"), name)(given)

    return Command(text, partial(call, arguments), partial(call, run))


COMMANDS: dict[str, Command] = {
    "init": _command("write a suite, its target and a CI workflow that run as they are", "init"),
    "check": _command("explain whether a text states facts", "check"),
    "doctor": _command("ask a target one question, and suggest how to map its reply", "doctor"),
    "gate": _command("decide again over the results of a run or of its shards", "gate"),
    "compare": _command("print what changed from one run to another", "compare"),
    "flaky": _command("find scenarios that go back and forth, and quarantine them", "flaky"),
    "coverage": _command("tell what of a graph a suite asks about", "coverage"),
    "validate": Command("check suite files and print every problem", _validate_arguments, _validate),
    "schema": Command("write the JSON Schema of suite files, for editors", output_argument, _schema),
    "import": _command("write other projects' scenarios as a suite", "exchange", "import_arguments", "run_import"),
    "export": _command(
        "write a suite's scenarios in another project's form", "exchange", "export_arguments", "run_export"
    ),
    "generate": _command("write a suite out of the files of a graph", "generate"),
    "judge": _command("have the answers of finished runs judged by a model", "judge"),
    "calibrate": _command("compare a judge's scores with those of people", "calibrate"),
    "report": _command("make a report of an old run, or write its results in another project's form", "report"),
    "serve": Command("serve the files of a graph as an MCP server", _serve_arguments, _serve),
}


if __name__ == "__main__":
    sys.exit(main())
