"""The HTML report: what it shows, that it stands alone, and that nothing which came from outside is HTML in it."""

from __future__ import annotations

import json
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import pytest

from pytest_graph_eval import UsageError, build_report
from pytest_graph_eval.gate.verdict import Reason, Verdict
from pytest_graph_eval.models.records import Check
from pytest_graph_eval.reports.build import FinishedRun, form_of
from pytest_graph_eval.reports.html import render, script_json
from tests.unit.gate_records import SUITE, info, judged, make
from tests.unit.report_samples import HOSTILE, conversation, full, hostile, many, run_of


class Page(HTMLParser):
    """The elements of a page, its texts, and the data of its scenarios."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.links: list[str] = []
        self.text = ""
        self.data: dict[str, Any] = {}
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        named = dict(attrs)
        self._inside = named.get("id") or "" if named.get("type") == "application/json" else tag
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action", "style")]

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside.startswith("d") and self._inside[1:].isdigit():
            self.data[self._inside] = json.loads(data)
        elif self._inside not in ("script", "style"):
            self.text += data


def page(run: FinishedRun) -> Page:
    return Page("".join(render(run)))


def test_the_verdict_and_its_reasons_come_first() -> None:
    text = " ".join(page(run_of([full(), conversation()])).text.split())
    places = [text.index(word) for word in ("FAIL", "Why FAIL", "Scores", "Charts", "Scenarios", "The run")]
    assert places == sorted(places)
    assert "walmart-10k" in text


@pytest.mark.parametrize(("outcome", "told"), [("failed", True), ("passed", False)])
def test_a_page_with_a_green_verdict_says_that_pytest_is_red(outcome: str, told: bool) -> None:
    records = [make("a", mean=1.0, outcome="passed"), make("b", "FAIL", 0.7, outcome=outcome)]
    run = run_of(records)
    assert run.summary.threshold_result == "PASS"
    for text in (page(run).text, build_report(run.summary, records, form="md")):
        assert ("Scenarios failed in pytest" in text) is told


def test_a_page_of_an_interrupted_run_names_the_exit_status_of_one() -> None:
    records = [make("a", mean=1.0, outcome="passed"), make("b", "FAIL", 0.7, outcome="failed")]
    summary = judged(records, interrupted=True)
    assert summary.threshold_result == "WARN"
    for text in (page(FinishedRun(summary, records)).text, build_report(summary, records, form="md")):
        assert "the run was interrupted: pytest exits with 2 whatever the gate says" in text
        assert "exits with 1" not in text


def test_what_our_texts_put_between_backticks_is_code_and_nothing_else_is_html() -> None:
    told = Reason(code="told", level="NOTE", text="write `<b>x</b>: 1`, or <i>none</i>, or `")
    check = Check(kind="numbers", outcome="fail", message="numbers: set `unit: <b>`")
    records = [make("a", "FAIL", 0.5, checks=[check], error="give `timeout: 5`", answer="a `b` c")]
    summary = judged(records)
    text = "".join(render(FinishedRun(summary.decided(Verdict(result="WARN", reasons=[told])), records)))
    assert "write <code>&lt;b&gt;x&lt;/b&gt;: 1</code>, or &lt;i&gt;none&lt;/i&gt;, or `" in text
    (data,) = page(FinishedRun(summary, records)).data.values()
    parts = {title: blocks for title, blocks, _ in data}
    assert ["timeout: 5", "code", ""] in parts["Result"][0][1]
    assert parts["Checks"][0][2][0][-1] == [["set "], ["unit: <b>", "code", ""]]
    assert "a `b` c" in json.dumps(parts["Answer"]), "an answer is shown as it came"


def test_it_stands_alone() -> None:
    found = page(run_of([full()]))
    assert [link for link in found.links if not link.startswith("#")] == []
    assert not found.tags.keys() & {"link", "iframe", "img", "object", "embed", "form"}


def test_a_line_for_each_scenario_those_that_did_not_pass_first() -> None:
    records = [make("good", index=0), make("bad", "FAIL", 0.1, index=1), make("off", "SKIPPED", index=2)]
    found = page(run_of(records))
    assert found.tags["tr"] == 4
    assert len(found.data) == 3
    assert [data[0][1][0][1][0][0] for data in found.data.values()] == ["FAIL", "SKIPPED", "PASS"]


def test_cards_show_the_change_against_the_baseline() -> None:
    records = [make("a", mean=0.5, scores={"faithfulness": 0.5})]
    change = {"name": "faithfulness", "before": 0.75, "now": 0.5, "difference": -0.25, "interval": None, "n": 1,
              "p": None, "code": "significant_regression"}  # fmt: skip
    block = {"n_paired": 1, "changes": [change], "worse": ["a"]}
    summary = judged(records, {SUITE: info()}).model_copy(update={"baseline": block})
    text = " ".join(page(FinishedRun(summary, records)).text.split())
    assert "-0.250 against 0.75 in the baseline" in text
    assert "Against the baseline" in text
    assert "a worse than the baseline" in text


def test_the_course_of_the_scores_is_drawn_where_older_runs_are_given() -> None:
    run = run_of([make("a", mean=0.5)])
    assert "History" not in page(run).text
    older = run.summary.model_copy(update={"run_at": "2026-05-01T00:00:00Z", "pass_rate": 0.25})
    text = build_report(run.summary, run.records, history=[older])
    assert "History" in text
    assert "2026-05-01T00:00:00Z: pass rate 0.25, verdict" in text


def test_hostile_texts_leave_the_page_as_it_is() -> None:
    run = hostile()
    text = "".join(render(run))
    text.encode("utf-8")
    found = Page(text)
    assert found.tags["script"] == len(run.records) + 1
    assert found.tags["img"] == 0
    assert found.tags["tr"] == len(run.records) + 1
    for word in "\x00\x07\x1b\x7f\x9b\u202e\u2066\u200f\u061c\u2028":
        assert word not in text, repr(word)
    assert "\\x1b[31mred" in found.text
    assert "{{ 7 * 7 }}" in found.text
    assert len(text) < 2_000_000, "bounded, though one answer has five megabytes"


@pytest.mark.parametrize("word", HOSTILE)
def test_data_in_a_script_element_comes_back_as_it_was(word: str) -> None:
    text = str(script_json({word: [word]}))
    assert "<" not in text
    assert json.loads(text) == {word: [word]}


def test_a_score_that_is_no_number_breaks_nothing() -> None:
    record = make("a", "FAIL", float("nan"), scores={"faithfulness": float("inf")}, usage={"total_tokens": "many"})
    (data,) = page(run_of([record])).data.values()
    rows = next(blocks for title, blocks, _ in data if title == "Scores")[0][2]
    assert ["Faithfulness", "inf", ""] in rows
    assert ["Mean", "nan", ""] in rows


def test_it_can_be_made_of_nothing() -> None:
    found = page(FinishedRun(judged([]), []))
    assert "no suite" in found.text


@pytest.mark.slow
def test_two_thousand_scenarios_stay_small() -> None:
    text = "".join(render(many(200)))
    assert len(text) / 200 < 12_000


# --- the forms ----------------------------------------------------------------------------------------------------


def test_json_holds_summary_and_records() -> None:
    run = run_of([full()])
    data = json.loads(build_report(run.summary, run.records, form="json"))
    assert data["summary"]["format"] == 1
    assert [r["id"] for r in data["records"]] == ["full"]


def test_an_unknown_form_is_named_with_the_known_ones(tmp_path: Any) -> None:
    run = run_of([])
    with pytest.raises(UsageError, match="form 'pdf': no form of a report; expected one of `html`, `md`, `json`"):
        build_report(run.summary, run.records, form="pdf")
    assert form_of(tmp_path / "R.HTML", "-o") == "html"
