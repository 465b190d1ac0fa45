from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import ReplyError, ToolError
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import McpTarget, PythonTarget, ResponseMap
from pytest_graph_eval.targets.reply.items import apply_id_rule
from pytest_graph_eval.targets.reply.mapping import (
    ToolReply,
    check_map,
    decode,
    map_reply,
    read_response,
    read_warnings,
    without,
)
from pytest_graph_eval.targets.reply.presets import NATIVE, PRESETS, mode_names, response_map, status_spec

PRECISO = PRESETS["preciso"].response
GENERIC = PRESETS["generic-mcp"].response
RECORDINGS = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "preciso_recordings.jsonl").read_text("utf-8").splitlines()
]
QUERIES = [r for r in RECORDINGS if r["request"]["params"]["name"].endswith("query_graph_tool")]


def reply_of(recording: dict[str, Any]) -> ToolReply:
    response = recording["response"]
    return ToolReply(response["isError"], response["structuredContent"], tuple(b["text"] for b in response["content"]))


def error_of(reply: Any, rules: ResponseMap) -> str:
    with pytest.raises(ReplyError) as error:
        map_reply(reply, rules)
    return str(error.value)


# The recordings of a real server


@pytest.mark.parametrize("recording", QUERIES, ids=lambda r: f"{r['embedding']}-{r['mode']}-{r['case_id']}-{r['note']}")
def test_every_recorded_query_is_read_as_its_note_says(recording: dict[str, Any]) -> None:
    """Lists decide whether evidence came back; errors are errors wherever they stand."""
    reply, payload = reply_of(recording), recording["payload"]
    if reply.is_error:
        assert payload is None
        return
    if payload["status"] == "error":
        assert payload["message"] in error_of(decode(reply), PRECISO)
        return
    response = map_reply(decode(reply), PRECISO)
    raw = (payload["raw_data"] or {}).get("data") or {"entities": [], "relationships": [], "chunks": []}
    assert response.answer is None
    assert [e.name for e in response.entities or []] == [e["entity_name"] for e in raw["entities"]]
    assert [e.type for e in response.entities or []] == [e["entity_type"] for e in raw["entities"]]
    ends = [(r.source, r.target, r.type) for r in response.relationships or []]
    assert ends == [(r["src_id"], r["tgt_id"], r["keywords"]) for r in raw["relationships"]]
    assert [c.id for c in response.chunks or []] == [c["chunk_id"].partition("::")[2] for c in raw["chunks"]]
    assert [c.content for c in response.chunks or []] == [c["content"] for c in raw["chunks"]]
    assert response.has_evidence() == bool(raw["entities"] or raw["chunks"])
    assert None not in (response.entities, response.relationships, response.chunks)


def test_the_recordings_hold_all_four_error_channels_and_no_evidence() -> None:
    """Guards the test above against a file in which the interesting lines went missing."""
    assert len(RECORDINGS) == 28
    channels = [reply_of(r).is_error for r in QUERIES]
    assert channels.count(True) == 2
    statuses = [r["payload"]["status"] for r in QUERIES if r["payload"]]
    assert statuses.count("error") == 2
    raw = [r["payload"]["raw_data"] for r in QUERIES if r["payload"] and r["payload"]["status"] == "success"]
    assert raw.count(None) == 1
    assert [r["status"] for r in raw if r].count("failure") == 2


def test_the_mode_that_ran_is_told_from_the_mode_asked_for() -> None:
    upgraded = next(r for r in QUERIES if r["note"] and r["note"].startswith("hybrid was upgraded"))
    assert map_reply(decode(reply_of(upgraded)), PRECISO).mode == "global"


def test_the_seed_reply_is_read_by_the_generic_preset() -> None:
    reply = {
        "status": "success",
        "entities": [{"entity_name": "A", "entity_type": "PERSON", "description": "d"}],
        "relationships": [{"src_id": "A", "tgt_id": "B", "keywords": "EMPLOYS,role=CEO"}],
        "text_chunks": [{"id": "c1", "content": "text"}, {"chunk_id": "c2", "content": "more"}],
        "references": [{"file_path": "x.md"}],
    }
    response = map_reply(reply, GENERIC)
    assert response.entities is not None
    assert response.entities[0].type == "PERSON"
    assert response.relationships is not None
    assert response.relationships[0].type == "EMPLOYS,role=CEO"
    assert response.chunks is not None
    assert [c.id for c in response.chunks] == ["c1", "c2"]
    assert response.references == [{"file_path": "x.md"}]
    assert response.tool_calls is None


