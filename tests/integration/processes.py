"""Finds what is running, and what listens."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from pathlib import Path


def processes_in(folder: Path) -> list[int]:
    """Return the processes whose working directory is `folder`: servers, and what they started."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and (entry / "cwd").readlink().is_relative_to(folder):
                found.append(int(entry.name))
    return found


def gone(condition: Callable[[], object], seconds: float = 8.0) -> bool:
    """Tell whether a condition comes true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def left_in(folder: Path) -> list[int]:
    """Return the processes that stay in `folder`: a killed one that is not our child ends a moment after its signal."""
    gone(lambda: not processes_in(folder))
    return processes_in(folder)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Tell whether somebody takes connections on a port; a free one may connect to itself."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2) as probe:
        return bool(probe.getsockname() != probe.getpeername())
    return False
