"""What a question in flight logs, prints and warns of lands in the report of its own scenario.

pytest attributes all of it to the item that happens to run. While questions are in flight, what they say is kept
(`prefetch.Kept`) and said again when their scenario runs.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable
from typing import Any

from pytest_graph_eval.evaluation.prefetch import keep


def _pytest_handlers() -> list[logging.Handler]:
    """Return the handlers of this phase that put records into reports, `caplog` and live logs."""
    return [h for h in logging.getLogger().handlers if type(h).__module__ == "_pytest.logging"]


def _is_said(record: logging.LogRecord) -> bool:
    return not getattr(record, "graph_eval_kept", False)


def _say(record: logging.LogRecord) -> None:
    vars(record).pop("graph_eval_kept", None)
    for handler in _pytest_handlers():
        if record.levelno >= handler.level:
            handler.handle(record)


class KeptLogs(logging.Handler):
    """Keeps log records of questions in flight; pytest's own handlers come and go with the phases of an item."""

    def __init__(self) -> None:
        """Start without watching."""
        super().__init__()
        self._level: int | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the record where it is not its scenario's turn yet."""
        vars(record)["graph_eval_kept"] = True
        if not keep(lambda: _say(record)):
            vars(record).pop("graph_eval_kept")

    def watch(self) -> None:
        """Begin, in a call phase; does nothing where that was done."""
        root = logging.getLogger()
        if self not in root.handlers:
            root.handlers.insert(0, self)  # before those that it keeps records from
        for handler in _pytest_handlers():
            if _is_said not in handler.filters:
                handler.addFilter(_is_said)
        if self._level is None:
            self._wanted, self._level = root.level, root.level

    def hold_level(self) -> None:
        """Keep the level that pytest sets for each phase between phases, too; called before an item's first one."""
        root = logging.getLogger()
        if self._level is not None and root.level > self._wanted:
            self._level = root.level
            root.setLevel(self._wanted)

    def end(self) -> None:
        """Leave logging alone again."""
        root = logging.getLogger()
        root.removeHandler(self)
        if self._level is not None:
            root.setLevel(self._level)


class KeptStreams:
    """Keeps what questions to callables in this process print and warn of.

    pytest sets `sys.stdout` to its own file and back in every phase, so both of them learn to keep; and so does the one
    place through which every warning goes.
    """

    def __init__(self) -> None:
        """Watch from now on; made in a call phase."""
        self._shown = getattr(warnings, "_showwarnmsg")  # noqa: B009 - private, but what items replace leads past it
        setattr(warnings, "_showwarnmsg", self._show)  # noqa: B010 - as above
        self._streams: list[Any] = []
        for name in ("stdout", "stderr"):
            for stream in (getattr(sys, name), getattr(sys, f"__{name}__")):
                if "write" not in getattr(
                    stream, "__dict__", ("write",)
                ):  # one that nothing can be set on says at once
                    stream.write = _keeping(name, stream.write)
                    self._streams.append(stream)

    def _show(self, message: warnings.WarningMessage) -> None:
        if not keep(lambda: self._shown(message)):
            self._shown(message)

    def end(self) -> None:
        """Give back what was replaced."""
        setattr(warnings, "_showwarnmsg", self._shown)  # noqa: B010 - as above
        for stream in self._streams:
            del stream.write
        self._streams.clear()


def _keeping(name: str, write: Callable[[str], int]) -> Callable[[str], int]:
    return lambda text: len(text) if keep(lambda: getattr(sys, name).write(text)) else write(text)
