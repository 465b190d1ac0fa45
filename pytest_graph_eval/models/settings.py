"""Settings of a suite's `target:`: whom to ask."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, PrivateAttr, Tag, field_validator, model_validator

from pytest_graph_eval.models.extensions import Added, OpenModel, current
from pytest_graph_eval.models.gate_settings import BaselineGate, BudgetGate, Ceiling, Gate, Line
from pytest_graph_eval.models.reply_settings import (
    CatalogSpec,
    PreflightSpec,
    Price,
    RecoverSpec,
    Requirement,
    ResponseMap,
    ToolCallSpec,
)
from pytest_graph_eval.models.scalars import (
    Data,
    Flag,
    Key,
    Later,
    Model,
    Number,
    StrList,
    Text,
    Whole,
    Word,
    Words,
    plain,
)

__all__ = [
    "OUR_KINDS",
    "BaselineGate",
    "BudgetGate",
    "CatalogSpec",
    "Ceiling",
    "CustomTarget",
    "Gate",
    "GraphTarget",
    "HttpTarget",
    "Line",
    "McpTarget",
    "PreflightSpec",
    "Price",
    "PythonTarget",
    "RecoverSpec",
    "ReplayTarget",
    "Requirement",
    "ResponseMap",
    "SharedSettings",
    "TargetRef",
    "TargetSpec",
    "ToolCallSpec",
]

_RATE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*/\s*(s|min|h)\s*", re.ASCII)
_SECONDS = {"s": 1, "min": 60, "h": 3600}


class SharedSettings(Model):
    """Settings that all kinds of targets share. `prices` are by the name of the model, `*` is that of every other."""

    name: Word | None = None
    """What reports call it."""
    timeout: Number | None = Field(None, gt=0)
    """Seconds for a reply; default 30."""
    start_timeout: Number = Field(30.0, gt=0)
    """Seconds to start or connect."""
    modes: dict[Key, Text] = Field(default_factory=dict)
    """Our modes to the target's words: `{kg: local}`."""
    aliases: dict[Key, Words] = Field(default_factory=dict)
    """A name to others: a question without evidence is asked once more under one of them."""
    relevant_types: dict[Key, Words] = Field(default_factory=dict)
    """Category to the entity types that count as relevant for `precision`."""
    top_entities: Whole | None = Field(None, gt=0)
    """Keep so many of the retrieved entities."""
    deterministic: Flag | None = None
    """The same question always gets the same reply, as of a graph: a baseline is compared exactly."""
    drop: Words = Field(default_factory=list)
    """Keys of replies that are stored nowhere."""
    restarts: Whole = Field(2, ge=0)
    """How often a server that died is started again."""
    max_concurrency: Whole | None = Field(None, gt=0)
    """Most questions at the same time, of each process."""
    rate: Text | None = None
    """Most questions in a time, of each process: `5/s`, `90/min`, `1000/h`."""
    response: Annotated[ResponseMap, Later] | None = None
    """Where the parts of a reply stand."""
    preset: Literal["preciso", "lightrag", "graphrag", "openai-chat", "generic-mcp"] | None = None
    """Known settings of a system; keys given here win."""
    prices: dict[Key, Annotated[Price, Later]] = Field(default_factory=dict)
    """Model to price, `*` for every other: usage becomes cost."""
    preflight: Annotated[PreflightSpec, Later] | None = None
    """How the target's fitness is read before the first question."""
    recover: Annotated[RecoverSpec, Later] | None = None
    """What brings an empty or broken graph back."""
    graph_dir: Word | None = None
    """Folder of the graph's files."""

    @field_validator("rate")
    @classmethod
    def _is_rate(cls, value: str | None) -> str | None:
        if value is not None and not _per_second(value):
            raise ValueError(f"found {value!r}, expected questions in a time, like 5/s, 90/min or 1000/h")
        return value

    def per_second(self) -> float | None:
        """Return how many questions may be asked in a second; None is any number."""
        return _per_second(self.rate) if self.rate else None


def _per_second(rate: str) -> float:
    """Return the questions a second of `5/s` and the like; 0 where it is none of these."""
    match = _RATE.fullmatch(rate)
    return float(match[1]) / _SECONDS[match[2]] if match else 0.0


