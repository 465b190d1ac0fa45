"""A suite file as a pytest collector, which loads the rest of the plugin when its scenarios are wanted.

It is a `pytest.Module` around an empty module: fixtures and autouse fixtures of every scope then work through
pytest's public interface. It exists for every suite beside a collected test, so it must cost nothing.
"""

from __future__ import annotations

import gc
import os
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_graph_eval.plugin import load


class SuiteFile(pytest.Module):
    """A suite file; its items are the scenarios in file order."""

    @classmethod
    def at(cls, path: Path, parent: pytest.Collector) -> SuiteFile:
        """Return the collector of a file; outside rootdir, where pytest gives no node id, it is the suite's key."""
        root = parent.config.rootpath
        if path.is_relative_to(root):
            return cls.from_parent(parent, path=path)
        return cls.from_parent(parent, path=path, nodeid=Path(os.path.relpath(path, root)).as_posix())

    def _getobj(self) -> types.ModuleType:
        return types.ModuleType(self.path.name.partition(".")[0])

    def collect(self) -> Iterator[pytest.Item]:
        """Load the suite and yield an item for each scenario.

        Raises:
            pytest.Collector.CollectError: the suite cannot be loaded, or the results cannot be written; the text lists
                every problem.
        """
        try:
            load(self.config)
        except pytest.UsageError as e:
            raise self.CollectError(str(e)) from None
        from pytest_graph_eval.garbage import no_collection
        from pytest_graph_eval.run.collection import scenario_items

        with no_collection():
            items = list(scenario_items(self))
            gc.freeze()  # before the collector sees them: they stay to the end of the session
        yield from items
