"""Chat messages of three frameworks, as their libraries write them, become the same answer, calls and usage."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from pytest_graph_eval.errors import ReplyError
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import PythonTarget, ResponseMap
from pytest_graph_eval.targets.base import Query, Surroundings, open_target
from pytest_graph_eval.targets.reply.mapping import map_reply
from pytest_graph_eval.targets.reply.messages import REQUESTED, message_list, read_messages
from pytest_graph_eval.targets.reply.paths import PathError
from pytest_graph_eval.targets.reply.presets import PRESETS

QUESTION = "Who owns X?"
NAME = "mcp__graph__query"

OPENAI: list[Any] = [
    {"role": "system", "content": "Answer from the graph."},
    {"role": "user", "content": [{"type": "text", "text": f"Question: {QUESTION}"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": NAME, "arguments": '{"q": "X"}'}},
            {"id": "c2", "type": "function", "function": {"name": NAME, "arguments": '{"q": "Y"}'}},
        ],
        "model": "m-1",
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
                  "prompt_tokens_details": {"cached_tokens": 4}},
    },
    {"role": "tool", "tool_call_id": "c2", "content": "Y: nobody"},
    {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "X: Bob"}]},
    {"role": "assistant", "content": "Bob owns X.", "model": "m-1",
     "usage": {"prompt_tokens": 20, "completion_tokens": 6, "total_tokens": 26,
               "prompt_tokens_details": {"cached_tokens": 0}}},
]  # fmt: skip

LANGCHAIN: list[Any] = [
    {"type": "system", "content": "Answer from the graph."},
    {"type": "human", "content": QUESTION, "name": None, "id": None},
    {
        "type": "ai",
        "content": "",
        "response_metadata": {"model_name": "m-1"},
        "tool_calls": [
            {"name": NAME, "args": {"q": "X"}, "id": "c1", "type": "tool_call"},
            {"name": NAME, "args": {"q": "Y"}, "id": "c2", "type": "tool_call"},
        ],
        "invalid_tool_calls": [],
        "usage_metadata": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
                           "input_token_details": {"cache_read": 4}},
    },
    {"type": "tool", "content": "X: Bob", "name": NAME, "tool_call_id": "c1", "artifact": None, "status": "success"},
    {"type": "tool", "content": "Y: nobody", "name": NAME, "tool_call_id": "c2", "status": "success"},
    {
        "type": "ai",
        "content": [{"type": "text", "text": "Bob owns "}, {"type": "text", "text": "X."}],
        "tool_calls": [],
        "response_metadata": {"model_name": "m-1"},
        "usage_metadata": {"input_tokens": 20, "output_tokens": 6, "total_tokens": 26,
                           "input_token_details": {"cache_read": 0}},
    },
]  # fmt: skip

PYDANTIC_AI: list[Any] = [
    {"kind": "request", "parts": [
        {"part_kind": "system-prompt", "content": "Answer from the graph."},
        {"part_kind": "user-prompt", "content": QUESTION, "timestamp": "2026-05-30T13:45:22Z"},
    ]},
    {"kind": "response", "model_name": "m-1", "parts": [
        {"part_kind": "thinking", "content": "hm"},
        {"part_kind": "text", "content": "let me see"},
        {"part_kind": "tool-call", "tool_name": NAME, "args": {"q": "X"}, "tool_call_id": "c1"},
        {"part_kind": "tool-call", "tool_name": NAME, "args": '{"q": "Y"}', "tool_call_id": "c2"},
    ], "usage": {"input_tokens": 10, "output_tokens": 5, "cache_read_tokens": 4, "cost": None}},
    {"kind": "request", "parts": [
        {"part_kind": "tool-return", "tool_name": NAME, "content": "X: Bob", "tool_call_id": "c1",
         "outcome": "success"},
        {"part_kind": "tool-return", "tool_name": NAME, "content": "Y: nobody", "tool_call_id": "c2"},
    ]},
    {"kind": "response", "model_name": "m-1", "parts": [{"part_kind": "text", "content": "Bob owns X."}],
     "usage": {"input_tokens": 20, "output_tokens": 6, "cache_read_tokens": 0, "cost": None}},
]  # fmt: skip

FORMS = pytest.mark.parametrize(
    "messages", [OPENAI, LANGCHAIN, PYDANTIC_AI], ids=["openai", "langchain", "pydantic-ai"]
)


def calls_of(response: Response) -> list[tuple[Any, ...]]:
    assert response.tool_calls is not None
    return [(c.id, c.name, c.args, c.status, c.output) for c in response.tool_calls]


@FORMS
def test_all_forms_give_the_same_response(messages: list[Any]) -> None:
    response = read_messages(messages, QUESTION)
    assert response.answer == "Bob owns X."
    assert calls_of(response) == [
        ("c1", NAME, {"q": "X"}, "success", "X: Bob"),
        ("c2", NAME, {"q": "Y"}, "success", "Y: nobody"),
    ]
    assert response.usage is not None
    assert response.usage.model_dump(exclude_none=True, exclude_defaults=True) == {
        "input_tokens": 30, "output_tokens": 11, "total_tokens": 41, "cached_tokens": 4, "model": "m-1",
    }  # fmt: skip


@FORMS
def test_earlier_turns_of_a_conversation_do_not_count(messages: list[Any]) -> None:
    second = "And who owns Y?"
    asked = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": second}]}
    said = {"kind": "response", "parts": [{"part_kind": "text", "content": "Nobody."}]}
    if messages is not PYDANTIC_AI:
        asked, said = {"role": "user", "content": second}, {"role": "assistant", "content": "Nobody."}
    response = read_messages([*messages, asked, said], second)
    assert (response.answer, response.tool_calls, response.usage) == ("Nobody.", [], None)


def test_all_messages_count_where_none_asks_the_question() -> None:
    assert len(calls_of(read_messages(OPENAI, "What else?"))) == 2
    assert len(calls_of(read_messages(OPENAI))) == 2


def test_a_question_is_found_whatever_stands_around_it() -> None:
    asked = {"role": "user", "content": "Answer briefly.\n\n  who  OWNS x?"}
    handed_over = {"role": "user", "name": "researcher", "content": "I found Bob."}
    messages = [
        asked,
        {"role": "assistant", "content": "Ask him."},
        handed_over,
        {"role": "assistant", "content": "Bob"},
    ]
    assert read_messages(messages, QUESTION).answer == "Bob"


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        ([{"role": "assistant", "content": ""}], ""),
        ([{"role": "assistant", "content": None, "refusal": "I can't."}], "I can't."),
        ([{"role": "assistant", "content": []}], ""),
        ([{"role": "assistant", "content": [{"type": "image_url"}]}], None),
        ([{"role": "user", "content": "q"}], None),
        ([*OPENAI[:3]], None),
        ([*OPENAI[:5]], None),
        ([{"role": "assistant", "content": "one"}, {"role": "assistant", "content": ""}], "one"),
        ([{"type": "AIMessageChunk", "content": "chunk"}], "chunk"),
        ([{"type": "ai", "data": {"content": "as written to a file", "type": "ai"}}], "as written to a file"),
        (
            [{"lc": 1, "type": "constructor", "id": ["AIMessage"], "kwargs": {"content": "as dumped", "type": "ai"}}],
            "as dumped",
        ),
    ],
)
def test_the_answer_is_the_last_text_that_nothing_follows(messages: list[Any], answer: str | None) -> None:
    assert read_messages(messages).answer == answer


def test_a_text_before_a_tool_result_is_no_answer() -> None:
    assert read_messages(PYDANTIC_AI[:3], QUESTION).answer is None
    assert read_messages(PYDANTIC_AI[:2], QUESTION).answer == "let me see"


def test_a_structured_answer_of_pydantic_ai_is_the_answer_and_no_call() -> None:
    call = {"part_kind": "tool-call", "tool_name": "final_result", "args": {"owner": "Bob"}, "tool_call_id": "1"}
    done = {"part_kind": "tool-return", "tool_name": "final_result", "content": "Final result processed."}
    messages = [{"kind": "response", "parts": [call]}, {"kind": "request", "parts": [done]}]
    response = read_messages(messages)
    assert (response.answer, response.tool_calls) == ('{"owner": "Bob"}', [])


@pytest.mark.parametrize(
    ("result", "status"),
    [
        ({"role": "tool", "tool_call_id": "c1", "content": "boom", "status": "error"}, "error"),
        ({"role": "tool", "tool_call_id": "c1", "content": "boom", "is_error": True}, "error"),
        ({"role": "tool", "tool_call_id": "c1", "content": "fine"}, "success"),
        ({"role": "tool", "name": NAME, "content": "fine"}, "success"),
        ({"role": "tool", "content": "fine"}, "success"),
        ({"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": NAME, "tool_call_id": "c1",
                                        "content": "again", "outcome": "retried"}]}, "error"),
        ({"kind": "request", "parts": [{"part_kind": "retry-prompt", "tool_name": NAME, "tool_call_id": "c1",
                                        "content": "again"}]}, "error"),
    ],
)  # fmt: skip
def test_a_result_goes_to_its_call_with_its_status(result: dict[str, Any], status: str) -> None:
    first, second = calls_of(read_messages([*OPENAI[:3], result], QUESTION))
    assert first[3] == status
    assert first[4] in ("boom", "fine", "again")
    assert second[3:] == (REQUESTED, None)


def test_equal_ids_are_answered_in_order() -> None:
    def step(result: str) -> list[Any]:
        call = {"id": "call_0", "function": {"name": "f", "arguments": ""}}
        return [
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_0", "content": result},
        ]

    assert [c[2:] for c in calls_of(read_messages([*step("one"), *step("two")]))] == [
        ({}, "success", "one"),
        ({}, "success", "two"),
    ]


def test_a_result_without_a_call_counts_as_one_where_its_tool_is_named() -> None:
    result = {"role": "tool", "tool_call_id": "c9", "name": "search", "content": "found"}
    assert calls_of(read_messages([result])) == [("c9", "search", {}, "success", "found")]
    with pytest.raises(PathError, match="messages: the result of tool call 'c9' has no call among the messages"):
        read_messages([{**result, "name": None}])


@pytest.mark.parametrize(
    ("arguments", "args", "status", "output"),
    [
        ("", {}, REQUESTED, None),
        ('{"a": 1}', {"a": 1}, REQUESTED, None),
        ({"a": 1}, {"a": 1}, REQUESTED, None),
        ("{bad", {"": "{bad"}, "error", "the arguments are no JSON: "),
        ("[1]", {"": [1]}, "error", "the arguments are a list of 1; an object is expected"),
    ],
)
def test_arguments_that_a_model_wrote_are_read(arguments: Any, args: Any, status: str, output: str | None) -> None:
    message = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": arguments}}]}
    ((_, _, found, found_status, found_output),) = calls_of(read_messages(message))
    assert (found, found_status) == (args, status)
    assert found_output == output or found_output.startswith(output)


def test_a_call_that_a_framework_refused_is_an_error_and_its_result_no_other_call() -> None:
    refused = {"name": "f", "args": "{bad", "id": "c1", "error": "no JSON", "type": "invalid_tool_call"}
    messages = [
        {"type": "ai", "content": "", "tool_calls": [], "invalid_tool_calls": [refused]},
        {"type": "tool", "tool_call_id": "c1", "name": "f", "content": "Error: no JSON", "status": "error"},
    ]
    assert calls_of(read_messages(messages)) == [("c1", "f", {"": "{bad"}, "error", "no JSON")]


def test_a_result_says_when_the_tool_ran() -> None:
    messages = [*PYDANTIC_AI[:2], {"kind": "request", "parts": [
        {"part_kind": "tool-return", "tool_name": NAME, "content": {"rows": [1]}, "tool_call_id": "c1",
         "timestamp": "2026-05-30T13:45:23Z"}]}]  # fmt: skip
    response = read_messages(messages, QUESTION)
    assert response.tool_calls is not None
    assert (response.tool_calls[0].execution_timestamp, response.tool_calls[0].output) == (
        "2026-05-30T13:45:23Z", {"rows": [1]},
    )  # fmt: skip


# --- usage ---------------------------------------------------------------------------------------------------------


def ai(model: str | None = None, **usage: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "x", "model": model, "usage": usage or None}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([ai(input_tokens=1, output_tokens=2), ai(input_tokens=3, output_tokens=4)], (4, 6, 10)),
        ([ai(input_tokens=1, output_tokens=2), ai()], (None, None, None)),
        ([ai(input_tokens=1, output_tokens=2), ai(input_tokens=0, output_tokens=0)], (None, None, None)),
        ([ai(input_tokens=1, output_tokens=2), ai(total_tokens=9)], (None, None, 12)),
        ([ai(prompt_tokens=1, completion_tokens=2)], (1, 2, 3)),
    ],
)
def test_a_sum_with_an_unknown_part_is_unknown(messages: list[Any], expected: tuple[Any, ...]) -> None:
    usage = read_messages(messages).usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == expected


def test_usage_that_nobody_reports_is_none() -> None:
    assert read_messages([ai(), ai()]).usage is None


def test_several_models_are_told_apart() -> None:
    usage = read_messages([ai("a", input_tokens=1), ai("b", input_tokens=2), ai("a", input_tokens=4)]).usage
    assert usage is not None
    assert (usage.input_tokens, usage.model) == (7, None)
    assert [(part.model, part.input_tokens) for part in usage.by_model] == [("a", 5), ("b", 2)]


# --- what is no list of messages ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("text", "messages is the text 'text'; a list of messages is expected"),
        ([1], "messages[0] is the number 1; a message with a `role` or `type` (user, human, assistant, ai, tool"),
        ([*OPENAI[:1], {"role": "wizard"}], "messages[1] is of the role 'wizard'; a message"),
        ([{"content": "x"}], "messages[0] is an object with the keys content; a message"),
        ([{"role": "assistant", "tool_calls": ["x"]}], "messages: tool call 1 is the text 'x'; an object is expected"),
        (
            [{"role": "assistant", "tool_calls": [{}]}],
            "messages: tool call 1 is an empty object; one with the key 'name' is expected",
        ),
        ([{"role": "assistant", "usage": {"prompt_tokens": -1}}], "usage.input_tokens is the number -1"),
    ],
)
def test_what_is_no_message_is_named(value: Any, words: str) -> None:
    with pytest.raises(PathError) as caught:
        read_messages(value)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "value", [None, "x", [], [1], ["x"], {"messages": []}, {"messages": OPENAI, "answer": "x"}, [{"name": "A"}]]
)
def test_other_values_are_no_message_list(value: Any) -> None:
    assert message_list(value) is None


def test_a_lone_message_does_not_tell_of_calls_that_it_does_not_hold() -> None:
    assert read_messages({"role": "assistant", "content": "x"}).tool_calls is None
    assert read_messages({"role": "assistant", "content": "x", "tool_calls": []}).tool_calls == []
    assert read_messages([{"role": "assistant", "content": "x"}]).tool_calls == []


# --- the preset and python targets ----------------------------------------------------------------------------------

CHAT = PRESETS["openai-chat"].response
COMPLETION: dict[str, Any] = {
    "id": "x",
    "model": "gpt-4o-2024-08-06",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Bob."}}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15,
              "prompt_tokens_details": {"cached_tokens": 8}},
}  # fmt: skip


def test_a_chat_completion_is_read() -> None:
    response = map_reply(COMPLETION, CHAT, QUESTION)
    assert (response.answer, response.tool_calls, response.chunks) == ("Bob.", None, None)
    assert response.usage is not None
    assert response.usage.model_dump(exclude_none=True, exclude_defaults=True) == {
        "input_tokens": 12, "output_tokens": 3, "total_tokens": 15, "cached_tokens": 8, "model": "gpt-4o-2024-08-06",
    }  # fmt: skip


def test_tool_calls_of_a_completion_are_read() -> None:
    message = {"role": "assistant", "content": None, "tool_calls": OPENAI[2]["tool_calls"]}
    response = map_reply({**COMPLETION, "choices": [{"message": message}]}, CHAT, QUESTION)
    assert [c[1:4] for c in calls_of(response)] == [(NAME, {"q": "X"}, REQUESTED), (NAME, {"q": "Y"}, REQUESTED)]
    assert response.answer is None


def test_an_agent_that_returns_all_messages_is_read_from_them() -> None:
    response = map_reply({"messages": LANGCHAIN, "choices": [], "usage": None}, CHAT, QUESTION)
    assert response.answer == "Bob owns X."
    assert len(calls_of(response)) == 2
    assert response.usage is not None
    assert response.usage.input_tokens == 30


def test_what_is_mapped_wins_over_the_messages() -> None:
    rules = ResponseMap(messages="messages", answer="final", tool_calls="calls", usage="spent", model="by")
    reply = {"messages": OPENAI, "final": "Bob", "calls": [], "spent": {"input_tokens": 1}, "by": "m-9"}
    response = map_reply(reply, rules, QUESTION)
    assert (response.answer, response.tool_calls) == ("Bob", [])
    assert response.usage is not None
    assert (response.usage.input_tokens, response.usage.model) == (1, "m-9")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"error": {"message": "quota", "type": "insufficient_quota"}}, "the server reports an error: quota"),
        ({"choices": [{"message": 3}]}, "messages is the number 3; a list of messages is expected"),
        ({"choices": "x"}, "choices is the text 'x'; a list is expected"),
        ({"usage": {"prompt_tokens": 1.5}, "choices": []}, "usage.input_tokens is the number 1.5"),
        ({"usage": 3, "choices": []}, "usage is the number 3; an object is expected"),
        ({"detail": "Not Found"}, "it has none of the mapped keys"),
    ],
)
def test_a_completion_of_another_shape_is_an_error(reply: Any, words: str) -> None:
    with pytest.raises(ReplyError) as caught:
        map_reply(reply, CHAT)
    assert words in str(caught.value)


class HumanMessage(BaseModel):
    """As LangChain's: a pydantic model that says what it is by `type`."""

    type: Literal["human"] = "human"
    content: str


