"""Reference steps: the tool calls that an agent should make, and what the calls as a whole must satisfy.

The models of `expect.steps` and `expect.tools`; `metrics/trajectory` decides them. A step may be written
with our keys or with those of graphrag-eval (`name`, `output_media_type`).
"""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from pytest_graph_eval.models.scalars import (
    Data,
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
)

Comparator = Literal["sparql", "iri", "ids", "time_series", "data_points", "json", "text", "args"]
ArgsMatch = Literal["exact", "subset", "superset", "ignore"]
StepsMode = Literal["mean", "suffix", "last_group"]
Trajectory = Literal["exact", "unordered", "in_order", "any_order", "subset"]


class Step(Model):
    """One expected tool call; a step with `args` and `output` needs both, and a lone text is the tool's name."""

    tool: Word = Field(validation_alias=AliasChoices("tool", "name"))
    """Name of the tool; `query` is `mcp__graph__query` as well."""
    any_tool: Flag = False
    """The result counts whichever tool returned it."""
    args: dict[Text, Data] | None = None
    """Its arguments."""
    args_match: ArgsMatch | None = None
    """What the call's arguments are to these: the same, none but these, at least these, anything."""
    wildcards: StrList = Field(default_factory=list)
    """Texts that stand for any value, and names of arguments that may be anything."""
    output: Data | None = None
    """What it returned."""
    output_media_type: Text | None = None
    """Media type of the output, which chooses how it is compared."""
    compare: Comparator | None = None
    """How the output is compared; default: by media type and well-known tools."""
    required_columns: Words | None = None
    """Of a SPARQL result: the columns that count."""
    ordered: Flag = False
    """Of a SPARQL result: whether the order of rows counts."""
    order_by: Words = Field(default_factory=list)
    """Of a SPARQL result: columns that its order is by; ties may change places."""
    ignore_duplicates: Flag = True
    """Of a SPARQL result: whether repeated rows count once."""
    expect_empty: Flag = False
    """Of a SPARQL result: none is right."""
    language: Literal["match", "ignore"] = "match"
    """Of a SPARQL result: whether language tags count."""
    literals: Literal["value", "lexical", "lenient"] = "value"
    """Of a SPARQL result: literals are compared by value, as written, or leniently."""
    k: Whole | None = Field(None, ge=1)
    """Of retrieval by ids: how many of the first count."""
    tolerance: Number | None = Field(None, ge=0)
    """Of times: seconds."""

    @model_validator(mode="before")
    @classmethod
    def _from_value(cls, data: Any) -> Any:
        return {"tool": data} if isinstance(data, str) else data


Group = Annotated[list[Annotated[Step, Later]], BeforeValidator(as_list), Field(min_length=1)]


def _sequence(value: Any) -> Any:
    """Make `steps: [a, b]` one group a step: a flat list is a sequence."""
    value = as_list(value)
    flat = isinstance(value, list) and not any(isinstance(v, list) for v in value)
    return [[step] for step in value] if flat else value


Groups = Annotated[list[Group], BeforeValidator(_sequence)]


class ToolRules(Model):
    """What must hold of all tool calls together, whatever the reference steps say."""

    required: StrList = Field(default_factory=list)
    """Tools that were called with success."""
    forbidden: StrList = Field(default_factory=list)
    """Tools that were not called at all, behind any prefix: `delete_graph` is `graph_delete_graph`, too"""
    max_calls: Whole | None = Field(None, ge=0)
    """Most calls."""
    max_errors: Whole | None = Field(None, ge=0)
    """Most failed calls."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not (self.required or self.forbidden) and self.max_calls is None and self.max_errors is None:
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


def may_be_tool(forbidden: str, found: str) -> bool:
    """Tell whether a tool that is called `found` may be the forbidden one: in doubt it is, so that none slips through.

    A lone underscore ends a prefix here, and it may be the suite that writes the prefix.

    >>> may_be_tool("delete_graph", "graph_delete_graph"), may_be_tool("mcp__g__delete", "delete")
    (True, True)
    >>> may_be_tool("delete", "undelete")
    False
    """
    return same_tool(forbidden, found) or found.endswith(f"_{forbidden}") or same_tool(found, forbidden)
