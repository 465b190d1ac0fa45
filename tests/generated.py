"""Writes what is made of the package itself: `python -m tests.generated`.

That is the workflow, the schema beside the examples, and in the reference the tables between `<!-- generated: NAME -->`
and `<!-- end -->`.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_graph_eval import cli, plugin
from pytest_graph_eval.commands.init import workflow
from pytest_graph_eval.loader import suite_schema
from pytest_graph_eval.loader.descriptions import descriptions
from pytest_graph_eval.models import expect, judge_settings, scenario, settings, steps
from pytest_graph_eval.models.scalars import Model

__all__ = ["KEYS", "REFERENCE", "generated"]

ROOT = Path(__file__).parent.parent
REFERENCE = ".github/REFERENCE.md"

KEYS: dict[str, Sequence[type[Model]]] = {
    "suite": (scenario.Suite, scenario.Dataset),
    "scenario": (scenario.Scenario, scenario.XFail, scenario.SkipIf),
    "turn": (scenario.Turn,),
    "expect": (
        expect.Expect, expect.NumberCheck, expect.CountCheck, expect.DateCheck, expect.NameCheck, expect.ForbiddenName,
        expect.TextCheck, expect.RelationshipCheck, steps.Step, steps.ToolRules, expect.Budget, expect.Stable,
    ),
    "target": (
        settings.SharedSettings, settings.GraphTarget, settings.McpTarget, settings.HttpTarget, settings.PythonTarget,
        settings.ReplayTarget, settings.CustomTarget,
    ),
    "reply": (
        settings.ResponseMap, settings.ToolCallSpec, settings.CatalogSpec, settings.PreflightSpec, settings.Requirement,
        settings.RecoverSpec, settings.Price,
    ),
    "gate": (settings.Gate, settings.Line, settings.Ceiling, settings.BudgetGate, settings.BaselineGate),
    "judge": (judge_settings.JudgeSettings, judge_settings.CustomJudgement),
}  # fmt: skip
"""Name of a generated part to the models whose keys it lists."""


def generated() -> dict[str, str]:
    """Return the path and the text of each file."""
    reference = (ROOT / REFERENCE).read_text(encoding="utf-8")
    parts: dict[str, str] = {name: "\n".join(_keys(models)) for name, models in KEYS.items()}
    parts |= {"options": "\n".join(_options()), "commands": "\n".join(_commands())}
    for name, text in parts.items():
        reference, times = re.subn(
            rf"(?s)(<!-- generated: {name} -->\n).*?(<!-- end -->)", lambda m, t=text: f"{m[1]}\n{t}\n{m[2]}", reference
        )
        assert times == 1, f"{REFERENCE} has {times} places for {name}"
    return {
        REFERENCE: reference,
        ".github/workflows/graph-eval.yml": workflow(package=".", folder=".", suites="example_suites"),
        "example_suites/graph-eval.schema.json": json.dumps(suite_schema(), indent=1, ensure_ascii=False) + "\n",
    }


def _keys(models: Sequence[type[Model]]) -> Iterator[str]:
    """Yield a table for each model; what a model has of its base is listed there."""
    definitions = suite_schema()["$defs"]
    shared = settings.SharedSettings.model_fields
    for model in models:
        is_kind = issubclass(model, settings.SharedSettings) and model is not settings.SharedSettings
        properties = _properties(model, definitions)
        yield f"**{_titles()[model]}** {' '.join((model.__doc__ or '').partition(chr(10) * 2)[0].split())}\n"
        yield "| key | value | meaning |\n|---|---|---|"
        own = [name for name in descriptions(model) if name in model.__annotations__]
        for name, text in (dict.fromkeys(own, "") | descriptions(model)).items():
            if is_kind and name in shared:
                continue
            key = model.model_fields[name].alias or name
            shown = _value(properties.get(key, {}), definitions)
            default = _default(model.model_fields[name].get_default(call_default_factory=True))
            yield f"| `{key}` | {shown}{default} | {_cell(text)} |"
        yield ""


def _properties(model: type[Model], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    if model is settings.SharedSettings:
        return dict(definitions["GraphTarget"]["properties"])
    if model is settings.CustomTarget:
        return {"kind": {"type": "string"}, "thread_safe": {"type": "boolean"}}
    whole = suite_schema() if model is scenario.Suite else definitions[model.__name__]
    forms = [whole, *whole.get("anyOf", ())]
    return next(form["properties"] for form in forms if "properties" in form)


def _titles() -> dict[type[Model], str]:
    names = {
        scenario.Suite: "A suite.", scenario.Dataset: "`datasets`.", scenario.Scenario: "`scenarios`, `defaults`.",
        scenario.XFail: "`xfail`.", scenario.SkipIf: "`skipif`.", scenario.Turn: "`turns`.", expect.Expect: "`expect`.",
        expect.NumberCheck: "`numbers`.", expect.CountCheck: "`counts`.", expect.DateCheck: "`dates`.",
        expect.NameCheck: "`names`, `any_of`, `order`, `choice`.", expect.ForbiddenName: "`forbidden`.",
        expect.TextCheck: "`contains`, `excludes`, `equals`.", expect.RelationshipCheck: "`relationships`.",
        steps.Step: "`steps`.", steps.ToolRules: "`tools`.", expect.Budget: "`budget`.", expect.Stable: "`stable`.",
        settings.SharedSettings: "`target`, all kinds.", settings.GraphTarget: "`kind: graph`.",
        settings.McpTarget: "`kind: mcp`.", settings.HttpTarget: "`kind: http`.",
        settings.PythonTarget: "`kind: python`.", settings.ReplayTarget: "`kind: replay`.",
        settings.CustomTarget: "Another kind.", settings.ResponseMap: "`response`.", settings.ToolCallSpec: "`setup`.",
        settings.CatalogSpec: "`catalog` of an mcp target.",
        settings.PreflightSpec: "`preflight`.", settings.Requirement: "`preflight.require`.",
        settings.RecoverSpec: "`recover`.", settings.Price: "`prices`.", settings.Gate: "`gate`.",
        settings.Line: "A line.", settings.Ceiling: "A ceiling, of `gate.budget`.",
        settings.BudgetGate: "`gate.budget`.", settings.BaselineGate: "`gate.baseline`.",
        judge_settings.JudgeSettings: "`judge`.", judge_settings.CustomJudgement: "`judge.custom`.",
    }  # fmt: skip
    return dict(names)


_NAMED = {
    "Line": "line", "Ceiling": "ceiling", "Expect": "checks", "Step": "step", "NumberCheck": "number",
    "DateCheck": "date", "CountCheck": "whole number", "NameCheck": "name", "ForbiddenName": "name",
    "TextCheck": "text", "RelationshipCheck": "triple", "XFail": "reason or mapping", "SkipIf": "condition or mapping",
}  # fmt: skip


def _value(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Return in a few words what a value may be; that one item may stand for a list goes without saying."""
    forms = list(dict.fromkeys(filter(None, _forms(schema, definitions))))
    items = {form.removeprefix("list of ") for form in forms if form.startswith("list of ")}
    return " or ".join(form for form in forms if form not in items)


