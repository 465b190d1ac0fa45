"""Reference steps: the tool calls that an agent should make, and what the calls as a whole must satisfy.

The models of `expect.steps` and `expect.tools`; `metrics/trajectory` decides them. A step may be written
with our keys or with those of graphrag-eval (`name`, `output_media_type`).
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from pytest_graph_eval.scalars import Data, Flag, Model, Number, StrList, Text, Whole, as_list

__all__ = ["ArgsMatch", "Comparator", "Groups", "Step", "StepsMode", "ToolRules", "Trajectory", "same_tool"]

Comparator = Literal["sparql", "iri", "ids", "time_series", "data_points", "json", "text", "args"]
ArgsMatch = Literal["exact", "subset", "superset", "ignore"]
StepsMode = Literal["mean", "suffix", "last_group"]
Trajectory = Literal["exact", "unordered", "in_order", "any_order", "subset"]


class Step(Model):
    """One expected tool call; a step with `args` and `output` needs both.

    A lone text is the tool's name; with `any_tool` the result counts whichever tool returned it. `args_match` says
    what the call's arguments are to the expected ones, in the words of agentevals: `exact` (same keys and values),
    `superset` (at least these), `subset` (none but these), `ignore`. `wildcards` are texts that stand for any value,
    and names of arguments that may be anything. `compare` chooses how outputs are compared; by default the media type
    and the tool's well-known name decide. The rest is for results of SPARQL queries (`required_columns` to
    `literals`), for retrieval by ids (`k`) and for times (`tolerance`, seconds).
    """

    tool: Text = Field(min_length=1, validation_alias=AliasChoices("tool", "name"))
    any_tool: Flag = False
    args: dict[Text, Data] | None = None
    args_match: ArgsMatch | None = None
    wildcards: StrList = []
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

    @model_validator(mode="before")
    @classmethod
    def _from_value(cls, data: Any) -> Any:
        return {"tool": data} if isinstance(data, str) else data


Group = Annotated[list[Step], BeforeValidator(as_list), Field(min_length=1)]


def _sequence(value: Any) -> Any:
    """Make `steps: [a, b]` one group a step: a flat list is a sequence."""
    value = as_list(value)
    flat = isinstance(value, list) and not any(isinstance(v, list) for v in value)
    return [[step] for step in value] if flat else value


Groups = Annotated[list[Group], BeforeValidator(_sequence)]


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
        return self


_SEPARATOR = re.compile(r"(?:__|[-./:])\Z")
_UNDERSCORED = re.compile(r"mcp_(?!_)(?:.*_)?\Z")


def same_tool(expected: str, found: str) -> bool:
    """Tell whether a tool that an agent's host names `found` is the one that a suite calls `expected`.

    Hosts put the server's name before the tool's: `mcp__graph__query`, `graphrag-mcp-query`, `graph.query`,
    `mcp_graph_query`. A lone underscore is a separator only behind `mcp_`: `entity_search` is no `search`.

    >>> same_tool("query", "mcp__graph__query"), same_tool("search", "entity_search")
    (True, False)
    """
    if not expected or not found.endswith(expected):
        return False
    prefix = found.removesuffix(expected)
    return not prefix or bool(_SEPARATOR.search(prefix) or _UNDERSCORED.match(prefix))
