"""The output models: what a target returned (`Response`) and what came of one scenario (`Record`).

A record is one line of `evaluation_results_*.jsonl`; this module both writes and reads that form. All keys of
the ancestor's line come first and are always there; new keys are only ever added (`format` counts breaks).
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticSerializationError

from pytest_graph_eval.errors import DataError

M = TypeVar("M", bound=BaseModel)

FORMAT = 1
METRICS = ("context_relevancy", "faithfulness", "answer_correctness", "precision")
Status = Literal["PASS", "FAIL", "ERROR", "INCONCLUSIVE", "SKIPPED"]
Outcome = Literal["passed", "failed", "skipped", "xfailed", "xpassed", "error"]


class _Part(BaseModel):
    """Base of what a target may return: unknown keys are kept out, absent ones take their default."""

    model_config = ConfigDict(extra="ignore", defer_build=True)


class Entity(_Part):
    """A retrieved node."""

    name: str
    type: str = ""
    description: str = ""


class Relationship(_Part):
    """A retrieved edge. `type` may hold several words where a store keeps only keywords."""

    source: str
    target: str
    type: str = ""
    description: str = ""


class Chunk(_Part):
    """A retrieved piece of text."""

    id: str = ""
    content: str = ""


class ToolCall(_Part):
    """One call that an agent made, with what it got."""

    id: str | None = None
    name: str
    args: dict[str, Any] = {}
    status: str = "success"
    output: Any = None
    execution_timestamp: str | float | None = None


class Usage(_Part):
    """Tokens and cost; None where the target does not tell. `cached_tokens` are part of `input_tokens`.

    `model` is who used them; where several models did, `by_model` holds what each of them used.
    """

    input_tokens: int | None = Field(None, ge=0)
    output_tokens: int | None = Field(None, ge=0)
    total_tokens: int | None = Field(None, ge=0)
    cached_tokens: int | None = Field(None, ge=0)
    cost_usd: float | None = Field(None, ge=0, allow_inf_nan=False)
    model: str | None = None
    by_model: list["Usage"] = []

    @model_validator(mode="after")
    def _totalled(self) -> Self:
        if self.total_tokens is None and self.input_tokens is not None and self.output_tokens is not None:
            self.total_tokens = self.input_tokens + self.output_tokens
        return self


class Response(_Part):
    """What a target returned for one question. None is unknown, an empty list is empty; lists keep their order."""

    answer: str | None = None
    entities: list[Entity] | None = None
    relationships: list[Relationship] | None = None
    chunks: list[Chunk] | None = None
    references: list[Any] | None = None
    tool_calls: list[ToolCall] | None = None
    usage: Usage | None = None
    intent: str | None = None
    as_of: str | None = None
    mode: str | None = None
    names: list[str] | None = None
    status: str = "success"
    error: str | None = None
    elapsed_s: float | None = None
    attempts: int = 1
    """How many requests it took."""

    def has_evidence(self) -> bool:
        """Tell whether any list that the target maps came back with something in it."""
        return bool(self.entities or self.relationships or self.chunks)

    def evidence(self) -> str:
        """Return all text that was retrieved: chunks, then entity and relationship descriptions, as paragraphs."""
        parts = [c.content for c in self.chunks or ()]
        parts += [f"{e.name}: {e.description}" if e.description else e.name for e in self.entities or ()]
        parts += [
            f"{r.source} {r.type} {r.target}: {r.description}" if r.description else f"{r.source} {r.type} {r.target}"
            for r in self.relationships or ()
        ]
        return "\n\n".join(parts)


class Score(BaseModel):
    """One metric's value between 0 and 1, or None (unscored), with the evidence or the reason in words."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    value: float | None = Field(None, ge=0, le=1, allow_inf_nan=False)
    reason: str = ""


