"""pytest's door into this package: options, ini keys and the switch that loads the rest.

This module is imported in every pytest run of everybody who has the package installed, so it imports pytest
and the standard library only. With `--graph-eval` it collects suite files, and `load`s the rest once it is needed.
"""

from __future__ import annotations

import fnmatch
import gc
import os
import shlex
import sys
from importlib.machinery import ModuleSpec, PathFinder
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_graph_eval import hookspecs

NOT_RUN = pytest.StashKey[list[str]]()
FILES = ["*.graph.yaml", "*.graph.yml"]

# name, kind, help; each is an option, an ini key `graph_eval_<name>` and a variable `GRAPH_EVAL_<NAME>`
OPTIONS: list[tuple[str, str, str]] = [
    ("target", "text", ("ask this target instead of every suite's own: a name from graph_eval_targets, a URL, "
     "a command, module:callable, an extraction .json or a recording .jsonl")),
    ("output", "folder", "folder for results and summary (default: evals/results below rootdir)"),
    ("keep-responses", "folder", "write every raw reply to DIR, redacted"),
    ("report", "files", ("write a report to FILE when the session ends, however it ends: .html (one page, no "
     "network), .md or .json; may be repeated (elsewhere a list as in PATH); with --collect-only an .html shows what "
     "would be asked")),
    ("fail-on", "choice", "items: a failed scenario fails its item; gate: only the gate decides"),
    ("baseline", "file", "compare this run with the baseline in FILE"),
    ("save-baseline", "file", "write this run as the baseline to FILE"),
    ("baseline-partial", "flag", "put just the scenarios that ran into the baseline that is saved"),
    ("concurrency", "count", "keep up to N questions to a target in flight (default: 8)"),
    ("repeats", "count", "ask every scenario N times"),
    ("record-mode", "choice", ("off: ask; once: play what is recorded, ask and record the rest; all: ask and record "
     "anew; none: play only (default: off)")),
    ("facts", "choice", ("check: tell which generated scenarios expect what the catalog no longer says; refresh: judge "
     "them by what it says now; off: neither (default: check)")),
    ("quarantine", "file", "expect the flaky scenarios listed in FILE to fail"),
    ("resume", "text", "take over what was finished: a results file, or `last` for the newest unfinished one"),
    ("judge", "flag", "have the answers judged by the model of each suite's `judge:`"),
    ("strict", "flag", "make a WARN verdict exit with status 1"),
    ("quiet", "flag", "print the verdict line only"),
]  # fmt: skip

_CHOICES = {"fail-on": ("items", "gate"), "record-mode": ("off", "once", "all", "none"),
            "facts": ("check", "refresh", "off")}  # fmt: skip
