"""Settings of a suite that say whom to ask (`target:`) and what is good enough (`gate:`)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, PrivateAttr, Tag, field_validator, model_validator

from pytest_graph_eval.extensions import Added, OpenModel, current
from pytest_graph_eval.scalars import Data, Flag, Model, Number, StrList, Text, Whole, as_list, plain

__all__ = [
    "OUR_KINDS",
    "BaselineGate",
    "BudgetGate",
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
    "ResponseMap",
    "SharedSettings",
    "TargetRef",
    "TargetSpec",
    "ToolCallSpec",
]

Paths = Annotated[list[Text], BeforeValidator(as_list)]


class ResponseMap(Model):
    """Where the parts of our `Response` stand in a reply: dotted paths, `[*]` for each item of a list.

    `a|b` is the first of two that is there; a list that the reply leaves out is empty, and unknown where its path
    ends in `?`. `root` is applied first. The `*_fields` mappings rename the fields inside items
    (`entity_fields: {name: entity_name, type: entity_type}`). `status: a, b` names several words that must all be
    among `ok_status`; `chunks: a, b` are two lists, one after the other, as with every list. `id_rule` shortens chunk
    ids: `after ::`, or a regular expression whose group is the id. `separator` is what joins several ids or
    descriptions in one text. `keep` is a flag inside items: those where it is false are left out. `answered` is a flag
    of the reply: where it is false, the answer is a stand-in that no model wrote, and counts as none. `error_answers`
    are the answers that a server gives where it failed. `messages` is a list of chat messages (OpenAI, LangChain,
    pydantic-ai), or one: they hold what is not mapped of answer, tool calls and usage. `model` is the name of the
    model that answered.
    """

    root: Text = ""
    answer: Text | None = None
    entities: Text | None = None
    relationships: Text | None = None
    chunks: Text | None = None
    references: Text | None = None
    tool_calls: Text | None = None
    usage: Text | None = None
    model: Text | None = None
    messages: Text | None = None
    intent: Text | None = None
    as_of: Text | None = None
    mode: Text | None = None
    names: Text | None = None
    status: Text | None = None
    error: Text | None = None
    answered: Text | None = None
    error_answers: StrList = []
    keep: Text = ""
    entity_fields: dict[Text, Text] = {}
    relationship_fields: dict[Text, Text] = {}
    chunk_fields: dict[Text, Text] = {}
    tool_call_fields: dict[Text, Text] = {}
    usage_fields: dict[Text, Text] = {}
    ok_status: StrList = ["success", "ok", "failure"]
    id_rule: Text = ""
    separator: Text = ""


class ToolCallSpec(Model):
    """One call of a tool: its name and its arguments (`{$file: path}` inlines a JSON file)."""

    tool: Text
    arguments: dict[Text, Data] = {}


class Requirement(Model):
    """One condition on the status reply: the value at `path` compared by `op` with `value`."""

    path: Text
    op: Literal["==", "!=", ">", ">=", "<", "<=", "in", "exists"] = "=="
    value: Data = None


class PreflightSpec(Model):
    """How the target's fitness is read: the status tool, where its counts and warnings stand, and what must hold.

    A target over HTTP has a `url` in place of the tool: the address, whole or from the root, whose reply is the status.
    """

    tool: Text | None = None
    url: Text | None = None
    arguments: dict[Text, Data] = {}
    entities: Text | None = None
    relationships: Text | None = None
    warnings: Text | None = None
    require: list[Requirement] = []


class RecoverSpec(Model):
    """What brings an empty or broken graph back: a tool call, run once between two preflights."""

    tool: Text
    arguments: dict[Text, Data] | None = None
    clear_backups: Flag = False


class Price(Model):
    """What a model costs, in US dollars per million tokens.

    `cached` is the price of the input tokens that were read from the provider's cache; without it they cost what the
    others cost.
    """

    input: Number = Field(ge=0)
    output: Number = Field(ge=0)
    cached: Number | None = Field(None, ge=0)


_RATE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*/\s*(s|min|h)\s*", re.ASCII)
_SECONDS = {"s": 1, "min": 60, "h": 3600}


class SharedSettings(Model):
    """Settings that all kinds of targets share. `prices` are by the name of the model, `*` is that of every other."""

    name: Text | None = None
    timeout: Number | None = Field(None, gt=0)
    start_timeout: Number = Field(30.0, gt=0)
    modes: dict[Text, Text] = {}
    aliases: dict[Text, StrList] = {}
    relevant_types: dict[Text, StrList] = {}
    top_entities: Whole | None = Field(None, gt=0)
    deterministic: Flag | None = None
    drop: StrList = []
    restarts: Whole = Field(2, ge=0)
    max_concurrency: Whole | None = Field(None, gt=0)
    rate: Text | None = None
    response: ResponseMap | None = None
    preset: Literal["preciso", "lightrag", "graphrag", "openai-chat", "generic-mcp"] | None = None
    prices: dict[Text, Price] = {}
    preflight: PreflightSpec | None = None
    recover: RecoverSpec | None = None
    graph_dir: Text | None = None

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
    extraction: Paths = []
    graphml: Paths = []
    rdf: Paths = []
    top_k: Whole = Field(5, gt=0)

    @model_validator(mode="after")
    def _has_source(self) -> GraphTarget:
        if not (self.extraction or self.graphml or self.rdf):
            raise ValueError("a graph target needs `extraction:`, `graphml:` or `rdf:`, a list of files")
        return self


class McpTarget(SharedSettings):
    """An MCP server: a `command` to start over stdio, or the `url` of a running one.

    With `shared`, the command serves the url, for all processes of the run.
    """

    kind: Literal["mcp"] = "mcp"
    command: StrList = []
    cwd: Text | None = None
    env: dict[Text, Text] = {}
    url: Text | None = None
    transport: Literal["stdio", "http", "sse"] | None = None
    headers: dict[Text, Text] = {}
    protocol: Literal["auto", "legacy"] = "auto"
    tool: Text | None = None
    arguments: dict[Text, Data] | None = None
    setup: list[ToolCallSpec] = []
    shared: Flag = False

    @model_validator(mode="after")
    def _has_address(self) -> McpTarget:
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
    url: Text
    method: Literal["GET", "POST", "PUT", "PATCH"] = "POST"
    headers: dict[Text, Text] = {}
    json_: dict[Text, Data] = Field({}, alias="json")

    @model_validator(mode="after")
    def _can_be_sent(self) -> HttpTarget:
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
    call: Text | None = None
    factory: Text | None = None
    fixture: Text | None = None
    thread_safe: Flag = False

    @model_validator(mode="after")
    def _one_source(self) -> PythonTarget:
        if sum(v is not None for v in (self.call, self.factory, self.fixture)) != 1:
            raise ValueError("a python target needs exactly one of `call:`, `factory:`, `fixture:`")
        return self


class ReplayTarget(SharedSettings):
    """Recorded responses: JSON lines `{"id": scenario, "turn": 1, "response": {...}}`."""

    kind: Literal["replay"] = "replay"
    path: Text


class CustomTarget(OpenModel, SharedSettings):
    """A target of a kind that a plugin adds; the settings that are not shared by all kinds are the plugin's own."""

    kind: Text
    thread_safe: Flag = False
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
    Annotated[GraphTarget, Tag("graph")]
    | Annotated[McpTarget, Tag("mcp")]
    | Annotated[HttpTarget, Tag("http")]
    | Annotated[PythonTarget, Tag("python")]
    | Annotated[ReplayTarget, Tag("replay")]
    | Annotated[CustomTarget, Tag("custom")],
    Discriminator(_kind),
]
TargetRef = Annotated[
    Annotated[GraphTarget, Tag("graph")]
    | Annotated[McpTarget, Tag("mcp")]
    | Annotated[HttpTarget, Tag("http")]
    | Annotated[PythonTarget, Tag("python")]
    | Annotated[ReplayTarget, Tag("replay")]
    | Annotated[CustomTarget, Tag("custom")]
    | Annotated[Text, Tag("name")],
    Discriminator(_kind),
]


