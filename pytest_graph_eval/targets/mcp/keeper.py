"""A process of its own that ends a shared server when the last of its users is gone: `keeper.py FD FOLDER COMMAND...`.

Users hold a pipe open. The system closes it for those that crash, so nothing has to be counted and nothing is left.
It imports the standard library only and is started by its path.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys

_GRACE = 3.0
_POLL = 0.1


def _is_used(pipe: int) -> bool:
    try:
        return os.read(pipe, 1) != b""
    except BlockingIOError:  # open, and nothing was written
        return True


def keep(pipe: int, folder: str, command: list[str]) -> None:
    """Run `command` until nobody holds the other end of `pipe`; note the exit status of a server that ended itself.

    Args:
        pipe: the reading end, not blocking.
        folder: holds the `lock` of whoever joins, so that nobody joins a server that is about to end.
        command: the server.
    """
    try:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603 - the suite's
    except OSError as e:
        sys.stderr.write(f"{e}\n")
        _note(folder, 126)
        return
    with open(f"{folder}/lock", "w") as file:  # noqa: PTH123 - starts faster without pathlib
        while server.poll() is None:
            if select.select([pipe], [], [], _POLL)[0] and not _is_used(pipe):
                fcntl.flock(file, fcntl.LOCK_EX)
                if not _is_used(pipe):
                    _end(server)
                    _remove(folder)
                    return
                fcntl.flock(file, fcntl.LOCK_UN)
    _kill(server, signal.SIGKILL)  # what it started itself
    _note(folder, server.returncode)


def _remove(folder: str) -> None:
    """Leave nothing behind. The lock goes last: who waits for it sees that it is gone, and starts over."""
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(folder), key=lambda name: name == "lock"):  # noqa: PTH208 - as above
            os.unlink(f"{folder}/{name}")  # noqa: PTH108 - as above
        os.rmdir(folder)  # noqa: PTH106 - as above


def _note(folder: str, status: int) -> None:
    with open(f"{folder}/status", "w") as file:  # noqa: PTH123 - as above
        file.write(str(status))


def _end(server: subprocess.Popen[bytes]) -> None:
    _kill(server, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.wait(_GRACE)
    _kill(server, signal.SIGKILL)
    server.wait()


def _kill(server: subprocess.Popen[bytes], how: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(server.pid, how)


if __name__ == "__main__":
    if os.fork() == 0:  # nobody's child: it may outlive the process that started it
        keep(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
