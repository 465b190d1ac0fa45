"""A Python callable as a target: imported, made by a factory or taken from a fixture, and called within a time limit.

Callables run in a thread of their own: one that blocks or never returns stops neither our loop nor the session, and a
synchronous one that is not thread-safe always runs in the same thread, one call at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import inspect
import sys
import sysconfig
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any

from pytest_graph_eval.errors import PreflightError, ReplyError, TargetTimeout, TransportError
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import CustomTarget, PythonTarget, ResponseMap
from pytest_graph_eval.targets.base import Query, Surroundings, Target
from pytest_graph_eval.targets.calls import CallThread, Outcome, in_thread
from pytest_graph_eval.targets.inline import is_run_inline, until_done
from pytest_graph_eval.targets.reply.mapping import check_map, map_reply, read_response, refuse_large, without
from pytest_graph_eval.targets.reply.messages import message_list
from pytest_graph_eval.targets.reply.paths import described
from pytest_graph_eval.targets.reply.plain import plain_data
from pytest_graph_eval.targets.reply.presets import response_map
from pytest_graph_eval.texts import nearest

_MESSAGES = ResponseMap.model_construct(messages="messages")
_CLOSE_TIMEOUT = 2.0


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
        self._thread: CallThread | None = None
        self._late: Future[Outcome] | None = None
        """Done when the call that ran out of time has returned."""
        self._stuck = Query("")
        """What that call was asked."""
        self._given_up = False

    @property
    def at_once(self) -> int | None:  # type: ignore[override]  # known with the callable
        """Any number where calls cannot get into each other's way, else one."""
        return None if self._is_concurrent() else 1

    @property
    def is_inline(self) -> bool:  # type: ignore[override]  # as above
        """Whether it is asked one at a time, in its own thread."""
        return not self._is_concurrent()

    def _is_concurrent(self) -> bool:
        return self._callable is not None and (self._spec.thread_safe or self._is_async)

    @functools.cached_property
    def _is_async(self) -> bool:
        call = self._callable
        return inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call).__call__)

    @functools.cached_property
    def _signature(self) -> _Signature:
        assert self._callable is not None
        return _Signature(self._callable, self._what)

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
        thread = CallThread()
        try:
            if self._callable is None:
                self._callable = await self._loaded(thread)
            if self._is_async:
                thread.start_loop()
            self._thread = thread
        finally:
            if self._thread is None:
                await _stop(thread)

    async def _loaded(self, thread: CallThread) -> Callable[..., Any]:
        value, is_factory = await self._made(thread, self._source, "")
        if is_factory:
            value = await self._made(thread, value, "the factory raised ")
        if not callable(value):
            raise self._unfit(f"it is {described(value)}; a callable is expected")
        return value  # type: ignore[no-any-return]  # just checked

    async def _made(self, thread: CallThread, make: Callable[[], Any], raised: str) -> Any:
        future = thread.submit(make)
        if not await until_done(future, self._spec.start_timeout):
            raise self._unfit(f"it was not ready within {self._spec.start_timeout:g} s")
        outcome = future.result()
        if outcome.error is not None:
            raise self._unfit(raised + self._told(outcome.error) if raised else str(outcome.error))
        return outcome.value

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
        args, kwargs = self._signature.arguments(query)
        # What is run inline comes in its order, and so do the calls in their thread.
        async with contextlib.nullcontext() if self._is_concurrent() or is_run_inline() else self._one_at_a_time:
            outcome = await self._run(query, args, kwargs)
        if outcome.error is not None:
            raise ReplyError(f"{self._what} raised {self._told(outcome.error)}")
        self.last_reply = outcome.value
        if isinstance(outcome.value, str):
            response = Response(answer=outcome.value, elapsed_s=outcome.seconds)
        else:
            response = self._response(outcome.value, query.question)
        refuse_large(response, self._what)
        if response.elapsed_s is not None:
            return response
        return response.model_copy(update={"elapsed_s": outcome.seconds})

    async def _run(self, query: Query, args: list[Any], kwargs: dict[str, Any]) -> Outcome:
        assert self._thread is not None
        assert self._callable is not None
        call = functools.partial(self._callable, *args, **kwargs)
        blocks = not self._is_async
        if blocks and self._spec.thread_safe:
            future = in_thread(call)
        else:
            await self._until_returned(query.timeout)
            future = self._thread.submit(call)
        try:
            if await until_done(future, query.timeout):
                return future.result()
        finally:
            if not future.cancelled() and future.cancel() and blocks and not self._spec.thread_safe:
                self._late, self._stuck = self._thread.submit(_nothing), query
        going_on = "; its thread cannot be stopped and goes on" if blocks else ""
        raise TargetTimeout(f"no reply from {self._what} within {query.timeout:g} s{going_on}")

    async def _until_returned(self, timeout: float) -> None:
        """Wait until an earlier call that ran out of time has returned, once; later questions do not wait any more.

        Raises:
            TargetTimeout: it has not.
        """
        late = self._late
        if late is None:
            return
        if not await until_done(late, 0 if self._given_up else timeout):
            self._given_up = True
            stuck = self._stuck
            earlier = f"the question of scenario {stuck.id!r}" if stuck.id else "an earlier question"
            raise TargetTimeout(
                f"{self._what} is still busy with {earlier}, which ran out of its {stuck.timeout:g} s; calls come one "
                "at a time and cannot be stopped: let it give up by itself, allow it more with `timeout:`, or say "
                "`thread_safe: true` where several may run at once"
            )
        self._late, self._given_up = None, False

    def _response(self, value: Any, question: str) -> Response:
        if isinstance(value, Response):
            return value
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


