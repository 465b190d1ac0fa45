"""The thin client over the MCP SDK, one code for `mcp` 1.24 and later and 2.x; no other client module imports it.

Both majors put the same camelCase JSON on the wire, so results are read from `model_dump(by_alias=True)` instead of
from attributes that were renamed. Nothing of the SDK is imported before the first connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from pytest_graph_eval.errors import ReplyError, TargetError, ToolError, TransportError
from pytest_graph_eval.models.validation import first_problem
from pytest_graph_eval.targets.mcp.stdio import LineTooLong, StdioProcess
from pytest_graph_eval.targets.mcp.wire import TOO_LARGE, Wire, watched
from pytest_graph_eval.targets.reply.mapping import ToolReply

_CLOSED = -32000
_TOO_LARGE = -32099
_NO_MESSAGE = "Failed to parse JSON response"
"""How the SDK begins a list of all that a reply is not."""
_NO_MCP = (
    "the reply breaks the MCP protocol: it is no JSON-RPC message; is `url:` that of an MCP server? A JSON service is "
    "`kind: http`"
)
_SESSION_GONE = frozenset({32600, -32600})
_ID = re.compile(rb'"id"\s*:\s*(\d+|"[^"\\]{1,80}")')


class Unsent(TransportError):  # noqa: N818 - what happened to a request, named like its siblings
    """The request cannot have reached the server, so it may be sent again over a new connection."""


@dataclass(frozen=True, slots=True)
class Stdio:
    """A server that is started and spoken to over its stdin and stdout."""

    process: StdioProcess


@dataclass(frozen=True, slots=True)
class Http:
    """A server that runs elsewhere: streamable HTTP, or the older SSE transport."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    sse: bool = False


class Session:
    """An initialised session."""

    def __init__(self, session: Any, server: str = "") -> None:
        """Wrap the SDK's `ClientSession`, whose calls have the same shape in both majors.

        `server` is how the server introduced itself: name, version, protocol.

        It would list the tools during the first call and refuse what does not fit an output schema: that is time of
        the call that is not the tool's, and what a reply is worth is for the mapping to say.
        """
        self._session, self.server = session, server
        for name in ("validate_tool_result", "_validate_tool_result"):  # 2.x, 1.x
            if hasattr(session, name):
                setattr(session, name, _accept)

    async def list_tools(self) -> dict[str, dict[str, Any]]:
        """Return the input schema of every tool by its name.

        Raises:
            TargetError: the server does not answer, or not with a list of tools.
        """
        tools: dict[str, dict[str, Any]] = {}
        cursors: set[str] = set()
        cursor = None
        while cursor not in cursors:
            if cursor is not None:
                cursors.add(cursor)
            params = _sdk("types").PaginatedRequestParams(cursor=cursor) if cursor else None
            with _errors():
                page = _wire(await self._session.list_tools(params=params))
            tools |= {tool["name"]: tool.get("inputSchema", {}) for tool in page["tools"]}
            cursor = page.get("nextCursor")
            if not cursor:
                break
        return tools

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolReply:
        """Call a tool and return its result, also where the server marks it as an error.

        Raises:
            TargetError: no result came back, or none that the protocol allows.
        """
        with _errors():
            result = _wire(await self._session.call_tool(tool, dict(arguments)))
        blocks = (block.get("resource", block) for block in result.get("content", ()))
        texts = tuple(block["text"] for block in blocks if isinstance(block.get("text"), str))
        return ToolReply(bool(result.get("isError")), result.get("structuredContent"), texts)


async def _accept(_name: str, _result: Any) -> None:
    """Accept any result."""


@asynccontextmanager
async def connect(address: Stdio | Http, wire: Wire, *, legacy: bool = False) -> AsyncIterator[Session]:
    """Open transport and session, enter and leave both in the task that calls this.

    Raises:
        TargetError: the server cannot be started, reached or spoken to.
    """
    transport = _stdio(address.process, wire) if isinstance(address, Stdio) else _http(address, wire)
    async with AsyncExitStack() as stack:
        if _major() >= 2:
            client = _sdk("client.client").Client(transport, mode="legacy" if legacy else "auto", cache=None)
            with _errors():
                session = (await stack.enter_async_context(client)).session
            info = _wire(session.server_info) if session.server_info else {}
            protocol = session.protocol_version
        else:
            streams = await stack.enter_async_context(transport)
            heed = _heeding(wire) if isinstance(address, Http) else None
            client = _sdk("client.session").ClientSession(*streams, message_handler=heed)
            session = await stack.enter_async_context(client)
            with _errors():
                greeting = _wire(await session.initialize())
            info, protocol = greeting["serverInfo"], greeting["protocolVersion"]
        wire.is_greeted = True
        named = " ".join(filter(None, (info.get("name"), info.get("version")))) or "a server without a name"
        yield Session(session, f"{named}, protocol {protocol}")


def _heeding(wire: Wire) -> Callable[[Any], Awaitable[None]]:
    """Return what the SDK 1.x tells of messages that it cannot read: it waits for the greeting all the same.

    Later ones need not be replies that somebody waits for.
    """
    from pydantic import ValidationError

    async def heed(message: Any) -> None:
        if isinstance(message, ValidationError) and not wire.is_greeted:
            wire.lose(ReplyError(_NO_MCP))

    return heed


def safe_environment() -> dict[str, str]:
    """Return the few variables of our environment that the SDK hands on to servers."""
    from mcp.client.stdio import get_default_environment

    return dict(get_default_environment())


def _major() -> int:
    return int(version("mcp").partition(".")[0])


def _wire(model: Any) -> dict[str, Any]:
    return dict(model.model_dump(by_alias=True, mode="json", exclude_none=True))


