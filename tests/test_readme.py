"""Everything that the README and its pages show is run, and everything that can be set is in the reference."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import types
import typing
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from pytest_graph_eval import evaluate, extended, load_suite
from pytest_graph_eval.gate.comparison.changes import Code
from pytest_graph_eval.gate.summary import Summary
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.metrics.names import metric_names
from pytest_graph_eval.models import expect, judge_settings, scenario, settings, steps, validation
from pytest_graph_eval.models.extensions import OpenModel, plugin
from pytest_graph_eval.models.records import Record, Response, Usage
from pytest_graph_eval.models.scalars import Model
from pytest_graph_eval.targets.reply.mapping import map_reply
from pytest_graph_eval.targets.reply.presets import response_map
from tests.servers.services import CHAT_AGENT, LIGHTRAG, serving

from .generated import KEYS, generated
from .readme_blocks import (
    PAGES,
    ROOT,
    Block,
    all_blocks,
    environment,
    normalised,
    play,
    read_blocks,
    read_pages,
    run,
    section,
)

TEXT = read_pages()
BLOCKS = all_blocks()
KINDS = {"command", "file", "run", "reply", "gate", "jq", "pandas", "python", "judge"}


def of_kind(kind: str) -> list[Any]:
    return [pytest.param(b, id=f"{b.page}:{b.line}") for b in BLOCKS if b.kind == kind]


SERVED: dict[str, dict[str, Any]] = {
    "mine.graph.yaml": {"entities": ["Doug McMillon"], "chunks": ["p1"]},
    "lightrag.graph.yaml": {"entities": ["Doug McMillon"], "chunks": ["c1"]},
    "chat.graph.yaml": {},
    "graphrag.graph.yaml": {"entities": ["DOUG"], "chunks": ["1"]},
}
"""Suites whose servers are elsewhere, and what comes back from those that the tests put in their place."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[Block, str]]:
    """Return the folder in which all files were written and all commands run, and what these printed."""
    folder = tmp_path_factory.mktemp("readme")
    return folder, dict(play(BLOCKS, folder))


def test_every_block_says_how_it_is_tested() -> None:
    assert [f"{b.page}:{b.line}" for b in BLOCKS if b.kind not in KINDS] == []
    assert {b.kind for b in BLOCKS} == KINDS
    assert TEXT.count("```") == 2 * len(BLOCKS)


@pytest.mark.parametrize("block", of_kind("run"))
def test_commands_print_what_the_readme_shows(block: Block, played: tuple[Path, dict[Block, str]]) -> None:
    assert normalised(played[1][block]) == normalised(block.output), "python -m tests.readme_blocks updates it"


@pytest.mark.parametrize("block", of_kind("file"))
def test_files_are_what_their_names_say(block: Block, played: tuple[Path, dict[Block, str]]) -> None:
    path = played[0] / block.argument
    if block.argument.endswith(".graph.yaml"):
        conftest = path.parent / "conftest.py"
        with extended(*([plugin(str(conftest))] if conftest.exists() else [])):
            suite = load_suite(path, targets={})
        expected = {"graph": "PASS", "replay": "PASS", "python": "FAIL", "oracle": "PASS"}.get(
            suite.target.kind if suite.target else ""
        )
        assert block.argument in SERVED or {r.status for r in evaluate(suite)} == {expected}
    elif block.argument.endswith(".json"):
        assert Catalog.from_files([path]).entities
    elif block.argument.endswith(".jsonl"):
        assert all(json.loads(line)["response"] for line in block.text.splitlines())
    else:
        compile(block.text, block.argument, "exec")


