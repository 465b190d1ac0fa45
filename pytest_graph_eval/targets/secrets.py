"""Tells which values of a target's settings are secrets: what is read from the environment, and what is named like one.

Host names, ports and folders stay readable, and so do the defaults of `${VAR:-default}`.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from pytest_graph_eval.redaction import SHORTEST, is_sensitive

_PLACES = ("command[0]", "cwd", "graph_dir")
"""Settings that say where something is; the directories of this machine are redacted by another rule."""

_ADDRESSES = ("url", "status")
_SCHEME = re.compile(r"(Bearer|Basic|Digest|Token|ApiKey)\s+(\S.*)", re.IGNORECASE)
_VARIABLE = "${"


def secret_values(
    written: Mapping[str, Any], values: Mapping[str, Any], found: Iterable[tuple[str, str]], defaults: Iterable[str]
) -> frozenset[str]:
    """Return the values to hide.

    Args:
        written: the settings as they stand in the suite.
        values: the settings with their variables read.
        found: path of a setting (`headers.Authorization`) and value of each variable that was read in it.
        defaults: the defaults that were taken.
    """
    url = _split(values.get("url"))
    secrets: set[str] = set()
    for setting, value in found:
        address = _split(value) if "://" in value else _split(values.get(setting)) if setting in _ADDRESSES else None
        if address is not None:
            secrets.update((*_of_address(value, address), *_credentials(address)))
        elif setting not in _PLACES and (url is None or value.lower() != url.hostname):
            secrets.add(value)
    secrets.update(_literals(written))
    secrets.update(_credentials(url))
    secrets = {text for secret in secrets for text in (secret, *_inside(secret))}
    for header in (values.get("headers") or {}).values():
        # `Basic ${ENCODED}`: what a server echoes is the password.
        if any(secret in header for secret in secrets):
            secrets.update(_inside(header))
    return frozenset(secrets - {"", *defaults})


def _split(url: Any) -> SplitResult | None:
    try:
        return urlsplit(url) if isinstance(url, str) else None
    except ValueError:
        return None


def _of_address(value: str, url: SplitResult | None) -> Iterator[str]:
    """Yield what is secret in a value that is a part of the url, or all of it: everything but the host."""
    host = (url.hostname if url else None) or ""
    own = _split(value if "://" in value else f"//{value}")
    if not host or host not in value.lower() or own is None:
        if value.lower() not in host:
            yield value
        return
    yield own.path
    # A piece that is no word is hidden alone, too: many services take their key as a part of the path.
    yield from (p for p in own.path.split("/") if len(p) >= SHORTEST and not re.fullmatch(r"[a-z_-]+", p))
    yield from (text for _, text in parse_qsl(own.query))


def _credentials(url: SplitResult | None) -> Iterator[str]:
    """Yield the password of a url, or the user where there is no password; and parameters named like secrets."""
    if url is None:
        return
    raw = url.password if url.password is not None else url.username
    if raw:
        yield from (raw, unquote(raw))
    yield from (text for name, text in parse_qsl(url.query) if is_sensitive(name))


def _literals(written: Any, name: str = "") -> Iterator[str]:
    """Yield the texts that stand in the suite itself under the name of a secret."""
    if isinstance(written, Mapping):
        for key, value in written.items():
            yield from _literals(value, str(key))
    elif isinstance(written, list | tuple):
        for value in written:
            yield from _literals(value, name)
    elif isinstance(written, str) and is_sensitive(name) and _VARIABLE not in written:
        yield written


def _inside(secret: str) -> Iterator[str]:
    """Yield what stands behind the scheme of an `Authorization` header."""
    match = _SCHEME.fullmatch(secret.strip())
    if match is None:
        return
    scheme, text = match.groups()
    yield text
    if scheme.lower() == "basic":
        try:
            yield base64.b64decode(text, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return