class AIMessage(BaseModel):
    type: Literal["ai"] = "ai"
    content: str
    tool_calls: list[dict[str, Any]] = []
    usage_metadata: dict[str, Any] | None = None


@dataclasses.dataclass
class Part:
    """As pydantic-ai's: dataclasses in dataclasses."""

    part_kind: str
    content: Any = None
    tool_name: str = ""
    args: Any = None
    timestamp: datetime.datetime | None = None


@dataclasses.dataclass
class Used:
    input_tokens: int
    output_tokens: int


@dataclasses.dataclass
class Message:
    kind: str
    parts: list[Part]
    usage: Used | None = None


@dataclasses.dataclass
class Result:
    """As the result of a run of pydantic-ai: what it holds is not what it says."""

    state: Any

    def all_messages(self) -> Any:
        return self.state


WHEN = datetime.datetime(2026, 5, 30, tzinfo=datetime.UTC)
OBJECTS = {
    "langchain": [
        HumanMessage(content=QUESTION),
        AIMessage(content="", tool_calls=[{"name": "f", "args": {}}],
                  usage_metadata={"input_tokens": 1, "output_tokens": 2}),
        {"type": "tool", "name": "f", "content": "X: Bob"},
        AIMessage(content="Bob", usage_metadata={"input_tokens": 3, "output_tokens": 4}),
    ],
    "pydantic-ai": [
        Message("request", [Part("user-prompt", QUESTION)]),
        Message("response", [Part("tool-call", tool_name="f", args={})], Used(1, 2)),
        Message("request", [Part("tool-return", "X: Bob", tool_name="f", timestamp=WHEN)]),
        Message("response", [Part("text", "Bob")], Used(3, 4)),
    ],
}  # fmt: skip


