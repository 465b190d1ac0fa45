"""The status line stands below what is printed, is never mixed with it, and leaves nothing behind."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from pytest_graph_eval.run.status_line import StatusLine
from tests.terminals import Terminal


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with Terminal(40, 6) as terminal:
        yield terminal


@pytest.fixture
def line(terminal: Terminal) -> Iterator[StatusLine]:
    with open(os.dup(terminal.slave), "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor has no path
        line = StatusLine(file, 0)
        yield line
        line.close()


def test_it_stands_below_a_line_that_is_begun_and_goes_before_the_next_character(
    terminal: Terminal, line: StatusLine
) -> None:
    line.write("s.graph.yaml ..")
    line.show("1/2")
    assert terminal.text == ["s.graph.yaml ..", "1/2"]
    assert (terminal.screen.cursor.y, terminal.screen.cursor.x) == (0, 15)
    line.write(".F")
    assert terminal.text == ["s.graph.yaml ...F"]
    line.show("a long status")
    line.show("2/2")
    line.write("\nend")
    assert terminal.text == ["s.graph.yaml ...F", "end"]


def test_on_an_empty_line_it_stands_in_place(terminal: Terminal, line: StatusLine) -> None:
    line.write("first\n")
    line.show("status")
    assert terminal.text == ["first", "status"]
    line.write("second")
    assert terminal.text == ["first", "second"]


def test_at_the_bottom_of_the_screen_it_scrolls(terminal: Terminal, line: StatusLine) -> None:
    line.write("1\n2\n3\n4\n5\n6\n7 abc")
    for number in range(5):
        line.show(f"status {number}")
    assert terminal.text == ["3", "4", "5", "6", "7 abc", "status 4"]
    line.write("d\n8")
    assert terminal.text == ["3", "4", "5", "6", "7 abcd", "8"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("\x1b[32m漢字\x1b[0m é\u0301", "漢字 é\u0301"), ("gone\rrewritten", "rewritten"), ("x" * 43, "x" * 40)],
)
def test_the_cursor_is_known_after_colours_wide_characters_and_rewriting(
    terminal: Terminal, line: StatusLine, text: str, shown: str
) -> None:
    line.write(text)
    line.show("status")
    assert terminal.text[-1] == "status"
    line.write("!")
    assert [row.replace(" ", "") for row in terminal.text] == [
        row.replace(" ", "") for row in ([shown, "xxx!"] if text.startswith("x") else [f"{shown}!"])
    ]


def test_it_is_cut_to_the_width_also_after_a_resize(terminal: Terminal, line: StatusLine) -> None:
    line.write("abc")
    line.show("漢字" * 30)
    assert terminal.text == ["abc", "漢字" * 9 + "漢…"]
    terminal.resize(25)
    line.show("x" * 50)
    assert terminal.text == ["abc", "x" * 23 + "…"]
    line.write("d")
    assert terminal.text == ["abcd"]


@pytest.mark.parametrize(("columns", "text"), [(15, "abc"), (40, "x" * 40)])
def test_without_room_or_at_the_very_edge_there_is_none(
    terminal: Terminal, line: StatusLine, columns: int, text: str
) -> None:
    terminal.resize(columns)
    line.write(text)
    line.show("status")
    assert "status" not in terminal.text
    line.write("!\n")
    assert "".join(terminal.text) == f"{text}!"


def test_closing_takes_it_away_and_gives_the_file_back(terminal: Terminal) -> None:
    with open(os.dup(terminal.slave), "w", encoding="ascii") as file:  # noqa: PTH123 - as above
        line = StatusLine(file, 0)
        line.write("abc")
        line.show("漢字")
        assert terminal.text == ["abc", "??"]
        assert line.isatty()
        assert line.close() is file
        assert terminal.text == ["abc"]


def test_a_terminal_that_is_gone_costs_nothing() -> None:
    with Terminal() as terminal, open(os.dup(terminal.slave), "w", encoding="utf-8") as file:  # noqa: PTH123 - as above
        line = StatusLine(file, 0)
        os.close(line._terminal)
        line.show("status")
        line.visible = True
        line.clear()
        line._terminal = os.dup(file.fileno())
        line.close()
