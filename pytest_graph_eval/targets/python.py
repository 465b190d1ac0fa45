"""A Python callable as a target: imported, made by a factory or taken from a fixture, and called within a time limit.

Callables run on a loop thread of their own: one that blocks or never returns stops neither our loop nor the session,
and a synchronous one that is not thread-safe always runs in the same thread, one call at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import importlib
import inspect
import sys
import sysconfig
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

from pytest_graph_eval.errors import PreflightError, ReplyError, TargetTimeout, TransportError
from pytest_graph_eval.records import Response
from pytest_graph_eval.settings import CustomTarget, PythonTarget, ResponseMap
from pytest_graph_eval.targets.base import Query, Surroundings, Target
from pytest_graph_eval.targets.loop import LoopThread
from pytest_graph_eval.targets.reply.mapping import check_map, map_reply, read_response, without
from pytest_graph_eval.targets.reply.messages import message_list
from pytest_graph_eval.targets.reply.paths import described
from pytest_graph_eval.targets.reply.plain import plain_data
from pytest_graph_eval.targets.reply.presets import response_map
from pytest_graph_eval.texts import nearest

__all__ = ["PythonCallable"]

_MESSAGES = ResponseMap(messages="messages")
_CLOSE_TIMEOUT = 2.0
_POLL = 0.02


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a call came to; exceptions of any kind are values here, so that they cannot end the loop."""

    value: Any = None
    error: BaseException | None = None
    seconds: float = 0.0


@dataclass(slots=True)
class _Progress:
    """Whether a call has begun and not returned; written in its thread, read in ours."""

    is_busy: bool = False


