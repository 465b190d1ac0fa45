"""Opens each target once and runs its preflight once, whichever suites ask it.

One `Pool` lives on one loop thread and serves one process.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from pytest_graph_eval.errors import TargetError
from pytest_graph_eval.evaluation.asking import OpenTarget
from pytest_graph_eval.evaluation.preflight import inspect, judge_status, preflight
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.targets.base import Surroundings, Target, open_target
from pytest_graph_eval.targets.limiter import Limiter
from pytest_graph_eval.targets.recording.lines import Tape, read_cassette
from pytest_graph_eval.targets.recording.recorder import RecordingTarget

CLOSE_TIMEOUT = 10.0
_AT_HAND = ("graph", "replay")
"""Kinds of targets that are files already: nothing of them is recorded."""


@runtime_checkable
class Bindable(Protocol):
    """A target that is given the value of a fixture."""

    def bind(self, value: Any) -> None:
        """Take the value that is to be asked."""


def _key(spec: Any, folder: Path, bind: Any, tape: Tape | None) -> str:
    return f"{folder}\n{spec.model_dump_json()}\n{id(bind) if bind is not None else ''}\n{tape}"


class Pool:
    """All open targets of a process, by their settings and the folder that these belong to."""

    def __init__(self) -> None:
        """Start with nothing open."""
        self._open: dict[str, asyncio.Task[OpenTarget]] = {}
        self._opening: list[Target] = []
        self._secrets: frozenset[str] = frozenset()

    async def get(
        self,
        spec: Any,
        surroundings: Surroundings,
        scenarios: Sequence[Scenario],
        bind: Any = None,
        tape: Tape | None = None,
    ) -> OpenTarget:
        """Return the target for these settings, opened and checked on the first call, as it was then later.

        A failed start is kept, so that the rest of the target's scenarios end at once with the same cause.
        `bind` is the value of the fixture that a python target names; `tape` is where its replies are recorded.
        """
        key = _key(spec, surroundings.folder, bind, tape)
        task = self._open.get(key)
        if task is None:
            target = open_target(spec, surroundings)
            self._opening.append(target)
            target.limiter = Limiter(spec.max_concurrency, spec.per_second())
            preparing = _prepare(
                OpenTarget(spec, target, limiter=target.limiter), surroundings.folder, scenarios, bind, tape
            )
            task = self._open[key] = asyncio.create_task(preparing)
        opened = await asyncio.shield(task)
        self._secrets |= self.secrets()
        # Behind a cassette, a target may still be opened later.
        self._opening = [t for t in self._opening if t is not opened.target]
        return opened.for_suite(scenarios, surroundings.where)

    def known(
        self,
        spec: Any,
        surroundings: Surroundings,
        scenarios: Sequence[Scenario],
        bind: Any = None,
        tape: Tape | None = None,
    ) -> OpenTarget | None:
        """Return what `get` returns where the target is open, without waiting; None where it is not yet."""
        task = self._open.get(_key(spec, surroundings.folder, bind, tape))
        if task is None or not task.done() or task.cancelled():
            return None
        return task.result().for_suite(scenarios, surroundings.where)

    def secrets(self) -> frozenset[str]:
        """Return the values that no target wants to be shown, those included that are just being opened."""
        if not self._opening:
            return self._secrets
        return self._secrets.union(*(target.secrets for target in self._opening))

    async def close(self) -> None:
        """Close every target, those included that were just being opened, each within a bound of its own."""
        tasks = list(self._open.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_TIMEOUT)
        ended = [task for task in tasks if task.done() and not task.cancelled() and not task.exception()]
        targets = {id(target): target for target in [*(task.result().target for task in ended), *self._opening]}
        self._open.clear()
        self._opening.clear()
        await asyncio.gather(*(_close(target) for target in targets.values() if target is not None))


async def _close(target: Target) -> None:
    try:
        await asyncio.wait_for(target.close(), CLOSE_TIMEOUT)
    except Exception as e:  # nothing measured may be lost because a server dies badly
        logging.getLogger(__name__).debug("closing %s: %r", target.name, e)


async def _prepare(
    opened: OpenTarget, folder: Path, scenarios: Sequence[Scenario], bind: Any, tape: Tape | None
) -> OpenTarget:
    target, spec = opened.target, opened.spec
    assert target is not None
    try:
        if isinstance(target, Bindable) and bind is not None:
            target.bind(bind)
        if tape is None or spec.kind in _AT_HAND:
            opened.found = await inspect(target, spec)
        else:
            recording = RecordingTarget(
                target,
                spec,
                read_cassette(tape.path),
                tape.mode,
                lambda: preflight(target, spec, scenarios),
                folder=folder,
            )
            opened.target = recording
            status = recording.recorded_status()
            recorded = judge_status(recording, spec, status, scenarios) if status is not None else None
            opened.result = recorded or await recording.live()
        opened.is_inline = opened.target is not None and opened.target.is_inline and not spec.rate
    except TargetError as e:
        opened.error = e
    return opened
