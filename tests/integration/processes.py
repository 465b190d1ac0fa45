"""Finds what is running, and what listens."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path


def processes_in(folder: Path) -> list[int]:
    """Return the processes whose working directory is `folder`: servers, and what they started."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and (entry / "cwd").readlink().is_relative_to(folder):
                found.append(int(entry.name))
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Tell whether somebody takes connections on a port; a free one may connect to itself."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2) as probe:
        return bool(probe.getsockname() != probe.getpeername())
    return False
