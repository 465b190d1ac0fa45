"""An MCP stdio server without the SDK that tells its secrets: `leaky_server.py ARGUMENT...`.

The first word of a question says where: in the answer, the names of entities, a chunk, a tool's output, stderr, ...;
the second how they are written. The secrets are its arguments, those of the call, and all LEAK_* of its environment.
"""

import base64
import html
import json
import os
import sys
from urllib.parse import quote

WAYS = {
    "plain": str,
    "json": json.dumps,
    "repr": repr,
    "url": lambda s: quote(s, safe=""),
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "basic": lambda s: "Basic " + base64.b64encode(f"user:{s}".encode()).decode(),
    "html": html.escape,
    "upper": str.upper,
}


def secrets(arguments: dict) -> list[str]:
    given = [str(value) for name, value in sorted(arguments.items()) if name.startswith("leak")]
    return [*sys.argv[1:], *given, *(value for name, value in sorted(os.environ.items()) if name.startswith("LEAK_"))]


def text(reply: object, *, is_error: bool = False) -> dict:
    return {"content": [{"type": "text", "text": reply if isinstance(reply, str) else json.dumps(reply)}],
            "isError": is_error}  # fmt: skip


def reply(where: str, leaked: list[str]) -> dict:
    said = " and ".join(leaked)
    if where == "die":
        print(*leaked, sep="\n", file=sys.stderr, flush=True)
        os._exit(3)
    if where == "noise":
        print(said, flush=True)
        os._exit(3)
    if where == "cut":
        print("x" * 1990, said[:60], file=sys.stderr, flush=True)
        return text("y" * 1990 + said, is_error=True)
    if where == "error":
        return text(f"cannot connect with {said}", is_error=True)
    if where == "failed":
        return text({"status": "error", "message": said, "error": {"token": said}})
    if where == "prose":
        return text(f"The key is {said}. It was $7 billion in {said}.")
    return text({
        "answer": said if where == "answer" else "It was $7 billion.",
        "entities": [{"name": s, "type": "KEY", "description": s} for s in leaked] if where == "entities" else [],
        "relationships": [{"source": s, "target": "x", "type": s} for s in leaked] if where == "relationships" else [],
        "chunks": [{"id": s, "content": f"Revenues: $5 billion, {s}"} for s in leaked] if where == "chunks" else [],
        "references": leaked if where == "references" else [],
        "tool_calls": [{"name": s, "args": {s: {"authorization": s}, "n": [s]}, "output": {"stdout": s}}
                       for s in leaked] if where == "tools" else [],
        "mode": said if where == "mode" else "kg",
        "names": leaked if where == "names" else [],
        "intent": said if where == "intent" else None,
    })  # fmt: skip


SCHEMA = {
    "type": "object",
    "properties": {
        name: {"type": "string", "default": os.environ.get("LEAK_1", "")} for name in ("query", "mode", "leak")
    },
    "required": ["query"],
}
TOOLS = [{"name": "query_graph_tool", "description": "ask", "inputSchema": SCHEMA}]


def result(method: str, params: dict) -> dict:
    if method == "initialize":
        version = params["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "l", "version": "1"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        arguments = params["arguments"]
        where, way, *_ = arguments["query"].split()
        return reply(where, [WAYS[way](s) for s in secrets(arguments)])
    return {}


def main() -> None:
    if "refuse" in os.environ.get("LEAKY_SERVER", ""):
        print("refused with", *secrets({}), file=sys.stderr, flush=True)
        raise SystemExit(f"no such key: {secrets({})}")
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            message = {"jsonrpc": "2.0", "id": request["id"]}
            message["result"] = result(request["method"], request.get("params") or {})
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
