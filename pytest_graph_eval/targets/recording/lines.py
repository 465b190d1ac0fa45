"""Recordings, read and written: their lines, and whole cassettes.

A line is a reply to a question, or what the target said of itself.

A recording that somebody wrote holds `{"id": scenario, "turn": 1, "response": {...}}` or `error` in place of
`response`. A cassette, which this package records, says besides what was asked of which target: `key` is the digest
over all that the reply depends on, the question and the mode beside it are for readers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from pytest_graph_eval.errors import PreflightError, ReplyError
from pytest_graph_eval.files import why_unreadable
from pytest_graph_eval.models.records import Response, json_text
from pytest_graph_eval.models.settings import ResponseMap
from pytest_graph_eval.models.validation import first_problem
from pytest_graph_eval.redaction import Redactor
from pytest_graph_eval.targets.base import Query, TargetStatus
from pytest_graph_eval.targets.reply.mapping import map_reply, read_response, refuse_error, without
from pytest_graph_eval.targets.reply.paths import described
from pytest_graph_eval.targets.reply.presets import NATIVE
from pytest_graph_eval.texts import nearest

RecordMode = Literal["once", "all", "none"]
"""Ask what is not recorded, ask everything, ask nothing."""
REPLAYED = "replayed"
"""Flag of a record: its reply comes from a cassette."""
REDACTED = "redacted_reply"
"""Flag of a record: its reply is replayed without the secrets and directories that were in it."""
STALE = "stale_cassette"
"""Flag of a record: the cassette holds its reply, but from a target with other settings."""
OTHER = "other settings of the target, or other files that it is set up with"
"""How a stale cassette came to be, in messages."""

FORMAT = 1
_FIGURES = {"usage", "attempts", "elapsed_s"}
_KEYS = ("id", "turn", "response", "error", "elapsed_s", "format", "target", "key", "repeat", "question", "mode",
         "redacted")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Header:
    """What a target said of itself when it was recorded, so that a run without it knows as much."""

    target: str
    name: str = ""
    status: TargetStatus = field(default_factory=TargetStatus)

    def to_text(self) -> str:
        """Return the line without its end."""
        status = {
            "entities": self.status.entities,
            "relationships": self.status.relationships,
            "tools": self.status.tools,
            "warnings": list(self.status.warnings),
        }
        return json_text({"format": FORMAT, "target": self.target, "name": self.name, "status": status})

    def redacted(self, redactor: Redactor) -> Header:
        """Return what may be written."""
        status = self.status
        shown = TargetStatus(
            status.entities,
            status.relationships,
            redactor.value(status.tools),
            warnings=tuple(redactor.value(status.warnings)),
        )
        return Header(self.target, redactor.text(self.name), shown)


@dataclass(frozen=True, slots=True)
class Line:
    """What came back for one question: a response, or the text of an error.

    Empty texts and a `repeat` of 0 are what a recording leaves out that somebody wrote.
    """

    id: str
    turn: int
    content: Response | str
    repeat: int = 0
    target: str = ""
    key: str = ""
    question: str = ""
    mode: str = ""
    is_redacted: bool = False
    flags: tuple[str, ...] = ()
    """What its record has to be flagged with."""

    def to_text(self) -> str:
        """Return the line without its end."""
        data: dict[str, Any] = {"id": self.id, "turn": self.turn, "repeat": self.repeat, "target": self.target}
        data |= {"key": self.key, "question": self.question, "mode": self.mode}
        if isinstance(self.content, str):
            data["error"] = self.content
        else:
            data["response"] = self.content.model_dump(mode="json", exclude_defaults=True, exclude={"elapsed_s"})
            data["elapsed_s"] = self.content.elapsed_s
        return json_text(data | ({"redacted": True} if self.is_redacted else {}))

    def redacted(self, redactor: Redactor) -> Line:
        """Return what may be written; `is_redacted` tells whether the content is another one now."""
        content = self.content
        if isinstance(content, str):
            shown: Response | str = redactor.text(content)
        else:
            texts = redactor.value(content.model_dump(mode="json", exclude=_FIGURES))
            figures = {name: getattr(content, name) for name in _FIGURES}
            shown = content.model_copy(update=dict(Response.model_validate(texts)) | figures)
        question, mode = redactor.text(self.question), redactor.text(self.mode)
        changed = self.is_redacted or shown != content
        return replace(self, content=shown, question=question, mode=mode, is_redacted=changed)

    def without(self, keys: Iterable[str]) -> Line:
        """Return the line without these keys in what a reply holds freely: references, input and output of tools."""
        if isinstance(self.content, str):
            return self
        calls = [
            call.model_copy(update={"args": without(call.args, keys), "output": without(call.output, keys)})
            for call in self.content.tool_calls or ()
        ]
        changed = {
            "references": without(self.content.references, keys),
            "tool_calls": None if self.content.tool_calls is None else calls,
        }
        return replace(self, content=self.content.model_copy(update=changed))


def query_key(query: Query) -> str:
    """Return 16 hex digits over all of a question that a reply depends on.

    The scenario's id is no part of it, but where the question follows others of its conversation.
    """
    asked: dict[str, Any] = {"question": query.question, "mode": query.mode, "turn": query.turn, "repeat": query.repeat}
    more = {
        "as_of": query.as_of,
        "hints": query.query_hints,
        "arguments": dict(query.arguments),
        "id": query.id if query.turn > 1 else "",
    }
    asked |= {name: value for name, value in more.items() if value}
    text = json.dumps(asked, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_line(text: str, *, rules: ResponseMap | None = None, drop: Iterable[str] = ()) -> Line | Header:
    """Read a line of a recording.

    Args:
        text: the line.
        rules: where the parts of a raw reply stand; None: replies have the fields of a `Response`.
        drop: keys of a reply that are left out.

    Raises:
        ValueError: it is none; the message says what was found and expected.
        ReplyError: the reply in it cannot be read.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as e:
        raise ValueError(f"not JSON: {e.msg} (column {e.colno})") from None
    if isinstance(data, dict) and "status" in data and "id" not in data:
        return _header(data)
    if not isinstance(data, dict) or not isinstance(data.get("id"), str):
        found = described(data) if not isinstance(data, dict) else f"`id` is {described(data.get('id'))}"
        raise ValueError(f"an object with a text `id` and `response` is expected; {found}")
    unknown = [f"{key!r}{nearest(key, _KEYS)}" for key in data if key not in _KEYS]
    if unknown:
        raise ValueError(f"unknown keys: {', '.join(unknown)} (known: {', '.join(_KEYS)})")
    _check_format(data)
    return Line(
        id=data["id"],
        turn=_whole(data, "turn", 1),
        content=_content(data, rules, drop),
        repeat=_whole(data, "repeat", 1) if "repeat" in data else 0,
        target=_text(data, "target"),
        key=_text(data, "key"),
        question=_text(data, "question"),
        mode=_text(data, "mode"),
        is_redacted=data.get("redacted") is True,
    )


