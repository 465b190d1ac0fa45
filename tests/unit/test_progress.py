"""The words of the progress: how far a run is, and how long it may still take."""

from __future__ import annotations

import pytest

from pytest_graph_eval.models.records import Record
from pytest_graph_eval.run.progress import Course
from tests.unit.gate_records import make

PASSED, FAILED, ERROR = make("a", "PASS", 1.0), make("b", "FAIL", 0.5), make("c", "ERROR")
ASIDE = [make("d", "SKIPPED"), make("e", "FAIL", 0.0, outcome="xfailed")]


@pytest.mark.parametrize(
    ("records", "total", "text"),
    [
        ([], None, "graph-eval 0"),
        ([], 4, "graph-eval 0/4"),
        ([PASSED], None, "graph-eval 1, mean 1.00"),
        ([PASSED], 4, "graph-eval 1/4, mean 1.00, 4:30 left"),
        ([PASSED, FAILED], 40, "graph-eval 2/40, mean 0.75, 1 failed, 28:30 left"),
        ([ERROR, ERROR], 3, "graph-eval 2/3, 2 errors, 0:45 left"),
        ([PASSED, *ASIDE], 3, "graph-eval 3/3, mean 1.00"),
    ],
)
def test_the_text_says_what_is_known(records: list[Record], total: int | None, text: str) -> None:
    course = Course(lambda: total, started=10.0)
    for record in records:
        course.add(record)
    assert course.text(100.0) == text
