"""Recorded responses as a target: a file of JSON lines `{"id": scenario, "turn": 1, "response": {...}}`.

The k-th line of an id and turn serves the k-th repeat. A line with `error` in place of `response` replays a failure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_graph_eval.errors import PreflightError, ReplyError, TransportError
from pytest_graph_eval.records import Response
from pytest_graph_eval.settings import ReplayTarget
from pytest_graph_eval.targets.base import Query, Surroundings, Target
from pytest_graph_eval.targets.mapping import check_map, map_reply, read_response, refuse_error, without
from pytest_graph_eval.targets.paths import described, nearest
from pytest_graph_eval.targets.presets import NATIVE, response_map

__all__ = ["Recording"]

_KEYS = ("id", "turn", "response", "error", "elapsed_s", "format")
_FORMAT = 1


class Recording(Target):
    """A recording that answers as it was recorded, always the same."""

    kind = "replay"

    def __init__(self, spec: ReplayTarget, surroundings: Surroundings) -> None:
        """Take the settings; the file is read by `open`."""
        self._path = surroundings.folder / spec.path
        self._drop = spec.drop
        self._lines: dict[tuple[str, int], list[Response | str]] | None = None
        self.name = spec.name or self._path.name
        self.where = surroundings.where
        self.deterministic = spec.deterministic is not False
        self.rules = response_map(spec)
        self.id_rule = self.rules.id_rule if self.rules else ""

    async def open(self) -> None:
        """Read the recording. Does nothing where that is done already.

        Raises:
            PreflightError: the file is missing or has lines that cannot be read; all of them are named.
        """
        if self._lines is not None:
            return
        if self.rules is not None and (problems := check_map(self.rules)):
            raise PreflightError("\n".join(f"{self.where}: {p}" if self.where else p for p in problems))
        try:
            text = self._path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as e:
            why = e.strerror if isinstance(e, OSError) else "it is not UTF-8"
            place = f"{self.where}: " if self.where else ""
            raise PreflightError(f"{place}the recording {self._path} cannot be read: {why}") from None
        self._lines = self._read(text)

    def _read(self, text: str) -> dict[tuple[str, int], list[Response | str]]:
        lines: dict[tuple[str, int], list[Response | str]] = {}
        problems: list[str] = []
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    key, content = self._read_line(line)
                    lines.setdefault(key, []).append(content)
                except (ValueError, RecursionError, ReplyError) as e:
                    problems.append(f"{self._path}:{number}: {e}")
        if problems:
            raise PreflightError("\n".join(problems))
        return lines

    def _read_line(self, line: str) -> tuple[tuple[str, int], Response | str]:
        data = json.loads(line)
        if not isinstance(data, dict) or not isinstance(data.get("id"), str):
            found = described(data) if not isinstance(data, dict) else f"`id` is {described(data.get('id'))}"
            raise ValueError(f"an object with a text `id` and `response` is expected; {found}")
        unknown = [f"{key!r}{nearest(key, _KEYS)}" for key in data if key not in _KEYS]
        if unknown:
            raise ValueError(f"unknown keys: {', '.join(unknown)} (known: {', '.join(_KEYS)})")
        turn, version = data.get("turn", 1), data.get("format", _FORMAT)
        if isinstance(turn, bool) or not isinstance(turn, int) or turn < 1:
            raise ValueError(f"`turn` is {described(turn)}; a whole number from 1 is expected")
        if version != _FORMAT:
            raise ValueError(f"format {version!r}; this version reads {_FORMAT}: upgrade pytest-graph-eval")
        return (data["id"], turn), self._content(data)

    def _content(self, data: Mapping[str, Any]) -> Response | str:
        """Return the recorded response, or the text of the recorded error."""
        if ("response" in data) == ("error" in data):
            raise ValueError("either `response` or `error` is expected")
        if "error" in data:
            if not isinstance(data["error"], str) or not data["error"]:
                raise ValueError(f"`error` is {described(data['error'])}; a text is expected")
            return str(data["error"])
        reply = without(data["response"], self._drop)
        try:
            if isinstance(reply, Mapping):
                refuse_error(reply, self.rules or NATIVE)
        except ReplyError as e:
            return str(e)  # the reply said itself that it failed; that is what is replayed
        response = map_reply(reply, self.rules) if self.rules is not None else read_response(reply, "`response`")
        elapsed = data.get("elapsed_s", response.elapsed_s)
        if elapsed is not None and (isinstance(elapsed, bool) or not isinstance(elapsed, int | float)):
            raise ValueError(f"`elapsed_s` is {described(elapsed)}; seconds as a number are expected")
        return response.model_copy(update={"elapsed_s": elapsed})

    async def ask(self, query: Query) -> Response:
        """Return what was recorded for this scenario, turn and repeat.

        Raises:
            ReplyError: nothing was, or an error.
        """
        if self._lines is None:
            raise TransportError(f"{self.name}: the recording is not open")
        found = self._lines.get((query.id, query.turn))
        if found is None:
            raise ReplyError(self._missing(self._lines, query))
        if query.repeat > len(found):
            raise ReplyError(
                f"{self._path} holds {len(found)} of at least {query.repeat} responses that the repeats of "
                f"{query.id!r} (turn {query.turn}) need; record the others or lower `repeats`"
            )
        content = found[query.repeat - 1]
        if isinstance(content, str):
            raise ReplyError(f"recorded error: {content}")
        return content.model_copy(deep=True)

    def _missing(self, lines: Iterable[tuple[str, int]], query: Query) -> str:
        turns = sorted(turn for id_, turn in lines if id_ == query.id)
        if turns:
            recorded = ", ".join(map(str, turns))
            return f"{self._path} has no turn {query.turn} of {query.id!r} (recorded: {recorded}); record it"
        ids = sorted({id_ for id_, _ in lines})
        return f"{self._path} has no response for {query.id!r}{nearest(query.id, ids)} ({len(ids)} recorded ids)"
