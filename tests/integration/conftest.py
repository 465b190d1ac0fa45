"""What the tests with real servers share."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .environments import environment

ENDPOINT = Path(__file__).parent.parent / "servers" / "embedding_endpoint.py"


@pytest.fixture(scope="session")
def embeddings() -> Iterator[str]:
    """The address of an endpoint that speaks OpenAI's protocol and serves all-MiniLM-L6-v2 (384 dimensions)."""
    process = subprocess.Popen(
        [environment("minilm"), ENDPOINT],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.kill()
    process.communicate()
