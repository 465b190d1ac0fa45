"""The JSON Schema of suite files, for editors: it takes every shorthand that the loader takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from pytest_graph_eval.loader.descriptions import descriptions
from pytest_graph_eval.metrics.custom import expected_type
from pytest_graph_eval.models.extensions import Extensions, current
from pytest_graph_eval.models.scalars import Model
from pytest_graph_eval.models.scenario import Suite
from pytest_graph_eval.targets.custom import settings_model

_SCALAR = {"type": ["string", "number", "boolean"]}


def suite_schema() -> dict[str, Any]:
    """Return the schema of `*.graph.yaml` files."""
    schema = _standard(Suite.model_json_schema(by_alias=True, schema_generator=_Generator))
    for definition in schema["$defs"].values():
        _close(definition)
    _describe(schema, Suite)
    for name, model in _models(Model).items():
        _describe(schema["$defs"].get(name, {}), model)
    _with_additions(schema, current())
    _other_name(schema["$defs"]["Step"]["anyOf"][-1], "tool", "name")
    scenario = schema["$defs"]["Scenario"]
    scenario["required"].remove("question")
    scenario["anyOf"] = [{"required": ["question"]}, {"required": ["turns"]}]
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema, "title": "pytest-graph-eval suite"}


def _models(base: type[Model]) -> dict[str, type[Model]]:
    """Return all models below one by the names of their definitions, but for those that are made of plugins."""
    found: dict[str, type[Model]] = {}
    for model in (m for m in base.__subclasses__() if m.__module__ != settings_model.__module__):
        found |= {model.__name__: model, **_models(model)}
    return found


def _describe(definition: dict[str, Any], model: type[Model]) -> None:
    """Add what the keys mean, where they stand: in the definition, or in its long form."""
    for form in (definition, *definition.get("anyOf", ())):
        for name, text in descriptions(model).items():
            key = model.model_fields[name].alias or name
            if key in form.get("properties", ()):
                form["properties"][key]["description"] = text


def _with_additions(schema: dict[str, Any], extensions: Extensions) -> None:
    """Put what plugins add in the place of what stands for it."""
    definitions = schema["$defs"]
    del definitions["Expect"]["properties"]["added"], definitions["CustomTarget"]
    for name, check in extensions.checks.items():
        found = expected_type(check).json_schema(schema_generator=_Generator)
        definitions.update(_standard(found.pop("$defs", {})))
        definitions["Expect"]["properties"][name] = {**_standard(found), "description": check.help}
    kinds = []
    for added in extensions.targets.values():
        found = settings_model(added).model_json_schema(by_alias=True, schema_generator=_Generator, ref_template=_REF)
        definitions.update(_standard(found.pop("$defs", {})))
        definitions[f"{added.name.title()}Target"] = found = _standard(found)
        _describe(found, settings_model(added))
        kinds.append({"$ref": _REF.format(model=f"{added.name.title()}Target")})
    _replace(schema, {"$ref": _REF.format(model="CustomTarget")}, kinds)


_REF = "#/$defs/{model}"


def _replace(schema: Any, old: Any, new: list[Any]) -> None:
    """Replace an item by others in every list of a schema."""
    if isinstance(schema, list) and old in schema:
        place = schema.index(old)
        schema[place : place + 1] = new
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        _replace(part, old, new)


_WORDS = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}


def _standard(schema: Any) -> Any:
    """Return a schema with the standard's words for limits that pydantic leaves in its own."""
    if isinstance(schema, list):
        return [_standard(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    limits = schema.get("type") in ("number", "integer")
    return {_WORDS.get(key, key) if limits else key: _standard(value) for key, value in schema.items()}


def _close(definition: dict[str, Any]) -> None:
    """Forbid unknown keys where the known ones stand: beside a short form, not around both."""
    if "anyOf" in definition and "additionalProperties" in definition:
        closed = definition.pop("additionalProperties")
        for form in definition["anyOf"]:
            if form.get("type") == "object":
                form["additionalProperties"] = closed


def _other_name(definition: dict[str, Any], key: str, other: str) -> None:
    """Take a required key under another name as well."""
    definition["properties"][other] = definition["properties"][key]
    definition["required"].remove(key)
    definition["oneOf"] = [{"required": [key]}, {"required": [other]}]


def _or_alone(schema: JsonSchemaValue) -> JsonSchemaValue:
    """A list, or one of its items alone."""
    return {"anyOf": [schema, schema.get("items", {})]}


def _or_scalar(schema: JsonSchemaValue) -> JsonSchemaValue:
    return {"anyOf": [_SCALAR, schema]}


def _or_list(schema: JsonSchemaValue) -> JsonSchemaValue:
    return {"anyOf": [{"type": "array", "items": _SCALAR, "minItems": 1}, schema]}


def _or_flag(schema: JsonSchemaValue) -> JsonSchemaValue:
    return {"anyOf": [{"type": "boolean"}, schema]}


# what a validator of the models (by its name) lets in beside the type behind it
_SHORT_FORMS: dict[str, Callable[[JsonSchemaValue], JsonSchemaValue]] = {
    "as_list": _or_alone,
    "_from_value": _or_scalar,
    "_from_reason": _or_scalar,
    "_from_condition": _or_scalar,
    "_from_number": lambda schema: {"anyOf": [{"type": "number"}, schema]},
    "_from_triple": _or_list,
    "_triples": _or_list,
    "_sequence": lambda schema: {"anyOf": [schema, schema["items"]]},
    "_groups": lambda schema: {"anyOf": [schema, schema["items"], _SCALAR]},
    "_many": lambda schema: {"anyOf": [schema, schema["items"]]},
    "_skip_reason": _or_flag,
    "_xfail_or_none": _or_flag,
}


class _Generator(GenerateJsonSchema):
    """Adds the short forms where a validator in front of a type makes them possible."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002, RUF100 - pydantic's signature
        return False

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        """A text may be written without quotes whatever it looks like: `2023` and `true` are texts too."""
        found = super().str_schema(schema)
        return {**found, "type": _SCALAR["type"]} if schema.get("coerce_numbers_to_str") else found

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Show what a default's factory makes as any other default."""
        if "default_factory" in schema:
            schema = {**schema, "default": schema["default_factory"]()}  # type: ignore[call-arg]  # ours take nothing
        return super().default_schema(schema)

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        inner = super().function_before_schema(schema)
        name = getattr(schema["function"]["function"], "__name__", "")
        return _SHORT_FORMS[name](inner) if name in _SHORT_FORMS else inner