@pytest.mark.parametrize(
    ("status", "found"),
    [
        ({"warnings": ["one\n two", "", " ", 3, None, "three"]}, ("one two", "three")),
        ({"warnings": "alone"}, ("alone",)),
        ({"warnings": "x" * 1000}, ("x" * 300,)),
        ({"warnings": []}, ()),
        ({"warnings": None}, ()),
        ({"warnings": {"a": "b"}}, ()),
        ({}, ()),
        ("prose", ()),
        (None, ()),
    ],
)
def test_a_status_warns_in_texts_and_in_nothing_else(status: Any, found: tuple[str, ...]) -> None:
    assert read_warnings(status, "warnings") == found
    assert read_warnings(status, "warnings.of.a.list") == ()
    assert read_warnings(status, None) == ()


# Unknown and empty


def test_what_is_not_mapped_is_unknown() -> None:
    response = map_reply({"data": {"nodes": []}}, ResponseMap(entities="data.nodes"))
    assert (response.entities, response.chunks, response.tool_calls) == ([], None, None)


@pytest.mark.parametrize("reply", [{"data": None}, {"data": {}}, {"data": {"nodes": None}}, {"data": {"nodes": []}}])
def test_a_mapped_list_that_is_null_or_left_out_is_empty(reply: dict[str, Any]) -> None:
    assert map_reply(reply, ResponseMap(entities="data.nodes")).entities == []


def test_an_optional_list_that_is_left_out_is_unknown_and_a_null_one_is_empty() -> None:
    rules = ResponseMap(entities="nodes?", chunks="texts")
    assert map_reply({"texts": []}, rules).entities is None
    assert map_reply({"texts": [], "nodes": None}, rules).entities == []


@pytest.mark.parametrize("rules", [PRECISO, GENERIC])
def test_a_reply_of_nothing_holds_no_evidence(rules: ResponseMap) -> None:
    response = map_reply(None, rules)
    assert (response.answer, response.entities, response.chunks, response.relationships) == (None, [], [], [])


def test_an_empty_answer_is_an_answer() -> None:
    assert map_reply({"answer": ""}, GENERIC).answer == ""
    assert map_reply({"answer": None}, GENERIC).answer is None


def test_plain_text_is_the_answer() -> None:
    response = map_reply("I do not know.", PRECISO)
    assert (response.answer, response.entities) == ("I do not know.", [])
    assert map_reply("x", ResponseMap(root="data", answer="text")).answer == "x"
    assert map_reply(42, GENERIC).answer == "42"


def test_a_foreign_object_is_refused_and_not_taken_for_empty() -> None:
    message = error_of({"rows": [1]}, ResponseMap(entities="nodes", answer="text"))
    assert "none of the mapped keys" in message
    assert "the keys rows" in message
    assert "text, nodes" in message
    assert "`response:`" in message


# Paths, fields, ids


def test_fields_inside_items_are_renamed_and_may_lie_deeper() -> None:
    rules = ResponseMap(
        root="result",
        entities="nodes",
        relationships="facts",
        entity_fields={"name": "props.label", "type": "labels"},
        relationship_fields={"source": "from.name", "type": "predicate", "description": "fact"},
    )
    reply = {
        "result": {
            "nodes": [{"props": {"label": "A"}, "labels": ["Person", "CEO"]}],
            "facts": [{"from": {"name": "A"}, "to": "B", "predicate": "KNOWS", "fact": "A knows B"}],
        }
    }
    response = map_reply(reply, rules)
    assert response.entities is not None
    assert (response.entities[0].name, response.entities[0].type) == ("A", "Person, CEO")
    assert response.relationships is not None
    assert response.relationships[0].model_dump() == {
        "source": "A",
        "target": "B",
        "type": "KNOWS",
        "description": "A knows B",
    }


