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
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_graph_eval.errors import ReplyError, TargetError, TargetTimeout, TransportError
from pytest_graph_eval.targets.stdio import LINE_LIMIT

if TYPE_CHECKING:
    import httpx

__all__ = ["BUSY", "Reply", "Request", "Unreachable", "exchange", "new_client", "retry_after", "shown_url"]

LIMIT = LINE_LIMIT
"""Bytes of the largest reply that is read."""
CONNECT_TIMEOUT = 10.0
BUSY = frozenset({429, 503})
_SECONDS = re.compile(r"\d{1,9}(?:\.\d+)?", re.ASCII)
RETRY_DELAYS = (0.5, 1.0, 2.0)
"""Seconds before each further try, where the server does not say itself how long to wait."""


class Unreachable(TransportError):  # noqa: N818 - what the server is, named like its siblings
    """No reply began: nobody listens, or the connection broke before the first byte."""


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
    what: str = "before a reply began"
    received: int = 0


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


async def exchange(client: httpx.AsyncClient, request: Request, seconds: float) -> Reply:
    """Send a request and return the reply, of whatever status but busy.

    Raises:
        TargetTimeout: no whole reply within `seconds`, tries and waits included.
        Unreachable: no reply began in any of the tries.
        TransportError: the reply broke off, or the server stayed busy.
        ReplyError: the reply is too large, or its encoding is broken.
    """
    progress = _Progress()
    try:
        async with asyncio.timeout(seconds) as limit:
            return await _tried(client, request, progress, limit.when() or 0.0)
    except TimeoutError:
        size = f" after {progress.received:,} bytes" if progress.received else ""
        error: TargetError = TargetTimeout(f"no reply within {seconds:g} s: time ran out {progress.what}{size}")
        raise _counted(error, progress) from None
    except TargetError as e:
        raise _counted(e, progress) from None


def _counted(error: TargetError, progress: _Progress) -> TargetError:
    error.attempts = progress.attempts
    return error


async def _tried(client: httpx.AsyncClient, request: Request, progress: _Progress, deadline: float) -> Reply:
    loop = asyncio.get_running_loop()
    for pause in (*RETRY_DELAYS, None):
        progress.attempts += 1
        start = loop.time()
        problem: TargetError | Reply
        try:
            reply = await _once(client, request, progress)
        except _Final as e:
            raise e.error from None
        except Unreachable as e:
            problem, wait, advice = e, pause, ""
        else:
            if reply.status not in BUSY:
                return Reply(
                    reply.status, reply.reason, reply.headers, reply.body, progress.attempts, loop.time() - start
                )
            asked = retry_after(reply.headers.get("retry-after"))
            problem, wait = _busy(reply), pause if asked is None or pause is None else asked
            advice = f" and asks to wait {asked:g} s" if asked else ""
        if wait is None or loop.time() + wait >= deadline:
            tries = f" (tried {progress.attempts} times)" if progress.attempts > 1 else ""
            short = f"{advice}, longer than the time that is left" if wait is not None else ""
            raise type(problem)(f"{problem}{short}{tries}")
        progress.what = "waiting to try again"
        await asyncio.sleep(wait)
    raise AssertionError("the last try returns or raises")


class _Final(Exception):  # noqa: N818 - carries an error, is none itself
    """What trying again does not change."""

    def __init__(self, error: TargetError) -> None:
        super().__init__(str(error))
        self.error = error


async def _once(client: httpx.AsyncClient, request: Request, progress: _Progress) -> Reply:
    import httpx

    began = False
    progress.what, progress.received = "before a reply began", 0
    headers = [(name.encode(), value.encode()) for name, value in request.headers.items()]
    try:
        async with client.stream(request.method, request.url, headers=headers, content=request.body) as response:
            began = True
            progress.what = "while the reply was read"
            body = await _body(response, progress)
            return Reply(response.status_code, response.reason_phrase, dict(response.headers), body)
    except httpx.DecodingError as e:
        raise _Final(ReplyError(f"the content encoding of the reply is broken: {e}")) from None
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError) as e:
        raise _Final(TransportError(f"the request cannot be sent: {_cause(e)}")) from None
    except httpx.TransportError as e:
        if began:
            size = f"{progress.received:,} bytes arrived"
            raise _Final(
                TransportError(f"the connection ended in the middle of the reply ({size}): {_cause(e)}")
            ) from None
        if (tls := _tls_problem(e)) is not None:
            raise _Final(Unreachable(tls)) from None
        raise Unreachable(_told(e)) from None


async def _body(response: httpx.Response, progress: _Progress) -> bytes:
    parts = []
    async for part in response.aiter_bytes():
        progress.received += len(part)
        if progress.received > LIMIT:
            size = f"{LIMIT // 1024**2} MiB"
            raise _Final(ReplyError(f"the reply is larger than {size} and was not read; let the server return less"))
        parts.append(part)
    return b"".join(parts)


def _busy(reply: Reply) -> TransportError:
    return TransportError(f"the server is busy: it answered HTTP {reply.status} {reply.reason}".rstrip())


def retry_after(text: str | None) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, as a number or a date; None where it says nothing."""
    if text is None:
        return None
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        date = email.utils.parsedate_to_datetime(text)
    except ValueError:
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
