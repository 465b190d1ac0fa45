"""A configured secret, whatever a target makes of it, reaches neither a file nor the terminal."""

from __future__ import annotations

import base64
import html
import json
import random
import string
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.servers.listening import Asked, Reply, listening

from .runs import SERVERS, Run, run_pytest

PLACES = ("answer", "entities", "relationships", "chunks", "references", "tools", "mode", "names", "intent", "die",
          "noise", "cut", "error", "failed", "prose")  # fmt: skip
WAYS = ("plain", "json", "repr", "url", "base64", "basic", "html", "upper")
ASKED = [f"{place} plain" for place in PLACES] + [f"{place} {way}" for place in ("answer", "error") for way in WAYS[1:]]
AGENT = """
import logging, os, sys, warnings

def ask(question):
    said = os.environ["SECRET_ENV"]
    print("connecting with", said)
    print("connecting with", said, file=sys.stderr)
    logging.getLogger("httpx").info("POST %s", said)
    logging.getLogger("mcp.client").error("lost", exc_info=ValueError(said))
    logging.getLogger("agent").warning("refused: %s", said)
    if question == "raise":
        raise RuntimeError(f"no access with {said}")
    return {"answer": said}
"""
CONFTEST = """
import os, pytest

@pytest.fixture
def broken():
    raise RuntimeError("fixture with " + os.environ["SECRET_ENV"])
"""


def made_secrets(seed: int) -> dict[str, str]:
    """Return secrets of many shapes by the variable that holds them."""
    rng = random.Random(seed)

    def token(signs: str, count: int) -> str:
        return "".join(rng.choices(signs, k=count))

    letters = string.ascii_letters + string.digits
    groups = (token("0123456789abcdef", n) for n in (8, 4, 4, 4, 12))
    return {
        "SECRET_ENV": f"sk-live-{token(letters, 24)}",
        "SECRET_ODD": f'{token(letters, 4)} "q" & <{token(letters, 4)}>/+%\\ü',
        "SECRET_NUMBER": token("123456789", 13),
        "SECRET_ARGUMENT": "-".join(groups),
        "SECRET_SIX": token(letters, 6),
        "SECRET_USER": token(letters, 12),
        "SECRET_QUERY": token(letters, 20),
        "SECRET_HEADER": f"{token(letters, 10)}.{token(letters, 10)}_{token(letters, 10)}",
        "SECRET_JSON": f"schlüssel-{token(letters, 10)}",
        "SECRET_SHORT": "z7!",
    }


def write_suite(folder: Path, name: str, target: str, questions: list[str], more: str = "") -> None:
    scenarios = [
        f'  - {{id: "q{n}", question: "{question}", gold_answer: $5 billion, source_entities: [A], '
        f"expect: {{contains: never said, excludes: it was, numbers: [$5 billion]}}{more}}}"
        for n, question in enumerate(questions)
    ]
    text = "\n".join([f"target: {target}", "scenarios:", *scenarios])
    (folder / f"{name}.graph.yaml").write_text(text + "\n", encoding="utf-8")


def stdio_target(**env: str) -> str:
    settings = {"LEAK_1": "${SECRET_ENV}", "LEAK_2": "Bearer ${SECRET_ODD}", "LEAK_3": "${SECRET_NUMBER}", **env}
    command = [sys.executable, str(SERVERS / "leaky_server.py"), "${SECRET_ARGUMENT}"]
    arguments = {"query": "{question}", "mode": "{mode}", "leak": "${SECRET_SIX}"}
    return json.dumps({"command": command, "env": settings, "arguments": arguments, "restarts": 9})


def echo(asked: Asked) -> Reply:
    """Reply with everything that was sent, in the way that the question asks for."""
    body, headers = asked.body.decode(), dict(asked.headers)
    lines = "".join(f"{name}: {value}\n" for name, value in headers.items())
    sent = f"{asked.path} {lines} {body}"
    ok = "fail" not in body
    reply = {"answer": sent, "headers": headers, "entities": [{"name": sent}]} if ok else {"error": sent}
    return (200 if ok else 401), {}, json.dumps(reply).encode()


@pytest.fixture(scope="module")
def port() -> Iterator[str]:
    with listening(echo) as address:
        yield address.rpartition(":")[2]


