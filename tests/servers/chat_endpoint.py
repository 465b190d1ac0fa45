"""OpenAI's chat completions protocol on this machine, in a thread, with a function in place of a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Message = dict[str, Any]
MODEL = "scripted-1-2026-05-30"
"""What the endpoint calls its model, whatever name it is asked for."""


class ChatEndpoint:
    """Answers `POST /v1/chat/completions` by `reply(messages)`: a text, a message, or an HTTP status that refuses.

    A token is a word; of the prompt, the words of the system message are cached.
    """

    def __init__(self, reply: Callable[[list[Message]], str | Message | int]) -> None:
        self.reply = reply
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                endpoint.keys.append(self.headers["Authorization"])
                status, value = endpoint.answer(self.path, body)
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            block_on_close = False

            def handle_error(self, *_: Any) -> None:
                """Say nothing when a client has gone."""

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, path: str, body: bytes) -> tuple[int, Any]:
        """Return status and body of the reply to a request."""
        if path != "/v1/chat/completions":
            return 404, {"error": {"message": f"no {path}"}}
        request = json.loads(body)
        self.requests.append(request)
        message = self.reply(request["messages"])
        if isinstance(message, int):
            return message, {"error": {"message": "the model refuses", "type": "server_error"}}
        if isinstance(message, str):
            message = {"role": "assistant", "content": message}
        return 200, completion(request["messages"], message)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def completion(messages: list[Message], message: Message) -> dict[str, Any]:
    """Return a `chat.completion` object."""
    prompt, cached = words(messages), words([m for m in messages if m["role"] == "system"])
    said = words([message])
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1780000000,
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "message": {"refusal": None, **message},
                "logprobs": None,
                "finish_reason": "tool_calls" if message.get("tool_calls") else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": said,
            "total_tokens": prompt + said,
            "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
    }


def words(messages: list[Message]) -> int:
    return sum(len(str(message.get("content") or "").split()) for message in messages)
