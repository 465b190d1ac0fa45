"""Asks an open target for one scenario, and says what came of it.

Between the scenario and the target it does what no adapter should repeat: it selects the mode, renames it, asks again
under an alias, holds a conversation, asks once more alone what may have failed by our load, and cuts the entity list.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_graph_eval.errors import PreflightError, TargetError, TargetTimeout, TransportError
from pytest_graph_eval.evaluation.deaths import Deaths
from pytest_graph_eval.evaluation.modes import select_mode
from pytest_graph_eval.evaluation.preflight import PreflightResult, judge_status
from pytest_graph_eval.metrics.facts.as_of import is_current
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.scenario import Scenario, turns_of
from pytest_graph_eval.targets.base import Query, Target, TargetStatus
from pytest_graph_eval.targets.conversation import Conversation
from pytest_graph_eval.targets.limiter import Limiter
from pytest_graph_eval.targets.prices import priced
from pytest_graph_eval.targets.recording.lines import REPLAYED
from pytest_graph_eval.targets.reply.presets import mode_names

DEFAULT_TIMEOUT = 30.0
_LATE_ALONE = 3
"""Questions in a row that are late alone: from then on it is the target that is slow, not we who ask too much."""


@dataclass(slots=True)
class Asked:
    """What came of asking one scenario's question: a response or an error, and under which circumstances."""

    response: Response | None = None
    error: TargetError | None = None
    mode: str = ""
    mode_ran: str | None = None
    elapsed_s: float | None = None
    entities_found: int | None = None
    """How many entities the target returned, before `top_entities` cut them."""
    attempts: int = 1
    """How many requests it took."""
    concurrency: int | None = None
    """How many questions were in flight at most while this one was; None where nothing was asked."""
    reply: Any = None
    """What came back, decoded and not mapped; None where nothing did, or where nothing is mapped."""
    is_replayed: bool = False
    """Whether the reply comes from a cassette."""
    flags: list[str] = field(default_factory=list)
    turns: list[Asked] = field(default_factory=list)
    """Of a conversation, what came of its turns as far as it went."""


Passed = Callable[[Sequence["Asked"]], bool]
"""Tells whether the last of the turns that were asked passed."""


@dataclass(slots=True)
class _Company:
    """What the questions to one target know of each other, whichever suites they belong to."""

    asked: int = 0
    late_alone: int = 0
    """How many questions in a row ran out of time with nothing else in flight."""
    second_chance: asyncio.Lock = field(default_factory=asyncio.Lock)
    deaths: Deaths = field(default_factory=Deaths)


