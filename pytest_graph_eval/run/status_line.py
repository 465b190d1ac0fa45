"""A line of text below what a program prints to a terminal, which is gone before anything else is printed."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TextIO

from pytest_graph_eval.reports.layout import Paper, columns

_LEAST = 20  # columns of a terminal that has room for a status
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_ERASE = "\x1b[J"  # to the end of the screen: a line that was wrapped by a resize goes as a whole


class StatusLine:
    """Stands in the place of the file that a terminal is written through, and so knows where the cursor is.

    The status itself goes past that file, straight to the terminal: while tests run, pytest has turned it elsewhere.
    """

    def __init__(self, file: TextIO, column: int) -> None:
        """Take over a file whose descriptor is a terminal's.

        Args:
            file: what is written to from now on through this.
            column: where the cursor is, from 0.
        """
        file.flush()
        self.file = file
        self.visible = False
        self._column = column
        self._terminal = os.dup(file.fileno())

    def write(self, text: str) -> int:
        """Write what belongs to the program, in the place of the status."""
        self.clear()
        written = self.file.write(text)
        self.file.flush()
        _, end, after = _ESCAPE.sub("", text).rpartition("\n")
        _, start, after = after.rpartition("\r")
        self._column = (0 if end or start else self._column) + columns(after)
        return written

    def __getattr__(self, name: str) -> object:
        """Be the file in all else."""
        return getattr(self.file, name)

    def show(self, text: str) -> None:
        """Show a status in place of the one before, cut to the terminal's width; the cursor stays where it is."""
        width = self._width()
        if width < _LEAST or (self._column and self._column % width == 0):
            return  # there is no room, or nobody knows on which line the cursor is
        self._put(Paper().fit(text, width - 1), width)
        self.visible = True

    def clear(self) -> None:
        """Take the status away, if there is one."""
        if self.visible:
            self._put("", self._width())
            self.visible = False

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self._terminal).columns
        except OSError:  # it was closed meanwhile
            return 0

    def _put(self, text: str, width: int) -> None:
        column = self._column % width if width else self._column
        line = f"\n\r{text}{_ERASE}\x1b[A\x1b[{column + 1}G" if column else f"\r{text}{_ERASE}\r"
        with suppress(OSError):  # no status costs the run
            os.write(self._terminal, line.encode(self.file.encoding or "ascii", "replace"))

    def close(self) -> TextIO:
        """Take the status away for good, and return the file to be used as before."""
        self.clear()
        os.close(self._terminal)
        return self.file
