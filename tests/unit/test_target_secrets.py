"""Which values of a target's settings are hidden, and which stay readable."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from pytest_graph_eval.redaction import SHORTEST
from pytest_graph_eval.targets.templates import expand_environment

ENVIRON = {
    "TOKEN": "s3cret-token",
    "SHORT": "abc",
    "BEARER": "Bearer b3arer-token",
    "URL": "https://graph.example.com:8443/teams/T0042XYZ?sig=s1gnature",
    "HOST": "graph.example.com",
    "BASE_URL": "https://graph.example.com:8443/v1",
    "TENANT": "tenant-a",
    "PATH_OF_URL": "hidden-path",
    "SAME": "production",
    "FOLDER": "/data/graph-7",
    "PYTHON": "/opt/python3",
    "BASIC": base64.b64encode(b"me:pa55word").decode(),
}


def secrets(**settings: Any) -> set[str]:
    return set(expand_environment(settings, ENVIRON, "s.yaml:1").secrets)


@pytest.mark.parametrize(
    "settings",
    [
        {"headers": {"X-Any": "${TOKEN}"}},
        {"env": {"ANY": "${TOKEN}"}},
        {"url": "https://host/x?y=${TOKEN}"},
        {"url": "https://${TOKEN}:@host/x"},
        {"command": ["python", "server.py", "--key=${TOKEN}"]},
        {"arguments": {"a": [{"b": "x${TOKEN}y"}]}},
        {"setup": [{"tool": "login", "arguments": {"key": "${TOKEN}"}}]},
        {"json": {"auth": {"key": "${TOKEN}"}}},
        {"headers": {"Authorization": "Bearer s3cret-token"}},
        {"headers": {"Authorization": "s3cret-token"}},
        {"env": {"OPENAI_API_KEY": "s3cret-token"}},
        {"json": {"apiKey": "s3cret-token"}},
        {"url": "https://user:s3cret-token@host/x"},
        {"url": "https://s3cret-token@host/x"},
        {"url": "https://host/x?api_key=s3cret-token"},
    ],
)
def test_a_value_is_a_secret_wherever_it_is_configured(settings: dict[str, Any]) -> None:
    assert "s3cret-token" in secrets(**settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"url": "https://${HOST}:8443/x"},
        {"url": "https://${TENANT}.example.com/x", "headers": {"X-Tenant": "tenant-a"}},
        {"url": "https://graph.example.com/teams/x", "env": {"MODE": "production"}},
        {"env": {"MODE": "${UNSET:-production}"}},
        {"env": {"MODE": "${SAME:-production}"}},
        {"headers": {"Authorization": "Bearer ${UNSET:-production}"}},
        {"url": "https://user:${UNSET:-devpassword}@host/x"},
        {"url": "https://graph.example.com/x", "headers": {"Host": "${HOST}"}},
        {"env": {"BASE_URL": "${BASE_URL}"}},
        {"url": "https://host/x", "status": "${BASE_URL}/health"},
        {"cwd": "${FOLDER}", "graph_dir": "${FOLDER}/index"},
        {"command": ["${PYTHON}", "server.py"]},
        {"headers": {"X-Any": "$${TOKEN}"}},
        {"url": None, "headers": {}},
        {"env": {"total_tokens": "5000000"}},
    ],
)
def test_hosts_folders_defaults_and_plain_texts_stay_readable(settings: dict[str, Any]) -> None:
    assert {text for text in secrets(**settings) if len(text) >= SHORTEST} == set()


def test_of_a_whole_url_all_but_the_host_is_hidden() -> None:
    assert secrets(url="${URL}") == {"/teams/T0042XYZ", "T0042XYZ", "s1gnature"}
    assert secrets(url="https://host/${PATH_OF_URL}/x") == {"hidden-path"}
    assert secrets(env={"HOOK": "${URL}"}) == secrets(url="${URL}")


def test_a_default_and_its_url_stay_readable_beside_a_secret() -> None:
    assert secrets(url="${UNSET:-http://localhost:8000}/x", headers={"X": "${TOKEN}"}) == {"s3cret-token"}


def test_the_token_behind_a_scheme_is_a_secret_by_itself() -> None:
    assert secrets(headers={"Authorization": "${BEARER}"}) == {"Bearer b3arer-token", "b3arer-token"}


@pytest.mark.parametrize("header", ["Basic ${BASIC}", f"Basic {ENVIRON['BASIC']}"])
def test_the_password_inside_basic_authorization_is_a_secret(header: str) -> None:
    assert {"pa55word", ENVIRON["BASIC"]} <= secrets(headers={"Authorization": header})


def test_basic_authorization_that_is_none_is_hidden_as_it_is() -> None:
    assert secrets(headers={"Authorization": "Basic not-base64!"}) == {"Basic not-base64!", "not-base64!"}


def test_an_encoded_password_of_a_url_is_known_in_both_forms() -> None:
    assert secrets(url="https://user:p%40ssword@host") == {"p%40ssword", "p@ssword"}


def test_a_url_that_cannot_be_read_hides_what_it_was_made_of() -> None:
    assert secrets(url="http://[${TOKEN}/x") == {"s3cret-token"}


def test_short_values_are_told_too() -> None:
    """Whoever redacts decides what to do with them."""
    assert secrets(headers={"X-API-Key": "${SHORT}"}) == {"abc"}
