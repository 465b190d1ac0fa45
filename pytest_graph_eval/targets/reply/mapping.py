"""Reading a reply: decode what arrived, find the mapped parts, build a `Response`.

What is not mapped is unknown (None). What is mapped and not in the reply is empty: many servers leave empty lists
out or answer with a null where there is no evidence, and none of these must look like "not reported". Where the path
ends in `?` the absence means "not reported".
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_graph_eval.errors import ReplyError
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import ResponseMap
from pytest_graph_eval.targets.reply.items import FIELDS, LISTS, apply_id_rule, read_items, read_text, read_usage
from pytest_graph_eval.targets.reply.messages import read_messages
from pytest_graph_eval.targets.reply.paths import (
    ABSENT,
    PathError,
    check_path,
    described,
    find,
    first_keys,
    is_optional,
)
from pytest_graph_eval.targets.reply.presets import NATIVE
from pytest_graph_eval.texts import cut, nearest

LARGEST = 16 * 1024 * 1024
"""Characters of all texts of a response."""
_TEXTS = ("answer", "intent", "as_of", "mode")
_SINGLE = ("usage", "model", "messages", "answered", "error")
_EVIDENCE = ("entities", "relationships", "chunks")
_WARNING = 300
"""Characters of a server's warning that are shown."""
_FAILED = ("error", "failed", "fail", "exception")
"""How a top-level `status` ends that means an error though it is not mapped (`validation_failed`)."""


@dataclass(frozen=True, slots=True)
class ToolReply:
    """The result of a tool call as it arrived: the error flag, the structured content, the text blocks."""

    is_error: bool = False
    structured: Any = None
    texts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All text blocks, one below the other."""
        return "\n".join(self.texts)


def decode(result: ToolReply) -> Any:
    """Return the JSON value that a tool call returned, or its plain text.

    Structured content wins. Else a lone text block, or all of them together, is read as JSON; of several blocks that
    are JSON each, the list; the one JSON object between lines of prose, if there is just one. A value that turns out
    to be a text of JSON itself is read once more. FastMCP's `{"result": value}` around what is no object is removed.

    Raises:
        ReplyError: the JSON is nested too deeply to be read.
    """
    if result.structured is not None:
        value = result.structured
        if isinstance(value, Mapping) and list(value) == ["result"] and not isinstance(value["result"], Mapping):
            value = value["result"]
    else:
        value = _decode_texts(result.texts)
    return _json(value, value) if isinstance(value, str) else value


def _decode_texts(texts: tuple[str, ...]) -> Any:
    if not texts:
        return None
    whole = _json("".join(texts), ABSENT)
    if whole is not ABSENT:
        return whole
    values = [_json(text, ABSENT) for text in texts]
    containers = [v for v in values if isinstance(v, Mapping | list)]
    if len(containers) == len(values):
        return values
    return containers[0] if len(containers) == 1 else "\n".join(texts)


def _json(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return otherwise
    except RecursionError:
        raise ReplyError("the reply is JSON that is nested too deeply to be read") from None


def without(value: Any, keys: Iterable[str]) -> Any:
    """Return `value` with all `keys` removed at every depth."""
    keys = frozenset(keys)
    if not keys:
        return value
    if isinstance(value, Mapping):
        return {k: without(v, keys) for k, v in value.items() if k not in keys}
    return [without(v, keys) for v in value] if isinstance(value, list) else value


def check_map(rules: ResponseMap) -> list[str]:
    """Return what is wrong with a mapping: malformed paths, an id rule that cannot be followed."""
    return [f"response.{'.'.join(place)}: {message}" for place, message, _ in map_problems(rules)]


def map_problems(rules: ResponseMap) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield what is wrong with a mapping: where in it, what, and the key that nobody knows, if it is one."""
    named: dict[tuple[str, ...], str] = {(name,): path for name, path in mapped_paths(rules)}
    named["root",] = rules.root
    for group, known in FIELDS.items():
        for name, path in getattr(rules, group).items():
            named[group, name] = path
            if name not in known:
                yield (group,), f"unknown field {name!r}{nearest(name, known)} (known: {', '.join(known)})", name
    for place, path in named.items():
        try:
            check_path(path)
        except PathError as e:
            yield place, str(e), ""
    try:
        apply_id_rule(rules.id_rule, "")
    except ValueError as e:
        yield ("id_rule",), str(e), ""


