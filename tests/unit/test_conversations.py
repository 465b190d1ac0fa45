"""Conversations: turns are asked in one thread, each is held against its own checks, the record says which failed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval import evaluate, load_suite
from pytest_graph_eval.errors import SuiteError
from pytest_graph_eval.evaluation.asking import Asked
from pytest_graph_eval.evaluation.evaluate import Context, score_turns
from pytest_graph_eval.loader.writer import dump_suite
from pytest_graph_eval.metrics.facts import NameIndex, normalise
from pytest_graph_eval.metrics.grounding import ungrounded_names
from pytest_graph_eval.models.records import Record, Response
from pytest_graph_eval.models.scenario import Scenario, fingerprint, turns_of
from pytest_graph_eval.reports.failure import failure_text, headline
from tests.servers.services import serving

REPLAY = "target: {path: talk.jsonl}\n"
AGENT = '''
seen = []

def ask(question, conversation, as_of):
    """Remember the object of a conversation, as an agent with memory does."""
    seen.append((question, conversation.thread_id, conversation.turn, as_of, list(conversation.messages)))
    if "AVG_BASKET" in question:
        conversation.state["object"] = "AVG_BASKET"
    if "crash" in question:
        raise RuntimeError("no memory left")
    return {"answer": f"{conversation.state.get('object', 'What')} is owned by SALES.", "intent": "OWNER",
            "as_of": as_of or "current", "names": ["AVG_BASKET"] if "AVG_BASKET" in question else []}
'''
PYTHON = "target: {call: 'talking_agent:ask'}\n"


def turns(*rows: str, more: str = "") -> str:
    return f"scenarios:\n  - id: a\n{more}    turns:\n" + "".join(f"      - {row}\n" for row in rows)


@pytest.fixture
def played(tmp_path: Path) -> Callable[..., Record]:
    """Return what runs turns against recorded responses."""

    def play(text: str, *responses: dict[str, Any]) -> Record:
        lines = [json.dumps({"id": "a", "turn": n, "response": r}) for n, r in enumerate(responses, 1)]
        (tmp_path / "talk.jsonl").write_text("\n".join(lines), encoding="utf-8")
        path = tmp_path / "t.graph.yaml"
        path.write_text(REPLAY + text, encoding="utf-8")
        (record,) = evaluate(path)
        return record

    return play


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[Record, list[Any]]]:
    """Return what runs turns against an agent that remembers."""

    def ask(text: str) -> tuple[Record, list[Any]]:
        (tmp_path / "talking_agent.py").write_text(AGENT, encoding="utf-8")
        path = tmp_path / "t.graph.yaml"
        path.write_text(PYTHON + text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(__import__("sys").modules, "talking_agent", raising=False)
        (record,) = evaluate(path)
        return record, __import__("talking_agent").seen

    return ask


def failing(text: str) -> list[str]:
    with pytest.raises(SuiteError) as caught:
        load_suite("s/x.graph.yaml", text=text, targets={})
    return [str(p) for p in caught.value.problems]


TWO = (
    "{question: 'What is AVG_BASKET?', expect: {names: AVG_BASKET}}",
    "{question: 'Who owns it?', expect: {names: SALES}}",
)


def test_every_turn_is_held_against_its_own_checks_and_the_scores_are_means(played: Callable[..., Record]) -> None:
    record = played(turns(*TWO), {"answer": "AVG_BASKET is a mean."}, {"answer": "RISK owns it."})
    assert (record.status, record.scores["facts"], record.mean) == ("FAIL", 0.5, 0.5)
    assert [(t["turn"], t["status"], t["scores"]["facts"], t["question"]) for t in record.turns] == [
        (1, "PASS", 1.0, "What is AVG_BASKET?"),
        (2, "FAIL", 0.0, "Who owns it?"),
    ]
    assert record.question == "What is AVG_BASKET?"
    assert record.facts["hits"] == ["turn 1: names: AVG_BASKET"]
    assert record.facts["misses"] == ["turn 2: names: SALES"]


def test_a_failed_turn_does_not_hide_a_later_one(played: Callable[..., Record]) -> None:
    record = played(turns(*TWO), {"answer": "No idea."}, {"answer": "RISK owns it."})
    assert record.reason == "turn 1 of 2: 1 of 1 checks failed (names); turn 2 of 2: 1 of 1 checks failed (names)"


def test_stop_on_failure_ends_the_conversation(asked: Callable[[str], tuple[Record, list[Any]]]) -> None:
    record, seen = asked(turns("{question: hi, expect: {names: RISK}}", TWO[1], more="    stop_on_failure: true\n"))
    assert [t["status"] for t in record.turns] == ["FAIL", "SKIPPED"]
    assert record.turns[1]["reason"] == "not asked: turn 1 did not pass (stop_on_failure)"
    assert len(seen) == 1


def test_the_failure_says_which_turn(played: Callable[..., Record]) -> None:
    text = turns(*TWO)
    record = played(text, {"answer": "AVG_BASKET is a mean."}, {"answer": "RISK owns it."})
    scenario = load_suite("x.graph.yaml", text=REPLAY + text).scenarios[0].scenario
    shown = failure_text(record, scenario, "x.graph.yaml:3", rerun="x.graph.yaml::a")
    assert "  turn 2 of 2: Who owns it?\n  names: SALES is not stated in the answer" in shown
    assert "What is AVG_BASKET?" not in shown
    assert headline(record).startswith("FAIL: names: turn 2: SALES is not stated")


def test_a_turn_without_checks_prepares_others_and_counts_for_nothing(played: Callable[..., Record]) -> None:
    record = played(turns("{question: Hello}", TWO[1]), {"answer": "Hi."}, {"answer": "SALES owns it."})
    assert (record.status, record.mean) == ("PASS", 1.0)
    assert [t["status"] for t in record.turns] == ["INCONCLUSIVE", "PASS"]


def test_a_turn_that_comes_back_empty_is_no_pass(played: Callable[..., Record]) -> None:
    record = played(turns(*TWO), {"answer": "AVG_BASKET is a mean."}, {"answer": ""})
    assert record.status == "INCONCLUSIVE"
    assert (record.reason or "").startswith("turn 2 of 2: no evidence")


def test_a_turn_without_a_reply_is_an_error_and_ends_the_conversation(
    asked: Callable[[str], tuple[Record, list[Any]]],
) -> None:
    record, seen = asked(turns(TWO[0], "{question: crash, expect: {names: A}}", TWO[1]))
    assert record.status == "ERROR"
    assert "turn 2 of 3: talking_agent:ask raised RuntimeError: no memory left" in (record.error or "")
    assert set(record.scores.values()) == {None}
    assert [t["status"] for t in record.turns] == ["PASS", "ERROR", "SKIPPED"]
    assert record.turns[2]["reason"] == "not asked: turn 2 has no reply"
    assert len(seen) == 2


def test_one_conversation_one_thread_and_the_target_remembers(asked: Callable[[str], tuple[Record, list[Any]]]) -> None:
    record, seen = asked(turns(*TWO))
    assert record.status == "PASS"
    assert [turn for _, _, turn, _, _ in seen] == [1, 2]
    assert len({thread for _, thread, _, _, _ in seen}) == 1
    assert seen[0][4] == []
    assert seen[1][4] == [
        {"role": "user", "content": "What is AVG_BASKET?"},
        {"role": "assistant", "content": "AVG_BASKET is owned by SALES."},
    ]
    _, again = asked(turns(*TWO))
    assert again[0][1] != seen[0][1], "another run is another conversation"


def test_a_valid_time_holds_until_now(asked: Callable[[str], tuple[Record, list[Any]]]) -> None:
    rows = ("{question: a, as_of: 2024-03-01, expect: {names: SALES}}", "{question: b, expect: {names: SALES}}",
            "{question: c, as_of: now, expect: {names: SALES}}", "{question: d, expect: {as_of: current}}")  # fmt: skip
    record, seen = asked(turns(*rows))
    assert [as_of for _, _, _, as_of, _ in seen] == ["2024-03-01", "2024-03-01", None, None]
    assert record.status == "PASS"
    assert record.facts["as_of_match"] is True


@pytest.mark.parametrize(
    ("found", "wanted", "status", "words"),
    [
        ("OWNER", "OWNER", "PASS", ""),
        ("owner ", "[DEFINITION, OWNER]", "PASS", ""),
        ("HELP", "[DEFINITION, OWNER]", "FAIL", "turn 1: DEFINITION or OWNER expected, HELP found"),
        ("", "OWNER", "FAIL", "OWNER expected, nothing found"),
        (None, "OWNER", "ERROR", "OWNER expected, but the target reports none; map `intent:`"),
    ],
)
def test_the_intent_is_one_of_the_acceptable_ones(
    played: Callable[..., Record], found: str | None, wanted: str, status: str, words: str
) -> None:
    record = played(turns(f"{{question: q, expect: {{intent: {wanted}}}}}"), {"answer": "a", "intent": found})
    assert record.status == status
    assert words in record.checks[0].message
    assert record.turns[0]["intent"] == found


def test_what_a_scenario_expects_holds_for_each_turn() -> None:
    text = (
        REPLAY
        + "defaults: {expect: {budget: {seconds: 3}}}\n"
        + turns(
            "{question: q, expect: {names: B, budget: {total_tokens: 9}}}",
            "{question: r}",
            more="    expect: {excludes: X}\n",
        )
    )
    one, two = turns_of(load_suite("x.graph.yaml", text=text).scenarios[0].scenario)
    assert one.expect.budget is not None
    assert (one.expect.budget.seconds, one.expect.budget.total_tokens) == (3, 9)
    assert two.expect.excludes is not None
    assert two.expect.names is None


def test_each_turn_changes_the_fingerprint() -> None:
    later = "{question: 'Who owns it?', as_of: 2024-01-01}"
    other = (turns(*TWO).replace("SALES", "RISK"), turns(*TWO).replace("Who owns", "Who had"), turns(TWO[0], later))
    texts = [turns(*TWO), turns(*reversed(TWO)), turns(TWO[0]), *other]
    prints = {fingerprint(load_suite("x.graph.yaml", text=REPLAY + t).scenarios[0].scenario) for t in texts}
    assert len(prints) == len(texts)


def test_a_conversation_is_written_as_it_was_read() -> None:
    text = REPLAY + turns(*TWO)
    suite = load_suite("x.graph.yaml", text=text)
    written = dump_suite(suite)
    assert written.count("question:") == 2
    assert load_suite("x.graph.yaml", text=written).suite == suite.suite


def test_rows_fill_the_turns() -> None:
    text = REPLAY + turns("{question: 'What is {x}?', expect: {names: '{x}'}}", more="    rows: [{id: r, x: ABC}]\n")
    (loaded,) = load_suite("x.graph.yaml", text=text).scenarios
    assert loaded.scenario.turns is not None
    assert (loaded.scenario.id, loaded.scenario.question, loaded.scenario.turns[0].question) == (
        "a-r", "What is ABC?", "What is ABC?")  # fmt: skip


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        (turns("{questin: q}"), "5:10", "turns[0]: unknown key 'questin', did you mean 'question'?"),
        (turns("{question: q, expect: {names: A, forbiden: B}}"), "5:42", "did you mean 'forbidden'?"),
        (turns("{question: ' '}"), "5:20", "the question is empty"),
        (turns("{question: q, as_of: 2024-02-30, expect: {names: A}}"), "5:30", "is no day that exists"),
        (turns("{question: q, expect: {names: A, forbidden: A}}"), "5:39", "both required and forbidden"),
        (turns("{question: q, expect: {intent: [A, ' ']}}"), "5:44", "an empty item"),
        (turns("{question: q, expect: {intent: []}}"), "5:40", "found an empty list"),
        (turns("{question: q}"), "3:5", "nothing to check"),
        (
            turns("{question: q, expect: {names: A, stable: {facts: 1}}}"),
            "5:50",
            "compared with the baseline as a whole",
        ),
        (
            turns(TWO[0], more="    gold_answer: x\n"),
            "4:5",
            "`gold_answer` belongs to a turn of the conversation; move it there",
        ),
        (turns(TWO[0], more="    question: other\n"), "4:15", "a conversation has its questions in `turns`"),
        ("scenarios: [{id: a, turns: []}]", "2:28", "found an empty list"),
    ],
)
def test_what_is_wrong_with_a_turn_is_said_at_its_place(text: str, where: str, words: str) -> None:
    problems = failing(REPLAY + text)
    assert any(words in p for p in problems), problems
    assert any(p.startswith(f"s/x.graph.yaml:{where}:") for p in problems), problems


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("{extraction: a.json}", "scenario 'a': the graph target cannot hold a conversation; it looks up each"),
        ("{command: x}", "the mcp target cannot hold a conversation; put `{thread_id}` (a server that remembers) or"),
        ("{url: 'http://h', json: {q: '{question}'}}", "the http target cannot hold a conversation; put"),
    ],
)
def test_a_target_that_cannot_hold_a_conversation_is_refused(target: str, words: str) -> None:
    (problem,) = failing(f"target: {target}\n" + turns(*TWO))
    assert words in problem
    assert problem.startswith("s/x.graph.yaml:5:7:")
    load_suite("x.graph.yaml", text=f"target: {target}\n" + turns(TWO[0]), targets={})


@pytest.mark.parametrize(
    "target",
    [
        "{command: x, arguments: {q: '{question}', thread: '{thread_id}'}}",
        "{kind: http, url: 'http://h', preset: openai-chat}",
        "{kind: http, url: 'http://h/{thread_id}'}",
        "{kind: http, url: 'http://h', json: {m: '{messages}'}}",
        "{path: r.jsonl}",
        "{call: 'm:f'}",
    ],
)
def test_a_target_that_can_hold_one_is_taken(target: str) -> None:
    load_suite("x.graph.yaml", text=f"target: {target}\n" + turns(*TWO), targets={})


def test_a_callable_that_knows_no_conversation_says_so(tmp_path: Path) -> None:
    (tmp_path / "deaf_agent.py").write_text("def ask(question):\n    return 'AVG_BASKET'\n", encoding="utf-8")
    path = tmp_path / "t.graph.yaml"
    path.write_text("target: {call: 'deaf_agent:ask'}\n" + turns(*TWO), encoding="utf-8")
    (record,) = evaluate(path)
    assert "turn 2 of 2: deaf_agent:ask cannot hold a conversation; give it a parameter `messages`" in (
        record.error or ""
    )


def grounded(answer: str, names: list[str] | None, question: str = "Which features are there?") -> list[str]:
    scenario = Scenario.model_validate({"id": "a", "question": question, "expect": {"contains": "a"}})
    catalog = NameIndex([("AVG_BASKET", ""), ("RISK_SCORE", "")])
    return ungrounded_names(scenario, Response(answer=answer, names=names), normalise(answer), None, catalog)


@pytest.mark.parametrize(
    ("answer", "names", "found"),
    [
        ("There are AVG_BASKET and RISK_SCORE.", ["AVG_BASKET"], ["RISK_SCORE"]),
        ("There are AVG_BASKET and RISK_SCORE.", [], ["AVG_BASKET", "RISK_SCORE"]),
        ("There are AVG_BASKET and RISK_SCORE.", ["avg_basket", "RISK_SCORE"], []),
        ("There is AVG_BASKET; RISK_SCORE does not exist.", ["AVG_BASKET"], []),
        ("There are AVG_BASKET and RISK_SCORE.", None, []),
    ],
)
def test_a_name_of_the_graph_that_nobody_used_is_a_hallucination(
    answer: str, names: list[str] | None, found: list[str]
) -> None:
    told = grounded(answer, names)
    assert [text.split('"')[1] for text in told] == found
    assert all("neither expected nor among the names that the target used" in text for text in told)


def test_a_name_in_the_question_is_no_hallucination() -> None:
    assert grounded("RISK_SCORE is one.", [], question="What is RISK_SCORE?") == []


def test_names_that_were_used_in_an_earlier_turn_are_known() -> None:
    scenario = Scenario.model_validate(
        {"id": "a", "turns": [{"question": q, "expect": {"contains": "a"}} for q in "pq"]}
    )
    answer = "AVG_BASKET and RISK_SCORE are"
    asked = [Asked(response=Response(answer=answer, names=names)) for names in (["AVG_BASKET"], ["RISK_SCORE"])]
    context = Context(names=NameIndex([("AVG_BASKET", ""), ("RISK_SCORE", "")]))
    first, second = score_turns(scenario, asked, context)
    assert [text.split('"')[1] for text in first.hallucinations] == ["RISK_SCORE"]
    assert second.hallucinations == []
    assert second.retrieved == {"names": ["AVG_BASKET", "RISK_SCORE"]}


def test_a_service_without_a_memory_gets_the_conversation_so_far(tmp_path: Path) -> None:
    sent = []

    def reply(body: Any) -> tuple[int, Any]:
        sent.append(body)
        return 200, {"answer": f"SALES owns AVG_BASKET ({len(sent)})."}

    path = tmp_path / "t.graph.yaml"
    with serving({"/ask": reply}) as url:
        settings = f"{{kind: http, url: '{url}/ask', json: {{m: '{{messages}}', t: '{{thread_id}}', n: '{{turn}}'}}}}"
        path.write_text(f"target: {settings}\n" + turns(*TWO), encoding="utf-8")
        (record,) = evaluate(path)
    assert record.status == "PASS", record.error
    first, second = sent
    assert first["m"] == [{"role": "user", "content": "What is AVG_BASKET?"}]
    assert [m["content"] for m in second["m"]] == [
        "What is AVG_BASKET?", "SALES owns AVG_BASKET (1).", "Who owns it?"]  # fmt: skip
    assert (first["t"], [first["n"], second["n"]]) == (second["t"], ["1", "2"])
