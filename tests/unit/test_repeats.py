"""One record for all askings of a repeated scenario."""

from __future__ import annotations

import math

import pytest

from pytest_graph_eval.models.records import Check, Record
from pytest_graph_eval.models.repeats import fold, pass_at_k, pass_hat_k, wilson


def attempt(status: str, mean: float | None = None, **more: object) -> Record:
    scores = {"faithfulness": mean, "mean": mean}
    return Record.model_validate({"id": "q", "status": status, "scores": scores, **more})


@pytest.mark.parametrize(
    ("passed", "trials", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (7, 10, 0.3968, 0.8922), (81, 263, 0.2553, 0.3662)],
)
def test_wilson_gives_the_published_values(passed: int, trials: int, low: float, high: float) -> None:
    """81 of 263 is the worked example of Newcombe (1998), method 3; the others follow from the closed form."""
    assert wilson(passed, trials) == pytest.approx((low, high), abs=5e-5)


def test_wilson_covers_the_true_rate_about_as_often_as_it_says() -> None:
    n = 20
    rates = [i / 200 for i in range(1, 200)]
    intervals = [wilson(k, n) for k in range(n + 1)]
    covered = [
        sum(
            math.comb(n, k) * rate**k * (1 - rate) ** (n - k)
            for k, (low, high) in enumerate(intervals)
            if low <= rate <= high
        )
        for rate in rates
    ]
    assert sum(covered) / len(covered) == pytest.approx(0.95, abs=0.01)
    assert min(covered) > 0.83


def test_nothing_tried_is_nothing_known() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("passed", "trials"), [(-1, 3), (4, 3)])
def test_wilson_refuses_impossible_counts(passed: int, trials: int) -> None:
    with pytest.raises(ValueError, match="is no proportion"):
        wilson(passed, trials)


def test_pass_at_k_and_pass_hat_k_draw_without_replacement() -> None:
    assert pass_at_k(3, 5, 2) == pytest.approx(1 - 1 / 10)
    assert pass_hat_k(3, 5, 2) == pytest.approx(3 / 10)
    assert pass_at_k(0, 5, 5) == 0
    assert pass_hat_k(5, 5, 5) == 1


@pytest.mark.parametrize("k", [0, 6])
def test_more_askings_than_were_made_cannot_be_drawn(k: int) -> None:
    with pytest.raises(ValueError, match=f"cannot draw {k} of 5 askings"):
        pass_at_k(3, 5, k)


def test_a_single_asking_is_its_own_record() -> None:
    only = attempt("FAIL", 0.5)
    assert fold([only], 1.0) is only


def test_no_asking_makes_no_record() -> None:
    with pytest.raises(ValueError, match="at least one asking"):
        fold([], 1.0)


@pytest.mark.parametrize(
    ("statuses", "least", "expected"),
    [
        ("PPPPP", 1.0, "PASS"),
        ("PPPPF", 1.0, "FAIL"),
        ("PPPPF", 0.8, "PASS"),
        ("PPPFF", 0.8, "FAIL"),
        ("PPPPE", 0.8, "PASS"),
        ("PPPEE", 0.8, "FAIL"),
        ("EEEEE", 0.2, "ERROR"),
        ("FEEEE", 0.2, "FAIL"),
        ("IIIII", 0.2, "INCONCLUSIVE"),
        ("PIIII", 0.8, "INCONCLUSIVE"),
        ("PIIIE", 0.8, "FAIL"),
        ("PIIIF", 0.8, "FAIL"),
    ],
)
def test_status_follows_from_the_share_that_passed(statuses: str, least: float, expected: str) -> None:
    words = {w[0]: w for w in ("PASS", "FAIL", "ERROR", "INCONCLUSIVE")}
    assert fold([attempt(words[s]) for s in statuses], least).status == expected


def test_a_rate_of_float_error_below_its_line_passes() -> None:
    assert fold([attempt("PASS")] * 7 + [attempt("FAIL")] * 3, 0.1 + 0.2 + 0.4).status == "PASS"


