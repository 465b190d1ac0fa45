from __future__ import annotations

import asyncio
import random
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pytest_graph_eval.errors import TransportError
from pytest_graph_eval.targets.mcp.stdio import Lines, LineTooLong, StdioProcess, find_command


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines_are_the_same_however_they_arrive(size: int) -> None:
    data = b"one\n\ntwo three\nrest"
    cut = Lines()
    lines = [line for i in range(0, len(data), size) for line in cut.feed(data[i : i + size])]
    assert lines == [b"one", b"", b"two three"]
    assert cut.feed(b"\n") == [b"rest"]


@pytest.mark.parametrize("seed", range(5))
def test_a_line_beyond_the_limit_keeps_only_its_edges(seed: int) -> None:
    """The id of a reply stands at one of the edges; what lies between is never held."""
    data = b'{"id": 7, ' + b"x" * 50_000 + b'"tail": 1}\nnext\n'
    chunks = random.Random(seed)
    cut, lines = Lines(limit=10_000), []
    while data:
        n = chunks.randint(1, 9_000)
        lines += cut.feed(data[:n])
        data = data[n:]
        assert sum(map(len, cut._parts)) <= 20_000
    long, following = lines
    assert isinstance(long, LineTooLong)
    assert long.edges.startswith(b'{"id": 7, xxx')
    assert long.edges.endswith(b'"tail": 1}')
    assert following == b"next"


def test_python_and_our_own_command_are_found_beside_the_interpreter(tmp_path: Path) -> None:
    assert find_command("python", tmp_path, path="/nowhere") == str(Path(sys.executable).parent / "python")


def test_a_command_with_a_slash_belongs_to_the_folder(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "server"
    program.touch(mode=0o755)
    assert find_command("bin/server", tmp_path) == str(program)
    assert find_command(str(program), Path("/")) == str(program)


def test_a_missing_command_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        TransportError, match=r"'no-such-command' was not found on the PATH; give its path or install it"
    ):
        find_command("no-such-command", tmp_path)
    with pytest.raises(TransportError, match=r"'./nope' does not exist \(.*nope\)"):
        find_command("./nope", tmp_path)


@pytest.mark.parametrize("command", ["python server.py", "python ./server.py"])
def test_a_command_in_one_text_is_told_to_be_a_list(command: str, tmp_path: Path) -> None:
    words = ", ".join(command.split())
    with pytest.raises(TransportError, match=rf"write its words as a list: \[{re.escape(words)}\]"):
        find_command(command, tmp_path)


@asynccontextmanager
async def started(tmp_path: Path, code: str) -> AsyncIterator[StdioProcess]:
    process = StdioProcess([sys.executable, "-c", code], env={}, cwd=tmp_path, tmp=tmp_path)
    await process.start()
    try:
        yield process
    finally:
        await process.end()


def test_a_process_is_spoken_to_in_lines_and_its_exit_is_seen(tmp_path: Path) -> None:
    async def run() -> None:
        async with started(
            tmp_path, "import sys; print(input()); print('why', file=sys.stderr); sys.exit(3)"
        ) as process:
            assert list(tmp_path.iterdir()) == []  # nothing stays where we are killed, or the folder goes first
            await process.write(b"hello\n")
            assert [line async for line in process.lines()] == [b"hello"]
            assert await process.exit_status() == 3
            assert process.stderr_tail() == "why"
        assert process.stderr_tail() == "why"
        assert list(tmp_path.iterdir()) == []

    asyncio.run(run())


def test_the_stderr_tail_is_the_last_twenty_lines(tmp_path: Path) -> None:
    async def run() -> None:
        async with started(tmp_path, "import sys\nfor i in range(5000): print('line', i, file=sys.stderr)") as process:
            await process.exit_status(5)
            assert process.stderr_tail().splitlines() == [f"line {i}" for i in range(4980, 5000)]

    asyncio.run(run())


def test_a_folder_or_program_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    async def start(command: str, cwd: Path) -> None:
        await StdioProcess([command], env={}, cwd=cwd, tmp=tmp_path).start()

    with pytest.raises(TransportError, match=r"cwd .*nowhere is no folder"):
        asyncio.run(start("python", tmp_path / "nowhere"))
    script = tmp_path / "script"
    script.write_text("not a program", "utf-8")
    script.chmod(0o755)
    with pytest.raises(TransportError, match="cannot be run: "):
        asyncio.run(start("./script", tmp_path))
