"""A graph that one process can open: `lone_graph_server.py FOLDER [PORT]` speaks MCP over stdio or HTTP.

It writes its process id to `FOLDER/opened.txt`. A question `die` ends it.
"""

import fcntl
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1])
TOOL = {"name": "ask", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        name = {"name": "lone", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": name}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method != "tools/call":
        raise LookupError(method)
    if params["arguments"]["query"] == "die":
        os._exit(3)
    reply = {"answer": "It was $1.0 billion.", "entities": [{"name": f"pid {os.getpid()}"}]}
    return {"content": [{"type": "text", "text": json.dumps(reply)}]}


def reply_to(message: dict[str, Any]) -> dict[str, Any]:
    envelope = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        return {**envelope, "result": answer(message["method"], message.get("params") or {})}
    except LookupError as e:
        return {**envelope, "error": {"code": -32601, "message": f"no such method: {e}"}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        body = json.dumps(reply_to(message)).encode() if "id" in message else b""
        self.send_response(200 if body else 202)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.send_error(405)

    def log_message(self, *_: object) -> None: ...


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    lock = (FOLDER / "graph.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit("the graph is open in another process")
    with (FOLDER / "opened.txt").open("a") as file:
        print(os.getpid(), file=file)
    if len(sys.argv) > 2:
        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps(reply_to(message)), flush=True)


if __name__ == "__main__":
    main()
