"""Cassettes: what is recorded, what is played, what is told where something is missing."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import PreflightError, ReplyError, TransportError
from pytest_graph_eval.evaluation.asking import Asked, OpenTarget
from pytest_graph_eval.evaluation.pool import Pool
from pytest_graph_eval.models.records import Response, ToolCall, Usage
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.models.settings import GraphTarget, HttpTarget, McpTarget, PythonTarget, ReplayTarget
from pytest_graph_eval.redaction import MASK, Redactor
from pytest_graph_eval.targets.base import Query, Surroundings, TargetStatus, open_target
from pytest_graph_eval.targets.loop import LoopThread
from pytest_graph_eval.targets.recording.lines import (
    OTHER,
    Cassette,
    Header,
    Line,
    RecordMode,
    Tape,
    query_key,
    read_cassette,
    read_line,
)
from pytest_graph_eval.targets.recording.recorder import RecordingTarget, target_identity

from .graph_samples import tiny

SERVERS = Path(__file__).parent.parent / "servers"
MODULE = """
import pathlib
CALLS = pathlib.Path(__file__).with_name("calls")

def ask(question, id, mode, as_of=None, more=None):
    calls = CALLS.read_text().splitlines() if CALLS.exists() else []
    CALLS.write_text("\\n".join([*calls, id]) + "\\n")
    if "crash" in question:
        raise RuntimeError("the index is gone")
    if question == "nothing about WMT":
        return {"answer": "by its alias", "entities": [{"name": "WMT"}]}
    entities = [] if "nothing" in question else [{"name": "A", "description": question}, {"name": "B"}]
    return {"answer": f"reply {len(calls) + 1}", "mode": mode, "entities": entities}