def test_entities_may_be_plain_names_and_chunks_plain_texts() -> None:
    rules = ResponseMap(entities="names", chunks="texts")
    response = map_reply({"names": ["A", "B"], "texts": ["one", "two"]}, rules)
    assert response.entities is not None
    assert [e.name for e in response.entities] == ["A", "B"]
    assert response.chunks is not None
    assert [(c.id, c.content) for c in response.chunks] == [("", "one"), ("", "two")]


def test_joined_ids_are_split_and_joined_descriptions_become_lines() -> None:
    rules = ResponseMap(
        entities="entities", chunks="entities[*].source_id", names="all", separator="<SEP>", id_rule="after ::"
    )
    reply = {
        "entities": [{"name": "A", "description": "one<SEP>two", "source_id": "d::c1<SEP>d::c2"}],
        "all": ["X<SEP>Y"],
    }
    response = map_reply(reply, rules)
    assert response.entities is not None
    assert response.entities[0].description == "one\ntwo"
    assert response.chunks is not None
    assert [c.id for c in response.chunks] == ["c1", "c2"]
    assert response.names == ["X", "Y"]


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("after ::", "walmart::chunk_010", "chunk_010"),
        ("after ::", "a::b::c", "c"),
        ("after ::", "chunk_010", "chunk_010"),
        ("after ::", "doc::", "doc::"),
        (r"^(?:.*::)?(.+?)(?:-p\d+)?$", "d::chunk_7-p2", "chunk_7"),
        (r"#(\d+)", "no number", "no number"),
        ("", "a::b", "a::b"),
    ],
)
def test_an_id_rule_keeps_the_identifying_part(rule: str, text: str, expected: str) -> None:
    assert apply_id_rule(rule, text) == expected


def test_tool_calls_usage_and_texts_are_read() -> None:
    reply = {
        "answer": ["one", "two"],
        "tool_calls": [{"name": "t", "args": {"a": 1}, "output": {"rows": []}}],
        "usage": {"input_tokens": 3},
        "intent": "DEFINITION",
        "as_of": "2024-03-01",
        "mode": "kg",
        "names": ["A", 7],
    }
    response = map_reply(reply, NATIVE)
    assert response.answer == "one\ntwo"
    assert response.tool_calls is not None
    assert response.tool_calls[0].args == {"a": 1}
    assert response.usage is not None
    assert (response.usage.input_tokens, response.usage.output_tokens) == (3, None)
    assert (response.intent, response.as_of, response.mode, response.names) == (
        "DEFINITION",
        "2024-03-01",
        "kg",
        ["A", "7"],
    )


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ({"entities": {"A": 1}}, "entities (entities?) is an object with the keys A; a list is expected"),
        ({"entities": "A"}, "entities (entities?) is the text 'A'; a list is expected"),
        ({"entities": [3]}, "entities[0] is the number 3; an object or a name is expected"),
        ({"entities": [{"nmae": "A"}]}, "entities[0] has no name (looked for at name, entity_name, title, entity)"),
        ({"entities": [{"name": {"en": "A"}}]}, "entities[0].name is an object with the keys en; a text is expected"),
        ({"relationships": [{"source": "A"}]}, "relationships[0] has no target (looked for at target, tgt_id"),
        ({"relationships": ["A-B"]}, "relationships[0] is the text 'A-B'; an object with source and target is"),
        ({"chunks": [{"score": 1}]}, "chunks[0] has neither id nor content; it is an object with the keys score"),
        ({"answer": {"text": "x"}}, "answer is an object with the keys text; a text is expected"),
        (
            {"tool_calls": [{"args": {}}]},
            "tool_calls[0] is an object with the keys args; one with the key 'name' is expected",
        ),
        ({"usage": {"input_tokens": "many"}}, "usage.input_tokens is the text 'many'; a whole number is expected"),
        ({"usage": {"cost_usd": "much"}}, "usage.cost_usd is the text 'much'; a number is expected"),
        ({"usage": {"output_tokens": -1}}, "usage.output_tokens is the number -1; 0 or more is expected"),
        ({"tool_calls": [{"name": 5}]}, "tool_calls[0].name is the number 5; a text is expected"),
        ({"tool_calls": ["t"]}, "tool_calls[0] is the text 't'; an object is expected"),
        ({"names": [{"name": "A"}]}, "names[0] is an object with the keys name; a text is expected"),
        ([1, 2], "the reply is a list of 2; an object is expected"),
    ],
)
def test_a_wrong_type_names_path_found_and_expected(reply: Any, message: str) -> None:
    assert message in error_of(reply, NATIVE)