@dataclass(slots=True)
class OpenTarget:
    """A target that passed its preflight for one suite, or the error with which all of that suite's scenarios end."""

    spec: Any
    target: Target | None
    result: PreflightResult | None = None
    error: TargetError | None = None
    limiter: Limiter = field(default_factory=Limiter)
    is_inline: bool = False
    """Whether its questions can be asked in the calling thread: nothing of them waits for a turn or a reply."""
    found: tuple[TargetStatus, tuple[str, ...]] | None = None
    """What it said of itself when it was opened, and what that was warned of, for any suite."""
    _company: _Company = field(default_factory=_Company)

    def for_suite(self, scenarios: Sequence[Scenario], where: str) -> OpenTarget:
        """Return the same target for a suite: which of its scenarios can be asked is not what it is for another's.

        Behind a cassette there is one for each suite, which has found that out where it had to.
        """
        if self.found is None or self.target is None:
            return self
        status, warnings = self.found
        try:
            result = judge_status(self.target, self.spec, status, scenarios, warnings=warnings, where=where)
            return replace(self, result=result)
        except PreflightError as e:
            return replace(self, error=e)

    @property
    def at_once(self) -> int | None:
        """How many questions it takes at the same time; None is any number."""
        limits = (self.target.at_once if self.target else 1, self.spec.max_concurrency)
        return min((limit for limit in limits if limit is not None), default=None)

    async def ask(self, scenario: Scenario, *, repeat: int = 1, passed: Passed | None = None) -> Asked:
        """Ask the scenario's question, and once more under each alias while no evidence comes back.

        The turns of a conversation are asked one after another, until one has no reply; with `stop_on_failure` until
        one has not `passed`. Where others that were in flight may be why no reply came, all is asked once more alone;
        but a server that died stays the error of one question (`deaths`).
        """
        if self.is_inline:  # nothing else is in flight
            return await self._ask(scenario, repeat, passed, alone=False)
        self._company.asked += 1
        number = self._company.asked
        death = None
        with self._company.deaths.in_flight(number):
            asked = await self._ask(scenario, repeat, passed, alone=False)
            if self._may_be_our_load(asked) and self._died(asked):
                death = self._company.deaths.lost(number)
        if not self._may_be_our_load(asked) or (death and await death.answers_for_it(number)):
            return asked
        died = False
        try:
            async with self._company.second_chance:
                if not self._may_be_our_load(asked):  # others were late alone meanwhile
                    return asked
                logging.getLogger(__name__).warning("%s: %s; asked once more, alone", scenario.id, _last(asked).error)
                again = await self._ask(scenario, repeat, passed, alone=True)
                died = self._died(again)
                return again
        finally:
            if death:
                death.tried(number, died=died)

    def _died(self, asked: Asked) -> bool:
        """Tell whether a server that we started was lost while it was asked."""
        return bool(getattr(self.spec, "command", None)) and isinstance(_last(asked).error, TransportError)

    def _may_be_our_load(self, asked: Asked) -> bool:
        last = _last(asked)
        if last.error is None or not last.error.may_be_load or (last.concurrency or 1) == 1:
            return False
        return self._company.late_alone < _LATE_ALONE or not isinstance(last.error, TargetTimeout)

    async def _ask(self, scenario: Scenario, repeat: int, passed: Passed | None, *, alone: bool) -> Asked:
        mode = select_mode(scenario)
        asked = Asked(mode=mode)
        blocked = self.result.blocked.get(scenario.id) if self.result else None
        if self.error or blocked or self.target is None:
            asked.error = self.error or PreflightError(blocked or "the target was not opened")
            return asked
        if scenario.turns:
            return await self._converse(scenario, repeat, passed, asked, alone=alone)
        query = self._query(scenario, mode, repeat)
        await self._ask_once(query, asked, alone=alone)
        if asked.response is None or asked.response.has_evidence() or scenario.expect.no_evidence:
            return asked
        for name, alias in self._aliases(scenario.question):
            again = Asked(mode=mode, flags=[*asked.flags, f"alias:{alias}"])
            question = _word(name).sub(alias.replace("\\", r"\\"), scenario.question)
            await self._ask_once(self._query(scenario, mode, repeat, question), again, alone=alone)
            if again.response is not None and again.response.has_evidence():
                return again
        return asked

    async def _converse(
        self, scenario: Scenario, repeat: int, passed: Passed | None, whole: Asked, *, alone: bool
    ) -> Asked:
        assert self.target is not None
        conversation, turns = Conversation(), turns_of(scenario)
        asked = [Asked(mode=select_mode(turn)) for turn in turns]
        queries = [
            replace(self._query(turn, one.mode, repeat), turn=number, conversation=conversation)
            for number, (turn, one) in enumerate(zip(turns, asked, strict=True), 1)
        ]
        self.target.begin(queries)
        for query, one in zip(queries, asked, strict=True):
            conversation.turn = query.turn
            await self._ask_once(replace(query, history=tuple(conversation.messages)), one, alone=alone)
            whole.turns.append(one)
            if one.response is None:
                break
            if scenario.stop_on_failure and passed is not None and not passed(whole.turns):
                break
            answer = one.response.answer or ""
            conversation.messages += [*query.messages(), {"role": "assistant", "content": answer}]
        return whole

    def _query(self, scenario: Scenario, mode: str, repeat: int, question: str | None = None) -> Query:
        return Query(
            question=question or scenario.question,
            id=scenario.id,
            source_id=scenario.source_id or "",
            mode=mode_names(self.spec).get(mode, mode),
            repeat=repeat,
            as_of=None if scenario.as_of and is_current(scenario.as_of) else scenario.as_of,
            query_hints=scenario.query_hints,
            arguments=scenario.arguments,
            timeout=scenario.timeout or self.spec.timeout or DEFAULT_TIMEOUT,
        )

    async def _ask_once(self, query: Query, asked: Asked, *, alone: bool) -> None:
        assert self.target is not None
        remarks = self.target.remarks(query)
        asked.is_replayed = REPLAYED in remarks
        asked.flags += [flag for flag in remarks if flag not in asked.flags]
        if asked.is_replayed:
            await self._reply_to(query, asked)
            return
        if self.is_inline:
            await self._reply_to(query, asked)
            asked.concurrency = 1
        else:
            async with self.limiter.turn(alone=alone) as turn:
                await self._reply_to(query, asked)
            asked.concurrency = turn.concurrency
        if asked.concurrency == 1:
            self._company.late_alone = self._company.late_alone + 1 if isinstance(asked.error, TargetTimeout) else 0

    async def _reply_to(self, query: Query, asked: Asked) -> None:
        assert self.target is not None
        start = time.perf_counter()
        try:
            response = await self.target.ask(query)
        except TargetError as e:
            asked.error, asked.attempts, asked.reply = e, e.attempts, e.reply
        except Exception as e:  # one broken reply must not cost the run; the record says what happened
            asked.error = TargetError(f"reading the reply failed: {type(e).__name__}: {e}")
        else:
            asked.reply = self.target.last_reply  # its own: nothing was awaited since it came
            asked.response = self._cut(self._priced(response, asked), asked)
            asked.attempts = response.attempts
            asked.mode_ran = response.mode or query.mode
        elapsed = asked.response.elapsed_s if asked.response else None
        asked.elapsed_s = time.perf_counter() - start if elapsed is None else elapsed

    def _priced(self, response: Response, asked: Asked) -> Response:
        """Put what the reply cost on its usage where the target has `prices`, else a flag that says why not."""
        if not self.spec.prices:
            return response
        usage, gap = priced(response.usage, self.spec.prices)
        if gap:
            asked.flags.append(f"unpriced:{gap}")
        return response.model_copy(update={"usage": usage})

    def _cut(self, response: Response, asked: Asked) -> Response:
        """Keep the first `top_entities`; the raw count stays in `asked`."""
        if response.entities is None:
            return response
        asked.entities_found = len(response.entities)
        top = self.spec.top_entities
        if top is None or len(response.entities) <= top:
            return response
        return response.model_copy(update={"entities": response.entities[:top]})

    def _aliases(self, question: str) -> list[tuple[str, str]]:
        return [
            (name, alias)
            for name, aliases in self.spec.aliases.items()
            if _word(name).search(question)
            for alias in aliases
        ]


def _last(asked: Asked) -> Asked:
    """Return what came of the last turn of a conversation, of the question itself elsewhere."""
    return asked.turns[-1] if asked.turns else asked


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
