"""A real LightRAG server over the Walmart graph, with real embeddings; a script stands for its language model."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_graph_eval import cli
from pytest_graph_eval.errors import ReplyError
from pytest_graph_eval.evaluation.evaluate import Context, score_scenario
from pytest_graph_eval.evaluation.pool import Pool
from pytest_graph_eval.generate.sources import read_sources
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.models.records import Record, Response
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.models.settings import HttpTarget
from pytest_graph_eval.targets.base import Query, Surroundings, open_target
from tests.plugin.runs import SERVERS, WALMART, run_pytest
from tests.servers.chat_endpoint import ChatEndpoint, Message

from .environments import environment
from .processes import left_in

KEY = "lightrag-key-4711"
QUESTION = "Who is the CEO of Walmart?"
KEYWORDS = {"hl_keywords": ["chief executive officer"], "ll_keywords": ["Walmart", "CEO"], "top_k": 5, "chunk_top_k": 3}
CHUNK = "Executive officers. Doug McMillon (C. Douglas McMillon) is President and Chief Executive Officer of Walmart."


def quote(messages: list[Message]) -> str:
    """Answer by a sentence of the context that LightRAG retrieved."""
    found = re.search(r"[^\".]*is President and Chief Executive Officer of Walmart\.", json.dumps(messages))
    return found[0].strip() if found else "I do not know."


class LightRag:
    """The server as a process, which keeps its address over restarts."""

    def __init__(self, python: Path, folder: Path, embeddings: str, model: str) -> None:
        self.folder = folder
        self.url = ""
        self._command = [str(python), str(SERVERS / "lightrag_server.py")]
        self._environment = {
            **os.environ,
            "WORKING_DIR": str(folder / "index"),
            "LIGHTRAG_API_KEY": KEY,
            "EMBEDDING_BINDING": "openai",
            "EMBEDDING_MODEL": "all-MiniLM-L6-v2",
            "EMBEDDING_DIM": "384",
            "EMBEDDING_BINDING_HOST": embeddings,
            "EMBEDDING_BINDING_API_KEY": "none",
            "LLM_BINDING": "openai",
            "LLM_MODEL": "scripted-1",
            "LLM_BINDING_HOST": model,
            "LLM_BINDING_API_KEY": "none",
            "ENABLE_LLM_CACHE": "false",
            "RERANK_BINDING": "null",
        }
        self._log = folder / "server.log"

    def insert(self, extraction: Path) -> None:
        """Fill the index."""
        command = [*self._command, "insert", str(extraction)]
        with self._log.open("w") as log:
            done = subprocess.run(command, cwd=self.folder, env=self._environment, stderr=log, timeout=240, check=False)
        assert done.returncode == 0, self._log.read_text()

    def start(self) -> None:
        """Start it and wait until it answers."""
        port = self.url.rpartition(":")[2] or "0"
        with self._log.open("a") as log:
            self._process = subprocess.Popen(
                [*self._command, "serve"], cwd=self.folder, env={**self._environment, "PORT": port},
                stdout=subprocess.PIPE, stderr=log, text=True,
            )  # fmt: skip
        assert self._process.stdout is not None
        with self._process.stdout as stdout:
            self.url = stdout.readline().strip()
        assert self.url, self._log.read_text()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="module")
def model() -> Iterator[ChatEndpoint]:
    endpoint = ChatEndpoint(quote)
    yield endpoint
    endpoint.close()


@pytest.fixture(scope="module")
def make(
    embeddings: str, model: ChatEndpoint, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], LightRag]]:
    python = environment("lightrag")
    servers = []

    def make() -> LightRag:
        servers.append(LightRag(python, tmp_path_factory.mktemp("lightrag"), embeddings, model.url))
        return servers[-1]

    yield make
    for server in servers:
        server.kill()
        assert left_in(server.folder) == []


@pytest.fixture(scope="module")
def server(make: Callable[[], LightRag]) -> LightRag:
    """A server over the Walmart graph."""
    server = make()
    server.insert(WALMART / "walmart_extraction.json")
    server.start()
    return server


@pytest.fixture(autouse=True)
def _fresh(model: ChatEndpoint) -> None:
    model.reply = quote
    model.requests.clear()


def spec(server: LightRag, path: str, key: str = KEY, **json_: Any) -> HttpTarget:
    headers = {"X-API-Key": key}
    return HttpTarget(preset="lightrag", url=server.url + path, headers=headers, json={**KEYWORDS, **json_})


def ask(server: LightRag, path: str, mode: str = "mix", **json_: Any) -> Response:
    async def main() -> Response:
        target = open_target(spec(server, path, **json_), Surroundings(Path(), Path()))
        await target.open()
        try:
            return await target.ask(Query(QUESTION, mode=mode))
        finally:
            await target.close()

    return asyncio.run(main())


def test_the_doctor_knows_it_by_its_reply(
    server: LightRag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is given the address, the key, and the keywords that spare the model."""
    monkeypatch.setenv("LIGHTRAG_KEY", KEY)
    target = {"url": f"{server.url}/query/data", "headers": {"X-API-Key": "${LIGHTRAG_KEY}"},
              "json": {"query": "{question}", **KEYWORDS}}  # fmt: skip
    path = tmp_path / "lightrag.graph.yaml"
    path.write_text(
        json.dumps({"target": target, "scenarios": [{"id": "a", "question": QUESTION, "gold_answer": "a"}]})
    )
    assert cli.main(["doctor", str(path)]) == 1, "nothing maps the reply yet"
    out = capsys.readouterr().out
    suggested = yaml.safe_load(out.partition("TARGET FOR A SUITE")[2].partition("target:")[2].partition("\n\n")[0])
    assert suggested == {**target, "preset": "lightrag"}
    assert KEY not in out
    path.write_text(
        json.dumps({"target": suggested, "scenarios": [{"id": "a", "question": QUESTION, "gold_answer": "a"}]})
    )
    assert cli.main(["doctor", str(path)]) == 0