def _check_format(data: Mapping[str, Any]) -> None:
    version = data.get("format", FORMAT)
    if version != FORMAT:
        raise ValueError(f"format {version!r}; this version reads {FORMAT}: upgrade pytest-graph-eval")


def _header(data: Mapping[str, Any]) -> Header:
    _check_format(data)
    status = data["status"]
    if not isinstance(status, dict):
        raise ValueError(f"`status` is {described(status)}; an object is expected")
    counts = {name: status.get(name) for name in ("entities", "relationships")}
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int | None):
            raise ValueError(f"`status.{name}` is {described(count)}; a whole number is expected")
    tools, warnings = status.get("tools"), status.get("warnings", [])
    if not isinstance(tools, dict | None) or not isinstance(warnings, list):
        raise ValueError("`status.tools` has to be an object, and `status.warnings` a list")
    found = TargetStatus(counts["entities"], counts["relationships"], tools, warnings=tuple(map(str, warnings)))
    return Header(_text(data, "target"), _text(data, "name"), found)


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"`{name}` is {described(value)}; a text is expected")
    return value


def _whole(data: Mapping[str, Any], name: str, least: int) -> int:
    value = data.get(name, least)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"`{name}` is {described(value)}; a whole number from {least} is expected")
    return value


def _content(data: Mapping[str, Any], rules: ResponseMap | None, drop: Iterable[str]) -> Response | str:
    """Return the recorded response, or the text of the recorded error."""
    if ("response" in data) == ("error" in data):
        raise ValueError("either `response` or `error` is expected")
    if "error" in data:
        if not isinstance(data["error"], str) or not data["error"]:
            raise ValueError(f"`error` is {described(data['error'])}; a text is expected")
        return str(data["error"])
    response = _mapped(data["response"]) if "key" in data else _raw(without(data["response"], drop), rules)
    if isinstance(response, str):
        return response
    elapsed = data.get("elapsed_s", response.elapsed_s)
    if elapsed is not None and (isinstance(elapsed, bool) or not isinstance(elapsed, int | float)):
        raise ValueError(f"`elapsed_s` is {described(elapsed)}; seconds as a number are expected")
    return response.model_copy(update={"elapsed_s": elapsed})