def ask_python(tmp_path: Path, value: Any, **settings: Any) -> Response:
    async def main() -> Response:
        target: Any = open_target(PythonTarget(fixture="f", **settings), Surroundings(tmp_path, tmp_path))
        target.bind(lambda question: value)
        await target.open()
        try:
            return await target.ask(Query(QUESTION))
        finally:
            await target.close()

    return asyncio.run(main())


@pytest.mark.parametrize("form", ["langchain", "pydantic-ai"])
@pytest.mark.parametrize(
    "wrap",
    [lambda m: m, lambda m: {"messages": m, "remaining_steps": 3}, tuple, Result],
    ids=["list", "state", "tuple", "result"],
)
def test_a_callable_may_return_message_objects(tmp_path: Path, form: str, wrap: Any) -> None:
    response = ask_python(tmp_path, wrap(OBJECTS[form]))
    assert response.answer == "Bob"
    assert [c[1:] for c in calls_of(response)] == [("f", {}, "success", "X: Bob")]
    assert response.usage is not None
    assert (response.usage.input_tokens, response.usage.total_tokens) == (4, 10)
    assert response.elapsed_s is not None


def test_a_callable_may_return_a_completion_object(tmp_path: Path) -> None:
    class Completion(BaseModel):
        model: str = "m"
        choices: list[Any] = [{"message": AIMessage(content="Bob").model_dump() | {"role": "assistant"}}]

    assert ask_python(tmp_path, Completion(), preset="openai-chat").answer == "Bob"