def test_scores_are_means_over_the_askings_that_have_them() -> None:
    found = fold([attempt("PASS", 1.0), attempt("FAIL", 0.4), attempt("ERROR", None)], 1.0)
    assert found.scores == pytest.approx({"faithfulness": 0.7, "mean": 0.7})
    assert fold([attempt("ERROR")] * 2, 1.0).mean is None


def test_all_askings_are_kept_with_the_figures_of_the_trial() -> None:
    tries = [attempt("PASS", 1.0, answer="yes"), attempt("FAIL", 0.0, answer="no"), attempt("PASS", 1.0, answer="yes")]
    found = fold(tries, 0.5)
    assert [r["status"] for r in found.repeats] == ["PASS", "FAIL", "PASS"]
    assert [r["repeat"] for r in found.repeats] == [1, 2, 3]
    assert found.repeats[0]["answer_sha256"] == found.repeats[2]["answer_sha256"] != found.repeats[1]["answer_sha256"]
    assert found.pass_rate == pytest.approx(2 / 3)
    assert found.pass_interval == pytest.approx(wilson(2, 3))
    assert found.pass_at_k == pytest.approx({1: 2 / 3, 2: 1.0, 3: 1.0})
    assert found.pass_hat_k == pytest.approx({1: 2 / 3, 2: 1 / 3, 3: 0.0})
    assert Record.from_line(found.to_line()) == found


def test_the_record_shows_the_asking_that_explains_its_status() -> None:
    bad = attempt("FAIL", 0.0, answer="wrong", reason="a number is off")
    bad.checks.append(Check(kind="numbers", outcome="fail"))
    good = attempt("PASS", 1.0, answer="right")
    failed = fold([good, bad, good], 1.0)
    assert failed.answer == "wrong"
    assert failed.reason == "2 of 3 repeats passed, a rate of at least 1 was expected; repeat 2: a number is off"
    assert failed.repeats[1]["failed"] == ["numbers"]
    passed = fold([bad, good, good], 0.6)
    assert (passed.answer, passed.reason) == ("right", None)


def test_an_error_that_counts_as_failed_is_what_the_record_shows() -> None:
    found = fold([attempt("PASS"), attempt("ERROR", error="server died")], 1.0)
    assert found.status == "FAIL"
    assert found.error == "server died"
    assert "repeat 2: server died" in (found.reason or "")


def test_usage_adds_up_and_an_unknown_part_makes_it_unknown() -> None:
    one = attempt("PASS", usage={"total_tokens": 10, "cost_usd": 0.5}, elapsed_s=1.0, flags=["a"], hallucinations=["x"])
    two = attempt("PASS", usage={"total_tokens": 20}, elapsed_s=3.0, flags=["a", "b"], hallucinations=["y"])
    found = fold([one, two], 1.0)
    assert found.usage == {"total_tokens": 30, "cost_usd": None}
    assert found.elapsed_s == 2.0
    assert (found.flags, found.hallucinations, found.attempts) == (["a", "b"], ["x", "y"], 2)


def test_the_calls_of_all_askings_are_counted_and_the_steps_of_one_are_shown() -> None:
    first = {"total": {"q": 2}, "once_per_sample": {"q": 1}, "errors": {"q": 1}, "score": 0.0, "groups": []}
    second = {"total": {"q": 1, "s": 1}, "once_per_sample": {"q": 1, "s": 1}, "score": 1.0, "groups": []}
    record = fold([attempt("FAIL", steps=first), attempt("PASS", steps=second)], min_pass_rate=1)
    assert record.steps == {
        "total": {"q": 3, "s": 1}, "once_per_sample": {"q": 1, "s": 1}, "errors": {"q": 1}, "score": 0.0, "groups": []
    }  # fmt: skip
    assert fold([attempt("PASS"), attempt("PASS")], min_pass_rate=1).steps == {}
