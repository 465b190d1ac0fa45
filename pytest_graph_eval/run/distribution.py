"""What the controller of pytest-xdist does for its workers: groups suites by target, tells what is resumed."""

from __future__ import annotations

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
        """With `--dist loadgroup`, keep suites with one target in one worker, which then opens it once."""
        if config.getoption("dist") != "loadgroup":
            return None
        from xdist.scheduler import LoadGroupScheduling

        scheduler = LoadGroupScheduling(config, log)
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
