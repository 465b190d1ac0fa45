from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import PreflightError, ReplyError, TransportError
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import ReplayTarget
from pytest_graph_eval.targets.base import Query, Surroundings, open_target
from pytest_graph_eval.targets.recording.replay import Recording


def recording(folder: Path, *lines: Any, **settings: Any) -> Recording:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / "r.jsonl").write_text(text + "\n", "utf-8")
    spec = ReplayTarget(path="r.jsonl", **settings)
    target = open_target(spec, Surroundings(folder, folder, where="s.yaml:2"))
    assert isinstance(target, Recording)
    return target


def ask(target: Recording, id: str, turn: int = 1, repeat: int = 1) -> Response:  # noqa: A002 - as in `Query`
    async def main() -> Response:
        await target.open()
        await target.open()
        return await target.ask(Query("q", id=id, turn=turn, repeat=repeat))

    return asyncio.run(main())


def line(id: str, answer: str, **more: Any) -> dict[str, Any]:  # noqa: A002 - as in the file
    return {"id": id, "response": {"answer": answer}, **more}


def test_a_response_is_served_as_it_was_recorded(tmp_path: Path) -> None:
    full = {"answer": "x", "entities": [{"name": "A"}], "chunks": None, "elapsed_s": 0.25, "status": "success"}
    target = recording(tmp_path, "", {"id": "S1", "response": full}, "   ")
    response = ask(target, "S1")
    assert (response.answer, response.chunks, response.relationships, response.elapsed_s) == ("x", None, None, 0.25)
    assert response.entities is not None
    assert response.entities[0].name == "A"
    assert (target.deterministic, target.kind, target.name) == (True, "replay", "r.jsonl")


def test_the_kth_line_of_an_id_and_turn_serves_the_kth_repeat(tmp_path: Path) -> None:
    target = recording(
        tmp_path, line("A", "a1"), line("B", "b1"), line("A", "a2"), line("A", "t2", turn=2), line("A", "a3", turn=1)
    )
    answers = [ask(target, "A", repeat=k).answer for k in (1, 2, 3)]
    assert answers == ["a1", "a2", "a3"]
    assert ask(target, "A", turn=2).answer == "t2"
    assert ask(target, "B").answer == "b1"


def test_what_was_served_can_be_changed_without_changing_the_recording(tmp_path: Path) -> None:
    target = recording(tmp_path, {"id": "A", "response": {"names": ["x"]}})
    names = ask(target, "A").names
    assert names is not None
    names.clear()
    assert ask(target, "A").names == ["x"]


def test_fewer_lines_than_repeats_are_an_error_that_says_so(tmp_path: Path) -> None:
    target = recording(tmp_path, line("A", "a1"), line("A", "a2"))
    with pytest.raises(ReplyError) as error:
        ask(target, "A", repeat=3)
    assert str(error.value).endswith(
        "r.jsonl holds 2 of at least 3 responses that the repeats of 'A' (turn 1) need; "
        "record the others or lower `repeats`"
    )


def test_a_missing_id_names_the_file_and_the_nearest_id(tmp_path: Path) -> None:
    with pytest.raises(ReplyError) as error:
        ask(recording(tmp_path, line("TC001", "x"), line("OTHER", "y")), "TC0001")
    assert str(error.value).endswith("r.jsonl has no response for 'TC0001'; did you mean 'TC001'? (2 recorded ids)")


def test_a_missing_turn_names_the_recorded_ones(tmp_path: Path) -> None:
    with pytest.raises(ReplyError, match=r"has no turn 3 of 'A' \(recorded: 1, 2\); record it"):
        ask(recording(tmp_path, line("A", "x"), line("A", "y", turn=2)), "A", turn=3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"error": "no reply within 30 s"}, "recorded error: no reply within 30 s"),
        ({"response": {"status": "error", "error": "boom"}}, "recorded error: the server reports an error: boom"),
        ({"response": {"status": "failed"}}, 'recorded error: the server reports status "failed"'),
    ],
)
def test_a_recorded_error_is_an_error_again(tmp_path: Path, content: dict[str, Any], message: str) -> None:
    target = recording(tmp_path, {"id": "A", **content})
    with pytest.raises(ReplyError) as error:
        ask(target, "A")
    assert message in str(error.value)


