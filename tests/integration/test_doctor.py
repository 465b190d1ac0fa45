"""The doctor against real servers: what it says of each, and that the target it suggests runs."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_graph_eval import cli, evaluate, load_suite
from pytest_graph_eval.models.records import Record
from tests.servers.leaky_server import WAYS
from tests.servers.services import CHAT_AGENT, LIGHTRAG, LIGHTRAG_OPENAPI, OWN, Route, mcp, needs, serving

from .environments import environment
from .processes import processes_in

SERVERS = Path(__file__).parent.parent / "servers"
EXTRACTION = Path(__file__).parent.parent.parent / "example_suites/walmart/walmart_extraction.json"
MINE = f"python {SERVERS / 'my_graph_server.py'}"
Doctor = Callable[..., tuple[int, str]]


@pytest.fixture
def doctor(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Doctor:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: str) -> tuple[int, str]:
        status = cli.main(["doctor", *arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err, out + err
        assert [line for line in out.splitlines() if len(line) > 80 and not line.startswith("  ")] == []
        return status, out + err

    return call


def section(text: str, title: str) -> str:
    """Return the lines below a title, up to an empty one."""
    match = re.search(rf"^{title}\n─+\n(.*?)(?:\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
    assert match, f"no {title} in:\n{text}"
    return match[1]


def block(text: str) -> dict[str, Any]:
    return yaml.safe_load(section(text, "TARGET FOR A SUITE"))["target"]  # type: ignore[no-any-return]


def run_pasted(text: str, question: str = "Who leads Walmart?") -> Record:
    """Paste the suggested block into a suite as it was printed, and run that."""
    scenario = json.dumps({"id": "a", "question": question, "expect": {"contains": ["leads"], "in": "both"}})
    path = Path("pasted.graph.yaml")
    path.write_text(f"{section(text, 'TARGET FOR A SUITE')}\nscenarios: [{scenario}]\n", encoding="utf-8")
    (record,) = evaluate(load_suite(path, targets={}))
    return record


def suite(name: str, target: dict[str, Any], **scenario: Any) -> str:
    data = {
        "target": target,
        "scenarios": [{"id": "a", "question": "Who leads Walmart?", "gold_answer": "x", **scenario}],
    }
    Path(name).write_text(yaml.safe_dump(data), encoding="utf-8")
    return name


# --- MCP --------------------------------------------------------------------------------------------------------------


def test_a_server_never_seen_before_is_asked_and_mapped(doctor: Doctor) -> None:
    status, out = doctor(MINE)
    assert status == 1
    assert "✓ server    my-graph 1.2, protocol 20" in out
    assert "search(text: string, how?: local|global|mix, limit?: integer)" in out
    assert "✓ picked    search, because its argument 'text' looks like a question" in out
    assert '"title": "Doug McMillon"' in section(out, "REPLY")
    read = section(out, "RESPONSE, AS THE TARGET BELOW READS IT")
    assert re.search(r"^entities +result\.nodes +1: Doug McMillon \(Person\)$", read, re.MULTILINE)
    assert re.search(r"^relationships +result\.edges +1: Doug McMillon -leads-> Walmart$", read, re.MULTILINE)
    assert re.search(r"^took_ms +the number 3$", section(out, "CAME BACK, NOT MAPPED"), re.MULTILINE)
    assert out.endswith("✗ the reply has a form of its own\n→ use the target above: it maps what came back\n")
    assert block(out) == {
        "command": shlex.split(MINE), "tool": "search", "arguments": {"text": "{question}", "how": "{mode}"},
        "modes": {"kg": "local", "hybrid": "mix"},
        "response": {
            "entities": "result.nodes", "relationships": "result.edges", "chunks": "result.passages",
            "entity_fields": {"type": "label"},
            "relationship_fields": {"source": "head", "target": "tail", "type": "kind"},
            "chunk_fields": {"id": "passage_id", "content": "body"},
        },
    }  # fmt: skip
    record = run_pasted(out)
    assert (record.status, record.retrieved["entities"]) == ("PASS", ["Doug McMillon"])
    assert (record.retrieved["chunks"], record.mode_ran) == (["p1"], "local")


def test_the_pasted_target_needs_nothing_more(doctor: Doctor) -> None:
    doctor_says = doctor(MINE)[1]
    run_pasted(doctor_says)
    status, out = doctor("pasted.graph.yaml")
    assert status == 0
    assert "TARGET FOR A SUITE" not in out
    assert "pasted.graph.yaml:1" in out
    assert "“Who leads Walmart?” (mode local)" in out
    assert "✓ the target answers, and what came back is mapped" in out


def test_a_server_of_the_usual_form_needs_its_command_only(doctor: Doctor) -> None:
    status, out = doctor(f"graph-eval serve {EXTRACTION}", "--question", "Who is the CEO of Walmart?")
    assert status == 0
    assert "✓ graph     51 entities, 65 relationships" in out
    assert block(out) == {"command": ["graph-eval", "serve", str(EXTRACTION)]}


def test_a_real_preciso_is_known_by_its_reply(doctor: Doctor, tmp_path: Path) -> None:
    lexical = {"GRAPHRAG_EMBEDDING_PROVIDER": "fallback", "PYTHONSAFEPATH": "1"}
    target = {
        "command": [str(environment("preciso")), "-m", "preciso_mcp.server"],
        "env": {**lexical, "GRAPHRAG_MCP_WORKDIR": "{tmp}/graph"},
        "setup": [{"tool": "ingest_graph_tool", "arguments": {"payload": {"$file": str(EXTRACTION)}}}],
        "start_timeout": 120,
    }  # fmt: skip
    status, out = doctor(suite("preciso.graph.yaml", target, question="Who is the CEO of Walmart?"))
    assert status == 1, "its parts came back, and nothing mapped them yet"
    assert block(out) == {**target, "preset": "preciso"}
    record = run_pasted(out, "Who leads Walmart?")
    assert record.error is None
    assert len(record.retrieved["chunks"]) == 8
    assert {*processes_in(tmp_path)} == {os.getpid()}, "the test itself is all that runs here"


def test_prose_is_the_answer(doctor: Doctor) -> None:
    status, out = doctor(f"{MINE} prose")
    assert (status, run_pasted(out).answer) == (0, "Doug McMillon leads Walmart.")
    assert "response" not in block(out)


def test_an_error_of_the_tool_is_told_with_advice(doctor: Doctor) -> None:
    status, out = doctor(f"{MINE} error")
    assert status == 1
    assert "✗ search replied with an error: no access with nothing" in out
    assert "→ correct `arguments:` after the tools above, or ask another tool with `tool:`" in out


def test_a_reply_without_evidence_is_nothing_to_judge_a_mapping_by(doctor: Doctor) -> None:
    status, out = doctor(f"{MINE} empty")
    assert status == 1
    assert block(out)["response"] == {
        "entities": "result.nodes", "relationships": "result.edges", "chunks": "result.passages",
    }  # fmt: skip
    assert "with --question" in out


def test_a_reply_in_which_nothing_is_known_is_shown(doctor: Doctor) -> None:
    status, out = doctor(f"{MINE} odd")
    assert status == 1
    assert '"rows": [' in section(out, "REPLY")
    assert "none of the mapped keys" in out
    assert block(out)["tool"] == "search"


@pytest.mark.parametrize(
    ("response", "told"),
    [
        ({"entities": "result.nodes", "chunks": "result.texts"}, r"chunks +looked for at result\.texts"),
        ({"entities": "result.nodes", "entity_fields": {"type": "kind"}}, r"entities\[\*\]\.type +looked for at kind"),
    ],
)
def test_what_a_mapping_misses_is_named(doctor: Doctor, response: dict[str, Any], told: str) -> None:
    target = {"command": shlex.split(MINE), "tool": "search", "arguments": {"text": "{question}"}, "response": response}
    status, out = doctor(suite("mine.graph.yaml", target))
    assert status == 1
    assert re.search(told, section(out, "MAPPED, NOT THERE"))
    assert "✗ came back and is not mapped: relationships, chunks" in out
    assert block(out)["response"]["chunks"] == "result.passages"
    assert run_pasted(out).status == "PASS"


def test_a_tool_that_needs_more_is_suggested_and_not_called(doctor: Doctor) -> None:
    status, out = doctor(f"{MINE} strict")
    assert status == 1
    assert "asked" not in out
    assert block(out)["arguments"] == {"text": "{question}", "how": "{mode}"}
    assert "✗ search also requires tenant" in out


def test_a_server_without_a_tool_for_questions_is_told(doctor: Doctor) -> None:
    status, out = doctor(f"{MINE} closed")
    assert status == 1
    assert "✗ none of these 3 looks as if it takes a question" in out
    assert "with `tool:` and `arguments:`" in " ".join(out.split())


def test_a_mapping_without_a_tool_gets_one(doctor: Doctor) -> None:
    target = {
        "command": shlex.split(MINE),
        "response": {"entities": "result.nodes", "entity_fields": {"type": "label"}},
    }
    _, out = doctor(suite("mine.graph.yaml", target))
    assert "✓ picked    search" in out
    assert block(out)["tool"] == "search"
    assert run_pasted(out).status == "PASS"


def test_a_tool_that_is_not_there_is_told_with_those_that_are(doctor: Doctor) -> None:
    status, out = doctor(suite("mine.graph.yaml", {"command": shlex.split(MINE), "tool": "serach"}))
    assert status == 1
    assert "mine.graph.yaml:" in out
    assert "no tool 'serach'; did you mean 'search'?" in " ".join(out.split())


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-server --now", "'no-such-server' was not found on the PATH; give its path or install it"),
        (f"python {SERVERS / 'raw_server.py'} exit", "ended with exit status 7 before it was ready | line"),
    ],
)
def test_a_dead_command_is_told_with_what_it_wrote(doctor: Doctor, command: str, said: str) -> None:
    status, out = doctor(command)
    assert status == 1
    assert said in " ".join(out.split())
    assert "→ see that the server runs, and that its command or address is right" in out


def test_secrets_are_hidden_and_become_variables(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_TOKEN", "s3cr3t-from-env")
    target = {"command": shlex.split(f"{MINE} error"), "env": {"GRAPH_TOKEN": "${GRAPH_TOKEN}"}, "tool": "search",
              "arguments": {"text": "{question}"}}  # fmt: skip
    assert "no access with ***" in doctor(suite("a.graph.yaml", target))[1]
    literal = {**target, "command": shlex.split(MINE), "env": {"API_KEY": "s3cr3t-literal"}}
    status, out = doctor(suite("b.graph.yaml", literal))
    assert status == 1
    assert "s3cr3t" not in out
    assert block(out)["env"] == {"API_KEY": "${API_KEY}"}


# --- HTTP -------------------------------------------------------------------------------------------------------------


def at(routes: dict[str, Route], path: str, doctor: Doctor, *arguments: str) -> tuple[int, str, dict[str, Any], Record]:
    """Let the doctor look at an address, and run what it suggests while the server is there."""
    with serving(routes) as url:
        status, out = doctor(url + path, *arguments)
        found = block(out)
        record = run_pasted(out)
    found["url"] = found["url"].removeprefix(url)
    return status, out, found, record


@pytest.mark.parametrize(
    ("path", "operation"), [("", "/query"), ("/query", "/query"), ("/query/data", "/query/data")], ids=str
)
def test_lightrag_is_known_by_its_description_and_its_reply(doctor: Doctor, path: str, operation: str) -> None:
    _, out, found, record = at(LIGHTRAG, path, doctor)
    assert found == {"url": operation, "preset": "lightrag"}
    assert "it describes itself at /openapi.json" in out
    assert record.status == "PASS"
    assert record.retrieved["chunks"] == (["c1"] if path == "/query/data" else ["10k.txt"])
    if not path:
        assert "others that take one: /query/data, /query/stream" in " ".join(out.split())
        assert "/documents" not in out.partition("picked")[2].partition("REPLY")[0]


def test_a_chat_agent_is_known_by_its_address(doctor: Doctor) -> None:
    status, _, found, record = at(CHAT_AGENT, "/v1/chat/completions", doctor)
    assert (status, found) == (0, {"url": "/v1/chat/completions", "preset": "openai-chat"})
    assert (record.status, record.answer) == ("PASS", "Doug McMillon leads Walmart.")
    assert record.usage["total_tokens"] == 1100


def test_a_service_without_a_description_is_asked_under_the_usual_names(doctor: Doctor) -> None:
    status, out, found, record = at({"/ask": needs("query", OWN)}, "/ask", doctor)
    assert status == 1
    assert "it takes a JSON body with 'query'" in out
    assert found == {
        "url": "/ask", "json": {"query": "{question}"},
        "response": {"chunks": "hits", "chunk_fields": {"id": "uuid", "content": "document.text"}, "answer": "output"},
    }  # fmt: skip
    assert (record.status, record.retrieved["chunks"]) == ("PASS", ["u1"])


def test_an_mcp_server_is_found_behind_its_mere_address(doctor: Doctor) -> None:
    _, out, found, record = at({"/mcp": mcp}, "", doctor)
    assert "it answers as an MCP server" in out
    assert (found["url"], found["tool"], record.status) == ("/mcp", "search", "PASS")


@pytest.mark.parametrize(
    ("routes", "path", "told"),
    [
        ({}, "/nowhere", "answered HTTP 404 Not Found ({\"detail\": \"Not Found\"}): it speaks no MCP"),
        ({"/ask": lambda _: (401, {})}, "/ask", "under `headers:` the key from a `${VARIABLE}`"),
        ({"/ask": lambda _: (422, {"detail": "topic missing"})}, "/ask", "topic missing"),
        ({"/ask": needs("text", "odd"), "/openapi.json": lambda _: (200, "none")}, "/none", "HTTP 404"),
        ({"/openapi.json": lambda _: (200, {"paths": {"/a": {"post": {}}, "/b": None}})}, "/b", "HTTP 404"),
    ],
    ids=["wrong path", "closed", "unknown body", "odd description", "description without bodies"],
)  # fmt: skip
def test_an_address_that_does_not_answer_is_told_with_advice(
    doctor: Doctor, routes: dict[str, Route], path: str, told: str
) -> None:
    with serving(routes) as url:
        status, out = doctor(url + path)
    assert status == 1
    assert told in " ".join(out.split())
    assert "let the doctor look at the suite" in " ".join(out.split())


def test_a_service_that_describes_nothing_to_ask_is_told(doctor: Doctor) -> None:
    paths = {"/documents/insert_text": LIGHTRAG_OPENAPI["paths"]["/documents/insert_text"]}
    with serving({"/openapi.json": lambda _: (200, {**LIGHTRAG_OPENAPI, "paths": paths})}) as url:
        status, out = doctor(url)
    assert status == 1
    assert "✗ none of these 1 looks as if it takes a question" in out
    assert "with `url:` and `json:`" in " ".join(out.split())


def test_an_address_at_which_nobody_listens_is_told(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_graph_eval.targets.http.wire.RETRY_DELAYS", ())
    with serving({}) as url:
        pass
    status, out = doctor(f"{url}/mcp")
    assert status == 1
    assert "cannot be reached" in out
    assert "its command or address is right" in out


# --- Python, files, usage ---------------------------------------------------------------------------------------------


def test_a_callable_with_keys_of_its_own_is_mapped(doctor: Doctor) -> None:
    Path("doctors_agent.py").write_text(
        "def ask(question):\n    return {'text': 'He leads it.', 'nodes': [{'label': 'Walmart'}], 'n': 1}\n", "utf-8"
    )
    status, out = doctor("doctors_agent:ask")
    assert status == 1
    assert "✗ the reply has a form of its own" in out
    assert block(out) == {"call": "doctors_agent:ask", "response": {
        "entities": "nodes", "entity_fields": {"name": "label"}, "answer": "text"}}  # fmt: skip
    record = run_pasted(out)
    assert (record.status, record.retrieved["entities"]) == ("PASS", ["Walmart"])


def test_a_callable_with_our_keys_needs_nothing_and_one_that_raises_is_told(doctor: Doctor) -> None:
    Path("doctors_good.py").write_text(
        "from pytest_graph_eval import Response\n"
        "def ask(question):\n    return {'answer': 'He leads it.', 'chunks': []}\n"
        "def response(question):\n    return Response(answer='He leads it.')\n"
        "def broken(question):\n    raise KeyError('graph')\n",
        "utf-8",
    )
    for name in ("ask", "response"):
        status, out = doctor(f"doctors_good:{name}")
        assert (status, block(out), run_pasted(out).status) == (0, {"call": f"doctors_good:{name}"}, "PASS")
    status, out = doctor("doctors_good:broken")
    assert status == 1
    assert "doctors_good:broken raised KeyError: 'graph' (doctors_good.py:7)" in " ".join(out.split())


def test_an_extraction_is_asked_for_one_of_its_names(doctor: Doctor) -> None:
    status, out = doctor(str(EXTRACTION))
    assert status == 0
    assert "“What is ASDA?”" in out
    assert block(out) == {"extraction": [str(EXTRACTION)]}


def test_a_question_that_has_no_answer_is_not_the_one_that_is_asked(doctor: Doctor) -> None:
    scenarios = [
        {"id": "no", "question": "What is tungsten?", "expect": {"no_evidence": True}},
        {"id": "yes", "question": "What is ASDA?", "source_entities": ["ASDA"]},
    ]
    data = {"target": {"extraction": str(EXTRACTION)}, "scenarios": scenarios}
    Path("two.graph.yaml").write_text(yaml.safe_dump(data), "utf-8")
    status, out = doctor("two.graph.yaml")
    assert (status, "“What is ASDA?”" in out) == (0, True)


def test_a_declared_name_is_looked_up(doctor: Doctor) -> None:
    Path("targets.yaml").write_text(f"walmart: {{extraction: {EXTRACTION}}}\n", "utf-8")
    status, out = doctor("walmart", "--targets", "targets.yaml")
    assert status == 0
    assert "(from targets.yaml:1)" in " ".join(out.split())


def test_long_paths_leave_the_names_of_the_parts_whole(doctor: Doctor) -> None:
    bot = 'def ask(question):\n    return {"response": "Fine.", "context_data": {"entities": [{"entity": "Nile"}]}}\n'
    Path("graphrag_of_doctor.py").write_text(bot, encoding="utf-8")
    Path("g.graph.yaml").write_text(
        "target: {call: 'graphrag_of_doctor:ask', preset: graphrag}\n"
        "scenarios: [{id: a, question: Q, expect: {names: Nile}}]\n",
        encoding="utf-8",
    )
    _, text = doctor("g.graph.yaml")
    rows = [line.split() for line in section(text, "RESPONSE").splitlines()]
    assert [row[0] for row in rows] == ["answer", "entities", "relationships", "chunks"]
    assert rows[1][-2:] == ["1:", "Nile"]


def test_of_a_conversation_the_first_turn_is_asked(doctor: Doctor) -> None:
    bot = 'def ask(messages):\n    return {"answer": f"{len(messages)}: {messages[-1]}"}\n'
    Path("bot_of_doctor.py").write_text(bot, encoding="utf-8")
    turns = "[{question: first?, expect: {names: A}}, {question: second?, expect: {names: B}}]"
    Path("talk.graph.yaml").write_text(
        f"target: {{call: 'bot_of_doctor:ask'}}\nscenarios: [{{id: talk, turns: {turns}}}]\n", encoding="utf-8"
    )
    status, text = doctor("talk.graph.yaml")
    assert status == 0, text
    assert "1: " in text
    assert "first?" in text
    assert "second?" not in text


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("", "'' is no target and no suite; name one"),
        (".", "'.' is no target and no suite; name one"),
        ("nothing", "expected a declared name, a URL, a command, module:callable"),
        ("missing.graph.yaml", "missing.graph.yaml"),
        ("broken.graph.yaml", "unknown key"),
        ("recorded.jsonl", "a recording answers by scenario; give the suite that plays it"),
        ("named.graph.yaml", "walmart"),
        ("bare.graph.yaml", "target"),
    ],
)
def test_what_is_no_target_and_no_suite_cannot_run(doctor: Doctor, argument: str, told: str) -> None:
    Path("broken.graph.yaml").write_text("targt: x\nscenarios: []\n", "utf-8")
    Path("named.graph.yaml").write_text("target: walmart\nscenarios: [{id: a, question: q, gold_answer: g}]\n", "utf-8")
    Path("bare.graph.yaml").write_text("scenarios: [{id: a, question: q, gold_answer: g}]\n", "utf-8")
    status, out = doctor(argument)
    assert status == 2
    assert told in out


def test_no_color_no_unicode_still_prints(tmp_path: Path) -> None:
    import subprocess

    result = subprocess.run(
        [sys.executable, "-m", "pytest_graph_eval.cli", "doctor", str(EXTRACTION)], capture_output=True, check=False,
        env={"PYTHONIOENCODING": "ascii", "PATH": "", "HOME": str(tmp_path)}, timeout=60, encoding="utf-8",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stdout.isascii()
    assert "+ the target answers" in result.stdout


@pytest.mark.parametrize(
    "where", ["answer", "entities", "chunks", "tools", "prose", "error", "failed", "noise", "die", "cut"]
)
@pytest.mark.parametrize("way", ["plain", "base64"])
def test_a_secret_that_a_server_tells_is_not_told_on(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch, where: str, way: str
) -> None:
    secret = "kX9-wQ/72 #tZ"
    monkeypatch.setenv("MY_SECRET", secret)
    target = {"command": ["python", str(SERVERS / "leaky_server.py")], "env": {"LEAK_1": "${MY_SECRET}"}}
    status, out = doctor(suite("leaky.graph.yaml", target), "--question", f"{where} {way}")
    assert status in (0, 1)
    assert "***" in out or where == "cut", "what is cut off need not be hidden"
    plain = "".join(out.split())
    forms = {WAYS[way](secret) for way in WAYS}
    assert [form for form in forms if "".join(form.split()) in plain] == []
