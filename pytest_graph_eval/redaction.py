"""Takes configured secrets and the directories of this machine out of what is written or shown.

Pure: the values to hide are given, texts and records go in and come out. A secret of six characters or more is
hidden wherever it stands, as it is and as URLs, JSON, Python, HTML and base64 write it; what stands under the name of
a secret (`Authorization`, `api_key`, `password`, ...) is hidden whatever it is. Host names stay readable.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from pydantic_core import PydanticSerializationError

from pytest_graph_eval.models.records import Check, Record

MASK = "***"
SHORTEST = 6
"""Characters of the shortest secret that is hidden by its value alone: shorter ones are parts of ordinary words."""

_NAMES = frozenset({
    "authorization", "auth", "password", "passwords", "passwd", "pwd", "passphrase", "passcode", "secret", "secrets",
    "token", "apikey", "cookie", "cookies", "credential", "credentials",
})  # fmt: skip
_KEY_OF = frozenset({
    "api", "access", "secret", "private", "account", "auth", "encryption", "signing", "shared", "master",
    "subscription",
})  # fmt: skip
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SIGNS = (
    b"auth", b"passw", b"passp", b"passc", b"pwd", b"secret", b"token", b"cookie", b"credential", b"key", b"bearer",
    b"basic", b"://",
)  # fmt: skip
"""One of them, and the rest of a name, stands in every lower-case text that has something to hide by name."""
_REST = re.compile(rb"(?<!://)(?:orization|ords?|d|hrase|ode|(?<!token)s)?(?!_?[a-z])|(?<=://)[^\s/@]+@")

_USERINFO = re.compile(r"(?<=://)[^\s/?#@\"'<>]+(?=@)")
_BEARER = re.compile(r"\b(Bearer|Basic)\s+(?=[^\s\"']*\d)[\w.~+/=-]{8,}", re.IGNORECASE)
_COOKIE = re.compile(r"(?im)^([\w -]*cookie:[ \t]*)([^\n\"']+)")
_NAME = re.compile(
    r"""(?<![\w.-]) (?P<name>[A-Za-z_][\w.-]{0,60})
    (?P<quote>\\*["'])? \s* (?: => | [:=] | (?<=["']), ) \s* (?:b(?=["']))?""",
    re.VERBOSE,
)
_VALUE = re.compile(
    r"""(?P<open>\\*["']) (?P<text>.*?) (?P=open)
    | (?P<bare>(?:(?:Bearer|Basic|Digest|Token|ApiKey)[ ]+)?[^\s"'\\&,;)\]}<>]+)""",
    re.VERBOSE | re.IGNORECASE,
)
_PROSE = frozenset({"token", "secret", "secrets", "cookie", "cookies", "credential", "credentials", "auth"})
"""Names that are also words of a sentence: `Token: a unit of text` is none, `token=abc` is a secret."""

_CUT = re.compile(r"\A|…|\.\.\.|\Z")
_DELIMITER = re.compile(r"[^A-Za-z0-9]+")

# The fields of a record that tell it apart and count; whatever else there is, may hold texts of a target.
_NO_TEXTS = frozenset((
    "id", "category", "difficulty", "query_mode", "retrieved_entities_count", "retrieved_chunks_count", "scores",
    "status", "format", "suite", "nodeid", "source_id", "fingerprint", "index", "outcome", "cause", "tags",
    "template_id", "must_pass", "requires_yoy", "checks", "usage", "elapsed_s", "concurrency", "attempts", "pass_rate",
    "pass_interval", "pass_at_k", "pass_hat_k", "target_digest", "deterministic",
))  # fmt: skip
_FIELDS = tuple(name for name in Record.model_fields if name not in _NO_TEXTS)


_SHOWN = {*_FIELDS, "checks"}


def is_sensitive(name: str) -> bool:
    """Tell whether a name is that of a secret: `X-API-Key`, `accessToken`, `DB_PASSWORD`; not `total_tokens`."""
    words = [word.lower() for word in _WORD.findall(name)]
    if not words:
        return False
    if words[-1] in ("key", "keys"):
        return len(words) > 1 and words[-2] in _KEY_OF
    return words[-1] in _NAMES


class Redactor:
    """Hides a set of secrets and directories."""

    def __init__(self, secrets: Iterable[str] = (), directories: Mapping[str, str] | None = None) -> None:
        """Prepare for these.

        Args:
            secrets: configured values. Those that are a directory here count as one.
            directories: absolute path to what stands for it (`{"/home/me": "~"}`).
        """
        places = {path.rstrip("/"): name for path, name in (directories or {}).items() if path.rstrip("/")}
        # A row of asterisks is what hidden values look like.
        known = {s for s in map(str.strip, secrets) if s.strip("*") and s.rstrip("/") not in places}
        self._short = frozenset(s for s in known if len(s) < SHORTEST)
        self._long = tuple(sorted(_lower(s) for s in known if len(s) >= SHORTEST))
        forms = sorted({form for s in known if len(s) >= SHORTEST for form in _forms(s)}, key=len, reverse=True)
        ends = [end for s in self._long for end in (s[:SHORTEST], s[-SHORTEST:])]
        self._needles = tuple(dict.fromkeys(map(_needle, [*ends, *forms])))
        self._values = re.compile("|".join(map(_spaced, forms)), re.IGNORECASE) if forms else None
        self._places = places
        self._paths = tuple(path.encode("utf-8", "surrogatepass") for path in places)
        paths = map(re.escape, sorted(places, key=len, reverse=True))
        self._directory = re.compile(rf"(?:(?<![\w./~-])|(?<=://))(?:{'|'.join(paths)})(?![\w-]|\.\w)")

    def is_clean(self, text: str) -> bool:
        """Tell at little cost that nothing has to be hidden in a text, be it plain or JSON; False says "perhaps"."""
        data = text.encode("utf-8", "surrogatepass")  # a search in bytes takes a third of the time
        lowered = data.lower()
        for needle in self._needles:
            if needle in lowered:
                return False
        for path in self._paths:
            if path in data:
                return False
        found = [sign for sign in _SIGNS if sign in lowered]
        return not found or not any(_stands(sign, lowered) for sign in found)

    def text(self, text: str) -> str:
        """Return `text` without secrets, and with directories by their short names."""
        if self.is_clean(text):
            return text
        text = self._without_named(self.hide(text))
        return self._directory.sub(lambda m: self._places[m[0]], text) if self._places else text

    def hide(self, text: str) -> str:
        """Return `text` without the secrets that are known by value; for texts that are not ours to change further."""
        return self._without_values(self._without_ends(text))

    def value(self, value: Any) -> Any:
        """Return JSON-like `value` with all its texts redacted, and what stands under the name of a secret hidden."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.value(k): self._under(str(k), v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        if self._long and isinstance(value, int | float) and str(value) in self._long:
            return MASK
        return value

    def record(self, record: Record) -> Record:
        """Return a record with all its texts redacted; its identity, status and scores are as they were."""
        found = {name: getattr(record, name) for name in _FIELDS}
        shown = {name: self.value(value) for name, value in found.items() if value}
        return record.model_copy(update={**shown, "checks": [self._check(check) for check in record.checks]})

    def cleaned(self, record: Record) -> Record:
        """Return the redacted record; the same where nothing has to be hidden."""
        return record if self.is_clean(_texts(record)) else self.record(record)

    def _check(self, check: Check) -> Check:
        shown = {"expected": check.expected, "found": check.found, "message": check.message}
        return check.model_copy(update={name: self.value(found) for name, found in shown.items()})

    def _under(self, name: str, value: Any) -> Any:
        if not is_sensitive(name):
            return self.value(value)
        if isinstance(value, list | tuple):
            return [self._under(name, item) for item in value]
        plain = value in (None, "") or isinstance(value, bool | Mapping)
        return self.value(value) if plain else MASK

    def _without_values(self, text: str) -> str:
        if self._values is None:
            return text
        # What closes up around a hidden value may be a secret again; each round makes the text shorter.
        while (hidden := self._values.sub(MASK, text)) != text:
            text = hidden
        return text

    def _without_ends(self, text: str) -> str:
        """Hide the beginning of a secret before a place where the text was cut, and the end of one after it."""
        lowered = _lower(text)
        spans = {span for cut in _CUT.finditer(text) for span in self._pieces(lowered, *cut.span())}
        parts, done = [], 0
        for start, end in sorted(spans):
            parts += [text[done:start], MASK] if start >= done else []
            done = max(done, end)
        return "".join([*parts, text[done:]])

    def _pieces(self, lowered: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the spans of beginnings of secrets that end at `start`, and of ends of secrets that begin at `end`."""
        before, after = start, end
        while before and lowered[before - 1].isspace():
            before -= 1
        while after < len(lowered) and lowered[after].isspace():
            after += 1
        for secret in self._long:
            first = lowered.rfind(secret[:SHORTEST], max(0, before - len(secret) + 1), before)
            last = lowered.find(secret[-SHORTEST:], after, after + len(secret) - 1) + SHORTEST
            begins = first >= 0 and secret.startswith(lowered[first:before])
            ends = last >= SHORTEST and secret.endswith(lowered[after:last])
            for low, high in ((first, before),) * begins + ((after, last),) * ends:
                # Where nothing says that the text was cut, an ordinary word is no piece of a secret.
                if start < end or (high - low > SHORTEST and not lowered[low:high].isalpha()):
                    yield low, high

    def _without_named(self, text: str) -> str:
        text = _USERINFO.sub(MASK, text)
        text = _BEARER.sub(rf"\1 {MASK}", text)
        text = _COOKIE.sub(rf"\1{MASK}", text)
        parts, done = [], 0
        for name in _NAME.finditer(text):
            value = _VALUE.match(text, name.end()) if name.start() >= done and is_sensitive(name["name"]) else None
            if value is not None and self._tells(name, value):
                opened = value["open"] or ""
                parts += [text[done : name.end()], opened, MASK, opened]
                done = value.end()
        return "".join([*parts, text[done:]])

    def _tells(self, name: re.Match[str], value: re.Match[str]) -> bool:
        """Tell whether what stands behind the name of a secret is one, and not the rest of a sentence."""
        bare = value["bare"]
        if bare is None:
            return bool(value["text"])
        is_prose = name["name"].lower() in _PROSE and ":" in name[0] and not name["quote"]
        return not is_prose or bare in self._short or (len(bare) > SHORTEST and any(map(str.isdigit, bare)))


def _texts(record: Record) -> str:
    """Return JSON with all of a record that may have to be redacted."""
    try:
        return record.model_dump_json(include=_SHOWN, exclude_defaults=True)
    except PydanticSerializationError:  # a lone surrogate
        return record.to_line()


def _lower(text: str) -> str:
    """Return a text in lower case and of the same length."""
    return text.replace("İ", "I").lower()


def _stands(sign: bytes, lowered: bytes) -> bool:
    at = lowered.find(sign)
    while at >= 0:
        end = at + len(sign)
        if _REST.match(lowered, end):
            return True
        at = lowered.find(sign, end)
    return False


def _needle(form: str) -> bytes:
    """Return the longest ASCII piece of a text that JSON writes as it is, in lower case; empty where there is none."""
    return max(re.split(r"[^!#-\[\]-~]+", form), key=len).lower().encode()


def _spaced(form: str) -> str:
    """Return the pattern of a text in which any white space stands for any other, as messages fold it."""
    return r"\s+".join(re.escape(word) for word in form.split())


def _forms(secret: str) -> Iterator[str]:
    """Yield the ways in which a secret is written, and pieces of it that would still tell it."""
    yield secret
    yield from (line.strip() for line in secret.splitlines() if len(line.strip()) >= SHORTEST)
    escaped = json.dumps(secret)[1:-1]
    yield from (escaped, json.dumps(escaped)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1])
    data = secret.encode("utf-8", "surrogatepass")
    yield from (quote(data, safe=""), quote(data), quote_plus(data), html.escape(secret))
    for shift in range(3):
        # Only the characters that all bits of the secret decide: what stands before and after it is not known.
        start, end = -(-8 * shift // 6), 8 * (shift + len(data)) // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(b"\0" * shift + data).decode()[start:end]
    # A fact of an answer can be a part of a secret: `446655440000` of a UUID.
    yield from (p for p in _DELIMITER.split(secret) if len(p) >= 8 and re.search(r"\d", p) and p != secret)
