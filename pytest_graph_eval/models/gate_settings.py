"""Settings of a suite's `gate:`: what is good enough."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from pytest_graph_eval.models.scalars import Key, Later, Model, Number, Whole, shared


class Line(Model):
    """A pass line, and a warn line below it: a value under `pass` fails, or warns when it reaches `warn`."""

    pass_: Number = Field(alias="pass")
    """Below it is FAIL, or WARN from `warn` on."""
    warn: Number | None = None
    """Below it is FAIL in any case."""

    @model_validator(mode="before")
    @classmethod
    def _from_number(cls, data: Any) -> Any:
        return data if isinstance(data, dict | Line) else {"pass": data}

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.warn is not None and self.warn > self.pass_:
            raise ValueError("`warn` must not be above `pass`")
        return self


class Ceiling(Model):
    """The most that may be used: a value above `pass` fails, or warns up to `warn` where that is given."""

    pass_: Number = Field(alias="pass", gt=0)
    """Above it is FAIL, or WARN up to `warn`."""
    warn: Number | None = Field(None, gt=0)
    """Above it is FAIL in any case."""

    @model_validator(mode="before")
    @classmethod
    def _from_number(cls, data: Any) -> Any:
        return data if isinstance(data, dict | Ceiling) else {"pass": data}

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.warn is not None and self.warn < self.pass_:
            raise ValueError("`warn` must not be below `pass`: more than `pass` warns, more than `warn` fails")
        return self


class BudgetGate(Model):
    """What all scenarios together may use, and how long the slower ones may take (95 % are at most `p95_seconds`)."""

    p95_seconds: Ceiling | None = None
    """95 % of the scenarios take at most so long."""
    total_tokens: Ceiling | None = None
    """Tokens of all scenarios together."""
    cost_usd: Ceiling | None = None
    """Cost of all scenarios together, in US dollars."""


class BaselineGate(Model):
    """When a drop against the baseline is a regression: `alpha` is the share of false alarms that is accepted.

    A drop below `min_effect` is of no interest, and fewer than `min_n` pairs prove nothing.
    """

    alpha: Number = Field(0.05, gt=0, lt=0.5)
    """Share of false alarms that is accepted."""
    min_effect: Number = Field(0.02, ge=0, le=1)
    """A smaller drop is of no interest."""
    min_n: Whole = Field(20, ge=1)
    """Fewer pairs prove nothing."""


class Gate(Model):
    """What makes a verdict. A missing key takes the default, null switches a rule off.

    Values are shares or mean scores between 0 and 1, of the judge's rubric between 1 and 5; a bare number is the pass
    line.
    """

    overall: Line | None = shared(Line, pass_=0.80, warn=0.60)
    """The mean over all scenarios."""
    metrics: dict[Key, Line | None] = Field(default_factory=dict)
    """Metric to line, over the scenarios that have a score for it."""
    difficulty: dict[Key, Line | None] = Field(default_factory=dict)
    """Difficulty to line, over the means of its scenarios."""
    category: dict[Key, Line | None] = Field(default_factory=dict)
    """Category to line."""
    tags: dict[Key, Line | None] = Field(default_factory=dict)
    """Tag to line."""
    pass_rate: Line | None = None
    """Share of the scenarios that pass."""
    judge: dict[Key, Line | None] = Field(default_factory=dict)
    """Score of the judge to line: 1 to 5 for the rubric, else 0 to 1."""
    intent_match: Line | None = None
    """Share of the expected intents that were met."""
    as_of_match: Line | None = None
    """Share of the expected valid times that were used."""
    max_inconclusive: Number | None = Field(0.10, ge=0, le=1)
    """Largest share of inconclusive scenarios; fewer are WARN."""
    max_errors: Whole | None = Field(0, ge=0)
    """So many errors are WARN, more are FAIL."""
    budget: Annotated[BudgetGate, Later] | None = None
    """What all scenarios together may use."""
    fail_on: Literal["items", "gate"] = "items"
    """`gate`: a failed scenario fails no item, only the gate decides."""
    baseline: BaselineGate | None = shared(BaselineGate)
    """When a drop against the baseline is a regression."""

    @classmethod
    def _keeps_nulls(cls) -> bool:
        return True
