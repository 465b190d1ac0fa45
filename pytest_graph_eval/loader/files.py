"""Text to suite: reads YAML suites and the files they name, and reports everything that is wrong with them at once."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from pytest_graph_eval import yaml_source
from pytest_graph_eval.errors import Problem, SuiteError, UsageError
from pytest_graph_eval.garbage import no_collection
from pytest_graph_eval.graph.reading.file_kinds import SUFFIXES
from pytest_graph_eval.loader.assembly import Assembly, Written, note, read_suite, validated
from pytest_graph_eval.loader.loaded import DeclaredTarget, LoadedSuite
from pytest_graph_eval.loader.rules import gate_findings, target_findings
from pytest_graph_eval.models.scalars import Model, Text
from pytest_graph_eval.models.scenario import Suite
from pytest_graph_eval.models.settings import Gate, TargetSpec
from pytest_graph_eval.models.validation import Finding, describe, nearest
from pytest_graph_eval.yaml_source.document import Document


def load_suite(
    path: Path | str,
    *,
    rootdir: Path | None = None,
    text: str | None = None,
    targets: Mapping[str, DeclaredTarget] | None = None,
    target: DeclaredTarget | None = None,
) -> LoadedSuite:
    """Read a suite file.

    Args:
        path: the file; also what messages call it, from `rootdir` where that is given.
        rootdir: the folder from which the suite's key is counted.
        text: the file's content, where it is not to be read.
        targets: the targets that the suite may name, beside those in its folder's `targets.yaml`; None leaves a name
            unresolved and a missing target be.
        target: asked in place of the suite's own.

    Raises:
        SuiteError: the file cannot be used; holds all of its problems in file order.
    """
    path = Path(path)
    key = _key(path, rootdir)
    with no_collection():
        return load_document(_document(path, key, text), path.parent, targets=targets, target=target)


def load_document(
    document: Document,
    folder: Path,
    *,
    targets: Mapping[str, DeclaredTarget] | None = None,
    target: DeclaredTarget | None = None,
) -> LoadedSuite:
    """Make a suite of YAML that was read already; its name becomes the key.

    Args:
        document: what `yaml_source.parse` returned.
        folder: what relative paths belong to.
        targets: as for `load_suite`.
        target: as for `load_suite`.

    Raises:
        SuiteError: the document is no suite; holds all of its problems in file order.
    """
    read = None if document.broken else read_suite(document)
    if read is None:
        raise SuiteError(document.problems)
    suite, written = read
    name = suite.target
    if isinstance(name, str) and name not in (targets or {}) and (beside := folder / BESIDE).is_file():
        targets = {**load_targets(beside), **(targets or {})}
    return Assembly(suite, document, document.name, folder).run(written, targets, target)


def prepare_suite(
    suite: Suite | LoadedSuite,
    *,
    folder: Path | None = None,
    name: str = "suite",
    targets: Mapping[str, DeclaredTarget] | None = None,
    target: DeclaredTarget | None = None,
) -> LoadedSuite:
    """Make a suite that was built in Python ready to run; one that was loaded already is so but for another `target`.

    Args:
        suite: the suite.
        folder: what its relative paths belong to; default: the current one.
        name: its key, and what messages call it.
        targets: as for `load_suite`.
        target: as for `load_suite`.

    Raises:
        SuiteError: it cannot run.
    """
    if isinstance(suite, LoadedSuite):
        return suite if target is None else replace(suite, declared=target)
    document = Document(name, None, None, [])
    written = [Written(s, i, f"scenario {s.id!r}") for i, s in enumerate(suite.scenarios)]
    return Assembly(suite, document, name, folder or Path()).run(written, targets, target)


def load_targets(path: Path | str) -> dict[str, DeclaredTarget]:
    """Read a YAML file of named targets (`name: {kind: ..., ...}`).

    Raises:
        SuiteError: the file cannot be used; holds all of its problems.
    """
    path = Path(path)
    document = _document(path, _key(path, None), None)
    data = {"targets": document.data}
    specs: dict[str, TargetSpec] = {}
    if not document.broken and document.data is None:
        note(
            document, [Finding((), "the file is empty; expected targets by name, as in `default: {url: ...}`", "empty")]
        )
    elif not document.broken:
        try:
            specs = _TargetFile.model_validate(data).targets
        except ValidationError as e:
            note(document, (replace(f, loc=f.loc[1:]) for f in describe(e, data, _TargetFile)))
    for name, spec in specs.items():
        note(document, target_findings(spec, (name,)))
    if document.problems:
        raise SuiteError(document.problems)
    places = {name: document.key_position((name,))[0] for name in specs}
    return {name: DeclaredTarget(spec, path.parent, f"{document.name}:{places[name]}") for name, spec in specs.items()}


class _TargetFile(Model):
    targets: dict[Text, TargetSpec]


def load_gate(path: Path | str) -> Gate:
    """Read a YAML file that holds the keys of `gate:`.

    Raises:
        SuiteError: the file cannot be used; holds all of its problems.
    """
    document = _document(Path(path), _key(Path(path), None), None)
    gate = None if document.broken else validated(Gate, document.data or {}, document)
    if gate is not None:
        note(document, gate_findings(gate))
    if gate is None or document.problems:
        raise SuiteError(document.problems)
    return gate


BESIDE = "targets.yaml"
"""The file beside a suite in which a target that it names is looked for, unless it is declared elsewhere."""

_BY_SUFFIX = {**SUFFIXES, ".jsonl": "path"}


def target_from_text(text: str, folder: Path, names: Iterable[str] = ()) -> DeclaredTarget:
    """Return the target that a short text stands for.

    Args:
        text: a URL of an MCP server, the command that starts one, `module:callable`, or a file: extraction (.json),
            .graphml, RDF (.ttl, .nt, .rdf, .owl, .jsonld), recording (.jsonl).
        folder: what a relative path belongs to.
        names: names of declared targets, for the message.

    Raises:
        UsageError: it is none of these.
    """
    module, _, name = text.partition(":")
    data: dict[str, str | list[str]]
    if text.startswith(("http://", "https://")):
        data = {"kind": "mcp", "url": text}
    elif command := _command(text):
        data = {"kind": "mcp", "command": command}
    elif Path(text).suffix in _BY_SUFFIX:
        data = {_BY_SUFFIX[Path(text).suffix]: text}
    elif name and all(part.isidentifier() for part in (*module.split("."), *name.split("."))):
        data = {"kind": "python", "call": text}
    else:
        declared = f" (declared: {', '.join(names)})" if names else ""
        forms = "a URL, a command, module:callable, an extraction .json, a .graphml, a .ttl or a recording .jsonl"
        raise UsageError(f"target {text!r}: expected a declared name{declared}, {forms}{nearest(text, names)}")
    return DeclaredTarget(TypeAdapter(TargetSpec).validate_python(data), folder, "--graph-eval-target")


def _command(text: str) -> list[str]:
    """Return the words of a command; none where the text is one word that is no program, or names a file."""
    try:
        words = shlex.split(text)
    except ValueError:  # a quote that does not end
        return []
    is_program = bool(words) and (words[0] in ("python", "graph-eval") or shutil.which(words[0]) is not None)
    return words if is_program or (len(words) > 1 and Path(text).suffix not in _BY_SUFFIX) else []


def _key(path: Path, rootdir: Path | None) -> str:
    """Return what a file is called: its path from `rootdir`, without one from the current folder if it is below."""
    if (
        rootdir is not None
        and (below := str(path).removeprefix(f"{rootdir}{os.sep}")) != str(path)
        and ".." not in below
    ):
        return below.replace(os.sep, "/")
    try:
        if rootdir is not None:
            return Path(os.path.relpath(path.absolute(), rootdir.absolute())).as_posix()
        return path.relative_to(Path.cwd()).as_posix() if path.is_absolute() else path.as_posix()
    except ValueError:  # elsewhere, or on another drive
        return path.as_posix()


def _document(path: Path, name: str, text: str | None) -> Document:
    """Read a YAML file; what is wrong with it is in the result's problems."""
    if text is None:
        content = yaml_source.read_bytes(path)
        if isinstance(content, str):
            return Document(name, None, None, [Problem(name, 0, 0, content, "unreadable")], broken=True)
        decoded = yaml_source.decode(content, name)
        if isinstance(decoded, Problem):
            return Document(name, None, None, [decoded], broken=True)
        text = decoded
    return yaml_source.parse(text, name)
