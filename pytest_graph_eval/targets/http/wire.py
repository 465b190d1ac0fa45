"""One request over HTTP and its reply: tried again while nothing was processed, bounded in time and size.

A request is sent again when no reply began (refused, reset, closed) and when the server says that it is busy (429,
503). A reply that began is never asked for again.
"""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import os
import re
import ssl
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_graph_eval.errors import ReplyError, TargetError, TargetTimeout, TransportError
from pytest_graph_eval.targets.mcp.stdio import LINE_LIMIT

if TYPE_CHECKING:
    import httpx

    from pytest_graph_eval.targets.limiter import Limiter

LIMIT = LINE_LIMIT
"""Bytes of the largest reply that is read."""
CONNECT_TIMEOUT = 10.0
BUSY = frozenset({429, 503})
_SECONDS = re.compile(r"\d{1,9}(?:\.\d+)?", re.ASCII)
RETRY_DELAYS = (0.5, 1.0, 2.0)
"""Seconds before each further try, where the server does not say itself how long to wait."""


class Unreachable(TransportError):  # noqa: N818 - what the server is, named like its siblings
    """No reply began: nobody listens, or the connection broke before the first byte."""

    may_be_load = False
    is_there = False
    """Whether somebody took the connection."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, whatever its status; `elapsed_s` is the time of the last try alone."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    attempts: int = 1
    elapsed_s: float = 0.0


@dataclass(slots=True)
class _Progress:
    """How far a request has come, for the message when its time is over."""

    attempts: int = 0
    connected: bool = False
    what: str = ""
    received: int = 0

    def begin(self) -> None:
        """Begin another try."""
        self.attempts += 1
        self.connected, self.what, self.received = False, "before a reply began", 0

    async def trace(self, event: str, _: object) -> None:
        """Take an event of the connection: the first of the protocol itself says that somebody is there."""
        self.connected = self.connected or event.startswith("http")


def new_client() -> httpx.AsyncClient:
    """Return a client without a limit of its own but for connecting; redirects are not followed.

    A redirect may lead the headers, and the key in them, to another server; the address in the settings is corrected
    instead.
    """
    import httpx

    return httpx.AsyncClient(timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT), follow_redirects=False)


def shown_url(url: str) -> str:
    """Return an address for messages: without credentials and query, where secrets stand."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"


async def exchange(
    client: httpx.AsyncClient,
    request: Request,
    seconds: float,
    *,
    busy: Collection[int] = BUSY,
    limiter: Limiter | None = None,
) -> Reply:
    """Send a request and return the reply, of whatever status but busy.

    Args:
        client: from `new_client`.
        request: what to send.
        seconds: the time for all tries and the waits that the server asks for between them.
        busy: statuses that are waited out.
        limiter: makes everybody wait when the server says that it is busy; the time until it is our turn again is not
            counted.

    Raises:
        TargetTimeout: no whole reply in time.
        Unreachable: no reply began in any of the tries, or nobody took the connection.
        TransportError: the reply broke off, or the server stayed busy.
        ReplyError: the reply is too large, or its encoding is broken.
    """
    progress = _Progress()
    error: TargetError
    try:
        async with asyncio.timeout(seconds) as limit:
            return await _tried(client, request, progress, limit, busy=busy, limiter=limiter)
    except TimeoutError:
        size = f" after {progress.received:,} bytes" if progress.received else ""
        if progress.connected:
            error = TargetTimeout(f"no reply within {seconds:g} s: time ran out {progress.what}{size}")
        else:
            error = Unreachable(f"the server cannot be reached: no connection within {seconds:g} s")
    except TargetError as e:
        error = e
    error.attempts = progress.attempts
    if isinstance(error, Unreachable):
        error.is_there = progress.connected
    raise error from None


class _Again(Exception):  # noqa: N818 - carries an error, is none itself
    """A try whose request was not processed, as the server `is_busy`; `wait` is how long it asks to wait."""

    def __init__(self, error: TransportError, wait: float | None = None, *, is_busy: bool = False) -> None:
        super().__init__(str(error))
        self.error, self.wait, self.is_busy = error, wait, is_busy