# Errors inside a successful reply


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ({"status": "error", "message": "boom"}, 'the server reports status "error": boom'),
        ({"status": "ERROR", "detail": "boom"}, 'status "ERROR": boom'),
        ({"status": "validation_failed"}, 'status "validation_failed"'),
        ({"status": False}, "status false"),
        ({"status": 500}, "status 500"),
        ({"error": "boom", "entities": []}, "the server reports an error: boom"),
        ({"error": {"code": 1, "message": "boom"}}, "the server reports an error: boom"),
        ({"error": {"code": 1}}, '{"code": 1}'),
    ],
)
@pytest.mark.parametrize("rules", [GENERIC, ResponseMap(entities="entities", chunks="chunks")])
def test_an_error_inside_a_successful_reply_is_an_error(reply: Any, message: str, rules: ResponseMap) -> None:
    assert message in error_of(reply, rules)


@pytest.mark.parametrize("status", ["success", "OK", "failure", True, 200, 0, None])
def test_words_for_success_and_for_no_evidence_are_no_errors(status: Any) -> None:
    """`failure` is what real servers say when nothing was found: the lists decide."""
    assert map_reply({"status": status, "entities": []}, GENERIC).entities == []


@pytest.mark.parametrize("error", [None, "", False, {}, []])
def test_an_empty_error_key_is_no_error(error: Any) -> None:
    assert map_reply({"error": error, "answer": "x"}, GENERIC).answer == "x"


def test_an_unknown_word_of_a_mapped_status_is_an_error_until_it_is_declared() -> None:
    reply = {"state": "partial", "answer": "x"}
    assert 'status "partial" (success: success, ok, failure)' in error_of(
        reply, ResponseMap(answer="answer", status="state")
    )
    rules = ResponseMap(answer="answer", status="state", ok_status=["partial"])
    assert map_reply(reply, rules).status == "partial"


def test_of_several_mapped_statuses_each_is_judged() -> None:
    reply = {"status": "success", "message": "m", "raw_data": {"status": "error", "data": None}}
    assert 'status "error": m' in error_of(reply, PRECISO)


def test_an_error_beside_the_root_is_seen() -> None:
    """The part under the root is missing from an error reply, and must not be taken for no evidence."""
    assert "boom" in error_of({"status": "error", "message": "boom"}, ResponseMap(root="data", entities="nodes"))


# Decoding


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (ToolReply(structured={"a": 1}, texts=("ignored",)), {"a": 1}),
        (ToolReply(structured={"result": [1, 2]}), [1, 2]),
        (ToolReply(structured={"result": '{"a": 1}'}), {"a": 1}),
        (ToolReply(structured={"result": "prose"}), "prose"),
        (ToolReply(structured={"result": {"a": 1}}), {"result": {"a": 1}}),
        (ToolReply(structured={"result": 1, "more": 2}), {"result": 1, "more": 2}),
        (ToolReply(texts=('{"a": 1}',)), {"a": 1}),
        (ToolReply(texts=(json.dumps('{"a": 1}'),)), {"a": 1}),
        (ToolReply(texts=('{"a":', "1}")), {"a": 1}),
        (ToolReply(texts=('{"a": 1}', '{"a": 2}')), [{"a": 1}, {"a": 2}]),
        (ToolReply(texts=("Found one:", '{"a": 1}')), {"a": 1}),
        (ToolReply(texts=("Found", "nothing")), "Found\nnothing"),
        (ToolReply(texts=("prose {not json}",)), "prose {not json}"),
        (ToolReply(texts=("null",)), None),
        (ToolReply(), None),
    ],
)
def test_a_result_is_decoded(result: ToolReply, expected: Any) -> None:
    assert decode(result) == expected


