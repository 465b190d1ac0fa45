"""A server process that is spoken to in lines over stdin and stdout: started, read within bounds, and ended for sure.

The SDK's own stdio transport reads lines of any length, hides the process, and ends it only when its task is left in
peace. A gate needs the exit status and the last lines of stderr in its messages, a bound on what it reads, and no
process left behind whatever happens.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from pytest_graph_eval.errors import TransportError

LINE_LIMIT = 16 * 1024 * 1024
"""Bytes of the longest line, and so of the largest reply, that is read."""

STDERR_LINES = 20
END_GRACE = 2.0
"""Seconds for a server to end by itself once its stdin is closed, and again once it was told to."""

_READ = 256 * 1024
_STDERR_TAIL = 16 * 1024
_EDGE = 512
_POLL = 0.01
_LIVE: set[tuple[int, int]] = set()
"""Our process id and the process group of every server that was started and not seen dead."""


def _kill_all() -> None:
    """Kill what an interrupted close left alive; only servers of this very process, not of the one it forked from."""
    for owner, group in list(_LIVE):
        if owner == os.getpid():
            _kill_group(group, signal.SIGKILL)
    _LIVE.clear()


atexit.register(_kill_all)


def _kill_group(group: int, how: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, how)


def find_command(command: str, folder: Path, path: str | None = None) -> str:
    """Return the program to start: `python` and `graph-eval` beside the running interpreter, else as a shell finds it.

    A command with a slash belongs to `folder` unless it is absolute; `path` is the search path.

    Raises:
        TransportError: there is none; the message says where it was looked for.
    """
    beside = Path(sys.executable).parent / command
    if command in ("python", "python3", "graph-eval") and beside.exists():
        return str(beside)
    is_path = Path(command).name != command
    found = str(folder / command) if is_path else shutil.which(command, path=path)
    if found is not None and (not is_path or Path(found).is_file()):
        return found
    if len(words := command.split()) > 1:
        raise TransportError(f"the command {command!r} is no program; write its words as a list: [{', '.join(words)}]")
    if is_path:
        raise TransportError(f"the command {command!r} does not exist ({found}); give its path or install it")
    raise TransportError(f"the command {command!r} was not found on the PATH; give its path or install it")


class LineTooLong(Exception):  # noqa: N818 - an event of the stream, not a failure of ours
    """A line passed the limit and was thrown away, all but its edges, where the id of a reply stands."""

    def __init__(self, start: bytes, end: bytes) -> None:
        super().__init__("line too long")
        self.edges = start + b"\n" + end


class Lines:
    """Cuts a stream of bytes into lines and never holds more than `limit` bytes of one."""

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._start = b""

    def feed(self, data: bytes) -> list[bytes | LineTooLong]:
        """Return the lines that `data` completes, without their ends."""
        *complete, rest = data.split(b"\n")
        lines = []
        for part in complete:
            self._add(part)
            lines.append(self._take())
        self._add(rest)
        return lines

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        self._parts.append(part)
        if self._size > self._limit:
            if not self._start:
                self._start = b"".join(self._parts)[:_EDGE]
            self._parts = [b"".join(self._parts[-2:])[-_EDGE:]]

    def _take(self) -> bytes | LineTooLong:
        line = b"".join(self._parts)
        too_long = LineTooLong(self._start, line[-_EDGE:]) if self._size > self._limit else None
        self._parts, self._size, self._start = [], 0, b""
        return too_long or line


class StdioProcess:
    """A started server. Its process group is killed when the context is left, in whichever way that happens."""

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path, tmp: Path) -> None:
        """Say what to start; `tmp` is the folder for the file that takes its stderr."""
        self._command, self._env, self._cwd, self._tmp = command, env, cwd, tmp
        self._process: asyncio.subprocess.Process | None = None
        self._errors: IO[bytes] | None = None
        self._tail = ""
        self.noise: list[str] = []
        """The last lines on stdout that were no message."""

    async def start(self) -> None:
        """Start the process in a group of its own.

        Raises:
            TransportError: there is no such command or folder, or it cannot be run.
        """
        if not self._cwd.is_dir():
            raise TransportError(f"cwd {self._cwd} is no folder; the server is started there")
        program = find_command(self._command[0], self._cwd, self._env.get("PATH"))
        self._tmp.mkdir(parents=True, exist_ok=True)
        self._errors = tempfile.TemporaryFile("a+b", dir=self._tmp)  # noqa: SIM115 - closed by `kill`
        try:
            self._process = await asyncio.create_subprocess_exec(
                program,
                *self._command[1:],
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=self._errors,
                limit=_READ,
                env=dict(self._env),
                cwd=self._cwd,
                start_new_session=True,
            )
        except (OSError, ValueError) as e:
            self._errors.close()
            raise TransportError(f"the command {program!r} cannot be run: {e}") from None
        _LIVE.add((os.getpid(), self._process.pid))

    @property
    def pid(self) -> int:
        """The process id, which is also that of its group."""
        return self._running().pid

    @property
    def is_live(self) -> bool:
        """Tell whether the process was started and not killed yet; it may have ended by itself."""
        return self._process is not None and (os.getpid(), self._process.pid) in _LIVE

    def _running(self) -> asyncio.subprocess.Process:
        if self._process is None:
            raise TransportError("the server was not started")
        return self._process

    async def lines(self, limit: int = LINE_LIMIT) -> AsyncIterator[bytes | LineTooLong]:
        """Yield what the server writes, line by line, until it closes its stdout."""
        stdout = self._running().stdout
        assert stdout is not None
        cut = Lines(limit)
        while data := await stdout.read(_READ):
            for line in cut.feed(data):
                yield line

    async def write(self, data: bytes) -> None:
        """Send bytes to the server's stdin.

        Raises:
            TransportError: it is closed.
        """
        stdin = self._running().stdin
        assert stdin is not None
        try:
            stdin.write(data)
            await stdin.drain()
        except (ConnectionError, OSError, RuntimeError) as e:
            raise TransportError(f"the server no longer reads: {e}") from None

    def add_noise(self, line: bytes) -> None:
        """Keep a line that was no message, for the message about a failed start."""
        self.noise = [*self.noise[-4:], line[:200].decode("utf-8", "replace").strip()]

    def stderr_tail(self) -> str:
        """Return the last lines that the server wrote to stderr."""
        if self._errors is None or self._errors.closed:
            return self._tail
        file = self._errors.fileno()
        begin = max(0, os.fstat(file).st_size - _STDERR_TAIL)
        text = os.pread(file, _STDERR_TAIL, begin).decode("utf-8", "replace")
        return "\n".join(text.splitlines()[-STDERR_LINES:])

    async def exit_status(self, wait: float = 0.5) -> int | None:
        """Return the exit status, waiting at most `wait` seconds for it; None while it runs."""
        if self._process is None:
            return None
        # Not `Process.wait`: that one also waits for the pipes, which a child of the server may hold open.
        deadline = asyncio.get_running_loop().time() + wait
        while self._process.returncode is None and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(_POLL)
        return self._process.returncode

    async def end(self, *, at_once: bool = False) -> None:
        """End the server: close its stdin, then ask, then kill it and all of its group. Idempotent, bounded."""
        if self._process is None:
            return
        grace = 0.0 if at_once else END_GRACE
        try:
            if grace and self.is_live and self._process.stdin is not None:
                self._process.stdin.close()
                if await self.exit_status(grace) is None:
                    _kill_group(self._process.pid, signal.SIGTERM)
                    await self.exit_status(grace)
        finally:
            self.kill()
        try:
            await self.exit_status(1.0)
        finally:
            # A child in another group may hold the pipes open: only closing our ends frees them then. Not earlier:
            # closing also takes the exit status away from the loop.
            self._process._transport.close()  # type: ignore[attr-defined]  # nothing public does it

    def kill(self) -> None:
        """Kill the process group at once, without waiting."""
        if self._process is None or not self.is_live:
            return
        _kill_group(self._process.pid, signal.SIGKILL)
        _LIVE.discard((os.getpid(), self._process.pid))
        self._tail = self.stderr_tail()
        if self._errors is not None:
            self._errors.close()
