from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import PreflightError, ReplyError, TargetError, TargetTimeout, TransportError
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import PythonTarget, ResponseMap
from pytest_graph_eval.targets.base import Query, Surroundings, open_target
from pytest_graph_eval.targets.python import PythonCallable
from pytest_graph_eval.targets.reply import mapping

MODULE = """
import asyncio, threading, time
from pytest_graph_eval.models.records import Response

THREADS = set()
RUNNING = 0
MOST = 0

def answer(question):
    return f"re: {question}"

async def answer_async(question, mode):
    await asyncio.sleep(0)
    return f"{mode}: {question}"

def make():
    state = []
    def ask(question):
        state.append(question)
        return str(len(state))
    return ask

async def make_async():
    return answer

def make_nothing():
    return None

def make_badly():
    raise RuntimeError("no database")

def asks_for_all(question, *, mode, id, turn, as_of, query_hints, top_k=3):
    return repr((question, mode, id, turn, as_of, query_hints, top_k))

def takes_any(q, **rest):
    return repr(sorted(rest))

def question_last(mode, question):
    return f"{mode}/{question}"

class Agent:
    def ask(self, question):
        return "agent"
    async def __call__(self, question):
        return "called"

agent = Agent()

def raises(question):
    return inner(question)

def inner(question):
    raise ValueError("bad " + question)

def raises_in_library(question):
    import json
    return json.loads(question)

def exits(question):
    raise SystemExit(3)

def interrupts(question):
    raise KeyboardInterrupt

async def exits_async(question):
    raise SystemExit(3)

def returns(question):
    return eval(question)

def slow(question):
    global RUNNING, MOST
    THREADS.add(threading.get_ident())
    RUNNING += 1
    MOST = max(MOST, RUNNING)
    time.sleep(float(question))
    RUNNING -= 1
    return f"slept {question}"

async def slow_async(question):
    await asyncio.sleep(float(question))
    return "slept"

async def blocks(question):
    time.sleep(float(question))
    return "blocked"

not_callable = 3

def chats(messages):
    return "|".join(f"{m['role']}: {m['content']}" for m in messages)

def asks_with_messages(question, messages):
    return chats(messages)
"""


