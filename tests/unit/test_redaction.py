"""What is hidden in texts, values and records, and what stays readable."""

from __future__ import annotations

import base64
import html
import json
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from pytest_graph_eval.models.records import Check, Record
from pytest_graph_eval.redaction import MASK, Redactor, is_sensitive

SECRET = 'p@ss "wörd"/T0ken+9'
PLACES = {"/home/me": "~", "/home/me/proj": ".", "/tmp": "<tmp>"}


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        SECRET.upper(),
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(SECRET))[3:-3],
        repr(SECRET)[1:-1],
        quote(SECRET),
        quote(SECRET, safe="").lower(),
        quote_plus(SECRET),
        html.escape(SECRET),
        SECRET.replace(" ", "\n  "),
    ],
)
def test_a_secret_is_hidden_in_every_way_it_is_written(written: str) -> None:
    assert Redactor([SECRET]).text(f"before<{written}>after") == f"before<{MASK}>after"


@pytest.mark.parametrize("user", ["", "u", "us", "use", "user"])
def test_basic_authorization_does_not_tell_the_password(user: str) -> None:
    secret = "correct-horse"
    encoded = base64.b64encode(f"{user}:{secret}".encode()).decode()
    shown = Redactor([secret]).text(f"sent {encoded} to host")
    assert MASK in shown
    hidden = shown.removeprefix("sent ").removesuffix(" to host").split(MASK)
    assert max(map(len, hidden)) < 10
    assert encoded not in shown


def test_url_safe_base64_is_hidden() -> None:
    secret = "\u00ff\u00fe>>>???secret"
    assert MASK in Redactor([secret]).text(base64.urlsafe_b64encode(secret.encode()).decode())


@pytest.mark.parametrize("text", ["abc", "an abc of graphs", "ABC", "abcdef"])
def test_a_short_secret_is_part_of_ordinary_words(text: str) -> None:
    assert Redactor(["abc"]).text(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("X-API-Key: abc", "X-API-Key: ***"),
        ("Authorization: Bearer abc", "Authorization: ***"),
        ("authorization=abc&x=1", "authorization=***&x=1"),
        ("GET /x?api_key=abc&y=1", "GET /x?api_key=***&y=1"),
        ("OPENAI_API_KEY=abc python", "OPENAI_API_KEY=*** python"),
        ('{"password": "a, b", "user": "me"}', '{"password": "***", "user": "me"}'),
        (r"{\"accessToken\": \"abc\"}", r"{\"accessToken\": \"***\"}"),
        ("{'secret': 'abc'}", "{'secret': '***'}"),
        ("[(b'authorization', b'abc')]", "[(b'authorization', b'***')]"),
        ("Cookie: a=b; c=d\nHost: graph", "Cookie: ***\nHost: graph"),
        ("set-cookie: sid=1; Path=/", "set-cookie: ***"),
        ("token: abc", "token: ***"),
        ("token: xyz12345", "token: ***"),
        ("used Bearer eyJ0eXAi9.x.y for it", "used Bearer *** for it"),
        ("http://me:abc@graph:80/x", "http://***@graph:80/x"),
        ("password => abc", "password => ***"),
    ],
)
def test_what_stands_under_the_name_of_a_secret_is_hidden_in_texts(text: str, shown: str) -> None:
    assert Redactor(["abc"]).text(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Token: a unit of text",
        "The secret: hard work",
        "total_tokens=5, max_tokens: 7",
        "Bearer instruments and basic earnings",
        "the key: revenue; key=revenue",
        "An author: Doug McMillon",
        '{"api_key": ""}',
        "https://graph.example.com/a@b",
        "password",
        "mailto:ceo@walmart.com",
    ],
)
def test_ordinary_texts_stay_as_they_are(text: str) -> None:
    assert Redactor(["abc", "s3cret-token"], PLACES).text(text) == text


@pytest.mark.parametrize(
    "name",
    ["Authorization", "Proxy-Authorization", "X-API-Key", "x_api_key", "apiKey", "apikey", "OPENAI_API_KEY", "token",
     "accessToken", "DB_PASSWORD", "client_secret", "Cookie", "Set-Cookie", "aws.secret_access_key", "token2",
     "credentials"],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_sensitive(name)


@pytest.mark.parametrize(
    "name",
    ["tokens", "total_tokens", "key", "keys", "key_facts", "primary_key", "author", "pass_rate", "monkey", "", "9"],
)
def test_names_of_other_things(name: str) -> None:
    assert not is_sensitive(name)


def test_values_under_such_a_name_are_hidden_at_every_depth() -> None:
    value = {"a": [{"X-API-Key": "1", "n": 1}], "token": 5, "secrets": ["x", {"y": 1}], "password": None, "auth": True}
    assert Redactor().value(value) == {
        "a": [{"X-API-Key": MASK, "n": 1}], "token": MASK, "secrets": [MASK, {"y": 1}], "password": None, "auth": True,
    }  # fmt: skip


def test_keys_numbers_and_tuples_are_redacted_too() -> None:
    redactor = Redactor(["12345678", "s3cret-token"])
    assert redactor.value({"s3cret-token x": (12345678, 12345678.5, "s3cret-token")}) == {
        f"{MASK} x": [MASK, 12345678.5, MASK]
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/me", "~"),
        ("/home/me/x.json: missing", "~/x.json: missing"),
        ("'/home/me/proj/a.py:3'", "'./a.py:3'"),
        ("file:///home/me/x", "file://~/x"),
        ("/tmp/a, /tmp.", "<tmp>/a, <tmp>."),
        ("/home/meow /tmp-1 /srv/tmp/x http://tmp/x /tmp.d", "/home/meow /tmp-1 /srv/tmp/x http://tmp/x /tmp.d"),
    ],
)
def test_directories_of_the_machine_get_short_names(text: str, shown: str) -> None:
    assert Redactor((), PLACES).text(text) == shown