def _nothing() -> None: ...


async def _stop(thread: CallThread) -> None:
    await asyncio.get_running_loop().run_in_executor(None, thread.close, _CLOSE_TIMEOUT)


_folders: set[Path] = set()
"""Where modules of suites were looked for: Python knows one module of a name, whichever suite brought it."""


def _import(path: str, folder: Path) -> Any:
    """Return what `module:attribute` names; modules are also looked for beside the suite and where pytest started.

    Raises:
        ImportError: there is no such thing, or it is that of another suite.
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
        if isinstance(e, ModuleNotFoundError) and e.name == module_name.partition(".")[0]:
            places = " or ".join(dict.fromkeys(map(str, (folder, Path.cwd()))))
            raise ImportError(f"no module {e.name!r} is installed or in {places}") from e
        place = _innermost(e.__traceback__, folder)
        raise ImportError(f"{type(e).__name__}: {e}" + (f" ({place})" if place else "")) from e
    _refuse_another(module_name.partition(".")[0], folder)
    for name in attribute.split("."):
        if not hasattr(value, name):
            raise ImportError(f"there is no {name!r} in {module_name}{nearest(name, dir(value))}")
        value = getattr(value, name)
    return value


def _refuse_another(name: str, folder: Path) -> None:
    """Raise `ImportError` where the module `name` lies beside another suite, and this one has its own.

    A file with the same text beside each suite is one module; what a package is made of is not compared.
    """
    _folders.add(folder.resolve())
    file = getattr(sys.modules[name], "__file__", None)
    if not file:  # built in, or a folder without __init__
        return
    found = Path(file).resolve()
    is_of_a_suite = found.parents[found.name == "__init__.py"] in _folders
    for own in (folder / f"{name}.py", folder / name / "__init__.py"):
        if is_of_a_suite and own.is_file() and not _is_same(own, found):
            raise ImportError(
                f"{own} is not what is asked: Python has loaded {found} as the module {name!r}; give one another "
                "name, or run their suites apart"
            )


def _is_same(own: Path, found: Path) -> bool:
    return own.samefile(found) or (own.name != "__init__.py" and own.read_bytes() == found.read_bytes())


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


_OFFERED: dict[str, Callable[[Query], Any]] = {
    "mode": lambda query: query.mode,
    "id": lambda query: query.id,
    "turn": lambda query: query.turn,
    "as_of": lambda query: query.as_of,
    "query_hints": lambda query: query.query_hints,
    "messages": Query.messages,
    "thread_id": lambda query: query.conversation.thread_id,
    "conversation": lambda query: query.conversation,
}
"""What a callable gets by the names of its parameters, beside the question."""


class _Signature:
    """What a callable takes; read once."""

    def __init__(self, call: Callable[..., Any], what: str) -> None:
        """Look at the parameters; `what` names the callable in messages."""
        self._what = what
        try:
            parameters = list(inspect.signature(call).parameters.values())
        except (TypeError, ValueError):
            parameters = []
            self._tells = False
        else:
            self._tells = True
        self._takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters)
        self._named = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        self._first = next((p.name for p in parameters if p.kind is not p.KEYWORD_ONLY), None)
        self._wanted = {name: of for name, of in _OFFERED.items() if self._takes_all or name in self._named}
        self._holds = self._takes_all or bool({"messages", "thread_id", "conversation"} & set(self._named))

    def arguments(self, query: Query) -> tuple[list[Any], dict[str, Any]]:
        """Return what to call with: the question, and what else the parameters ask for by name.

        Raises:
            ReplyError: the scenario has arguments that the callable does not take.
        """
        if not self._tells:
            return [query.question], dict(query.arguments)
        self._check(query)
        kwargs = {name: of(query) for name, of in self._wanted.items()} | dict(query.arguments)
        if "question" in self._named and self._first != "question":
            return [], {"question": query.question, **kwargs}
        kwargs.pop(self._first or "", None)
        return [query.messages() if self._first == "messages" else query.question], kwargs

    def _check(self, query: Query) -> None:
        others = () if self._takes_all else [name for name in query.arguments if name not in self._named]
        if others:
            unknown = ", ".join(f"{name!r}{nearest(name, self._named)}" for name in others)
            raise ReplyError(
                f"{self._what} does not take the scenario's arguments {unknown}; it takes {', '.join(self._named)}"
            )
        if query.history and not self._holds:
            raise ReplyError(
                f"{self._what} cannot hold a conversation; give it a parameter `messages`, `thread_id` or"
                " `conversation`"
            )
