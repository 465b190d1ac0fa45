"""An MCP server as a target: started or reached, set up, asked, restarted within bounds, recovered and ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_graph_eval.errors import PreflightError, TargetError, ToolError, TransportError
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import McpTarget, ResponseMap, ToolCallSpec
from pytest_graph_eval.targets.base import Query, Surroundings, Target, TargetStatus
from pytest_graph_eval.targets.mcp.backups import delete_backups
from pytest_graph_eval.targets.mcp.connection import Connection
from pytest_graph_eval.targets.mcp.sdk import Http, Unsent, safe_environment
from pytest_graph_eval.targets.mcp.stdio import StdioProcess
from pytest_graph_eval.targets.reply.mapping import (
    ToolReply,
    check_map,
    decode,
    map_reply,
    read_count,
    read_warnings,
    refuse_error,
    without,
)
from pytest_graph_eval.targets.reply.presets import preset_of, response_map, status_spec
from pytest_graph_eval.targets.templates import expand_environment, inline_files, render

if TYPE_CHECKING:
    from pytest_graph_eval.targets.mcp.shared import SharedServer

_EXPANDED = ("command", "cwd", "env", "url", "headers", "arguments", "setup", "recover", "graph_dir")
"""Settings in which `${VAR}` is read."""


class McpServer(Target):
    """A server that speaks MCP over stdio, streamable HTTP or SSE.

    A connection that ended is replaced before the next question, `restarts` times at most; after that every question
    fails at once with the last cause. A question during which the server died is not asked again: the server died of
    it, as far as anyone can tell. One that cannot have reached the server is.
    """

    kind = "mcp"

    def __init__(self, spec: McpTarget, surroundings: Surroundings) -> None:
        self._spec = spec
        self._surroundings = surroundings
        preset = preset_of(spec)
        self.name = spec.name or _name(spec)
        self.where = surroundings.where
        self._shown = f"{self.name} ({spec.url})" if spec.url else self.name
        self.deterministic = bool(spec.deterministic)
        self.rules = response_map(spec) or ResponseMap()
        self.id_rule = self.rules.id_rule
        self._arguments = spec.arguments if spec.arguments is not None else dict(preset.arguments if preset else {})
        self._tool = spec.tool or (preset.tool if preset else "")
        self._settings: dict[str, Any] = {}
        self._connection: Connection | None = None
        self._shared: SharedServer | None = None
        self._lock = asyncio.Lock()
        self._restarts = 0
        self._last: TargetError | None = None
        self._closed = False

    async def open(self) -> None:
        """Start or reach the server and run the setup calls. Does nothing where that is done already."""
        if self._connection is not None and self._connection.alive:
            return
        if not self._settings:
            self._settings = self._expanded()
        self._closed = False
        async with self._lock:
            await self._stop()
            await self._start()

    def _expanded(self) -> dict[str, Any]:
        if not self._tool:
            raise self._unfit("no `tool:` says which tool takes the question; name it, or a `preset:`")
        if problems := check_map(self.rules):
            raise self._unfit("\n".join(problems))
        given = self._spec.model_dump(include=set(_EXPANDED)) | {"arguments": self._arguments}
        settings = expand_environment(given, os.environ, self.where)
        self.secrets = settings.secrets
        place = self._surroundings.placeholders()
        values: dict[str, Any] = {
            key: value if key == "arguments" else render(value, place) for key, value in settings.values.items()
        }
        try:
            for key in ("setup", "recover"):
                values[key] = inline_files(values[key], self._surroundings.folder)
        except PreflightError as e:
            raise self._unfit(str(e)) from None
        if values["graph_dir"]:
            self.graph_dir = self._surroundings.folder / values["graph_dir"]
        return values

    def _address(self) -> StdioProcess | Http:
        settings = self._settings
        if settings["url"]:
            return Http(settings["url"], settings["headers"], sse=self._spec.transport == "sse")
        return StdioProcess(settings["command"], **self._process(), tmp=self._surroundings.tmp)

    def _process(self) -> dict[str, Any]:
        """Return environment and folder of the process that the command starts."""
        folder, cwd = self._surroundings.folder, self._settings["cwd"]
        return {"env": {**safe_environment(), **self._settings["env"]}, "cwd": folder / cwd if cwd else folder}

    async def _join(self) -> None:
        """Make sure that the server runs which others use, too."""
        from pytest_graph_eval.targets.mcp.shared import SharedServer

        if self._shared is None:
            settings = self._settings
            self._shared = SharedServer(settings["command"], **self._process(), url=settings["url"])
        await self._shared.join(self._spec.start_timeout)

    async def _start(self) -> Connection:
        try:
            if self._shared is not None:
                with contextlib.suppress(TransportError):  # it was about to end, and listened to the last
                    await self._join()
                    return await self._begin()
            if self._spec.shared:
                await self._join()
            return await self._begin()
        except TargetError as e:
            raise _renamed(e, f"{self._shown}: {e}") from None

    async def _begin(self) -> Connection:
        """Open a connection, and make the setup calls."""
        again = self.limiter.again if self.limiter is not None else asyncio.sleep
        connection = Connection(self._address(), legacy=self._spec.protocol == "legacy", again=again)
        self._connection = connection
        try:
            await connection.start(self._spec.start_timeout)
            for number, call in enumerate(self._settings["setup"], 1):
                await self._checked_call(connection, ToolCallSpec(**call), f"setup call {number}")
        except BaseException as e:
            if isinstance(e, TargetError):
                self._last = e
            await connection.close()
            raise
        return connection

    async def _checked_call(self, connection: Connection, call: ToolCallSpec, what: str) -> None:
        """Make a call that has to succeed; it may take as long as a start."""
        try:
            reply = await connection.call(call.tool, call.arguments, self._spec.start_timeout)
            self._refuse_error(reply, call.tool)
            refuse_error(decode(reply), _ANY_OUTCOME)
        except TargetError as e:
            raise _renamed(e, f"{what} ({call.tool}): {e}") from None

    async def ask(self, query: Query) -> Response:
        """Ask one question by calling the tool, and return what the mapping finds in the reply."""
        arguments = {**self._settings.get("arguments", {}), **query.arguments}
        place = query.placeholders() | self._surroundings.placeholders()
        start, reply = await self._call(self._tool, render(arguments, place), query.timeout)
        elapsed = time.perf_counter() - start
        self._refuse_error(reply, self._tool)
        self.last_reply = without(decode(reply), self._spec.drop)
        response = map_reply(self.last_reply, self.rules, query.question)
        return response.model_copy(update={"elapsed_s": elapsed})

    async def _call(self, tool: str, arguments: Mapping[str, Any], timeout: float) -> tuple[float, ToolReply]:
        """Call a tool over a live connection; return when the call began, and its result."""
        for is_last in (False, True):
            connection = await self._connected()
            start = time.perf_counter()
            connection.open_calls += 1
            try:
                return start, await connection.call(tool, arguments, timeout)
            except TransportError as e:
                self._last = e
                connection.died_in_company |= self.limiter is not None and self.limiter.is_crowded
                if is_last or not isinstance(e, Unsent):
                    raise _renamed(e, str(e)) from None
            finally:
                connection.open_calls -= 1
        raise AssertionError("the second attempt returns or raises")

    def _refuse_error(self, reply: ToolReply, tool: str) -> None:
        if reply.is_error:
            raise ToolError(f"{tool} replied with an error: {reply.text[:2000] or 'no text'}")

    async def _connected(self) -> Connection:
        """Return a live connection, a new one where the last has ended."""
        if not self._settings or self._closed:
            raise TransportError(f"{self.name}: the target is not open")
        async with self._lock:
            if self._connection is not None and self._connection.alive:
                return self._connection
            # Which of several questions it died of shows when they are asked again, one by one; that counts.
            ended = self._connection
            is_free = ended is not None and (ended.refused or ended.died_in_company or ended.open_calls > 0)
            if self._restarts >= self._spec.restarts and not is_free:
                stderr = self._last.stderr if self._last else ""
                raise TransportError(
                    f"{self._shown}: given up after {self._restarts} restarts; last: {self._last}",
                    stderr=stderr,
                )
            self._restarts += not is_free
            await self._stop()
            return await self._start()

    async def status(self) -> TargetStatus:
        """Return the tools that the server lists, and its counts where it has a status tool."""
        connection = await self._connected()
        server = connection.server
        tools = await connection.list_tools(self._spec.start_timeout)
        spec = status_spec(self._spec)
        if not spec.tool or spec.tool not in tools:
            return TargetStatus(tools=tools, server=server)
        _, reply = await self._call(spec.tool, spec.arguments, self._spec.start_timeout)
        self._refuse_error(reply, spec.tool)
        raw = without(decode(reply), self._spec.drop)
        entities, relationships = (read_count(raw, path, spec.tool) for path in (spec.entities, spec.relationships))
        return TargetStatus(entities, relationships, tools, raw, read_warnings(raw, spec.warnings), server=server)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Call any tool, and return its decoded reply.

        Raises:
            TargetError: no usable reply came back.
        """
        _, reply = await self._call(tool, arguments, self._spec.start_timeout)
        self._refuse_error(reply, tool)
        value = without(decode(reply), self._spec.drop)
        refuse_error(value, _ANY_OUTCOME)
        return value

    async def recover(self) -> None:
        """Stop, delete backups where that is allowed, start, make the recovery call."""
        spec = self._spec.recover
        if spec is None:
            return
        if not self._settings:
            self._settings = self._expanded()
        if spec.clear_backups and self.graph_dir is None:
            raise self._unfit("recover.clear_backups needs `graph_dir:`, the folder with the backup files")
        async with self._lock:
            await self._stop()
            if spec.clear_backups and self.graph_dir is not None:
                delete_backups(self.graph_dir)
            connection = await self._start()
            tool, arguments = (self._settings["recover"][key] for key in ("tool", "arguments"))
            if arguments is None:
                arguments = await self._default_file(connection, tool)
            await self._checked_call(connection, ToolCallSpec(tool=tool, arguments=arguments), "the recovery call")

    async def _default_file(self, connection: Connection, tool: str) -> dict[str, str]:
        """Return the suite's extraction as the argument of a tool that takes a file."""
        file = self._surroundings.extraction
        schema = (await connection.list_tools(self._spec.start_timeout)).get(tool, {}) if file else {}
        return {"file_path": file} if "file_path" in schema.get("properties", {}) else {}

    async def _stop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def close(self) -> None:
        """End the session and the server that was started. Idempotent and bounded in time."""
        self._closed = True
        try:
            await self._stop()
        finally:
            if self._shared is not None:
                self._shared.leave()


_ANY_OUTCOME = ResponseMap.model_construct(ok_status=[])
"""How the reply of a setup or recovery call is judged: what does not plainly say that it failed did not."""


def _name(spec: McpTarget) -> str:
    if spec.url:
        return urlsplit(spec.url).hostname or "mcp"
    return Path(spec.command[0]).name if spec.command else "mcp"


def _renamed(error: TargetError, message: str) -> TargetError:
    """Return the error with another message; that a request was not sent is nobody else's concern."""
    kind = TransportError if isinstance(error, Unsent) else type(error)
    return kind(message, stderr=error.stderr)
