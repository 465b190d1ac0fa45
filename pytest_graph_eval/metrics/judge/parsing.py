"""Reads what a judge wrote: strictly, with a bounded repair of its form, and never of its meaning.

A reply that is JSON as it stands is taken so. Only otherwise blocks of reasoning, fences and prose around an object are
left out, and line breaks in texts, lone backslashes, a trailing comma or single quotes in it put right. A score is a
number on its scale or a fraction that states its own; everything else is an error with a code, and no error becomes a
score.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.texts import cut

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
# a chat template that opens the reasoning itself leaves only its end in the reply
_ENDED_THOUGHT = re.compile(
    r"\A(?:(?!<(?:think|thinking|reasoning)>).)*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE
)
_OPEN_THOUGHT = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"\A\s*```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)')
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_FRACTION = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*(?:/|(?:out )?of)\s*(\d+(?:\.\d+)?)", re.ASCII | re.IGNORECASE)
_PERCENT = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*%", re.ASCII)
_VERDICTS = {
    **dict.fromkeys(("pass", "passes", "passed", "yes", "true", "ok", "correct", "accept", "accepted"), True),
    **dict.fromkeys(("fail", "fails", "failed", "no", "false", "incorrect", "reject", "rejected", "wrong"), False),
}
_VERDICT_KEYS = ("verdict", "passed", "pass", "result", "decision", "success", "label", "correct", "is_correct")
_REASONS = ("reason", "reasoning", "rationale", "explanation", "justification")
_SLACK = 1e-9
_SHOWN = 120


class ReplyProblem(ValueError):  # noqa: N818 - what is wrong with a reply; who asked decides whether it is an error
    """Why a reply is no judgement; `code` is a stable word, the message is for the judge as well as for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Judgement:
    """One score with what was said of it; `warning` is `contradiction` where a verdict beside the score disagrees."""

    score: float
    reason: str = ""
    warning: str = ""


def read_judgement(raw: str, scale: tuple[float, float], threshold: float | None = None) -> Judgement:
    """Return the one score in a reply `{"score": ..., "reason": ...}`.

    Args:
        raw: what the judge wrote.
        scale: the least and the highest score.
        threshold: from which on a score passes; a verdict in words beside the score is compared with that.

    Raises:
        ReplyProblem: there is no score, or none that can be trusted.
    """
    data = read_object(raw, key="score")
    score = read_score(data.get("score"), scale, "score")
    verdicts = {_verdict(data.get(key)) for key in _VERDICT_KEYS} - {None}
    contradicts = threshold is not None and bool(verdicts - {score >= threshold - _SLACK})
    return Judgement(score, reason_of(data), "contradiction" if contradicts else "")


def reason_of(data: Mapping[str, Any]) -> str:
    """Return what a judge said of a score, in the one of several keys that it used."""
    return next((text for key in _REASONS if isinstance(text := data.get(key), str)), "")


def _verdict(value: Any) -> bool | None:
    return (
        value if isinstance(value, bool) else _VERDICTS.get(value.strip().lower()) if isinstance(value, str) else None
    )


def read_score(value: Any, scale: tuple[float, float], name: str) -> float:
    """Return a score on `scale`: a number, a number as a text, or a fraction or percentage, which state their own.

    Raises:
        ReplyProblem: `no_score`, `not_a_number` or `out_of_range`; nothing is clamped.
    """
    low, high = scale
    if value is None:
        raise ReplyProblem("no_score", f"{name}: no score is given; expected a number from {low:g} to {high:g}")
    number = _number(value, scale)
    if number is None or not math.isfinite(number):
        raise ReplyProblem("not_a_number", f"{name}: found {_shown(value)}, expected a number from {low:g} to {high:g}")
    if not low - _SLACK <= number <= high + _SLACK:
        raise ReplyProblem("out_of_range", f"{name}: found {_shown(value)}, expected {low:g} to {high:g}")
    return min(max(number, low), high)


def _number(value: Any, scale: tuple[float, float]) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e300 else math.inf
    text = value.strip() if isinstance(value, str) else ""
    if _NUMBER.fullmatch(text):
        return float(text)
    low, high = scale
    if match := _FRACTION.fullmatch(text):
        part, whole = float(match[1]), float(match[2])
        if whole == high:
            return part
        # On a scale that does not begin at 0, 8/10 may stand for two different scores.
        return part / whole * high if low == 0 and whole else None
    if (match := _PERCENT.fullmatch(text)) and low == 0:
        return float(match[1]) / 100 * high
    return None


