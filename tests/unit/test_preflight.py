from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import PreflightError, TargetError, ToolError, TransportError
from pytest_graph_eval.evaluation.preflight import PreflightResult, preflight
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.models.settings import GraphTarget, McpTarget, PythonTarget
from pytest_graph_eval.targets.arguments import argument_problems
from pytest_graph_eval.targets.base import Query, Target, TargetStatus
from pytest_graph_eval.targets.mcp.backups import delete_backups, find_backups

SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "mode": {"enum": ["kg", "global", "hybrid"]},
        "top_k": {"type": "integer"},
    },
    "required": ["query"],
}
TOOLS = {"query_graph_tool": SCHEMA, "get_server_status": {"type": "object", "properties": {}}}
GOOD = TargetStatus(51, 65, TOOLS, {"graph": {"entities": 51, "relationships": 65}, "embedding": {"dimension": 384}})


class Fake(Target):
    """A target whose states are listed: each `open` or `status` after a recovery sees the next one."""

    name = "demo"
    kind = "mcp"
    where = "s.yaml:3"

    def __init__(self, *states: TargetStatus | TargetError, seconds: float = 0) -> None:
        self._states = list(states)
        self._seconds = seconds
        self.calls: list[str] = []
        self.recovery: Exception | None = None

    async def open(self) -> None:
        self.calls.append("open")
        if isinstance(state := self._states[0], TransportError):
            raise state

    async def status(self) -> TargetStatus:
        self.calls.append("status")
        await asyncio.sleep(self._seconds)
        state = self._states[0]
        if isinstance(state, TargetError):
            raise state
        return state

    async def recover(self) -> None:
        self.calls.append("recover")
        await asyncio.sleep(self._seconds)
        if self.recovery:
            raise self.recovery
        self._states.pop(0)

    async def ask(self, query: Query) -> Response:
        raise AssertionError(f"the preflight asks no question: {query}")


def spec_of(**settings: Any) -> McpTarget:
    return McpTarget(command=["server"], **settings)


def scenario(id: str = "S1", question: str = "Who?", **more: Any) -> Scenario:  # noqa: A002 - as in the model
    return Scenario(id=id, question=question, **more)


def check(target: Fake, spec: Any = None, scenarios: Sequence[Scenario] = (), **more: Any) -> PreflightResult:
    return asyncio.run(preflight(target, spec or spec_of(), scenarios or [scenario()], **more))


def refused(target: Fake, spec: Any = None, scenarios: Sequence[Scenario] = (), **more: Any) -> str:
    with pytest.raises(PreflightError) as error:
        check(target, spec, scenarios, **more)
    return str(error.value)


def test_a_good_target_passes() -> None:
    target = Fake(GOOD)
    assert check(target) == PreflightResult(GOOD)
    assert target.calls == ["open", "status"]


def test_a_target_that_tells_nothing_of_itself_passes() -> None:
    assert check(Fake(TargetStatus()), PythonTarget(call="m:f")).status.entities is None


def test_what_the_target_warns_of_is_handed_on() -> None:
    assert check(Fake(TargetStatus(1, 1, warnings=("degraded",)))).warnings == ("degraded",)


def test_a_target_that_cannot_be_opened_is_named_with_place_and_stderr() -> None:
    with pytest.raises(PreflightError) as error:
        check(Fake(TransportError("the command 'x' was not found", stderr="line")))
    assert str(error.value) == "s.yaml:3: target demo: the command 'x' was not found"
    assert error.value.stderr == "line"


def test_a_status_that_cannot_be_read_is_an_error() -> None:
    message = refused(Fake(ToolError("get_server_status replied with an error: boom")))
    assert message == "s.yaml:3: target demo: its status cannot be read: get_server_status replied with an error: boom"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"tool": "query_graph"},
            "'query_graph'; did you mean 'query_graph_tool'? (tools: get_server_status, query_graph_tool); set `tool:`",
        ),
        ({"tool": "mcp__demo__query_graph_tool"}, "did you mean 'query_graph_tool'?"),
        ({"preflight": {"tool": "server_status"}}, "no tool 'server_status'; did you mean 'get_server_status'?"),
    ],
)
def test_a_missing_tool_names_the_nearest(settings: dict[str, Any], message: str) -> None:
    assert message in refused(Fake(GOOD), spec_of(**settings))


def test_a_server_without_a_status_tool_is_fine_unless_one_is_named() -> None:
    status = TargetStatus(tools={"query_graph_tool": SCHEMA})
    assert check(Fake(status)).status == status
    assert "no tool 'get_server_status'" in refused(Fake(status), spec_of(preflight={"tool": "get_server_status"}))


