"""Every kind of check, with its pass, its failure and the message that explains it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_graph_eval.metrics.facts import NameIndex, check_answer, facts_score, normalise, run_checks
from pytest_graph_eval.models.expect import ANSWER_CHECKS, Expect
from pytest_graph_eval.models.records import Check, Response

ANSWER = (
    "Walmart's revenue was **$611,289 million** in FY2023, up 6.7% from $572.8 billion. Doug McMillon is the CEO. "
    "The year ended on Jan. 31st, 2023. There are twelve features."
)


def one(answer: str, **expect: Any) -> Check:
    (check,) = check_answer(answer, expect)
    return check


def outcomes(answer: str, **expect: Any) -> list[str]:
    return [c.outcome for c in check_answer(answer, expect)]


VERDICTS = [
    (
        {"numbers": ["$611.3 billion"]}, "pass", "stated",
        "numbers: $611.3 billion is stated in the answer as “$611,289 million”; tolerance 0.05 billion (half a unit",
    ),
    (
        {"numbers": ["$605.9 billion"]}, "fail", "out_of_tolerance",
        "numbers: $605.9 billion is not stated in the answer: the value is another one (out_of_tolerance; tolerance ",
    ),
    ({"numbers": ["$605.9 billion"]}, "fail", "out_of_tolerance", "nearest: “$611,289 million” in “Walmart's revenue"),
    ({"numbers": ["€611.3 billion"]}, "fail", "currency_mismatch", "the currency is another one"),
    ({"numbers": ["7 percentage points"]}, "fail", "no_candidate", "no such figure (no_candidate; "),
    ({"counts": {"features": 12}}, "pass", "stated", "counts: 12 features is stated in the answer as “twelve”; exact"),
    ({"counts": {"features": 13}}, "fail", "out_of_tolerance", "nearest: “twelve” in “"),
    ({"dates": ["2023-01-31"]}, "pass", "stated", "dates: 2023-01-31 is stated in the answer as “Jan. 31st, 2023”"),
    ({"dates": ["2022-01-31"]}, "fail", "wrong_date", "the date is another one (wrong_date); nearest: “Jan. 31st"),
    ({"names": ["Doug McMillon"]}, "pass", "stated", "names: Doug McMillon is stated in the answer: “… from"),
    ({"names": ["Doug Smith"]}, "fail", "not_stated", "Doug Smith is not stated in the answer; nearest: “… 6.7%"),
    ({"names": [{"name": "doug mcmillon", "case": "exact"}]}, "fail", "other_case", "in another case: “"),
    ({"any_of": ["Brett Biggs", "Doug McMillon"]}, "pass", "stated", "any_of: one of Brett Biggs, Doug McMillon is"),
    ({"any_of": ["Kim Foo", "Lee Bar"]}, "fail", "not_stated", "one of Kim Foo, Lee Bar are not stated, none"),
    ({"forbidden": ["Doug McMillon"]}, "fail", "asserted", "must not be asserted in the answer, but is: “"),
    ({"forbidden": ["Brett Biggs"]}, "pass", "not_mentioned", "Brett Biggs is not mentioned in the answer"),
    ({"denial": True}, "fail", "no_denial", "a denial is expected, but none is in the answer: “Walmart's revenue"),
    ({"denial": False}, "pass", "no_denial", "denial: no denial is in the answer: “Walmart's"),
    ({"order": ["Walmart", "Doug McMillon"]}, "pass", "in_order", "order: Walmart, Doug McMillon stand in this order"),
    (
        {"order": ["Doug McMillon", "Walmart"]}, "fail", "out_of_order",
        "stand in another order in the answer: Walmart, Doug McMillon; Walmart comes early: “Walmart's revenue",
    ),
    ({"order": ["Doug McMillon", "Target"]}, "fail", "not_stated", "cannot be in order: Target is not stated"),
    ({"as_of": "2023-01-31"}, "pass", "stated", "the target reports no valid time, so only the text is checked"),
    ({"as_of": "2024-01-31"}, "fail", "not_stated", "2024-01-31 is not stated in the answer; it speaks of 2023"),
    ({"contains": ["UP 6.7%"]}, "pass", "contained", "contains: UP 6.7% stands in the answer: “"),
    ({"contains": ["up 7% from"]}, "fail", "not_contained", "is not in the answer; nearest: “"),
    ({"contains": [{"text": "UP 6.7%", "case": "exact"}]}, "fail", "not_contained", "in this case; there is “"),
    ({"excludes": ["the ceo"]}, "fail", "contained", "excludes: the ceo must not be in the answer, but is: “"),
    ({"excludes": ["the cfo"]}, "pass", "not_contained", "excludes: the cfo is not in the answer"),
    ({"matches": [r"\*\*\$\d+"]}, "pass", "match", "matches: \\*\\*\\$\\d+ matches “**$611” in the answer"),
    ({"matches": [r"revenue was \$611"]}, "pass", "match", "matches “revenue was $611” in the answer"),
    ({"matches": [r"€\d"]}, "fail", "no_match", "matches nothing in the answer, which says “Walmart's"),
    ({"equals": "Walmart"}, "fail", "not_equal", "equals: Walmart is not the answer: it differs from “"),
]  # fmt: skip


class TestMessages:
    @pytest.mark.parametrize(("expect", "outcome", "rule", "message"), VERDICTS)
    def test_each_verdict_is_explained_in_one_line(self, expect, outcome, rule, message):
        check = one(ANSWER, **expect)
        assert (check.outcome, check.rule) == (outcome, rule)
        assert message in check.message
        assert "\n" not in check.message
        assert "{" not in check.message

    def test_the_span_is_in_the_raw_answer(self):
        check = one(ANSWER, numbers=["$611.3 billion"])
        assert check.span is not None
        assert ANSWER[slice(*check.span)] == "$611,289 million"

    def test_there_is_one_check_an_item_in_the_order_of_the_keys(self):
        checks = check_answer(ANSWER, {"names": ["Walmart", "Target"], "numbers": ["6.7%"], "counts": {"features": 12}})
        assert [(c.kind, c.outcome) for c in checks] == [
            ("numbers", "pass"), ("counts", "pass"), ("names", "pass"), ("names", "fail"),
        ]  # fmt: skip

    def test_every_answer_check_of_the_model_is_run(self):
        expect = {"numbers": ["1"], "counts": {"x": 1}, "dates": ["2024"], "names": ["A"], "any_of": ["A"],
                  "forbidden": ["B"], "denial": True, "order": ["A", "B"], "choice": ["A", "B"], "as_of": "current",
                  "contains": ["A"],
                  "excludes": ["B"], "matches": ["A"], "equals": "A"}  # fmt: skip
        assert set(expect) == set(ANSWER_CHECKS)
        assert {c.kind for c in check_answer("nothing", expect)} == set(ANSWER_CHECKS)

    def test_expect_that_no_suite_could_hold_is_refused(self):
        with pytest.raises(ValidationError):
            check_answer("x", {"number": ["5"]})


class TestUndecided:
    @pytest.mark.parametrize(
        ("answer", "expect", "rule"),
        [
            ("", {"denial": True}, "empty_answer"),
            (" \n\u200b ", {"denial": False}, "empty_answer"),
            ('{"error": "unreachable"}', {"denial": True}, "backend_error"),
            ("x", {"numbers": ["many"]}, "bad_number"),
            ("x", {"dates": ["2024-02-30"]}, "bad_date"),
            ("x", {"as_of": "soon"}, "bad_date"),
            ("x", {"names": ["..."]}, "empty_name"),
            ("x", {"forbidden": ["..."]}, "empty_name"),
            ("x", {"any_of": ["..."]}, "empty_name"),
            ("x", {"order": ["...", "x"]}, "empty_name"),
            ("x", {"matches": ["("]}, "bad_regex"),
            ("x", {"entities": ["A"]}, "not_mapped"),
        ],
    )
    def test_what_cannot_be_decided_is_an_error_and_not_a_failure(self, answer, expect, rule):
        check = one(answer, **expect)
        assert (check.outcome, check.rule) == ("error", rule)

    def test_a_pattern_that_never_ends_is_stopped(self):
        check = one("a" * 60 + "!", matches=["(a+)+$"])
        assert (check.outcome, check.rule) == ("error", "too_slow")
        assert "simplify the pattern" in check.message


class TestDates:
    @pytest.mark.parametrize(
        ("answer", "gold", "rule"),
        [
            ("It did not close on January 31, 2023.", "2023-01-31", "negated"),
            ("Was it on January 31, 2023?", "2023-01-31", "negated"),
            ("It closed on January 31, 2023, would you like to know more?", "2023-01-31", "stated"),
            ("It closed on January 30, 2023, not January 31, 2023.", "2023-01-31", "negated"),
            ("It closed on January 30, 2023, not January 31, 2023.", "2023-01-30", "stated"),
            ("It did not open until January 31, 2023.", "2023-01-31", "stated"),
            ("It did not exist on January 31, 2023.", "2023-01-31", "stated"),
            ("It did not merge on 31 January 2023.", "2023-01-31", "negated"),
            ("It did not merge until 31 January 2023.", "2023-01-31", "stated"),
            ("They did not play in 2023.", "2023", "stated"),
            ("I thought it was 31 January 2023, but it was 1 February 2023.", "2023-01-31", "negated"),
            ("I thought it was 31 January 2023, but it was 1 February 2023.", "2023-02-01", "stated"),
            ("There are 2023 employees.", "2023", "no_candidate"),
            ("The line is 2023 km long.", "2023", "no_candidate"),
            ("Its 2023 results were good.", "2023", "stated"),
        ],
    )
    def test_a_date_that_is_denied_and_a_number_of_things_state_none(self, answer, gold, rule):
        assert one(answer, dates=[gold]).rule == rule


class TestNumbers:
    def test_a_time_is_no_number_of_things_unless_time_is_counted(self):
        assert outcomes("It was refreshed 12 days ago.", counts={"features": 12}) == ["fail"]
        assert outcomes("It has 12 columns.", counts={"features": 12}) == ["pass"]
        assert outcomes("It was refreshed 12 days ago.", counts={"days": 12}) == ["pass"]
        assert outcomes("Aucune.", counts={"features": 0}) == ["pass"]

    def test_own_words_come_before_quoted_ones(self):
        answer = 'The memo says "there were exactly 12 features", but I count 14.'
        assert outcomes(answer, counts={"features": 12}) == ["fail"]
        assert outcomes(answer, counts={"features": 14}) == ["pass"]
        assert outcomes("> There are 12 features.\n\nI count 14.", counts={"features": 12}) == ["fail"]

    def test_a_quotation_counts_where_there_is_nothing_else(self):
        assert outcomes('The filing states: "Revenues were $611.3 billion."', numbers=["$611.3 billion"]) == ["pass"]

    def test_citations_and_the_header_never_count(self):
        answer = "*Catalog as it was on 2024-03-01 (valid time).* It rose [12]."
        assert outcomes(answer, dates=["2024-03-01"], counts={"features": 12}) == ["fail", "fail"]

    def test_options_are_passed_on(self):
        answer = "Net sales rose 6.7%, costs 5.1%. The share is 0.25."
        assert outcomes(answer, numbers=[{"value": "5.1%", "near": "net sales"}]) == ["fail"]
        assert outcomes(answer, numbers=[{"value": "6.7%", "near": "net sales"}]) == ["pass"]
        assert outcomes(answer, numbers=[{"value": "6.5%", "abs_tol": 0.2}]) == ["pass"]
        assert outcomes(answer, numbers=[{"value": "25%", "accept_fraction": True}]) == ["pass"]
        assert outcomes(answer, numbers=[{"value": "6.7%", "select": "only"}]) == ["fail"]

    def test_the_noun_decides_between_two_counts(self):
        answer = "There are 12 features and 3 views; one table."
        assert outcomes(answer, counts={"features": 3, "views": 3, "tables": 1}) == ["fail", "pass", "pass"]
        assert outcomes(answer, counts={"x": {"value": 12, "nouns": ["attribut", "feature"]}}) == ["pass"]


class TestNames:
    def test_the_longest_known_name_takes_a_place(self):
        (check,) = check_answer("It is in New York City.", {"names": ["New York"]}, catalog=["New York City"])
        assert (check.outcome, check.rule) == ("fail", "longer_name")
        assert "it is part of 'New York City'" in check.message

    def test_names_of_the_checks_themselves_are_known(self):
        answer = "It is in New York City."
        assert outcomes(answer, names=["New York City"], forbidden=["New York"]) == ["pass", "pass"]

    def test_an_alias_is_not_covered_by_its_own_name(self):
        item = {"name": "Ernst & Young", "aliases": ["Young", "EY"]}
        assert outcomes("Ernst & Young", names=[item]) == ["pass"]
        assert outcomes("By EY.", names=[item]) == ["pass"]

    def test_a_mention_is_enough_but_not_in_a_citation(self):
        assert outcomes("I could not find CLAIM_AGE.", names=["CLAIM_AGE"]) == ["pass"]
        assert outcomes("It rose [Data: CLAIM_AGE (1)].", names=["CLAIM_AGE"]) == ["fail"]

    def test_known_names_of_the_same_type_are_shown_instead(self):
        catalog = [("Doug McMillon", "PERSON"), ("Brett Biggs", "PERSON"), ("Walmart", "COMPANY")]
        (check,) = check_answer("Doug McMillon of Walmart", {"names": ["Brett Biggs"]}, catalog=catalog)
        assert check.message.endswith("known names there: Doug McMillon")
        assert check.found == "Doug McMillon"

    def test_forbidden_names_may_be_denied_quoted_or_part_of_an_allowed_name(self):
        assert outcomes("NEW_FEAT was not registered yet.", forbidden=["NEW_FEAT"]) == ["pass"]
        check = one("NEW_FEAT was added later.", forbidden=["NEW_FEAT"])
        assert (check.outcome, check.rule) == ("pass", "not_asserted")
        assert "it is said to come later" in check.message
        allowed = {"name": "Target", "except": ["Target Hospitality"]}
        assert outcomes("Target Hospitality grew.", forbidden=[allowed]) == ["pass"]
        assert outcomes("Target Hospitality and Target grew.", forbidden=[allowed]) == ["fail"]

    def test_a_forbidden_one_word_name_is_not_the_common_noun(self):
        assert outcomes("They met the sales target.", forbidden=["Target"]) == ["pass"]
        assert outcomes("They met the sales target.", forbidden=[{"name": "Target", "case": "any"}]) == ["fail"]

    def test_a_group_names_what_was_found(self):
        check = one("V_SALES holds it.", any_of=["AVG", "v_sales"])
        assert check.found == ["v_sales"]
        assert outcomes("A and C", any_of=[["A", "B"], ["X", "Y"]]) == ["pass", "fail"]

    def test_order_is_that_of_the_first_assertions(self):
        assert outcomes("Not FY2023 but FY2022, then FY2023.", order=["FY2022", "FY2023"]) == ["pass"]
        assert outcomes("| FY2022 | 5 |\n| FY2023 | 6 |", order=["FY2022", "FY2023"]) == ["pass"]


class TestChoice:
    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            ("Which one do you mean: CUST_ID or STORE_ID?", ["pass", "pass"]),
            ("Which one do you mean?", ["fail", "fail"]),
            ("It exists for both CUST_ID and STORE_ID.", ["pass", "pass"]),
            ("For CUST_ID it counts orders; for STORE_ID it counts visits.", ["pass", "pass"]),
            ("For CUST_ID it counts orders.", ["pass", "fail"]),
            ("It is CUST_ID STORE_ID", ["fail", "fail"]),
        ],
    )
    def test_every_variant_is_named_and_offered_or_answered(self, answer, outcome):
        assert outcomes(answer, choice=["CUST_ID", "STORE_ID"]) == outcome

    def test_a_variant_that_is_only_named_is_no_choice(self):
        check = one_of(check_answer("It is CUST_ID STORE_ID", {"choice": ["CUST_ID", "STORE_ID"]}))
        assert check.rule == "no_choice"
        assert "neither offered as a choice nor answered" in check.message


def one_of(checks: list[Check]) -> Check:
    return checks[0]


class TestDenials:
    @pytest.mark.parametrize(
        "answer",
        [
            "I don't have that figure, but revenue was roughly $611.3 billion.",
            "I'm not sure, but it opened in 1998.",
            "The documents don't state it. It was founded in 1962.",
            "I don't know, maybe Doug McMillon.",
            "I'm not certain. Possibly Doug McMillon.",
        ],
    )
    def test_a_denial_with_a_value_is_none(self, answer):
        check = one(answer, denial=True)
        assert (check.outcome, check.rule, check.found) == ("fail", "denial_with_value", True)

    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            ("I don't have that figure. Revenue was roughly $611.3 billion.", "fail"),
            ("I don't know, but it is probably John Smith.", "fail"),
            ("CLAIM_AGE is not registered. Probably 12.", "fail"),
            ("CLAIM_AGE is not registered; the catalog has 12 features.", "pass"),
            ("I don't know, but you can ask John Smith.", "pass"),
            ("I could not find the revenue of $5 million.", "pass"),
            ("There is no data for 2023. The sources cover 2019 to 2021.", "pass"),
        ],
    )
    def test_what_comes_beside_a_denial(self, answer, outcome):
        assert one(answer, denial=True).outcome == outcome

    def test_figures_of_the_question_are_no_value(self):
        (check,) = check_answer(
            "I cannot answer that. $5 million is unknown to me.", {"denial": True}, question="What cost $5 million?"
        )
        assert check.outcome == "pass"

    def test_the_question_tells_what_must_not_be_denied(self):
        expect = {"denial": False}
        answer = "AVG_BASKET is a mean; ORDERS does not exist."
        (check,) = check_answer(answer, expect, question="What is AVG_BASKET?")
        assert check.outcome == "pass"
        (check,) = check_answer(answer, expect, question="What is ORDERS?")
        assert (check.outcome, check.rule) == ("fail", "denied")
        assert check.message == (
            "denial: no denial is expected, but there is one in the answer: “… is a mean; ORDERS does not exist.”"
        )


class TestAsOf:
    header = "*Catalog as it was on 2024-03-01 (valid time).* 12 features."

    @pytest.mark.parametrize(
        ("answer", "expected", "actual", "outcome", "rule", "found"),
        [
            (header, "2024-03-01", "2024-03-01 00:00:00+00:00", "pass", "stated", (True, True)),
            (header, "2024-03-01T00:00:00Z", "2024-03-01", "pass", "stated", (True, True)),
            (header, "2024-03-01", None, "pass", "stated", (True, None)),
            (header, "2024-03-01", "current", "fail", "other_instant", (True, False)),
            (header, "2024-03-01", "2024-03-01T00:00:00+02:00", "fail", "other_instant", (True, False)),
            (header, "2024-03-02", "2024-03-02", "fail", "not_stated", (False, True)),
            (header, "current", "current", "fail", "past_date", (True, True)),
            ("12 features.", "current", "", "pass", "stated", (False, True)),
            ("12 features.", "current", "2024-03-01", "fail", "other_instant", (False, False)),
            ("12 features.", "2024-03-01", "2024-03-01", "fail", "not_stated", (False, True)),
            ("On 1 March 2024: 12.", "2024-03-01", "2024-03-01", "pass", "stated", (True, True)),
        ],
    )
    def test_is_stated_in_the_text_and_used_by_the_target(self, answer, expected, actual, outcome, rule, found):
        (check,) = run_checks(
            Expect(as_of=expected),
            answer=normalise(answer),
            evidence=None,
            response=Response(answer=answer, as_of=actual),
        )
        assert (check.outcome, check.rule) == (outcome, rule)
        assert check.found == {"stated": found[0], "used": found[1]}


class TestPlaces:
    @staticmethod
    def run(answer: str | None, evidence: str | None, **expect: Any) -> list[Check]:
        texts = [None if t is None else normalise(t) for t in (answer, evidence)]
        return run_checks(Expect.model_validate(expect), answer=texts[0], evidence=texts[1], catalog=NameIndex())

    def test_by_default_it_is_the_answer_and_without_one_the_evidence(self):
        (check,) = self.run("yes", "Ohio", names=["Ohio"])
        assert (check.outcome, "in the answer" in check.message) == ("fail", True)
        (check,) = self.run(None, "Ohio", names=["Ohio"])
        assert (check.outcome, "in the evidence" in check.message) == ("pass", True)
        (check,) = self.run("", "Ohio", names=["Ohio"])
        assert check.outcome == "fail"

    def test_it_can_be_said_for_all_and_for_one(self):
        checks = self.run("yes", "Ohio", names=["Ohio", {"name": "yes", "in": "answer"}], **{"in": "evidence"})
        assert [c.outcome for c in checks] == ["pass", "pass"]

    def test_with_both_one_is_enough_to_state_and_to_violate(self):
        both = {"in": "both"}
        assert self.run("yes", "Ohio", names=["Ohio"], **both)[0].outcome == "pass"
        assert self.run("yes", "Ohio", forbidden=["Ohio"], **both)[0].outcome == "fail"
        assert self.run("I do not know.", "Ohio", denial=False, **both)[0].outcome == "fail"
        assert self.run(None, "Ohio", names=["Ohio"], **both)[0].outcome == "pass"

    def test_a_text_that_the_target_does_not_map_is_an_error(self):
        (check,) = self.run(None, "Ohio", names=["Ohio"], **{"in": "answer"})
        assert (check.outcome, check.rule) == ("error", "not_mapped")
        assert check.message == (
            "names: Ohio cannot be looked for: the target maps no answer; map it in `response:` or say `in:`"
        )
        assert self.run(None, None, names=["Ohio"])[0].outcome == "error"

    def test_nothing_is_set_aside_in_evidence(self):
        evidence = '"Revenue was $611.3 billion," he said. Costs were $500 billion.'
        assert self.run(None, evidence, numbers=["$611.3 billion"])[0].outcome == "pass"


class TestScore:
    def test_is_the_share_over_items(self):
        score = facts_score(check_answer(ANSWER, {"names": ["Walmart", "Target"], "numbers": ["6.7%"]}))
        assert score.value == pytest.approx(2 / 3)
        assert score.reason == "2 of 3 fact checks hold"

    @pytest.mark.parametrize(
        "violated",
        [
            {"forbidden": ["Doug McMillon"]},
            {"excludes": ["CEO"]},
        ],
    )
    def test_a_violation_makes_it_zero(self, violated):
        score = facts_score(check_answer(ANSWER, {"names": ["Walmart"], **violated}))
        assert score.value == 0.0
        assert score.reason.startswith("violation: ")

    @pytest.mark.parametrize(
        ("answer", "expect"),
        [
            ("It does not exist.", {"denial": False}),
            ("I don't know, but it was $5 million.", {"denial": True}),
            (TestAsOf.header, {"as_of": "current"}),
        ],
    )
    def test_a_violated_denial_or_date_makes_it_zero_too(self, answer, expect):
        assert facts_score(check_answer(answer, {"contains": ["t"], **expect})).value == 0.0

    def test_a_missing_denial_is_a_miss(self):
        assert facts_score(check_answer("It is 5.", {"contains": ["5"], "denial": True})).value == 0.5

    def test_retrieval_checks_and_errors_do_not_count(self):
        checks = check_answer("x", {"names": ["x"], "entities": ["A"], "matches": ["("]})
        assert facts_score(checks).value == 1.0
        assert facts_score([c for c in checks if c.kind == "entities"]).reason == "no fact checks"
        undecided = facts_score([c for c in checks if c.outcome == "error" and c.kind == "matches"])
        assert (undecided.value, undecided.reason) == (None, "no check could be decided")