class PythonCallable(Target):
    """A function `(question, ...)` that returns an answer, a mapping with the fields of a `Response`, or a `Response`.

    A first parameter `messages` gets the conversation as chat messages in place of the question. The messages of an
    agent (OpenAI, LangChain, pydantic-ai) are read as well, as objects or as data.
    It also gets `mode`, `id`, `turn`, `as_of`, `query_hints`, `messages`, `thread_id`, `conversation` (a
    `Conversation`) and the scenario's `arguments` where its parameters have these names.
    """

    kind = "python"

    def __init__(self, spec: PythonTarget | CustomTarget, surroundings: Surroundings) -> None:
        """Take the settings; nothing is imported before `open`."""
        self._spec = spec
        self._surroundings = surroundings
        self._what = _named(spec)
        self.name = spec.name or self._what
        self.where = surroundings.where
        self.deterministic = bool(spec.deterministic)
        self.rules = response_map(spec)
        self.id_rule = self.rules.id_rule if self.rules else ""
        if spec.graph_dir:
            self.graph_dir = surroundings.folder / spec.graph_dir
        self._callable: Callable[..., Any] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._thread: LoopThread | None = None
        self._running = _Progress()
        self._given_up = False

    @property
    def at_once(self) -> int | None:  # type: ignore[override]  # known with the callable
        """Any number where calls cannot get into each other's way, else one."""
        return None if self._is_concurrent() else 1

    def _is_concurrent(self) -> bool:
        return self._callable is not None and (self._spec.thread_safe or self._is_async)

    @cached_property
    def _is_async(self) -> bool:
        call = self._callable
        return inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call).__call__)

    @cached_property
    def _parameters(self) -> Mapping[str, inspect.Parameter] | None:
        """The parameters of the callable, None where it does not tell."""
        assert self._callable is not None
        try:
            return inspect.signature(self._callable).parameters
        except (TypeError, ValueError):
            return None

    def bind(self, value: Any) -> None:
        """Take the value of the fixture that the settings name, before `open`.

        Raises:
            PreflightError: it cannot be called.
        """
        if not callable(value):
            raise self._unfit(f"it is {described(value)}; a callable is expected")
        self._callable = value

    async def open(self) -> None:
        """Import the module, call the factory. Does nothing where that is done already.

        Raises:
            PreflightError: there is no such callable, or importing or making it failed.
        """
        if self._thread is not None:
            return
        if self.rules is not None and (problems := check_map(self.rules)):
            raise self._unfit("\n".join(problems))
        if self._callable is None and getattr(self._spec, "fixture", None):
            raise self._unfit("the fixture has no value; it is set up by pytest and only known there")
        thread = LoopThread()
        try:
            if self._callable is None:
                self._callable = await self._loaded(thread)
            self._thread = thread
        finally:
            if self._thread is None:
                await _stop(thread)

    async def _loaded(self, thread: LoopThread) -> Callable[..., Any]:
        outcome = await self._await(thread.submit(_caught(self._load)), self._spec.start_timeout)
        if outcome is None:
            raise self._unfit(f"it was not ready within {self._spec.start_timeout:g} s")
        if outcome.error is not None:
            raise self._unfit(str(outcome.error))
        return outcome.value  # type: ignore[no-any-return]  # `_load` has seen that it can be called

    async def _load(self) -> Callable[..., Any]:
        value, is_factory = self._source()
        if is_factory:
            try:
                value = value()
                value = await value if inspect.isawaitable(value) else value
            except (Exception, SystemExit) as e:
                raise ImportError(f"the factory raised {self._told(e)}") from e
        if not callable(value):
            raise ImportError(f"it is {described(value)}; a callable is expected")
        return value  # type: ignore[no-any-return]  # just checked

    def _source(self) -> tuple[Any, bool]:
        """Return what is to be called, or with True what makes it."""
        assert isinstance(self._spec, PythonTarget)
        value = _import(self._spec.call or self._spec.factory or "", self._surroundings.folder)
        return value, bool(self._spec.factory)

    async def ask(self, query: Query) -> Response:
        """Call the callable with the question.

        Raises:
            TargetTimeout: it did not return in time; a synchronous one cannot be stopped and goes on.
            ReplyError: it raised, or returned what is no response.
        """
        if self._thread is None or self._callable is None:
            raise TransportError(f"{self.name}: the target is not open")
        args, kwargs = _arguments(self._parameters, query, self._what)
        if self._is_concurrent():
            outcome = await self._run(query, args, kwargs)
        else:
            async with self._one_at_a_time:
                outcome = await self._run(query, args, kwargs)
        if outcome.error is not None:
            raise ReplyError(f"{self._what} raised {self._told(outcome.error)}")
        self.last_reply = outcome.value
        response = self._response(outcome.value, query.question)
        if response.elapsed_s is not None:
            return response
        return response.model_copy(update={"elapsed_s": outcome.seconds})

    async def _run(self, query: Query, args: list[Any], kwargs: dict[str, Any]) -> _Outcome:
        assert self._thread is not None
        call = self._callable
        assert call is not None
        blocks = not self._is_async
        if blocks and not self._spec.thread_safe:
            await self._until_returned(query.timeout)
        if blocks and self._spec.thread_safe:
            future = _in_thread(lambda: call(*args, **kwargs))
        else:
            progress = self._running = _Progress()
            future = self._thread.submit(_caught(lambda: _awaited(call, args, kwargs, progress)))
        outcome = await self._await(future, query.timeout)
        if outcome is None:
            going_on = "; its thread cannot be stopped and goes on" if blocks else ""
            raise TargetTimeout(f"no reply from {self._what} within {query.timeout:g} s{going_on}")
        return outcome

    async def _until_returned(self, timeout: float) -> None:
        """Wait until an earlier call that ran out of time has returned, once; later questions do not wait any more.

        Raises:
            TargetTimeout: it has not.
        """
        if not self._running.is_busy:
            return
        deadline = time.monotonic() + (0 if self._given_up else timeout)
        while self._running.is_busy and time.monotonic() < deadline:
            await asyncio.sleep(_POLL)
        self._given_up = self._running.is_busy
        if self._given_up:
            raise TargetTimeout(f"{self._what} is still busy with an earlier question that ran out of time")

    async def _await(self, future: Future[_Outcome], timeout: float) -> _Outcome | None:
        """Wait for a call that runs elsewhere; None when the time is over."""
        wrapped = asyncio.wrap_future(future)
        try:
            await asyncio.wait({wrapped}, timeout=timeout)
            return wrapped.result() if wrapped.done() else None
        finally:
            wrapped.cancel()

    def _response(self, value: Any, question: str) -> Response:
        if isinstance(value, Response):
            return value
        if isinstance(value, str):
            return Response(answer=value)
        if value is None:
            raise ReplyError(f"{self._what} returned None; a text, a mapping, messages or a Response is expected")
        if callable(found := getattr(value, "all_messages", None)):  # what a run of pydantic-ai results in
            value = found()
        try:
            value = self.last_reply = without(plain_data(value), self._spec.drop)
        except RecursionError:
            raise ReplyError(f"{self._what} returned data that is nested too deeply to be read") from None
        if self.rules is not None:
            return map_reply(value, self.rules, question)
        if (messages := message_list(value)) is not None:
            return map_reply({"messages": messages}, _MESSAGES, question)
        if not isinstance(value, Mapping):
            raise ReplyError(
                f"{self._what} returned {described(value)}; a text, a mapping, messages or a Response is expected"
            )
        return read_response(value, f"what {self._what} returned")

    def _told(self, error: BaseException) -> str:
        """Return type and message of an exception, and the innermost line of the user's own code."""
        place = _innermost(error.__traceback__, self._surroundings.folder)
        return f"{type(error).__name__}: {error}" + (f" ({place})" if place else "")

    def _unfit(self, message: str) -> PreflightError:
        named = self.name if self.name == self._what else f"{self.name} ({self._what})"
        return PreflightError(f"{self.where}: target {named}: {message}" if self.where else f"{named}: {message}")

    async def close(self) -> None:
        """Stop the loop thread; one that is stuck in a call is left behind, and ends with the process."""
        thread, self._thread = self._thread, None
        if thread is not None:
            await _stop(thread)


