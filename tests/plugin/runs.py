"""Runs pytest in a process of its own and reads what it leaves behind; unlike pytester it serves a whole module."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    **env: str,
) -> Run:
    """Run `pytest --graph-eval` with `folder` as rootdir; results go to `folder/results`."""
    command = [str(python), "-m", "pytest", "-p", "no:cacheprovider", f"--rootdir={folder}"]
    command += [] if shuffled else WITHOUT
    command += ["--graph-eval", f"--graph-eval-output={folder / 'results'}", *args]
    done = subprocess.run(  # the exit status is what the tests look at
        command,
        cwd=cwd or folder,
        env={**os.environ, **env},
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr, folder)
