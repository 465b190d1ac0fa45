"""Environments of real servers: made once whoever asks, and a registry that is not there is no green."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from . import environments

PYTHON = """#!/bin/sh
made() { echo "$1" >>"$0.log"; sleep 0.2; mkdir -p "$1/bin"; cp "$0" "$1/bin/python"; }
case "$2 $3" in
  "uv venv") made "$7" ;;
  "venv --clear") made "$4" ;;
  "uv pip") case $* in *broken*|*far*) echo "not reached"; exit 2 ;; esac ;;
  "pip install") case $* in *broken*) echo "no such package"; exit 3 ;; esac ;;
esac
"""


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the interpreter, which does not install anything, writes the environments that it makes."""
    python = tmp_path / "python"
    python.write_text(PYTHON, "utf-8")
    python.chmod(0o755)
    monkeypatch.setattr(environments.sys, "executable", str(python))
    monkeypatch.setattr(environments, "ENVIRONMENTS", {"fine": ["something"], "far": ["far"], "broken": ["broken"]})
    monkeypatch.setenv("TEST_ENVIRONMENTS", str(tmp_path / "made"))
    environments._made.cache_clear()
    yield tmp_path / "python.log"
    environments._made.cache_clear()


def test_who_asks_at_the_same_time_gets_one_environment(log: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        pythons = set(pool.map(environments.make, ["fine"] * 4))
    assert len(log.read_text("utf-8").splitlines()) == 1
    (python,) = pythons
    assert os.access(python, os.X_OK)


def test_other_requirements_are_another_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    first = environments.make("fine")
    monkeypatch.setitem(environments.ENVIRONMENTS, "fine", ["something==2"])
    assert environments.make("fine") != first


def test_an_environment_that_broke_off_is_made_anew(log: Path) -> None:
    for _ in range(2):
        with pytest.raises(environments.InstallError, match="exited with 3:\nno such package"):
            environments.make("broken")
    assert len(log.read_text("utf-8").splitlines()) == 4  # by uv and by pip, twice


def test_what_uv_does_not_reach_is_asked_of_pip(log: Path) -> None:
    assert os.access(environments.make("far"), os.X_OK)
    assert len(log.read_text("utf-8").splitlines()) == 2


@pytest.mark.parametrize(("ci", "outcome"), [("1", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_package_that_cannot_be_had_fails_in_ci_and_skips_elsewhere(
    ci: str, outcome: type[BaseException], log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    for _ in range(2):
        with pytest.raises(outcome, match="the environment broken cannot be made: "):
            environments.environment("broken")
    assert len(log.read_text("utf-8").splitlines()) == 2, "a process tries once, by uv and by pip"