def test_an_empty_graph_is_refused() -> None:
    message = refused(Fake(TargetStatus(0, 0, TOOLS)))
    assert message.startswith(
        "s.yaml:3: target demo: the graph holds 0 entities. No entities ingested. Run ingestion first."
    )
    assert message.endswith("A `recover:` call can do it.")


def test_where_there_is_no_tool_to_call_no_call_is_advised() -> None:
    message = refused(Fake(TargetStatus(0, 0)), GraphTarget(extraction=["empty.json"]))
    assert message.endswith("Run ingestion first.")


def test_without_relationships_only_scenarios_that_need_them_are_blocked() -> None:
    scenarios = [
        scenario("A"),
        scenario("B", "How did sales change?"),
        scenario("C", category="multi_hop"),
        scenario("D", mode="kg"),
    ]
    result = check(Fake(TargetStatus(5, 0, TOOLS)), scenarios=scenarios)
    assert result.warnings == ("no_relationships",)
    assert sorted(result.blocked) == ["B", "C"]
    assert result.blocked["B"] == (
        "the graph holds 0 relationships and mode global searches by them; ingest some, or ask in mode kg"
    )


# Requirements


@pytest.mark.parametrize(
    "requirement",
    [
        {"path": "graph.entities", "op": ">", "value": 50},
        {"path": "graph.entities", "op": ">=", "value": 51},
        {"path": "graph.entities", "op": "<=", "value": 51},
        {"path": "graph.entities", "op": "<", "value": 52},
        {"path": "embedding.dimension", "value": 384},
        {"path": "embedding.dimension", "op": "!=", "value": 8},
        {"path": "embedding.dimension", "op": "in", "value": [128, 384]},
        {"path": "embedding", "op": "exists"},
        {"path": "error", "op": "exists", "value": False},
    ],
)
def test_met_requirements_pass(requirement: dict[str, Any]) -> None:
    assert check(Fake(GOOD), spec_of(preflight={"require": [requirement]})).blocked == {}


@pytest.mark.parametrize(
    ("requirement", "message"),
    [
        (
            {"path": "graph.entities", "op": ">", "value": 99},
            "status graph.entities is the number 51; > 99 is required",
        ),
        ({"path": "graph.nodes", "op": ">", "value": 0}, "status graph.nodes is nothing; > 0 is required"),
        ({"path": "embedding.dimension", "value": 8}, "status embedding.dimension is the number 384; == 8 is required"),
        ({"path": "embedding.dimension", "op": "in", "value": 8}, "status embedding.dimension: it cannot be compared"),
        ({"path": "graph.entities", "op": "<", "value": "many"}, "it cannot be compared ("),
        ({"path": "graph[0]"}, "it cannot be compared (graph is an object"),
        ({"path": "llm", "op": "exists"}, "status llm is nothing; something is expected there"),
        ({"path": "graph", "op": "exists", "value": False}, "nothing is expected there"),
    ],
)
def test_unmet_requirements_name_found_and_expected(requirement: dict[str, Any], message: str) -> None:
    assert message in refused(Fake(GOOD), spec_of(preflight={"require": [requirement]}))


def test_all_unmet_requirements_are_named() -> None:
    require = [{"path": "graph.entities", "op": ">", "value": 99}, {"path": "llm", "op": "exists"}]
    message = refused(Fake(GOOD), spec_of(preflight={"require": require}))
    assert "graph.entities" in message
    assert "llm" in message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"entities": "graph.nodes"},
            "preflight.entities: nothing stands at 'graph.nodes': the status is an object with",
        ),
        (
            {"relationships": "n.r"},
            "preflight.relationships: nothing stands at 'n.r': the status is an object with the",
        ),
    ],
)
def test_a_count_that_is_not_where_the_suite_says_is_refused(settings: dict[str, Any], message: str) -> None:
    unknown = TargetStatus(None, None, TOOLS, GOOD.raw)
    assert message in refused(Fake(unknown), spec_of(preflight=settings))
    optional = {key: f"{path}?" for key, path in settings.items()}
    assert check(Fake(unknown), spec_of(preflight=optional)).blocked == {}
    assert "no status was read; say where it is by" in refused(
        Fake(TargetStatus(tools=TOOLS)), spec_of(preflight=settings)
    )


# Arguments


def test_arguments_of_all_scenarios_that_do_not_fit_refuse_the_target() -> None:
    scenarios = [scenario("A"), scenario("B")]
    message = refused(Fake(GOOD), spec_of(arguments={"query": "{question}", "topk": 3}), scenarios)
    assert message == (
        "s.yaml:3: target demo: the arguments do not fit the tool query_graph_tool: unknown argument 'topk'; "
        "did you mean 'top_k'? (known: query, mode, top_k)"
    )
    assert "'query' is a required property" in refused(Fake(GOOD), spec_of(arguments={}), scenarios)