def read_object(raw: str, key: str = "") -> dict[str, Any]:
    """Return the JSON object in a reply; objects in the prose around it without `key` do not count.

    Raises:
        ReplyProblem: `no_json`, `truncated`, `conflicting_scores` (two objects, or a key twice, that disagree), or
            `no_score` where `key` is missing.
    """
    try:
        whole = _loads(raw, strict=True)
    except (ValueError, RecursionError):
        found = _found(raw, key)
    else:
        if not isinstance(whole, dict):
            raise ReplyProblem("no_score", f"found {_shown(whole)}, expected one JSON object")
        found = [whole]
    named = [{**data, **({key: data[other]} if other != key else {})}
             for data in found for other in [_key(data, key)] if other is not None]  # fmt: skip
    if not named:
        raise ReplyProblem("no_score", f"the object has no key {key!r}; it has {', '.join(found[0]) or 'none'}")
    if any(data.get(key) != named[0].get(key) if key else data != named[0] for data in named[1:]):
        raise ReplyProblem("conflicting_scores", "several objects that disagree; expected one")
    return named[0]


def _key(data: Mapping[str, Any], key: str) -> str | None:
    """Return the key as the object writes it; "" where none is asked for."""
    return key if not key or key in data else next((k for k in data if k.strip().lower() == key), None)


def _loads(text: str, *, strict: bool) -> Any:
    return json.loads(text, object_pairs_hook=_once, strict=strict)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that an object gives two values: the last one would win in silence."""
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data and data[key] != value:
            raise ReplyProblem("conflicting_scores", f"the key {key!r} stands twice with different values")
        data[key] = value
    return data


def _found(raw: str, key: str) -> list[dict[str, Any]]:
    """Return the objects in a text that is not JSON as a whole; those with the key where there are some."""
    text = read_text(raw)
    objects, cut = [], False
    for piece, is_whole in _pieces(text):
        if not is_whole:
            cut = True
        elif (data := _repaired(piece)) is not None:
            objects.append(data)
    fitting = [data for data in objects if _key(data, key) is not None]
    if fitting and _is_cut_list(text):
        raise ReplyProblem("truncated", "the reply ends in the middle of its JSON list; expected one object")
    if cut and not fitting:
        raise ReplyProblem("truncated", "the reply ends in the middle of its JSON object; expected a whole one")
    if not objects:
        raise ReplyProblem("no_json", f"found {_shown(raw)}, expected one JSON object")
    return fitting or objects


def _is_cut_list(text: str) -> bool:
    """Tell whether a text is a JSON list that lacks its end; what follows might say another score."""
    text = text.strip()
    if not text.startswith("["):
        return False
    try:
        json.JSONDecoder(strict=False).raw_decode(text)
    except json.JSONDecodeError as e:
        return e.pos >= len(text) or e.msg.startswith("Unterminated string")
    except RecursionError:
        return False
    return False


def read_text(raw: str) -> str:
    """Return a reply without its reasoning, and without a fence around all of the rest.

    Raises:
        ReplyProblem: `truncated` where the reasoning does not end.
    """
    text = _ENDED_THOUGHT.sub("", _THOUGHTS.sub("", raw))
    if _OPEN_THOUGHT.search(text):
        raise ReplyProblem("truncated", "the reply ends in the middle of its reasoning; expected an answer after it")
    match = _FENCE.match(text)
    return match[1] if match else text


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Yield what stands in braces, with whether it comes to its end; braces in strings do not count."""
    start = depth = 0
    quote, escaped = "", False
    for i, sign in enumerate(text):
        if quote:
            quote, escaped = ("" if sign == quote and not escaped else quote), sign == "\\" and not escaped
        elif depth and sign == '"':
            quote = sign
        elif sign == "{":
            start, depth = (i, 1) if not depth else (start, depth + 1)
        elif sign == "}" and depth:
            depth -= 1
            if not depth:
                yield text[start : i + 1], True
    if depth:
        yield text[start:], False


def _repaired(piece: str) -> dict[str, Any] | None:
    """Return an object in braces, with line breaks, lone backslashes, trailing commas or single quotes put right."""
    whole = _ESCAPE.sub(lambda m: m[0] if m[1] else r"\\", piece)
    for attempt in (piece, whole, _TRAILING_COMMA.sub(lambda m: m[1] or "", whole)):
        try:
            value = _loads(attempt, strict=False)  # a line break in a text is no other text
        except ReplyProblem:
            raise
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) else None
    try:
        value = ast.literal_eval(piece)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, dict) and all(isinstance(key, str) for key in value) else None


def _shown(value: Any) -> str:
    text = " ".join(str(value).split()) if isinstance(value, str) else json.dumps(value, default=str)
    shown = cut(text, _SHOWN, "...")
    return repr(shown) if isinstance(value, str) else shown