def forget_agents() -> None:
    for name in ("my_agent", "broken_agent", "quits_agent"):
        sys.modules.pop(name, None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "my_agent.py").write_text(MODULE, "utf-8")
    (tmp_path / "broken_agent.py").write_text("import json\n\njson.nothing\n", "utf-8")
    (tmp_path / "quits_agent.py").write_text("raise SystemExit('not today')\n", "utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    forget_agents()  # somebody else's may have the same name
    yield tmp_path
    forget_agents()


def target_of(folder: Path, **settings: Any) -> PythonCallable:
    target = open_target(PythonTarget(**settings), Surroundings(folder, folder, where="s.yaml:2"))
    assert isinstance(target, PythonCallable)
    return target


def run(target: PythonCallable, work: Callable[[PythonCallable], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        await target.open()
        try:
            return await work(target)
        finally:
            await target.close()

    return asyncio.run(main())


def ask(folder: Path, query: Query | str, **settings: Any) -> Response:
    query = Query(query, timeout=5) if isinstance(query, str) else query
    return run(target_of(folder, **settings), lambda t: t.ask(query))  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("settings", "answer"),
    [
        ({"call": "my_agent:answer"}, "re: hi"),
        ({"call": "my_agent:answer", "thread_safe": True}, "re: hi"),
        ({"call": "my_agent:answer_async"}, "kg: hi"),
        ({"factory": "my_agent:make"}, "1"),
        ({"factory": "my_agent:make_async"}, "re: hi"),
        ({"call": "my_agent:agent.ask"}, "agent"),
        ({"call": "my_agent:agent"}, "called"),
        ({"call": "my_agent:question_last"}, "kg/hi"),
    ],
)
def test_callables_of_every_kind_are_asked(folder: Path, settings: dict[str, Any], answer: str) -> None:
    response = ask(folder, Query("hi", mode="kg", timeout=5), **settings)
    assert response.answer == answer
    assert response.elapsed_s is not None
    assert 0 <= response.elapsed_s < 5


def test_a_factory_is_called_once(folder: Path) -> None:
    async def twice(target: PythonCallable) -> list[str | None]:
        await target.open()
        return [(await target.ask(Query("hi"))).answer for _ in range(2)]

    assert run(target_of(folder, factory="my_agent:make"), twice) == ["1", "2"]


def test_a_fixture_value_is_asked(folder: Path) -> None:
    target = target_of(folder, fixture="agent")
    target.bind(lambda question: question.upper())
    assert run(target, lambda t: t.ask(Query("hi"))).answer == "HI"


def test_a_callable_gets_what_its_parameters_ask_for(folder: Path) -> None:
    query = Query(
        "q", id="S1", mode="kg", turn=2, as_of="2024-03-01", query_hints="h", arguments={"top_k": 9}, timeout=5
    )
    assert ask(folder, query, call="my_agent:asks_for_all").answer == "('q', 'kg', 'S1', 2, '2024-03-01', 'h', 9)"
    names = ask(folder, query, call="my_agent:takes_any").answer
    assert names == "['as_of', 'conversation', 'id', 'messages', 'mode', 'query_hints', 'thread_id', 'top_k', 'turn']"


@pytest.mark.parametrize("name", ["chats", "asks_with_messages"])
def test_a_callable_gets_the_conversation_as_chat_messages(folder: Path, name: str) -> None:
    history = ({"role": "user", "content": "Who is Bob?"}, {"role": "assistant", "content": "An owner."})
    query = Query("Of what?", history=history, timeout=5)
    assert ask(folder, query, call=f"my_agent:{name}").answer == "user: Who is Bob?|assistant: An owner.|user: Of what?"


def test_scenario_arguments_that_are_not_taken_are_an_error(folder: Path) -> None:
    query = Query("q", arguments={"topk": 3}, timeout=5)
    with pytest.raises(ReplyError, match=r"does not take the scenario's arguments 'topk'; did you mean 'top_k'\?"):
        ask(folder, query, call="my_agent:asks_for_all")


@pytest.mark.parametrize(
    ("code", "field", "value"),
    [
        ("'text'", "answer", "text"),
        ("''", "answer", ""),
        ("{'answer': 'x', 'elapsed_s': 0.25}", "elapsed_s", 0.25),
        ("Response(answer='x', elapsed_s=0.5)", "elapsed_s", 0.5),
        ("{'entities': []}", "entities", []),
        ("{'answer': 'x', 'entities': None}", "entities", None),
    ],
)
def test_texts_mappings_and_responses_are_read(folder: Path, code: str, field: str, value: Any) -> None:
    assert getattr(ask(folder, code, call="my_agent:returns"), field) == value


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("None", "my_agent:returns returned None; a text, a mapping, messages or a Response is expected"),
        ("3", "my_agent:returns returned the number 3; a text, a mapping, messages or a Response is expected"),
        ("('answer', {})", "returned a list of 2; a text"),
        ("(x for x in 'ab')", "returned a generator; a text"),
        ("{'anwser': 'x'}", "what my_agent:returns returned has unknown keys: 'anwser'; did you mean 'answer'?"),
        ("{'entities': [{}]}", "entities[0] has no name"),
        ("{'error': 'overloaded'}", "the server reports an error: overloaded"),
    ],
)
def test_other_returns_are_an_error_that_says_what_is_expected(folder: Path, code: str, message: str) -> None:
    with pytest.raises(ReplyError) as error:
        ask(folder, code, call="my_agent:returns")
    assert message in str(error.value)


@pytest.mark.parametrize(
    "code", ["'x' * 101", "{'answer': 'x' * 60, 'chunks': [{'content': 'x' * 41}]}", "Response(answer='x' * 101)",
             "{'entities': [{'name': 'A', 'description': 'x' * 101}]}"],
)  # fmt: skip
def test_more_than_a_server_may_send_is_refused(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping, "LARGEST", 100)
    with pytest.raises(ReplyError, match=r"^my_agent:returns returned 101 characters, more than 100; let it return"):
        ask(folder, code, call="my_agent:returns")