def test_json_that_is_nested_too_deeply_is_an_error_and_no_crash() -> None:
    with pytest.raises(ReplyError, match="nested too deeply"):
        decode(ToolReply(texts=("[" * 200_000 + "]" * 200_000,)))


# Our own field names


def test_a_response_is_read_from_our_own_field_names() -> None:
    response = read_response({"answer": "x", "entities": ["A"], "elapsed_s": 0.5}, "what f returned")
    assert (response.answer, response.elapsed_s) == ("x", 0.5)
    assert read_response({}, "x") == Response()
    used = read_response({"model": "m", "usage": {"input_tokens": 1}}, "x").usage
    assert used is not None
    assert used.model == "m"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"entites": []}, "what f returned has unknown keys: 'entites'; did you mean 'entities'?"),
        ([1], "what f returned is a list of 1; an object with the fields of a response is expected"),
        ({"elapsed_s": "1"}, "elapsed_s is the text '1'; seconds as a number are expected"),
        ({"status": "error", "error": "boom"}, "the server reports an error: boom"),
    ],
)
def test_a_response_with_a_mistake_names_it(value: Any, message: str) -> None:
    with pytest.raises(ReplyError) as error:
        read_response(value, "what f returned")
    assert message in str(error.value)


def test_a_round_trip_of_our_own_response_loses_nothing() -> None:
    full = map_reply(decode(reply_of(QUERIES[1])), PRECISO)
    assert read_response(full.model_dump(), "x") == full


# Settings


def test_dropped_keys_are_removed_at_every_depth() -> None:
    assert without({"a": [{"embedding": [1], "b": 1}], "embedding": 2}, ["embedding"]) == {"a": [{"b": 1}]}


def test_mistakes_in_a_mapping_are_all_named() -> None:
    rules = ResponseMap(
        answer="a..b", status="ok, a[", id_rule="(", entity_fields={"nmae": "x"}, chunk_fields={"id": "x["}
    )
    problems = "\n".join(check_map(rules))
    assert "response.answer: 'a..b' is no path" in problems
    assert "response.status: 'a[' is no path" in problems
    assert "response.chunk_fields.id: 'x[' is no path" in problems
    assert "response.entity_fields: unknown field 'nmae'; did you mean 'name'?" in problems
    assert "response.id_rule: '(' is no regular expression" in problems
    assert check_map(ResponseMap(id_rule="no group"))[0].endswith(
        "a regular expression with a group, or `after TEXT`, is expected"
    )


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_are_sound_and_what_a_suite_could_write(name: str) -> None:
    preset = PRESETS[name]
    assert check_map(preset.response) == []
    for settings in (preset.response, preset.preflight, preset.catalog):
        if settings is not None:  # they are made without validation, which takes longer than most runs
            assert type(settings).model_validate(settings.model_dump(exclude_unset=True)) == settings


def test_own_settings_win_over_the_preset_key_by_key() -> None:
    spec = McpTarget(command=["x"], preset="preciso", response=ResponseMap(answer="content"), modes={"global": "naive"})
    rules = response_map(spec)
    assert rules is not None
    assert (rules.answer, rules.chunks) == ("content", "raw_data.data.chunks")
    assert mode_names(spec) == {"kg": "mix", "global": "naive"}


def test_a_mapping_without_a_preset_stands_alone() -> None:
    own = response_map(McpTarget(command=["x"], response=ResponseMap(answer="reply")))
    assert own is not None
    assert (own.answer, own.entities) == ("reply", None)
    assert response_map(McpTarget(command=["x"])) == GENERIC
    assert response_map(PythonTarget(call="m:f")) is None
    assert status_spec(McpTarget(command=["x"], response=ResponseMap(answer="reply"))).tool == "get_server_status"
    assert status_spec(PythonTarget(call="m:f")).tool is None


def test_errors_of_tools_are_target_errors_of_their_own_kind() -> None:
    assert not issubclass(ToolError, ReplyError)
