"""The input models of a suite: `Suite`, `Scenario` and what they are made of.

Pure data: the loader reads it from YAML, `formats` from other projects' files, users build it in Python.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from pytest_graph_eval.expect import Expect
from pytest_graph_eval.scalars import Data, Flag, Model, Number, StrList, Text, Whole, as_list, plain
from pytest_graph_eval.settings import Gate, TargetRef

__all__ = ["Dataset", "Defaults", "Scenario", "SkipIf", "Suite", "XFail", "digest", "fingerprint", "identity", "slug"]

_SLUG = re.compile(r"\w[\w.\-]*")


def slug(text: str) -> str:
    """Return a foreign id as a valid scenario id: other characters become `-`; a valid one stays as it is."""
    if _SLUG.fullmatch(text):
        return text
    return re.sub(r"-{2,}", "-", re.sub(r"[^\w.\-]+", "-", text)).strip("-.") or "scenario"


class XFail(Model):
    """An expected failure, as pytest's own mark. `raises` says which kinds are expected."""

    reason: Text = ""
    strict: Flag | None = None
    raises: list[Literal["check", "score", "error", "timeout"]] = ["check", "score"]
    run: Flag = True
    until: Text | None = None

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
    reason: Text = ""

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


class Defaults(Model):
    """Any scenario key that all scenarios of a suite share; a scenario's own value wins."""

    category: Text | None = None
    difficulty: Text | None = None
    template_id: Text | None = None
    requires_yoy: Flag | None = None
    tags: StrList = []
    mode: Text = "auto"
    arguments: dict[Text, Data] = {}
    timeout: Number | None = Field(None, gt=0)
    pass_score: Number = Field(0.80, ge=0, le=1)
    metrics: StrList | None = Field(None, min_length=1)
    must_pass: Flag = False
    serial: Flag = False
    xfail: Annotated[XFail | None, BeforeValidator(_xfail_or_none)] = None
    skip: Annotated[Text | None, BeforeValidator(_skip_reason)] = None
    skipif: Annotated[list[SkipIf], BeforeValidator(as_list)] = []
    marks: Annotated[list[Data], BeforeValidator(as_list)] = []
    usefixtures: StrList = []
    expect: Expect = Expect()
    as_of: Text | None = None
    repeats: Whole = Field(1, ge=1, le=1000)
    min_pass_rate: Number = Field(1.0, gt=0, le=1)


class Scenario(Defaults):
    """One question and what its response must satisfy; one pytest item, one record."""

    id: Text = Field(min_length=1)
    question: Text = Field(min_length=1)
    description: Text = ""
    gold_answer: Text | None = Field(None, min_length=1)
    source_entities: StrList = []
    source_chunks: StrList = []
    query_hints: Text = ""
    source_id: Text | None = None
    rows: Annotated[list[dict[Text, Text]] | None, BeforeValidator(_rows)] = Field(None, min_length=1)

    @field_validator("id")
    @classmethod
    def _is_slug(cls, value: str) -> str:
        if not _SLUG.fullmatch(value):
            raise ValueError(f"an id is letters, digits, `-`, `_`, `.`; try {slug(value)!r}")
        return value

    @field_validator("question")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("the question is empty")
        return value

    def has_gold(self) -> bool:
        """Tell whether the four metrics of the seed have anything to compare with."""
        return bool(self.gold_answer or self.source_entities or self.source_chunks)

    def has_something_to_check(self) -> bool:
        """Tell whether a response to this scenario can fail at all."""
        return self.has_gold() or self.expect.has_checks()


class Dataset(Model):
    """A file of another project, each entry of which becomes a scenario."""

    path: Text
    format: Literal["preciso", "graphrag-eval"] | None = None
    prefix: Text = ""


class Suite(Model):
    """One suite file: whom to ask, what to ask, and what is good enough."""

    suite: Text | None = None
    description: Text = ""
    target: TargetRef | None = None
    catalog: StrList = []
    defaults: Defaults = Defaults()
    gate: Gate = Gate()
    datasets: list[Dataset] = []
    scenarios: list[Scenario] = []
    record_mode: Literal["off", "once", "all", "none"] | None = None
    meta: dict[Text, Data] = {}


def identity(scenario: Scenario, *, turn_questions: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return all that can change what is asked and what is right, as plain JSON data.

    Question, gold data, `expect` without its lines (`scores`, `budget`, `stable`), mode and arguments; not
    thresholds, tags or marks. Sets are sorted, so a reordered list of sources is the same scenario.
    """
    expect = scenario.expect.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    for line in ("scores", "budget", "stable"):
        expect.pop(line, None)
    return {
        "question": scenario.question,
        "turns": list(turn_questions),
        "gold": [scenario.gold_answer, sorted(set(scenario.source_entities)), sorted(set(scenario.source_chunks))],
        "requires_yoy": bool(scenario.requires_yoy),
        "expect": expect,
        "mode": scenario.mode,
        "arguments": scenario.arguments,
        "as_of": scenario.as_of,
        "hints": scenario.query_hints,
    }


def digest(data: Mapping[str, Any]) -> str:
    """Return the fingerprint of an `identity`, 12 hex digits."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def fingerprint(scenario: Scenario, *, turn_questions: tuple[str, ...] = ()) -> str:
    """Return 12 hex digits over the scenario's `identity`."""
    return digest(identity(scenario, turn_questions=turn_questions))
