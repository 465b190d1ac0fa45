"""Every recorded reply of a real preciso-graphrag, errors included, arrives as its note says: over a real connection.

The recordings are results of tool calls as they came; `raw_server.py` sends one again for its line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import PreflightError, ReplyError, TargetError, ToolError
from pytest_graph_eval.evaluation.preflight import preflight
from pytest_graph_eval.models.settings import McpTarget
from pytest_graph_eval.targets.base import Query, Surroundings, Target, open_target
from pytest_graph_eval.targets.loop import LoopThread

TESTS = Path(__file__).parent.parent
RECORDINGS = TESTS / "data" / "preciso_recordings.jsonl"
LINES = [json.loads(line) for line in RECORDINGS.read_text("utf-8").splitlines()]
COMMAND = [sys.executable, str(TESTS / "servers" / "raw_server.py"), str(RECORDINGS)]


@dataclass(frozen=True)
class Found:
    """Evidence: how much of each kind, and the mode that ran."""

    entities: int
    relationships: int
    chunks: int
    mode: str | None


@dataclass(frozen=True)
class Refused:
    """An error: its kind, and words of its message."""

    kind: type[TargetError]
    words: str


NOTHING = Found(0, 0, 0, "mix")
QUESTIONS: dict[int, Found | Refused] = {
    1: NOTHING,  # an empty graph: success outside, failure inside
    4: Found(10, 15, 8, "mix"),
    5: Found(4, 6, 2, "local"),
    6: Found(7, 6, 8, "mix"),
    7: Found(5, 6, 3, "local"),
    8: Found(5, 11, 4, "local"),
    9: Found(3, 2, 8, "mix"),
    10: Found(8, 5, 8, "global"),  # asked in hybrid
    11: Found(3, 3, 1, "global"),
    12: Found(2, 1, 1, "mix"),
    13: Found(6, 5, 2, "hybrid"),
    14: Found(6, 6, 8, "naive"),
    15: Found(3, 6, 2, "bypass"),
    16: NOTHING,  # unanswerable
    17: Refused(ToolError, "Input should be 'local', 'global', 'hybrid', 'naive', 'mix' or 'bypass'"),
    18: Found(0, 0, 0, None),  # an empty question: no data at all
    21: Found(9, 12, 8, "mix"),
    22: Found(9, 5, 8, "global"),  # asked in hybrid
    23: Found(10, 13, 8, "mix"),  # unanswerable, and the lexical embedding finds something
    24: Refused(ReplyError, 'status "error": Invalid embedding response: vectors must be nonzero'),
    25: Refused(ToolError, "Unknown tool: graphrag-mcp-query_graph_tool"),
    27: Refused(ReplyError, 'status "error": Failed to connect to Ollama'),
}
INGESTS = (2, 19)
STATUSES = {0: (0, 0), 3: (51, 65), 20: (51, 65), 26: (51, 65)}
"""Line to the counts of entities and relationships."""


def name_of(line: int) -> str:
    return f"{line}-{LINES[line]['embedding']}-{LINES[line]['note'] or LINES[line]['case_id']}"


Make = Callable[..., tuple[Target, McpTarget]]


@pytest.fixture(scope="module")
def make(loop: LoopThread, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    targets = []

    def make(**settings: Any) -> tuple[Target, McpTarget]:
        folder = tmp_path_factory.mktemp("preciso")
        spec = McpTarget(command=COMMAND, preset="preciso", arguments={"line": "{question}", "query": ""}, **settings)
        targets.append(open_target(spec, Surroundings(folder, folder)))
        return targets[-1], spec

    yield make
    for target in targets:
        loop.run(target.close())


@pytest.fixture(scope="module")
def server(loop: LoopThread, make: Make) -> Target:
    target, _ = make()
    loop.run(target.open())
    return target


def test_each_line_has_a_test() -> None:
    assert sorted([*QUESTIONS, *INGESTS, *STATUSES]) == list(range(len(LINES)))


@pytest.mark.parametrize("line", QUESTIONS, ids=name_of)
def test_a_question_is_read_as_its_note_says(loop: LoopThread, server: Target, line: int) -> None:
    expected = QUESTIONS[line]
    if isinstance(expected, Refused):
        with pytest.raises(expected.kind) as error:
            loop.run(server.ask(Query(str(line))))
        assert expected.words in str(error.value)
        return
    response = loop.run(server.ask(Query(str(line))))
    assert response.entities is not None
    assert response.relationships is not None
    assert response.chunks is not None
    counts = (len(response.entities), len(response.relationships), len(response.chunks))
    assert Found(*counts, response.mode) == expected
    assert response.answer is None  # `content` is the evidence once more
    assert response.has_evidence() == (sum(counts) > 0)


@pytest.mark.parametrize("line", INGESTS, ids=name_of)
def test_an_ingest_is_a_setup_call_that_succeeds(loop: LoopThread, make: Make, line: int) -> None:
    target, _ = make(setup=[{"tool": "reingest_from_file", "arguments": {"line": line}}])
    loop.run(target.open())


@pytest.mark.parametrize("line", [17, 24, 25, 27], ids=name_of)
def test_an_error_is_one_in_a_setup_call_too(loop: LoopThread, make: Make, line: int) -> None:
    target, _ = make(setup=[{"tool": "reingest_from_file", "arguments": {"line": line}}])
    with pytest.raises(TargetError, match=r"setup call 1 \(reingest_from_file\): "):
        loop.run(target.open())


@pytest.mark.parametrize("line", STATUSES, ids=name_of)
def test_a_status_gives_the_counts_and_the_warnings(loop: LoopThread, make: Make, line: int) -> None:
    target, _ = make(preflight={"arguments": {"line": line}})
    loop.run(target.open())
    status = loop.run(target.status())
    assert (status.entities, status.relationships) == STATUSES[line]
    assert status.warnings == tuple(LINES[line]["payload"]["warnings"])
    assert len(status.warnings) == (line in (20, 26))


def test_an_empty_graph_is_unfit_though_the_server_says_ready(loop: LoopThread, make: Make) -> None:
    assert LINES[0]["payload"]["overall"] == "ready"
    target, spec = make(preflight={"arguments": {"line": 0}})
    with pytest.raises(PreflightError, match=r"holds 0 entities\. No entities ingested\. Run ingestion first\."):
        loop.run(preflight(target, spec, []))


@pytest.mark.parametrize("line", [20, 26], ids=name_of)
def test_what_else_the_status_must_say_can_be_required(loop: LoopThread, make: Make, line: int) -> None:
    """A degraded server is fit unless the suite says otherwise: the lexical embedding is always so."""
    target, spec = make(preflight={"arguments": {"line": line}})
    assert loop.run(preflight(target, spec, [])).status.entities == 51
    require = [{"path": "embedding.status", "op": "==", "value": "active"}]
    target, spec = make(preflight={"arguments": {"line": line}, "require": require})
    with pytest.raises(PreflightError, match=r"status embedding\.status is the text 'degraded'; =="):
        loop.run(preflight(target, spec, []))
