"""A failure's text as pytest prints it: its lines stay lines, whatever the stream can encode."""

from __future__ import annotations

import io
from pathlib import Path

from _pytest._io import TerminalWriter

from pytest_graph_eval.run.located import located

TEXT = "FAIL: no\n  answer: “168 MW” 日本\n  re-run: pytest"


def printed(encoding: str) -> list[str]:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    located(TEXT, "FAIL: no", Path("s.graph.yaml"), 3).toterminal(TerminalWriter(stream))
    stream.seek(0)
    return stream.read().splitlines()


def test_a_stream_that_cannot_encode_a_line_gets_that_one_escaped_and_all_line_ends() -> None:
    first, answer, last, *_ = printed("ascii")
    assert (first, last) == ("FAIL: no", "  re-run: pytest")
    assert answer == "  answer: \\u201c168 MW\\u201d \\u65e5\\u672c"


def test_one_that_can_gets_the_text_as_it_is() -> None:
    assert printed("utf-8")[:3] == TEXT.split("\n")
