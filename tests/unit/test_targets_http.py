"""How questions become requests and replies become responses or errors, over a client without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
import yaml

from pytest_graph_eval.errors import PreflightError, ReplyError, SuiteError, TargetError, TransportError
from pytest_graph_eval.evaluation.preflight import preflight
from pytest_graph_eval.loader import load_suite, save_suite, suite_schema
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.models.settings import HttpTarget, PreflightSpec, ResponseMap
from pytest_graph_eval.targets.base import Query, Surroundings, TargetStatus, open_target
from pytest_graph_eval.targets.http import service as http_target
from pytest_graph_eval.targets.http.service import HttpService
from pytest_graph_eval.targets.http.wire import retry_after, shown_url
from pytest_graph_eval.targets.reply.presets import preset_of

URL = "https://graph.example/api/ask"
Handler = Callable[[httpx.Request], httpx.Response]


class Wire:
    """Stands for the network: answers with `handler` and keeps what was sent."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.sent: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method != "OPTIONS":
            self.sent.append(request)
            return self.handler(request)
        return httpx.Response(405)

    @property
    def body(self) -> Any:
        return json.loads(self.sent[-1].content)


@pytest.fixture
def wired(monkeypatch: pytest.MonkeyPatch) -> Callable[[Handler | httpx.Response | Any], Wire]:
    def make(reply: Any) -> Wire:
        answer = reply if callable(reply) else lambda _: httpx.Response(200, json=reply)
        wire = Wire((lambda _: reply) if isinstance(reply, httpx.Response) else answer)
        monkeypatch.setattr(http_target, "new_client", lambda: httpx.AsyncClient(transport=httpx.MockTransport(wire)))
        return wire

    return make


def service(**settings: Any) -> HttpService:
    target = open_target(
        HttpTarget(**{"url": URL, **settings}), Surroundings(Path("/suites"), Path("/tmp/x"), "gw1", "s:2")
    )
    assert isinstance(target, HttpService)
    return target


def ask(target: HttpService, question: str = "Who owns X?", **fields: Any) -> Response:
    async def main() -> Response:
        await target.open()
        await target.open()
        try:
            return await target.ask(Query(question, **fields))
        finally:
            await target.close()
            await target.close()

    return asyncio.run(main())


# --- the request ----------------------------------------------------------------------------------------------------


def test_placeholders_are_filled_in_at_every_depth(wired: Any) -> None:
    wire = wired({"answer": "Bob"})
    template = {"q": "{question}", "opts": [{"mode": "{mode}", "at": "{as_of}", "n": 3}], "who": "{id}/{turn}/{worker}"}
    target = service(json=template, headers={"X-Id": "{id}", "X-Fixed": "yes"})
    response = ask(target, "é {mode}?", id="TC1", mode="mix", as_of="2024-03-01")
    assert wire.body == {
        "q": "é {mode}?", "opts": [{"mode": "mix", "at": "2024-03-01", "n": 3}], "who": "TC1/1/gw1",
    }  # fmt: skip
    sent = wire.sent[-1]
    assert (sent.method, str(sent.url), sent.headers["x-id"], sent.headers["x-fixed"]) == ("POST", URL, "TC1", "yes")
    assert sent.headers["content-type"] == "application/json"
    assert (response.answer, response.attempts) == ("Bob", 1)
    assert response.elapsed_s is not None


def test_a_scenarios_arguments_go_over_the_template(wired: Any) -> None:
    wire = wired({"answer": "x"})
    ask(service(json={"q": "{question}", "k": 5}), arguments={"k": 9, "hint": "{id}"}, id="a")
    assert wire.body == {"q": "Who owns X?", "k": 9, "hint": "a"}


