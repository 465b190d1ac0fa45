"""Recorded responses as a target: a file of JSON lines (`lines`), asked by scenario, turn and repeat.

The k-th line of an id and turn serves the k-th repeat. A line with `error` in place of `response` replays a failure.
A cassette is such a file, too, and so are graphrag-eval's response records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pytest_graph_eval.errors import PreflightError, ReplyError, TransportError
from pytest_graph_eval.files import why_unreadable
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import ReplayTarget
from pytest_graph_eval.targets.base import Query, Surroundings, Target
from pytest_graph_eval.targets.recording.lines import Line, read_line
from pytest_graph_eval.targets.recording.response_records import OTHER_ID, read_response_records
from pytest_graph_eval.targets.reply.mapping import check_map
from pytest_graph_eval.targets.reply.presets import response_map
from pytest_graph_eval.texts import listed, located, nearest


class Recording(Target):
    """A recording that answers as it was recorded, always the same."""

    kind = "replay"
    at_once = 1
    is_inline = True

    def __init__(self, spec: ReplayTarget, surroundings: Surroundings) -> None:
        self._path = surroundings.folder / spec.path
        self._drop = spec.drop
        self._lines: dict[tuple[str, int], list[Line]] | None = None
        self._is_foreign = False
        self.name = spec.name or self._path.name
        self.where = surroundings.where
        self.deterministic = spec.deterministic is not False
        self.rules = response_map(spec)
        self.id_rule = self.rules.id_rule if self.rules else ""

    async def open(self) -> None:
        """Read the recording. Does nothing where that is done already."""
        if self._lines is not None:
            return
        if self.rules is not None and (problems := check_map(self.rules)):
            raise PreflightError("\n".join(located(self.where, p) for p in problems))
        try:
            text = self._path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as e:
            raise PreflightError(
                located(self.where, f"the recording {self._path} cannot be read: {why_unreadable(e)}")
            ) from None
        self._lines = self._read(text)

    def _read(self, text: str) -> dict[tuple[str, int], list[Line]]:
        problems: list[str] = []
        found = self._foreign(text, problems)
        self._is_foreign = found is not None
        lines: dict[tuple[str, int], list[Line]] = {}
        for line in self._native(text, problems) if found is None else found:
            lines.setdefault((line.id, line.turn), []).append(line)
        targets = {line.target for found in lines.values() for line in found}
        if len(targets) > 1:
            problems.append(f"{self._path} holds the replies of {len(targets)} targets; a recording holds those of one")
        if problems:
            raise PreflightError("\n".join(problems))
        return lines

    def _foreign(self, text: str, problems: list[str]) -> list[Line] | None:
        try:
            return read_response_records(text)
        except ValueError as e:
            problems.append(f"{self._path}: {e}")
            return []

    def _native(self, text: str, problems: list[str]) -> Iterator[Line]:
        for number, text_line in enumerate(text.split("\n"), 1):
            if text_line.strip():
                try:
                    line = read_line(text_line, rules=self.rules, drop=self._drop)
                except (ValueError, RecursionError, ReplyError) as e:
                    problems.append(f"{self._path}:{number}: {e}")
                else:
                    if isinstance(line, Line):
                        yield line

    def notes(self, repeats: Mapping[str, int]) -> tuple[str, ...]:
        """Return what of response records is not used, and which stand under another id than they say."""
        if not self._is_foreign or self._lines is None:
            return ()
        counts = {id_: len(found) for (id_, _), found in self._lines.items()}
        named = {line.id for found in self._lines.values() for line in found if any(OTHER_ID in f for f in line.flags)}
        notes = {
            "response records of no scenario": [repr(id_) for id_ in counts if id_ not in repeats],
            "more response records than askings": [
                f"{id_!r} ({n} of which {repeats[id_]} used)" for id_, n in counts.items() if n > repeats.get(id_, n)
            ],
            "response records under another id than their `question_id`": [repr(id_) for id_ in sorted(named)],
        }
        return tuple(f"{what} in {self._path.name}: {listed(ids, 5)}" for what, ids in notes.items() if ids)

    def remarks(self, query: Query) -> tuple[str, ...]:
        """Return what is flagged of the response record that answers the question."""
        found = self._found(self._lines or {}, query) or []
        return found[query.repeat - 1].flags if query.repeat <= len(found) else ()

    def _found(self, lines: Mapping[tuple[str, int], list[Line]], query: Query) -> list[Line] | None:
        return lines.get((query.id, query.turn)) or lines.get((query.source_id, query.turn))

    async def ask(self, query: Query) -> Response:
        """Return what was recorded for this scenario, turn and repeat."""
        if self._lines is None:
            raise TransportError(f"{self.name}: the recording is not open")
        found = self._found(self._lines, query)
        if found is None:
            raise ReplyError(self._missing(self._lines, query))
        # A cassette keeps what was asked again under another name of its subject, too.
        same = [line for line in found if line.question in ("", query.question)]
        if not same:
            raise ReplyError(
                f"{self._path} holds no reply of {query.id!r} to this question, but to: {found[0].question}"
            )
        found = same
        if query.repeat > len(found):
            raise ReplyError(
                f"{self._path} holds {len(found)} of at least {query.repeat} responses that the repeats of "
                f"{query.id!r} (turn {query.turn}) need; record the others or lower `repeats`"
            )
        content = found[query.repeat - 1].content
        if isinstance(content, str):
            raise ReplyError(f"recorded error: {content}")
        return content.model_copy(deep=True)

    def _missing(self, lines: Iterable[tuple[str, int]], query: Query) -> str:
        turns = sorted(turn for id_, turn in lines if id_ == query.id)
        if turns:
            recorded = ", ".join(map(str, turns))
            return f"{self._path} has no turn {query.turn} of {query.id!r} (recorded: {recorded}); record it"
        ids = sorted({id_ for id_, _ in lines})
        name = query.source_id or query.id
        return f"{self._path} has no response for {name!r}{nearest(name, ids)} ({len(ids)} recorded ids)"