class GraphTarget(SharedSettings):
    """The embedded knowledge graph, in this process."""

    kind: Literal["graph"] = "graph"
    """The embedded graph."""
    extraction: Words = Field(default_factory=list)
    """Extraction JSON files."""
    graphml: Words = Field(default_factory=list)
    """GraphML files; needs the extra `graphml`."""
    rdf: Words = Field(default_factory=list)
    """RDF files; needs the extra `rdf`."""
    top_k: Whole = Field(5, gt=0)
    """How many items of each kind come back at most."""

    @model_validator(mode="after")
    def _has_source(self) -> Self:
        if not (self.extraction or self.graphml or self.rdf):
            raise ValueError("a graph target needs `extraction:`, `graphml:` or `rdf:`, a list of files")
        return self


class McpTarget(SharedSettings):
    """An MCP server: a `command` to start over stdio, or the `url` of a running one.

    With `shared`, the command serves the url, for all processes of the run.
    """

    kind: Literal["mcp"] = "mcp"
    """An MCP server."""
    command: StrList = Field(default_factory=list)
    """Starts it over stdio; `python` and `graph-eval` are first looked for beside the running Python."""
    cwd: Word | None = None
    """The folder it is started in, from the suite's."""
    env: dict[Key, Text] = Field(default_factory=dict)
    """Its environment, beside a few safe variables."""
    url: Word | None = None
    """Address of a running one."""
    transport: Literal["stdio", "http", "sse"] | None = None
    """Default: stdio for a command, else http."""
    headers: dict[Key, Text] = Field(default_factory=dict)
    """Sent with each request."""
    protocol: Literal["auto", "legacy"] = "auto"
    """`legacy` for servers that know older protocols only."""
    tool: Word | None = None
    """The tool that takes the question."""
    arguments: dict[Text, Data] | None = None
    """What it is called with, `{question}` and other placeholders filled in."""
    setup: list[Annotated[ToolCallSpec, Later]] = Field(default_factory=list)
    """Calls before the first question."""
    catalog: Annotated[CatalogSpec, Later] | None = None
    """How it lists what its graph holds, for `graph-eval generate`."""
    shared: Flag = False
    """The command serves the url, once for all processes of the run, and ends with the last."""

    @model_validator(mode="after")
    def _has_address(self) -> Self:
        if self.command and not self.command[0].strip():
            raise ValueError("`command:` begins with an empty text; the program to start is expected")
        if self.shared:
            self._can_be_shared()
        elif bool(self.command) == bool(self.url):
            raise ValueError("an mcp target needs either `command:` (stdio) or `url:` (http, sse)")
        if self.command and not self.shared and self.transport not in (None, "stdio"):
            raise ValueError("`command:` goes with `transport: stdio`")
        if self.url and self.transport == "stdio":
            raise ValueError("`url:` goes with `transport: http` or `sse`")
        if self.preflight is not None and self.preflight.url is not None:
            raise ValueError("`preflight.url:` is for http targets; an mcp target has a `preflight.tool:`")
        return self

    def _can_be_shared(self) -> None:
        if not self.command or not self.url:
            raise ValueError("`shared: true` needs a `command:` that serves HTTP, and the `url:` where it listens then")
        own = [name for name in ("{worker}", "{tmp}") if name in str([self.command, self.cwd, self.env, self.url])]
        if own:
            raise ValueError(f"{own[0]} is another one in each process; a server with `shared: true` belongs to all")


class HttpTarget(SharedSettings):
    """A JSON service: each question is one request. `url`, `headers` and `json` take placeholders and `${VAR}`."""

    kind: Literal["http"] = "http"
    """A JSON service."""
    url: Word
    """Where each question is sent."""
    method: Literal["GET", "POST", "PUT", "PATCH"] = "POST"
    """How it is sent."""
    headers: dict[Key, Text] = Field(default_factory=dict)
    """Sent with each request."""
    json_: dict[Text, Data] = Field(default_factory=dict, alias="json")
    """The body, `{question}` and other placeholders filled in."""

    @model_validator(mode="after")
    def _can_be_sent(self) -> Self:
        if self.method == "GET" and self.json_:
            raise ValueError("a GET request has no body; put what `json:` holds into the query of `url:`, or use POST")
        if self.recover is not None:
            raise ValueError("`recover:` calls a tool, and an http target has none")
        if self.preflight is not None and self.preflight.tool is not None:
            raise ValueError("an http target has no tools; give the address of its status as `preflight.url:`")
        return self


