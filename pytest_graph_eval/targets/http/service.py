"""A JSON service as a target: one request a question, built from a template, and the reply read by a mapping."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urljoin, urlsplit

from pytest_graph_eval.errors import ReplyError, TargetError, TransportError
from pytest_graph_eval.models.records import Response, json_text
from pytest_graph_eval.models.settings import HttpTarget, ResponseMap
from pytest_graph_eval.targets.base import Query, Surroundings, Target, TargetStatus
from pytest_graph_eval.targets.http.body import described, excerpt, json_or_text, refuse_status
from pytest_graph_eval.targets.http.wire import Reply, Request, Unreachable, exchange, new_client, shown_url
from pytest_graph_eval.targets.reply.mapping import check_map, map_reply, read_count, read_warnings, without
from pytest_graph_eval.targets.reply.paths import is_optional
from pytest_graph_eval.targets.reply.presets import NATIVE, preset_of, response_map, status_spec
from pytest_graph_eval.targets.templates import expand_environment, render

if TYPE_CHECKING:
    import httpx

_HEADER = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z]+")
_UNSENDABLE = re.compile(r"[\r\n\0]")
_STREAMS = ("text/event-stream", "application/x-ndjson", "application/jsonl")


class HttpService(Target):
    """A service that answers a question by one request.

    A server that cannot be reached fails the preflight. One that goes away later fails each question on its own, and
    all further ones at once when more than `restarts` in a row met nobody.
    """

    kind = "http"

    def __init__(self, spec: HttpTarget, surroundings: Surroundings) -> None:
        self._spec = spec
        self._place = surroundings.placeholders()
        preset = preset_of(spec)
        self.name = spec.name or _host(spec.url)
        self.where = surroundings.where
        self.deterministic = bool(spec.deterministic)
        self.rules = response_map(spec) or NATIVE
        self.id_rule = self.rules.id_rule
        self._template = {**(preset.arguments if preset and spec.method != "GET" else {}), **spec.json_}
        self._settings: dict[str, Any] = {}
        self._client: httpx.AsyncClient | None = None
        self._missed = 0
        self._last = ""

    async def open(self) -> None:
        """Read the variables and try to reach the server. Does nothing where that is done already."""
        if self._client is not None:
            return
        self._settings = self._expanded()
        client = new_client()
        try:
            await self._reach(client)
        except BaseException:
            await client.aclose()
            raise
        self._client, self._missed = client, 0

    def _expanded(self) -> dict[str, Any]:
        if problems := check_map(self.rules):
            raise self._unfit("\n".join(problems))
        status = status_spec(self._spec)
        given = {"url": self._spec.url, "headers": self._spec.headers, "json": self._template, "status": status.url}
        settings = expand_environment(given, os.environ, self.where)
        self.secrets = settings.secrets
        values = settings.values
        self._check_address(render(values["url"], self._place))
        return values | {"status": urljoin(values["url"], values["status"]) if values["status"] else None}

    def _check_address(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            _ = parts.port  # raises where it is no number
            problem = "" if parts.scheme in ("http", "https") and parts.hostname else "it does not begin with https://"
        except ValueError as e:
            problem = str(e)
        if problem:
            raise self._unfit(f"`url:` is no address: {problem}; write https://host/path, or http://")

    async def _reach(self, client: httpx.AsyncClient) -> None:
        """Ask the server for something harmless: whatever it says to that, it is there."""
        origin = urljoin(render(self._settings["url"], self._place), "/")
        try:
            await exchange(client, Request("OPTIONS", origin), self._spec.start_timeout, busy=())
        except TargetError as e:
            if isinstance(e, Unreachable) and not e.is_there:
                raise TransportError(f"{self.name} ({shown_url(origin)}): {e}") from None

    async def ask(self, query: Query) -> Response:
        """Send one question and return what the mapping finds in the reply."""
        reply = await self._exchanged(self._request(query), query.timeout)
        try:
            response = map_reply(self._decoded(reply), self.rules, query.question)
        except TargetError as e:
            e.attempts = reply.attempts
            raise
        return response.model_copy(update={"elapsed_s": reply.elapsed_s, "attempts": reply.attempts})

    def _request(self, query: Query) -> Request:
        """Return the request for a question; the scenario's arguments go over the template, or into a GET's query."""
        values = query.placeholders() | self._place
        settings = self._settings
        url = render(settings.get("url", ""), {name: quote(str(value), safe="") for name, value in values.items()})
        headers = render(settings.get("headers", {}), values)
        if self._spec.method == "GET":
            return Request("GET", _with_query(url, render(query.arguments, values)), _checked(headers))
        body = render({**settings.get("json", {}), **query.arguments}, values)
        return Request(
            self._spec.method, url, _checked({"content-type": "application/json", **headers}), json_text(body).encode()
        )

    async def _exchanged(self, request: Request, seconds: float) -> Reply:
        if self._client is None:
            raise TransportError(f"{self.name}: the target is not open")
        if self._missed > self._spec.restarts:
            raise TransportError(
                f"{self.name}: given up after {self._missed} questions in a row that reached nobody; last: {self._last}"
            )
        try:
            reply = await exchange(self._client, request, seconds, limiter=self.limiter)
        except TransportError as e:
            if isinstance(e, Unreachable) and not e.is_there:
                self._missed, self._last = self._missed + 1, str(e)
            raise _renamed(e, f"{shown_url(request.url)}: {e}") from None
        self._missed = 0
        return reply

    def _decoded(self, reply: Reply) -> Any:
        """Return the JSON value of a reply, or its text where that can be the answer."""
        refuse_status(reply, f"{self._spec.method} {shown_url(self._settings['url'])}")
        media = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not reply.body.strip():
            raise ReplyError(f"the body of the reply is empty ({described(reply, media)}); JSON is expected")
        if media in _STREAMS:
            raise ReplyError(f"the reply is a stream ({media}); ask for a single reply, such as with `stream: false`")
        value = self.last_reply = without(json_or_text(reply, media), self._spec.drop)
        lists = _needed_lists(self.rules)
        if isinstance(value, str) and lists:
            raise ReplyError(
                f"a text came back ({described(reply, media)}), but {', '.join(lists)} are mapped, so JSON is "
                f"expected: {excerpt(value)}"
            )
        return value

    async def status(self) -> TargetStatus:
        """Return the counts from the reply at `preflight.url`, where there is such an address."""
        spec, url = status_spec(self._spec), self._settings.get("status")
        if url is None:
            return TargetStatus()
        url, headers = render([url, self._settings["headers"]], self._place)
        reply = await self._exchanged(Request("GET", url, _checked(headers)), self._spec.start_timeout)
        own = self._spec.preflight is not None and self._spec.preflight.url is not None
        if reply.status in (404, 405) and not own:
            return TargetStatus()  # another version than the preset knows: it does not tell
        refuse_status(reply, f"GET {shown_url(url)}")
        raw = without(json_or_text(reply, "application/json"), self._spec.drop)
        entities, relationships = (
            read_count(raw, path, shown_url(url)) for path in (spec.entities, spec.relationships)
        )
        return TargetStatus(entities, relationships, None, raw, read_warnings(raw, spec.warnings))

    async def close(self) -> None:
        """Close the connections. Idempotent."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()