def test_arguments_of_some_scenarios_block_only_these() -> None:
    scenarios = [
        scenario("A"),
        scenario("B", arguments={"topk": 3}),
        scenario("C", arguments={"top_k": "three"}),
        scenario("D", arguments={"top_k": 3}),
        scenario("E", mode="local"),
    ]
    blocked = check(Fake(GOOD), scenarios=scenarios).blocked
    assert sorted(blocked) == ["B", "C", "E"]
    assert "unknown argument 'topk'; did you mean 'top_k'?" in blocked["B"]
    assert "top_k: 'three' is not of type 'integer'" in blocked["C"]
    assert "mode: 'local' is not one of ['kg', 'global', 'hybrid']" in blocked["E"]
    assert all(text.startswith("s.yaml:3: target demo: the arguments do not fit the tool") for text in blocked.values())


def test_the_targets_own_mode_names_are_what_is_checked() -> None:
    tools = {**TOOLS, "query_graph_tool": {**SCHEMA, "properties": {"query": {}, "mode": {"enum": ["mix", "global"]}}}}
    assert check(Fake(TargetStatus(1, 1, tools)), spec_of(preset="preciso")).blocked == {}
    assert "'kg' is not one of" in refused(Fake(TargetStatus(1, 1, tools)))


@pytest.mark.parametrize(
    ("schema", "arguments", "problems"),
    [
        ({"type": "object"}, {"anything": 1}, []),
        ({"properties": {}}, {"x": 1}, ["unknown argument 'x' (known: none)"]),
        ({"properties": {"a": {}}, "additionalProperties": True}, {"x": 1}, []),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"x": 1}, ["unknown argument 'x' (known: a)"]),
        ({"properties": {"a": {"type": "number"}}}, {"a": 1.5}, []),
        ({"properties": {"a": {"type": ["string", "null"]}}}, {"a": None}, []),
        ({"properties": {"a": {"items": {"type": "string"}}}}, {"a": ["x", 1]}, ["a.1: 1 is not of type 'string'"]),
        (
            {"properties": {"a": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"type": "string"}}},
            {"a": 1},
            ["a: 1 is not of type 'string'"],
        ),
        ({"properties": {"a": {"$ref": "http://127.0.0.1:9/none.json"}}}, {"a": 1}, []),
        ({"properties": {"a": {"type": "strange"}}}, {"a": 1}, []),
    ],
)
def test_arguments_are_checked_against_a_schema(
    schema: dict[str, Any], arguments: dict[str, Any], problems: list[str]
) -> None:
    """A schema that is none, or refers to somewhere else, is not judged, and nothing is downloaded."""
    assert argument_problems(schema, arguments) == problems


@pytest.mark.slow
def test_arguments_that_many_scenarios_share_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = []

    def counted(schema: Any, arguments: Any) -> list[str]:
        checked.append(arguments)
        return argument_problems(schema, arguments)

    monkeypatch.setattr("pytest_graph_eval.evaluation.preflight.argument_problems", counted)
    result = check(Fake(GOOD), scenarios=[scenario(f"S{i}", f"Question {i}?") for i in range(5000)])
    assert result.blocked == {}
    assert len(checked) == 1


# Recovery


EMPTY = TargetStatus(0, 0, TOOLS)


@pytest.mark.parametrize(
    "broken",
    [
        EMPTY,
        TargetStatus(5, 5, TOOLS, {"has_dimension_mismatch": True}),
        TargetStatus(5, 5, TOOLS, {"graph": {"has_dim_mismatch": True}}),
        TransportError("it ended", stderr="a\nValueError: configured embedding dimension 384\nb"),
        TransportError("it ended: dim mismatch"),
    ],
)
def test_an_empty_or_mismatching_graph_is_recovered_once(broken: Any) -> None:
    target = Fake(broken, GOOD)
    result = check(target, spec_of(recover={"tool": "reingest_from_file"}))
    assert result == PreflightResult(GOOD, ("recovered",))
    assert target.calls.count("recover") == 1


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (TargetStatus(5, 5, TOOLS, {"has_dimension_mismatch": True}), "(the status says has_dimension_mismatch: true)"),
        (
            TransportError("it ended", stderr="a\nValueError: dimension 8, not 384\nb"),
            "refuses to start: ValueError: dimension 8",
        ),
    ],
)
def test_a_mismatch_without_recovery_says_what_to_do(broken: Any, message: str) -> None:
    text = refused(Fake(broken))
    assert "embedding dimension mismatch" in text
    assert message in text
    assert "ingest again into an empty folder" in text
    assert "`recover:` with `clear_backups: true` and `graph_dir:`" in text


