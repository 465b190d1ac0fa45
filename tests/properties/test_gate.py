"""What holds of the gate and its report for every set of records."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pytest_graph_eval.gate.figures import figure, meets
from pytest_graph_eval.gate.summary import RunInfo, SuiteInfo, Summary, read_summary, summarize
from pytest_graph_eval.gate.thresholds import decide
from pytest_graph_eval.models.records import METRICS, Record
from pytest_graph_eval.models.settings import Gate
from pytest_graph_eval.reports.layout import columns
from pytest_graph_eval.reports.terminal import render

RUN = RunInfo(run_at="2026-05-30T13:45:22Z")
SUITES = ("a.graph.yaml", "b.graph.yaml")
SEVERITY = ("PASS", "WARN", "FAIL")
QUICK = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Values on, just beside and between the usual lines; drawing from a few keeps the runs short.
shares = st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 0.5999, 0.6, 0.7, 0.7999999999999999, 0.7996, 0.8, 0.9, 1.0])
scores = st.sampled_from([None, 0.0, 0.1, 1 / 3, 0.5, 0.5999, 0.6, 0.7, 0.7999999999999999, 0.7996, 0.8, 0.9, 1.0])
words = st.sampled_from([None, "easy", "medium", "yoy_comparison", "multi_hop", "x"])
lines = st.none() | shares | st.tuples(shares, shares).map(lambda p: {"pass": max(p), "warn": min(p)})


@st.composite
def records(
    draw: st.DrawFn, statuses: tuple[str, ...] = ("PASS", "FAIL", "ERROR", "INCONCLUSIVE", "SKIPPED")
) -> list[Record]:
    found = []
    for index in range(draw(st.integers(1, 10))):
        suite = draw(st.sampled_from(SUITES))
        names = (*METRICS, "mean", "facts")
        found.append(
            Record(
                id=f"s{index}",
                index=index,
                suite=suite,
                nodeid=f"{suite}::s{index}",
                status=draw(st.sampled_from(statuses)),  # type: ignore[arg-type]
                outcome=draw(st.sampled_from([None, None, None, "xfailed", "xpassed"])),
                scores=dict(zip(names, draw(st.tuples(*[scores] * len(names))), strict=True)),
                category=draw(words),
                difficulty=draw(words),
                tags=[tag] if (tag := draw(words)) else [],
                must_pass=draw(st.sampled_from([False] * 9 + [True])),
                flags=draw(st.sampled_from([[], [], ["flaky"], ["precision_issue"]])),
                elapsed_s=draw(scores),
                fingerprint=f"{index:012x}",
            )
        )
    return found


named = st.dictionaries(words.filter(bool), lines, max_size=2)
gates = st.fixed_dictionaries(
    {},
    optional={
        "overall": lines,
        "pass_rate": lines,
        "metrics": st.dictionaries(st.sampled_from([*METRICS, "facts"]), lines, max_size=2),
        "difficulty": named,
        "category": named,
        "tags": named,
        "max_inconclusive": st.none() | shares,
        "max_errors": st.none() | st.integers(0, 3),
    },
).map(lambda rules: Gate(**rules))


def judge(found: list[Record], rules: Gate | None = None, run: RunInfo = RUN) -> Summary:
    suites = {key: SuiteInfo(name=key, gate=rules or Gate()) for key in {r.suite for r in found}}
    summary = summarize(found, suites, run=run)
    return summary.decided(decide(summary, run))


@QUICK
@given(records(), gates, st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(found: list[Record], rules: Gate, chance: Any) -> None:
    shuffled = list(found)
    chance.shuffle(shuffled)
    assert judge(shuffled, rules).to_json() == judge(found, rules).to_json()


@QUICK
@given(records(), gates, st.integers(1, 4))
def test_merging_shards_equals_one_run(found: list[Record], rules: Gate, shards: int) -> None:
    files = [[r.to_line() for r in found[n::shards]] for n in range(shards)]
    merged = [Record.from_line(line) for lines_ in files for line in lines_]
    assert judge(merged, rules).to_json() == judge(found, rules).to_json()


@QUICK
@given(records(), gates, st.data())
def test_no_nan_and_no_infinity_ever_gets_out(found: list[Record], rules: Gate, data: st.DataObject) -> None:
    victim = data.draw(st.sampled_from(found))
    victim.scores[data.draw(st.sampled_from([*METRICS, "mean"]))] = data.draw(
        st.sampled_from([math.nan, math.inf, -math.inf])
    )
    summary = judge(found, rules)
    json.loads(summary.to_json(), parse_constant=lambda name: (_ for _ in ()).throw(AssertionError(name)))
    assert not any(word in line.text.lower().split() for line in render(summary) for word in ("nan", "inf"))
    if victim.status in ("PASS", "FAIL") and victim.outcome != "xfailed":
        assert summary.threshold_result == "FAIL"


@QUICK
@given(records(statuses=("ERROR", "INCONCLUSIVE", "SKIPPED")), gates)
def test_nothing_measured_is_never_green(found: list[Record], rules: Gate) -> None:
    assert judge(found, rules).threshold_result == "FAIL"


@QUICK
@given(records(), gates, st.data())
def test_a_lower_score_or_a_failure_never_improves_the_verdict(
    found: list[Record], rules: Gate, data: st.DataObject
) -> None:
    before = judge(found, rules).threshold_result
    victim = data.draw(st.sampled_from(found))
    scored = [name for name, value in victim.scores.items() if value is not None]
    if scored and data.draw(st.booleans()):
        name = data.draw(st.sampled_from(scored))
        victim.scores[name] = (victim.scores[name] or 0.0) * data.draw(shares)
    if victim.status == "PASS":
        victim.status = "FAIL"
    after = judge(found, rules).threshold_result
    assert SEVERITY.index(after) >= SEVERITY.index(before)


@QUICK
@given(records(), gates, st.sampled_from(["ERROR", "INCONCLUSIVE"]), st.data())
def test_a_record_that_is_lost_never_makes_the_verdict_pass(
    found: list[Record], rules: Gate, status: Any, data: st.DataObject
) -> None:
    assume(rules.max_errors is not None)
    assume(rules.max_inconclusive is not None)
    victim = data.draw(st.sampled_from([r for r in found if r.outcome != "xfailed"] or found))
    assume(victim.outcome != "xfailed")
    victim.status = status
    assert judge(found, rules).threshold_result != "PASS"


@QUICK
@given(records(), gates)
def test_the_verdict_is_the_worst_of_its_reasons_and_no_better_than_any_suite(found: list[Record], rules: Gate) -> None:
    summary = judge(found, rules)
    levels = {reason.level for reason in summary.verdict_reasons}
    assert summary.threshold_result == ("FAIL" if "FAIL" in levels else "WARN" if "WARN" in levels else "PASS")
    suites = [suite.threshold_result for suite in summary.by_suite.values()]
    assert SEVERITY.index(summary.threshold_result) >= max(map(SEVERITY.index, suites))


@QUICK
@given(records(), gates)
def test_a_summary_survives_its_file_and_can_be_decided_again(found: list[Record], rules: Gate) -> None:
    summary = judge(found, rules)
    back = read_summary(summary.to_json(), "s.json")
    assert back == summary
    assert decide(back, RUN).reasons == tuple(summary.verdict_reasons)


@QUICK
@given(records(), gates)
def test_every_record_is_counted_once(found: list[Record], rules: Gate) -> None:
    summary = judge(found, rules)
    parts = (summary.passed, summary.failed, summary.inconclusive, summary.skipped, summary.xfailed)
    assert sorted(name for part in parts for name in part) == sorted(r.id for r in found)
    assert summary.total_questions == len(found) - len(summary.skipped)
    assert summary.pass_rate is None or 0 <= summary.pass_rate <= 1


@given(st.floats(0, 1), st.lists(shares, max_size=3))
def test_a_shown_figure_is_on_its_true_side_of_every_line(value: float, limits: list[float]) -> None:
    shown = Decimal(figure(value, limits))
    assert all((shown >= Decimal(repr(line))) is meets(value, line) for line in limits)
    assert (shown == 0) is (value == 0)


anything = st.text(st.characters(), min_size=1, max_size=60)


@QUICK
@given(st.lists(anything, min_size=1, max_size=6), st.integers(60, 120), st.booleans())
def test_no_text_breaks_the_report(texts: list[str], width: int, ascii_only: bool) -> None:
    found = [
        Record(id=word, index=n, status=("FAIL", "ERROR", "INCONCLUSIVE", "PASS")[n % 4], category=word, reason=word,
               question=word, error=word, query_mode=word, hallucinations=[word], difficulty=word, suite=word)  # type: ignore[arg-type]
        for n, word in enumerate(texts)
    ]  # fmt: skip
    summary = judge(found, run=RunInfo(run_at="", partial=texts[0], collection_errors=texts, results_file=texts[-1]))
    summary.to_json().encode("utf-8")
    for line in render(summary, found, width=width, ascii_only=ascii_only, exit_reason=texts[0]):
        assert columns(line.text) <= width
        assert line.text.replace("\u200c", "").replace("\u200d", "").isprintable()
        assert line.text.isascii() or not ascii_only
