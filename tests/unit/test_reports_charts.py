"""The charts of the HTML report: what they draw is what the run says, and nothing is drawn of nothing."""

from __future__ import annotations

import pytest

from pytest_graph_eval.reports.charts import Chart, charts
from tests.unit.gate_records import gate, info, judged, make


def drawn(records: list, history: list | None = None) -> dict[str, Chart]:  # type: ignore[type-arg]  # records, summaries
    return {chart.title: chart for chart in charts(judged(records), records, history or [])}


def bars(chart: Chart) -> list[str]:
    return [shape.title for shape in chart.shapes if shape.kind == "rect" and shape.title]


def test_nothing_is_drawn_of_a_run_without_scores() -> None:
    assert drawn([make("a", "ERROR", error="no server")]) == {}


def test_scores_are_counted_in_tenths_with_the_ends_in_the_outer_ones() -> None:
    records = [make(str(n), "PASS", v, scores={"faithfulness": v}) for n, v in enumerate((0.0, 0.3, 0.39, 1.0))]
    chart = drawn(records)["Distribution of scores"]
    counts = [int(title.rpartition(" ")[2]) for title in bars(chart)]
    assert counts == [1, 0, 0, 2, 0, 0, 0, 0, 0, 1]
    assert chart.says == "Faithfulness: mean 0.42 over 4"


def test_what_was_not_measured_is_in_no_distribution() -> None:
    records = [make("a", mean=1.0, scores={"faithfulness": 1.0}), make("b", "SKIPPED", scores={"faithfulness": 0.0})]
    assert "over 1" in drawn(records)["Distribution of scores"].says


def test_groups_show_their_mean_their_size_and_their_target() -> None:
    records = [make("a", mean=0.5, category="yoy_comparison", difficulty="hard"), make("b", mean=1.0, category="x")]
    found = drawn(records)
    texts = [shape.text for shape in found["By category"].shapes if shape.kind == "text"]
    assert texts == ["X (1)", "1.00", "YoY Comparison (1)", "0.50"]
    assert [s.title for s in found["By difficulty"].shapes if s.tone == "target"] == ["target 0.6"]
    widths = [s.width / found["By category"].width for s in found["By category"].shapes if s.kind == "rect"]
    assert widths == [1, 1, 1, 0.5]


def test_a_group_below_its_line_is_no_good_one_and_the_line_is_the_gate_s() -> None:
    records = [make("a", mean=0.88, difficulty="easy", category="x")]
    for rules, tone, line in (({}, "warn", 0.9), ({"difficulty": {"easy": 0.5}}, "good", 0.5)):
        shapes = {c.title: c.shapes for c in charts(judged(records, info(gate(**rules))), records, [])}["By difficulty"]
        assert [s.tone for s in shapes if s.kind == "rect"] == ["track", tone]
        assert [s.title for s in shapes if s.tone == "target"] == [f"target {line}"]


def test_a_long_name_leaves_the_figures_their_place() -> None:
    (chart,) = drawn([make("a", mean=0.5, category="x" * 300)]).values()
    assert all(len(shape.text) < 60 for shape in chart.shapes)


def test_of_many_groups_the_lowest_are_drawn() -> None:
    records = [make(str(n), mean=n / 20, category=f"c{n}") for n in range(20)]
    chart = drawn(records)["By category"]
    assert chart.shapes[0].text == "C0 (1)"
    assert chart.shapes[-1].text == "and 6 more"


def test_latency_counts_every_answer_once_and_tells_its_percentiles() -> None:
    records = [make(str(n), mean=1.0, elapsed_s=seconds) for n, seconds in enumerate((0.01, 0.02, 0.02, 10.0))]
    chart = drawn(records)["Latency"]
    assert sum(int(title.rpartition(" ")[2]) for title in bars(chart)) == 4
    assert chart.says == "p50 20 ms, p95 10.0 s, 4 answers, from 10 ms to 10.0 s"


def test_equal_latencies_are_drawn_too() -> None:
    chart = drawn([make(str(n), mean=1.0, elapsed_s=0.5) for n in range(3)])["Latency"]
    assert sum(int(title.rpartition(" ")[2]) for title in bars(chart)) == 3


@pytest.mark.parametrize(
    "seconds",
    [
        [0.5] * 3,
        [0.001] * 9 + [700.0],
        [0.001] + [700.0] * 9,
        [0.001, 0.01, 0.2, 0.2, 0.2, 0.25],
        [0.001] * 4 + [0.0011] * 15 + [0.0012, 1],
    ],
)
def test_the_marks_of_latency_stay_inside_and_no_line_cuts_a_name(seconds: list[float]) -> None:
    chart = drawn([make(str(n), mean=1.0, elapsed_s=value) for n, value in enumerate(seconds)])["Latency"]
    lines = [s for s in chart.shapes if s.tone == "target"]
    names = [s for s in chart.shapes if s.text.startswith("p")]
    assert all(0.75 <= line.x <= chart.width - 0.75 for line in lines)
    for name in names:
        left, right = (name.x - 6 * len(name.text), name.x) if name.tone else (name.x, name.x + 6 * len(name.text))
        assert 0 <= left < right <= chart.width
        assert not [line for line in lines if left < line.x < right and line.y < name.y]


def test_a_target_of_the_whole_stays_inside() -> None:
    records = [make("a", mean=1.0, difficulty="easy")]
    shapes = {c.title: c.shapes for c in charts(judged(records, info(gate(difficulty={"easy": 1}))), records, [])}
    (line,) = (s for s in shapes["By difficulty"] if s.tone == "target")
    assert line.x == 359


def test_history_goes_from_left_to_right_and_leaves_gaps_for_what_is_unknown() -> None:
    now = [make("a", mean=0.5)]
    summary = judged(now)
    older = [summary.model_copy(update={"run_at": f"2026-0{n}-01T00:00:00Z", "pass_rate": rate})
             for n, rate in ((1, None), (2, 0.5))]  # fmt: skip
    dots = [s for s in drawn(now, older)["History"].shapes if s.kind == "circle"]
    rates = [s for s in dots if "pass rate" in s.title]
    moments = ("2026-02-01T00:00:00Z: pass rate 0.50", f"{summary.run_at}: pass rate 1.00")
    assert [s.title.partition(",")[0] for s in rates] == [*moments]
    assert rates[0].x < rates[1].x
    assert rates[0].y > rates[1].y
    assert len(dots) == 5