def test_the_time_may_stand_beside_the_response(tmp_path: Path) -> None:
    assert ask(recording(tmp_path, line("A", "x", elapsed_s=1.5)), "A").elapsed_s == 1.5
    assert ask(recording(tmp_path, line("A", "x")), "A").elapsed_s is None


def test_raw_replies_are_read_by_a_preset(tmp_path: Path) -> None:
    path = Path(__file__).parent.parent / "data" / "preciso_recordings.jsonl"
    replies = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
    lines = [
        {"id": r["case_id"], "response": r["payload"], "elapsed_s": 0.1}
        for r in replies
        if r["case_id"] and r["payload"]
    ]
    target = recording(tmp_path, *lines, preset="preciso", drop=["file_path"])
    chunks = ask(target, "TC001").chunks
    assert chunks
    assert all("::" not in c.id for c in chunks)
    assert target.id_rule == "after ::"
    references = ask(target, "TC001").references
    assert references
    assert "file_path" not in references[0]


def test_all_bad_lines_are_named_at_once(tmp_path: Path) -> None:
    lines: list[Any] = [
        line("A", "x"),
        "{",
        "[1]",
        {"response": {}},
        {"id": 3, "response": {}},
        {"id": "A"},
        {"id": "A", "response": {}, "error": "e"},
        {"id": "A", "respnse": {}},
        {"id": "A", "response": {}, "turn": 0},
        {"id": "A", "response": {}, "turn": True},
        {"id": "A", "response": {"entites": []}},
        {"id": "A", "response": {"entities": [{}], "status": "success"}},
        {"id": "A", "response": "text"},
        {"id": "A", "error": None},
        {"id": "A", "response": {}, "format": 2},
        line("A", "x", elapsed_s="1"),
    ]
    expected = [
        "not JSON: Expecting property name enclosed in double quotes (column 2)",
        "a list of 1",
        "`id` is null",
        "`id` is the number 3",
        "either `response` or `error` is expected",
        "either `response` or `error` is expected",
        "unknown keys: 'respnse'; did you mean 'response'?",
        "`turn` is the number 0; a whole number from 1 is expected",
        "`turn` is true; a whole number from 1 is expected",
        "`response` has unknown keys: 'entites'; did you mean 'entities'?",
        "entities[0] has no name",
        "`response` is the text 'text'; an object with the fields of a response is expected",
        "`error` is null; a text is expected",
        "format 2; this version reads 1: upgrade pytest-graph-eval",
        "`elapsed_s` is the text '1'; seconds as a number are expected",
    ]
    with pytest.raises(PreflightError) as error:
        asyncio.run(recording(tmp_path, *lines).open())
    problems = str(error.value).splitlines()
    assert len(problems) == len(expected)
    for number, (problem, words) in enumerate(zip(problems, expected, strict=True), 2):
        assert f"r.jsonl:{number}: " in problem
        assert words in problem


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    target = recording(tmp_path)
    (tmp_path / "r.jsonl").unlink()
    with pytest.raises(PreflightError, match=r"s\.yaml:2: the recording .*r\.jsonl cannot be read: No such file"):
        asyncio.run(target.open())
    (tmp_path / "r.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(PreflightError, match="cannot be read: it is not UTF-8"):
        asyncio.run(target.open())


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    target = recording(tmp_path)
    (tmp_path / "r.jsonl").write_bytes(b"\xef\xbb\xbf" + json.dumps(line("A", "x\u2028y")).encode() + b"\r\n\r\n")
    assert ask(target, "A").answer == "x\u2028y"


def test_a_recording_that_is_not_open_says_so(tmp_path: Path) -> None:
    with pytest.raises(TransportError, match="not open"):
        asyncio.run(recording(tmp_path).ask(Query("q", id="A")))


def test_a_malformed_mapping_is_named_with_the_suite(tmp_path: Path) -> None:
    with pytest.raises(PreflightError, match=r"s\.yaml:2: response\.answer: 'a\[\[' is no path"):
        asyncio.run(recording(tmp_path, response={"answer": "a[["}).open())
