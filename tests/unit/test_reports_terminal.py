"""The console report: what it shows, that it fits, and that nothing in it can steer a terminal.

The texts in `tests/snapshots` are whole reports. After a change that is meant, UPDATE_SNAPSHOTS=1 writes them anew (and
still fails, so that no run is green on what nobody looked at).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_graph_eval.gate.comparison.baseline import build
from pytest_graph_eval.gate.comparison.pairing import Scope
from pytest_graph_eval.gate.comparison.regression import compare
from pytest_graph_eval.gate.summary import GraphStats, SuiteInfo, Summary
from pytest_graph_eval.gate.verdict import Reason, worst
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.models.scenario import Scenario, fingerprint, identity
from pytest_graph_eval.reports.layout import Paper, columns
from pytest_graph_eval.reports.rows import label, rating, score_rows
from pytest_graph_eval.reports.terminal import render
from tests.unit.gate_records import SUITE, WALMART, gate, info, judged, make, walmart

SNAPSHOTS = Path(__file__).parent.parent / "snapshots"

HOSTILE = [
    "\x1b[31mred\x1b[0m \x07 \x9b2J \x7f",
    "漢字" * 60,
    "a" * 300,
    "e\u0301" * 90 + "\u0301" * 40,
    "👨\u200d👩\u200d👧" * 40,
    "\u202eevil \u2066rtl\u200e",
    "line 1\nline 2\r\tx\x00y\u2028z",
    "| pipes | `ticks` | <script>alert(1)</script>",
    "한국어 문장 " * 20,
    "\ue000\uf8ff private, \ufdd0 unassigned",
]


def lines(summary: Summary, records: list[Record] | None = None, **options: object) -> list[str]:
    return [line.text for line in render(summary, records or (), **options)]  # type: ignore[arg-type]


def text(summary: Summary, **options: object) -> str:
    return "\n".join(lines(summary, **options))


def hostile() -> tuple[list[Record], SuiteInfo]:
    statuses = ("FAIL", "ERROR", "INCONCLUSIVE", "PASS")
    records = [
        make(
            word[:40] if n % 2 else f"id{n}", statuses[n % 4], 0.5, scores={"precision": 0.1, word[:20]: 0.3},
            category=word[:60], difficulty=word[:30], query_mode=word[:20], tags=[word], question=word, error=word,
            reason=word, hallucinations=[word], documents=[word], flags=["flaky"], index=n,
        )
        for n, word in enumerate(HOSTILE)
    ]  # fmt: skip
    return records, info(name="漢字スイート\x1b[2J", description="Ünïcode " * 20, target="\u202etarget")


def several() -> tuple[list[Record], dict[str, SuiteInfo]]:
    """Return 1,000 records of 30 suites."""
    records = [
        make(
            f"Q{n:04}", "FAIL" if n % 10 == 0 or n % 30 == 7 else "PASS", 0.3 if n % 30 == 7 else 0.9 - n % 7 / 20,
            suite=f"suites/s{n % 30:02}.graph.yaml", category=f"category_{n % 45}", index=n, query_mode="kg",
            reason="mean is below pass_score 0.8", difficulty=("easy", "medium", "hard", "expert")[n % 4],
        )
        for n in range(1000)
    ]  # fmt: skip
    return records, {f"suites/s{n:02}.graph.yaml": info(name=f"suite {n:02}") for n in range(30)}


def compared() -> Summary:
    change = {"suites": [SUITE], "deterministic": False, "n": 24, "p_adjusted": 0.012, "alpha": 0.04}
    block = {
        "n_paired": 24, "n_deterministic": 20, "worse": ["TC018", "TC020"], "better": ["TC003"], "added": ["X1"],
        "changed": [], "vanished": [], "not_run": [], "set_aside": {"TC022": "xfailed"},
        "changes": [
            {"name": "pass_rate", "before": 0.96, "now": 0.75, "difference": -0.21, "interval": [-0.37, -0.04],
             "p": 0.0123, "code": "significant_regression", **change},
            {"name": "faithfulness", "before": 0.9, "now": 0.85, "difference": -0.05, "interval": None, "p": None,
             "code": "not_significant", **change},
        ],
        "drift": [{"suite": SUITE, "id": "TC018", "kind": "entities", "share": 1 / 3, "lost": ["WALMART INC"],
                   "gained": ["TARGET"]}],
    }  # fmt: skip
    power = {"groups": [{"n": 24, "smallest_drop": 0.21, "power": 0.8}, {"n": 4, "note": "too few pairs"}]}
    reasons = [Reason(code="significant_regression", level="FAIL", text="pass_rate fell from 0.96 to 0.75")]
    return judged(walmart(), WALMART).decided(worst(reasons), baseline=block, power=power)


def dead() -> Summary:
    error = (
        "the MCP server `python -m graph_server` exited with status 1 before it was initialized; stderr ends: "
        "ValueError: index vdb_entities is incompatible with the configured embedding dimension 384"
    )
    return judged([make(f"TC{n:03}", "ERROR", error=error, difficulty="easy") for n in range(24)], WALMART)


RULES = gate(
    metrics={"faithfulness": {"pass": 0.9, "warn": 0.7}}, difficulty={"hard": 0.7}, category={"yoy_comparison": 0.8}
)
WALMART_RUN = {"results_file": "evals/results/evaluation_results_20260530T134522Z.jsonl", "duration_s": 1.234}


def walmart_summary() -> Summary:
    suite = SuiteInfo(
        name=WALMART.name, description=WALMART.description, gate=RULES, documents=WALMART.documents,
        target=WALMART.target, graph=WALMART.graph,
    )  # fmt: skip
    return judged(walmart(), suite, collected=24, **WALMART_RUN)


CASES: dict[str, tuple[Callable[[], Summary], dict[str, object]]] = {
    "walmart": (walmart_summary, {"exit_reason": "exit 1 because 8 scenarios failed", "records": walmart()}),
    "walmart_ascii_60": (walmart_summary, {"ascii_only": True, "width": 60}),
    "several_suites": (lambda: judged(*several(), duration_s=125.0), {"exit_reason": "exit 1"}),
    "nothing": (lambda: judged([], collected=0), {"exit_reason": "exit 1"}),
    "one": (lambda: judged(walmart()[:1], WALMART, partial="-k TC001", collected=24, deselected=23), {}),
    "dead_target": (dead, {"exit_reason": "exit 1 because 24 scenarios failed"}),
    "hostile": (lambda: judged(*hostile()), {}),
    "baseline": (compared, {"exit_reason": "exit 1"}),
}


def case(name: str) -> tuple[Summary, dict[str, object]]:
    make_summary, options = CASES[name]
    return make_summary(), options


@pytest.mark.parametrize("name", CASES)
def test_the_whole_report_is_the_snapshot(name: str) -> None:
    summary, options = case(name)
    found = text(summary, **options) + "\n"
    path = SNAPSHOTS / f"report_{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, encoding="utf-8", newline="\n")
        pytest.fail(f"{path.name} was written: look at it, then run without UPDATE_SNAPSHOTS")
    assert found == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", CASES)
def test_no_line_is_too_wide_or_holds_what_a_terminal_obeys(name: str, width: int, ascii_only: bool) -> None:
    summary, options = case(name)
    for line in lines(summary, **{**options, "width": width, "ascii_only": ascii_only}):
        assert columns(line) <= width
        assert line.replace("\u200c", "").replace("\u200d", "").isprintable()
        assert line.isascii() or not ascii_only


def test_the_sections_have_the_ancestors_order() -> None:
    report = lines(compared())
    rules = [n for n, line in enumerate(report) if line and set(line) == {"─"}]
    assert [report[n - 1] for n in rules if report[n - 1].isupper()] == [
        "EXECUTION SUMMARY", "AGGREGATE SCORES", "PERFORMANCE BY DIFFICULTY", "PERFORMANCE BY CATEGORY", "ISSUES",
        "TESTS", "RECOMMENDATIONS", "BASELINE",
    ]  # fmt: skip
    assert report[-1] == "verdict FAIL"


# The verdict line


@pytest.mark.parametrize(
    ("summary", "reason", "expected"),
    [
        (judged([make("a", mean=0.7)]), "exit 1 because 3 scenarios failed",
         "verdict WARN; exit 1 because 3 scenarios failed"),
        (judged([make("a", mean=0.9)]), "", "verdict PASS"),
        (judged([make("a", mean=0.9)], partial="-k a"), "exit 0", "verdict PASS (partial run); exit 0"),
        (judged([make("a", mean=0.9)], interrupted=True), "exit 2", "verdict WARN (interrupted run); exit 2"),
    ],
)  # fmt: skip
def test_quiet_is_the_verdict_line_alone(summary: Summary, reason: str, expected: str) -> None:
    assert lines(summary, quiet=True, exit_reason=reason) == [expected]
    assert lines(summary, exit_reason=reason)[-1] == expected


def test_every_reason_stands_before_the_verdict_with_its_code_and_level() -> None:
    summary = judged([make("a", mean=0.9), make("e", "ERROR", error="down", suite="b")])
    assert "FAIL errors_present: b: 1 error (at most 0): e: down" in lines(summary)
    assert "FAIL errors_present: 1 error (at most 0): e: down" in lines(
        judged([make("a", mean=0.9), make("e", "ERROR", error="down")])
    )
    assert "FAIL bare" in lines(summary.decided(worst([Reason(code="bare", level="FAIL")])))


@pytest.mark.parametrize(("mean", "style"), [(0.9, "good"), (0.7, "warn"), (0.1, "bad")])
def test_the_verdict_line_has_the_style_of_the_verdict(mean: float, style: str) -> None:
    assert render(judged([make("a", mean=mean)]))[-1].style == style


# Scores and targets


def row(summary: Summary, name: str) -> tuple[str, str, str, str]:
    (found,) = (r for r in score_rows(summary) if r.name == name)
    return found.score, found.target, found.scored, found.result


def test_targets_are_the_ancestors_unless_the_gate_has_a_line() -> None:
    records = [make("a", mean=0.9, scores={"faithfulness": 0.75, "precision": 0.69})]
    rules = gate(metrics={"faithfulness": {"pass": 0.8, "warn": 0.7}})
    summary = judged(records, info(rules))
    assert row(summary, "faithfulness") == ("0.75", "≥ 0.80 (warn 0.70)", "1/1", "WARN")
    assert row(summary, "precision") == ("0.69", "≥ 0.70", "1/1", "below")
    assert row(summary, "context_relevancy") == ("-", "≥ 0.85", "(0 scored)", "")
    assert row(summary, "overall") == ("0.90", "≥ 0.80 (warn 0.60)", "1/1", "PASS")
    assert row(summary, "pass_rate") == ("1.00", "", "1/1", "")


def test_the_line_that_judges_the_pass_rate_is_shown_with_it() -> None:
    assert row(judged([make("a")]), "pass_rate") == ("1.00", "≥ 0.80 (warn 0.60)", "1/1", "PASS")
    assert row(judged([make("a")], info(gate(pass_rate=0.9))), "pass_rate")[1] == "≥ 0.90"


def test_suites_that_disagree_about_a_line_show_none() -> None:
    records = [make("a", mean=0.9, suite="a"), make("b", mean=0.9, suite="b")]
    suites = {"a": info(gate(overall=0.5)), "b": info(gate(overall=0.6))}
    assert row(judged(records, suites), "overall") == ("0.90", "by suite", "2/2", "")
    assert row(judged(records, suites, gate=gate(overall=0.95)), "overall") == ("0.90", "≥ 0.95", "2/2", "FAIL")
    assert row(judged(records, suites, gate=gate(pass_rate=0.95)), "overall")[1] == "by suite"


def test_a_score_is_shown_with_as_many_digits_as_tell_it_from_its_line() -> None:
    assert row(judged([make("a", mean=0.7996)]), "overall")[0] == "0.7996"
    report = lines(judged([make("a", mean=0.8996, difficulty="easy")]))
    assert "Easy:  0.8996 / 1.0  (1 question)  ≥ 0.90  ⚠ GOOD, below target" in report


def test_other_metrics_follow_the_four_and_only_where_they_were_scored() -> None:
    records = [make("a", mean=0.9, scores={"nDCG@5": 0.5, "AP": None, "RR": None})]
    names = [r.name for r in score_rows(judged(records, info(gate(metrics={"RR": None}))))]
    assert names[4:] == ["RR", "nDCG@5", "pass_rate", "overall"]


@pytest.mark.parametrize(
    ("score", "word"),
    [(0.9, "EXCELLENT"), (0.8999, "GOOD"), (0.8, "GOOD"), (0.79, "FAIR"), (0.6, "FAIR"), (0.59, "POOR"), (0.0, "POOR"),
     (None, "")],
)  # fmt: skip
def test_ratings_have_the_ancestors_lines(score: float | None, word: str) -> None:
    assert rating(score)[0] == word


@pytest.mark.parametrize(
    ("name", "shown"),
    [("metric_retrieval", "Metric Retrieval"), ("yoy_comparison", "YoY Comparison"),
     ("multi_hop", "Multi-Hop Reasoning"), ("nDCG@5", "nDCG@5"), ("precision@5", "precision@5"),
     ("ma catégorie", "ma catégorie"), ("Own Name", "Own Name")],
)  # fmt: skip
def test_names_become_headings_only_where_they_are_slugs(name: str, shown: str) -> None:
    assert label(name) == shown


def test_categories_have_a_note_below_080() -> None:
    summary = judged([
        make("a", mean=0.9, category="a"), make("b", mean=0.79, category="multi_hop"),
        make("c", mean=0.7, category="z"), make("d", category="none"), make("e", mean=0.5, category="lined"),
    ], info(gate(category={"lined": 0.6})))  # fmt: skip
    found = [line for line in lines(summary) if "question)" in line]
    assert [line.split("  ")[-1] for line in found] == [
        "(1 question)", "(FAIL: target ≥ 0.60)", "(requires chain traversal)", "(no score)", "(below 0.80)",
    ]  # fmt: skip


# Execution, issues, tests


def test_the_execution_summary_says_how_much_was_run() -> None:
    report = text(judged([make("a", mean=0.9)], partial="-k a", collected=5, deselected=3, duration_s=125.4))
    assert "Status:                ⚠ PARTIAL (-k a, 3 deselected, 1 did not run)" in report
    assert "Duration:              2 min 5 s" in report
    assert "Run the whole suite" in report
    report = text(judged([make("a", mean=0.9)], partial="3 deselected", collected=4, deselected=3))
    assert "Status:                ⚠ PARTIAL (3 deselected)" in report


@pytest.mark.parametrize(("seconds", "shown"), [(None, "-"), (0.0004, "<1 ms"), (0.25, "250 ms"), (2.0, "2.0 s")])
def test_durations_are_readable(seconds: float | None, shown: str) -> None:
    assert f"Duration:              {shown}" in lines(judged([make("a", mean=0.9)], duration_s=seconds))


def test_one_target_is_named_with_its_graph_as_far_as_it_tells() -> None:
    graph = GraphStats(entities=51)
    assert "Target:                kg: 51 entities" in lines(judged([make("a")], info(target="kg", graph=graph)))
    assert "Target:                kg" in lines(judged([make("a")], info(target="kg")))
    assert not any(line.startswith("Target:") for line in lines(judged([make("a")])))


def test_a_cause_that_many_scenarios_share_is_said_once() -> None:
    report = lines(dead())
    assert sum("TC000, TC001, TC002, TC003, TC004, TC005 and 18 more: the MCP server" in line for line in report) == 1


def test_long_lists_are_cut_with_a_count() -> None:
    records = [make(f"f{n:02}", "FAIL", 0.5, reason=f"reason {n}", category=f"c{n}") for n in range(30)]
    report = text(judged(records))
    assert "  ... and 20 more items" in report
    assert "  ... and 10 more categories; the lowest are shown" in report
    reasons = [Reason(code=f"r{n}", level="FAIL") for n in range(21)]
    assert "  ... and 1 more reason" in text(judged(records).decided(worst(reasons)))


def test_failed_scenarios_come_with_their_question_where_the_records_are_at_hand() -> None:
    records = [make("a", "FAIL", 0.5, reason="low", question="Who is the CEO?"), make("b", mean=0.9, question="Never?")]
    assert "  - a (Who is the CEO?): low" in lines(judged(records), records)
    assert "  - a: low" in lines(judged(records))
    assert "Never?" not in "\n".join(lines(judged(records), records))


def test_marked_scenarios_are_counted_apart() -> None:
    records = [make("x", "FAIL", outcome="xfailed"), make("s", "SKIPPED"), make("xp", outcome="xpassed"), make("p")]
    report = lines(judged(records))
    assert {"Expected Failures:     1 (x)", "Skipped:               1 (s)", "Unexpected Passes:     1 (xp)"} <= set(
        report
    )
    assert "Tests Passed:          2/2 (100%)" in report


def test_a_run_of_skipped_scenarios_shows_its_tests() -> None:
    assert "Skipped:               1 (s)" in lines(judged([make("s", "SKIPPED")]))


def test_without_anything_to_say_the_recommendations_are_none() -> None:
    report = lines(judged([make("p")]))
    assert report[report.index("RECOMMENDATIONS") + 2] == "none"


def test_a_scenario_without_a_baseline_is_no_gap_in_the_graph() -> None:
    new = make("new", "INCONCLUSIVE", reason="no_baseline: `stable` has nothing to compare with")
    gap = make("gap", "INCONCLUSIVE", reason="no evidence: neither an answer nor anything retrieved came back")
    ingest = "Ingest the documents"
    assert not any(ingest in line for line in lines(judged([make("p"), new])))
    assert any(ingest in line for line in lines(judged([make("p"), gap])))


def test_suites_of_a_run_are_listed_worst_first() -> None:
    records = [make("a", mean=0.9, suite="a"), make("b", "FAIL", 0.1, suite="b"), make("c", mean=0.7, suite="c")]
    report = lines(judged(records))
    start = report.index("SUITES") + 4
    assert [line.split()[0] for line in report[start : start + 3]] == ["b", "c", "a"]
    assert report[2].strip("║ ") == "3 suites"


def test_the_baseline_is_shown_only_when_one_was_compared_with() -> None:
    assert "BASELINE" not in lines(judged(walmart()))
    assert any(line.startswith("Pass Rate     0.96    0.75  -0.210  -0.37 to -0.04") for line in lines(compared()))


def test_a_real_comparison_is_shown() -> None:
    scenarios = {(SUITE, f"s{n}"): Scenario(id=f"s{n}", question=f"Question {n}?") for n in range(4)}
    before = [
        make(id_, mean=0.9, fingerprint=fingerprint(scenario), index=n, retrieved={"entities": ["A", "B"]})
        for n, ((_, id_), scenario) in enumerate(scenarios.items())
    ]
    now = [record.model_copy() for record in before]
    now[0] = make("s0", "FAIL", 0.4, fingerprint=now[0].fingerprint, retrieved={"entities": ["A"]})
    baseline = build(before, {place: identity(scenario) for place, scenario in scenarios.items()})
    found = compare(baseline, now, Scope())
    summary = judged(now).decided(
        worst(found.reasons), baseline=found.block(), power={"groups": [p.model_dump() for p in found.power]}
    )
    report = lines(summary)
    report = report[report.index("BASELINE") :]
    assert report[2:5] == ["Compared:              4 scenarios", "Worse:                 1 (s0)", report[4]]
    assert report[4].startswith("Smallest Visible Drop: ")
    assert any(line.startswith("Pass Rate  1.00    0.75  -0.250") for line in report)
    assert "  - s0: entities 0.50: lost B" in report


# Layout


@pytest.mark.parametrize(
    ("string", "width"),
    [
        ("abc", 3),
        ("漢字", 4),
        ("e\u0301", 1),
        ("한국", 4),
        ("👨\u200d👩", 4),
        ("⚠\ufe0f", 2),
        ("ﾊﾝ", 2),
        ("", 0),
        ("\u0301", 0),
    ],
)
def test_columns_count_what_a_terminal_shows(string: str, width: int) -> None:
    assert columns(string) == width


def test_cutting_never_splits_a_character_from_its_marks() -> None:
    assert Paper().fit("e\u0301" * 5, 3) == "e\u0301e\u0301…"
    assert Paper().fit("漢字漢字", 4) == "漢…"
    assert Paper(ascii_only=True).fit("abcdefgh", 5) == "ab..."
    assert Paper(ascii_only=True).fit("abcdefgh", 2) == ".."


def test_wrapping_breaks_at_blanks_else_anywhere_and_stops_with_an_ellipsis() -> None:
    assert Paper(12).wrap("aaa bbb ccc", first="- ") == ["- aaa bbb", "  ccc"]
    assert Paper(12).wrap("漢" * 7, first="- ") == ["- 漢漢漢漢漢", "  漢漢"]
    assert Paper(12).wrap("aaa bbb ccc ddd eee", first="- ", most=2) == ["- aaa bbb", "  ccc ddd e…"]
    assert Paper(12).wrap("", first="x:") == ["x:"]


def test_tables_align_wide_characters_and_give_way_at_the_edges() -> None:
    rows = [("漢字", "1", "x"), ("ab", "10", "y" * 30)]
    table = Paper(24).table(rows, align="lrl")
    assert table == ["漢字   1  x", "ab    10  " + "y" * 13 + "…"]
    assert Paper().table([], align="lrl") == []


def test_foreign_text_is_shown_as_ascii_where_the_stream_takes_no_more() -> None:
    assert Paper(ascii_only=True).text("“x” ≥ 1 → é…") == '"x" >= 1 -> \\xe9...'