def write_suites(folder: Path, port: str) -> None:
    write_suite(folder, "a_stdio", stdio_target(), ASKED)
    write_suite(folder, "b_refused", stdio_target(LEAKY_SERVER="refuse"), ["answer plain"])
    write_suite(folder, "c_repeated", stdio_target(), ["answer plain", "chunks plain"], ", repeats: 2")
    url = f"http://me:${{SECRET_USER}}@127.0.0.1:{port}/graph?api_key=${{SECRET_QUERY}}"
    headers = {"Authorization": "Bearer ${SECRET_HEADER}", "X-API-Key": "${SECRET_SHORT}"}
    target = {"kind": "http", "url": url, "headers": headers, "json": {"q": "{question}", "k": "${SECRET_JSON}"}}
    write_suite(folder, "d_http", json.dumps(target), ["what", "fail"])


def outputs(run: Run) -> dict[str, str]:
    """Return all that a run left behind: what it printed and the files that it wrote."""
    written = {p.relative_to(run.folder).as_posix(): p for p in run.folder.rglob("*") if p.is_file()}
    texts = {
        name: path.read_text(encoding="utf-8", errors="replace")
        for name, path in written.items()
        if not name.endswith((".graph.yaml", ".py", ".pyc"))
    }
    return {"stdout": run.out, "stderr": run.err, **texts}


def forms(secret: str) -> set[str]:
    inner = {base64.b64encode(b"-" * n + secret.encode()).decode()[4:-4] for n in range(3) if len(secret) > 8}
    if len(secret) < 6:
        return {f"X-API-Key: {secret}", f'"X-API-Key": "{secret}'}  # by its name alone
    return {secret, json.dumps(secret)[1:-1], repr(secret)[1:-1], quote(secret, safe=""), html.escape(secret), *inner}


def leaks(run: Run, secrets: dict[str, str]) -> list[str]:
    """Return where something of a secret stands: in one of its forms, or the first or last ten characters of it."""
    found = []
    for name, text in outputs(run).items():
        folded = text.casefold()
        for variable, secret in secrets.items():
            pieces = forms(secret) | ({secret[:10], secret[-10:]} if len(secret) > 12 else set())
            found += [f"{name}: {variable} as {p}" for p in sorted(pieces) if p.casefold() in folded]
    return found


EVERYTHING = (
    "-vv", "-ra", "--showlocals", "--log-level=DEBUG", "--log-file=pytest.log", "--log-file-level=DEBUG",
    "--junitxml=junit.xml", "-p", "cacheprovider", "--graph-eval-record-mode", "once",
)  # fmt: skip


@pytest.mark.parametrize("workers", [0, 2])
def test_no_secret_reaches_a_file_or_the_terminal(tmp_path: Path, port: str, workers: int) -> None:
    secrets = made_secrets(workers)
    write_suites(tmp_path, port)
    if not workers:  # it is given no secrets itself, so another target of its process has to have been opened
        (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
        (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        write_suite(tmp_path, "x_agent", "{call: 'agent:ask'}", ["say", "raise"])
        write_suite(tmp_path, "y_broken", "{call: 'agent:ask'}", ["say"], ", usefixtures: [broken]")
    run = run_pytest(tmp_path, *EVERYTHING, *(("-n", str(workers)) if workers else ()), **secrets)
    (tmp_path / "out.txt").write_text(run.out)
    assert run.code == 1, run.out
    said = outputs(run)
    for name in ("junit.xml", "pytest.log", "cassettes/a_stdio.jsonl", "cassettes/d_http.jsonl"):
        assert "***" in said[name] or workers, name
    statuses = {(r["suite"], r["question"]): r["status"] for r in run.records}
    assert statuses["a_stdio.graph.yaml", "answer plain"] == "FAIL"
    assert {statuses["a_stdio.graph.yaml", f"{p} plain"] for p in ("die", "noise", "cut", "error", "failed")} == {
        "ERROR"
    }
    assert statuses["b_refused.graph.yaml", "answer plain"] == "ERROR"
    assert run.out.count("***") > 50
    assert "127.0.0.1" in said["cassettes/d_http.jsonl"], "host names stay readable"
    assert leaks(run, secrets) == []
