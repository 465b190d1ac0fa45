"""Key facts: which parts of a text are facts, which are not, and when another text states them."""

from __future__ import annotations

import pytest

from pytest_graph_eval.metrics.facts import NameIndex, key_facts, normalise, stated

INDEX = NameIndex([("WALMART INC", "COMPANY"), ("DOUG McMILLON", "PERSON"), ("GROWTH", "")])


def facts(raw: str, question: str = "") -> list[tuple[str, str]]:
    return [(f.kind, f.text) for f in key_facts(normalise(raw), INDEX, ignore=question)]


class TestWhatIsAFact:
    @pytest.mark.parametrize(
        ("raw", "found"),
        [
            ("Revenue was $611.3 billion, up 6.7%.", [("number", "$611.3 billion"), ("number", "6.7%")]),
            ("It ended on Jan. 31st, 2023.", [("date", "Jan. 31st, 2023")]),
            ("CEO since 2014; FY2023 counts.", [("date", "2014"), ("date", "FY2023")]),
            ("**Walmart Inc.** grew.", [("name", "Walmart Inc")]),
            ("The chair is Gregory B. Penner, of Ohio.", [("name", "Gregory B. Penner")]),
            ("Walmart CEO Doug McMillon spoke.", [("name", "Walmart"), ("name", "Doug McMillon")]),
            (
                "It was the Bank of America and Ernst & Young LLP.",
                [("name", "Bank of America"), ("name", "Ernst & Young LLP")],
            ),
            ("There are twelve views and one table.", [("number", "twelve")]),
            ("Doug McMillon", [("name", "Doug McMillon")]),
            ("The growth was strong.", []),
            ("However, The company is the first of its kind.", []),
            ("It rose [Data: Entities (12)] twice [3].", []),
            ("## Key Findings\n\nNothing new.", []),
            ("**Total Revenue:** none", []),
            ("On 1 March it closed.", []),
            ("", []),
        ],
    )
    def test_numbers_dates_known_names_and_capitalised_names(self, raw, found):
        assert facts(raw) == found

    def test_column_heads_are_no_names(self):
        table = "| Fiscal Year | Net Sales |\n|---|---|\n| FY2023 | $605.9 billion |"
        assert facts(table) == [("date", "FY2023"), ("number", "$605.9 billion")]

    def test_each_fact_counts_once(self):
        assert facts("It is $5 million, i.e. $5,000,000 or $5 million.") == [("number", "$5 million")]

    def test_facts_of_the_question_never_count(self):
        question = "What was Walmart's revenue in FY2023, $5 million or more?"
        assert facts("Walmart Inc. made $5,000,000 in fiscal 2023 and $6 million in 2022.", question) == [
            ("number", "$6 million"),
            ("date", "2022"),
        ]


class TestStated:
    @pytest.mark.parametrize(
        ("fact", "text", "holds"),
        [
            ("$611.3 billion", "611,289 million dollars", True),
            ("$611.3 billion", "$605.9 billion", False),
            ("$611.3 billion", "€611.3 billion", False),
            ("It fell 3.2%.", "Change: -3.2%", True),
            ("It rose 3.2%.", "Change: -3.2%", False),
            ("in 2014", "on 1 March 2014", True),
            ("in 2014", "2,014 stores", False),
            ("on 2023-01-31", "January 31, 2023", True),
            ("Doug McMillon", "DOUG MCMILLON", True),
            ("Doug McMillon", "Doug and Mary McMillon", False),
            ("CEO Doug McMillon", "Doug McMillon is the CEO", True),
            ("CEO Doug McMillon", "The CEO met Doug; McMillon left", False),
        ],
    )
    def test_by_value_and_not_by_wording(self, fact, text, holds):
        (found,) = key_facts(normalise(fact))
        assert stated(found, normalise(text)) is holds