def _mapped(reply: Any) -> Response:
    """Return the response of a cassette: it was mapped when it was recorded."""
    try:
        return Response.model_validate(reply)
    except ValidationError as e:
        raise ValueError(first_problem(e, "response")) from None


def _raw(reply: Any, rules: ResponseMap | None) -> Response | str:
    try:
        if isinstance(reply, Mapping):
            refuse_error(reply, rules or NATIVE)
    except ReplyError as e:
        return str(e)  # the reply said itself that it failed; that is what is replayed
    return map_reply(reply, rules) if rules is not None else read_response(reply, "`response`")


@dataclass(frozen=True, slots=True)
class Tape:
    """Where the replies to a suite's questions are recorded, and when: the setting of a session."""

    path: Path
    mode: RecordMode


@dataclass(frozen=True, slots=True)
class Cassette:
    """What a file holds: replies by target and question, and what each target said of itself."""

    path: Path
    lines: Mapping[tuple[str, str], Line] = field(default_factory=dict)
    headers: Mapping[str, Header] = field(default_factory=dict)

    def merged(self, new: Iterable[Header | Line], *, anew: bool = False) -> Cassette:
        """Return the cassette with new lines in the place of old ones.

        With `anew`, they take the place of everything that was recorded of their scenarios with the same target.
        """
        new = list(new)
        added = {(line.target, line.key): line for line in new if isinstance(line, Line)}
        again = {(line.target, line.id) for line in added.values()} if anew else set()
        kept = {key: line for key, line in self.lines.items() if (line.target, line.id) not in again}
        headers = {header.target: header for header in new if isinstance(header, Header)}
        return replace(self, lines={**kept, **added}, headers={**self.headers, **headers})

    def texts(self) -> Iterator[str]:
        """Yield the lines of the file with their ends, always in the same order."""
        for target in sorted(self.headers):
            yield self.headers[target].to_text() + "\n"
        for line in sorted(self.lines.values(), key=_place):
            yield line.to_text() + "\n"


def _place(line: Line) -> tuple[str, int, int, str, str, str, str]:
    return line.id, line.turn, line.repeat, line.question, line.mode, line.target, line.key


def read_cassette(path: Path) -> Cassette:
    """Read a cassette; one that does not exist is empty.

    Raises:
        PreflightError: it cannot be read; all lines that are none are named.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return Cassette(path)
    except (OSError, UnicodeDecodeError) as e:
        raise PreflightError(f"the cassette {path} cannot be read: {why_unreadable(e)}") from None
    found: list[Header | Line] = []
    problems = []
    # Only a line feed ends a line: an answer may hold any other line separator.
    for number, text_line in enumerate(text.split("\n"), 1):
        if text_line.strip():
            try:
                found.append(_read(text_line))
            except (ValueError, RecursionError, ReplyError) as e:
                problems.append(f"{path}:{number}: {e}")
    if problems:
        raise PreflightError("\n".join([*problems, "correct the cassette, or delete it and record anew"]))
    return Cassette(path).merged(found)


def _read(text: str) -> Header | Line:
    line = read_line(text)
    if not line.target or (isinstance(line, Line) and not line.key):
        raise ValueError("`target` and `key` are expected in a cassette; a recording of your own is a replay target")
    return line
