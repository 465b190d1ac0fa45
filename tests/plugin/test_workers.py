"""Servers under pytest-xdist: one for each worker, one for all, and what happens when one of them dies."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.integration.processes import free_port, left_in, listens
from tests.plugin.runs import SERVERS, Run, run_pytest

LONE = json.dumps(["python", str(SERVERS / "lone_graph_server.py")])[:-1]


def write(folder: Path, target: str, scenarios: dict[str, str], name: str = "s") -> None:
    items = "".join(
        f'  - {{id: {id_}, question: {question}, expect: {{numbers: ["$1 billion"]}}}}\n'
        for id_, question in scenarios.items()
    )
    (folder / f"{name}.graph.yaml").write_text(f"target: {target}\nscenarios:\n{items}")


def outcomes(run: Run) -> dict[str, str]:
    return {r["id"]: r["status"] for r in run.records}


QUESTIONS = {f"s{i}": "q" for i in range(8)}


def test_a_graph_for_one_process_only_gets_a_copy_a_worker(tmp_path: Path) -> None:
    write(
        tmp_path,
        f'{{command: {LONE}, "graphs/{{worker}}"], tool: ask, arguments: {{query: "{{question}}"}}}}',
        QUESTIONS,
    )
    run = run_pytest(tmp_path, "-n2")
    assert set(outcomes(run).values()) == {"PASS"}, run.out
    assert sorted(path.name for path in (tmp_path / "graphs").iterdir()) == ["gw0", "gw1"]
    assert left_in(tmp_path) == []


def test_workers_share_one_server_that_ends_with_the_last_of_them(tmp_path: Path) -> None:
    port = free_port()
    shared = f'url: "http://127.0.0.1:{port}/mcp", shared: true, tool: ask, arguments: {{query: "{{question}}"}}'
    write(tmp_path, f'{{command: {LONE}, graph, "{port}"], {shared}}}', QUESTIONS)
    run = run_pytest(tmp_path, "-n2")
    assert set(outcomes(run).values()) == {"PASS"}, run.out
    (pid,) = (tmp_path / "graph/opened.txt").read_text().split()
    assert {name for r in run.records for name in r["retrieved"]["entities"]} == {f"pid {pid}"}
    assert not listens(port)
    assert not Path(f"/proc/{pid}").exists() or os.getpid() == int(pid)


def test_a_shared_server_that_dies_of_a_question_costs_only_that_one(tmp_path: Path) -> None:
    port = free_port()
    shared = f'url: "http://127.0.0.1:{port}/mcp", shared: true, tool: ask, arguments: {{query: "{{question}}"}}'
    questions = {**QUESTIONS, "bad": "die", "worse": "die", **{f"z{i}": "q" for i in range(5)}}
    write(tmp_path, f'{{command: {LONE}, graph, "{port}"], {shared}}}', questions)
    run = run_pytest(tmp_path)
    errors = {r["id"]: r["error"] for r in run.records if r["status"] != "PASS"}
    assert errors.keys() == {"bad", "worse"}, run.out
    assert not any("ExceptionGroup" in error for error in errors.values())


@pytest.mark.parametrize("args", [(), ("-n2",)], ids=["one process", "workers"])
def test_a_server_that_dies_of_a_question_costs_only_that_one(tmp_path: Path, args: tuple[str, ...]) -> None:
    questions = {**QUESTIONS, "bad": "die", "worse": "die", **{f"z{i}": "q" for i in range(5)}}
    write(
        tmp_path,
        f'{{command: {LONE}, "graphs/{{worker}}"], tool: ask, arguments: {{query: "{{question}}"}}}}',
        questions,
    )
    run = run_pytest(tmp_path, *args)
    errors = {id_ for id_, status in outcomes(run).items() if status != "PASS"}
    assert errors == {"bad", "worse"}, run.out
    assert len(run.records) == len(questions)


def test_loadgroup_keeps_suites_with_one_target_together_and_node_ids_plain(tmp_path: Path) -> None:
    agents = "import os\ndef ask(question):\n"
    agents += "    return {'answer': '$1.0 billion', 'entities': [{'name': str(os.getpid())}]}\n"
    (tmp_path / "agents.py").write_text(agents)
    for name, target in {"a": "one", "b": "one", "c": "two", "d": "two"}.items():
        write(tmp_path, f'{{call: "agents:ask", name: {target}}}', {f"{name}{i}": "q" for i in range(3)}, name)
    own = '{id: own, question: q, marks: [{xdist_group: mine}], expect: {numbers: ["$1 billion"]}}'
    (tmp_path / "f.graph.yaml").write_text(f'target: {{call: "agents:ask", name: four}}\nscenarios:\n  - {own}\n')
    (tmp_path / "test_plain.py").write_text("def test_plain(): pass\n")
    run = run_pytest(tmp_path, "-n2", "--dist=loadgroup")
    assert outcomes(run) == dict.fromkeys([*(f"{n}{i}" for n in "abcd" for i in range(3)), "own"], "PASS")
    assert all(r["nodeid"] == f"{r['suite']}::{r['id']}" for r in run.records)
    workers: dict[str, set[str]] = {r["target"]: set() for r in run.records}
    for record in run.records:
        workers[record["target"]].update(record["retrieved"].get("entities", ()))
    assert [len(workers[name]) for name in ("one", "two")] == [1, 1]
    assert [r["index"] for r in run.records] == list(range(13))


@pytest.mark.parametrize("dist", ["loadfile", "loadgroup", "loadscope"])
def test_what_took_its_worker_down_does_not_run_again_and_what_is_kept_together_with_it_does(
    tmp_path: Path, dist: str
) -> None:
    agents = "import os\ndef ask(question):\n    return os._exit(3) if question == 'die' else '$1.0 billion'\n"
    (tmp_path / "agents.py").write_text(agents)
    questions = {"a": "q", "bad": "die", "b": "q", "worse": "die"}
    write(tmp_path, '{call: "agents:ask"}', questions)
    run = run_pytest(tmp_path, "-n2", f"--dist={dist}")
    found = [(r["id"], r["status"]) for r in run.records]
    assert found == [("a", "PASS"), ("bad", "ERROR"), ("b", "PASS"), ("worse", "ERROR")], run.out


def test_what_took_its_worker_down_and_is_rerun_has_one_record(tmp_path: Path) -> None:
    agents = "import os, pathlib\ndef ask(question):\n    died = pathlib.Path('died')\n"
    agents += "    if question == 'die' and not died.exists():\n        died.touch()\n        os._exit(3)\n"
    (tmp_path / "agents.py").write_text(agents + "    return '$1.0 billion'\n")
    write(tmp_path, '{call: "agents:ask"}', {"a": "q", "bad": "die", "b": "q"})
    run = run_pytest(tmp_path, "-n2", "--reruns=1")
    found = [(r["id"], r["status"], r["attempts"], r["flags"]) for r in run.records]
    assert found == [("a", "PASS", 1, []), ("bad", "PASS", 2, ["flaky"]), ("b", "PASS", 1, [])], run.out
    assert run.code == pytest.ExitCode.OK
