"""What the controller of pytest-xdist does for its workers: groups suites by target, tells what is resumed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_graph_eval.library import plain_nodeid, target_group
from pytest_graph_eval.plugin import is_suite
from pytest_graph_eval.run.history import RESUME

if TYPE_CHECKING:
    from pytest_graph_eval.run.session import Session


class Distribution:
    """Hooks of pytest-xdist; without it nobody calls them."""

    def __init__(self, config: pytest.Config, session: Session) -> None:
        """Remember where the suites are known."""
        self._config = config
        self._session = session

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Make a scheduler that keeps tests together run no test again that took its worker down.

        With `--dist loadgroup`, it keeps suites with one target in one worker, which then opens it once.
        """
        from xdist.scheduler import LoadFileScheduling, LoadGroupScheduling, LoadScopeScheduling

        kinds = {"loadfile": LoadFileScheduling, "loadgroup": LoadGroupScheduling, "loadscope": LoadScopeScheduling}
        kind = kinds.get(config.getoption("dist"))
        if kind is None:
            return None
        scheduler = kind(config, log)
        scheduler.remove_node = functools.partial(_remove, scheduler, scheduler.remove_node)
        if kind is LoadGroupScheduling:
            split = scheduler._split_scope
            scheduler._split_scope = lambda nodeid: self._group(nodeid) or split(nodeid)
        return scheduler

    def _group(self, nodeid: str) -> str:
        """Return the group of a scenario's target; nothing for other tests, and where the scenario names its own."""
        key = nodeid.partition("::")[0]
        if not is_suite(self._config, Path(key)) or plain_nodeid(nodeid) != nodeid:
            return ""
        suite = self._session.suite(key)
        return target_group(suite) if suite is not None else ""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell an xdist worker which run is resumed: the newest unfinished one is soon our own."""
        path = self._session.history.resumed_from
        node.workerinput[RESUME] = str(path) if path else ""


def _remove(scheduler: Any, remove: Callable[[Any], str | None], node: Any) -> str | None:
    """Remove a worker, and return the test that took it down if one did; that one counts as run.

    xdist hands it out again with the rest of its group, which takes one worker after another down until there may be
    no more, and what stands behind it never runs.
    """
    groups = scheduler.assigned_work[node].values()
    running = next(((group, test) for group in groups for test, has_run in group.items() if not has_run), None)
    if running is None:
        return remove(node)
    group, test = running
    group[test] = True
    remove(node)
    return str(test)
