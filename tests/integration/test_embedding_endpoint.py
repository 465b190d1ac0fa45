"""The local embedding endpoint gives the vectors of the real model, in both encodings of the protocol."""

from __future__ import annotations

import base64
import struct
from typing import Any

import httpx
import pytest


def embed(url: str, texts: list[str], **more: Any) -> list[Any]:
    reply = httpx.post(f"{url}/embeddings", json={"model": "all-minilm", "input": texts, **more}, timeout=60)
    return [item["embedding"] for item in reply.raise_for_status().json()["data"]]


def cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_what_means_the_same_is_near_whatever_its_words(embeddings: str) -> None:
    texts = ["How do penguins sleep?", "What do these birds do at night?", "Total revenues of Walmart in FY2023"]
    birds, night, revenues = embed(embeddings, texts)
    assert len(birds) == 384
    assert [round(cosine(v, v), 5) for v in (birds, night, revenues)] == [1.0, 1.0, 1.0]
    assert cosine(birds, night) > 0.4 > 0.2 > cosine(birds, revenues)


def test_a_text_has_one_vector_alone_in_a_batch_and_packed(embeddings: str) -> None:
    alone = embed(embeddings, ["How do penguins sleep?"])[0]
    batch = embed(embeddings, ["a much longer text that stands before it " * 9, "How do penguins sleep?"])[1]
    packed = base64.b64decode(embed(embeddings, ["How do penguins sleep?"], encoding_format="base64")[0])
    assert batch == pytest.approx(alone, abs=1e-6)
    assert list(struct.unpack("<384f", packed)) == pytest.approx(alone, abs=1e-6)
