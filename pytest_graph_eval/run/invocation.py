"""How pytest was called: whether anything is measured, whether only a part of the suites, and by which versions."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

import pytest

from pytest_graph_eval.plugin import is_suite


class Invocation:
    """What the options and arguments of a session mean for its results."""

    def __init__(self, config: pytest.Config) -> None:
        """Look before the session starts: `--lf` changes nothing where nothing had failed."""
        self._config = config
        cache = getattr(config, "cache", None)
        self._had_failures = bool(cache and cache.get("cache/lastfailed", {}))
        self.asks_for_suites = "--graph-eval" in config.invocation_params.args
        """Whether the user asked for suites on the command line; from addopts or ini there may well be none."""

    def only_looks(self) -> bool:
        """Tell whether scenarios are listed or set up, and none is asked."""
        return any(self._config.getoption(name, False) for name in ("collectonly", "setuponly", "setupplan"))

    def names_items(self) -> bool:
        """Tell whether scenarios were named by their node ids; those of other tests say nothing about suites."""
        named = (Path(file) for file, is_item, _ in (arg.partition("::") for arg in self._config.args) if is_item)
        return any(is_suite(self._config, file) for file in named)

    def partial(self, session: pytest.Session, deselected: int) -> str:
        """Return what makes this run a part of the suites, or nothing; it left out `deselected` scenarios."""
        option = self._config.getoption
        # What leaves out only other tests makes no part; a worker of pytest-xdist does not tell what it left out.
        leaves_out = deselected or is_distributed(self._config)
        stopped = session.shouldstop or session.shouldfail
        reasons = {
            f"-k {option('keyword', '')}": option("keyword", "") and leaves_out,
            f"-m {option('markexpr', '')}": option("markexpr", "") and leaves_out,
            "--lf": option("lf", False) and self._had_failures,
            "--deselect": option("deselect", None) and leaves_out,
            "node ids": self.names_items(),
            str(stopped): stopped,
        }
        found = [reason for reason, holds in reasons.items() if holds]
        return ", ".join(found or ([f"{deselected} deselected"] if deselected else []))


def is_distributed(config: pytest.Config) -> bool:
    """Tell whether workers of pytest-xdist run the scenarios, by `-n` or by `--dist` and `--tx`."""
    return bool(config.getoption("dist", "no") != "no")


def versions() -> dict[str, str]:
    """Return the versions that a summary keeps."""
    return {
        "pytest_graph_eval": version("pytest-graph-eval"),
        "pytest": pytest.__version__,
        "python": platform.python_version(),
    }
