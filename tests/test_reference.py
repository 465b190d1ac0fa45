"""The reference names every key that a run writes, and what flags a record."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pytest_graph_eval.formats.graphrag_eval import EMPTY_GROUP
from pytest_graph_eval.gate.summary import RunInfo, summarize
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.run.kept_replies import NOT_KEPT
from pytest_graph_eval.targets.recording.lines import REDACTED, REPLAYED, STALE
from pytest_graph_eval.targets.recording.response_records import OTHER_ID, UNREADABLE

REFERENCE = (Path(__file__).parent.parent / ".github/REFERENCE.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`(\w+)[`:]", REFERENCE.partition("### Results\n")[2].partition("<!-- jq -->")[0]))


def test_every_key_of_a_line_is_named() -> None:
    assert json.loads(Record(id="a").to_line()).keys() - NAMED == set()


def test_every_key_of_the_summary_is_named() -> None:
    assert json.loads(summarize([], {}, run=RunInfo(run_at="2026-05-30T13:45:00Z")).to_json()).keys() - NAMED == set()


def test_the_flags_that_have_a_name_in_the_code_are_named() -> None:
    assert {EMPTY_GROUP, NOT_KEPT, REDACTED, REPLAYED, STALE, OTHER_ID, UNREADABLE} - NAMED == set()
