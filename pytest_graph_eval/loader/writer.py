"""Writes a suite as YAML that loads back to an equal suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.loader.loaded import LoadedSuite
from pytest_graph_eval.models.scenario import Defaults, Suite
from pytest_graph_eval.yaml_source import resolve

_WIDTH = 110


def save_suite(suite: Suite | LoadedSuite, path: Path | str, *, schema: str | None = None) -> None:
    """Write a suite file.

    Args:
        suite: the suite as it was written: defaults and rows stay what they are.
        path: where to; an existing file is replaced.
        schema: path or URL of the JSON Schema for editors, named in the first line.

    Raises:
        UsageError: a text cannot stand in a file, or the file cannot be written.
    """
    try:
        Path(path).write_bytes(dump_suite(suite, schema=schema).encode())
    except OSError as e:
        raise UsageError(f"{path}: cannot be written: {e.strerror or e}") from None
    except UnicodeEncodeError as e:
        raise UsageError(f"{path}: cannot be written: {e.object[e.start : e.end]!r} is half a character") from None


def dump_suite(suite: Suite | LoadedSuite, *, schema: str | None = None) -> str:
    """Return the YAML text of a suite."""
    written = suite.suite if isinstance(suite, LoadedSuite) else suite
    data = written.model_dump(mode="python", by_alias=True, exclude_unset=True)
    if written.scenarios:
        data["scenarios"] = [_own_keys_first(scenario) for scenario in data["scenarios"]]
    text = dump_yaml(data, flow=False)
    return f"# yaml-language-server: $schema={schema}\n{text}" if schema else text


def dump_yaml(data: Any, *, width: int = _WIDTH, flow: bool | None = None) -> str:
    """Return YAML text that the loader reads back as `data`.

    Args:
        data: of mappings, lists and scalars.
        width: columns at which lines are broken, as far as a text allows it.
        flow: whether collections stand in brackets; None: those that hold scalars only.
    """
    return str(
        yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=width, default_flow_style=flow)
    )


def _own_keys_first(scenario: dict[str, Any]) -> dict[str, Any]:
    """Put what makes the scenario (id, question, gold data) before what it shares with others."""
    if scenario.get("turns"):
        scenario = {key: value for key, value in scenario.items() if key != "question"}  # that of its first turn
    return dict(sorted(scenario.items(), key=lambda item: item[0] in Defaults.model_fields))


class _Dumper(yaml.SafeDumper):
    """Quotes what YAML 1.1 or 1.2 would not read as text, and writes lines of text as lines."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out: anchors are for people, not for generated files."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002, RUF100 - PyYAML's signature
        """Indent lists below their key."""
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    text.encode()  # half a character has no place in a file, not even escaped
    lines = text.split("\n")
    if not all(map(str.isprintable, lines)) or resolve(text) is not text:
        style = '"'
    elif len(lines) > 1 and text == text.strip() and all(line == line.rstrip() for line in lines):
        style = "|"
    else:
        style = None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
