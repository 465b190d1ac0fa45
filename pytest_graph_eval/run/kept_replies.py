"""Raw replies as files for whoever wants to look at them: redacted, of bounded length, one for each question."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_graph_eval.evaluation.described import bounded
from pytest_graph_eval.files import write_whole
from pytest_graph_eval.models.records import json_text
from pytest_graph_eval.models.scenario import Scenario, turns_of
from pytest_graph_eval.redaction import Redactor

if TYPE_CHECKING:
    from pytest_graph_eval.evaluation.asking import Asked

NOT_KEPT = "reply_not_kept"
"""Flags a record whose reply could not be written."""

LONGEST = 1_000_000
"""Characters of a reply; of a longer one the beginning is kept, as text."""


class KeptReplies:
    """Writes `<suite>/<id>.json` into a folder; a turn has its number in the name, and so has a repeat from 2 on.

    They follow an `@`, which no id holds: the second reply to `a` is not the reply to `a.2`.
    """

    def __init__(self, folder: Path, redactor: Callable[[], Redactor]) -> None:
        """Write below `folder` what `redactor` leaves of replies."""
        self._folder = folder
        self._redactor = redactor

    def keep(self, suite: str, scenario: Scenario, asked: Asked, repeat: int) -> bool:
        """Write what came of a scenario's question, or of each turn; tell whether that could be done."""
        place = self._folder.joinpath(*(part for part in PurePosixPath(suite).parts if part not in ("..", "/")))
        again = f"@{repeat}" if repeat > 1 else ""
        try:
            for number, (turn, one) in enumerate(zip(turns_of(scenario), asked.turns or [asked], strict=False), 1):
                name = f"{scenario.id}{f'@turn{number}' if scenario.turns else ''}{again}.json"
                write_whole(place / name, [json_text(self._told(turn, one), indent=2), "\n"])
        except OSError:
            return False
        return True

    def _told(self, scenario: Scenario, asked: Asked) -> dict[str, Any]:
        """Return a reply as it was read, with what it was read as; a graph and a recording have the latter alone."""
        told = {
            "question": scenario.question,
            "reply": bounded(asked.reply, LONGEST),
            "response": bounded(asked.response, LONGEST),
            "error": str(asked.error) if asked.error else None,
        }
        shown = self._redactor().value({name: value for name, value in told.items() if value is not None})
        assert isinstance(shown, dict)
        return shown
