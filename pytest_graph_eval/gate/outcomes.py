"""What a record counts as in a run, and its place among all records, by which every list is sorted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pytest_graph_eval.models.records import Record

Kind = Literal["passed", "failed", "errors", "inconclusive", "skipped", "xfailed"]
MEASURED: tuple[Kind, ...] = ("passed", "failed")
MISSED: tuple[Kind, ...] = ("failed", "errors", "inconclusive")
"""What records that did not pass count as, where they were to run."""
_KIND_OF: dict[str, Kind] = {"ERROR": "errors", "INCONCLUSIVE": "inconclusive", "SKIPPED": "skipped", "FAIL": "failed"}

Key = tuple[str, int, str, str]
"""Where a record stands among all: suite, index, node id, id."""
Namer = Callable[[Key], str]
"""What a record is called in lists: its id, or its node id where the id is not unique in the run."""


def kind_of(record: Record) -> Kind:
    """Return what a record counts as. A pass whose item failed in pytest (strict xfail, teardown) is no pass."""
    if record.outcome == "xfailed":
        return "xfailed"
    if record.status == "PASS":
        broken = record.outcome in ("failed", "error") or "teardown_error" in record.flags
        return "failed" if broken else "passed"
    return _KIND_OF[record.status]


def key_of(record: Record) -> Key:
    """Return the record's place."""
    return record.suite, record.index, record.nodeid or record.id, record.id
