"""The `target:` block that the doctor suggests: settings as they were given, completed, as YAML that loads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from pydantic import TypeAdapter

from pytest_graph_eval.loader.writer import dump_yaml
from pytest_graph_eval.models.settings import TargetSpec
from pytest_graph_eval.redaction import is_sensitive
from pytest_graph_eval.targets.picking import Pick
from pytest_graph_eval.targets.reply.presets import Preset, preset_of, response_map
from pytest_graph_eval.targets.reply.suggest import Suggestion

_WIDTH = 78


def spec_of(settings: Mapping[str, Any]) -> TargetSpec:
    """Return the model of a target's settings."""
    return TypeAdapter[TargetSpec](TargetSpec).validate_python(dict(settings))


def settings_of(spec: TargetSpec) -> dict[str, Any]:
    """Return the settings of a target as they were written."""
    return {"kind": spec.kind, **spec.model_dump(mode="json", by_alias=True, exclude_unset=True)}


def picked(settings: Mapping[str, Any], pick: Pick) -> dict[str, Any]:
    """Return the settings with what was picked to be asked: a tool, or an address."""
    is_mcp = settings["kind"] == "mcp"
    names = ("tool", "arguments") if is_mcp else ("url", "json")
    own = settings.get(names[1]) or {}
    modes = {**pick.modes, **settings.get("modes", {})}
    place = pick.tool if is_mcp else urljoin(settings["url"], pick.tool)
    found = {names[0]: place, names[1]: {**pick.arguments, **own}}
    return {**settings, **found, **({"modes": modes} if modes else {})}


def completed(settings: Mapping[str, Any], suggestion: Suggestion, pick: Pick | None) -> dict[str, Any]:
    """Return the settings with a suggested mapping; of what was picked, what a preset knows anyway is left out."""
    bare = {key: value for key, value in settings.items() if key not in ("preset", "response")}
    if suggestion.preset:
        named = {**bare, "preset": suggestion.preset}
        preset = preset_of(spec := spec_of(named))
        if preset is not None and response_map(spec) == suggestion.rules:
            return {
                key: value for key, value in named.items() if pick is None or not _is_known(key, value, preset, pick)
            }
    return bare if suggestion.preset == "" else {**bare, "response": suggestion.response}


def _is_known(key: str, value: Any, preset: Preset, pick: Pick) -> bool:
    """Tell whether a setting that was picked goes without saying; a service is sent the preset's JSON besides."""
    if key == "json":
        return all(preset.arguments.get(name) == part for name, part in value.items())
    known = {"tool": preset.tool, "arguments": preset.arguments, "modes": pick.modes}
    return key in known and known[key] == value


def target_block(settings: Mapping[str, Any]) -> str:
    """Return the settings as the lines of a suite's `target:`; secrets that stand in them become variables."""
    return dump_yaml({"target": without_secrets(settings)}, width=_WIDTH)


def without_secrets(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with variables for the secrets that stand in them, and their kind where nothing tells it."""
    shown = {key: _without_secrets(value, key) for key, value in settings.items() if key != "kind"}
    try:
        needs_kind = spec_of(shown).kind != settings["kind"]
    except ValueError:
        needs_kind = True
    return {**({"kind": settings["kind"]} if needs_kind else {}), **shown}


def _without_secrets(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_secrets(inner, str(key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_secrets(inner, name) for inner in value]
    if isinstance(value, str) and is_sensitive(name) and value and "${" not in value:
        return f"${{{''.join(c if c.isalnum() else '_' for c in name).upper()}}}"
    return value
