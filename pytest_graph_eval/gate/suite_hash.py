"""Which scenarios a run was made of, and in what version of each, as one short text."""

from __future__ import annotations

import hashlib
import json

from pytest_graph_eval.records import Record


class SuiteHash:
    """A hash over a set of scenarios that does not depend on their order: a sum of hashes needs no list of them."""

    def __init__(self) -> None:
        self._sum = 0

    def add(self, record: Record) -> None:
        """Take the scenario of a record in."""
        text = json.dumps([record.suite, record.id, record.fingerprint])
        self._sum += int.from_bytes(hashlib.sha256(text.encode()).digest()[:16])

    def hexdigest(self) -> str:
        """Return 12 hex digits."""
        return hashlib.sha256(str(self._sum).encode()).hexdigest()[:12]
