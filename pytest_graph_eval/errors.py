"""Every error that this package raises on purpose, as one tree.

    GraphEvalError
    ├── SuiteError            suite, dataset or catalog files that cannot be used; holds all problems of the file
    ├── DataError             an extraction, recording, result or baseline file that cannot be used
    ├── UsageError            options or arguments that contradict each other
    └── TargetError           the target gave no usable reply
        ├── PreflightError    the target is not fit to be asked at all
        ├── TransportError    not started, not reachable, or the connection died
        ├── TargetTimeout     no reply within our own limit
        ├── ToolError         the MCP reply says `isError`
        └── ReplyError        an application error, or a reply that cannot be read

Standard library only: every layer may import this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "DataError",
    "GraphEvalError",
    "PreflightError",
    "Problem",
    "ReplyError",
    "SuiteError",
    "TargetError",
    "TargetTimeout",
    "ToolError",
    "TransportError",
    "UsageError",
]


class GraphEvalError(Exception):
    """Base of all errors of this package."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a file: where, and what was found, expected and advised.

    `line` and `col` count from 1; 0 where the file as a whole is meant.
    `code` is a stable word such as `unknown_key`; `key` is the key or id that it is about, where there is one.
    """

    file: str
    line: int
    col: int
    message: str
    code: str = "invalid"
    key: str = ""

    def __str__(self) -> str:
        """Return `file:line:col: message`, without the position where there is none."""
        where = f"{self.file}:{self.line}:{self.col}" if self.line else self.file
        return f"{where}: {self.message}"


class SuiteError(GraphEvalError):
    """A suite cannot be loaded. `problems` lists everything that is wrong with it, in file order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        """Keep the problems sorted by their position."""
        self.problems: Sequence[Problem] = sorted(problems, key=lambda p: (p.file, p.line, p.col))
        super().__init__("\n".join(str(p) for p in self.problems))


class DataError(GraphEvalError):
    """A data file (extraction, recording, results, baseline) is missing, unreadable or of a foreign format.

    `problems` lists everything that is wrong, where the reader of the format collects; the message shows the first.
    """

    shown = 20

    def __init__(self, message: str = "", *, problems: Iterable[Problem] = ()) -> None:
        """Take a message, or make one of the problems."""
        self.problems: Sequence[Problem] = sorted(problems, key=lambda p: (p.file, p.line, p.col))
        lines = [str(p) for p in self.problems[: self.shown]]
        if len(self.problems) > self.shown:
            lines.append(f"... and {len(self.problems) - self.shown} more problems")
        super().__init__(message or "\n".join(lines))


class UsageError(GraphEvalError):
    """Options or arguments that cannot be followed."""


class TargetError(GraphEvalError):
    """The target gave no usable reply; `stderr` holds the last lines that its process wrote."""

    attempts = 1
    """How many requests were made before it was given up."""
    reply: Any = None
    """What came back, decoded, where that is what cannot be used."""
    may_be_load = False
    """Whether other questions that were in flight may be the cause."""

    def __init__(self, message: str, *, stderr: str = "") -> None:
        """Keep the message apart from the stderr tail, so that reports can show both."""
        super().__init__(message)
        self.stderr = stderr


class PreflightError(TargetError):
    """The target is not fit to be asked; all of its items end with this one message."""


class TransportError(TargetError):
    """The target could not be started or reached, or the connection died."""

    may_be_load = True


class TargetTimeout(TargetError):  # noqa: N818 - the state says it better than "Error" would
    """No reply within the limit."""

    may_be_load = True


class ToolError(TargetError):
    """The MCP server marked its reply as an error."""


class ReplyError(TargetError):
    """The reply reports an application error, or cannot be read as one."""