class PythonTarget(SharedSettings):
    """A Python callable: `call` is it, `factory` makes it, `fixture` names the fixture that returns it."""

    kind: Literal["python"] = "python"
    """A Python callable."""
    call: Word | None = None
    """`module:callable`."""
    factory: Word | None = None
    """`module:callable` that returns the callable."""
    fixture: Word | None = None
    """A pytest fixture that returns the callable."""
    thread_safe: Flag = False
    """Whether it may be called several times at once."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if sum(v is not None for v in (self.call, self.factory, self.fixture)) != 1:
            raise ValueError("a python target needs exactly one of `call:`, `factory:`, `fixture:`")
        return self


class ReplayTarget(SharedSettings):
    """Recorded responses: JSON lines `{"id": scenario, "turn": 1, "response": {...}}`."""

    kind: Literal["replay"] = "replay"
    """Recorded responses."""
    path: Word
    """The file of JSON lines."""


class CustomTarget(OpenModel, SharedSettings):
    """A target of a kind that a plugin adds; the settings that are not shared by all kinds are the plugin's own."""

    kind: Text
    """A kind that a plugin adds."""
    thread_safe: Flag = False
    """Whether it may be called several times at once."""
    _maker: Added | None = PrivateAttr(None)

    @classmethod
    def _is_added(cls, key: str) -> bool:
        return True

    def model_post_init(self, _: Any) -> None:
        """Remember who opens it: it is opened where the plugins of its suite are not known."""
        self._maker = current().targets.get(self.kind)

    @property
    def maker(self) -> Added | None:
        """The plugin's function; None where the plugin is absent."""
        return self._maker


OUR_KINDS = ("graph", "mcp", "http", "python", "replay")
_MARKS = (("command", "mcp"), ("json", "http"), ("method", "http"), ("url", "mcp"), ("call", "python"),
          ("factory", "python"), ("fixture", "python"), ("path", "replay"), ("extraction", "graph"),
          ("graphml", "graph"), ("rdf", "graph"))  # fmt: skip

_HTTP_PRESETS = ("lightrag", "openai-chat")


def _kind(value: Any) -> str:
    """Tell the kind of a target: `kind:`, else by the key that only one kind has; a text is a name."""
    if isinstance(value, str):
        return "name"
    if isinstance(value, dict):
        if value.get("kind") is not None:
            kind = str(plain(value["kind"]))
            return "custom" if kind not in OUR_KINDS and current().knows("targets", kind) else kind
        if "url" in value and value.get("preset") in _HTTP_PRESETS:
            return "http"
        return next((kind for key, kind in _MARKS if key in value), "missing")
    return "custom" if isinstance(value, CustomTarget) else str(getattr(value, "kind", "missing"))


TargetSpec = Annotated[
    Annotated[GraphTarget, Later, Tag("graph")]
    | Annotated[McpTarget, Later, Tag("mcp")]
    | Annotated[HttpTarget, Later, Tag("http")]
    | Annotated[PythonTarget, Later, Tag("python")]
    | Annotated[ReplayTarget, Later, Tag("replay")]
    | Annotated[CustomTarget, Later, Tag("custom")],
    Discriminator(_kind),
]
TargetRef = Annotated[
    Annotated[GraphTarget, Later, Tag("graph")]
    | Annotated[McpTarget, Later, Tag("mcp")]
    | Annotated[HttpTarget, Later, Tag("http")]
    | Annotated[PythonTarget, Later, Tag("python")]
    | Annotated[ReplayTarget, Later, Tag("replay")]
    | Annotated[CustomTarget, Later, Tag("custom")]
    | Annotated[Word, Tag("name")],
    Discriminator(_kind),
]