_METAVARS = {"file": "FILE", "files": "FILE", "folder": "DIR", "count": "N"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and the ini key of the same words for each."""
    group = parser.getgroup("graph-eval", "evaluation of knowledge graphs")
    group.addoption("--graph-eval", action="store_true", default=None, help="collect and run *.graph.yaml suites")
    parser.addini("graph_eval", "as --graph-eval", type="bool", default=None)
    for name, kind, text in OPTIONS:
        if kind == "flag":
            group.addoption(f"--graph-eval-{name}", action="store_true", default=None, help=text)
        else:
            choices = _CHOICES.get(name)
            metavar = None if choices else _METAVARS.get(kind, name.upper())
            action = "append" if kind == "files" else "store"
            group.addoption(f"--graph-eval-{name}", action=action, choices=choices, metavar=metavar, help=text)
        ini = "graph_eval_" + name.replace("-", "_")
        ini_type: Literal["bool", "string"] = "bool" if kind == "flag" else "string"
        parser.addini(ini, f"as --graph-eval-{name}", type=ini_type, default=None)
    parser.addini("graph_eval_files", "names of suite files", type="args", default=FILES)
    parser.addini("graph_eval_targets", "YAML file that names targets", type="string", default=None)
    cassettes = "folder of the cassettes (default: `cassettes` beside each suite)"
    parser.addini("graph_eval_cassettes", cassettes, type="string", default=None)
    parser.addini("graph_eval_gate", "YAML file with a gate over all suites", type="string", default=None)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks of this plugin."""
    pluginmanager.add_hookspecs(hookspecs)


def setting(config: pytest.Config, name: str) -> Any:
    """Return an option's value: command line, else environment, else ini, else None. `name` without the prefix.

    Files and folders are paths; those from an ini file belong to the folder of that file. Several files are a list; a
    variable or an ini key separates them as PATH does, or by lines.

    Raises:
        pytest.UsageError: the value is none that the option can have.
    """
    kind = "flag" if not name else next(k for n, k, _ in OPTIONS if n == name)
    value, where, folder = _given(config, name)
    if where.startswith("--") and not all(map(str.strip, value if isinstance(value, list) else [str(value)])):
        word = where.removeprefix("--").replace("-", "_")
        raise pytest.UsageError(  # of a variable of the shell that is not set: what was asked for would be left out
            f"{where}: found an empty value; give one, or leave the option out (`-o {word}=` switches off an ini key)"
        )
    return None if value in (None, "") else _value(kind, name, value, where, folder)


def folder_of(config: pytest.Config, name: str) -> Path:
    """Return what relative paths in the text of an option belong to: an ini file's folder, or where pytest started."""
    return _given(config, name)[2]


def _given(config: pytest.Config, name: str) -> tuple[Any, str, Path]:
    """Return the value of an option as it is written, what gives it, and what relative paths in it belong to."""
    word = ("graph_eval_" + name).rstrip("_").replace("-", "_")
    start = config.invocation_params.dir
    if (value := config.getoption(word)) is not None:
        return value, f"--{word.replace('_', '-')}", start
    if value := os.environ.get(word.upper()):
        return value, word.upper(), start
    return config.getini(word), word, config.inipath.parent if config.inipath else config.rootpath


def _value(kind: str, name: str, value: Any, where: str, folder: Path) -> Any:
    if kind == "flag":
        return value if isinstance(value, bool) else _flag(value, where)
    if kind in ("file", "folder"):
        return folder / value
    if kind == "files":
        names = value if isinstance(value, list) else value.replace(os.pathsep, "\n").splitlines()
        return [folder / name.strip() for name in names if name.strip()]
    if kind == "count":
        if not str(value).isdecimal() or int(value) < 1:
            raise pytest.UsageError(f"{where} {value}: expected a whole number from 1")
        return int(value)
    if kind == "choice" and value not in _CHOICES[name]:
        raise pytest.UsageError(f"{where} {value}: expected {', '.join(f'`{c}`' for c in _CHOICES[name])}")
    return value


def _flag(text: str, where: str) -> bool:
    if text.lower() in {"1", "true", "yes", "on"}:
        return True
    if text.lower() in {"0", "false", "no", "off"}:
        return False
    raise pytest.UsageError(f"{where}={text}: expected 1 or 0")


def is_suite(config: pytest.Config, path: Path) -> bool:
    """Tell whether a file's name is that of a suite."""
    return any(fnmatch.fnmatch(path.name, pattern) for pattern in config.getini("graph_eval_files"))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Load the rest of the plugin when it is asked for; refuse a suite that is named without the flag."""
    config.addinivalue_line("markers", "graph_eval: set on every scenario of a *.graph.yaml suite")
    _check_rootdir(config)
    if setting(config, ""):
        if _cannot_wait(config):
            load(config)
        return
    config.stash[NOT_RUN] = []
    for arg in config.args:
        path = config.invocation_params.dir / arg.partition("::")[0]
        if is_suite(config, path) and path.is_file():
            raise pytest.UsageError(f"{arg} is a graph evaluation suite: add --graph-eval to run it")


# Files with pytest's settings, and the section that makes them so.
_INI_FILES = {"pytest.toml": "", ".pytest.toml": "", "pytest.ini": "", ".pytest.ini": "",
              "pyproject.toml": "[tool.pytest.ini_options]", "tox.ini": "[pytest]",
              "setup.cfg": "[tool:pytest]"}  # fmt: skip
# Files that pytest takes a rootdir by.
_ROOT_FILES = (*_INI_FILES, "setup.py")


def _check_rootdir(config: pytest.Config) -> None:
    """Refuse a run in which a value of an option of ours moved pytest's rootdir.

    pytest chooses it before it knows the options of plugins, and takes a value that stands apart from its option, and
    exists, for a test. Suites would have other keys then, which no baseline knows, and an ini file may be left out.

    Raises:
        pytest.UsageError: it did.
    """
    start, root = config.invocation_params.dir, config.rootpath
    options = {f"--graph-eval-{name}" for name, kind, _ in OPTIONS if kind != "flag"}
    args = [*shlex.split(os.environ.get("PYTEST_ADDOPTS", "")), *config.invocation_params.args]
    named = [(option, value) for option, value in pairwise(args) if option in options and _exists(start / value)]
    if not named or config.getoption("rootdir") or config.getoption("inifilename") or hasattr(config, "workerinput"):
        return
    tests = [(start / arg.partition("::")[0]).resolve() for arg in config.args]
    folders = [test if test.is_dir() else test.parent for test in tests]
    common = Path(os.path.commonpath([start.resolve(), *folders]))
    begin = Path(os.path.commonpath(folders)) if config.args_source is config.ArgsSource.ARGS else start.resolve()
    passed_over = [f for f in (begin, *begin.parents) if f != root and f.is_relative_to(root) and _configures(f)]
    by_file = common.is_relative_to(root) and any((root / name).is_file() for name in _ROOT_FILES)
    if not passed_over and (root == common or by_file):
        return
    for option, value in named:
        if not (start / value).resolve().is_relative_to(passed_over[0] if passed_over else common):
            raise pytest.UsageError(
                f"{option} {value}: pytest takes a path that stands apart from its option for a test, and hence {root} "
                "for the rootdir, where suites have other names and another ini file counts; "
                f"write {option}={value}, or give --rootdir"
            )


def _configures(folder: Path) -> bool:
    """Tell whether a folder has an ini file that pytest takes for its own."""
    files = ((folder / name, section) for name, section in _INI_FILES.items())
    return any(file.is_file() and section in file.read_text("utf-8", "replace") for file, section in files)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # too long for a name, as a command may be
        return False


def _cannot_wait(config: pytest.Config) -> bool:
    """Tell whether to load the rest before the first suite is seen.

    What options name is checked before anything is asked, and a controller of pytest-xdist never sees a file. A flag
    that just stands in addopts costs runs without a suite nothing.
    """
    named = any(setting(config, name) is not None for name, _, _ in OPTIONS)
    named = named or any(config.getini(f"graph_eval_{key}") for key in ("targets", "gate"))
    return named or "--graph-eval" in config.invocation_params.args or config.getoption("dist", "no") != "no"


class _AsWritten:
    """Imports the rest of this package past pytest's rewriting of assertions.

    pytest rewrites all modules of a plugin; of this many it takes seconds, in every run where it cannot cache them, and
    in the first of every fresh environment.
    """

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find our own modules as Python does."""
        return PathFinder.find_spec(name, path, target) if name.startswith("pytest_graph_eval.") else None


def load(config: pytest.Config) -> None:
    """Register the rest of the plugin, once.

    Raises:
        pytest.UsageError: a file or a folder that an option or an ini key names cannot be used.
    """
    if _AsWritten not in sys.meta_path:
        sys.meta_path.insert(0, _AsWritten)
    from pytest_graph_eval.garbage import no_collection

    with no_collection():
        from pytest_graph_eval.run import session

        if not config.pluginmanager.has_plugin(session.NAME):
            gc.unfreeze()  # what is left of an earlier session in this process
            session.register(config)
            gc.freeze()  # what was imported stays


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a suite; without the flag count it, so that a forgotten flag is seen."""
    if not is_suite(parent.config, file_path):
        return None
    not_run = parent.config.stash.get(NOT_RUN, None)
    if not_run is None:
        from pytest_graph_eval.run.suite_file import SuiteFile

        return SuiteFile.at(file_path, parent)
    if _in_reach(parent.config, file_path):
        not_run.append(file_path.name)
    return None


def _in_reach(config: pytest.Config, path: Path) -> bool:
    """Tell whether a file is in a folder that is to be run, and not only beside a file that is."""
    start = config.invocation_params.dir
    return any(path.is_relative_to(os.path.abspath(start / arg.partition("::")[0])) for arg in config.args)  # noqa: PTH100 - links stay as they were named


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many suites were left out for want of the flag."""
    count = len(config.stash.get(NOT_RUN, []))
    if count:
        suites, them = ("suite", "it") if count == 1 else ("suites", "them")
        terminalreporter.write_line(f"graph-eval: {count} {suites} not run; add --graph-eval to run {them}")
