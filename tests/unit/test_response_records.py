"""graphrag-eval's response records as a recording: every shape is read, a bad record costs its own question only."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import PreflightError, ReplyError
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import ReplayTarget
from pytest_graph_eval.targets.base import Query, Surroundings, open_target
from pytest_graph_eval.targets.recording.lines import Line
from pytest_graph_eval.targets.recording.replay import Recording
from pytest_graph_eval.targets.recording.response_records import read_record, read_response_records

STEP = {"name": "calc", "id": "c1", "status": "success", "args": {"x": 1}, "output": "42"}
RECORD = {
    "question_id": "q1",
    "actual_answer": "forty-two",
    "actual_steps": [STEP, {"name": "calc", "id": "c2", "status": "error", "error": "boom"}],
    "input_tokens": 10,
    "output_tokens": 2,
    "total_tokens": 12,
    "elapsed_sec": 1.5,
    "extra": "left alone",
}


def recording(folder: Path, content: Any) -> Recording:
    text = content if isinstance(content, str) else json.dumps(content, indent=1)
    (folder / "r.jsonl").write_text(text, "utf-8")
    target = open_target(ReplayTarget(path="r.jsonl"), Surroundings(folder, folder))
    assert isinstance(target, Recording)
    asyncio.run(target.open())
    return target


def ask(target: Recording, id: str, **more: Any) -> Response:  # noqa: A002 - as in `Query`
    return asyncio.run(target.ask(Query("q", id=id, **more)))


def lines(*records: Any) -> str:
    return "\n".join(json.dumps(record) for record in records) + "\n"


@pytest.mark.parametrize(
    "content",
    [
        {"q1": RECORD, "q2": {"question_id": "q2"}},
        [RECORD, {"question_id": "q2"}],
        lines(RECORD, {"question_id": "q2"}),
        lines(RECORD),
        {"q1": {key: value for key, value in RECORD.items() if key != "question_id"}},
    ],
    ids=["mapping", "list", "lines", "one line", "mapping without question_id"],
)
def test_each_shape_is_read(tmp_path: Path, content: Any) -> None:
    found = ask(recording(tmp_path, content), "q1")
    assert found.answer == "forty-two"
    assert found.usage is not None
    assert (found.usage.input_tokens, found.usage.output_tokens, found.usage.total_tokens) == (10, 2, 12)
    assert found.elapsed_s == 1.5
    assert found.tool_calls is not None
    assert found.tool_calls[0].model_dump(exclude_none=True) == STEP
    assert [(c.id, c.status, c.output) for c in found.tool_calls] == [
        ("c1", "success", "42"),
        ("c2", "error", "boom"),
    ]


@pytest.mark.parametrize("record", [{"question_id": "q"}, {"question_id": "q", "actual_steps": None}])
def test_no_steps_are_an_empty_list(record: dict[str, Any]) -> None:
    content = read_record(record, "q", "line 1").content
    assert isinstance(content, Response)
    assert content.tool_calls == []
    assert content.usage is None


@pytest.mark.parametrize(("error", "status"), [(None, "success"), ("timed out", "error"), ({"code": 1}, "error")])
def test_an_error_that_is_null_is_none(error: Any, status: str) -> None:
    content = read_record({"question_id": "q", "error": error, "actual_steps": [STEP]}, "q", "line 1").content
    assert isinstance(content, Response)
    assert content.status == status
    assert (content.error is None) == (error is None)
    assert len(content.tool_calls or ()) == 1


def test_a_missing_record_is_told_to_its_own_question_only(tmp_path: Path) -> None:
    target = recording(tmp_path, {"q1": RECORD})
    with pytest.raises(ReplyError, match="no response for 'q2'"):
        ask(target, "q2")
    assert ask(target, "q1").answer == "forty-two"


def test_records_are_found_by_the_id_that_the_question_has_in_its_project(tmp_path: Path) -> None:
    target = recording(tmp_path, [{"question_id": "bay 7/a", "actual_answer": "yes"}])
    assert ask(target, "bay-7-a", source_id="bay 7/a").answer == "yes"
    assert not target.notes({"bay-7-a": 1, "bay 7/a": 1})


def test_a_numeric_id_is_its_text(tmp_path: Path) -> None:
    target = recording(tmp_path, [{"question_id": 7, "actual_steps": [{**STEP, "id": 3}]}])
    assert (ask(target, "7").tool_calls or [])[0].id == "3"


def test_several_records_serve_the_repeats_and_what_is_left_over_is_told(tmp_path: Path) -> None:
    target = recording(tmp_path, lines(*({"question_id": "q1", "actual_answer": a} for a in "abc"), {"question_id": 9}))
    assert [ask(target, "q1", repeat=k).answer for k in (1, 2)] == ["a", "b"]
    assert target.notes({"q1": 2}) == (
        "response records of no scenario in r.jsonl: '9'",
        "more response records than askings in r.jsonl: 'q1' (3 of which 2 used)",
    )


def test_a_record_under_another_id_than_it_says_is_told(tmp_path: Path) -> None:
    target = recording(tmp_path, {"q1": {"question_id": "other"}})
    assert target.remarks(Query("q", id="q1")) == ("other_question_id:other",)
    assert target.notes({"q1": 1}) == ("response records under another id than their `question_id` in r.jsonl: 'q1'",)


def test_only_a_few_names_are_listed(tmp_path: Path) -> None:
    (note,) = recording(tmp_path, {f"q{n}": {} for n in range(9)}).notes({})
    assert note.endswith("'q0', 'q1', 'q2', 'q3', 'q4' and 4 more")


def test_a_recording_of_ours_has_no_such_notes(tmp_path: Path) -> None:
    target = recording(tmp_path, '{"id": "a", "response": {"answer": "x"}}\n')
    assert ask(target, "a").answer == "x"
    assert target.notes({}) == ()


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("text", "[0] is"),
        ({"actual_answer": "x"}, "a response record with `question_id` is expected"),
        ({"question_id": True}, "a response record with `question_id` is expected"),
        ({"question_id": "q", "actual_steps": "none"}, "actual_steps is"),
        ({"question_id": "q", "actual_steps": {"name": "x"}}, "a list of steps is expected"),
    ],
)
def test_a_bad_record_is_an_error_of_its_question(record: Any, words: str) -> None:
    found = read_response_records(json.dumps([record, {"question_id": "good", "actual_answer": "x"}])) or []
    assert isinstance(found[0].content, str)
    assert words in found[0].content
    assert isinstance(found[1].content, Response)


@pytest.mark.parametrize(
    "step",
    ["text", None, 3, [], {}, {"name": 5}, {"name": "a", "execution_timestamp": []}, {"name": "a", "status": 7}],
)
def test_a_bad_step_is_a_failed_call_that_is_flagged(step: Any) -> None:
    line = read_record({"question_id": "q", "actual_steps": [STEP, step]}, "q", "line 1")
    assert isinstance(line.content, Response)
    (_, call) = line.content.tool_calls or []
    assert (call.name, call.status) == ("", "error")
    assert "the step cannot be read: actual_steps[1]" in call.output
    assert line.flags == ("unreadable:actual_steps[1]",)


@pytest.mark.parametrize("value", ["12", True, -1, 1.5, [1], float("nan"), float("inf")])
def test_a_figure_that_is_none_is_unknown_and_not_zero(value: Any) -> None:
    line = read_record({"question_id": "q", "input_tokens": value, "output_tokens": 3}, "q", "line 1")
    assert isinstance(line.content, Response)
    assert line.content.usage is not None
    assert line.content.usage.input_tokens is None
    assert line.content.usage.output_tokens == 3
    assert line.flags == ("unreadable:input_tokens",)


@pytest.mark.parametrize("answer", [7, ["a", "b"], {"text": "a"}])
def test_an_answer_that_is_no_text_is_its_json(answer: Any) -> None:
    content = read_record({"question_id": "q", "actual_answer": answer}, "q", "line 1").content
    assert isinstance(content, Response)
    assert json.loads(content.answer or "") == answer


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    with pytest.raises(PreflightError, match=r"r\.jsonl: line 2: Expecting"):
        recording(tmp_path, lines(RECORD) + "{oops\n")


@pytest.mark.parametrize("text", ["", "\n", "oops", '{"id": "a", "response": {}}', '{"id": "a"}\n{"id": "b"}', "3"])
def test_other_texts_are_not_taken_for_response_records(text: str) -> None:
    assert read_response_records(text) is None


@pytest.mark.parametrize("text", ["{}", "[]"])
def test_a_file_may_hold_no_record(text: str) -> None:
    assert read_response_records(text) == []


def test_flags_are_no_part_of_a_written_line() -> None:
    line = Line("q", 1, "gone", flags=("x",))
    assert "flags" not in json.loads(line.to_text())
