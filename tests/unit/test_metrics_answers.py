"""The ancestor's text metrics: what is scored, what is not, and what the reason says."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_graph_eval.metrics.answers import answer_correctness, context_relevancy, faithfulness
from pytest_graph_eval.metrics.facts import normalise
from pytest_graph_eval.models.records import Response, Score
from pytest_graph_eval.models.scenario import Scenario

CHANGE = "Decreased from $25.9 billion to $20.4 billion, delta -$5.5 billion (-21.3%)"


def scenario(gold: str | None = None, question: str = "How was it?", **keys: Any) -> Scenario:
    return Scenario.model_validate({"id": "a", "question": question, "gold_answer": gold, **keys})


def correctness(
    gold: str | None, answer: str | None, evidence: str | None = None, **keys: Any
) -> tuple[Score, list[str]]:
    texts = [None if t is None else normalise(t) for t in (answer, evidence)]
    return answer_correctness(scenario(gold, **keys), Response(answer=answer), *texts)


def faith(answer: str | None, evidence: str, gold: str | None = None, **keys: Any) -> tuple[Score, list[str]]:
    response = Response.model_validate({"answer": answer, "chunks": [{"id": "c", "content": evidence}]})
    text = None if answer is None else normalise(answer)
    return faithfulness(scenario(gold, **keys), response, text, normalise(evidence))


class TestCorrectness:
    @pytest.mark.parametrize(
        ("gold", "answer", "value"),
        [
            ("$611.3 billion", "Revenue was $611,289 million.", 1.0),
            ("$611.3 billion", "Revenue was $605.9 billion.", 0.0),
            ("approximately 2.1 million", "It employed 2,100,000 people.", 1.0),
            ("approximately 2.1 million", "It employed 2.3 million people.", 0.0),
            ("$420.6 billion and $73.6 billion", "One had $420.6B, the other $70.0B.", 0.5),
            ("2023-01-31", "It ended on January 31, 2023", 1.0),
            ("Ernst & Young LLP", "The auditor is **Ernst and Young**.", 1.0),
            ("Ernst & Young LLP", "KPMG, formerly Ernst", 0.0),
            ("Doug McMillon", "It is not Doug McMillon.", 0.0),
            ("currency exchange rate fluctuations", "fluctuations in currency exchange rates", 0.5),
            ("currency exchange rate fluctuations", "fluctuating currencies", 0.0),
            ("disrupt the supply chain", "It may disrupt the supply chain.", 1.0),
            ("東芝", "それは東芝です", 1.0),
            ("$611.3 billion", "", 0.0),
        ],
    )
    def test_is_what_the_gold_answer_states_and_the_answer_too(self, gold, answer, value):
        score, flags = correctness(gold, answer)
        assert score.value == value
        assert score.reason
        assert flags == []

    @pytest.mark.parametrize(
        ("answer", "value"),
        [
            ("It fell from $25,942 million in FY2022 to $20,428 million in FY2023, a decrease of 21.3%.", 1.0),
            ("FY2022: $25.9B; FY2023: $20.4B; change: −$5.5B", 1.0),
            ("It was $25.9 billion, then $20.4 billion.", 2 / 3),
            ("It decreased by 21.4%.", 1 / 3),
            ("It rose by 21.3%.", 0.0),
            ("It fell by 23%.", 0.0),
        ],
    )
    def test_a_comparison_has_two_values_and_a_change_in_equal_parts(self, answer, value):
        score, flags = correctness(CHANGE, answer, requires_yoy=True)
        assert score.value == pytest.approx(value)
        assert flags == ([] if value == 1 else ["yoy_incomplete"])

    def test_a_comparison_without_a_change_has_two_parts(self):
        gold = "Decreased from approximately 2.3 million to approximately 2.1 million"
        assert correctness(gold, "It went from 2.3 million to 2.2 million", requires_yoy=True)[0].value == 0.5

    def test_the_change_may_be_off_by_one_unit_of_its_last_digit(self):
        assert correctness("up 6.7%", "It rose 6.6%", requires_yoy=True)[0].value == 1.0
        assert correctness("up 6.7%", "It rose 6.5%", requires_yoy=True)[0].value == 0.0

    def test_what_the_question_says_already_is_not_asked_of_the_answer(self):
        gold, question = "$611.3 billion in FY2023", "Revenue in FY2023?"
        assert correctness(gold, "It was $611.3 billion.", question=question)[0].value == 1.0
        assert correctness("FY2023", "in fiscal 2023", question=question)[0].value == 1.0

    def test_the_evidence_counts_only_where_there_is_no_answer_at_all(self):
        assert correctness("$5 million", None, "It was $5 million")[0].reason.endswith("are in the evidence")
        assert correctness("$5 million", None, "It was $5 million")[0].value == 1.0
        assert correctness("$5 million", "I do not know", "It was $5 million")[0].value == 0.0
        quoted = '"It was $5 million," he said. Costs were $4 million.'
        assert correctness("$5 million", None, quoted)[0].value == 1.0

    def test_the_reason_names_what_is_missing(self):
        score, _ = correctness("$420.6 billion and $73.6 billion", "$420.6 billion")
        assert score.reason == "1 of 2 numbers and dates of the gold answer are in the answer; not there: $73.6 billion"
        score, _ = correctness(CHANGE, "$25.9 billion, then $20.4 billion", requires_yoy=True)
        assert score.reason.endswith("not there: -$5.5 billion or (-21.3%)")

    def test_is_unscored_without_a_gold_answer_or_a_text(self):
        assert correctness(None, "x")[0] == Score(value=None, reason="no gold answer")
        assert correctness("5", None)[0].value is None


class TestFaithfulness:
    evidence = "Doug McMillon is chief executive officer of Walmart. Total revenues were $611,289 million, up 6.7%."

    def test_is_the_share_of_the_answers_facts_that_the_evidence_states(self):
        answer = "Doug McMillon, CEO since 2014, reported $611.3 billion."
        score, invented = faith(answer, self.evidence)
        assert score.value == pytest.approx(2 / 3)
        assert score.reason == "2 of 3 of the answer's key facts are in the evidence; not there: 2014"
        assert invented == ['"2014": not in the evidence ("… CEO since 2014, reported $611.3 …")']

    def test_without_an_answer_it_is_the_gold_answers(self):
        score, invented = faith(None, self.evidence, "Doug McMillon, since 2014")
        assert (score.value, invented) == (0.5, [])
        assert "the gold answer's" in score.reason

    def test_facts_of_the_question_never_count(self):
        score, _ = faith("In FY2023 it was $611.3 billion.", self.evidence, question="Revenue in FY2023?")
        assert score.value == 1.0

    def test_nothing_retrieved_supports_nothing(self):
        response = Response(answer="$5 million", chunks=[])
        score, invented = faithfulness(scenario(), response, normalise("$5 million"), normalise(""))
        assert score.value == 0.0
        assert len(invented) == 1

    @pytest.mark.parametrize(
        ("answer", "gold", "reason"),
        [
            ("Yes, it is.", None, "holds no key fact"),
            ("", None, "no text to look for"),
            (None, None, "no text to look for"),
        ],
    )
    def test_is_unscored_without_key_facts(self, answer, gold, reason):
        score, invented = faith(answer, self.evidence, gold)
        assert (score.value, invented) == (None, [])
        assert reason in score.reason

    def test_is_unscored_where_the_target_maps_no_chunks(self):
        score, _ = faithfulness(scenario("5"), Response(answer="$5"), normalise("$5"), None)
        assert score == Score(value=None, reason="the target maps no chunks")


class TestRelevancy:
    @pytest.mark.parametrize(
        ("sources", "chunks", "value", "reason"),
        [
            (["c1"], [{"id": "doc::c1"}], 1.0, "source chunk doc::c1 was retrieved"),
            (["c1"], [{"id": "c2", "content": "it was 611,289 million dollars"}], 0.7, "c2 states “$611.3 billion”"),
            (["c1"], [{"id": "c2", "content": "it was in FY2023"}], 0.0, "none of c1 was retrieved"),
            (["c1"], [], 0.0, "none of c1 was retrieved"),
            ([], [{"id": "c2"}], 1.0, "1 chunks retrieved"),
            ([], [], 0.0, "0 chunks retrieved"),
        ],
    )
    def test_is_full_for_a_source_chunk_and_partial_for_the_stated_answer(self, sources, chunks, value, reason):
        asked = scenario("$611.3 billion in FY2023", "Revenue in FY2023?", source_chunks=sources)
        score = context_relevancy(asked, Response.model_validate({"chunks": chunks}))
        assert score.value == value
        assert reason in score.reason

    def test_is_unscored_where_it_has_no_object(self):
        assert context_relevancy(scenario("5"), Response()).reason == "the target maps no chunks"
        nothing = scenario("5", expect={"no_evidence": True})
        assert context_relevancy(nothing, Response(chunks=[])).value is None