class Check(BaseModel):
    """The outcome of one expected item; `kind` is its key in `expect`.

    `message` is the whole explanation in one line; `rule` names the rule that decided, and `span` is where in the
    raw text the nearest thing found stands (start, end), where there is one. `where` names the text that decided.
    """

    kind: str
    outcome: Literal["pass", "fail", "error"]
    expected: Any = None
    found: Any = None
    message: str = ""
    rule: str = ""
    span: tuple[int, int] | None = None
    where: Literal["", "answer", "evidence"] = ""

    @classmethod
    def of(cls, **fields: Any) -> Self:
        """Return an outcome with these fields, which are not validated."""
        return _like(_NO_CHECK, fields)  # type: ignore[return-value]  # nobody derives from it


class Record(BaseModel):
    """One scenario's outcome. The keys up to `status` are the ancestor's, the rest are ours.

    `scores` holds the four metrics and `mean` always, others where they apply; null is unscored and `explain` says
    why. `target_digest` is over the target's settings. `suite` is the suite file's path from rootdir, `query_mode`
    the mode asked for, `mode_ran` the one that ran.

    A repeated scenario keeps every asking in `repeats`; its scores are means over them, and `pass_rate` to
    `pass_hat_k` are set (see `repeats.fold`). `key_facts` are those of the answer, else of the evidence. `tool_calls`
    is the trajectory of an agent, with long texts cut; None where the target does not report it. `concurrency` is how
    many questions were in flight at most while this one was, on which `elapsed_s` may depend. `intent` and `as_of`
    are what the target reports. Of a conversation, `turns` has a record of each turn (see `conversations.joined`).
    `contexts` are the retrieved texts, kept where a judge or a report needs them; `relevant` are the retrieved entities
    that `precision` counts, None where it is not defined.
    """

    model_config = ConfigDict(extra="ignore", defer_build=True)

    if not TYPE_CHECKING:  # nothing is validated then anyway, and the model's own way takes ten times as long
        __setattr__ = object.__setattr__

    id: str
    category: str | None = None
    difficulty: str | None = None
    question: str = ""
    gold_answer: str | None = None
    query_mode: str | None = None
    retrieved_entities_count: int | None = None
    retrieved_chunks_count: int | None = None
    scores: dict[str, float | None] = Field(default_factory=lambda: {**dict.fromkeys(METRICS), "mean": None})
    hallucinations: list[str] = Field(default_factory=list)
    status: Status = "ERROR"

    format: int = Field(FORMAT, strict=True)
    suite: str = ""
    nodeid: str = ""
    source_id: str | None = None
    fingerprint: str = ""
    index: int = Field(0, ge=0, lt=2**63)
    outcome: Outcome | None = None
    reason: str | None = None
    error: str | None = None
    cause: str | None = None
    tags: list[str] = Field(default_factory=list)
    template_id: str | None = None
    must_pass: bool = False
    requires_yoy: bool = False
    mode_ran: str | None = None
    answer: str | None = None
    intent: str | None = None
    as_of: str | None = None
    retrieved: dict[str, list[str]] = Field(default_factory=dict)
    relevant: list[str] | None = None
    tool_calls: list[dict[str, Any]] | None = None
    contexts: list[str] | None = None
    explain: dict[str, str] = Field(default_factory=dict)
    checks: list[Check] = Field(default_factory=list)
    facts: dict[str, Any] = Field(default_factory=dict)
    steps: dict[str, Any] = Field(default_factory=dict)
    turns: list[dict[str, Any]] = Field(default_factory=list)
    judge: dict[str, Any] = Field(default_factory=dict)
    usage: dict[str, Any] = Field(default_factory=dict)
    elapsed_s: float | None = None
    concurrency: int | None = None
    attempts: int = 1
    repeats: list[dict[str, Any]] = Field(default_factory=list)
    pass_rate: float | None = None
    pass_interval: tuple[float, float] | None = None
    pass_at_k: dict[int, float] = Field(default_factory=dict)
    pass_hat_k: dict[int, float] = Field(default_factory=dict)
    key_facts: list[str] = Field(default_factory=list)
    flags: list[str] = Field(default_factory=list)
    target: str = ""
    target_digest: str = ""
    deterministic: bool = False
    documents: list[str] = Field(default_factory=list)

    @classmethod
    def of(cls, **fields: Any) -> Self:
        """Return a record with these fields, which are not validated, and the defaults of the others."""
        return _like(_BLANK, {name: make() for name, make in _FRESH} | fields)  # type: ignore[return-value]  # nobody derives from it

    @property
    def mean(self) -> float | None:
        """The scenario's mean score."""
        return self.scores.get("mean")

    def to_line(self) -> str:
        """Return the record as one JSON line without the line end; never NaN."""
        try:
            return self.model_dump_json()
        except PydanticSerializationError:  # a lone surrogate
            return json_text(self.model_dump(mode="json"))

    @classmethod
    def from_line(cls, line: str) -> Self:
        """Read one line back.

        Raises:
            DataError: the line is no record, or of a newer format.
        """
        try:
            record = cls.model_validate_json(line)
        except ValidationError:  # or a lone surrogate, which this reader does not take
            return cls._from_line(line)
        if "scores" not in record.model_fields_set or record.format > FORMAT:
            return cls._from_line(line)
        record.forget_given()
        return record

    def forget_given(self) -> None:
        """Share the sets of keys that were given with all records: nobody asks, and they are as large as the rest."""
        self.__pydantic_fields_set__ = _GIVEN
        for check in self.checks:
            _set(check, "__pydantic_fields_set__", _GIVEN_OF_CHECKS)

    @classmethod
    def _from_line(cls, line: str) -> Self:
        """Read a line with Python's own reader, and say what is wrong with it."""
        try:
            data = json.loads(line)
        except ValueError as e:
            raise DataError(f"not a JSON line: {e}") from None
        if not isinstance(data, dict) or "id" not in data or "scores" not in data:
            raise DataError("not a record: an object with `id` and `scores` is expected")
        found = data.get("format", FORMAT)
        if not isinstance(found, int) or found > FORMAT:
            raise DataError(f"record format {found!r}; this version reads up to {FORMAT}: upgrade pytest-graph-eval")
        try:
            return cls.model_validate(data)
        except ValidationError as e:
            first = e.errors(include_url=False)[0]
            where = ".".join(str(p) for p in first["loc"])
            raise DataError(f"not a record: {where}: {first['msg']}") from None


