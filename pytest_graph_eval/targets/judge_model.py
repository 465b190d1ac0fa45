"""The model that judges: an endpoint of chat completions or a callable, asked through the targets' adapters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pytest_graph_eval.errors import ReplyError
from pytest_graph_eval.models.judge_settings import JudgeSettings
from pytest_graph_eval.models.records import Usage
from pytest_graph_eval.models.settings import HttpTarget, PythonTarget
from pytest_graph_eval.targets.base import Query, Surroundings, Target, open_target
from pytest_graph_eval.targets.prices import priced

_COMPLETIONS = "/chat/completions"
_OPTIONAL = ("seed", "temperature")
"""What some models refuse to be told."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What the model wrote, and what that took; `gap` says why its cost is not known."""

    text: str
    usage: Usage | None = None
    gap: str = ""
    is_cut: bool = False
    """Whether the model stopped because its tokens were used up."""


class JudgeModel:
    """Asks one model. Its answers are texts; what they mean is decided elsewhere."""

    def __init__(self, settings: JudgeSettings, surroundings: Surroundings) -> None:
        self._settings = settings
        self._target = _target(settings, surroundings)
        self._sent = {"temperature": settings.temperature, "seed": settings.seed} if settings.url else {}
        self.dropped: list[str] = []
        """Parameters that the endpoint refused, and which are not sent any more."""

    @property
    def secrets(self) -> frozenset[str]:
        """Configured values that must not be shown; known once it is open."""
        return self._target.secrets

    @property
    def identity(self) -> str:
        """All of the settings that may change a reply, as a text; secrets are in `headers` and not among them."""
        fields = ("url", "call", "model", "json_", "temperature", "seed")
        return json.dumps([getattr(self._settings, name) for name in fields], sort_keys=True, default=str)

    async def open(self) -> None:
        """Connect or import.

        Raises:
            TargetError: it cannot be asked.
        """
        await self._target.open()

    async def reply(self, system: str, user: str, sample: int = 1) -> ModelReply:
        """Ask once.

        Args:
            system: our instructions; nothing of what is judged.
            user: the data to be judged. A callable gets both as one text, or one user message.
            sample: which of several judgements of the same this is; it moves the seed.

        Raises:
            TargetError: no reply came back.
        """
        while True:
            try:
                return await self._asked(system, user, sample)
            except ReplyError as e:
                refused = [name for name in self._sent if _refuses(str(e), name)]
                if not refused:
                    raise
                for name in refused:
                    if self._sent.pop(name, None) is not None:
                        self.dropped.append(name)

    async def _asked(self, system: str, user: str, sample: int) -> ModelReply:
        arguments: dict[str, Any] = dict(self._sent)
        if "seed" in arguments:
            arguments["seed"] += sample - 1
        history = ({"role": "system", "content": system},) if self._settings.url else ()
        question = user if self._settings.url else f"{system}\n\n{user}"
        query = Query(question, id="judge", history=history, arguments=arguments, timeout=self._settings.timeout)
        response = await self._target.ask(query)
        raw = self._target.last_reply  # its own: nothing was awaited since it came
        if response.error is not None:
            raise ReplyError(f"the judge reports an error: {response.error}")
        if response.answer is None:
            raise ReplyError("the judge's reply holds no text")
        usage, gap = priced(response.usage, self._settings.prices)
        return ModelReply(response.answer, usage, gap, _is_cut(raw))

    async def close(self) -> None:
        """Give everything back. Idempotent."""
        await self._target.close()


def _target(settings: JudgeSettings, surroundings: Surroundings) -> Target:
    if settings.url is None:
        return open_target(PythonTarget(name="judge", call=settings.call), surroundings)
    base, mark, query = settings.url.partition("?")  # some providers want their version there
    base = base.rstrip("/").removesuffix(_COMPLETIONS) + _COMPLETIONS
    body = {"model": settings.model, **settings.json_}
    spec = HttpTarget(name="judge", url=base + mark + query, headers=settings.headers, json_=body, preset="openai-chat")
    return open_target(spec, surroundings)


def _refuses(message: str, name: str) -> bool:
    return name in _OPTIONAL and ("HTTP 400" in message or "HTTP 422" in message) and name in message.lower()


def _is_cut(raw: Any) -> bool:
    choices = raw.get("choices") if isinstance(raw, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, dict) and first.get("finish_reason") == "length"