"""


class Studio:
    """A folder with a target module and a cassette."""

    def __init__(self, folder: Path, loop: LoopThread) -> None:
        self.folder, self.loop = folder, loop
        self.path = folder / "cassettes" / "s.jsonl"
        self.spec: Any = PythonTarget(call=f"{folder.name}_target:ask")
        (folder / f"{folder.name}_target.py").write_text(MODULE, "utf-8")

    def run(self, mode: RecordMode, *scenarios: Scenario, repeats: int = 1, spec: Any = None) -> list[Asked]:
        """Ask every scenario in a pool of its own, as a session does, and write what was recorded."""

        async def main() -> list[Asked]:
            pool = Pool()
            surroundings = Surroundings(self.folder, self.folder / "tmp", where="s.graph.yaml:2")
            try:
                tape = Tape(self.path, mode)
                opened = await pool.get(spec or self.spec, surroundings, scenarios, tape=tape)
                asked = [await opened.ask(s, repeat=n) for s in scenarios for n in range(1, repeats + 1)]
                self.write(opened, anew=mode == "all")
                return asked
            finally:
                await pool.close()

        return self.loop.run(main())

    def write(self, opened: OpenTarget, *, anew: bool) -> None:
        made = opened.target.take_recorded() if isinstance(opened.target, RecordingTarget) else []
        if made:
            self.path.parent.mkdir(exist_ok=True)
            merged = read_cassette(self.path).merged(made, anew=anew)
            self.path.write_text("".join(merged.texts()), "utf-8")

    @property
    def calls(self) -> list[str]:
        """The ids that the target was asked for."""
        path = self.folder / "calls"
        return path.read_text("utf-8").split() if path.exists() else []


def ask(id: str, question: str = "", **more: Any) -> Scenario:  # noqa: A002 - as in the suite
    return Scenario(id=id, question=question or f"What about {id}?", gold_answer="x", **more)


def answers(asked: list[Asked]) -> list[str | None]:
    return [a.response.answer if a.response else str(a.error) for a in asked]


@pytest.fixture
def studio(tmp_path: Path, loop: LoopThread, monkeypatch: pytest.MonkeyPatch) -> Studio:
    monkeypatch.setattr(sys, "path", [*sys.path])
    folder = tmp_path / tmp_path.name
    folder.mkdir()
    return Studio(folder, loop)


def test_once_asks_what_is_not_recorded_and_plays_the_rest(studio: Studio) -> None:
    first = studio.run("once", ask("a"))
    second = studio.run("once", ask("a"), ask("b"))
    assert answers(first) == ["reply 1"]
    assert answers(second) == ["reply 1", "reply 2"]
    assert studio.calls == ["a", "b"]
    assert [a.is_replayed for a in second] == [True, False]
    assert [a.flags for a in second] == [["replayed"], []]


def test_all_asks_everything_anew_and_replaces_what_was_recorded(studio: Studio) -> None:
    studio.run("once", ask("a"), ask("b"))
    assert answers(studio.run("all", ask("a"))) == ["reply 3"]
    assert answers(studio.run("none", ask("a"), ask("b"))) == ["reply 3", "reply 2"]


def test_none_asks_nothing(studio: Studio) -> None:
    studio.run("once", ask("a"))
    asked = studio.run("none", ask("a"), ask("b"))
    assert studio.calls == ["a"]
    assert asked[0].response == studio.run("once", ask("a"))[0].response
    assert isinstance(asked[1].error, ReplyError)
    assert str(asked[1].error) == (
        f"{studio.path}: no reply to this question (mode kg, turn 1, repeat 1); nothing is recorded of 'b'. "
        "Record it: pytest --graph-eval --graph-eval-record-mode once"
    )


def test_a_replay_keeps_the_time_the_mode_and_the_order_of_lists(studio: Studio) -> None:
    (live,) = studio.run("once", ask("a"))
    (played,) = studio.run("none", ask("a"))
    assert played.response == live.response
    assert (played.elapsed_s, played.mode_ran) == (live.elapsed_s, live.mode_ran)
    assert live.elapsed_s is not None


def test_repeats_modes_dates_and_arguments_are_recorded_apart(studio: Studio) -> None:
    question = "What is new?"
    scenarios = [
        ask("plain", question),
        ask("other-mode", question, mode="global"),
        ask("dated", question, as_of="2024-03-01"),
        ask("argued", question, arguments={"more": 1}),
    ]
    live = studio.run("once", *scenarios, repeats=2)
    assert answers(live) == [f"reply {n}" for n in range(1, 9)]
    assert answers(studio.run("none", *scenarios, repeats=2)) == answers(live)


def test_a_missing_repeat_says_which_ones_are_recorded(studio: Studio) -> None:
    studio.run("once", ask("a"), repeats=2)
    with_third = studio.run("none", ask("a"), repeats=3)
    assert "(mode kg, turn 1, repeat 3); recorded of 'a': mode kg, turn 1, repeat 1; mode kg, turn 1, repeat 2" in str(
        with_third[2].error
    )


def test_the_scenario_s_name_is_for_readers_only(studio: Studio) -> None:
    studio.run("once", ask("old-name", "What is new?"))
    assert answers(studio.run("none", ask("new-name", "What is new?"))) == ["reply 1"]


def test_a_changed_question_is_told_by_the_recorded_one(studio: Studio) -> None:
    studio.run("once", ask("a", "What was old?"))
    (asked,) = studio.run("none", ask("a", "What is new?"))
    assert "of 'a' another one is recorded: “What was old?”. Record it" in str(asked.error)


def test_what_was_asked_again_under_an_alias_is_recorded_too(studio: Studio) -> None:
    spec = studio.spec.model_copy(update={"aliases": {"Walmart": ["WMT"]}})
    scenario = ask("a", "nothing about Walmart")
    assert answers(studio.run("once", scenario, spec=spec)) == ["by its alias"]
    (played,) = studio.run("none", scenario, spec=spec)
    assert answers([played]) == ["by its alias"]
    assert played.flags == ["replayed", "alias:WMT"]
    assert len(studio.calls) == 2


def test_an_error_is_not_recorded_but_asked_again(studio: Studio) -> None:
    (asked,) = studio.run("once", ask("a", "crash now"))
    assert "the index is gone" in str(asked.error)
    assert not studio.path.exists()
    studio.run("once", ask("a", "crash now"))
    assert studio.calls == ["a", "a"]


def test_a_recorded_error_that_somebody_wrote_is_replayed(studio: Studio) -> None:
    studio.run("once", ask("a"))
    lines = studio.path.read_text("utf-8").splitlines()
    data = json.loads(lines[1])
    del data["response"]
    studio.path.write_text("\n".join([lines[0], json.dumps(data | {"error": "index gone"})]), "utf-8")
    (asked,) = studio.run("none", ask("a"))
    assert (str(asked.error), asked.is_replayed) == ("recorded error: index gone", True)


@pytest.mark.parametrize("mode", ["once", "none"])
def test_a_cassette_of_other_settings_is_told(studio: Studio, mode: RecordMode) -> None:
    studio.run("once", ask("a"))
    changed = studio.spec.model_copy(update={"drop": ["x"]})
    studio.run("once", ask("b"), spec=changed)
    (asked,) = studio.run(mode, ask("a"), spec=changed)
    assert "stale_cassette" in asked.flags
    if mode == "none":
        assert f"it was recorded with {OTHER}. Record it" in str(asked.error)
    else:
        assert answers([asked]) == ["reply 3"]
        assert studio.run("none", ask("a"), spec=changed)[0].flags == ["replayed"]
    assert answers(studio.run("none", ask("a"))) == ["reply 1"], "the other target's replies are kept"


def test_a_cassette_with_nothing_of_the_target_ends_all_its_scenarios_with_one_message(studio: Studio) -> None:
    (missing,) = studio.run("none", ask("a"))
    assert isinstance(missing.error, PreflightError)
    assert str(missing.error) == (
        f"{studio.path}: no replies of the target {studio.folder.name}_target:ask; nothing is recorded. "
        "Record it: pytest --graph-eval --graph-eval-record-mode once"
    )
    studio.run("once", ask("a"))
    (stale,) = studio.run("none", ask("a"), spec=studio.spec.model_copy(update={"drop": ["x"]}))
    assert f"there are those of {studio.folder.name}_target:ask with {OTHER}" in str(stale.error)
    assert studio.calls == ["a"]


def test_settings_that_come_after_the_reply_do_not_make_a_cassette_stale(studio: Studio) -> None:
    studio.run("once", ask("a"))
    changed = {"timeout": 5.0, "top_entities": 1, "name": "shown", "deterministic": False, "aliases": {"x": ["y"]}}
    (asked,) = studio.run("none", ask("a"), spec=studio.spec.model_copy(update=changed))
    assert asked.response is not None
    assert [e.name for e in asked.response.entities or ()] == ["A"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PythonTarget(call="m:f"), PythonTarget(call="m:g")),
        (PythonTarget(call="m:f"), PythonTarget(factory="m:f")),
        (McpTarget(command=["a"]), McpTarget(command=["a"], tool="t")),
        (McpTarget(url="http://h"), HttpTarget(url="http://h")),
        (HttpTarget(url="http://h"), HttpTarget(url="http://h", json={"q": 1})),
    ],
)
def test_targets_that_may_reply_differently_are_told_apart(one: Any, other: Any) -> None:
    assert target_identity(one, Path()) != target_identity(other, Path())
    assert target_identity(one, Path()) == target_identity(one.model_copy(update={"timeout": 9.0}), Path())


def test_a_target_that_is_set_up_with_another_file_may_reply_differently(tmp_path: Path) -> None:
    spec = McpTarget(command=["a"], setup=[{"tool": "ingest", "arguments": {"payload": {"$file": "x.json"}}}])
    file = tmp_path / "x.json"
    made = [target_identity(spec, tmp_path)]
    for text in ('{"a": [1, 2]}', '{"a": [1, 3]}', '{\n "a": [1, 2]\n}', "no JSON"):
        file.write_text(text, "utf-8")
        made.append(target_identity(spec, tmp_path))
    gone, first, changed, laid_out, broken = made
    assert len({gone, first, changed}) == 3
    assert (laid_out, broken) == (first, gone)


@pytest.mark.parametrize("spec", [ReplayTarget(path="r.jsonl"), GraphTarget(extraction=["g.json"])])
def test_what_is_a_file_already_is_not_recorded(studio: Studio, spec: Any) -> None:
    (studio.folder / "r.jsonl").write_text('{"id": "a", "response": {"answer": "x"}}\n', "utf-8")
    (studio.folder / "g.json").write_text(json.dumps(tiny()), "utf-8")
    (asked,) = studio.run("none", ask("a", "A"), spec=spec)
    assert asked.response is not None
    assert not studio.path.exists()


def test_the_file_is_the_same_whatever_the_order_of_recording(studio: Studio) -> None:
    studio.run("once", ask("b"), ask("a"), repeats=2)
    cassette = read_cassette(studio.path)
    text = "".join(cassette.texts())
    lines = [*cassette.headers.values(), *reversed(cassette.lines.values())]
    assert "".join(Cassette(studio.path).merged(lines).texts()) == text == studio.path.read_text("utf-8")
    ids = [(d["id"], d["repeat"]) for d in map(json.loads, text.splitlines()) if "id" in d]
    assert ids == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]


def test_anew_replaces_all_that_was_recorded_of_a_scenario(studio: Studio) -> None:
    studio.run("once", ask("a"), ask("b"), repeats=3)
    studio.run("all", ask("a", "What is new?"))
    recorded = [(line.id, line.question) for line in read_cassette(studio.path).lines.values()]
    assert sorted(set(recorded)) == [("a", "What is new?"), ("b", "What about b?")]
    assert len(recorded) == 4


def test_a_cassette_is_a_replay_target_too(studio: Studio) -> None:
    live = studio.run("once", ask("a"), ask("b"), repeats=2)
    played = studio.run("none", ask("a"), ask("b"), repeats=2, spec=ReplayTarget(path="cassettes/s.jsonl"))
    assert answers(played) == answers(live)
    (other,) = studio.run("none", ask("a", "Another?"), spec=ReplayTarget(path="cassettes/s.jsonl"))
    assert "holds no reply of 'a' to this question, but to: What about a?" in str(other.error)
    studio.run("once", ask("a"), spec=studio.spec.model_copy(update={"drop": ["x"]}))
    (two,) = studio.run("none", ask("a"), spec=ReplayTarget(path="cassettes/s.jsonl"))
    assert "holds the replies of 2 targets; a recording holds those of one" in str(two.error)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "Expecting property name"),
        ('{"id": "a", "response": {}}', "`target` and `key` are expected in a cassette"),
        ('{"status": {}}', "`target` and `key` are expected in a cassette"),
        ('{"target": "t", "status": []}', "`status` is a list of 0; an object is expected"),
        (
            '{"target": "t", "status": {"entities": "3"}}',
            "`status.entities` is the text '3'; a whole number is expected",
        ),
        (
            '{"target": "t", "status": {"tools": []}}',
            "`status.tools` has to be an object, and `status.warnings` a list",
        ),
        ('{"target": "t", "status": {}, "format": 2}', "format 2; this version reads 1: upgrade"),
        ('{"id": "a", "target": 3, "key": "k", "response": {}}', "`target` is the number 3; a text is expected"),
        ('{"id": "a", "target": "t", "key": "k", "repeat": 0, "response": {}}', "`repeat` is the number 0"),
        ('{"id": "a", "target": "t", "key": "k", "response": {"answer": 3}}', "response.answer: Input should be"),
        ('{"id": "a", "target": "t", "key": "k", "response": 3}', "response: Input should be"),
    ],
)
def test_lines_that_are_none_are_named(studio: Studio, line: str, message: str) -> None:
    studio.path.parent.mkdir()
    studio.path.write_text(f"\n{line}\n", "utf-8")
    (asked,) = studio.run("once", ask("a"))
    first, *_, last = str(asked.error).splitlines()
    assert first.startswith(f"{studio.path}:2: ")
    assert message in first
    assert last == "correct the cassette, or delete it and record anew"
    assert studio.calls == []


def test_a_cassette_that_cannot_be_read_is_named(studio: Studio) -> None:
    studio.path.mkdir(parents=True)
    with pytest.raises(PreflightError, match=r"the cassette .*s\.jsonl cannot be read: Is a directory"):
        read_cassette(studio.path)
    other = studio.folder / "x.jsonl"
    other.write_bytes(b"\xff\xfe")
    with pytest.raises(PreflightError, match="cannot be read: it is not UTF-8"):
        read_cassette(other)


def full(secret: str) -> Line:
    call = ToolCall(name="t", args={"q": secret, "file_path": "x"}, output=[{"file_path": "y", "text": secret}])
    response = Response(
        answer=f"the key is {secret}",
        tool_calls=[call],
        references=[{"file_path": "z"}, secret],
        names=["ligne\u2028suivante"],
        usage=Usage(input_tokens=123456, output_tokens=1),
        elapsed_s=0.5,
        attempts=2,
    )
    return Line("a", 2, response, 3, "t1", "k1", f"Who has {secret}?", "mix")


def test_a_line_is_read_as_it_was_written() -> None:
    line = full("nothing")
    assert read_line(line.to_text()) == line
    assert "\n" not in line.to_text()
    header = Header("t1", "demo", TargetStatus(3, None, {"ask": {"type": "object"}}, warnings=("old",)))
    assert read_line(header.to_text()) == header


def test_secrets_are_not_recorded_and_the_line_says_so() -> None:
    redactor = Redactor(["s3cret-token", "123456"])
    line = full("s3cret-token").redacted(redactor)
    assert line.is_redacted
    assert "s3cret-token" not in line.to_text()
    assert isinstance(line.content, Response)
    assert line.content.answer == f"the key is {MASK}"
    assert line.content.usage == Usage(input_tokens=123456, output_tokens=1)
    assert (line.content.elapsed_s, line.content.attempts) == (0.5, 2)
    again = read_line(line.to_text())
    assert isinstance(again, Line)
    assert again.is_redacted
    assert not full("nothing").redacted(redactor).is_redacted
    assert Line("a", 1, "error with s3cret-token").redacted(redactor).content == f"error with {MASK}"
    header = Header(
        "t1", "s3cret-token", TargetStatus(tools={"t": {"default": "s3cret-token"}}, warnings=("s3cret-token",))
    )
    assert "s3cret-token" not in header.redacted(redactor).to_text()


def test_keys_that_are_dropped_are_not_recorded() -> None:
    text = full("nothing").without(["file_path"]).to_text()
    assert "file_path" not in text
    assert '"text": "nothing"' in text
    assert Line("a", 1, "failed").without(["x"]) == Line("a", 1, "failed")
    assert Line("a", 1, Response()).without(["x"]).content == Response()


def test_a_redacted_reply_is_told_when_it_is_played(studio: Studio) -> None:
    studio.run("once", ask("a"))
    text = studio.path.read_text("utf-8").replace('"key":', '"redacted": true, "key":')
    studio.path.write_text(text, "utf-8")
    assert studio.run("none", ask("a"))[0].flags == ["replayed", "redacted_reply"]


@pytest.mark.parametrize(
    "change",
    [{"question": "r"}, {"mode": "kg"}, {"turn": 2}, {"repeat": 2}, {"as_of": "2024"}, {"query_hints": "h"},
     {"arguments": {"a": 1}}],
)  # fmt: skip
def test_everything_that_a_reply_depends_on_is_in_the_key(change: Mapping[str, Any]) -> None:
    base: dict[str, Any] = {"question": "q", "id": "a"}
    assert query_key(Query(**base)) != query_key(Query(**{**base, **change}))


def test_the_scenario_is_in_the_key_only_where_a_conversation_goes_on() -> None:
    assert query_key(Query("q", id="a")) == query_key(Query("q", id="b"))
    assert query_key(Query("and?", id="a", turn=2)) != query_key(Query("and?", id="b", turn=2))


def server(*faults: str, **settings: Any) -> McpTarget:
    return McpTarget(
        command=[sys.executable, str(SERVERS / "raw_server.py"), *faults], tool="query_graph_tool", **settings
    )


def test_no_server_is_started_where_everything_is_recorded(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = server(env={"TOKEN": "${GRAPH_TOKEN}"})
    monkeypatch.setenv("GRAPH_TOKEN", "s3cret-token")
    scenario = ask("a", "What is new?")
    (live,) = studio.run("once", scenario, spec=spec)
    monkeypatch.delenv("GRAPH_TOKEN")
    assert studio.run("once", scenario, spec=spec)[0].response == live.response
    assert studio.run("none", scenario, spec=spec)[0].response == live.response
    (asked,) = studio.run("once", ask("b", "And else?"), spec=spec)
    assert "GRAPH_TOKEN is not set" in str(asked.error)


def test_the_status_is_recorded_and_read_back(studio: Studio) -> None:
    spec = server()
    studio.run("once", ask("a", "What is new?"), spec=spec)

    async def status() -> tuple[TargetStatus, bool]:
        pool = Pool()
        opened = await pool.get(spec, Surroundings(studio.folder, studio.folder), [], tape=Tape(studio.path, "none"))
        await pool.close()
        assert opened.result is not None
        assert opened.target is not None
        assert opened.target.catalog() is None
        return opened.result.status, opened.target.deterministic

    found, deterministic = studio.loop.run(status())
    assert (found.entities, found.relationships) == (3, 2)
    assert sorted(found.tools or ()) == ["get_server_status", "query_graph_tool", "reingest_from_file"]
    assert deterministic


def test_a_scenario_that_cannot_be_asked_is_not_asked_of_the_live_target(studio: Studio) -> None:
    """The schema of the tool comes from the recording or from the server: the same message."""
    spec = server()
    good, bad = ask("a", "What is new?"), ask("b", "Else?", arguments={"mode": 3})
    for _ in range(2):
        asked = studio.run("once", good, bad, spec=spec)
        assert asked[0].response is not None
        assert "the arguments do not fit the tool query_graph_tool: mode" in str(asked[1].error)


def test_a_dead_server_ends_the_rest_with_the_same_error_and_keeps_what_is_recorded(studio: Studio) -> None:
    spec = PythonTarget(call=studio.spec.call, drop=["x"])
    studio.run("once", ask("a"), spec=spec)
    (studio.folder / f"{studio.folder.name}_target.py").write_text("raise RuntimeError('no such index')\n", "utf-8")
    del sys.modules[f"{studio.folder.name}_target"]
    asked = studio.run("once", ask("a"), ask("b"), ask("c"), spec=spec)
    assert answers(asked)[0] == "reply 1"
    assert "no such index" in str(asked[1].error)
    assert str(asked[1].error) == str(asked[2].error)


def test_the_live_target_s_secrets_are_known_as_soon_as_it_is_open(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPH_TOKEN", "s3cret-token")
    spec = server(env={"TOKEN": "${GRAPH_TOKEN}"})

    async def main() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        pool = Pool()
        scenario = ask("a", "What is new?")
        opened = await pool.get(
            spec, Surroundings(studio.folder, studio.folder), [scenario], tape=Tape(studio.path, "once")
        )
        assert opened.target is not None
        await pool.close()
        return pool.secrets(), opened.target.secrets, frozenset({"s3cret-token"})

    of_pool, of_target, expected = studio.loop.run(main())
    assert of_pool == of_target == expected


def test_a_recording_target_answers_as_the_target_in_it(studio: Studio) -> None:
    inner = open_target(studio.spec, Surroundings(studio.folder, studio.folder, where="s.graph.yaml:2"))

    async def main() -> RecordingTarget[Any]:
        async def prepare() -> Any:
            await inner.open()
            return type("Fit", (), {"status": TargetStatus(7), "blocked": {}})()

        target = RecordingTarget(inner, studio.spec, Cassette(studio.path), "all", prepare, folder=studio.folder)
        await target.open()
        assert target.take_recorded() == []
        assert await target.status() == TargetStatus()
        await target.ask(Query("q", id="a"))
        header, line = target.take_recorded()
        assert isinstance(header, Header)
        assert isinstance(line, Line)
        assert (header.status, line.id) == (TargetStatus(7), "a")
        assert target.take_recorded() == []
        await target.close()
        return target

    target = studio.loop.run(main())
    assert (target.name, target.kind, target.where) == (inner.name, "python", "s.graph.yaml:2")
    with pytest.raises(TransportError):
        studio.loop.run(inner.ask(Query("q")))


def talk(*questions: str) -> Scenario:
    return Scenario.model_validate({"id": "t", "turns": [{"question": q, "expect": {"names": "A"}} for q in questions]})


def test_a_conversation_is_played_whole_and_asked_anew_where_a_turn_is_missing(studio: Studio) -> None:
    module = f"{studio.folder.name}_target.py"
    told = MODULE.replace("as_of=None", "thread_id, as_of=None")
    (studio.folder / module).write_text(told, "utf-8")
    (first,) = studio.run("once", talk("one", "two"))
    assert answers(first.turns) == ["reply 1", "reply 2"]
    (again,) = studio.run("none", talk("one", "two"))
    assert answers(again.turns) == answers(first.turns)
    assert [t.flags for t in again.turns] == [["replayed"], ["replayed"]]
    (longer,) = studio.run("once", talk("one", "two", "three"))
    assert answers(longer.turns) == ["reply 3", "reply 4", "reply 5"]
    assert [t.is_replayed for t in longer.turns] == [False] * 3