def test_placeholders_in_an_address_are_quoted(wired: Any) -> None:
    wire = wired({"answer": "x"})
    target = service(url=URL + "/{id}?q={question}&k=1", method="GET")
    ask(target, "a&b=c d/é", id="x/y", arguments={"lang": "{mode}"}, mode="fr")
    assert str(wire.sent[-1].url) == URL + "/x%2Fy?q=a%26b%3Dc+d%2F%C3%A9&k=1&lang=fr"
    assert wire.sent[-1].content == b""


def test_other_methods_are_used(wired: Any) -> None:
    wire = wired({"answer": "x"})
    ask(service(method="PUT", json={"a": 1}))
    assert wire.sent[-1].method == "PUT"


def test_variables_are_read_and_known_as_secrets(wired: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wire = wired({"answer": "x"})
    monkeypatch.setenv("BASE", "https://other.example")
    monkeypatch.setenv("KEY", "s3cret-key")
    target = service(url="${BASE}/ask", headers={"X-API-Key": "${KEY}"}, json={"m": "${MODEL:-small}"})
    ask(target)
    assert (str(wire.sent[-1].url), wire.sent[-1].headers["x-api-key"]) == ("https://other.example/ask", "s3cret-key")
    assert wire.body == {"m": "small"}
    assert "s3cret-key" in target.secrets
    assert target.name == "http"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"url": "${NO_SUCH_BASE}/x"}, "s:2: the environment variable NO_SUCH_BASE is not set"),
        ({"headers": {"a": "${NO_SUCH_KEY}"}}, "s:2: the environment variable NO_SUCH_KEY is not set"),
        (
            {"url": "graph.example/ask"},
            "`url:` is no address: it does not begin with https://; write https://host/path",
        ),
        ({"url": "ftp://graph.example"}, "`url:` is no address: it does not begin with https://"),
        ({"url": "http://[::1/x"}, "`url:` is no address: Invalid IPv6 URL"),
        ({"url": "http://host:port/x"}, "`url:` is no address: Port could not be cast"),
        ({"response": ResponseMap(answer="a..b")}, "response.answer: 'a..b' is no path"),
        ({"response": ResponseMap(usage_fields={"tokens": "x"})}, "response.usage_fields: unknown field 'tokens'"),
    ],
)
def test_settings_that_cannot_be_followed_fail_before_the_first_question(
    wired: Any, settings: dict[str, Any], words: str
) -> None:
    wire = wired({})
    with pytest.raises(PreflightError) as caught:
        ask(service(**settings))
    assert words in str(caught.value)
    assert "s:2" in str(caught.value)
    assert wire.sent == []


def test_a_header_whose_name_is_none_is_told_in_our_words(wired: Any) -> None:
    wired({})
    with pytest.raises(ReplyError, match="the name of the header 'X Key' cannot be sent; write it in letters, digits"):
        ask(service(headers={"X Key": "a"}))


