"""What the subcommands print: lines that fit the terminal and that its encoding can take."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable

from pytest_graph_eval.reports.layout import Paper

__all__ = ["paper", "say"]


def paper() -> Paper:
    """Return what there is to print on: at most 80 columns, and ASCII where the stream can do no more."""
    width = max(60, min(80, shutil.get_terminal_size().columns))
    try:
        "═✓⚠✗…→".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return Paper(width, ascii_only=True)
    return Paper(width)


def say(lines: Iterable[str]) -> None:
    """Print lines."""
    sys.stdout.writelines(f"{line}\n" for line in lines)
