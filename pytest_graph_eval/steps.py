"""Reference steps: the tool calls that an agent should make, and what the calls as a whole must satisfy.

The models of `expect.steps` and `expect.tools`; `metrics/trajectory` decides them. A step may be written
with our keys or with those of graphrag-eval (`name`, `output_media_type`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from pytest_graph_eval.scalars import Data, Flag, Model, Number, StrList, Text, Whole, as_list

__all__ = ["ArgsMatch", "Comparator", "Step", "StepsMode", "ToolRules", "Trajectory"]

Comparator = Literal["sparql", "iri", "ids", "time_series", "data_points", "json", "text", "args"]
ArgsMatch = Literal["exact", "subset", "superset", "ignore"]
StepsMode = Literal["mean", "suffix", "last_group"]
Trajectory = Literal["exact", "in_order", "any_order"]


class Step(Model):
    """One expected tool call; a step with `args` and `output` needs both.

    `args_match`: `exact` (same keys and values), `subset` (the call has at least these), `superset` (the call has
    none but these), `ignore`. `compare` chooses how outputs are compared; by default the media type and the tool's
    well-known name decide. The rest is for results of SPARQL queries (`required_columns` to `literals`), for
    retrieval by ids (`k`) and for times (`tolerance`, in seconds).
    """

    tool: Text = Field(min_length=1, validation_alias=AliasChoices("tool", "name"))
    args: dict[Text, Data] | None = None
    args_match: ArgsMatch | None = None
    output: Data | None = None
    output_media_type: Text | None = None
    compare: Comparator | None = None
    required_columns: StrList | None = None
    ordered: Flag = False
    order_by: StrList = []
    ignore_duplicates: Flag = True
    expect_empty: Flag = False
    language: Literal["match", "ignore"] = "match"
    literals: Literal["value", "lexical", "lenient"] = "value"
    k: Whole | None = Field(None, ge=1)
    tolerance: Number | None = Field(None, ge=0)


Group = Annotated[list[Step], Field(min_length=1)]


def _groups(value: Any) -> Any:
    """Make `steps: [a, b]` one group a step: a flat list is a sequence."""
    value = as_list(value)
    flat = isinstance(value, list) and value and not any(isinstance(v, list) for v in value)
    return [[step] for step in value] if flat else value


Groups = Annotated[list[Group], BeforeValidator(_groups)]


class ToolRules(Model):
    """What must hold of all tool calls together, whatever the reference steps say."""

    required: StrList = []
    forbidden: StrList = []
    max_calls: Whole | None = Field(None, ge=0)
    max_errors: Whole | None = Field(None, ge=0)

    @model_validator(mode="after")
    def _consistent(self) -> ToolRules:
        if not self.model_fields_set:
            raise ValueError("`tools:` needs at least one of `required:`, `forbidden:`, `max_calls:`, `max_errors:`")
        if both := sorted({*self.required} & {*self.forbidden}):
            raise ValueError(f"a tool is both required and forbidden: {', '.join(both)}")
        return self
