"""The input models of a suite: `Suite`, `Scenario` and what they are made of.

Pure data: the loader reads it from YAML, `formats` from other projects' files, users build it in Python.
"""

import datetime
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.judge_settings import JudgeSettings
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
    plain,
    shared,
)
from pytest_graph_eval.models.settings import Gate, TargetRef

_SLUG = re.compile(r"\w[\w.\-]*")


def slug(text: str) -> str:
    """Return a foreign id as a valid scenario id: other characters become `-`; a valid one stays as it is."""
    if _SLUG.fullmatch(text):
        return text
    return re.sub(r"-{2,}", "-", re.sub(r"[^\w.\-]+", "-", text)).strip("-.") or "scenario"


class XFail(Model):
    """An expected failure, as pytest's own mark. `raises` says which kinds are expected."""

    reason: Text = ""
    """Why it is expected to fail."""
    strict: Flag | None = None
    """Whether a pass is a failure then; default: pytest's `xfail_strict`."""
    raises: list[Literal["check", "score", "error", "timeout"]] = Field(["check", "score"], min_length=1)
    """Which failures are expected; an error that is not named stays one."""
    run: Flag = True
    """Whether it is asked at all."""
    until: Word | None = None
    """Last day of the expectation, like 2026-12-31."""

    @model_validator(mode="before")
    @classmethod
    def _from_reason(cls, data: Any) -> Any:
        if isinstance(data, dict | XFail):
            return data
        value = plain(data)
        return {} if value is True else {"reason": data}

    @field_validator("raises", mode="before")
    @classmethod
    def _many(cls, value: Any) -> Any:
        return [str(v) for v in value] if isinstance(value, list) else [str(value)]

    @field_validator("until")
    @classmethod
    def _is_day(cls, value: str | None) -> str | None:
        try:
            datetime.date.fromisoformat(value or "2000-01-01")
        except ValueError:
            raise ValueError(f"found {value!r}, expected a day that exists, like 2026-12-31") from None
        return value


class SkipIf(Model):
    """A condition in pytest's own language (`sys.platform == 'win32'`) and the reason shown."""

    condition: Text
    """A Python expression, as of pytest's `skipif`."""
    reason: Text = ""
    """What the report shows."""

    @model_validator(mode="before")
    @classmethod
    def _from_condition(cls, data: Any) -> Any:
        return data if isinstance(data, dict | SkipIf) else {"condition": data}


def _xfail_or_none(value: Any) -> Any:
    """Read `xfail: false` as none, so that a scenario can leave what `defaults` say."""
    return None if plain(value) is False else value


def _rows(value: Any) -> Any:
    """Drop the keys of rows that have no value, as everywhere."""
    if not isinstance(value, list):
        return value
    return [{k: v for k, v in r.items() if plain(v) is not None} if isinstance(r, dict) else r for r in value]


def _skip_reason(value: Any) -> Any:
    """Read `skip: true` as a skip without a reason, `skip: false` as none."""
    flag = plain(value)
    return {True: "", False: None}[flag] if isinstance(flag, bool) else value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("the question is empty")
    return value


Question = Annotated[Text, AfterValidator(_not_blank)]


class Defaults(Model):
    """Any scenario key that all scenarios of a suite share; a scenario's own value wins."""

    category: Word | None = None
    """A group in report and gate, a keyword for `-k`; chooses mode and relevant types."""
    difficulty: Word | None = None
    """A group in report and gate, a keyword for `-k`."""
    template_id: Word | None = None
    """A group of questions made from one template."""
    requires_yoy: Flag | None = None
    """The gold answer is two values and their change; all three are scored."""
    tags: StrList = Field(default_factory=list)
    """Groups in report and gate, keywords for `-k`."""
    mode: Word = "auto"
    """`kg`, `hybrid`, `global`, or the target's own; `auto`: comparisons global, `multi_hop` hybrid, else kg."""
    arguments: dict[Text, Data] = Field(default_factory=dict)
    """Merged over the target's `arguments`."""
    timeout: Number | None = Field(None, gt=0)
    """Seconds for the reply; default: the target's, else 30."""
    pass_score: Number = Field(0.80, ge=0, le=1)
    """Least mean score; counts where there is gold data or `metrics`."""
    metrics: StrList | None = Field(None, min_length=1)
    """What the mean is made of; default: the four, `facts` with fact checks, `steps_score` with steps."""
    must_pass: Flag = False
    """Anything but PASS fails the gate, whatever the averages."""
    serial: Flag = False
    """Never asked beside another scenario; default: true where latency is judged."""
    xfail: Annotated[Annotated[XFail, Later] | None, BeforeValidator(_xfail_or_none)] = None
    """Expected to fail: a reason, or a mapping."""
    skip: Annotated[Text | None, BeforeValidator(_skip_reason)] = None
    """Not run, with this reason."""
    skipif: Annotated[list[Annotated[SkipIf, Later]], BeforeValidator(as_list)] = Field(default_factory=list)
    """Not run where a condition holds."""
    marks: Annotated[list[Data], BeforeValidator(as_list)] = Field(default_factory=list)
    """Pytest marks for `-m`: a name, or `{timeout: 5}` for arguments."""
    usefixtures: Words = Field(default_factory=list)
    """Names of pytest fixtures that are set up before."""
    expect: Expect = shared(Expect)
    """What must hold of the response."""
    as_of: Word | None = None
    """The valid time that is asked for, where the target's settings have `{as_of}`."""
    repeats: Whole = Field(1, ge=1, le=1000)
    """How often it is asked."""
    min_pass_rate: Number = Field(1.0, gt=0, le=1)
    """Least share of the askings that must pass."""
    stop_on_failure: Flag = False
    """A conversation ends with the first turn that fails."""