def test_a_header_with_a_line_end_is_named_without_its_value(wired: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wired({})
    monkeypatch.setenv("KEY", "s3cret-key\n")
    with pytest.raises(ReplyError, match="the header 'X-Key' holds a line end, which no header can") as caught:
        ask(service(headers={"X-Key": "${KEY}"}))
    assert "s3cret" not in str(caught.value)


def test_a_header_may_hold_any_script(wired: Any) -> None:
    wire = wired({"answer": "x"})
    ask(service(headers={"X-Q": "{question}"}), "qui possède l'Été ?")
    assert dict(wire.sent[-1].headers.raw)[b"X-Q"].decode() == "qui possède l'Été ?"


def test_a_target_that_is_not_open_says_so() -> None:
    with pytest.raises(TransportError, match=r"graph\.example: the target is not open"):
        asyncio.run(service().ask(Query("q")))


# --- the reply ------------------------------------------------------------------------------------------------------

LISTS = ResponseMap(answer="answer", chunks="chunks")
JSON = "application/json"


def reply(content: bytes | str = b"", media: str | None = JSON, status: int = 200, **headers: str) -> httpx.Response:
    content = content.encode() if isinstance(content, str) else content
    return httpx.Response(status, content=content, headers={**({"content-type": media} if media else {}), **headers})


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (reply('{"answer": "Bob"}'), "Bob"),
        (reply('{"answer": "Bob"}', "text/html; charset=utf-8"), "Bob"),
        (reply('{"answer": "Bob"}', None), "Bob"),
        (reply('\ufeff{"answer": "Bob"}'.encode("utf-8-sig").removeprefix(b"\xef\xbb\xbf")), "Bob"),
        (reply('{"answer": "é"}'.encode("utf-16")), "é"),
        (reply(json.dumps(json.dumps({"answer": "Bob"}))), "Bob"),
        (reply('"just a text"'), "just a text"),
        (reply("Bob owns X.", "text/plain"), "Bob owns X."),
        (reply("# Bob", "text/markdown; charset=utf-8"), "# Bob"),
        (reply("Été".encode("latin-1"), "text/plain; charset=iso-8859-1"), "Été"),
        (reply("Été".encode(), "text/plain; charset=nonsense"), "Été"),
        (reply(b"\xff\xfeok", "text/plain"), "\ufffd\ufffdok"),
        (reply("42"), "42"),
        (reply("null"), None),
        (reply('{"answer": "Bob"}', status=201), "Bob"),
    ],
)
def test_json_is_read_and_a_plain_text_is_the_answer(wired: Any, answer: httpx.Response, text: str | None) -> None:
    wired(answer)
    assert ask(service()).answer == text


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (reply(b""), "the body of the reply is empty (HTTP 200, application/json); JSON is expected"),
        (reply(b" \n", None), "the body of the reply is empty (HTTP 200, no content-type)"),
        (reply(b"", status=204), "the body of the reply is empty (HTTP 204"),
        (reply('{"answer": "Bo'), "the reply is no JSON, though it is called application/json: Unterminated string"),
        (reply(b'{"answer": "\xe9"}'), "called application/json: it is not UTF-8 (byte 0xe9 at 12): {"),
        (reply('{"a": 1}{"a": 2}', "application/problem+json"), "it is called application/problem+json: Extra data"),
        (reply("[" * 100_000), "the reply is JSON that is nested too deeply to be read"),
        (reply("<html><body>Please  log\nin</body>", "text/html"), "`url:` right?: <html><body>Please log in</body>"),
        (reply(b"\x89PNG", "image/png"), "the reply is image/png, where JSON is expected"),
        (reply("data: {}\n\n", "text/event-stream"), "the reply is a stream (text/event-stream); ask for a single"),
        (reply('{"response": "x"}\n{}', "application/x-ndjson"), "the reply is a stream (application/x-ndjson)"),
        (reply('{"error": {"message": "no such index"}}'), "the server reports an error: no such index"),
        (reply('{"foo": 1}'), "it has none of the mapped keys: it is an object with the keys foo"),
        (reply('{"answer": {"a": 1}}'), "answer is an object with the keys a; a text is expected"),
        (reply('{"usage": {"cost_usd": NaN}}'), "usage.cost_usd is the number nan"),
    ],
)  # fmt: skip
def test_a_body_that_cannot_be_used_is_an_error_that_names_the_cause(wired: Any, answer: Any, words: str) -> None:
    wired(answer)
    with pytest.raises(ReplyError) as caught:
        ask(service())
    assert words in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("content", [reply("Bob owns X.", "text/plain"), reply('"Bob owns X."')])
