"""What the call of pytest means for a run: which runs are parts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pytest_graph_eval.run.invocation import Invocation


def partial(*args: str, deselected: int = 0, **options: Any) -> str:
    config = SimpleNamespace(
        args=args,
        invocation_params=SimpleNamespace(args=()),
        getoption=lambda name, default=None: options.get(name, default),
        getini=lambda _: ["*.graph.yaml"],
    )
    session = SimpleNamespace(shouldstop=False, shouldfail=False)
    return Invocation(cast("pytest.Config", config)).partial(cast("pytest.Session", session), deselected)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"keyword": "good"}, ""),
        ({"keyword": "good", "deselected": 1}, "-k good"),
        ({"keyword": "good", "dist": "load", "numprocesses": 2}, "-k good"),
        ({"keyword": "good", "dist": "load", "tx": ["2*popen"]}, "-k good"),
        ({"markexpr": "not slow", "dist": "no"}, ""),
        ({"deselected": 2}, "2 deselected"),
        ({"deselect": ["test_a.py::test_b"]}, ""),
        ({"deselect": ["s.graph.yaml::a"], "deselected": 1}, "--deselect"),
    ],
)
def test_a_filter_makes_a_part_where_it_left_out_scenarios_or_workers_do_not_tell(
    options: dict[str, Any], expected: str
) -> None:
    assert partial(**options) == expected


def test_only_the_node_id_of_a_scenario_makes_a_part() -> None:
    assert partial("test_a.py::test_b", "suites") == ""
    assert partial("suites/s.graph.yaml::a", "test_a.py") == "node ids"
