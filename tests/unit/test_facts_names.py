"""Names in a text: what is a mention, what is not, and which of two known names takes a place."""

from __future__ import annotations

import pytest

from pytest_graph_eval.metrics.facts.names import NameIndex, entity_key, find, key_of, uncovered
from pytest_graph_eval.metrics.facts.text import normalise


def found(name: str, raw: str, case: str = "any") -> list[str]:
    text = normalise(raw)
    return [text.plain[m.start : m.end] for m in find(text, name, case)]


@pytest.mark.parametrize(
    ("name", "raw", "case"),
    [
        ("AVG_BASKET", "The field avg_basket", "any"),
        ("revenue", "The feature _revenue_ is", "any"),
        ("net_revenue", "net\\_revenue.", "any"),
        ("Société", "La Société générale", "any"),
        ("net revenue", "it net\nrevenue every", "any"),
        ("New York", "cela New\xa0York.", "any"),
        ("O'Brien", "is O’Brien.", "any"),
        ("V_SALES", "DB.V_SALES.AVG", "any"),
        ("C++", "in C++ mostly", "any"),
        ("A.B", "A.B", "any"),
        ("R&D", "The R&amp;D team", "any"),
        ("straße", "Die STRASSE ist", "any"),
        ("revenue", "re\xadvenue", "any"),
        ("customer", "customer-facing", "any"),
        ("Halvorsen Foods", '"HALVORSEN FOODS INC."', "any"),
        ("Halvorsen Foods Inc.", "Halvorsen Foods is", "any"),
        ("Société Brémond", "Societe Bremond.", "any"),
        ("C+", "rated C+ overall", "auto"),
        ("Target", "sales TARGET", "auto"),
        ("Target", "Target", "auto"),
        ("Gregory B. Penner", "Gregory B Penner", "any"),
        ("J.P. Morgan", "J. P. Morgan", "any"),
        ("Coca-Cola", "Coca Cola", "any"),
        ("Coca Cola", "Coca‑Cola", "any"),
        ("Coca-Cola", "Coca–Cola", "any"),
        ("A.P. Møller – Mærsk", "A.P. Moller - Maersk", "any"),
        ("Ernst & Young LLP", "Ernst and Young", "any"),
        ("Walmart, Inc.", "Walmart Inc", "any"),
        ("Walmart Inc", "Walmart, Inc.", "any"),
        ("Target Corporation", "Target says", "any"),
        ("東芝", "東芝は日本", "any"),
        ("Müller", "MULLER", "any"),
        ("churn", "Churn is", "auto"),
        ("Walmart", "Walmart's", "any"),
        ("Walmart", "Walmart™", "any"),
        ("New York", "**New** York", "any"),
        ("Doug McMillon", "**Doug** McMillon", "exact"),
        ("WALMART INC", "Walmart", "any"),
        (".NET", "in .NET core", "any"),
        ("U.S. Bank", "US Bank", "any"),
        ("US Bank", "the U.S. Bank", "any"),
        ("JP Morgan", "J. P. Morgan", "any"),
        ("Nestlé", "Nestle S.A.", "any"),
        ("Nestlé S.A.", "Nestle", "any"),
        ("Eva Lund", "by Eva M. Lund", "any"),
        ("Eva Lund", "by Eva J. M. Lund", "any"),
        ("Eva M. Lund", "by Eva Lund", "any"),
        ("Eva Maria Lund", "by Eva M. Lund", "any"),
        ("Eva Lund", "by Lund, Eva (2020)", "any"),
        ("Eva M. Lund", "by Lund, Eva M.", "any"),
        ("Müller GmbH", "Mueller", "any"),
        ("Samuel Mueller", "Samuel Müller", "any"),
        ("Jørgensen", "Joergensen", "any"),
        ("US", "sold in the U.S. only", "any"),
        ("US", "the u.s. market", "any"),
        ("Will", "Will Smith", "any"),
        ("IT", "IT spending rose", "any"),
        ("JPMorgan", "led by J.P. Morgan", "any"),
        ("JPMorgan", "led by JP Morgan", "any"),
        ("J.P. Morgan", "led by JPMorgan", "any"),
        ("JP Morgan Chase", "led by JPMorgan Chase & Co.", "any"),
        ("McDonald's", "at McDonalds", "any"),
        ("Sam's Club", "at Sams Club", "any"),
    ],
)
def test_a_name_is_found_in_every_way_of_writing_it(name, raw, case):
    assert len(found(name, raw, case)) == 1