def _named(spec: PythonTarget | CustomTarget) -> str:
    return spec.kind if isinstance(spec, CustomTarget) else spec.call or spec.factory or f"fixture {spec.fixture}"


async def _stop(thread: LoopThread) -> None:
    await asyncio.get_running_loop().run_in_executor(None, thread.close, _CLOSE_TIMEOUT)


async def _caught(work: Callable[[], Any]) -> _Outcome:
    """Run `work` and return what came of it, timed from when it began; a cancellation stays one."""
    start = time.perf_counter()
    try:
        return _Outcome(await work(), seconds=time.perf_counter() - start)
    except asyncio.CancelledError:
        raise
    except BaseException as e:
        return _Outcome(error=e)


async def _awaited(call: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], progress: _Progress) -> Any:
    progress.is_busy = True
    try:
        value = call(*args, **kwargs)
        return await value if inspect.isawaitable(value) else value
    finally:
        progress.is_busy = False


def _in_thread(work: Callable[[], Any]) -> Future[_Outcome]:
    """Run `work` in a daemon thread of its own: an executor's threads would keep the process from ending."""
    future: Future[_Outcome] = Future()

    def run() -> None:
        start = time.perf_counter()
        try:
            outcome = _Outcome(work(), seconds=time.perf_counter() - start)
        except BaseException as e:
            outcome = _Outcome(error=e)
        with contextlib.suppress(Exception):
            future.set_result(outcome)

    context = contextvars.copy_context()  # what it prints belongs to the question that it serves
    threading.Thread(target=context.run, args=(run,), name="graph-eval call", daemon=True).start()
    return future


def _import(path: str, folder: Path) -> Any:
    """Return what `module:attribute` names; modules are also looked for beside the suite and where pytest started.

    Raises:
        ImportError: there is no such thing.
    """
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise ImportError("`module:callable` is expected")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        value: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as e:
        place = _innermost(e.__traceback__, folder)
        raise ImportError(f"{type(e).__name__}: {e}" + (f" ({place})" if place else "")) from e
    for name in attribute.split("."):
        if not hasattr(value, name):
            raise ImportError(f"there is no {name!r} in {module_name}{nearest(name, dir(value))}")
        value = getattr(value, name)
    return value


def _innermost(trace: TracebackType | None, folder: Path) -> str:
    """Return `file:line` of the innermost frame that is the user's code, else of the innermost one."""
    ours = str(Path(__file__).parent.parent)
    library = (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), ours, "<")
    frames = [f for f in traceback.extract_tb(trace) if not f.filename.startswith((ours, "<"))]
    frames = [f for f in frames if not f.filename.startswith(library)] or frames
    if not frames:
        return ""
    path = Path(frames[-1].filename)
    shown = path.relative_to(folder) if path.is_relative_to(folder) else path
    return f"{shown}:{frames[-1].lineno}"


def _arguments(
    parameters: Mapping[str, inspect.Parameter] | None, query: Query, what: str
) -> tuple[list[Any], dict[str, Any]]:
    """Return what to call with: the question, and what else the parameters ask for by name.

    Raises:
        ReplyError: the scenario has arguments that the callable does not take.
    """
    offered: dict[str, Any] = {
        "mode": query.mode,
        "id": query.id,
        "turn": query.turn,
        "as_of": query.as_of,
        "query_hints": query.query_hints,
        "messages": query.messages(),
        "thread_id": query.conversation.thread_id,
        "conversation": query.conversation,
    }
    if parameters is None:
        return [query.question], dict(query.arguments)
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    named = [n for n, p in parameters.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    unknown = [f"{name!r}{nearest(name, named)}" for name in query.arguments if not takes_all and name not in named]
    if unknown:
        raise ReplyError(
            f"{what} does not take the scenario's arguments {', '.join(unknown)}; it takes {', '.join(named)}"
        )
    if query.history and not takes_all and not {"messages", "thread_id", "conversation"} & set(named):
        raise ReplyError(
            f"{what} cannot hold a conversation; give it a parameter `messages`, `thread_id` or `conversation`"
        )
    kwargs = {name: value for name, value in offered.items() if takes_all or name in named} | dict(query.arguments)
    first = next((n for n, p in parameters.items() if p.kind is not p.KEYWORD_ONLY), None)
    if "question" in named and first != "question":
        return [], {"question": query.question, **kwargs}
    kwargs.pop(first or "", None)
    return [query.messages() if first == "messages" else query.question], kwargs