@pytest.mark.parametrize("name", SERVED)
def test_the_servers_that_it_points_at_are_asked(
    name: str, played: tuple[Path, dict[Block, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their addresses are replaced by those of local ones that speak the same protocols; nothing else is."""
    path = played[0] / name
    (path.parent / "documents.json").write_text("[]", encoding="utf-8")
    monkeypatch.setenv("GRAPH_TOKEN", "any token")
    monkeypatch.setenv("OPENAI_API_KEY", "any key")
    put_graphrag_in_place(monkeypatch)
    with serving(LIGHTRAG | CHAT_AGENT) as url:
        text = re.sub(r"http://localhost:\d+", url, path.read_text(encoding="utf-8"))
        (record,) = evaluate(load_suite(path, text=text, targets={}))
    assert record.status == "PASS", record.reason
    assert {key: record.retrieved[key] for key in SERVED[name]} == SERVED[name]
    cost = {"chat.graph.yaml": (1000 * 2.5 + 100 * 10) / 1e6}
    assert record.usage.get("cost_usd") == cost.get(name)


def put_graphrag_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for graphrag 3.3: its local search takes and returns what is taken and returned here."""
    import pandas

    async def local_search(  # type: ignore[no-untyped-def]  # as the README calls it
        config, entities, communities, community_reports, text_units, relationships, covariates, community_level,
        response_type, query, callbacks=None, verbose=False,
    ) -> tuple[str, dict[str, Any]]:  # fmt: skip
        tables = (entities, communities, community_reports, text_units, relationships)
        assert (config, [t.name for t in tables]) == (
            "ragtest", ["entities", "communities", "community_reports", "text_units", "relationships"],
        )  # fmt: skip
        assert query == "Who is the CEO of Walmart?"
        return "Doug McMillon.", {
            "entities": pandas.DataFrame([{"id": "0", "entity": "DOUG", "description": "CEO", "in_context": True}]),
            "sources": pandas.DataFrame([{"id": "1", "text": "Doug McMillon leads Walmart."}]),
        }

    parts = {"graphrag": {}, "graphrag.config": {}, "graphrag.api": {"local_search": local_search},
             "graphrag.config.load_config": {"load_config": str}}  # fmt: skip
    for name, members in parts.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules["graphrag"].api = sys.modules["graphrag.api"]  # type: ignore[attr-defined]  # a stand-in
    monkeypatch.setattr(pandas, "read_parquet", lambda path: types.SimpleNamespace(name=path.stem))


@pytest.mark.parametrize("block", of_kind("reply"))
def test_the_sample_reply_is_mapped_as_said(block: Block, played: tuple[Path, dict[Block, str]]) -> None:
    rules = response_map(load_suite(played[0] / block.argument, targets={}).target)
    assert rules is not None
    found = map_reply(json.loads(block.text), rules)
    assert [(e.name, e.type) for e in found.entities or ()] == [("Doug McMillon", "Person")]
    assert [(r.source, r.target, r.type) for r in found.relationships or ()] == [("Doug McMillon", "Walmart", "leads")]
    assert [(c.id, c.content) for c in found.chunks or ()] == [("p1", "Doug McMillon leads Walmart.")]
    assert found.answer is None


@pytest.mark.parametrize("block", of_kind("gate"))
def test_the_gate_loads_and_its_defaults_are_the_defaults(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "g.graph.yaml"
    path.write_text(f"{block.text}scenarios: [{{id: a, question: Q, gold_answer: g}}]\n", encoding="utf-8")
    gate, default = load_suite(path).gate, settings.Gate()
    assert gate.model_fields_set == set(settings.Gate.model_fields), "the block shows every key"
    for key in ("overall", "max_inconclusive", "max_errors", "fail_on", "baseline"):
        assert getattr(gate, key) == getattr(default, key)


@pytest.mark.parametrize("block", of_kind("judge"))
def test_the_judge_loads_and_gives_the_scores_that_its_gate_asks_for(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "j.graph.yaml"
    path.write_text(f"{block.text}scenarios: [{{id: a, question: Q, gold_answer: g}}]\n", encoding="utf-8")
    judge = load_suite(path).judge
    assert judge is not None
    assert {"faithfulness", "answer_f1", "tone"} < set(judge.metrics())


@pytest.mark.parametrize("block", of_kind("python"))
def test_python_blocks_run(block: Block, played: tuple[Path, dict[Block, str]]) -> None:
    run_python(block, played[0])


@pytest.mark.parametrize("block", of_kind("pandas"))
def test_the_pandas_lines_of_the_seed_work(block: Block, played: tuple[Path, dict[Block, str]]) -> None:
    assert re.search(r"^metric_retrieval +1\.0$", run_python(block, played[0]), re.MULTILINE)


def run_python(block: Block, folder: Path) -> str:
    result = subprocess.run(
        [sys.executable, "-c", block.text], cwd=folder, env=environment(), capture_output=True, check=False,
        encoding="utf-8", timeout=120,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("block", of_kind("jq"))
def test_the_jq_lines_of_the_seed_work(block: Block, played: tuple[Path, dict[Block, str]]) -> None:
    if shutil.which("jq") is None and not os.environ.get("CI"):
        pytest.skip("jq is not installed; .ci/run installs it, and there this test fails without it")
    failed, averages = (run(line, played[0]).stdout for line in block.text.splitlines())
    records = [
        json.loads(line)
        for path in played[0].glob("evals/results/*.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ]
    assert json.loads(failed) == next(r for r in records if r["status"] == "FAIL")
    assert {"category": "metric_retrieval", "avg": 1} in json.loads(averages)


def test_ci_runs_the_two_commands_as_they_are_here() -> None:
    """The script reads the commands from the README, by their markers."""
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    for name in [b.argument for b in BLOCKS if b.kind == "command"]:
        assert f"readme_command {name}" in script


# --- the reference is complete ----------------------------------------------------------------------------------------


def named(text: str) -> set[str]:
    """Return all words in code spans, and the keys of blocks."""
    spans = re.findall(r"``?([^`\n]+)``?", re.sub(r"(?s)```.*?```", "", text))
    blocks = [b.text for b in read_blocks(text)]
    return set(re.findall(r"[\w@-]+", " ".join([*spans, *blocks])))


def keys(*models: type[BaseModel]) -> set[str]:
    return {field.alias or name for model in models for name, field in model.model_fields.items() if name != "added"}


SECTIONS: list[tuple[str, set[str]]] = [
    ("### Metrics", {*metric_names()}),
    ("### Results", keys(Record, Summary)),
    ("## Ask your own agent", keys(Response, Usage)),
]


@pytest.mark.parametrize(("heading", "wanted"), SECTIONS, ids=[heading.strip("# ") for heading, _ in SECTIONS])
def test_the_reference_names_every_key(heading: str, wanted: set[str]) -> None:
    assert sorted(wanted - named(section(TEXT, heading))) == []


def test_no_input_model_is_missing_from_the_generated_tables() -> None:
    models = {
        m for module in (expect, judge_settings, scenario, settings, steps) for m in vars(module).values()
        if isinstance(m, type) and issubclass(m, Model)
    }  # fmt: skip
    bases = {Model, OpenModel, expect.Shorthand, scenario.Defaults}
    assert models - bases == {model for shown in KEYS.values() for model in shown}


@pytest.mark.parametrize("name", generated())
def test_what_is_made_of_the_package_is_up_to_date(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == generated()[name], "run python -m tests.generated"


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    prose = re.sub(r"(?ms)^```.*?^```$", "", text)
    headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"(?ms)^```.*?^```$|`[^`\n]*`", "", text))
    assert links
    for link in links:
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), link


def test_the_picture_is_small() -> None:
    data = (ROOT / ".github/report.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) < 200_000


def test_every_option_and_ini_key_is_in_the_reference() -> None:
    shown = run("pytest --help", ROOT).stdout
    options = set(re.findall(r"--graph-eval[\w-]*", shown))
    inis = set(re.findall(r"\bgraph_eval\w*", shown))
    assert len(options) > 5
    assert len(inis) == len(options) + 4, "an ini key for each option, three kinds of files and a folder"
    assert sorted((options | inis) - named(section(TEXT, "### Options"))) == []


def reason_codes() -> set[str]:
    """Return the codes of all reasons of a verdict that the package gives, up to the colon."""
    found = set(typing.get_args(Code))
    for path in (ROOT / "pytest_graph_eval").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in CODED:
                given = [k.value for k in node.keywords if k.arg == "code"] or node.args[:1]
                parts = given[0].values[:1] if given and isinstance(given[0], ast.JoinedStr) else given
                found |= {str(p.value).partition(":")[0] for p in parts if isinstance(p, ast.Constant)}
    return found


CODED = {"Reason", "reason", "_Rule"}


def test_every_reason_of_a_verdict_is_in_the_reference() -> None:
    assert len(reason_codes()) > 40
    assert sorted(reason_codes() - named(section(TEXT, "### Verdict and exit status"))) == []


def problem_codes() -> set[str]:
    """Return the codes of all problems that the package finds in files."""
    found = {code for _, code in validation._EXPECTED.values()}
    for path in (ROOT / "pytest_graph_eval").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and (place := PLACES.get(name)) is not None:
                given = [k.value for k in node.keywords if k.arg == "code"] or node.args[place : place + 1]
                found |= {str(value.value) for value in given if isinstance(value, ast.Constant)}
    return {code for code in found if re.fullmatch(r"[a-z]\w+", code)}


PLACES = {"Finding": 2, "note": 2, "Problem": 4}
"""Which argument is the code."""


def test_every_problem_of_files_is_in_the_reference() -> None:
    assert len(problem_codes()) > 30
    assert sorted(problem_codes() - named(section(TEXT, "### Problems of files"))) == []


def test_every_status_is_in_the_reference() -> None:
    rows = re.findall(r"^\| ([A-Z]+) \|", section(TEXT, "### Statuses"), re.MULTILINE)
    assert {*rows} == {*Record.model_fields["status"].annotation.__args__}  # type: ignore[union-attr]  # a Literal


# --- messages ---------------------------------------------------------------------------------------------------------

TOY = """
import time

def ask(question):
    if question == "slow":
        time.sleep(0.5)
    return REPLIES.get(question, {"answer": "", "entities": [], "chunks": []})

REPLIES = {"odd": {"rows": 1}, "line": "g"}
"""
SERVE = "[graph-eval, serve, example_suites/walmart/walmart_extraction.json"
BROKEN = {
    "empty": {"target": "{call: 'toy:ask'}"},
    "line": {"target": "{call: 'toy:ask'}", "gate": "{metrics: {AP: 0.5}}"},
    "slow": {"target": "{call: 'toy:ask', timeout: 0.05}"},
    "odd": {"target": "{call: 'toy:ask', response: {entities: nodes}}"},
    "backup": {"target": "{call: 'toy:ask', graph_dir: store}"},
    "missing": {"target": "{command: [no-such-server]}"},
    "dying": {"target": "{command: [python, -c, 'raise SystemExit(3)']}"},
    "unset": {"target": "{command: [graph-eval], env: {TOKEN: '${NO_SUCH_TOKEN}'}}"},
    "tool": {"target": f"{{command: {SERVE}], tool: query}}"},
    "zero": {"target": f"{{command: {SERVE}, --empty]}}"},
    "recording": {"target": "{path: recording.jsonl}"},
}


PLUGINS = {
    "ours": "{'precision': len}",
    "two": "{'two': lambda scenario, response: 2}",
    "raises": "{'raises': lambda scenario, response: 1 / 0}",
}
"""Folder to what its conftest file adds."""


def rows(heading: str) -> Iterator[Sequence[str]]:
    """Yield the cells of the rows of a section's tables, `\\|` within a cell respected."""
    for line in section(TEXT, heading).splitlines():
        if line.startswith("| ") and not line.startswith("|---"):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


MESSAGES = [
    m for first, *_ in rows("### When it does not work") for m in re.findall(r"`([^`]*…[^`]*|[^`]{30,})`", first)
]


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return all that our commands say of a folder in which everything is wrong."""
    folder = tmp_path_factory.mktemp("broken")
    shutil.copytree(ROOT / "example_suites/walmart", folder / "example_suites/walmart")
    (folder / "nothing").mkdir()
    (folder / "store").mkdir()
    (folder / "store/vdb_entities.json.dim-mismatch-1780127123.bak").touch()
    (folder / "toy.py").write_text(TOY, encoding="utf-8")
    (folder / "recording.jsonl").write_text('{"id": "other", "response": {"answer": "a"}}\n', encoding="utf-8")
    for name, head in BROKEN.items():
        data = {
            **{k: yaml.safe_load(v) for k, v in head.items()},
            "scenarios": [{"id": name, "question": name, "gold_answer": "g"}],
        }
        (folder / f"{name}.graph.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    (folder / "typo.graph.yaml").write_text(
        "target: {call: 'toy:ask'}\nscenarios: [{id: a, qestion: q}, {id: b, question: q},\n"
        "  {id: c, question: q, metrics: [facs]}]\n",
        encoding="utf-8",
    )
    (folder / "near.graph.yaml").write_text(
        "target: {command: x, arguments: {q: '{qestion}'}}\nscenarios: [{id: a, question: q, gold_answer: g}]\n",
        encoding="utf-8",
    )
    (folder / "cut.jsonl").write_text('{"id": ', encoding="utf-8")
    for name, hook in PLUGINS.items():
        (folder / name).mkdir()
        (folder / name / "conftest.py").write_text(
            f"def pytest_graph_eval_metrics(): return {hook}\n", encoding="utf-8"
        )
        (folder / name / "s.graph.yaml").write_text(
            "target: {call: 'toy:ask'}\nscenarios: [{id: a, question: line, gold_answer: g}]\n", encoding="utf-8"
        )
    suites = " ".join(f"{name}.graph.yaml" for name in BROKEN)
    commands = (
        f"pytest -v --graph-eval {suites} -rs", "graph-eval validate typo.graph.yaml", "pytest typo.graph.yaml",
        "pytest --ignore example_suites", "pytest --graph-eval nothing", "pytest -q --graph-eval ours two raises",
        "pytest -q --graph-eval two raises", "graph-eval validate near.graph.yaml", "graph-eval flaky cut.jsonl",
        "pytest --graph-eval --graph-eval-baseline=",
    )  # fmt: skip
    return "\n".join(run(command, folder).stdout for command in commands)


def test_the_messages_are_found() -> None:
    assert len(MESSAGES) > 12


@pytest.mark.parametrize("message", MESSAGES)
def test_every_message_of_the_reference_is_really_given(message: str, complaints: str) -> None:
    pattern = r"\s+".join(re.escape(word).replace("…", ".*") for word in message.split())
    assert re.search(pattern, complaints), f"{message!r} is in none of these:\n{complaints}"
