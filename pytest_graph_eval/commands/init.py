"""`graph-eval init`: writes a suite, its target and a CI workflow that run as they are; replaces nothing."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from pytest_graph_eval.commands import doctor
from pytest_graph_eval.commands.console import say
from pytest_graph_eval.commands.findings import Findings
from pytest_graph_eval.commands.target_block import without_secrets
from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.loader import suite_schema, target_from_text
from pytest_graph_eval.loader.writer import dump_yaml
from pytest_graph_eval.models.records import Response

_SUITE, _TARGETS, _SCHEMA = "first.graph.yaml", "targets.yaml", "graph-eval.schema.json"
_WORKFLOW = ".github/workflows/graph-eval.yml"
_PLAYED = "--graph-eval-record-mode none "
_MOST = 3
_WHAT = {
    _SUITE: "questions, and what is right",
    _TARGETS: "whom they are asked",
    "extraction.json": "a small graph to ask",
    _SCHEMA: "tells editors the keys of suites",
    ".gitignore": "keeps results out of git",
    _WORKFLOW: "runs it all on every push",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("folder", metavar="DIR", nargs="?", type=Path, default=Path(), help="where to (default: here)")
    parser.add_argument(
        "--from-server", metavar="TARGET", help="make the target by asking this server: a URL, or a command in quotes"
    )
    parser.add_argument("--question", metavar="TEXT", help="what to ask the server")


def run(args: argparse.Namespace) -> int:
    """Write the files that are not there yet, and say what to do next.

    Returns:
        0; 1 where the server was not understood entirely, which is said.
    """
    folder: Path = args.folder
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: this is a file; name a folder")
    if args.from_server is not None and not args.from_server.strip():
        raise UsageError("--from-server: found an empty text; a URL or a command in quotes is expected")
    if args.question and not args.from_server:
        raise UsageError("--question is what a server is asked; it goes with --from-server")
    texts, status = _starter(), 0
    if args.from_server:
        findings = _examined(args.from_server, args.question)
        if not _seen(findings.read):
            status = findings.conclude()
        texts = _of_server(findings, folder)
        say([""])
    wanted = [*((folder / name, text) for name, text in texts.items()), _workflow_of(folder)]
    for path, written in [(path, _write(path, text)) for path, text in wanted]:
        _say_written(path, written=written)
    say(["", "next:", *_next(folder, is_live=bool(args.from_server))])
    return status


def _starter() -> dict[str, str]:
    """Return the files of a suite over a small graph."""
    source = files(__package__).joinpath("starter")
    names = (_SUITE, _TARGETS, "extraction.json")
    return {name: source.joinpath(name).read_text(encoding="utf-8") for name in names} | _common()


def _common() -> dict[str, str]:
    schema = json.dumps(suite_schema(), indent=1, ensure_ascii=False) + "\n"
    return {_SCHEMA: schema, ".gitignore": "evals/results/\ngraph-eval.html\ngraph-eval.xml\n"}


def _examined(target: str, question: str | None) -> Findings:
    """Look at a server."""
    if target_from_text(target, Path.cwd()).spec.kind != "mcp":  # what a URL is called before anybody looked
        raise UsageError(
            f"--from-server {target!r}: a URL or a command is expected; for anything else, write the target that "
            f"`graph-eval doctor {target!r}` prints into the targets.yaml that `graph-eval init` makes"
        )
    findings = doctor.examine(argparse.Namespace(target=target, question=question, targets=None))
    if findings.settings is None:
        findings.conclude()
        raise UsageError("no target could be made of this server; nothing is written")
    return findings


def _of_server(findings: Findings, folder: Path) -> dict[str, str]:
    """Return the files of a suite over a server, with what it returned when it was asked."""
    settings = without_secrets(findings.settings or {})
    here = Path(os.path.relpath(Path.cwd(), folder)).as_posix()
    if settings.get("command") and here != ".":
        settings["cwd"] = here
    expect = _seen(findings.read)
    scenario = {"id": "first", "question": findings.question, "expect": expect or {"stable": {"facts": 1.0}}}
    suite = dump_yaml({"suite": "first", "target": "default", "scenarios": [scenario]})
    told = (
        "# What is expected below is what the server returned when this file was written. Replace it by what is right."
        if expect
        else "# The server returned nothing to expect when this file was written. Write what is right."
    )
    return {
        _SUITE: "\n".join([f"# yaml-language-server: $schema={_SCHEMA}", told, suite]),
        _TARGETS: "# Whom the suites beside this file ask, by name.\n" + dump_yaml({"default": settings}),
    } | _common()


def _seen(response: Response | None) -> dict[str, Any]:
    """Return as checks what came back: the first entities, else the first chunks, and that there was an answer."""
    if response is None:
        return {}
    found: dict[str, Any] = {"denial": False} if response.answer else {}
    entities = [entity.name for entity in response.entities or () if entity.name.strip()]
    chunks = [chunk.id for chunk in response.chunks or () if chunk.id.strip()]
    if entities or chunks:
        found["entities" if entities else "chunks"] = list(dict.fromkeys(entities or chunks))[:_MOST]
    return found


def workflow(*, package: str, folder: str, suites: str, options: str = "") -> str:
    """Return a workflow for GitHub that installs a package and runs suites.

    Args:
        package: what pip installs.
        folder: where its commands run, from the root of the repository.
        suites: files or folders, from there; the shell fills in `*`.
        options: of pytest, with a space behind them.
    """
    text = files(__package__).joinpath("starter/workflow.yml").read_text(encoding="utf-8")
    text = text.replace("directory: <folder>", f"directory: {_scalar(folder)}")
    values = {"package": package, "folder": folder, "suites": suites, "options": options}
    for name, value in values.items():
        text = text.replace(f"<{name}>", value)
    return text.replace(" ./", " ")


def _scalar(text: str) -> str:
    """Return a text as YAML has it in the place of a value."""
    return text if re.fullmatch(r"[\w./-]+", text) else json.dumps(text, ensure_ascii=False)


def _workflow_of(folder: Path) -> tuple[Path, str]:
    """Return where the workflow of a folder belongs, and its text: GitHub reads it in the root of a repository only."""
    here = folder.resolve()
    root = next((parent for parent in (here, *here.parents) if (parent / ".git").exists()), here)
    below = here.relative_to(root).as_posix()
    text = workflow(package="pytest-graph-eval", folder=below, suites="*.graph.yaml", options=_PLAYED)
    return Path(os.path.relpath(root)) / _WORKFLOW if root != here else folder / _WORKFLOW, text


def _write(path: Path, text: str) -> bool:
    """Write a file; tell whether it was not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True


def _say_written(path: Path, *, written: bool) -> None:
    what = _WHAT.get(path.name) or _WHAT[_WORKFLOW]
    say([f"wrote {path.as_posix():<40} {what}" if written else f"left  {path.as_posix():<40} it was there already"])


def _next(folder: Path, *, is_live: bool) -> Iterator[str]:
    if folder != Path():
        yield f"  cd {folder.as_posix()}"
    yield "  pytest --graph-eval"
    record = "--graph-eval-record-mode once " if is_live else ""
    yield f"  pytest --graph-eval {record}--graph-eval-save-baseline baseline.json"
    yield f"then commit it all{', cassettes/ too' if is_live else ''}: CI compares with the baseline"
