"""Questions in flight ahead of their scenario change how long a run takes, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .runs import Run, run_pytest

AGENTS = """
import asyncio, logging, os, time, warnings

log = logging.getLogger("agents")
in_flight = most = 0
calls = {}

async def ask(question, id):
    global in_flight, most
    in_flight += 1
    most = max(most, in_flight)
    calls[id] = calls.get(id, 0) + 1
    with open("asked.txt", "a") as file:
        print(id, file=file)
    log.warning("log begins %s", id)
    log.info("log tells %s", id)
    print("print begins", id)
    warnings.warn(f"warning of {id}")
    await asyncio.sleep(0.03)
    log.warning("log ends %s", id)
    print("print ends", id)
    in_flight -= 1
    if question == "late" and most > 1:
        await asyncio.sleep(5)
    if question == "die":
        os._exit(9)
    if question == "flaky" and calls[id] == 1:
        return "Nothing."
    return "Nothing." if question == "wrong" else "It was $1.0 billion."

def at_once(question, id):
    with open("asked.txt", "a") as file:
        print(id, file=file)
    for moment in ("begins", "ends"):
        log.warning("log %s %s", moment, id)
        log.info("log tells %s", id) if moment == "begins" else None
        print("print", moment, id)
    warnings.warn(f"warning of {id}")
    return "Nothing." if question == "wrong" else "It was $1.0 billion."
"""


def write(folder: Path, scenarios: dict[str, str], head: str = 'target: {call: "agents:ask"}', name: str = "s") -> None:
    (folder / "agents.py").write_text(AGENTS)
    items = "".join(
        f'  - {{id: {id_}, question: {text}, expect: {{numbers: ["$1 billion"]}}}}\n'
        if "expect" not in text
        else f"  - {{id: {id_}, question: {text}}}\n"
        for id_, text in scenarios.items()
    )
    (folder / f"{name}.graph.yaml").write_text(f"{head}\nscenarios:\n{items}")


def asked(folder: Path) -> list[str]:
    return (folder / "asked.txt").read_text().split()


def steady(run: Run) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return records and summary without their volatile fields."""
    volatile = {"elapsed_s", "p95_seconds", "concurrency", "run_at", "results_file", "meta", "latency"}

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: without(v) for k, v in value.items() if k not in volatile}
        return [without(v) for v in value] if isinstance(value, list) else value

    return without(run.records), without(run.summary)


NAMES = [f"s{i}" for i in range(12)]


