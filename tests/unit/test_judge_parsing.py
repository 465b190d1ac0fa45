"""What a judge wrote is read strictly: only its form is repaired, and no error becomes a score."""

from __future__ import annotations

import pytest

from pytest_graph_eval.metrics.judge.parsing import ReplyProblem, read_judgement, read_score

SCALE = (0.0, 1.0)

GOOD = [
    ('{"score": 0.7}', 0.7),
    ('{"score": "0.7"}', 0.7),
    ('{"Score": 0.7}', 0.7),
    ('{"score": 0.7,}', 0.7),
    ("{'score': 0.7, 'reason': 'it\\'s fine'}", 0.7),
    ('{"score": "7/10"}', 0.7),
    ('{"score": "3 out of 4"}', 0.75),
    ('{"score": "3 of 4"}', 0.75),
    ('{"score": "70 %"}', 0.7),
    ('{"score": 0.7, "reason": "one\ntwo"}', 0.7),
    (r'{"score": 0.7, "reason": "\d+ and \"\u00e9\""}', 0.7),
    ('Sure! Here it is: {"score": 0.7} Anything else?', 0.7),
    ('```json\n{"score": 0.7}', 0.7),
    ('{"score": 0.7}\n{"score": 0.7}', 0.7),
    ('{"steps": 3} and then {"score": 0.7}', 0.7),
    ('<thinking>{"score": 0}</thinking>{"score": 0.7}', 0.7),
    ('perhaps {"score": 0}?</think>\n{"score": 0.7}', 0.7),
    ('{"score": 0.7, "reason": "ends in </think>"}', 0.7),
    ('{"score": 0.7, "reason": "a } and a { and \\" in it"} {', 0.7),
]


@pytest.mark.parametrize(("raw", "score"), GOOD)
def test_a_score_is_read_from_every_usual_form(raw, score):
    assert read_judgement(raw, SCALE).score == pytest.approx(score)


BAD = [
    ("", "no_json", "found '', expected one JSON object"),
    ("I'm sorry, I can't help with that.", "no_json", "I can't help"),
    ("4/5", "no_json", "'4/5'"),
    ("{see above}", "no_json", "see above"),
    ("[" * 5000, "no_json", "expected one JSON object"),
    ("0.7", "no_score", "found 0.7, expected one JSON object"),
    ("null", "no_score", "found null"),
    ('"great"', "no_score", "great"),
    ('[{"score": 0.7}]', "no_score", "expected one JSON object"),
    ("{}", "no_score", "no key 'score'; it has none"),
    ('{"score": null}', "no_score", "score: no score is given; expected a number from 0 to 1"),
    ('{"score": NaN}', "not_a_number", "found NaN"),
    ('{"score": 1e999}', "not_a_number", "found Infinity"),
    (f'{{"score": {"9" * 400}}}', "not_a_number", "found 9"),
    ('{"score": true}', "not_a_number", "found true"),
    ('{"score": [0.7]}', "not_a_number", "found [0.7]"),
    ('{"score": "high"}', "not_a_number", "found 'high', expected a number from 0 to 1"),
    ('{"score": "7/0"}', "not_a_number", "7/0"),
    ('{"score": 4}', "out_of_range", "found 4, expected 0 to 1"),
    ('{"score": -0.1}', "out_of_range", "-0.1"),
    ('{"score": "6/5"}', "out_of_range", "6/5"),
    ('{"score": 0.7, "reason": "the ans', "truncated", "ends in the middle of its JSON object"),
    ('[{"score": 0.7}', "truncated", "ends in the middle of its JSON list"),
    ('[{"score": 0.7}, {"sc', "truncated", "ends in the middle of its JSON list"),
    ('<think>perhaps {"score": 0.7}', "truncated", "ends in the middle of its reasoning"),
    ('{"score": 0.2} or rather {"score": 0.9}', "conflicting_scores", "several objects that disagree"),
    ('{"score": 0.2, "score": 0.9}', "conflicting_scores", "'score' stands twice"),
]


@pytest.mark.parametrize(("raw", "code", "message"), BAD)
def test_what_is_no_score_is_an_error_with_a_code_and_a_message(raw, code, message):
    with pytest.raises(ReplyProblem) as e:
        read_judgement(raw, SCALE)
    assert e.value.code == code
    assert message in str(e.value)


@pytest.mark.parametrize(
    ("raw", "warning"),
    [
        ('{"score": 0.9, "verdict": "fail"}', "contradiction"),
        ('{"score": 0.1, "passed": true}', "contradiction"),
        ('{"score": 0.9, "correct": false}', "contradiction"),
        ('{"score": 0.9, "verdict": "fails"}', "contradiction"),
        ('{"score": 0.9, "verdict": "pass", "passed": false}', "contradiction"),
        ('{"score": 0.9, "verdict": "Pass"}', ""),
        ('{"score": 0.9, "verdict": "well written"}', ""),
        ('{"score": 0.9}', ""),
    ],
)
def test_a_verdict_that_contradicts_its_score_is_a_warning(raw, warning):
    assert read_judgement(raw, SCALE, 0.5).warning == warning


def test_a_fraction_on_a_scale_from_1_counts_only_where_it_has_that_scale():
    assert read_score("4/5", (1, 5), "x") == 4
    with pytest.raises(ReplyProblem, match="found '8/10', expected a number from 1 to 5"):
        read_score("8/10", (1, 5), "x")