def _sdk(module: str) -> Any:
    """Import a module of the SDK; untyped, because the two majors differ in what they call things."""
    return importlib.import_module(f"mcp.{module}")


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    """Turn what the SDK raises into our own errors."""
    try:
        yield
    except Exception as e:
        if (error := translated(e)) is None:
            raise
        raise error from None


def translated(error: BaseException) -> TargetError | None:
    """Return our own error for one of the SDK's, None where it is none of them."""
    import anyio
    from pydantic import ValidationError

    exceptions = _sdk("shared.exceptions")
    protocol_error = getattr(exceptions, "MCPError", None) or exceptions.McpError
    if isinstance(error, protocol_error):
        return _protocol_error(error.error.code, error.error.message)
    if isinstance(error, anyio.ClosedResourceError | anyio.BrokenResourceError | anyio.EndOfStream | OSError):
        return TransportError(f"the connection is closed ({type(error).__name__})")
    if isinstance(error, ValidationError):
        return ReplyError(f"the reply breaks the MCP protocol: {first_problem(error)}")
    return ReplyError(f"the reply breaks the MCP protocol: {error}") if isinstance(error, RuntimeError) else None


def _protocol_error(code: int, message: str) -> TargetError:
    if code == _CLOSED:
        return TransportError("the server closed the connection")
    if code == _TOO_LARGE:
        return ReplyError(message)
    if code in _SESSION_GONE and message == "Session terminated":
        return Unsent("the server no longer knows this session")
    if message.startswith(_NO_MESSAGE):
        return ReplyError(_NO_MCP)
    return ToolError(f"the server refused the call: {message} (code {code})")


@asynccontextmanager
async def _stdio(process: StdioProcess, wire: Wire) -> AsyncIterator[tuple[Any, Any]]:
    """Bridge the lines of a started process to the SDK's streams."""
    import anyio

    incoming, read_stream = anyio.create_memory_object_stream[Any](0)
    write_stream, outgoing = anyio.create_memory_object_stream[Any](0)
    works = (_read(process, wire, incoming), _write(process, outgoing))
    tasks = [asyncio.create_task(_until_closed(work, process, wire)) for work in works]
    try:
        yield read_stream, write_stream
    finally:
        for task in tasks:
            task.cancel()
        for stream in (incoming, read_stream, write_stream, outgoing):
            stream.close()
        await asyncio.wait(tasks, timeout=1.0)


async def _read(process: StdioProcess, wire: Wire, incoming: Any) -> None:
    async for line in process.lines():
        message = _too_large(line) if isinstance(line, LineTooLong) else _parse(line)
        if message is not None:
            await incoming.send(message)
        elif isinstance(line, LineTooLong):
            wire.lose(ReplyError(TOO_LARGE))
        else:
            process.add_noise(line)


async def _write(process: StdioProcess, outgoing: Any) -> None:
    async for message in outgoing:
        await process.write(_dump(message))


async def _until_closed(work: Coroutine[Any, Any, None], process: StdioProcess, wire: Wire) -> None:
    """Run one direction of the bridge; when the server ends it, say so with the exit status."""
    import anyio

    try:
        await work
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return  # our session is gone first; nobody is left to be told
    except TransportError:
        pass  # it no longer reads: how it ended says more
    status = await process.exit_status()
    ended = "closed its stdin or stdout" if status is None else f"ended {_exit_text(status)}"
    wire.lose(TransportError(f"the server {ended}"))


def _exit_text(status: int) -> str:
    return f"by signal {-status}" if status < 0 else f"with exit status {status}"


def _parse(line: bytes) -> Any:
    """Return the message that a line holds, also behind text without a line end; None where there is none."""
    types, session_message = _sdk("types"), _sdk("shared.message").SessionMessage
    start = line.find(b'{"jsonrpc"')
    for text in (line, line[start:] if start > 0 else b""):
        if not text.strip():
            continue
        with contextlib.suppress(ValueError):
            if _major() >= 2:
                return session_message(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
            return session_message(types.JSONRPCMessage.model_validate_json(text))
    return None


def _dump(message: Any) -> bytes:
    unset = {"exclude_unset": True} if _major() >= 2 else {"exclude_none": True}
    return str(message.message.model_dump_json(by_alias=True, **unset)).encode() + b"\n"


def _too_large(line: LineTooLong) -> Any:
    """Return an error reply in place of one that was too large, so that the session lives on; None without its id."""
    match = _ID.search(line.edges)
    if match is None:
        return None
    error = {"code": _TOO_LARGE, "message": TOO_LARGE}
    return _parse(json.dumps({"jsonrpc": "2.0", "id": json.loads(match[1]), "error": error}).encode())


@asynccontextmanager
async def _http(address: Http, wire: Wire) -> AsyncIterator[tuple[Any, Any]]:
    """Open the SDK's own HTTP transport over a client whose responses are watched."""
    create = _sdk("shared._httpx_utils").create_mcp_http_client  # private, and the same in both majors

    def client(**_: Any) -> Any:
        return watched(create(headers=dict(address.headers)), wire, only_stream=address.sse)

    async with AsyncExitStack() as stack:
        if address.sse:
            opening = _sdk("client.sse").sse_client(address.url, httpx_client_factory=client)
        else:
            unlimited = {"max_sse_event_size": None} if _major() >= 2 else {}
            http_client = await stack.enter_async_context(client())
            opening = _sdk("client.streamable_http").streamable_http_client(
                address.url, http_client=http_client, **unlimited
            )
        read_stream, write_stream, *_ = await stack.enter_async_context(opening)
        try:
            yield read_stream, write_stream
        finally:
            read_stream.close()  # early versions leave them to the garbage collector, which complains
            write_stream.close()
