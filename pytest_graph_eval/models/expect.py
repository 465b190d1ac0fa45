"""What a scenario expects of a response: one model per kind of check, shorthands included.

Each key of `expect:` is one kind of check (the reference, "How facts are matched"). The engine in
`metrics/facts` decides them; nothing here looks at an answer.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from pytest_graph_eval.models.extensions import OpenModel, current
from pytest_graph_eval.models.scalars import (
    Flag,
    Later,
    Model,
    Number,
    StrList,
    Text,
    Whole,
    Word,
    Words,
    as_list,
    plain,
)
from pytest_graph_eval.models.steps import Comparator, Groups, StepsMode, ToolRules, Trajectory

Where = Literal["answer", "evidence", "both"]
Scale = Literal["thousand", "million", "billion", "trillion"]


class Shorthand(Model):
    """A check that may be written as its main value alone: `X` is `{<first field>: X}`."""

    @model_validator(mode="before")
    @classmethod
    def _from_value(cls, data: Any) -> Any:
        if data.__class__ is not dict and isinstance(data, str | int | float) and not isinstance(data, bool):
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
    """The number as a person writes it: `$611.3 billion`, `6.7%`, `-3.2`."""
    unit: Word | None = None
    """Must stand with the number."""
    abs_tol: Number | None = Field(None, ge=0)
    """Largest difference, in place of half a unit of the last printed digit."""
    rel_tol: Number | None = Field(None, ge=0)
    """Largest relative difference, in place of the same."""
    select: Literal["any", "first", "last", "only"] = "any"
    """Which of the numbers that fit must be right."""
    near: Word | None = None
    """A word or name in the same clause or table row."""
    of: Word | None = None
    """The name that the number belongs to."""
    if_named: Flag = False
    """Only looked for where the name in `of` or `near` stands at all."""
    locale: Text = "auto"
    """How the answer writes numbers, like `de` or `en`; default: told by the text."""
    default_scale: Scale | None = None
    """The scale in which bare figures of the answer may be meant."""
    accept_percent: Flag = False
    """A percentage will do for a bare figure, as it is or as a hundredth."""
    accept_fraction: Flag = False
    """A bare fraction will do for a percentage, times a hundred."""
    accept_bare: Flag = False
    """A bare figure will do for a percentage, or where a `unit` is asked for."""
    where: Where | None = Field(None, alias="in")
    """Where it is looked for; default: the answer, or the evidence where the target gives no answer."""


class CountCheck(Shorthand):
    """An exact whole number of things, in digits or words; `nouns` (default: the key) name the things."""

    value: Whole = Field(ge=0)
    """Exactly so many, in digits or words."""
    nouns: StrList = Field(default_factory=list)
    """What is counted; default: the key."""
    where: Where | None = Field(None, alias="in")
    """Where it is looked for; default: the answer, or the evidence where the target gives no answer."""


class DateCheck(Shorthand):
    """A date that must be stated: an ISO day (`2023-01-31`), month (`2023-01`) or year (`2023`)."""

    value: Text
    """A day (2023-01-31), a month (2023-01) or a year (2023)."""
    precision: Literal["day", "month", "year"] | None = None
    """How exactly it must be stated; default: as it is written here."""
    day_first: Literal["any"] | bool | None = None
    """Whether 03/04/2023 is 3 April; `any` accepts both; default: told by the language."""
    where: Where | None = Field(None, alias="in")
    """Where it is looked for; default: the answer, or the evidence where the target gives no answer."""

    @field_validator("day_first", mode="before")
    @classmethod
    def _flag(cls, value: Any) -> Any:
        return plain(value)


class NameCheck(Shorthand):
    """A name that must be stated, itself or by one of its aliases."""

    name: Word
    """Must be stated, at word boundaries."""
    aliases: StrList = Field(default_factory=list)
    """Other names that count as well."""
    case: Literal["any", "exact"] = "any"
    """Whether upper and lower case differ."""
    where: Where | None = Field(None, alias="in")
    """Where it is looked for; default: the answer, or the evidence where the target gives no answer."""


class ForbiddenName(Shorthand):
    """A name that must not be asserted. `except` lists longer names that are allowed.

    One-word names match in their own case or in capitals only, unless `case: any`.
    """

    name: Word
    """Must not be asserted."""
    aliases: StrList = Field(default_factory=list)
    """Must not be asserted either."""
    case: Literal["any", "exact", "auto"] = "auto"
    """`auto`: names of one word match in their own case or in capitals."""
    except_: Words = Field(default_factory=list, alias="except")
    """Longer names that are allowed."""
    where: Where | None = Field(None, alias="in")
    """Where it is looked for; default: the answer, or the evidence where the target gives no answer."""


class TextCheck(Shorthand):
    """A piece of plain text, compared normalised and case-folded unless `case: exact`."""

    text: Word
    """Plain text, whatever its spacing."""
    case: Literal["any", "exact"] = "any"
    """Whether upper and lower case differ."""
    where: Where | None = Field(None, alias="in")
    """Where it is looked for; default: the answer, or the evidence where the target gives no answer."""


class RelationshipCheck(Model):
    """A relationship that must be retrieved: `[source, type, target]`; direction-blind unless `directed`."""

    source: Word
    """Where the relationship begins."""
    type: Text = ""
    """Its type; any where it is left out."""
    target: Word
    """Where it ends."""
    directed: Flag = False
    """Whether the direction must be this one."""

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
    """Longest time for the reply."""
    total_tokens: Whole | None = Field(None, gt=0)
    """Most tokens."""
    cost_usd: Number | None = Field(None, gt=0)
    """Highest cost, in US dollars."""

    @model_validator(mode="after")
    def _has_limit(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("`budget:` needs at least one of `seconds:`, `total_tokens:`, `cost_usd:`")
        return self


class Stable(Model):
    """How much of what the baseline holds must still be there, as shares; needs no gold data.

    Retrieved sets are compared by their overlap (Jaccard), facts by the share of the baseline's that is kept.
    """

    entities: Number | None = Field(None, gt=0, le=1)
    """Least overlap of the retrieved entities, 0 to 1."""
    relationships: Number | None = Field(None, gt=0, le=1)
    """Least overlap of the retrieved relationships."""
    chunks: Number | None = Field(None, gt=0, le=1)
    """Least overlap of the retrieved chunks."""
    facts: Number | None = Field(None, gt=0, le=1)
    """Least share of the answer's key facts that are kept."""

    @model_validator(mode="after")
    def _has_line(self) -> Self:
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
Dates = Annotated[list[Annotated[DateCheck, Later]], BeforeValidator(as_list)]
Names = Annotated[list[NameCheck], BeforeValidator(as_list)]
Texts = Annotated[list[Annotated[TextCheck, Later]], BeforeValidator(as_list)]
NameGroup = Annotated[list[NameCheck], Field(min_length=1)]