def test_messages_that_cannot_be_read_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReplyError, match=r"messages\[1\] is the number 3; a message"):
        ask_python(tmp_path, [*OBJECTS["langchain"][:1], 3])


def test_data_that_holds_itself_is_an_error(tmp_path: Path) -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ReplyError, match="returned data that is nested too deeply to be read"):
        ask_python(tmp_path, loop)


# --- graphrag's python API ------------------------------------------------------------------------------------------


class Frame:
    """What is used of a pandas data frame."""

    columns = ("id",)

    def __init__(self, *rows: dict[str, Any]) -> None:
        self.rows = rows

    def to_dict(self, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        return list(self.rows)


CONTEXT = {
    "entities": Frame(
        {"id": "1", "entity": "BOB", "description": "a man", "in_context": True},
        {"id": "2", "entity": "EVE", "description": "left out", "in_context": False},
    ),
    "relationships": Frame(
        {"id": "3", "source": "BOB", "target": "X", "description": "owns", "weight": float("nan"), "in_context": True}
    ),
    "sources": Frame({"id": "0", "text": "Bob owns X."}),
    "reports": Frame({"id": "7", "title": "T", "content": "On owners."}),
}


@pytest.mark.parametrize("form", ["tuple", "mapping"])
def test_a_local_search_of_graphrag_is_read_without_what_was_left_out(tmp_path: Path, form: str) -> None:
    value = ("Bob.", CONTEXT) if form == "tuple" else {"response": "Bob.", "context_data": CONTEXT}
    response = ask_python(tmp_path, value, preset="graphrag")
    assert response.answer == "Bob."
    assert [(e.name, e.description) for e in response.entities or ()] == [("BOB", "a man")]
    assert [(r.source, r.target, r.description) for r in response.relationships or ()] == [("BOB", "X", "owns")]
    assert [(c.id, c.content) for c in response.chunks or ()] == [("0", "Bob owns X."), ("7", "On owners.")]


def test_a_global_search_of_graphrag_has_reports_and_does_not_tell_of_entities(tmp_path: Path) -> None:
    response = ask_python(tmp_path, ("All.", {"reports": CONTEXT["reports"]}), preset="graphrag")
    assert ([c.content for c in response.chunks or ()], response.entities) == (["On owners."], None)


def test_a_search_of_graphrag_that_found_nothing_has_empty_lists(tmp_path: Path) -> None:
    response = ask_python(tmp_path, ("I do not know.", {"entities": Frame(), "sources": Frame()}), preset="graphrag")
    assert (response.entities, response.chunks) == ([], [])
