"""What a scenario expects of a response: one model per kind of check, shorthands included.

Each key of `expect:` is one kind of check (README, "How facts are matched"). The engine in
`metrics/facts` decides them; nothing here looks at an answer.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from pytest_graph_eval.extensions import OpenModel, current
from pytest_graph_eval.scalars import Flag, Model, Number, StrList, Text, Whole, as_list, plain
from pytest_graph_eval.steps import Comparator, Groups, StepsMode, ToolRules, Trajectory

__all__ = [
    "Budget",
    "CountCheck",
    "DateCheck",
    "Expect",
    "ForbiddenName",
    "NameCheck",
    "NumberCheck",
    "RelationshipCheck",
    "Shorthand",
    "Stable",
    "TextCheck",
]

Where = Literal["answer", "evidence", "both"]
Scale = Literal["thousand", "million", "billion", "trillion"]


class Shorthand(Model):
    """A check that may be written as its main value alone: `X` is `{<first field>: X}`."""

    @model_validator(mode="before")
    @classmethod
    def _from_value(cls, data: Any) -> Any:
        if isinstance(data, str | int | float) and not isinstance(data, bool):
            first = next(iter(cls.model_fields))
            return {first: data}
        return data


class NumberCheck(Shorthand):
    """A number that must be stated, by value, unit, scale and sign.

    `value` is written as a person would (`$611.3 billion`, `6.7%`, `-3.2`). `near` and `of` name a word
    or a name that must stand in the same clause or table row; with `if_named` the number is only looked for where
    that name stands at all. `rel_tol` and `abs_tol` replace the default
    tolerance (half a unit of the last printed digit of the less precise side, at most 1 %).
    """

    value: Text
    unit: Text | None = None
    abs_tol: Number | None = Field(None, ge=0)
    rel_tol: Number | None = Field(None, ge=0)
    select: Literal["any", "first", "last", "only"] = "any"
    near: Text | None = None
    of: Text | None = None
    if_named: Flag = False
    locale: Text = "auto"
    default_scale: Scale | None = None
    accept_percent: Flag = False
    accept_fraction: Flag = False
    accept_bare: Flag = False
    where: Where | None = Field(None, alias="in")


class CountCheck(Shorthand):
    """An exact whole number of things, in digits or words; `nouns` (default: the key) name the things."""

    value: Whole = Field(ge=0)
    nouns: StrList = []
    where: Where | None = Field(None, alias="in")


class DateCheck(Shorthand):
    """A date that must be stated: an ISO day (`2023-01-31`), month (`2023-01`) or year (`2023`)."""

    value: Text
    precision: Literal["day", "month", "year"] | None = None
    day_first: Literal["any"] | bool | None = None
    where: Where | None = Field(None, alias="in")

    @field_validator("day_first", mode="before")
    @classmethod
    def _flag(cls, value: Any) -> Any:
        return plain(value)


class NameCheck(Shorthand):
    """A name that must be stated, itself or by one of its aliases."""

    name: Text = Field(min_length=1)
    aliases: StrList = []
    case: Literal["any", "exact"] = "any"
    where: Where | None = Field(None, alias="in")


class ForbiddenName(Shorthand):
    """A name that must not be asserted. `except` lists longer names that are allowed.

    One-word names match in their own case or in capitals only, unless `case: any`.
    """

    name: Text = Field(min_length=1)
    aliases: StrList = []
    case: Literal["any", "exact", "auto"] = "auto"
    except_: StrList = Field([], alias="except")
    where: Where | None = Field(None, alias="in")


class TextCheck(Shorthand):
    """A piece of plain text, compared normalised and case-folded unless `case: exact`."""

    text: Text = Field(min_length=1)
    case: Literal["any", "exact"] = "any"
    where: Where | None = Field(None, alias="in")


class RelationshipCheck(Model):
    """A relationship that must be retrieved: `[source, type, target]`; direction-blind unless `directed`."""

    source: Text = Field(min_length=1)
    type: Text = ""
    target: Text = Field(min_length=1)
    directed: Flag = False

    @model_validator(mode="before")
    @classmethod
    def _from_triple(cls, data: Any) -> Any:
        if isinstance(data, list):
            if len(data) != 3:
                raise ValueError("a relationship is [source, type, target]")
            return dict(zip(("source", "type", "target"), data, strict=True))
        return data


class Budget(Model):
    """The most that one scenario may use; what the target does not report is an error."""

    seconds: Number | None = Field(None, gt=0)
    total_tokens: Whole | None = Field(None, gt=0)
    cost_usd: Number | None = Field(None, gt=0)


class Stable(Model):
    """How much of what the baseline holds must still be there, as shares; needs no gold data.

    Retrieved sets are compared by their overlap (Jaccard), facts by the share of the baseline's that is kept.
    """

    entities: Number | None = Field(None, gt=0, le=1)
    relationships: Number | None = Field(None, gt=0, le=1)
    chunks: Number | None = Field(None, gt=0, le=1)
    facts: Number | None = Field(None, gt=0, le=1)

    @model_validator(mode="after")
    def _has_line(self) -> Stable:
        if not self.model_fields_set:
            raise ValueError("`stable:` needs at least one of `entities:`, `relationships:`, `chunks:`, `facts:`")
        return self


def _groups(value: Any) -> Any:
    """Make `any_of: [a, b]` one group, and keep `any_of: [[a, b], [c, d]]` as two."""
    value = as_list(value)
    lone = isinstance(value, list) and value and not any(isinstance(v, list) for v in value)
    return [value] if lone else value


def _triples(value: Any) -> Any:
    """Make `relationships: [source, type, target]` a list of one."""
    return [value] if isinstance(value, list) and value and all(isinstance(v, str) for v in value) else value


Numbers = Annotated[list[NumberCheck], BeforeValidator(as_list)]
Dates = Annotated[list[DateCheck], BeforeValidator(as_list)]
Names = Annotated[list[NameCheck], BeforeValidator(as_list)]
Texts = Annotated[list[TextCheck], BeforeValidator(as_list)]
NameGroup = Annotated[list[NameCheck], Field(min_length=1)]

ANSWER_CHECKS = (
    "numbers", "counts", "dates", "names", "any_of", "forbidden", "denial", "order", "choice", "as_of",
    "contains", "excludes", "matches", "equals",
)  # fmt: skip
RETRIEVAL_CHECKS = ("entities", "chunks", "relationships", "no_evidence")
STEP_CHECKS = ("steps", "tools")
_SETTINGS = {"where", "steps_mode", "compare", "trajectory"}
"""Keys that say how others are checked."""


class Expect(OpenModel):
    """All checks of a scenario; every key is optional, and an empty list inside is a load error.

    `steps` are groups of reference steps, one after another; a flat list is a sequence. `steps_mode`, `trajectory`
    and `compare` say how they are held against the calls that were made.
    """

    numbers: Numbers | None = Field(None, min_length=1)
    counts: dict[Text, CountCheck] | None = Field(None, min_length=1)
    dates: Dates | None = Field(None, min_length=1)
    names: Names | None = Field(None, min_length=1)
    any_of: Annotated[list[NameGroup], BeforeValidator(_groups)] | None = Field(None, min_length=1)
    forbidden: Annotated[list[ForbiddenName], BeforeValidator(as_list)] | None = Field(None, min_length=1)
    denial: Flag | None = None
    order: Names | None = Field(None, min_length=2)
    choice: Names | None = Field(None, min_length=2)
    as_of: Text | None = None
    contains: Texts | None = Field(None, min_length=1)
    excludes: Texts | None = Field(None, min_length=1)
    matches: StrList | None = Field(None, min_length=1)
    equals: TextCheck | None = None
    where: Where | None = Field(None, alias="in")
    entities: StrList | None = Field(None, min_length=1)
    chunks: StrList | None = Field(None, min_length=1)
    relationships: Annotated[list[RelationshipCheck], BeforeValidator(_triples)] | None = Field(None, min_length=1)
    no_evidence: Flag | None = None
    steps: Groups | None = Field(None, min_length=1)
    steps_mode: StepsMode | None = None
    trajectory: Trajectory | None = None
    compare: Comparator | None = None
    tools: ToolRules | None = None
    scores: dict[Text, Number] | None = Field(None, min_length=1)
    intent: Annotated[StrList, Field(min_length=1)] | None = None
    budget: Budget | None = None
    stable: Stable | None = None

    @classmethod
    def _is_added(cls, key: str) -> bool:
        return current().knows("checks", key)

    def has_checks(self) -> bool:
        """Tell whether any key is given that checks something."""
        return bool(self.model_fields_set - _SETTINGS)

    def has_step_checks(self) -> bool:
        """Tell whether any check looks at the tool calls."""
        return any(getattr(self, key) is not None for key in STEP_CHECKS)

    def has_fact_checks(self) -> bool:
        """Tell whether any check looks at the answer, so that the metric `facts` is defined."""
        return any(getattr(self, key) is not None for key in ANSWER_CHECKS)
