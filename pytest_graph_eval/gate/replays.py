"""How much of a run was played from cassettes instead of asked, and what of it may be scored differently."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_graph_eval.gate.verdict import Reason
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.targets.recording.lines import OTHER, REDACTED, REPLAYED, STALE
from pytest_graph_eval.texts import listed, many

_WORDS = {
    REDACTED: "replayed without the secrets or directories that were in the reply",
    STALE: f"recorded with {OTHER}, so the recording was not used",
}
_LISTED = 5


class Replays:
    """Takes records and tells what the report must say of replays."""

    def __init__(self) -> None:
        self._total = 0
        self._flagged: dict[str, list[str]] = {flag: [] for flag in (REPLAYED, *_WORDS)}

    def add(self, record: Record) -> None:
        """Take a record."""
        self._total += 1
        for flag, ids in self._flagged.items():
            if flag in record.flags:
                ids.append(record.id)

    def notes(self) -> Iterator[Reason]:
        """Yield a note for each kind of replay that there was."""
        if replayed := len(self._flagged[REPLAYED]):
            text = f"{replayed} of {many(self._total, 'scenario')} replayed from cassettes; their target was not asked"
            yield Reason(code="replayed", level="NOTE", text=text)
        for flag, words in _WORDS.items():
            if ids := self._flagged[flag]:
                text = f"{many(len(ids), 'scenario')} {words}: {listed(ids, _LISTED)}"
                yield Reason(code=flag, level="NOTE", text=text)
