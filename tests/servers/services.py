"""Small HTTP services that speak the recorded protocols of others: LightRAG, chat completions, MCP, one of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.servers import my_graph_server
from tests.servers.listening import JSON, Asked, Reply, listening

ENTITY = {"entity_name": "Doug McMillon", "entity_type": "person", "description": "CEO", "source_id": "c1<SEP>c2",
          "file_path": "10k.txt", "created_at": 1}  # fmt: skip
EDGE = {"src_id": "Doug McMillon", "tgt_id": "Walmart", "description": "He leads Walmart.", "keywords": "leads",
        "weight": 1.0, "source_id": "c1", "file_path": "10k.txt", "created_at": 1}  # fmt: skip
CHUNK = {"reference_id": "1", "content": "Doug McMillon leads Walmart.", "file_path": "10k.txt", "chunk_id": "c1"}
REFERENCE = {"reference_id": "1", "file_path": "10k.txt"}
LIGHTRAG_DATA = {
    "status": "success", "message": "Query executed successfully",
    "data": {"entities": [ENTITY], "relationships": [EDGE], "chunks": [CHUNK], "references": [REFERENCE]},
    "metadata": {"query_mode": "mix", "keywords": {"high_level": [], "low_level": []}},
}  # fmt: skip
LIGHTRAG_ANSWER = {
    "response": "Doug McMillon.", "references": [{**REFERENCE, "content": ["Doug McMillon leads Walmart."]}],
    "response_time": None, "llm_generated": True,
}  # fmt: skip
CHAT = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "my-agent",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {
        "role": "assistant", "content": "Doug McMillon leads Walmart.", "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": '{"text": "CEO"}'}}]}}],
    "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
}  # fmt: skip
OWN = {"output": "Doug McMillon leads Walmart.", "hits": [{"document": {"text": "He leads it."}, "uuid": "u1"}]}

_QUERY = {
    "properties": {"query": {"type": "string", "minLength": 3}, "mode": {"type": "string", "default": "mix",
                   "enum": ["local", "global", "hybrid", "naive", "mix", "bypass"]}},
    "required": ["query"], "type": "object",
}  # fmt: skip
_TEXT = {"properties": {"text": {"type": "string"}}, "required": ["text"], "type": "object"}


def _operation(schema: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"post": {"requestBody": {"content": content}}}


LIGHTRAG_OPENAPI = {
    "paths": {"/documents/insert_text": _operation("Text"), "/query": _operation("Query"), "/health": {"get": {}},
              "/query/data": _operation("Query"), "/query/stream": _operation("Query")},
    "components": {"schemas": {"Query": _QUERY, "Text": _TEXT}},
}  # fmt: skip


Route = Callable[[Any], tuple[int, Any]]


def needs(key: str, reply: Any) -> Route:
    """Return a route that wants a text under `key`, as a service with a schema does."""
    return lambda body: (
        (200, reply) if isinstance(body, dict) and body.get(key) else (422, {"detail": f"{key} missing"})
    )


def mcp(body: Any) -> tuple[int, Any]:
    """Speak MCP in single JSON replies."""
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
        return 400, {"detail": "no JSON-RPC"}
    if "id" not in body:
        return 202, None
    result = my_graph_server.answer(body["method"], body.get("params") or {})
    found = {"result": result} if result else {"error": {"code": -32601, "message": "unknown method"}}
    return 200, {"jsonrpc": "2.0", "id": body["id"], **found}


LIGHTRAG: dict[str, Route] = {
    "/openapi.json": lambda _: (200, LIGHTRAG_OPENAPI),
    "/query": needs("query", LIGHTRAG_ANSWER),
    "/query/data": needs("query", LIGHTRAG_DATA),
    "/graph/label/list": lambda _: (200, ["Doug McMillon", "Walmart"]),
}
CHAT_AGENT: dict[str, Route] = {"/v1/chat/completions": needs("messages", CHAT)}


@contextmanager
def serving(routes: dict[str, Route]) -> Iterator[str]:
    """Serve routes from another thread; give the address without a path."""

    def reply(asked: Asked) -> Reply:
        route = routes.get(asked.path)
        status, found = route(json.loads(asked.body or b"null")) if route else (404, {"detail": "Not Found"})
        return status, JSON, b"" if found is None else json.dumps(found).encode()

    with listening(reply) as address:
        yield address