class Turn(Model):
    """One question of a conversation and what its response must satisfy; what it leaves out is the scenario's.

    `as_of` holds for the turns that follow, too; `now` ends it. `facts` are what another project expects of the
    answer in its own keys (`expect` says the same in ours), and `fact_spec` is how they were made.
    """

    question: Question = Field(min_length=1)
    """What is asked."""
    gold_answer: Word | None = None
    """The right answer, which the reply is scored against."""
    source_entities: StrList = Field(default_factory=list)
    """Names of the entities that should be retrieved."""
    source_chunks: StrList = Field(default_factory=list)
    """Ids of the chunks that should be retrieved."""
    query_hints: Text = ""
    """Fills `{query_hints}` in the target's settings."""
    requires_yoy: Flag | None = None
    """The gold answer is two values and their change."""
    mode: Word = "auto"
    """As the scenario's, for this turn."""
    arguments: dict[Text, Data] = Field(default_factory=dict)
    """Merged over the scenario's and the target's."""
    as_of: Word | None = None
    """Valid time from this turn on; `now` ends it."""
    expect: Expect = shared(Expect)
    """What must hold of this response."""
    fact_spec: dict[Text, Data] = Field(default_factory=dict)
    """How the turn was made, so that it can be made anew."""
    facts: dict[Text, Data] = Field(default_factory=dict)
    """What another project expects, in its own keys; kept, not looked at."""


class Scenario(Defaults):
    """One question and what its response must satisfy; one pytest item, one record.

    A conversation has `turns`; its `question` is that of the first one, and its `expect` holds for each of them.
    `fact_spec` is how a generated question was made: with it, what is expected can be made anew from the graph.
    """

    id: Text = Field(min_length=1)
    """Unique in the suite; the name of the pytest item."""
    question: Question = Field(min_length=1)
    """What is asked."""
    turns: list[Annotated[Turn, Later]] | None = Field(None, min_length=1)
    """A conversation, in place of `question` and gold data."""
    description: Text = ""
    """A note for readers."""
    gold_answer: Word | None = None
    """The right answer, which the reply is scored against."""
    source_entities: StrList = Field(default_factory=list)
    """Names of the entities that should be retrieved."""
    source_chunks: StrList = Field(default_factory=list)
    """Ids of the chunks that should be retrieved."""
    query_hints: Text = ""
    """Fills `{query_hints}` in the target's settings."""
    source_id: Text | None = None
    """The id in another project."""
    fact_spec: dict[Text, Data] = Field(default_factory=dict)
    """How the scenario was made, so that it can be made anew."""
    rows: Annotated[list[dict[Text, Text]] | None, BeforeValidator(_rows)] = Field(None, min_length=1)
    """Each makes one scenario `id-row`, with `{key}` filled in everywhere."""

    @field_validator("id")
    @classmethod
    def _is_slug(cls, value: str) -> str:
        if not _SLUG.fullmatch(value):
            raise ValueError(f"an id is letters, digits, `-`, `_`, `.`; try {slug(value)!r}")
        return value

    @model_validator(mode="before")
    @classmethod
    def _asks_its_first_turn(cls, data: Any) -> Any:
        """Give a conversation the question of its first turn, or one that is not looked at where that has none."""
        turns = data.get("turns") if isinstance(data, dict) else None
        if not isinstance(turns, list) or not turns or data.get("question") is not None:
            return data
        first = turns[0]
        question = first.get("question") if isinstance(first, dict) else getattr(first, "question", None)
        return {**data, "question": question if isinstance(question, str) and question else "?"}

    def has_gold(self) -> bool:
        """Tell whether the four metrics of the seed have anything to compare with."""
        return bool(self.gold_answer or self.source_entities or self.source_chunks)

    def has_something_to_check(self) -> bool:
        """Tell whether a response to this scenario, or to a turn of it, can fail at all."""
        if self.turns:
            return any(turn.has_something_to_check() for turn in turns_of(self))
        return self.has_gold() or self.expect.has_checks()

    @cached_property
    def fingerprint(self) -> str:
        """12 hex digits over the scenario's `identity`."""
        return digest(identity(self))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some fields changed, whose fingerprint is its own."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("fingerprint", None)
        return copied


