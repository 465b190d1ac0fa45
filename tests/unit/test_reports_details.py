"""What a scenario opens to: every part of its record, with the facts marked where they stand."""

from __future__ import annotations

from typing import Any

from pytest_graph_eval.models.records import Check
from pytest_graph_eval.reports.details import details
from pytest_graph_eval.reports.marks import Evidence, marked, marked_answer
from tests.unit.gate_records import make
from tests.unit.report_samples import conversation, full


def parts(record: Any, most: int = 100_000) -> dict[str, Any]:
    return {title: blocks for title, blocks, _ in details(record, Evidence(most))}


def test_every_part_of_a_record_is_shown() -> None:
    assert list(parts(full())) == [
        "Result", "Question", "Answer", "Checks", "Scores", "Not in the evidence", "Entities", "Relationships",
        "Evidence", "Names that the target used", "Catalog", "Trajectory", "Judge", "Repeats", "Circumstances",
        "Run it again",
    ]  # fmt: skip


def test_parts_of_which_nothing_is_known_are_left_out() -> None:
    assert list(parts(make("a", "ERROR", error="no server"))) == ["Result", "Question", "Circumstances", "Run it again"]


def test_the_result_says_why_and_the_cause() -> None:
    ((_, segments),) = parts(full())["Result"]
    assert segments[0] == ["FAIL", "bad", ""]
    assert "".join(s[0] for s in segments) == (
        "FAIL: 2 of 4 checks failed\nCause: contradicted - the answer says otherwise"
    )


def test_the_answer_is_marked_where_checks_matched_and_where_it_has_no_ground() -> None:
    marks = {s[0]: s[1] for s in marked_answer(full(), 1000) if len(s) > 1}
    assert marks == {"$611.3 billion": "good", "$605.9 billion": "bad", "2014": "warn"}


def test_what_the_gold_answer_states_is_marked_without_any_check() -> None:
    record = make("a", answer="They rose to 611,300 million dollars.", gold_answer="$611.3 billion")
    assert [s[:2] for s in marked_answer(record, 1000) if len(s) > 1] == [("611,300 million dollars", "good")]


def test_a_place_in_the_evidence_is_not_marked_in_the_answer() -> None:
    check = Check(kind="names", outcome="pass", span=(0, 3), where="evidence")
    assert marked_answer(make("a", answer="Someone", checks=[check]), 100) == [("Someone",)]


def test_marks_never_change_the_text_and_do_not_overlap() -> None:
    text = "a <b> c"
    segments = marked(text, [(0, 3, "good", "x"), (2, 5, "bad", "y"), (6, 99, "bad", "z"), (4, 4, "bad", "e")], 100)
    assert "".join(s[0] for s in segments) == text
    assert [s for s in segments if len(s) > 1] == [("a <", "good", "x")]


def test_a_long_text_is_cut_and_says_so() -> None:
    assert marked("x" * 1500, [], 400)[-1] == (" … 1,100 more characters are in the results file",)


def test_entities_are_told_apart() -> None:
    ((_, names),) = parts(full())["Entities"]
    assert names == [["TOTAL REVENUES FY2023", "good", "relevant"], ["SAM WALTON", "", "noise"]]


def test_entities_stay_unjudged_where_the_record_does_not_tell() -> None:
    ((_, names),) = parts(full().model_copy(update={"relevant": None}))["Entities"]
    assert names == [["TOTAL REVENUES FY2023"], ["SAM WALTON"]]


def test_the_evidence_is_marked_with_what_was_expected() -> None:
    ((_, _, rows),) = parts(full())["Evidence"]
    assert [row[0] for row in rows] == ["c1", "c2"]
    assert [s[0] for s in rows[0][1] if len(s) > 1] == ["$611.3 billion", "Doug McMillon"]
    assert all(len(s) == 1 for s in rows[1][1])


def test_evidence_beyond_what_is_read_is_shown_and_says_so() -> None:
    ((_, _, rows),) = parts(full(), most=0)["Evidence"]
    assert "not marked" in rows[0][1][-1][0]


def test_evidence_of_which_only_ids_were_kept_says_so() -> None:
    names, (_, told) = parts(full().model_copy(update={"contexts": None}))["Evidence"]
    assert names == ["names", [["c1"], ["c2"]]]
    assert "--graph-eval-report keeps the texts" in told[0][0]


def test_calls_show_which_step_they_serve_and_steps_why_they_are_not() -> None:
    (_, _, calls), (_, _, steps) = parts(full())["Trajectory"]
    assert [row[3] for row in calls] == [[["group 1: sparql_query 1.00", "good", ""]], "no step"]
    assert calls[1][2] == [["error", "bad", ""]]
    assert steps == [["1", "retrieve", "0.00", "not called"]]


def test_failed_checks_come_first_with_expected_and_found() -> None:
    ((_, head, rows),) = parts(full())["Checks"]
    assert head == ["Outcome", "Check", "Expected", "Found", "Why"]
    assert rows[0] == [[["fail", "bad", ""]], "forbidden", "$605.9 billion", "$605.9 billion", "must not be asserted"]


def test_judgements_are_shown_with_reasons_and_caps() -> None:
    ((_, _, rows),) = parts(full())["Judge"]
    assert [row[0] for row in rows] == ["rubric", "rubric", "claims"]
    assert rows[0][3:] == ["4.00", "fine"]
    assert rows[1][2:] == ["Robustness capped", "5.00 to 2.00", "wrong intent"]
    assert rows[2][4] == "no JSON"


def test_repeats_show_the_pass_rate_and_each_asking() -> None:
    (_, text), (_, _, rows) = parts(full())["Repeats"]
    assert text[0][0] == "pass rate 0.50 (95% interval 0.09 to 0.91)"
    assert [row[3] for row in rows] == ["", "numbers"]


def test_what_the_catalog_says_and_what_hooks_noted_is_told() -> None:
    found = parts(full())
    assert found["Catalog"] == [["table", [], [["stale", "numbers: the catalog says $612 billion"]]]]
    assert ["note", "told by a hook"] in found["Circumstances"][0][2]


def test_a_conversation_is_shown_turn_by_turn() -> None:
    found = details(conversation(), Evidence(0))
    assert [title for title, _, level in found if level == "turn"] == ["Turn 1 of 2", "Turn 2 of 2"]
    assert [blocks[0][1] for title, blocks, level in found if title == "Answer"] == [[["A basket."]], [["Nobody."]]]


def test_the_command_is_one_that_a_shell_takes() -> None:
    record = make("a b", suite="it's here.graph.yaml")
    assert parts(record)["Run it again"] == [["code", "pytest --graph-eval 'it'\"'\"'s here.graph.yaml::a b'"]]