def map_reply(reply: Any, rules: ResponseMap, question: str = "") -> Response:
    """Return the parts of `reply` that `rules` point at.

    `question` is what was asked: in a list of messages it tells where the earlier turns of a conversation end.

    Raises:
        ReplyError: the reply reports an error, or cannot be read as the rules say: which path, what was found there
            and what was expected. It holds the reply.
    """
    raw = reply
    try:
        if reply is None or isinstance(reply, str | int | float):
            answer = reply if isinstance(reply, str) or reply is None else json.dumps(reply)
            return Response(answer=answer, **_empty_lists(rules, all_evidence=reply is None))
        reply = _rooted(reply, rules)
        status = refuse_error(reply, rules)
        _must_be_known(reply, rules)
        return _response(reply, rules, status, question)
    except (PathError, ReplyError) as e:
        error = e if isinstance(e, ReplyError) else ReplyError(f"the reply cannot be read: {e}")
        error.reply = raw
        raise error from None


def read_response(value: Any, what: str) -> Response:
    """Return a `Response` from a mapping with our own field names; `what` says in messages where it comes from.

    Here, other than in a server's reply, a null is unknown, as in a `Response` itself.

    Raises:
        ReplyError: it has an unknown key or a value of a wrong type, or it reports an error.
    """
    if not isinstance(value, Mapping):
        raise ReplyError(f"{what} is {described(value)}; an object with the fields of a response is expected")
    known = {*Response.model_fields, "text_chunks", "model"}
    unknown = [f"{key!r}{nearest(str(key), known)}" for key in value if key not in known]
    if unknown:
        raise ReplyError(f"{what} has unknown keys: {', '.join(unknown)} (known: {', '.join(sorted(known))})")
    response = map_reply({key: part for key, part in value.items() if part is not None and key != "elapsed_s"}, NATIVE)
    elapsed = value.get("elapsed_s")
    if elapsed is not None and (isinstance(elapsed, bool) or not isinstance(elapsed, int | float)):
        raise ReplyError(f"{what}: elapsed_s is {described(elapsed)}; seconds as a number are expected")
    return response.model_copy(update={"elapsed_s": elapsed})


def refuse_large(response: Response, what: str) -> None:
    """Refuse a response that did not come over a wire, where replies are bounded before they are read.

    Raises:
        ReplyError: its texts are too long to be judged, written and reported; `what` returned it.
    """
    size = len(response.answer or "") + sum(len(chunk.content) for chunk in response.chunks or ())
    size += sum(len(found.description) for found in (*(response.entities or ()), *(response.relationships or ())))
    if size > LARGEST:
        raise ReplyError(f"{what} returned {size:,} characters, more than {LARGEST:,}; let it return less")


def refuse_error(reply: Any, rules: ResponseMap) -> str:
    """Return the word that the reply calls its outcome; of several mapped ones (`a, b`) all are judged.

    Raises:
        ReplyError: the reply says of itself that it is an error.
    """
    error = find(reply, rules.error) if rules.error else _top(reply, "error")
    if error:
        raise ReplyError(f"the server reports an error: {_error_text(error)}")
    values = [find(reply, path) for path in _paths(rules.status)] or [_top(reply, "status")]
    message = _error_text(next((m for key in ("message", "detail") if (m := _top(reply, key))), ""))
    for value in values:
        if _is_failure(value, rules):
            explained = f": {message}" if message else ""
            word = json.dumps(value, ensure_ascii=False)
            raise ReplyError(f"the server reports status {word}{explained} (success: {', '.join(rules.ok_status)})")
    return values[0] if isinstance(values[0], str) else "success"


def _rooted(reply: Any, rules: ResponseMap) -> Any:
    """Return the part under `root`; an error reply has none, so what says so beside it is judged first."""
    if not rules.root:
        return reply
    refuse_error(reply, ResponseMap())
    value = find(reply, rules.root)
    return None if value is ABSENT else value


def _empty_lists(rules: ResponseMap, *, all_evidence: bool) -> dict[str, Any]:
    """Return an empty list for every list that a reply of prose, or of nothing at all, does not hold.

    An optional list is not reported by prose, but where the reply is nothing, no evidence came back either.
    """
    evidence = _EVIDENCE if all_evidence else ()
    return {
        name: [] for name in LISTS if (path := getattr(rules, name)) and (name in evidence or not is_optional(path))
    }


def _must_be_known(reply: Any, rules: ResponseMap) -> None:
    """Refuse an object that has none of the mapped keys: that is another kind of reply, not an empty one."""
    keys = [key for _, path in mapped_paths(rules) for key in first_keys(path)]
    if isinstance(reply, Mapping) and reply and keys and not any(key in reply for key in keys):
        raise PathError(
            f"it has none of the mapped keys: it is {described(reply)}; expected one of "
            f"{', '.join(dict.fromkeys(keys))}; say under `response:` where the parts stand"
        )


