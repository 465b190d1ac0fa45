"""Finds the fenced blocks of the README and of the pages behind it, and runs them, in their order, in one folder.

A comment in the line before a block says what it is: `<!-- file: agent.graph.yaml -->`, `<!-- run -->`. After a change
of what the package prints, `python -m tests.readme_blocks` writes the output of all `run` blocks anew.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = (README, ROOT / ".github/GUIDE.md", ROOT / ".github/REFERENCE.md")
"""In the order in which their blocks build on each other."""
SHOWN_FOLDER = "/home/you/graph"

_FENCE = re.compile(r"^```(?P<info>.*)\n(?P<text>(?:(?!```).*\n)*)```$", re.MULTILINE)
_MARKER = re.compile(r"<!-- (?P<kind>[a-z]+)(?:: (?P<argument>.*))? -->\n\Z")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its page and its line there, its info string, its text, and what its marker says."""

    page: str
    line: int
    info: str
    text: str
    kind: str
    argument: str
    start: int
    """Where its text begins in the page."""

    @property
    def command(self) -> str:
        """The first line of a `run` block, without the prompt."""
        return self.text.partition("\n")[0].removeprefix("$ ")

    @property
    def output(self) -> str:
        """What a `run` block says that the command prints."""
        return self.text.partition("\n")[2]


def read_pages() -> str:
    """Return the text of all pages, one behind the other."""
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def all_blocks() -> list[Block]:
    """Return the blocks of all pages."""
    return [block for page in PAGES for block in read_blocks(page.read_text(encoding="utf-8"), page.name)]


def read_blocks(text: str, page: str = "") -> list[Block]:
    """Return all fenced blocks of a Markdown text; the kind of one without a marker is empty."""
    blocks = []
    for match in _FENCE.finditer(text):
        before = text[: match.start()]
        marker = _MARKER.search(before)
        kind, argument = (marker["kind"], marker["argument"] or "") if marker else ("", "")
        line = before.count("\n") + 1
        blocks.append(Block(page, line, match["info"], match["text"], kind, argument, match.start("text")))
    return blocks


def section(text: str, heading: str) -> str:
    """Return what stands below a heading, up to the next one of the same or a higher level."""
    level = heading.partition(" ")[0]
    parts = re.split(rf"^(?={re.escape(heading)}$)", text, maxsplit=1, flags=re.MULTILINE)
    assert len(parts) == 2, f"the README has no heading {heading!r}"
    body = parts[1].partition("\n")[2]
    return re.split(rf"^#{{1,{len(level)}}} ", body, maxsplit=1, flags=re.MULTILINE)[0]


def environment() -> dict[str, str]:
    """Return an environment in which output does not depend on the machine, and our scripts come first."""
    foreign = ("PYTEST_", "GRAPH_EVAL", "GITHUB_", "COVERAGE", "COV_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(foreign) and k not in ("CI", "BUILD_NUMBER")}
    return kept | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTEST_ADDOPTS": "-p no:randomly",  # an extra of our tests that would shuffle the README's scenarios
        "PYTHONUTF8": "1",
        "COLUMNS": "80",
    }


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell command; stdout and stderr come together, as a terminal shows them."""
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment(), check=False, timeout=120, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def play(blocks: list[Block], folder: Path) -> Iterator[tuple[Block, str]]:
    """Write the files and run the commands of all blocks; yield each `run` block with what it printed."""
    shutil.copytree(ROOT / "example_suites", folder / "example_suites")
    shutil.copy(ROOT / "tests/servers/my_graph_server.py", folder)
    for block in blocks:
        if block.kind == "file":
            (folder / block.argument).parent.mkdir(exist_ok=True)
            (folder / block.argument).write_text(block.text, encoding="utf-8")
        elif block.kind == "run":
            yield block, run(block.command, folder).stdout.replace(str(folder), SHOWN_FOLDER)


_VOLATILE: Mapping[str, str | Callable[[re.Match[str]], str]] = {
    r"(?m)^platform .*\n(?:.*\n)*?(?=collected )": "",  # versions, folder, plugins: whatever is installed
    r"\d{8}T\d{6}Z(?:-\d+)?": "STAMP",
    r"(?m)^(Duration|Latency): .*$": r"\1:",
    r"\bin \d+\.\d+s\b": "in TIME",
    r"={3,}": "===",  # the rules around a line get shorter when its duration gets longer
    r"(?m)[ \t]+$": "",
}


def normalised(output: str) -> str:
    """Return output without what differs from run to run and from machine to machine."""
    for pattern, replacement in _VOLATILE.items():
        output = re.sub(pattern, replacement, output)
    return output.strip("\n")


def update() -> None:
    """Write the output of every `run` block anew, as it is now."""
    with tempfile.TemporaryDirectory() as name:
        printed = list(play(all_blocks(), Path(name)))
    for block, output in printed:
        if re.search(r"^(?:INTERNALERROR> )?Traceback", output, re.MULTILINE):
            raise SystemExit(f"{block.page}:{block.line}: nothing is written, {block.command!r} crashes:\n{output}")
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block, output in reversed([one for one in printed if one[0].page == page.name]):
            lines = [f"$ {block.command}", *(line.rstrip() for line in output.strip("\n").splitlines())]
            new = "".join(f"{line}\n" for line in lines)
            text = text[: block.start] + new + text[block.start + len(block.text) :]
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    update()