def test_its_export_is_read_entirely(server: LightRag) -> None:
    """The folder of its stores: GraphML, and the texts of the chunks beside it."""
    catalog = read_sources([server.folder / "index"]).catalog
    ours = Catalog.from_files([WALMART / "walmart_extraction.json"])
    assert catalog.counts() | {"documents": 0} == ours.counts() | {"documents": 0}
    texts = {chunk.id: chunk.content for graph in (catalog, ours) for chunk in graph.chunks}
    both = []
    for graph in (catalog, ours):
        entities = [(e.name, e.type, e.description, {texts[id_] for id_ in e.sources}) for e in graph.entities]
        edges = {
            (frozenset((e.source, e.target)), e.type, e.keywords, e.description, e.weight): e
            for e in graph.relationships
        }
        both.append((entities, edges.keys(), {texts[id_] for e in edges.values() for id_ in e.sources}))
    assert both[0] == both[1]
    assert not any(edge.directed for edge in catalog.relationships)


def test_a_suite_generated_from_its_export_runs_green(server: LightRag, tmp_path: Path) -> None:
    assert cli.main(["generate", str(server.folder / "index"), "-o", str(tmp_path / "s.graph.yaml")]) == 0
    run = run_pytest(tmp_path)
    assert {r["id"]: r["status"] for r in run.records if r["status"] != "PASS"} == {}
    assert len(run.records) >= 18


def records(
    target: HttpTarget, *expected: dict[str, Any], between: Callable[[int], None] = lambda _: None
) -> list[Record]:
    """Ask the question once for each `expect`, with a preflight before the first."""
    scenarios = [Scenario(id=f"q{n}", question=QUESTION, expect=e) for n, e in enumerate(expected)]

    async def main() -> list[Record]:
        pool, found = Pool(), []
        try:
            for number, scenario in enumerate(scenarios):
                between(number)
                opened = await pool.get(target, Surroundings(Path(), Path()), scenarios)
                found.append(score_scenario(scenario, await opened.ask(scenario), Context()))
        finally:
            await pool.close()
        return found

    return asyncio.run(main())


