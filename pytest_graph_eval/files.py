"""Writes text files whole or not at all, and says what one is called and why it cannot be read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, chunks: Iterable[str]) -> None:
    """Write a file so that it is either the old or the new one, never half of it; its folder is made.

    A link stays one. What is no file (`/dev/null`, a pipe) is written to and not replaced.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(chunks)
        return
    path = path.resolve()
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as e:
        raise OSError(e.errno, e.strerror, str(path)) from None  # not the name that is made up here
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(chunks)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def shown(path: Path, root: Path) -> str:
    """Return a path as files show it: from `root`, else the name alone, never absolute."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def why_unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Return in a few words why a text file cannot be read."""
    return error.strerror or str(error) if isinstance(error, OSError) else "it is not UTF-8"
