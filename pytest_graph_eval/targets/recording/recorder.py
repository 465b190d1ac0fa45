"""A target whose replies are recorded once and played again without it.

A `RecordingTarget` stands between the pool and the target: it plays what a cassette (`lines`) holds, asks
the target for the rest, and keeps what came back to be written. Only replies are recorded: a question that failed is
asked again the next time.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from pytest_graph_eval.errors import PreflightError, ReplyError
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.targets.base import Query, Target, TargetStatus
from pytest_graph_eval.targets.recording.lines import (
    OTHER,
    REDACTED,
    REPLAYED,
    STALE,
    Cassette,
    Header,
    Line,
    RecordMode,
    query_key,
)
from pytest_graph_eval.targets.templates import inline_files

if TYPE_CHECKING:
    from pytest_graph_eval.graph.catalog import Catalog

_LATER = frozenset({
    "name", "timeout", "start_timeout", "modes", "aliases", "relevant_types", "top_entities", "deterministic",
    "restarts", "prices", "preflight", "recover", "max_concurrency", "rate",
})  # fmt: skip
"""Settings that do not change what a target replies to one question: a cassette stays good when they change."""


def target_identity(spec: Any, folder: Path) -> str:
    """Return 12 hex digits over the settings that a target's replies depend on, as they are written.

    Of a file that they name (`{$file: path}`, from `folder`) the content counts, whatever its layout.
    """
    settings = spec.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude=set(_LATER)) | {
        "kind": spec.kind
    }
    with contextlib.suppress(PreflightError):  # a file that is gone is no content that was recorded
        settings = inline_files(settings, folder)
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]


class Fitness(Protocol):
    """What a preflight found out of a target (`preflight.PreflightResult`)."""

    @property
    def status(self) -> TargetStatus:
        """What the target said of itself."""

    @property
    def blocked(self) -> Mapping[str, str]:
        """Scenario id to the reason why it cannot be asked."""


F = TypeVar("F", bound=Fitness)


class RecordingTarget(Target, Generic[F]):
    """A target whose replies are recorded and played."""

    def __init__(
        self,
        inner: Target,
        spec: Any,
        cassette: Cassette,
        mode: RecordMode,
        prepare: Callable[[], Awaitable[F]],
        *,
        folder: Path,
    ) -> None:
        """Stand in front of a target.

        Args:
            inner: the target; it is opened when something has to be asked.
            spec: its settings.
            cassette: what was recorded.
            mode: `once` asks what is not recorded, `all` asks everything, `none` asks nothing.
            prepare: opens the target and checks that it is fit to be asked; called once.
            folder: what relative paths in the settings belong to.
        """
        self._inner, self._cassette, self._mode, self._prepare = inner, cassette, mode, prepare
        self._identity = target_identity(spec, folder)
        self._drop = tuple(spec.drop)
        self._live: asyncio.Future[F] | None = None
        self._made: list[Line] = []
        self._asked_anew: set[str] = set()
        """Conversations that are not recorded whole: a turn is no use to a target that has not heard those before."""
        self.name, self.kind, self.where = inner.name, inner.kind, inner.where
        self.id_rule = inner.id_rule
        self.deterministic = inner.deterministic or mode == "none"

    @property
    def at_once(self) -> int | None:  # type: ignore[override]  # a callable's is known once it is open
        """What the target takes; recordings are at hand."""
        return 1 if self._mode == "none" else self._inner.at_once

    @property
    def is_inline(self) -> bool:  # type: ignore[override]  # as above
        """Whether nothing is ever asked."""
        return self._mode == "none"

    def recorded_status(self) -> TargetStatus | None:
        """Return what the target said of itself when it was recorded; None where it has to be asked.

        Raises:
            PreflightError: it must not be asked, and nothing of it is recorded.
        """
        if self._mode == "all":
            return None
        if self._identity in self._cassette.headers:
            return self._cassette.headers[self._identity].status
        if self._mode == "none":
            others = sorted({h.name for h in self._cassette.headers.values()})
            found = f"there are those of {', '.join(others)} with {OTHER}" if others else "nothing is recorded"
            raise PreflightError(f"{self._cassette.path}: no replies of the target {self.name}; {found}. {_ADVICE}")
        return None

    async def open(self) -> None:
        """Do nothing: the target is opened by the first question that is not recorded."""

    async def live(self) -> F:
        """Open the target and check it, once; every question that needs it waits for that, and shares its error.

        Raises:
            TargetError: it is not fit to be asked.
        """
        if self._live is None:
            self._live = asyncio.ensure_future(self._prepare())
        try:
            return await asyncio.shield(self._live)
        finally:
            self.secrets, self.graph_dir = self._inner.secrets, self._inner.graph_dir

    async def ask(self, query: Query) -> Response:
        """Play the recorded reply, else ask the target and keep its reply to be written."""
        line = self._recorded(query)
        if line is not None:
            if isinstance(line.content, str):
                raise ReplyError(f"recorded error: {line.content}")
            self.last_reply = None
            return line.content.model_copy(deep=True)
        if self._mode == "none":
            raise ReplyError(self._missing(query))
        blocked = (await self.live()).blocked.get(query.id)
        if blocked:
            raise PreflightError(blocked)
        response = await self._inner.ask(query)
        self.last_reply = self._inner.last_reply
        line = Line(
            id=query.id,
            turn=query.turn,
            content=response,
            repeat=query.repeat,
            target=self._identity,
            key=query_key(query),
            question=query.question,
            mode=query.mode,
        )
        self._made.append(line.without(self._drop))
        return response

    def begin(self, turns: Sequence[Query]) -> None:
        """Ask every turn of a conversation that is not recorded whole."""
        if self._mode == "once" and not all(self._recorded(turn) for turn in turns):
            self._asked_anew.add(turns[0].conversation.thread_id)

    def remarks(self, query: Query) -> tuple[str, ...]:
        """Return the flags that a record gets for where its reply comes from."""
        line = self._recorded(query)
        if line is not None:
            return (REPLAYED, REDACTED) if line.is_redacted else (REPLAYED,)
        return (STALE,) if self._mode != "all" and self._stale(query) else ()

    def _recorded(self, query: Query) -> Line | None:
        anew = self._mode == "all" or query.conversation.thread_id in self._asked_anew
        return None if anew else self._cassette.lines.get((self._identity, query_key(query)))

    def _stale(self, query: Query) -> bool:
        key = query_key(query)
        return any(
            (target, key) in self._cassette.lines for target in self._cassette.headers if target != self._identity
        )

    def _missing(self, query: Query) -> str:
        asked = f"mode {query.mode}, turn {query.turn}, repeat {query.repeat}"
        known = [
            line for line in self._cassette.lines.values() if line.id == query.id and line.target == self._identity
        ]
        if self._stale(query):
            why = f"it was recorded with {OTHER}"
        elif any(line.question == query.question for line in known):
            ways = sorted({f"mode {line.mode}, turn {line.turn}, repeat {line.repeat}" for line in known})
            why = f"recorded of {query.id!r}: {'; '.join(ways)}, or with other arguments"
        elif known:
            why = f"of {query.id!r} another one is recorded: “{known[0].question}”"
        else:
            why = f"nothing is recorded of {query.id!r}"
        return f"{self._cassette.path}: no reply to this question ({asked}); {why}. {_ADVICE}"

    def take_recorded(self) -> list[Header | Line]:
        """Return what was recorded since the last call, with what the target says of itself; nothing where none was."""
        made, self._made = self._made, []
        if not made or self._live is None:
            return []
        status = self._live.result().status
        return [Header(self._identity, self.name, status), *made]

    async def status(self) -> TargetStatus:
        """Return what the target says of itself, asking it."""
        await self.live()
        return await self._inner.status()

    async def close(self) -> None:
        """Close the target."""
        if self._live is not None and not self._live.done():
            self._live.cancel()
        await self._inner.close()

    def catalog(self) -> Catalog | None:
        """Return what the target's graph holds, where that is known without asking."""
        return self._inner.catalog()


_ADVICE = "Record it: pytest --graph-eval --graph-eval-record-mode once"