def test_what_was_retrieved_is_read_and_no_model_is_asked(server: LightRag, model: ChatEndpoint) -> None:
    response = ask(server, "/query/data")
    assert (response.answer, response.mode, response.status) == (None, "mix", "success")
    assert ("DOUG McMILLON", "PERSON") in [(e.name, e.type) for e in response.entities or ()]
    assert {"DOUG McMILLON", "WALMART INC"} in [{r.source, r.target} for r in response.relationships or ()]
    assert any(c.content.startswith(CHUNK) and c.id.startswith("chunk-") for c in response.chunks or ())
    assert model.requests == []


@pytest.mark.parametrize(("mode", "kinds"), [("local", "erc"), ("global", "erc"), ("naive", "c"), ("bypass", "")])
def test_each_mode_reports_itself_and_empty_lists_where_it_retrieves_nothing(
    server: LightRag, mode: str, kinds: str
) -> None:
    response = ask(server, "/query/data", mode)
    assert response.mode == mode
    lists = {"e": response.entities, "r": response.relationships, "c": response.chunks}
    assert None not in lists.values()
    assert "".join(kind for kind, found in lists.items() if found) == kinds


def test_an_answer_comes_with_the_texts_behind_it(server: LightRag, model: ChatEndpoint) -> None:
    response = ask(server, "/query")
    assert response.answer == "Doug McMillon is President and Chief Executive Officer of Walmart."
    assert len(model.requests) == 1
    assert any(c.content.startswith(CHUNK) for c in response.chunks or ())
    assert response.entities is None


def test_a_context_without_a_model_is_no_answer(server: LightRag, model: ChatEndpoint) -> None:
    response = ask(server, "/query", only_need_context=True)
    assert response.answer is None
    assert response.has_evidence()
    assert model.requests == []


@pytest.mark.parametrize(
    ("path", "mode", "json_", "words"),
    [
        ("/query/data", "kg", {}, r"answered HTTP 400 Bad Request: .*Input should be 'local', 'global', 'hybrid'"),
        ("/query/data", "mix", {"query": "?"}, "answered HTTP 400 Bad Request: .*too short"),
        ("/query/stream", "mix", {"stream": True}, r"the reply is a stream \(application/x-ndjson\)"),
    ],
)
def test_what_lightrag_refuses_is_an_error_with_its_words(
    server: LightRag, path: str, mode: str, json_: dict[str, Any], words: str
) -> None:
    with pytest.raises(ReplyError, match=words):
        ask(server, path, mode, **json_)


def test_a_model_that_fails_is_an_error_and_no_wrong_answer(server: LightRag, model: ChatEndpoint) -> None:
    model.reply = lambda _: 400
    (record,) = records(spec(server, "/query"), {"names": ["Doug McMillon"]})
    assert record.status == "ERROR"
    assert 'the answer "No relevant context found for the query." is what this server says' in (record.error or "")
    assert len(model.requests) == 1


def test_nothing_found_is_told_from_that_by_both_addresses(server: LightRag, model: ChatEndpoint) -> None:
    nonsense = {"hl_keywords": ["qzx"], "ll_keywords": ["qwrtzpsdfg 8871 xx"], "query": "qzx %%%%"}
    for path in ("/query", "/query/data"):
        response = ask(server, path, "naive", **nonsense)
        assert (response.answer, response.chunks, response.has_evidence()) == (None, [], False)
    (record,) = records(spec(server, "/query", mode="naive", **nonsense), {"names": ["Doug McMillon"]})
    assert record.status == "INCONCLUSIVE"
    assert model.requests == []


def test_a_wrong_key_fails_the_preflight(server: LightRag) -> None:
    (record,) = records(spec(server, "/query/data", key="another-key"), {"names": ["Doug McMillon"]})
    assert record.status == "ERROR"
    assert "/graph/label/list answered HTTP 403 Forbidden (is the key in `headers:` right?)" in (record.error or "")