def test_hiding_alone_leaves_directories_and_what_is_only_named_like_a_secret() -> None:
    hidden = Redactor(["s3cret-token"], PLACES).hide("/home/me/s3cret-token?password=x")
    assert hidden == f"/home/me/{MASK}?password=x"


def test_a_directory_is_no_secret_and_the_root_is_no_directory() -> None:
    redactor = Redactor(["/home/me/", "/home/me"], {**PLACES, "/": "x", "": "y"})
    assert redactor.text("/home/me/a /b") == "~/a /b"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("… began with sk-live-42…", "… began with ***…"),
        ("the text 'sk-live-...'", "the text '***...'"),
        ("… 42abcdef9 and more", "… *** and more"),
        ("it was cut here: sk-live-42ab", "it was cut here: ***"),
        ("live-42abcdef9: no such key", "***: no such key"),
        ("sk-liv", "sk-liv"),
    ],
)
def test_a_piece_of_a_secret_where_a_text_was_cut_is_hidden(text: str, shown: str) -> None:
    assert Redactor(["sk-live-42abcdef9"]).text(text) == shown


def test_a_word_that_a_secret_begins_with_stays_where_nothing_was_cut() -> None:
    assert Redactor(["walmart-graph"]).value(["Walmart", "walmart…"]) == ["Walmart", f"{MASK}…"]


def test_a_piece_with_digits_is_hidden_because_facts_are_read_out_of_texts() -> None:
    uuid = "550e8400-e29b-41d4-a716-446655440000"
    assert Redactor([uuid]).text("446655440000 is not in the evidence") == f"{MASK} is not in the evidence"


def test_the_lines_of_a_key_are_secrets_each() -> None:
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n"
    assert Redactor([key]).text("| kqhkiG9w0BAQEF") == f"| {MASK}"


@pytest.mark.parametrize("secret", ["******", "***abc", "a***bcd"])
def test_secrets_that_look_like_hidden_ones_do_not_come_back(secret: str) -> None:
    redactor = Redactor([secret, "s3cret-token"])
    once = redactor.text(f"as3cret-tokenbcd {secret}")
    assert redactor.text(once) == once


def test_nothing_configured_hides_nothing() -> None:
    assert Redactor(["", "  "]).text("/home/me s3cret-token") == "/home/me s3cret-token"


def test_folding_that_changes_the_length_of_a_text_does_no_harm() -> None:
    assert Redactor(["s3cret-token"]).text("İ s3cret-token İ") == f"İ {MASK} İ"


def filled(secret: str) -> Record:
    """Return a record with the secret in every text that a target or a message can fill."""
    names = ("question", "gold_answer", "reason", "error", "mode_ran", "answer", "target")
    texts: dict[str, Any] = dict.fromkeys(names, secret)
    lists: dict[str, Any] = {name: [secret] for name in ("hallucinations", "key_facts", "flags", "documents")}
    parts: dict[str, Any] = {"facts": {"hits": [secret]}, "steps": {"a": secret}, "turns": [{"answer": secret}],
                             "judge": {"x": secret}, "repeats": [{"error": secret}], "explain": {"precision": secret},
                             "retrieved": {"entities": [secret]}}  # fmt: skip
    check = Check(
        kind="contains", outcome="fail", expected={"text": secret}, found=[secret], message=f"found {secret}!"
    )
    return Record(id="a", suite="s.graph.yaml", nodeid="s.graph.yaml::a", fingerprint="f", status="FAIL",
                  outcome="failed", checks=[check], usage={"total_tokens": 123456}, scores={"mean": 0.5},
                  **texts, **lists, **parts)  # fmt: skip


def test_every_text_of_a_record_is_redacted_and_nothing_else() -> None:
    secret = "s3cret-token"
    record = filled(secret)
    line = Redactor([secret]).cleaned(record).to_line()
    assert line == record.to_line().replace(secret, MASK)
    assert Record.from_line(line).checks[0].found == [MASK]
    assert record.answer == secret


def test_a_record_with_nothing_to_hide_is_the_line_that_it_was() -> None:
    record = filled("plain")
    assert Redactor(["s3cret-token"], PLACES).cleaned(record).to_line() == record.to_line()


@pytest.mark.parametrize("secret", ["passed", "failed", "s.graph.yaml", "123456", "numbers"])
def test_identity_outcome_and_figures_of_a_record_are_never_touched(secret: str) -> None:
    """Redaction must not change a verdict, nor what a record is compared by."""
    record = filled("x")
    again = Record.from_line(Redactor([secret]).cleaned(record).to_line())
    for name in ("id", "suite", "nodeid", "fingerprint", "status", "outcome", "scores", "usage"):
        assert getattr(again, name) == getattr(record, name)


def test_a_secret_with_signs_that_json_escapes_is_found_in_the_line() -> None:
    for secret in (SECRET, '\\\\"\\"\\\\"', "a\tb\nc\td", "ключ-доступа"):
        line = Redactor([secret]).cleaned(filled(secret)).to_line()
        assert json.dumps(secret, ensure_ascii=False)[1:-1] not in line