def test_a_text_is_an_error_where_lists_are_mapped(wired: Any, content: Any) -> None:
    wired(content)
    with pytest.raises(ReplyError, match=r"a text came back \(HTTP 200, .*\), but chunks are mapped, .*: Bob owns X"):
        ask(service(response=LISTS))
    assert ask(service(response=ResponseMap(answer="answer", chunks="chunks?"))).answer == "Bob owns X."


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (reply('{"detail": "Not Found"}', status=404),
         'POST https://graph.example/api/ask answered HTTP 404 Not Found (is `url:` right?): {"detail": "Not Found"}'),
        (reply("", status=401), "HTTP 401 Unauthorized (is the key in `headers:` right?): without a body"),
        (reply("", status=403), "HTTP 403 Forbidden (is the key in `headers:` right?)"),
        (reply("", status=405), "HTTP 405 Method Not Allowed (is `method:` right?)"),
        (reply('{"detail":[{"loc":["body","query"]}]}', status=422), 'HTTP 422 Unprocessable Entity: {"detail":[{'),
        (reply("x" * 5000, "text/plain", 500), "HTTP 500 Internal Server Error: xxx"),
        (reply("", status=302, location="https://login.example/"),
         "HTTP 302 Found: it redirects to https://login.example/; write that address instead"),
        (reply("", status=304), "HTTP 304 Not Modified: it redirects to nowhere"),
        (reply("", status=599), "answered HTTP 599: without a body"),
    ],
)  # fmt: skip
def test_a_status_other_than_success_is_an_error_with_what_the_body_says(wired: Any, answer: Any, words: str) -> None:
    wire = wired(answer)
    with pytest.raises(ReplyError) as caught:
        ask(service())
    assert words in str(caught.value)
    assert len(str(caught.value)) < 500
    assert (len(wire.sent), caught.value.attempts) == (1, 1)


def test_dropped_keys_are_gone_before_the_reply_is_read(wired: Any) -> None:
    wired({"answer": "x", "chunks": [{"id": "1", "content": "c", "embedding": [0.1]}], "error": "old"})
    response = ask(service(drop=["error", "content"]))
    assert [c.content for c in response.chunks or ()] == [""]


def test_an_address_is_shown_without_credentials_and_query() -> None:
    assert shown_url("https://me:pw@h.example:8443/a/b?key=1#x") == "https://h.example:8443/a/b"


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("0", 0, 0), (" 3 ", 3, 3), ("1.5", 1.5, 1.5), ("Fri, 31 Dec 1999 23:59:59 GMT", 0, 0),
        ("Fri, 31 Dec 1999 23:59:59", 0, 0), ("Fri, 31 Dec 2100 23:59:59 GMT", 2e8, 4e9),
    ],
)  # fmt: skip
def test_a_wait_is_read_as_seconds_or_as_a_date(text: str, low: float, high: float) -> None:
    found = retry_after(text)
    assert found is not None
    assert low <= found <= high


NO_ZONE = "Fri, 31 Dec 2100 23:59:59 +99999999999999999999"


@pytest.mark.parametrize("text", [None, "", "soon", "-1", "nan", "inf", "1e9", "٣", "9" * 400, NO_ZONE])
def test_a_wait_that_says_nothing_is_none(text: str | None) -> None:
    assert retry_after(text) is None


# --- presets --------------------------------------------------------------------------------------------------------

DATA_URL = "http://localhost:9621/query/data"
RETRIEVED = {
    "status": "success",
    "message": "ok",
    "data": {
        "entities": [{"entity_name": "BOB", "entity_type": "PERSON", "description": "a man<SEP>an owner"}],
        "relationships": [{"src_id": "BOB", "tgt_id": "X", "keywords": "owns", "description": "since 1999"}],
        "chunks": [{"chunk_id": "doc-1", "content": "Bob owns X.", "reference_id": "1"}],
        "references": [{"reference_id": "1", "file_path": "a.txt"}],
    },
    "metadata": {"query_mode": "mix", "keywords": {"high_level": [], "low_level": []}},
}


def test_lightrags_evidence_is_read(wired: Any) -> None:
    wire = wired(RETRIEVED)
    target = service(preset="lightrag", url=DATA_URL, json={"top_k": 5, "hl_keywords": ["owner"]})
    response = ask(target, mode="mix")
    assert wire.body == {"query": "Who owns X?", "mode": "mix", "top_k": 5, "hl_keywords": ["owner"]}
    assert (response.answer, response.mode, response.status) == (None, "mix", "success")
    assert [(e.name, e.type, e.description) for e in response.entities or ()] == [("BOB", "PERSON", "a man\nan owner")]
    assert [(r.source, r.type, r.target) for r in response.relationships or ()] == [("BOB", "owns", "X")]
    assert [(c.id, c.content) for c in response.chunks or ()] == [("doc-1", "Bob owns X.")]