@pytest.mark.parametrize(
    ("name", "raw", "case"),
    [
        ("net_revenue", "net_revenue_2024", "any"),
        ("customer", "All customers", "any"),
        ("clair", "Un éclair", "any"),
        ("revenue", "revenueé", "any"),
        ("A.B", "AxB", "any"),
        ("Lane", "planes", "auto"),
        ("Anna Lee", "Annaleena", "any"),
        ("C+", "C++", "any"),
        ("Target", "sales target", "auto"),
        ("AGE", "At the age of", "auto"),
        ("Gregory Penner", "Gregory. Penner", "any"),
        ("New York", "- New\n- York", "any"),
        ("New York", "New, York", "any"),
        ("Target Corporation", "the sales target", "any"),
        ("हिन्द", "हिन्दी", "any"),
        ("Churn", "churn is", "auto"),
        ("Doug McMillon", "DOUG MCMILLON", "exact"),
        ("C", "C++", "any"),
        ("Foo Bar", "Foo (Bar)", "any"),
        ("Eva M. Lund", "by Eva K. Lund", "any"),
        ("Eva Lund", "by Eva Maria Lund", "any"),
        ("Eva Lund", "by Anna Lund, Eva Smith", "any"),
        ("Eva Lund", "by Lund, Eva Smith", "any"),
        ("Eva Lund", "by Eva, Lund", "any"),
        ("New York", "in York, New Zealand", "any"),
        ("Eva Lund", "by Lund, Eva", "exact"),
        ("Mueller", "Muller", "any"),
        ("Michael", "Michal", "any"),
        ("US", "Please tell us more", "any"),
        ("IT", "It is the best", "any"),
        ("WHO", "he who said it", "any"),
        ("Will", "it will grow", "any"),
        ("JPMorgan", "at Morgan Stanley", "any"),
        ("McDonald's", "Mr McDonald", "any"),
    ],
)
def test_what_only_looks_like_the_name_is_no_mention(name, raw, case):
    assert found(name, raw, case) == []


def test_a_mention_is_a_span_of_the_plain_text():
    text = normalise("**Doug** McMillon and doug mcmillon")
    assert [(m.start, m.end, m.name) for m in find(text, "Doug McMillon")] == [
        (0, 13, "Doug McMillon"),
        (18, 31, "Doug McMillon"),
    ]


@pytest.mark.parametrize("name", ["", "...", "\u200b", '""'])
def test_a_name_without_any_word_is_never_found(name):
    assert found(name, "anything at all ...") == []
    assert key_of(name) == ()
    assert entity_key(name) == ()


def test_keys_forget_case_quotes_articles_and_legal_forms():
    assert key_of('"The WALMART, Inc."') == key_of("Walmart") == ("walmart",)
    assert key_of("Ernst & Young LLP") == key_of("ernst and young")
    assert key_of("Nestlé S.A.") == key_of("NESTLE")
    assert key_of("The Limited") != ()
    assert entity_key("Walmart Inc") != entity_key("Walmart")
    assert find(normalise("It left the U.S.A. in May."), "USA")
    assert find(normalise("It left the E. U. in May."), "EU")
    assert find(normalise("Martin Luther King, Jr. spoke."), "Martin Luther King Jr.")
    assert entity_key('"WALMART INC"') == entity_key("'Walmart Inc'") == entity_key("Walmart Inc")


class TestIndex:
    index = NameIndex([("New York City", "PLACE"), ("New York", "PLACE"), ("WALMART INC", "COMPANY"), ("...", "")])

    def test_the_longest_known_name_takes_a_place(self):
        text = normalise("It is in New York City and New York.")
        assert [m.name for m in self.index.find(text)] == ["New York City", "New York"]
        assert [m.start for m in uncovered(find(text, "New York"), self.index.find(text))] == [27]

    def test_a_name_with_its_legal_form_is_the_same_name(self):
        text = normalise("Walmart Inc. grew")
        assert len(uncovered(find(text, "Walmart"), self.index.find(text))) == 1

    def test_names_that_mean_the_same_do_not_cover_each_other(self):
        text = normalise("New York City")
        same = [key_of("New York City")]
        assert len(uncovered(find(text, "New York"), self.index.find(text), same=same)) == 1

    def test_an_ordinary_word_is_no_mention_of_a_one_word_name(self):
        index = NameIndex([("TARGET", ""), ("AGE", "")])
        text = normalise("At the age of ten the Target missed its target.")
        assert [m.start for m in index.find(text)] == [22]

    def test_overlapping_names_are_both_found(self):
        index = NameIndex([("New York City", ""), ("York City Council", "")])
        assert len(index.find(normalise("the New York City Council met"))) == 2

    def test_an_index_can_be_extended_without_making_it_anew(self):
        more = self.index.extended([("New York City Council", "ORG"), ("Ohio", "PLACE")])
        text = normalise("New York City Council, Ohio, New York")
        assert [m.name for m in more.find(text)] == ["New York City Council", "Ohio", "New York"]
        assert more.knows("walmart")
        assert more.knows("ohio")
        assert not self.index.knows("Ohio")
        assert (more.type_of("the Walmart"), more.type_of("Ohio"), more.type_of("Texas")) == ("COMPANY", "PLACE", "")
        assert len(more) == 6

    def test_names_are_not_found_across_cells_items_or_sentences(self):
        text = normalise("| New | York |\n\n- New\n- York\n\nIt is new. York is old. New, York")
        assert self.index.find(text) == ()
