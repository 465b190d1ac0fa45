"""A session's cassettes: where that of each suite stands, what was recorded, and the files at the end.

What a process records travels on its reports, so that under pytest-xdist the controller alone writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_graph_eval.errors import PreflightError
from pytest_graph_eval.files import shown, write_whole
from pytest_graph_eval.gate.verdict import Reason
from pytest_graph_eval.redaction import Redactor
from pytest_graph_eval.targets.recording.lines import Header, Line, RecordMode, Tape, read_cassette, read_line
from pytest_graph_eval.texts import many

if TYPE_CHECKING:
    from pytest_graph_eval.loader import LoadedSuite
    from pytest_graph_eval.targets.base import Target

_LISTED = 5


@dataclass(slots=True)
class Cassettes:
    """The cassettes of one pytest session.

    `folder` holds those of all suites by their paths from `root`; without one each stands beside its suite.
    """

    folder: Path | None
    root: Path
    _recorded: dict[tuple[Path, RecordMode], list[Header | Line]] = field(default_factory=dict)

    def tape(self, suite: LoadedSuite, mode: RecordMode) -> Tape:
        """Return where the replies to a suite's questions are recorded, with the mode in which they are."""
        if self.folder is None:
            return Tape(suite.cassette, mode)
        above = [part for part in Path(suite.key).parent.parts if part not in ("..", "/")]
        return Tape(self.folder.joinpath(*above, suite.cassette.name), mode)

    def take(self, text: str) -> None:
        """Keep what a report brought (`packed`)."""
        data = json.loads(text)
        self._recorded.setdefault((Path(data["path"]), data["mode"]), []).extend(map(read_line, data["lines"]))

    def write(self) -> Iterator[Reason]:
        """Write each cassette that something was recorded for, and tell about it."""
        for (path, mode), new in sorted(self._recorded.items()):
            name = shown(path, self.root)
            try:
                cassette = read_cassette(path).merged(new, anew=mode == "all")
                write_whole(path, cassette.texts())
            except (OSError, PreflightError) as e:
                yield Reason(code="cassette_not_written", level="WARN", text=f"{name} was not written: {e}")
            else:
                made = len({(line.target, line.key) for line in new if isinstance(line, Line)})
                text = f"recorded {many(made, 'reply')} in {name}, which holds {len(cassette.lines)}"
                yield Reason(code="cassette_written", level="NOTE", text=text)
        self._recorded.clear()


def packed(target: Target | None, tape: Tape, redactor: Redactor) -> str:
    """Return as one text what a target recorded since the last call, redacted; an empty one where that is nothing."""
    from pytest_graph_eval.targets.recording.recorder import RecordingTarget

    if not isinstance(target, RecordingTarget):
        return ""
    lines = [line.redacted(redactor).to_text() for line in target.take_recorded()]
    return json.dumps({"path": str(tape.path), "mode": tape.mode, "lines": lines}) if lines else ""