def test_a_mapping_of_its_own_reads_what_was_returned(folder: Path) -> None:
    rules = ResponseMap(answer="output", chunks="docs")
    response = ask(
        folder, "{'output': 'x', 'docs': ['d'], 'vec': [1]}", call="my_agent:returns", response=rules, drop=["vec"]
    )
    assert response.answer == "x"
    assert response.chunks is not None
    assert response.chunks[0].content == "d"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("raises", "my_agent:raises raised ValueError: bad q (my_agent.py:53)"),
        ("raises_in_library", "raised JSONDecodeError: Expecting value: line 1 column 1 (char 0) (my_agent.py:57)"),
        ("exits", "raised SystemExit: 3 (my_agent.py:60)"),
        ("interrupts", "raised KeyboardInterrupt"),
        ("exits_async", "raised SystemExit: 3"),
    ],
)
@pytest.mark.parametrize("thread_safe", [False, True])
def test_an_exception_names_type_message_and_the_line_of_user_code(
    folder: Path, call: str, message: str, thread_safe: bool
) -> None:
    """Whatever it raises, the loop lives on and answers the next question."""

    async def twice(target: PythonCallable) -> None:
        for _ in range(2):
            with pytest.raises(ReplyError) as error:
                await target.ask(Query("q", timeout=5))
            assert message in str(error.value)

    run(target_of(folder, call=f"my_agent:{call}", thread_safe=thread_safe), twice)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"call": "nowhere:f"},
            "s.yaml:2: target nowhere:f: no module 'nowhere' is installed or in ",
        ),
        ({"call": "my_agent:anwser"}, "there is no 'anwser' in my_agent; did you mean 'answer'?"),
        ({"call": "my_agent"}, "`module:callable` is expected"),
        ({"call": "my_agent:not_callable"}, "it is the number 3; a callable is expected"),
        ({"call": "broken_agent:f"}, "AttributeError: module 'json' has no attribute 'nothing' (broken_agent.py:3)"),
        ({"call": "quits_agent:f"}, "SystemExit: not today"),
        ({"factory": "my_agent:make_badly"}, "the factory raised RuntimeError: no database (my_agent.py:30)"),
        ({"factory": "my_agent:make_nothing"}, "it is null; a callable is expected"),
        ({"factory": "my_agent:answer"}, "the factory raised TypeError"),
        ({"fixture": "agent"}, "target fixture agent: the fixture has no value"),
        ({"call": "my_agent:answer", "response": {"answer": "a[["}}, "response.answer: 'a[[' is no path"),
    ],
)
def test_a_callable_that_cannot_be_had_is_a_preflight_error(
    folder: Path, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(PreflightError) as error:
        asyncio.run(target_of(folder, **settings).open())
    assert message in str(error.value)


def test_a_module_of_another_suite_is_not_asked_in_place_of_ones_own(folder: Path) -> None:
    with contextlib.closing(asyncio.Runner()) as runner:
        first = target_of(folder, call="my_agent:answer")
        runner.run(first.open())
        runner.run(first.close())
        other = folder / "other"
        other.mkdir()
        shared = target_of(other, call="my_agent:answer")  # there is no other: it is found where pytest started
        runner.run(shared.open())
        runner.run(shared.close())
        (other / "my_agent.py").write_bytes((folder / "my_agent.py").read_bytes())  # the same agent twice
        copied = target_of(other, call="my_agent:answer")
        runner.run(copied.open())
        runner.run(copied.close())
        (other / "my_agent.py").write_text("def answer(question): ...\n", "utf-8")
        message = r"other.my_agent\.py is not what is asked: Python has loaded .*my_agent\.py as the module 'my_agent'"
        with pytest.raises(PreflightError, match=message):
            runner.run(target_of(other, call="my_agent:answer").open())


def test_a_fixture_that_is_no_callable_is_refused(folder: Path) -> None:
    with pytest.raises(PreflightError, match="target fixture agent: it is the number 3; a callable is expected"):
        target_of(folder, fixture="agent").bind(3)


def test_a_factory_that_hangs_ends_in_time(folder: Path) -> None:
    (folder / "my_agent.py").write_text("import time\ndef make():\n    time.sleep(3)\n", "utf-8")
    target = target_of(folder, factory="my_agent:make", start_timeout=0.2)
    with pytest.raises(PreflightError, match=r"target my_agent:make: it was not ready within 0\.2 s"):
        asyncio.run(target.open())


def test_a_target_that_is_not_open_says_so(folder: Path) -> None:
    with pytest.raises(TransportError, match="not open"):
        asyncio.run(target_of(folder, call="my_agent:answer").ask(Query("q")))


async def all_of(target: PythonCallable, *seconds: float, timeout: float = 5) -> list[str | BaseException]:
    work = (target.ask(Query(str(s), timeout=timeout)) for s in seconds)
    results = await asyncio.gather(*work, return_exceptions=True)
    return [r if isinstance(r, BaseException) else str(r.answer) for r in results]


def test_callables_that_are_not_thread_safe_run_one_at_a_time_in_one_thread(folder: Path) -> None:
    target = target_of(folder, call="my_agent:slow")
    assert run(target, lambda t: all_of(t, *[0.02] * 5)) == ["slept 0.02"] * 5
    module = sys.modules["my_agent"]
    assert (module.MOST, len(module.THREADS)) == (1, 1)
    assert threading.get_ident() not in module.THREADS


def test_thread_safe_callables_run_side_by_side(folder: Path) -> None:
    start = time.perf_counter()
    target = target_of(folder, call="my_agent:slow", thread_safe=True)
    assert run(target, lambda t: all_of(t, *[0.3] * 8)) == ["slept 0.3"] * 8
    assert time.perf_counter() - start < 2
    assert sys.modules["my_agent"].MOST > 1


def test_waiting_for_its_turn_does_not_count_as_being_slow(folder: Path) -> None:
    target = target_of(folder, call="my_agent:slow")
    assert run(target, lambda t: all_of(t, *[0.15] * 5, timeout=0.4)) == ["slept 0.15"] * 5


def test_a_slow_call_ends_in_time_and_the_next_waits_until_it_has_returned(folder: Path) -> None:
    async def work(target: PythonCallable) -> Response:
        with pytest.raises(TargetTimeout) as error:
            await target.ask(Query("0.5", timeout=0.1))
        assert str(error.value) == (
            "no reply from my_agent:slow within 0.1 s; its thread cannot be stopped and goes on"
        )
        return await target.ask(Query("0.01", timeout=3))

    assert run(target_of(folder, call="my_agent:slow"), work).answer == "slept 0.01"


def test_a_call_that_never_returns_costs_two_waits_and_not_one_for_each_question(folder: Path) -> None:
    async def work(target: PythonCallable) -> tuple[list[str], float]:
        start, errors = time.perf_counter(), []
        for _ in range(20):
            with pytest.raises(TargetTimeout) as error:
                await target.ask(Query("2", id="first" if not errors else "other", timeout=0.2))
            errors.append(str(error.value))
        return errors, time.perf_counter() - start

    errors, elapsed = run(target_of(folder, call="my_agent:slow"), work)
    busy = (
        "my_agent:slow is still busy with the question of scenario 'first', which ran out of its 0.2 s; calls come one "
        "at a time and cannot be stopped: let it give up by itself, allow it more with `timeout:`, or say "
        "`thread_safe: true` where several may run at once"
    )
    assert errors[1:] == [busy] * 19
    assert elapsed < 1.5


@pytest.mark.parametrize("call", ["slow_async", "blocks"])
def test_an_async_callable_ends_in_time_even_where_it_blocks(folder: Path, call: str) -> None:
    async def work(target: PythonCallable) -> float:
        start = time.perf_counter()
        with pytest.raises(TargetTimeout, match=rf"no reply from my_agent:{call} within 0\.1 s$"):
            await target.ask(Query("1", timeout=0.1))
        return time.perf_counter() - start

    assert run(target_of(folder, call=f"my_agent:{call}"), work) < 0.8


def test_an_interrupted_question_leaves_the_target_usable(folder: Path) -> None:
    async def work(target: PythonCallable) -> Response:
        asking = asyncio.create_task(target.ask(Query("0.3", timeout=5)))
        await asyncio.sleep(0.05)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return await target.ask(Query("0.01", timeout=5))

    assert run(target_of(folder, call="my_agent:slow"), work).answer == "slept 0.01"


def test_settings_show_through(folder: Path) -> None:
    target = target_of(
        folder,
        call="my_agent:answer",
        deterministic=True,
        graph_dir="g",
        response={"answer": "a", "id_rule": "after ::"},
    )
    assert (target.name, target.kind, target.deterministic) == ("my_agent:answer", "python", True)
    assert (target.graph_dir, target.id_rule, target.where) == (folder / "g", "after ::", "s.yaml:2")
    assert issubclass(TargetTimeout, TargetError)