def test_lightrag_that_found_nothing_has_no_evidence_and_no_error(wired: Any) -> None:
    wired({"status": "failure", "message": "Query returned no results", "data": {},
           "metadata": {"failure_reason": "no_results", "mode": "mix"}})  # fmt: skip
    response = ask(service(preset="lightrag", url=DATA_URL))
    assert (response.entities, response.relationships, response.chunks) == ([], [], [])
    assert (response.has_evidence(), response.mode) == (False, "mix")


@pytest.mark.parametrize("url", ["http://localhost:9621/query", "http://localhost:9621/query/?x=/data"])
def test_lightrags_answer_is_read_with_the_texts_behind_it(wired: Any, url: str) -> None:
    wire = wired(
        {
            "response": "Bob.",
            "references": [
                {"reference_id": "1", "file_path": "a.txt", "content": ["Bob owns X.", "He bought it."]},
                {"reference_id": "2", "file_path": "b.txt", "content": None},
            ],
            "llm_generated": True,
        }
    )
    response = ask(service(preset="lightrag", url=url), mode="hybrid")
    assert wire.body == {
        "query": "Who owns X?", "mode": "hybrid", "include_references": True, "include_chunk_content": True,
    }  # fmt: skip
    assert (response.answer, response.entities) == ("Bob.", None)
    assert [(c.id, c.content) for c in response.chunks or ()] == [
        ("a.txt", "Bob owns X.\nHe bought it."),
        ("b.txt", ""),
    ]


def test_what_lightrag_says_without_a_model_is_no_answer(wired: Any) -> None:
    wired({"response": "Sorry, I'm not able to provide an answer to that question.[no-context]", "references": [],
           "llm_generated": False})  # fmt: skip
    response = ask(service(preset="lightrag", url="http://localhost:9621/query"))
    assert (response.answer, response.chunks, response.has_evidence()) == (None, [], False)


FAILED = "No relevant context found for the query."


@pytest.mark.parametrize("flag", [{"llm_generated": False}, {}])
def test_lightrag_that_answers_where_its_model_failed_is_an_error(wired: Any, flag: dict[str, bool]) -> None:
    wired({"response": f"{FAILED}\n", "references": [], **flag})
    with pytest.raises(ReplyError, match=f'the answer "{FAILED}" is what this server says where a question failed'):
        ask(service(preset="lightrag", url="http://h/query"))


def test_the_same_words_by_a_model_are_its_answer(wired: Any) -> None:
    wired({"response": FAILED, "references": [], "llm_generated": True})
    assert ask(service(preset="lightrag", url="http://h/query")).answer == FAILED


def test_a_suite_names_the_error_answers_of_its_own_server(wired: Any) -> None:
    wired({"answer": "Oops!"})
    rules = ResponseMap(answer="answer", error_answers=["Oops!", "Sorry."])
    with pytest.raises(ReplyError, match='the answer "Oops!" is what this server says'):
        ask(service(response=rules))
    wired({"answer": "Oops! Walmart."})
    assert ask(service(response=rules)).answer == "Oops! Walmart."


def test_the_openai_preset_asks_and_reads_with_the_users_model(wired: Any) -> None:
    message = {"role": "assistant", "content": "Bob."}
    wire = wired({"model": "gpt-4o-2024-08-06", "choices": [{"message": message}],
                  "usage": {"prompt_tokens": 12, "completion_tokens": 3, "cost": 0.01}})  # fmt: skip
    response = ask(service(preset="openai-chat", json={"model": "gpt-4o", "temperature": 0}))
    assert wire.body == {
        "model": "gpt-4o", "temperature": 0, "messages": [{"role": "user", "content": "Who owns X?"}],
    }  # fmt: skip
    assert response.answer == "Bob."
    assert response.usage is not None
    assert (response.usage.total_tokens, response.usage.model, response.usage.cost_usd) == (
        15,
        "gpt-4o-2024-08-06",
        0.01,
    )


