"""Keeps Python's garbage collector from walking, again and again, what is just being made and stays."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def no_collection() -> Iterator[None]:
    """Collect no garbage meanwhile: for work that makes many objects and no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def ends_with_session() -> bool:
    """Tell whether this process ends with its pytest session: its program is pytest, and not one that calls it.

    What is frozen then stays so: of a run of 5,000 scenarios, walking and taking apart at the very end what the system
    takes back at once takes a sixth of the time.
    """
    program = Path(sys.argv[0]) if sys.argv else Path()
    return program.stem in ("pytest", "py.test") or program.parts[-2:] == ("pytest", "__main__.py")