@pytest.fixture(scope="module", params=["ask", "at_once"])
def told(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Run:
    """A run whose scenarios all fail, so that what each of them says is shown."""
    folder = tmp_path_factory.mktemp("told")
    write(folder, dict.fromkeys(NAMES, "wrong"), f'target: {{call: "agents:{request.param}"}}')
    return run_pytest(folder, "-v", "--log-level=INFO", "--junitxml=junit.xml", "-o", "junit_logging=all", alone=True)


def test_order_and_node_ids_are_those_of_the_file(told: Run) -> None:
    lines = [line.split()[0] for line in told.out.splitlines() if "FAILED" in line and "%]" in line]
    assert lines == [f"s.graph.yaml::{name}" for name in NAMES]
    assert asked(told.folder) == NAMES
    assert [r["id"] for r in told.records] == NAMES


def test_logs_and_prints_land_in_their_own_report(told: Run) -> None:
    parts = told.out.partition("= FAILURES =")[2].split("[graph-eval] ")[1:]
    assert len(parts) == len(NAMES)
    for name, part in zip(NAMES, parts, strict=True):
        report = part.partition("warnings summary")[0]
        for text in ("log begins", "log tells", "log ends", "print begins", "print ends"):
            assert [line.split()[-1] for line in report.splitlines() if text in line] == [name], (name, text)


def test_warnings_name_their_own_scenario(told: Run) -> None:
    lines = told.out.partition("warnings summary")[2].splitlines()
    places = [(lines[i - 1].strip(), line.split()[-1]) for i, line in enumerate(lines) if "UserWarning" in line]
    assert places == [(f"s.graph.yaml::{name}", name) for name in NAMES]


@pytest.mark.parametrize("told", ["ask"], indirect=True)
def test_the_latency_is_the_query_s_own_and_says_beside_how_many(told: Run) -> None:
    found = [r["concurrency"] for r in told.records]
    assert found[:8] == [8] * 8
    assert max(found) == 8
    assert all(0.03 <= r["elapsed_s"] < 2 for r in told.records)


@pytest.mark.parametrize(
    ("args", "most"), [(("--graph-eval-concurrency=3",), 3), (("--graph-eval-concurrency=1",), 1), (("--pdb",), 1)]
)
def test_the_window_is_as_wide_as_it_is_said(tmp_path: Path, args: tuple[str, ...], most: int) -> None:
    write(tmp_path, dict.fromkeys(NAMES[:6], "q"))
    assert max(r["concurrency"] for r in run_pytest(tmp_path, *args).records) == most


def test_stopping_early_cancels_what_is_in_flight(tmp_path: Path) -> None:
    write(tmp_path, {**dict.fromkeys(NAMES[:4], "q"), "bad": "wrong", **dict.fromkeys(["late1", "late2", "z"], "late")})
    run = run_pytest(tmp_path, "-x", timeout=30)
    assert [r["id"] for r in run.records] == [*NAMES[:4], "bad"]
    assert "exception" not in (run.out + run.err).lower()


def test_a_local_target_is_asked_nothing_ahead_where_one_question_is_in_flight(tmp_path: Path) -> None:
    write(tmp_path, {"a": "q", "bad": "wrong", **dict.fromkeys(NAMES, "q")}, 'target: {call: "agents:at_once"}')
    run = run_pytest(tmp_path, "-x", "--graph-eval-concurrency=1")
    assert [r["id"] for r in run.records] == asked(tmp_path) == ["a", "bad"]


GUARDED = {
    "a": "q",
    "skipped": "q, expect: {numbers: [$1 billion]}, skip: not now",
    "unless": "q, expect: {numbers: [$1 billion]}, skipif: 'True'",
    "never": "q, expect: {numbers: [$1 billion]}, xfail: {reason: no, run: false}",
    "b": "q",
    "alone": "q, expect: {numbers: [$1 billion]}, serial: true",
    "c": "q",
    "quick": "q, expect: {numbers: [$1 billion], budget: {seconds: 20}}",
    "load": "q, expect: {numbers: [$1 billion], budget: {seconds: 20}}, serial: false",
    "d": "q",
    "fixed": "q, expect: {numbers: [$1 billion]}, usefixtures: [reindexed]",
    "e": "q",
}


def test_nothing_is_asked_that_may_not_be_or_that_must_be_alone(tmp_path: Path) -> None:
    fixture = "import pytest\n@pytest.fixture\ndef reindexed():\n    open('asked.txt', 'a').write('reindexed ')\n"
    (tmp_path / "conftest.py").write_text(fixture)
    write(tmp_path, GUARDED)
    run = run_pytest(tmp_path)
    assert asked(tmp_path) == ["a", "b", "alone", "c", "quick", "load", "d", "reindexed", "fixed", "e"]
    found = {r["id"]: r["concurrency"] for r in run.records}
    assert found == {"a": 2, "skipped": None, "unless": None, "never": None, "b": 2, "alone": 1, "c": 1, "quick": 1,
                     "load": 2, "d": 2, "fixed": 1, "e": 1}  # fmt: skip


def test_a_gate_on_latency_is_judged_without_our_load(tmp_path: Path) -> None:
    write(tmp_path, {"a": "q", "b": "q"}, 'target: {call: "agents:ask"}\ngate: {budget: {p95_seconds: 20}}')
    assert [r["concurrency"] for r in run_pytest(tmp_path).records] == [1, 1]


def test_a_fixture_narrower_than_the_session_keeps_its_scenarios_apart(tmp_path: Path) -> None:
    fixture = "import pytest\n@pytest.fixture(autouse=True)\ndef clean(): yield\n"
    (tmp_path / "conftest.py").write_text(fixture)
    write(tmp_path, {"a": "q", "b": "q"})
    assert [r["concurrency"] for r in run_pytest(tmp_path).records] == [1, 1]


def test_a_session_fixture_as_target_is_asked_ahead(tmp_path: Path) -> None:
    fixture = "import pytest, agents\n@pytest.fixture(scope='session')\ndef agent(): return agents.ask\n"
    (tmp_path / "conftest.py").write_text(fixture)
    write(tmp_path, {"a": "q", "b": "q"}, "target: {fixture: agent}")
    assert [r["concurrency"] for r in run_pytest(tmp_path).records] == [2, 2]


def test_a_rerun_asks_again_and_repeats_are_in_flight_together(tmp_path: Path) -> None:
    write(tmp_path, {"a": "q", "b": "flaky", "c": "q, repeats: 3, expect: {numbers: [$1 billion]}"})
    run = run_pytest(tmp_path, "--reruns=1")
    assert asked(tmp_path) == ["a", "b", "c", "c", "c", "b"]
    assert run.record("b")["flags"] == ["flaky"]
    assert run.record("c")["concurrency"] == 5


def test_a_question_that_is_late_beside_others_is_asked_again_alone(tmp_path: Path) -> None:
    late = "late, timeout: 1, expect: {numbers: [$1 billion]}"
    write(tmp_path, {"a": "q", "b": late, "c": "q"})
    (tmp_path / "agents.py").write_text(AGENTS.replace("most > 1", "in_flight + calls[id] == 1"))
    run = run_pytest(tmp_path)
    assert {r["id"]: (r["status"], r["attempts"], r["flags"]) for r in run.records} == dict.fromkeys(
        "abc", ("PASS", 1, [])
    )


def test_pytest_timeout_ends_one_scenario_and_those_ahead_go_on(tmp_path: Path) -> None:
    write(tmp_path, {"a": "q", "b": "late", "c": "q", "d": "q"})
    (tmp_path / "agents.py").write_text(
        AGENTS.replace('"late" and most > 1', '"late"').replace("sleep(5)", "sleep(60)")
    )
    run = run_pytest(tmp_path, "--timeout=4", "--timeout-method=signal")
    assert {r["id"]: r["status"] for r in run.records} == {"a": "PASS", "b": "ERROR", "c": "PASS", "d": "PASS"}
    assert "Timeout" in run.record("b")["error"]
    assert run.code == 1


def test_a_worker_is_taken_down_only_in_the_scenario_that_does_it(tmp_path: Path) -> None:
    write(tmp_path, {"a": "q", "b": "q", "c": "die", "d": "q", "e": "q"})
    run = run_pytest(tmp_path, "-n1")
    assert {r["id"]: r["status"] for r in run.records if r["status"] != "PASS"} == {"c": "ERROR"}
    assert len(run.records) == 5


def test_the_window_can_be_set_in_the_ini_file_and_bad_numbers_are_refused(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(NAMES[:4], "q"))
    (tmp_path / "pytest.ini").write_text("[pytest]\ngraph_eval_concurrency = 2\n")
    assert max(r["concurrency"] for r in run_pytest(tmp_path).records) == 2
    refused = run_pytest(tmp_path, "--graph-eval-concurrency=0")
    assert refused.code == pytest.ExitCode.USAGE_ERROR
    assert "--graph-eval-concurrency 0: expected a whole number from 1" in refused.err


def test_a_target_s_own_limit_wins(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(NAMES[:5], "q"), 'target: {call: "agents:ask", max_concurrency: 2}')
    assert max(r["concurrency"] for r in run_pytest(tmp_path).records) == 2


def test_pytest_still_tells_which_fixtures_an_item_uses_and_how_long_they_last(pytester: pytest.Pytester) -> None:
    """What `ScenarioItem._lasting_fixtures` reads is private to pytest."""
    pytester.makeconftest("import pytest\n@pytest.fixture(scope='session')\ndef long(): pass\n")
    item = pytester.getitem("def test_func(long, tmp_path): pass")
    assert isinstance(item, pytest.Function)
    scopes = {n: [d.scope for d in found] for n, found in item._fixtureinfo.name2fixturedefs.items()}
    assert scopes == {"long": ["session"], "tmp_path": ["function"], "tmp_path_factory": ["session"]}


MIXED = {**dict.fromkeys(NAMES[:5], "q"), "w": "wrong", "x": "late, timeout: 1, expect: {numbers: [$1 billion]}",
         "r": "q, repeats: 3, expect: {numbers: [$1 billion]}", **dict.fromkeys(NAMES[5:], "q")}  # fmt: skip


@pytest.mark.parametrize("args", [("--graph-eval-concurrency=16",), ("-n2",)], ids="".join)
def test_records_and_summary_do_not_depend_on_what_was_in_flight(tmp_path: Path, args: tuple[str, ...]) -> None:
    found = []
    for name, options in {"one": ("--graph-eval-concurrency=1",), "other": args}.items():
        folder = tmp_path / name
        folder.mkdir()
        write(folder, MIXED)
        (folder / "agents.py").write_text(AGENTS.replace('"late" and most > 1', '"late"'))
        found.append(json.dumps(steady(run_pytest(folder, *options)), indent=1))
    assert found[0] == found[1]


def test_shuffled_items_and_those_that_failed_last_are_asked_ahead_in_their_own_order(tmp_path: Path) -> None:
    write(tmp_path, {**dict.fromkeys(NAMES, "q"), "w1": "wrong", "w2": "wrong"})
    options = ("-p", "cacheprovider", "-o", f"cache_dir={tmp_path / 'cache'}", "-v")
    run = run_pytest(tmp_path, "-p", "no:hypothesispytest", *options, shuffled=True, alone=True)
    ran = [line.partition("::")[2].split()[0] for line in run.out.splitlines() if "%]" in line]
    assert asked(tmp_path) == ran != [*NAMES, "w1", "w2"]
    (tmp_path / "asked.txt").unlink()
    for file in (tmp_path / "results").iterdir():
        file.unlink()
    again = run_pytest(tmp_path, "--lf", *options)
    assert sorted(asked(tmp_path)) == ["w1", "w2"]
    assert [r["concurrency"] for r in again.records] == [2, 2]


SPY = """
import pytest
from pytest_graph_eval.evaluation import prefetch

prefetch.GO = prefetch.InlineWindow._QUICK = 10  # on a busy machine, too

@pytest.fixture
def each(): pass

def pytest_runtest_logstart(nodeid):
    with open("asked.txt", "a") as file:
        print(nodeid, file=file)
"""


def in_turn(tmp_path: Path, **suites: str) -> tuple[list[str], Run]:
    """Write suites of one scenario each and run them; return what was asked and begun, in this order."""
    (tmp_path / "conftest.py").write_text(SPY)
    for name, head in suites.items():
        write(tmp_path, {name: "q"}, head, name)
    run = run_pytest(tmp_path, alone=True)
    return asked(tmp_path), run


def test_suites_that_share_a_local_target_are_asked_in_one_go(tmp_path: Path) -> None:
    head = 'target: {call: "agents:at_once"}'
    found, _ = in_turn(tmp_path, a=head, b=head, c=head)
    assert found == ["a.graph.yaml::a", "a", "b", "c", "b.graph.yaml::b", "c.graph.yaml::c"]


def test_suites_that_share_a_target_are_in_flight_together(tmp_path: Path) -> None:
    head = 'target: {call: "agents:ask"}'
    _, run = in_turn(tmp_path, a=head, b=head, c=head)
    assert max(r["concurrency"] for r in run.records) > 1


@pytest.mark.parametrize(
    "second",
    [
        'target: {call: "agents:at_once", name: another}',
        'gate: {budget: {p95_seconds: 5}}\ntarget: {call: "agents:at_once"}',
        'defaults: {usefixtures: [each]}\ntarget: {call: "agents:at_once"}',
        'record_mode: once\ntarget: {call: "agents:at_once"}',
    ],
    ids=["another target", "alone", "a fixture", "a cassette"],
)
def test_a_suite_that_must_wait_for_its_turn_does(tmp_path: Path, second: str) -> None:
    found, _ = in_turn(tmp_path, a='target: {call: "agents:at_once"}', b=second)
    assert found == ["a.graph.yaml::a", "a", "b.graph.yaml::b", "b"]


def test_a_suite_of_another_folder_waits_for_its_turn(tmp_path: Path) -> None:
    write(tmp_path, {"s": "q"}, "target: local")
    (tmp_path / "targets.yaml").write_text('local: {call: "agents:at_once"}')
    (tmp_path / "conftest.py").write_text(SPY)
    suite = (tmp_path / "s.graph.yaml").read_text()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.graph.yaml").write_text(suite.replace("id: s", f"id: {name}"))
        (tmp_path / name / "b.graph.yaml").write_text(suite.replace("id: s", f"id: {name}_b"))
    run_pytest(tmp_path, "-o", "graph_eval_targets=targets.yaml", "one", "two", alone=True)
    found = [line for line in asked(tmp_path) if "/b.graph" not in line]
    assert found == ["one/a.graph.yaml::one", "one", "one_b", "two/a.graph.yaml::two", "two", "two_b"]