def _paths(path: str | None) -> list[str]:
    """Return the single paths of `a, b`; whether they are optional is said of all of them."""
    return [part.strip() for part in path.removesuffix("?").split(",")] if path else []


def mapped_paths(rules: ResponseMap) -> list[tuple[str, str]]:
    """Return the name and the path of everything that is mapped."""
    single = [(name, path) for name in (*_TEXTS, *_SINGLE) if (path := getattr(rules, name))]
    return [*single, *((name, path) for name in (*LISTS, "status") for path in _paths(getattr(rules, name)))]


def _is_failure(status: Any, rules: ResponseMap) -> bool:
    """Tell whether `status` means failure; a word that is not mapped does only when it plainly says so."""
    word = str(status).casefold()
    if word in {ok.casefold() for ok in rules.ok_status}:
        return False
    if isinstance(status, str):
        return bool(rules.status) or (word.endswith(_FAILED) and not word.startswith("no"))
    if isinstance(status, int) and status is not True:
        return status is False or not (status == 0 or 200 <= status < 300)
    return False


def _top(reply: Any, key: str) -> Any:
    return reply.get(key) if isinstance(reply, Mapping) else None


def _error_text(error: Any) -> str:
    if isinstance(error, Mapping):
        error = error.get("message") or error.get("detail") or error
    text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False, default=str)
    return cut(text, 2000)


def _response(reply: Any, rules: ResponseMap, status: str, question: str) -> Response:
    parts = _said(reply, rules, question) | {"status": status}
    for name in _TEXTS:
        value = _found(reply, getattr(rules, name))
        joint = "\n" if name == "answer" else ", "
        if value is not None and value is not ABSENT:
            parts[name] = read_text(value, name, joint)
    answered = find(reply, rules.answered) if rules.answered else None
    if answered is not True and (answer := str(parts.get("answer")).strip()) in rules.error_answers:
        raise ReplyError(f'the answer "{answer}" is what this server says where a question failed; see its own log')
    if answered is False:
        parts["answer"] = None
    for name in LISTS:
        if (items := _list(reply, name, rules)) is not None:
            parts[name] = read_items(name, items, rules)
    if usage := _found(reply, rules.usage):
        parts["usage"] = read_usage(usage, rules)
    model = _found(reply, rules.model)
    if parts.get("usage") and isinstance(model, str):
        parts["usage"] = parts["usage"].model_copy(update={"model": model})
    return Response(**parts)


def _said(reply: Any, rules: ResponseMap, question: str) -> dict[str, Any]:
    """Return what the messages of a reply hold."""
    messages = _found(reply, rules.messages)
    if messages is None or messages is ABSENT:
        return {}
    said = read_messages(messages, question)
    return {name: part for name in ("answer", "tool_calls", "usage") if (part := getattr(said, name)) is not None}


def _list(reply: Any, name: str, rules: ResponseMap) -> list[Any] | None:
    """Return the items of a mapped list, or of several one after the other; None where it is not reported."""
    path = getattr(rules, name)
    found = [find(reply, part) for part in _paths(path)]
    if path is None or (is_optional(path) and all(value is ABSENT for value in found)):
        return None
    items: list[Any] = []
    for value in found:
        if value is not None and value is not ABSENT:
            if not isinstance(value, list):
                raise PathError(f"{name} ({path}) is {described(value)}; a list is expected")
            items += value
    return items


def _found(reply: Any, path: str | None) -> Any:
    return find(reply, path) if path else ABSENT


def read_count(raw: Any, path: str | None, where: str) -> int | None:
    """Return the count at `path` of a status reply; the length, where a list stands there; None where nothing does.

    Raises:
        ReplyError: what stands there is no count; `where` says in the message whose reply it is.
    """
    if path is None or not isinstance(raw, Mapping | list):
        return None
    try:
        value = find(raw, path)
    except PathError as e:
        raise ReplyError(f"the reply of {where} cannot be read: {e}") from None
    if value is None or value is ABSENT:
        return None
    if isinstance(value, list):
        return len(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ReplyError(f"the reply of {where}: {path} is {described(value)}; a whole number is expected")
    return value


def read_warnings(raw: Any, path: str | None) -> tuple[str, ...]:
    """Return the texts at `path` of a status reply, each in one line; what else stands there warns of nothing."""
    if path is None or not isinstance(raw, Mapping | list):
        return ()
    with contextlib.suppress(PathError):
        value = find(raw, path)
        texts = value if isinstance(value, list) else [value]
        return tuple(" ".join(text.split())[:_WARNING] for text in texts if isinstance(text, str) and text.strip())
    return ()
