"""One connection to an MCP server: the task that owns it, and calls that race against its end.

A dying HTTP transport cancels the task that entered it, never those that wait for a reply, and a dead server may
leave a call without an answer. So one owner task enters and leaves the SDK's contexts, and every call is a task of its
own that ends when the owner, the wire or its time does.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeVar

from pytest_graph_eval.errors import ReplyError, TargetError, TargetTimeout, ToolError, TransportError
from pytest_graph_eval.targets.mcp.sdk import Http, Session, Stdio, Unsent, connect, translated
from pytest_graph_eval.targets.mcp.stdio import StdioProcess
from pytest_graph_eval.targets.mcp.wire import Wire
from pytest_graph_eval.targets.reply.mapping import ToolReply

T = TypeVar("T")
CLOSE_TIMEOUT = {"stdio": 8.0, "http": 2.0}
"""Seconds for an orderly end; a process is given time to save, a remote server only to hear of it."""
_SETTLE = 0.2
"""Seconds to wait for the better explanation when the SDK only says that the connection is closed."""

_STAND_INS = ("Server returned an error response", "Not Found")
"""What the SDK says of an HTTP error without a message of its own."""


class Connection:
    """A session with a server, from its start to its end; never reopened, a dead one is replaced by a new one."""

    def __init__(
        self,
        address: StdioProcess | Http,
        *,
        legacy: bool = False,
        again: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Say where the server is, or which process to start; must be made on the loop that uses it.

        `again` waits until a request that a busy server refused may be sent again; it is told the least seconds.
        """
        self._process = address if isinstance(address, StdioProcess) else None
        self._address = Stdio(address) if isinstance(address, StdioProcess) else address
        self._legacy = legacy
        self._wire = Wire(again)
        self._stop = asyncio.Event()
        self._ready: asyncio.Future[Session] = asyncio.get_running_loop().create_future()
        self._owner: asyncio.Task[None] | None = None
        self._cause: BaseException | None = None
        self.open_calls = 0
        """How many calls wait for their reply, or for the reason why none comes."""
        self.died_in_company = False
        """Whether it ended while several questions were in flight, each of which is asked again."""

    @property
    def alive(self) -> bool:
        """Tell whether a call has a chance."""
        running = self._owner is not None and not self._owner.done()
        return running and self._ready.done() and not self._wire.lost.done() and not self._stop.is_set()

    @property
    def server(self) -> str:
        """How the server introduced itself."""
        return self._session().server

    @property
    def refused(self) -> bool:
        """Tell whether we ended it ourselves, over a reply that was too large."""
        return self._wire.lost.done() and isinstance(self._wire.lost.result(), ReplyError)

    async def start(self, timeout: float) -> None:
        """Start or reach the server and initialise the session.

        Raises:
            TransportError: that did not work; the message says why, `stderr` holds what the server wrote.
            TargetTimeout: it did not become ready in time.
        """
        self._owner = asyncio.create_task(self._own(), name="graph-eval mcp owner")
        try:
            waiting: set[asyncio.Future[Any]] = {self._owner, self._ready, self._wire.lost}
            await asyncio.wait(waiting, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            if self._ready.done():
                return
            if self._owner.done() or self._wire.lost.done():
                raise await self._death("before it was ready")
            raise TargetTimeout(f"the server was not ready within {timeout:g} s{self._noise()}", stderr=self._stderr())
        finally:
            if not self._ready.done():
                await self._abandon()

    async def _own(self) -> None:
        try:
            if self._process is not None:
                await self._process.start()
            async with connect(self._address, self._wire, legacy=self._legacy) as session:
                self._ready.set_result(session)
                await self._stop.wait()
        except Exception as e:
            cause = _first(e)
            self._cause = cause if isinstance(cause, TargetError) else translated(cause) or cause
            if type(self._cause).__name__ == "SSEError":
                self._wire.lose(ReplyError(f"the reply was not read: {self._cause}"))
        finally:
            if self._process is not None:
                with contextlib.suppress(asyncio.CancelledError):
                    await self._process.end(at_once=not self._stop.is_set())

    async def call(self, tool: str, arguments: Mapping[str, Any], timeout: float) -> ToolReply:
        """Call a tool.

        Raises:
            TargetTimeout: no reply within `timeout` seconds.
            TargetError: the connection ended, or what came back is no result.
        """
        session = self._session()
        return await self._race(session.call(tool, arguments), f"reply from {tool}", timeout)

    async def list_tools(self, timeout: float) -> dict[str, dict[str, Any]]:
        """Return the input schema of every tool by its name; raises as `call` does."""
        return await self._race(self._session().list_tools(), "list of tools", timeout)

    def _session(self) -> Session:
        if not self.alive:
            raise TransportError("the connection is closed", stderr=self._stderr())
        return self._ready.result()

    async def _race(self, work: Coroutine[Any, Any, T], what: str, timeout: float) -> T:
        assert self._owner is not None
        task = asyncio.create_task(work)
        stopped = asyncio.create_task(self._stop.wait())
        try:
            waiting: set[asyncio.Future[Any]] = {task, self._owner, self._wire.lost, stopped}
            await asyncio.wait(waiting, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return await self._result(task)
            if self._stop.is_set():
                raise TransportError(f"the target was closed while it waited for a {what}")
            if self._owner.done() or self._wire.lost.done():
                raise await self._death(f"while a {what} was awaited")
            raise TargetTimeout(f"no {what} within {timeout:g} s{self._noise()}", stderr=self._stderr())
        finally:
            stopped.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=1.0)
            task.add_done_callback(_retrieve)

    async def _result(self, task: asyncio.Task[T]) -> T:
        try:
            return task.result()
        except Unsent:
            self._wire.lose(Unsent("the server no longer knows this session"))
            raise
        except TransportError as e:
            # The SDK saw the end first; give the wire and the owner a moment to say how it came.
            await self._settle()
            if self._cause is None:
                self._wire.lose(e)
            raise await self._death("during the call") from None
        except TargetError as e:
            raise self._explained(e) from None

    async def _settle(self) -> None:
        assert self._owner is not None
        waiting: set[asyncio.Future[Any]] = {self._owner, self._wire.lost}
        await asyncio.wait(waiting, timeout=_SETTLE, return_when=asyncio.FIRST_COMPLETED)

    async def _death(self, when: str) -> TargetError:
        """Return the error that says how the connection ended."""
        await self._settle()
        if self._wire.lost.done():
            error = self._wire.lost.result()
            if not isinstance(error, TransportError):
                return error
            return type(error)(f"{error} {when}{self._noise()}", stderr=self._stderr())
        cause = self._cause
        unknown_yet = isinstance(cause, Unsent) and self._wire.http_error and not self._ready.done()
        if unknown_yet or type(cause).__name__ == "HTTPStatusError":  # no session is lost before there was one
            return TransportError(f"the server answered {self._wire.http_error or cause}")
        if isinstance(cause, TargetError):
            return self._explained(cause, self._noise())
        if type(cause).__name__ in ("ConnectError", "ConnectTimeout"):
            return Unsent(f"the server cannot be reached: {cause}")
        text = f"{type(cause).__name__}: {cause}" if cause else "it was cancelled"
        return TransportError(f"the connection ended {when}: {text}", stderr=self._stderr())

    def _explained(self, error: TargetError, noise: str = "") -> TargetError:
        """Return the error with what HTTP, stdout and stderr add to it."""
        http = self._wire.http_error
        if http and isinstance(error, ToolError) and any(text in str(error) for text in _STAND_INS):
            return TransportError(f"the server answered {http}")
        return type(error)(f"{error}{f' ({http})' if http else ''}{noise}", stderr=self._stderr())

    def _stderr(self) -> str:
        return self._process.stderr_tail() if self._process else ""

    def _noise(self) -> str:
        lines = self._process.noise if self._process else []
        return f"; on stdout it wrote what is no MCP message: {' | '.join(lines)}" if lines else ""

    async def _abandon(self) -> None:
        """Leave a connection that did not start; nothing is asked of the server any more."""
        if self._process is not None:
            self._process.kill()
        if self._owner is not None and not self._owner.done():
            self._owner.cancel()
            await asyncio.wait({self._owner}, timeout=2.0)

    async def close(self) -> None:
        """End the session and the process. Idempotent; after its time it kills."""
        self._stop.set()
        try:
            if self._owner is not None and self._ready.done() and not self._owner.done():
                await asyncio.wait({self._owner}, timeout=CLOSE_TIMEOUT["stdio" if self._process else "http"])
        finally:
            await self._abandon()
        if self._cause is not None:
            logging.getLogger(__name__).debug("ignored while closing: %r", self._cause)


def _retrieve(task: asyncio.Task[Any]) -> None:
    """Take the exception of an abandoned task, so that nothing complains that nobody did."""
    if not task.cancelled():
        task.exception()


def _first(error: BaseException) -> BaseException:
    """Return what a group of exceptions is about: questions that were in flight together all tell of one end."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
