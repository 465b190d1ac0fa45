"""A minimal MCP stdio server without the SDK: starts in no time and misbehaves on demand.

`raw_server.py FAULT...`; a fault of a tool call can also be asked for with a question that is its name. A file
`*.jsonl` among them holds recorded results, which a call with the argument `line` gets word for word.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

FAULTS = set(sys.argv[1:])
MIB = 1024 * 1024
INGESTED = Path("ingested")
asked: list[str] = []
RECORDED = [
    json.loads(line)["response"]
    for path in FAULTS
    if path.endswith(".jsonl")
    for line in Path(path).read_text("utf-8").splitlines()
]


def send(message: dict) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def text(reply: object, *, is_error: bool = False) -> dict:
    content = reply if isinstance(reply, str) else json.dumps(reply)
    return {"content": [{"type": "text", "text": content}], "isError": is_error}


ODD_COUNTS = {"odd text": "many", "odd list": [1, 2], "odd null": None}


def status() -> dict:
    for fault, count in ODD_COUNTS.items():
        if fault in FAULTS:
            return {"graph": {"entities": count}}
    if "odd status" in FAULTS:
        return {"graph": "fine"}
    full = "empty" not in FAULTS or INGESTED.exists()
    return {"graph": {"entities": 3 if full else 0, "relationships": 2 if full else 0}, "pid": os.getpid()}


REPLIES = {
    "isError": lambda: text("Error executing tool: mode is wrong", is_error=True),
    "status error": lambda: text({"status": "error", "message": "embedding endpoint is down"}),
    "empty": lambda: text({"status": "success", "entities": [], "relationships": [], "text_chunks": []}),
    "null": lambda: text("null"),
    "nothing": lambda: {"content": []},
    "prose": lambda: text("I do not know."),
    "foreign": lambda: text({"rows": [1, 2]}),
    "huge": lambda: text("x" * (17 * MIB)),
    "huge garbage": lambda: sys.stdout.write("y" * (17 * MIB) + "\n") and text("after"),
    "no result": lambda: {"content": [{"type": "text"}]},
    "environment": lambda: text({"answer": json.dumps(dict(os.environ))}),
    "cwd": lambda: text({"answer": str(Path.cwd())}),
    "pid": lambda: text({"answer": str(os.getpid())}),
    "arguments": None,
}


def answer(tool: str, arguments: dict) -> dict:
    if "line" in arguments:
        return RECORDED[int(arguments["line"])]
    if tool == "get_server_status":
        return text(status())
    if tool == "reingest_from_file":
        if "reingest fails" in FAULTS:
            return text({"status": "error", "message": "no such file"})
        INGESTED.touch()
        return text({"status": "success", "arguments": arguments})
    if tool != "query_graph_tool":
        return text(f"Unknown tool: {tool}", is_error=True)
    question = arguments.get("query", "")
    asked.append(question)
    if "dies in third query" in FAULTS and len(asked) == 3:
        print("Traceback: out of memory", file=sys.stderr, flush=True)
        os._exit(3)
    if question == "die":
        print("about to die", file=sys.stderr, flush=True)
        os._exit(4)
    if question == "hang":
        time.sleep(60)
    if question == "garbage":
        print("Loading model ...")
        print("\x00\xff{broken", flush=True)
        sys.stdout.write("half a line")
    if question == "arguments":
        return text({"answer": json.dumps(arguments)})
    reply = REPLIES.get(question)
    if reply:
        return reply()
    return text({"status": "success", "entities": [{"entity_name": "A"}], "text_chunks": [], "answer": question})


TOOL = {
    "properties": {"query": {"type": "string"}, "mode": {"type": "string"}},
    "required": ["query"],
    "type": "object",
}
TOOLS = {
    "query_graph_tool": TOOL,
    "get_server_status": {"type": "object", "properties": {}},
    "reingest_from_file": {"type": "object", "properties": {"file_path": {"type": "string"}}},
}


def listed(params: dict) -> dict:
    """List one tool a page, so that a client that does not turn pages is found out."""
    names = sorted(TOOLS)
    index = int(params.get("cursor") or 0)
    page = {"tools": [{"name": names[index], "inputSchema": TOOLS[names[index]]}]}
    return page | ({"nextCursor": str(index + 1)} if index + 1 < len(names) else {})


def handle(message: dict) -> None:
    method, params = message.get("method"), message.get("params") or {}
    if "id" not in message:
        return
    if method == "initialize":
        info = {"name": "raw", "version": "1"}
        result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        result = listed(params)
    elif method == "tools/call":
        result = answer(params["name"], params.get("arguments") or {})
    else:
        send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": f"no method {method}"}})
        return
    send({"jsonrpc": "2.0", "id": message["id"], "result": result})


def main() -> None:
    print("raw server starting", file=sys.stderr, flush=True)
    if "noisy start" in FAULTS or "garbage then hang" in FAULTS:
        print("Welcome to the graph server!", flush=True)
    if "child" in FAULTS:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    if "exit" in FAULTS:
        for line in range(40):
            print(f"line {line}", file=sys.stderr)
        print("ValueError: vector index has dimension 8, configured is 384", file=sys.stderr, flush=True)
        sys.exit(7)
    if "mismatch" in FAULTS and list(Path.cwd().glob("*.bak")):
        print("ValueError: embedding dimension mismatch", file=sys.stderr, flush=True)
        sys.exit(1)
    if "hang" in FAULTS or "garbage then hang" in FAULTS:
        time.sleep(60)
    if "ignores eof" in FAULTS:
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        handle(json.loads(line))
    if "ignores eof" in FAULTS:
        time.sleep(60)


main()
