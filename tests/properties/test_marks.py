"""Marks in a text: whatever they are, the text stays what it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_graph_eval.models.records import Check
from pytest_graph_eval.reports.marks import marked, marked_answer
from tests.unit.gate_records import make

PLACES = st.integers(-5, 60)
SPANS = st.lists(st.tuples(PLACES, PLACES, st.sampled_from(["good", "warn", "bad"]), st.text(max_size=3)), max_size=12)


@given(st.text(max_size=60), SPANS)
def test_segments_together_are_the_text(text: str, spans: list[tuple[int, int, str, str]]) -> None:
    assert "".join(segment[0] for segment in marked(text, spans, 100)) == text


@given(st.text(max_size=60), st.text(max_size=20), st.lists(st.tuples(PLACES, PLACES), max_size=4))
def test_an_answer_is_shown_whole_whatever_a_record_says_of_it(
    answer: str, gold: str, spans: list[tuple[int, int]]
) -> None:
    checks = [Check(kind="names", outcome="pass", span=span) for span in spans]
    record = make("a", answer=answer, gold_answer=gold, checks=checks, hallucinations=[f'"{gold}": not there'])
    assert "".join(segment[0] for segment in marked_answer(record, 100)) == answer
