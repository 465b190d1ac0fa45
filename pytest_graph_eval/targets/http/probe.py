"""Finds out what listens at an address that nobody has described: MCP, or a JSON service, and how it takes a question.

A few harmless requests: one `initialize`, one for the description that many services publish (OpenAPI), and else the
question under the names that it usually has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from pytest_graph_eval.errors import PreflightError
from pytest_graph_eval.targets.http.wire import Reply, Request, exchange, new_client, shown_url

if TYPE_CHECKING:
    import httpx

_SECONDS = 10.0
_KEYS = ("question", "query", "prompt", "input", "text", "message")
_GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "graph-eval doctor", "version": "1"},
    },
}
_CLOSED = (401, 403)
_MISUNDERSTOOD = (400, 415, 422)
_CHAT = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Service:
    """What listens at an address."""

    settings: dict[str, Any]
    """Of the target, as far as the address tells: `url`, and what makes it MCP, or a request of a known form."""
    said: str
    """By what it was recognised."""
    operations: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of a service that describes itself: path to the JSON schema of its body."""


async def probe(url: str, question: str) -> Service:
    """Return what listens at `url`.

    Raises:
        TransportError: nobody does.
        PreflightError: it does not understand what was tried; the message says what to do.
    """
    client = new_client()
    try:
        return await _probe(client, url, question)
    finally:
        await client.aclose()


async def _probe(client: httpx.AsyncClient, url: str, question: str) -> Service:
    bare = urlsplit(url).path in ("", "/")
    if url.rstrip("/").endswith("/sse"):
        return Service({"kind": "mcp", "url": url, "transport": "sse"}, "the address of an SSE server")
    first = None
    for address in (url, urljoin(url, "/mcp")) if bare else (url,):
        reply = await _post(client, address, _GREETING)
        first = first or reply
        if _is_mcp(reply):
            return Service({"kind": "mcp", "url": address}, "it answers as an MCP server")
        _refuse_closed(reply, address)
    if url.rstrip("/").endswith(_CHAT):
        return Service({"kind": "http", "url": url, "preset": "openai-chat"}, f"an address that ends with {_CHAT}")
    if operations := await _operations(client, url, bare=bare):
        return Service({"kind": "http"}, "it describes itself at /openapi.json", operations)
    return await _tried(client, url, question, first)


async def _post(client: httpx.AsyncClient, url: str, body: Any) -> Reply:
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    return await exchange(client, Request("POST", url, headers, json.dumps(body).encode()), _SECONDS)


def _is_mcp(reply: Reply) -> bool:
    """Tell whether the reply to the greeting is one of JSON-RPC; a refusal of it is, too."""
    return b'"jsonrpc"' in reply.body and (b'"result"' in reply.body or b'"error"' in reply.body)


def _refuse_closed(reply: Reply, url: str) -> None:
    if reply.status in _CLOSED:
        raise PreflightError(
            f"{shown_url(url)} answered HTTP {reply.status} {reply.reason}: it wants a key; write a suite whose target "
            "has this `url:`, and under `headers:` the key from a `${VARIABLE}`, and let the doctor look at the suite"
        )


async def _operations(client: httpx.AsyncClient, url: str, *, bare: bool) -> dict[str, dict[str, Any]]:
    """Return the POST operations of a service that describes itself: the one at `url`, all for the mere server."""
    reply = await exchange(client, Request("GET", urljoin(url, "/openapi.json")), _SECONDS)
    try:
        document = json.loads(reply.body) if reply.status == 200 else {}
    except ValueError:
        return {}
    here = urlsplit(url).path.rstrip("/")
    return {path: schema for path, schema in _bodies(document) if bare or path == here}


def _bodies(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    paths = document.get("paths") if isinstance(document, Mapping) else None
    for path, methods in paths.items() if isinstance(paths, Mapping) else ():
        try:
            schema = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
            yield path, _resolved(document, schema)
        except (KeyError, TypeError):
            continue


def _resolved(document: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """Follow one reference inside the document."""
    for step in schema["$ref"].removeprefix("#/").split("/") if "$ref" in schema else ():
        document = document[step]
    return document if "$ref" in schema else schema


async def _tried(client: httpx.AsyncClient, url: str, question: str, first: Reply | None) -> Service:
    """Ask under the usual names until the service does not object to the body."""
    for key in _KEYS:
        reply = await _post(client, url, {key: question})
        if reply.status < 300:
            return Service(
                {"kind": "http", "url": url, "json": {key: "{question}"}}, f"it takes a JSON body with {key!r}"
            )
        _refuse_closed(reply, url)
        first = reply
        if reply.status not in _MISUNDERSTOOD:
            break
    shown = f"HTTP {first.status} {first.reason}".rstrip() if first else "nothing"
    said = " ".join(first.body.decode("utf-8", "replace").split())[:200] if first else ""
    raise PreflightError(
        f"{shown_url(url)} answered {shown}{f' ({said})' if said else ''}: it speaks no MCP, publishes no "
        "/openapi.json with a POST at this address, and takes no question so. Correct the address, or write a suite "
        "with `url:` and `json:` as its manual says, and let the doctor look at the suite"
    )
