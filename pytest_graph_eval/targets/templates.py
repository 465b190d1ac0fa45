"""Filling in settings: placeholders of a question, `${VAR}` from the environment, `{$file: path}` from a JSON file.

Only known placeholders are replaced, and only `{{known}}` is unescaped: every other brace is text, so that SPARQL,
Cypher and JSON can be written as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_graph_eval.errors import PreflightError
from pytest_graph_eval.targets.secrets import secret_values
from pytest_graph_eval.texts import located

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}|\{(\w+)\}")
_VARIABLE = re.compile(r"(?P<escape>\$)?\$\{(?P<name>[A-Za-z_]\w*)(?P<has>:-(?P<default>[^}]*))?\}", re.ASCII)


def render(value: Any, values: Mapping[str, Any]) -> Any:
    """Return `value` with the placeholders that `values` knows filled in, at every depth of lists and mappings.

    What is filled in is not looked at again, so a question that contains `{mode}` stays as it was asked. A text that is
    nothing but the placeholder of a list becomes that list; in a list, its items take the place.
    """
    if isinstance(value, str):
        return _filled(value, values)
    if isinstance(value, Mapping):
        return {key: render(item, values) for key, item in value.items()}
    if not isinstance(value, list | tuple):
        return value
    parts: list[Any] = []
    for item in value:
        part = render(item, values)
        parts += part if isinstance(item, str) and isinstance(part, list) else [part]
    return parts


def _filled(text: str, values: Mapping[str, Any]) -> Any:
    whole = values.get(text[1:-1]) if text.startswith("{") and text.endswith("}") else None
    return list(whole) if isinstance(whole, list) else _PLACEHOLDER.sub(lambda match: _replacement(match, values), text)


def _replacement(match: re.Match[str], values: Mapping[str, Any]) -> str:
    escaped, name = match.groups()
    if escaped is not None:
        return f"{{{escaped}}}" if escaped in values else match[0]
    value = values.get(name, match[0])
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings with their variables read: the values, and those among them that are secrets."""

    values: dict[str, Any]
    secrets: frozenset[str] = field(default_factory=frozenset)


def expand_environment(settings: Mapping[str, Any], environ: Mapping[str, str], where: str) -> Settings:
    """Replace `${VAR}` and `${VAR:-default}` in all texts of `settings`; `$${VAR}` stays as `${VAR}`.

    A default is taken where the variable is unset or empty. Secrets are the values read from the environment, and
    those that the settings name like one (`targets.secrets`); defaults are not.

    Raises:
        PreflightError: variables are unset and have no default; all of them are named, with `where` (`file:line`).
    """
    reader = _Reader(environ)
    values = {name: reader.expand(value, name) for name, value in settings.items()}
    if reader.missing:
        raise PreflightError("\n".join(located(where, text) for text in reader.missing))
    return Settings(values, secret_values(settings, values, reader.found, reader.defaults))


class _Reader:
    """Reads variables, and remembers what it found."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.missing: list[str] = []
        self.found: list[tuple[str, str]] = []
        """Path of the setting and value, for each variable that is set."""
        self.defaults: set[str] = set()

    def expand(self, value: Any, setting: str) -> Any:
        if isinstance(value, Mapping):
            return {k: self.expand(v, f"{setting}.{k}") for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.expand(v, f"{setting}[{i}]") for i, v in enumerate(value)]
        if not isinstance(value, str):
            return value
        return _VARIABLE.sub(lambda match: self._read(match, setting), value)

    def _read(self, match: re.Match[str], setting: str) -> str:
        name, default = match["name"], match["default"]
        if match["escape"]:
            return match[0][1:]
        found = self._environ.get(name)
        if match["has"] and found in (None, "", default):
            self.defaults.add(default)
            return default
        if found is None:
            self.missing.append(
                # Not `setting: ...`: what follows a name such as TOKEN and a colon is taken for a secret.
                f"the environment variable {name} is not set; set it, or give it a default with `:-` ({setting})"
            )
            return ""
        self.found.append((setting, found))
        return found


def inline_files(value: Any, folder: Path) -> Any:
    """Return `value` with every `{$file: path}` replaced by what the JSON file holds; paths belong to `folder`.

    Raises:
        PreflightError: files are missing or hold no JSON; all of them are named.
    """
    problems: list[str] = []
    result = _inline(value, folder, problems)
    if problems:
        raise PreflightError("\n".join(problems))
    return result


def _inline(value: Any, folder: Path, problems: list[str]) -> Any:
    if isinstance(value, Mapping):
        if list(value) == ["$file"]:
            return _read_json(folder / str(value["$file"]), problems)
        return {k: _inline(v, folder, problems) for k, v in value.items()}
    return [_inline(v, folder, problems) for v in value] if isinstance(value, list) else value


def _read_json(path: Path, problems: list[str]) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as e:
        problems.append(f"$file: {path}: {e.strerror or e}")
    except (ValueError, RecursionError) as e:
        problems.append(f"$file: {path}: no JSON: {e}")
    return None