def _forms(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield _NAMED.get(name) or ("settings" if name.endswith("Target") else "mapping")
    elif forms := schema.get("anyOf") or schema.get("oneOf"):
        for form in forms:
            yield from _forms(form, definitions)
    elif "enum" in schema or "const" in schema:
        yield ", ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    elif schema.get("type") == "array":
        yield f"list of {_value(schema.get('items', {}), definitions) or 'anything'}"
    elif schema.get("type") == "object":
        inner = schema.get("additionalProperties")
        yield f"mapping to {_value(inner, definitions) or 'anything'}" if isinstance(inner, dict) else "mapping"
    elif schema.get("type") != "null":
        words = {"integer": "whole number", "number": "number", "boolean": "true, false", "string": "text"}
        kind = schema.get("type")
        yield (words[kind] if isinstance(kind, str) else "text" if kind else "anything") + _bounds(schema)


def _bounds(schema: Mapping[str, Any]) -> str:
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    return "".join(f" {sign} {schema[key]:g}" for key, sign in signs.items() if key in schema)


def _default(value: Any) -> str:
    if value is None or value == "" or value in ([], {}, *settings.OUR_KINDS) or str(value) == "PydanticUndefined":
        return ""
    if isinstance(value, bool):
        return f"; `{str(value).lower()}`"
    if isinstance(value, str | int | float):
        return f"; `{value:g}`" if isinstance(value, float) else f"; `{value}`"
    if isinstance(value, settings.Line):
        return f"; `{{pass: {value.pass_:g}, warn: {value.warn:g}}}`"
    if isinstance(value, list):
        return f"; `[{', '.join(map(str, value))}]`"
    return ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").removesuffix(".")


class _Parser:
    """Takes down what the plugin declares."""

    def __init__(self) -> None:
        self.options: dict[str, Mapping[str, Any]] = {}
        self.inis: dict[str, str] = {}

    def getgroup(self, *_: str) -> _Parser:
        return self

    def addoption(self, name: str, **given: Any) -> None:
        self.options[name] = given

    def addini(self, name: str, text: str, **_: Any) -> None:
        self.inis[name] = text


def _options() -> Iterator[str]:
    parser = _Parser()
    plugin.pytest_addoption(parser)  # type: ignore[arg-type]  # of a parser it has what is used
    yield "| option | ini key | meaning |\n|---|---|---|"
    for name, given in parser.options.items():
        values = f" {{{','.join(given['choices'])}}}" if given.get("choices") else f" {given.get('metavar') or ''}"
        ini = name.strip("-").replace("-", "_")
        assert ini in parser.inis, f"{name} has no ini key"
        yield f"| `{name}{values.rstrip()}` | `{parser.inis.pop(ini) and ini}` | {_cell(given['help'])} |"
    for ini, text in parser.inis.items():
        yield f"| | `{ini}` | {_cell(text)} |"


def _commands() -> Iterator[str]:
    for name, command in cli.COMMANDS.items():
        parser = argparse.ArgumentParser(add_help=False)
        command.arguments(parser)
        yield f"**`graph-eval {name}`**: {command.help}\n"
        rows = [action for action in parser._actions if action.help is not argparse.SUPPRESS]
        if rows:
            yield "| | |\n|---|---|"
        for action in rows:
            yield f"| `{_called(action)}` | {_cell(action.help or '')} |"
        yield ""


def _called(action: argparse.Action) -> str:
    values = ",".join(map(str, action.choices)) if action.choices else ""
    name = f"{{{values}}}" if values else str(action.metavar or action.dest.upper())
    if not action.option_strings:
        return name
    return ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {name}")


if __name__ == "__main__":
    for _name, _text in generated().items():
        (ROOT / _name).write_text(_text, encoding="utf-8")
