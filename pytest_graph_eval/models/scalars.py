"""Field types of the input models: text keeps a scalar's own text, numbers and flags take its YAML 1.2 value."""

from __future__ import annotations

import functools
import math
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticCustomError, core_schema


class Scalar(str):
    """An untagged plain YAML scalar: the text as written, with its YAML 1.2 core value beside it.

    `NO`, `0123`, `1e3` and `2024-01-01` stay text wherever a field wants text, and become a number
    only where a field wants a number.
    """

    __slots__ = ("value",)
    value: Any

    def __new__(cls, text: str, value: Any) -> Self:
        """Make the text carry `value`."""
        self = super().__new__(cls, text)
        self.value = value
        return self


def plain(value: Any) -> Any:
    """Return `value` with every `Scalar` inside replaced by its YAML 1.2 value."""
    if isinstance(value, Scalar):
        return value.value
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value


def _meaning(value: Any) -> Any:
    return value.value if value.__class__ is Scalar else value


def _number(value: Any) -> Any:
    value = _meaning(value)
    if value.__class__ is not float and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise PydanticCustomError("number_type", "a number is expected")
    if not math.isfinite(value):
        raise PydanticCustomError("not_finite", "a finite number is expected")
    return value


def _whole(value: Any) -> Any:
    value = _meaning(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise PydanticCustomError("not_finite", "a finite number is expected")
    if isinstance(value, bool) or not isinstance(value, int):
        raise PydanticCustomError("whole_type", "a whole number is expected")
    return value


def _flag(value: Any) -> Any:
    value = _meaning(value)
    if not isinstance(value, bool):
        raise PydanticCustomError("flag_type", "true or false is expected")
    return value


def _named(key: str) -> str:
    if not key.strip():
        raise PydanticCustomError("empty_key", "a key is expected")
    return key


def as_list(value: Any) -> Any:
    """Return a lone scalar or mapping as a list of one, so that `tags: smoke` is `tags: [smoke]`."""
    return [value] if value.__class__ is not list and isinstance(value, str | int | float | dict) else value


Text = Annotated[str, Field(coerce_numbers_to_str=True)]
Word = Annotated[str, Field(coerce_numbers_to_str=True, pattern=r"\S")]
"""A text that says something."""
Key = Annotated[Text, AfterValidator(_named)]
"""A key of a free mapping, which names something; a pattern would turn the schema of the mapping inside out."""
Number = Annotated[float, BeforeValidator(_number)]
Whole = Annotated[int, BeforeValidator(_whole)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Data = Annotated[Any, BeforeValidator(plain)]
StrList = Annotated[list[Text], BeforeValidator(as_list)]
Words = Annotated[list[Word], BeforeValidator(as_list)]


class Model(BaseModel):
    """Base of all input models: unknown keys are errors, a null value is an absent key, values are frozen.

    Modules of models do without `from __future__ import annotations`: pydantic would evaluate its texts again for every
    model that inherits them, in every run.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, data: Any) -> Any:
        """Treat `key:` without a value as if the key were not there; unknown keys stay and are refused."""
        if not isinstance(data, dict) or None not in data.values() or cls._keeps_nulls():
            return data
        known = {name for n, f in cls.model_fields.items() for name in (n, f.alias or n)}
        return {k: v for k, v in data.items() if v is not None or k not in known}

    @classmethod
    def _keeps_nulls(cls) -> bool:
        return False


class Later:
    """Marks a model inside another as one whose validator is made with its first value: most suites have none.

    Making the validators of all models takes longer than loading a thousand scenarios.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Model], handler: GetCoreSchemaHandler) -> Any:
        """Leave everything to the model itself."""
        return core_schema.no_info_plain_validator_function(source.model_validate)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe the model itself, once for all places where it stands."""
        model = schema["function"]["function"].__self__
        model.model_rebuild()
        generator = getattr(handler, "generate_json_schema", None)  # without it the model is described at each place
        described: JsonSchemaValue = (generator.generate_inner if generator else handler)(
            model.__pydantic_core_schema__
        )
        return described


def shared(model: type[Model], **values: Any) -> Any:
    """Return a field whose default is one and the same model, made when it is first needed.

    Its `values` are by the names of fields, and are taken as they are.
    """

    @functools.cache
    def made() -> Model:
        return model.model_construct(**values)

    return Field(default_factory=made)