def test_the_openai_preset_sends_the_conversation_so_far(wired: Any) -> None:
    wire = wired({"choices": [{"message": {"role": "assistant", "content": "Since 1999."}}]})
    history = ({"role": "user", "content": "Who is Bob?"}, {"role": "assistant", "content": "An owner."})
    asked = [*history, {"role": "user", "content": "Since when?"}]
    ask(service(preset="openai-chat"), "Since when?", history=history)
    assert wire.body == {"messages": asked}
    system = {"role": "system", "content": "Be brief."}
    ask(service(preset="openai-chat", json={"messages": [system, "{messages}"]}), "Since when?", history=history)
    assert wire.body == {"messages": [system, *asked]}


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ("{kind: http, url: 'http://h/'}", "http"),
        ("{url: 'http://h/', json: {q: '{question}'}}", "http"),
        ("{url: 'http://h/', method: GET}", "http"),
        ("{url: 'http://h/', preset: openai-chat}", "http"),
        ("{url: 'http://h/', preset: lightrag}", "http"),
        ("{url: 'http://h/', preset: preciso}", "mcp"),
        ("{url: 'http://h/'}", "mcp"),
    ],
)
def test_the_kind_is_told_by_what_only_it_has(settings: str, kind: str) -> None:
    suite = load_suite("x.graph.yaml", text=f"target: {settings}\n{SCENARIO}").suite
    assert suite.target is not None
    assert not isinstance(suite.target, str)
    assert suite.target.kind == kind


SCENARIO = "scenarios: [{id: a, question: 'Q?', gold_answer: '1'}]\n"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("{kind: http}", "the key 'url' is missing"),
        ("{kind: http, url: x, method: GET, json: {a: 1}}", "a GET request has no body; put what `json:` holds"),
        (
            "{kind: http, url: x, method: POSTE}",
            "found the text \"POSTE\", expected 'GET', 'POST', 'PUT' or 'PATCH'",
        ),
        ("{kind: http, url: x, recover: {tool: t}}", "`recover:` calls a tool, and an http target has none"),
        ("{kind: http, url: x, preflight: {tool: t}}", "give the address of its status as `preflight.url:`"),
        ("{kind: mcp, url: x, preflight: {url: y}}", "`preflight.url:` is for http targets"),
        ("{kind: http, url: x, jsn: {a: 1}}", "unknown key 'jsn', did you mean 'json'"),
        ("{kind: http, url: x, json: [1]}", "target.json: found a list, expected a mapping"),
        ("{kind: http, url: x, preset: lightrg}", "did you mean 'lightrag'"),
    ],
)
def test_wrong_settings_are_load_errors(settings: str, words: str) -> None:
    with pytest.raises(SuiteError) as caught:
        load_suite("x.graph.yaml", text=f"target: {settings}\n{SCENARIO}")
    assert words in str(caught.value)


def test_the_settings_are_in_the_schema() -> None:
    text = "target: {kind: http, url: 'http://h/', method: GET, headers: {a: b}, prices: {m: {input: 1, output: 2}}}\n"
    schema = suite_schema()
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(yaml.safe_load(text + SCENARIO))) == []
    wrong = yaml.safe_load(text.replace("headers", "heders") + SCENARIO)
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(wrong))


def test_settings_survive_being_written(tmp_path: Path) -> None:
    text = (
        "target: {kind: http, url: 'http://h/', json: {q: '{question}', n: 1}, prices: {'*': {input: 1, output: 2}}}\n"
    )
    suite = load_suite("x.graph.yaml", text=text + SCENARIO).suite
    path = tmp_path / "y.graph.yaml"
    save_suite(suite, path)
    assert load_suite(path).suite.target == suite.target


