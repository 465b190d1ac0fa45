"""What every target is: something that can be opened, asked, inspected and closed; and the factory for one.

Targets are asynchronous inside and live on one loop thread (`targets/loop.py`); pytest items stay synchronous.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.errors import PreflightError
from pytest_graph_eval.models.settings import CustomTarget
from pytest_graph_eval.targets.conversation import Conversation

if TYPE_CHECKING:
    from pytest_graph_eval.graph.catalog import Catalog
    from pytest_graph_eval.models.records import Response
    from pytest_graph_eval.models.settings import GraphTarget, HttpTarget, McpTarget, PythonTarget, ReplayTarget
    from pytest_graph_eval.targets.limiter import Limiter


@dataclass(frozen=True, slots=True)
class Query:
    """One question to a target. `mode` is already the target's own word for it."""

    question: str
    id: str = ""
    mode: str = ""
    source_id: str = ""
    """The scenario's id in another project, where it comes from one."""
    turn: int = 1
    repeat: int = 1
    as_of: str | None = None
    query_hints: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 30.0
    history: tuple[Mapping[str, str], ...] = ()
    """The conversation so far, as chat messages with `role` and `content`."""
    conversation: Conversation = field(default_factory=Conversation)
    """What the question is part of; a lone question is one of its own."""

    def messages(self) -> list[Mapping[str, str]]:
        """Return the conversation as chat messages; the question is the last of them."""
        return [*self.history, {"role": "user", "content": self.question}]

    def placeholders(self) -> dict[str, Any]:
        """Return what `{question}`, `{mode}` and the like stand for in argument templates."""
        return {
            "messages": self.messages(),
            "question": self.question,
            "mode": self.mode,
            "id": self.id,
            "turn": str(self.turn),
            "thread_id": self.conversation.thread_id,
            "as_of": self.as_of or "",
            "query_hints": self.query_hints,
        }


@dataclass(frozen=True, slots=True)
class TargetStatus:
    """What a target says of itself: its counts and tools, None where it does not tell."""

    entities: int | None = None
    relationships: int | None = None
    tools: dict[str, dict[str, Any]] | None = None
    """Tool name to its input schema."""
    raw: Any = None
    """The status reply as received, for `require` paths and messages."""
    warnings: tuple[str, ...] = ()
    server: str = ""
    """How the server introduces itself: name, version, protocol."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a target runs: the folder relative paths belong to, a scratch folder, the xdist worker."""

    folder: Path
    tmp: Path
    worker: str = "main"
    where: str = ""
    """`file:line` of the target's settings, for messages."""
    extraction: str = ""
    """The first extraction file that the suite names; what a recovery ingests unless its settings say otherwise."""

    def placeholders(self) -> dict[str, str]:
        """Return what `{tmp}` and `{worker}` stand for in settings."""
        return {"tmp": str(self.tmp), "worker": self.worker}


class Target(ABC):
    """A target that can be asked. One instance serves all items of a suite in this process.

    What its methods raise is said here, for all adapters.
    """

    name: str
    kind: str
    deterministic: bool = False
    where: str = ""
    """`file:line` of the target's settings, for messages."""
    id_rule: str = ""
    """How chunk ids are shortened (`mapping.apply_id_rule`); expected ids are, before they are compared."""
    graph_dir: Path | None = None
    """The folder of the graph's files, where the settings name one; known once it is open."""
    secrets: frozenset[str] = frozenset()
    """Configured values that must not be shown anywhere; known once it is open."""
    at_once: int | None = None
    """How many questions it takes at the same time by its nature; None is any number."""
    is_inline: bool = False
    """Whether a question needs no event loop: it is answered in this process, one at a time (`targets.inline`)."""
    limiter: Limiter | None = None
    """What lets its questions through, for adapters that learn from a reply that they must wait."""
    last_reply: Any = None
    """What came back last, decoded and not mapped yet; None where nothing did, or where nothing is mapped."""

    def _unfit(self, message: str) -> PreflightError:
        """Return the error that tells why the settings cannot be followed."""
        return PreflightError(f"{self.where}: target {self.name}: {message}" if self.where else message)

    @abstractmethod
    async def open(self) -> None:
        """Get ready to be asked: start, connect, load, run the setup calls.

        Raises:
            TargetError: it cannot be; the message names the cause.
        """

    @abstractmethod
    async def ask(self, query: Query) -> Response:
        """Ask one question and return the mapped reply.

        Raises:
            TargetError: one of its kinds, for each of the four error channels. Empty lists are no error.
        """

    def begin(self, turns: Sequence[Query]) -> None:  # noqa: B027 - optional: most targets take turns as they come
        """Learn of a conversation, before the first of its turns is asked."""

    def remarks(self, query: Query) -> tuple[str, ...]:
        """Return flags for the record of a question: where its reply comes from, when not from the target itself."""
        return ()

    def notes(self, repeats: Mapping[str, int]) -> tuple[str, ...]:
        """Return warnings about what the target is to be asked: how often, by the ids of scenarios."""
        return ()

    async def status(self) -> TargetStatus:
        """Return what the target says of itself."""
        return TargetStatus()

    async def recover(self) -> None:  # noqa: B027 - optional: most targets have nothing to recover
        """Bring an empty or broken graph back, as the `recover:` settings say."""

    async def close(self) -> None:  # noqa: B027 - optional: most targets hold nothing
        """Give everything back. Idempotent and bounded in time."""

    def catalog(self) -> Catalog | None:
        """Return a snapshot of what the graph holds, where that is known without asking."""
        return None


_ADAPTERS = {
    "graph": ("graph", "EmbeddedGraph"),
    "mcp": ("mcp.server", "McpServer"),
    "http": ("http.service", "HttpService"),
    "python": ("python", "PythonCallable"),
    "replay": ("recording.replay", "Recording"),
}
_CUSTOM = ("custom", "CustomCallable")


def open_target(
    spec: GraphTarget | McpTarget | HttpTarget | PythonTarget | ReplayTarget | CustomTarget, surroundings: Surroundings
) -> Target:
    """Make the target that a suite's `target:` describes, not opened yet.

    The adapters are imported here, so that a suite pays only for the client that it uses.
    """
    module, name = _CUSTOM if isinstance(spec, CustomTarget) else _ADAPTERS[spec.kind]
    target: Target = getattr(import_module(f"pytest_graph_eval.targets.{module}"), name)(spec, surroundings)
    return target
