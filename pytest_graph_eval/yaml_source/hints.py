"""Says in plain words why a text is not YAML, and spots YAML that parses but means something else than it shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from pytest_graph_eval.errors import Problem

_HASH = re.compile(r"#(?=[^\s#=*~+!:.\-])")  # a line of signs is an ornament, not a cut text
_GROUP_COMMA = re.compile(r",(?=\d{3}(?!\d))")
_GROUP_START = re.compile(r"(?<!\d)\d{1,3}\Z")
_QUOTE = "quote the whole text"
_SPLIT = (
    "a comma inside a number splits it in two in brackets or braces (the second part is {!r}); "
    "quote the number, or write a space after the comma between two items"
)


class Pitfalls:
    """Places in a text where an unquoted scalar, if one ends or begins there, is not what its writer meant."""

    def __init__(self, text: str) -> None:
        """Find the places; most texts have none."""
        self._text = text
        hashes = (m.start() for m in _HASH.finditer(text))
        self._cuts = {_before_blanks(text, at) for at in hashes if text[at - 1 : at] in (" ", "\t")}
        commas = (m.start() for m in _GROUP_COMMA.finditer(text))
        self._commas = {at for at in commas if _GROUP_START.search(text, max(at - 4, 0), at)}
        self.any = bool(self._cuts or self._commas)

    def of_scalar(self, event: Any) -> Iterator[tuple[str, str]]:
        """Yield message and code of what is odd about a plain scalar."""
        end = event.end_mark.index
        if end in self._cuts:
            rest = _short(self._text[end:].split("\n", 1)[0].strip())
            found = f"the unquoted text {event.value!r} is cut off" if event.value else "nothing stands"
            advice = f"{_QUOTE}, or write a space after the # of a comment"
            yield f"{found} before `{rest}`, which YAML takes for a comment; {advice}", "cut_by_comment"
        if event.start_mark.index - 1 in self._commas:
            yield _SPLIT.format(event.value), "split_number"

    def of_empty_value(self, key: str, mark: Any, value: Any) -> Iterator[tuple[str, str]]:
        """Yield message and code where a key has an empty value for want of a colon, as `company` in `{company}`."""
        if ":" in self._text[mark.index : value.index].removeprefix(key):
            return
        if mark.index - 1 in self._commas:
            yield _SPLIT.format(key), "split_number"
        else:
            advice = f"{_QUOTE} if the braces belong to it"
            yield f"{key!r} stands in braces without a `:`; {advice}", "unquoted_braces"


def _before_blanks(text: str, index: int) -> int:
    while index and text[index - 1] in " \t":
        index -= 1
    return index


def _short(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


_TAB = "a tab in the indentation; YAML wants spaces"
_BELONGS = f"{_QUOTE} if the sign belongs to it"
_BLOCK = "block"

_ADVICE: tuple[tuple[str, str, bool], ...] = (
    # what the parser says, what it means, and whether the place where its context began is the better position
    (r"tab character", _TAB, False),
    (r"mapping values are not allowed", f"a `: ` inside an unquoted text, or a wrong indentation; {_QUOTE}", False),
    (r"scanning an? (anchor|alias)", f"an unquoted text cannot begin with `&` or `*`; {_QUOTE}", False),
    (r"scanning a block scalar", f"`|` and `>` begin a text on the lines below; {_BELONGS}", False),
    (r"quoted scalar.*(end of stream|document separator)", "the quote that opens here is not closed", True),
    (
        r"double-quoted scalar|hexdecimal|escape",
        "an unknown escape in double quotes; write `\\\\` for a backslash",
        False,
    ),
    (r"unexpected ':'|but got ':'", "a space is missing after the `:`", False),
    (r"but got '\?'", "an unquoted `?` in brackets or braces; quote the question", False),
    (r"',' or '[}\]]'", "this bracket is not closed, or a `,` is missing; quote texts with brackets or quotes", True),
    (r"tag|directive", f"an unquoted text cannot begin with `!` or `%`; {_QUOTE}", False),
    (r"expected key|expected <block end>|expected '-' indicator", _BLOCK, False),
    (r"entries are not allowed", f"a `- ` where no list can begin; {_BELONGS}", False),
    (r"flow node", "a value is missing, or a bracket is not closed", False),
    (r"node content", f"a value is missing or a bracket is not opened; {_BELONGS}", False),
    (r"expected ':'|simple key", "a key without `:` (one line, `key: value`)", True),
    (r"expected '?<document start>", "something follows the end of the document; a bracket too many?", False),
)


def syntax_problem(error: yaml.MarkedYAMLError, text: str, name: str) -> Problem:
    """Return what is wrong as a problem with the parser's position and, where it is known, a hint."""
    raw = " ".join(part for part in (error.context, error.problem) if part)
    advice, at_context = next(((a, c) for pattern, a, c in _ADVICE if re.search(pattern, raw)), (raw, False))
    mark: Any = (error.context_mark if at_context else None) or error.problem_mark or error.context_mark
    sign = text[mark.index : mark.index + 1]
    if "start any token" in raw:
        advice = _TAB if sign == "\t" else f"an unquoted text cannot begin with `{sign}`; {_QUOTE}"
    line, col = (mark.line, mark.column) if mark.index < len(text) else _end(text)
    if advice == _TAB:
        return Problem(name, line + 1, col + 1, _TAB, "tab_indent")
    if advice == _BLOCK:
        advice = _wrong_block(text, line, col)
    return Problem(name, line + 1, col + 1, f"not YAML: {advice}", "syntax")


def _end(text: str) -> tuple[int, int]:
    """Return line and column behind the last text; parsers place an end that comes too early after it."""
    text = text.rstrip("\r\n")
    return text.count("\n"), len(text) - text.rfind("\n") - 1


def _wrong_block(text: str, line: int, col: int) -> str:
    """Say why a line does not fit into the block around it."""
    lines = text.split("\n")[max(line - 1, 0) : line + 1]
    if any(_HASH.search(before) for before in lines[:-1]):
        return f"the unquoted text above is cut off by ` #`; {_QUOTE}"
    value = re.match(r"\s*(?:- +)*(?:[\w.\-]+ *: +)?(.*)", lines[-1] if lines else "")
    first = value[1][:1] if value else ""
    behind = bool(lines and lines[-1][:col].strip())
    if behind and first and first in "\"'{[":
        closing = {"{": "}", "[": "]"}.get(first, first)
        return f"something follows the closing `{closing}`; {_QUOTE} (single quotes around double ones, or the reverse)"
    return "this line does not fit the indentation above it, or a key lacks its `:`"
