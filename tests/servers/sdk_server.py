"""A small graph server built with the MCP SDK, for both majors: `sdk_server.py [TRANSPORT] [PORT]`.

Questions that it knows: `hang` waits, `block` stops the whole server, `huge` gets 17 MB.
"""

import json
import os
import sys
import time
from importlib.metadata import version
from typing import Any

import anyio

OLD = version("mcp").startswith("1.")
if OLD:
    from mcp.server.fastmcp import FastMCP as Server
else:
    from mcp.server.mcpserver import MCPServer as Server

TRANSPORT = sys.argv[1] if len(sys.argv) > 1 else "stdio"
PORT = int(sys.argv[2]) if len(sys.argv) > 2 else 0
WHERE: dict[str, Any] = {} if TRANSPORT == "stdio" else {"host": "127.0.0.1", "port": PORT}
server = Server("demo", **(WHERE if OLD else {}))

REPLY = {
    "status": "success",
    "entities": [{"entity_name": "DOUG McMILLON", "entity_type": "PERSON", "description": "CEO of Walmart"}],
    "relationships": [{"src_id": "DOUG McMILLON", "tgt_id": "WALMART INC", "keywords": "EMPLOYS"}],
    "text_chunks": [{"id": "chunk_010", "content": "Doug McMillon is the CEO of Walmart."}],
    "references": [],
}


@server.tool()
def get_server_status() -> dict[str, Any]:
    return {"graph": {"entities": 1, "relationships": 1}, "pid": os.getpid()}


@server.tool()
async def query_graph_tool(query: str, mode: str = "kg") -> dict[str, Any]:
    if query == "hang":
        await anyio.sleep(60)
    if query == "block":
        time.sleep(60)
    return {**REPLY, "mode": mode, "answer": "x" * 17_000_000 if query == "huge" else query}


@server.tool()
def as_text(query: str) -> str:
    return json.dumps({**REPLY, "answer": query})


if __name__ == "__main__":
    server.run(TRANSPORT, **({} if OLD else WHERE))