class Line(Model):
    """A pass line, and a warn line below it: a value under `pass` fails, or warns when it reaches `warn`."""

    pass_: Number = Field(alias="pass")
    warn: Number | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_number(cls, data: Any) -> Any:
        return data if isinstance(data, dict | Line) else {"pass": data}

    @model_validator(mode="after")
    def _ordered(self) -> Line:
        if self.warn is not None and self.warn > self.pass_:
            raise ValueError("`warn` must not be above `pass`")
        return self


class Ceiling(Model):
    """The most that may be used: a value above `pass` fails, or warns up to `warn` where that is given."""

    pass_: Number = Field(alias="pass", gt=0)
    warn: Number | None = Field(None, gt=0)

    @model_validator(mode="before")
    @classmethod
    def _from_number(cls, data: Any) -> Any:
        return data if isinstance(data, dict | Ceiling) else {"pass": data}

    @model_validator(mode="after")
    def _ordered(self) -> Ceiling:
        if self.warn is not None and self.warn < self.pass_:
            raise ValueError("`warn` must not be below `pass`: more than `pass` warns, more than `warn` fails")
        return self


class BudgetGate(Model):
    """What all scenarios together may use, and how long the slower ones may take (95 % are at most `p95_seconds`)."""

    p95_seconds: Ceiling | None = None
    total_tokens: Ceiling | None = None
    cost_usd: Ceiling | None = None


class BaselineGate(Model):
    """When a drop against the baseline is a regression: `alpha` is the share of false alarms that is accepted.

    A drop below `min_effect` is of no interest, and fewer than `min_n` pairs prove nothing.
    """

    alpha: Number = Field(0.05, gt=0, lt=0.5)
    min_effect: Number = Field(0.02, ge=0, le=1)
    min_n: Whole = Field(20, ge=1)


class Gate(Model):
    """What makes a verdict. A missing key takes the default, null switches a rule off.

    Values are shares or mean scores between 0 and 1, of the judge's rubric between 1 and 5; a bare number is the pass
    line.
    """

    overall: Line | None = Line(**{"pass": 0.80, "warn": 0.60})
    metrics: dict[Text, Line | None] = {}
    difficulty: dict[Text, Line | None] = {}
    category: dict[Text, Line | None] = {}
    tags: dict[Text, Line | None] = {}
    pass_rate: Line | None = None
    judge: dict[Text, Line | None] = {}
    intent_match: Line | None = None
    as_of_match: Line | None = None
    max_inconclusive: Number | None = Field(0.10, ge=0, le=1)
    max_errors: Whole | None = Field(0, ge=0)
    budget: BudgetGate | None = None
    fail_on: Literal["items", "gate"] = "items"
    baseline: BaselineGate | None = BaselineGate()

    @classmethod
    def _keeps_nulls(cls) -> bool:
        return True
