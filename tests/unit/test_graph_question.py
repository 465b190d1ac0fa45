from __future__ import annotations

import pytest

from pytest_graph_eval.graph.retrieval.question import Question, read_question
from pytest_graph_eval.graph.retrieval.words import word_set


def read(text: str, known: dict[str, int] | None = None, rows: int = 100) -> Question:
    """Read a question against a graph in which every word stands in ten rows, or in as many as `known` says."""
    return read_question(text, lambda word: 10 if known is None else known.get(word, 0), rows)


def texts(question: Question) -> list[str]:
    return [term.alternatives[0] for term in question.terms]


def test_stop_words_are_no_terms_and_repeated_words_are_one() -> None:
    assert texts(read("What is the risk, the risk of a flood?")) == ["risk", "flood"]


@pytest.mark.parametrize("text", ["Name the state.", "Please describe the state", "Can you list the state?", "state"])
def test_what_asks_for_an_answer_counts_only_elsewhere(text: str) -> None:
    assert texts(read(text)) == ["stat"]
    assert texts(read("Who described its name?")) == ["describ", "nam"]


def test_the_order_in_which_terms_are_said_is_kept() -> None:
    assert read("sales of ferry sales").order == (0, 1, 0)


def test_a_title_and_its_abbreviation_are_one_term() -> None:
    for text in ("the CEO", "the chief executive officer", "chief executive"):
        assert len(read(text).terms) == 1
        assert read(text).mask(word_set("Chief Executive Officer")) == 1
        assert read(text).mask(word_set("our ceo")) == 1


def test_who_leads_is_told_by_titles_but_not_the_other_way_round() -> None:
    assert read("Who leads it?").mask(word_set("President of the club"))
    assert not read("the president").mask(word_set("leads the club"))


def test_a_year_is_the_fiscal_year_too() -> None:
    assert read("in 2023").mask(word_set("FY2023")) == read("in FY2023").mask(word_set("2023")) == 1
    assert read("in FY2023 and 2022").years == {"2022", "2023"}


def test_rare_words_weigh_more() -> None:
    question = read("tungsten sales", {"tungsten": 1, "sal": 50})
    rare, common = question.terms
    assert rare.weight > common.weight > 0
    assert question.weigh(0b11) == pytest.approx(question.weight) == pytest.approx(rare.weight + common.weight)


def test_a_missing_name_tells_more_than_a_missing_verb() -> None:
    known = {"revenu": 5}
    name = read("revenue of Tesla", known).terms[1]
    verb = read("revenue of whoever soared", known).terms[2]
    assert (name.known, verb.known) == (False, False)
    assert name.weight > 3 * verb.weight


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Who founded Maersk in Oslo?", {"maersk", "oslo"}),
        ("Tesla's revenue last year", {"tesla"}),
        ("Revenue last year", set()),
        ("WHO FOUNDED MAERSK?", set()),
        ("Who Founded The Biggest Company?", set()),
        ("what does the IT do", {"it"}),
        ("Wer ist der Leiter der Reederei?", set()),
        ("", set()),
    ],
)
def test_names_are_words_in_capitals_where_capitals_tell_something(text: str, names: set[str]) -> None:
    assert read(text).names == names


def test_words_that_say_how_to_answer_weigh_little_and_nothing_when_missing() -> None:
    assert read("compare ferries").terms[0].weight < read("compare ferries").terms[1].weight / 2
    assert read("Which firm audits?", {"audit": 3}).terms[0].weight == 0


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Who is it?", "person"),
        ("Where is it?", "location"),
        ("Which company is it?", "organization"),
        ("Qui ?", "person"),
    ],
)
def test_the_kind_asked_for_is_read_off_question_words_and_nouns(text: str, word: str) -> None:
    assert word in read(text).kinds


def test_no_kind_is_asked_for_where_the_noun_only_occurs() -> None:
    assert read("Does the officer have a company?").kinds == frozenset()


def test_the_number_of_terms_and_the_text_read_are_bounded() -> None:
    assert len(read(" ".join(f"w{n}" for n in range(500))).terms) == 48
    assert "zzz" not in texts(read("a " * 20_000 + "zzz"))


def test_a_question_without_words_has_no_weight() -> None:
    for text in ("", "?!", "the of and"):
        assert (read(text).weight, read(text).known_weight, read(text).words()) == (0, 0, [])
