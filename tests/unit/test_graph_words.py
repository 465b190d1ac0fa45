from __future__ import annotations

import pytest

from pytest_graph_eval.graph.retrieval.words import (
    STOP_WORDS,
    content,
    fold,
    is_gram,
    is_period,
    type_words,
    word_set,
    years_of,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("FY2023", "fiscal year 2023"),
        ("FY2023", "FY 23"),
        ("FY2023", "FY'23"),
        ("FY2023", "fiscal 2023"),
        ("FY1998", "FY98"),
        ("FY2023", "exercice 2023"),
        ("U.S.", "US"),
        ("Sam's Club", "SAM’S CLUB"),
        ("companies", "company"),
        ("movies", "movie"),
        ("risks", "Risk"),
        ("boxes", "box"),
        ("audited", "audits"),
        ("running", "run"),
        ("succeeded", "succeed"),
        ("increased", "increasing"),
        ("sold", "sell"),
        ("Société", "societe"),
        ("ﬁnance", "finance"),
        ("２０２３", "2023"),
        ("AUDITED_BY", "audited by"),
        ("l'entreprise", "entreprise"),
        ("1,234,567", "1234567"),
        ("14.7%", "14.7"),
        ("العَرَبِيَّة", "العربية"),
    ],
)
def test_what_means_the_same_folds_to_the_same_words(one: str, other: str) -> None:
    assert fold(one) == fold(other) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [("FY2023", "FY2022"), ("14.7%", "147"), ("U.S.", "U.K."), ("AT&T", "at t"), ("C++", "C#"), ("news", "newt")],
)
def test_what_differs_stays_different(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_a_fiscal_year_without_its_year_is_just_words() -> None:
    assert fold("the fiscal year ended") == ["the", "fiscal", "year", "end"]
    assert fold("fiscal") == ["fiscal"]


def test_scripts_without_spaces_become_runs_of_two_and_three() -> None:
    assert fold("東京都") == ["東京", "京都", "東京都"]
    assert fold("水") == ["水"]
    assert fold("ABC東京") == ["abc", "東京"]
    assert set(fold("東京")) < set(fold("東京フェリーの社長"))
    assert all(is_gram(word) for word in fold("บริษัท ខ្មែរ 서울의"))
    assert not is_gram("abc")


def test_vowel_signs_stay_in_their_word() -> None:
    assert fold("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert "".join(fold("ที่")) == "ที" + "ี่" + "ที่"


def test_content_leaves_stop_words_out_and_keeps_order() -> None:
    assert content("Who is the auditor of Walmart, please?") == ["auditor", "walmart"]
    assert content("Qui est le directeur de la société ?") == ["directeur", "societ"]
    assert content("in fiscal year 2023") == ["fy2023"]


def test_a_name_of_stop_words_alone_keeps_them() -> None:
    assert word_set("The Who") == {"the", "who"}
    assert "who" in STOP_WORDS


def test_a_phrase_is_found_only_where_it_stands_in_one_piece() -> None:
    assert "chief executiv officer" in word_set("President and Chief Executive Officer")
    assert "chief executiv officer" not in word_set("Executive Vice President and Chief Financial Officer")


def test_type_labels_are_split_at_underscores_capitals_and_spaces() -> None:
    assert type_words("GEOGRAPHIC_SEGMENT") == type_words("geographicSegment") == type_words("Geographic Segment")


def test_years_are_told_from_other_numbers() -> None:
    assert [is_period(word) for word in ("fy2023", "2023", "1234", "20233", "fy", "4000")] == [
        True, True, False, False, False, False,
    ]  # fmt: skip
    assert years_of(frozenset(("fy2023", "2022", "sal"))) == {"2022", "2023"}


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "?!…", "'s", "''''", "&&&", "_", "\u200b", "a" * 10_000])
def test_any_text_folds(text: str) -> None:
    assert isinstance(fold(text), list)


def test_long_tokens_are_not_remembered() -> None:
    from pytest_graph_eval.graph.retrieval import words

    token = "x" * 1000
    fold(token)
    assert token not in words._WORDS
