"""What the subcommands print and write: lines that fit the terminal and that its encoding can take, and JSON."""

from __future__ import annotations

import argparse
import io
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_graph_eval.files import write_whole

if TYPE_CHECKING:
    from pytest_graph_eval.reports.layout import Paper


def paper() -> Paper:
    """Return what there is to print on: at most 80 columns, and ASCII where the stream can do no more."""
    from pytest_graph_eval.reports.layout import Paper

    width = max(60, min(80, shutil.get_terminal_size().columns))
    try:
        "═✓⚠✗…→".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return Paper(width, ascii_only=True)
    return Paper(width)


def say(lines: Iterable[str]) -> None:
    """Print lines."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def complain(text: str) -> None:
    """Print why something could not be done, or what was left out, to stderr."""
    sys.stderr.writelines(f"graph-eval: {line}\n" for line in text.splitlines())


def output_argument(parser: argparse.ArgumentParser) -> None:
    """Declare where to write."""
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="where to write (default: stdout)")


def write(chunks: Iterable[str], output: Path | None) -> None:
    """Write a text in pieces to a file or to stdout, as UTF-8 in both; a file is the old or the new one, never half."""
    if output is not None:
        write_whole(output, chunks)
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.writelines(chunks)
