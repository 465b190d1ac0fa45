"""A configured secret of six characters or more is never written, whatever a target does with it."""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote, quote_plus

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pytest_graph_eval.models.records import Record
from pytest_graph_eval.redaction import MASK, Redactor

ENCODINGS = {
    "plain": str,
    "upper": lambda s: "".join(c.upper() if c.isascii() else c for c in s),
    "json": lambda s: json.dumps(s)[1:-1],
    "json as it is": lambda s: json.dumps(s, ensure_ascii=False)[1:-1],
    "python": lambda s: repr(s)[1:-1],
    "url": quote,
    "url whole": lambda s: quote(s, safe=""),
    "form": quote_plus,
    "html": html.escape,
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "url-safe base64": lambda s: base64.urlsafe_b64encode(s.encode()).decode().rstrip("="),
}
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
# What a key may be made of; asterisks are what hidden values look like.
signs = st.characters(
    min_codepoint=33, max_codepoint=0x17F, exclude_characters="*", exclude_categories=("Zs", "Cc", "Cf")
)
secrets = st.text(signs, min_size=6, max_size=40)


@settings(deadline=None)
@given(secrets, st.sampled_from(sorted(ENCODINGS)), texts, texts)
@example("secret", "upper", "ſ", "İ")
def test_no_way_of_writing_a_secret_passes(secret: str, encoding: str, before: str, after: str) -> None:
    written = ENCODINGS[encoding](secret)
    shown = Redactor([secret]).text(before + written + after)
    assert written not in shown
    assert MASK in shown


@settings(deadline=None)
@given(st.lists(secrets, min_size=1, max_size=4), st.lists(texts, max_size=4))
def test_redacting_twice_is_redacting_once(values: list[str], parts: list[str]) -> None:
    redactor = Redactor(values, {"/home/me": "~"})
    once = redactor.text("/home/me/" + "".join(p + v for p, v in zip(parts, values, strict=False)))
    assert redactor.text(once) == once
    assert not any(value.lower() in once.lower() for value in values)


@settings(deadline=None)
@given(secrets, texts, texts)
def test_a_record_is_written_without_it_and_read_back(secret: str, before: str, after: str) -> None:
    assume(secret not in Record(id="a").model_dump_json())  # a key is no text
    text = before + secret + after
    record = Record(id="a", answer=text, error=text, explain={"x": text}, retrieved={"chunks": [text]}, flags=[text])
    line = Redactor([secret]).cleaned(record).to_line()
    again = Record.from_line(line)
    assert secret not in again.model_dump_json()
    assert json.dumps(secret, ensure_ascii=False)[1:-1] not in line
    assert (again.id, again.status) == (record.id, record.status)


@settings(deadline=None)
@given(secrets, st.integers(6, 39), st.booleans())
def test_neither_the_beginning_nor_the_end_of_a_secret_is_left_where_a_text_was_cut(
    secret: str, size: int, is_beginning: bool
) -> None:
    piece = secret[:size] if is_beginning else secret[-size:]
    shown = Redactor([secret]).text(f"it is {piece} …" if is_beginning else f"… {piece} it is")
    assert piece not in shown
    assert MASK in shown


@settings(deadline=None)
@given(texts)
def test_what_holds_no_secret_stays_as_it_was(text: str) -> None:
    assert Redactor(["Zq7-unlikely-Zq7"], {"/nowhere/at/all": "~"}).hide(text) == text
