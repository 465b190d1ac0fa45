"""Runs pytest and reads what it leaves behind; unlike pytester it serves a whole module."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

__all__ = ["SERVERS", "WALMART", "WITHOUT", "Run", "run_pytest"]

ROOT = Path(__file__).parents[2]
WALMART = ROOT / "example_suites/walmart"
SERVERS = ROOT / "tests/servers"

WITHOUT = ["-p", "no:randomly", "-p", "no:hypothesispytest"]
"""Switches off plugins that shuffle, or that take longer to import than the run itself."""


@dataclass(frozen=True)
class Run:
    """What one run of pytest printed, wrote and returned."""

    code: int
    out: str
    err: str
    folder: Path

    def _file(self, pattern: str) -> Path:
        paths = list((self.folder / "results").glob(pattern))
        assert len(paths) == 1, f"{paths}\n{self.out}\n{self.err}"
        return paths[0]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The lines of the results file."""
        path = self._file("evaluation_results_*.jsonl")
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    @property
    def summary(self) -> dict[str, Any]:
        """The summary file."""
        path = self._file("summary_*.json")
        return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]

    def record(self, id_: str, suite: str = "") -> dict[str, Any]:
        """Return the record of a scenario."""
        (record,) = (r for r in self.records if r["id"] == id_ and suite in r["suite"])
        return record

    def says(self, text: str) -> bool:
        """Tell whether a text was printed, wherever its lines are broken."""
        return " ".join(text.split()) in " ".join(self.out.split())

    def codes(self) -> set[str]:
        """Return the codes of the verdict's reasons."""
        return {r["code"] for r in self.summary["verdict_reasons"]}


def run_pytest(
    folder: Path,
    *args: str,
    python: str | Path = sys.executable,
    cwd: Path | None = None,
    timeout: float = 120,
    shuffled: bool = False,
    alone: bool = False,
    **env: str,
) -> Run:
    """Run `pytest --graph-eval` with `folder` as rootdir; results go to `folder/results`.

    It runs in this process, which spares a second of imports, or `alone` in one of its own: where it may die.
    """
    options = ["-p", "no:cacheprovider", f"--rootdir={folder}", *([] if shuffled else WITHOUT)]
    options += ["--graph-eval", f"--graph-eval-output={folder / 'results'}", *args]
    if not alone and python == sys.executable:
        return _run_here(options, folder, cwd or folder, env)
    done = subprocess.run(  # the exit status is what the tests look at
        [str(python), "-m", "pytest", *options],
        cwd=cwd or folder,
        env={**os.environ, **env},
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr, folder)


def _run_here(options: list[str], folder: Path, cwd: Path, env: dict[str, str]) -> Run:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.resetwarnings()  # ours are errors
        patch.chdir(cwd)
        patch.syspath_prepend(cwd)
        for name, value in {"COLUMNS": "80", **env}.items():
            patch.setenv(name, value)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = int(pytest.main(options))
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith((str(folder), str(cwd))):
            del sys.modules[name]  # another run has another module of that name
    said = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return Run(code, *said, folder)
