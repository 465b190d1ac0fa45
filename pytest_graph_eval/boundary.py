"""What leaves a pytest process passes here: secrets and directories are taken out of reports and log records."""

from __future__ import annotations

import contextlib
import logging
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.redaction import Redactor

if TYPE_CHECKING:
    import pytest

_LOGGERS = frozenset({"pytest_graph_eval", "httpx", "httpcore", "mcp", "client", "asyncio"})
"""First parts of the names of loggers that tell of requests to targets; `client` is one of the MCP SDK."""


class Boundary:
    """Redacts by what the targets of this process want hidden; they tell once they are open."""

    def __init__(self, secrets: Callable[[], frozenset[str]], *, start: Path, root: Path) -> None:
        """Prepare.

        Args:
            secrets: returns the values that must not be shown, as far as they are known yet.
            start: the folder that pytest was started in.
            root: pytest's rootdir.
        """
        self._secrets = secrets
        self._directories = _directories(start, root)
        self._known: frozenset[str] = frozenset()
        self._redactor = Redactor((), self._directories)
        self._factory: Callable[..., logging.LogRecord] | None = None

    @property
    def redactor(self) -> Redactor:
        """The redactor for what is known now."""
        known = self._secrets()
        if not known <= self._known:  # what was a secret once stays one, also when its target is closed
            self._known |= known
            self._redactor = Redactor(self._known, self._directories)
        return self._redactor

    def clean(self, report: pytest.TestReport) -> None:
        """Redact what pytest captured and, where a failure is not ours to tell, its text."""
        if not report.sections and report.longrepr is None:
            return
        redactor = self.redactor
        report.sections = [(name, redactor.text(content)) for name, content in report.sections]
        if report.longrepr is not None and not isinstance(report.longrepr, tuple):
            text = str(report.longrepr)
            hidden = redactor.hide(text)
            if hidden != text:  # else pytest's own form stays, with its colours
                report.longrepr = hidden

    def watch_logs(self) -> None:
        """Redact log records, wherever they are written to.

        Those of our loggers and of the clients that we use entirely, those of others where a secret stands in them.
        """
        before = logging.getLogRecordFactory()

        def make(*args: Any, **kwargs: Any) -> logging.LogRecord:
            record = before(*args, **kwargs)
            redactor = self.redactor
            if record.name.partition(".")[0] in _LOGGERS:
                _redact(record, redactor.text)
            elif self._known:
                _redact(record, redactor.hide)
            return record

        self._before, self._factory = before, make
        logging.setLogRecordFactory(make)

    def close(self) -> None:
        """Leave log records alone again."""
        if self._factory is not None and logging.getLogRecordFactory() is self._factory:
            logging.setLogRecordFactory(self._before)
        self._factory = None


def _redact(record: logging.LogRecord, shown: Callable[[str], str]) -> None:
    try:
        message = record.getMessage()
    except (TypeError, ValueError):
        return  # whoever writes it reports that its arguments do not fit
    if (text := shown(message)) != message:
        record.msg, record.args = text, None
    if record.exc_info:
        record.exc_text = shown("".join(traceback.format_exception(*record.exc_info)).rstrip("\n"))


def _directories(start: Path, root: Path) -> dict[str, str]:
    """Return the directories of this machine with what stands for them; the last one wins where two are the same."""
    found = {Path(tempfile.gettempdir()): "<tmp>", root: "<rootdir>", start: "."}
    with contextlib.suppress(RuntimeError):  # a user without a home
        found[Path.home()] = "~"
    return {str(path): name for folder, name in found.items() for path in (folder, folder.resolve())}
