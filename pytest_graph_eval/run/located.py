"""A finished failure text in the form in which pytest knows its place and its headline.

The short summary, JUnit's message, `--tb=line` and annotations of CI systems read these off the text's surroundings.
"""

from __future__ import annotations

from pathlib import Path

# What pytest itself puts on reports and sends between processes; it has no public constructor.
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback


def located(text: str, headline: str, path: Path, line: int) -> ReprExceptionInfo:
    """Return `text` as the representation of a failure at a line, counted from 1, of a file."""
    # Each line by itself: of what a stream cannot encode pytest escapes all it is given at once, line ends too.
    entries = [ReprEntryNative([part]) for line in text.split("\n") for part in (line, "\n")]
    place = ReprFileLocation(str(path), line, headline)
    return ReprExceptionInfo(ReprTraceback(entries, None, style="native"), place)
