"""Conversations: which targets can hold one, and what a Python target gets of it."""

from __future__ import annotations

import itertools
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.targets.reply.presets import preset_of

if TYPE_CHECKING:
    from pytest_graph_eval.models.scenario import Scenario

_PLACEHOLDERS = ("{thread_id}", "{messages}")
_NAME_ONE = "put `{thread_id}` (a server that remembers) or `{messages}` (one that does not) into its "
HOW_TO_HOLD = {
    "graph": "it looks up each question for itself: ask an agent, or split the turns into scenarios",
    "mcp": f"{_NAME_ONE}`arguments:`",
    "http": f"{_NAME_ONE}`json:` or `url:`",
}
"""What to do about a target that cannot hold a conversation, by its kind."""


def holds_conversations(spec: Any, scenario: Scenario) -> bool:
    """Tell whether a target learns which conversation a question belongs to; a Python one tells when it is called."""
    if spec.kind not in ("mcp", "http"):
        return bool(spec.kind != "graph")
    preset = preset_of(spec)
    usual = dict(preset.arguments) if preset else {}
    sent = {"scenario": scenario.arguments}
    if spec.kind == "mcp":
        sent["arguments"] = usual if spec.arguments is None else spec.arguments
    else:
        sent |= {"headers": spec.headers, "url": spec.url, "json": {**usual, **spec.json_}}
    asked = [json.dumps(turn.arguments, default=str) for turn in scenario.turns or ()]
    text = json.dumps(sent, default=str)
    return any(word in text or all(word in own for own in asked) for word in _PLACEHOLDERS)


_PROCESS = secrets.token_hex(8)
_NUMBERS = itertools.count(1)


def _new_id() -> str:
    """Return what no other conversation is called, in this process or another; a random one each takes longer."""
    return f"{_PROCESS}-{next(_NUMBERS)}"


@dataclass(slots=True)
class Conversation:
    """One conversation with a target, as a Python callable gets it.

    `thread_id` is another one in each run and repeat. `messages` are those of the turns so far, with `role` and
    `content`. `state` is the callable's own: what it puts there is there in the next turn.
    """

    thread_id: str = field(default_factory=_new_id)
    turn: int = 1
    messages: list[Mapping[str, str]] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
