"""What all tests share: a thread with a loop, and that nothing goes into the summary of the CI step that runs them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from pytest_graph_eval.targets.loop import LoopThread

os.environ.pop("GITHUB_STEP_SUMMARY", None)


@pytest.fixture(scope="module")
def loop() -> Iterator[LoopThread]:
    thread = LoopThread()
    yield thread
    assert thread.close(), "something on the loop does not end"
