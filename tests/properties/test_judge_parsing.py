"""Whatever a judge writes is a score in range or a problem, and JSON is what it says."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from pytest_graph_eval.metrics.judge.parsing import ReplyProblem, read_judgement, read_object


@given(st.text())
def test_any_text_is_a_score_in_range_or_a_problem(raw):
    try:
        score = read_judgement(raw, (1, 5)).score
    except ReplyProblem:
        return
    assert 1 <= score <= 5


@given(st.dictionaries(st.text(), st.text() | st.floats(allow_nan=False) | st.lists(st.text())))
def test_valid_json_is_taken_as_it_is(data):
    assert read_object(json.dumps(data)) == data