OF_TURNS = ("gold_answer", "source_entities", "source_chunks", "requires_yoy")
"""What a conversation has only in its turns."""


def turns_of(scenario: Scenario) -> list[Scenario]:
    """Return each turn of a conversation as a scenario that is asked for itself; a lone question is the only one.

    The valid time of a turn is its own, else that of the turn before.
    """
    if not scenario.turns:
        return [scenario]
    bare = {name: Scenario.model_fields[name].get_default(call_default_factory=True) for name in OF_TURNS}
    as_of, turns = scenario.as_of, []
    for turn in scenario.turns:
        as_of = turn.as_of or as_of
        own = {name: getattr(turn, name) for name in turn.model_fields_set & Scenario.model_fields.keys()}
        own |= {"turns": None, "as_of": as_of, "arguments": {**scenario.arguments, **turn.arguments}}
        turns.append(scenario.model_copy(update={**bare, "expect": turn.expect, **own}))
    return turns


class Dataset(Model):
    """A file of another project, each entry of which becomes a scenario."""

    path: Word
    """The file, from the suite's folder."""
    format: Literal["preciso", "graphrag-eval", "tdfs4ds"] | None = None
    """Whose file it is; default: detected."""
    prefix: Text = ""
    """Put before the ids."""


class Suite(Model):
    """One suite file: whom to ask, what to ask, and what is good enough."""

    suite: Word | None = None
    """The name in reports; default: the file's."""
    description: Text = ""
    """A line for reports."""
    target: TargetRef | None = None
    """Whom to ask: settings, or a name from the file of targets or from `targets.yaml` beside the suite."""
    catalog: Words = Field(default_factory=list)
    """Files and SPARQL endpoints with what the graph should hold; a graph target knows its own."""
    defaults: Annotated[Defaults, Later] = shared(Defaults)
    """Scenario keys that all scenarios share; mappings merge by key, `tags` and `marks` add, the rest replaces."""
    gate: Annotated[Gate, Later] = shared(Gate)
    """What makes the verdict."""
    judge: Annotated[JudgeSettings, Later] | None = None
    """A model that judges the answers, where a run asks for it."""
    datasets: list[Annotated[Dataset, Later]] = Field(default_factory=list)
    """Files of other projects, each entry a scenario."""
    scenarios: list[Scenario] = Field(default_factory=list)
    """What is asked."""
    record_mode: Literal["off", "once", "all", "none"] | None = None
    """The suite's own `--graph-eval-record-mode`: with `none` it plays its cassette."""
    meta: dict[Text, Data] = Field(default_factory=dict)
    """Anything, left alone."""


def identity(scenario: Scenario) -> dict[str, Any]:
    """Return all that can change what is asked and what is right, as plain JSON data.

    Question, gold data, `expect` without its lines (`scores`, `budget`, `stable`), mode and arguments; not
    thresholds, tags or marks. Sets are sorted, so a reordered list of sources is the same scenario. Of a conversation
    it holds the turns.
    """
    expect = scenario.expect.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    for line in ("scores", "budget", "stable"):
        expect.pop(line, None)
    return {
        "question": scenario.question,
        "turns": [identity(turn) for turn in turns_of(scenario)] if scenario.turns else [],
        "gold": [scenario.gold_answer, sorted(set(scenario.source_entities)), sorted(set(scenario.source_chunks))],
        "requires_yoy": bool(scenario.requires_yoy),
        "expect": expect,
        "mode": scenario.mode,
        "arguments": scenario.arguments,
        "as_of": scenario.as_of,
        "hints": scenario.query_hints,
    }


_SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(data: Mapping[str, Any]) -> str:
    """Return the fingerprint of an `identity`, 12 hex digits."""
    return hashlib.sha256(_SORTED.encode(data).encode()).hexdigest()[:12]


def fingerprint(scenario: Scenario) -> str:
    """Return 12 hex digits over the scenario's `identity`."""
    return scenario.fingerprint
