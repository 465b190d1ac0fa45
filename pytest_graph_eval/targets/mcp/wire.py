"""What is seen of a connection below the SDK: how it ended, and what HTTP said.

The SDK keeps a reply that never ends in memory, waits for one that cannot come any more, and hides the status code.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from pytest_graph_eval.errors import ReplyError, TargetError, TransportError
from pytest_graph_eval.targets.http.body import HINTS
from pytest_graph_eval.targets.http.wire import BUSY, RETRY_DELAYS, retry_after
from pytest_graph_eval.targets.mcp.stdio import LINE_LIMIT

TOO_LARGE = f"the reply is larger than {LINE_LIMIT // 1024**2} MiB and was not read; let the server return less"

_LONGEST_DELAY = 10.0

_HINTS = {**HINTS, 405: HINTS[404]}


class Wire:
    """A connection, seen from below."""

    def __init__(self, again: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Start unbroken; must be made on the loop that uses it.

        `again` waits, for the seconds that a busy server asks for at least, until a request may be sent again.
        """
        self.again = again
        self.lost: asyncio.Future[TargetError] = asyncio.get_running_loop().create_future()
        self.is_greeted = False
        """Whether the server has said who it is."""
        self.http_error = ""
        """The last response's `HTTP 401 Unauthorized` and the like; empty where the last one was none."""

    def lose(self, error: TargetError) -> None:
        """Note why the connection ended; the first reason stays."""
        if not self.lost.done():
            self.lost.set_result(error)


def watched(client: Any, wire: Wire, *, only_stream: bool) -> Any:
    """Return the HTTP client, made to report to `wire` and to try again where the server says that it is busy.

    `only_stream` says that all replies come over one GET stream (SSE).
    """
    client.timeout = (30.0, None, 30.0, 30.0)  # connect, read, write, pool; calls have a limit of their own
    client.headers["accept-encoding"] = "identity"  # what is counted is what will be held
    client.event_hooks["response"].append(lambda response: _watch(response, wire, only_stream=only_stream))
    client.send = _patient(client.send, wire)
    return client


def _patient(send: Any, wire: Wire) -> Any:
    """Wrap `send`: a request that the server was too busy for was not processed, so it is sent again, in bounds."""

    async def patient(request: Any, **kwargs: Any) -> Any:
        for delay in RETRY_DELAYS:
            response = await send(request, **kwargs)
            if response.status_code not in BUSY:
                return response
            await response.aclose()
            asked = retry_after(response.headers.get("retry-after"))
            await wire.again(delay if asked is None else min(asked, _LONGEST_DELAY))
        return await send(request, **kwargs)

    return patient


async def _watch(response: Any, wire: Wire, *, only_stream: bool) -> None:
    """Wrap the body of a response so that a broken or an endless one is noticed.

    A GET stream may end any time, unless it is the only way in which replies come.
    """
    library = sys.modules[type(response).__module__.partition(".")[0]]  # httpx in 1.x, httpx2 in 2.x
    events = response.headers.get("content-type", "").lower().startswith("text/event-stream")
    matters = response.request.method == "POST" or only_stream
    if matters:
        failed = response.status_code >= 400
        shown = f"HTTP {response.status_code} {response.reason_phrase}".strip()
        hint = _HINTS.get(response.status_code, "")
        wire.http_error = f"{shown} ({hint})" if failed and hint else shown if failed else ""

    class Watched(library.AsyncByteStream):  # type: ignore[name-defined, misc]  # known at run time only
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            try:
                async for data in self._stream:
                    size = _size_of_message(size, data, events=events)
                    if size > LINE_LIMIT:
                        wire.lose(ReplyError(TOO_LARGE))
                        raise library.ReadError("reply too large")
                    yield data
            except library.TransportError as e:
                if matters:
                    wire.lose(TransportError(f"the connection broke ({e or type(e).__name__})"))
                raise
            if only_stream and events:
                wire.lose(TransportError("the server closed the event stream"))

        async def aclose(self) -> None:
            await self._stream.aclose()

    response.stream = Watched(response.stream)


def _size_of_message(size: int, data: bytes, *, events: bool) -> int:
    """Return the bytes of the message that `data` continues; a blank line ends one in a stream of events."""
    if events:
        end = max(data.rfind(b"\n\n"), data.rfind(b"\r\n\r\n"))
        if end >= 0:
            return len(data) - end
    return size + len(data)