def test_an_index_without_entities_fails_the_preflight(make: Callable[[], LightRag]) -> None:
    empty = make()
    empty.start()
    (record,) = records(spec(empty, "/query/data"), {"names": ["Doug McMillon"]})
    assert record.status == "ERROR"
    assert "the graph holds 0 entities. No entities ingested. Run ingestion first." in (record.error or "")


SUITE = f"""\
suite: lightrag
target:
  preset: lightrag
  url: ${{LIGHTRAG_URL}}/query/data
  headers: {{X-API-Key: "${{LIGHTRAG_KEY}}"}}
  json: {json.dumps(KEYWORDS)}
gate: {{overall: null, pass_rate: {{pass: 1.0, warn: 0.5}}}}
scenarios:
  - id: ceo
    question: "{QUESTION}"
    gold_answer: Doug McMillon
    source_entities: [DOUG McMILLON, WALMART INC]
    metrics: [context_relevancy, faithfulness, answer_correctness, entity_recall]
    expect:
      names: [Doug McMillon]
      relationships: [[WALMART INC, EMPLOYS, DOUG McMILLON]]
  - id: revenues
    question: "What were the total revenues of Walmart in FY2023?"
    arguments: {{hl_keywords: [total revenues], ll_keywords: [total revenues FY2023]}}
    mode: local
    expect: {{numbers: ["$611.3 billion"], entities: [TOTAL REVENUES FY2023]}}
  - id: wrong
    question: "{QUESTION}"
    expect: {{entities: [TIM COOK]}}
"""


def test_a_suite_runs_against_it_and_from_its_cassette_without_it(
    server: LightRag, model: ChatEndpoint, tmp_path: Path
) -> None:
    (tmp_path / "s.graph.yaml").write_text(SUITE, encoding="utf-8")
    run = run_pytest(tmp_path, "--graph-eval-record-mode=once", LIGHTRAG_URL=server.url, LIGHTRAG_KEY=KEY)
    found = {r["id"]: (r["status"], r["mode_ran"]) for r in run.records}
    assert found == {"ceo": ("PASS", "mix"), "revenues": ("PASS", "local"), "wrong": ("FAIL", "mix")}
    scores = run.record("ceo")["scores"]
    assert {scores[n] for n in ("context_relevancy", "faithfulness", "answer_correctness", "entity_recall")} == {1.0}
    assert run.says("TIM COOK")
    assert run.summary["graph_stats"]["s.graph.yaml"]["entities"] == 51
    assert (run.code, run.summary["threshold_result"]) == (1, "WARN")
    assert model.requests == []
    written = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.json*")]
    assert len(written) == 3
    assert not [text for text in (*written, run.out, run.err) if KEY in text]
    shutil.rmtree(tmp_path / "results")
    again = run_pytest(tmp_path, "--graph-eval-record-mode=none")
    assert all(r["flags"] == ["replayed"] for r in again.records)
    told = dict.fromkeys(("flags", "deterministic", "elapsed_s"))
    assert [r | told for r in again.records] == [r | told for r in run.records]
    assert again.summary["graph_stats"] == run.summary["graph_stats"]


def test_a_server_killed_during_a_question_is_an_error_in_time_and_is_asked_again_once_it_is_back(
    server: LightRag, model: ChatEndpoint
) -> None:
    """Last in this file: what is asked of the server goes through its restart."""
    asked, released = threading.Event(), threading.Event()

    def hang(_: list[Message]) -> str:
        asked.set()
        released.wait(30)
        return "too late"

    def kill_when_asked() -> None:
        asked.wait(30)
        server.kill()

    def between(number: int) -> None:
        if number == 1:
            model.reply = hang
            threading.Thread(target=kill_when_asked, daemon=True).start()
        if number == 2:
            released.set()
            model.reply = quote
            server.start()

    expected = {"names": ["Doug McMillon"]}
    start = time.monotonic()
    found = records(spec(server, "/query"), expected, expected, expected, between=between)
    assert [r.status for r in found] == ["PASS", "ERROR", "PASS"]
    assert "the server cannot be reached: Connection refused (tried 4 times)" in (found[1].error or "")
    assert found[1].attempts == 4
    assert time.monotonic() - start < 60  # most of it is LightRAG's own start
