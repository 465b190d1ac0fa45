"""Expected facts that nothing can match are found before any answer comes, each at its place."""

from __future__ import annotations

import pytest

from pytest_graph_eval.metrics.facts.validate import problems
from pytest_graph_eval.models.expect import Expect


@pytest.mark.parametrize(
    ("expect", "loc", "code", "message"),
    [
        ({"numbers": ["many"]}, ("numbers", 0, "value"), "bad_number", "'many' holds no figure"),
        ({"numbers": [5, "5 or 6"]}, ("numbers", 1, "value"), "bad_number", "exactly one is expected"),
        ({"numbers": [".inf"]}, ("numbers", 0, "value"), "not_finite", "no figure"),
        ({"numbers": [{"value": 5, "locale": "xx-yy"}]}, ("numbers", 0, "locale"), "wrong_value", "locale"),
        ({"counts": {"...": 5}}, ("counts", "..."), "empty_name", "name what is counted"),
        ({"dates": ["2024-02-30"]}, ("dates", 0, "value"), "bad_date", "is no date"),
        ({"dates": ["2024-00-10"]}, ("dates", 0, "value"), "bad_date", "is no date"),
        ({"dates": ["tomorrow"]}, ("dates", 0, "value"), "bad_date", "is no date"),
        ({"dates": [{"value": "2024", "precision": "day"}]}, ("dates", 0, "precision"), "contradiction", "has no day"),
        ({"as_of": "2024-13-01"}, ("as_of",), "bad_date", "is no instant"),
        ({"as_of": "2024-03"}, ("as_of",), "bad_date", "is no instant"),
        ({"as_of": "2024-03-01T99:00"}, ("as_of",), "bad_date", "is no instant"),
        ({"names": ["..."]}, ("names", 0), "empty_name", "no letter or figure"),
        ({"names": [{"name": "A", "aliases": ['""']}]}, ("names", 0), "empty_name", "no letter or figure"),
        ({"forbidden": ["\u200b"]}, ("forbidden", 0), "empty_name", "no letter or figure"),
        ({"any_of": [["A"], ["B", "-"]]}, ("any_of", 1, 1), "empty_name", "no letter or figure"),
        ({"order": ["A", "-"]}, ("order", 1), "empty_name", "no letter or figure"),
        ({"choice": ["A", "-"]}, ("choice", 1), "empty_name", "no letter or figure"),
    ],
)
def test_each_problem_says_where_and_what(expect, loc, code, message):
    ((found, text, its_code),) = problems(Expect.model_validate(expect))
    assert (found, its_code) == (loc, code)
    assert message in text


def test_all_problems_are_found_at_once():
    expect = Expect.model_validate({"numbers": ["x", "y"], "dates": ["z"], "names": ["."], "as_of": "never"})
    assert len(problems(expect)) == 5


@pytest.mark.parametrize(
    "expect",
    [
        {"numbers": ["$611.3 billion", "-3.2", "6.7%", 5, 0, "10-12", "3rd", {"value": "5", "locale": "fr"}]},
        {"counts": {"features": 0, "x": {"value": 1, "nouns": ["attributs"]}}},
        {"dates": ["2024-02-29", "2024-02", "2024", {"value": "2024-02-29", "precision": "month"}]},
        {"as_of": "current"},
        {"as_of": "2024-03-01T12:00:00+02:00"},
        {"names": ["C++", "東芝", "5"], "forbidden": ["+"]},
        {},
    ],
)
def test_what_can_be_matched_is_no_problem(expect):
    assert problems(Expect.model_validate(expect)) == []