_GIVEN: set[str] = set(Record.model_fields)
_GIVEN_OF_CHECKS: set[str] = set(Check.model_fields)
_set = object.__setattr__
_BLANK = Record(id="")
_BLANK.forget_given()
_NO_CHECK = Check(kind="", outcome="error")
_set(_NO_CHECK, "__pydantic_fields_set__", _GIVEN_OF_CHECKS)
_FRESH: list[tuple[str, Callable[[], Any]]] = [
    (name, cast("Callable[[], Any]", field.default_factory))
    for name, field in Record.model_fields.items()
    if field.default_factory is not None
]


def _like(blank: M, fields: dict[str, Any]) -> M:
    """Return a model with `fields` in the place of those of `blank`; `model_copy` takes twice the time."""
    made = object.__new__(blank.__class__)
    _set(made, "__dict__", blank.__dict__ | fields)
    for name in ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__"):
        _set(made, name, getattr(blank, name))
    return made


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Return JSON text that every reader takes: no NaN, and lone surrogates as escapes, so that UTF-8 can hold it."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    except ValueError:  # a number that is not finite
        text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, indent=indent)
    return _encodable(text)


def json_chunks(value: Any, *, indent: int | None = None) -> Iterator[str]:
    """Yield what `json_text` returns in small pieces, for texts that are too large to be held twice."""
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=indent)
    return map(_encodable, encoder.iterencode(_finite(value)))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _finite(value: Any) -> Any:
    """Return `value` with non-finite numbers as null: unmeasured, never NaN in a file."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return value


def read_records(lines: Iterable[str], name: str) -> list[Record]:
    """Read all lines of a results file; `name` is used in messages.

    Raises:
        DataError: a line is no record; the message says which.
    """
    records = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                records.append(Record.from_line(line))
            except DataError as e:
                raise DataError(f"{name}:{number}: {e}") from None
    return records
