"""The body of an HTTP reply: JSON or text, and what is said of a reply that is neither or no success."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pytest_graph_eval.errors import ReplyError
from pytest_graph_eval.targets.http.wire import Reply
from pytest_graph_eval.texts import cut

_EXCERPT = 300
HINTS = {
    401: "is the key in `headers:` right?",
    403: "is the key in `headers:` right?",
    404: "is `url:` right?",
    405: "is `method:` right?",
}


def refuse_status(reply: Reply, what: str, hints: Mapping[int, str] = HINTS) -> None:
    """Raise `ReplyError` for a status other than success, with what the body says, and a hint by the status."""
    if 200 <= reply.status < 300:
        return
    shown = f"HTTP {reply.status} {reply.reason}".rstrip()
    if 300 <= reply.status < 400:
        place = reply.headers.get("location", "nowhere")
        raise ReplyError(f"{what} answered {shown}: it redirects to {place}; write that address instead")
    hint = f" ({hints[reply.status]})" if reply.status in hints else ""
    raise ReplyError(f"{what} answered {shown}{hint}: {excerpt(_text(reply)) or 'without a body'}")


def json_or_text(reply: Reply, media: str) -> Any:
    """Return the body as JSON, also a text of JSON in JSON, else as the text that it is.

    Raises:
        ReplyError: it is called JSON and is none, or it is a page, or no text at all.
    """
    try:
        value = json.loads(reply.body)
        return _again(value) if isinstance(value, str) else value
    except RecursionError:
        raise ReplyError("the reply is JSON that is nested too deeply to be read") from None
    except ValueError as e:
        if "json" in media:
            why = str(e)
            if isinstance(e, UnicodeDecodeError):
                why = f"it is not UTF-8 (byte {e.object[e.start]:#04x} at {e.start})"
            raise ReplyError(
                f"the reply is no JSON, though it is called {media}: {why}: {excerpt(_text(reply))}"
            ) from None
    text = _text(reply)
    if media in ("text/html", "application/xhtml+xml"):
        raise ReplyError(f"a web page came back, where JSON is expected; is `url:` right?: {excerpt(text)}")
    if media and not media.startswith("text/"):
        raise ReplyError(f"the reply is {media}, where JSON is expected")
    return text


def _again(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _text(reply: Reply) -> str:
    """Return the body as a text; what cannot be decoded is replaced."""
    match = re.search(r"charset=\"?([\w.:-]+)", reply.headers.get("content-type", ""), re.IGNORECASE)
    try:
        return reply.body.decode(match[1] if match else "utf-8", "replace")
    except LookupError:
        return reply.body.decode("utf-8", "replace")


def described(reply: Reply, media: str) -> str:
    """Return status and media type of a reply, for messages."""
    return f"HTTP {reply.status}, {media or 'no content-type'}"


def excerpt(text: str) -> str:
    """Return the beginning of a text on one line."""
    return cut(" ".join(text[: 4 * _EXCERPT].split()), _EXCERPT, "...")
