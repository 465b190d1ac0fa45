"""A terminal for tests: what is written to it becomes a screen, as a person would see it."""

from __future__ import annotations

import fcntl
import os
import select
import struct
import termios
from types import TracebackType
from typing import Self

import pyte

__all__ = ["Terminal"]


class Terminal:
    """A pseudo-terminal; `slave` is the descriptor that a program writes to."""

    def __init__(self, columns: int = 80, lines: int = 24) -> None:
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self._master, self.slave = os.openpty()
        self.resize(columns)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        os.close(self._master)
        self.close_slave()

    def close_slave(self) -> None:
        """Leave the writing to a program that has the descriptor, too."""
        if self.slave >= 0:
            os.close(self.slave)
        self.slave = -1

    def resize(self, columns: int) -> None:
        self.screen.resize(columns=columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", self.screen.lines, columns, 0, 0))

    def read(self, timeout: float = 0.0) -> bool:
        """Take in what was written; False once nobody can write any more."""
        ready, _, _ = select.select([self._master], [], [], timeout)
        try:
            data = os.read(self._master, 65536) if ready else b" "
        except OSError:  # what Linux says at the end
            return False
        if ready:
            self._stream.feed(data)
        return bool(data)

    @property
    def text(self) -> list[str]:
        """The lines of the screen down to the last that has anything on it."""
        while select.select([self._master], [], [], 0)[0] and self.read():
            pass
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip().split("\n")
