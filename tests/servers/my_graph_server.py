"""An MCP stdio server with tools and reply keys of its own, as the README and the doctor's tests need one.

`my_graph_server.py [SHAPE]`: what `search` replies: `own` (default), `error` (isError), `prose`, `empty`, `odd`.
With `strict`, `search` requires another argument; with `closed`, there is no `search`.
"""

import json
import os
import sys

SHAPE = "own" if __name__ != "__main__" else next(iter(sys.argv[1:]), "own")
STRING, LIST = {"type": "string"}, {"type": "array"}
TOOLS = {
    "search": {
        "properties": {
            "text": STRING,
            "how": {**STRING, "enum": ["local", "global", "mix"]},
            "limit": {"type": "integer"},
        },
        "required": ["text"],
    },
    "open_graph": {"properties": {"name": STRING}, "required": ["name"]},
    "health": {"properties": {}},
    "load": {"properties": {"documents": LIST}, "required": ["documents"]},
}
if SHAPE == "strict":
    TOOLS["search"]["required"] = ["text", "tenant"]
    TOOLS["search"]["properties"]["tenant"] = STRING
if SHAPE == "closed":
    del TOOLS["search"]
OWN = {
    "result": {
        "nodes": [{"title": "Doug McMillon", "label": "Person"}],
        "edges": [{"head": "Doug McMillon", "tail": "Walmart", "kind": "leads"}],
        "passages": [{"passage_id": "p1", "body": "Doug McMillon leads Walmart."}],
    },
    "took_ms": 3,
}
REPLIES = {
    "own": OWN,
    "prose": "Doug McMillon leads Walmart.",
    "empty": {"result": {"nodes": [], "edges": [], "passages": []}},
    "odd": {"rows": [1, 2]},
    "error": f"no access with {os.environ.get('GRAPH_TOKEN', 'nothing')}",
}


def call(tool: str, arguments: dict) -> dict:
    if tool == "health":
        return text({"ready": True, "stats": {"nodes": 2, "edges": 1}})
    if tool == "search" and arguments.get("how", "mix") in TOOLS["search"]["properties"]["how"]["enum"]:
        return text(REPLIES[SHAPE], is_error=SHAPE == "error")
    return text({"opened": arguments["name"]}) if tool == "open_graph" else text(f"no {tool}", is_error=True)


def text(reply: object, *, is_error: bool = False) -> dict:
    content = reply if isinstance(reply, str) else json.dumps(reply)
    return {"content": [{"type": "text", "text": content}], "isError": is_error}


def answer(method: str, params: dict) -> dict | None:
    if method == "initialize":
        info = {"name": "my-graph", "version": "1.2"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [{"name": n, "inputSchema": {"type": "object", **s}} for n, s in TOOLS.items()]}
    return call(params["name"], params.get("arguments") or {}) if method == "tools/call" else None


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            result = answer(request["method"], request.get("params") or {})
            reply = {"result": result} if result else {"error": {"code": -32601, "message": "unknown method"}}
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **reply}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
