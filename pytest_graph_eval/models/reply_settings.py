"""Settings of a target that say how its replies and its status are read, and what its tokens cost."""

from typing import Literal

from pydantic import Field

from pytest_graph_eval.models.scalars import Data, Flag, Model, Number, StrList, Text, Word, shared


class ResponseMap(Model):
    """Where the parts of our `Response` stand in a reply: dotted paths, `[*]` for each item of a list.

    `a|b` is the first of two that is there; `chunks: a, b` are two lists, one after the other, as with every list, and
    `status: a, b` several words that must all be among `ok_status`. A list that the reply leaves out is empty, and
    unknown where its path ends in `?`.
    """

    root: Text = ""
    """Path that all others begin below."""
    answer: Text | None = None
    """Path of the answer."""
    entities: Text | None = None
    """Path of the retrieved entities."""
    relationships: Text | None = None
    """Path of the retrieved relationships."""
    chunks: Text | None = None
    """Path of the retrieved chunks."""
    references: Text | None = None
    """Path of the references."""
    tool_calls: Text | None = None
    """Path of the tool calls."""
    usage: Text | None = None
    """Path of tokens and cost."""
    model: Text | None = None
    """Path of the name of the model that answered."""
    messages: Text | None = None
    """Path of chat messages, or of one: they hold what is not mapped of answer, tool calls and usage."""
    intent: Text | None = None
    """Path of what the target took the question for."""
    as_of: Text | None = None
    """Path of the valid time that it used."""
    mode: Text | None = None
    """Path of the mode that it ran in."""
    names: Text | None = None
    """Path of the names that it says it used."""
    status: Text | None = None
    """Path of the status, or several with commas."""
    error: Text | None = None
    """Path of an error message."""
    answered: Text | None = None
    """Path of a flag; where it is false, the answer is a stand-in and counts as none."""
    error_answers: StrList = Field(default_factory=list)
    """Answers that a server gives where it failed."""
    keep: Text = ""
    """A flag inside items; those where it is false are left out."""
    entity_fields: dict[Text, Text] = Field(default_factory=dict)
    """Our `name`, `type`, `description` to the reply's words."""
    relationship_fields: dict[Text, Text] = Field(default_factory=dict)
    """Our `source`, `target`, `type`, `description` to the reply's words."""
    chunk_fields: dict[Text, Text] = Field(default_factory=dict)
    """Our `id`, `content` to the reply's words."""
    tool_call_fields: dict[Text, Text] = Field(default_factory=dict)
    """Our `name`, `args`, `output`, `status` to the reply's words."""
    usage_fields: dict[Text, Text] = Field(default_factory=dict)
    """Our `input_tokens`, `output_tokens`, ... to the reply's words."""
    ok_status: StrList = ["success", "ok", "failure"]
    """Words of the status that mean no error."""
    id_rule: Text = ""
    """How chunk ids are shortened: `after ::`, or a regular expression whose group is the id."""
    separator: Text = ""
    """What joins several ids or descriptions in one text."""


class ToolCallSpec(Model):
    """One call of a tool: its name and its arguments (`{$file: path}` inlines a JSON file)."""

    tool: Word
    """Its name."""
    arguments: dict[Text, Data] = Field(default_factory=dict)
    """What it is called with; `{$file: path}` inlines a JSON file."""


class CatalogSpec(Model):
    """How an mcp target lists what its graph holds: a tool, and where its reply keeps things."""

    tool: Word
    """The tool that lists it."""
    arguments: dict[Text, Data] = Field(default_factory=dict)
    """What it is called with."""
    response: ResponseMap = shared(ResponseMap, entities="entities", relationships="relationships")
    """Where the lists `entities`, `relationships` and `chunks` and their fields stand."""
    directed: Flag = True
    """`false`: the server forgets which end of a relationship is the source."""
    evidence: ToolCallSpec | None = None
    """A call that returns one chunk that entities name as their source: `{chunk_id}`."""


class Requirement(Model):
    """One condition on the status reply: the value at `path` compared by `op` with `value`."""

    path: Word
    """Where the value stands in the status reply."""
    op: Literal["==", "!=", ">", ">=", "<", "<=", "in", "exists"] = "=="
    """How it is compared."""
    value: Data = None
    """What it is compared with."""


class PreflightSpec(Model):
    """How the target's fitness is read: the status tool, where its counts and warnings stand, and what must hold.

    A target over HTTP has a `url` in place of the tool: the address, whole or from the root, whose reply is the status.
    """

    tool: Word | None = None
    """Tool that tells the status."""
    url: Word | None = None
    """Address whose reply is the status, of a service."""
    arguments: dict[Text, Data] = Field(default_factory=dict)
    """What the tool is called with."""
    entities: Text | None = None
    """Path of the number of entities."""
    relationships: Text | None = None
    """Path of the number of relationships."""
    warnings: Text | None = None
    """Path of warnings."""
    require: list[Requirement] = Field(default_factory=list)
    """Conditions on the reply."""


class RecoverSpec(Model):
    """What brings an empty or broken graph back: a tool call, run once between two preflights."""

    tool: Word
    """What fills an empty graph."""
    arguments: dict[Text, Data] | None = None
    """What it is called with; default: the suite's first extraction file, where the tool takes a `file_path`."""
    clear_backups: Flag = False
    """Whether backups of a dimension mismatch are deleted, inside `graph_dir`."""


class Price(Model):
    """What a model costs."""

    input: Number = Field(ge=0)
    """US dollars for a million input tokens."""
    output: Number = Field(ge=0)
    """US dollars for a million output tokens."""
    cached: Number | None = Field(None, ge=0)
    """The same for input that was read from the provider's cache; default: as the others."""
