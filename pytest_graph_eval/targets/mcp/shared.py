"""One HTTP server for all processes of a run: started by the first that needs it, ended when the last has gone."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from pytest_graph_eval.errors import PreflightError, TransportError
from pytest_graph_eval.targets.http.wire import shown_url
from pytest_graph_eval.targets.mcp import keeper
from pytest_graph_eval.targets.mcp.stdio import STDERR_LINES, find_command

_POLL = 0.05
_TAIL = 16 * 1024
_PORTS = {"http": 80, "https": 443}


class SharedServer:
    """A server that others may have started, or may use when we have gone.

    Its users find each other by a folder that is named after the command and the address.
    """

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path, url: str) -> None:
        self._command, self._env, self._cwd, self._url = list(command), dict(env), cwd, url
        name = hashlib.sha256("\n".join([url, str(cwd), *command]).encode()).hexdigest()[:12]
        self._folder = Path(tempfile.gettempdir()) / f"graph-eval-{os.getuid()}-{name}"
        self._hold: int | None = None

    async def join(self, timeout: float) -> None:
        """Become a user of the running server, or start it. Also when it was joined before and may have died.

        Raises:
            TransportError: it cannot be started, or does not listen in time; `stderr` holds what it wrote last.
            PreflightError: something else listens at the address.
        """
        deadline = asyncio.get_running_loop().time() + timeout
        async with self._locked(deadline):
            self._use(self._reach_keeper())
            if self._hold is not None and await self._is_ready(deadline, timeout):
                return
            # Nobody keeps a server, or one that had just died.
            if await self._listens():
                raise PreflightError(
                    f"something else listens at {shown_url(self._url)}; stop it, or use it: leave `command:` and "
                    "`shared:` out"
                )
            self._use(self._start())
            if not await self._is_ready(deadline, timeout):
                status = (self._folder / "status").read_text()
                ended = f"the server ended with exit status {status} before it was ready"
                raise TransportError(ended, stderr=self._tail())

    def _use(self, hold: int | None) -> None:
        self.leave()
        self._hold = hold

    def _make_folder(self) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        if self._folder.stat().st_uid != os.getuid():
            raise PreflightError(f"{self._folder} belongs to another user; remove it")

    @asynccontextmanager
    async def _locked(self, deadline: float) -> AsyncIterator[None]:
        while (file := self._try_lock()) is None:
            if asyncio.get_running_loop().time() > deadline:
                raise TransportError("another process has been starting the shared server all the time")
            await asyncio.sleep(_POLL)
        with file:
            with contextlib.suppress(FileExistsError):
                os.mkfifo(self._folder / "users", 0o600)
            yield

    def _try_lock(self) -> IO[str] | None:
        """Return the locked file; None where somebody holds it, or has just removed it with the folder."""
        self._make_folder()
        try:
            file = (self._folder / "lock").open("w")
        except FileNotFoundError:
            return None
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(file.fileno()).st_nlink:
                return file
        file.close()
        return None

    def _reach_keeper(self) -> int | None:
        """Return our end of the pipe, None where nobody keeps a server."""
        try:
            return os.open(self._folder / "users", os.O_WRONLY | os.O_NONBLOCK)
        except OSError as e:
            if e.errno == errno.ENXIO:
                return None
            raise

    def _start(self) -> int:
        if not self._cwd.is_dir():
            raise TransportError(f"cwd {self._cwd} is no folder; the server is started there")
        program = find_command(self._command[0], self._cwd, self._env.get("PATH"))
        reading = os.open(self._folder / "users", os.O_RDONLY | os.O_NONBLOCK)
        hold = os.open(self._folder / "users", os.O_WRONLY | os.O_NONBLOCK)
        command = [sys.executable, "-I", keeper.__file__, str(reading), str(self._folder), program]
        try:
            with (self._folder / "log").open("wb") as log:
                subprocess.run(  # noqa: S603 - what the suite says
                    [*command, *self._command[1:]],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=self._cwd,
                    env=self._env,
                    pass_fds=[reading],
                    start_new_session=True,
                    check=True,
                )
        except OSError as e:
            os.close(hold)
            raise TransportError(f"the command {program!r} cannot be run: {e}") from None
        finally:
            os.close(reading)
        return hold

    async def _is_ready(self, deadline: float, timeout: float) -> bool:
        """Wait until the server listens; tell whether it does, or has ended."""
        while not await self._listens():
            if (hold := self._reach_keeper()) is None:
                return False
            os.close(hold)
            if asyncio.get_running_loop().time() > deadline:
                late = (
                    f"nobody listens at {shown_url(self._url)} within {timeout:g} s; is it where the command listens?"
                )
                raise TransportError(late, stderr=self._tail())
            await asyncio.sleep(_POLL)
        return True

    async def _listens(self) -> bool:
        parts = urlsplit(self._url)
        try:
            _, writer = await asyncio.open_connection(parts.hostname, parts.port or _PORTS[parts.scheme])
        except OSError:
            return False
        ours, theirs = (writer.get_extra_info(name) for name in ("sockname", "peername"))
        writer.close()
        return bool(ours != theirs)  # a free port may be given to the very socket that looks for it

    def _tail(self) -> str:
        text = (self._folder / "log").read_bytes()[-_TAIL:].decode("utf-8", "replace")
        return "\n".join(text.splitlines()[-STDERR_LINES:])

    def leave(self) -> None:
        """Be no user any more; the server ends when nobody is. Idempotent."""
        hold, self._hold = self._hold, None
        if hold is not None:
            os.close(hold)