# --- reachable, and what the status says ----------------------------------------------------------------------------


def status_of(target: HttpService) -> TargetStatus:
    async def main() -> TargetStatus:
        await target.open()
        try:
            return await target.status()
        finally:
            await target.close()

    return asyncio.run(main())


def routed(replies: Mapping[str, httpx.Response]) -> Handler:
    return lambda request: replies.get(request.url.path, httpx.Response(404))


def test_without_an_address_there_is_no_status(wired: Any) -> None:
    wire = wired({})
    assert status_of(service()) == TargetStatus()
    assert wire.sent == []


def test_lightrags_labels_are_counted(wired: Any) -> None:
    wire = wired(routed({"/graph/label/list": httpx.Response(200, json=["BOB", "X"])}))
    status = status_of(service(preset="lightrag", url=DATA_URL, headers={"X-API-Key": "k"}))
    assert (status.entities, status.relationships, status.tools) == (2, None, None)
    assert wire.sent[-1].headers["x-api-key"] == "k"


def test_another_version_without_the_labels_does_not_tell(wired: Any) -> None:
    wired(routed({}))
    assert status_of(service(preset="lightrag", url=DATA_URL)) == TargetStatus()


def test_a_key_that_is_refused_fails_the_preflight(wired: Any) -> None:
    wired(routed({"/graph/label/list": httpx.Response(403, text="no")}))
    with pytest.raises(
        ReplyError, match=r"GET http://localhost:9621/graph/label/list answered HTTP 403 Forbidden \(is"
    ):
        status_of(service(preset="lightrag", url=DATA_URL))


def test_an_empty_graph_fails_the_preflight(wired: Any) -> None:
    wired(routed({"/graph/label/list": httpx.Response(200, json=[])}))
    target = service(preset="lightrag", url=DATA_URL)

    async def main() -> None:
        try:
            await preflight(target, HttpTarget(preset="lightrag", url=DATA_URL), [])
        finally:
            await target.close()

    with pytest.raises(PreflightError, match=r"the graph holds 0 entities\. No entities ingested"):
        asyncio.run(main())


STATUS = PreflightSpec(url="/health", entities="n.e", relationships="n.r", require=[{"path": "ok", "value": True}])


def test_ones_own_status_is_read_and_its_requirements_checked(wired: Any) -> None:
    wired(routed({"/health": httpx.Response(200, json={"n": {"e": 3, "r": 0}, "ok": False})}))
    status = status_of(service(preflight=STATUS))
    assert (status.entities, status.relationships) == (3, 0)
    target = service(preflight=STATUS)

    async def main() -> None:
        try:
            await preflight(target, HttpTarget(url=URL, preflight=STATUS), [Scenario(id="a", question="q")])
        finally:
            await target.close()

    with pytest.raises(PreflightError, match="status ok is false; == true is required"):
        asyncio.run(main())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.Response(404), "GET https://graph.example/health answered HTTP 404 Not Found"),
        (
            httpx.Response(200, json={"n": "x"}),
            "the reply of https://graph.example/health cannot be read: n is the text",
        ),
        (httpx.Response(200, json={"n": {"e": "3"}}), "n.e is the text '3'; a whole number is expected"),
        (httpx.Response(200, text="up"), "the reply is no JSON"),
    ],
)
def test_a_status_that_cannot_be_read_is_an_error(wired: Any, answer: httpx.Response, words: str) -> None:
    wired(routed({"/health": answer}))
    with pytest.raises(TargetError) as caught:
        status_of(service(preflight=STATUS))
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["preciso", "generic-mcp", "graphrag", "openai-chat", None])
def test_the_address_matters_to_lightrag_alone(name: Any) -> None:
    one, other = (preset_of(HttpTarget(url=url, preset=name)) for url in (URL, DATA_URL))
    assert one is other