@pytest.mark.parametrize(
    "broken",
    [TransportError("the command 'x' was not found"), ToolError("boom"), TransportError("x", stderr="dimly lit")],
)
def test_what_recovery_cannot_mend_is_not_recovered(broken: TargetError) -> None:
    target = Fake(broken, GOOD)
    refused(target, spec_of(recover={"tool": "reingest_from_file"}))
    assert "recover" not in target.calls


def test_a_recovery_that_did_not_help_says_so() -> None:
    target = Fake(EMPTY, EMPTY, GOOD)
    message = refused(target, spec_of(recover={"tool": "reingest_from_file"}))
    assert message.endswith("Run ingestion first. (still so after the recovery)")
    assert target.calls.count("recover") == 1


def test_a_recovery_that_fails_names_both_causes() -> None:
    target = Fake(EMPTY)
    target.recovery = ToolError("the recovery call (reingest): no such file", stderr="tail")
    message = refused(target, spec_of(recover={"tool": "reingest"}))
    assert "the graph holds 0 entities" in message
    assert "the recovery failed: the recovery call (reingest): no such file" in message


def test_everything_ends_in_time() -> None:
    start = time.monotonic()
    spec = spec_of(start_timeout=0.1)
    assert "reading the status took longer than 0.2 s" in refused(Fake(GOOD, seconds=30), spec)
    assert time.monotonic() - start < 2


# Backups


BACKUP = "vdb_entities.json.dim-mismatch-1780127123.bak"


@pytest.fixture
def graph_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "graph"
    (folder / "below").mkdir(parents=True)
    for name in (BACKUP, "vdb_chunks.json.dim-mismatch-1.bak", "vdb_entities.json", "x.bak", "graph.graphml"):
        (folder / name).touch()
    (folder / "below" / BACKUP).touch()
    (folder / "vdb_dir.dim-mismatch-1.bak").mkdir()
    (tmp_path / "elsewhere").touch()
    (folder / "vdb_link.dim-mismatch-2.bak").symlink_to(tmp_path / "elsewhere")
    return folder


def test_only_backup_files_directly_in_the_folder_are_deleted(graph_dir: Path) -> None:
    before = set(graph_dir.rglob("*"))
    deleted = delete_backups(graph_dir)
    assert [p.name for p in deleted] == ["vdb_chunks.json.dim-mismatch-1.bak", BACKUP]
    assert before - set(graph_dir.rglob("*")) == set(deleted)
    assert (graph_dir.parent / "elsewhere").exists()


def test_a_folder_that_is_not_there_has_no_backups(tmp_path: Path) -> None:
    assert find_backups(tmp_path / "nowhere") == []
    (tmp_path / "file").touch()
    assert find_backups(tmp_path / "file") == []


def test_backup_files_mean_a_mismatch(graph_dir: Path) -> None:
    target = Fake(GOOD)
    target.graph_dir = graph_dir
    message = refused(target)
    assert "embedding dimension mismatch (backup files in" in message
    assert BACKUP in message
    delete_backups(graph_dir)
    assert check(target).warnings == ()


# Workers that share a graph


def test_a_worker_waits_for_the_one_that_recovers_and_does_not_do_it_again(tmp_path: Path) -> None:
    target = Fake(EMPTY, GOOD)
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)

    async def main() -> PreflightResult:
        work = asyncio.create_task(
            preflight(target, spec_of(recover={"tool": "r"}), [scenario()], lock_folder=tmp_path)
        )
        await asyncio.sleep(0.3)
        assert not work.done()
        target._states.pop(0)  # the other worker has recovered the graph
        os.close(handle)
        return await work

    assert asyncio.run(main()).status == GOOD
    assert "recover" not in target.calls


def test_two_workers_recover_one_after_the_other(tmp_path: Path) -> None:
    first, second = Fake(EMPTY, GOOD, seconds=0.2), Fake(EMPTY, GOOD)

    async def main() -> list[PreflightResult]:
        spec = spec_of(recover={"tool": "r"})
        return await asyncio.gather(*(preflight(t, spec, [scenario()], lock_folder=tmp_path) for t in (first, second)))

    assert [r.warnings for r in asyncio.run(main())] == [("recovered",)] * 2


def test_a_lock_that_is_never_freed_ends_in_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_graph_eval.evaluation.preflight._CLOSING", 0.0)
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        spec = spec_of(recover={"tool": "r"}, start_timeout=0.1)
        message = refused(Fake(EMPTY, GOOD), spec, lock_folder=tmp_path)
        assert "another worker holds the recovery lock on" in message
    finally:
        os.close(handle)


def test_without_a_folder_to_lock_recovery_goes_on(tmp_path: Path) -> None:
    spec = spec_of(recover={"tool": "r"})
    assert check(Fake(EMPTY, GOOD), spec, lock_folder=tmp_path / "nowhere").warnings == ("recovered",)