async def _tried(
    client: httpx.AsyncClient,
    request: Request,
    progress: _Progress,
    limit: asyncio.Timeout,
    *,
    busy: Collection[int],
    limiter: Limiter | None,
) -> Reply:
    loop = asyncio.get_running_loop()
    pauses = list(RETRY_DELAYS)
    while True:
        progress.begin()
        start = loop.time()
        try:
            reply = await _once(client, request, progress, busy)
            return replace(reply, attempts=progress.attempts, elapsed_s=loop.time() - start)
        except _Again as e:
            # Refused beside others it is our own doing, and no try that was lost.
            crowded = e.is_busy and limiter is not None and limiter.is_crowded
            pause = RETRY_DELAYS[0] if crowded else pauses.pop(0) if pauses else None
            wait = e.wait if e.wait is not None and pause is not None else pause
            if wait is None or loop.time() + wait >= (limit.when() or 0.0):
                asks = f" and asks to wait {e.wait:g} s" if e.wait and wait is not None else ""
                tries = f" (tried {progress.attempts} times)" if progress.attempts > 1 else ""
                late = ", longer than the time that is left" if asks else ""
                raise type(e.error)(f"{e.error}{asks}{late}{tries}") from None
            is_busy = e.is_busy
        if limiter is None or not is_busy:
            await asyncio.sleep(wait)
        else:
            await _wait_out(wait, limiter, limit)


async def _wait_out(wait: float, limiter: Limiter, limit: asyncio.Timeout) -> None:
    """Wait as long as the server asks, and for our turn after that, for which the clock stands still."""
    loop = asyncio.get_running_loop()
    end, left = loop.time() + wait, (limit.when() or 0.0) - loop.time()
    limit.reschedule(None)
    await limiter.again(wait)
    limit.reschedule(left + end)


async def _once(client: httpx.AsyncClient, request: Request, progress: _Progress, busy: Collection[int]) -> Reply:
    import httpx

    began = False
    headers = [(name.encode(), value.encode()) for name, value in request.headers.items()]
    sending = client.stream(
        request.method, request.url, headers=headers, content=request.body, extensions={"trace": progress.trace}
    )
    try:
        async with sending as response:
            began = True
            progress.what = "while the reply was read"
            body = await _body(response, progress)
    except httpx.DecodingError as e:
        raise ReplyError(f"the content encoding of the reply is broken: {e}") from None
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError) as e:
        raise TransportError(f"the request cannot be sent: {_cause(e)}") from None
    except httpx.TransportError as e:
        if began:
            size = f"{progress.received:,} bytes arrived"
            raise TransportError(f"the connection ended in the middle of the reply ({size}): {_cause(e)}") from None
        if isinstance(e, httpx.ProxyError):
            progress.connected = False  # it is the proxy that is there
        if (tls := _tls_problem(e)) is not None:
            raise Unreachable(tls) from None
        raise _Again(Unreachable(_told(e))) from None
    reply = Reply(response.status_code, response.reason_phrase, dict(response.headers), body)
    if reply.status in busy:
        error = TransportError(f"the server is busy: it answered HTTP {reply.status} {reply.reason}".rstrip())
        raise _Again(error, retry_after(reply.headers.get("retry-after")), is_busy=True)
    return reply


async def _body(response: httpx.Response, progress: _Progress) -> bytes:
    parts = []
    async for part in response.aiter_bytes():
        progress.received += len(part)
        if progress.received > LIMIT:
            size = f"{LIMIT // 1024**2} MiB"
            raise ReplyError(f"the reply is larger than {size} and was not read; let the server return less")
        parts.append(part)
    return b"".join(parts)


def retry_after(text: str | None) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, as a number or a date; None where it says nothing."""
    if text is None:
        return None
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        date = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=datetime.UTC)
    return max(0.0, (date - datetime.datetime.now(datetime.UTC)).total_seconds())


def _causes(error: BaseException) -> list[BaseException]:
    """Return the errors behind an error, the innermost last; a group stands for its first member."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        if isinstance(current, BaseExceptionGroup):
            current = current.exceptions[0]
        else:
            current = current.__cause__ or current.__context__
    return chain


def _tls_problem(error: BaseException) -> str | None:
    found = next((e for e in _causes(error) if isinstance(e, ssl.SSLError)), None)
    if found is None:
        return None
    if isinstance(found, ssl.SSLCertVerificationError):
        advice = "SSL_CERT_FILE names a file with the certificates of your own authority"
        return f"the server's certificate is not trusted: {found.verify_message} ({advice})"
    return f"no TLS connection: {found.reason or found}; does the server speak https?"


def _told(error: BaseException) -> str:
    import httpx

    if isinstance(error, httpx.ConnectTimeout):
        return f"the server cannot be reached: no connection within {CONNECT_TIMEOUT:g} s"
    if isinstance(error, httpx.ConnectError):
        return f"the server cannot be reached: {_cause(error)}"
    if isinstance(error, httpx.ProxyError):
        return f"the proxy refuses the connection: {_cause(error)}"
    return f"the connection ended before a reply: {_cause(error)}"


def _cause(error: BaseException) -> str:
    """Return the words of the innermost cause that has some."""
    return next((text for e in reversed(_causes(error)) if (text := _words(e))), type(error).__name__)


def _words(error: BaseException) -> str:
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)  # asyncio puts "Connect call failed" in its place
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