def _host(url: str) -> str:
    """Return the name of the server; `http` where a variable holds it, or where it is no address at all."""
    try:
        return urlsplit(url).hostname or "http"
    except ValueError:
        return "http"


def _renamed(error: TargetError, message: str) -> TargetError:
    renamed = TransportError(message)
    renamed.attempts = error.attempts
    return renamed


def _with_query(url: str, arguments: Mapping[str, Any]) -> str:
    import httpx

    return str(httpx.URL(url).copy_merge_params(dict(arguments))) if arguments else url


def _checked(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers that can be sent; the message names the header only, as its value may be a secret."""
    odd = [name for name in headers if not _HEADER.fullmatch(name)]
    if odd:
        raise ReplyError(f"the name of the header {odd[0]!r} cannot be sent; write it in letters, digits and `-`")
    broken = [name for name, value in headers.items() if _UNSENDABLE.search(name + value)]
    if broken:
        raise ReplyError(f"the header {broken[0]!r} holds a line end, which no header can; remove it from its value")
    return dict(headers)


def _needed_lists(rules: ResponseMap) -> list[str]:
    """Return the lists of evidence that a reply must be able to hold."""
    lists = {name: getattr(rules, name) for name in ("entities", "relationships", "chunks")}
    return [name for name, path in lists.items() if path and not is_optional(path)]
