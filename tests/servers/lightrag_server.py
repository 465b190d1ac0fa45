"""LightRAG's own API server over a graph that was inserted as it is, without a language model.

`insert FILE` puts an extraction into the folder that `WORKING_DIR` names, `serve` prints an address and answers there.
Embeddings and answers come from the OpenAI-compatible endpoints in LightRAG's own variables (`EMBEDDING_BINDING_HOST`,
`LLM_BINDING_HOST`); keywords in a request spare it the language model.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from functools import partial
from pathlib import Path
from typing import Any

import lightrag.lightrag
import uvicorn
from lightrag import LightRAG
from lightrag.llm.openai import openai_embed
from lightrag.utils import EmbeddingFunc, Tokenizer


class Letters:
    """Counts four letters as a token; the vocabulary that LightRAG uses is a download."""

    def encode(self, content: str, **_: Any) -> list[int]:
        parts = (content[i : i + 4] for i in range(0, len(content), 4))
        return [int.from_bytes(part.encode("utf-32-be", "surrogatepass")) for part in parts]

    def decode(self, tokens: list[int]) -> str:
        return "".join(t.to_bytes(16).decode("utf-32-be", "surrogatepass").lstrip("\0") for t in tokens)


def tokenizer(model_name: str = "") -> Tokenizer:
    return Tokenizer("letters", Letters())


async def no_model(*_: Any, **__: Any) -> str:
    raise AssertionError("a graph that is inserted as it is needs no language model")


async def insert(path: Path) -> None:
    """Put an extraction into the stores; its chunks only lack the key by which entities name them."""
    graph = json.loads(path.read_text(encoding="utf-8"))
    for chunk in graph["chunks"]:
        chunk["source_id"] = chunk["chunk_id"]
    embed = partial(
        openai_embed.func,
        model=os.environ["EMBEDDING_MODEL"],
        base_url=os.environ["EMBEDDING_BINDING_HOST"],
        api_key=os.environ["EMBEDDING_BINDING_API_KEY"],
    )
    rag = LightRAG(
        working_dir=os.environ["WORKING_DIR"],
        embedding_func=EmbeddingFunc(int(os.environ["EMBEDDING_DIM"]), embed, model_name=os.environ["EMBEDDING_MODEL"]),
        llm_model_func=no_model,
        tokenizer=tokenizer(),
    )
    await rag.initialize_storages()
    await rag.ainsert_custom_kg(graph)
    await rag.finalize_storages()


def serve(address: int) -> None:
    """Run the server, and write where it is to a file descriptor."""
    from lightrag.api.config import global_args, initialize_config
    from lightrag.api.lightrag_server import create_app

    initialize_config()
    app = create_app(global_args)
    listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "0"))))
    os.write(address, f"http://127.0.0.1:{listener.getsockname()[1]}\n".encode())
    os.close(address)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    lightrag.lightrag.TiktokenTokenizer = tokenizer
    command, *files = sys.argv[1:]
    del sys.argv[1:]  # LightRAG reads the command line itself
    stdout = os.dup(1)
    os.dup2(2, 1)  # and prints
    if command == "insert":
        asyncio.run(insert(Path(files[0])))
    else:
        serve(stdout)