ANSWER_CHECKS = (
    "numbers", "counts", "dates", "names", "any_of", "forbidden", "denial", "order", "choice", "as_of",
    "contains", "excludes", "matches", "equals",
)  # fmt: skip
RETRIEVAL_CHECKS = ("entities", "chunks", "relationships", "no_evidence")
STEP_CHECKS = ("steps", "tools")
_SETTINGS = frozenset(("where", "steps_mode", "compare", "trajectory", "added"))
"""Keys that say how others are checked."""


class Expect(OpenModel):
    """All checks of a scenario; every key is optional, and an empty list inside is a load error.

    `steps` are groups of reference steps, one after another; a flat list is a sequence. `steps_mode`, `trajectory`
    and `compare` say how they are held against the calls that were made.
    """

    numbers: Numbers | None = Field(None, min_length=1)
    """Numbers that are stated, by value, unit, scale and sign."""
    counts: dict[Text, Annotated[CountCheck, Later]] | None = Field(None, min_length=1)
    """`{features: 12}`: exactly so many are stated."""
    dates: Dates | None = Field(None, min_length=1)
    """Days, months or years that are stated."""
    names: Names | None = Field(None, min_length=1)
    """Names that are stated."""
    any_of: Annotated[list[NameGroup], BeforeValidator(_groups)] | None = Field(None, min_length=1)
    """One name of the group is stated; a list of lists is several groups."""
    forbidden: Annotated[list[Annotated[ForbiddenName, Later]], BeforeValidator(as_list)] | None = Field(
        None, min_length=1
    )
    """Names that are not asserted."""
    denial: Flag | None = None
    """True: it says that it does not know; false: it does not say so."""
    order: Names | None = Field(None, min_length=2)
    """Names in the order in which they are first asserted."""
    choice: Names | None = Field(None, min_length=2)
    """An ambiguous question: every variant is named and a choice offered, or each is answered."""
    as_of: Word | None = None
    """The valid time that is stated, and used where the target reports it; `current`: cleared."""
    contains: Texts | None = Field(None, min_length=1)
    """Texts that stand in it."""
    excludes: Texts | None = Field(None, min_length=1)
    """Texts that do not."""
    matches: StrList | None = Field(None, min_length=1)
    """Regular expressions that are found."""
    equals: Annotated[TextCheck, Later] | None = None
    """The whole text."""
    where: Where | None = Field(None, alias="in")
    """Where all of these are looked for, unless one says it itself."""
    entities: StrList | None = Field(None, min_length=1)
    """Names of entities that were retrieved."""
    chunks: StrList | None = Field(None, min_length=1)
    """Ids of chunks that were retrieved."""
    relationships: Annotated[list[Annotated[RelationshipCheck, Later]], BeforeValidator(_triples)] | None = Field(
        None, min_length=1
    )
    """`[source, type, target]` that were retrieved, in either direction."""
    no_evidence: Flag | None = None
    """Nothing was retrieved."""
    steps: Groups | None = Field(None, min_length=1)
    """Tool calls that were made: groups one after another, a flat list is a sequence."""
    steps_mode: StepsMode | None = None
    """How the groups make one score."""
    trajectory: Trajectory | None = None
    """What the calls are to the steps, in the words of agentevals."""
    compare: Comparator | None = None
    """How outputs are compared, for all steps."""
    tools: Annotated[ToolRules, Later] | None = None
    """What must hold of all tool calls together."""
    scores: dict[Text, Number] | None = Field(None, min_length=1)
    """`{faithfulness: 0.8}`: least score of a metric."""
    intent: Annotated[StrList, Field(min_length=1)] | None = None
    """What the target took the question for, or one of several."""
    budget: Annotated[Budget, Later] | None = None
    """The most that may be used."""
    stable: Annotated[Stable, Later] | None = None
    """How much of what the baseline holds must still be there."""

    @classmethod
    def _is_added(cls, key: str) -> bool:
        return current().knows("checks", key)

    @property
    def written(self) -> set[str]:
        """The keys that are given, those of plugins as well."""
        return (self.model_fields_set - {"added"}) | self.added.keys()

    def has_checks(self) -> bool:
        """Tell whether any key is given that checks something."""
        return not self.model_fields_set <= _SETTINGS or bool(self.added)

    def has_step_checks(self) -> bool:
        """Tell whether any check looks at the tool calls."""
        return any(getattr(self, key) is not None for key in STEP_CHECKS)

    def has_fact_checks(self) -> bool:
        """Tell whether any check looks at the answer, so that the metric `facts` is defined."""
        given = self.__dict__
        return any([given[key] is not None for key in ANSWER_CHECKS])  # noqa: C419 - half the time of a generator
